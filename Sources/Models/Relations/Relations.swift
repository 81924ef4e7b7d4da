/// The types that say what kind of relation a ``Relation`` is.
public enum Relations {
  /// Only the side that names it knows of it.
  public enum OneWay: RelationDirectionality {}
  /// Both sides name it, each the other as its inverse.
  public enum Mutual: RelationDirectionality {}
  /// At most one target.
  public enum ToOne: RelationCardinality {
    /// False.
    public static var isToMany: Bool { false }
  }
  /// Any number of targets, in order.
  public enum ToMany: RelationCardinality {
    /// True.
    public static var isToMany: Bool { true }
  }
  /// It can be set to ``Relation/null``.
  public enum Optional: RelationConstraints {}
  /// It cannot be set to null.
  public enum Required: RelationConstraints {}

  /// A mark of a required relation: `@Relationship(.required)`.
  public struct RequiredConstraint: Sendable {
    /// The relation cannot be set to null.
    public static var required: RequiredConstraint { RequiredConstraint() }
  }
  /// A mark of an optional relation, which may be left out: `@Relationship(.optional, inverse: \.y)`.
  public struct OptionalConstraint: Sendable {
    /// The relation can be set to null.
    public static var optional: OptionalConstraint { OptionalConstraint() }
  }
}

/// ``Relations/OneWay`` or ``Relations/Mutual``.
public protocol RelationDirectionality: SendableMetatype {}
/// ``Relations/ToOne`` or ``Relations/ToMany``.
public protocol RelationCardinality: SendableMetatype {
  /// Whether there may be several targets.
  static var isToMany: Bool { get }
}
/// ``Relations/Optional`` or ``Relations/Required``.
public protocol RelationConstraints: SendableMetatype {}

/// A rule of what deleting an entity does to those that a relation leads to.
public enum DeleteRule: Sendable, Hashable {
  /// They lose the link.
  case nullify
  /// They are deleted too.
  case cascade
  /// Refuses to delete the entity as long as there are any.
  case deny
}
