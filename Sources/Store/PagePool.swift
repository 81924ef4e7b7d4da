import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Memory of pages that nobody holds any more, kept for the next ones of the same size.
///
/// Why: each transaction takes about as many pages as the version that it supersedes gives back, and the allocator is
/// slow with blocks of this size and alignment. Any thread may give memory back; where two meet, one goes to the
/// allocator instead of waiting.
enum PagePool {
  /// Sizes are kept apart by the number of cache lines.
  private static let lineShift = 6
  private static let classes = 272
  /// Bytes that are kept at most.
  private static let capacity = 4 << 20

  /// The first free block of each class, which holds the address of the next one; 0 at the end.
  private final class Shelf: @unchecked Sendable {
    let isTaken = Atomic<Bool>(false)
    let heads: UnsafeMutablePointer<UInt>
    @exclusivity(unchecked) var bytes = 0
    init() {
      heads = .allocate(capacity: PagePool.classes)
      heads.initialize(repeating: 0, count: PagePool.classes)
    }
  }
  private static let shelf = Shelf()

  /// At least one, because a free block holds an address.
  private static func lines(_ byteCount: Int) -> Int { max(1, (byteCount + 63) >> lineShift) }

  /// Uninitialized memory, aligned to cache lines.
  static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    let lines = lines(byteCount)
    PageMeter.add(lines << lineShift)
    let shelf = shelf
    if lines < classes, !shelf.isTaken.exchange(true, ordering: .acquiring) {
      let head = shelf.heads[lines]
      if let block = UnsafeMutableRawPointer(bitPattern: head) {
        shelf.heads[lines] = block.load(as: UInt.self)
        shelf.bytes -= lines << lineShift
        shelf.isTaken.store(false, ordering: .releasing)
        return block
      }
      shelf.isTaken.store(false, ordering: .releasing)
    }
    return .allocate(byteCount: lines << lineShift, alignment: 64)
  }

  /// Gives back what ``allocate(byteCount:)`` gave for the same number of bytes.
  static func deallocate(_ block: UnsafeMutableRawPointer, byteCount: Int) {
    let lines = lines(byteCount)
    PageMeter.add(-(lines << lineShift))
    let shelf = shelf
    if lines < classes, !shelf.isTaken.exchange(true, ordering: .acquiring) {
      if shelf.bytes + lines << lineShift <= capacity {
        block.storeBytes(of: shelf.heads[lines], as: UInt.self)
        shelf.heads[lines] = UInt(bitPattern: block)
        shelf.bytes += lines << lineShift
        shelf.isTaken.store(false, ordering: .releasing)
        return
      }
      shelf.isTaken.store(false, ordering: .releasing)
    }
    block.deallocate()
  }

  /// Uninitialized memory of trivial elements: the tables of addresses, which are copied as often as pages.
  static func allocate<Element>(_: Element.Type, capacity: Int) -> UnsafeMutablePointer<Element> {
    allocate(byteCount: capacity * MemoryLayout<Element>.stride).bindMemory(to: Element.self, capacity: capacity)
  }

  static func deallocate<Element>(_ elements: UnsafeMutablePointer<Element>, capacity: Int) {
    deallocate(UnsafeMutableRawPointer(elements), byteCount: capacity * MemoryLayout<Element>.stride)
  }
}
