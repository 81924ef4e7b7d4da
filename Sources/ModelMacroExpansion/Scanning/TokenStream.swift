/// The tokens of a declaration with their brackets matched, so that a group is stepped over at once.
struct TokenStream {
  let source: [UInt8]
  let tokens: [SwiftToken]
  /// For an opening bracket the token behind its group, for any other the next.
  private let nexts: [Int]

  init(_ text: String) {
    source = Array(text.utf8)
    tokens = SwiftTokenizer.tokens(of: source)
    nexts = TokenStream.matched(tokens, source)
  }

  var count: Int { tokens.count }

  /// Brackets that nobody closes reach to the bracket that closes what is around them, or to the end.
  private static func matched(_ tokens: [SwiftToken], _ source: [UInt8]) -> [Int] {
    var nexts = Array(1..<(tokens.count + 1))
    var open: [(index: Int, closing: UInt8)] = []
    var waiting = [Int](repeating: 0, count: 256)
    for (index, token) in tokens.enumerated() where token.kind == .symbol {
      let byte = source[token.start]
      switch byte {
      case UInt8(ascii: "("):
        open.append((index, UInt8(ascii: ")")))
        waiting[Int(UInt8(ascii: ")"))] += 1
      case UInt8(ascii: "["):
        open.append((index, UInt8(ascii: "]")))
        waiting[Int(UInt8(ascii: "]"))] += 1
      case UInt8(ascii: "{"):
        open.append((index, UInt8(ascii: "}")))
        waiting[Int(UInt8(ascii: "}"))] += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard waiting[Int(byte)] > 0 else { continue }
        while let last = open.popLast() {
          waiting[Int(last.closing)] -= 1
          nexts[last.index] = last.closing == byte ? index + 1 : index
          if last.closing == byte { break }
        }
      default:
        break
      }
    }
    for left in open { nexts[left.index] = tokens.count }
    return nexts
  }

  // MARK: Looking at tokens

  func text(_ index: Int) -> String {
    guard index < tokens.count else { return "" }
    return String(decoding: source[tokens[index].start..<tokens[index].end], as: UTF8.self)
  }

  /// The source from the first to the last of some tokens, as it is written.
  func text(_ range: Range<Int>) -> String {
    guard let bytes = bytes(range) else { return "" }
    return String(decoding: source[bytes], as: UTF8.self)
  }

  /// Where the source of some tokens stands.
  func bytes(_ range: Range<Int>) -> Range<Int>? {
    range.isEmpty || range.upperBound > tokens.count
      ? nil : tokens[range.lowerBound].start..<tokens[range.upperBound - 1].end
  }

  func bytes(_ index: Int) -> Range<Int> {
    index < tokens.count ? tokens[index].start..<tokens[index].end : source.count..<source.count
  }

  /// Whether the token is this byte of punctuation.
  func at(_ index: Int, _ symbol: Unicode.Scalar) -> Bool {
    index >= 0 && index < tokens.count && tokens[index].kind == .symbol
      && source[tokens[index].start] == UInt8(ascii: symbol)
  }

  /// The word of a name or keyword without backticks, else an empty one.
  func word(_ index: Int) -> String {
    index >= 0 && index < tokens.count && tokens[index].kind == .identifier ? text(index) : ""
  }

  func isName(_ index: Int) -> Bool {
    index < tokens.count && (tokens[index].kind == .identifier || tokens[index].kind == .quotedIdentifier)
  }

  func isFirstOnLine(_ index: Int) -> Bool { index < tokens.count && tokens[index].isFirstOnLine }

  /// Whether the token stands right behind the one before.
  func isAdjacent(_ index: Int) -> Bool { index < tokens.count && !tokens[index].followsSpace }

  /// The token behind this one, or behind the group that it opens.
  func after(_ index: Int) -> Int { nexts[index] }

  /// The last token of the group that opens here, its closing bracket, or the end if there is none.
  func insideGroup(_ index: Int) -> Range<Int> {
    let end = nexts[index]
    let closes = end - 1 > index && (at(end - 1, ")") || at(end - 1, "]") || at(end - 1, "}"))
    return index + 1..<max(index + 1, closes ? end - 1 : end)
  }

  /// The token behind the generic arguments that open here with `<`, or nil if it is an operator.
  func afterAngles(_ index: Int, end: Int) -> Int? {
    var depth = 0
    var position = index
    while position < end {
      if at(position, "<") {
        depth += 1
      } else if at(position, ">"), !(at(position - 1, "-") && isAdjacent(position)) {
        depth -= 1
        if depth == 0 { return position + 1 }
      } else if at(position, "{") || at(position, ";") || at(position, "=") || at(position, ")") || at(position, "]") {
        return nil
      }
      position = after(position)
    }
    return nil
  }

  /// Whether what ends with this token could be a whole value or type.
  func completes(_ index: Int) -> Bool {
    guard index >= 0 else { return false }
    let token = tokens[index]
    guard token.kind == .symbol else { return !Keywords.expectsOperand(word(index)) }
    switch Unicode.Scalar(source[token.start]) {
    case ")", "]", "}": return true
    case ">" where at(index - 1, "-") && isAdjacent(index): return false
    case "." where !at(index - 1, "."): return false
    case ",", ":", "(", "[", "{", "@", "#", "\\", ";": return false
    case "=" where !at(index - 1, "=") && !at(index - 1, "!") && !at(index - 1, "<") && !at(index - 1, ">"):
      return false
    default: return !startsRun(index).followsSpace
    }
  }

  /// The first of the symbols that stand together up to this one.
  private func startsRun(_ index: Int) -> SwiftToken {
    var first = index
    while first > 0, !tokens[first].followsSpace, tokens[first - 1].kind == .symbol,
      ![")", "]", "}"].contains(Unicode.Scalar(source[tokens[first - 1].start]))
    { first -= 1 }
    return tokens[first]
  }
}
