extension HashIndex {
  /// Fills an empty index with the rows. Two rows with one key of a unique index are given back, lower row first.
  ///
  /// Where the allowance ends the index is not to be used.
  func build(
    _ rows: IndexedRows, columns: UnsafePointer<ColumnReader>, _ allowance: WorkAllowance? = nil
  ) -> (UInt32, UInt32)? {
    let reader = reader(columns)
    var entries: [UInt64] = []
    var share = allowance.map { MemoryShare($0) }
    // Sorting needs as much again.
    if share?.hold(rows.underestimatedCount * 16) == false { return nil }
    entries.reserveCapacity(rows.underestimatedCount)
    withUnsafeTemporaryAllocation(of: Cell.self, capacity: layout.count) { buffer in
      // Safe because keys have at least one component.
      let key = buffer.baseAddress.unsafelyUnwrapped
      for row in rows {
        if allowance?.advance() == false { return }
        guard layout.load(columns, row, into: key) else { continue }
        entries.append(UInt64(KeyHash.tag(reader.hash(key))) << 32 | UInt64(row))
      }
    }
    // By tag, then row: keys come together, and pages are filled one after the other.
    RadixSort.sortHighHalves(&entries, allowance)
    let pair = entries.withUnsafeMutableBufferPointer { placeSorted($0, columns: columns, allowance) }
    _ = share?.hold(byteCount)
    return pair
  }

  private func placeSorted(
    _ entries: UnsafeMutableBufferPointer<UInt64>, columns: UnsafePointer<ColumnReader>, _ allowance: WorkAllowance?
  ) -> (UInt32, UInt32)? {
    var start = 0
    while start < entries.count {
      if allowance?.advance() == false { return nil }
      let tag = UInt32(truncatingIfNeeded: entries[start] >> 32)
      var end = start + 1
      while end < entries.count && entries[end] >> 32 == UInt64(tag) { end += 1 }
      // Almost always one key; others of the same tag are taken in the next rounds.
      var first = start
      while first < end {
        let row = UInt32(truncatingIfNeeded: entries[first])
        var same = first + 1
        if same < end {
          same = partition(entries, first, end, like: row, columns: columns)
          if isUnique && same - first > 1 { return (row, UInt32(truncatingIfNeeded: entries[first + 1])) }
        }
        placeKey(tag: tag, entries[first..<same])
        first = same
      }
      start = end
    }
    return nil
  }

  private func placeKey(tag: UInt32, _ entries: Slice<UnsafeMutableBufferPointer<UInt64>>) {
    distinctKeys += 1
    if entries.count == 1 {
      insertSlot(tag: tag, payload: UInt32(truncatingIfNeeded: entries[entries.startIndex]))
      return
    }
    let posting = makePosting()
    let rows = postings.makeRun(posting, count: entries.count)
    for (offset, entry) in entries.enumerated() { rows[offset] = UInt32(truncatingIfNeeded: entry) }
    insertSlot(tag: tag, payload: posting | HashPage.postingFlag)
  }

  /// Moves the entries with the key of `row` to the front, both parts in their order; gives the end of the front.
  private func partition(
    _ entries: UnsafeMutableBufferPointer<UInt64>, _ start: Int, _ end: Int, like row: UInt32,
    columns: UnsafePointer<ColumnReader>
  ) -> Int {
    withUnsafeTemporaryAllocation(of: Cell.self, capacity: layout.count) { buffer in
      let key = buffer.baseAddress.unsafelyUnwrapped
      _ = layout.load(columns, row, into: key)
      let reader = reader(columns)
      var others: [UInt64] = []
      var kept = start
      for index in start..<end {
        let entry = entries[index]
        if reader.matches(UInt32(truncatingIfNeeded: entry), key) {
          entries[kept] = entry
          kept += 1
        } else {
          others.append(entry)
        }
      }
      for (offset, entry) in others.enumerated() { entries[kept + offset] = entry }
      return kept
    }
  }
}

/// Adding many rows at once.
extension HashIndex {
  /// Adds rows from `first` on whose cells are in no column yet, up to one whose key another row has.
  ///
  /// - Parameters:
  ///   - columns: The cells of the new rows, of which those of `rows` are added.
  ///   - stored: The columns of the rows below `first`.
  /// - Returns: How many rows were added, and the row with the next one's key.
  func insertUnique(
    _ first: UInt32, _ columns: UnsafePointer<ColumnCells>, _ rows: Range<Int>, stored: UnsafePointer<ColumnReader>
  ) -> (added: Int, existing: UInt32?) {
    let block = 64
    let seed = KeyHash.seed
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: block) { tags -> (added: Int, existing: UInt32?) in
      var start = rows.lowerBound
      while start < rows.upperBound {
        let size = min(block, rows.upperBound - start)
        // In steps, so that the cache misses of one step overlap.
        for index in 0..<size {
          tags[index] = isWhole(columns, start + index) ? KeyHash.tag(hash(columns, start + index, seed)) : 0
        }
        touch(UnsafeBufferPointer(rebasing: tags[0..<size]))
        for index in 0..<size {
          let row = start + index
          guard isWhole(columns, row) else { continue }
          let added = row - rows.lowerBound
          let found = findOrPlace(tag: tags[index], row: first + UInt32(truncatingIfNeeded: added)) { other in
            other < first
              ? matches(columns, row, stored: other, in: stored)
              : matches(columns, row, rows.lowerBound + Int(other - first))
          }
          if let found { return (added, found) }
        }
        start += size
      }
      return (rows.count, nil)
    }
  }

  private func hash(_ columns: UnsafePointer<ColumnCells>, _ row: Int, _ seed: UInt64) -> UInt64 {
    var hash = layout.components[0].hash(columns[layout.components[0].column].cells[row], seed)
    for index in 1..<max(1, layout.count) {
      let component = layout.components[index]
      hash = KeyHash.combine(hash, component.hash(columns[component.column].cells[row], seed))
    }
    return hash
  }

  private func isWhole(_ columns: UnsafePointer<ColumnCells>, _ row: Int) -> Bool {
    for index in 0..<layout.count where !columns[layout.components[index].column].valid[row] { return false }
    return true
  }

  private func matches(
    _ columns: UnsafePointer<ColumnCells>, _ row: Int, stored other: UInt32, in stored: UnsafePointer<ColumnReader>
  ) -> Bool {
    for index in 0..<layout.count {
      let component = layout.components[index]
      if !component.equals(component.cell(stored, other), columns[component.column].cells[row]) { return false }
    }
    return true
  }

  private func matches(_ columns: UnsafePointer<ColumnCells>, _ row: Int, _ other: Int) -> Bool {
    for index in 0..<layout.count {
      let component = layout.components[index]
      let cells = columns[component.column].cells
      if !component.equals(cells[other], cells[row]) { return false }
    }
    return true
  }
}
