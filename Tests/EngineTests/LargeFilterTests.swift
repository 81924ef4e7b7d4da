import GQLite
import TestClocks
import Testing

/// Filters of hundreds of thousands of values in a variable: they are bound and planned about as quickly as they are
/// read, and a time-out is honoured on the way.
@Suite struct LargeFilterTests {
  private static let database: Database? = try? {
    let database = try Database(
      schema:
        "type N { id: ID! n: Int! @index m: Int! text: String @collate(CI) level: Level j: JSON } enum Level { A B }")
    var lines = ""
    for id in 0..<50 {
      lines +=
        "{\"id\":\(id),\"n\":\(id),\"m\":\(id),\"text\":\"T\(id)\",\"level\":\"\(id % 2 == 0 ? "A" : "B")\",\"j\":\(id)}\n"
    }
    try database.load([.lines("N", lines)])
    return database
  }()

  private static func list(_ count: Int, _ element: (Int) -> Value) -> Value { .list((0..<count).map(element)) }

  private static func filter(_ field: String, _ values: Value) -> Value {
    .object([.init(field, .object([.init("in", values)]))])
  }

  private func count(_ filter: Value, _ options: RunOptions = RunOptions()) throws -> String {
    let database = try #require(Self.database)
    return try database.query("query($w: NFilter) { c: count(N(where: $w)) }", ["w": filter], options: options)
      .jsonString
  }

  /// Every third value up to 300 and nothing else below 50: 17 of 0, 3, … 48.
  @Test("many values are those of few, for columns of all kinds") func sameAnswers() throws {
    let texts = Self.list(100) { .string("t\($0 * 3)") }
    let ids = Self.list(100) { $0 % 2 == 0 ? .int(Int64($0 * 3)) : .string("\($0 * 3)") }
    let numbers = Self.list(100) { .int(Int64($0 * 3)) }
    #expect(try count(Self.filter("text", texts)) == #"{"c":17}"#)
    #expect(try count(Self.filter("id", ids)) == #"{"c":17}"#)
    #expect(try count(Self.filter("n", numbers)) == #"{"c":17}"#)
    #expect(try count(Self.filter("m", numbers)) == #"{"c":17}"#)
    #expect(try count(Self.filter("j", numbers)) == #"{"c":17}"#)
    // 2.5 is no Int, 6.0 is one: what does not fit is looked at one by one.
    let mixed = Self.list(100) { $0 == 1 ? .double(2.5) : $0 == 2 ? .number("6.0") : .int(Int64($0 * 3)) }
    #expect(try count(Self.filter("m", mixed)) == #"{"c":16}"#)
    let withNull = Self.list(100) { $0 == 1 ? .null : .int(Int64($0 * 3)) }
    #expect(try count(Self.filter("n", withNull)) == #"{"c":16}"#)
    #expect(try count(Self.filter("level", Self.list(100) { _ in .string("B") })) == #"{"c":25}"#)
    let parts = Self.list(100) { .object([.init("m", .object([.init("eq", .int(Int64($0 * 3)))]))]) }
    #expect(try count(.object([.init("or", parts)])) == #"{"c":17}"#)
  }

