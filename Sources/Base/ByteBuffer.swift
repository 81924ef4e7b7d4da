#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A growable raw output buffer with one owner; writers pass it `inout`.
///
/// Sources of an append must not lie inside the buffer itself, which may move. Little-endian machines only.
@usableFromInline
package struct ByteBuffer: ~Copyable, @unchecked Sendable {
  @usableFromInline var base: UnsafeMutableRawPointer
  @usableFromInline var length: Int
  @usableFromInline var capacity: Int

  /// `capacity` is in bytes; the buffer grows beyond it as needed.
  package init(capacity: Int = 256) {
    self.capacity = max(capacity, 64)
    length = 0
    base = ByteBuffer.allocate(self.capacity, nil)
  }

  deinit {
    free(base)
  }

  @inlinable package var count: Int { length }

  @inlinable package var isEmpty: Bool { length == 0 }

  /// The written bytes; valid until the next mutation.
  @inlinable package var start: UnsafeRawPointer { UnsafeRawPointer(base) }

  /// Ensures room for `extra` more bytes.
  @inlinable
  package mutating func reserve(_ extra: Int) {
    if capacity &- length < extra { grow(extra) }
  }

  @inlinable
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    (base + length).storeBytes(of: byte, as: UInt8.self)
    length &+= 1
  }

  /// Appends `count` bytes; reads no byte beyond them.
  @inlinable
  package mutating func append(_ start: UnsafeRawPointer, _ count: Int) {
    reserve(count)
    appendReserved(start, count)
  }

  /// Appends `count` bytes where room was reserved before.
  @inlinable
  package mutating func appendReserved(_ start: UnsafeRawPointer, _ count: Int) {
    let target = base + length
    length &+= count
    if count >= 8 {
      if count <= 16 {
        // Two overlapping words are cheaper than a call.
        let head = start.loadUnaligned(as: UInt64.self)
        let tail = (start + (count &- 8)).loadUnaligned(as: UInt64.self)
        target.storeBytes(of: head, as: UInt64.self)
        (target + (count &- 8)).storeBytes(of: tail, as: UInt64.self)
      } else if count <= 32 {
        let head = start.loadUnaligned(as: SIMD2<UInt64>.self)
        let tail = (start + (count &- 16)).loadUnaligned(as: SIMD2<UInt64>.self)
        target.storeBytes(of: head, as: SIMD2<UInt64>.self)
        (target + (count &- 16)).storeBytes(of: tail, as: SIMD2<UInt64>.self)
      } else {
        target.copyMemory(from: start, byteCount: count)
      }
    } else if count >= 4 {
      let head = start.loadUnaligned(as: UInt32.self)
      let tail = (start + (count &- 4)).loadUnaligned(as: UInt32.self)
      target.storeBytes(of: head, as: UInt32.self)
      (target + (count &- 4)).storeBytes(of: tail, as: UInt32.self)
    } else if count > 0 {
      target.storeBytes(of: start.load(as: UInt8.self), as: UInt8.self)
      let middle = count &>> 1
      (target + middle).storeBytes(of: (start + middle).load(as: UInt8.self), as: UInt8.self)
      (target + (count &- 1)).storeBytes(of: (start + (count &- 1)).load(as: UInt8.self), as: UInt8.self)
    }
  }

  /// Appends one byte where room was reserved before.
  @inlinable
  package mutating func appendReserved(_ byte: UInt8) {
    (base + length).storeBytes(of: byte, as: UInt8.self)
    length &+= 1
  }

  /// Appends `count` bytes from a source of which at least 16 bytes (and `count`) may be read.
  @inlinable
  package mutating func append(padded start: UnsafeRawPointer, _ count: Int) {
    if count <= 16 {
      reserve(16)
      let target = base + length
      let words = start.loadUnaligned(as: SIMD2<UInt64>.self)
      target.storeBytes(of: words, as: SIMD2<UInt64>.self)
      length &+= count
    } else {
      append(start, count)
    }
  }

  @inlinable
  package mutating func append(_ text: StaticString) {
    append(UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount)
  }

  package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  package mutating func append(utf8 text: Text) {
    text.withUnsafeBytes { append($0) }
  }

  /// Appends the UTF-8 bytes of `text` as they are.
  package mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  @inlinable
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    append(start, bytes.count)
  }

  /// The room behind the bytes that needs no growth.
  package var room: (start: UnsafeMutableRawPointer, count: Int) { (base + length, capacity - length) }

  /// Takes in `count` bytes that the caller has written behind the end, into reserved room.
  @inlinable
  package mutating func advance(_ count: Int) { length &+= count }

  /// Forgets the bytes, keeps the memory.
  @inlinable
  package mutating func removeAll() { length = 0 }

  /// Forgets the bytes, and gives back memory beyond `capacity` bytes.
  package mutating func removeAll(keeping capacity: Int) {
    length = 0
    guard self.capacity > max(capacity, 64) else { return }
    free(base)
    self.capacity = max(capacity, 64)
    base = ByteBuffer.allocate(self.capacity, nil)
  }

  /// Replaces a byte. Precondition: it was written.
  package mutating func replace(at index: Int, with byte: UInt8) {
    precondition(index < length, "only written bytes can be replaced")
    (base + index).storeBytes(of: byte, as: UInt8.self)
  }

  /// Appends the eight bytes of a word, the lowest first.
  package mutating func append(littleEndian word: UInt64) {
    reserve(8)
    (base + length).storeBytes(of: word.littleEndian, as: UInt64.self)
    length &+= 8
  }

  /// Forgets all bytes from `count` on; does nothing if there are fewer.
  @inlinable
  package mutating func truncate(to count: Int) {
    if count < length { length = max(count, 0) }
  }

  @inlinable
  package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try body(UnsafeRawBufferPointer(start: base, count: length))
  }

  /// The bytes as an array; the buffer is empty afterwards.
  package mutating func takeArray() -> [UInt8] {
    let result = [UInt8](UnsafeRawBufferPointer(start: base, count: length))
    length = 0
    return result
  }

  /// The memory with the bytes, without what it has beyond them; the buffer is empty afterwards.
  ///
  /// The caller gives it back with `free`.
  package mutating func takeMemory() -> UnsafeMutableRawPointer {
    let memory = ByteBuffer.allocate(max(length, 16), base)
    length = 0
    capacity = 64
    base = ByteBuffer.allocate(capacity, nil)
    return memory
  }

  /// The bytes as text; ill-formed UTF-8 is repaired.
  package var string: String {
    String(decoding: UnsafeRawBufferPointer(start: base, count: length), as: UTF8.self)
  }

  @usableFromInline
  @inline(never)
  mutating func grow(_ extra: Int) {
    let (needed, overflow) = length.addingReportingOverflow(max(extra, 0))
    precondition(!overflow && needed < Int.max / 4, "a buffer cannot be that large")
    let larger = max(needed + 16, capacity * 2)
    base = ByteBuffer.allocate(larger, base)
    capacity = larger
  }

  private static func allocate(_ capacity: Int, _ old: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    guard let memory = realloc(old, capacity) else { preconditionFailure("out of memory") }
    return memory
  }
}
