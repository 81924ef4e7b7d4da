import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore

/// A part of a query that only Swift can decide, of entities of any type.
class AnyHostStage {
  /// Says of each row whether the conditions hold: 2 or 0.
  func test(_ rows: UnsafeBufferPointer<UInt32>, into truths: UnsafeMutablePointer<UInt8>) throws {}
  /// Puts rows into order; what is equal keeps its place.
  func sort(_ rows: UnsafeMutableBufferPointer<UInt32>) throws {}
  /// Finds rows.
  func rows() throws -> [UInt32] { [] }

  /// Describes a part for `explain`.
  func words(_ part: QueryValues.HostPart) -> String { "" }
  /// The relations that it reads, each with those that lead there.
  var inputs: [[RelationID]] { [] }
  /// Tells who watches the query which relations were asked for.
  func noteAsked() {}
}

/// The code of one run, by number.
final class QueryHosts: HostCode {
  private let stages: [AnyHostStage]
  /// Why the run ended.
  private(set) var problem: (any Error)?

  init(_ stages: [AnyHostStage]) { self.stages = stages }

  func test(
    _ number: Int, _ rows: UnsafeBufferPointer<UInt32>, into truths: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    try ending { try stages[number].test(rows, into: truths) }
  }

  func sort(_ number: Int, _ rows: UnsafeMutableBufferPointer<UInt32>) throws(RuntimeProblem) {
    try ending { try stages[number].sort(rows) }
  }

  func rows(_ number: Int) throws(RuntimeProblem) -> [UInt32] { try ending { try stages[number].rows() } }

  func noteAsked() { for stage in stages { stage.noteAsked() } }

  /// Returns the error of a run that ended: that of the program, or else that of the query.
  static func problem(_ problem: RuntimeProblem, _ hosts: QueryHosts?, _ snapshot: Snapshot) -> any Error {
    hosts?.problem
      ?? ModelError.failedQuery(problem.diagnostic(catalog: snapshot.catalog, entityID: nil).message)
  }

  /// Ends the run with what the program throws.
  private func ending<Result>(_ body: () throws -> Result) throws(RuntimeProblem) -> Result {
    do { return try body() } catch {
      problem = error
      throw RuntimeProblem(.cancelled, at: SourceRange(at: 0))
    }
  }
}

/// Looks at entities for conditions and orders that columns cannot tell. What is asked of a row more than once, because
/// it stands in several lists, is looked at once.
final class HostStage<Entity: EntityModelProtocol>: AnyHostStage {
  private static var batch: Int { 1024 }

  private let reading: QueryReading<Entity>
  private let loader: RelationLoader
  private let conjuncts: [QueryPredicate<Entity>]
  private let order: [QueryOrder<Entity>]
  private let nested: [NestedQuery<Entity>]
  /// Those that were looked at, where there is an order.
  private var entities: [UInt32: Entity] = [:]
  /// Two bits for each row: whether it was looked at, and whether the conditions hold.
  private var known: [UInt64] = []

  init(_ reading: QueryReading<Entity>, _ conjuncts: [QueryPredicate<Entity>], _ order: [QueryOrder<Entity>]) {
    loader = RelationLoader(reading.context)
    var reading = reading
    reading.loader = loader
    self.reading = reading
    self.conjuncts = conjuncts
    self.order = order
    let looked = conjuncts.reduce(into: Set<[Int]>()) { $0.formUnion($1.routes) }
    nested = reading.mapping.info.loading(looked.map { $0[...] })
  }

  override func test(_ rows: UnsafeBufferPointer<UInt32>, into truths: UnsafeMutablePointer<UInt8>) throws {
    if known.isEmpty { known = Array(repeating: 0, count: reading.snapshot.slotCount(reading.mapping.type) / 32 + 1) }
    var fresh: [UInt32] = []
    for row in rows where known[Int(row >> 5)] >> UInt64((row & 31) * 2) & 1 == 0 {
      known[Int(row >> 5)] |= 1 << UInt64((row & 31) * 2)
      fresh.append(row)
    }
    try look(fresh)
    for (place, row) in rows.enumerated() {
      truths[place] = known[Int(row >> 5)] >> UInt64((row & 31) * 2 + 1) & 1 == 0 ? 0 : 2
    }
  }

