import GQLCatalog
import GQLStore
import GQLWriting

/// What is left to do of a save that goes on with something else first.
class SaveStep {
  /// Goes on; true if it is done, false if it has put other steps above itself, which come first.
  func advance(_ saver: Saver, _ context: inout Context) throws -> Bool { true }
}

/// The relations of an entity, from one on whose entities are saved.
final class RelationsStep<Entity: EntityModelProtocol>: SaveStep {
  private let entity: Entity
  private let mapping: TypeMapping<Entity>
  private let record: Int
  /// The relation whose entities are saved first.
  private var place: Int

  init(_ entity: Entity, _ mapping: TypeMapping<Entity>, _ record: Int, place: Int) {
    self.entity = entity
    self.mapping = mapping
    self.record = record
    self.place = place
  }

  override func advance(_ saver: Saver, _ context: inout Context) throws -> Bool {
    place += 1
    let relations = mapping.info.relations
    while place < relations.count {
      let step = try relations[place].stage(
        entity, record, place: place, isMapped: mapping.relations[place] != nil, saver, &context)
      if let step {
        saver.stage.steps.append(step)
        return false
      }
      place += 1
    }
    if saver.runsHooks { try saver.finish(entity, mapping, &context) }
    return true
  }
}

/// The entities of a relation, and then the link to them.
final class TargetsStep<Entity: EntityModelProtocol>: SaveStep {
  private let entities: [Entity]
  private let strategy: MergeStrategy<Entity>
  private let relation: HeldRelation
  /// Whether there is a table behind the relation.
  private let isMapped: Bool
  private var next = 0
  private var targets: [RecordStage.Target] = []

  init(
    _ entities: [Entity], _ strategy: MergeStrategy<Entity>, _ relation: HeldRelation, isMapped: Bool
  ) {
    self.entities = entities
    self.strategy = strategy
    self.relation = relation
    self.isMapped = isMapped
    targets.reserveCapacity(entities.count)
  }

  override func advance(_ saver: Saver, _ context: inout Context) throws -> Bool {
    let stage = saver.stage
    let depth = stage.steps.count
    while next < entities.count {
      let entity = entities[next]
      next += 1
      if isMapped {
        targets.append(.record(try saver.visit(entity, strategy, &context)))
      } else {
        // Deleted entities have a pipeline of their own.
        if !saver.runsHooks { throw Saver.MustRunHooks() }
        if let deleted = entity as? any Tombstone {
          stage.steps.append(deleted.saving())
        } else {
          try context.lend(to: "\(Entity.self)") { try entity.save(to: &$0, options: strategy) }
        }
      }
      if stage.steps.count > depth { return false }
    }
    // What is staged for nested entities stands before what they are the targets of.
    if isMapped { try saver.link(relation, to: targets, &context) }
    return true
  }
}

/// A deleted entity, and such that it holds: deleted, or known as such.
final class DeletedStep<Entity: EntityModelProtocol>: SaveStep {
  private let entity: Entity
  private var isOpened = false

  init(_ entity: Entity) { self.entity = entity }

  override func advance(_ saver: Saver, _ context: inout Context) throws -> Bool {
    if !isOpened {
      isOpened = true
      let held = EntityInfo<Entity>.shared.relations.flatMap { $0.held(entity) }.compactMap { $0 as? any Tombstone }
      if !held.isEmpty {
        saver.stage.steps += held.reversed().map { $0.saving() }
        return false
      }
    }
    try context.saveDeleted(entity)
    return true
  }
}
