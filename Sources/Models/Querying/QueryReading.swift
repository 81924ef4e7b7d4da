import GQLCatalog
import GQLStore

/// A context as a query of one type sees it, at one moment.
package struct QueryReading<Entity: EntityModelProtocol> {
  let context: Context
  let snapshot: Snapshot
  let schema: ModelSchema
  let mapping: TypeMapping<Entity>
  let opaques: OpaqueValues?
  /// Where the entities load relations from that they are asked for; nil but for conditions and orders in Swift.
  var loader: RelationLoader?
  /// How many relations lead to the entities, of those that the loader has loaded.
  var depth: UInt8 = 0
  var isDeleted: Bool { Entity.self is any Tombstone.Type }

  /// Nil if the context does not know the type, and so has nothing of it.
  init?(_ context: Context) {
    guard let reading = try? Self.of(context) else { return nil }
    self = reading
  }

  /// Nil if the context does not know the type, and so has nothing of it.
  ///
  /// - Throws: ``ModelError/invalidSchema(_:)`` if the entities are a database's whose schema cannot hold the type.
  static func of(_ context: Context) throws -> Self? {
    guard let (schema, mapping) = try context.storage.find(Entity.self), let snapshot = context.storage.current else {
      return nil
    }
    return Self(context, schema, mapping, snapshot)
  }

  private init(_ context: Context, _ schema: ModelSchema, _ mapping: TypeMapping<Entity>, _ snapshot: Snapshot) {
    self.context = context
    self.schema = schema
    self.mapping = mapping
    self.snapshot = snapshot
    opaques = context.storage.opaques(of: mapping.type)
  }

  func entity(_ row: UInt32) throws -> Entity {
    var entity = try mapping.entity(row, snapshot, opaques)
    if isDeleted { try loadIDs(&entity, row) }
    return entity
  }

  /// Gives a deleted entity the ids that its relations had.
  private func loadIDs(_ entity: inout Entity, _ row: UInt32) throws {
    guard var deleted = entity as? any Tombstone else { return }
    try deleted.loadIDs(row, snapshot, schema)
    // Safe because it is the same type.
    if let loaded = deleted as? Entity { entity = loaded }
  }

  /// The entities of rows, with what is wanted of their relations. Of `attributes`, and what an entity cannot be without,
  /// the values are read. What was not looked for of the relations yet is now.
  func entities(
    _ found: FoundRows, _ nested: [NestedQuery<Entity>], only attributes: Set<Int>? = nil
  ) throws -> [Entity] {
    let rows = found.rows
    var result = try read(rows, mapping.mustRead(attributes))
    if isDeleted { for (place, row) in rows.enumerated() { try loadIDs(&result[place], row) } }
    if !nested.isEmpty {
      // What entities are asked for in Swift leads round and round: each level is looked for once for all.
      let parts = try found.nested ?? self.found(rows, nested, isShallow: loader != nil).nested ?? []
      for number in nested.indices where number < parts.count {
        try nested[number].load(&result, parts[number], self)
      }
    }
    if loader != nil {
      LoadCount.current?.note(rows.count)
      try lend(&result, rows)
    }
    return result
  }

  /// Reads the values of entities. `wanted` says of each property whether it is read; nil if all are.
  ///
  /// One reader goes through all rows, and entities are made where they stay: each use of a generic type looks its
  /// metadata up, which takes longer than reading a cell.
  private func read(_ rows: [UInt32], _ wanted: [Bool]?) throws -> [Entity] {
    let (layout, readers) = (mapping.layout, snapshot.readers(mapping.type))
    let objects = layout.objects(in: snapshot)
    return try (wanted ?? []).withUnsafeBufferPointer { flags in
      try [Entity](unsafeUninitializedCapacity: rows.count) { memory, count in
        guard let first = memory.baseAddress else { return }
        let wanted = wanted == nil ? nil : flags.baseAddress
        var reader = EntityReader<Entity>(layout, EntitySource(readers, 0, opaques, objects), wanted: wanted)
        for row in rows {
          reader.cursor = PropertyCursor(layout, EntitySource(readers, row, opaques, objects), wanted: wanted)
          (first + count).initialize(to: try Entity(from: &reader))
          count += 1
        }
      }
    }
  }

  /// Reads the entities of rows of which nothing more is known.
  func entities(
    _ rows: [UInt32], _ nested: [NestedQuery<Entity>], only attributes: Set<Int>? = nil
  ) throws -> [Entity] {
    try entities(FoundRows(rows), nested, only: attributes)
  }

  /// Those of the entities that can be read, and with them what is wanted of their relations.
  func readable(
    _ rows: [UInt32], _ nested: [NestedQuery<Entity>], only attributes: Set<Int>? = nil
  ) -> [Entity] {
    rows.compactMap { try? entities([$0], nested, only: attributes).first }
  }

  /// All types of the schema, by number. Where deleted entities are read, they stand there for what they were, whose
  /// attributes are others.
  var types: [AnyTypeMapping] {
    var types = schema.byNumber
    if isDeleted { types[Int(mapping.type.index)] = mapping }
    return types
  }

  /// When a row was saved last, in microseconds since 1970; nil if the type keeps no metadata.
  func updatedAt(_ row: UInt32) -> Int64? {
    guard mapping.hooks.keepsMetadata, let column = mapping.updatedColumn else { return nil }
    return snapshot.column(mapping.type, column).int64(row)
  }
}
