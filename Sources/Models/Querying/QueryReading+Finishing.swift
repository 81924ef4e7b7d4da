import GQLCatalog
import GQLStore

extension QueryReading {
  /// What is done in Swift with each of several lists of rows, which stand one behind the other: conditions and orders
  /// that columns cannot tell, and slices behind them.
  func finish(_ rows: inout [UInt32], _ ends: inout [Int], _ rest: QueryRest<Entity>) throws {
    if rest.isEmpty { return }
    if !rest.conjuncts.isEmpty || !rest.order.isEmpty { try sift(&rows, &ends, rest) }
    guard let limit = rest.limit else { return }
    var result: [UInt32] = []
    var start = 0
    for list in ends.indices {
      if limit > 0 && rest.offset >= 0 { result += rows[start..<ends[list]].dropFirst(rest.offset).prefix(limit) }
      start = ends[list]
      ends[list] = result.count
    }
    rows = result
  }

  /// Keeps the rows of each list whose entities the conditions hold for, in the order.
  private func sift(_ rows: inout [UInt32], _ ends: inout [Int], _ rest: QueryRest<Entity>) throws {
    var sieve = EntitySieve(self, rest)
    // Without an order, what is behind the slice need not be looked at.
    let needed = rest.order.isEmpty ? rest.needed ?? .max : .max
    var size = needed == .max ? EntitySieve<Entity>.batch : EntitySieve<Entity>.firstBatch
    var kept: [[UInt32]] = ends.map { _ in [] }
    var places = [0] + ends.dropLast()
    var open = Array(ends.indices)
    while !open.isEmpty {
      let taken = open.map { rows[places[$0]..<min(ends[$0], places[$0] + size)] }
      let holds = try sieve.hold(taken)
      var next = 0
      for (list, part) in zip(open, taken) {
        for row in part {
          if holds[next] { kept[list].append(row) }
          next += 1
        }
        places[list] += part.count
      }
      open.removeAll { places[$0] == ends[$0] || kept[$0].count >= needed }
      size = min(EntitySieve<Entity>.batch, size * 2)
    }
    rows.removeAll(keepingCapacity: true)
    for list in ends.indices {
      rows += rest.order.isEmpty ? kept[list] : try sieve.sorted(kept[list])
      ends[list] = rows.count
    }
    AskedRelations.current?.note(sieve.asked, of: schema)
  }
}

/// Looks at entities for conditions and orders that columns cannot tell.
private struct EntitySieve<Entity: EntityModelProtocol> {
  /// Entities that are looked at together, with what they are asked of their relations.
  static var batch: Int { 1024 }
  static var firstBatch: Int { 16 }

  private let reading: QueryReading<Entity>
  private let loader: RelationLoader
  private let rest: QueryRest<Entity>
  private let nested: [NestedQuery<Entity>]
  /// Those that were looked at, where there is an order.
  private var entities: [UInt32: Entity] = [:]
  /// Whether the conditions hold for rows that several lists may have.
  private var known: [UInt32: Bool] = [:]

  init(_ reading: QueryReading<Entity>, _ rest: QueryRest<Entity>) {
    loader = RelationLoader(reading.context)
    var reading = reading
    reading.loader = loader
    self.reading = reading
    self.rest = rest
    let looked = rest.conjuncts.reduce(into: Set<[Int]>()) { $0.formUnion($1.routes) }
    nested = reading.mapping.info.loading(looked.map { $0[...] })
  }

  /// The relations that conditions and orders have asked for beside those that were loaded for all.
  var asked: Set<RelationID> { loader.asked }

  /// For each row of some lists whether the conditions hold. What stands in several lists is looked at once.
  mutating func hold(_ lists: [ArraySlice<UInt32>]) throws -> [Bool] {
    if lists.count == 1 { return try look(Array(lists[0])) }
    var fresh: [UInt32] = []
    for row in lists.joined() where known[row] == nil {
      known[row] = false
      fresh.append(row)
    }
    for (row, holds) in zip(fresh, try look(fresh)) { known[row] = holds }
    return lists.joined().map { known[$0] ?? false }
  }

  private mutating func look(_ rows: [UInt32]) throws -> [Bool] {
    var result: [Bool] = []
    result.reserveCapacity(rows.count)
    for start in stride(from: 0, to: rows.count, by: Self.batch) {
      let batch = Array(rows[start..<min(rows.count, start + Self.batch)])
      let looked = try reading.entities(batch, nested)
      try loader.loading {
        for (row, entity) in zip(batch, looked) {
          let facts = EntityFacts(updatedAt: reading.updatedAt(row))
          let holds = try rest.conjuncts.allSatisfy { try $0.holds(entity, facts) }
          if holds, !rest.order.isEmpty { entities[row] = entity }
          result.append(holds)
        }
      }
    }
    return result
  }

  /// Rows that were looked at, in the order; what is equal keeps its place.
  func sorted(_ rows: [UInt32]) throws -> [UInt32] {
    let rows = rows.filter { entities[$0] != nil }
    let looked = rows.compactMap { entities[$0] }
    return try loader.loading {
      // Keys that no tie asks for are not read.
      var orders: [QueryOrder<Entity>.Ranking] = []
      return rows.indices.sorted { left, right in
        for number in rest.order.indices {
          if number == orders.count { orders.append(rest.order[number].ranking(looked, rows, reading)) }
          let order = orders[number](left, right)
          if order != 0 { return order < 0 }
        }
        return left < right
      }.map { rows[$0] }
    }
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
  /// The order of the entities of rows, by their places.
  func ranking(_ entities: [Entity], _ rows: [UInt32], _ reading: QueryReading<Entity>) -> Ranking {
    guard case .updatedAt(let isDescending)? = key else { return ranking(entities) }
    let times = rows.map { reading.updatedAt($0) ?? 0 }
    return { times[$0] == times[$1] ? 0 : (times[$0] < times[$1]) == isDescending ? 1 : -1 }
  }
}
