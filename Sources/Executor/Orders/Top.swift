import GQLBase
import GQLCatalog
import GQLStore

/// Keeps the first rows in list order while they come, in a heap where the order is one column as it lies.
final class Top: Sort, @unchecked Sendable {
  /// Indicates whether the whole table is looked at, whose columns are read where they lie.
  private let isTable: Bool

  init(isTable: Bool) { self.isTable = isTable }

  override func append(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard let order = set.order, slice.end < Int.max else {
      return try sort(set, state, outer, execution, into: &result)
    }
    try appendFirst(slice, order, set, state, outer, execution, into: &result.rows)
    end(&result)
  }

  private func appendFirst(
    _ slice: SliceRange, _ order: CompiledOrder, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    // A set may show deleted ones, too.
    let all = execution.snapshot.liveCount(set.type) &+ execution.snapshot.deletedCount(set.type)
    let capacity = min(slice.end, max(all, 1))
    try execution.checkMemory(capacity &* 16)
    let isLink = set.access.isLinkOrdered
    if order.isByID, !isLink, execution.snapshot.idsAscend(set.type) {
      return try appendByRow(slice, order, set, state, outer, execution, into: &rows)
    }
    let isWithoutNulls = order.leading >= 0 && order.isWithoutNulls(set, execution)
    if order.direct >= 0, !isLink, isWithoutNulls || !order.terms[0].nullsFirst {
      let items = state.items.room(for: SortItem.self, count: capacity)
      var heap = TopHeap(items, capacity: capacity)
      try offerAll(order, set, state, outer, to: &heap, execution)
      if heap.isFull || isWithoutNulls {
        let spare = state.spare.room(for: SortItem.self, count: heap.count)
        try RowSorting.sort(items, heap.count, spare: spare, execution)
        for index in slice.offset..<max(heap.count, slice.offset) { rows.append(items[index].row) }
        return
      }
      // Too few values: nulls belong to the answer.
    }
    let room = max(2048, capacity &* 4)
    // What the leading key must not exceed, once there are enough rows.
    var leading: DirectKeys?
    var threshold = UInt64.max
    state.candidates.removeAll()
    try set.access.appendParts(set, state, outer, execution, into: &state.candidates) {
      (rows: inout RowBuffer, start: Int, isLast: Bool) throws(RuntimeProblem) in
      if leading == nil, isLast, isWithoutNulls, start == 0, capacity > 0, rows.count >= capacity &* 4 {
        // All at once, as most access paths give them: few can come first by the first term.
        let keys = DirectKeys(order, execution.readers[order.leading])
        threshold = Self.greatest(capacity, of: rows, keys, state)
        leading = keys
      }
      if let leading {
        var written = start
        for index in start..<rows.count {
          let row = rows.base[index]
          rows.base[written] = row
          if leading.image(row) <= threshold { written &+= 1 }
        }
        rows.count = written
      }
      guard !isLast, rows.count >= room, capacity < rows.count else { return }
      try order.reduce(&rows, to: capacity, isFinal: false, set, state, outer, execution)
      guard isWithoutNulls else { return }
      let keys = DirectKeys(order, execution.readers[order.leading])
      threshold = 0
      for index in 0..<rows.count { threshold = max(threshold, keys.image(rows.base[index])) }
      leading = keys
    }
    try order.reduce(&state.candidates, to: capacity, isFinal: true, set, state, outer, execution)
    if slice.offset < state.candidates.count {
      rows.append(UnsafePointer(state.candidates.base + slice.offset), state.candidates.count - slice.offset)
    }
  }

  /// Returns the greatest key among so many that come first.
  private static func greatest(
    _ capacity: Int, of rows: borrowing RowBuffer, _ keys: DirectKeys, _ state: SetState
  ) -> UInt64 {
    var heap = TopHeap(state.items.room(for: SortItem.self, count: capacity), capacity: capacity)
    let base = rows.base
    for index in 0..<rows.count {
      let key = keys.image(base[index])
      if heap.isFull, key >= heap.threshold { continue }
      heap.offer(SortItem(key: key, index: UInt32(truncatingIfNeeded: index), row: base[index]))
    }
    return heap.isFull ? heap.threshold : .max
  }

  /// Appends the slice of the list in the order of ids that ascend with the rows.
  private func appendByRow(
    _ slice: SliceRange, _ order: CompiledOrder, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    state.candidates.removeAll()
    let isDescending = order.terms[0].isDescending
    _ = try set.access.appendKept(
      set, state, outer, KeptRows(needed: isDescending ? Int.max : slice.end), execution, into: &state.candidates)
    let count = state.candidates.count
    let kept = max(0, min(slice.end, count) - slice.offset)
    rows.reserve(kept)
    for index in slice.offset..<slice.offset + kept {
      rows.append(state.candidates[isDescending ? count - 1 - index : index])
    }
  }

  // MARK: - One column

