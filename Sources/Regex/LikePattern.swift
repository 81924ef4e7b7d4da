import GQLBase

/// A compiled SQL `LIKE` pattern: `%` stands for any text, `_` for one code point, `\` takes the next literally.
package struct LikePattern: Sendable {
  private enum Form: Sendable {
    /// Without wildcards.
    case exact
    /// One literal with `%` behind, before, or on both sides.
    case prefix, suffix, contains
    /// `%` only.
    case anything
    case general([Token])
  }

  private enum Token: Sendable, Equatable {
    /// Bytes of ``LikePattern/literals``.
    case literal(Range<Int>)
    case one
    case many
  }

  private let form: Form
  /// What stands between the wildcards, one after another. Of every form but the general one it is one literal.
  private let literals: [UInt8]
  private let source: [UInt8]
  package let ignoresCase: Bool
  /// The literals between the wildcards.
  package let requirement: TextRequirement
  /// The literal that the pattern begins with, empty if it begins with a wildcard: what a range of an index can use.
  package let prefix: [UInt8]
  /// Whether the pattern is its prefix and then anything, so that the prefix alone decides.
  package let isPrefixOnly: Bool

  /// Throws if the pattern ends in the middle of an escape. Once `interruption` is due, reading ends, and the pattern is
  /// not to be used.
  package init(
    _ bytes: [UInt8], ignoresCase: Bool = false, _ interruption: Interruption? = nil
  ) throws(PatternError) {
    self.ignoresCase = ignoresCase
    source = bytes
    var watch = InterruptionWatch(interruption)
    let pattern = ignoresCase ? LikePattern.folded(bytes, &watch) : bytes
    var literals: [UInt8] = []
    literals.reserveCapacity(pattern.count)
    var tokens: [Token] = []
    var start = 0
    func endRun() {
      if literals.count > start { tokens.append(.literal(start..<literals.count)) }
      start = literals.count
    }
    var index = 0
    while index < pattern.count, !watch.spend(4) {
      switch pattern[index] {
      case 0x25:
        endRun()
        if tokens.last != .many { tokens.append(.many) }
      case 0x5F:
        endRun()
        tokens.append(.one)
      case 0x5C:
        index += 1
        guard index < pattern.count else {
          throw PatternError(
            message: "the pattern ends with '\\', which must stand before a character", offset: bytes.count - 1)
        }
        literals.append(pattern[index])
      default:
        literals.append(pattern[index])
      }
      index += 1
    }
    endRun()
    self.literals = literals
    form = LikePattern.form(tokens)
    var parts: [TextRequirement] = []
    for case .literal(let range) in tokens {
      parts.append(.literal(Array(literals[range]), isFolded: ignoresCase))
      // No more is asked for.
      if parts.count == TextRequirement.maximumParts { break }
    }
    requirement = .all(of: parts)
    if case .literal(let range)? = tokens.first { prefix = Array(literals[range]) } else { prefix = [] }
    isPrefixOnly = tokens.count == (prefix.isEmpty ? 1 : 2) && tokens.last == .many
  }

  private static func folded(_ bytes: [UInt8], _ watch: inout InterruptionWatch) -> [UInt8] {
    var folded: [UInt8] = []
    // Once, because folding reserves for each part what it needs; most texts grow by less than half.
    folded.reserveCapacity(bytes.count + bytes.count / 2)
    bytes.withUnsafeBufferPointer { bytes in
      var next = 0
      while next < bytes.count, !watch.isDue {
        // Each code point is folded by itself, so a long text can be folded in parts.
        var end = min(bytes.count, next + (1 << 14))
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        CaseFolding.fold(UnsafeBufferPointer(rebasing: bytes[next..<end]), into: &folded)
        _ = watch.spend(end - next)
        next = end
      }
    }
    return folded
  }

  private static func form(_ tokens: [Token]) -> Form {
    func isLiteral(_ token: Token) -> Bool { if case .literal = token { true } else { false } }
    switch tokens.count {
    case 0: return .exact
    case 1 where isLiteral(tokens[0]): return .exact
    case 1 where tokens[0] == .many: return .anything
    case 2 where isLiteral(tokens[0]) && tokens[1] == .many: return .prefix
    case 2 where tokens[0] == .many && isLiteral(tokens[1]): return .suffix
    case 3 where tokens[0] == .many && tokens[2] == .many && isLiteral(tokens[1]): return .contains
    default: return .general(tokens)
    }
  }

  /// Whether it was made of these bytes.
  package func isOf(_ bytes: UnsafeRawBufferPointer) -> Bool {
    source.withUnsafeBytes { ByteSearch.equal($0, bytes) }
  }

  /// Whether the whole text matches. If the pattern ignores case, the text must have been folded before.
  ///
  /// `isStopped` is told of the work in steps of about a byte, and makes the answer false where it is true.
  package func matches(
    _ start: UnsafePointer<UInt8>, _ count: Int, isStopped: ((Int) -> Bool)? = nil
  ) -> Bool {
    let text = UnsafeRawBufferPointer(start: start, count: count)
    switch form {
    case .anything: return true
    case .exact: return literals.withUnsafeBytes { ByteSearch.equal(text, $0) }
    case .prefix: return literals.withUnsafeBytes { ByteSearch.startsWith(text, $0) }
    case .suffix: return literals.withUnsafeBytes { ByteSearch.endsWith(text, $0) }
    case .contains: return literals.withUnsafeBytes { ByteSearch.contains(text, $0) }
    case .general(let tokens): return literals.withUnsafeBytes { LikePattern.matches(tokens, $0, text, isStopped) }
    }
  }

  /// Folds the text if the pattern ignores case, then matches. `folded` is room to work in.
  package func matches(
    _ start: UnsafePointer<UInt8>, _ count: Int, folding folded: inout [UInt8], isStopped: ((Int) -> Bool)? = nil
  ) -> Bool {
    if isStopped?(count / 16) == true { return false }
    guard ignoresCase else { return matches(start, count, isStopped: isStopped) }
    folded.removeAll(keepingCapacity: true)
    // Once, because folding reserves for each part what it needs; most texts grow by less than half.
    folded.reserveCapacity(count + count / 2)
    let text = UnsafeBufferPointer(start: start, count: count)
    var next = 0
    while next < count {
      // Each code point is folded by itself, so a long text can be folded in parts.
      var end = min(count, next + (1 << 14))
      while end < count, text[end] & 0xC0 == 0x80 { end += 1 }
      CaseFolding.fold(UnsafeBufferPointer(rebasing: text[next..<end]), into: &folded)
      if isStopped?(end - next) == true { return false }
      next = end
    }
    return folded.withUnsafeBufferPointer { folded in
      guard let base = folded.baseAddress else { return matches(start, 0) }
      return matches(base, folded.count, isStopped: isStopped)
    }
  }

  /// Only the last `%` need ever be tried again, so the work is at most the product of both lengths.
  private static func matches(
    _ tokens: [Token], _ literals: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer,
    _ isStopped: ((Int) -> Bool)?
  ) -> Bool {
    var steps = 0
    var position = 0
    var token = 0
    var retryToken = -1
    var retryPosition = 0
    while true {
      steps &+= 1
      if steps & 0xFFF == 0, isStopped?(0x1000) == true { return false }
      var isStuck = false
      if token == tokens.count {
        if position == text.count { return true }
        isStuck = true
      } else {
        switch tokens[token] {
        case .many:
          // Nothing can fail behind a last one.
          if token + 1 == tokens.count { return true }
          token += 1
          retryToken = token
          retryPosition = position
        case .one:
          if position < text.count {
            position += scalarLength(text, position)
            token += 1
          } else {
            isStuck = true
          }
        case .literal(let range):
          let literal = UnsafeRawBufferPointer(rebasing: literals[range])
          let found: Int?
          if token == retryToken {
            // Behind a `%` the literal may stand anywhere further on.
            found = ByteSearch.firstIndex(of: literal, in: text, from: position)
          } else {
            let rest = UnsafeRawBufferPointer(rebasing: text[position...])
            found = ByteSearch.startsWith(rest, literal) ? position : nil
          }
          if let found {
            if token == retryToken { retryPosition = found }
            position = found + range.count
            token += 1
          } else if token == retryToken {
            return false
          } else {
            isStuck = true
          }
        }
      }
      if isStuck {
        guard retryToken >= 0, retryPosition < text.count else { return false }
        retryPosition += scalarLength(text, retryPosition)
        position = retryPosition
        token = retryToken
      }
    }
  }

  /// The length of the code point at `index`, at least one and not beyond the end.
  private static func scalarLength(_ text: UnsafeRawBufferPointer, _ index: Int) -> Int {
    var next = index + 1
    guard text[index] >= 0xC0 else { return 1 }
    while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
    return next - index
  }
}
