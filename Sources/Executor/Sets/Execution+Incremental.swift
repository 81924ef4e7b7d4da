import GQLBase
import GQLCatalog
import GQLStore

/// A walk of a B-tree whose order is that of the first terms of the order that is wanted.
struct OrderedWalk {
  let descending: Bool
  /// Counts these terms.
  let prefix: Int
}

/// The first rows of an order of which an index gives a part.
///
/// Rows are walked until there are enough, and on to the end of those that agree with the last of them in the first
/// terms; then these few are sorted by all terms.
extension Execution {
  /// Appends the slice of a set, of what stands after a cursor if there is one.
  ///
  /// Complexity: O(log *n* + *k* log *k*), where *k* are the rows up to the end of the slice and those that agree with
  /// the last of them in the first terms.
  func appendIncremental(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ walk: OrderedWalk, _ outer: ScopeRows,
    _ slice: Slice, after cursor: Cursor?, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard let bounds = try rangeBounds(set.access, state, outer) else { return }
    // Keys that are compared take the memory in which the bounds lie.
    var kept = bounds
    if bounds.equalCount > 0, let equal = bounds.equal {
      let copy = scratch.allocate(Cell.self, count: bounds.equalCount)
      copy.update(from: equal, count: bounds.equalCount)
      kept.equal = UnsafePointer(copy)
    }
    let reader = snapshot.btree(set.access.index)
    let total = reader.count(kept)
    let capacity = min(slice.end, max(total, 1))
    try checkMemory(capacity &* 16)
    var skip = 0
    if let cursor {
      skip = try firstTied(with: cursor, set, state, order, walk, outer, total) {
        reader.walk(kept, descending: walk.descending, skip: $0, limit: 1, into: $1) == 1
      }
    }
    state.candidates.removeAll()
    var seen = 0
    // The row that ends the slice, but for rows that tie with it.
    var last = PageLayout.noRow
    var chunk = min(max(capacity &+ 8, 32), ScopeRows.batchRows)
    while true {
      try checkpoint()
      let start = state.candidates.count
      state.candidates.reserve(chunk)
      let count = reader.walk(kept, descending: walk.descending, skip: skip, limit: chunk, into: state.candidates.end)
      state.candidates.count += count
      skip += count
      seen += count
      guard count > 0 else { break }
      let end = state.candidates[start + count - 1]
      try filterRows(set, state, outer, &state.candidates, from: start, needed: Int.max)
      if let cursor { try keepAfter(cursor, set, state, order, outer, from: start) }
      if last == PageLayout.noRow, state.candidates.count >= capacity { last = state.candidates[capacity - 1] }
      if count < chunk { break }
      if last != PageLayout.noRow, try !areTied(last, end, set, state, order, walk, outer) { break }
      if last != PageLayout.noRow, state.candidates.count > max(4 &* capacity, 4096) {
        try sortTied(set, state, order, outer, to: capacity, isFinal: false)
      }
      chunk = min(chunk &* 2, ScopeRows.batchRows)
      try checkMemory(state.candidates.count &* 4)
    }
    note(set, accessRows: seen)
    try sortTied(set, state, order, outer, to: capacity, isFinal: true)
    if slice.offset < state.candidates.count {
      rows.append(UnsafePointer(state.candidates.base + slice.offset), state.candidates.count - slice.offset)
    }
  }

  /// Keeps the first of the candidates; what is equal in all terms stands in canonical order.
  private func sortTied(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ outer: ScopeRows, to capacity: Int, isFinal: Bool
  ) throws(RuntimeProblem) {
    state.candidates.count = RowSorting.sortUnique(
      state.candidates.base, state.candidates.count, limit: snapshot.slotCount(set.type), bits: &state.bits)
    try reduce(set, state, order, outer, to: capacity, isFinal: isFinal)
  }

  /// Returns whether two rows agree in the first terms.
  private func areTied(
    _ left: UInt32, _ right: UInt32, _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder,
    _ walk: OrderedWalk, _ outer: ScopeRows
  ) throws(RuntimeProblem) -> Bool {
    var both = (left, right)
    return try withUnsafeMutableBytes(of: &both) { (bytes) throws(RuntimeProblem) in
      guard let rows = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return false }
      let keys = try pageKeys(order, set, state, outer, [], rows, 2)
      return keys.compare(0, 1, first: walk.prefix) == 0
    }
  }

  /// Returns the number of rows of the walk whose first terms stand before those of a cursor. Complexity: O(log² *n*).
  private func firstTied(
    with cursor: Cursor, _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ walk: OrderedWalk,
    _ outer: ScopeRows, _ total: Int, row: (Int, UnsafeMutablePointer<UInt32>) -> Bool
  ) throws(RuntimeProblem) -> Int {
    var low = 0
    var high = total
    var found: UInt32 = 0
    while low < high {
      let middle = (low + high) / 2
      guard row(middle, &found) else { return low }
      let keys = try pageKeys(order, set, state, outer, [cursor], &found, 1)
      if keys.compare(0, 1, first: walk.prefix) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Keeps the candidates from `start` on that stand after a cursor.
  private func keepAfter(
    _ cursor: Cursor, _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ outer: ScopeRows,
    from start: Int
  ) throws(RuntimeProblem) {
    let count = state.candidates.count - start
    if count == 0 { return }
    let rows = state.candidates.base + start
    let keys = try pageKeys(order, set, state, outer, [cursor], rows, count)
    var written = 0
    for index in 0..<count {
      let row = rows[index]
      let comparison = keys.compare(index, count)
      rows[written] = row
      if comparison > 0 || comparison == 0 && row > cursor.row { written += 1 }
    }
    state.candidates.count = start + written
  }
}
