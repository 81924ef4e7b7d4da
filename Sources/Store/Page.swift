#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The memory layout of a column's page: 1,024 cells with their validity.
///
/// ```
/// byte  0         64            192                       192 + 1,024 × width
///       ┌─────────┬─────────────┬──────────────────────────┐
///       │ header  │ validity    │ cells                    │
///       └─────────┴─────────────┴──────────────────────────┘
/// header:   Int32 at 0: nulls among the rows that exist, or more; UInt32 at 4: rows that have been claimed, see
///           ``ColumnStore/append(_:ownsPayload:)``; UInt64 at 8: stamp of the transaction that made the page;
///           16 ..< 40: see ``PageSummary``; UInt8 at 40: whether finer cells lie behind the cells
/// validity: 1,024 bits, least significant first; 1 where the cell has a value
/// ```
/// A null cell is all zeros, but for `.reference`, where it is ``noRow``.
///
/// A page of `.int64` cells may have 1,024 finer cells of 8 bytes behind the cells: what the cells round off, see
/// ``Cell``. It has them from the first such cell on, so that pages without any are no larger.
@usableFromInline package enum PageLayout {
  @inlinable package static var rowShift: Int { 10 }
  @inlinable package static var rows: Int { 1024 }
  @inlinable package static var rowMask: Int { 1023 }
  @inlinable package static var nullCountOffset: Int { 0 }
  @inlinable package static var claimedOffset: Int { 4 }
  /// In pages of every use, index nodes too.
  @inlinable package static var stampOffset: Int { 8 }
  /// See ``isFine(_:)``.
  @inlinable package static var fineOffset: Int { 40 }
  @inlinable package static var validityOffset: Int { 64 }
  @inlinable package static var cellsOffset: Int { 192 }
  /// Where the finer cells of a page of `.int64` cells begin, if it has any.
  @inlinable package static var finerOffset: Int { 192 + 1024 * 8 }
  /// Whether a page of `.int64` cells has finer cells.
  @inlinable package static func isFine(_ base: UnsafeRawPointer) -> Bool {
    base.load(fromByteOffset: fineOffset, as: UInt8.self) != 0
  }
  /// What a `.reference` cell holds where there is no target.
  @inlinable package static var noRow: UInt32 { 0xFFFF_FFFF }
  /// The most rows that a type can have.
  @inlinable package static var maximumRows: Int { 0x7FFF_FFFF }
}

/// One page's memory, owned. Of a published page, no cell changes that a published version looks at. Only the
/// transaction whose stamp the page carries writes it, with two exceptions: a version that claimed the rows behind the
/// published ones appends them, and writes links of its own rows, in a page that it shares (no other version reads these
/// cells, and words that it shares with them are written whole); and readers put in a ``PageSummary``, atomically.
package final class Page: @unchecked Sendable {
  package let base: UnsafeMutableRawPointer
  package let byteCount: Int
  package let stamp: UInt64
  /// Of a column: its header may hold a ``PageSummary``.
  private let hasSummary: Bool

  /// A zeroed page; `.reference` cells are the caller's to fill.
  package init(byteCount: Int, stamp: UInt64, hasSummary: Bool = false) {
    base = PagePool.allocate(byteCount: byteCount)
    memset(base, 0, byteCount)
    base.storeBytes(of: stamp, toByteOffset: PageLayout.stampOffset, as: UInt64.self)
    self.byteCount = byteCount
    self.stamp = stamp
    self.hasSummary = hasSummary
  }

  package init(copying other: Page, stamp: UInt64) {
    base = PagePool.allocate(byteCount: other.byteCount)
    memcpy(base, other.base, other.byteCount)
    base.storeBytes(of: stamp, toByteOffset: PageLayout.stampOffset, as: UInt64.self)
    byteCount = other.byteCount
    self.stamp = stamp
    hasSummary = other.hasSummary
    if hasSummary { PageSummary.forget(base) }
  }

  /// A copy of a page of `.int64` cells, with finer cells, which are zeros.
  init(refining other: Page, stamp: UInt64) {
    byteCount = PageLayout.finerOffset + PageLayout.rows * 8
    base = PagePool.allocate(byteCount: byteCount)
    memcpy(base, other.base, other.byteCount)
    memset(base + other.byteCount, 0, byteCount - other.byteCount)
    base.storeBytes(of: stamp, toByteOffset: PageLayout.stampOffset, as: UInt64.self)
    base.storeBytes(of: 1, toByteOffset: PageLayout.fineOffset, as: UInt8.self)
    self.stamp = stamp
    hasSummary = other.hasSummary
    if hasSummary { PageSummary.forget(base) }
  }

  deinit {
    if hasSummary { PageSummary.discard(base) }
    PagePool.deallocate(base, byteCount: byteCount)
  }
}

