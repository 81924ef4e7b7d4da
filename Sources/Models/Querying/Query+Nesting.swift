extension Query {
  /// With the entity that a relation leads to, as the closure says.
  public func with<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToOne, Constraints>>,
    _ modifier: (Query<Target>) -> Query<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .entities, isPart: false, modifier(Query<Target>(QueryList<Target>())).list))
  }

  /// With the entities that a relation leads to, as the closure says.
  public func with<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>>,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .entities, isPart: false, modifier(QueryList<Target>())))
  }

  /// With some of the entities that a relation leads to, so that saving the result appends them.
  public func with<Target, Directionality, Constraints>(
    slice path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>>,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .entities, isPart: true, modifier(QueryList<Target>())))
  }

  /// With the entity that a relation leads to as a fragment.
  public func fragment<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToOne, Constraints>>,
    _ modifier: (Query<Target>) -> Query<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .fragments, isPart: false, modifier(Query<Target>(QueryList<Target>())).list))
  }

  /// With the entities that a relation leads to as fragments.
  public func fragment<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>>,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .fragments, isPart: false, modifier(QueryList<Target>())))
  }

  /// With some of the entities that a relation leads to as fragments.
  public func fragment<Target, Directionality, Constraints>(
    slice path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>>,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .fragments, isPart: true, modifier(QueryList<Target>())))
  }

  /// With the id of the entity that a relation leads to.
  public func id<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToOne, Constraints>>
  ) -> Self {
    nesting(TypedNestedQuery(path, .ids, isPart: false, QueryList<Target>()))
  }

  /// With the ids of the entities that a relation leads to, as the closure says.
  public func id<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>>,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .ids, isPart: false, modifier(QueryList<Target>())))
  }

  /// With the ids of some of the entities that a relation leads to.
  public func id<Target, Directionality, Constraints>(
    slice path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>>,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .ids, isPart: true, modifier(QueryList<Target>())))
  }

  private func nesting(_ nested: NestedQuery<Entity>) -> Self {
    var query = self
    query.list.nested.append(nested)
    return query
  }
}
