import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Memory that is given out from front to back and freed as a whole.
///
/// Versions that branch from one snapshot share its last chunk: the cursor is atomic, so no two of them get the same
/// bytes, and none ever writes what another has got.
final class ArenaChunk: Sendable {
  let base: UnsafeMutableRawPointerBox
  let capacity: Int
  private let cursor = Atomic<Int>(0)

  init(capacity: Int) {
    self.capacity = capacity
    // Why 64 bytes more: readers may copy texts sixteen bytes at a time.
    base = UnsafeMutableRawPointerBox(.allocate(byteCount: capacity + 64, alignment: 16))
    memset(base.address + capacity, 0, 64)
  }

  deinit { base.address.deallocate() }

  /// Eight-byte aligned; nil if the rest of the chunk is too small.
  func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let rounded = (byteCount + 7) & ~7
    var used = cursor.load(ordering: .relaxed)
    while capacity - used >= rounded {
      let result = cursor.weakCompareExchange(expected: used, desired: used + rounded, ordering: .relaxed)
      if result.exchanged { return base.address + used }
      used = result.original
    }
    return nil
  }

  /// Bytes given out.
  var used: Int { cursor.load(ordering: .relaxed) }
}

/// An address that an owner shares under its own rules.
struct UnsafeMutableRawPointerBox: @unchecked Sendable {
  let address: UnsafeMutableRawPointer
  init(_ address: UnsafeMutableRawPointer) { self.address = address }
}

/// A list of chunks; a value, of which each version of a column has its own.
struct Arena: Sendable {
  private(set) var chunks: [ArenaChunk] = []
  /// Where the next allocation is tried; large blocks have chunks of their own, which stand elsewhere.
  private var current: ArenaChunk?
  /// Bytes given out of the chunks but the current one: asked for at each commit, and there may be thousands.
  private var closed = 0

  private static let firstChunk = 4096
  private static let largestChunk = 1 << 20

  mutating func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    if let address = current?.allocate(byteCount) { return address }
    if byteCount > Self.largestChunk / 4 {
      let chunk = ArenaChunk(capacity: (byteCount + 7) & ~7)
      chunks.append(chunk)
      closed += chunk.capacity
      // Safe because the chunk was made for these bytes.
      return chunk.allocate(byteCount).unsafelyUnwrapped
    }
    let capacity = min(Self.largestChunk, max(Self.firstChunk, (current?.capacity ?? 0) * 2))
    let chunk = ArenaChunk(capacity: max(capacity, (byteCount + 7) & ~7))
    chunks.append(chunk)
    closed += current?.used ?? 0
    current = chunk
    return chunk.allocate(byteCount).unsafelyUnwrapped
  }

  /// Bytes given out, superseded ones and those of abandoned branches included.
  var used: Int { closed + (current?.used ?? 0) }
  /// Bytes held.
  var byteCount: Int { chunks.reduce(0) { $0 + $1.capacity } }

  /// Frees the large block at `address` as soon as no other version needs it; smaller ones stay until compaction.
  mutating func releaseLarge(_ address: UnsafeMutableRawPointer, byteCount: Int) {
    guard byteCount > Self.largestChunk / 4 else { return }
    if let index = chunks.firstIndex(where: { $0.base.address == address && $0 !== current }) {
      closed -= chunks[index].capacity
      chunks.remove(at: index)
    }
  }
}
