import GQLBase
import GQLCatalog
import GQLParser
import Testing
@testable import GQLBinder
@testable import GQLQuery

@Suite struct BindingProblemTests {
  /// Every code has a query that shows it, with the text that it points to.
  static let wrong: [(code: String, query: String, at: String)] = [
    ("misplaced-range", "{ User { x := 1..age } }", "1..age"),
    ("misplaced-computation", "{ __schema { x := 1 } }", "x"),
    ("unknown-field", "{ __schema { typess { name } } }", "typess"),
    ("missing-key", "{ __type { name } }", "__type"),
    ("unknown-field", "{ Usr { id } }", "Usr"),
    ("unknown-field", "{ User { agee } }", "agee"),
    ("unknown-field", "{ User(where: boss.agee > 1) { id } }", "agee"),
    ("unknown-field", "{ User(where: {agee: {eq: 1}}) { id } }", "agee"),
    ("unknown-name", "{ User(where: agee > 1) { id } }", "agee"),
    ("unknown-argument", "{ User(wher: true) { id } }", "wher"),
    ("duplicate-argument", "{ User(limit: 1, limit: 2) { id } }", "limit"),
    ("arguments-on-value", "{ User { age(limit: 1) } }", "limit: 1"),
    ("selection-on-value", "{ User { age { x } } }", "{ x }"),
    ("missing-key", "{ user { id } }", "user"),
    ("unknown-fragment", "{ User { ...Missing } }", "Missing"),
    ("fragment-cycle", "{ User { ...A } } fragment A on User { boss { ...A } }", "A"),
    ("unknown-type", "{ User { ... on Usr { id } } }", "Usr"),
    ("impossible-fragment", "{ User { ... on Chat { id } } }", "Chat"),
    ("conflicting-fields", "{ User { n: firstName n: age } }", "n"),
    ("conflicting-fields", "{ User { staff(limit: 1) { id } staff(limit: 2) { id } } }", "staff"),
    ("unknown-variable", "{ User(limit: $n) { id } }", "n"),
    ("duplicate-variable", "query($a: Int $a: Int) { User(limit: $a) { id } }", "a"),
    ("not-input-type", "query($u: User) { User { id } }", "User"),
    ("wrong-variable-type", "query($f: ChatFilter) { User(where: $f) { id } }", "f"),
    ("wrong-default", "query($a: Int = \"x\") { User(limit: $a) { id } }", "\"x\""),
    ("missing-argument", "{ User { ...F } } fragment F($n: Int!) on User { x := $n }", "F"),
    ("missing-argument", "{ User @using { id } }", "@using"),
    ("missing-argument", "{ User { x := lower() } }", "lower()"),
    ("unknown-directive", "{ User @foo { id } }", "foo"),
    ("score-without-matches", "{ User { _score } }", "_score"),
    ("no-full-text-index", "{ User(where: . matches \"x\") { id } }", ". matches \"x\""),
    ("unknown-index", "{ User @using(access: HASH, index: \"agee\") { id } }", "\"agee\""),
    ("misplaced-directive", "{ User { age @using(access: SCAN) } }", "using"),
    ("misplaced-splat", "{ ...* }", "...*"),
    ("wrong-type", "{ User(where: age == \"x\") { id } }", "\"x\""),
    ("wrong-type", "{ User(where: age) { id } }", "age"),
    ("wrong-type", "{ User(limit: \"x\") { id } }", "\"x\""),
    ("wrong-type", "{ User(where: status == \"ACTIVE\") { id } }", "\"ACTIVE\""),
    ("number-out-of-range", "{ User(where: age == 9223372036854775808) { id } }", "9223372036854775808"),
    ("malformed-value", "{ User(where: born == \"2026-13-01\") { id } }", "\"2026-13-01\""),
    ("unknown-enum-value", "{ User(where: status == ACTVE) { id } }", "ACTVE"),
    ("incomparable-types", "{ User(where: age == firstName) { id } }", "age == firstName"),
    ("incomparable-types", "{ User(where: address == firstName) { id } }", "address == firstName"),
    ("unordered-type", "{ User(where: tags < tags) { id } }", "tags < tags"),
    ("unordered-type", "{ User(where: boss < boss) { id } }", "boss < boss"),
    ("wrong-operands", "{ User(where: firstName - 1 > 2) { id } }", "firstName - 1"),
    ("plural-path", "{ User(where: messages.text == \"x\") { id } }", "messages.text == \"x\""),
    ("plural-path", "{ User(where: messages) { id } }", "messages"),
    ("ambiguous-name", "{ User(where: status == MINOR) { id } }", "MINOR"),
    ("no-element", "{ User(where: ^.age > 1) { id } }", "^"),
    ("no-element", "{ x := .age }", ".age"),
    ("invalid-pattern", "{ User(where: firstName =~ \"(\") { id } }", ""),
    ("negative-limit", "{ User(limit: -1) { id } }", "-1"),
    ("unknown-function", "{ User { x := lenght(firstName) } }", "lenght"),
    ("not-a-set", "{ User { n: count(age) } }", "age"),
    ("impossible-cast", "{ User { n := tags as Int } }", "tags as Int"),
    ("wrong-filter", "{ User(where: {age: 5}) { id } }", "5"),
    ("unknown-operator", "{ User(where: {age: {gtt: 5}}) { id } }", "gtt"),
    ("wrong-order", "{ User(orderBy: {age: UP}) { id } }", "UP"),
    ("constant-term", "{ User(orderBy: [age, \"-age\"]) { id } }", "\"-age\""),
    ("constant-term", "{ User(orderBy: 3) { id } }", "3"),
    ("constant-term", "{ User(where: \"age\" == \"3\") { id } }", "\"age\" == \"3\""),
    ("null-for-non-null", "query($a: Int! = null) { User(limit: $a) { id } }", ""),
    ("unknown-mutation", "mutation { inserUser(data: {id: \"1\"}) { id } }", "inserUser"),
    ("missing-argument", "mutation { insertUser { id } }", "insertUser"),
    ("unconditional-change", "mutation { deleteUser(where: true) }", "true"),
    ("not-unique", "mutation { upsertUser(data: {id: \"1\"}, on: [age]) }", "[age]"),
    ("misplaced-meta", "{ User { _inserted } }", "_inserted"),
    ("not-recursive", "{ User { messages @recurse { id } } }", "@recurse"),
    ("wrong-depth", "{ User { friends @recurse(depth: 0) { id } } }", "0"),
    ("misplaced-meta", "{ User { _depth } }", "_depth"),
    ("no-cursor", "{ User { c: closure(friends) { _cursor } } }", "_cursor"),
    ("not-a-key", "{ User(groupBy: age) { id } }", "id"),
    ("outside-group", "{ User(having: age > 1) { id } }", "having"),
    ("wrong-group-key", "{ User(groupBy: age + 1) { n: count() } }", "age + 1"),
    ("wrong-grouping", "{ User(groupBy: age, distinctOn: age) { age } }", "distinctOn"),
    ("not-supported-yet", "{ User { x := nfc(firstName) } }", "nfc(firstName)"),
    ("recursive-function", "func f(n: Int): Int = n + f(n) { User { x := f(age) } }", "f"),
    ("reserved-function", "func lower(s: String): String = s { User { x := lower(firstName) } }", "lower"),
  ]

