import GQLBase
import GQLBinder
import GQLCatalog
import GQLParser
import GQLPlanner
import GQLQuery
import Testing

/// When a trigram index is taken, with figures instead of data: 1,000,000 messages.
@Suite struct OptimizerTrigramTests {
  private struct Figures: Statistics {
    /// Rows that each trigram query is said to find.
    var offered: Int?
    var byLikes = 10

    func rowCount(_ type: EntityTypeID) -> Int { 1_000_000 }
    func distinctCount(_ type: EntityTypeID, _ column: ColumnID) -> Double? { nil }
    func nullCount(_ type: EntityTypeID, _ column: ColumnID) -> Int { 0 }
    func fanOut(_ relation: RelationID) -> FanOut { FanOut(mean: 1, maximum: 1, nonEmpty: 1) }
    func cardinality(_ index: IndexID, _ range: KeyRange) -> Int? { byLikes }
    func trigramCount(_ index: IndexID, _ column: ColumnID, _ query: CandidateQuery) -> Int? { offered }
    var generation: UInt64 { 1 }
  }

  private static let schema = """
    type Message @trigram(fields: ["text", "title"]) {
      id: ID! text: String title: String @index other: String ci: String @collate(CI) @trigram likes: Int @index
    }
    """

  private func plan(
    _ condition: String, _ figures: Figures = Figures(offered: 100), values: [Value?]? = nil
  ) throws -> PhysicalPlan {
    let catalog = buildCatalog(parse(SourceText(name: "s", text: Self.schema)).output).output
    let text = """
      query($p: String, $q: String!) {
        Message(where: \(condition)) { id }
        x: Message(where: text == $p and text == $q, limit: 0) { id }
      }
      """
    let document = parse(SourceText(name: "q", text: text)).output
    let operation = try #require(operations(of: document).first)
    let bound = bind(document, operation: operation, catalog: catalog)
    let query = try #require(bound.output, "\(bound.diagnostics)")
    let plan = optimize(query, catalog: catalog, statistics: figures, parameters: values)
    PlanValidator.check(plan.output, catalog: catalog)
    return plan.output
  }

  private func usesTrigrams(_ path: AccessPath) -> Bool {
    switch path {
    case .trigramCandidates: true
    case .intersection(let paths), .union(let paths): paths.contains(where: usesTrigrams)
    default: false
    }
  }

  @Test(arguments: [
    "text contains \"abc\"", "text startsWith \"abc\"", "text endsWith \"日本語\"", "text like \"a%bcd%\"",
    "text ilike \"%ABC%\"", "text =~ \"ab+cd(e|f)\"", "text =~ \"(?i)abc\"", "title contains \"abc\"",
    "ci contains \"abc\"",
    "collate(text, CI) contains \"ABC\"", "text contains \"ß1\"", "text contains $p", "text =~ $q",
    "text contains \"abc\" and other contains \"abc\"", "text contains \"abc\" or title =~ \"abc\"",
    "text contains \"abc\" or likes == 3", "text contains (\"ab\" + $q)",
  ])
  func taken(_ condition: String) throws {
    let plan = try plan(condition)
    #expect(usesTrigrams(plan.sets[0].access), "\(plan.sets[0].access)")
    // Rows that an index offers are tested.
    #expect(plan.sets[0].filter != nil)
  }

  @Test(arguments: [
    "text contains \"ab\"", "text like \"a_b%\"", "text =~ \"a.*\"", "text =~ \"abc|d\"", "text !~ \"abc\"",
    "not (text contains \"abc\")", "other contains \"abc\"", "text == \"abc\"", "lower(text) contains \"abc\"",
    "text contains other", "text contains \"abc\" or other contains \"abc\"",
  ])
  func notTaken(_ condition: String) throws {
    #expect(!usesTrigrams(try plan(condition).sets[0].access))
  }

  @Test func mostOfAllRowsAreScanned() throws {
    #expect(try plan("text contains \"the\"", Figures(offered: 950_000)).sets[0].access == .scan)
    #expect(usesTrigrams(try plan("text contains \"the\"", Figures(offered: 20_000)).sets[0].access))
  }

  @Test func theMoreSelectiveIndexIsTaken() throws {
    let few = try plan("text contains \"abc\" and likes == 3", Figures(offered: 50_000, byLikes: 10))
    #expect(!usesTrigrams(few.sets[0].access))
    let many = try plan("text contains \"abc\" and likes == 3", Figures(offered: 10, byLikes: 300_000))
    #expect(usesTrigrams(many.sets[0].access))
    let prefix = try plan("title startsWith \"abc\"", Figures(offered: 200, byLikes: 5))
    #expect(!usesTrigrams(prefix.sets[0].access))
  }

  @Test func valuesDecide() throws {
    #expect(usesTrigrams(try plan("text contains $p", values: [.string("abc"), .string("")]).sets[0].access))
    #expect(try plan("text contains $p", values: [.string("ab"), .string("")]).sets[0].access == .scan)
    let plan = try plan("text contains $p")
    #expect(plan.isParameterSensitive)
    let known = accessEstimates(plan, parameters: [.string("abc"), .string("")], statistics: Figures(offered: 7))
    let short = accessEstimates(plan, parameters: [.string("ab"), .string("")], statistics: Figures(offered: 7))
    #expect(known.contains(7) && short.contains(.infinity))
  }
}
