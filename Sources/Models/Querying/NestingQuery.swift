/// A query whose entities come with others that their relations lead to: of one entity, or of many.
public protocol NestingQuery<Entity> {
  /// An entity that the query gives.
  associatedtype Entity: EntityModelProtocol
  /// All that is asked, as a query for many entities: without the id that one entity is asked for by.
  var list: QueryList<Entity> { get set }
}

extension QueryList: NestingQuery {
  /// The query itself.
  public var list: Self {
    get { self }
    set { self = newValue }
  }
}

extension Query: NestingQuery {}

extension NestingQuery {
  /// With the entity that a relation leads to, as the closure says.
  public func with<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToOne, Constraints>> & Sendable,
    _ modifier: (Query<Target>) -> Query<Target> = { $0 }
  ) -> Self {
    nesting(
      TypedNestedQuery(path, .entities, isPart: false, QueryList.given(one: modifier)))
  }

  /// With the entities that a relation leads to, as the closure says.
  public func with<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>> & Sendable,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .entities, isPart: false, QueryList.given(modifier)))
  }

  /// With some of the entities that a relation leads to, so that saving the result appends them.
  public func with<Target, Directionality, Constraints>(
    slice path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>> & Sendable,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .entities, isPart: true, QueryList.given(modifier)))
  }

  /// With the entity that a relation leads to as a fragment.
  public func fragment<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToOne, Constraints>> & Sendable,
    _ modifier: (Query<Target>) -> Query<Target> = { $0 }
  ) -> Self {
    nesting(
      TypedNestedQuery(path, .fragments, isPart: false, QueryList.given(one: modifier)))
  }

  /// With the entities that a relation leads to as fragments.
  public func fragment<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>> & Sendable,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .fragments, isPart: false, QueryList.given(modifier)))
  }

  /// With some of the entities that a relation leads to as fragments.
  public func fragment<Target, Directionality, Constraints>(
    slice path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>> & Sendable,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .fragments, isPart: true, QueryList.given(modifier)))
  }

  /// With the id of the entity that a relation leads to.
  public func id<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToOne, Constraints>> & Sendable
  ) -> Self {
    nesting(TypedNestedQuery(path, .ids, isPart: false, QueryList<Target>()))
  }

  /// With the ids of the entities that a relation leads to, as the closure says.
  public func id<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>> & Sendable,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .ids, isPart: false, QueryList.given(modifier)))
  }

  /// With the ids of some of the entities that a relation leads to.
  public func id<Target, Directionality, Constraints>(
    slice path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>> & Sendable,
    _ modifier: (QueryList<Target>) -> QueryList<Target> = { $0 }
  ) -> Self {
    nesting(TypedNestedQuery(path, .ids, isPart: true, QueryList.given(modifier)))
  }

  /// With what all relations lead to, then with what the relations of that lead to, and so on: one form for each depth.
  public func with(_ nested: Nested...) -> Self { with(nested) }

  /// With what all relations lead to, one form for each depth.
  public func with(_ nested: [Nested]) -> Self {
    var query = self
    query.list.nested += QueryList<Entity>.bulk(nested[...])
    return query
  }

  private func nesting(_ nested: NestedQuery<Entity>) -> Self {
    var query = self
    query.list.nested.append(nested.depth > NestingDepth.maximum ? TooDeepQuery() : nested)
    return query
  }
}