  @Test func everyCodeHasAQuery() {
    var seen: Set<String> = []
    for (code, query, place) in Self.wrong {
      let bound = BindingFixture.bind(query)
      let expected = code == "null-for-non-null" ? "wrong-default" : code
      #expect(bound.diagnostics.map(\.code.rawValue) == [expected], "\(query): \(bound.diagnostics.map(\.message))")
      let source = SourceText(name: "q", text: query)
      if !place.isEmpty { #expect(bound.diagnostics.first.map { source.string($0.range) } == place, "\(query)") }
      #expect(bound.output == nil)
      seen.insert(code)
    }
    #expect(
      BindingFixture.codes("{ User }", options: BindingOptions(dialect: .graphql)) == ["missing-selection"])
    var narrow = BindingOptions()
    narrow.limits.fields = 2
    #expect(BindingFixture.codes("{ User { id age score } }", options: narrow) == ["field-limit"])
    // Shown by the tests of limits and of documents.
    seen.formUnion([
      "missing-selection", "field-limit", "depth-limit", "expansion-limit", "unused-fragment", "unused-variable",
      "unbacked-every", "let-like-field", "element-of-place", "duplicate-definition", "lone-anonymous",
      "unused-function", "computed-cycle", "wrong-computed",
      "empty-text-query",
      // The corpus has them: they want an embedded object with a field that must be there, and a type with a history.
      "missing-value", "misplaced-versions",
      // A text of more than 2³⁰ − 1 bytes.
      "too-large",
    ])
    #expect(seen.isSuperset(of: BindingProblem.codes.map(\.rawValue)))
    #expect(seen.union(["unknown-field"]).isSuperset(of: CoercionProblem.codes.map(\.rawValue)))
  }

