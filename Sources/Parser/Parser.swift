import GQLBase
import GQLLexer

/// The document that a text says. Total: any text gives a document, which is what could be read of it, and everything
/// that is wrong with it, in the order of the text.
///
/// - Parameter tokens: The tokens of the text under the same limits, where they are known.
///
/// Complexity: O(bytes).
package func parse(
  _ source: SourceText, dialect: Dialect = .extended, limits: ParserLimits = ParserLimits(),
  tokens: Analyzed<TokenBuffer>? = nil
) -> Analyzed<Document> {
  analyze(source, dialect: dialect, limits: limits, tokens) { $0.parseDocument() }
}

/// The one expression that a text says, as in `@computed(as: "price * 1.25")`. Total, as ``parse(_:dialect:limits:)``.
package func parseExpression(
  _ source: SourceText, limits: ParserLimits = ParserLimits()
) -> Analyzed<Expression> {
  analyze(source, dialect: .extended, limits: limits) { parser in
    let expression = parser.parseExpression()
    if !parser.at(.endOfFile) { parser.reportUnexpected(.token(.endOfFile)) }
    return expression
  }
}

private func analyze<Output>(
  _ source: SourceText, dialect: Dialect, limits: ParserLimits, _ known: Analyzed<TokenBuffer>? = nil,
  _ read: (inout Parser) -> Output
) -> Analyzed<Output> {
  // Of many tokens the lexer looks at the time and counts them.
  var lexed: Analyzed<TokenBuffer>
  if let known, known.output.count < LexerLimits.tokensBetweenLooks {
    lexed = known
  } else {
    lexed = tokenize(source, limits: limits.lexer)
  }
  return source.bytes.withUnsafeBufferPointer { bytes in
    var parser = Parser(bytes: bytes, tokens: lexed.output, dialect: dialect, limits: limits)
    // Why: the parser is then the tokens' only owner and may split one in place.
    lexed.output = TokenBuffer()
    let output = read(&parser)
    if lexed.diagnostics.isEmpty, parser.diagnostics.isEmpty { return Analyzed(output, []) }
    var found = parser.diagnostics
    // Why: a string without an end has swallowed the brackets that the parser then misses.
    if let unterminated = lexed.diagnostics.first(where: { $0.code == LexicalProblem.unterminatedStringCode }) {
      found.removeAll { $0.range.start >= unterminated.range.start }
    }
    return Analyzed(output, ordered(lexed.diagnostics + found, limit: limits.diagnostics))
  }
}

/// Diagnostics in the order of the text, each once, no more than the limit.
private func ordered(_ diagnostics: [Diagnostic], limit: Int) -> [Diagnostic] {
  let sorted = diagnostics.enumerated().sorted { left, right in
    (left.element.range.start, left.offset) < (right.element.range.start, right.offset)
  }
  var result: [Diagnostic] = []
  for (_, diagnostic) in sorted where !result.suffix(4).contains(diagnostic) { result.append(diagnostic) }
  return Array(result.prefix(limit))
}

/// Recursive descent over the tokens; operators by precedence, without recursion. Lives no longer than the buffer that
/// it reads.
///
/// Why functions are never inlined: recursion must fit a small stack, and frames grow by what is inlined.
///
/// The verbs are `at`, `consume(if:)`, `expect` and `recover`; a member is `mutating` iff it consumes or reports.
struct Parser {
  let bytes: UnsafeBufferPointer<UInt8>
  var tokens: TokenBuffer
  let isExtended: Bool
  let limits: ParserLimits
  /// The index of the current token.
  var position = 0
  /// The kind of the current token.
  var kind: TokenKind
  var diagnostics: [Diagnostic] = []
  /// The token at which the last error was reported; a second one there would only be its echo.
  var lastErrorPosition = -1
  /// Open selection sets, brackets and types.
  var depth = 0
  /// The height of the expression that was read last.
  var height = 0
  /// Operands and operators of all unfinished expressions, innermost last.
  var operands: [Operand] = []
  var operators: [PendingOperator] = []

  init(bytes: UnsafeBufferPointer<UInt8>, tokens: TokenBuffer, dialect: Dialect, limits: ParserLimits) {
    self.bytes = bytes
    self.tokens = tokens
    isExtended = dialect == .extended
    self.limits = limits
    kind = tokens.kinds[0]
  }
}

// MARK: Looking

extension Parser {
  @inline(__always) func at(_ expected: TokenKind) -> Bool { kind == expected }

  /// The kind of a later token.
  @inline(__always) func kind(ahead offset: Int) -> TokenKind {
    let index = position &+ offset
    return index < tokens.kinds.count ? tokens.kinds[index] : .endOfFile
  }

  @inline(__always) func isName(_ kind: TokenKind) -> Bool {
    kind == .name || (kind == .quotedName && isExtended)
  }

  @inline(__always) var atName: Bool { isName(kind) }

  /// True at `Name ':'`, where the next argument starts (R2).
  var atArgumentStart: Bool { atName && kind(ahead: 1) == .colon }

  @inline(__always) var commaBefore: Bool { tokens.flags[position].contains(.commaBefore) }

  /// True if the token is this word; a backquoted name is none.
  @inline(__always) func at(word: StaticString, ahead offset: Int = 0) -> Bool {
    kind(ahead: offset) == .name && isText(word, at: position &+ offset)
  }

  func isText(_ text: StaticString, at index: Int) -> Bool {
    let start = Int(tokens.starts[index])
    guard Int(tokens.ends[index]) - start == text.utf8CodeUnitCount else { return false }
    for offset in 0..<text.utf8CodeUnitCount where bytes[start + offset] != text.utf8Start[offset] { return false }
    return true
  }

