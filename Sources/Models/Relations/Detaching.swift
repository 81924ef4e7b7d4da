import GQLStore

extension EntityModelProtocol {
  /// Saves what it knows of one relation, and the links.
  public func save<Target, Directionality, Cardinality, Constraints>(
    _ path: WritableKeyPath<Self, Relation<Target, Directionality, Cardinality, Constraints>>,
    to context: inout Context
  ) throws {
    guard let stored = Self.query(id).resolve(in: context) else { return try save(to: &context) }
    var entity = stored
    entity[keyPath: path] = self[keyPath: path]
    try context.save(entity, .replace)
  }

  /// The same of a mutual relation, whose other side is named.
  public func save<Target, Cardinality, Constraints, Inverse>(
    _ path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Inverse>, to context: inout Context
  ) throws {
    try save(path, to: &context)
  }

  /// Takes all links of a relation away, those that wait for entities and those to deleted ones too: restoring these does
  /// not bring them back. The entities stay.
  public func detach<Target, Directionality, Cardinality, Constraints>(
    _ path: WritableKeyPath<Self, Relation<Target, Directionality, Cardinality, Constraints>>,
    in context: inout Context
  ) {
    context.detach(self, path, nil)
  }

  /// Takes all links of a mutual relation away; the entities stay.
  public func detach<Target, Cardinality, Constraints, Inverse>(
    _ path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Inverse>, in context: inout Context
  ) {
    detach(path, in: &context)
  }

  /// Takes the links of a relation to some entities away; the entities stay.
  public func detach<Target, Directionality, Cardinality, Constraints>(
    _ ids: [Target.ID],
    relation path: WritableKeyPath<Self, Relation<Target, Directionality, Cardinality, Constraints>>,
    in context: inout Context
  ) {
    context.detach(self, path, Set(ids))
  }

  /// Takes the links of a relation to some entities away; the entities stay.
  public func detach<Target, Directionality, Cardinality, Constraints>(
    _ ids: Target.ID...,
    relation path: WritableKeyPath<Self, Relation<Target, Directionality, Cardinality, Constraints>>,
    in context: inout Context
  ) {
    detach(ids, relation: path, in: &context)
  }

  /// Takes the links of a mutual relation to some entities away; the entities stay.
  public func detach<Target, Cardinality, Constraints, Inverse>(
    _ ids: [Target.ID],
    relation path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Inverse>, in context: inout Context
  ) {
    detach(ids, relation: path, in: &context)
  }

  /// Takes the links of a mutual relation to some entities away; the entities stay.
  public func detach<Target, Cardinality, Constraints, Inverse>(
    _ ids: Target.ID...,
    relation path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Inverse>, in context: inout Context
  ) {
    detach(ids, relation: path, in: &context)
  }

  /// Deletes all entities that a relation leads to, as one: none is kept by another.
  public func delete<Target, Directionality, Cardinality, Constraints>(
    _ path: WritableKeyPath<Self, Relation<Target, Directionality, Cardinality, Constraints>>,
    from context: inout Context
  ) throws {
    try context.deleteTargets(self, path, nil)
  }

  /// Deletes all entities that a mutual relation leads to.
  public func delete<Target, Cardinality, Constraints, Inverse>(
    _ path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Inverse>, from context: inout Context
  ) throws {
    try delete(path, from: &context)
  }

  /// Deletes some of the entities that a relation leads to.
  public func delete<Target, Directionality, Cardinality, Constraints>(
    _ ids: [Target.ID],
    relation path: WritableKeyPath<Self, Relation<Target, Directionality, Cardinality, Constraints>>,
    from context: inout Context
  ) throws {
    try context.deleteTargets(self, path, Set(ids))
  }

  /// Deletes some of the entities that a relation leads to.
  public func delete<Target, Directionality, Cardinality, Constraints>(
    _ ids: Target.ID...,
    relation path: WritableKeyPath<Self, Relation<Target, Directionality, Cardinality, Constraints>>,
    from context: inout Context
  ) throws {
    try delete(ids, relation: path, from: &context)
  }

