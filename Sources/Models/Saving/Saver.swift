import GQLCatalog
import GQLStore

/// One save: a graph of entities into a context.
///
/// A *quiet* save calls nothing of the program: it stages the whole graph, with everything that can fail, and writes only
/// then. A *hooked* one writes entity by entity, because hooks and resolvers look at the context; whoever runs it goes back
/// to the context as it was if it fails.
struct Saver {
  /// Thrown by a quiet save that meets something that is none.
  struct MustRunHooks: Error {}

  let stage: SaveStage
  let runsHooks: Bool
  /// The instant of all that is written.
  let now: Int64
  /// Whether hooks and resolvers are passed over.
  var isRaw = false

  /// Stages an entity and all that it holds, and what that holds. What is left to do stands in a list and not on the
  /// stack, because graphs may be deep.
  func save<Entity: EntityModelProtocol>(
    _ entity: Entity, _ strategy: MergeStrategy<Entity>, _ context: inout Context
  ) throws {
    _ = try visit(entity, strategy, &context)
    while let step = stage.steps.last {
      if try step.advance(self, &context) { stage.steps.removeLast() }
    }
  }

  /// Stages an entity; gives the number of its record. What it holds is left to the steps of the stage.
  func visit<Entity: EntityModelProtocol>(
    _ entity: Entity, _ strategy: MergeStrategy<Entity>, _ context: inout Context
  ) throws -> Int {
    var mapping = try context.mapping(of: Entity.self)
    if !runsHooks && !isRaw && !mapping.hooks.savesQuietly { throw MustRunHooks() }
    var entity = entity
    if runsHooks { try context.call(.willSave, mapping.hooks) { try entity.willSave(to: &$0) } }
    mapping = try context.mapping(of: Entity.self)
    var record = stage.add(mapping)
    let merged = try write(entity, strategy, record, mapping, context)
    if mapping.uniques.count > 0 && !isRaw, let collision = try collision(merged, record, mapping, &context) {
      stage.removeLast()
      (mapping, record) = try settle(entity, strategy, merged, collision, mapping, &context)
    }
    if runsHooks { try apply(record, &context) }
    let relations = mapping.info.relations
    // Counted, because what a generic array's indices ask for costs more than staging.
    for place in 0..<relations.count {
      guard
        let targets = try relations[place].stage(
          entity, record, place: place, isMapped: mapping.relations[place] != nil, self, &context)
      else { continue }
      stage.steps.append(RelationsStep(entity, mapping, record, place: place))
      stage.steps.append(targets)
      return record
    }
    if runsHooks { try finish(entity, mapping, &context) }
    return record
  }

  /// Finishes a hooked save when all that the entity holds is saved.
  func finish<Entity: EntityModelProtocol>(
    _ entity: Entity, _ mapping: TypeMapping<Entity>, _ context: inout Context
  ) throws {
    try context.call(.saveMetadata, mapping.hooks) { try entity.saveMetadata(to: &$0) }
    try context.call(.didSave, mapping.hooks) { try entity.didSave(to: &$0) }
  }

