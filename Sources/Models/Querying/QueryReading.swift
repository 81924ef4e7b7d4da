import GQLCatalog
import GQLStore

/// A context as a query of one type sees it, at one moment.
struct QueryReading<Entity: EntityModelProtocol> {
  let context: Context
  let snapshot: Snapshot
  let schema: ModelSchema
  let mapping: TypeMapping<Entity>
  let opaques: OpaqueValues?
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

  func entity(_ row: UInt32) throws -> Entity { try mapping.entity(row, snapshot, opaques) }

  /// The entities of rows, with what is wanted of their relations. Of `attributes`, and what an entity cannot be without,
  /// the values are read.
  func entities(
    _ rows: [UInt32], _ nested: [NestedQuery<Entity>], only attributes: Set<Int>? = nil
  ) throws -> [Entity] {
    var result: [Entity] = []
    result.reserveCapacity(rows.count)
    let readers = snapshot.readers(mapping.type)
    let wanted = attributes.map { mapping.info.mustRead($0) } ?? []
    try wanted.withUnsafeBufferPointer { wanted in
      for row in rows {
        var reader = EntityReader<Entity>(
          mapping.layout, EntitySource(readers, row, opaques), wanted: attributes == nil ? nil : wanted.baseAddress)
        result.append(try Entity(from: &reader))
      }
    }
    for query in nested { try query.load(&result, rows, self) }
    return result
  }

  // MARK: - Stages

  /// The rows that a stage gives, of all or of some.
  func rows(_ stage: QueryStage<Entity>, of rows: [UInt32]?) throws -> [UInt32] {
    if stage.isSliced, stage.limit ?? 0 <= 0 || stage.offset < 0 { return [] }
    var (shape, parameters, rest) = plannable(stage, isDeleted ? .deleted : rows == nil ? .all : .rows)
    if let rows {
      shape.source = .rows
      // What the planner would do nothing for.
      if shape.condition == nil && shape.order.isEmpty { return try finish(rows, rest.slicing(stage)) }
    }
    if rest.isEmpty && stage.isSliced { slice(stage, &shape, &parameters) } else { rest = rest.slicing(stage) }
    var ends: [Int] = []
    let found = try schema.plans.run(
      shape, parameters, types: schema.byNumber, given: rows ?? [], on: snapshot, ends: &ends)
    return try finish(found, rest)
  }

  /// The rows that a stage gives of each parent's targets.
  func rows(
    _ stage: QueryStage<Entity>, relation: StoredRelation, parents: [UInt32], ends: inout [Int]
  ) throws -> [UInt32] {
    var (shape, parameters, rest) = plannable(stage, .relation(relation.id))
    if rest.isEmpty && stage.isSliced {
      if stage.limit ?? 0 <= 0 || stage.offset < 0 {
        ends = parents.map { _ in 0 }
        return []
      }
      slice(stage, &shape, &parameters)
    } else {
      rest = rest.slicing(stage)
    }
    let found = try schema.plans.run(
      shape, parameters, types: schema.byNumber, parents: parents, on: snapshot, ends: &ends)
    if rest.isEmpty { return found }
    var result: [UInt32] = []
    var start = 0
    for parent in ends.indices {
      result += try finish(Array(found[start..<ends[parent]]), rest)
      start = ends[parent]
      ends[parent] = result.count
    }
    return result
  }

  /// What the planner can do of a stage, and what is left to do in Swift.
  func plannable(
    _ stage: QueryStage<Entity>, _ source: QueryShape.Source
  ) -> (QueryShape, [Parameter], QueryRest<Entity>) {
    var shape = QueryShape(type: mapping.type, source: source)
    var parameters: [Parameter] = []
    var rest = QueryRest<Entity>()
    var conditions: [Condition] = []
    for conjunct in stage.conjuncts {
      // What may fail stays behind what is looked at in Swift, which may guard it.
      if let condition = conjunct.condition, rest.conjuncts.isEmpty || !condition.canFail {
        conditions.append(condition.shifted(by: parameters.count))
        let first = parameters.count
        parameters += conjunct.parameters
        if mapping.info.hasEnums {
          for (attribute, number) in condition.comparisons {
            parameters[first + number].takeType(of: mapping.columns[attribute])
          }
        }
      } else {
        rest.conjuncts.append(conjunct)
      }
    }
    shape.condition = conditions.count > 1 ? .and(conditions) : conditions.first
    if stage.order.isEmpty, shape.condition?.searches.isEmpty == false { shape.order = [.score] }
    if stage.order.isEmpty { return (shape, parameters, rest) }
    let keys = stage.order.compactMap(\.key)
    if keys.count == stage.order.count { shape.order = keys } else { rest.order = stage.order }
    return (shape, parameters, rest)
  }

