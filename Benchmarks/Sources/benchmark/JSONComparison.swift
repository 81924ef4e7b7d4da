/// Whether two JSON texts say the same: equal bytes, or equal values with keys in the same order when only the spelling
/// of strings or numbers differs, or the twelfth digit of a number.
enum JSONComparison {
  /// `nil` when equal, else a sentence that shows the first place where they differ.
  static func difference(_ left: [UInt8], _ right: [UInt8]) -> String? {
    if left == right { return nil }
    var leftTokens = JSONTokens(left)
    var rightTokens = JSONTokens(right)
    while true {
      let leftToken = leftTokens.next()
      let rightToken = rightTokens.next()
      if !isSame(leftToken, rightToken) {
        return "gqlite …\(leftTokens.context)…\nSQLite …\(rightTokens.context)…"
      }
      if leftToken == nil { return nil }
    }
  }

  /// SQLite rounds a mean that lies next to a half by its digits as a double, which may be the wrong way.
  private static func isSame(_ left: JSONTokens.Token?, _ right: JSONTokens.Token?) -> Bool {
    if case .number(let left) = left, case .number(let right) = right {
      return left == right || abs(left - right) <= abs(left) * 1e-12
    }
    return left == right
  }
}

/// The tokens of a JSON text, strings without escapes and numbers by value; commas and colons are kept, so equal sequences
/// mean equal values.
private struct JSONTokens {
  enum Token: Equatable {
    case punctuation(UInt8)
    case string([UInt8])
    case number(Double)
    case word([UInt8])
  }

  private let bytes: [UInt8]
  private var position = 0
  private var start = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The text around the last token.
  var context: String {
    String(decoding: bytes[max(0, start - 60)..<min(bytes.count, start + 60)], as: UTF8.self)
  }

  mutating func next() -> Token? {
    while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
    guard position < bytes.count else { return nil }
    start = position
    switch bytes[position] {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
      UInt8(ascii: ":"):
      position += 1
      return .punctuation(bytes[start])
    case UInt8(ascii: "\""):
      position += 1
      return .string(string())
    default:
      while position < bytes.count, !",]}: \n".utf8.contains(bytes[position]) { position += 1 }
      let word = Array(bytes[start..<position])
      return Double(String(decoding: word, as: UTF8.self)).map(Token.number) ?? .word(word)
    }
  }

  private mutating func string() -> [UInt8] {
    var units: [UInt16] = []
    var text: [UInt8] = []
    func flush() {
      text += String(decoding: units, as: UTF16.self).utf8
      units.removeAll()
    }
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      guard bytes[position] == UInt8(ascii: "\\"), position + 1 < bytes.count else {
        flush()
        text.append(bytes[position])
        position += 1
        continue
      }
      let escape = bytes[position + 1]
      position += 2
      if escape == UInt8(ascii: "u"), position + 4 <= bytes.count {
        units.append(UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16) ?? 0)
        position += 4
        continue
      }
      flush()
      let plain: [UInt8: UInt8] = [0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9]
      text.append(plain[escape] ?? escape)
    }
    flush()
    position += 1
    return text
  }
}
