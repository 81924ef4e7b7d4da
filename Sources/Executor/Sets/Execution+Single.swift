import GQLBase
import GQLCatalog
import GQLStore

extension Execution {
  /// Appends the members for one element, by way of the access path; stops early where it can.
  func appendSingle(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) {
    if set.isPaged { return try appendPage(set, state, outer, into: &result) }
    try appendUnpaged(set, state, outer, into: &result)
  }

  /// The same of a set without cursors.
  func appendUnpaged(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let first = result.rows.count
    let firstOffset = result.offsets.count
    let vectors = try set.bounds?.vectors(outer, self)
    let slice = try slice(set, vectors, 0, of: outer)
    guard slice.limit > 0 else { return result.offsets.append(UInt32(truncatingIfNeeded: first)) }
    let needed = set.distinct == nil ? slice.end : Int.max
    var isSliced = false
    var method = set.method
    if method.walk.isWalk, try !isWalkable(set, outer) { method = .sort }
    switch method {
    case .natural:
      isSliced = try appendNatural(set, state, outer, slice, needed, into: &result.rows)
    case .fromAccess(let descending):
      let end = try appendOrdered(set, state, outer, slice, needed, descending, into: &result.rows)
      if end == .abandoned, let retreat = set.retreat {
        actuals?[set.id].retreats += 1
        return try appendUnpaged(retreat, state, outer, into: &result)
      }
      isSliced = end == .sliced
    case .incremental(let descending, let prefix) where needed < Int.max:
      if let order = set.order, let search = set.access as? FullTextScan {
        try search.appendTiedBest(set, state, order, outer, slice, self, into: &result.rows)
        isSliced = true
      } else if let order = set.order {
        let walk = OrderedWalk(descending: descending, prefix: prefix)
        let isDone = try appendIncremental(set, state, order, walk, outer, slice, after: nil, into: &result.rows)
        if !isDone, let retreat = set.retreat {
          actuals?[set.id].retreats += 1
          return try appendUnpaged(retreat, state, outer, into: &result)
        }
        isSliced = true
      }
    case .topN where needed < Int.max:
      if let order = set.order {
        try appendTop(set, state, order, outer, slice, into: &result.rows)
        isSliced = true
      }
    case .topN, .incremental, .sort:
      try appendFiltered(set, state, outer, Int.max, into: &result.rows)
    }
    result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    if isSliced { return }
    if case .fromAccess = method {
      // In order already.
      if let distinct = set.distinct {
        try keepFirst(set, state, distinct, outer, &result, from: first, firstOffset: firstOffset)
      }
      try cut(set, outer, &result, from: first, firstOffset: firstOffset)
    } else {
      try arrange(set, state, outer, &result, from: first, firstOffset: firstOffset)
    }
  }

  /// Indicates whether the access path gives the set's order in this version and for this element.
  func isWalkable(_ set: CompiledSet, _ outer: ScopeRows) throws(RuntimeProblem) -> Bool {
    if set.needsAscendingIDs, !snapshot.idsAscend(set.type) { return false }
    if let range = set.access as? IndexRangeScan, snapshot.ordered(range.index) == nil { return false }
    return try !set.access.isBehindNull(outer, self)
  }

  /// Canonical (or link) order; true if the slice is done.
  private func appendNatural(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ slice: Slice, _ needed: Int,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    if set.isScan, set.isPlain {
      let first = rows.count
      appendLive(set.type, from: slice.offset, limit: slice.limit, into: &rows)
      note(set, accessRows: rows.count - first)
      return true
    }
    try appendFiltered(set, state, outer, needed, into: &rows)
    return false
  }

