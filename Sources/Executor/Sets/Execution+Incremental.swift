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
  /// Appends the slice of a set, of what stands after a cursor if there is one. Returns false, and appends nothing,
  /// where it has looked at too many rows.
  ///
  /// Complexity: O(log *n* + *k* log *k*), where *k* are the rows up to the end of the slice and those that agree with
  /// the last of them in the first terms.
  func appendIncremental(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ walk: OrderedWalk, _ outer: ScopeRows,
    _ slice: Slice, after cursor: Cursor?, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let range = set.access as? IndexRangeScan,
      let list = try indexedList(range, state, outer, descending: walk.descending)
    else { return true }
    let capacity = min(slice.end, max(list.count, 1))
    try checkMemory(capacity &* 16)
    var skip = 0
    if let cursor {
      skip = try rank(of: cursor, behind: false, byFirst: walk.prefix, list, set, state, order, outer)
    }
    // A plain column is compared as it lies, and the others where it ties only.
    let isPlain = walk.prefix == 1 && order.leading >= 0 && cursor == nil && isWithoutNulls(set, order)
    let images = isPlain ? DirectKeys(order, readers[order.leading]) : nil
    var isWalkOrder = true
    state.candidates.removeAll()
    var seen = 0
    // The row that ends the slice, but for rows that tie with it.
    var last = PageLayout.noRow
    var chunk = min(max(capacity &+ 8, 32), ScopeRows.batchRows)
    while true {
      try checkpoint()
      let start = state.candidates.count
      state.candidates.reserve(chunk)
      let count = list.walk(from: skip, chunk, into: state.candidates.end)
      state.candidates.count += count
      skip += count
      seen += count
      guard count > 0 else { break }
      let end = state.candidates[start + count - 1]
      try filterRows(set, state, outer, &state.candidates, from: start, needed: Int.max)
      if let cursor { try keepAfter(cursor, set, state, order, outer, from: start) }
      if last == PageLayout.noRow, state.candidates.count >= capacity { last = state.candidates[capacity - 1] }
      if count < chunk { break }
      if last == PageLayout.noRow, seen >= set.rowsBeforeRetreat {
        note(set, accessRows: seen)
        return false
      }
      if last != PageLayout.noRow {
        let isTied =
          if let images { images.image(last) == images.image(end) } else {
            try areTied(last, end, set, state, order, walk, outer)
          }
        if !isTied { break }
      }
      if last != PageLayout.noRow, state.candidates.count > max(4 &* capacity, 4096) {
        isWalkOrder = false
        try keepFirst(set, state, order, outer, to: capacity, isFinal: false)
      }
      chunk = min(chunk &* 2, ScopeRows.batchRows)
      try checkMemory(state.candidates.count &* 4)
    }
    note(set, accessRows: seen)
    if let images, isWalkOrder {
      try appendWalked(images, set, state, order, outer, slice, into: &rows)
      return true
    }
    try keepFirst(set, state, order, outer, to: capacity, isFinal: true)
    if slice.offset < state.candidates.count {
      rows.append(UnsafePointer(state.candidates.base + slice.offset), state.candidates.count - slice.offset)
    }
    return true
  }

  /// Appends the slice of the candidates, which stand in the order of a plain column, the first term.
  private func appendWalked(
    _ images: DirectKeys, _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ outer: ScopeRows,
    _ slice: Slice, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let first = rows.count
    let candidates = UnsafePointer(state.candidates.base)
    var ties: [Tie] = []
    var end = 0
    var last: UInt64 = 0
    while end < state.candidates.count {
      let key = images.image(candidates[end])
      if end > 0, key == last { ties.join(first + end) } else if end >= slice.end { break }
      last = key
      end += 1
    }
    rows.append(candidates, end)
    let limit = snapshot.slotCount(set.type)
    // What is equal in all terms stands in canonical order.
    for tie in ties { _ = RowSorting.sortUnique(rows.base + tie.start, tie.count, limit: limit, bits: &state.bits) }
    if !ties.isEmpty { try resolve(ties, set, state, order, outer, rows.base) }
    keep(slice, of: &rows, from: first, isBackward: false)
  }

  /// Keeps the first of the candidates; what is equal in all terms stands in canonical order.
  private func keepFirst(
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
    let mark = scratch.mark
    defer { scratch.release(to: mark) }
    var both = (left, right)
    return try withUnsafeMutableBytes(of: &both) { (bytes) throws(RuntimeProblem) in
      guard let rows = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return false }
      let keys = try pageKeys(order, set, state, outer, [], rows, 2)
      return keys.compare(0, 1, first: walk.prefix) == 0
    }
  }

  /// Keeps the candidates from `start` on that stand after a cursor.
  private func keepAfter(
    _ cursor: Cursor, _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ outer: ScopeRows,
    from start: Int
  ) throws(RuntimeProblem) {
    let count = state.candidates.count - start
    if count == 0 { return }
    // Texts that are computed for comparing go with the comparison.
    let mark = scratch.mark
    defer { scratch.release(to: mark) }
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
