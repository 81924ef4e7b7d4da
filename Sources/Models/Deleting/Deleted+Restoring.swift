import GQLCatalog
import GQLStore

extension Deleted {
  /// Brings the entity back, with its links and what its deletion took with it; saves it if nothing is kept of it.
  ///
  /// It fails, and changes nothing, if another entity has one of its unique values.
  public func restore(in context: inout Context) throws {
    guard let (_, mapping) = try context.storage.find(Self.self), let row = try context.writtenRow(mapping, id) else {
      return try entity.save(to: &context)
    }
    // A database takes what is written with the types that were met.
    _ = try context.mapping(of: Self.self)
    context.own()
    let transaction = context.storage.writing
    transaction.now = context.storage.now()
    do { try transaction.restore(mapping.type, row) } catch { throw mapping.error(error, in: context) }
  }

  /// Deletes the entity; if it is not saved, it is known as deleted afterwards. Where it is known as deleted already,
  /// nothing changes; and where nothing is known of it, it takes nothing from entities that live: no link that another
  /// one has, or waits for, and no unique value. Then no hook is called. Nothing is merged, whatever the strategy.
  public func save(to context: inout Context, options: MergeStrategy<Self>) throws {
    try context.atomically { context in
      context.own()
      let instant = context.storage.holdInstant()
      defer { instant?.end() }
      let saver = Saver(stage: SaveStage(), runsHooks: true, now: context.storage.now())
      saver.stage.steps.append(saving())
      while let step = saver.stage.steps.last {
        if try step.advance(saver, &context) { saver.stage.steps.removeLast() }
      }
    }
  }

  /// Forgets the deleted entity for good.
  public func delete(from context: inout Context) throws {
    try context.remove(Self.self, id: id)
  }
}

extension Context {
  /// Deletes an entity; if it is not saved, it is known as deleted afterwards.
  mutating func saveDeleted<Entity: EntityModelProtocol>(_ entity: Entity) throws {
    let mapping = try mapping(of: Entity.self)
    if try writtenRow(mapping, entity.id) != nil {
      return try lend(to: mapping.name) { try entity.delete(from: &$0) }
    }
    if try writtenRow(try self.mapping(of: Deleted<Entity>.self), entity.id) != nil { return }
    own()
    let now = storage.now()
    try withStage { stage, context in
      try Saver(stage: stage, runsHooks: false, now: now, isRaw: true).bury(entity, context)
    }
  }
}
