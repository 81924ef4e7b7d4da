import GQLBase
import GQLStore

/// What the writer appends for each field. Nothing here asks for room but where it says so.
extension ByteBuffer {
  /// Precondition: `position` is below the count.
  @inline(__always)
  mutating func overwrite(_ position: Int, _ byte: UInt8) {
    UnsafeMutableRawPointer(mutating: start + position).storeBytes(of: byte, as: UInt8.self)
  }

  /// Precondition: the buffer is not empty.
  @inline(__always)
  mutating func overwriteLast(_ byte: UInt8) { overwrite(count &- 1, byte) }

  /// Whether the last thing written is a key with a null.
  var endsWithNull: Bool {
    count >= 5 && (start + (count &- 5)).loadUnaligned(as: UInt32.self) == 0x6C75_6E3A
      && (start + (count &- 1)).load(as: UInt8.self) == 0x6C
  }

  /// Room must be reserved: the count and 16 more; as many bytes must be readable behind a short prefix, see
  /// ``ByteBlock/store(_:)``.
  @inline(__always)
  mutating func appendPrefix(_ prefix: UnsafeRawPointer, _ prefixCount: Int) {
    if prefixCount <= 16 {
      let target = UnsafeMutableRawPointer(mutating: start + count)
      target.storeBytes(of: prefix.loadUnaligned(as: SIMD2<UInt64>.self), as: SIMD2<UInt64>.self)
      advance(prefixCount)
    } else {
      appendReserved(prefix, prefixCount)
    }
  }

  /// Room must be reserved.
  @inline(__always)
  mutating func appendNull() {
    let target = UnsafeMutableRawPointer(mutating: start + count)
    target.storeBytes(of: 0x6C6C_756E, as: UInt32.self)
    advance(4)
  }

  /// Appends the text of the view at `address`, whose first word is given, behind its opening quote, and the closing
  /// one. Room for 13 bytes must be reserved: a short text is stored with its padding.
  @inline(__always)
  mutating func appendText(_ address: UnsafeRawPointer, _ word: UInt64) {
    let count = TextView(word0: word, word1: 0).count
    if word & TextView.escapeFlag != 0 {
      truncate(to: self.count &- 1)
      let bytes = TextView.bytes(at: address)
      append(json: bytes.start, bytes.count)
    } else if count <= TextView.inlineCapacity {
      let target = UnsafeMutableRawPointer(mutating: start + self.count)
      target.storeBytes(of: (address + 4).loadUnaligned(as: UInt64.self), as: UInt64.self)
      (target + 8).storeBytes(of: (address + 12).loadUnaligned(as: UInt32.self), as: UInt32.self)
      (target + count).storeBytes(of: 0x22, as: UInt8.self)
      advance(count &+ 1)
    } else if let bytes = UnsafeRawPointer(bitPattern: UInt((address + 8).load(as: UInt64.self))) {
      reserve(count &+ 17)
      appendReserved(bytes, count)
      appendReserved(0x22)
    }
  }
}
