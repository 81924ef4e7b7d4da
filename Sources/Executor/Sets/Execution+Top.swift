import GQLBase
import GQLCatalog
import GQLStore

extension Execution {
  /// Offers all rows of the set that have a value in the only order column.
  func offerAll(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ outer: ScopeRows, to heap: inout TopHeap
  ) throws(RuntimeProblem) {
    let reader = readers[order.direct]
    let images = DirectKeys(order, reader)
    guard set.isScan else {
      state.candidates.removeAll()
      _ = try set.access.gather(set, state, outer, self, into: &state.candidates)
      note(set, accessRows: state.candidates.count)
      try filterRows(set, state, outer, &state.candidates, from: 0, needed: Int.max)
      // The same row may come twice, but only from paths that do not say that they are ascending and unique.
      sortUnique(&state.candidates, from: 0, set, state)
      offer(UnsafePointer(state.candidates.base), state.candidates.count, images, to: &heap)
      return
    }
    let slots = snapshot.slotCount(set.type)
    let live = snapshot.liveness(set.type)
    note(set, accessRows: slots)
    let isDescending = order.terms[0].isDescending
    var first = 0
    while first < slots {
      let count = min(PageLayout.rows, slots - first)
      if set.filter != nil {
        state.candidates.removeAll()
        state.candidates.reserve(PageLayout.rows)
        let kept = try filterPage(set, state, first, count, outer, into: state.candidates.end)
        offer(UnsafePointer(state.candidates.base), kept, images, to: &heap)
      } else {
        if first & (PageLayout.rows &* 32 &- 1) == 0 { try checkpoint() }
        let page = reader.page(of: UInt32(truncatingIfNeeded: first))
        if order.directKind == .int64, count == PageLayout.rows, let summary = PageSummary.scanning(page),
          heap.isFull
        {
          // Rows come ascending, so that a page with no more than an equal key is too late.
          let worst = reader.int64(heap.items[0].row)
          if isDescending ? summary.highest <= worst : summary.lowest >= worst {
            first += count
            continue
          }
        }
        let cells = page + PageLayout.cellsOffset
        switch order.directKind {
        case .int64:
          offerPage(cells.assumingMemoryBound(to: Int64.self), first, count, images, live, isDescending, &heap)
        case .float64:
          offerPage(cells.assumingMemoryBound(to: Double.self), first, count, images, live, isDescending, &heap)
        case .byte:
          offerPage(cells.assumingMemoryBound(to: UInt8.self), first, count, images, live, isDescending, &heap)
        default:
          offerPage(cells.assumingMemoryBound(to: UInt16.self), first, count, images, live, isDescending, &heap)
        }
      }
      first += count
    }
  }

  private func offer(
    _ rows: UnsafePointer<UInt32>, _ count: Int, _ images: DirectKeys, to heap: inout TopHeap
  ) {
    for index in 0..<count {
      let row = rows[index]
      let key = images.image(row)
      // Rows come ascending, so that an equal key is too late.
      if heap.isFull, key >= heap.threshold { continue }
      if images.reader.isNull(row) { continue }
      heap.offer(SortItem(key: key, index: row, row: row))
    }
  }

  /// Rejects against the worst item kept, in the column's own type; validity and liveness are looked at only for the
  /// few that pass.
  @inline(__always)
  private func offerPage<Value: Comparable & BitwiseCopyable>(
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

extension ColumnReader {
  /// The cell of a fixed-width column, in its own type.
  @inline(__always)
  func value<Value: BitwiseCopyable>(_ row: UInt32, as type: Value.Type) -> Value {
    (page(of: row) + (PageLayout.cellsOffset + (Int(row) & 1023) &* MemoryLayout<Value>.stride))
      .load(as: Value.self)
  }
}
