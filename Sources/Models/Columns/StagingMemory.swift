import GQLStore

/// Memory for the texts and lists of entities that are on their way into a transaction, which copies them.
final class StagingMemory {
  @exclusivity(unchecked) private var chunks: [UnsafeMutableRawBufferPointer] = []
  @exclusivity(unchecked) private var used = 0
  private static let chunkBytes = 1 << 16

  init() {}

  deinit { for chunk in chunks { chunk.deallocate() } }

  /// Forgets everything, and keeps the first chunk.
  func removeAll() {
    while chunks.count > 1 { chunks.removeLast().deallocate() }
    used = 0
  }

  /// Eight-byte aligned; valid until ``removeAll()``.
  func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let rounded = max(8, (byteCount + 7) & ~7)
    if let last = chunks.last, last.count - used >= rounded, let base = last.baseAddress {
      defer { used += rounded }
      return base + used
    }
    // Why the rest: texts are read sixteen bytes at a time.
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(Self.chunkBytes, rounded + 64), alignment: 16)
    chunks.append(chunk)
    used = rounded
    // Safe because the chunk has bytes.
    return chunk.baseAddress.unsafelyUnwrapped
  }

  /// A text with its flags, copied where it does not fit into a cell.
  func text(_ bytes: UnsafeRawBufferPointer, flags: UInt64 = 0) -> Cell {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return TextView(word0: flags, word1: 0).cell }
    var flags = flags
    for byte in bytes where byte < 0x20 || byte == 0x22 || byte == 0x5C {
      flags |= TextView.escapeFlag
      break
    }
    if bytes.count <= TextView.inlineCapacity { return TextView(start, count: bytes.count, flags: flags).cell }
    let copy = allocate(bytes.count)
    copy.copyMemory(from: start, byteCount: bytes.count)
    return TextView(UnsafeRawPointer(copy), count: bytes.count, flags: flags).cell
  }

  /// A list in the form in which the store takes it: cells, then a byte of validity for each.
  func list(count: Int, isWide: Bool, _ element: (Int) throws -> Cell) rethrows -> Cell {
    let width = isWide ? 16 : 8
    let run = allocate(count * (width + 1))
    for index in 0..<count {
      let cell = try element(index)
      run.storeBytes(of: cell.low, toByteOffset: index * width, as: UInt64.self)
      if isWide { run.storeBytes(of: cell.high, toByteOffset: index * width + 8, as: UInt64.self) }
      run.storeBytes(of: 1, toByteOffset: count * width + index, as: UInt8.self)
    }
    return Cell(low: UInt64(UInt(bitPattern: run)), high: UInt64(count))
  }
}
