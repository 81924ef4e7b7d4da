import GQLCatalog
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One version of one column: pages of cells, and the arena of what the cells point to.
///
/// Written only by the transaction whose stamp it carries; a published column never changes.
final class ColumnStore: @unchecked Sendable {
  let kind: ColumnKind
  let width: Int
  /// For `.wideList`: whether the elements are texts.
  let elementIsText: Bool
  let stamp: UInt64
  /// That of another version until the first change of a page.
  @exclusivity(unchecked) private(set) var directory: PageDirectory
  @exclusivity(unchecked) var arena: Arena
  @exclusivity(unchecked) private(set) var count: Int
  /// Rows from here on are this version's alone, wherever their pages are.
  @exclusivity(unchecked) private var firstOwn: Int
  /// Nulls among live rows.
  @exclusivity(unchecked) var liveNulls: Int
  /// Bytes in the arena that the cells of live and of deleted, kept rows point to.
  @exclusivity(unchecked) var liveBytes: Int
  /// Neither nulls nor a cell below the one before, in deleted rows too; kept where there is an ``order`` only.
  @exclusivity(unchecked) var isAscending: Bool
  /// How cells compare; nil where nobody asks whether they ascend. Numbers have one, and ids.
  let order: KeyKind?
  /// Whether a page of it, or of a version before it, has finer cells.
  @exclusivity(unchecked) private(set) var isFine: Bool
  /// To-many: links in all runs, and an upper bound of the longest run.
  @exclusivity(unchecked) var linkCount: Int
  @exclusivity(unchecked) var longestRun: Int
  /// Where readers find this column; belongs to the table that owns it.
  @exclusivity(unchecked) private var slot: UnsafeMutablePointer<ColumnReader>?
  /// Notes what cells hold before they are written; nil where nobody asks.
  @exclusivity(unchecked) private(set) var recorder: TableRecorder?
  /// The column's number in its recorder.
  private let number: Int

  init(
    kind: ColumnKind, elementIsText: Bool, stamp: UInt64, slot: UnsafeMutablePointer<ColumnReader>?,
    order: KeyKind? = nil, recorder: TableRecorder? = nil, number: Int = 0
  ) {
    self.recorder = recorder
    self.number = number
    self.kind = kind
    self.elementIsText = elementIsText
    self.stamp = stamp
    width = kind.width
    directory = PageDirectory(stamp: stamp)
    arena = Arena()
    count = 0
    firstOwn = 0
    liveNulls = 0
    liveBytes = 0
    linkCount = 0
    longestRun = 0
    self.order = kind == .int64 ? .int64 : kind == .float64 ? .float64 : order
    isAscending = self.order != nil
    isFine = false
    self.slot = slot
    publishSlot()
  }

  init(
    copying other: ColumnStore, stamp: UInt64, slot: UnsafeMutablePointer<ColumnReader>?,
    recorder: TableRecorder? = nil, number: Int = 0
  ) {
    self.recorder = recorder
    self.number = number
    kind = other.kind
    elementIsText = other.elementIsText
    self.stamp = stamp
    width = other.width
    directory = other.directory
    arena = other.arena
    count = other.count
    firstOwn = other.count
    liveNulls = other.liveNulls
    liveBytes = other.liveBytes
    isAscending = other.isAscending
    order = other.order
    isFine = other.isFine
    linkCount = other.linkCount
    longestRun = other.longestRun
    self.slot = slot
    publishSlot()
  }

  /// Notes a run before something is added at its end.
  @inline(__always)
  func noteGrowth(_ row: UInt32) { recorder?.noteGrowth(number, row, reader.references(row)) }

  /// Notes a run before it is changed in another way.
  @inline(__always)
  func noteRun(_ row: UInt32) { recorder?.noteList(number, row, reader.references(row)) }

  var reader: ColumnReader { ColumnReader(pages: UnsafePointer(directory.addresses)) }

  private func publishSlot() { slot?.pointee = reader }

  // MARK: - Reading

  func isNull(_ row: UInt32) -> Bool { reader.isNull(row) }

  /// With what is finer.
  func cell(_ row: UInt32) -> Cell { reader.wholeCell(row, kind: kind) }

  // MARK: - Writing

  func store(_ cell: Cell, at address: UnsafeMutableRawPointer) {
    switch kind {
    case .int64, .float64, .references: address.storeBytes(of: cell.low, as: UInt64.self)
    case .byte: address.storeBytes(of: UInt8(truncatingIfNeeded: cell.low), as: UInt8.self)
    case .code: address.storeBytes(of: UInt16(truncatingIfNeeded: cell.low), as: UInt16.self)
    case .reference: address.storeBytes(of: UInt32(truncatingIfNeeded: cell.low), as: UInt32.self)
    case .decimal, .text, .wordList, .wideList:
      address.storeBytes(of: cell.low, as: UInt64.self)
      (address + 8).storeBytes(of: cell.high, as: UInt64.self)
    }
  }

