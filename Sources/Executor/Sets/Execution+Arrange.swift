import GQLBase
import GQLCatalog
import GQLStore

extension Execution {
  /// Puts the rows from `first` on, element by element, into list order, and keeps `distinctOn`'s and the slice.
  func arrange(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int,
    firstOffset: Int
  ) throws(RuntimeProblem) {
    if let order = set.order {
      let started = measuredTime
      let count = result.rows.count - first
      defer { note(set, ordered: count, since: started) }
      if order.isByID, snapshot.idsAscend(set.type) {
        sortByRow(order, scopes.count, &result, from: first, firstOffset: firstOffset)
      } else if order.direct >= 0, isWithoutNulls(set, order) {
        try sortDirectly(set, state, order, scopes, &result, from: first, firstOffset: firstOffset)
        if set.distinct == nil { return }
      } else if order.leading >= 0, set.outerScopes == 0, isWithoutNulls(set, order) {
        try sortByLeading(set, state, order, scopes, &result, from: first, firstOffset: firstOffset)
      } else {
        try sortByKeys(set, state, order, scopes, &result, from: first, firstOffset: firstOffset)
      }
    }
    if let distinct = set.distinct {
      try keepFirst(set, state, distinct, scopes, &result, from: first, firstOffset: firstOffset)
    }
    try cut(set, scopes, &result, from: first, firstOffset: firstOffset)
  }

  /// Sorts the rows of each element by id, where ids ascend with the rows.
  private func sortByRow(
    _ order: CompiledOrder, _ elements: Int, _ result: inout Expansion, from first: Int, firstOffset: Int
  ) {
    let offsets = result.offsets.base + firstOffset
    var start = first
    for element in 0..<elements {
      let end = Int(offsets[element])
      RowSorting.sort(result.rows.base + start, end - start, descending: order.terms[0].isDescending)
      start = end
    }
  }

  /// Keeps the slice of each element's rows.
  func cut(
    _ set: CompiledSet, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int, firstOffset: Int
  ) throws(RuntimeProblem) {
    guard set.isSliced else { return }
    let vectors = try set.bounds?.vectors(scopes, self)
    let offsets = result.offsets.base + firstOffset
    var start = first
    var written = first
    for element in 0..<scopes.count {
      let end = Int(offsets[element])
      let slice = try slice(set, vectors, element, of: scopes)
      let from = start + min(slice.offset, end - start)
      let count = min(slice.limit, end - from)
      if written != from, count > 0 {
        (result.rows.base + written).update(from: result.rows.base + from, count: count)
      }
      written += count
      offsets[element] = UInt32(truncatingIfNeeded: written)
      start = end
    }
    result.rows.count = written
  }

  /// Nulls are counted in live rows only.
  func isWithoutNulls(_ set: CompiledSet, _ order: CompiledOrder) -> Bool {
    if order.directIsNonNull { return true }
    guard snapshot.nullCount(set.type, order.directColumn) == 0 else { return false }
    return snapshot.deletedCount(set.type) == 0 || set.access.findsLiveRowsOnly
  }

