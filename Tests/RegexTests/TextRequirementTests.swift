import GQLBase
import Testing

@testable import GQLRegex

/// What patterns require, by hand and against PCRE2 itself.
@Suite struct TextRequirementTests {
  /// Literals in quotes, folded ones behind a tilde.
  private func show(_ requirement: TextRequirement) -> String {
    switch requirement {
    case .nothing: "-"
    case .literal(let bytes, let isFolded): (isFolded ? "~" : "") + String(decoding: bytes, as: UTF8.self)
    case .all(let parts): "(" + parts.map(show).joined(separator: " & ") + ")"
    case .any(let parts): "(" + parts.map(show).joined(separator: " | ") + ")"
    }
  }

  @Test(arguments: [
    ("abc", "abc"), ("ab.cde", "(ab & cde)"), ("a\\.b", "a.b"), ("abc?d", "(abcd | abd)"), ("abc*", "ab"),
    ("abc+d", "(abc & cd)"), ("abc{2}d", "abccd"), ("abc{2,}d", "(abc & cd)"), ("abc{0,3}", "ab"),
    ("foo(bar|baz)quux", "(foobarquux | foobazquux)"), ("(?:a|b)cd", "(acd | bcd)"), ("[a-z]+xyz", "xyz"),
    ("gr[ae]y", "(gray | grey)"), ("[]x]yz", "(]yz | xyz)"), ("[^]]yz", "yz"), ("^abc$", "abc"),
    ("\\d+ms\\b", "ms"), ("é?ab", "(éab | ab)"), ("hello\\nworld", "hello\nworld"), ("a(?=bcd)e", "ae"),
    ("a\\\\b", "a\\b"), ("a]b}c", "a]b}c"), ("abc|def", "(abc | def)"), ("abc|de*", "(abc | d)"),
    ("(abc|def).*(ghi|jkl)", "((abc | def) & (ghi | jkl))"), ("\\x61\\x{1F600}c", "a😀c"), ("\\p{Lu}abc", "abc"),
    ("\\pLabc", "abc"), ("(?<year>abc)def", "abcdef"), ("(?P<n>a)b", "ab"), ("(?'n'a)b", "ab"),
    ("(?|ab|cd)e", "(abe | cde)"),
    ("a\\Kb", "ab"), ("(?<=abc)def", "def"), ("(?<!abc)def", "def"), ("(?>ab)c", "abc"), ("a\\Rb\\Xcd", "(a & b & cd)"),
    ("(?m)^ab", "ab"), ("x{1}y", "xy"), ("(ab|)c", "(abc | c)"), ("(?:abc)+?d", "(abc & abcd)"),
  ])
  func literals(_ pattern: String, _ expected: String) throws {
    #expect(show(try Pattern(Array(pattern.utf8)).requirement) == expected)
  }

  @Test(arguments: [
    ("(?i)Error", "~error"), ("a(?i)b", "~ab"), ("a(?i:B)c", "~abc"), ("(a(?i)b|C)D", "(~abd | ~cd)"),
    ("(?i)123-456", "123-456"), ("(?i)Größe", "~grösse"), ("(?i)ΣΑΣ", "~σασ"), ("(?i)Привет", "~привет"),
    // Letters that are left alone.
    ("(?i)abcꭰdef", "(~abc & ~def)"), ("(?i)abİc", "(~ab & ~c)"), ("(?i)a(?-i)B", "~ab"), ("(?i-i)AB", "AB"),
  ])
  func folded(_ pattern: String, _ expected: String) throws {
    #expect(show(try Pattern(Array(pattern.utf8)).requirement) == expected)
  }