  /// Offers all rows of the set that have a value in the only order column.
  private func offerAll(
    _ order: CompiledOrder, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, to heap: inout TopHeap,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    let images = DirectKeys(order, execution.readers[order.direct])
    if isTable { return try offerTable(order, images, set, to: &heap, execution) }
    state.candidates.removeAll()
    var filled = heap
    try set.access.appendParts(set, state, outer, execution, into: &state.candidates) {
      (rows: inout RowBuffer, start: Int, _: Bool) throws(RuntimeProblem) in
      for index in start..<rows.count {
        let row = rows.base[index]
        let key = images.image(row)
        // Rows come ascending, so that an equal key is too late.
        if filled.isFull, key >= filled.threshold { continue }
        if images.reader.isNull(row) { continue }
        filled.offer(SortItem(key: key, index: row, row: row))
      }
      rows.count = start
    }
    heap = filled
  }

  /// Offers the live rows of a table, whose column is read where it lies.
  private func offerTable(
    _ order: CompiledOrder, _ images: DirectKeys, _ set: CompiledSet, to heap: inout TopHeap, _ execution: Execution
  ) throws(RuntimeProblem) {
    let reader = images.reader
    let slots = execution.snapshot.slotCount(set.type)
    let live = execution.snapshot.liveness(set.type)
    execution.note(set, accessRows: slots)
    let isDescending = order.terms[0].isDescending
    var first = 0
    while first < slots {
      let count = min(PageLayout.rows, slots - first)
      defer { first += count }
      if first & (PageLayout.rows &* 32 &- 1) == 0 { try execution.checkpoint() }
      let page = reader.page(of: UInt32(truncatingIfNeeded: first))
      if order.directKind == .int64, count == PageLayout.rows, let summary = PageSummary.scanning(page), heap.isFull {
        // Rows come ascending, so that a page with no more than an equal key is too late.
        let worst = reader.int64(heap.items[0].row)
        if isDescending ? summary.highest <= worst : summary.lowest >= worst { continue }
      }
      let cells = page + PageLayout.cellsOffset
      switch order.directKind {
      case .int64: offer(cells.assumingMemoryBound(to: Int64.self), first, count, images, live, isDescending, &heap)
      case .float64: offer(cells.assumingMemoryBound(to: Double.self), first, count, images, live, isDescending, &heap)
      case .byte: offer(cells.assumingMemoryBound(to: UInt8.self), first, count, images, live, isDescending, &heap)
      default: offer(cells.assumingMemoryBound(to: UInt16.self), first, count, images, live, isDescending, &heap)
      }
    }
  }

  /// Rejects against the worst item kept, in the column's own type; validity and liveness are looked at only for the
  /// few that pass.
  @inline(__always)
  private func offer<Value: Comparable & BitwiseCopyable>(
    _ cells: UnsafePointer<Value>, _ first: Int, _ count: Int, _ images: DirectKeys, _ live: ColumnReader?,
    _ isDescending: Bool, _ heap: inout TopHeap
  ) {
    var index = 0
    while index < count {
      if heap.isFull {
        let worst = images.reader.value(heap.items[0].row, as: Value.self)
        if isDescending {
          while index &+ 4 <= count,
            !(cells[index] > worst || cells[index &+ 1] > worst || cells[index &+ 2] > worst
              || cells[index &+ 3] > worst)
          { index &+= 4 }
          while index < count, !(cells[index] > worst) { index &+= 1 }
        } else {
          while index &+ 4 <= count,
            !(cells[index] < worst || cells[index &+ 1] < worst || cells[index &+ 2] < worst
              || cells[index &+ 3] < worst)
          { index &+= 4 }
          while index < count, !(cells[index] < worst) { index &+= 1 }
        }
        if index >= count { return }
      }
      let row = UInt32(truncatingIfNeeded: first &+ index)
      index &+= 1
      if images.reader.isNull(row) { continue }
      if let live, live.byte(row) != 1 { continue }
      heap.offer(SortItem(key: images.image(row), index: row, row: row))
    }
  }
}

extension CompiledOrder {
  /// Keeps the first `capacity` rows: in list order at the end, in the order that they came in before.
  func reduce(
    _ buffer: inout RowBuffer, to capacity: Int, isFinal: Bool, _ set: CompiledSet, _ state: SetState,
    _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) {
    let count = buffer.count
    guard count > 1 else { return }
    let started = execution.measuredTime
    defer { execution.note(set, ordered: count, since: started) }
    let rows = buffer.base
    let keys = try keys(of: rows, count, set, state, outer, execution)
    let items = keys.items(rows, count, from: 0, state)
    let kept = try keys.select(items, count, first: capacity, state, execution)
    if !isFinal {
      var items = UnsafeMutableBufferPointer(start: items, count: kept)
      items.sort { $0.index < $1.index }
    }
    for index in 0..<kept { rows[index] = items[index].row }
    buffer.count = kept
  }
}

extension ColumnReader {
  /// The cell of a fixed-width column, in its own type.
  @inline(__always)
  fileprivate func value<Value: BitwiseCopyable>(_ row: UInt32, as type: Value.Type) -> Value {
    (page(of: row) + (PageLayout.cellsOffset + (Int(row) & 1023) &* MemoryLayout<Value>.stride))
      .load(as: Value.self)
  }
}
