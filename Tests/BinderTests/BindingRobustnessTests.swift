import GQLBase
import GQLCatalog
import GQLParser
import Testing
@testable import GQLBinder

/// Whatever a document says, binding ends with a query or a diagnostic.
@Suite struct BindingRobustnessTests {
  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  static let queries = BindingProblemTests.wrong.map(\.query) + right
  static let right =
    [
      "{ User(where: age >= 18 and status == ACTIVE and email in [\"a\", lastName], orderBy: [-age, boss.age]) { id ...* } }",
      "{ User { n: count(chats.messages.author) s: sum(messages, likes * 2) m: max(messages.likes) boss { ...F(n: 3) } } } fragment F($n: Int) on User { x := age + $n }",
      "query($f: UserFilter, $n: Int, $l: [ID!]) { User(where: $f and id in $l, limit: $n) { let a := age + 1 b := a ?? $n } }",
      "{ User(where: {or: [{age: {gt: 1}}, {chats: {some: {title: {in: [\"x\"]}}}}], not: {boss: {age: {lt: 3}}}}) { address { city } } }",
      "{ User(where: some(chats, every(messages, author == ^^ and likes in 1..5))) { data := data.a[0] tags[1] } }",
    ]

  @Test func mutatedQueriesEnd() {
    var generator = Generator(state: 20_250_920)
    let catalog = BindingFixture.catalog
    let pieces = Self.queries.flatMap { $0.split(separator: " ").map(String.init) }
    var bound = 0
    for round in 0..<3_000 {
      let source = round.isMultiple(of: 2) ? Self.queries : Self.right
      guard let base = source.randomElement(using: &generator) else { return }
      var words = base.split(separator: " ").map(String.init)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: 0..<words.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: words.remove(at: index)
        case 1: words.insert(pieces.randomElement(using: &generator) ?? "", at: index)
        case 2: words[index] = pieces.randomElement(using: &generator) ?? ""
        default: words.swapAt(index, Int.random(in: 0..<words.count, using: &generator))
        }
        if words.isEmpty { break }
      }
      let text = words.joined(separator: " ")
      let document = parse(SourceText(name: "q", text: text))
      let checked = checkDocument(document.output, catalog: catalog)
      for diagnostic in checked.diagnostics {
        #expect(
          Int(diagnostic.range.end) <= text.utf8.count && diagnostic.range.start <= diagnostic.range.end, "\(text)")
      }
      if !document.hasErrors, !checked.hasErrors { bound += 1 }
      for query in checked.output {
        for set in query.sets {
          if case .step(let inner, _) = set.source { #expect(inner.index < query.sets.count, "\(round) \(text)") }
        }
      }
    }
    #expect(bound > 10)
  }

  @Test func mutatedSchemasEnd() {
    var generator = Generator(state: 7)
    let pieces = SchemaBuildingTests.wrong.flatMap { $0.sdl.split(separator: " ").map(String.init) }
    for _ in 0..<2_000 {
      var words = BindingFixture.sdl.split(whereSeparator: \.isWhitespace).map(String.init)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<words.count, using: &generator)
        words[index] = pieces.randomElement(using: &generator) ?? ""
      }
      let document = parse(SourceText(name: "s", text: words.joined(separator: " ")))
      let built = buildCatalog(document.output)
      // What is left of a wrong schema is a catalog that holds together.
      let catalog = built.output
      for relation in catalog.relations {
        #expect(catalog[relation.inverse].inverse == relation.id)
        #expect(catalog[relation.inverse].source == relation.target)
      }
      for type in catalog.types {
        #expect(type.kind != .entity || type.indexes.first == type.primaryIndex)
        for index in type.indexes { #expect(catalog[index].columns.allSatisfy { Int($0.index) < type.columns.count }) }
      }
      if !document.hasErrors, !built.hasErrors {
        let again = buildCatalog(parse(SourceText(name: "s", text: printSchema(catalog))).output)
        #expect(again.output == catalog)
      }
    }
  }
}
