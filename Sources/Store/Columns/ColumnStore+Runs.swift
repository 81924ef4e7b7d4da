import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs of rows: the cells of `.references` columns, and the postings of hash indexes.
///
/// ```
/// byte  0        8         12         16
///       ┌────────┬─────────┬──────────┬────────┬─
///       │ stamp  │ claimed │ capacity │ row    │ …
///       └────────┴─────────┴──────────┴────────┴─
/// ```
/// A cell says where the first row is, and their number, see ``RunCell``.
///
/// `claimed` rows have been written by somebody. Whoever moves it from the count that it knows to the next one may
/// write the row there: versions that branch from one snapshot never write the same place, and none reads beyond its
/// own count. Everything else is written in place only by the transaction whose stamp the block carries.
extension ColumnStore {
  private static var header: Int { 16 }

  private static func claimed(_ rows: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (rows - 8).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  private static func capacity(_ rows: UnsafeMutableRawPointer) -> Int {
    Int((rows - 4).load(as: UInt32.self))
  }

  /// Whether this transaction made the block.
  private func owns(_ rows: UnsafeMutableRawPointer) -> Bool { (rows - 16).load(as: UInt64.self) == stamp }

  private static func blockBytes(_ capacity: Int) -> Int { (header + capacity * 4 + 7) & ~7 }

  /// A block with `capacity` rows, of which `count` are claimed and the caller's to fill.
  private func allocateBlock(capacity: Int, count: Int) -> UnsafeMutableRawPointer {
    let byteCount = Self.blockBytes(capacity)
    let block = arena.allocate(byteCount)
    liveBytes += byteCount
    block.storeBytes(of: stamp, as: UInt64.self)
    (block + 8).assumingMemoryBound(to: Atomic<UInt32>.self)
      .initialize(to: Atomic<UInt32>(UInt32(truncatingIfNeeded: count)))
    (block + 12).storeBytes(of: UInt32(truncatingIfNeeded: capacity), as: UInt32.self)
    return block + Self.header
  }

  private func releaseBlock(_ row: UInt32) {
    guard let start = reader.references(row).baseAddress else { return }
    let rows = UnsafeMutableRawPointer(mutating: start)
    let byteCount = Self.blockBytes(Self.capacity(rows))
    liveBytes -= byteCount
    arena.releaseLarge(rows - Self.header, byteCount: byteCount)
  }

  private func writeRunCell(_ row: UInt32, _ rows: UnsafeMutableRawPointer, count: Int, replacesOld: Bool = true) {
    if count > longestRun { longestRun = count }
    if replacesOld { forgetRecord(row) }
    if count <= RunCell.longest {
      writeRaw(row, Cell(low: RunCell.word(rows, count: UInt64(count))))
      return
    }
    let record = arena.allocate(RunCell.recordBytes)
    liveBytes += RunCell.recordBytes
    record.storeBytes(of: UInt(bitPattern: rows), as: UInt.self)
    (record + 8).storeBytes(of: UInt(count), as: UInt.self)
    writeRaw(row, Cell(low: RunCell.word(record, count: RunCell.marker)))
  }

  /// The two words of a long run are superseded.
  private func forgetRecord(_ row: UInt32) {
    if RunCell.isLong(cell(row).low) { liveBytes -= RunCell.recordBytes }
  }

  /// The cell has no run any more; the block is released already.
  private func clearRunCell(_ row: UInt32, replacesOld: Bool = true) {
    if replacesOld { forgetRecord(row) }
    writeRaw(row, nil)
  }

  /// Makes a copy of `run` the cell's run.
  func setRun(_ row: UInt32, copying run: UnsafeBufferPointer<UInt32>, capacity: Int, replacesOld: Bool = true) {
    if replacesOld { noteRun(row) }
    let oldCount = replacesOld ? reader.references(row).count : run.count
    linkCount += run.count - oldCount
    guard let start = run.baseAddress, run.count > 0 else {
      if replacesOld { releaseBlock(row) }
      clearRunCell(row, replacesOld: replacesOld)
      return
    }
    let rows = allocateBlock(capacity: max(capacity, run.count), count: run.count)
    memcpy(rows, start, run.count * 4)
    // Not before the copy, because `run` may be what is released.
    if replacesOld { releaseBlock(row) }
    writeRunCell(row, rows, count: run.count, replacesOld: replacesOld)
  }

  /// Room for an empty cell's run of `count` rows, which the caller fills at once.
  func makeRun(_ row: UInt32, count: Int) -> UnsafeMutablePointer<UInt32> {
    noteRun(row)
    let rows = allocateBlock(capacity: count, count: count)
    writeRunCell(row, rows, count: count)
    linkCount += count
    return rows.assumingMemoryBound(to: UInt32.self)
  }

  func appendToRun(_ row: UInt32, _ value: UInt32) {
    noteGrowth(row)
    let run = reader.references(row)
    if let start = run.baseAddress {
      let rows = UnsafeMutableRawPointer(mutating: start)
      let count = UInt32(truncatingIfNeeded: run.count)
      if run.count < Self.capacity(rows),
        Self.claimed(rows).pointee.compareExchange(
          expected: count, desired: count + 1, ordering: .acquiringAndReleasing
        ).exchanged
      {
        (rows + run.count * 4).storeBytes(of: value, as: UInt32.self)
        linkCount += 1
        writeRunCell(row, rows, count: run.count + 1)
        return
      }
    }
    let rows = allocateBlock(capacity: max(2, run.count * 2), count: run.count + 1)
    if let start = run.baseAddress { memcpy(rows, start, run.count * 4) }
    (rows + run.count * 4).storeBytes(of: value, as: UInt32.self)
    releaseBlock(row)
    linkCount += 1
    writeRunCell(row, rows, count: run.count + 1)
  }

  /// The run's memory for writing in place: copied first if another version may read it.
  private func writableRun(_ row: UInt32) -> UnsafeMutablePointer<UInt32>? {
    noteRun(row)
    let run = reader.references(row)
    guard let start = run.baseAddress else { return nil }
    if !owns(UnsafeMutableRawPointer(mutating: start)) {
      setRun(row, copying: run, capacity: run.count)
    }
    return UnsafeMutablePointer(mutating: reader.references(row).baseAddress)
  }

  /// Shortens the run in place. Precondition: the block is this transaction's, or only the end is dropped.
  private func truncateRun(_ row: UInt32, to count: Int) {
    noteRun(row)
    let run = reader.references(row)
    guard let start = run.baseAddress else { return }
    linkCount -= run.count - count
    if count == 0 {
      releaseBlock(row)
      clearRunCell(row)
    } else {
      let rows = UnsafeMutableRawPointer(mutating: start)
      // Nobody else knows an own block, so rows behind the new end may be claimed again.
      if owns(rows) { Self.claimed(rows).pointee.store(UInt32(truncatingIfNeeded: count), ordering: .relaxed) }
      writeRunCell(row, rows, count: count)
    }
  }

  /// False if the run lacks the value.
  @discardableResult
  func removeFromRun(_ row: UInt32, _ value: UInt32) -> Bool {
    let run = reader.references(row)
    guard let index = run.firstIndex(of: value) else { return false }
    removeFromRun(row, at: index)
    return true
  }

  func removeFromRun(_ row: UInt32, at index: Int) {
    let count = reader.references(row).count
    if index < count - 1 {
      guard let rows = writableRun(row) else { return }
      memmove(rows + index, rows + index + 1, (count - index - 1) * 4)
    }
    truncateRun(row, to: count - 1)
  }

  /// Keeps the rows that `isKept` accepts, in their order.
  func filterRun(_ row: UInt32, isKept: (UInt32) -> Bool) {
    let count = reader.references(row).count
    guard count > 0, let rows = writableRun(row) else { return }
    var kept = 0
    for index in 0..<count where isKept(rows[index]) {
      rows[kept] = rows[index]
      kept += 1
    }
    if kept < count { truncateRun(row, to: kept) }
  }

  /// The first index of an ascending run whose row is not below `value`.
  private static func position(_ run: UnsafeBufferPointer<UInt32>, _ value: UInt32) -> Int {
    var low = 0
    var high = run.count
    while low < high {
      let middle = (low + high) >> 1
      if run[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds at a place, or at the end if that comes first.
  func insertIntoRun(_ row: UInt32, _ value: UInt32, at index: Int) {
    let count = reader.references(row).count
    appendToRun(row, value)
    if index < count, let rows = writableRun(row) {
      memmove(rows + index + 1, rows + index, (count - index) * 4)
      rows[index] = value
    }
  }

  /// Adds to an ascending run.
  func insertIntoAscendingRun(_ row: UInt32, _ value: UInt32) {
    insertIntoRun(row, value, at: Self.position(reader.references(row), value))
  }

  /// False if the ascending run lacks the value.
  @discardableResult
  func removeFromAscendingRun(_ row: UInt32, _ value: UInt32) -> Bool {
    let run = reader.references(row)
    let index = Self.position(run, value)
    guard index < run.count, run[index] == value else { return false }
    removeFromRun(row, at: index)
    return true
  }
}
