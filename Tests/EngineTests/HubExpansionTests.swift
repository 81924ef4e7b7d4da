import GQLite
import Testing

/// A batch of parents may have a thousand times one long list: that is not held at once where the list is only computed
/// with, and refused before it is made where it is asked for.
@Suite struct HubExpansionTests {
  /// 3,000 entities, each with the first as its boss: n is 0 ..< 3,000, whose sum is 4,498,500.
  private static let database: Database? = try? {
    let database = try Database(
      schema: "type U { id: ID! n: Int! @index boss: U @relation(inverse: \"subs\") subs: [U!]! }")
    let rows = (0..<3000).map { "{\"id\":\($0),\"n\":\($0),\"boss\":0}" }
    try database.load([.lines("U", rows.joined(separator: "\n"))])
    return database
  }()

  private static func limits(visitedRows: Int) -> QueryLimits {
    var limits = QueryLimits.standard
    limits.visitedRows = visitedRows
    return limits
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var query: String
    var answer: String
    var testDescription: String { query }
  }

  /// The lists of a batch together are 3 million rows, 12 MB.
  @Test(arguments: [
    Case(query: "{ x: count(U(where: sum(boss.subs, n) == 4498500)) }", answer: #"{"x":3000}"#),
    Case(query: "{ x: count(U(where: sum(boss.subs, n + 0 * ^.n) == 4498500)) }", answer: #"{"x":3000}"#),
    // A sum of at most 5 has 6 first parts.
    Case(query: "{ x: count(U(where: some(boss.subs, n + ^.n == 5))) }", answer: #"{"x":6}"#),
    Case(query: "{ x: count(U(where: every(boss.subs, n + ^.n >= 5))) }", answer: #"{"x":2995}"#),
    Case(query: "{ x: count(U(where: sum(U, n + ^.n) == 4498500)) }", answer: #"{"x":1}"#),
    Case(query: "{ x: count(U(where: max(boss.subs(where: n < 10), n + ^.n) == 3008)) }", answer: #"{"x":1}"#),
    Case(query: "{ U(limit: 2000, offset: 1999) { boss { x := max(subs.n) } } }", answer: ""),
  ]) func isComputedInParts(_ example: Case) throws {
    let database = try #require(Self.database)
    let answer = try database.query(example.query, options: RunOptions(maximumMemory: 9_000_000)).jsonString
    let expected =
      example.answer.isEmpty
      ? #"{"U":["# + Array(repeating: #"{"boss":{"x":2999}}"#, count: 1001).joined(separator: ",") + "]}"
      : example.answer
    #expect(answer == expected)
  }

  @Test("what hangs on nothing around it is computed once a batch") func isComputedOnce() throws {
    let database = try #require(Self.database)
    let options = RunOptions(limits: Self.limits(visitedRows: 20_000))
    let answer = try database.query("{ U(limit: 2000, offset: 1999) { x := sum(U, n) } }", options: options).jsonString
    #expect(
      answer == #"{"U":["# + Array(repeating: #"{"x":4498500}"#, count: 1001).joined(separator: ",") + "]}")
  }

  @Test(arguments: [
    "{ U(limit: 2000) { boss { subs { id } } } }",
    "{ U(limit: 2000) { boss { subs(orderBy: -n) { id } } } }",
    "{ U(limit: 2000) { boss { subs(groupBy: {p: n % 2}) { p n: count() } } } }",
    "{ U(limit: 2000) { boss { subs(where: n + ^.n > 3) { id } } } }",
    "{ U(limit: 2000) { x := 1 others: boss { all := collect(U, n + ^.n) } } }",
  ]) func isRefusedWhereItIsTooMuch(_ text: String) throws {
    let database = try #require(Self.database)
    for (options, code) in [
      (RunOptions(maximumMemory: 4_000_000), "memory"),
      (RunOptions(limits: Self.limits(visitedRows: 1_000_000)), "limit-exceeded"),
    ] {
      var found: String?
      do { _ = try database.query(text, options: options) } catch { found = error.problems.first?.code }
      #expect(found == code)
    }
  }
}
