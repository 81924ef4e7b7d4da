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
/// header:   Int32 at 0: nulls among the rows that exist; UInt64 at 8: stamp of the transaction that wrote the page
/// validity: 1,024 bits, least significant first; 1 where the cell has a value
/// ```
/// A null cell is all zeros, but for `.reference`, where it is ``noRow``.
@usableFromInline package enum PageLayout {
  @inlinable package static var rowShift: Int { 10 }
  @inlinable package static var rows: Int { 1024 }
  @inlinable package static var rowMask: Int { 1023 }
  @inlinable package static var nullCountOffset: Int { 0 }
  /// In pages of every use, index nodes too.
  @inlinable package static var stampOffset: Int { 8 }
  @inlinable package static var validityOffset: Int { 64 }
  @inlinable package static var cellsOffset: Int { 192 }
  /// What a `.reference` cell holds where there is no target.
  @inlinable package static var noRow: UInt32 { 0xFFFF_FFFF }
  /// The most rows that a type can have.
  @inlinable package static var maximumRows: Int { 0x7FFF_FFFF }
}

/// One page's memory, owned. Written only by the transaction whose stamp it carries; a published page never changes.
package final class Page: @unchecked Sendable {
  package let base: UnsafeMutableRawPointer
  package let byteCount: Int
  package let stamp: UInt64

  /// A zeroed page; `.reference` cells are the caller's to fill.
  package init(byteCount: Int, stamp: UInt64) {
    base = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    memset(base, 0, byteCount)
    base.storeBytes(of: stamp, toByteOffset: PageLayout.stampOffset, as: UInt64.self)
    self.byteCount = byteCount
    self.stamp = stamp
  }

  package init(copying other: Page, stamp: UInt64) {
    base = UnsafeMutableRawPointer.allocate(byteCount: other.byteCount, alignment: 64)
    memcpy(base, other.base, other.byteCount)
    base.storeBytes(of: stamp, toByteOffset: PageLayout.stampOffset, as: UInt64.self)
    byteCount = other.byteCount
    self.stamp = stamp
  }

  deinit { base.deallocate() }
}

/// Pages by number: a flat table of addresses for reading, and a tree of owners for sharing.
///
/// Copying a directory for a writer costs a `memcpy` of the addresses and the retains of one array of segments;
/// the pages stay shared until they are written.
package final class PageDirectory: @unchecked Sendable {
  /// 64 pages, shared between versions.
  package final class Segment: @unchecked Sendable {
    package var pages: [Page]
    package let stamp: UInt64
    package init(pages: [Page], stamp: UInt64) {
      self.pages = pages
      self.stamp = stamp
    }
  }
  package static let segmentShift = 6
  package static let segmentPages = 64

  /// `addresses[i]` is the base of page `i`, for `i < count`.
  package private(set) var addresses: UnsafeMutablePointer<UnsafeRawPointer?>
  package private(set) var count: Int
  private var capacity: Int
  package let stamp: UInt64
  private var segments: [Segment]

  package init(stamp: UInt64) {
    capacity = 4
    count = 0
    addresses = .allocate(capacity: capacity)
    addresses.initialize(repeating: nil, count: capacity)
    self.stamp = stamp
    segments = []
  }

  package init(copying other: PageDirectory, stamp: UInt64) {
    // Why the slack: the writer that copies is likely to append.
    capacity = other.count + 4
    count = other.count
    addresses = .allocate(capacity: capacity)
    addresses.initialize(from: other.addresses, count: other.count)
    (addresses + other.count).initialize(repeating: nil, count: capacity - other.count)
    segments = other.segments
    self.stamp = stamp
  }

  deinit { addresses.deallocate() }

  /// Adds a page at the end. Only the writer with this directory's stamp may call it.
  package func append(_ page: Page) {
    if count == capacity {
      let grown = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: capacity * 2)
      grown.initialize(repeating: nil, count: capacity * 2)
      grown.update(from: addresses, count: count)
      addresses.deallocate()
      addresses = grown
      capacity *= 2
    }
    addresses[count] = UnsafeRawPointer(page.base)
    if count & (Self.segmentPages - 1) == 0 {
      let segment = Segment(pages: [page], stamp: stamp)
      segment.pages.reserveCapacity(Self.segmentPages)
      segments.append(segment)
    } else {
      ownedSegment(count >> Self.segmentShift).pages.append(page)
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
    return writablePage(index).base
  }

  /// Bytes held, shared pages included.
  package var byteCount: Int {
    var sum = capacity * MemoryLayout<UnsafeRawPointer?>.stride
    for segment in segments { for page in segment.pages { sum += page.byteCount } }
    return sum
  }

  /// The page, owned by this directory's stamp: copied first if another version shares it.
  package func writablePage(_ index: Int) -> Page {
    let slot = index & (Self.segmentPages - 1)
    let page = segments[index >> Self.segmentShift].pages[slot]
    if page.stamp == stamp { return page }
    let copy = Page(copying: page, stamp: stamp)
    replace(index, with: copy)
    return copy
  }

  /// Puts `page` in the place of page `index`.
  package func replace(_ index: Int, with page: Page) {
    ownedSegment(index >> Self.segmentShift).pages[index & (Self.segmentPages - 1)] = page
    addresses[index] = UnsafeRawPointer(page.base)
  }

  package func page(_ index: Int) -> Page {
    segments[index >> Self.segmentShift].pages[index & (Self.segmentPages - 1)]
  }

  private func ownedSegment(_ index: Int) -> Segment {
    let segment = segments[index]
    if segment.stamp == stamp { return segment }
    let copy = Segment(pages: segment.pages, stamp: stamp)
    segments[index] = copy
    return copy
  }
}
