import GQLBase
import Testing

@testable import GQLText

/// Queries that have megabytes.
@Suite struct LongQueryTests {
  /// Of which the time is up.
  private let late = Interruption(deadline: 1, milliseconds: 1, cancellation: nil)

  @Test(
    "what nobody waits for is not segmented to its end",
    arguments: ["word-", "é-", "a", "A", "é", "İ"], ["*", "~", "", "\""]) func interrupted(
      _ part: String, _ end: String
    )
  {
    let analyzer = TextAnalyzer(.standard)
    let start = end == "\"" ? end : ""
    _ = TextQuery(Text(start + String(repeating: part, count: 200_000) + end), analyzer, late)
    #expect(analyzer.tokens.count < 20_000)
    #expect(analyzer.folded.count < 100_000)
    // The next text is segmented whole.
    #expect(analyzer.terms("cat dog bird").count == 3)
  }

  @Test("of a prefix the last word is one, wherever the parts of the text end") func prefixes() {
    let analyzer = TextAnalyzer(.none)
    let words = (0..<900).map { "w\($0)" }
    let fillers = [(900, "-"), (900, String(repeating: "-", count: 50)), (3, String(repeating: "!", count: 40_000))]
    for (count, filler) in fillers {
      for end in ["", filler] {
        let query = TextQuery(Text(words.prefix(count).joined(separator: filler) + end + "*"), analyzer)
        let atoms = query.leaves.first?.atoms ?? []
        #expect(query.leaves.count == 1)
        #expect(atoms.map(\.word) == words.prefix(count).map { Text($0) })
        #expect(atoms.dropLast().allSatisfy { $0.test == .term } && atoms.last?.test == .prefix)
        #expect(atoms.map(\.offset) == Array(0..<count))
      }
    }
    // A beginning that looks like a stop word stays, a word that is one goes.
    let query = TextQuery("the-cat-the*", TextAnalyzer(.standard))
    #expect(query.leaves.first?.atoms.map(\.word) == ["cat", "the"])
  }

  @Test("a word of megabytes is one word") func longWord() {
    let analyzer = TextAnalyzer(.none)
    for (letter, folded) in [("a", "a"), ("A", "a"), ("É", "é"), ("ß", "ss")] {
      let query = TextQuery(Text(String(repeating: letter, count: 100_000)), analyzer)
      #expect(query.leaves.first?.atoms.map(\.word) == [Text(String(repeating: folded, count: 100_000))])
    }
  }
}
