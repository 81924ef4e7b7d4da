import Testing

@testable import GQLRegex

@Suite struct LikePatternTests {
  private func matches(_ pattern: String, _ text: String, ignoresCase: Bool = false) throws -> Bool {
    let pattern = try LikePattern(Array(pattern.utf8), ignoresCase: ignoresCase)
    var folded: [UInt8] = []
    // One byte more, so that there is an address for the empty text.
    return (Array(text.utf8) + [0]).withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      return pattern.matches(start, bytes.count - 1, folding: &folded)
    }
  }

  @Test func manyPatterns() throws {
    for (pattern, text, isMatch) in likeCases {
      #expect(try matches(pattern, text) == isMatch, "\(pattern) \(text)")
    }
    #expect(likeCases.count == 160)
  }

  @Test(arguments: [
    ("", "", true), ("", "a", false), ("%", "", true), ("%%", "abc", true), ("_", "", false), ("_", "é", true),
    ("_", "😀", true), ("__", "é", false), ("a\\%b", "a%b", true), ("a\\%b", "axb", false), ("a\\_b", "a_b", true),
    ("a\\_b", "axb", false), ("\\\\", "\\", true), ("\\a", "a", true), ("abc", "abc", true), ("abc", "ABC", false),
    ("a%", "abc", true), ("%c", "abc", true), ("%b%", "abc", true), ("%b%", "ac", false), ("a%c", "abbc", true),
    ("a%c", "ab", false), ("%_", "", false), ("%_", "a", true), ("_%", "é", true), ("a%a", "a", false),
    ("100\\%%", "100% sure", true), ("%\n%", "a\nb", true),
  ])
  func forms(_ pattern: String, _ text: String, _ expected: Bool) throws {
    #expect(try matches(pattern, text) == expected)
  }

  @Test(arguments: [
    ("ABC%", "abcdef", true), ("%STRASSE", "Hauptstraße", true), ("σ%", "ΣΑΣ", true), ("É_", "éx", true),
    ("a\\%", "A%", true), ("b", "A", false),
  ])
  func ignoringCase(_ pattern: String, _ text: String, _ expected: Bool) throws {
    #expect(try matches(pattern, text, ignoresCase: true) == expected)
  }

  @Test func trailingEscape() {
    #expect(throws: PatternError.self) { try LikePattern(Array("ab\\".utf8)) }
    #expect(throws: PatternError.self) { try LikePattern(Array("\\".utf8), ignoresCase: true) }
  }

  @Test func whatIndexesCanUse() throws {
    func pattern(_ text: String) throws -> LikePattern { try LikePattern(Array(text.utf8)) }
    #expect(try pattern("ab%").isPrefixOnly)
    #expect(try pattern("%").isPrefixOnly)
    #expect(try !pattern("ab").isPrefixOnly)
    #expect(try !pattern("ab%c%").isPrefixOnly)
    #expect(try !pattern("ab_").isPrefixOnly)
    #expect(try pattern("ab_c%").prefix == Array("ab".utf8))
    #expect(try pattern("%ab").prefix.isEmpty)
    #expect(
      try pattern("%ab%cde_f").requirement
        == .all(["ab", "cde", "f"].map { .literal(Array($0.utf8), isFolded: false) }))
    #expect(try pattern("%_").requirement == .nothing)
    #expect(
      try LikePattern(Array("%Straße_".utf8), ignoresCase: true).requirement
        == .literal(Array("strasse".utf8), isFolded: true))
  }

  @Test(.timeLimit(.minutes(1))) func hostilePatternEnds() throws {
    let pattern = String(repeating: "%a_", count: 200) + "b"
    #expect(try !matches(pattern, String(repeating: "a", count: 20_000)))
  }
}
