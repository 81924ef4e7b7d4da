import GQLCatalog
import GQLStore

/// Other entities with values of unique indexes.
extension Saver {
  /// One of them, and the index, by its place among those of the type.
  struct Collision: Hashable {
    let unique: Int
    let row: UInt32
  }

  /// How often one save asks resolvers; more are those who put a new collision in the place of each that they resolve.
  private static var askLimit: Int { 10_000 }

  /// The first that nobody has been asked about yet, for a staged entity: of each index the newest entity that has the
  /// value. When that goes, it is the one before it. Where it stays, it is tolerated, as those before it are: asking about
  /// all who were ever let be would take each save longer than the one before.
  ///
  /// - Parameter asked: What was. Those that its index tolerates may stay; one that it should have deleted may not.
  func collision<Entity>(
    _ merged: Entity, _ record: Int, _ mapping: TypeMapping<Entity>, _ context: inout Context,
    asked: Set<Collision> = []
  ) throws -> Collision? {
    // What a quiet save has not written yet, no index knows.
    if !runsHooks && stage.hasSibling(record) { throw MustRunHooks() }
    let (cells, valid) = stage.cells(record)
    let storage = context.storage
    let transaction = storage.writing
    for (place, unique) in mapping.uniques.enumerated() {
      if !unique.resolver.comparesNil, unique.columns.contains(where: { !valid[$0] }) { continue }
      let newest: UInt32?
      do {
        newest = try transaction.lastRow(
          unique.id, cells: cells, valid: valid, except: stage.row(record),
          where: unique.isSame.isEmpty ? nil : { self.isSame(merged, $0, unique, mapping, storage) })
      } catch { throw mapping.error(error, in: context) }
      guard let existing = newest else { continue }
      let collision = Collision(unique: place, row: existing)
      let wasAsked = asked.contains(collision)
      if wasAsked, case .custom = unique.resolver.kind { continue }
      if unique.resolver.isRefusal || wasAsked || asked.count >= Self.askLimit {
        throw Errors.uniqueValueIndexViolation(
          existing: try mapping.id(transaction.readers(mapping.type), existing).description,
          new: merged.id.description, indexName: unique.index.name)
      }
      if !runsHooks { throw MustRunHooks() }
      return collision
    }
    return nil
  }

  /// Whether an entity and one that is saved have the same values of a unique index. What cannot be read has none.
  private func isSame<Entity>(
    _ entity: Entity, _ row: UInt32, _ unique: TypeMapping<Entity>.Unique, _ mapping: TypeMapping<Entity>,
    _ storage: ContextStorage
  ) -> Bool {
    let transaction = storage.writing
    var reader = EntityReader<Entity>(
      mapping.layout,
      EntitySource(
        transaction.readers(mapping.type), row, storage.opaques[Int(mapping.type.index)],
        mapping.layout.objects(in: transaction)))
    guard let other = try? Entity(from: &reader) else { return false }
    return unique.isSame.allSatisfy { $0(entity, other) }
  }

  /// Asks about a collision, and about what ``collision(_:_:_:_:asked:)`` finds then, because it is left or has come of
  /// what the program did: it may have saved or deleted anything, the entity itself too, or what makes the schema another.
  /// So the entity is merged and staged anew each time. Gives the type's place, and the record.
  func settle<Entity: EntityModelProtocol>(
    _ entity: Entity, _ strategy: MergeStrategy<Entity>, _ merged: Entity, _ first: Collision,
    _ mapping: TypeMapping<Entity>, _ context: inout Context
  ) throws -> (TypeMapping<Entity>, Int) {
    var (mapping, merged, collision) = (mapping, merged, first)
    var asked: Set<Collision> = []
    while true {
      asked.insert(collision)
      try resolve(merged, entity, collision, mapping, &context)
      mapping = try context.mapping(of: Entity.self)
      let record = stage.add(mapping)
      merged = try write(entity, strategy, record, mapping, context)
      guard let next = try self.collision(merged, record, mapping, &context, asked: asked) else {
        return (mapping, record)
      }
      collision = next
      stage.removeLast()
    }
  }

  /// Asks about one, with the entity that it becomes and, of `entity`, the links that are saved: merging may have kept the
  /// one that is there, which is read without any.
  private func resolve<Entity: EntityModelProtocol>(
    _ merged: Entity, _ entity: Entity, _ collision: Collision, _ mapping: TypeMapping<Entity>, _ context: inout Context
  ) throws {
    let unique = mapping.uniques[collision.unique]
    let existing = try mapping.id(context.storage.writing.readers(mapping.type), collision.row)
    if case .custom(let resolve) = unique.resolver.kind {
      let index = UniqueKeyPath<Entity>(name: unique.index.name, keyPaths: unique.index.paths)
      var new = merged
      for relation in mapping.info.relations { relation.copy(entity, to: &new) }
      try context.lend(to: mapping.name) { try resolve(existing, new, index, &$0) }
    } else {
      try context.delete(Entity.self, existing, atOnce: true)
    }
    context.own()
  }
}
