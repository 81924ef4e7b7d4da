import GQLBase
import GQLLexer

/// The tokens of a text without its blanks, its comments and the values of its literals.
///
/// Two texts of one shape are read as the same but for these values.
struct TextShape: Sendable {
  struct Literal: Sendable {
    var kind: TokenKind
    var range: SourceRange
    /// Indicates whether another value may stand there without another meaning of the rest, as far as tokens show.
    var mayVary: Bool
  }
  /// Each token's kind and flags, and the bytes of names.
  let key: [UInt8]
  let literals: [Literal]

  /// Nil for a text that is no document, or that is beyond the limits.
  ///
  /// Complexity: O(bytes).
  init?(_ source: SourceText, _ analyzed: Analyzed<TokenBuffer>) {
    let tokens = analyzed.output
    guard !analyzed.hasErrors, !tokens.isTruncated else { return nil }
    var key: [UInt8] = []
    key.reserveCapacity(source.bytes.count + tokens.count * 2)
    var literals: [Literal] = []
    // A value that is given to a function, a fragment or a directive may be used more than once.
    var isPassedOn = false
    var parentheses = 0
    for index in 0..<tokens.count {
      let kind = tokens.kinds[index]
      if kind == .leftParenthesis, parentheses > 0 || index > 1 && Self.passesOn(tokens.kinds[index - 2]) {
        parentheses += 1
      } else if kind == .rightParenthesis, parentheses > 0 {
        parentheses -= 1
      }
      key.append(kind.rawValue)
      let isApart =
        (Self.isSpaced(kind) || index > 0 && Self.touches(tokens.kinds[index - 1])) && tokens.spaceBefore(at: index)
      key.append((isApart ? 1 : 0) | (tokens.commaBefore(at: index) ? 2 : 0))
      let bytes = source.bytes[Int(tokens.starts[index])..<Int(tokens.ends[index])]
      switch kind {
      case .name, .quotedName:
        key.append(contentsOf: bytes)
        if bytes.count == 4, bytes.first == UInt8(ascii: "f"), bytes.elementsEqual("func".utf8) { isPassedOn = true }
        // No name holds it.
        key.append(0)
      case .int, .float, .string, .blockString:
        let mayVary =
          index > 0 && parentheses == 0 && Self.precedes(tokens, index - 1, source.bytes) && Self.isPlain(bytes, kind)
          && !tokens.flags[index].contains(.needsDecoding)
        literals.append(Literal(kind: kind, range: tokens.range(at: index), mayVary: mayVary))
      default: break
      }
    }
    if isPassedOn { for index in literals.indices { literals[index].mayVary = false } }
    self.key = key
    self.literals = literals
  }

  /// Returns whether a name after a token of a kind is that of a fragment or a directive.
  private static func passesOn(_ kind: TokenKind) -> Bool { kind == .spread || kind == .at }

  /// Returns whether the parser looks for a blank before tokens of a kind.
  private static func isSpaced(_ kind: TokenKind) -> Bool {
    switch kind {
    case .minus, .plus, .star, .dot, .caret, .question, .leftBracket, .leftParenthesis: true
    default: false
    }
  }

  /// Returns whether the parser looks for a blank after tokens of a kind.
  private static func touches(_ kind: TokenKind) -> Bool {
    switch kind {
    case .minus, .plus, .star, .dot, .caret, .question: true
    default: false
    }
  }

  /// Returns whether the token before a literal is a comparison or names an argument.
  private static func precedes(_ tokens: TokenBuffer, _ index: Int, _ bytes: [UInt8]) -> Bool {
    switch tokens.kinds[index] {
    case .colon, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .closedRange, .halfOpenRange: true
    case .name:
      words.contains { bytes[Int(tokens.starts[index])..<Int(tokens.ends[index])].elementsEqual($0.utf8) }
    default: false
    }
  }
  private static let words = ["in", "contains", "startsWith", "endsWith"]

  /// Returns whether the bytes of a token are its value.
  private static func isPlain(_ bytes: ArraySlice<UInt8>, _ kind: TokenKind) -> Bool {
    switch kind {
    case .int, .float:
      // Integers that no double holds are decimals beside doubles.
      bytes.count < 16 && bytes.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == UInt8(ascii: ".") }
    case .string: true
    default: false
    }
  }
}

extension TextShape.Literal {
  /// Returns what a variable would be given for the literal; nil where that is not plain.
  func value(_ source: SourceText) -> Value? {
    guard mayVary else { return nil }
    return source.bytes.withUnsafeBufferPointer { bytes in
      let text = UnsafeBufferPointer(rebasing: bytes[Int(range.start)..<Int(range.end)])
      switch kind {
      case .int:
        var number: Int64 = 0
        // No overflow, because a plain literal has less than 16 digits.
        for byte in text { number = number * 10 + Int64(byte - 0x30) }
        return .int(number)
      case .float: return .number(String(decoding: text, as: UTF8.self))
      case .string: return .string(stringValue(ofString: text, needsDecoding: false))
      default: return nil
      }
    }
  }
}
