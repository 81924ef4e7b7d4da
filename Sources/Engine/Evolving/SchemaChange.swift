/// A comparison of a database with another schema: what that says differently, and what that means for the data.
///
/// ``Database/schemaChange(to:name:options:)`` tells it beforehand, ``Database/changeSchema(to:name:allowingLoss:options:)``
/// makes it.
public struct SchemaChange: Sendable, Hashable, CustomStringConvertible {
  /// One thing that the schemas say differently.
  public struct Difference: Sendable, Hashable {
    /// Tells whether it comes, goes, or is another.
    public enum Kind: String, Sendable, Hashable {
      /// It is in the new schema only.
      case added
      /// It is in the old schema only.
      case removed
      /// Both have it, and say different things about it.
      case changed
    }
    /// Tells whether it comes, goes, or is another.
    public let kind: Kind
    /// Names what it is about: `User`, `User.name`, `Status.OLD`.
    public let name: String
    /// A few words: `field 'User.age' from 'Int' to 'Float'`.
    public let message: String
  }

  /// A consequence for some data.
  public struct Effect: Sendable, Hashable {
    /// The type, field or enum value that the new schema has, has no more or has differently; or a branch.
    public let name: String
    /// Counts entities, values or links.
    public let count: Int
    /// One sentence: `field 'User.bio' is removed: 40 values would be lost`.
    public let message: String
    /// Says what would help, if there is anything.
    public let help: String?
  }

  /// Everything that the schemas say differently.
  public let differences: [Difference]
  /// Lists what would be lost; the change is made only where that is allowed.
  public internal(set) var losses: [Effect]
  /// Lists what the data has, and the new schema forbids: the change cannot be made before one of them is another.
  public let conflicts: [Effect]

  /// Returns the change with consequences for other data, that of branches.
  func adding(_ others: (losses: [Effect], conflicts: [Effect])) -> SchemaChange {
    SchemaChange(
      differences: differences, losses: losses + others.losses, conflicts: conflicts + others.conflicts)
  }

  /// Tells whether the schemas say the same.
  public var isEmpty: Bool { differences.isEmpty }

  /// Everything, a line each: `+` for what comes, `-` for what goes, `~` for what is another, then `lost` and `conflict`.
  public var description: String {
    var lines = differences.map { difference in
      let mark =
        switch difference.kind {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        }
      return "\(mark) \(difference.message)"
    }
    lines += losses.map { "lost: \($0.message)" }
    lines += conflicts.map { "conflict: \($0.message)" }
    return lines.map { $0 + "\n" }.joined()
  }
}
