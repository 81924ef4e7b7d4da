import GQLStore

/// Memory for what the cells of a batch of rows point to.
final class StorageArena {
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

  /// A text's cell; nil for one that is too long.
  func text(_ bytes: UnsafeRawBufferPointer, isNumber: Bool) -> Cell? {
    guard bytes.count <= TextView.maximumLength else { return nil }
    let number = isNumber ? TextView.numberFlag : 0
    guard let start = bytes.baseAddress, bytes.count > 0 else { return TextView(word0: number, word1: 0).cell }
    let flags = number | TextView.escapeFlag(start, bytes.count)
    if bytes.count <= TextView.inlineCapacity { return TextView(start, count: bytes.count, flags: flags).cell }
    let copied = copy(bytes)
    // Safe because there are bytes.
    return TextView(copied.baseAddress.unsafelyUnwrapped, count: bytes.count, flags: flags).cell
  }

  /// A list's cell.
  func list(_ elements: [Cell?], isWide: Bool) -> Cell {
    if elements.isEmpty { return Cell(low: 0) }
    let width = isWide ? 16 : 8
    let start = allocate(elements.count * (width + 1))
    for (index, element) in elements.enumerated() {
      (start + index * width).storeBytes(of: element?.low ?? 0, as: UInt64.self)
      if isWide { (start + (index * width + 8)).storeBytes(of: element?.high ?? 0, as: UInt64.self) }
      (start + (elements.count * width + index)).storeBytes(of: element == nil ? 0 : 1, as: UInt8.self)
    }
    return Cell(low: UInt64(UInt(bitPattern: start)), high: UInt64(elements.count))
  }
}
