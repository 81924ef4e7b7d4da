import Synchronization

/// What readers have found out about a full page of `.int64` cells: bounds, and a narrow copy to scan instead.
///
/// Made at the second scan of a page, so that a query that runs once does not pay for it. Cells of null and dead rows
/// count as what they hold. The page's header keeps it:
///
/// ```
/// byte  16                        24       32
///       ┌─────────────────────────┬────────┬─────────┬─
///       │ state or narrow address │ lowest │ highest │
///       └─────────────────────────┴────────┴─────────┴─
/// ```
package struct PageSummary: BitwiseCopyable {
  package var lowest: Int64
  package var highest: Int64
  /// Each cell less the lowest, for pages where that is below 2¹⁵.
  package var narrow: UnsafePointer<UInt16>?

  private static var stateOffset: Int { 16 }
  private static var lowestOffset: Int { 24 }
  private static var highestOffset: Int { 32 }
  /// The bytes of a header that may change while the page does not.
  static var bytes: Range<Int> { 16..<40 }

  /// States below any address; 0 is a page that was never scanned.
  private static var seen: UInt { 1 }
  private static var making: UInt { 2 }
  private static var isWide: UInt { 3 }

  private static func state(_ page: UnsafeRawPointer) -> UnsafeMutablePointer<Atomic<UInt>> {
    UnsafeMutableRawPointer(mutating: page + stateOffset).assumingMemoryBound(to: Atomic<UInt>.self)
  }

  /// The summary of a published page that is full, if there is one by now. Counts as a scan.
  package static func scanning(_ page: UnsafeRawPointer) -> PageSummary? {
    let state = state(page).pointee.load(ordering: .acquiring)
    if state > making {
      return PageSummary(
        lowest: page.load(fromByteOffset: lowestOffset, as: Int64.self),
        highest: page.load(fromByteOffset: highestOffset, as: Int64.self),
        narrow: state == isWide ? nil : UnsafePointer(bitPattern: state))
    }
    return state == making ? nil : make(page, state)
  }

  /// The bounds of a page's cells: those of its summary if there is one, else of a few cells, with room for the others.
  static func estimate(_ page: UnsafeRawPointer, rows: Int) -> ClosedRange<Int64> {
    if state(page).pointee.load(ordering: .acquiring) > making {
      return page.load(
        fromByteOffset: lowestOffset, as: Int64.self)...page.load(
          fromByteOffset: highestOffset, as: Int64.self)
    }
    let cells = (page + PageLayout.cellsOffset).assumingMemoryBound(to: Int64.self)
    var bounds = cells[0]...cells[0]
    for sample in 1...8 {
      let cell = cells[(rows - 1) * sample / 8]
      bounds = min(bounds.lowerBound, cell)...max(bounds.upperBound, cell)
    }
    let room = bounds.upperBound.subtractingReportingOverflow(bounds.lowerBound)
    let least = bounds.lowerBound.subtractingReportingOverflow(room.partialValue)
    let most = bounds.upperBound.addingReportingOverflow(room.partialValue)
    if room.overflow { return .min ... .max }
    return (least.overflow ? .min : least.partialValue)...(most.overflow ? .max : most.partialValue)
  }

  @inline(never)
  private static func make(_ page: UnsafeRawPointer, _ old: UInt) -> PageSummary? {
    let state = state(page)
    if old != seen {
      _ = state.pointee.compareExchange(expected: old, desired: seen, ordering: .relaxed)
      return nil
    }
    guard state.pointee.compareExchange(expected: seen, desired: making, ordering: .acquiring).exchanged else {
      return nil
    }
    let cells = (page + PageLayout.cellsOffset).assumingMemoryBound(to: Int64.self)
    var lowest = cells[0]
    var highest = cells[0]
    for index in 1..<PageLayout.rows {
      let cell = cells[index]
      if cell < lowest { lowest = cell }
      if cell > highest { highest = cell }
    }
    let target = UnsafeMutableRawPointer(mutating: page)
    target.storeBytes(of: lowest, toByteOffset: lowestOffset, as: Int64.self)
    target.storeBytes(of: highest, toByteOffset: highestOffset, as: Int64.self)
    var summary = PageSummary(lowest: lowest, highest: highest, narrow: nil)
    if UInt64(bitPattern: highest &- lowest) < 1 << 15 {
      let narrow = UnsafeMutableRawPointer.allocate(byteCount: PageLayout.rows * 2, alignment: 64)
        .bindMemory(to: UInt16.self, capacity: PageLayout.rows)
      for index in 0..<PageLayout.rows { narrow[index] = UInt16(truncatingIfNeeded: cells[index] &- lowest) }
      summary.narrow = UnsafePointer(narrow)
      state.pointee.store(UInt(bitPattern: narrow), ordering: .releasing)
    } else {
      state.pointee.store(isWide, ordering: .releasing)
    }
    return summary
  }

  /// Drops the summary of a page that is about to be written or freed, which nobody else can reach.
  @inline(__always)
  static func discard(_ page: UnsafeMutableRawPointer) {
    let state = page.load(fromByteOffset: stateOffset, as: UInt.self)
    if state != 0 { free(page, state) }
  }

  @inline(never)
  private static func free(_ page: UnsafeMutableRawPointer, _ state: UInt) {
    if state > isWide { UnsafeMutableRawPointer(bitPattern: state)?.deallocate() }
    forget(page)
  }

  /// Leaves the summary to the page that this one is a copy of.
  static func forget(_ page: UnsafeMutableRawPointer) {
    page.storeBytes(of: 0, toByteOffset: stateOffset, as: UInt.self)
  }
}
