import GQLCatalog
import GQLStore
import GQLWriting

/// A relation that an entity type describes, whatever it leads to.
class RelationDescriptor<Source: EntityModelProtocol> {
  let name: String
  /// The name of the other side, if that has one.
  let inverse: String?
  let deleteRule: DeleteRule
  /// A number of its own in the process, by which entities say which relation they ask for; 0 where there are too many.
  let number: UInt16
  /// The property `$name`.
  let path: PartialKeyPath<Source> & Sendable
  /// The property `name`.
  let value: PartialKeyPath<Source> & Sendable

  init(
    name: String, value: PartialKeyPath<Source> & Sendable, path: PartialKeyPath<Source> & Sendable, inverse: String?,
    deleteRule: DeleteRule
  ) {
    self.name = name
    self.value = value
    self.path = path
    self.inverse = inverse
    self.deleteRule = deleteRule
    number = RelationNumbers.next()
  }

  var isToMany: Bool { false }
  var target: any EntityModelProtocol.Type { Source.self }

  /// Lets entities of these rows load it when a condition in Swift asks them for it, where nothing is known of it.
  func lend(_ entities: inout [Source], _ rows: [UInt32], level: Int, depth: UInt8) {}

  /// Forgets what an entity knows of it.
  func normalize(_ entity: inout Source) {}

  /// Gives an entity what another one knows of it.
  func copy(_ other: Source, to entity: inout Source) {}

  /// Gives an entity the ids of targets, a ``LinkedIDs`` of the target's type.
  func put(_ targets: Any, isPart: Bool, into entity: inout Source) {}

  /// Takes the links of an entity to some targets away, a ``LinkedIDs`` of the target's type.
  ///
  /// - Throws: where a link is required; none is taken away then.
  func detach(_ targets: Any, from entity: Source, _ context: inout Context) throws {}

  /// From now on a ``RelationWatch`` notes under the number who asks for it.
  func watch(_ entity: inout Source, number: UInt16) {}

  /// Stages the links to what an entity holds of it, if there is a table behind it. Where it holds entities, gives the
  /// step that does that, and saves them first.
  func stage(
    _ entity: Source, _ record: Int, place: Int, isMapped: Bool, _ saver: Saver, _ context: inout Context
  ) throws -> SaveStep? { nil }

  /// Gives an entity the ids of its targets.
  func loadIDs(_ entity: inout Source, _ ids: RelationIDs) throws {}

  /// The ids that an entity knows, as primary keys, valid as long as the memory.
  func knownKeys(_ entity: Source, _ memory: StagingArena) throws -> [Cell] { [] }

  /// What takes its targets as the first level says, and their relations' as the next ones do; nil if there is none.
  func nested(_ levels: ArraySlice<Nested>, _ bulk: BulkNesting) -> NestedQuery<Source>? { nil }

  /// What takes its targets as entities, and what the routes from there lead to, each a list of places of relations.
  func loading(_ routes: [ArraySlice<Int>]) -> NestedQuery<Source>? { nil }

  /// The entities that an entity has in it.
  func held(_ entity: Source) -> [any EntityModelProtocol] { [] }
}

/// The numbers of the relations that the process has met.
private enum RelationNumbers {
  private static let last = Guarded<UInt16>(0)

  static func next() -> UInt16 {
    last.withLock { last in
      if last == .max { return 0 }
      last += 1
      return last
    }
  }
}

/// A relation with its types.
final class TypedRelation<
  Source: EntityModelProtocol, Target: EntityModelProtocol, Directionality: _RelationDirectionality,
  Cardinality: _RelationCardinality, Constraints: _RelationConstraints
