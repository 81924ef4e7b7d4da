import GQLBase

/// The tokens of a text. Total: any bytes give tokens that end with ``TokenKind/endOfFile``.
///
/// Complexity: O(bytes).
package func tokenize(_ source: SourceText, limits: LexerLimits = LexerLimits()) -> Analyzed<TokenBuffer> {
  guard source.bytes.count <= limits.bytes else {
    var tokens = TokenStorage(capacity: 1)
    defer { tokens.deallocate() }
    tokens.append(.endOfFile, start: 0, end: 0, flags: [])
    return Analyzed(
      tokens.buffer(isTruncated: true),
      [LexicalProblem.tooManyBytes(limit: limits.bytes).diagnostic(at: SourceRange(at: 0))])
  }
  return source.bytes.withUnsafeBufferPointer { bytes in
    var lexer = Lexer(bytes: bytes, limits: limits)
    defer { lexer.tokens.deallocate() }
    lexer.run()
    return Analyzed(lexer.tokens.buffer(isTruncated: lexer.isTruncated), lexer.diagnostics)
  }
}

/// One pass over the bytes. Lives no longer than the buffer that it reads.
struct Lexer {
  let bytes: UnsafeBufferPointer<UInt8>
  let count: Int
  let limits: LexerLimits
  var tokens: TokenStorage
  var isTruncated = false
  var diagnostics: [Diagnostic] = []
  /// The offset of the next byte.
  var position = 0
  var flags: TokenBuffer.Flags = []

  init(bytes: UnsafeBufferPointer<UInt8>, limits: LexerLimits) {
    self.bytes = bytes
    count = bytes.count
    self.limits = limits
    // No token is shorter than a byte; one more is the end.
    tokens = TokenStorage(capacity: max(0, min(bytes.count, limits.tokens)) + 1)
  }

  /// The byte at an offset from the position, or zero, which no token contains, past the end.
  @inline(__always) func peek(_ offset: Int = 0) -> UInt8 {
    let index = position &+ offset
    return index < count ? bytes[index] : 0
  }

