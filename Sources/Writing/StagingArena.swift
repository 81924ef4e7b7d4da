import GQLBase
import GQLStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A memory for what staged cells point to: texts and lists that lie nowhere else.
@usableFromInline package final class StagingArena: CellMemory {
  /// Holds memory, of which the first chunk is of the usual size and stays.
  @exclusivity(unchecked) private var chunks: [UnsafeMutableRawBufferPointer] = []
  @exclusivity(unchecked) private var next: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var free = 0
  private static let chunkBytes = 1 << 18

  package init() {}

  /// Returns room for `count` bytes, aligned to 16.
  @usableFromInline package func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    let size = (max(1, count) + 15) & ~15
    if let place = next, size <= free {
      next = place + size
      free -= size
      return place
    }
    if size > Self.chunkBytes / 4 {
      // What is large has memory of its own.
      if chunks.isEmpty { addChunk() }
      return addMemory(Self.memory(size), size)
    }
    let chunk = addChunk()
    next = chunk + size
    free = Self.chunkBytes - size
    return chunk
  }

  @discardableResult
  private func addChunk() -> UnsafeMutableRawPointer {
    let chunk = addMemory(Self.memory(Self.chunkBytes), Self.chunkBytes)
    next = chunk
    free = Self.chunkBytes
    return chunk
  }

  private func addMemory(_ memory: UnsafeMutableRawPointer, _ count: Int) -> UnsafeMutableRawPointer {
    chunks.append(UnsafeMutableRawBufferPointer(start: memory, count: count))
    return memory
  }

  private static func memory(_ count: Int) -> UnsafeMutableRawPointer {
    guard let memory = malloc(count) else { preconditionFailure("out of memory") }
    return memory
  }

  /// Returns the address of a copy.
  package func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    let place = allocate(bytes.count)
    if let start = bytes.baseAddress, bytes.count > 0 { place.copyMemory(from: start, byteCount: bytes.count) }
    return place
  }

  /// Takes the bytes of a buffer, which may be empty afterwards: many are taken over, few are copied.
  package func take(_ buffer: inout ByteBuffer) -> UnsafeRawPointer {
    guard buffer.count > Self.chunkBytes / 4 else { return UnsafeRawPointer(buffer.withUnsafeBytes { copy($0) }) }
    if chunks.isEmpty { addChunk() }
    let count = buffer.count
    return UnsafeRawPointer(addMemory(buffer.takeMemory(), count))
  }

  /// Returns whether an address lies in this memory.
  package func contains(_ address: UnsafeRawPointer) -> Bool {
    chunks.contains { chunk in
      guard let start = chunk.baseAddress else { return false }
      return address >= UnsafeRawPointer(start) && address < UnsafeRawPointer(start + chunk.count)
    }
  }

  /// Counts the bytes held.
  package var byteCount: Int { chunks.reduce(0) { $0 + $1.count } }

  /// Forgets everything.
  package func removeAll() {
    for chunk in chunks.dropFirst() { Self.release(chunk.baseAddress) }
    if chunks.count > 1 { chunks.removeLast(chunks.count - 1) }
    next = chunks.first?.baseAddress
    free = chunks.isEmpty ? 0 : Self.chunkBytes
  }

  private static func release(_ memory: UnsafeMutableRawPointer?) {
    #if canImport(Glibc)
      Glibc.free(memory)
    #elseif canImport(Musl)
      Musl.free(memory)
    #else
      Darwin.free(memory)
    #endif
  }

  deinit { for chunk in chunks { Self.release(chunk.baseAddress) } }
}