  private func look(_ rows: [UInt32]) throws {
    for start in stride(from: 0, to: rows.count, by: Self.batch) {
      let batch = Array(rows[start..<min(rows.count, start + Self.batch)])
      let looked = try reading.entities(batch, nested)
      try loader.loading {
        for (row, entity) in zip(batch, looked) {
          let facts = EntityFacts(updatedAt: reading.updatedAt(row))
          guard try conjuncts.allSatisfy({ try $0.holds(entity, facts) }) else { continue }
          if !conjuncts.isEmpty { known[Int(row >> 5)] |= 1 << UInt64((row & 31) * 2 + 1) }
          if !order.isEmpty { entities[row] = entity }
        }
      }
    }
  }

  override func sort(_ rows: UnsafeMutableBufferPointer<UInt32>) throws {
    var fresh: [UInt32] = []
    if conjuncts.isEmpty {
      var met: Set<UInt32> = []
      fresh = rows.filter { entities[$0] == nil && met.insert($0).inserted }
    }
    try look(fresh)
    let all = Array(rows)
    let looked = all.compactMap { entities[$0] }
    precondition(looked.count == all.count, "what is sorted was looked at")
    let sorted = try loader.loading {
      // Keys that no tie asks for are not read.
      var orders: [QueryOrder<Entity>.Ranking] = []
      return all.indices.sorted { left, right in
        for number in order.indices {
          if number == orders.count { orders.append(order[number].ranking(looked, all, reading)) }
          let order = orders[number](left, right)
          if order != 0 { return order < 0 }
        }
        return left < right
      }
    }
    for (place, index) in sorted.enumerated() { rows[place] = all[index] }
  }

  override func words(_ part: QueryValues.HostPart) -> String {
    if part == .order { return "sort by \(counted(order.count, "key"))" }
    // Conditions that are closures have no words.
    let words = conjuncts.compactMap { $0.words.map { brief($0()) } }
    let others = conjuncts.count - words.count
    return "filter by \((words + (others > 0 ? [counted(others, "condition")] : [])).joined(separator: " and "))"
  }

  override var inputs: [[RelationID]] {
    conjuncts.reduce(into: Set<[Int]>()) { $0.formUnion($1.routes) }.sorted { $0.lexicographicallyPrecedes($1) }
      .map { route in
        var type: AnyTypeMapping = reading.mapping
        return route.compactMap { place in
          guard place < type.relations.count, let relation = type.relations[place] else { return nil }
          type = reading.schema.byNumber[Int(relation.target.index)]
          return relation.id
        }
      }
  }

  override func noteAsked() { AskedRelations.current?.note(loader.asked, of: reading.schema) }
}

/// The deleted entities of ids, which no index knows.
final class HostRows<Entity: EntityModelProtocol>: AnyHostStage {
  private let reading: QueryReading<Entity>
  private let ids: [Entity.ID]

  init(_ reading: QueryReading<Entity>, _ ids: [Entity.ID]) {
    self.reading = reading
    self.ids = ids
  }

  override func rows() throws -> [UInt32] {
    // What cannot be in the column is not saved.
    ids.compactMap { try? reading.mapping.row($0, reading.snapshot) }
  }

  override func words(_ part: QueryValues.HostPart) -> String { "of \(counted(ids.count, "id"))" }
}

extension QueryOrder {
  /// The order of the entities of rows, by their places.
  fileprivate func ranking(_ entities: [Entity], _ rows: [UInt32], _ reading: QueryReading<Entity>) -> Ranking {
    guard case .updatedAt(let isDescending)? = key else { return ranking(entities) }
    let times = rows.map { reading.updatedAt($0) ?? 0 }
    return { times[$0] == times[$1] ? 0 : (times[$0] < times[$1]) == isDescending ? 1 : -1 }
  }
}

/// The beginning of a condition's words, in one line.
private func brief(_ words: String) -> String {
  let line = words.split(whereSeparator: \.isNewline).joined(separator: " ")
  return line.count > 200 ? "\(line.prefix(199))…" : line
}

private func counted(_ count: Int, _ word: String) -> String { count == 1 ? "1 \(word)" : "\(count) \(word)s" }
