import GQLBase
import GQLCatalog
import GQLStore

/// A set's condition, which keeps the rows of its access path that it is true for. Immutable.
final class Filter: @unchecked Sendable {
  let program: ExpressionProgram
  /// Indicates whether it has an error for some values; then it sees every row, so that the error does not depend on the
  /// plan.
  let canFail: Bool

  init(_ program: ExpressionProgram, canFail: Bool) {
    self.program = program
    self.canFail = canFail
  }

  /// So many rows are tested at first where a few are enough; then twice as many each time.
  static var firstRows: Int { 16 }

  /// Writes the live rows of a page that it keeps; returns how many there are.
  func keepPage(
    _ set: CompiledSet, _ state: SetState, _ first: Int, _ count: Int, _ outer: ScopeRows, _ execution: Execution,
    into rows: UnsafeMutablePointer<UInt32>
  ) throws(RuntimeProblem) -> Int {
    try execution.checkpoint()
    try execution.visit(count)
    let started = execution.measuredTime
    let firstRow = UInt32(truncatingIfNeeded: first)
    guard let live = execution.look({ $0.liveness(set.type) }), let alive = live.liveRows(firstRow, count, into: rows)
    else {
      let kept = try program.filterPage(
        firstRow: firstRow, count: count, outer: outer.scopes.isEmpty ? nil : outer, execution, into: rows)
      execution.note(set, filtered: count, kept: kept, since: started)
      return kept
    }
    // Dead rows could raise errors, so that they are left out first.
    let positions = state.positions.room(for: UInt16.self, count: ScopeRows.batchRows)
    var gather = OuterScopes(set.outerScopes, outer, state)
    let kept = try program.filter(
      gather.batch(UnsafePointer(rows), alive, start: 0, ends: UnsafePointer(rows)), execution, into: positions)
    for index in 0..<kept { rows[index] = rows[Int(positions[index])] }
    execution.note(set, filtered: alive, kept: kept, since: started)
    return kept
  }

  /// Keeps rows of one element, which stand from `first` on, until there are `needed`.
  func keep(
    _ rows: inout RowBuffer, from first: Int, needed: Int = .max, _ set: CompiledSet, _ state: SetState,
    _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) {
    let started = execution.measuredTime
    let positions = state.positions.room(for: UInt16.self, count: ScopeRows.batchRows)
    var gather = OuterScopes(set.outerScopes, outer, state)
    let end = rows.count
    var written = first
    var start = first
    var size = needed < ScopeRows.batchRows ? max(Self.firstRows, needed) : ScopeRows.batchRows
    while start < end, written - first < needed {
      try execution.checkpoint()
      let count = min(size, end - start)
      size = min(size &* 2, ScopeRows.batchRows)
      try execution.visit(count)
      let base = rows.base
      let batch = gather.batch(UnsafePointer(base + start), count, start: start, ends: UnsafePointer(base))
      let kept = try program.filter(batch, execution, into: positions)
      for index in 0..<kept {
        base[written] = base[start &+ Int(positions[index])]
        written &+= 1
      }
      start += count
    }
    rows.count = written
    execution.note(set, filtered: min(start, end) - first, kept: written - first, since: started)
  }

  /// Keeps rows of all elements, which stand from `first` on. Their elements' offsets stand from `firstOffset` on.
  func keepLists(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int,
    firstOffset: Int, _ execution: Execution
  ) throws(RuntimeProblem) {
    let started = execution.measuredTime
    let end = result.rows.count
    let positions = state.positions.room(for: UInt16.self, count: ScopeRows.batchRows)
    let rows = UnsafePointer(result.rows.base)
    let ends = UnsafePointer(result.offsets.base + firstOffset)
    var gather = OuterScopes(set.outerScopes, scopes, state)
    try program.keep(&result, from: first, firstOffset: firstOffset, scopes.count, positions, execution) {
      (start, count) throws(RuntimeProblem) in
      try execution.visit(count)
      return gather.batch(rows + start, count, start: start, ends: ends)
    }
    execution.note(set, filtered: end - first, kept: result.rows.count - first, since: started)
  }
}

extension ExpressionProgram {
  /// Keeps the rows of lists that it is true for. They stand from `first` on, the ends of the lists from `firstOffset`.
  func keep(
    _ result: inout Expansion, from first: Int, firstOffset: Int, _ lists: Int,
    _ positions: UnsafeMutablePointer<UInt16>, _ execution: Execution,
    _ batch: (_ start: Int, _ count: Int) throws(RuntimeProblem) -> ScopeRows
  ) throws(RuntimeProblem) {
    let end = result.rows.count
    let rows = result.rows.base
    let offsets = result.offsets.base + firstOffset
    var written = first
    var list = 0
    var start = first
    while start < end {
      try execution.checkpoint()
      let count = min(ScopeRows.batchRows, end - start)
      let kept = try filter(try batch(start, count), execution, into: positions)
      for index in 0..<kept {
        let position = start &+ Int(positions[index])
        while list < lists, Int(offsets[list]) <= position {
          offsets[list] = UInt32(truncatingIfNeeded: written)
          list &+= 1
        }
        rows[written] = rows[position]
        written &+= 1
      }
      // Ends within this batch, before the next one is read: the gatherer has passed them.
      while list < lists, Int(offsets[list]) <= start + count {
        offsets[list] = UInt32(truncatingIfNeeded: written)
        list += 1
      }
      start += count
    }
    while list < lists {
      offsets[list] = UInt32(truncatingIfNeeded: written)
      list += 1
    }
    result.rows.count = written
  }
}

extension ColumnReader {
  /// Writes the live ones of rows within a page, of which this is the liveness; returns how many there are, nil if all
  /// are live.
  func liveRows(_ first: UInt32, _ count: Int, into rows: UnsafeMutablePointer<UInt32>) -> Int? {
    // A page after a cursor begins anywhere.
    let cells = (page(of: first) + PageLayout.cellsOffset + (Int(first) & PageLayout.rowMask))
      .assumingMemoryBound(to: UInt8.self)
    var written = 0
    for index in 0..<count {
      rows[written] = first &+ UInt32(truncatingIfNeeded: index)
      written &+= Int(cells[index] & 1)
    }
    return written == count ? nil : written
  }
}
