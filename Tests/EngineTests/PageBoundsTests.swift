import GQLCatalog
import GQLEngine
import GQLite
import Testing

/// Scans of pages whose bounds decide about all of their rows, against the same conditions in Swift.
@Suite struct PageBoundsTests {
  private struct Row {
    var id: Int
    /// Ascends with the rows.
    var at: Int
    /// Null in stretches of rows.
    var stretch: Int?
    var name: String
  }

  private static func rows(_ count: Int) -> [Row] {
    (0..<count).map { id in
      Row(
        id: id, at: id / 3, stretch: id / 700 % 5 == 2 ? nil : id / 1500, name: id % 11 == 0 ? "x" : "y")
    }
  }

  private static func database(_ rows: [Row]) throws -> Database {
    let database = try Database(schema: "type T { id: ID! at: Int! stretch: Int name: String! }")
    let lines = rows.map { row in
      "{\"id\":\(row.id),\"at\":\(row.at),\"stretch\":\(row.stretch.map { "\($0)" } ?? "null"),\"name\":\"\(row.name)\"}"
    }
    try database.load([
      .ndjson(type: "T", bytes: Array(lines.joined(separator: "\n").utf8), name: "t.ndjson")
    ])
    return database
  }

  private static func ids(_ rows: some Sequence<Row>) -> String {
    "{\"T\":[" + rows.map { "{\"id\":\($0.id)}" }.joined(separator: ",") + "]}"
  }