  /// One term, a fixed-width column without nulls: keys come straight from the column. Slices too, if nothing is
  /// left to do behind.
  private func sortDirectly(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ scopes: ScopeRows, _ result: inout Expansion,
    from first: Int, firstOffset: Int
  ) throws(RuntimeProblem) {
    let images = DirectKeys(order, readers[order.direct])
    let slices = set.distinct == nil
    let vectors = slices ? try set.bounds?.vectors(scopes, self) : nil
    let offsets = result.offsets.base + firstOffset
    let common: Slice? = slices ? try commonSlice(set, scopes.count) : Slice()
    let rows = result.rows.base
    var start = first
    var written = first
    var element = 0
    while element < scopes.count {
      // The keys of several elements at once, so that their cache misses overlap.
      let block = start
      var last = element + 1
      while last < scopes.count, Int(offsets[last]) - block <= Execution.gatheredKeys { last += 1 }
      let total = Int(offsets[last - 1]) - block
      let keys = state.keys.room(for: UInt64.self, count: total)
      images.gather(UnsafePointer(rows + block), total, into: keys)
      while element < last {
        let end = Int(offsets[element])
        let slice = if let common { common } else { try slice(set, vectors, element, of: scopes) }
        let count = end - start
        let kept = min(slice.end, count)
        if kept > 0, slice.offset < count {
          let items = state.items.room(for: SortItem.self, count: kept)
          let found = try sort(rows + start, keys + (start - block), count, keeping: kept, items, state)
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

  static var gatheredKeys: Int { 4096 }
  /// How many rows are kept sorted while they come, rather than in a heap.
  private static var keptSorted: Int { 12 }

  /// Writes the first `kept` rows in the order of the keys; gives how many there are.
  @inline(__always)
  func sort(
    _ rows: UnsafePointer<UInt32>, _ keys: UnsafePointer<UInt64>, _ count: Int, keeping kept: Int,
    _ items: UnsafeMutablePointer<SortItem>, _ state: SetState
  ) throws(RuntimeProblem) -> Int {
    if kept <= Execution.keptSorted {
      var found = 0
      var threshold = UInt64.max
      for index in 0..<count {
        let key = keys[index]
        var hole = found
        if found == kept {
          // An equal key is too late.
          if key >= threshold { continue }
          hole = found &- 1
        } else {
          found &+= 1
        }
        while hole > 0, items[hole &- 1].key > key {
          items[hole] = items[hole &- 1]
          hole &-= 1
        }
        items[hole] = SortItem(key: key, index: UInt32(truncatingIfNeeded: index), row: rows[index])
        threshold = items[found &- 1].key
      }
      return found
    }
    if kept < count {
      var heap = TopHeap(items, capacity: kept)
      for index in 0..<count {
        let key = keys[index]
        if heap.isFull, key >= heap.threshold { continue }
        heap.offer(SortItem(key: key, index: UInt32(truncatingIfNeeded: index), row: rows[index]))
      }
    } else {
      for index in 0..<count {
        items[index] = SortItem(key: keys[index], index: UInt32(truncatingIfNeeded: index), row: rows[index])
      }
    }
    try RowSorting.sort(items, kept, spare: state.spare.room(for: SortItem.self, count: kept), self)
    return kept
  }

  /// Evaluates order terms or `distinctOn` for the rows from `first` on.
  func sortKeys(
    _ order: CompiledOrder, _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows,
    _ rows: UnsafePointer<UInt32>, _ count: Int, ends: UnsafePointer<UInt32>, base: Int
  ) throws(RuntimeProblem) -> SortKeys {
    try checkMemory(count * 25 * order.terms.count)
    var keys = SortKeys(order, count: count, state, self)
    var gather = OuterScopes(set.outerScopes, scopes, state)
    var start = 0
    while start < count {
      try checkpoint()
      let size = min(ScopeRows.batchRows, count - start)
      let batch = gather.batch(rows + start, size, start: base + start, ends: ends)
      let vectors = try order.program.evaluate(batch, self)
      keys.take(vectors, order, start: start, count: size, scratch)
      start += size
    }
    return keys
  }

  func sortByKeys(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ scopes: ScopeRows, _ result: inout Expansion,
    from first: Int, firstOffset: Int
  ) throws(RuntimeProblem) {
    let total = result.rows.count - first
    guard total > 1 else { return }
    let rows = result.rows.base
    let offsets = result.offsets.base + firstOffset
    let keys = try sortKeys(
      order, set, state, scopes, UnsafePointer(rows + first), total, ends: UnsafePointer(offsets), base: first)
    var start = first
    for element in 0..<scopes.count {
      let end = Int(offsets[element])
      let count = end - start
      if count > 1 {
        let items = state.items.room(for: SortItem.self, count: count)
        for index in 0..<count {
          let number = start &- first &+ index
          items[index] = SortItem(
            key: keys.terms[0].images[number], index: UInt32(truncatingIfNeeded: number), row: rows[start &+ index])
        }
        try keys.sort(items, count, state, self)
        for index in 0..<count { rows[start &+ index] = items[index].row }
      }
      start = end
    }
  }

  /// Keeps, of the rows of each element that agree in `distinctOn`, the first.
  func keepFirst(
    _ set: CompiledSet, _ state: SetState, _ distinct: CompiledOrder, _ scopes: ScopeRows,
    _ result: inout Expansion, from first: Int, firstOffset: Int
  ) throws(RuntimeProblem) {
    let total = result.rows.count - first
    guard total > 1 else { return }
    let rows = result.rows.base
    let offsets = result.offsets.base + firstOffset
    let keys = try sortKeys(
      distinct, set, state, scopes, UnsafePointer(rows + first), total, ends: UnsafePointer(offsets), base: first)
    state.bits.clear(rows: total)
    var start = first
    for element in 0..<scopes.count {
      let end = Int(offsets[element])
      let count = end - start
      guard count > 0 else { continue }
      let items = state.items.room(for: SortItem.self, count: count)
      for index in 0..<count {
        let number = start &- first &+ index
        items[index] = SortItem(
          key: keys.terms[0].images[number], index: UInt32(truncatingIfNeeded: number), row: rows[start &+ index])
      }
      try keys.sort(items, count, state, self)
      for index in 0..<count
      where index == 0 || keys.compare(Int(items[index - 1].index), Int(items[index].index)) != 0 {
        state.bits.insert(items[index].index)
      }
      start = end
    }
    start = first
    var written = first
    for element in 0..<scopes.count {
      let end = Int(offsets[element])
      for position in start..<end {
        rows[written] = rows[position]
        if state.bits.contains(UInt32(truncatingIfNeeded: position - first)) { written += 1 }
      }
      offsets[element] = UInt32(truncatingIfNeeded: written)
      start = end
    }
    result.rows.count = written
  }
}
