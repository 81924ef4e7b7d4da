import GQLCatalog
import GQLStore

/// The rows that any of several paths finds, each once, ascending.
final class Union: AccessOperator, @unchecked Sendable {
  private let parts: [AccessOperator]

  init(_ parts: [AccessOperator], _ type: EntityTypeID) {
    self.parts = parts
    super.init(type)
  }

  override var findsLiveRowsOnly: Bool { parts.allSatisfy(\.findsLiveRowsOnly) }
  override var meetsDeleted: Bool { parts.contains(where: \.meetsDeleted) }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let start = rows.count
    for part in parts { _ = try part.gather(set, state, outer, execution, into: &rows) }
    execution.sortUnique(&rows, from: start, set, state)
    return true
  }

  override func estimate(_ execution: Execution) -> Double { parts.reduce(0) { $0 + $1.estimate(execution) } }
}

/// The rows that all of several paths find.
final class Intersection: AccessOperator, @unchecked Sendable {
  private let parts: [AccessOperator]
  /// Bit by bit, whatever is left: the last ones.
  private let rowSets: [RowSetSource]
  /// The range whose order the rows may be walked in, and the other paths.
  let walked: IndexRangeScan?
  private let unwalked: [AccessOperator]

  init(_ parts: [AccessOperator], _ type: EntityTypeID) {
    self.parts = parts.filter { !($0 is RowSetSource) }
    rowSets = parts.compactMap { $0 as? RowSetSource }
    let walked = parts.lazy.compactMap { $0 as? IndexRangeScan }.first
    self.walked = walked
    unwalked = parts.filter { $0 !== walked }
    super.init(type)
  }

  override var findsLiveRowsOnly: Bool { true }
  override var meetsDeleted: Bool { parts.contains(where: \.meetsDeleted) }
  override var isLinkOrdered: Bool { parts.first is Links }

  override func isBehindNull(_ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> Bool {
    try walked?.isBehindNull(outer, execution) ?? false
  }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    try gather(parts, rowSets, set, state, outer, execution, into: &rows)
  }

  /// Sets the bits of the rows that all paths but the walked one find.
  func markUnwalked(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) {
    var common = RowBuffer()
    let others = unwalked.filter { !($0 is RowSetSource) }
    _ = try gather(others, rowSets, set, state, outer, execution, into: &common)
    state.bits.clear(rows: execution.snapshot.slotCount(set.type))
    state.bits.insert(common.base, common.count)
  }

  private func gather(
    _ parts: [AccessOperator], _ rowSets: [RowSetSource], _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let start = rows.count
    var isAscending = true
    var isFirst = true
    for part in parts {
      if isFirst {
        isAscending = try part.gather(set, state, outer, execution, into: &rows)
        // The link order of a relation stays; other rows are merged in ascending order.
        if !isAscending, !(part is Links) {
          execution.sortUnique(&rows, from: start, set, state)
          isAscending = true
        }
        isFirst = false
        continue
      }
      if rows.count == start { return isAscending }
      var other = RowBuffer()
      let otherAscending = try part.gather(set, state, outer, execution, into: &other)
      if isAscending {
        if !otherAscending { execution.sortUnique(&other, from: 0, set, state) }
        rows.count =
          start + RowSorting.intersect(rows.base + start, rows.count - start, UnsafePointer(other.base), other.count)
      } else {
        state.bits.clear(rows: execution.snapshot.slotCount(set.type))
        state.bits.insert(other.base, other.count)
        state.bits.keep(&rows, from: start)
      }
    }
    for part in rowSets {
      let built = try execution.builtRowSet(part.number)
      if isFirst {
        built.bits.collect(into: &rows)
        isFirst = false
      } else {
        built.bits.keep(&rows, from: start)
      }
    }
    return isAscending
  }

  override func estimate(_ execution: Execution) -> Double {
    let least = parts.reduce(.infinity) { min($0, $1.estimate(execution)) }
    return rowSets.isEmpty ? least : 0
  }
}

extension Execution {
  /// Leaves each of the rows from `start` on once, ascending.
  func sortUnique(_ rows: inout RowBuffer, from start: Int, _ set: CompiledSet, _ state: SetState) {
    sortUnique(&rows, from: start, below: look { $0.slotCount(set.type) }, state)
  }

  /// Leaves each of the rows from `start` on once, ascending. All are below `limit`.
  func sortUnique(_ rows: inout RowBuffer, from start: Int, below limit: Int, _ state: SetState) {
    rows.count =
      start + RowSorting.sortUnique(rows.base + start, rows.count - start, limit: limit, bits: &state.bits)
  }
}
