import GQLCatalog
import GQLStore

extension Context {
  /// Deletes an entity and what its relations' rules say; nothing happens if it is not saved.
  mutating func delete<Entity: EntityModelProtocol>(_ type: Entity.Type, _ id: Entity.ID) throws {
    guard let (_, found) = try storage.find(type), try row(found, id) != nil else { return }
    // A schema that was not made of the models may know the type for reading only; hooks need to be known.
    let mapping = try mapping(of: type)
    guard let row = try row(mapping, id) else { return }
    own()
    if storage.allDeleteQuietly { return try delete(mapping.type, row) }
    try atomically { try $0.deleteLoudly(mapping.type, row) }
  }

  /// Deletes a row without a word to the program.
  private mutating func delete(_ type: EntityTypeID, _ row: UInt32) throws {
    own()
    let transaction = storage.writing
    transaction.now = storage.now()
    do {
      try transaction.delete(type, row)
    } catch {
      throw storage.schema?.byNumber[Int(type.index)].error(error, in: self) ?? error
    }
  }

  /// Deletes a row with the hooks of all entities that go with it.
  private mutating func deleteLoudly(_ type: EntityTypeID, _ row: UInt32) throws {
    guard let schema = storage.schema else { throw ModelError.unknownType("\(type)") }
    own()
    let rows: [DeletedRow]
    do { rows = try storage.writing.cascade(from: type, row) } catch {
      throw schema.byNumber[Int(type.index)].error(error, in: self)
    }
    var doomed: [any DoomedEntity] = []
    for found in rows { doomed.append(try schema.byNumber[Int(found.type.index)].doom(found.row, self)) }
    for entity in doomed { try entity.willDelete(&self) }
    // A hook may have deleted it.
    if storage.current?.isLive(type, row) == true { try delete(type, row) }
    for entity in doomed { try entity.didDelete(&self) }
  }

  /// The row of an entity; nil if it is not saved.
  func row<Entity: EntityModelProtocol>(_ mapping: TypeMapping<Entity>, _ id: Entity.ID) throws -> UInt32? {
    guard let snapshot = storage.current else { return nil }
    return try mapping.row(id, snapshot)
  }
}

/// An entity that is about to be deleted.
protocol DoomedEntity {
  func willDelete(_ context: inout Context) throws
  func didDelete(_ context: inout Context) throws
}

struct TypedDoomedEntity<Entity: EntityModelProtocol>: DoomedEntity {
  let entity: Entity
  let hooks: HookKnowledge

  func willDelete(_ context: inout Context) throws {
    try context.call(.willDelete, hooks) { try entity.willDelete(from: &$0) }
  }

  func didDelete(_ context: inout Context) throws {
    try context.call(.deleteMetadata, hooks) { try entity.deleteMetadata(from: &$0) }
    try context.call(.didDelete, hooks) { try entity.didDelete(from: &$0) }
  }
}

extension Snapshot {
  /// The targets of a live row, in order.
  func targets(_ relation: StoredRelation, _ row: UInt32) -> [UInt32] {
    let reader = column(relation.source, relation.column)
    if relation.isToMany { return Array(reader.references(row)) }
    let target = reader.reference(row)
    return target == PageLayout.noRow ? [] : [target]
  }
}

extension EntityModelProtocol {
  /// Deletes the entity of an id; nothing happens if there is none.
  public static func delete(id: ID, from context: inout Context) throws { try context.delete(Self.self, id) }

  /// Deletes it and what its relations' rules say; nothing happens if it is not saved. If it fails, nothing is changed.
  public func delete(from context: inout Context) throws { try context.delete(Self.self, id) }

  /// What its deletion would keep: what is saved, with the ids of all its relations; nil if it is not saved.
  public func asDeleted(in context: Context) -> Deleted<Self>? {
    guard let (_, mapping) = try? context.storage.find(Self.self), let row = try? context.row(mapping, id) else {
      return nil
    }
    return (try? mapping.entityWithIDs(row, context)).map { Deleted($0) }
  }
}
