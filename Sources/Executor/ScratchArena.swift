import GQLStore

/// Bump allocation for what lives until the end of a run, or until a mark is released. Memory is zeroed nowhere and
/// stays where it is until then.
@usableFromInline package final class ScratchArena: CellMemory {
  package struct Mark {
    fileprivate var chunk: Int
    fileprivate var used: Int
  }
  @exclusivity(unchecked) private var chunks: [UnsafeMutableRawBufferPointer] = []
  @exclusivity(unchecked) private var chunk = 0
  @exclusivity(unchecked) private var base: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var capacity: Int
  /// Bytes of the chunks before the current one.
  @exclusivity(unchecked) private var passed = 0
  /// Bytes that were given out and not freed.
  package var usedBytes: Int { passed &+ used }
  @exclusivity(unchecked) private var chunkBytes: Int
  /// Bytes of all chunks. Computed, because other modules have the runtime check each access to what is stored.
  package var byteCount: Int { chunkBytes }

  package init(capacity: Int = 4096) {
    let first = UnsafeMutableRawBufferPointer.allocate(byteCount: max(capacity, 64), alignment: 64)
    chunks = [first]
    // Safe because the buffer is not empty.
    base = first.baseAddress.unsafelyUnwrapped
    self.capacity = first.count
    chunkBytes = first.count
  }

  deinit { for chunk in chunks { chunk.deallocate() } }

  /// Uninitialized memory, aligned to 16 bytes.
  @usableFromInline package func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let size = (max(byteCount, 0) &+ 15) & ~15
    if capacity &- used < size { nextChunk(size) }
    let result = base + used
    used &+= size
    return result
  }

  /// Uninitialized memory for `count` values; they are never deinitialized, so `T` must be trivial.
  package func allocate<T: BitwiseCopyable>(_ type: T.Type, count: Int) -> UnsafeMutablePointer<T> {
    let (size, overflow) = max(count, 0).multipliedReportingOverflow(by: MemoryLayout<T>.stride)
    precondition(!overflow, "an allocation cannot be that large")
    return allocate(size).bindMemory(to: T.self, capacity: max(count, 0))
  }

  package var mark: Mark { Mark(chunk: chunk, used: used) }

  /// Frees what was allocated since the mark.
  package func release(to mark: Mark) {
    select(mark.chunk)
    used = mark.used
  }

  /// Frees everything; keeps a bounded amount of memory.
  package func removeAll() {
    if used > 0 || chunks.count > 1 { removeAllChunks() }
  }

  private func removeAllChunks() {
    if chunks.count > 1 {
      if chunk > 0 { select(0) }
      while chunks.count > 1, byteCount > 1 << 22, let last = chunks.popLast() {
        chunkBytes -= last.count
        last.deallocate()
      }
    }
    used = 0
  }

  private func select(_ index: Int) {
    if index < chunk {
      passed = chunks[..<index].reduce(0) { $0 + $1.count }
    } else {
      for number in chunk..<index { passed += chunks[number].count }
    }
    chunk = index
    base = chunks[index].baseAddress.unsafelyUnwrapped
    capacity = chunks[index].count
  }

  private func nextChunk(_ size: Int) {
    while chunk + 1 < chunks.count {
      select(chunk + 1)
      used = 0
      if capacity >= size { return }
    }
    let added = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, min(byteCount, 1 << 24)), alignment: 64)
    chunks.append(added)
    chunkBytes += added.count
    select(chunks.count - 1)
    used = 0
  }
}
