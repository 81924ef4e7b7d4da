/// Why a former name or a number of a schema does not agree with the schema before it.
package struct RenameProblem: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// `@was(name:)` names a type, a field or a value of an enum that the new schema still has.
    case isStillThere(String)
    /// The number belongs to another type or field, which the new schema still has.
    case numberIsTaken(Int64, by: String)
    /// The number is that of another type or field, and the name that of a third.
    case nameIsTaken(Int64, of: String)
    /// The type or field has another number already.
    case numberIsOther(Int64, than: Int64)
  }

  package var kind: Kind
  /// `User`, `User.name`, `Status.OLD`, of the new schema.
  package var path: String

  /// The directive that says what is wrong.
  package var directive: String {
    if case .isStillThere = kind { "was" } else { "number" }
  }

  /// Returns one sentence of cause.
  package var message: String {
    switch kind {
    case .isStillThere(let name): "'\(path)' was '\(name)', but '\(name)' is still there"
    case .numberIsTaken(let number, let name): "'\(path)' has the number \(number), which belongs to '\(name)'"
    case .nameIsTaken(let number, let name):
      "'\(path)' has the number \(number) of '\(name)', but there was another '\(path)'"
    case .numberIsOther(let number, let known): "'\(path)' has the number \(number), but it had \(known) before"
    }
  }

  package var help: String {
    switch kind {
    case .isStillThere: "remove '@was', or what it names"
    case .numberIsTaken: "give it another number"
    case .nameIsTaken: "rename and remove in two changes"
    case .numberIsOther: "a number stays as it is"
    }
  }
}
