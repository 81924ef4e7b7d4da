import GQLBase
import Testing

@testable import GQLEngine

/// What expressions put together, and what mutations copy, keeps to the limits: it is an error then, and never cut off.
@Suite struct ComputedValuesTests {
  private static let count = 1000

  private static func database() throws -> Database {
    let database = try Database(schema: "type A { id: ID! t: String j: JSON l: [String!] n: Int }")
    let rows = (0..<count).map { "{\"id\":\($0)}" }
    try database.load([.lines("A", rows.joined(separator: "\n"))])
    return database
  }

  /// A value of 10 kB and more that is computed once and written 1,000 times.
  @Test(
    "what a mutation copies into many entities counts as memory",
    arguments: [
      #"t: padStart("", 10000, "y")"#, #"j: {a: padStart("", 10000, "y")}"#,
      #"l: split(padStart("", 2000, "y,"), ",")"#, #"t: first(A(where: t != null)).t"#,
      #"j: [first(A(where: t != null)).t]"#,
    ]) func copies(_ assignment: String) throws
  {
    let database = try Self.database()
    _ = try database.query(#"mutation { updateA(where: id == 7, set: {t: padStart("", 10000, "x")}) }"#)
    let mutation = "mutation { updateA(all: true, set: {\(assignment)}) }"
    let found = problem { _ = try database.query(mutation, options: RunOptions(maximumMemory: 5_000_000)) }
    #expect(found?.code == "memory")
    let filled = "{ n: count(A(where: t != null or j != null or l != null)) }"
    #expect(try database.query(filled).jsonString == #"{"n":1}"#)
    _ = try database.query(mutation, options: RunOptions(maximumMemory: 100_000_000))
    #expect(try database.query(filled).jsonString == #"{"n":1000}"#)
    #expect(database.check() == [])
  }

  /// Each field has room for itself, the operation has not for all of them; the next operation begins anew.
  @Test("what the fields of an operation write counts together") func fields() throws {
    let database = try Self.database()
    let field = #"updateA(where: id < 100, set: {t: padStart("", 10000, "y")})"#
    let options = RunOptions(maximumMemory: 3_000_000)
    // A value that is there already is not written.
    let others = ["x", "z"].map { field.replacing("\"y\"", with: "\"\($0)\"") }
    let found = problem {
      _ = try database.query("mutation { a: \(field) b: \(others[0]) c: \(others[1]) }", options: options)
    }
    #expect(found?.code == "memory")
    for _ in 0..<4 { _ = try database.query("mutation { a: \(field) }", options: options) }
    let prepared = try database.prepare("mutation { a: \(field) }")
    try database.transaction { transaction in
      for _ in 0..<4 { _ = try transaction.run(prepared, options: options) }
    }
  }

  @Test("a list grows by APPEND up to its limit") func append() throws {
    let database = try Self.database()
    database.limits.listElements = 1000
    _ = try database.query(#"mutation { updateA(where: id == 1, set: {l: ["a"]}) }"#)
    let double = "mutation { upsertA(data: {id: 1, l: a(id: 1).l}, strategy: APPEND) }"
    for _ in 0..<9 { _ = try database.query(double) }
    let found = problem { _ = try database.query(double) }
    #expect(found?.message.contains("list-elements") == true)
    #expect(try database.query("{ n := length(a(id: 1).l) }").jsonString == #"{"n":512}"#)
  }

  /// Twice as long each time: a million times after twenty.
  @Test("JSON grows from field to field up to the limit of texts") func doubling() throws {
    let database = try Self.database()
    let fields = (0..<40).map { "u\($0): updateA(where: id == 1, set: {j: [j, j]})" }.joined(separator: " ")
    let found = problem {
      _ = try database.query(
        "mutation { updateA(where: id == 1, set: {j: 1}) \(fields) }", options: RunOptions(limits: .serve))
    }
    #expect(found?.message.contains("text-bytes") == true)
    #expect(try database.query("{ j := a(id: 1).j }").jsonString == #"{"j":null}"#)
  }

  /// A message quotes about a hundred bytes of a value.
  @Test(
    "messages quote the beginning of a long value",
    arguments: [
      #"{ A(limit: 1) { x := string(j) } }"#, #"{ A(limit: 1) { x := t as Int } }"#,
      #"{ A(limit: 1) { x := concat("é", t) as Int } }"#,
    ]) func messages(_ text: String) throws
  {
    let database = try Self.database()
    _ = try database.query(
      #"mutation { updateA(all: true, set: {t: padStart("", 100000, "y"), j: [[padStart("", 100000, "\"é")]]}) }"#)
    let found = problem { _ = try database.query(text) }
    let message = try #require(found?.message)
    #expect(message.contains("…") && message.utf8.count < 300, "\(message.prefix(400))")
  }

  @Test(
    "messages quote the beginning and the end of long names",
    arguments: [
      ("query($v: E) { A(where: e == $v) { id } }", Value.string(String(repeating: "é", count: 100_000))),
      ("mutation($v: AInput) { insertA(data: $v) }", ["id": 1, String(repeating: "n", count: 100_000): 1] as Value),
      ("{ A { \(String(repeating: "n", count: 100_000)) } }", .null),
    ]) func names(_ text: String, _ value: Value) throws
  {
    let database = try Database(schema: "type A { id: ID! e: E } enum E { X }")
    let found = problem { _ = try database.query(text, ["v": value]) }
    let message = try #require(found?.message)
    #expect(message.contains(" … ") && message.utf8.count < 1100 && !message.contains("\u{FFFD}"))
  }

  /// Counts how often it is asked whether a run is to end.
  private final class Looks: @unchecked Sendable { var count = 0 }

  /// Objects of 20,000 members, twice, in different orders: 600 kB.
  private static let large = Result<Database, any Error> {
    let database = try Self.database()
    func object(_ numbers: some Sequence<Int>) -> String {
      "{" + numbers.map { "\"member \($0)\":[\($0),{}]" }.joined(separator: ",") + "}"
    }
    let text = String(repeating: "x", count: 500_000)
    try database.load([
      .lines(
        "A",
        "{\"id\":\"a\",\"t\":\"\(text)\",\"j\":\(object(0..<20_000))}\n"
          + "{\"id\":\"b\",\"t\":\"\(text)\",\"j\":\(object((0..<20_000).reversed()))}")
    ])
    return database
  }

  /// Every 32 KiB that are gone through would be fifteen looks at least.
  @Test(
    "time and cancellation are looked at within one long value",
    arguments: [
      (#"{ x := first(A(where: id == "a")).j == first(A(where: id == "b")).j }"#, #"{"x":true}"#),
      (#"{ x := first(A(where: id == "a")).j <= first(A(where: id == "b")).j }"#, #"{"x":true}"#),
      (#"{ A(groupBy: j, where: j != null) { n: count() } }"#, #"{"A":[{"n":2}]}"#),
      (#"{ A(orderBy: j, where: j != null) { id } }"#, #"{"A":[{"id":"a"},{"id":"b"}]}"#),
      (#"{ x := count(distinct(A, j)) }"#, #"{"x":1}"#),
      (#"{ x := first(A(where: id == "b")).j["member 0"] }"#, #"{"x":[0,{}]}"#),
      (#"{ x := length(join(split(first(A(where: id == "a")).t, ""), "-")) }"#, #"{"x":999999}"#),
      (#"{ x := {a: collect(A, j)}.a[1]["member 7"] }"#, #"{"x":[7,{}]}"#),
      (#"{ x := length(replace(first(A(where: id == "a")).t, "y", "z")) }"#, #"{"x":500000}"#),
      (
        #"{ x := length(replace(first(A(where: id == "a")).t, concat(padStart("", 40, "x"), "y"), "z")) }"#,
        #"{"x":500000}"#
      ),
      (#"{ x := length((first(A(where: id == "a")).t as Bytes) as String) }"#, #"{"x":500000}"#),
      (#"{ x := length({a: concat(first(A(where: id == "a")).t, "\n")}.a as String) }"#, #"{"x":500001}"#),
      (#"{ x := "y" in {a: split(first(A(where: id == "a")).t, "")}.a }"#, #"{"x":false}"#),
      (#"{ A(where: j != null) { n: count(A(where: j == ^.j)) } }"#, #"{"A":[{"n":2},{"n":2}]}"#),
    ]) func looks(_ text: String, _ answer: String) throws
  {
    let database = try Self.large.get()
    let looks = Looks()
    let found = try database.query(
      text,
      options: RunOptions(
        cancellation: QueryCancellation {
          looks.count += 1
          return false
        }))
    #expect(found.jsonString == answer && looks.count > 10, "\(looks.count) looks")
    // Where it is stopped on its way, it gives nothing.
    looks.count = 0
    let stopped = problem {
      _ = try database.query(
        text,
        options: RunOptions(
          cancellation: QueryCancellation {
            looks.count += 1
            return looks.count >= 8
          }))
    }
    #expect(stopped?.code == "cancelled" && looks.count < 16, "\(looks.count) looks")
  }

  @Test("JSON is compared, grouped, ordered and gone through at any depth") func depth() throws {
    let database = try Database(schema: "type A { id: ID! j: JSON }")
    _ = try database.query(
      "mutation { insertA(data: [{id: 1, j: {a: 1, b: 2}}, {id: 2, j: {b: 2.0, a: 1}}, {id: 3, j: {b: 3, a: 1}}]) }")
    let deeper =
      "mutation { updateA(all: true, set: {j: "
      + String(repeating: "[{m: ", count: 40) + "j" + String(repeating: "}]", count: 40) + "}) }"
    for _ in 0..<30 { _ = try database.query(deeper) }
    _ = try database.query("mutation { insertA(data: {id: 4, j: true}) }")
    let answer = try database.query(
      """
      {
        same := first(A(where: id == 1)).j == first(A(where: id == 2)).j
        less := first(A(where: id == 2)).j < first(A(where: id == 3)).j
        groups: A(groupBy: j) { n: count() }
        distinct := count(distinct(A, j))
        ordered: A(orderBy: -j) { id }
        inner := first(A(where: id == 3)).j[0].m[0].m == first(A(where: id == 3)).j[0].m[0].m
        other := first(A(where: id == 3)).j[0].m == first(A(where: id == 3)).j[0].m[0].m
        none := first(A(where: id == 3)).j[1]
      }
      """)
    #expect(
      answer.jsonString
        == #"{"same":true,"less":true,"groups":[{"n":2},{"n":1},{"n":1}],"distinct":3,"ordered":[{"id":3},{"id":1},{"id":2},{"id":4}],"inner":true,"other":false,"none":null}"#
    )
  }
}
