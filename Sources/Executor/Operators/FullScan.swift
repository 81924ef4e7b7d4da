import GQLCatalog
import GQLStore

/// A scan of all live rows of a type, in canonical order.
final class FullScan: AccessOperator, @unchecked Sendable {
  override var findsLiveRowsOnly: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    execution.appendLive(type, from: 0, limit: Int.max, into: &rows)
    return true
  }

  override func appendSlice(
    _ slice: SliceRange, _ scopes: ScopeRows, _ element: Int, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    execution.appendLive(type, from: slice.offset, limit: slice.limit, into: &rows)
    return true
  }

  override func appendKept(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ wanted: KeptRows, _ execution: Execution,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let first = rows.count
    guard let filter = set.filter else {
      execution.appendLive(type, from: 0, limit: wanted.needed, into: &rows)
      execution.note(set, accessRows: rows.count - first)
      return true
    }
    let needed = wanted.needed
    let slots = execution.look { $0.slotCount(type) }
    // Where a few rows are enough, few are looked at first: a condition may be dear.
    var size = needed < ScopeRows.batchRows ? max(Filter.firstRows, needed) : PageLayout.rows
    var row = 0
    while row < slots, rows.count - first < needed {
      if needed < Int.max, row >= set.rowsBeforeRetreat, let retreat = set.retreat {
        execution.note(set, accessRows: row)
        rows.count = first
        if wanted.mayAbandon { return false }
        execution.noteRetreat(set)
        return try retreat.access.appendKept(retreat, state, outer, wanted, execution, into: &rows)
      }
      let count = min(size, min(PageLayout.rows - row & PageLayout.rowMask, slots - row))
      rows.reserve(PageLayout.rows)
      rows.count += try filter.keepPage(set, state, row, count, outer, execution, into: rows.end)
      row += count
      size = min(size &* 2, PageLayout.rows)
    }
    execution.note(set, accessRows: min(row, slots))
    return true
  }

  override func appendParts(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer,
    _ body: (inout RowBuffer, Int, _ isLast: Bool) throws(RuntimeProblem) -> Void
  ) throws(RuntimeProblem) {
    let slots = execution.look { $0.slotCount(type) }
    execution.note(set, accessRows: slots)
    var page = 0
    while page < slots {
      let count = min(PageLayout.rows, slots - page)
      let start = rows.count
      rows.reserve(PageLayout.rows)
      rows.count += try keepPage(set, state, page, count, outer, execution, into: rows.end)
      page += count
      try body(&rows, start, page >= slots)
    }
  }

  /// Writes the live rows of a page, or of a part of one, that the filter, if any, keeps; returns how many there are.
  func keepPage(
    _ set: CompiledSet, _ state: SetState, _ first: Int, _ count: Int, _ outer: ScopeRows, _ execution: Execution,
    into rows: UnsafeMutablePointer<UInt32>
  ) throws(RuntimeProblem) -> Int {
    if let filter = set.filter { return try filter.keepPage(set, state, first, count, outer, execution, into: rows) }
    try execution.checkpoint()
    let firstRow = UInt32(truncatingIfNeeded: first)
    if let live = execution.look({ $0.liveness(type) }), let written = live.liveRows(firstRow, count, into: rows) {
      return written
    }
    for index in 0..<count { rows[index] = firstRow &+ UInt32(truncatingIfNeeded: index) }
    return count
  }

  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    counts.update(repeating: Int64(execution.snapshot.liveCount(type)), count: scopes.count)
    return true
  }
}

extension Execution {
  /// Appends live rows in order, leaving out the first `skip`.
  func appendLive(_ type: EntityTypeID, from skip: Int, limit: Int, into rows: inout RowBuffer) {
    let slots = snapshot.slotCount(type)
    guard limit > 0, slots > 0 else { return }
    guard let live = snapshot.liveness(type) else {
      guard skip < slots else { return }
      let count = min(limit, slots - skip)
      rows.reserve(count)
      let target = rows.end
      let first = UInt32(truncatingIfNeeded: skip)
      for index in 0..<count { target[index] = first &+ UInt32(truncatingIfNeeded: index) }
      rows.count += count
      return
    }
    var skip = skip
    var left = limit
    var first = 0
    while first < slots, left > 0 {
      let count = min(PageLayout.rows, slots - first)
      let cells = (live.page(of: UInt32(truncatingIfNeeded: first)) + PageLayout.cellsOffset)
        .assumingMemoryBound(to: UInt8.self)
      rows.reserve(count)
      let target = rows.end
      var written = 0
      for index in 0..<count {
        target[written] = UInt32(truncatingIfNeeded: first &+ index)
        written &+= Int(cells[index] & 1)
      }
      let skipped = min(skip, written)
      skip -= skipped
      if skipped > 0 { target.update(from: target + skipped, count: written - skipped) }
      let kept = min(written - skipped, left)
      rows.count += kept
      left -= kept
      first += count
    }
  }
}
