import GQLCatalog
import GQLStore

/// A context as a query of one type sees it, at one moment.
package struct QueryReading<Entity: EntityModelProtocol> {
  let context: Context
  let snapshot: Snapshot
  let schema: ModelSchema
  let mapping: TypeMapping<Entity>
  let opaques: OpaqueValues?
  /// Where the entities load relations from that they are asked for; nil but for conditions and orders in Swift.
  var loader: RelationLoader?
  /// How many relations lead to the entities, of those that the loader has loaded.
  var depth: UInt8 = 0
  var isDeleted: Bool { Entity.self is any Tombstone.Type }

  /// Nil if the context does not know the type, and so has nothing of it.
  init?(_ context: Context) {
    guard let reading = try? Self.of(context) else { return nil }
    self = reading
  }

  /// Nil if the context does not know the type, and so has nothing of it.
  ///
  /// - Throws: ``ModelError/invalidSchema(_:)`` if the entities are a database's whose schema cannot hold the type.
  static func of(_ context: Context) throws -> Self? {
    guard let (schema, mapping) = try context.storage.find(Entity.self), let snapshot = context.storage.current else {
      return nil
    }
    return Self(context, schema, mapping, snapshot)
  }

  private init(_ context: Context, _ schema: ModelSchema, _ mapping: TypeMapping<Entity>, _ snapshot: Snapshot) {
    self.context = context
    self.schema = schema
    self.mapping = mapping
    self.snapshot = snapshot
    opaques = context.storage.opaques(of: mapping.type)
  }

  func entity(_ row: UInt32) throws -> Entity {
    var entity = try mapping.entity(row, snapshot, opaques)
    if isDeleted { try loadIDs(&entity, row) }
    return entity
  }

  /// Gives a deleted entity the ids that its relations had.
  private func loadIDs(_ entity: inout Entity, _ row: UInt32) throws {
    guard var deleted = entity as? any Tombstone else { return }
    try deleted.loadIDs(row, snapshot, schema)
    // Safe because it is the same type.
    if let loaded = deleted as? Entity { entity = loaded }
  }

  /// The entities of rows, with what is wanted of their relations. Of `attributes`, and what an entity cannot be without,
  /// the values are read. What was `traced` of the relations is not looked for again.
  func entities(
    _ rows: [UInt32], _ nested: [NestedQuery<Entity>], only attributes: Set<Int>? = nil, _ traced: TracedRows? = nil
  ) throws -> [Entity] {
    var result: [Entity] = []
    result.reserveCapacity(rows.count)
    let readers = snapshot.readers(mapping.type)
    let objects = mapping.layout.objects(in: snapshot)
    let mustRead = mapping.mustRead(attributes)
    try (mustRead ?? []).withUnsafeBufferPointer { wanted in
      for row in rows {
        var reader = EntityReader<Entity>(
          mapping.layout, EntitySource(readers, row, opaques, objects),
          wanted: mustRead == nil ? nil : wanted.baseAddress)
        result.append(try Entity(from: &reader))
      }
    }
    if isDeleted { for (place, row) in rows.enumerated() { try loadIDs(&result[place], row) } }
    for (number, query) in nested.enumerated() { try query.load(&result, rows, self, traced?.nested(number)) }
    if loader != nil {
      LoadCount.current?.note(rows.count)
      try lend(&result, rows)
    }
    return result
  }

  /// Those of the entities that can be read, and with them what is wanted of their relations.
  func readable(
    _ rows: [UInt32], _ nested: [NestedQuery<Entity>], only attributes: Set<Int>? = nil
  ) -> [Entity] {
    rows.compactMap { try? entities([$0], nested, only: attributes).first }
  }

  // MARK: - Stages

  /// The rows that a stage gives, of all or of some.
  func rows(_ stage: QueryStage<Entity>, of rows: [UInt32]?) throws -> [UInt32] {
    try reckoning(stage) { try self.rows(stage, of: rows, reckonsInSwift: $0) }
  }

  /// What a stage gives. Where numbers of it become infinite or none, which are errors for the planner, Swift reckons on
  /// with them: then it is asked again.
  private func reckoning<Result>(
    _ stage: QueryStage<Entity>, _ body: (_ reckonsInSwift: Bool) throws -> Result
  ) throws -> Result {
    guard try canReckonInSwift(stage) else { return try body(false) }
    do { return try body(false) } catch ModelError.failedQuery { return try body(true) }
  }

  private func canReckonInSwift(_ stage: QueryStage<Entity>) throws -> Bool {
    let conjuncts = stage.conjuncts
    if conjuncts.contains(where: \.isTooDeep) { throw NestingDepth.problem }
    return conjuncts.contains(where: \.canReckonInSwift)
  }

  private func rows(
    _ stage: QueryStage<Entity>, of rows: [UInt32]?, reckonsInSwift: Bool
  ) throws -> [UInt32] {
    if stage.isSliced, stage.limit ?? 0 <= 0 || stage.offset < 0 { return [] }
    var (shape, parameters, rest) = plannable(
      stage, isDeleted ? .deleted : rows == nil ? .all : .rows, reckonsInSwift: reckonsInSwift)
    var ends: [Int] = []
    if var rows {
      shape.source = .rows
      // What the planner would do nothing for.
      if shape.condition == nil && shape.order.isEmpty {
        ends = [rows.count]
        try finish(&rows, &ends, rest.slicing(stage))
        return rows
      }
    }
    if rest.isEmpty && stage.isSliced { slice(stage, &shape, &parameters) } else { rest = rest.slicing(stage) }
    var found = try schema.plans.run(
      shape, parameters, types: types, given: rows ?? [], on: snapshot, ends: &ends)
    try finish(&found, &ends, rest)
    return found
  }

  /// Keeps of each of several lists of rows, which stand one behind the other, what a stage gives of it: as of one list
  /// after the other, but all together.
  func narrow(_ rows: inout [UInt32], _ ends: inout [Int], by stage: QueryStage<Entity>) throws {
    guard try canReckonInSwift(stage) else {
      return try narrow(&rows, &ends, by: stage, reckonsInSwift: false)
    }
    let all = (rows, ends)
    (rows, ends) = try reckoning(stage) { reckonsInSwift in
      var (rows, ends) = all
      try narrow(&rows, &ends, by: stage, reckonsInSwift: reckonsInSwift)
      return (rows, ends)
    }
  }

  private func narrow(
    _ rows: inout [UInt32], _ ends: inout [Int], by stage: QueryStage<Entity>, reckonsInSwift: Bool
  ) throws {
    if stage.isSliced, stage.limit ?? 0 <= 0 || stage.offset < 0 {
      rows = []
      ends = ends.map { _ in 0 }
      return
    }
    var (shape, parameters, rest) = plannable(stage, .rows, reckonsInSwift: reckonsInSwift)
    if shape.condition == nil && shape.order.isEmpty {
      rest = rest.slicing(stage)
    } else {
      if rest.isEmpty && stage.isSliced { slice(stage, &shape, &parameters) } else { rest = rest.slicing(stage) }
      try schema.plans.narrow(&rows, &ends, to: shape, parameters, types: types, on: snapshot)
    }
    try finish(&rows, &ends, rest)
  }

  /// The rows that a stage gives of each parent's targets.
  func rows(
    _ stage: QueryStage<Entity>, relation: StoredRelation, parents: [UInt32], ends: inout [Int]
  ) throws -> [UInt32] {
    let found = try reckoning(stage) { reckonsInSwift in
      var ends: [Int] = []
      let rows = try self.rows(
        stage, relation: relation, parents: parents, ends: &ends, reckonsInSwift: reckonsInSwift)
      return (rows, ends)
    }
    ends = found.1
    return found.0
  }

  private func rows(
    _ stage: QueryStage<Entity>, relation: StoredRelation, parents: [UInt32], ends: inout [Int], reckonsInSwift: Bool
  ) throws -> [UInt32] {
    var (shape, parameters, rest) = plannable(stage, .relation(relation.id), reckonsInSwift: reckonsInSwift)
    if rest.isEmpty && stage.isSliced {
      if stage.limit ?? 0 <= 0 || stage.offset < 0 {
        ends = parents.map { _ in 0 }
        return []
      }
      slice(stage, &shape, &parameters)
    } else {
      rest = rest.slicing(stage)
    }
    var found = try schema.plans.run(
      shape, parameters, types: types, parents: parents, on: snapshot, ends: &ends)
    try finish(&found, &ends, rest)
    return found
  }

  /// All types of the schema, by number. Where deleted entities are read, they stand there for what they were, whose
  /// attributes are others.
  var types: [AnyTypeMapping] {
    var types = schema.byNumber
    if isDeleted { types[Int(mapping.type.index)] = mapping }
    return types
  }

  /// What the planner can do of a stage, and what is left to do in Swift: also what reckons with floating-point numbers,
  /// if that is said.
  func plannable(
    _ stage: QueryStage<Entity>, _ source: QueryShape.Source, reckonsInSwift: Bool = false
  ) -> (QueryShape, [Parameter], QueryRest<Entity>) {
    var shape = QueryShape(
      type: mapping.type, source: source, isOfDeleted: isDeleted, hasMetadata: mapping.hooks.keepsMetadata)
    var parameters: [Parameter] = []
    var rest = QueryRest<Entity>()
    var conditions: [Condition] = []
    var isGuarded = false
    for conjunct in stage.conjuncts {
      if reckonsInSwift && conjunct.canReckonInSwift {
        rest.conjuncts.append(conjunct)
        continue
      }
      // What may fail stays behind what is looked at in Swift, which may guard it.
      if let condition = conjunct.condition, !isGuarded || !condition.canFail, isPlannable(condition),
        let (exact, added) = exact(condition, conjunct.parameters)
      {
        conditions.append(exact.shifted(by: parameters.count))
        let first = parameters.count
        parameters += added
        if mapping.hasOtherTypes || mapping.info.hasEnums {
          for (attribute, number) in condition.comparisons {
            parameters[first + number].takeType(of: mapping.columns[attribute])
          }
        }
        for number in first..<parameters.count {
          if let place = parameters[number].attribute { parameters[number].takeType(of: schema.column(place)) }
        }
      } else {
        rest.conjuncts.append(conjunct)
        isGuarded = true
      }
    }
    shape.condition = conditions.count > 1 ? .and(conditions) : conditions.first
    if stage.order.isEmpty, shape.condition?.searches.isEmpty == false { shape.order = [.score] }
    if stage.order.isEmpty { return (shape, parameters, rest) }
    let keys = stage.order.compactMap(\.key)
    if keys.count == stage.order.count && keys.allSatisfy(isPlannable) || shape.givesNothing(in: keys) {
      shape.order = schema.hasInstants ? InstantComparing.exact(keys, mapping, snapshot) : keys
    } else {
      rest.order = stage.order
    }
    return (shape, parameters, rest)
  }

  /// A condition that compares instants as Swift does, with its parameters; nil where only Swift can tell.
  private func exact(_ condition: Condition, _ parameters: [Parameter]) -> (Condition, [Parameter])? {
    if !schema.hasInstants { return (condition, parameters) }
    var comparing = InstantComparing(types, mapping.type, snapshot, parameters)
    return comparing.exact(condition).map { ($0, comparing.parameters) }
  }

  func slice(_ stage: QueryStage<Entity>, _ shape: inout QueryShape, _ parameters: inout [Parameter]) {
    shape.isSliced = true
    parameters.append(Parameter(value: .int(Int64(stage.limit ?? 0)), type: .int))
    parameters.append(Parameter(value: .int(Int64(stage.offset)), type: .int))
  }

  /// When a row was saved last, in microseconds since 1970; nil if the type keeps no metadata.
  func updatedAt(_ row: UInt32) -> Int64? {
    guard mapping.hooks.keepsMetadata, let column = mapping.updatedColumn else { return nil }
    return snapshot.column(mapping.type, column).int64(row)
  }
}
