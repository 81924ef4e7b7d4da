import GQLBase
import GQLCatalog
import GQLStore

/// Rows that are equal in the first terms of an order, by their place in the list.
struct Tie {
  var start: Int
  var count: Int
}

extension [Tie] {
  /// Adds that the row at a place is equal to the one before it. Precondition: places ascend.
  mutating func join(_ place: Int) {
    if let last, last.start + last.count == place {
      self[count - 1].count += 1
    } else {
      append(Tie(start: place - 1, count: 2))
    }
  }
}

/// Orders of several terms of which the first is a plain column without nulls: it decides nearly everything, so that
/// the others are computed for rows that are equal in it only.
extension Execution {
  /// Puts the rows from `first` on, element by element, into list order. Rows after the slice may be left out.
  func sortByLeading(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ scopes: ScopeRows, _ result: inout Expansion,
    from first: Int, firstOffset: Int
  ) throws(RuntimeProblem) {
    guard result.rows.count - first > 1 else { return }
    let images = DirectKeys(order, readers[order.leading])
    let leavesOut = set.isSliced && set.distinct == nil
    let vectors = leavesOut ? try set.bounds?.vectors(scopes, self) : nil
    let common = leavesOut ? try commonSlice(set, scopes.count) : Slice()
    let offsets = result.offsets.base + firstOffset
    let rows = result.rows.base
    var ties: [Tie] = []
    var start = first
    var written = first
    for element in 0..<scopes.count {
      let end = Int(offsets[element])
      let count = end - start
      let slice = if let common { common } else { try slice(set, vectors, element, of: scopes) }
      let kept = min(slice.end, count)
      if kept > 0, count > 1 {
        let keys = state.keys.room(for: UInt64.self, count: count)
        images.gather(UnsafePointer(rows + start), count, into: keys)
        let items = state.items.room(for: SortItem.self, count: count)
        let found = try sortKeepingTies(rows + start, keys, count, keeping: kept, items, state)
        for index in 0..<found {
          if index > 0, items[index].key == items[index - 1].key { ties.join(written) }
          rows[written] = items[index].row
          written &+= 1
        }
      } else if kept > 0 {
        rows[written] = rows[start]
        written &+= 1
      }
      offsets[element] = UInt32(truncatingIfNeeded: written)
      start = end
    }
    result.rows.count = written
    if !ties.isEmpty { try resolve(ties, set, state, order, scopes, rows) }
  }

  /// Writes the first `kept` rows in the order of the keys, and those that are equal to the last of them; returns how
  /// many there are.
  @inline(__always)
  private func sortKeepingTies(
    _ rows: UnsafePointer<UInt32>, _ keys: UnsafeMutablePointer<UInt64>, _ count: Int, keeping kept: Int,
    _ items: UnsafeMutablePointer<SortItem>, _ state: SetState
  ) throws(RuntimeProblem) -> Int {
    guard kept < count else { return try sort(rows, keys, count, keeping: kept, items, state) }
    _ = try sort(rows, keys, count, keeping: kept, items, state)
    let threshold = items[kept - 1].key
    // In the order in which they came, what is not after the last one.
    var found = 0
    for index in 0..<count where keys[index] <= threshold {
      items[found] = SortItem(key: keys[index], index: UInt32(truncatingIfNeeded: index), row: rows[index])
      found &+= 1
    }
    try RowSorting.sort(items, found, spare: state.spare.room(for: SortItem.self, count: found), self)
    return found
  }

  /// Sorts the rows of each tie by all terms.
  func resolve(
    _ ties: [Tie], _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ scopes: ScopeRows,
    _ rows: UnsafeMutablePointer<UInt32>
  ) throws(RuntimeProblem) {
    state.candidates.removeAll()
    for tie in ties { state.candidates.append(UnsafePointer(rows + tie.start), tie.count) }
    let tied = UnsafePointer(state.candidates.base)
    let total = state.candidates.count
    let keys = try sortKeys(order, set, state, scopes, tied, total, ends: tied, base: 0)
    var start = 0
    for tie in ties {
      let items = state.items.room(for: SortItem.self, count: tie.count)
      for index in 0..<tie.count {
        items[index] = SortItem(
          key: keys.terms[0].images[start + index], index: UInt32(truncatingIfNeeded: start + index),
          row: tied[start + index])
      }
      try keys.sort(items, tie.count, state, self)
      for index in 0..<tie.count { rows[tie.start + index] = items[index].row }
      start += tie.count
    }
  }
}
