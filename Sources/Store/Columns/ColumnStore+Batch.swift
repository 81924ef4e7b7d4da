import GQLCatalog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Appending many rows at once: pages are claimed, and validity is written, for all rows of a page together.
extension ColumnStore {
  /// Adds `added` rows, null where `valid` is false. Payloads are copied into the arena unless they are there already.
  func append(
    _ cells: UnsafePointer<Cell>, _ valid: UnsafePointer<Bool>, count added: Int, ownsPayload: Bool = false
  ) {
    if kind == .int64, Self.hasFiner(cells, valid, added) {
      for index in 0..<added { append(valid[index] ? cells[index] : nil) }
      return
    }
    noteAscending(cells, valid, added)
    var first = 0
    while first < added {
      let (base, slot, rows) = claimRows(added - first)
      store(cells + first, valid + first, rows, at: base, slot, ownsPayload: ownsPayload)
      let nulls = Self.markValid(valid + first, rows, at: base, slot)
      noteAppended(rows, nulls: nulls, at: base)
      first += rows
    }
  }

  /// Adds `added` null rows.
  func appendNulls(_ added: Int) {
    if added > 0 { isAscending = false }
    var left = added
    while left > 0 {
      let (base, _, rows) = claimRows(left)
      noteAppended(rows, nulls: rows, at: base)
      left -= rows
    }
  }

  private static func hasFiner(_ cells: UnsafePointer<Cell>, _ valid: UnsafePointer<Bool>, _ count: Int) -> Bool {
    var finer: UInt64 = 0
    for index in 0..<count where valid[index] { finer |= cells[index].high }
    return finer != 0
  }

  private func noteAscending(_ cells: UnsafePointer<Cell>, _ valid: UnsafePointer<Bool>, _ added: Int) {
    guard isAscending, added > 0 else { return }
    // A column that is ascending has no nulls.
    var previous = count > 0 ? reader.cell(UInt32(truncatingIfNeeded: count - 1), kind: kind) : cells[0]
    for index in 0..<added {
      guard valid[index], isAbove(cells[index], previous) else {
        isAscending = false
        return
      }
      previous = cells[index]
    }
  }

  /// Writes the cells of new rows of one page, whose memory holds nulls so far.
  private func store(
    _ cells: UnsafePointer<Cell>, _ valid: UnsafePointer<Bool>, _ rows: Int, at base: UnsafeMutableRawPointer,
    _ slot: Int, ownsPayload: Bool
  ) {
    let start = base + (PageLayout.cellsOffset + slot &* width)
    switch kind {
    case .int64, .float64:
      let words = start.assumingMemoryBound(to: UInt64.self)
      for index in 0..<rows { words[index] = valid[index] ? cells[index].low : 0 }
    case .byte:
      let bytes = start.assumingMemoryBound(to: UInt8.self)
      for index in 0..<rows { bytes[index] = valid[index] ? UInt8(truncatingIfNeeded: cells[index].low) : 0 }
    case .decimal:
      for index in 0..<rows where valid[index] {
        (start + index &* 16).storeBytes(of: cells[index].low, as: UInt64.self)
        (start + (index &* 16 &+ 8)).storeBytes(of: cells[index].high, as: UInt64.self)
      }
    case .text:
      if ownsPayload { for index in 0..<rows where valid[index] { liveBytes += payloadBytes(cells[index]) } }
      storeTexts(cells, valid, rows, at: start, copies: !ownsPayload)
    case .wordList, .wideList:
      for index in 0..<rows where valid[index] {
        store(ownsPayload ? cells[index] : copyingPayload(cells[index]), at: start + index &* width)
      }
    case .code, .reference, .references:
      for index in 0..<rows where valid[index] { store(cells[index], at: start + index &* width) }
    }
  }

  /// Copies long texts into one block of the arena.
  private func storeTexts(
    _ cells: UnsafePointer<Cell>, _ valid: UnsafePointer<Bool>, _ rows: Int, at start: UnsafeMutableRawPointer,
    copies: Bool
  ) {
    var byteCount = 0
    if copies { for index in 0..<rows where valid[index] { byteCount &+= payloadBytes(cells[index]) } }
    var free = byteCount > 0 ? arena.allocate(byteCount) : start
    liveBytes += byteCount
    for index in 0..<rows where valid[index] {
      var view = TextView(cells[index])
      if copies, !view.isInline {
        // Safe because long texts have an address.
        memcpy(free, UnsafeRawPointer(bitPattern: UInt(view.word1)).unsafelyUnwrapped, view.count)
        view.word1 = UInt64(UInt(bitPattern: free))
        free += (view.count + 7) & ~7
      }
      (start + index &* 16).storeBytes(of: view.word0, as: UInt64.self)
      (start + (index &* 16 &+ 8)).storeBytes(of: view.word1, as: UInt64.self)
    }
  }

  /// Sets the validity of new rows of one page. Returns the number of nulls.
  private static func markValid(
    _ valid: UnsafePointer<Bool>, _ rows: Int, at base: UnsafeMutableRawPointer, _ slot: Int
  ) -> Int {
    var index = 0
    var nulls = 0
    while index < rows {
      let bit = (slot &+ index) & 63
      let span = min(64 - bit, rows - index)
      var bits: UInt64 = 0
      for offset in 0..<span { bits |= (valid[index &+ offset] ? 1 : 0) << UInt64(bit &+ offset) }
      nulls += span - bits.nonzeroBitCount
      let word = base + (PageLayout.validityOffset + (slot &+ index) >> 6 &* 8)
      word.storeBytes(of: word.load(as: UInt64.self) | bits, as: UInt64.self)
      index += span
    }
    return nulls
  }
}
