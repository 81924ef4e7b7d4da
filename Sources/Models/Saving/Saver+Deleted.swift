import GQLStore

/// Entities that are known as deleted only.
extension Saver {
  /// Keeps an entity as deleted, with the ids that it knows of its relations. Precondition: nothing is known of it, the
  /// stage is empty, nobody else has the context's storage, and it is undone if this fails.
  func bury<Entity: EntityModelProtocol>(_ entity: Entity, _ context: Context) throws {
    guard let mapping = context.storage.schema?.mapping(of: Entity.self) else { return }
    let record = stage.add(mapping)
    try write(entity, .replace, record, mapping, context)
    let transaction = context.storage.writing
    transaction.now = now
    let entry = stage.entities[record]
    let (cells, valid) = stage.cells(record)
    do {
      _ = try putObjects(record, nil, transaction, now)
      if let fields = mapping.unknownFields { fields.fill(cells, valid, now: now) }
      let row = try transaction.beginTombstone(mapping.type, cells: cells, valid: valid)
      if !entry.objects.isEmpty { try linkObjects(record, row, transaction) }
      try transaction.endTombstone(mapping.type, row, cells: cells, valid: valid)
      if !entry.opaques.isEmpty { context.storage.opaques[Int(mapping.type.index)]?.set(row, entry.opaques) }
      for (place, relation) in mapping.info.relations.enumerated() {
        guard let stored = mapping.relations[place] else { continue }
        let keys = try relation.knownKeys(entity, stage.memory)
        if !keys.isEmpty { try RememberedLinks(in: transaction).remember(stored.id, source: row, keys: keys) }
      }
    } catch let error as StoreProblem { throw mapping.error(error, in: context) }
  }
}
