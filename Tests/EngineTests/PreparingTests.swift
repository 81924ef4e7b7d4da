import TestClocks
import Testing

@testable import GQLEngine

/// What stands before a run looks at the time and at cancellation too, and data in variables is no expansion.
@Suite struct PreparingTests {
  private static func database() throws -> Database {
    let database = try Database(schema: "type N { id: ID! n: Int next: N }")
    try database.load([.lines("N", (0..<2000).map { "{\"id\":\($0),\"n\":\($0)}" }.joined(separator: "\n"))])
    database.limits.expansion = 1 << 40
    database.limits.tokens = 1 << 40
    database.limits.documentBytes = 1 << 30
    return database
  }

  /// Fragments that spread each other twice: 2²⁶ nodes.
  private static let bomb =
    "{ N { ...F0 } } "
    + (0..<26).map { "fragment F\($0) on N { a\($0): next { ...F\($0 + 1) } b\($0): next { ...F\($0 + 1) } } " }
    .joined() + "fragment F26 on N { id }"
  private static let long = "{ N { " + String(repeating: "id n ", count: 400_000) + "} }"

  @Test(arguments: [bomb, long]) func time(_ text: String) throws {
    let database = try Self.database()
    let start = ThreadTime.now
    let found = problem { _ = try database.prepare(text, options: RunOptions(timeout: .milliseconds(20))) }
    #expect(found?.code == "timeout" && found?.message.contains("20 ms") == true)
    #expect(ThreadTime.now - start < .seconds(2))
    #expect(
      problem { _ = try database.query(text, options: RunOptions(timeout: .milliseconds(20))) }?.code == "timeout")
  }

  @Test(arguments: [bomb, long]) func cancellation(_ text: String) throws {
    let database = try Self.database()
    let cancellation = QueryCancellation()
    cancellation.cancel()
    let options = RunOptions(cancellation: cancellation)
    let problems = problem { _ = try database.prepareAll(text, options: options) }
    #expect(problems?.code == "cancelled")
  }

  @Test func bindingAtTheRun() throws {
    let database = try Self.database()
    let query = try database.prepare("query($f: NFilter) { n: count(N(where: $f)) }")
    let conditions = (0..<200_000).map { Value.object([.init("n", .object([.init("eq", .int($0))]))]) }
    let wide = Value.object([.init("or", .list(conditions))])
    let found = problem { _ = try query.run(["f": wide], options: RunOptions(timeout: .milliseconds(20))) }
    #expect(found?.code == "timeout")
  }

  /// Each of very many parts is small, and none of them looks at the clock for long.
  @Test func partsOfMutations() throws {
    let database = try Self.database()
    let cancellation = QueryCancellation()
    try database.register(function: "stop") { (n: Int) in
      cancellation.cancel()
      return n
    }
    let first = "first: insertN(data: {id: \"new\", n: stop(1)})"
    let parts = [
      "insertN(data: {id: $a})", "updateN(where: id == $a, set: {n: 2})", "deleteN(where: id == $a)",
      "restoreN(where: id == $a)",
    ]
    for part in parts {
      let text = "mutation($a: ID) { \(first) \((0..<20).map { "p\($0): \(part)" }.joined(separator: " ")) }"
      let before = database.current
      let found = problem { _ = try database.query(text, ["a": "x"], options: RunOptions(cancellation: cancellation)) }
      #expect(found?.code == "cancelled", "\(part)")
      #expect(database.current === before && database.check() == [])
    }
    let many =
      "mutation { \((0..<5_000).map { "p\($0): deleteN(where: id == \"x\($0)\" or n == -\($0 + 1))" }.joined(separator: " ")) }"
    let query = try database.prepare(many)
    let start = ThreadTime.now
    let found = problem { _ = try query.run(options: RunOptions(timeout: .milliseconds(20))) }
    #expect(found?.code == "timeout")
    #expect(ThreadTime.now - start < .seconds(2))
  }

  @Test func valuesAreNoExpansion() throws {
    let database = try Self.database()
    database.limits = .standard
    let ids = Value.object([
      .init("id", .object([.init("in", .list((1000..<101_000).map { .string(String($0)) }))])),
      .init("n", .object([.init("notIn", .list((1500..<100_000).map { .int($0) }))])),
    ])
    let query = try database.prepare(
      "query($f: NFilter!) { n: count(N(where: $f)) again: count(N(where: not $f)) N(where: $f, limit: 2) { id } }")
    let answer = try query.run(["f": ids])
    #expect(answer.jsonString == #"{"n":500,"again":1500,"N":[{"id":1000},{"id":1001}]}"#)
  }

  @Test("but a document that names such a variable often has its limit") func manyUses() throws {
    let database = try Self.database()
    database.limits = .standard
    let ids = Value.object([.init("id", .object([.init("in", .list((0..<5000).map { .string(String($0)) }))]))])
    let counts = (0..<60).map { "a\($0): count(N(where: $f)) " }.joined()
    let found = problem { _ = try database.query("query($f: NFilter!) { \(counts) }", ["f": ids]) }
    #expect(found?.code == "expansion-limit")
  }

  @Test("a limit that cannot be is refused, not bent", arguments: [("nesting", 201), ("nesting", 0), ("fields", -1)])
  func impossible(_ name: String, _ value: Int) throws {
    let database = try Self.database()
    if name == "nesting" { database.limits.nesting = value } else { database.limits.fields = value }
    let found = problem { _ = try database.prepare("{ N { id } }") }
    #expect(found?.code == "wrong-limit" && found?.message.contains("'\(name)'") == true)
    #expect(found?.message.contains("\(value)") == true)
  }
}