  /// What a null cell holds.
  private var nullCell: Cell { Cell(low: kind == .reference ? UInt64(PageLayout.noRow) : 0) }

  /// Adds a row. The cell's payload is copied into the arena unless it is there already; nil is null.
  ///
  /// The last page may be another version's: readers of that one look at no row beyond its count. Who moves the number
  /// of claimed rows from the count that it knows to the next one may write there, so that versions which branch from
  /// one never write the same row; who cannot takes a copy.
  func append(_ cell: Cell?, ownsPayload: Bool = false) {
    let slotInPage = count & PageLayout.rowMask
    if slotInPage == 0 { appendPage() }
    var base = appendableBase(slotInPage)
    if let cell {
      if isAscending { noteAscending(cell) }
      if kind == .int64, cell.high != 0 {
        base = fineBase(count >> PageLayout.rowShift, base)
        storeFiner(cell, slotInPage, base)
      }
      let address = base + (PageLayout.cellsOffset + slotInPage &* width)
      switch kind {
      case .text, .wordList, .wideList: store(ownsPayload ? adopting(cell) : copyingPayload(cell), at: address)
      default: store(cell, at: address)
      }
      let word = base + (PageLayout.validityOffset + slotInPage >> 6 &* 8)
      word.storeBytes(
        of: word.load(as: UInt64.self) | 1 << UInt64(slotInPage & 63), as: UInt64.self)
    } else {
      isAscending = false
      liveNulls += 1
      addPageNulls(base, 1)
    }
    count += 1
  }

