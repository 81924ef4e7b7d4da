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
      isSliced = try appendOrdered(set, state, outer, slice, needed, descending, into: &result.rows)
    case .incremental(let descending, let prefix) where needed < Int.max:
      if let order = set.order, set.access.kind == .fullText {
        try appendTiedBest(set, state, order, outer, slice, into: &result.rows)
        isSliced = true
      } else if let order = set.order {
        let walk = OrderedWalk(descending: descending, prefix: prefix)
        try appendIncremental(set, state, order, walk, outer, slice, after: nil, into: &result.rows)
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

  /// Whether the access path gives the set's order in this version and for this element.
  func isWalkable(_ set: CompiledSet, _ outer: ScopeRows) throws(RuntimeProblem) -> Bool {
    if set.needsAscendingIDs, !snapshot.idsAscend(set.type) { return false }
    if set.access.kind == .range, snapshot.ordered(set.access.index) == nil { return false }
    return try !isBehindNull(set.access, outer)
  }

  /// Whether the range that is to give the order is one that a B-tree cannot walk.
  private func isBehindNull(_ node: AccessNode, _ outer: ScopeRows) throws(RuntimeProblem) -> Bool {
    switch node.kind {
    case .range: return try innerNull(node, outer) != nil
    case .intersection:
      guard let range = node.children.first(where: { $0.kind == .range }) else { return false }
      return try innerNull(range, outer) != nil
    default: return false
    }
  }

  /// Canonical (or link) order; true if the slice is done.
  private func appendNatural(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ slice: Slice, _ needed: Int,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    if set.access.kind == .scan, set.isPlain {
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
  /// `inAnyOrder`: rows are only counted, so that unordered ones may stop early, too.
  func appendFiltered(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ needed: Int, inAnyOrder: Bool = false,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let first = rows.count
    if set.access.kind == .scan {
      guard set.filter != nil else {
        appendLive(set.type, from: 0, limit: needed, into: &rows)
        note(set, accessRows: rows.count - first)
        return
      }
      let slots = snapshot.slotCount(set.type)
      var page = 0
      while page < slots, rows.count - first < needed {
        let count = min(PageLayout.rows, slots - page)
        rows.reserve(PageLayout.rows)
        rows.count += try filterPage(set, state, page, count, outer, into: rows.end)
        page += count
      }
      note(set, accessRows: min(page, slots))
      return
    }
    if set.filter == nil, needed < Int.max, set.access.kind == .range,
      let reader = snapshot.ordered(set.access.index), reader.isByRow
    {
      // In order of insertion, so that what follows is not needed.
      guard let bounds = try rangeBounds(set.access, state, outer) else { return }
      let count = min(needed, reader.count(bounds))
      try checkMemory(count &* 4)
      rows.reserve(count)
      rows.count += reader.walk(bounds, descending: false, skip: 0, limit: count, into: rows.end)
      note(set, accessRows: rows.count - first)
      return
    }
    let isAscending = try gather(set.access, set, state, outer, into: &rows)
    note(set, accessRows: rows.count - first)
    try filterRows(set, state, outer, &rows, from: first, needed: isAscending || inAnyOrder ? needed : Int.max)
    // An intersection that starts with a relation keeps the order of the links.
    if !isAscending, !isLinkOrdered(set.access) {
      rows.count =
        first
        + RowSorting.sortUnique(
          rows.base + first, rows.count - first, limit: snapshot.slotCount(set.type), bits: &state.bits)
    }
  }

  func isLinkOrdered(_ node: AccessNode) -> Bool {
    switch node.kind {
    case .relation, .branches, .closure, .shortestPath, .groupMembers, .given: true
    case .step, .routes: node.keepsLinkOrder
    case .intersection: node.children.first { $0.kind != .rowSet }?.kind == .relation
    default: false
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
    let firstRow = UInt32(truncatingIfNeeded: first)
    guard let live = snapshot.liveness(set.type), let alive = liveRows(live, firstRow, count, into: rows) else {
      return try program.filterPage(
        firstRow: firstRow, count: count, outer: outer.scopes.isEmpty ? nil : outer, self, into: rows)
    }
    // Dead rows could raise errors, so that they are left out first.
    let positions = state.positions.room(for: UInt16.self, count: ScopeRows.batchRows)
    var gather = OuterScopes(set.outerScopes, outer, state)
    let kept = try program.filter(
      gather.batch(UnsafePointer(rows), alive, start: 0, ends: UnsafePointer(rows)), self, into: positions)
    for index in 0..<kept { rows[index] = rows[Int(positions[index])] }
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
    let positions = state.positions.room(for: UInt16.self, count: ScopeRows.batchRows)
    var gather = OuterScopes(set.outerScopes, outer, state)
    let end = rows.count
    var written = first
    var start = first
    while start < end, written - first < needed {
      try checkpoint()
      let count = min(ScopeRows.batchRows, end - start)
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
  }

  // MARK: - Ordered access

  /// Appends rows as a B-tree walk gives them; true if the slice is done.
  private func appendOrdered(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ slice: Slice, _ needed: Int, _ descending: Bool,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let node: AccessNode
    var others: [AccessNode] = []
    if set.access.kind == .intersection, let range = set.access.children.first(where: { $0.kind == .range }) {
      node = range
      others = set.access.children.filter { $0 !== range }
    } else {
      node = set.access
    }
    if node.kind == .fullText {
      _ = try appendBest(node, set, state, outer, needed: needed, into: &rows)
      return false
    }
    guard node.kind == .range else {
      // Canonical order is the order that is wanted.
      return try appendNatural(set, state, outer, slice, needed, into: &rows)
    }
    guard let bounds = try rangeBounds(node, state, outer), let reader = snapshot.ordered(node.index) else {
      return false
    }
    if set.isPlain, others.isEmpty {
      var limit = slice.limit
      if limit > 4096 { limit = min(limit, max(reader.count(bounds) - slice.offset, 0)) }
      try checkMemory(limit &* 4)
      rows.reserve(limit)
      let count = reader.walk(bounds, descending: descending, skip: slice.offset, limit: limit, into: rows.end)
      rows.count += count
      note(set, accessRows: count)
      return true
    }
    if !others.isEmpty {
      var common = RowBuffer()
      let rest = AccessNode(.intersection)
      rest.children = others
      _ = try gather(rest, set, state, outer, into: &common)
      state.bits.clear(rows: snapshot.slotCount(set.type))
      state.bits.insert(common.base, common.count)
    }
    let first = rows.count
    var skip = 0
    var chunk = min(max(needed, 64), ScopeRows.batchRows)
    while rows.count - first < needed {
      let start = rows.count
      rows.reserve(chunk)
      let count = reader.walk(bounds, descending: descending, skip: skip, limit: chunk, into: rows.end)
      rows.count += count
      skip += count
      if !others.isEmpty {
        var written = start
        for index in start..<rows.count {
          rows.base[written] = rows[index]
          if state.bits.contains(rows[index]) { written += 1 }
        }
        rows.count = written
      }
      try filterRows(set, state, outer, &rows, from: start, needed: Int.max)
      if count < chunk { break }
      chunk = min(chunk * 2, 1 << 14)
      try checkMemory(rows.count &* 4)
    }
    note(set, accessRows: skip)
    return false
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
    let isLink = isLinkOrdered(set.access)
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
    if set.access.kind == .scan {
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
      let isAscending = try gather(set.access, set, state, outer, into: &state.candidates)
      note(set, accessRows: state.candidates.count)
      try filterRows(set, state, outer, &state.candidates, from: 0, needed: Int.max)
      if !isAscending, !isLink {
        state.candidates.count = RowSorting.sortUnique(
          state.candidates.base, state.candidates.count, limit: snapshot.slotCount(set.type), bits: &state.bits)
      }
    }
    try reduce(set, state, order, outer, to: capacity, isFinal: true)
    if slice.offset < state.candidates.count {
      rows.append(UnsafePointer(state.candidates.base + slice.offset), state.candidates.count - slice.offset)
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
