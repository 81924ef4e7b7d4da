import Foundation

// Names of SwiftletModel's document for what has another name here. Those that need no name are deprecated.

extension Query {
  /// A synonym of ``first(in:)``, which finds nothing where the entity cannot be read.
  @inlinable
  public func resolve(in store: some EntityStore) -> Entity? { try? first(in: store) }

  /// A synonym of ``RefinableQuery/filter(_:)-(QueryPredicate<Entity>)``.
  public func and(_ predicate: QueryPredicate<Entity>) -> Self { filter(predicate) }

  /// A synonym of ``EntityModelProtocol/query(_:)-(ID)``.
  @available(*, deprecated, message: "use 'Entity.query(id)': the context is passed to 'first(in:)'")
  public init(context: Context, id: Entity.ID) { self.init(id: id) }
}

extension QueryList {
  /// A synonym of ``NestingQuery/results(in:)``, which leaves out entities that cannot be read.
  public func resolve(in store: some EntityStore) -> [Entity] {
    (try? results(in: store)) ?? readable(in: store.entities)
  }

  /// A synonym of ``RefinableQuery/filter(_:)-(QueryPredicate<Entity>)``.
  public func and(_ predicate: QueryPredicate<Entity>) -> Self { filter(predicate) }
}

extension QueryGroup {
  /// A synonym of ``results(in:)``, which leaves out entities that cannot be read.
  public func resolve(in store: some EntityStore) -> [[Entity]] {
    (try? results(in: store)) ?? readable(in: store.entities)
  }
}

extension Array {
  /// A synonym of ``results(in:)``, which leaves out entities that cannot be read.
  public func resolve<Entity>(in store: some EntityStore) -> [Entity] where Element == Query<Entity> {
    compactMap { $0.resolve(in: store.entities) }
  }
}

extension EntityModelProtocol {
  /// A synonym of `query().with(…)`.
  public static func queryAll(with nested: Nested...) -> QueryList<Self> { query().with(nested) }

  /// A synonym of `query().with(…)`.
  @available(*, deprecated, message: "use 'queryAll(with:)': the context is passed to 'results(in:)'")
  public static func queryAll(with nested: Nested..., in context: Context) -> QueryList<Self> { query().with(nested) }

  /// A synonym of `query.with(nested)`.
  @available(*, deprecated, message: "use 'query.with(nested)': the context is passed to 'first(in:)'")
  public static func nestedQueryModifier(
    _ query: Query<Self>, in context: Context, nested: [Nested]
  ) -> Query<Self> {
    query.with(nested)
  }
}

/// A condition on entities.
@available(*, deprecated, renamed: "QueryPredicate")
public typealias StringPredicate<Entity: EntityModelProtocol> = QueryPredicate<Entity>

/// A condition on entities.
@available(*, deprecated, message: "use 'QueryPredicate<Entity>'")
public typealias EqualityPredicate<Entity: EntityModelProtocol, Value> = QueryPredicate<Entity>

/// A closure of a nested query.
@available(*, deprecated, message: "use '(Query<Entity>) -> Query<Entity>'")
public typealias QueryModifier<Entity: EntityModelProtocol> = (Query<Entity>) -> Query<Entity>

/// A closure of a nested query for many entities.
@available(*, deprecated, message: "use '(QueryList<Entity>) -> QueryList<Entity>'")
public typealias QueryListModifier<Entity: EntityModelProtocol> = (QueryList<Entity>) -> QueryList<Entity>

/// A relation to one entity.
@available(*, deprecated, message: "use 'Relation<Entity, Directionality, Relations.ToOne, Constraints>'")
public typealias ToOneRelation<
  Entity: EntityModelProtocol, Directionality: _RelationDirectionality, Constraints: _RelationConstraints
> = Relation<Entity, Directionality, Relations.ToOne, Constraints>

/// A relation to many entities.
@available(*, deprecated, message: "use 'Relation<Entity, Directionality, Relations.ToMany, Constraints>'")
public typealias ToManyRelation<
  Entity: EntityModelProtocol, Directionality: _RelationDirectionality, Constraints: _RelationConstraints
> = Relation<Entity, Directionality, Relations.ToMany, Constraints>

/// A relation of which only one side knows.
@available(*, deprecated, message: "use 'Relation<Entity, Relations.OneWay, Cardinality, Constraints>'")
public typealias OneWayRelation<
  Entity: EntityModelProtocol, Cardinality: _RelationCardinality, Constraints: _RelationConstraints
> = Relation<Entity, Relations.OneWay, Cardinality, Constraints>

/// A mutual relation to one entity.
@available(*, deprecated, message: "use 'Relation<Entity, Relations.Mutual, Relations.ToOne, Constraints>'")
public typealias OneToOneRelation<Entity: EntityModelProtocol, Constraints: _RelationConstraints> =
  Relation<Entity, Relations.Mutual, Relations.ToOne, Constraints>

/// A mutual relation to one entity.
@available(*, deprecated, message: "use 'Relation<Entity, Relations.Mutual, Relations.ToOne, Constraints>'")
public typealias ManyToOneRelation<Entity: EntityModelProtocol, Constraints: _RelationConstraints> =
  Relation<Entity, Relations.Mutual, Relations.ToOne, Constraints>

/// A mutual relation to many entities.
@available(*, deprecated, message: "use 'Relation<Entity, Relations.Mutual, Relations.ToMany, Constraints>'")
public typealias OneToManyRelation<Entity: EntityModelProtocol, Constraints: _RelationConstraints> =
  Relation<Entity, Relations.Mutual, Relations.ToMany, Constraints>

/// A mutual relation to many entities.
@available(*, deprecated, message: "use 'Relation<Entity, Relations.Mutual, Relations.ToMany, Constraints>'")
public typealias ManyToManyRelation<Entity: EntityModelProtocol, Constraints: _RelationConstraints> =
  Relation<Entity, Relations.Mutual, Relations.ToMany, Constraints>

/// One way or mutual.
@available(*, deprecated, message: "it needs no name")
public typealias DirectionalityProtocol = _RelationDirectionality

/// To one or to many.
@available(*, deprecated, message: "it needs no name")
public typealias CardinalityProtocol = _RelationCardinality

/// Optional or required.
@available(*, deprecated, message: "it needs no name")
public typealias ConstraintsProtocol = _RelationConstraints

extension Relations {
  /// A rule of what deleting an entity does to those that a relation leads to.
  @available(*, deprecated, renamed: "DeleteRule")
  public typealias DeleteRule = GQLModels.DeleteRule
}

/// A record of what is known of an entity beside its properties.
@available(*, deprecated, renamed: "MetadataOrder")
public typealias Metadata = MetadataOrder
