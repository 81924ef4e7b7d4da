import GQLite
import Testing

/// Plans where one column follows another: what a sample shows of conditions and orders.
@Suite struct CorrelationTests {
  /// 20,000 entities whose prices are spread evenly over them, and whose kinds follow the price.
  private static func database() throws -> Database {
    let database = try Database(
      schema: "type Item { id: ID! price: Int! @index kind: String! @index(kind: HASH) shade: String! }")
    let lines = (0..<20_000).map { id in
      let price = (id &* 2_654_435_761) >> 9 % 1000
      return "{\"id\":\(id),\"price\":\(price),\"kind\":\"k\(price / 50)\",\"shade\":\"s\(price % 20)\"}"
    }
    try database.load([
      .ndjson(type: "Item", bytes: Array(lines.joined(separator: "\n").utf8), name: "items.ndjson")
    ])
    return database
  }

  private func plan(_ query: String, _ database: Database) throws -> String {
    try database.prepare(query).explain(costs: false)
  }

  /// The dearest kind stands at the end of a walk by price, and the cheapest at its beginning.
  @Test func walksThatFindLate() throws {
    let database = try Self.database()
    let late = try plan("{ Item(where: kind == \"k19\", orderBy: price, limit: 10) { id } }", database)
    #expect(late.contains("access   Hash Item.kind"), "\(late)")
    let early = try plan("{ Item(where: kind == \"k0\", orderBy: price, limit: 10) { id } }", database)
    #expect(early.contains("access   BTreeWalk Item.price"), "\(early)")
    let backwards = try plan("{ Item(where: kind == \"k19\", orderBy: -price, limit: 10) { id } }", database)
    #expect(backwards.contains("access   BTreeWalk Item.price"), "\(backwards)")
  }

  /// What is spread evenly is found early by a walk.
  @Test func walksOfWhatIsSpread() throws {
    let plan = try plan("{ Item(where: shade == \"s7\", orderBy: price, limit: 10) { id } }", Self.database())
    #expect(plan.contains("access   BTreeWalk Item.price"), "\(plan)")
  }

  /// Conditions that hold together only, or never, are not taken to be independent.
  @Test func conditionsTogether() throws {
    let database = try Self.database()
    func estimate(_ condition: String) throws -> Int {
      let text = try database.prepare("{ Item(where: \(condition)) { id } }").explain()
      let number = text.split(separator: "≈").dropFirst().first?.prefix { $0.isNumber }
      return Int(number ?? "") ?? -1
    }
    // 1,000 rows have the kind, and all of them the price.
    #expect(try estimate("kind == \"k4\" and price < 250") > 500)
    // None has both: fewer than the 250 that independent conditions would leave.
    #expect(try estimate("kind == \"k4\" and price >= 750") < 100)
  }
}
