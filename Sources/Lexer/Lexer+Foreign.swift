import GQLBase

/// Literals and signs of other languages, which are read as what they mean and reported.
extension Lexer {
  /// Reads `1990-01-01`, with or without a time of day, as an integer token; false if none stands here.
  ///
  /// Only month or day below ten make it an error of GraphQL: `1990-10-12` is three numbers there.
  mutating func scanBareDate() -> Bool {
    let dash = UInt8(ascii: "-")
    guard isDigit(peek(1)), isDigit(peek(2)), isDigit(peek(3)), peek(4) == dash, isDigit(peek(5)), isDigit(peek(6)),
      peek(7) == dash, isDigit(peek(8)), isDigit(peek(9)), !isDigit(peek(10)),
      peek(5) == UInt8(ascii: "0") || peek(8) == UInt8(ascii: "0")
    else { return false }
    let start = position
    var end = position + 10
    func at(_ index: Int) -> UInt8 { index < count ? bytes[index] : 0 }
    if at(end) == UInt8(ascii: "T"), isDigit(at(end + 1)) {
      end += 1
      while isDigit(at(end)) || (at(end) == UInt8(ascii: ":") || at(end) == UInt8(ascii: ".")) && isDigit(at(end + 1)) {
        end += 1
      }
      if at(end) == UInt8(ascii: "Z") { end += 1 }
    }
    report(.bareDate(text(from: start, end)), from: start, to: end)
    append(.int, from: start, to: end)
    return true
  }

  /// True at `...` between two operands.
  var isRangeOfThreeDots: Bool {
    let dot = UInt8(ascii: ".")
    guard peek() == dot, peek(1) == dot, peek(2) == dot else { return false }
    return isNameContinue(peek(3)) || peek(3) == UInt8(ascii: "$") || peek(3) == UInt8(ascii: "\"")
  }

  /// `1_000` without its underscores; nil if letters stand in it. What stands before `end` is digits.
  func withoutUnderscores(from start: Int, _ end: Int) -> String? {
    guard position - start <= 40 else { return nil }
    for byte in bytes[end..<position] where !isDigit(byte) && byte != UInt8(ascii: "_") { return nil }
    guard isDigit(bytes[position - 1]) else { return nil }
    return text(from: start, position).filter { $0 != "_" }
  }

  /// Reports `\(path)` in a string, of which the backslash is read and stands at `start`.
  mutating func scanInterpolation(from start: Int) {
    let open = position
    position &+= 1
    while isNameContinue(peek()) || peek() == UInt8(ascii: ".") { position &+= 1 }
    let isPath = peek() == UInt8(ascii: ")") && position > open + 1 && isNameStart(bytes[open + 1])
    guard isPath, position - open <= 60 else { return report(.interpolation(nil), from: start, to: position) }
    position &+= 1
    report(.interpolation(text(from: open + 1, position - 1)), from: start, to: position)
  }

  /// Reads a sign of mathematics, a tilde or a text in curly quotation marks; false if none stands here.
  @inline(never) mutating func scanForeign() -> Bool {
    if bytes[position] == UInt8(ascii: "~") {
      return scanOperator("~", .match, "=~", length: 1)
    }
    guard bytes[position] == 0xE2 else { return false }
    switch (peek(1), peek(2)) {
    case (0x89, 0xA5): return scanOperator("≥", .greaterOrEqual, ">=", length: 3)
    case (0x89, 0xA4): return scanOperator("≤", .lessOrEqual, "<=", length: 3)
    case (0x89, 0xA0): return scanOperator("≠", .notEqual, "!=", length: 3)
    case (0x80, 0x9C), (0x80, 0x9D): return scanCurlyQuotes()
    default: return false
    }
  }

  private mutating func scanOperator(_ sign: String, _ kind: TokenKind, _ replacement: String, length: Int) -> Bool {
    report(.foreignOperator(sign, replacement: replacement), from: position, to: position + length)
    append(kind, length: length)
    return true
  }

  private mutating func scanCurlyQuotes() -> Bool {
    let start = position
    var end = position + 3
    while end < count, bytes[end] != 0x0A, bytes[end] != 0x0D {
      if bytes[end] == 0xE2, end + 2 < count, bytes[end + 1] == 0x80, bytes[end + 2] == 0x9C || bytes[end + 2] == 0x9D {
        let inner = text(from: start + 3, end)
        guard !inner.utf8.contains(UInt8(ascii: "\"")), !inner.utf8.contains(UInt8(ascii: "\\")) else { return false }
        report(.singleQuotedString(replacement: "\"\(inner)\""), from: start, to: end + 3)
        append(.string, from: start, to: end + 3)
        return true
      }
      end += 1
    }
    return false
  }

  private func text(from start: Int, _ end: Int) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
  }
}
