/// Three neighboring code points of a folded text as a number: exact for ASCII, a hash of them beyond it.
///
/// Two trigrams may share a number, so what is found by them must be looked at again.
package enum Trigram {
  /// Writes the numbers of a folded text in its order, repeats included; `keys` has room for one a byte.
  package static func write(_ text: UnsafeBufferPointer<UInt8>, to keys: UnsafeMutablePointer<UInt32>) -> Int {
    guard let start = text.baseAddress else { return 0 }
    let count = text.count
    var index = 0
    // The last two code points, and how many there have been.
    var first: UInt32 = 0
    var second: UInt32 = 0
    var seen = 0
    while index < count {
      let byte = start[index]
      var scalar = UInt32(byte)
      index &+= 1
      if byte >= 0xC0 {
        scalar &= byte < 0xE0 ? 0x1F : byte < 0xF0 ? 0x0F : 0x07
        while index < count, start[index] & 0xC0 == 0x80 {
          scalar = scalar << 6 | UInt32(start[index] & 0x3F)
          index &+= 1
        }
      }
      if seen >= 2 { keys[seen &- 2] = key(first, second, scalar) }
      seen &+= 1
      first = second
      second = scalar
    }
    return max(seen - 2, 0)
  }

  @inline(__always)
  static func key(_ first: UInt32, _ second: UInt32, _ third: UInt32) -> UInt32 {
    if first | second | third < 0x80 { return first << 14 | second << 7 | third }
    var hash = UInt64(first) << 42 ^ UInt64(second) << 21 ^ UInt64(third)
    hash = (hash ^ hash >> 31) &* 0x9E37_79B9_7F4A_7C15
    return UInt32(truncatingIfNeeded: hash >> 32) | 0x8000_0000
  }
}

extension CandidateQuery {
  /// The trigrams of a folded literal; nil if it is too short to have one.
  package init?(literal folded: [UInt8]) {
    let found = folded.withUnsafeBufferPointer { bytes in
      [UInt32](unsafeUninitializedCapacity: bytes.count) { buffer, count in
        count = buffer.baseAddress.map { Trigram.write(bytes, to: $0) } ?? 0
      }
    }
    if found.isEmpty { return nil }
    // Evenly spread ones stand for the others.
    let step = (found.count + Self.maximumKeys - 1) / Self.maximumKeys
    self.init(keys: Set(stride(from: 0, to: found.count, by: step).map { found[$0] }).sorted())
  }
}
