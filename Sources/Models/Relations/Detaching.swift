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

  /// Takes all links of a relation away; the entities stay.
  public func detach<Target, Directionality, Cardinality, Constraints>(
    _ path: WritableKeyPath<Self, Relation<Target, Directionality, Cardinality, Constraints>>,
    in context: inout Context
  ) {
    context.detach(self, path) { _ in true }
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
    let ids = Set(ids)
    context.detach(self, path) { ids.contains($0) }
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

  /// Deletes all entities that a relation leads to.
  public func delete<Target, Directionality, Cardinality, Constraints>(
    _ path: WritableKeyPath<Self, Relation<Target, Directionality, Cardinality, Constraints>>,
    from context: inout Context
  ) throws {
    try context.deleteTargets(self, path) { _ in true }
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
    let ids = Set(ids)
    try context.deleteTargets(self, path) { ids.contains($0) }
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
  /// The rows of those targets of a saved entity whose ids are wanted.
  private func targets<Entity: EntityModelProtocol, Target, Directionality, Cardinality, Constraints>(
    _ entity: Entity,
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Cardinality, Constraints>>,
    _ isWanted: (Target.ID) -> Bool
  ) throws -> (relation: StoredRelation, row: UInt32, targets: [(row: UInt32, id: Target.ID)])? {
    guard let reading = QueryReading<Entity>(self), let targets = QueryReading<Target>(self),
      let row = try reading.mapping.row(entity.id, reading.snapshot), let place = reading.mapping.info.relation(path),
      let relation = reading.mapping.relations[place]
    else { return nil }
    let readers = targets.snapshot.readers(targets.mapping.type)
    let found = try reading.snapshot.targets(relation, row).map { ($0, try targets.mapping.id(readers, $0)) }
    return (relation, row, found.filter { isWanted($0.1) })
  }

  mutating func detach<Entity: EntityModelProtocol, Target, Directionality, Cardinality, Constraints>(
    _ entity: Entity,
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Cardinality, Constraints>>,
    _ isWanted: (Target.ID) -> Bool
  ) {
    // No link can be refused, because the schema of models has no relation that is required of the store: a required one
    // cannot be set to null, but its target may go. Were one refused, none would be taken away.
    try? atomically { context in
      guard let (relation, row, targets) = try context.targets(entity, path, isWanted) else { return }
      context.own()
      let transaction = context.storage.writing
      transaction.now = context.storage.now()
      for target in targets { try transaction.removeReference(relation.id, source: row, target: target.row) }
    }
  }

  mutating func deleteTargets<Entity: EntityModelProtocol, Target, Directionality, Cardinality, Constraints>(
    _ entity: Entity,
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Cardinality, Constraints>>,
    _ isWanted: (Target.ID) -> Bool
  ) throws {
    guard let (_, _, targets) = try targets(entity, path, isWanted) else { return }
    try atomically { context in for target in targets { try Target.delete(id: target.id, from: &context) } }
  }
}
