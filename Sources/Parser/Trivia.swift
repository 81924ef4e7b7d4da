import GQLBase
import GQLLexer

/// What a text holds besides its tokens: comments and empty lines.
struct Trivia {
  struct Comment {
    var start: UInt32
    var end: UInt32
    /// From `#` to the last character of the line that is no blank.
    var text: String
  }

  private let source: SourceText
  private let tokens: TokenBuffer
  private let comments: [Comment]
  /// The first comment that is not written.
  private var next = 0

  init(_ source: SourceText, limits: LexerLimits) {
    self.source = source
    tokens = tokenize(source, limits: limits).output
    comments = Self.comments(of: source, tokens)
  }

  private static func comments(of source: SourceText, _ tokens: TokenBuffer) -> [Comment] {
    let bytes = source.bytes
    var comments: [Comment] = []
    var index = 0
    for token in 0..<tokens.count {
      let end = Int(tokens.starts[token])
      while index < end {
        guard bytes[index] == UInt8(ascii: "#") else {
          index += 1
          continue
        }
        let start = index
        while index < end, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
        var last = index
        while last > start, bytes[last - 1] == 0x20 || bytes[last - 1] == 0x09 { last -= 1 }
        comments.append(
          Comment(
            start: UInt32(start), end: UInt32(last), text: String(decoding: bytes[start..<last], as: UTF8.self)))
      }
      index = Int(tokens.ends[token])
    }
    return comments
  }

  /// Where the first unwritten comment starts.
  var nextComment: UInt32? { next < comments.count ? comments[next].start : nil }

  mutating func popComment(before offset: UInt32) -> Comment? {
    guard next < comments.count, comments[next].start < offset else { return nil }
    next += 1
    return comments[next - 1]
  }

  /// True if an unwritten comment starts inside a region.
  func hasComment(in region: SourceRange) -> Bool {
    var low = next
    var high = comments.count
    while low < high {
      let middle = (low + high) / 2
      if comments[middle].start < region.start { low = middle + 1 } else { high = middle }
    }
    return low < comments.count && comments[low].start < region.end
  }

  func onSameLine(_ first: UInt32, _ second: UInt32) -> Bool {
    source.position(at: first).line == source.position(at: second).line
  }

  /// True if an empty line stands between two places that are separated by nothing but blanks and comments.
  func hasBlankLine(from start: UInt32, to end: UInt32) -> Bool {
    guard start < end else { return false }
    var breaks = 0
    var index = Int(start)
    while index < min(Int(end), source.bytes.count) {
      switch source.bytes[index] {
      case 0x0A:
        breaks += 1
        if breaks == 2 { return true }
      case 0x0D:
        if index + 1 >= source.bytes.count || source.bytes[index + 1] != 0x0A { breaks += 1 }
        if breaks == 2 { return true }
      case 0x20, 0x09, UInt8(ascii: ","): break
      default: breaks = 0
      }
      index += 1
    }
    return false
  }

  /// Where the first token at or behind a place starts.
  func nextTokenStart(from offset: UInt32) -> UInt32 {
    var low = 0
    var high = tokens.count - 1
    while low < high {
      let middle = (low + high) / 2
      if tokens.starts[middle] < offset { low = middle + 1 } else { high = middle }
    }
    return tokens.starts[low]
  }

  /// Where the last token that starts before a place ends.
  func previousTokenEnd(before offset: UInt32) -> UInt32 {
    var low = 0
    var high = tokens.count
    while low < high {
      let middle = (low + high) / 2
      if tokens.starts[middle] < offset { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? tokens.ends[low - 1] : 0
  }
}