  /// Appends what the access path gives and the filter keeps, in natural order; stops when `needed` rows are there.
  ///
  /// `inAnyOrder`: rows are only counted, so that unordered ones may stop early, too. Where it looks at too many rows,
  /// the plan to retreat to goes on; or, if it `mayAbandon`, it appends nothing and returns false.
  @discardableResult
  func appendFiltered(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ needed: Int, inAnyOrder: Bool = false,
    mayAbandon: Bool = false, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let first = rows.count
    if set.isScan {
      guard set.filter != nil else {
        appendLive(set.type, from: 0, limit: needed, into: &rows)
        note(set, accessRows: rows.count - first)
        return true
      }
      let slots = snapshot.slotCount(set.type)
      // Where a few rows are enough, few are looked at first: a condition may be dear.
      var size = needed < ScopeRows.batchRows ? max(Self.firstRows, needed) : PageLayout.rows
      var row = 0
      while row < slots, rows.count - first < needed {
        if needed < Int.max, row >= set.rowsBeforeRetreat, let retreat = set.retreat {
          note(set, accessRows: row)
          rows.count = first
          if mayAbandon { return false }
          actuals?[set.id].retreats += 1
          return try appendFiltered(retreat, state, outer, needed, inAnyOrder: inAnyOrder, into: &rows)
        }
        let count = min(size, min(PageLayout.rows - row & PageLayout.rowMask, slots - row))
        rows.reserve(PageLayout.rows)
        rows.count += try filterPage(set, state, row, count, outer, into: rows.end)
        row += count
        size = min(size &* 2, PageLayout.rows)
      }
      note(set, accessRows: min(row, slots))
      return true
    }
    if needed < Int.max, !set.filterCanFail, let window = try set.access.firstWindow(needed: needed, outer, self) {
      try appendWindows(set, state, outer, needed, window, into: &rows)
      return true
    }
    if set.filter == nil, needed < Int.max,
      try set.access.gatherFirst(needed, state, outer, self, into: &rows)
    {
      note(set, accessRows: rows.count - first)
      return true
    }
    var isAscending = try set.access.gather(set, state, outer, self, into: &rows)
    note(set, accessRows: rows.count - first)
    if !isAscending, !inAnyOrder, needed < Int.max, set.filter != nil, !set.access.isLinkOrdered {
      // In order first, so that no more rows are tested than are needed.
      sortUnique(&rows, from: first, set, state)
      isAscending = true
    }
    try filterRows(set, state, outer, &rows, from: first, needed: isAscending || inAnyOrder ? needed : Int.max)
    // An intersection that starts with a relation keeps the order of the links.
    if !isAscending, !set.access.isLinkOrdered { sortUnique(&rows, from: first, set, state) }
    return true
  }

  /// Appends what the access path finds and the filter keeps, window by window, until `needed` rows are there.
  private func appendWindows(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ needed: Int, _ first: Int, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let start = rows.count
    let slots = snapshot.slotCount(set.type)
    var size = first
    var low = 0
    while low < slots, rows.count - start < needed {
      try checkpoint()
      let high = min(low + size, slots)
      let found = rows.count
      try set.access.gather(in: low..<high, outer, self, into: &rows)
      note(set, accessRows: rows.count - found)
      try filterRows(set, state, outer, &rows, from: found, needed: Int.max)
      low = high
      size = min(size * 2, slots)
    }
  }

  /// Writes the live rows of a page that the filter keeps.
  func filterPage(
    _ set: CompiledSet, _ state: SetState, _ first: Int, _ count: Int, _ outer: ScopeRows,
    into rows: UnsafeMutablePointer<UInt32>
  ) throws(RuntimeProblem) -> Int {
    guard let program = set.filter else { return 0 }
    try checkpoint()
    try visit(count)
    let started = measuredTime
    let firstRow = UInt32(truncatingIfNeeded: first)
    guard let live = snapshot.liveness(set.type), let alive = liveRows(live, firstRow, count, into: rows) else {
      let kept = try program.filterPage(
        firstRow: firstRow, count: count, outer: outer.scopes.isEmpty ? nil : outer, self, into: rows)
      note(set, filtered: count, kept: kept, since: started)
      return kept
    }
    // Dead rows could raise errors, so that they are left out first.
    let positions = state.positions.room(for: UInt16.self, count: ScopeRows.batchRows)
    var gather = OuterScopes(set.outerScopes, outer, state)
    let kept = try program.filter(
      gather.batch(UnsafePointer(rows), alive, start: 0, ends: UnsafePointer(rows)), self, into: positions)
    for index in 0..<kept { rows[index] = rows[Int(positions[index])] }
    note(set, filtered: alive, kept: kept, since: started)
    return kept
  }

  /// Writes the live ones of rows within a page and gives how many; nil if all are live.
  func liveRows(
    _ live: ColumnReader, _ first: UInt32, _ count: Int, into rows: UnsafeMutablePointer<UInt32>
  ) -> Int? {
    // A page behind a cursor begins anywhere.
    let cells = (live.page(of: first) + PageLayout.cellsOffset + (Int(first) & PageLayout.rowMask))
      .assumingMemoryBound(to: UInt8.self)
    var written = 0
    for index in 0..<count {
      rows[written] = first &+ UInt32(truncatingIfNeeded: index)
      written &+= Int(cells[index] & 1)
    }
    return written == count ? nil : written
  }

