import GQLStore

/// Memory for what the cells of a batch of rows point to.
final class StorageArena: CellMemory {
  private var blocks: [UnsafeMutableRawBufferPointer] = []
  private var used = 0
  private static let blockBytes = 1 << 18

  deinit { for block in blocks { block.deallocate() } }

  func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let rounded = (max(byteCount, 1) + 15) & ~15
    if let block = blocks.last, let start = block.baseAddress, used + rounded <= block.count {
      defer { used += rounded }
      return start + used
    }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(rounded, Self.blockBytes), alignment: 16)
    blocks.append(block)
    used = rounded
    // Safe because the block has bytes.
    return block.baseAddress.unsafelyUnwrapped
  }

  /// Takes all memory back, and keeps one block.
  func reset() {
    for block in blocks.dropFirst() { block.deallocate() }
    blocks.removeLast(max(0, blocks.count - 1))
    used = 0
  }

  /// A copy of bytes.
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = allocate(bytes.count)
    if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
    return UnsafeRawBufferPointer(start: start, count: bytes.count)
  }
}
