import GQLCatalog

/// The rows of a type whose ids ascend with them, read as an ordered index over ids: the table itself is sorted.
/// Valid as long as the ``Snapshot`` that gave it.
package struct RowOrderReader: @unchecked Sendable {
  private let component: KeyComponent
  private let columns: UnsafePointer<ColumnReader>
  /// Nil while all rows are live.
  private let liveness: ColumnReader?
  private let slotCount: Int
  private let live: Int

  /// Nil where ids do not ascend with rows.
  init?(_ table: Table) {
    guard table.idsAscend, let component = table.layout.idKey else { return nil }
    self.component = component
    columns = UnsafePointer(table.readers)
    liveness = table.live == table.slots ? nil : table.liveness?.reader
    slotCount = table.slots
    live = table.live
  }

  // MARK: - Places

  /// Returns the number of rows, deleted ones included, that `isBefore` accepts; they stand before all others.
  private func firstSlot(isBefore: (Cell) -> Bool) -> Int {
    var low = 0
    var high = slotCount
    while low < high {
      let middle = (low &+ high) &>> 1
      if isBefore(component.cell(columns, UInt32(truncatingIfNeeded: middle))) {
        low = middle &+ 1
      } else {
        high = middle
      }
    }
    return low
  }

  private func firstSlot(from cell: Cell, inclusive: Bool) -> Int {
    let kind = component.kind
    return inclusive
      ? firstSlot { KeyOrder.compare(kind, $0, cell) < 0 } : firstSlot { KeyOrder.compare(kind, $0, cell) <= 0 }
  }

  /// Returns the rows, deleted ones included, whose ids lie within the bounds.
  ///
  /// Complexity: O(log *n*).
  package func slots(_ bounds: BTreeBounds) -> Range<Int> {
    // No id is null.
    if bounds.onlyNulls { return 0..<0 }
    var start = 0
    var end = slotCount
    if bounds.equalCount > 0, let equal = bounds.equal {
      start = firstSlot(from: equal[0], inclusive: true)
      end = firstSlot(from: equal[0], inclusive: false)
    } else if let prefix = bounds.textPrefix {
      let text = TextView(prefix)
      start = firstSlot(from: prefix, inclusive: true)
      end = firstSlot { TextView($0).compare(text, limit: text.count) <= 0 }
    } else {
      if let lower = bounds.lower { start = firstSlot(from: lower, inclusive: bounds.lowerInclusive) }
      if let upper = bounds.upper { end = firstSlot(from: upper, inclusive: !bounds.upperInclusive) }
    }
    return start..<max(start, end)
  }

  // MARK: - Live rows

  private func cells(_ slot: Int) -> UnsafePointer<UInt8>? {
    liveness.map { reader in
      (reader.page(of: UInt32(truncatingIfNeeded: slot)) + (PageLayout.cellsOffset + slot & PageLayout.rowMask))
        .assumingMemoryBound(to: UInt8.self)
    }
  }

  /// Returns how many of the rows are live.
  ///
  /// Complexity: O(1) while no row of the type is deleted, else O(rows), of which a nanosecond counts some twenty.
  package func liveCount(_ slots: Range<Int>) -> Int {
    if liveness == nil { return slots.count }
    if slots.count == slotCount { return live }
    var count = 0
    var slot = slots.lowerBound
    while slot < slots.upperBound, let cells = cells(slot) {
      let end = min(slots.upperBound, slot | PageLayout.rowMask + 1)
      count &+= Self.liveCount(cells, end - slot)
      slot = end
    }
    return count
  }

  /// Counts the cells of a page of which bit 0 is set.
  private static func liveCount(_ cells: UnsafePointer<UInt8>, _ count: Int) -> Int {
    let start = UnsafeRawPointer(cells)
    var sum = 0
    var place = 0
    while place &+ 8 <= count {
      let word = start.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      sum &+= (word & 0x0101_0101_0101_0101).nonzeroBitCount
      place &+= 8
    }
    while place < count {
      sum &+= Int(cells[place] & 1)
      place &+= 1
    }
    return sum
  }

  /// Estimates how many of the rows are live, as many in a hundred as in the whole table.
  func estimatedCount(_ slots: Range<Int>) -> Int {
    if liveness == nil || slotCount == 0 { return slots.count }
    return Int(Double(slots.count) * Double(live) / Double(slotCount))
  }

  /// Returns the first live row of a range.
  package func firstLive(_ slots: Range<Int>) -> Int? {
    if liveness == nil { return slots.first }
    var slot = slots.lowerBound
    while slot < slots.upperBound, let cells = cells(slot) {
      let end = min(slots.upperBound, slot | PageLayout.rowMask + 1)
      if Self.liveCount(cells, end - slot) > 0 {
        for offset in 0..<(end - slot) where cells[offset] & 1 != 0 { return slot + offset }
      }
      slot = end
    }
    return nil
  }

  func walk(
    _ slots: Range<Int>, descending: Bool, skip: Int, limit: Int, into rows: UnsafeMutablePointer<UInt32>
  ) -> Int {
    if liveness == nil {
      let count = min(limit, slots.count - skip)
      guard count > 0 else { return 0 }
      let first = descending ? slots.upperBound - 1 - skip : slots.lowerBound + skip
      for index in 0..<count {
        rows[index] = UInt32(truncatingIfNeeded: descending ? first &- index : first &+ index)
      }
      return count
    }
    return descending
      ? walkBack(slots, skip: skip, limit: limit, into: rows) : walkOn(slots, skip: skip, limit: limit, into: rows)
  }

  private func walkOn(_ slots: Range<Int>, skip: Int, limit: Int, into rows: UnsafeMutablePointer<UInt32>) -> Int {
    var skip = skip
    var done = 0
    var slot = slots.lowerBound
    while slot < slots.upperBound, done < limit, let cells = cells(slot) {
      let end = min(slots.upperBound, slot | PageLayout.rowMask + 1)
      let count = Self.liveCount(cells, end - slot)
      if count <= skip {
        skip -= count
      } else {
        for offset in 0..<(end - slot) where cells[offset] & 1 != 0 {
          if skip > 0 {
            skip -= 1
            continue
          }
          if done == limit { break }
          rows[done] = UInt32(truncatingIfNeeded: slot + offset)
          done += 1
        }
      }
      slot = end
    }
    return done
  }

  private func walkBack(_ slots: Range<Int>, skip: Int, limit: Int, into rows: UnsafeMutablePointer<UInt32>) -> Int {
    var skip = skip
    var done = 0
    var end = slots.upperBound
    while end > slots.lowerBound, done < limit {
      let start = max(slots.lowerBound, (end - 1) & ~PageLayout.rowMask)
      guard let cells = cells(start) else { break }
      let count = Self.liveCount(cells, end - start)
      if count <= skip {
        skip -= count
      } else {
        var slot = end - 1
        while slot >= start, done < limit {
          if cells[slot - start] & 1 != 0 {
            if skip > 0 {
              skip -= 1
            } else {
              rows[done] = UInt32(truncatingIfNeeded: slot)
              done += 1
            }
          }
          slot -= 1
        }
      }
      end = start
    }
    return done
  }
}