  /// Keeps the rows from `first` on that the filter is true for, until there are `needed`.
  func filterRows(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ rows: inout RowBuffer, from first: Int, needed: Int
  ) throws(RuntimeProblem) {
    guard let program = set.filter else { return }
    let started = measuredTime
    let positions = state.positions.room(for: UInt16.self, count: ScopeRows.batchRows)
    var gather = OuterScopes(set.outerScopes, outer, state)
    let end = rows.count
    var written = first
    var start = first
    var size = needed < ScopeRows.batchRows ? max(Self.firstRows, needed) : ScopeRows.batchRows
    while start < end, written - first < needed {
      try checkpoint()
      let count = min(size, end - start)
      size = min(size &* 2, ScopeRows.batchRows)
      try visit(count)
      let base = rows.base
      let batch = gather.batch(UnsafePointer(base + start), count, start: start, ends: UnsafePointer(base))
      let kept = try program.filter(batch, self, into: positions)
      for index in 0..<kept {
        base[written] = base[start &+ Int(positions[index])]
        written &+= 1
      }
      start += count
    }
    rows.count = written
    note(set, filtered: min(start, end) - first, kept: written - first, since: started)
  }

  /// So many rows are tested at first where a few are enough; then twice as many each time.
  private static var firstRows: Int { 16 }

  // MARK: - Ordered access

  /// How a walk ended.
  private enum WalkEnd {
    /// With the slice of the list.
    case sliced
    /// With rows in list order, of which the slice is to be cut.
    case ordered
    /// With nothing, because it has looked at too many rows.
    case abandoned
  }