  /// Pages have their bounds from the second scan on, so each query runs three times.
  @Test func boundsAndOtherConditions() throws {
    let rows = Self.rows(9_000)
    let database = try Self.database(rows)
    let cases: [(String, (Row) -> Bool)] = [
      ("name == \"x\" and at >= 2500", { $0.name == "x" && $0.at >= 2500 }),
      ("at > 300 and at <= 420 and name == \"x\"", { $0.at > 300 && $0.at <= 420 && $0.name == "x" }),
      ("stretch == 3 and name != \"x\"", { $0.stretch == 3 && $0.name != "x" }),
      ("stretch in 1..2 and at < 900", { $0.stretch.map { (1...2).contains($0) } ?? false && $0.at < 900 }),
      ("at == 1000 or name == \"z\"", { $0.at == 1000 }),
      ("not (at < 2700) and stretch > 1", { $0.at >= 2700 && $0.stretch.map { $0 > 1 } ?? false }),
      ("at > 5000 and name == \"x\"", { _ in false }),
    ]
    for (condition, holds) in cases {
      let expected = rows.filter(holds)
      for _ in 0..<3 {
        #expect(
          try database.query("{ T(where: \(condition)) { id } }").jsonString == Self.ids(expected), "\(condition)")
        let count = try database.query("{ n: count(T(where: \(condition))) }").jsonString
        #expect(count == "{\"n\":\(expected.count)}", "\(condition)")
        let first = try database.query("{ T(where: \(condition), limit: 3) { id } }").jsonString
        #expect(first == Self.ids(expected.prefix(3)), "\(condition)")
      }
    }
  }

  /// A row in front of a page that is passed over still raises its error, and none after an excluded page does.
  @Test func errorsBeforeBounds() throws {
    let database = try Self.database(Self.rows(5_000))
    for _ in 0..<3 {
      #expect(throws: QueryError.self) {
        try database.query("{ T(where: 10 / (id == 7 ? 0 : 1) > 1 and at > 1600) { id } }")
      }
    }
  }

  /// A missing value is unequal to every other; two pages have nothing else.
  @Test func pagesOfNulls() throws {
    let database = try Database(schema: "type N { id: ID! z: Int e: Int! }")
    let lines = (0..<8192).map { "{\"id\":\($0),\"z\":\((2048..<4096).contains($0) ? "null" : "1"),\"e\":\($0 % 2)}" }
    try database.load([.ndjson(type: "N", bytes: Array(lines.joined(separator: "\n").utf8), name: "n.ndjson")])
    for _ in 0..<3 {
      #expect(try database.query("{ n: count(N(where: z != 0 and e == 1)) }").jsonString == "{\"n\":4096}")
      #expect(try database.query("{ n: count(N(where: not (z == 0) and e == 1)) }").jsonString == "{\"n\":4096}")
      #expect(try database.query("{ n: count(N(where: z != 1 and e == 1)) }").jsonString == "{\"n\":1024}")
      #expect(try database.query("{ n: count(N(where: z == 0 and e == 1)) }").jsonString == "{\"n\":0}")
      #expect(try database.query("{ n: count(N(where: z <= 0 and e == 1)) }").jsonString == "{\"n\":0}")
      #expect(try database.query("{ n: count(N(where: z == null and e == 1)) }").jsonString == "{\"n\":1024}")
    }
  }

  /// Random conjunctions over columns whose pages differ: ascending, of one value, of nulls, of the greatest and the
  /// least number. As the language has it, a missing value is unequal to all others and neither less nor greater.
  @Test(arguments: 1...6 as ClosedRange<UInt64>) func randomConditions(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let columns = ["a", "b", "c", "d"]
    let rows: [[Int?]] = (0..<5_000).map { id in
      let page = id / 1024
      return [
        id, page % 2 == 0 ? nil : page, id % 7 == 0 ? nil : random.below(20) - 10,
        page == 2 ? .max : page == 3 ? .min : 0,
      ]
    }
    let database = try Database(schema: "type T { id: ID! a: Int b: Int c: Int d: Int }")
    let lines = rows.enumerated().map { id, values in
      let fields = zip(columns, values).map { "\"\($0)\":\($1.map { "\($0)" } ?? "null")" }
      return "{\"id\":\(id),\(fields.joined(separator: ","))}"
    }
    try database.load([.ndjson(type: "T", bytes: Array(lines.joined(separator: "\n").utf8), name: "t.ndjson")])
    for _ in 0..<60 {
      let tests = (0..<2 + random.below(3)).map { _ in
        (
          column: random.below(4), comparison: random.pick(["==", "!=", "<", "<=", ">", ">="]),
          value: random.pick([0, 1, 3, -4, 2048, 3071, 4999, Int.max, Int.min, random.below(5_000)])
        )
      }
      func holds(_ value: Int?, _ comparison: String, _ other: Int) -> Bool {
        guard let value else { return comparison == "!=" }
        return switch comparison {
        case "==": value == other
        case "!=": value != other
        case "<": value < other
        case "<=": value <= other
        case ">": value > other
        default: value >= other
        }
      }
      let expected = rows.indices.filter { id in
        tests.allSatisfy { holds(rows[id][$0.column], $0.comparison, $0.value) }
      }
      let condition = tests.map { "\(columns[$0.column]) \($0.comparison) \($0.value)" }.joined(separator: " and ")
      let list = "{\"T\":[" + expected.prefix(40).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]}"
      // Pages have their bounds from the second scan on.
      for _ in 0..<3 {
        #expect(
          try database.query("{ n: count(T(where: \(condition))) }").jsonString == "{\"n\":\(expected.count)}",
          "\(condition)")
        #expect(
          try database.query("{ T(where: \(condition), limit: 40) { id } }").jsonString == list, "\(condition)")
      }
    }
  }

  @Test func changedPages() throws {
    let database = try Self.database(Self.rows(4_000))
    let query = "{ T(where: at > 100000 and name == \"y\") { id } }"
    for _ in 0..<3 { #expect(try database.query(query).jsonString == "{\"T\":[]}") }
    _ = try database.query("mutation { updateT(where: id == 1500, set: {at: 100001}) { id } }")
    for _ in 0..<3 { #expect(try database.query(query).jsonString == "{\"T\":[{\"id\":1500}]}") }
  }

  /// Plans are priced by whether rows that stand by a column's values stand as they were inserted.
  @Test func ascendingColumnsAreKnown() throws {
    let snapshot = try Self.database(Self.rows(9_000)).latest()
    let type = try #require(snapshot.catalog.type(named: "T"))
    func ascends(_ name: String) throws -> Bool {
      guard case .column(let column, _)? = type.property(named: name)?.storage else { return false }
      return snapshot.ascends(type.id, column)
    }
    #expect(try ascends("at"))
    #expect(try !ascends("stretch"))
    #expect(try !ascends("name"))
    // Of few rows nothing is said.
    let few = try Self.database(Self.rows(20)).latest()
    #expect(!few.ascends(type.id, ColumnID(1)))
  }
}
