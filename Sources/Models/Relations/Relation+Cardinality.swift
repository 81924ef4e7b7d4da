extension Relation where Cardinality == Relations.ToOne {
  /// The target by its id; it may be saved later.
  public static func id(_ id: Entity.ID) -> Self { Self(.ids([id])) }
  /// The target, which is saved too.
  public static func relation(_ entity: Entity) -> Self { Self(.entities([entity])) }
  /// The target, of which only some properties are known.
  public static func fragment(_ entity: Entity) -> Self { Self(.fragments([entity])) }

  /// The target's id, if one is known.
  public var id: Entity.ID? { asked.knownIDs?.first }
}

extension Relation where Cardinality == Relations.ToOne, Constraints == Relations.Optional {
  /// There is no target: saving takes away the one that is there.
  public static var null: Self { Self(.null) }
}

extension Relation where Cardinality == Relations.ToMany {
  /// All targets by their ids; they may be saved later.
  public static func ids(_ ids: [Entity.ID]) -> Self { Self(.ids(ids)) }
  /// All targets, which are saved too.
  public static func relation(_ entities: [Entity]) -> Self { Self(.entities(entities)) }
  /// All targets, of which only some properties are known.
  public static func fragment(_ entities: [Entity]) -> Self { Self(.fragments(entities)) }

  /// Further targets by their ids.
  public static func appending(ids: [Entity.ID]) -> Self { Self(.ids(ids), isPart: true) }
  /// Further targets by their ids, of which the entities are at hand.
  @_disfavoredOverload
  public static func appending(ids entities: [Entity]) -> Self { .appending(ids: entities.map(\.id)) }
  /// Further targets, which are saved too.
  public static func appending(relation entities: [Entity]) -> Self { Self(.entities(entities), isPart: true) }
  /// Further targets, of which only some properties are known.
  public static func appending(fragment entities: [Entity]) -> Self { Self(.fragments(entities), isPart: true) }

  /// Tells whether these are some of the targets only.
  public var isSlice: Bool { isPart }
  /// The targets' ids; nil where nothing is known.
  public var ids: [Entity.ID]? { asked.knownIDs }
}