  /// Appends rows in the order of a B-tree or of a score.
  private func appendOrdered(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ slice: Slice, _ needed: Int, _ descending: Bool,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> WalkEnd {
    if descending, let search = set.access as? FullTextScan {
      _ = try search.appendBest(set, state, outer, needed: needed, self, into: &rows)
      return .ordered
    }
    let intersection = set.access as? Intersection
    guard let range = intersection?.walked ?? set.access as? IndexRangeScan else {
      // Canonical order is the order that is wanted.
      if set.isScan, set.isPlain {
        _ = try appendNatural(set, state, outer, slice, needed, into: &rows)
        return .sliced
      }
      let isDone = try appendFiltered(set, state, outer, needed, mayAbandon: true, into: &rows)
      return isDone ? .ordered : .abandoned
    }
    guard let bounds = try range.bounds(state, outer, self), let reader = snapshot.ordered(range.index) else {
      return .ordered
    }
    if set.isPlain, intersection == nil {
      var limit = slice.limit
      if limit > 4096 { limit = min(limit, max(reader.count(bounds) - slice.offset, 0)) }
      try checkMemory(limit &* 4)
      rows.reserve(limit)
      let count = reader.walk(bounds, descending: descending, skip: slice.offset, limit: limit, into: rows.end)
      rows.count += count
      note(set, accessRows: count)
      return .sliced
    }
    try intersection?.markUnwalked(set, state, outer, self)
    let first = rows.count
    var skip = 0
    var chunk = min(max(needed, 64), ScopeRows.batchRows)
    while rows.count - first < needed {
      let start = rows.count
      rows.reserve(chunk)
      let count = reader.walk(bounds, descending: descending, skip: skip, limit: chunk, into: rows.end)
      rows.count += count
      skip += count
      if intersection != nil {
        var written = start
        for index in start..<rows.count {
          rows.base[written] = rows[index]
          if state.bits.contains(rows[index]) { written += 1 }
        }
        rows.count = written
      }
      try filterRows(set, state, outer, &rows, from: start, needed: Int.max)
      if count < chunk { break }
      if skip >= set.rowsBeforeRetreat, rows.count - first < needed {
        note(set, accessRows: skip)
        rows.count = first
        return .abandoned
      }
      chunk = min(chunk * 2, 1 << 14)
      try checkMemory(rows.count &* 4)
    }
    note(set, accessRows: skip)
    return .ordered
  }

  // MARK: - The first few

  /// Appends the slice of the list in order, keeping no more than its end.
  private func appendTop(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ outer: ScopeRows, _ slice: Slice,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    // A set may show deleted ones, too.
    let all = snapshot.liveCount(set.type) &+ snapshot.deletedCount(set.type)
    let capacity = min(slice.end, max(all, 1))
    try checkMemory(capacity &* 16)
    let isLink = set.access.isLinkOrdered
    if order.isByID, !isLink, snapshot.idsAscend(set.type) {
      try appendByRow(set, state, order, outer, slice, into: &rows)
      return
    }
    if order.direct >= 0, !isLink, isWithoutNulls(set, order) || !order.terms[0].nullsFirst {
      let items = state.items.room(for: SortItem.self, count: capacity)
      var heap = TopHeap(items, capacity: capacity)
      try offerAll(set, state, order, outer, to: &heap)
      if heap.isFull || isWithoutNulls(set, order) {
        try RowSorting.sort(items, heap.count, spare: state.spare.room(for: SortItem.self, count: heap.count), self)
        for index in slice.offset..<max(heap.count, slice.offset) { rows.append(items[index].row) }
        return
      }
      // Too few values: nulls belong to the answer.
    }
    state.candidates.removeAll()
    if set.isScan {
      let slots = snapshot.slotCount(set.type)
      let room = max(2048, capacity &* 4)
      // What the leading key must not exceed, once there are enough rows.
      var leading: DirectKeys?
      var threshold = UInt64.max
      var page = 0
      while page < slots {
        let count = min(PageLayout.rows, slots - page)
        state.candidates.reserve(PageLayout.rows)
        let found = state.candidates.end
        var kept = try livePage(set, state, page, count, outer, into: found)
        if let leading {
          let all = kept
          kept = 0
          for index in 0..<all {
            let row = found[index]
            found[kept] = row
            if leading.image(row) <= threshold { kept &+= 1 }
          }
        }
        state.candidates.count += kept
        page += count
        if state.candidates.count >= room, capacity < state.candidates.count {
          try reduce(set, state, order, outer, to: capacity, isFinal: false)
          if order.leading >= 0, isWithoutNulls(set, order) {
            let keys = DirectKeys(order, readers[order.leading])
            threshold = 0
            for index in 0..<state.candidates.count {
              threshold = max(threshold, keys.image(state.candidates[index]))
            }
            leading = keys
          }
        }
      }
      note(set, accessRows: slots)
    } else {
      let isAscending = try set.access.gather(set, state, outer, self, into: &state.candidates)
      note(set, accessRows: state.candidates.count)
      try filterRows(set, state, outer, &state.candidates, from: 0, needed: Int.max)
      if !isAscending, !isLink { sortUnique(&state.candidates, from: 0, set, state) }
    }
    try reduce(set, state, order, outer, to: capacity, isFinal: true)
    if slice.offset < state.candidates.count {
      rows.append(UnsafePointer(state.candidates.base + slice.offset), state.candidates.count - slice.offset)
    }
  }

  /// Appends the slice of the list in the order of ids that ascend with the rows.
  private func appendByRow(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ outer: ScopeRows, _ slice: Slice,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    state.candidates.removeAll()
    let isDescending = order.terms[0].isDescending
    try appendFiltered(set, state, outer, isDescending ? Int.max : slice.end, into: &state.candidates)
    let count = state.candidates.count
    let kept = max(0, min(slice.end, count) - slice.offset)
    rows.reserve(kept)
    for index in slice.offset..<slice.offset + kept {
      rows.append(state.candidates[isDescending ? count - 1 - index : index])
    }
  }

  /// Writes the live rows of a page that the filter, if any, keeps.
  func livePage(
    _ set: CompiledSet, _ state: SetState, _ first: Int, _ count: Int, _ outer: ScopeRows,
    into rows: UnsafeMutablePointer<UInt32>
  ) throws(RuntimeProblem) -> Int {
    if set.filter != nil { return try filterPage(set, state, first, count, outer, into: rows) }
    try checkpoint()
    let firstRow = UInt32(truncatingIfNeeded: first)
    if let live = snapshot.liveness(set.type), let written = liveRows(live, firstRow, count, into: rows) {
      return written
    }
    for index in 0..<count { rows[index] = firstRow &+ UInt32(truncatingIfNeeded: index) }
    return count
  }

  /// Keeps the first `capacity` candidates: in list order at the end, in the order that they came in before.
  func reduce(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ outer: ScopeRows, to capacity: Int, isFinal: Bool
  ) throws(RuntimeProblem) {
    let count = state.candidates.count
    guard count > 1 else { return }
    let started = measuredTime
    defer { note(set, ordered: count, since: started) }
    let rows = state.candidates.base
    let keys = try sortKeys(
      order, set, state, outer, UnsafePointer(rows), count, ends: UnsafePointer(rows), base: 0)
    let items = state.items.room(for: SortItem.self, count: count)
    for index in 0..<count {
      items[index] = SortItem(
        key: keys.terms[0].images[index], index: UInt32(truncatingIfNeeded: index), row: rows[index])
    }
    let kept = try keys.select(items, count, first: capacity, state, self)
    if !isFinal {
      var buffer = UnsafeMutableBufferPointer(start: items, count: kept)
      buffer.sort { $0.index < $1.index }
    }
    for index in 0..<kept { rows[index] = items[index].row }
    state.candidates.count = kept
  }
}