  mutating func report(_ problem: LexicalProblem, from start: Int, to end: Int) {
    guard diagnostics.count < limits.diagnostics else { return }
    let range = SourceRange(start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: min(end, count)))
    diagnostics.append(problem.diagnostic(at: range))
  }

  @inline(__always) mutating func append(_ kind: TokenKind, length: Int) {
    append(kind, from: position, to: position &+ length)
  }

  @inline(__always) mutating func append(_ kind: TokenKind, from start: Int, to end: Int) {
    tokens.append(kind, start: start, end: end, flags: flags)
    flags = []
    position = end
  }

  mutating func run() {
    while position < count {
      let byte = bytes[position]
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D:
        position &+= 1
        continue
      case UInt8(ascii: ","):
        flags.insert(.commaBefore)
        position &+= 1
        continue
      case UInt8(ascii: "#"):
        skipComment()
        continue
      case 0xEF where peek(1) == 0xBB && peek(2) == 0xBF:
        position &+= 3
        continue
      default: break
      }
      guard tokens.count < limits.tokens else {
        report(.tooManyTokens(limit: limits.tokens), from: position, to: position + 1)
        isTruncated = true
        break
      }
      if tokens.count % LexerLimits.tokensBetweenLooks == LexerLimits.tokensBetweenLooks - 1, isInterrupted() { break }
      scanToken(byte)
    }
    let end = isTruncated ? position : count
    tokens.append(.endOfFile, start: end, end: end, flags: flags)
  }

  /// Whether the work is to end here, which is reported.
  @inline(never) private mutating func isInterrupted() -> Bool {
    let range = SourceRange(at: UInt32(truncatingIfNeeded: position))
    limits.interruption?.take(LexerLimits.tokensBetweenLooks * LexerLimits.tokenBytes)
    guard let diagnostic = limits.interruption?.diagnostic(at: range) else { return false }
    diagnostics.append(diagnostic)
    isTruncated = true
    return true
  }

  /// ```
  /// PlainName = ( Letter | "_" ) , { Letter | Digit | "_" } ;
  /// Letter = ? "A" to "Z" and "a" to "z" ? ;
  /// Digit = ? "0" to "9" ? ;
  /// ```
  private mutating func scanToken(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
      var end = position &+ 1
      while end < count, isNameContinue(bytes[end]) { end &+= 1 }
      append(.name, from: position, to: end)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): scanNumber()
    case UInt8(ascii: "\""): scanString()
    case UInt8(ascii: "'"): scanSingleQuoted()
    case UInt8(ascii: "`"): scanQuotedName()
    case UInt8(ascii: "{"): append(.leftBrace, length: 1)
    case UInt8(ascii: "}"): append(.rightBrace, length: 1)
    case UInt8(ascii: "("): append(.leftParenthesis, length: 1)
    case UInt8(ascii: ")"): append(.rightParenthesis, length: 1)
    case UInt8(ascii: "["): append(.leftBracket, length: 1)
    case UInt8(ascii: "]"): append(.rightBracket, length: 1)
    case UInt8(ascii: "$"): append(.dollar, length: 1)
    case UInt8(ascii: "@"): append(.at, length: 1)
    case UInt8(ascii: "+"): append(.plus, length: 1)
    case UInt8(ascii: "-"): append(.minus, length: 1)
    case UInt8(ascii: "*"): append(.star, length: 1)
    case UInt8(ascii: "/"): append(.slash, length: 1)
    case UInt8(ascii: "%"): append(.percent, length: 1)
    case UInt8(ascii: "^"): append(.caret, length: 1)
    case UInt8(ascii: ":"): appendLonger(.walrus, UInt8(ascii: "="), else: .colon)
    case UInt8(ascii: "&"): appendLonger(.and, UInt8(ascii: "&"), else: .ampersand)
    case UInt8(ascii: "|"): appendLonger(.or, UInt8(ascii: "|"), else: .pipe)
    case UInt8(ascii: "<"): appendLonger(.lessOrEqual, UInt8(ascii: "="), else: .less)
    case UInt8(ascii: ">"): appendLonger(.greaterOrEqual, UInt8(ascii: "="), else: .greater)
    case UInt8(ascii: "="):
      if peek(1) == UInt8(ascii: "~") { append(.match, length: 2) } else { appendLonger(.equal, byte, else: .equals) }
    case UInt8(ascii: "!"):
      if peek(1) == UInt8(ascii: "~") {
        append(.notMatch, length: 2)
      } else {
        appendLonger(.notEqual, UInt8(ascii: "="), else: .bang)
      }
    case UInt8(ascii: "."):
      guard peek(1) == byte else { return append(.dot, length: 1) }
      if peek(2) == byte {
        append(.spread, length: 3)
      } else if peek(2) == UInt8(ascii: "<") {
        append(.halfOpenRange, length: 3)
      } else {
        append(.closedRange, length: 2)
      }
    case UInt8(ascii: "?") where peek(1) == UInt8(ascii: "?"): append(.coalesce, length: 2)
    case UInt8(ascii: "?"): append(.question, length: 1)
    default: if !scanForeign() { skipUnexpected() }
    }
  }

  @inline(__always)
  private mutating func appendLonger(_ longer: TokenKind, _ second: UInt8, else shorter: TokenKind) {
    if peek(1) == second { append(longer, length: 2) } else { append(shorter, length: 1) }
  }

  private mutating func skipComment() {
    while position < count {
      let byte = bytes[position]
      if byte == 0x0A || byte == 0x0D { return }
      if byte < 0x80 { position &+= 1 } else { _ = skipScalar() }
    }
  }

  /// Consumes one scalar outside ASCII; false, with a diagnostic, if there is none.
  mutating func skipScalar() -> Bool {
    let length = scalarLength(at: position)
    if length > 0 {
      position &+= length
      return true
    }
    let start = position
    // Why: one diagnostic for a run of bad bytes, not one for each.
    while position < count, bytes[position] >= 0x80, scalarLength(at: position) == 0 { position &+= 1 }
    report(.invalidUTF8, from: start, to: position)
    return false
  }

  /// The length of the well-formed scalar at an index, or zero.
  func scalarLength(at index: Int) -> Int {
    func continuation(_ offset: Int, _ low: UInt8 = 0x80, _ high: UInt8 = 0xBF) -> Bool {
      index + offset < count && bytes[index + offset] >= low && bytes[index + offset] <= high
    }
    switch bytes[index] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: return continuation(1) ? 2 : 0
    case 0xE0: return continuation(1, 0xA0) && continuation(2) ? 3 : 0
    case 0xED: return continuation(1, 0x80, 0x9F) && continuation(2) ? 3 : 0
    case 0xE1...0xEF: return continuation(1) && continuation(2) ? 3 : 0
    case 0xF0: return continuation(1, 0x90) && continuation(2) && continuation(3) ? 4 : 0
    case 0xF4: return continuation(1, 0x80, 0x8F) && continuation(2) && continuation(3) ? 4 : 0
    case 0xF1...0xF3: return continuation(1) && continuation(2) && continuation(3) ? 4 : 0
    default: return 0
    }
  }

  private mutating func skipUnexpected() {
    let start = position
    guard bytes[position] >= 0x80 else {
      position &+= 1
      return report(.unexpectedCharacter(UInt32(bytes[start])), from: start, to: position)
    }
    guard skipScalar() else { return }
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    report(.unexpectedCharacter(text.unicodeScalars.first?.value ?? 0xFFFD), from: start, to: position)
  }

  /// ```
  /// QuotedName = "`" , { ? any character but "`" and line ends ? }- , "`" ;
  /// ```
  private mutating func scanQuotedName() {
    let start = position
    position &+= 1
    while position < count, bytes[position] != UInt8(ascii: "`") {
      let byte = bytes[position]
      if byte == 0x0A || byte == 0x0D { break }
      if byte < 0x80 { position &+= 1 } else { _ = skipScalar() }
    }
    guard peek() == UInt8(ascii: "`") else {
      report(.unterminatedName, from: start, to: position)
      return append(.quotedName, from: start, to: position)
    }
    if position == start + 1 { report(.emptyName, from: start, to: position + 1) }
    append(.quotedName, from: start, to: position + 1)
  }
}

@inline(__always) func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

@inline(__always) func isNameStart(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_") }

@inline(__always) func isNameContinue(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) }
