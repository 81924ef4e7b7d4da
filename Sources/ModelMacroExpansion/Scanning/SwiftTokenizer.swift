/// Cuts Swift source into tokens. Comments and spaces are left out; any bytes give tokens.
///
/// The compiler has parsed what a macro receives, so this only has to find where literals and comments end. It keeps
/// its own stack for strings in interpolations in strings, so that depth costs memory, not the thread's stack.
struct SwiftTokenizer {
  private let source: [UInt8]
  private var position = 0
  private var tokens: [SwiftToken] = []
  private var sawNewline = true
  private var sawSpace = true

  private init(_ source: [UInt8]) { self.source = source }

  static func tokens(of source: [UInt8]) -> [SwiftToken] {
    var tokenizer = SwiftTokenizer(source)
    tokenizer.scan()
    return tokenizer.tokens
  }

  private func byte(at index: Int) -> UInt8 { index < source.count ? source[index] : 0 }

  private mutating func scan() {
    while position < source.count {
      let start = position
      switch source[position] {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        (sawNewline, sawSpace) = (true, true)
        position += 1
      case 0...UInt8(ascii: " "):
        sawSpace = true
        position += 1
      case UInt8(ascii: "/") where byte(at: position + 1) == UInt8(ascii: "/"):
        skipLineComment()
      case UInt8(ascii: "/") where byte(at: position + 1) == UInt8(ascii: "*"):
        skipBlockComment()
      case UInt8(ascii: "/"):
        if let end = endOfBareRegex() { finish(.literal, from: start, to: end) } else { finishSymbol() }
      case UInt8(ascii: "\""):
        skipString(hashes: 0)
        finish(.literal, from: start, to: position)
      case UInt8(ascii: "#"):
        scanHash()
      case UInt8(ascii: "`"):
        scanQuotedIdentifier()
      case let first where SwiftTokenizer.isDigit(first):
        skipNumber()
        finish(.literal, from: start, to: position)
      case let first where SwiftTokenizer.continuesIdentifier(first):
        while position < source.count, SwiftTokenizer.continuesIdentifier(source[position]) { position += 1 }
        finish(.identifier, from: start, to: position)
      default:
        finishSymbol()
      }
    }
  }

  private mutating func finish(_ kind: SwiftToken.Kind, from start: Int, to end: Int) {
    tokens.append(
      SwiftToken(kind: kind, start: start, end: end, isFirstOnLine: sawNewline, followsSpace: sawSpace))
    (sawNewline, sawSpace) = (false, false)
    position = end
  }

