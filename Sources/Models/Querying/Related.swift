extension Query {
  /// The entity that a relation of this one leads to.
  public func related<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToOne, Constraints>> & Sendable
  ) -> Query<Target> {
    Query<Target>(QueryList(from: EachSource(path, asList)))
  }

  /// The entities that a relation of this one leads to.
  public func related<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>> & Sendable
  ) -> QueryList<Target> {
    QueryList(from: EachSource(path, asOne))
  }

  /// As a list of one, at most.
  private var asOne: QueryList<Entity> {
    var list = asList
    if id == nil { list.refineToFirst() }
    return list
  }
}

extension QueryList {
  /// The entities that a relation of these leads to, in their order.
  public func related<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToOne, Constraints>> & Sendable
  ) -> QueryList<Target> {
    QueryList<Target>(from: EachSource(path, self))
  }

  /// The entities that a relation of each of these leads to.
  public func related<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>> & Sendable
  ) -> QueryGroup<Target> {
    QueryGroup(path, of: self)
  }
}
