/// A hash of memory, for tests that prove that a snapshot never changes.
struct MemoryDigest {
  private(set) var value: UInt64 = 0x1234_5678_9ABC_DEF0

  mutating func add(_ word: UInt64) { value = KeyHash.mix(value ^ word, KeyHash.seed1) &+ KeyHash.seed2 }

  mutating func add(_ start: UnsafeRawPointer, _ count: Int) {
    var offset = 0
    while offset + 8 <= count {
      add((start + offset).loadUnaligned(as: UInt64.self))
      offset += 8
    }
    while offset < count {
      add(UInt64((start + offset).load(as: UInt8.self)))
      offset += 1
    }
  }

  mutating func add(_ page: Page) { add(UnsafeRawPointer(page.base), page.byteCount) }
}

extension ColumnStore {
  /// All pages, and what live runs, texts and lists hold.
  func hashMemory(into digest: inout MemoryDigest) {
    for index in 0..<directory.count {
      let page = directory.page(index)
      let base = UnsafeRawPointer(page.base)
      let rows = min(PageLayout.rows, count - index * PageLayout.rows)
      if rows == PageLayout.rows {
        digest.add(base, PageSummary.bytes.lowerBound)
        digest.add(base + PageSummary.bytes.upperBound, page.byteCount - PageSummary.bytes.upperBound)
        continue
      }
      // Behind its rows other versions may write, and count their nulls.
      digest.add(page.stamp)
      for row in 0..<rows { digest.add(isNull(UInt32(truncatingIfNeeded: index * PageLayout.rows + row)) ? 1 : 0) }
      digest.add(base + PageLayout.cellsOffset, rows * width)
      if kind == .int64, PageLayout.isFine(base) { digest.add(base + PageLayout.finerOffset, rows * 8) }
    }
    digest.add(UInt64(liveNulls))
    digest.add(UInt64(bitPattern: Int64(liveBytes)))
    for row in 0..<UInt32(truncatingIfNeeded: count) {
      let cell = cell(row)
      switch kind {
      case .references:
        let run = reader.references(row)
        if let start = run.baseAddress { digest.add(start, run.count * 4) }
      case .text: TextView(cell).withBytes { digest.add($0, $1) }
      default: break
      }
    }
  }
}