  private mutating func finishSymbol() { finish(.symbol, from: position, to: position + 1) }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// Bytes of names. Operators beyond ASCII are taken for names too: inside a value nothing hangs on it.
  static func continuesIdentifier(_ byte: UInt8) -> Bool {
    let lowered = byte | 0x20
    return lowered >= UInt8(ascii: "a") && lowered <= UInt8(ascii: "z") || isDigit(byte) || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "$") || byte >= 0x80
  }

  private static func endsLine(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

  // MARK: Comments

  private mutating func skipLineComment() {
    sawSpace = true
    while position < source.count, !SwiftTokenizer.endsLine(source[position]) { position += 1 }
  }

  /// Block comments nest.
  private mutating func skipBlockComment() {
    sawSpace = true
    var depth = 0
    while position < source.count {
      let (first, second) = (source[position], byte(at: position + 1))
      if first == UInt8(ascii: "/"), second == UInt8(ascii: "*") {
        depth += 1
        position += 2
      } else if first == UInt8(ascii: "*"), second == UInt8(ascii: "/") {
        depth -= 1
        position += 2
        if depth == 0 { return }
      } else {
        if SwiftTokenizer.endsLine(first) { sawNewline = true }
        position += 1
      }
    }
    position = source.count
  }

  // MARK: Names and numbers

  private mutating func scanQuotedIdentifier() {
    var end = position + 1
    while end < source.count, source[end] != UInt8(ascii: "`"), !SwiftTokenizer.endsLine(source[end]) { end += 1 }
    guard byte(at: end) == UInt8(ascii: "`"), end > position + 1 else { return finishSymbol() }
    finish(.quotedIdentifier, from: position, to: end + 1)
  }

  private mutating func skipNumber() {
    let isHexadecimal = byte(at: position) == UInt8(ascii: "0") && byte(at: position + 1) == UInt8(ascii: "x")
    let exponent = isHexadecimal ? UInt8(ascii: "p") : UInt8(ascii: "e")
    while position < source.count {
      let current = source[position]
      let previous = position > 0 ? source[position - 1] | 0x20 : 0
      let isFraction = current == UInt8(ascii: ".") && SwiftTokenizer.isDigit(byte(at: position + 1))
      let isSign = (current == UInt8(ascii: "+") || current == UInt8(ascii: "-")) && previous == exponent
      guard SwiftTokenizer.continuesIdentifier(current) || isFraction || isSign else { return }
      position += 1
    }
  }

  // MARK: Literals after `#` and `/`

  /// `#"raw"#`, `#/regular expression/#`, or the symbol.
  private mutating func scanHash() {
    let start = position
    var hashes = 0
    while byte(at: start + hashes) == UInt8(ascii: "#") { hashes += 1 }
    switch byte(at: start + hashes) {
    case UInt8(ascii: "\""):
      skipString(hashes: hashes)
      finish(.literal, from: start, to: position)
    case UInt8(ascii: "/"):
      var end = start + hashes + 1
      while end < source.count, !closes(with: UInt8(ascii: "/"), hashes: hashes, at: end) { end += 1 }
      finish(.literal, from: start, to: min(end + 1 + hashes, source.count))
    default:
      finishSymbol()
    }
  }

  private func closes(with delimiter: UInt8, hashes: Int, at index: Int) -> Bool {
    guard byte(at: index) == delimiter else { return false }
    return (0..<hashes).allSatisfy { byte(at: index + 1 + $0) == UInt8(ascii: "#") }
  }

  /// A slash begins a regular expression where an operand is expected, if one closes on the same line.
  private func endOfBareRegex() -> Int? {
    if let last = tokens.last, endsOperand(last) { return nil }
    guard byte(at: position + 1) > UInt8(ascii: " "), byte(at: position + 1) != UInt8(ascii: ")") else { return nil }
    var index = position + 1
    while index < source.count, !SwiftTokenizer.endsLine(source[index]) {
      if source[index] == UInt8(ascii: "/") { return index + 1 }
      index += source[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  private func endsOperand(_ token: SwiftToken) -> Bool {
    switch token.kind {
    case .quotedIdentifier, .literal: return true
    case .identifier: return !Keywords.expectsOperand(source[token.start..<token.end])
    case .symbol:
      switch source[token.start] {
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): return true
      case UInt8(ascii: "?"), UInt8(ascii: "!"): return !token.followsSpace
      default: return false
      }
    }
  }

  // MARK: Strings

  private enum Frame {
    case string(hashes: Int, isMultiline: Bool)
    case interpolation(depth: Int)
  }

  /// Moves behind the string that begins here, and all the strings in its interpolations.
  private mutating func skipString(hashes: Int) {
    var frames = [openString(hashes: hashes)]
    while position < source.count, let frame = frames.last {
      switch frame {
      case .string(let hashes, let isMultiline):
        if source[position] == UInt8(ascii: "\\") {
          skipEscape(hashes: hashes, &frames)
        } else if SwiftTokenizer.endsLine(source[position]), !isMultiline {
          frames.removeLast()
        } else if closesString(hashes: hashes, isMultiline: isMultiline) {
          position += (isMultiline ? 3 : 1) + hashes
          frames.removeLast()
        } else {
          position += 1
        }
      case .interpolation(let depth):
        skipInterpolated(depth: depth, &frames)
      }
    }
  }

  private mutating func openString(hashes: Int) -> Frame {
    position += hashes + 1
    let isTriple = byte(at: position) == UInt8(ascii: "\"") && byte(at: position + 1) == UInt8(ascii: "\"")
    guard isTriple, hashes == 0 || !closesOnLine(hashes: hashes) else {
      return .string(hashes: hashes, isMultiline: false)
    }
    position += 2
    return .string(hashes: hashes, isMultiline: true)
  }

  /// `#"""#` is a raw string of one quote, not the beginning of a string of many lines.
  private func closesOnLine(hashes: Int) -> Bool {
    var index = position
    while index < source.count, !SwiftTokenizer.endsLine(source[index]) {
      if closes(with: UInt8(ascii: "\""), hashes: hashes, at: index) { return true }
      index += 1
    }
    return false
  }

  private func closesString(hashes: Int, isMultiline: Bool) -> Bool {
    guard isMultiline else { return closes(with: UInt8(ascii: "\""), hashes: hashes, at: position) }
    return byte(at: position) == UInt8(ascii: "\"") && byte(at: position + 1) == UInt8(ascii: "\"")
      && closes(with: UInt8(ascii: "\""), hashes: hashes, at: position + 2)
  }

  private mutating func skipEscape(hashes: Int, _ frames: inout [Frame]) {
    guard closes(with: UInt8(ascii: "\\"), hashes: hashes, at: position) else {
      position += 1
      return
    }
    position += 1 + hashes
    let escaped = byte(at: position)
    // A backslash before the end of the line continues it, or leaves an unfinished string: the loop looks at it.
    guard !SwiftTokenizer.endsLine(escaped) else { return }
    position = min(position + 1, source.count)
    if escaped == UInt8(ascii: "(") { frames.append(.interpolation(depth: 1)) }
  }

  private mutating func skipInterpolated(depth: Int, _ frames: inout [Frame]) {
    switch source[position] {
    case UInt8(ascii: "("):
      frames[frames.count - 1] = .interpolation(depth: depth + 1)
      position += 1
    case UInt8(ascii: ")"):
      frames.removeLast()
      if depth > 1 { frames.append(.interpolation(depth: depth - 1)) }
      position += 1
    case UInt8(ascii: "\""):
      frames.append(openString(hashes: 0))
    case UInt8(ascii: "#"):
      var hashes = 0
      while byte(at: position + hashes) == UInt8(ascii: "#") { hashes += 1 }
      if byte(at: position + hashes) == UInt8(ascii: "\"") {
        frames.append(openString(hashes: hashes))
      } else {
        position += hashes
      }
    case UInt8(ascii: "/") where byte(at: position + 1) == UInt8(ascii: "*"):
      skipBlockComment()
    case UInt8(ascii: "/") where byte(at: position + 1) == UInt8(ascii: "/"):
      skipLineComment()
    default:
      position += 1
    }
  }
}
