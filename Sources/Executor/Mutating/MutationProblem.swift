import GQLBase
import GQLCatalog
import GQLStore

/// Why a mutation is refused. Nothing of its operation takes effect.
package struct MutationProblem: Error, Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// What any evaluation can run into.
    case runtime(RuntimeProblem)
    /// A second `User` with the e-mail address of another.
    case uniqueViolation(type: String, fields: [String], values: [String], existing: String)
    /// `insertUser(data: {id: "1"})` where `name: String!`.
    case missingValue(type: String, field: String, entity: String?)
    /// `chats: ["404"]`
    case unknownID(type: String, field: String, id: String)
    /// `about: ["7"]`, where both an `Animal` and a `Tool` have this id.
    case ambiguousLink(field: String, id: String, types: [String])
    /// `deleteUser(where: id == "1")` whose messages are `onDelete: DENY`.
    case deleteDenied(type: String, entity: String, field: String)
    /// Taking the author from a message that must have one.
    case requiredReference(type: String, entity: String, field: String)
    /// Restoring a message whose author, which it must have, does not come back.
    case lostReference(type: String, entity: String, field: String, LostLink)
    /// `deleteUser(where: $f)` with `{"f": {}}`.
    case unconditionalChange(verb: String, type: String)
    /// `deleteUser(where: name == $n)` without `$n`.
    case absentVariable(verb: String, name: String)
    /// More entities, or longer texts, than the store holds.
    case tooLarge(String)
    /// What a command of the embedding program threw.
    case commandFailed(name: String, message: String)
    /// A change where only reading is possible.
    case readOnly
    /// A write to the database within its own transaction.
    case nestedTransaction
    /// A transaction used after its end.
    case transactionEnded
  }

  package var kind: Kind
  package var range: SourceRange
  /// The place in a variable's value, `$rows[3].email`; then the range is the variable's declaration.
  package var path: String?

  package init(_ kind: Kind, at range: SourceRange, path: String? = nil) {
    self.kind = kind
    self.range = range
    self.path = path
  }
}
