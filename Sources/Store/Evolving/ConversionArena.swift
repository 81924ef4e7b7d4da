/// Memory for what one converted value points to, used again for the next.
final class ConversionArena: CellMemory {
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

  /// Returns memory aligned to 16 bytes.
  package func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    let rounded = (max(count, 1) + 15) & ~15
    if rounded <= Self.chunkBytes - used {
      used += rounded
      return chunk + (used - rounded)
    }
    let block = UnsafeMutableRawPointer.allocate(byteCount: rounded, alignment: 16)
    blocks.append(block)
    return block
  }
}
