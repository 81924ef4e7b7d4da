import GQLBase
import GQLCatalog
import GQLStore

/// Puts lists of rows that are gathered into order. By what rows are compared follows from the terms and from the data:
/// by their own numbers, by a column as it lies, by the first of several terms, or by all of them.
extension CompiledOrder {
  /// Puts the rows from `first` on, element by element, into list order; returns whether they are cut as well. Rows
  /// after the slice may be left out.
  func sort(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int,
    firstOffset: Int, _ execution: Execution
  ) throws(RuntimeProblem) -> Bool {
    if isByID, execution.look({ $0.idsAscend(set.type) }) {
      sortByRow(scopes.count, &result, from: first, firstOffset: firstOffset)
    } else if direct >= 0, isWithoutNulls(set, execution) {
      try sortByColumn(set, state, scopes, &result, from: first, firstOffset: firstOffset, execution)
      return set.distinct == nil
    } else if leading >= 0, set.outerScopes == 0, isWithoutNulls(set, execution) {
      try sortByLeading(set, state, scopes, &result, from: first, firstOffset: firstOffset, execution)
    } else {
      try sortByTerms(set, state, scopes, &result, from: first, firstOffset: firstOffset, execution)
    }
    return false
  }

  /// Sorts the rows of each element by id, where ids ascend with the rows.
  private func sortByRow(_ elements: Int, _ result: inout Expansion, from first: Int, firstOffset: Int) {
    let offsets = result.offsets.base + firstOffset
    var start = first
    for element in 0..<elements {
      let end = Int(offsets[element])
      RowSorting.sort(result.rows.base + start, end - start, descending: terms[0].isDescending)
      start = end
    }
  }

  private static var gatheredKeys: Int { 4096 }

  /// Sorts by one column without nulls, whose keys come straight from where they lie. Cuts too, if nothing is left to
  /// do after it.
  private func sortByColumn(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int,
    firstOffset: Int, _ execution: Execution
  ) throws(RuntimeProblem) {
    let images = DirectKeys(self, execution.readers[direct])
    let slices = set.distinct == nil
    let vectors = slices ? try set.slice?.sources.vectors(scopes, execution) : nil
    let offsets = result.offsets.base + firstOffset
    let common: SliceRange? = slices ? try set.commonSlice(scopes.count, execution) : SliceRange()
    let rows = result.rows.base
    var start = first
    var written = first
    var element = 0
    while element < scopes.count {
      // The keys of several elements at once, so that their cache misses overlap.
      let block = start
      var last = element + 1
      while last < scopes.count, Int(offsets[last]) - block <= Self.gatheredKeys { last += 1 }
      let total = Int(offsets[last - 1]) - block
      let keys = state.keys.room(for: UInt64.self, count: total)
      images.gather(UnsafePointer(rows + block), total, into: keys)
      while element < last {
        let end = Int(offsets[element])
        let slice = if let common { common } else { try set.slice(vectors, element, of: scopes, execution) }
        let count = end - start
        let kept = min(slice.end, count)
        if kept > 0, slice.offset < count {
          let items = state.items.room(for: SortItem.self, count: kept)
          let found = try RowSorting.first(
            kept, of: rows + start, keys + (start - block), count, items, state, execution)
          for index in slice.offset..<found {
            rows[written] = items[index].row
            written &+= 1
          }
        }
        offsets[element] = UInt32(truncatingIfNeeded: written)
        start = end
        element += 1
      }
    }
    result.rows.count = written
  }

  /// Sorts by all terms.
  func sortByTerms(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int,
    firstOffset: Int, _ execution: Execution
  ) throws(RuntimeProblem) {
    let total = result.rows.count - first
    guard total > 1 else { return }
    let rows = result.rows.base
    let offsets = result.offsets.base + firstOffset
    let keys = try keys(
      set, state, scopes, UnsafePointer(rows + first), total, ends: UnsafePointer(offsets), base: first, execution)
    var start = first
    for element in 0..<scopes.count {
      let end = Int(offsets[element])
      try keys.arrange(rows + start, end - start, from: start - first, state, execution)
      start = end
    }
  }

  // MARK: - The first of several terms

  /// Sorts by several terms of which the first is a plain column without nulls: it decides nearly everything, so that
  /// the others are computed for rows that are equal in it only.
  private func sortByLeading(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int,
    firstOffset: Int, _ execution: Execution
  ) throws(RuntimeProblem) {
    guard result.rows.count - first > 1 else { return }
    let images = DirectKeys(self, execution.readers[leading])
    let leavesOut = set.slice != nil && set.distinct == nil
    let vectors = leavesOut ? try set.slice?.sources.vectors(scopes, execution) : nil
    let common = leavesOut ? try set.commonSlice(scopes.count, execution) : SliceRange()
    let offsets = result.offsets.base + firstOffset
    let rows = result.rows.base
    var ties: [Tie] = []
    var start = first
    var written = first
    for element in 0..<scopes.count {
      let end = Int(offsets[element])
      let count = end - start
      let slice = if let common { common } else { try set.slice(vectors, element, of: scopes, execution) }
      let kept = min(slice.end, count)
      if kept > 0, count > 1 {
        let keys = state.keys.room(for: UInt64.self, count: count)
        images.gather(UnsafePointer(rows + start), count, into: keys)
        let items = state.items.room(for: SortItem.self, count: count)
        let found = try sortKeepingTies(rows + start, keys, count, keeping: kept, items, state, execution)
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
    try resolve(ties, set, state, scopes, rows, execution)
  }

  /// Writes the first `kept` rows in the order of the keys, and those that are equal to the last of them; returns how
  /// many there are.
  @inline(__always)
  private func sortKeepingTies(
    _ rows: UnsafePointer<UInt32>, _ keys: UnsafeMutablePointer<UInt64>, _ count: Int, keeping kept: Int,
    _ items: UnsafeMutablePointer<SortItem>, _ state: SetState, _ execution: Execution
  ) throws(RuntimeProblem) -> Int {
    let all = try RowSorting.first(kept, of: rows, keys, count, items, state, execution)
    if kept == count { return all }
    let threshold = items[kept - 1].key
    // In the order in which they came, what is not after the last one.
    var found = 0
    for index in 0..<count where keys[index] <= threshold {
      items[found] = SortItem(key: keys[index], index: UInt32(truncatingIfNeeded: index), row: rows[index])
      found &+= 1
    }
    try RowSorting.sort(items, found, spare: state.spare.room(for: SortItem.self, count: found), execution)
    return found
  }

  /// Sorts the rows of each tie by all terms.
  func resolve(
    _ ties: [Tie], _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ rows: UnsafeMutablePointer<UInt32>,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    if ties.isEmpty { return }
    state.candidates.removeAll()
    for tie in ties { state.candidates.append(UnsafePointer(rows + tie.start), tie.count) }
    let tied = UnsafePointer(state.candidates.base)
    let keys = try keys(set, state, scopes, tied, state.candidates.count, ends: tied, execution)
    var start = 0
    for tie in ties {
      try keys.arrange(rows + tie.start, tie.count, from: start, state, execution)
      start += tie.count
    }
  }
}

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
