/// Memory for what one converted value points to, used again for the next.
final class ConversionArena {
  private var chunk = UnsafeMutableRawPointer.allocate(byteCount: ConversionArena.chunkBytes, alignment: 16)
  private var used = 0
  /// What did not fit into the chunk.
  private var blocks: [UnsafeMutableRawPointer] = []
  private static let chunkBytes = 1 << 14

  deinit {
    removeAll()
    chunk.deallocate()
  }

  /// Everything that was given out is void.
  func removeAll() {
    used = 0
    for block in blocks { block.deallocate() }
    blocks.removeAll(keepingCapacity: true)
  }

  /// Aligned to 16 bytes.
  func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    let rounded = (max(count, 1) + 15) & ~15
    if rounded <= Self.chunkBytes - used {
      used += rounded
      return chunk + (used - rounded)
    }
    let block = UnsafeMutableRawPointer.allocate(byteCount: rounded, alignment: 16)
    blocks.append(block)
    return block
  }

  /// The cell of a copy of a text; nil if it is too long.
  func text(_ bytes: UnsafeRawBufferPointer, flags: UInt64 = 0) -> Cell? {
    guard bytes.count <= TextView.maximumLength else { return nil }
    guard let start = bytes.baseAddress, bytes.count > 0 else { return TextView(word0: flags, word1: 0).cell }
    var flags = flags
    for byte in bytes where byte < 0x20 || byte == 0x22 || byte == 0x5C { flags |= TextView.escapeFlag }
    let copy = allocate(bytes.count)
    copy.copyMemory(from: start, byteCount: bytes.count)
    return TextView(UnsafeRawPointer(copy), count: bytes.count, flags: flags).cell
  }
}