  @Test(arguments: [
    "", ".*", "(abc)?", "abc|.", "a*|abc", "(abc|(*ACCEPT))def", "(?x)a b c", "\\Qa|b\\Eabc", "(*UTF)abc", "a{,3}b",
    "(?#x)abc", "[[:alpha:]]abc", "(a)\\1bcd", "(?1)(abc)", "(abc)(?(1)d|e)", "abc\\cAd", "\\o{101}bc", "(?R)?abc",
    "(a)\\g1bcd", "(?<n>a)\\k<n>bcd", "(?xx)a b", "abc{2}{3}", "a?", "|abc",
  ])
  func unsure(_ pattern: String) {
    // Some are no patterns for every version of PCRE2, so the reader is asked alone.
    #expect(TextRequirement(.regex, Array(pattern.utf8)) == .nothing)
  }

  @Test(.timeLimit(.minutes(1))) func deepAndLongPatternsEnd() {
    let deep = String(repeating: "(", count: 4_000) + "abc" + String(repeating: ")", count: 4_000)
    #expect(TextRequirement(.regex, Array(deep.utf8)) == .nothing)
    let wide = (0..<1_000).map { "word\($0)" }.joined(separator: "|")
    #expect(TextRequirement(.regex, Array(wide.utf8)) == .nothing)
    let product = String(repeating: "(a|b|c)", count: 300)
    #expect(TextRequirement(.regex, Array(product.utf8)).literalCount > 0)
    for piece in ["a|", "a.", "(a|b).", "[ab]?", "(?i)k", "a{3}b", "(x+y)*?z"] {
      _ = TextRequirement(.regex, Array(String(repeating: piece, count: 16_000 / piece.utf8.count).utf8))
    }
    #expect(TextRequirement(.regex, [UInt8](repeating: 0x61, count: 1 << 20)) == .nothing)
    let long = String(repeating: "x?", count: 2_000) + "abc"
    #expect(TextRequirement(.regex, Array(long.utf8)) != .nothing)
  }

  @Test(arguments: [
    (TextCondition.contains, "Abc", "Abc"), (.startsWith, "é", "é"), (.endsWith, "", "-"),
    (.like, "%ab_cd%", "(ab & cd)"),
    (.like, "a\\%b", "a%b"), (.like, "%_%", "-"), (.like, "abc\\", "-"), (.ilike, "%STRASSE\\_1%", "~strasse_1"),
  ])
  func conditions(_ condition: TextCondition, _ pattern: String, _ expected: String) {
    #expect(show(TextRequirement(condition, Array(pattern.utf8))) == expected)
  }

  // MARK: - Against PCRE2

  private static let pieces = [
    "a", "b", "c", "ab", "abc", "k", "s", "ß", "ſ", "K", "K", "İ", "ı", "i", "I", "é", "É", "σ", "ς", "Σ", "ж", "日",
    "😀", "?", "*", "+", "?+", "+?", "(", ")", "(", ")", "|", "|", "[ab]", "[^ab]", "[kß]", "[a-c]", "[]a]", ".", "^",
    "$",
    "{2}", "{0,1}", "{1,2}", "{2,}", "{,2}", "\\.", "(?:", "(?i)", "(?i:", "(?-i)", "(?-i:", "(?=", "(?!", "(?<=",
    "(?>",
    "(?|", "(?<n>", "\\b", "\\K", "\\d", "\\w", "\\x61", "\\x{df}", "\\pL", "\\p{Lu}", "\\1", "\\Qa.\\E", "]", "}", "-",
    "(?s)", "(?#", "(*ACCEPT)", "\\R", "\\X", "\\N", "(?x)", " ", "#", "[[:alpha:]]", "[\\w-a]", "\\A", "\\z", "\\G",
  ]
  private static let letters = [
    "a", "b", "c", "A", "B", "C", "k", "K", "K", "s", "S", "ſ", "ß", "ẞ", "i", "I", "İ", "ı", "é", "É", "σ", "ς", "Σ",
    "ж", "Ж", "日", "😀", ".", " ", "\n", "-", "1", "abc", "ab", "å", "Å", "µ", "μ",
  ]

