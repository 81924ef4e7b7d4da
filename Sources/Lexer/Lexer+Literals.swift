import GQLBase

extension Lexer {
  /// ```
  /// Int = "0" | ? "1" to "9" ? , { Digit } ;
  /// Float = Int , [ "." , { Digit }- ] , [ ( "e" | "E" ) , [ "+" | "-" ] , { Digit }- ] ;
  /// ```
  /// A float has at least one of its parts; the parser folds the sign (R5).
  mutating func scanNumber() {
    if bytes[position] != UInt8(ascii: "0"), scanBareDate() { return }
    let start = position
    var kind = TokenKind.int
    var problem: LexicalProblem?
    if bytes[position] == UInt8(ascii: "0") {
      position &+= 1
      if isDigit(peek()) {
        problem = .leadingZero
        skipDigits()
      }
    } else {
      skipDigits()
    }
    if peek() == UInt8(ascii: "."), isDigit(peek(1)) {
      kind = .float
      position &+= 1
      skipDigits()
    }
    if peek() | 0x20 == UInt8(ascii: "e") {
      let signed = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
      if isDigit(peek(signed ? 2 : 1)) {
        kind = .float
        position &+= signed ? 2 : 1
        skipDigits()
      } else if signed || !isNameContinue(peek(1)) {
        kind = .float
        position &+= signed ? 2 : 1
        problem = problem ?? .missingDigits
      }
    }
    let isRange = peek() == UInt8(ascii: ".") && peek(1) == UInt8(ascii: ".") && peek(2) != UInt8(ascii: ".")
    if isNameStart(peek()) {
      let end = position
      while isNameContinue(peek()) { position &+= 1 }
      problem = problem ?? .numberRunsOn(replacement: kind == .int ? withoutUnderscores(from: start, end) : nil)
    } else if problem == nil, isRangeOfThreeDots {
      append(kind, from: start, to: position)
      report(.threeDots, from: position, to: position + 3)
      return append(.closedRange, length: 3)
    } else if peek() == UInt8(ascii: "."), !isRange {
      problem =
        problem ?? (peek(1) == UInt8(ascii: ".") || kind == .float ? .numberRunsOn(replacement: nil) : .missingDigits)
      while peek() == UInt8(ascii: ".") || isNameContinue(peek()) { position &+= 1 }
    }
    if let problem { report(problem, from: start, to: position) }
    append(kind, from: start, to: position)
  }

  private mutating func skipDigits() {
    while isDigit(peek()) { position &+= 1 }
  }

  /// ```
  /// String = '"' , { ? any character but line ends, with the escapes of GraphQL ? } , '"' ;
  /// ```
  mutating func scanString() {
    let start = position
    let quote = UInt8(ascii: "\"")
    if peek(1) == quote {
      if peek(2) == quote { return scanBlockString() }
      return append(.string, length: 2)
    }
    position &+= 1
    while position < count {
      let byte = bytes[position]
      switch byte {
      case quote: return append(.string, from: start, to: position &+ 1)
      case 0x0A, 0x0D:
        report(.unterminatedString(isBlock: false), from: start, to: position)
        return append(.string, from: start, to: position)
      case UInt8(ascii: "\\"):
        flags.insert(.needsDecoding)
        scanEscape()
      case 0x80...:
        if !skipScalar() { flags.insert(.needsDecoding) }
      default: position &+= 1
      }
    }
    report(.unterminatedString(isBlock: false), from: start, to: position)
    append(.string, from: start, to: position)
  }

  private mutating func scanEscape() {
    let start = position
    position &+= 1
    switch peek() {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position &+= 1
    case UInt8(ascii: "u"):
      position &+= 1
      let escape = unicodeEscape(in: bytes, at: position)
      position = escape.end
      if !escape.isWellFormed {
        report(.invalidEscape, from: start, to: position)
      } else if escape.scalar == nil {
        report(.invalidCodePoint, from: start, to: position)
      }
    case UInt8(ascii: "("): scanInterpolation(from: start)
    case 0x0A, 0x0D, 0: report(.invalidEscape, from: start, to: position)
    case 0x80...:
      _ = skipScalar()
      report(.invalidEscape, from: start, to: position)
    default:
      position &+= 1
      report(.invalidEscape, from: start, to: position)
    }
  }

  /// ```
  /// BlockString = '"""' , { ? any character, with the escape \""" ? } , '"""' ;
  /// ```
  private mutating func scanBlockString() {
    let start = position
    let quote = UInt8(ascii: "\"")
    position &+= 3
    while position < count {
      let byte = bytes[position]
      if byte == quote {
        if peek(1) == quote, peek(2) == quote { return append(.blockString, from: start, to: position &+ 3) }
        position &+= 1
      } else if byte == UInt8(ascii: "\\"), peek(1) == quote, peek(2) == quote, peek(3) == quote {
        position &+= 4
      } else if byte < 0x80 {
        position &+= 1
      } else {
        _ = skipScalar()
      }
    }
    report(.unterminatedString(isBlock: true), from: start, to: position)
    append(.blockString, from: start, to: position)
  }

  /// `'text'`, which SQL has and GraphQL has not: a string token with a diagnostic that mends it.
  mutating func scanSingleQuoted() {
    let start = position
    var end = position + 1
    var replacement: [UInt8] = [UInt8(ascii: "\"")]
    while end < count, bytes[end] != 0x0A, bytes[end] != 0x0D {
      if bytes[end] == UInt8(ascii: "'") {
        // SQL doubles an apostrophe inside a string.
        guard end + 1 < count, bytes[end + 1] == bytes[end] else { break }
        end += 1
      }
      if bytes[end] == UInt8(ascii: "\"") { replacement.append(UInt8(ascii: "\\")) }
      replacement.append(bytes[end])
      end += 1
    }
    guard end < count, bytes[end] == UInt8(ascii: "'") else {
      position &+= 1
      return report(.unexpectedCharacter(0x27), from: start, to: position)
    }
    replacement.append(UInt8(ascii: "\""))
    report(
      .singleQuotedString(replacement: String(decoding: replacement, as: UTF8.self)), from: start, to: end + 1)
    append(.string, from: start, to: end + 1)
  }
}