>: RelationDescriptor<Source> {
  typealias Path = WritableKeyPath<Source, Relation<Target, Directionality, Cardinality, Constraints>> & Sendable
  let relation: Path

  init(name: String, value: PartialKeyPath<Source> & Sendable, path: Path, inverse: String?, deleteRule: DeleteRule) {
    relation = path
    super.init(name: name, value: value, path: path, inverse: inverse, deleteRule: deleteRule)
  }

  override var isToMany: Bool { Cardinality._isToMany }
  override var target: any EntityModelProtocol.Type { Target.self }
  override func lend(_ entities: inout [Source], _ rows: [UInt32], level: Int, depth: UInt8) {
    for (place, row) in zip(entities.indices, rows) {
      guard case .none = entities[place][keyPath: relation].state else { continue }
      var lent = Relation<Target, Directionality, Cardinality, Constraints>.none
      (lent.number, lent.row, lent.depth, lent.level) = (number, row, depth, level)
      entities[place][keyPath: relation] = lent
    }
  }

  override func normalize(_ entity: inout Source) { entity[keyPath: relation] = .none }

  override func copy(_ other: Source, to entity: inout Source) { entity[keyPath: relation] = other[keyPath: relation] }

  override func put(_ targets: Any, isPart: Bool, into entity: inout Source) {
    guard let targets = targets as? LinkedIDs<Target> else { return }
    entity[keyPath: relation] = Relation(targets.ids.isEmpty && !isToMany ? .null : .ids(targets.ids), isPart: isPart)
  }

  override func detach(_ targets: Any, from entity: Source, _ context: inout Context) throws {
    if let targets = targets as? LinkedIDs<Target> { try context.takeAway(entity, relation, Set(targets.ids)) }
  }

  override func watch(_ entity: inout Source, number: UInt16) {
    // With what is known of it, because a program that looks at it may rely on that.
    entity[keyPath: relation].number = number
    entity[keyPath: relation].row = RelationWatch.row
  }

  override func stage(
    _ entity: Source, _ record: Int, place: Int, isMapped: Bool, _ saver: Saver, _ context: inout Context
  ) throws -> SaveStep? {
    let held = entity[keyPath: relation]
    if case .none = held.state { return nil }
    let relation = HeldRelation(record: record, place: place, isPart: held.isPart, isRead: held.isRead)
    var targets: [RecordStage.Target] = []
    switch held.state {
    case .none, .null: break
    case .ids(let ids):
      if !isMapped { return nil }
      let known = context.storage.schema?.mapping(of: Target.self)?.info
      let codec = (known ?? EntityInfo<Target>.shared).idCodec
      targets.reserveCapacity(ids.count)
      for id in ids {
        var slot = _ColumnSlot(saver.stage.memory)
        try codec.write(id, into: &slot)
        targets.append(.key(slot.cell ?? Cell(low: 0), at: RecordStage.Origin(start: record)))
      }
    case .entities(let entities), .fragments(let entities):
      if entities.count > 0 {
        return TargetsStep(entities, held.isFragment ? .fragment : .default, relation, isMapped: isMapped)
      }
    }
    if isMapped { try saver.link(relation, to: targets, &context) }
    return nil
  }

  override func nested(_ levels: ArraySlice<Nested>, _ bulk: BulkNesting) -> NestedQuery<Source>? {
    guard let level = levels.first else { return nil }
    var query = QueryList<Target>()
    if let filter = level.filter { query = query.filter(filter.predicate(of: Target.self)) }
    if level.form != .ids { query.nested = bulk.nested(Target.self, levels.dropFirst()) }
    let isPart = level.filter != nil
    if level.isSchema {
      let all = SchemaQuery(relation, level.form, isPart: isPart, query.sorted(by: .updatedAt))
      all.unordered = query
      return all
    }
    return TypedNestedQuery(relation, level.form, isPart: isPart, query)
  }

  override func loading(_ routes: [ArraySlice<Int>]) -> NestedQuery<Source>? {
    var query = QueryList<Target>()
    query.nested = EntityInfo<Target>.shared.loading(routes)
    return TypedNestedQuery(relation, .entities, isPart: false, query)
  }

  override func held(_ entity: Source) -> [any EntityModelProtocol] { entity[keyPath: relation].knownEntities }

  override func loadIDs(_ entity: inout Source, _ ids: RelationIDs) throws {
    entity[keyPath: relation] = Relation(.ids(try ids.read(EntityInfo<Target>.shared.idCodec)), isRead: true)
  }

  override func knownKeys(_ entity: Source, _ memory: StagingArena) throws -> [Cell] {
    try (entity[keyPath: relation].knownIDs ?? []).map { id in
      var slot = _ColumnSlot(memory)
      try EntityInfo<Target>.shared.idCodec.write(id, into: &slot)
      return slot.cell ?? Cell(low: 0)
    }
  }
}

/// The ids of the targets that an entity has.
struct RelationIDs {
  let rows: UnsafeBufferPointer<UInt32>
  let column: ColumnReader
  let kind: ColumnKind

  func read<ID>(_ codec: ValueCodec<ID>) throws -> [ID] {
    try rows.map { try codec.read(_ColumnCell(column.cell($0, kind: kind))) }
  }
}
