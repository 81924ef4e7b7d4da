import GQLBase
import GQLCatalog
import GQLQuery

/// What can be wrong with a schema.
package enum SchemaProblem: Sendable {
  /// Why a field cannot be (part of) a key or an index.
  package enum Unfit: Sendable, Hashable {
    case relation, list, embedded, json, float, computed
    /// For what an index holds.
    case unlike(IndexDescriptor.Kind.Facts.Content)
  }

  /// `type A { id: ID! } type A { id: ID! }`
  case duplicateType(name: String, first: SourceRange)
  /// `type A { id: ID! n: Int n: Int }`
  case duplicateField(name: String, type: String, first: SourceRange)
  /// `enum E { A A }`
  case duplicateEnumValue(name: String, type: String, first: SourceRange)
  /// An enum with more than 65,535 values.
  case tooManyEnumValues(type: String)
  /// `type A { id: ID! _cursor: Int }`
  case reservedName(name: String)
  /// `type A { id: ID! n: Strin }`
  case unknownType(name: String, near: [String])
  /// `extend type Missing { n: Int }`
  case extensionOfNothing(name: String, near: [String])
  /// `enum E { A } extend type E { n: Int }`
  case extensionOfOtherKind(name: String)
  /// `type A` without fields.
  case emptyType(name: String)
  /// `type A { a: A! }`: without an id it would contain itself.
  case recursiveEmbedding(path: [String])
  /// Embedded types in embedded types that flatten to more columns than an entity type may have.
  case tooManyColumns(type: String, limit: Int)
  /// `type A { id: ID! n: Int @indx }`
  case unknownDirective(name: String, near: [String])
  /// `type A { id: ID! n: Int @index(kin: HASH) }`
  case unknownDirectiveArgument(directive: String, argument: String, near: [String])
  /// `type A @index { id: ID! }`: on a type it needs `fields:`.
  case missingDirectiveArgument(directive: String, argument: String)
  /// `type A { id: ID! n: Int @index(kind: 5) }`
  case wrongDirectiveArgument(directive: String, argument: String, expected: String, near: [String])
  /// `type A { id: ID! n: Int @default(value: 1) @default(value: 2) }`
  case repeatedDirective(name: String)
  /// `type A { id: ID! n: Int @relation(inverse: "x") }`
  case misplacedDirective(name: String, reason: Misplacement)
  /// `type A { id: ID! n: Int = 1 @default(value: 2) }`
  case twoDefaults(field: String)
  /// `type A { id: ID! n: Int = "x" }`
  case wrongDefault(field: String, problem: CoercionProblem)
  /// `type A @id(fields: ["tags"]) { tags: [String] }`
  case invalidKey(field: String, type: String, reason: Unfit)
  /// `type A { id: ID! j: JSON @index }`
  case notIndexable(field: String, type: String, reason: Unfit)
  /// `type A @index(fields: ["nme"]) { id: ID! name: String }`
  case unknownDirectiveField(name: String, type: String, directive: String, near: [String])
  /// `type A { id: ID! n: Int @index(name: "x") m: Int @index(name: "x") }`
  case duplicateIndexName(name: String, type: String)
  /// `type A { id: ID! b: B @relation(inverse: "as") } type B { id: ID! a: A }`
  case unknownInverse(name: String, target: String, near: [String])
  /// `type A { id: ID! b: B @relation(inverse: "n") } type B { id: ID! n: Int }`
  case inverseIsOther(name: String, target: String, source: String)
  /// `type A { id: ID! b: B @relation(inverse: "a") c: B @relation(inverse: "a") } type B { id: ID! a: A }`
  case inverseConflict(field: String, type: String, inverse: String, target: String, other: SourceRange)
  /// `type A { id: ID! bs: [B!]! } type B { id: ID! a: A }`, a warning.
  case possibleInverse(field: String, type: String, inverse: String, target: String, insertAt: SourceRange)
  /// `type a { id: ID! } type A { id: ID! }`: the list of one and the one object of the other would both be called `a`.
  case rootNameClash(name: String, first: String, second: String)
  /// `type Query { version: String }`, a warning.
  case unusableRootField(name: String)
  /// `type User { id: ID! friends(first: Int): [User] }`, a warning.
  case ignoredFieldArguments(field: String)
  /// `type A @history { id: ID! _version: Int }`, a warning.
  case versionName(String)
  /// `type Mutation { … }`, a warning.
  case ignoredType(name: String)
  /// `interface N { n: Int } type A { id: ID! a: [B!]! @relation(inverse: "n") }` where `n` is a field of an interface.
  case inverseOfMembers(name: String, type: String)
  /// `type A { id: ID! p: [[B]] }`: only scalars stand in lists of lists.
  case nestedList
  /// `type A implements B { id: ID! } type B { id: ID! }`
  case notAnInterface(name: String)
  /// `interface M implements N { … } type A implements M { … }`: `A` must say that it implements `N` too.
  case missingInterface(type: String, interface: String, through: String)
  /// `interface N implements N { id: ID! }`
  case cyclicInterface(path: [String])
  /// `interface N { n: Int } type A implements N { id: ID! }`
  case missingInterfaceField(type: String, interface: String, field: String)
  /// `interface N { n: Int! } type A implements N { id: ID! n: Int }`
  case wrongInterfaceField(type: String, field: String, found: String, interface: String, expected: String)
  /// `union U = Int`, `union U = P` where `P` has no id, `union U = A | A`
  case wrongMember(name: String, of: String, reason: Membership)
  /// `type A { id: ID! b: Int @was(name: "a") c: Int @was(name: "a") }`; without a type, two types of one former name.
  case sharedFormerName(name: String, type: String?, first: SourceRange)
  /// `enum E { A @was(name: "C") B @was(name: "C") }`
  case sharedFormerValue(name: String, type: String, first: SourceRange)
  /// `type A { id: ID! b: Int @number(value: 1) c: Int @number(value: 1) }`; without a type, two types of one number.
  case sharedNumber(number: Int64, type: String?, first: SourceRange)
  /// A feature of the language that this version does not run.
  case notSupportedYet(NotSupportedYet)

  package enum Misplacement: Sendable, Hashable {
    case notRelation, notText, inEmbedded, onType, onField, onComputed, onAbstract, onEnumValue
    /// On an interface or a union, on an enum, or on the schema itself.
    case onAbstractType, onEnum, onSchema
    /// `@rowNumber` beside a field that is no id.
    case notNumber
  }

  /// Why a type cannot be a member of an interface or a union.
  package enum Membership: Sendable, Hashable { case notAnObject, withoutID, repeated }
}