  /// The range of the current token.
  var range: SourceRange { tokens.range(at: position) }

  /// Where the current token starts.
  @inline(__always) var start: UInt32 { tokens.starts[position] }

  /// Where the token before the current one ends.
  @inline(__always) var previousEnd: UInt32 { position > 0 ? tokens.ends[position &- 1] : 0 }

  /// From a start to the end of the last consumed token.
  @inline(__always) func range(from start: UInt32) -> SourceRange {
    SourceRange(start: start, end: max(start, previousEnd))
  }

  /// The text of a token.
  @inline(never) func text(at index: Int) -> String {
    String(
      decoding: UnsafeBufferPointer(rebasing: bytes[Int(tokens.starts[index])..<Int(tokens.ends[index])]), as: UTF8.self
    )
  }

  @inline(never) func text(_ range: SourceRange) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[Int(range.start)..<Int(range.end)]), as: UTF8.self)
  }
}

// MARK: Consuming

extension Parser {
  /// Moves behind the current token; the end is never consumed.
  @inline(__always) mutating func advance() {
    guard kind != .endOfFile else { return }
    position &+= 1
    kind = tokens.kinds[position]
    if position & 0xFFF == 0xFFF { endIfInterrupted() }
  }

  /// Goes to the end of the text if the work is to end, which is reported.
  @inline(never) mutating func endIfInterrupted() {
    limits.lexer.interruption?.take(0x1000 * ParserLimits.bytesOfToken)
    guard let diagnostic = limits.lexer.interruption?.diagnostic(at: range) else { return }
    diagnostics.append(diagnostic)
    tokens.isTruncated = true
    position = tokens.kinds.count - 1
    kind = tokens.kinds[position]
  }

  @inline(__always) mutating func consume(if expected: TokenKind) -> Bool {
    guard kind == expected else { return false }
    advance()
    return true
  }

  mutating func consume(word: StaticString) -> Bool {
    guard at(word: word) else { return false }
    advance()
    return true
  }

  @inline(__always) @discardableResult mutating func expect(_ expected: TokenKind) -> Bool {
    if consume(if: expected) { return true }
    reportUnexpected(.token(expected))
    return false
  }

  /// The end of something that `opening` began.
  @inline(never) mutating func expectClosing(_ closing: TokenKind, of opening: TokenKind, at place: SourceRange) {
    if consume(if: closing) { return }
    if at(.endOfFile) {
      report(.unclosed(opening: opening, at: place))
    } else {
      reportUnexpected(.token(closing))
    }
  }

  /// ```
  /// Name = PlainName | QuotedName ;
  /// ```
  @inline(never) mutating func parseName() -> Name? {
    let range = self.range
    switch kind {
    case .name:
      let name = Name(text(at: position), at: range)
      advance()
      return name
    case .quotedName where isExtended:
      let inner = SourceRange(start: range.start + 1, end: max(range.start + 1, range.end - 1))
      let name = Name(text(inner), at: range)
      advance()
      return name
    default: return nil
    }
  }

  /// A name, or a diagnostic and an empty name.
  mutating func expectName() -> Name {
    if let name = parseName() { return name }
    reportUnexpected(.token(.name))
    return Name("", at: SourceRange(at: start))
  }

  /// The string literal at the current token.
  @inline(never) mutating func parseString() -> StringLiteral {
    let range = self.range
    let text = UnsafeBufferPointer(rebasing: bytes[Int(range.start)..<Int(range.end)])
    let isBlock = kind == .blockString
    if text.first == 0xE2, text.count >= 6 {
      // Curly quotation marks, which are reported.
      advance()
      let inner = UnsafeBufferPointer(rebasing: text[3..<text.count - 3])
      return StringLiteral(value: String(decoding: inner, as: UTF8.self), isBlock: false, range: range)
    }
    let value =
      isBlock
      ? stringValue(ofBlockString: text)
      : stringValue(ofString: text, needsDecoding: tokens.flags[position].contains(.needsDecoding))
    advance()
    return StringLiteral(value: value, isBlock: isBlock, range: range)
  }
}

// MARK: Reporting

extension Parser {
  /// Reports a problem with the current token, unless one is reported there already.
  @inline(never) mutating func report(_ problem: SyntaxProblem) {
    guard lastErrorPosition != position else { return }
    lastErrorPosition = position
    report(problem, at: range)
  }

  /// Reports a problem with what is already read, or read all the same.
  @inline(never) mutating func report(_ problem: SyntaxProblem, at range: SourceRange) {
    // Why: what a limit cut off is no second problem.
    if tokens.isTruncated, at(.endOfFile) { return }
    guard diagnostics.count < limits.diagnostics else { return }
    diagnostics.append(problem.diagnostic(at: range))
  }

  @inline(never) mutating func reportUnexpected(_ expected: SyntaxProblem.Expectation) {
    if !isExtended, kind.rawValue >= TokenKind.quotedName.rawValue, kind != .minus {
      report(.extensionInGraphQL(found: found))
    } else {
      report(.unexpected(found: found, expected: expected))
    }
  }

  /// What stands at the current token, as a diagnostic says it.
  var found: SyntaxProblem.Found {
    switch kind {
    case .name, .quotedName, .int, .float:
      range.count <= 40 ? .text(text(at: position)) : .token(kind)
    default: .token(kind)
    }
  }

  /// Opens one level of nesting; false, with a diagnostic, if there are too many. Each true needs a `leave()`.
  @inline(__always) mutating func enter() -> Bool {
    guard depth < limits.nesting else {
      report(.nestedTooDeeply(limit: limits.nesting))
      return false
    }
    depth &+= 1
    return true
  }

  @inline(__always) mutating func leave() { depth &-= 1 }
}
