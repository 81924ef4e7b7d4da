import GQLBase
import GQLCatalog
import GQLPlanner
import GQLQuery
import Testing

private typealias User = ChatFixture.User
private typealias Message = ChatFixture.Message

@Suite struct ExplainTests {
  /// `{ User(where: age >= 99 and status == ACTIVE, orderBy: -age, limit: 10) { messages(where: likes > 2) { id } } }`
  private var nested: BoundQuery {
    var bound = query(
      collection(
        ChatFixture.user,
        where: all(
          compare(user(User.age), .greaterOrEqual, int(99)), compare(user(User.status), .equal, status(0))),
        orderBy: [descending(user(User.age))], limit: int(10)),
      messages(where: compare(message(Message.likes), .greater, int(2))))
    bound.selections.append(BoundSelection(set: SetID(1), shape: .value(message(Message.id))))
    bound.selections[0].shape = .object([BoundField(key: "messages", content: .many(SelectionID(1)), range: nowhere)])
    return bound
  }

  @Test func stableForm() {
    let fixture = ChatFixture()
    let text = explain(plan(nested, fixture), catalog: fixture.catalog, options: ExplainOptions(costs: false))
    let lines = text.split(separator: "\n").map(String.init)
    #expect(
      lines.prefix(6).joined(separator: "\n") == """
        User
        ├ access   BTreeRange User.age [99, ∞)  descending
        ├ filter   status == ACTIVE
        ├ order    from index, stop after 10
        └ messages batched to-many User.messages → Message
          └ filter   likes > 2
        """)
    #expect(lines.count == 7 && lines[6].hasPrefix("dropped: ") && lines[6].contains("FullScan"))
    // Nothing that follows the data, but the query's own numbers.
    for mark in ["≈", "est", "cost"] { #expect(!text.contains(mark)) }
  }

  @Test func figures() {
    let fixture = ChatFixture()
    var actuals = [SetActuals](repeating: SetActuals(), count: 2)
    actuals[0].lists = OperatorActuals(loops: 1, rows: 10, nanoseconds: 12_340)
    actuals[0].access = OperatorActuals(rows: 40)
    actuals[0].filter = OperatorActuals(rows: 10, nanoseconds: 2_000)
    actuals[0].filtered = 40
    actuals[1].counts = OperatorActuals(loops: 10, rows: 25, nanoseconds: 700)
    actuals[1].tests = OperatorActuals(loops: 3, rows: 2, nanoseconds: 50)
    let text = explain(plan(nested, fixture), catalog: fixture.catalog, options: ExplainOptions(analyzed: actuals))
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("User  ≈10 rows  cost "))
    #expect(lines[0].hasSuffix("   actual 40 → 10 rows  12 µs"))
    // The access has the time that the filter leaves.
    #expect(lines[1] == "├ access   BTreeRange User.age [99, ∞)  descending   est 17   actual 40 rows  10 µs")
    #expect(lines[2].hasSuffix("   actual 40 → 10 rows  2 µs"))
    #expect(lines[4].hasSuffix("   actual counted 25 in 10 sets  700 ns · found in 2 of 3 sets  50 ns"))
    #expect(lines[6].contains("FullScan (cost "))
  }

  @Test func samePlanSameText() {
    let fixture = ChatFixture()
    let first = explain(plan(nested, fixture), catalog: fixture.catalog)
    for _ in 0..<5 { #expect(explain(plan(nested, fixture), catalog: fixture.catalog) == first) }
  }

  @Test func validatorNamesWhatIsWrong() {
    let fixture = ChatFixture()
    var plan = plan(nested, fixture)
    plan.sets[0].access = .scan
    let problems = PlanValidator.problems(plan, catalog: fixture.catalog)
    #expect(
      problems == [
        "set 0 takes its order from an access that has another", "set 0 tests 1 of 2 conditions",
      ])
    plan.sets[0].access = .rowSet(7)
    #expect(PlanValidator.problems(plan, catalog: fixture.catalog) == ["set 0 reads a row set that does not exist"])
  }
}

@Suite struct CostTests {
  @Test func comparisonIsTolerant() {
    #expect(Cost(1).isClearlyLess(than: Cost(2)))
    #expect(!Cost(1).isClearlyLess(than: Cost(1 + 1e-12)))
    #expect(!Cost(2).isClearlyLess(than: Cost(1)))
  }

  @Test func emptyStoreHasAPlan() {
    var fixture = ChatFixture()
    fixture.statistics.rows = [:]
    fixture.statistics.shares = [:]
    let set = collection(
      ChatFixture.user, where: compare(user(User.age), .greater, int(3)), orderBy: [ascending(user(User.age))],
      limit: int(3))
    #expect(PlanValidator.problems(plan(query(set), fixture), catalog: fixture.catalog).isEmpty)
  }

  private struct HalfSampler: SelectivitySampler {
    func selectivity(of predicate: BoundExpression, type: EntityTypeID, parameters: [Value?]) -> Double? { 0.00001 }
  }

  @Test func samplerDecides() {
    // Guessed, every third user passes, and the index's order ends early; sampled, hardly any does.
    let fixture = ChatFixture()
    let set = collection(
      ChatFixture.user, where: compare(user(User.balance), .greater, int(3)), orderBy: [ascending(user(User.age))],
      limit: int(10))
    let guessed = optimize(query(set), catalog: fixture.catalog, statistics: fixture.statistics).output
    #expect(guessed.sets[0].order == .fromAccess(descending: false))
    let sampled = optimize(
      query(set), catalog: fixture.catalog, statistics: fixture.statistics, sampler: HalfSampler()
    ).output
    #expect(sampled.sets[0].order == .topN)
  }

  @Test func limitDecides() {
    var fixture = ChatFixture()
    fixture.statistics.shares[ChatFixture.Index.status] = { _ in 5_000 }
    let changed = fixture
    func order(_ limit: Int64) -> OrderMethod {
      let set = collection(
        ChatFixture.user, where: compare(user(User.status), .equal, status(0)),
        orderBy: [ascending(user(User.age))], limit: int(limit))
      return plan(query(set), changed).sets[0].order
    }
    #expect(order(2) == .fromAccess(descending: false))
    #expect(order(1_000) == .topN)
  }

  @Test func boundsAreHard() {
    func bounds(_ set: BoundSet) -> RowBounds {
      let fixture = ChatFixture()
      return plan(query(set), fixture).rowBounds(of: SetID(0), catalog: fixture.catalog)
    }
    #expect(bounds(collection(ChatFixture.user)) == RowBounds())
    #expect(bounds(collection(ChatFixture.user, limit: int(7))) == RowBounds(upper: 7))
    #expect(
      bounds(collection(ChatFixture.user, where: compare(user(User.email), .equal, text("a")), limit: int(7)))
        == RowBounds(upper: 1))
    #expect(bounds(collection(ChatFixture.user, where: compare(int(1), .equal, int(2)))) == RowBounds(upper: 0))
  }
}