  /// The last page, in which `rows` rows from `slotInPage` on are this version's to write; they are null.
  private func appendableBase(_ slotInPage: Int, rows: Int = 1) -> UnsafeMutableRawPointer {
    let number = count >> PageLayout.rowShift
    // Safe because pages below the count exist.
    let base = UnsafeMutableRawPointer(mutating: directory.addresses[number].unsafelyUnwrapped)
    let claimed = (base + PageLayout.claimedOffset).assumingMemoryBound(to: Atomic<UInt32>.self)
    let expected = UInt32(truncatingIfNeeded: slotInPage)
    let desired = UInt32(truncatingIfNeeded: slotInPage + rows)
    if claimed.pointee.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing)
      .exchanged
    {
      return base
    }
    return writableBase(number, claimed: slotInPage + rows)
  }

  /// Claims up to `most` rows of the last page, or of a new one where it is full.
  ///
  /// The caller writes them, and says so to ``noteAppended(_:nulls:at:)`` before it claims others.
  func claimRows(_ most: Int) -> (base: UnsafeMutableRawPointer, slot: Int, rows: Int) {
    let slot = count & PageLayout.rowMask
    if slot == 0 { appendPage() }
    let rows = min(most, PageLayout.rows - slot)
    return (appendableBase(slot, rows: rows), slot, rows)
  }

  /// Counts claimed rows, which are written.
  func noteAppended(_ rows: Int, nulls: Int, at base: UnsafeMutableRawPointer) {
    count += rows
    guard nulls > 0 else { return }
    liveNulls += nulls
    addPageNulls(base, Int32(truncatingIfNeeded: nulls))
  }

  /// A page that is this version's alone, or its base if nobody else writes there, with finer cells.
  private func fineBase(_ number: Int, _ base: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    if PageLayout.isFine(base) { return base }
    isFine = true
    let page = Page(refining: directory.page(number), stamp: stamp)
    replacePage(number, with: page)
    return page.base
  }

  private func storeFiner(_ cell: Cell, _ slotInPage: Int, _ base: UnsafeMutableRawPointer) {
    base.storeBytes(of: cell.high, toByteOffset: PageLayout.finerOffset + slotInPage &* 8, as: UInt64.self)
  }

  private func ownDirectory() {
    if directory.stamp == stamp { return }
    directory = PageDirectory(copying: directory, stamp: stamp)
    publishSlot()
  }

  /// A page that is this version's alone.
  private func writableBase(_ number: Int, claimed: Int? = nil) -> UnsafeMutableRawPointer {
    ownDirectory()
    // Safe because pages below the count exist.
    let shared = directory.addresses[number].unsafelyUnwrapped
    let base = directory.writableBase(number)
    if UnsafeRawPointer(base) != shared, number == count >> PageLayout.rowShift { forgetClaims(base, claimed) }
    return base
  }

  /// After copying the last page: takes out what other versions wrote behind this one's rows.
  private func forgetClaims(_ base: UnsafeMutableRawPointer, _ claimed: Int?) {
    let rows = count & PageLayout.rowMask
    var valid = 0
    for word in 0..<(PageLayout.rows / 64) {
      let address = base + (PageLayout.validityOffset + word * 8)
      let kept = min(max(rows - word * 64, 0), 64)
      let bits = address.load(as: UInt64.self) & (kept == 64 ? .max : (1 << UInt64(kept)) - 1)
      address.storeBytes(of: bits, as: UInt64.self)
      valid += bits.nonzeroBitCount
    }
    base.storeBytes(of: Int32(truncatingIfNeeded: rows - valid), as: Int32.self)
    memset(
      base + (PageLayout.cellsOffset + rows * width), kind == .reference ? 0xFF : 0, (PageLayout.rows - rows) * width)
    if kind == .int64, PageLayout.isFine(base) {
      memset(base + (PageLayout.finerOffset + rows * 8), 0, (PageLayout.rows - rows) * 8)
    }
    base.storeBytes(
      of: UInt32(truncatingIfNeeded: claimed ?? rows), toByteOffset: PageLayout.claimedOffset, as: UInt32.self)
  }

  /// Puts `page` in the place of page `number`.
  func replacePage(_ number: Int, with page: Page) {
    ownDirectory()
    directory.replace(number, with: page)
  }

  func makePage(stamp: UInt64) -> Page {
    let page = Page(
      byteCount: PageLayout.cellsOffset + PageLayout.rows * width, stamp: stamp, hasSummary: kind == .int64)
    if kind == .reference { memset(page.base + PageLayout.cellsOffset, 0xFF, PageLayout.rows * 4) }
    return page
  }

  private func appendPage() {
    ownDirectory()
    directory.append(makePage(stamp: stamp))
    publishSlot()
  }

  /// Appends a page of which all rows exist. Precondition: the last page is full.
  func appendWhole(_ page: Page, nulls: Bool) {
    ownDirectory()
    directory.append(page)
    publishSlot()
    count += PageLayout.rows
    // The page may stand in other places, too.
    firstOwn = count
    if nulls { liveNulls += PageLayout.rows }
  }

  private func addPageNulls(_ base: UnsafeMutableRawPointer, _ difference: Int32) {
    base.storeBytes(of: base.load(as: Int32.self) &+ difference, as: Int32.self)
  }

  func noteAscending(_ cell: Cell) {
    guard count > 0 else { return }
    isAscending = isAbove(cell, reader.cell(UInt32(truncatingIfNeeded: count - 1), kind: kind))
  }

  /// Returns whether a cell does not stand before another. Precondition: the column has an order.
  @inline(__always)
  func isAbove(_ cell: Cell, _ previous: Cell) -> Bool {
    switch order {
    case .int64?: previous.int <= cell.int
    case let order?: KeyOrder.compare(order, previous, cell) <= 0
    case nil: false
    }
  }

  /// Replaces the cell of a live row, whose old payload is counted as superseded.
  func write(_ row: UInt32, _ cell: Cell?, ownsPayload: Bool = false) {
    switch kind {
    case .text, .wordList, .wideList:
      liveBytes -= payloadBytes(self.cell(row))
      writeRaw(row, cell.map(ownsPayload ? adopting : copyingPayload))
    default: writeRaw(row, cell)
    }
    isAscending = false
  }

  /// Replaces the cell's words, and keeps validity and null counts.
  func writeRaw(_ row: UInt32, _ cell: Cell?) {
    // Runs are noted by what changes them.
    if let recorder, kind != .references { recorder.note(number, row, isNull(row) ? nil : self.cell(row)) }
    var base = writableBase(row)
    let slotInPage = Int(row) & PageLayout.rowMask
    if kind == .int64 {
      if let cell, cell.high != 0 { base = fineBase(Int(row) >> PageLayout.rowShift, base) }
      if PageLayout.isFine(base) { storeFiner(cell ?? nullCell, slotInPage, base) }
    }
    store(cell ?? nullCell, at: base + (PageLayout.cellsOffset + slotInPage &* width))
    let address = base + (PageLayout.validityOffset + slotInPage >> 6 &* 8)
    let word = address.load(as: UInt64.self)
    let bit: UInt64 = 1 << UInt64(slotInPage & 63)
    if (word & bit != 0) == (cell != nil) { return }
    address.storeBytes(of: word ^ bit, as: UInt64.self)
    let difference = cell == nil ? 1 : -1
    liveNulls += difference
    addPageNulls(base, Int32(difference))
  }

  /// The page of a cell that is to be written.
  private func writableBase(_ row: UInt32) -> UnsafeMutableRawPointer {
    let number = Int(row) >> PageLayout.rowShift
    if Int(row) >= firstOwn, kind == .reference || kind == .references {
      // Links of a row that this version has appended: no other looks at it, so the page need not be copied, even if it
      // is shared. Safe because pages below the count exist.
      return UnsafeMutableRawPointer(mutating: directory.addresses[number].unsafelyUnwrapped)
    }
    let base = writableBase(number)
    PageSummary.discard(base)
    return base
  }

  /// The row is gone for good: its cell stays until compaction, but what it points to does not count.
  func forgetPayload(_ row: UInt32) { liveBytes -= payloadBytes(cell(row)) }

  // MARK: - Payloads

  private var elementWidth: Int { kind == .wideList ? 16 : 8 }

  /// Bytes in the arena that belong to the cell.
  func payloadBytes(_ cell: Cell) -> Int {
    switch kind {
    case .text:
      let view = TextView(cell)
      return view.isInline ? 0 : (view.count + 7) & ~7
    case .wordList, .wideList:
      let elements = Int(UInt32(truncatingIfNeeded: cell.high))
      guard elements > 0, let start = UnsafeRawPointer(bitPattern: UInt(cell.low)) else { return 0 }
      var sum = (elements * (elementWidth + 1) + 7) & ~7
      if elementIsText {
        for index in 0..<elements {
          let view = TextView((start + index * 16).loadUnaligned(as: Cell.self))
          if !view.isInline { sum += (view.count + 7) & ~7 }
        }
      }
      return sum
    default: return 0
    }
  }

  private func copyingText(_ view: TextView) -> TextView {
    if view.isInline { return view }
    let count = view.count
    let address = arena.allocate(count)
    // Safe because long texts have an address.
    memcpy(address, UnsafeRawPointer(bitPattern: UInt(view.word1)).unsafelyUnwrapped, count)
    liveBytes += (count + 7) & ~7
    return TextView(word0: view.word0, word1: UInt64(UInt(bitPattern: address)))
  }

  /// The cell, whose payload is in the arena, with its bytes counted as live.
  func adopting(_ cell: Cell) -> Cell {
    liveBytes += payloadBytes(cell)
    return cell
  }

  /// The cell with what it points to moved into the arena.
  func copyingPayload(_ cell: Cell) -> Cell {
    switch kind {
    case .text: return copyingText(TextView(cell)).cell
    case .wordList, .wideList:
      let elements = Int(UInt32(truncatingIfNeeded: cell.high))
      guard elements > 0, let start = UnsafeRawPointer(bitPattern: UInt(cell.low)) else { return Cell(low: 0) }
      let byteCount = elements * (elementWidth + 1)
      let address = arena.allocate(byteCount)
      memcpy(address, start, byteCount)
      liveBytes += (byteCount + 7) & ~7
      if elementIsText {
        for index in 0..<elements {
          let element = address + index * 16
          let view = TextView(element.load(as: Cell.self))
          element.storeBytes(of: copyingText(view).cell, as: Cell.self)
        }
      }
      return Cell(low: UInt64(UInt(bitPattern: address)), high: UInt64(elements))
    default: return cell
    }
  }

  /// Bytes below which compaction is not worth its while.
  private static let smallArena = 1 << 16

  /// Whether more than half of the arena is superseded.
  var needsCompaction: Bool { arena.used > Self.smallArena && arena.used > liveBytes * 2 }

  /// Moves what the kept rows point to into a new arena. Complexity: O(rows).
  func compact(isKept: (UInt32) -> Bool) {
    let old = arena
    // Nothing changes, and what is noted is taken before.
    recorder = nil
    arena = Arena()
    liveBytes = 0
    for row in 0..<UInt32(truncatingIfNeeded: count) {
      let cell = cell(row)
      if cell.low == 0 && cell.high == 0 { continue }
      if !isKept(row) {
        let nulls = liveNulls
        writeRaw(row, nil)
        liveNulls = nulls
        isAscending = false
      } else if kind == .references {
        let run = reader.references(row)
        setRun(row, copying: run, capacity: run.count, replacesOld: false)
      } else if payloadBytes(cell) > 0 {
        writeRaw(row, copyingPayload(cell))
      }
    }
    // Invariant: the old chunks outlive the copying.
    withExtendedLifetime(old) {}
  }

  var byteCount: Int { directory.byteCount + arena.byteCount }
}
