import GQLCatalog
import GQLStore

extension Context {
  /// Deletes an entity and what its relations' rules say; nothing happens if it is not saved.
  ///
  /// - Parameter atOnce: Whether it must be gone behind this, also where many deletions run within each other's hooks.
  mutating func delete<Entity: EntityModelProtocol>(
    _ type: Entity.Type, _ id: Entity.ID, atOnce: Bool = false
  ) throws {
    guard let (_, found) = try storage.find(type), try writtenRow(found, id) != nil else { return }
    // A schema that was not made of the models may know the type for reading only; hooks need to be known.
    let mapping = try mapping(of: type)
    guard let row = try writtenRow(mapping, id) else { return }
    if mapping.readsDeleted { return try forget(mapping, row) }
    try delete(mapping.type, [row], atOnce: atOnce)
  }

  /// Deletes entities of a type as one, so that none is kept by another, and what their relations' rules say; if it
  /// fails, nothing is changed.
  ///
  /// One after the other, each would be looked for in the lists of all that lead to it.
  mutating func delete(_ type: EntityTypeID, _ rows: [UInt32], atOnce: Bool = false) throws {
    if rows.isEmpty { return }
    var seen = Set<UInt32>(minimumCapacity: rows.count)
    let rows = rows.filter { seen.insert($0).inserted }
    own()
    let entities = rows.map { DeletedRow(type: type, row: $0) }
    if storage.allDeleteQuietly { return try deleteQuietly(entities) }
    try atomically { try $0.deleteWithHooks(entities, atOnce: atOnce) }
  }

  /// Forgets an entity, live or deleted, for good.
  mutating func forget(_ mapping: AnyTypeMapping, _ row: UInt32) throws {
    own()
    do { try storage.writing.purge(mapping.type, row) } catch { throw mapping.error(error, in: self) }
  }

  /// Deletes rows without a word to the program.
  private mutating func deleteQuietly(_ entities: [DeletedRow]) throws {
    guard let first = entities.first else { return }
    own()
    let transaction = storage.writing
    transaction.now = storage.now()
    do {
      try transaction.delete(entities, keeps: true)
    } catch {
      throw storage.schema?.byNumber[Int(first.type.index)].error(error, in: self) ?? error
    }
  }

  /// Deletes rows with the hooks of all entities that go with them.
  private mutating func deleteWithHooks(_ entities: [DeletedRow], atOnce: Bool) throws {
    own()
    let (outer, postponed) = (storage.cascaded, storage.postponed)
    if let outer, outer.isRunningHere {
      // Who is told by one that is told of it, and so on, would stand on the stack.
      if !atOnce, storage.postponed.contains(entities) || outer.mustPostpone(entities, written()) {
        return storage.postponed.add(entities)
      }
      return try deleteWithHooks(entities, outer)
    }
    let cascaded = CascadeSet()
    storage.cascaded = cascaded
    storage.postponed = PostponedRows()
    defer { cascaded.end() }
    try deleteWithHooks(entities, cascaded)
    own()
    // That of another thread, in whose hook this copy may be put in place.
    storage.cascaded = outer
    storage.postponed = postponed
  }

  private mutating func deleteWithHooks(_ entities: [DeletedRow], _ cascaded: CascadeSet) throws {
    var deletion = HookedDeletion(entities, cascaded, behind: storage.postponed.count)
    defer { deletion.end() }
    try deletion.tell(&self)
    // A hook may have deleted some.
    try deleteQuietly(live(deletion.roots))
    deletion.end()
    own()
    storage.postponed.removeAll(behind: deletion.outerPostponed)
    // One that a hook has taken out of the cascade stays.
    let tables = written()
    let gone = deletion.told.filter { tables?.isLive($0.row.type, $0.row.row) != true }
    for told in gone where !told.isKept {
      let transaction = storage.writing
      try transaction.delete(told.row.type, rows: [told.row.row], keeps: false)
    }
    for told in gone { try told.entity.didDelete(&self) }
  }

  mutating func live(_ entities: [DeletedRow]) -> [DeletedRow] {
    guard let tables = written() else { return [] }
    return entities.filter { tables.isLive($0.type, $0.row) }
  }

  /// The row of an entity; nil if it is not saved.
  func row<Entity: EntityModelProtocol>(_ mapping: TypeMapping<Entity>, _ id: Entity.ID) throws -> UInt32? {
    guard let snapshot = storage.current else { return nil }
    return try mapping.row(id, snapshot)
  }

  /// The same of what is written to: without a version of it.
  mutating func writtenRow<Entity: EntityModelProtocol>(
    _ mapping: TypeMapping<Entity>, _ id: Entity.ID
  ) throws -> UInt32? {
    guard let tables = written() else { return nil }
    return try mapping.row(id, tables)
  }
}

/// An entity that is about to be deleted.
protocol CascadedEntity {
  /// Whether the model wants something of it to be kept.
  func isKept(_ context: inout Context) throws -> Bool
  func willDelete(_ context: inout Context) throws
  func didDelete(_ context: inout Context) throws
}

struct TypedCascadedEntity<Entity: EntityModelProtocol>: CascadedEntity {
  let entity: Entity
  let hooks: HookKnowledge

  func isKept(_ context: inout Context) throws -> Bool {
    var isKept = true
    try context.call(.asDeleted, hooks) { isKept = entity.asDeleted(in: $0) != nil }
    return isKept || hooks.isIdle(.asDeleted)
  }

  func willDelete(_ context: inout Context) throws {
    try context.call(.willDelete, hooks) { try entity.willDelete(from: &$0) }
  }

  func didDelete(_ context: inout Context) throws {
    try context.call(.deleteMetadata, hooks) { try entity.deleteMetadata(from: &$0) }
    try context.call(.didDelete, hooks) { try entity.didDelete(from: &$0) }
  }
}

extension StoreTables {
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

  /// Returns what its deletion would keep: what is saved, with the ids of all its relations; nil if it is not saved.
  public func asDeleted(in context: Context) -> Deleted<Self>? {
    context.noteDefault(.asDeleted, of: Self.self)
    guard let (_, mapping) = try? context.storage.find(Self.self), let row = try? context.row(mapping, id),
      let snapshot = context.storage.current
    else { return nil }
    return (try? mapping.entityWithIDs(row, snapshot, context.storage)).map { Deleted($0) }
  }
}