  /// Deletes some of the entities that a mutual relation leads to.
  public func delete<Target, Cardinality, Constraints, Inverse>(
    _ ids: [Target.ID],
    relation path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Inverse>, from context: inout Context
  ) throws {
    try delete(ids, relation: path, from: &context)
  }

  /// Deletes some of the entities that a mutual relation leads to.
  public func delete<Target, Cardinality, Constraints, Inverse>(
    _ ids: Target.ID...,
    relation path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Inverse>, from context: inout Context
  ) throws {
    try delete(ids, relation: path, from: &context)
  }
}

extension Context {
  /// The targets of a saved entity.
  private func targets<Entity: EntityModelProtocol, Target, Directionality, Cardinality, Constraints>(
    _ entity: Entity,
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Cardinality, Constraints>>
  ) throws -> (relation: StoredRelation, row: UInt32, targets: [(row: UInt32, id: Target.ID)])? {
    guard let reading = try QueryReading<Entity>.of(self), let targets = try QueryReading<Target>.of(self),
      let row = try reading.mapping.row(entity.id, reading.snapshot), let place = reading.mapping.info.relation(path),
      let relation = reading.mapping.relations[place]
    else { return nil }
    let readers = targets.snapshot.readers(targets.mapping.type)
    let found = try reading.snapshot.targets(relation, row).map { ($0, try targets.mapping.id(readers, $0)) }
    return (relation, row, found)
  }

  mutating func detach<Entity: EntityModelProtocol, Target, Directionality, Cardinality, Constraints>(
    _ entity: Entity,
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Cardinality, Constraints>>,
    _ ids: Set<Target.ID>?
  ) {
    // No link can be refused, because the schema of models has no relation that is required of the store: a required one
    // cannot be set to null, but its target may go. Were one refused, none would be taken away.
    try? atomically { context in
      guard let (relation, row, targets) = try context.targets(entity, path) else { return }
      // A database takes what is written with the types that were met.
      _ = try context.mapping(of: Entity.self)
      context.own()
      let transaction = context.storage.writing
      transaction.now = context.storage.now()
      // Those that wait are links too.
      if let ids {
        let memory = StagingMemory()
        let keys = try ids.compactMap { id in
          var slot = ColumnSlot(memory)
          try EntityInfo<Target>.shared.idCodec.write(id, into: &slot)
          return slot.cell
        }
        withExtendedLifetime(memory) { transaction.forgetDangling(relation.id, source: row, only: keys) }
      } else {
        transaction.forgetDangling(relation.id, source: row)
      }
      // Those to deleted entities would come back with them.
      if let mapping = context.storage.schema?.mapping(of: Target.self) {
        transaction.forgetDormant(relation.id, source: row) { target in
          guard let ids else { return true }
          return (try? mapping.id(transaction.readers(mapping.type), target)).map { ids.contains($0) } ?? false
        }
      }
      let kept = targets.filter { target in ids.map { !$0.contains(target.id) } ?? false }.map(\.row)
      if kept.count == targets.count { return }
      if relation.isToMany {
        try kept.withUnsafeBufferPointer {
          try transaction.setReferences(relation.id, source: row, targets: $0)
        }
      } else {
        try transaction.setReference(relation.id, source: row, target: nil)
      }
    }
  }

  mutating func deleteTargets<Entity: EntityModelProtocol, Target, Directionality, Cardinality, Constraints>(
    _ entity: Entity,
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Cardinality, Constraints>>,
    _ ids: Set<Target.ID>?
  ) throws {
    guard let (_, _, targets) = try targets(entity, path) else { return }
    let rows = targets.filter { target in ids.map { $0.contains(target.id) } ?? true }.map(\.row)
    // The context may know the type for reading only; hooks need to be known.
    if !rows.isEmpty { try delete(try mapping(of: Target.self).type, rows) }
  }
}
