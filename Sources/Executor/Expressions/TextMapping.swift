/// Case and space by Unicode's properties. Bytes that are not UTF-8 become U+FFFD.
enum TextMapping {
  static func lower(_ bytes: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]) {
    map(bytes, into: &result, ascii: { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, other: { $0.properties.lowercaseMapping })
  }

  static func upper(_ bytes: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]) {
    map(bytes, into: &result, ascii: { $0 &- 0x61 < 26 ? $0 & 0xDF : $0 }, other: { $0.properties.uppercaseMapping })
  }

  @inline(__always)
  private static func map(
    _ bytes: UnsafeBufferPointer<UInt8>, into result: inout [UInt8], ascii: (UInt8) -> UInt8,
    other: (Unicode.Scalar) -> String
  ) {
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count, bytes[index] < 0x80 {
      result.append(ascii(bytes[index]))
      index += 1
    }
    if index == bytes.count { return }
    for scalar in String(decoding: bytes[index...], as: UTF8.self).unicodeScalars {
      if scalar.isASCII {
        result.append(ascii(UInt8(truncatingIfNeeded: scalar.value)))
      } else {
        result.append(contentsOf: other(scalar).utf8)
      }
    }
  }

  /// Without white space (Unicode's property) at both ends.
  static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    var start = 0
    var end = bytes.count
    while start < end {
      let length = bytes[start] < 0x80 ? 1 : UTF8Length.of(bytes[start])
      guard start + length <= end, isSpace(bytes, start, length) else { break }
      start += length
    }
    while start < end {
      var first = end - 1
      while first > start, bytes[first] & 0xC0 == 0x80 { first -= 1 }
      guard isSpace(bytes, first, end - first) else { break }
      end = first
    }
    return start..<end
  }

  private static func isSpace(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ length: Int) -> Bool {
    if length == 1 { return bytes[start] == 0x20 || bytes[start] &- 0x09 < 5 }
    guard length <= 4 else { return false }
    let text = String(decoding: bytes[start..<start + length], as: UTF8.self).unicodeScalars
    return text.count == 1 && (text.first?.properties.isWhitespace ?? false)
  }

  /// Bytes that do not continue a code point.
  static func scalarCount(_ start: UnsafeRawPointer, _ count: Int) -> Int {
    var total = 0
    for index in 0..<count {
      total &+= start.load(fromByteOffset: index, as: UInt8.self) & 0xC0 == 0x80 ? 0 : 1
    }
    return total
  }
}

enum UTF8Length {
  /// By the first byte of a code point beyond ASCII.
  static func of(_ byte: UInt8) -> Int { byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4 }
}