  @Test func suggestions() throws {
    func help(_ query: String) -> String? { BindingFixture.bind(query).diagnostics.first?.help }
    #expect(help("{ User(where: agee >= 3) { id } }") == "did you mean 'age'?")
    #expect(help("{ User(where: status == ACTVE) { id } }") == "did you mean 'ACTIVE'?")
    #expect(
      help("{ User(where: messages.text == \"x\") { id } }") == #"did you mean 'some(messages, text == "x")'?"#)
    #expect(help("{ user { id } }") == "give one of: id:, or email:, or write 'User { … }' for the list")
    let ambiguous = try #require(BindingFixture.bind("{ User(where: status == MINOR) { id } }").diagnostics.first)
    #expect(ambiguous.fixIts.flatMap(\.edits).map(\.replacement) == [".MINOR", "Status.MINOR"])
  }

  @Test func severalErrorsInOneRun() {
    #expect(
      BindingFixture.codes("{ Usr { id } User(where: agee > 1 and scroe < 2, limt: 3) { nme } }")
        == ["unknown-field", "unknown-name", "unknown-name", "unknown-argument", "unknown-field"])
  }

  @Test func patternOffsetIsMappedIntoTheLiteral() throws {
    let text = #"{ User(where: firstName =~ "ab(c") { id } }"#
    let diagnostic = try #require(BindingFixture.bind(text).diagnostics.first)
    let start = try #require(text.utf8.firstIndex(of: UInt8(ascii: "\"")))
    let literal = text.utf8.distance(from: text.utf8.startIndex, to: start)
    // PCRE2 notices the missing parenthesis at the pattern's end.
    #expect(Int(diagnostic.range.start) == literal + 1 + 4)
  }
}

@Suite struct BindingNotSupportedYetTests {
  /// A query or a schema that triggers each feature. Later work empties the list.
  static func example(_ feature: NotSupportedYet) -> (query: String?, schema: String?) {
    switch feature {
    case .scalarFunction: ("{ User { x := nfc(firstName) } }", nil)
    case .languageCollation: ("{ User(where: collate(firstName, \"sv\") == \"a\") { id } }", nil)
    }
  }

  @Test(arguments: NotSupportedYet.allCases) func everyFeatureSaysSo(_ feature: NotSupportedYet) {
    let (query, schema) = Self.example(feature)
    let diagnostics: [Diagnostic]
    if let query {
      diagnostics = BindingFixture.bind(query).diagnostics
    } else {
      diagnostics = SchemaBuildingTests.build(schema ?? "").diagnostics
    }
    let found = diagnostics.filter { $0.code == NotSupportedYet.code }
    #expect(found.map(\.message) == [feature.message], "\(diagnostics.map(\.message))")
    #expect(found.allSatisfy { !$0.range.isEmpty })
  }
}
