/// A property that is a relation to other entities.
///
/// The property itself is read only: the entities that were loaded. `$property` is the ``Relation``, which can be set.
@propertyWrapper
public struct Relationship<
  Value, Entity: EntityModelProtocol, Directionality: _RelationDirectionality, Cardinality: _RelationCardinality,
  Constraints: _RelationConstraints
> {
  /// Holds what is known of the relation.
  public var projectedValue: Relation<Entity, Directionality, Cardinality, Constraints>

  @inlinable
  init(_ relation: Relation<Entity, Directionality, Cardinality, Constraints>) { projectedValue = relation }

  /// The entity, or the entities, if they were loaded; an empty list where none were.
  public var wrappedValue: Value {
    let entities = projectedValue.asked.knownEntities
    // Safe because all initializers have one of these two as the value, by the cardinality.
    return Cardinality._isToMany
      ? unsafeBitCast(Optional(entities), to: Value.self) : unsafeBitCast(entities.first, to: Value.self)
  }
}

extension Relationship: Sendable {}

extension Relationship: Equatable {
  /// Tells whether the ids are equal.
  public static func == (left: Self, right: Self) -> Bool { left.projectedValue == right.projectedValue }
}

extension Relationship: Hashable {
  /// Hashes the ids.
  public func hash(into hasher: inout Hasher) { hasher.combine(projectedValue) }
}

// MARK: - One way

extension Relationship
where
  Value == Entity?, Directionality == Relations.OneWay, Cardinality == Relations.ToOne,
  Constraints == Relations.Optional
{
  /// A relation to at most one entity, which does not know of it.
  @inlinable
  public init(deleteRule: DeleteRule = .nullify) { self.init(.none) }
  /// The same, with the entity; nil says nothing about the relation.
  @inlinable
  public init(wrappedValue: Entity?, deleteRule: DeleteRule = .nullify) {
    self.init(wrappedValue.map { .relation($0) } ?? .none)
  }
  /// The same, said to be optional.
  @inlinable
  public init(_ constraint: Relations._OptionalConstraint, deleteRule: DeleteRule = .nullify) { self.init(.none) }
}

extension Relationship
where
  Value == Entity?, Directionality == Relations.OneWay, Cardinality == Relations.ToOne,
  Constraints == Relations.Required
{
  /// A relation to one entity, which does not know of it, and which cannot be set to null.
  @inlinable
  public init(_ constraint: Relations._RequiredConstraint, deleteRule: DeleteRule = .nullify) { self.init(.none) }
}

extension Relationship
where
  Value == [Entity]?, Directionality == Relations.OneWay, Cardinality == Relations.ToMany,
  Constraints == Relations.Required
{
  /// A relation to many entities, which do not know of it.
  @inlinable
  public init(deleteRule: DeleteRule = .nullify) { self.init(.none) }
  /// The same, with the entities; nil says nothing about the relation.
  @inlinable
  public init(wrappedValue: [Entity]?, deleteRule: DeleteRule = .nullify) {
    self.init(wrappedValue.map { .relation($0) } ?? .none)
  }
}

// MARK: - Mutual

extension Relationship
where
  Value == Entity?, Directionality == Relations.Mutual, Cardinality == Relations.ToOne,
  Constraints == Relations.Optional
{
  /// A relation to at most one entity, whose property `inverse` is its other side.
  @inlinable
  public init<Inverse>(deleteRule: DeleteRule = .nullify, inverse: KeyPath<Entity, Inverse>) { self.init(.none) }
  /// The same, said to be optional.
  @inlinable
  public init<Inverse>(
    _ constraint: Relations._OptionalConstraint, deleteRule: DeleteRule = .nullify, inverse: KeyPath<Entity, Inverse>
  ) {
    self.init(.none)
  }
}

extension Relationship
where
  Value == Entity?, Directionality == Relations.Mutual, Cardinality == Relations.ToOne,
  Constraints == Relations.Required
{
  /// A relation to one entity, whose property `inverse` is its other side, and which cannot be set to null.
  @inlinable
  public init<Inverse>(
    _ constraint: Relations._RequiredConstraint, deleteRule: DeleteRule = .nullify, inverse: KeyPath<Entity, Inverse>
  ) {
    self.init(.none)
  }
}

extension Relationship
where
  Value == [Entity]?, Directionality == Relations.Mutual, Cardinality == Relations.ToMany,
  Constraints == Relations.Required
{
  /// A relation to many entities, whose property `inverse` is its other side.
  @inlinable
  public init<Inverse>(deleteRule: DeleteRule = .nullify, inverse: KeyPath<Entity, Inverse>) { self.init(.none) }
}

// MARK: - In memberwise initializers

extension Relationship {
  /// Nothing is known.
  public static var none: Self { Self(.none) }
}

extension Relationship where Cardinality == Relations.ToOne {
  /// The target by its id.
  public static func id(_ id: Entity.ID) -> Self { Self(.id(id)) }
  /// The target.
  public static func relation(_ entity: Entity) -> Self { Self(.relation(entity)) }
  /// The target, of which only some properties are known.
  public static func fragment(_ entity: Entity) -> Self { Self(.fragment(entity)) }
}

extension Relationship where Cardinality == Relations.ToOne, Constraints == Relations.Optional {
  /// There is no target.
  public static var null: Self { Self(.null) }
}

extension Relationship where Cardinality == Relations.ToMany {
  /// All targets by their ids.
  public static func ids(_ ids: [Entity.ID]) -> Self { Self(.ids(ids)) }
  /// All targets.
  public static func relation(_ entities: [Entity]) -> Self { Self(.relation(entities)) }
  /// All targets, of which only some properties are known.
  public static func fragment(_ entities: [Entity]) -> Self { Self(.fragment(entities)) }
  /// Further targets by their ids.
  public static func appending(ids: [Entity.ID]) -> Self { Self(.appending(ids: ids)) }
  /// Further targets.
  public static func appending(relation entities: [Entity]) -> Self { Self(.appending(relation: entities)) }
  /// Further targets, of which only some properties are known.
  public static func appending(fragment entities: [Entity]) -> Self { Self(.appending(fragment: entities)) }
}

/// For properties that begin with a value, whose initializers take that value's type.
extension Optional where Wrapped: EntityModelProtocol {
  /// The entity: `@Relationship var v1: V1? = .relation(V1())`.
  public static func relation(_ entity: Wrapped) -> Self { entity }
}
