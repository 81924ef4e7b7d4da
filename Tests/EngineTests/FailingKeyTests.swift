import GQLPlanner
import GQLite
import Testing

/// A condition on what encloses a set may fail. An index or a table is asked for its key before the set is looked at, a
/// scan evaluates it for the members that there are: both must answer alike, or fail alike.
@Suite struct FailingKeyTests {
  private static let database: Database? = try? {
    let database = try Database(
      schema: """
        type A { id: ID! n: Int t: String bs: [B!]! }
        type B {
          id: ID! n: Int @index h: Int @index(kind: HASH) m: Int k: Int! t: String @index u: Int @unique
        }
        type C { id: ID! n: Int @index h: Int m: Int k: Int t: String u: Int @unique }
        """)
    // Among them what nothing can be added to, and what no number is in.
    let numbers = ["1", "2", "9223372036854775807", "3", "null", "-9223372036854775808", "5", "2", "7", "4"]
    let texts = ["\"1\"", "\"x\"", "\"2\"", "null", "\"9223372036854775807\""]
    var a = ""
    var b = ""
    for id in 0..<40 {
      let number = numbers[id % 10]
      let text = texts[id % 5]
      a += "{\"id\":\(id),\"n\":\(number),\"t\":\(text),\"bs\":[\(id),\((id + 7) % 40)]}\n"
      b +=
        "{\"id\":\(id),\"n\":\(number),\"h\":\(number),\"m\":\(number),\"k\":\(id % 4),\"t\":\(text),\"u\":\(id)}\n"
    }
    try database.load([.lines("A", a), .lines("B", b)])
    return database
  }()

  private static let keys = [
    "^.n + 1", "^.n * 2", "-^.n", "int(^.t)", "((10 / int(^.t)) as Int)", "div(6, ^.n - 1)", "^.n % ($zero + 2)",
    "$zero + 1", "div(1, $zero)",
  ]
  private static let conditions = [
    "n == KEY", "h == KEY", "m == KEY", "u == KEY", "KEY == m", "n > KEY", "n in KEY..5", "n in [1, KEY]",
    "h in [KEY, 2]",
    "k == 9 and n == KEY", "k == 9 and m == KEY", "k == 1 and h == KEY", "k == 1 and m == KEY", "k == 1 and n > KEY",
    "m == KEY and k == 2", "n == KEY and 6 / (k - 1) > 2", "6 / (k - 1) > 2 and n == KEY", "m == KEY or k == 1",
    "t startsWith string(KEY)", "n == KEY and m == ^.n", "m == ^.n and n == KEY", "try(n == KEY)", "id == string(KEY)",
  ]
  private static let shapes = [
    "", ", limit: 0", ", limit: 2", ", orderBy: -k", ", orderBy: n, limit: 3", ", orderBy: [n, id], offset: 1",
    ", distinctOn: k",
  ]
  private static let outer = [
    "A", "A(where: n != 9223372036854775807 and n != null and n > 0)", "A(where: t == \"1\")",
    "A(where: t == \"nobody\")",
  ]

  private static let planners = (0..<3).map { PlannerOptions(forcing: .alternative($0)) }

  private func outcome(_ query: PreparedQuery, _ planner: PlannerOptions? = nil) -> String {
    do {
      guard let planner else { return try query.run(["zero": 0]).jsonString }
      return try query.run(["zero": 0], planner: planner).jsonString
    } catch {
      return error.description
    }
  }

  @Test("as a scan, or the error of a scan", arguments: keys) func alike(_ key: String) throws {
    let database = try #require(Self.database)
    var (answers, errors) = (0, 0)
    for (number, condition) in Self.conditions.enumerated() {
      for (place, shape) in Self.shapes.enumerated() {
        let outer = Self.outer[(number + place) % Self.outer.count]
        let list = "B(where: \(condition.replacing("KEY", with: key))\(shape))"
        let empty = "C(where: \(condition.replacing("KEY", with: key))\(shape))"
        let calls = place == 0 ? "c := count(\(list)) x := exists(\(list)) y := try(count(\(list)))" : ""
        let text = "query ($zero: Int!) { \(outer) { id \(calls) l := \(list) { id } } }"
        let query = try database.prepare(text)
        let scan = outcome(query, PlannerOptions(forcing: .scanOnly))
        #expect(outcome(query) == scan, "\(text)")
        for planner in Self.planners { #expect(outcome(query, planner) == scan, "\(text)") }
        if scan.hasPrefix("{") { answers += 1 } else { errors += 1 }
        // There is nobody to fail for.
        _ = try database.query("query ($zero: Int!) { \(outer) { l := \(empty) { id } } }", ["zero": 0])
      }
    }
    #expect(answers > 20)
    #expect(errors > 0)
  }
}
