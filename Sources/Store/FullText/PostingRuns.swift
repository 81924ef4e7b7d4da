import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The postings of the terms of one column, by number of the term.
///
/// ```
/// a term's cell, in pages of 256:      a run:
/// byte  0      8       12      16       24            byte  0       8         12         16
///       ┌──────┬───────┬───────┬────────┬───────┐           ┌───────┬─────────┬──────────┬──────┬─────────┐
///       │ run  │ count │ found │ second │ count │           │ stamp │ claimed │ capacity │ rows │ weights │
///       └──────┴───────┴───────┴────────┴───────┘           └───────┴─────────┴──────────┴──────┴─────────┘
/// ```
/// The first run grows at its end only, as those of relations do (`ColumnStore+Runs`), and so do new rows cost next to
/// nothing. What is taken out of it stays there, and the column marks the row as stale; what is put in again belongs to
/// the second run, which is short and sorted. `found` counts the rows that hold.
///
/// Written only by the transaction whose stamp it carries.
final class PostingRuns: @unchecked Sendable {
  private enum Place {
    static let run = 0, count = 8, found = 12, second = 16, secondCount = 24, width = 32
  }
  private static let header = 64
  private static let pageShift = 8
  private static let runHeader = 16

  let stamp: UInt64
  private let pages: PageDirectory
  @exclusivity(unchecked) private var arena: Arena
  @exclusivity(unchecked) private(set) var count: Int
  /// Bytes of the runs that cells point to.
  @exclusivity(unchecked) private var liveBytes: Int
  /// Postings in second runs.
  @exclusivity(unchecked) private(set) var secondCount: Int
  /// Postings in first runs, stale ones too.
  @exclusivity(unchecked) private(set) var firstCount: Int

  init(stamp: UInt64) {
    self.stamp = stamp
    pages = PageDirectory(stamp: stamp)
    arena = Arena()
    count = 0
    liveBytes = 0
    secondCount = 0
    firstCount = 0
  }

  init(copying other: PostingRuns, stamp: UInt64) {
    self.stamp = stamp
    pages = PageDirectory(copying: other.pages, stamp: stamp)
    arena = other.arena
    count = other.count
    liveBytes = other.liveBytes
    secondCount = other.secondCount
    firstCount = other.firstCount
  }

  var byteCount: Int { pages.byteCount + arena.byteCount }
  private static let smallArena = 1 << 16
  /// Whether more than half of the arena is superseded.
  var needsCompaction: Bool { arena.used > Self.smallArena && arena.used > liveBytes * 2 }

  // MARK: - Cells

  /// A term without postings.
  func appendTerm() {
    if count & 255 == 0 { pages.append(Page(byteCount: Self.header + 256 * Place.width, stamp: stamp)) }
    count += 1
  }

  private func cell(_ term: UInt32) -> UnsafeRawPointer {
    // Safe because terms below the count have pages.
    pages.addresses[Int(term) >> Self.pageShift].unsafelyUnwrapped + (Self.header + Int(term & 255) * Place.width)
  }

  private func writableCell(_ term: UInt32) -> UnsafeMutableRawPointer {
    pages.writableBase(Int(term) >> Self.pageShift) + (Self.header + Int(term & 255) * Place.width)
  }

  private static func list(_ cell: UnsafeRawPointer, _ run: Int, _ count: Int) -> PostingList {
    let length = Int((cell + count).load(as: UInt32.self))
    guard let base = UnsafeRawPointer(bitPattern: UInt((cell + run).load(as: UInt64.self))) else {
      return PostingList(rows: noRows, weights: noWeights, count: 0)
    }
    let rows = base + runHeader
    let capacity = Int((base + 12).load(as: UInt32.self))
    return PostingList(
      rows: rows.assumingMemoryBound(to: UInt32.self),
      weights: (rows + capacity * 4).assumingMemoryBound(to: UInt16.self), count: length)
  }

  nonisolated(unsafe) private static let noRows = UnsafePointer(UnsafeMutablePointer<UInt32>.allocate(capacity: 1))
  nonisolated(unsafe) private static let noWeights = UnsafePointer(UnsafeMutablePointer<UInt16>.allocate(capacity: 1))

  func first(_ term: UInt32) -> PostingList { Self.list(cell(term), Place.run, Place.count) }
  func second(_ term: UInt32) -> PostingList { Self.list(cell(term), Place.second, Place.secondCount) }
  /// Rows that have the term.
  func found(_ term: UInt32) -> Int { Int((cell(term) + Place.found).load(as: UInt32.self)) }

  func changeFound(_ term: UInt32, by difference: Int) {
    let cell = writableCell(term)
    let found = Int((cell + Place.found).load(as: UInt32.self)) + difference
    cell.storeBytes(of: UInt32(truncatingIfNeeded: found), toByteOffset: Place.found, as: UInt32.self)
  }

  // MARK: - Runs

  private static func bytes(_ capacity: Int) -> Int { (runHeader + capacity * 6 + 7) & ~7 }

  private func allocate(capacity: Int, count: Int) -> UnsafeMutableRawPointer {
    let bytes = Self.bytes(capacity)
    let run = arena.allocate(bytes)
    liveBytes += bytes
    run.storeBytes(of: stamp, as: UInt64.self)
    (run + 8).assumingMemoryBound(to: Atomic<UInt32>.self)
      .initialize(to: Atomic<UInt32>(UInt32(truncatingIfNeeded: count)))
    run.storeBytes(of: UInt32(truncatingIfNeeded: capacity), toByteOffset: 12, as: UInt32.self)
    return run
  }

  private func release(_ run: UnsafeMutableRawPointer?) {
    guard let run else { return }
    let bytes = Self.bytes(Int((run + 12).load(as: UInt32.self)))
    liveBytes -= bytes
    arena.releaseLarge(run, byteCount: bytes)
  }

