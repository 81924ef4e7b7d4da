import GQLBase
import Testing

@testable import GQLText

@Suite struct TextQueryTests {
  private func written(_ query: String, _ language: TextLanguage = .standard) -> String {
    let query = TextQuery(Text(query), TextAnalyzer(language))
    func atom(_ atom: TextQuery.Atom) -> String {
      switch atom.test {
      case .term: atom.term.string
      case .prefix: "\(atom.word.string)*"
      case .within(let limit): "\(atom.term.string)~\(limit)"
      }
    }
    func write(_ node: TextQuery.Node) -> String {
      switch node {
      case .leaf(let index):
        let leaf = query.leaves[index]
        let text = leaf.atoms.map { "\($0.offset > 0 ? "+\($0.offset) " : "")\(atom($0))" }.joined(separator: " ")
        return (leaf.isWanted ? "" : "!") + (leaf.atoms.count > 1 ? "'\(text)'" : text)
      case .all(let wanted, let without):
        return "(" + (wanted.map(write) + without.map { "-\(write($0))" }).joined(separator: " & ") + ")"
      case .any(let nodes): return "(" + nodes.map(write).joined(separator: " | ") + ")"
      }
    }
    return query.root.map(write) ?? "nothing"
  }

  @Test(arguments: [
    ("swift database", "(swift & databas)"), ("Swift", "swift"), ("a OR b", "b"), ("x OR y z", "(x | (y & z))"),
    ("x -y", "(x & -!y)"), ("-y", "(-!y)"), ("- y", "y"), ("--y", "(-!y)"), ("x NOT y", "(x & -!y)"),
    ("x AND y", "(x & y)"), ("\"x y\"", "'x +1 y'"), ("\"x the y", "'x +2 y'"), ("\"the x\"", "x"), ("\"\"", "nothing"),
    ("x*", "x*"), ("x**", "x*"), ("*", "nothing"), ("the*", "the*"), ("x~", "x~1"), ("x~2", "x~2"), ("x~9", "x~2"),
    ("x~0", "x"), ("~", "nothing"), ("~1", "1"), ("e-mail", "'e +1 mail'"), ("e-mai*", "'e +1 mai*'"),
    ("(x OR y) z", "((x | y) & z)"), ("(x", "x"), ("x)", "x"), (")(", "nothing"), ("((x))", "x"), ("()", "nothing"),
    ("-(x y)", "(-(!x & !y))"), ("-(x -y)", "(-(!x & -y))"), ("OR", "nothing"), ("x OR OR y", "(x | y)"),
    ("NOT", "nothing"), ("-OR", "nothing"), ("", "nothing"), ("the of", "nothing"), ("x OR the", "x"),
    ("x -the", "x"), ("\u{3000}東京", "'東 +1 京'"), ("x\"y z\"w", "(x & 'y +1 z' & w)"), ("-\"x y\"", "(-!'x +1 y')"),
  ])
  func reads(_ query: String, _ expected: String) {
    #expect(written(query) == expected)
  }

  @Test func deepAndLongQueriesEnd() {
    #expect(written(String(repeating: "(", count: 100_000) + "x").contains("x"))
    let long = TextQuery(Text(String(repeating: "word ", count: 50_000)), TextAnalyzer(.none))
    #expect(long.leaves.count == TextQuery.maximumWords)
  }

  private func matches(_ text: String, _ query: String, _ language: TextLanguage = .standard) -> Bool {
    let analyzer = TextAnalyzer(language)
    let matcher = TextMatcher(TextQuery(Text(query), analyzer), analyzer)
    matcher.begin()
    Array(text.utf8).withUnsafeBufferPointer { matcher.add($0) }
    return matcher.isMatch
  }

  @Test func randomTextsAreQueries() {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "a", "swift", "\"", "(", ")", "-", "*", "~", "~2", " ", "OR", "NOT", "AND", "東", "\u{301}", "'", "the",
    ]
    for _ in 0..<2000 {
      let query = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in pieces.randomElement() ?? "" }.joined()
      _ = matches("swift and the a 東 b", query)
    }
  }

  @Test(arguments: [
    ("kitten", "kittens", 1), ("kitten", "kiten", 1), ("kitten", "ikttens", 2), ("ca", "abc", 3), ("", "ab", 2),
    ("swift", "swfit", 1), ("été", "ete", 2), ("abcd", "badc", 2), ("a", "a", 0), ("日本", "本日", 1),
  ])
  func distances(_ word: String, _ other: String, _ expected: Int) {
    for limit in 0...3 {
      var distance = EditDistance(to: word.utf8, limit: limit)
      for before in ["", "zz", "swif", other + "x"] {
        _ = Array(before.utf8).withUnsafeBufferPointer { distance.isNear($0) }
        let isNear = Array(other.utf8).withUnsafeBufferPointer { distance.isNear($0) }
        #expect(isNear == (expected <= limit), "\(word) \(other) \(limit)")
      }
    }
  }

  /// Figures of an independent computation: N = 9, n = 2, 36 words.
  @Test func scores() {
    let statistics = TextStatistics(texts: 9, words: 36, found: [2])
    let analyzer = TextAnalyzer(.standard)
    let matcher = TextMatcher(TextQuery("swift", analyzer), analyzer)
    matcher.begin()
    Array("The swift is a bird. Swifts fly.".utf8).withUnsafeBufferPointer { matcher.add($0) }
    #expect(matcher.frequencies == [2])
    #expect(matcher.length == 4)
    #expect(abs(matcher.score(statistics) - 1.9061547465398496) < 1e-12)
  }
}