  func slice(_ stage: QueryStage<Entity>, _ shape: inout QueryShape, _ parameters: inout [Parameter]) {
    shape.isSliced = true
    parameters.append(Parameter(value: .int(Int64(stage.limit ?? 0)), type: .int))
    parameters.append(Parameter(value: .int(Int64(stage.offset)), type: .int))
  }

  /// What is done in Swift: conditions and orders that columns cannot tell, and slices behind them.
  private func finish(_ rows: [UInt32], _ rest: QueryRest<Entity>) throws -> [UInt32] {
    if rest.isEmpty { return rows }
    var rows = rows
    if !rest.conjuncts.isEmpty || !rest.order.isEmpty {
      var kept: [(row: UInt32, entity: Entity)] = []
      let looked = rest.conjuncts.reduce(into: Set<[Int]>()) { $0.formUnion($1.routes) }
      let nested = mapping.info.loading(looked.map { $0[...] })
      // Without an order, what is behind the slice need not be looked at.
      let needed = rest.order.isEmpty ? rest.needed : nil
      var start = 0
      var size = needed == nil ? Self.batch : Self.firstBatch
      while start < rows.count, kept.count < needed ?? .max {
        let batch = Array(rows[start..<min(rows.count, start + size)])
        for (row, entity) in zip(batch, try entities(batch, nested)) {
          let facts = EntityFacts(updatedAt: updatedAt(row))
          if try rest.conjuncts.allSatisfy({ try $0.holds(entity, facts) }) { kept.append((row, entity)) }
        }
        start += batch.count
        size = min(Self.batch, size * 2)
      }
      if !rest.order.isEmpty {
        kept = kept.enumerated().sorted { left, right in
          for key in rest.order {
            let order = key.compare(left.element, right.element, self)
            if order != 0 { return order < 0 }
          }
          return left.offset < right.offset
        }.map(\.element)
      }
      rows = kept.map(\.row)
    }
    guard let limit = rest.limit else { return rows }
    return limit <= 0 || rest.offset < 0 ? [] : Array(rows.dropFirst(rest.offset).prefix(limit))
  }

  /// Entities that are looked at together, with what they are asked of their relations.
  private static var batch: Int { 1024 }
  private static var firstBatch: Int { 16 }

  /// When a row was saved last, in microseconds since 1970.
  func updatedAt(_ row: UInt32) -> Int64 {
    mapping.updatedColumn.map { snapshot.column(mapping.type, $0).int64(row) } ?? 0
  }
}

/// What of a stage is done in Swift.
struct QueryRest<Entity: EntityModelProtocol> {
  var conjuncts: [QueryPredicate<Entity>] = []
  var order: [QueryOrder<Entity>] = []
  var limit: Int?
  var offset = 0

  var isEmpty: Bool { conjuncts.isEmpty && order.isEmpty && limit == nil }

  /// How many rows the slice takes, with those that it passes over; nil for any number.
  var needed: Int? {
    guard let limit else { return nil }
    let (sum, overflows) = max(0, limit).addingReportingOverflow(max(0, offset))
    return overflows ? nil : sum
  }

  /// With the slice of a stage.
  func slicing(_ stage: QueryStage<Entity>) -> Self {
    var rest = self
    rest.limit = stage.limit
    rest.offset = stage.offset
    return rest
  }
}

extension QueryOrder {
  /// The order of two rows' entities.
  func compare(
    _ left: (row: UInt32, entity: Entity), _ right: (row: UInt32, entity: Entity), _ reading: QueryReading<Entity>
  ) -> Int {
    guard case .updatedAt(let isDescending)? = key else { return compare(left.entity, right.entity) }
    let (first, second) = (reading.updatedAt(left.row), reading.updatedAt(right.row))
    return first == second ? 0 : (first < second) == isDescending ? 1 : -1
  }
}
