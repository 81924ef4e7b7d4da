import GQLBase
import GQLLexer
import GQLParser
import Testing

@Suite struct DiagnosticTests {
  /// A query for each code.
  static let triggers: [(code: String, text: String)] = [
    ("unexpected-character", "{ name ; }"), ("unterminated-string", "{ a(b: \"x\n) }"),
    ("invalid-escape", #"{ a(b: "\k") }"#), ("invalid-code-point", #"{ a(b: "\uD800") }"#),
    ("single-quoted-string", "{ a(b: 'x') }"), ("unterminated-name", "{ `a\n }"), ("empty-name", "{ `` }"),
    ("leading-zero", "{ a(b: 007) }"), ("missing-digits", "{ a(b: 1.) }"), ("number-runs-on", "{ a(b: 1x) }"),
    ("unexpected-token", "{ a(b:) }"), ("unclosed", "{ a"), ("empty-document", "# nothing"),
    ("empty-selection-set", "{ a { } }"), ("unknown-definition", "querry { a }"),
    ("misplaced-description", #""text" { a }"#), ("fragment-named-on", "fragment on on T { a }"),
    ("reserved-enum-value", "enum E { true }"), ("unknown-directive-location", "directive @a on PLACE"),
    ("empty-extension", "extend type T"), ("variable-in-constant", "query ($a: Int = $b) { c }"),
    ("assignment-for-equality", "{ a(b: c = 1) }"), ("single-connective", "{ a(b: c & d) }"),
    ("sql-inequality", "{ a(b: c <> 1) }"), ("chained-comparison", "{ a(b: 1 < c < 2) }"),
    ("chained-range", "{ a(b: 1..2..3) }"), ("colon-for-walrus", "{ b: age > 3 }"),
    ("operator-after-type-name", "{ a(b: c as Int + 1) }"),
    ("equals-for-walrus", "{ b = age }"), ("unnamed-computation", "{ age > 3 }"), ("walrus-for-colon", "{ a(b := 1) }"),
    ("word-operator-in-list", "{ a(b: [c > 1 and d]) }"), ("minus-in-list", "{ a(b: [c-d]) }"),
    ("missing-comma", "{ n: f(x y) }"), ("positional-after-named", "{ n := f(a: 1, 2) }"),
    ("quoted-key", #"{ a(b: {"c": 1}) }"#), ("foreign-syntax", "{ a(b 1) }"),
    ("bare-date", "{ a(b: c > 1990-01-01) }"),
  ]

  @Test func everyCodeHasAQuery() {
    let needingMore: Set<String> = [
      "invalid-utf8", "document-too-long", "too-many-tokens", "not-graphql", "nested-too-deeply", "expression-too-tall",
    ]
    let codes = Set((LexicalProblem.codes + SyntaxProblem.codes).map(\.rawValue))
    #expect(codes == Set(Self.triggers.map(\.code)).union(needingMore))
    #expect(codes.count == LexicalProblem.codes.count + SyntaxProblem.codes.count)
  }

  @Test(arguments: triggers.indices)
  func theQueryGivesTheCodeAlone(index: Int) {
    let (code, text) = Self.triggers[index]
    let diagnostics = parse(SourceText(text)).diagnostics
    #expect(diagnostics.map(\.code.rawValue) == [code], "\(text)")
  }

  @Test func theOtherCodes() {
    func codes(_ source: SourceText, _ dialect: Dialect = .extended, _ limits: ParserLimits = .init()) -> [String] {
      parse(source, dialect: dialect, limits: limits).diagnostics.map(\.code.rawValue)
    }
    let bytes: [UInt8] = Array(#"{ a(b: ""#.utf8) + [0xFF, 0xFE] + Array(#"") }"#.utf8)
    #expect(codes(SourceText(name: "query", bytes: bytes)) == ["invalid-utf8"])
    #expect(codes(SourceText("{ a(b: 1 + 2) }"), .graphql) == ["not-graphql"])
    #expect(codes(SourceText("{ abc }"), .extended, ParserLimits(lexer: .init(bytes: 6))) == ["document-too-long"])
    #expect(codes(SourceText("{ abc }"), .extended, ParserLimits(lexer: .init(bytes: 7))) == [])
    #expect(codes(SourceText("{ a b }"), .extended, ParserLimits(lexer: .init(tokens: 3))) == ["too-many-tokens"])
    #expect(codes(SourceText("{ a b }"), .extended, ParserLimits(lexer: .init(tokens: 4))) == [])
    #expect(codes(SourceText("{ a { b } }"), .extended, ParserLimits(nesting: 1)) == ["nested-too-deeply"])
    #expect(codes(SourceText("{ a { b } }"), .extended, ParserLimits(nesting: 2)) == [])
    let chain = "{ a(b: 1 + 2 + 3) }"
    #expect(codes(SourceText(chain), .extended, ParserLimits(expressionHeight: 2)) == ["expression-too-tall"])
    #expect(codes(SourceText(chain), .extended, ParserLimits(expressionHeight: 3)) == [])
  }

  /// What a fix-it makes of a text.
  private func fixed(_ text: String) -> String? {
    let parsed = parse(SourceText(text))
    guard let fixIt = parsed.diagnostics.lazy.compactMap(\.fixIts.first).first else { return nil }
    var bytes = Array(text.utf8)
    for edit in fixIt.edits.sorted(by: { $0.range.start > $1.range.start }) {
      bytes.replaceSubrange(Int(edit.range.start)..<Int(edit.range.end), with: edit.replacement.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("{ a(b: c = 1) }", "{ a(b: c == 1) }"), ("{ a(b: c = null) }", "{ a(b: c == null) }"),
    ("{ a(b: c & d) }", "{ a(b: c && d) }"), ("{ a(b: c | d) }", "{ a(b: c || d) }"),
    ("{ a(b: 'it''s \"x\"') }", #"{ a(b: "it's \"x\"") }"#),
    ("{ b: age > 3 }", "{ b := age > 3 }"), ("{ b: -age }", "{ b := -age }"), ("{ b: 5 }", "{ b := 5 }"),
    ("{ b: f(x) + 1 }", "{ b := f(x) + 1 }"), ("{ b: f(x: 1) + 1 }", "{ b := f(x: 1) + 1 }"),
    ("{ b: c.d }", "{ b := c.d }"), ("{ b = age + 1 }", "{ b := age + 1 }"),
    ("{ a(b: [c > 1 and d]) }", "{ a(b: [(c > 1 and d)]) }"), ("{ a(b: [c and d]) }", "{ a(b: [(c and d)]) }"),
    ("{ a(b: [x, c and d or e, y]) }", "{ a(b: [x, (c and d or e), y]) }"),
    ("{ a(b: [c-d]) }", "{ a(b: [c - d]) }"), ("{ a(b: c <> 1) }", "{ a(b: c != 1) }"),
    ("{ a(b: 1 < c < 2) }", "{ a(b: 1 < c and c < 2) }"), ("{ n: f(x y) }", "{ n: f(x, y) }"),
    ("querry { a }", "query { a }"), (#"{ a(b: {"c": 1}) }"#, "{ a(b: {c: 1}) }"), ("{ a(b := 1) }", "{ a(b: 1) }"),
  ])
  func fixIts(text: String, expected: String) throws {
    // Why: fix-its of `name: e` replace the colon alone, and blanks before it are left to the formatter.
    let result = try #require(fixed(text))
    #expect(print(parse(SourceText(result)).output) == print(parse(SourceText(expected)).output))
    #expect(parse(SourceText(result)).diagnostics.isEmpty, "\(result)")
  }

  @Test func wordsInGraphQLListsOnlyWarn() {
    let parsed = parse(SourceText("{ a(b: [c and d]) }"))
    #expect(parsed.diagnostics.map(\.severity) == [.warning])
    #expect(parse(SourceText("{ a(b: [c and d]) }"), dialect: .graphql).diagnostics.isEmpty)
    for text in ["[like or]", "[not n]", "[a, and, b]", "[and]"] {
      #expect(parse(SourceText("{ a(b: \(text)) }")).diagnostics.isEmpty, "\(text)")
    }
  }

  @Test func oneRunReportsEveryError() {
    let text = """
      query A { a(b 1, c: 2) d }
      query B { x: y > 1
        z(w: [1 2) }
      mutaton C { a }
      type T { a: b: Int
        c: [Int
        d: Int }
      query D { ok(a: b = 1) 'x' }
      """
    let source = SourceText(text)
    let lines = Set(parse(source).diagnostics.map { source.position(at: $0.range.start).line })
    #expect(lines.isSuperset(of: [1, 2, 3, 4, 5, 8]), "\(summary(parse(source).diagnostics, source))")
    #expect(parse(source).output.definitions.count >= 4)
  }

  @Test func diagnosticsAreLimited() {
    let text = "{ " + String(repeating: "a(b: c = 1) ", count: 500) + "}"
    #expect(parse(SourceText(text)).diagnostics.count == 100)
    #expect(parse(SourceText(String(repeating: ";", count: 500))).diagnostics.count == 100)
  }
}
