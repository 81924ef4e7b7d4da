import GQLStore
import GQLWriting

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

  /// Saves what it knows of one mutual relation, whose other side is named for the compiler to check, and the links.
  public func save<Target, Cardinality, Constraints, InverseCardinality, InverseConstraints>(
    _ path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Relation<Self, Relations.Mutual, InverseCardinality, InverseConstraints>>,
    to context: inout Context
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

  /// Takes all links of a mutual relation away, whose other side is named for the compiler to check; the entities stay.
  public func detach<Target, Cardinality, Constraints, InverseCardinality, InverseConstraints>(
    _ path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Relation<Self, Relations.Mutual, InverseCardinality, InverseConstraints>>,
    in context: inout Context
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
  public func detach<Target, Cardinality, Constraints, InverseCardinality, InverseConstraints>(
    _ ids: [Target.ID],
    relation path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Relation<Self, Relations.Mutual, InverseCardinality, InverseConstraints>>,
    in context: inout Context
  ) {
    detach(ids, relation: path, in: &context)
  }

  /// Takes the links of a mutual relation to some entities away; the entities stay.
  public func detach<Target, Cardinality, Constraints, InverseCardinality, InverseConstraints>(
    _ ids: Target.ID...,
    relation path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Relation<Self, Relations.Mutual, InverseCardinality, InverseConstraints>>,
    in context: inout Context
  ) {
    detach(ids, relation: path, in: &context)
  }

  /// Deletes all entities that a relation leads to, as one: none is kept by another. Links that wait for entities which
  /// are still to come are taken away.
  public func delete<Target, Directionality, Cardinality, Constraints>(
    _ path: WritableKeyPath<Self, Relation<Target, Directionality, Cardinality, Constraints>>,
    from context: inout Context
  ) throws {
    try context.deleteTargets(self, path, nil)
  }

  /// Deletes all entities that a mutual relation leads to.
  public func delete<Target, Cardinality, Constraints, InverseCardinality, InverseConstraints>(
    _ path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Relation<Self, Relations.Mutual, InverseCardinality, InverseConstraints>>,
    from context: inout Context
  ) throws {
    try delete(path, from: &context)
  }

  /// Deletes some of the entities that a relation leads to. Links that wait for those are taken away.
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
  public func delete<Target, Cardinality, Constraints, InverseCardinality, InverseConstraints>(
    _ ids: [Target.ID],
    relation path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Relation<Self, Relations.Mutual, InverseCardinality, InverseConstraints>>,
    from context: inout Context
  ) throws {
    try delete(ids, relation: path, from: &context)
  }

  /// Deletes some of the entities that a mutual relation leads to.
  public func delete<Target, Cardinality, Constraints, InverseCardinality, InverseConstraints>(
    _ ids: Target.ID...,
    relation path: WritableKeyPath<Self, Relation<Target, Relations.Mutual, Cardinality, Constraints>>,
    inverse: KeyPath<Target, Relation<Self, Relations.Mutual, InverseCardinality, InverseConstraints>>,
    from context: inout Context
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
    // Links that a schema in text requires are refused, and then none is taken away.
    try? takeAway(entity, path, ids)
  }

  /// Takes links of a relation away, all or those to some entities.
  ///
  /// - Throws: where one is required; none is taken away then.
  mutating func takeAway<Entity: EntityModelProtocol, Target, Directionality, Cardinality, Constraints>(
    _ entity: Entity,
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Cardinality, Constraints>>,
    _ ids: Set<Target.ID>?
  ) throws {
    try atomically { context in
      guard let (_, found) = try context.storage.find(Entity.self), try context.writtenRow(found, entity.id) != nil
      else { return }
      // A database takes what is written with the types that were met.
      let mapping = try context.mapping(of: Entity.self)
      guard let row = try context.writtenRow(mapping, entity.id), let place = mapping.info.relation(path),
        let relation = mapping.relations[place]
      else { return }
      context.own()
      let transaction = context.storage.writing
      transaction.now = context.storage.now()
      if let ids {
        try Self.withKeys(of: Target.self, ids) { try transaction.detach(relation, row, keys: $0) }
      } else {
        try transaction.detachAll(relation, row)
      }
    }
  }

  mutating func deleteTargets<Entity: EntityModelProtocol, Target, Directionality, Cardinality, Constraints>(
    _ entity: Entity,
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Cardinality, Constraints>>,
    _ ids: Set<Target.ID>?
  ) throws {
    guard try targets(entity, path) != nil else { return }
    try atomically { context in
      // The context may know the types for reading only; hooks need to be known.
      let type = try context.mapping(of: Target.self).type
      _ = try context.mapping(of: Entity.self)
      guard let (relation, row, targets) = try context.targets(entity, path) else { return }
      context.own()
      let transaction = context.storage.writing
      if let ids {
        Self.withKeys(of: Target.self, ids) { transaction.forgetDangling(relation.id, source: row, only: $0) }
      } else {
        transaction.forgetDangling(relation.id, source: row)
      }
      let rows = targets.filter { target in ids.map { $0.contains(target.id) } ?? true }.map(\.row)
      if !rows.isEmpty { try context.delete(type, rows) }
    }
  }

  /// Ids as columns hold them; one that no column can hold is nobody's.
  private static func withKeys<Target: EntityModelProtocol>(
    of type: Target.Type, _ ids: Set<Target.ID>, _ body: ([Cell]) throws -> Void
  ) rethrows {
    let memory = StagingArena()
    let keys = ids.compactMap { id in
      var slot = _ColumnSlot(memory)
      try? EntityInfo<Target>.shared.idCodec.write(id, into: &slot)
      return slot.cell
    }
    try withExtendedLifetime(memory) { try body(keys) }
  }
}

extension WriteTransaction {
  /// Takes away all links of a row: those that are there, those that wait, and those to deleted entities, which would come
  /// back with them.
  fileprivate func detachAll(_ relation: StoredRelation, _ row: UInt32) throws {
    forgetDangling(relation.id, source: row)
    forgetSuspended(relation.id, source: row) { _ in true }
    let reader = column(relation.source, relation.column)
    if relation.isToMany {
      if reader.references(row).isEmpty { return }
      try setReferences(relation.id, source: row, targets: UnsafeBufferPointer(start: nil, count: 0))
    } else if reader.reference(row) != PageLayout.noRow {
      try setReference(relation.id, source: row, target: nil)
    }
  }

  /// The same of those to some primary keys.
  fileprivate func detach(_ relation: StoredRelation, _ row: UInt32, keys: [Cell]) throws {
    forgetDangling(relation.id, source: row, only: keys)
    var (live, deleted): ([UInt32], Set<UInt32>) = ([], [])
    for key in keys {
      var key = key
      if let target = findRow(relation.target, key: &key) {
        live.append(target)
      } else if let target = deletedRow(relation.target, key: &key) {
        deleted.insert(target)
      }
    }
    if !deleted.isEmpty { forgetSuspended(relation.id, source: row) { deleted.contains($0) } }
    if relation.isToMany {
      try removeReferences(relation.id, source: row, targets: live)
    } else if live.contains(column(relation.source, relation.column).reference(row)) {
      try setReference(relation.id, source: row, target: nil)
    }
  }
}
