import GQLStore

extension Context {
  /// Saves an entity, what its relations hold, and the links; if it fails, nothing is changed.
  mutating func save<Entity: EntityModelProtocol>(_ entity: Entity, _ strategy: MergeStrategy<Entity>) throws {
    let mapping = try mapping(of: Entity.self)
    own()
    if mapping.hooks.savesQuietly, !mapping.runsHooks {
      do {
        if mayRefuseLate(mapping) {
          return try atomically { try $0.save(entity, strategy, runsHooks: false) }
        }
        return try save(entity, strategy, runsHooks: false)
      } catch is Saver.MustRunHooks {
        // Once hooked, likely always.
        if !mapping.uniques.isEmpty || !storage.allSaveQuietly { mapping.runsHooks = !storage.allSaveQuietly }
      }
    }
    try atomically { try $0.save(entity, strategy, runsHooks: true) }
  }

  /// Whether only writing tells that a save is refused.
  private func mayRefuseLate(_ mapping: AnyTypeMapping) -> Bool {
    storage.isForeign && storage.schema?.mayRefuseLate[Int(mapping.type.index)] == true
  }

  private mutating func save<Entity: EntityModelProtocol>(
    _ entity: Entity, _ strategy: MergeStrategy<Entity>, runsHooks: Bool, isRaw: Bool = false
  ) throws {
    own()
    let instant = runsHooks ? storage.holdInstant() : nil
    defer { instant?.end() }
    let now = storage.now()
    try withStage { stage, context in
      let saver = Saver(stage: stage, runsHooks: runsHooks, now: now, isRaw: isRaw)
      try saver.save(entity, strategy, &context)
      if !runsHooks { try saver.applyAll(&context) }
      if context.storage.isForeign { try saver.checkRequiredLinks(&context) }
    }
  }

  /// Lends the memory of saves to one. Precondition: nobody else has the storage.
  @inline(__always)
  mutating func withStage(_ body: (SaveStage, inout Context) throws -> Void) throws {
    let stage = storage.stage ?? SaveStage()
    storage.stage = nil
    defer {
      stage.removeAll()
      if storage.stage == nil { storage.stage = stage }
    }
    try body(stage, &self)
  }

  /// Saves an entity without hooks and resolvers.
  mutating func save<Entity: EntityModelProtocol>(
    _ entity: Entity, _ strategy: MergeStrategy<Entity>, isRaw: Bool
  ) throws {
    let mapping = try mapping(of: Entity.self)
    if mayRefuseLate(mapping) {
      try atomically { try $0.save(entity, strategy, runsHooks: false, isRaw: isRaw) }
    } else {
      try save(entity, strategy, runsHooks: false, isRaw: isRaw)
    }
  }

  /// Calls a hook, unless it is known to do nothing.
  mutating func call(_ hook: Hook, _ hooks: HookKnowledge, _ body: (inout Context) throws -> Void) throws {
    if hooks.isIdle(hook) { return }
    own()
    let outer = (storage.idleHooks, storage.calledType)
    (storage.idleHooks, storage.calledType) = (0, hooks.type)
    try lend(to: hooks.name, body)
    if storage.idleHooks & 1 << hook.rawValue != 0 { hooks.noteIdle(hook) }
    if hook == .saveMetadata {
      hooks.noteMetadata(isKept: storage.idleHooks & (1 << hook.rawValue | Hook.metadata) != 0)
    }
    (storage.idleHooks, storage.calledType) = outer
  }
}
