import GQLBase
import GQLCatalog
import GQLStore

/// Pages of a list by cursors. With `after:` a page begins behind the cursor's place; with `before:` alone it ends in
/// front of it, and offset and limit count back from there; with both it lies between them.
extension Execution {
  private struct Cursors {
    var after: Cursor?
    var before: Cursor?
    var isBackward: Bool { after == nil && before != nil }
  }

  /// Appends the page of one element.
  func appendPage(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let vectors = try set.bounds?.vectors(outer, self)
    let slice = try slice(set, vectors, 0, of: outer)
    var cursors = Cursors()
    cursors.after = try cursor(set, set.after, vectors)
    cursors.before = try cursor(set, set.before, vectors)
    if cursors.after == nil, cursors.before == nil, !(set.access is Links), !(set.access is Branches) {
      return try appendUnpaged(set, state, outer, into: &result)
    }
    guard slice.limit > 0 else { return result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count)) }
    if try !appendIndexed(set, state, outer, cursors, slice, into: &result.rows),
      try !appendTied(set, state, outer, cursors, slice, into: &result.rows),
      try !appendScanned(set, state, outer, cursors, slice, into: &result.rows)
    {
      try appendCompared(set, state, outer, cursors, slice, into: &result.rows)
    }
    result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
  }

  private func cursor(
    _ set: CompiledSet, _ source: Int, _ vectors: UnsafePointer<Vector>?
  ) throws(RuntimeProblem) -> Cursor? {
    guard source >= 0, let bounds = set.bounds, let cell = bounds.cell(source, vectors, 0, self) else { return nil }
    do {
      return try Cursor(cell, set.pagingFingerprint, set.order, scratch)
    } catch {
      throw RuntimeProblem(.invalidCursor(error.fault), at: bounds.ranges[source])
    }
  }

  // MARK: - From an index

  /// A page of what a B-tree walks in list order; false if the set is none.
  ///
  /// Complexity: O(log² n + page), without a filter.
  private func appendIndexed(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ cursors: Cursors, _ slice: Slice,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard case .fromAccess(let isDescending) = set.method, let range = set.access as? IndexRangeScan,
      set.distinct == nil, let order = set.order, set.filter == nil || cursors.before == nil,
      try isWalkable(set, outer)
    else { return false }
    guard let tree = try indexedList(range, state, outer, descending: isDescending) else { return true }
    let total = tree.count
    var start = 0
    var end = total
    if let after = cursors.after {
      start = try rank(of: after, behind: true, tree, set, state, order, outer)
    }
    if let before = cursors.before {
      end = max(start, try rank(of: before, behind: false, tree, set, state, order, outer))
    }
    if set.filter == nil {
      let length = end - start
      guard slice.offset < length else { return true }
      let count = min(slice.limit, length - slice.offset)
      let first = cursors.isBackward ? end - slice.offset - count : start + slice.offset
      try checkMemory(count &* 4)
      rows.reserve(count)
      rows.count += tree.walk(from: first, count, into: rows.end)
      note(set, accessRows: count)
      return true
    }
    let first = rows.count
    var seen = 0
    var chunk = min(max(slice.end, 64), ScopeRows.batchRows)
    while rows.count - first < slice.end, start < end {
      let from = rows.count
      let count = min(chunk, end - start)
      rows.reserve(count)
      rows.count += tree.walk(from: start, count, into: rows.end)
      start += count
      seen += count
      note(set, accessRows: count)
      try filterRows(set, state, outer, &rows, from: from, needed: Int.max)
      chunk = min(chunk * 2, 1 << 14)
      try checkMemory(rows.count &* 4)
      if seen >= set.rowsBeforeRetreat, rows.count - first < slice.end, start < end, let retreat = set.retreat {
        rows.count = first
        actuals?[set.id].retreats += 1
        try appendCompared(retreat, state, outer, cursors, slice, into: &rows)
        return true
      }
    }
    keep(slice, of: &rows, from: first, isBackward: false)
    return true
  }

  /// A page of what a B-tree walks in the order of the first terms; false if the set is none, or ends at a cursor.
  private func appendTied(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ cursors: Cursors, _ slice: Slice,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard case .incremental(let isDescending, let prefix) = set.method, set.access is IndexRangeScan,
      let after = cursors.after, cursors.before == nil, slice.end < Int.max, let order = set.order,
      try isWalkable(set, outer)
    else { return false }
    let walk = OrderedWalk(descending: isDescending, prefix: prefix)
    let isDone = try appendIncremental(set, state, order, walk, outer, slice, after: after, into: &rows)
    if !isDone, let retreat = set.retreat {
      actuals?[set.id].retreats += 1
      try appendCompared(retreat, state, outer, cursors, slice, into: &rows)
    }
    return true
  }

  /// A part of a B-tree in list order.
  struct IndexedList {
    let reader: OrderedReader
    let bounds: BTreeBounds
    let isDescending: Bool

    var count: Int { reader.count(bounds) }

    func walk(from first: Int, _ count: Int, into rows: UnsafeMutablePointer<UInt32>) -> Int {
      reader.walk(bounds, descending: isDescending, skip: first, limit: count, into: rows)
    }
  }

  /// Returns the part that a range walks; nil if nothing can be in it.
  func indexedList(
    _ range: IndexRangeScan, _ state: SetState, _ outer: ScopeRows, descending: Bool
  ) throws(RuntimeProblem) -> IndexedList? {
    guard var bounds = try range.bounds(state, outer, self), let reader = snapshot.ordered(range.index) else {
      return nil
    }
    if bounds.equalCount > 0, let equal = bounds.equal {
      // The set's memory is needed for keys.
      let copy = scratch.allocate(Cell.self, count: bounds.equalCount)
      copy.update(from: equal, count: bounds.equalCount)
      bounds.equal = UnsafePointer(copy)
    }
    return IndexedList(reader: reader, bounds: bounds, isDescending: descending)
  }

  /// How many members of the list stand before the cursor's place; `behind` counts its own member too. Complexity:
  /// O(log² *n*).
  ///
  /// - Parameter count: Of the order's terms, the first that decide; nil if all do, and the row behind them.
  func rank(
    of cursor: Cursor, behind: Bool, byFirst count: Int? = nil, _ list: IndexedList, _ set: CompiledSet,
    _ state: SetState, _ order: CompiledOrder, _ outer: ScopeRows
  ) throws(RuntimeProblem) -> Int {
    func isBefore(_ row: inout UInt32) throws(RuntimeProblem) -> Bool {
      let keys = try pageKeys(order, set, state, outer, [cursor], &row, 1)
      let comparison = keys.compare(0, 1, first: count ?? order.terms.count)
      let isRowBefore = behind ? row <= cursor.row : row < cursor.row
      return comparison != 0 || count != nil ? comparison < 0 : isRowBefore
    }
    var row: UInt32 = 0
    if case .rows(let reader) = list.reader {
      // Numbers of live rows are counted, so that rows are halved.
      let slots = reader.slots(list.bounds)
      var low = slots.lowerBound
      var high = slots.upperBound
      while low < high {
        let middle = (low + high) / 2
        guard let slot = reader.firstLive(middle..<high) else {
          high = middle
          continue
        }
        row = UInt32(truncatingIfNeeded: slot)
        if try isBefore(&row) != list.isDescending { low = slot + 1 } else { high = middle }
      }
      return reader.liveCount(list.isDescending ? low..<slots.upperBound : slots.lowerBound..<low)
    }
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      guard list.walk(from: middle, 1, into: &row) == 1 else { return low }
      if try isBefore(&row) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: - By scanning

  /// A page in canonical order of a type's rows: they begin, or end, at the cursor's row. False if the set is none.
  private func appendScanned(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ cursors: Cursors, _ slice: Slice,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard set.isScan, set.order == nil, set.distinct == nil, !set.filterCanFail else { return false }
    let slots = snapshot.slotCount(set.type)
    let low = cursors.after.map { min(Int($0.row) + 1, slots) } ?? 0
    let high = cursors.before.map { min(Int($0.row), slots) } ?? slots
    let first = rows.count
    guard low < high else { return true }
    if !cursors.isBackward {
      var page = low & ~(PageLayout.rows - 1)
      while page < high, rows.count - first < slice.end {
        try appendPage(page, low, high, set, state, outer, into: &rows)
        page += PageLayout.rows
      }
      keep(slice, of: &rows, from: first, isBackward: false)
      return true
    }
    // From the last page on; found pages are put before those behind them.
    var parts: [(start: Int, count: Int)] = []
    state.candidates.removeAll()
    var page = (high - 1) & ~(PageLayout.rows - 1)
    while page >= 0, state.candidates.count < slice.end {
      let start = state.candidates.count
      try appendPage(page, low, high, set, state, outer, into: &state.candidates)
      parts.append((start, state.candidates.count - start))
      page -= PageLayout.rows
    }
    for part in parts.reversed() { rows.append(UnsafePointer(state.candidates.base + part.start), part.count) }
    keep(slice, of: &rows, from: first, isBackward: true)
    return true
  }

  /// Appends what the filter keeps of the rows of a page that lie between `low` and `high`.
  private func appendPage(
    _ page: Int, _ low: Int, _ high: Int, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let first = max(page, low)
    let end = min(page + PageLayout.rows, high)
    guard first < end else { return }
    rows.reserve(PageLayout.rows)
    rows.count += try livePage(set, state, first, end - first, outer, into: rows.end)
    note(set, accessRows: end - first)
  }

  // MARK: - By comparing

  /// A page of any list: of all members, those that stand behind one cursor and before the other.
  private func appendCompared(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ cursors: Cursors, _ slice: Slice,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    state.candidates.removeAll()
    let isLinked = set.access.countsPlacesByLinks
    let links = try set.access.links(outer, self, &state.linked)
    try appendFiltered(set, state, outer, Int.max, into: &state.candidates)
    if let distinct = set.distinct { try keepDistinct(set, state, distinct, outer) }
    let low = cursors.after.map { place($0, behind: true, state, links, isLinked: isLinked) } ?? 0
    let high =
      cursors.before.map { place($0, behind: false, state, links, isLinked: isLinked) } ?? state.candidates.count
    let first = rows.count
    guard let order = set.order else {
      if low < high { rows.append(UnsafePointer(state.candidates.base + low), high - low) }
      return keep(slice, of: &rows, from: first, isBackward: cursors.isBackward)
    }
    let count = state.candidates.count
    guard count > 0 else { return }
    let both = [cursors.after, cursors.before].compactMap { $0 }
    let keys = try pageKeys(order, set, state, outer, both, state.candidates.base, count)
    let items = state.items.room(for: SortItem.self, count: count)
    var found = 0
    for index in 0..<count {
      if cursors.after != nil {
        let comparison = keys.compare(index, count)
        if comparison < 0 || comparison == 0 && index < low { continue }
      }
      if cursors.before != nil {
        let comparison = keys.compare(index, count + both.count - 1)
        if comparison > 0 || comparison == 0 && index >= high { continue }
      }
      items[found] = SortItem(
        key: keys.terms[0].images[index], index: UInt32(truncatingIfNeeded: index), row: state.candidates[index])
      found += 1
    }
    if cursors.isBackward || slice.end >= found {
      try keys.sort(items, found, state, self)
    } else {
      found = try keys.select(items, found, first: slice.end, state, self)
    }
    rows.reserve(found)
    for index in 0..<found { rows.append(items[index].row) }
    keep(slice, of: &rows, from: first, isBackward: cursors.isBackward)
  }

  /// Of the candidates, which stand in natural order, those that are the first of their kind in list order.
  private func keepDistinct(
    _ set: CompiledSet, _ state: SetState, _ distinct: CompiledOrder, _ outer: ScopeRows
  ) throws(RuntimeProblem) {
    var all = Expansion()
    all.offsets.append(0)
    all.rows.append(UnsafePointer(state.candidates.base), state.candidates.count)
    all.offsets.append(UInt32(truncatingIfNeeded: all.rows.count))
    if let order = set.order { try sortByKeys(set, state, order, outer, &all, from: 0, firstOffset: 1) }
    try keepFirst(set, state, distinct, outer, &all, from: 0, firstOffset: 1)
    state.bits.clear(rows: snapshot.slotCount(set.type))
    state.bits.insert(UnsafePointer(all.rows.base), all.rows.count)
    var written = 0
    for index in 0..<state.candidates.count {
      let row = state.candidates[index]
      state.candidates.base[written] = row
      if state.bits.contains(row) { written += 1 }
    }
    state.candidates.count = written
  }

  /// How many candidates stand before the cursor's place in natural order; `behind` counts its own member too.
  private func place(
    _ cursor: Cursor, behind: Bool, _ state: SetState, _ links: UnsafeBufferPointer<UInt32>, isLinked: Bool
  ) -> Int {
    guard isLinked else {
      var low = 0
      var high = state.candidates.count
      while low < high {
        let middle = (low + high) / 2
        let row = state.candidates[middle]
        if behind ? row <= cursor.row : row < cursor.row { low = middle + 1 } else { high = middle }
      }
      return low
    }
    var end = 0
    if let own = links.firstIndex(of: cursor.row) {
      end = behind ? own + 1 : own
    } else {
      for neighbor in cursor.neighbors {
        guard let known = links.firstIndex(of: neighbor) else { continue }
        end = known + 1
        break
      }
    }
    // The candidates are some of the links, in their order.
    var place = 0
    for index in 0..<end where place < state.candidates.count && state.candidates[place] == links[index] { place += 1 }
    return place
  }

  /// The order terms of rows, and behind them those of the cursors.
  func pageKeys(
    _ order: CompiledOrder, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ cursors: [Cursor],
    _ rows: UnsafePointer<UInt32>, _ count: Int
  ) throws(RuntimeProblem) -> SortKeys {
    try checkMemory(count * 25 * order.terms.count)
    var keys = SortKeys(order, count: count + cursors.count, state, self)
    var gather = OuterScopes(set.outerScopes, outer, state)
    var start = 0
    while start < count {
      try checkpoint()
      let size = min(ScopeRows.batchRows, count - start)
      let batch = gather.batch(rows + start, size, start: start, ends: rows)
      keys.take(try order.program.evaluate(batch, self), order, start: start, count: size, scratch)
      start += size
    }
    for (number, cursor) in cursors.enumerated() {
      let vectors = order.terms.indices.map { index in
        vector(cursor.keys.indices.contains(index) ? cursor.keys[index] : nil, order.terms[index].type)
      }
      vectors.withUnsafeBufferPointer { vectors in
        if let base = vectors.baseAddress { keys.take(base, order, start: count + number, count: 1, scratch) }
      }
    }
    return keys
  }

  /// A vector of one value, as a program makes it for the type.
  private func vector(_ cell: Cell?, _ type: ValueType) -> Vector {
    let values = scratch.allocate(16)
    let validity = scratch.allocate(UInt8.self, count: 1)
    validity.pointee = cell == nil ? 0 : 1
    let kind = Vector.Kind(type)
    switch kind {
    case .truth: values.storeBytes(of: cell.map { $0.low == 0 ? 0 : 2 } ?? 1, as: UInt8.self)
    case .rows:
      values.storeBytes(of: cell.map { UInt32(truncatingIfNeeded: $0.low) } ?? PageLayout.noRow, as: UInt32.self)
    case .word, .double: values.storeBytes(of: cell?.low ?? 0, as: UInt64.self)
    case .wide: values.storeBytes(of: cell ?? Cell(low: 0), as: Cell.self)
    }
    return Vector(kind: kind, values: values, validity: validity)
  }

  /// Leaves the slice of the rows from `first` on; counted from their end if so said.
  func keep(_ slice: Slice, of rows: inout RowBuffer, from first: Int, isBackward: Bool) {
    let total = rows.count - first
    let skipped = min(slice.offset, total)
    let count = min(slice.limit, total - skipped)
    let start = isBackward ? total - skipped - count : skipped
    if start > 0, count > 0 {
      (rows.base + first).update(from: rows.base + first + start, count: count)
    }
    rows.count = first + count
  }
}
