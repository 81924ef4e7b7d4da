import GQLStore

/// Single steps below saving and deleting: no links, no hooks, no resolvers.
extension Context {
  /// The ids of all entities of a type, in the order in which they were saved first.
  public func ids<Entity: EntityModelProtocol>(_ type: Entity.Type) -> [Entity.ID] {
    guard let reading = QueryReading<Entity>(self), let rows = try? reading.rows(QueryList()) else { return [] }
    let readers = reading.snapshot.readers(reading.mapping.type)
    return rows.compactMap { try? reading.mapping.id(readers, $0) }
  }

  /// All entities of a type.
  public func all<Entity: EntityModelProtocol>() -> [Entity] { Entity.query().resolve(in: self) }

  /// The entity of an id.
  public func find<Entity: EntityModelProtocol>(_ id: Entity.ID) -> Entity? { Entity.query(id).resolve(in: self) }

  /// For each id the entity, or nil.
  public func findAll<Entity: EntityModelProtocol>(_ ids: [Entity.ID]) -> [Entity?] { ids.map { find($0) } }

  /// The entities of ids, without those that are not saved.
  public func findAllExisting<Entity: EntityModelProtocol>(_ ids: [Entity.ID]) -> [Entity] {
    Entity.query(ids).resolve(in: self)
  }

  /// Puts an entity in, merged with what is saved under its id. What it knows of relations is passed over. What is saved
  /// keeps its time.
  public mutating func insert<Entity: EntityModelProtocol>(
    _ entity: Entity, options: MergeStrategy<Entity> = .default
  ) throws {
    try save(entity.normalized(), options, isRaw: true)
  }

  /// Puts an entity in, if there is one.
  public mutating func insert<Entity: EntityModelProtocol>(
    _ entity: Entity?, options: MergeStrategy<Entity> = .default
  ) throws {
    if let entity { try insert(entity, options: options) }
  }

  /// Puts entities in; all of them or, if one fails, none.
  public mutating func insert<Entity: EntityModelProtocol>(
    _ entities: [Entity], options: MergeStrategy<Entity> = .default
  ) throws {
    try atomically { context in for entity in entities { try context.insert(entity, options: options) } }
  }

  /// Takes an entity out, and its links; nothing is kept of it. Its relations' rules hold.
  public mutating func remove<Entity: EntityModelProtocol>(_ type: Entity.Type, id: Entity.ID) throws {
    guard let (_, mapping) = try storage.find(type), let row = try writtenRow(mapping, id) else { return }
    // A database takes what is written with the types that were met.
    _ = try self.mapping(of: type)
    try forget(mapping, row)
  }

  /// Takes all entities of a type out.
  public mutating func removeAll<Entity: EntityModelProtocol>(_ type: Entity.Type) throws {
    guard let reading = try QueryReading<Entity>.of(self) else { return }
    let rows = try reading.rows(QueryList())
    if rows.isEmpty { return }
    _ = try mapping(of: type)
    own()
    do { try storage.writing.delete(reading.mapping.type, rows: rows, keeps: false) } catch {
      throw reading.mapping.error(error, in: self)
    }
  }
}
