/// A query that can be refined: for one entity, for many, or for several lists.
public protocol RefinableQuery<Entity>: CustomStringConvertible {
  /// An entity that the query finds.
  associatedtype Entity: EntityModelProtocol
  /// Holds the query for many entities, without the id that one entity is found by.
  var _list: QueryList<Entity> { get set }
}

/// A query whose answer is one list of entities: for one entity, or for many.
public protocol NestingQuery<Entity>: RefinableQuery {}

extension QueryList: NestingQuery {
  /// The query itself.
  public var _list: Self {
    get { self }
    set { self = newValue }
  }
}

extension RefinableQuery {
  /// The query for all that it finds, as one list.
  var asked: QueryList<Entity> {
    switch self {
    case let query as Query<Entity>: query.asList
    case let query as QueryGroup<Entity>: query.flatten()
    default: _list
    }
  }
}

extension RefinableQuery {
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
    query._list.nested += QueryList<Entity>.bulk(nested[...])
    return query
  }

  /// With what relations lead to that are likely to be looked at. A path to no relation is passed over.
  func prefetching(_ paths: [PartialKeyPath<Entity>]) -> Self {
    let info = EntityInfo<Entity>.shared
    var query = self
    for path in paths {
      guard let place = info.relation(value: path) ?? info.relation(path),
        query._list.prefetched.insert(place).inserted
      else { continue }
      query._list.nested += info.loading([[place][...]])
    }
    return query
  }

  private func nesting(_ nested: NestedQuery<Entity>) -> Self {
    var query = self
    query._list.nested.append(nested.depth > NestingDepth.maximum ? TooDeepQuery() : nested)
    return query
  }
}
