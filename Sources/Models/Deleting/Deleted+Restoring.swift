import GQLCatalog
import GQLStore

extension Deleted {
  /// Brings the entity back, with its links and what its deletion took with it; saves it if nothing is kept of it.
  ///
  /// It fails, and changes nothing, if another entity has one of its unique values.
  public func restore(in context: inout Context) throws {
    guard let (_, mapping) = try context.storage.find(Self.self), let row = try context.row(mapping, id) else {
      return try entity.save(to: &context)
    }
    context.own()
    let transaction = context.storage.writing
    transaction.now = context.storage.now()
    do { try transaction.restore(mapping.type, row) } catch { throw mapping.error(error, in: context) }
  }

  /// Deletes the entity; if it is not saved, it is known as deleted afterwards. Where it is known as deleted already,
  /// nothing changes; and where nothing is known of it, it takes no link from an entity that another one has meanwhile,
  /// and none along.
  public func save(to context: inout Context, options: MergeStrategy<Self>) throws {
    try context.atomically { context in
      let mapping = try context.mapping(of: Entity.self)
      if try context.row(mapping, id) == nil {
        guard let entity = try toBeSaved(in: &context) else { return }
        try entity.save(to: &context)
      }
      try entity.delete(from: &context)
    }
  }

  /// The entity as it is to be saved before it is deleted; nil if it is known as deleted. Precondition: it is not saved.
  func toBeSaved(in context: inout Context) throws -> Entity? {
    let deleted = try context.mapping(of: Self.self)
    if try context.row(deleted, id) != nil { return nil }
    let mapping = try context.mapping(of: Entity.self)
    var entity = entity
    for (place, relation) in mapping.info.relations.enumerated() {
      if let stored = mapping.relations[place] { try relation.releaseTaken(&entity, stored, context) }
    }
    return entity
  }

  /// Forgets the deleted entity for good.
  public func delete(from context: inout Context) throws {
    guard let (_, mapping) = try context.storage.find(Self.self), let row = try context.row(mapping, id) else {
      return
    }
    context.own()
    do { try context.storage.writing.purge(mapping.type, row) } catch { throw mapping.error(error, in: context) }
  }
}
