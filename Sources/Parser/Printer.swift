import GQLBase

/// The canonical text of a document; what it parses to is the same tree.
///
/// Complexity: O(nodes × columns of a line).
package func print(_ document: Document) -> String {
  var printer = Printer(trivia: nil)
  printer.write(document)
  return printer.text
}

/// The canonical text of one expression, on one line but for block strings.
package func print(_ expression: Expression) -> String {
  var printer = Printer(trivia: nil)
  printer.isInline = true
  printer.write(expression, isOperand: true)
  return printer.text
}

/// The text laid out canonically, with its comments at their places and single blank lines between selections and
/// members kept, and without needless parentheses. Formatting what was formatted changes nothing. A text with errors
/// comes back as it is.
package func format(
  _ source: SourceText, dialect: Dialect = .extended, limits: ParserLimits = ParserLimits()
) -> Analyzed<String> {
  let parsed = parse(source, dialect: dialect, limits: limits)
  guard !parsed.hasErrors else {
    return Analyzed(String(decoding: source.bytes, as: UTF8.self), parsed.diagnostics)
  }
  var printer = Printer(trivia: Trivia(source, limits: limits.lexer))
  printer.dropsParentheses = true
  printer.write(parsed.output)
  return Analyzed(printer.text, parsed.diagnostics)
}

/// Writes nodes as text. A bracketed list stands on one line if it fits there, else each item has its own; so do the
/// terms of `and`, `or` and `+`, each with the operator before it.
struct Printer {
  static let width = 100

  var output: [UInt8] = []
  var indentation = 0
  /// Where the current line starts in the output.
  var lineStart = 0
  /// A line break that the next token will write, so that a comment can still stand on this line.
  var pendingBreak = false
  /// True while a list is tried on one line.
  var isInline = false
  /// The comments of the text that is formatted; nil if the document is printed without one.
  var trivia: Trivia?
  /// The end, in the source, of what was written last.
  var lastEnd: UInt32 = 0

  init(trivia: Trivia?) { self.trivia = trivia }

  var text: String { String(decoding: output, as: UTF8.self) }

  /// True directly inside a list, where word operators are names.
  var isInList = false

  /// True if parentheses that change nothing are left out.
  var dropsParentheses = false
  /// How many columns of the line what comes next needs.
  var reserved = 0
  /// True where the next expression begins a line of its own, so that its further lines are not indented.
  var startsLine = false

  /// True while what does not fit is taken back.
  private var isTrial = false
  /// True if brackets that are tried on one line have a comment inside.
  private var hasInnerComment = false

  /// True if parts of what is tried on one line were left out, because it cannot fit.
  private var isIncomplete = false

  /// Tells whether what is tried on one line has failed to fit. Then the rest may be left out: the trial is taken back.
  mutating func givesUp() -> Bool {
    if isTrial, output.count - lineStart + reserved > Self.width { isIncomplete = true }
    return isIncomplete
  }

  /// Writes with a number of columns kept free for what stands behind on the same line.
  mutating func write(reserving columns: Int, _ write: (inout Printer) -> Void) {
    let outer = reserved
    reserved = columns
    write(&self)
    reserved = outer
  }

  // MARK: Bytes

  mutating func write(_ text: String) {
    if pendingBreak { writeBreak() }
    output.append(contentsOf: text.utf8)
  }

  mutating func breakLine() { pendingBreak = true }

  private mutating func writeBreak() {
    pendingBreak = false
    output.append(0x0A)
    lineStart = output.count
    for _ in 0..<indentation { output.append(0x20) }
  }

  /// An empty line, if there is not one already.
  mutating func writeBlankLine() {
    pendingBreak = false
    output.append(0x0A)
    lineStart = output.count
    pendingBreak = true
  }

  mutating func mark(_ end: UInt32) { lastEnd = max(lastEnd, end) }

  // MARK: Comments

  /// Writes the comments that stand before a place of the source, and keeps a blank line before it.
  mutating func flushComments(before offset: UInt32, keepsBlankLines: Bool = true) {
    guard trivia != nil, !isInline else { return }
    // Nothing stands on the line of a comment after it.
    var isAfterComment = false
    while let comment = trivia?.popComment(before: offset) {
      if !output.isEmpty {
        if !isAfterComment, trivia?.onSameLine(lastEnd, comment.start) ?? false, comment.start >= lastEnd {
          pendingBreak = false
          write(" ")
        } else {
          keepBlankLine(before: comment.start, keepsBlankLines)
          pendingBreak = true
        }
      }
      write(comment.text)
      isAfterComment = true
      lastEnd = max(lastEnd, comment.end)
      pendingBreak = true
    }
    keepBlankLine(before: offset, keepsBlankLines)
  }

  private mutating func keepBlankLine(before offset: UInt32, _ keepsBlankLines: Bool) {
    guard keepsBlankLines, pendingBreak, !endsInBlankLine, !endsInOpening,
      trivia?.hasBlankLine(from: lastEnd, to: offset) ?? false
    else { return }
    writeBlankLine()
  }

  private var endsInBlankLine: Bool { output.last == 0x0A }

