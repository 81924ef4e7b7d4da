import GQLBase
import Testing

@testable import GQLText

@Suite struct SegmentationTests {
  private func words(_ text: String, _ language: TextLanguage = .none) -> [String] {
    TextAnalyzer(language).terms(Text(text)).map(\.term.string)
  }

  @Test(arguments: [
    ("", []), ("   ", []), ("one", ["one"]), ("One, TWO; three.", ["one", "two", "three"]),
    ("don't 'quote' rock'n'roll'", ["don't", "quote", "rock'n'roll"]), ("it’s", ["it's"]), ("5'6", ["5", "6"]),
    ("snake_case e-mail a.b 3.14", ["snake", "case", "e", "mail", "a", "b", "3", "14"]),
    ("Straße ÉCOLE ΣΊΣΥΦΟΣ", ["strasse", "école", "σίσυφοσ"]), ("e\u{301}t", ["e\u{301}t"]),
    ("co\u{AD}operate", ["cooperate"]), ("日本語", ["日", "本", "語"]), ("ひらがなカタカナ", ["ひ", "ら", "が", "な", "カタカナ"]),
    ("C++ 東京tower", ["c", "東", "京", "tower"]), ("กิน", ["กิ", "น"]), ("👍 ok 👍🏽", ["ok"]), ("١٢٣ ²", ["١٢٣", "²"]),
    ("ﬀ Ⅷ", ["ff", "ⅷ"]), ("\u{301}a", ["a"]), ("x'", ["x"]), ("'", []), ("a\u{0}b", ["a", "b"]),
  ])
  func findsWords(_ text: String, _ expected: [String]) {
    #expect(words(text) == expected)
  }

  @Test func illFormedBytesSeparate() {
    let analyzer = TextAnalyzer(.none)
    let terms = analyzer.terms(Text([0x61, 0xFF, 0x62, 0xE2, 0x82, 0x63, 0xC3]))
    #expect(terms.map(\.term.string) == ["a", "b", "c"])
  }

  @Test func tokensTellWhereWordsStand() {
    let analyzer = TextAnalyzer(.none)
    Array("Ça va, İzmir!".utf8).withUnsafeBufferPointer { analyzer.segment($0) }
    #expect(analyzer.tokens.map { [$0.start, $0.end] } == [[0, 3], [4, 6], [8, 14]])
  }

  @Test(arguments: [
    ("en", "The running databases are generously connected", ["run", "databas", "generous", "connect"]),
    ("de", "Die Häuser am Fluß", ["haus", "fluss"]), ("fr", "les chevaux mangeaient", ["cheval", "mang"]),
    ("sv", "och bilarna", ["bil"]), ("ru", "и книгами", ["книг"]), ("tr", "evlerinden", ["ev"]),
    ("none", "The Running", ["the", "running"]),
  ])
  func stems(_ code: String, _ text: String, _ expected: [String]) throws {
    #expect(words(text, try #require(TextLanguage(code))) == expected)
  }

  /// Every language that is named has a stemmer, which is asked for by name at run time.
  @Test(arguments: TextLanguage.codes) func languagesExist(_ code: String) throws {
    let language = try #require(TextLanguage(code))
    let terms = TextAnalyzer(language).terms("xyzzyings xyzzying")
    #expect(terms.count == 2)
    #expect(TextLanguage(code.uppercased()) == nil)
  }

  @Test func positionsCountStopWords() {
    let terms = TextAnalyzer(.standard).terms("the state of the art")
    #expect(terms.map(\.term.string) == ["state", "art"])
    #expect(terms.map(\.position) == [1, 4])
  }
}