/// What has entries in the order of keys: a B-tree, or the table itself.
package enum OrderedReader: Sendable {
  case tree(BTreeReader)
  case rows(RowOrderReader)

  /// Indicates whether entries are in the order of their rows.
  package var isByRow: Bool { if case .rows = self { true } else { false } }

  /// Returns how many entries lie within the bounds.
  package func count(_ bounds: BTreeBounds) -> Int {
    switch self {
    case .tree(let reader): reader.count(bounds)
    case .rows(let reader): reader.liveCount(reader.slots(bounds))
    }
  }

  /// Returns about how many entries lie within the bounds.
  ///
  /// Complexity: O(log *n*).
  package func estimate(_ bounds: BTreeBounds) -> Int {
    switch self {
    case .tree(let reader): reader.count(bounds)
    case .rows(let reader): reader.estimatedCount(reader.slots(bounds))
    }
  }

  /// Writes the rows of the bounds in list order, from the one with number `skip` on, at most `limit`. Returns how many.
  package func walk(
    _ bounds: BTreeBounds, descending: Bool, skip: Int, limit: Int, into rows: UnsafeMutablePointer<UInt32>
  ) -> Int {
    switch self {
    case .tree(let reader): reader.walk(bounds, descending: descending, skip: skip, limit: limit, into: rows)
    case .rows(let reader):
      reader.walk(reader.slots(bounds), descending: descending, skip: max(0, skip), limit: max(0, limit), into: rows)
    }
  }
}

extension Table {
  /// What reads ids in their order; nil where nothing does.
  var idOrderReader: OrderedReader? {
    if let rows = RowOrderReader(self) { return .rows(rows) }
    guard let number = layout.idOrder, let tree = indexes[number].asTree else { return nil }
    return .tree(tree.reader(readers))
  }
}
