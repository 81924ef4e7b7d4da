/// Memory that lasts as long as one load: texts that were written with escapes, and the cells of lists.
final class LoadArena {
  private var chunks: [UnsafeMutableRawPointer] = []
  private var next: UnsafeMutableRawPointer?
  private var free = 0
  private static let chunkBytes = 1 << 18

  /// Room for `count` bytes, aligned to 16.
  func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    let size = (max(1, count) + 15) & ~15
    if let place = next, size <= free {
      next = place + size
      free -= size
      return place
    }
    let bytes = max(size, Self.chunkBytes)
    let chunk = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
    chunks.append(chunk)
    if bytes > size {
      next = chunk + size
      free = bytes - size
    }
    return chunk
  }

  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    let place = allocate(bytes.count)
    if let start = bytes.baseAddress, bytes.count > 0 { place.copyMemory(from: start, byteCount: bytes.count) }
    return place
  }

  deinit { for chunk in chunks { chunk.deallocate() } }
}