  /// Writes the cells of what the entity becomes when it is merged with what is there; gives that.
  @discardableResult
  func write<Entity>(
    _ entity: Entity, _ strategy: MergeStrategy<Entity>, _ record: Int, _ mapping: TypeMapping<Entity>,
    _ context: Context
  ) throws -> Entity {
    let transaction = context.storage.writing
    let (cells, valid) = stage.cells(record)
    if mapping.info.watchesID { try mapping.info.checkID(entity) }
    var slot = _ColumnSlot(stage.memory)
    try mapping.info.idCodec.write(entity.id, into: &slot)
    cells[mapping.idColumn] = slot.cell ?? Cell(low: 0)
    valid[mapping.idColumn] = true
    let row = transaction.findRow(mapping.type, key: stage.key(record)) ?? PageLayout.noRow
    stage.setRow(record, row)
    var merged = entity
    // What the row's key is, whatever is made of the entity.
    let key = cells[mapping.idColumn]
    if strategy.merging != nil {
      // Within one save, a later entity of an id is merged with the earlier one. A hooked save has written that: what is
      // there now, hooks may have made of it.
      var source = runsHooks ? nil : stage.namesake(of: record).map { stage.source($0) }
      if source == nil, row != PageLayout.noRow {
        source = EntitySource(
          transaction.readers(mapping.type), row, context.storage.opaques[Int(mapping.type.index)],
          mapping.layout.objects(in: transaction))
      }
      if let source {
        var reader = EntityReader<Entity>(mapping.layout, source)
        merged = strategy.merge(try Entity(from: &reader), new: entity)
      }
    }
    var writer = EntityWriter<Entity>(mapping.layout, cells, valid, stage.memory)
    try merged.write(to: &writer)
    try writer.finish()
    if !writer.opaques.isEmpty { stage.setOpaques(record, writer.opaques) }
    if !writer.objects.isEmpty {
      stage.setObjects(record, writer.objects)
      // What cannot be written must show before anything is.
      _ = try putObjects(record, row == PageLayout.noRow ? nil : row, transaction, now)
    }
    if mapping.derived.count > 0 {
      let hasRelations = mapping.info.relations.count > 0
      if hasRelations { mapping.info.watch(&merged) }
      for place in 0..<mapping.derived.count {
        let (attribute, column) = mapping.derived[place]
        var slot = _ColumnSlot(stage.memory)
        if hasRelations {
          let (_, asked) = try RelationWatch.watching { try mapping.info.attributes[attribute].derived?(merged, &slot) }
          if let asked { throw mapping.info.problem(attribute, lookingAt: asked) }
        } else {
          try mapping.info.attributes[attribute].derived?(merged, &slot)
        }
        valid[column] = slot.cell != nil
        cells[column] = slot.cell ?? Cell(low: 0)
      }
    }
    if strategy.merging != nil, !stage.areEqual(cells[mapping.idColumn], key, mapping.idKind) {
      throw ModelError.unwritable(
        mapping.name, "the merge strategy makes '\(merged.id)' of the id '\(entity.id)', which it must keep")
    }
    return merged
  }

  /// Writes everything that is staged.
  func applyAll(_ context: inout Context) throws {
    for record in stage.entities.indices { try apply(record, &context) }
    for link in stage.stage.links { try apply(link, &context) }
  }

  /// Throws if an entity that the save has made lacks a link that the schema requires.
  func checkRequiredLinks(_ context: inout Context) throws {
    for (record, entity) in stage.entities.enumerated()
    where entity.isNew && entity.mapping.requiredLinks.count > 0 {
      let row = stage.row(record)
      guard let tables = context.written(), tables.isLive(entity.mapping.type, row) else { continue }
      for relation in entity.mapping.requiredLinks
      where tables.column(relation.source, relation.column).reference(row) == PageLayout.noRow {
        let name = context.storage.schema?.catalog[relation.source][relation.column].name ?? ""
        throw ModelError.missingValue(entity.mapping.name, "'\(name)' must lead to an entity in the schema")
      }
    }
  }

  private func apply(_ record: Int, _ context: inout Context) throws {
    context.own()
    let entry = stage.entities[record]
    let transaction = context.storage.writing
    transaction.now = now
    defer { transaction.now = now }
    var row = stage.row(record)
    if row == PageLayout.noRow, record > 0, let known = transaction.findRow(entry.mapping.type, key: stage.key(record))
    {
      row = known
      stage.hasTwins = true
    }
    let (cells, valid) = stage.cells(record)
    do {
      let owned = try putObjects(record, row == PageLayout.noRow ? nil : row, transaction, transaction.now)
      if row == PageLayout.noRow {
        if let fields = entry.mapping.unknownFields { fields.fill(cells, valid, now: transaction.now) }
        row = try transaction.insert(entry.mapping.type, cells: cells, valid: valid)
        stage.setNew(record)
      } else {
        let readers = transaction.readers(entry.mapping.type)
        entry.mapping.keepNumbers(readers, row, cells, valid)
        // No metadata are written; but of values without a column only the time tells that they are others.
        if isRaw, entry.opaques.isEmpty, let column = entry.mapping.updatedColumn {
          transaction.now = readers[Int(column.index)].int64(row)
        }
        try transaction.replace(entry.mapping.type, row, cells: cells, valid: valid, given: owned)
      }
      if !entry.objects.isEmpty { try linkObjects(record, row, transaction) }
    } catch let error as StoreProblem { throw entry.mapping.error(error, in: context) }
    stage.setRow(record, row)
    if !entry.opaques.isEmpty {
      context.storage.opaques[Int(entry.mapping.type.index)]?.set(row, entry.opaques)
    }
  }
}
