/// A choice of what counts where two sides have changed the same.
public enum MergeChoice: Sendable, Hashable {
  /// Neither: nothing is saved, and the error says what is in conflict.
  case fail
  /// The side that is saved.
  case mine
  /// The side that was saved before.
  case theirs
}

/// A report of what was saved.
public struct MergeReport: Sendable {
  /// The version of the database that has the changes.
  public let version: Int64
  /// The changes that the database got.
  public let applied: DatabaseChanges
  /// Lists what the two sides had changed differently, with what was decided. What a rule of the schema or of the program
  /// has decided is not among them.
  public let conflicts: [MergeConflict]
}

/// A field or an entity that two sides have changed so that one of them must yield.
public struct MergeConflict: Sendable, Hashable, CustomStringConvertible {
  /// A kind of conflict.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Both have written the field.
    case field
    /// One side has deleted the entity, and the other has written to it, linked to it or needs it.
    case deleted
    /// Both have inserted an entity with this id.
    case inserted
    /// Both want the unique value.
    case key
    /// The entity would lose a link that it must have.
    case required
    /// The relation denies the deletion.
    case denied
  }

  /// Says how it was decided.
  public enum Resolution: String, Sendable, Hashable {
    /// The side that was saved counts.
    case mine
    /// The side that was there counts.
    case theirs
    /// Nothing was decided, so that nothing was saved.
    case open
  }

  /// The name of the type.
  public let type: String
  /// The id of the entity; an object where it has several fields.
  public let id: Value
  /// The name of the field; nil for the entity itself.
  public let field: String?
  /// The value that both began with; links are ids, and embedded objects are objects.
  public let base: Value
  /// The value of the side that is saved.
  public let mine: Value
  /// The value of the side that was saved before.
  public let theirs: Value
  /// Says what kind of conflict it is.
  public let kind: Kind
  /// Says how it was decided.
  public let resolved: Resolution
  /// Tells whether what one side has deleted was not written by the other, which only must be linked with it.
  let isNeeded: Bool
  /// Lists the choices that decide it.
  let ways: Set<MergeChoice>

  /// A sentence: `'User.name' of 7 is "Ann" here and "Anna" there`.
  public var description: String {
    let name = field.map { "'\(type).\($0)'" } ?? "'\(type)'"
    let place = "\(name) of \(Self.text(id))"
    switch kind {
    case .field: return "\(place) is \(Self.text(mine)) here and \(Self.text(theirs)) there, and was \(Self.text(base))"
    case .deleted where isNeeded: return "\(place) was deleted by one side, and is needed by the other"
    case .deleted:
      return
        "'\(type)' of \(Self.text(id)) was deleted by one side, and \(field.map { "'\($0)' was" } ?? "was") written by the other"
    case .inserted: return "'\(type)' of \(Self.text(id)) was inserted by both sides"
    case .key: return "\(place) has a value that another entity has now"
    case .required: return "\(place) would lose a link that it must have"
    case .denied: return "\(place) has links, which deny the deletion"
    }
  }

  private static func text(_ value: Value) -> String {
    let text = value.json.json
    return text.count > 60 ? "\(text.prefix(57))…" : text
  }
}