/// Pages by number: a flat table of addresses for reading, and a tree of owners for sharing.
///
/// Copying a directory for a writer costs a `memcpy` of the addresses and the retains of one array of groups; writing
/// the first page of a segment costs the retains of 16 pages and 16 segments. The pages stay shared until written.
package final class PageDirectory: @unchecked Sendable {
  private typealias Segment = DirectoryNode<Page>
  /// 16 segments.
  private typealias Group = DirectoryNode<Segment>
  private static var segmentPages: Int { Segment.capacity }
  private static var groupPages: Int { segmentPages * Group.capacity }

  /// `addresses[i]` is the base of page `i`, for `i < count`.
  @exclusivity(unchecked) package private(set) var addresses: UnsafeMutablePointer<UnsafeRawPointer?>
  @exclusivity(unchecked) package private(set) var count: Int
  private var capacity: Int
  package let stamp: UInt64
  @exclusivity(unchecked) private var groups: [Group]

  package init(stamp: UInt64) {
    capacity = 4
    count = 0
    addresses = PagePool.allocate(UnsafeRawPointer?.self, capacity: capacity)
    addresses.initialize(repeating: nil, count: capacity)
    self.stamp = stamp
    groups = []
  }

  package init(copying other: PageDirectory, stamp: UInt64) {
    // Why the slack: the writer that copies is likely to append.
    capacity = other.count + 4
    count = other.count
    addresses = PagePool.allocate(UnsafeRawPointer?.self, capacity: capacity)
    addresses.initialize(from: other.addresses, count: other.count)
    (addresses + other.count).initialize(repeating: nil, count: capacity - other.count)
    groups = other.groups
    self.stamp = stamp
  }

  deinit { PagePool.deallocate(addresses, capacity: capacity) }

  /// Adds a page at the end. Only the writer with this directory's stamp may call it.
  package func append(_ page: Page) {
    if count == capacity {
      let grown = PagePool.allocate(UnsafeRawPointer?.self, capacity: capacity * 2)
      grown.initialize(repeating: nil, count: capacity * 2)
      grown.update(from: addresses, count: count)
      PagePool.deallocate(addresses, capacity: capacity)
      addresses = grown
      capacity *= 2
    }
    addresses[count] = UnsafeRawPointer(page.base)
    if count % Self.groupPages == 0 {
      groups.append(Group.make(Segment.make(page, stamp: stamp), stamp: stamp))
    } else if count % Self.segmentPages == 0 {
      ownedGroup(count / Self.groupPages).append(Segment.make(page, stamp: stamp))
    } else {
      ownedSegment(count).append(page)
    }
    count += 1
  }

  /// The base of the page, which this directory's stamp owns: copied first if another version shares it.
  @inline(__always)
  package func writableBase(_ index: Int) -> UnsafeMutableRawPointer {
    // Safe because pages below the count exist.
    let base = addresses[index].unsafelyUnwrapped
    if base.load(fromByteOffset: PageLayout.stampOffset, as: UInt64.self) == stamp {
      return UnsafeMutableRawPointer(mutating: base)
    }
    return copiedPage(index).base
  }

  @inline(never)
  private func copiedPage(_ index: Int) -> Page {
    let copy = Page(copying: page(index), stamp: stamp)
    replace(index, with: copy)
    return copy
  }

  /// Puts `page` in the place of page `index`.
  package func replace(_ index: Int, with page: Page) {
    ownedSegment(index)[index % Self.segmentPages] = page
    addresses[index] = UnsafeRawPointer(page.base)
  }

  package func page(_ index: Int) -> Page {
    groups[index / Self.groupPages][index % Self.groupPages / Self.segmentPages][index % Self.segmentPages]
  }

  /// Bytes held, shared pages included.
  package var byteCount: Int {
    // Pages that stand in many places stand side by side.
    (0..<count).reduce(capacity * MemoryLayout<UnsafeRawPointer?>.stride) {
      $1 > 0 && addresses[$1 - 1] == addresses[$1] ? $0 : $0 + page($1).byteCount
    }
  }

  private func ownedGroup(_ number: Int) -> Group {
    let group = groups[number]
    if group.stamp == stamp { return group }
    let copy = group.copy(stamp: stamp)
    groups[number] = copy
    return copy
  }

  /// The segment of page `index`.
  private func ownedSegment(_ index: Int) -> Segment {
    let group = ownedGroup(index / Self.groupPages)
    let number = index % Self.groupPages / Self.segmentPages
    let segment = group[number]
    if segment.stamp == stamp { return segment }
    let copy = segment.copy(stamp: stamp)
    group[number] = copy
    return copy
  }
}
