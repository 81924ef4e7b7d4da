/// How a code point takes part in words.
enum WordClass: UInt8 {
  /// White space, punctuation, symbols.
  case separator = 0
  /// Letters and digits, which make up words with their neighbors.
  case letter = 1
  /// Marks and joiners: part of what stands before them.
  case extend = 2
  /// Letters of scripts without spaces: words by themselves.
  case alone = 3

  init(_ scalar: UInt32) {
    self = scalar < 0x800 ? WordClass(raw: WordClass.low[Int(scalar)]) : WordClass(raw: WordClass.search(scalar))
  }

  private init(raw: UInt8) { self = WordClass(rawValue: raw) ?? .separator }

  /// Latin, Greek, Cyrillic, Hebrew and Arabic letters are looked up at once.
  private static let low: [UInt8] = (0..<0x800).map { code in
    let scalar = UInt32(code)
    if scalar >= 0x80 { return search(scalar) }
    return isASCIIWord(UInt8(truncatingIfNeeded: scalar)) ? 1 : 0
  }

  @inline(__always)
  static func isASCIIWord(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 }

  private static func search(_ scalar: UInt32) -> UInt8 {
    // The last run that begins at or before the scalar.
    var low = 0
    var high = ranges.count / 2
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle * 2] <= scalar { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return 0 }
    let last = ranges[low * 2 - 1]
    return scalar <= last & 0x00FF_FFFF ? UInt8(truncatingIfNeeded: last >> 24) : 0
  }
}