  /// Whatever matches meets the requirement, and so do its trigrams: random patterns against random texts.
  @Test func whatMatchesMeetsTheRequirement() {
    var random = SplitMix(state: 42)
    var compiled = 0
    var requiring = 0
    var matched = 0
    for _ in 0..<30_000 {
      var source = ""
      for _ in 0..<(1 + random.next(9)) { source += Self.pieces[random.next(Self.pieces.count)] }
      guard let pattern = try? Pattern(Array(source.utf8)) else { continue }
      compiled += 1
      if pattern.requirement == .nothing { continue }
      requiring += 1
      var test = RequirementTest(pattern.requirement)
      let scratch = PatternScratch(for: pattern)
      for _ in 0..<16 {
        var text: [UInt8] = []
        for _ in 0..<random.next(9) { text += Array(Self.letters[random.next(Self.letters.count)].utf8) }
        guard isMatched(pattern, text, scratch) else { continue }
        matched += 1
        let isMet = text.withUnsafeBytes { test.isMet(by: $0) }
        #expect(isMet, "\(source) matches \(String(decoding: text, as: UTF8.self)), \(show(pattern.requirement))")
        let query = pattern.requirement.trigrams
        #expect(query.map { holds($0, text) } ?? true, "\(source), \(String(decoding: text, as: UTF8.self))")
      }
    }
    #expect(compiled > 8_000)
    #expect(requiring > 4_000)
    #expect(matched > 2_000)
  }

  /// Every letter that PCRE2 takes for another, where case is ignored, folds to the same text, if the reader uses it.
  @Test func everyLetterThatIgnoresItsCase() throws {
    var cased: [UInt8] = []
    for value in UInt32(0x20)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let properties = scalar.properties
      if properties.isCased || properties.changesWhenCaseFolded || properties.changesWhenUppercased {
        cased += Array(String(Character(scalar)).utf8)
      }
    }
    var pairs = 0
    for value in UInt32(0x20)...0x600 {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isAlphabetic else { continue }
      let source = Array("(?i)\(Character(scalar))".utf8)
      let pattern = try Pattern(source)
      guard case .literal(let folded, isFolded: true) = pattern.requirement else { continue }
      let scratch = PatternScratch(for: pattern)
      cased.withUnsafeBufferPointer { text in
        guard let start = text.baseAddress else { return }
        var from = 0
        while pattern.find(start, text.count, from: from, scratch) == .matched,
          let range = scratch.range(ofGroup: 0)
        {
          var found: [UInt8] = []
          CaseFolding.fold(UnsafeBufferPointer(rebasing: text[range]), into: &found)
          #expect(found == folded, "\(scalar) and \(String(decoding: text[range], as: UTF8.self))")
          pairs += 1
          from = range.upperBound
        }
      }
    }
    #expect(pairs > 800)
  }

  /// All keys of the text's trigrams, and the query over them.
  private func holds(_ query: CandidateQuery, _ text: [UInt8]) -> Bool {
    var folded: [UInt8] = []
    text.withUnsafeBufferPointer { CaseFolding.fold($0, into: &folded) }
    var keys = [UInt32](repeating: 0, count: folded.count + 1)
    let count = folded.withUnsafeBufferPointer { Trigram.write($0, to: &keys) }
    let found = Set(keys[..<count])
    func holds(_ query: CandidateQuery) -> Bool {
      query.keys.allSatisfy(found.contains) && query.alternatives.allSatisfy { $0.contains(where: holds) }
    }
    return holds(query)
  }

  private func isMatched(_ pattern: Pattern, _ text: [UInt8], _ scratch: PatternScratch) -> Bool {
    (text + [0]).withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      return pattern.matches(start, bytes.count - 1, scratch) == .matched
    }
  }

  private struct SplitMix {
    var state: UInt64
    mutating func next(_ limit: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
      return Int((bits ^ bits >> 31) % UInt64(limit))
    }
  }
}