  private static func put(_ run: UnsafeMutableRawPointer, at index: Int, _ row: UInt32, _ weight: UInt16) {
    let capacity = Int((run + 12).load(as: UInt32.self))
    (run + (runHeader + index * 4)).storeBytes(of: row, as: UInt32.self)
    (run + (runHeader + capacity * 4 + index * 2)).storeBytes(of: weight, as: UInt16.self)
  }

  private static func copy(_ list: PostingList, into run: UnsafeMutableRawPointer, capacity: Int) {
    copy(list, 0..<list.count, into: run, capacity: capacity, at: 0)
  }

  /// Precondition: the run has room for so many from `index` on.
  private static func copy(
    _ list: PostingList, _ range: Range<Int>, into run: UnsafeMutableRawPointer, capacity: Int, at index: Int
  ) {
    memcpy(run + (runHeader + index * 4), list.rows + range.lowerBound, range.count * 4)
    memcpy(run + (runHeader + capacity * 4 + index * 2), list.weights + range.lowerBound, range.count * 2)
  }

  private func store(
    _ cell: UnsafeMutableRawPointer, _ place: Int, _ run: UnsafeMutableRawPointer?, _ countPlace: Int, _ count: Int
  ) {
    cell.storeBytes(of: UInt64(UInt(bitPattern: run)), toByteOffset: place, as: UInt64.self)
    cell.storeBytes(of: UInt32(truncatingIfNeeded: count), toByteOffset: countPlace, as: UInt32.self)
  }

  private func run(_ cell: UnsafeRawPointer, _ place: Int) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: UInt((cell + place).load(as: UInt64.self)))
  }

  /// Room for a term's first run of `count` postings, which the caller fills at once.
  func makeFirst(
    _ term: UInt32, count: Int
  ) -> (rows: UnsafeMutablePointer<UInt32>, weights: UnsafeMutablePointer<UInt16>) {
    let run = allocate(capacity: count, count: count)
    let cell = writableCell(term)
    store(cell, Place.run, run, Place.count, count)
    cell.storeBytes(of: UInt32(truncatingIfNeeded: count), toByteOffset: Place.found, as: UInt32.self)
    firstCount += count
    let rows = run + Self.runHeader
    return (
      rows.assumingMemoryBound(to: UInt32.self), (rows + count * 4).assumingMemoryBound(to: UInt16.self)
    )
  }

  /// Adds a row beyond all rows of the first run.
  func appendFirst(_ term: UInt32, _ row: UInt32, _ weight: UInt16) {
    let cell = writableCell(term)
    let list = Self.list(cell, Place.run, Place.count)
    let old = run(cell, Place.run)
    firstCount += 1
    if let old, list.count < Int((old + 12).load(as: UInt32.self)) {
      let claimed = (old + 8).assumingMemoryBound(to: Atomic<UInt32>.self)
      let known = UInt32(truncatingIfNeeded: list.count)
      // Versions that branch from one snapshot never write the same place.
      if claimed.pointee.compareExchange(expected: known, desired: known + 1, ordering: .acquiringAndReleasing)
        .exchanged
      {
        Self.put(old, at: list.count, row, weight)
        store(cell, Place.run, old, Place.count, list.count + 1)
        return
      }
    }
    let capacity = max(2, list.count + list.count / 2 + 1)
    let made = allocate(capacity: capacity, count: list.count + 1)
    Self.copy(list, into: made, capacity: capacity)
    Self.put(made, at: list.count, row, weight)
    release(old)
    store(cell, Place.run, made, Place.count, list.count + 1)
  }

  /// Puts the row at its place in the second run, which is written anew.
  func insertSecond(_ term: UInt32, _ row: UInt32, _ weight: UInt16) {
    let cell = writableCell(term)
    let list = Self.list(cell, Place.second, Place.secondCount)
    let place = list.lowerBound(row)
    let made = allocate(capacity: list.count + 1, count: list.count + 1)
    Self.copy(list, 0..<place, into: made, capacity: list.count + 1, at: 0)
    Self.put(made, at: place, row, weight)
    Self.copy(list, place..<list.count, into: made, capacity: list.count + 1, at: place + 1)
    release(run(cell, Place.second))
    store(cell, Place.second, made, Place.secondCount, list.count + 1)
    secondCount += 1
  }

  func removeSecond(_ term: UInt32, _ row: UInt32) {
    let cell = writableCell(term)
    let list = Self.list(cell, Place.second, Place.secondCount)
    let place = list.lowerBound(row)
    guard place < list.count, list.rows[place] == row else { return }
    secondCount -= 1
    let old = run(cell, Place.second)
    guard list.count > 1 else {
      release(old)
      return store(cell, Place.second, nil, Place.secondCount, 0)
    }
    let made = allocate(capacity: list.count - 1, count: list.count - 1)
    Self.copy(list, 0..<place, into: made, capacity: list.count - 1, at: 0)
    Self.copy(list, (place + 1)..<list.count, into: made, capacity: list.count - 1, at: place)
    release(old)
    store(cell, Place.second, made, Place.secondCount, list.count - 1)
  }

  func hashMemory(into digest: inout MemoryDigest) {
    digest.add(UInt64(count))
    for term in 0..<UInt32(truncatingIfNeeded: count) {
      digest.add(UInt64(found(term)))
      for list in [first(term), second(term)] {
        digest.add(UInt64(list.count))
        digest.add(list.rows, list.count * 4)
        digest.add(list.weights, list.count * 2)
      }
    }
  }
}

extension PostingList {
  /// The first place whose row is not below `row`.
  @inlinable package func lowerBound(_ row: UInt32) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) >> 1
      if rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