  private var endsInOpening: Bool {
    switch output.last {
    case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["): true
    default: false
    }
  }

  // MARK: Lists

  /// Items in brackets: on one line, or each on its own.
  ///
  /// - Parameter region: from the opening bracket, or before it, to the closing one.
  mutating func writeItems<Item>(
    _ items: [Item], _ opening: String, _ closing: String, commaInBroken: Bool, region: SourceRange,
    startOf: (Item) -> UInt32, mustBreak: Bool = false, _ write: (inout Printer, Item) -> Void
  ) {
    if isInline {
      if isTrial, hasComment(in: region) { hasInnerComment = true }
      return writeInline(items, opening, closing, write)
    }
    if !mustBreak, !hasComment(in: region), writeIfItFits({ $0.writeInline(items, opening, closing, write) }) { return }
    self.write(opening)
    // A comment that follows on its line stays there.
    mark(region.start + 1)
    let outerReserved = reserved
    indentation += 2
    for (index, item) in items.enumerated() {
      breakLine()
      flushComments(before: startOf(item), keepsBlankLines: false)
      let hasComma = commaInBroken && index + 1 < items.count
      reserved = hasComma ? 1 : 0
      write(&self, item)
      if hasComma { self.write(",") }
    }
    breakLine()
    flushComments(before: region.end, keepsBlankLines: false)
    indentation -= 2
    reserved = outerReserved
    self.write(closing)
    mark(region.end)
  }

  /// Writes on this line, or nothing.
  mutating func writeIfItFits(_ write: (inout Printer) -> Void) -> Bool {
    if pendingBreak { writeBreak() }
    let start = output.count
    let savedEnd = lastEnd
    let savedLineStart = lineStart
    isInline = true
    isTrial = true
    hasInnerComment = false
    write(&self)
    let fits = !isIncomplete && !hasInnerComment && output.count - lineStart + reserved <= Self.width
    isInline = false
    isTrial = false
    isIncomplete = false
    if fits, lineStart == savedLineStart { return true }
    output.removeLast(output.count - start)
    lastEnd = savedEnd
    lineStart = savedLineStart
    pendingBreak = false
    return false
  }

  private mutating func writeInline<Item>(
    _ items: [Item], _ opening: String, _ closing: String, _ write: (inout Printer, Item) -> Void
  ) {
    self.write(opening)
    for (index, item) in items.enumerated() {
      if givesUp() { return }
      if index > 0 { self.write(", ") }
      write(&self, item)
    }
    self.write(closing)
  }

  func hasComment(in region: SourceRange) -> Bool { trivia?.hasComment(in: region) ?? false }

  /// The bracketed region that starts somewhere behind `start` and whose last item ends at `end`.
  func region(from start: UInt32, lastItemEnd end: UInt32) -> SourceRange {
    SourceRange(start: start, end: trivia?.nextTokenStart(from: end) ?? end)
  }

  // MARK: Literals and names

  mutating func write(_ name: Name, quoting words: [String] = []) {
    if needsQuotes(name, quoting: words) { write("`" + name.text + "`") } else { write(name.text) }
    mark(name.range.end)
  }

  /// Counts the columns that a name takes.
  func columns(of name: Name, quoting words: [String] = []) -> Int {
    name.text.utf8.count + (needsQuotes(name, quoting: words) ? 2 : 0)
  }

  private func needsQuotes(_ name: Name, quoting words: [String]) -> Bool {
    !GraphQLName.isValid(name.text) || words.contains(name.text)
  }

  mutating func write(_ literal: StringLiteral) {
    if literal.isBlock, let lines = BlockStringLayout(literal.value) {
      writeBlock(lines)
    } else {
      write(quoted(literal.value))
    }
    mark(literal.range.end)
  }

  private mutating func writeBlock(_ layout: BlockStringLayout) {
    write("\"\"\"")
    if let first = layout.first { write(first) }
    for line in layout.lines {
      if line.isEmpty {
        writeBlankLine()
        pendingBreak = false
      } else {
        breakLine()
        write(line)
      }
    }
    if layout.closesOnOwnLine {
      breakLine()
      write("\"\"\"")
    } else {
      write("\"\"\"")
    }
  }

  func quoted(_ value: String) -> String {
    var result = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{8}": result += "\\b"
      case "\u{C}": result += "\\f"
      case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}":
        let hex = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// How a value stands in a block string such that `BlockStringValue` gives it back.
struct BlockStringLayout {
  /// What stands behind the opening marks.
  var first: String?
  /// What stands on lines of their own.
  var lines: [String]
  var closesOnOwnLine: Bool

  /// Nil for a value that no block string has.
  init?(_ value: String) {
    let escaped = Self.escapingMarks(value)
    let lines = escaped.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String($0) ?? "" }
    guard !value.utf8.contains(0x0D) else { return nil }
    guard let first = lines.first, let last = lines.last, !value.isEmpty else {
      self.first = nil
      self.lines = []
      closesOnOwnLine = false
      return
    }
    func isBlank(_ line: String) -> Bool { line.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
    func isIndented(_ line: String) -> Bool { line.utf8.first == 0x20 || line.utf8.first == 0x09 }
    guard !isBlank(first), !isBlank(last) else { return nil }
    if lines.count == 1 {
      self.first = first
      self.lines = []
      closesOnOwnLine = first.utf8.last == UInt8(ascii: "\"") || first.utf8.last == UInt8(ascii: "\\")
      return
    }
    guard lines.contains(where: { !isBlank($0) && !isIndented($0) }) else { return nil }
    self.first = nil
    self.lines = lines
    closesOnOwnLine = true
  }

  private static func escapingMarks(_ value: String) -> String {
    var result: [UInt8] = []
    var run = 0
    for byte in value.utf8 {
      run = byte == UInt8(ascii: "\"") ? run + 1 : 0
      if run == 3 {
        result.insert(UInt8(ascii: "\\"), at: result.count - 2)
        run = 0
      }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }
}