  @Test("a value that does not fit is told among many") func wrongValue() throws {
    let database = try #require(Self.database)
    let wrong = Self.list(100) { $0 == 70 ? .string("x") : .int(Int64($0)) }
    do {
      _ = try database.query("query($w: NFilter) { N(where: $w) { id } }", ["w": Self.filter("n", wrong)])
      Issue.record("nothing was refused")
    } catch { #expect(error.problems.map(\.code) == ["wrong-type"]) }
  }

  @Test(
    "a time-out is honoured while a large filter is read, bound and planned",
    arguments: ["ints", "texts", "json", "or", "contains"]) func timeout(_ kind: String) throws
  {
    let large: Value =
      switch kind {
      case "ints": Self.filter("n", Self.list(500_000) { .int(Int64($0)) })
      case "texts": Self.filter("text", Self.list(500_000) { .string("a text of some length \($0)") })
      case "json": Self.filter("j", Self.list(500_000) { .int(Int64($0)) })
      case "or":
        .object([.init("or", Self.list(200_000) { .object([.init("m", .object([.init("eq", .int(Int64($0)))]))]) })])
      default:
        .object([
          .init("or", Self.list(200_000) { .object([.init("text", .object([.init("contains", .string("z\($0)"))]))]) })
        ])
      }
    var limits = QueryLimits.standard
    limits.expansion = 10_000_000
    limits.time = .milliseconds(20)
    var code: String?
    let time = ThreadTime.measure {
      do { _ = try count(large, RunOptions(limits: limits)) } catch {
        code = (error as? QueryError)?.problems.first?.code
      }
    }
    // Far more than what is wanted, because this runs without optimization.
    #expect(code == "timeout" && time < .seconds(1), "\(time)")
  }

  /// JSON is read as deep as 512 levels, which is deeper than binding goes.
  @Test func deepValuesAreRefused() throws {
    let database = try Database(schema: "type Deep { id: ID! meta: JSON }")
    let query = try database.prepare("query($w: DeepFilter) { Deep(where: $w) { id } }")
    for (opening, closing) in [("[", "]"), (#"{"a":"#, "}")] {
      let text = String(repeating: opening, count: 500) + "1" + String(repeating: closing, count: 500)
      let value = try Value(json: Array(#"{"meta":{"eq":\#(text)}}"#.utf8))
      let error = #expect(throws: QueryError.self) { try query.run(["w": value]) }
      #expect(error?.problems.map(\.code) == ["depth-limit"])
    }
  }

  /// What is no number, or none that can be written, is refused and said where; huge ones are compared as they are.
  @Test func numbersBeyondAll() throws {
    let database = try Database(schema: "type F { id: ID! f: Float n: Int d: Decimal meta: JSON }")
    try database.load([.lines("F", #"{"id":1,"f":1.5,"n":2,"d":3,"meta":4}"#)])
    let query = try database.prepare("query($w: FFilter) { F(where: $w) { id } }")
    for field in ["f", "n", "d", "meta"] {
      for number in [Double.infinity, -.infinity, .nan] {
        let filter: Value = ["or": [[:], .object([.init(field, ["in": [1, .double(number)]])])]]
        let error = #expect(throws: QueryError.self) { try query.run(["w": filter]) }
        #expect(error?.problems.map(\.code) == ["wrong-type"], "\(field) \(number)")
        #expect(
          error?.problems.first?.message.hasPrefix("$w.or[1].\(field).in[1]: ") == true, "\(error?.description ?? "")")
      }
      for (digits, op, isFound) in [("1e400", "lt", true), ("-1e400", "lt", false), ("1e400", "eq", false)] {
        let filter = Value.object([.init(field, .object([.init(op, .number(digits))]))])
        #expect(try query.run(["w": filter]).jsonString == (isFound ? #"{"F":[{"id":1}]}"# : #"{"F":[]}"#))
      }
    }
  }

  /// A condition of many parts is tested for a few rows at a time, so that its working memory stays small; what it needs
  /// counts. Everywhere it gives what few parts give.
  @Test func manyPartsAreTestedInSlices() throws {
    let database = try Database(
      schema: "type N @index(fields: [\"n\"]) { id: ID! n: Int! text: String! list: [Int!]! ns: [N!]! up: N }")
    var lines = ""
    for id in 0..<3000 {
      lines +=
        "{\"id\":\(id),\"n\":\(id),\"text\":\"t\(id)\",\"list\":[\(id),\(id + 1)],\"ns\":[\((id + 1) % 3000)],\"up\":\(id / 2)}\n"
    }
    try database.load([.lines("N", lines)])
    func part(_ op: String, _ text: String) -> Value { ["text": .object([.init(op, .string(text))])] }
    let last = [part("like", "t1_9_"), part("ilike", "T29%9")]
    let many = (0..<3000).flatMap { [part("startsWith", "t\($0 % 3 + 7)"), part("eq", "x\($0)")] } + last
    let few = (7...9).map { part("startsWith", "t\($0)") } + last
    let query = try database.prepare(
      """
      query($w: NFilter) {
        n: count(N(where: $w))
        N(orderBy: -n, limit: 40) { x := $w and n > 5  k: count(ns(where: $w))  ns(where: $w) { id } }
        some: count(N(where: some(ns, $w) and n > 100))
        sum: sum(N, if($w, n, 1))
        groups: N(groupBy: {a: n % 7}, having: count() > 1) { a s: sum(if($w, n, 0)) }
      }
      """)
    func answer(_ parts: [Value]) throws -> String { try query.run(["w": ["or": .list(parts)]]).jsonString }
    #expect(try answer(many) == answer(few))
    let count = try database.prepare("query($w: NFilter) { n: count(N(where: $w)) }")
    let error = #expect(throws: QueryError.self) {
      try count.run(["w": ["or": .list(many)]], options: RunOptions(maximumMemory: 1 << 20))
    }
    #expect(error?.problems.map(\.code) == ["memory"])
    #expect(
      try count.run(["w": ["or": .list(many)]], options: RunOptions(maximumMemory: 64 << 20)).jsonString
        == count.run(["w": ["or": .list(few)]]).jsonString)
  }
}
