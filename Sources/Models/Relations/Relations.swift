/// The types that say what kind of relation a ``Relation`` is.
public enum Relations {
  /// Only the side that names it knows of it.
  public enum OneWay: _RelationDirectionality {}
  /// Both sides name it, each the other as its inverse.
  public enum Mutual: _RelationDirectionality {}
  /// At most one target.
  public enum ToOne: _RelationCardinality {
    /// False.
    public static var _isToMany: Bool { false }
  }
  /// Any number of targets, in order.
  public enum ToMany: _RelationCardinality {
    /// True.
    public static var _isToMany: Bool { true }
  }
  /// It can be set to ``Relation/null``.
  public enum Optional: _RelationConstraints {}
  /// It cannot be set to null.
  public enum Required: _RelationConstraints {}
}

/// A rule of what deleting an entity does to those that a relation leads to.
public enum DeleteRule: Sendable, Hashable {
  /// They lose the link.
  case nullify
  /// They are deleted too.
  case cascade
  /// Refuses to delete the entity as long as there are any.
  case deny
}
