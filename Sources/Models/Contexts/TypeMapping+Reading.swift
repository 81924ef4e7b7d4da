import GQLCatalog
import GQLStore
import GQLWriting

/// What a context has of an id.
@usableFromInline enum EntityLookup {
  /// It must be asked another way.
  case unknown
  case absent
  /// The entity's properties, valid as long as the context is not written to.
  case found(PropertyCursor)
}

/// Finding one entity without the metadata of its type.
extension Context {
  /// The entity of a type whose id is a text.
  @usableFromInline
  func find(_ type: ObjectIdentifier, text: String) -> EntityLookup {
    guard let mapping = storage.schema?.mapping(of: type), case .text = mapping.idKind else { return .unknown }
    var text = text
    return text.withUTF8 { find(mapping, Cell(keyBytes: $0)) }
  }

  /// The entity of a type whose id is a number.
  @usableFromInline
  func find(_ type: ObjectIdentifier, number: Int) -> EntityLookup {
    guard let mapping = storage.schema?.mapping(of: type), case .int64 = mapping.idKind else { return .unknown }
    return find(mapping, Cell(Int64(number)))
  }

  private func find(_ mapping: AnyTypeMapping, _ key: Cell) -> EntityLookup {
    // Deleted entities have the ids of what they were linked to.
    if mapping.readsDeleted { return .unknown }
    guard let snapshot = storage.current else { return .absent }
    var key = key
    guard let row = snapshot.findRow(mapping.type, key: &key) else { return .absent }
    let readers = snapshot.readers(mapping.type)
    mapping.layout.touch(row, readers)
    return .found(
      PropertyCursor(
        mapping.layout,
        EntitySource(readers, row, storage.opaques(of: mapping.type), mapping.layout.objects(in: snapshot))))
  }
}

extension TypeMapping {
  /// The row of an id, live or, for deleted entities, deleted; nil if there is none.
  func row(_ id: Entity.ID, _ snapshot: Snapshot) throws -> UInt32? {
    try withKey(id) { key in
      readsDeleted ? snapshot.deletedRow(type, key: key) : snapshot.findRow(type, key: key)
    }
  }

  /// The same of what need not be a version.
  func row(_ id: Entity.ID, _ tables: any StoreTables) throws -> UInt32? {
    try withKey(id) { key in readsDeleted ? tables.deletedRow(type, key: key) : tables.findRow(type, key: key) }
  }

  /// Calls `body` with the primary key of an id.
  func withKey<Result>(_ id: Entity.ID, _ body: (UnsafePointer<Cell>) -> Result) throws -> Result {
    if let text = id as? String {
      // The usual case, without a copy.
      var text = text
      return text.withUTF8 { bytes in
        var cell = Cell(keyBytes: bytes)
        return body(&cell)
      }
    }
    let memory = StagingArena()
    var slot = _ColumnSlot(memory)
    try info.idCodec.write(id, into: &slot)
    var cell = slot.cell ?? Cell(low: 0)
    return withExtendedLifetime(memory) { body(&cell) }
  }

  /// The entity of a row, with nothing known of its relations.
  func entity(_ row: UInt32, _ snapshot: Snapshot, _ opaques: OpaqueValues?) throws -> Entity {
    let readers = snapshot.readers(type)
    layout.touch(row, readers)
    var reader = EntityReader<Entity>(layout, EntitySource(readers, row, opaques, layout.objects(in: snapshot)))
    return try Entity(from: &reader)
  }

  /// The entity of a live row in tables of a storage, with the ids of all its relations.
  func entityWithIDs(_ row: UInt32, _ tables: any StoreTables, _ storage: ContextStorage) throws -> Entity {
    guard let (schema, _) = try storage.find(Entity.self) else { throw ModelError.unknownType(name) }
    let source = EntitySource(tables.readers(type), row, storage.opaques(of: type), layout.objects(in: tables))
    var reader = EntityReader<Entity>(layout, source)
    var entity = try Entity(from: &reader)
    try loadIDs(&entity, tables, schema) { tables.targets($0, row) }
    return entity
  }

  /// Gives an entity the ids of all its relations.
  func loadIDs(
    _ entity: inout Entity, _ tables: any StoreTables, _ schema: ModelSchema, _ targets: (StoredRelation) -> [UInt32]
  ) throws {
    for (place, relation) in info.relations.enumerated() {
      guard let mapped = relations[place] else { continue }
      let target = schema.byNumber[Int(mapped.target.index)]
      let column = tables.column(mapped.target, ColumnID(target.idColumn))
      try targets(mapped).withUnsafeBufferPointer { rows in
        if rows.isEmpty && !mapped.isToMany { return }
        try relation.loadIDs(&entity, RelationIDs(rows: rows, column: column, kind: target.idKind))
      }
    }
  }
}

extension Cell {
  /// The key that a text is, without a copy: valid as long as its bytes are.
  fileprivate init(keyBytes bytes: UnsafeBufferPointer<UInt8>) {
    self = bytes.baseAddress.map { TextView(UnsafeRawPointer($0), count: bytes.count).cell } ?? Cell(low: 0)
  }
}
