/// Base64 as in RFC 4648, section 4.
package enum Base64 {
  /// Appends the encoded bytes, with padding and without quotes.
  package static func encode(_ bytes: UnsafeRawBufferPointer, into buffer: inout ByteBuffer) {
    buffer.reserve((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let first = UInt32(bytes[index])
      let second = index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0
      let third = index + 2 < bytes.count ? UInt32(bytes[index + 2]) : 0
      let group = first << 16 | second << 8 | third
      buffer.appendReserved(letter(group >> 18))
      buffer.appendReserved(letter(group >> 12))
      buffer.appendReserved(index + 1 < bytes.count ? letter(group >> 6) : 0x3D)
      buffer.appendReserved(index + 2 < bytes.count ? letter(group) : 0x3D)
      index += 3
    }
  }

  /// Nil unless it is well formed: padded, without spaces, and with zeros in the bits that are left over.
  package static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3)
    return decode(text, isEnd: true, into: &result) ? result : nil
  }

  /// Decodes into memory that has room for three bytes for each four letters; gives their number, or nil as above.
  package static func decode(_ text: UnsafeBufferPointer<UInt8>, into place: UnsafeMutableRawPointer) -> Int? {
    var count = 0
    let isGood = decode(text, isEnd: true) { byte in
      place.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
      count += 1
    }
    return isGood ? count : nil
  }

  /// Decodes a part of a text, a multiple of four letters; only the part at the end may be padded. False as above.
  package static func decode(_ text: UnsafeBufferPointer<UInt8>, isEnd: Bool, into result: inout [UInt8]) -> Bool {
    decode(text, isEnd: isEnd) { result.append($0) }
  }

  @inline(__always)
  private static func decode(
    _ text: UnsafeBufferPointer<UInt8>, isEnd: Bool, _ append: (UInt8) -> Void
  ) -> Bool {
    guard text.count % 4 == 0 else { return false }
    var index = 0
    while index < text.count {
      let isLast = isEnd && index + 4 == text.count
      let padding = isLast && text[index + 3] == 0x3D ? (text[index + 2] == 0x3D ? 2 : 1) : 0
      var group: UInt32 = 0
      for offset in 0..<4 {
        var bits: UInt32 = 0
        if offset < 4 - padding {
          guard let value = value(text[index + offset]) else { return false }
          bits = value
        }
        group = group << 6 | bits
      }
      append(UInt8(truncatingIfNeeded: group >> 16))
      if padding < 2 { append(UInt8(truncatingIfNeeded: group >> 8)) }
      if padding < 1 { append(UInt8(truncatingIfNeeded: group)) }
      if padding == 2, group & 0xFFFF != 0 { return false }
      if padding == 1, group & 0xFF != 0 { return false }
      index += 4
    }
    return true
  }

  private static func letter(_ bits: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: bits & 63)
    return switch value {
    case 0..<26: 0x41 + value
    case 26..<52: 0x61 + value - 26
    case 52..<62: 0x30 + value - 52
    case 62: 0x2B
    default: 0x2F
    }
  }

  private static func value(_ letter: UInt8) -> UInt32? {
    switch letter {
    case 0x41...0x5A: UInt32(letter) - 0x41
    case 0x61...0x7A: UInt32(letter) - 0x61 + 26
    case 0x30...0x39: UInt32(letter) - 0x30 + 52
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
