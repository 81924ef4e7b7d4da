// Names of SwiftletModel for what is called otherwise here, or needs no name.

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
  Entity: EntityModelProtocol, Directionality: RelationDirectionality, Constraints: RelationConstraints
> = Relation<Entity, Directionality, Relations.ToOne, Constraints>

/// A relation to many entities.
@available(*, deprecated, message: "use 'Relation<Entity, Directionality, Relations.ToMany, Constraints>'")
public typealias ToManyRelation<
  Entity: EntityModelProtocol, Directionality: RelationDirectionality, Constraints: RelationConstraints
> = Relation<Entity, Directionality, Relations.ToMany, Constraints>

/// A relation of which only one side knows.
@available(*, deprecated, message: "use 'Relation<Entity, Relations.OneWay, Cardinality, Constraints>'")
public typealias OneWayRelation<
  Entity: EntityModelProtocol, Cardinality: RelationCardinality, Constraints: RelationConstraints
> = Relation<Entity, Relations.OneWay, Cardinality, Constraints>

/// A mutual relation to one entity.
@available(*, deprecated, message: "use 'Relation<Entity, Relations.Mutual, Relations.ToOne, Constraints>'")
public typealias OneToOneRelation<Entity: EntityModelProtocol, Constraints: RelationConstraints> =
  Relation<Entity, Relations.Mutual, Relations.ToOne, Constraints>

/// A mutual relation to one entity.
@available(*, deprecated, message: "use 'Relation<Entity, Relations.Mutual, Relations.ToOne, Constraints>'")
public typealias ManyToOneRelation<Entity: EntityModelProtocol, Constraints: RelationConstraints> =
  Relation<Entity, Relations.Mutual, Relations.ToOne, Constraints>

/// A mutual relation to many entities.
@available(*, deprecated, message: "use 'Relation<Entity, Relations.Mutual, Relations.ToMany, Constraints>'")
public typealias OneToManyRelation<Entity: EntityModelProtocol, Constraints: RelationConstraints> =
  Relation<Entity, Relations.Mutual, Relations.ToMany, Constraints>

/// A mutual relation to many entities.
@available(*, deprecated, message: "use 'Relation<Entity, Relations.Mutual, Relations.ToMany, Constraints>'")
public typealias ManyToManyRelation<Entity: EntityModelProtocol, Constraints: RelationConstraints> =
  Relation<Entity, Relations.Mutual, Relations.ToMany, Constraints>

/// One way or mutual.
@available(*, deprecated, renamed: "RelationDirectionality")
public typealias DirectionalityProtocol = RelationDirectionality

/// To one or to many.
@available(*, deprecated, renamed: "RelationCardinality")
public typealias CardinalityProtocol = RelationCardinality

/// Optional or required.
@available(*, deprecated, renamed: "RelationConstraints")
public typealias ConstraintsProtocol = RelationConstraints

extension Relations {
  /// A rule of what deleting an entity does to those that a relation leads to.
  @available(*, deprecated, renamed: "DeleteRule")
  public typealias DeleteRule = GQLModels.DeleteRule
}

/// A record of what is known of an entity beside its properties.
@available(*, deprecated, renamed: "MetadataOrder")
public typealias Metadata = MetadataOrder
