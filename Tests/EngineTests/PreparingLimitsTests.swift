import GQLBase
import GQLite
import Synchronization
import Testing

@testable import GQLBinder

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Preparing counts towards the limits of time and memory, and its work grows with the document, not with its square.
@Suite(.serialized) struct PreparingLimitsTests {
  private static func database() throws -> Database {
    let database = try Database(
      schema: "type N { id: ID! n: Int @index m: Int @index(kind: HASH) s: String next: N }")
    try database.load([
      .lines("N", (0..<500).map { "{\"id\":\($0),\"n\":\($0),\"m\":\($0 % 7)}" }.joined(separator: "\n"))
    ])
    return database
  }

  private static func list(_ count: Int, _ separator: String = " ", _ part: (Int) -> String) -> String {
    (0..<count).map(part).joined(separator: separator)
  }

  private static func lets(_ count: Int) -> String {
    "{ N { id \(list(count) { "let x\($0) := n + \($0)" }) y := x0 + x\(count - 1) } }"
  }

  /// The processor's time of the shortest of three runs: what else runs on the machine does not count.
  private static func time(_ body: () throws -> Void) rethrows -> Double {
    var shortest = Double.infinity
    for _ in 0..<3 {
      var start = timespec()
      var end = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
      try body()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
      shortest = min(
        shortest, Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1_000_000_000)
    }
    return shortest
  }

  // MARK: - Limits

  @Test("a schema tells no more problems than the limit, errors first") func problemsOfSchemas() {
    let fields = Self.list(300) { "f\($0): X\($0)" }
    let broken = Self.list(300) { "f\($0): ;" }
    for text in ["type A { id: ID! \(fields) }", "type A { id: ID! \(broken) }"] {
      for count in [nil, 1, 7, 150] as [Int?] {
        var limits = QueryLimits.standard
        if let count { limits.problems = count }
        let found = #expect(throws: QueryError.self) {
          try Database(schemaTexts: [("schema.graphql", Array(text.utf8))], limits: limits)
        }
        #expect(found?.problems.count == count ?? 100)
      }
    }
    var limits = QueryLimits.standard
    limits.problems = 2
    let warned = "type A { id: ID! \(Self.list(50) { "g\($0): Int @unknown" }) h: Nothing }"
    let found = #expect(throws: QueryError.self) {
      try Database(schemaTexts: [("schema.graphql", Array(warned.utf8))], limits: limits)
    }
    #expect(found?.problems.map(\.severity) == [.error])
  }

  @Test("lets count as fields") func letsAreFields() throws {
    let database = try Self.database()
    database.limits.fields = 100
    _ = try database.prepare(Self.lets(98))
    #expect(problem { _ = try database.prepare(Self.lets(99)) }?.code == "field-limit")
    database.limits = .standard
    #expect(problem { _ = try database.prepare(Self.lets(10_000)) }?.code == "field-limit")
  }

  /// By the nodes that keep the versions, which are what grew with the square.
  @Test("versions of lets share what they have in common") func memoryOfLets() {
    func bytes(_ count: Int) -> Int {
      let table = LetTable()
      var scope = LetScope()
      for number in 0..<count { scope.set("x\(number)", to: Environment().binding(nil), in: table) }
      #expect(scope["x0"] != nil && scope["x\(count - 1)"] != nil && scope["x\(count)"] == nil)
      #expect(scope.names.count == count)
      return table.bytes
    }
    #expect(bytes(16_000) < bytes(4_000) * 6)
    let table = LetTable()
    var first = LetScope()
    first.set("a", to: Environment().binding(nil), in: table)
    var second = first
    second.set("a", to: nil, in: table)
    second.set("b", to: Environment().binding(nil), in: table)
    #expect(first.names == ["a"] && second.names == ["b"])
  }

  /// A text, a document that expands, one with many problems, and conditions that are rewritten, planned and compiled.
  @Test(
    "preparing counts towards the limit of memory",
    arguments: [
      "{ N { \(list(40_000) { _ in "id" }) } }",
      "{ N { ...F0 } } \(list(20) { "fragment F\($0) on N { a: next { ...F\($0 + 1) } b: next { ...F\($0 + 1) } }" }) fragment F20 on N { id }",
      "{ N { \(list(9_000) { "a\($0): unknown\($0)" }) } }",
      "{ N(where: \(list(4_000, " and ") { "(n == \($0) or m > \($0))" })) { id } }",
      lets(9_000),
    ])
  func memory(_ text: String) throws {
    let database = try Self.database()
    database.limits.expansion = 1 << 30
    database.limits.tokens = 1 << 30
    let found = problem { _ = try database.query(text, options: RunOptions(maximumMemory: 1 << 20)) }
    #expect(found?.code == "memory" && found?.message.contains("1048576") == true)
  }

  @Test("planning looks at the time") func timeOfPlanning() throws {
    let database = try Self.database()
    let text = "{ N(where: \(Self.list(4_000, " and ") { "(n == \($0) or m == \($0))" })) { id } }"
    let query = try database.prepare(text)
    let found = problem { _ = try query.run(options: RunOptions(timeout: .milliseconds(20))) }
    #expect(found?.code == "timeout")
  }

  @Test("fragments of all operations are expanded within one limit") func operations() throws {
    let database = try Self.database()
    let fields = Self.list(1000) { "a\($0): id" }
    let text = "\(Self.list(200) { "query Q\($0) { N { ...F } }" }) fragment F on N { \(fields) }"
    #expect(problem { _ = try database.prepareAll(text) }?.code == "expansion-limit")
  }

  @Test("problems past those that are printed have no suggestions") func suggestions() throws {
    let database = try Database(schema: "type N { id: ID! \(Self.list(5000) { "field\($0): Int" }) }")
    database.limits.problems = 7
    var count = 0
    do {
      _ = try database.prepare("{ N { \(Self.list(2000) { "fielt\($0)" }) } }")
    } catch { count = error.problems.count { $0.help?.contains("did you mean") == true } }
    #expect(count == 7)
    let suggestions = Suggestions(problems: 7)
    let asked = (0..<50).map { place in
      suggestions.near("fielt", at: SourceRange(start: UInt32(place), end: UInt32(place + 1))) { ["field"] }
    }
    #expect(asked.count { !$0.isEmpty } == 7)
  }

  // MARK: - Growth

  /// Texts of a known shape are not bound again: each is given a name, which makes its shape a new one.
  private static func fresh(_ text: String) -> String {
    "query Q\(made.add(1, ordering: .relaxed).newValue) \(text)"
  }
  private static let made = Atomic<Int>(0)

  /// Four times as much takes four times as long, or a little more; the square would be sixteen times.
  private func growsLinearly(_ size: Int, _ body: (Int) throws -> Void) rethrows {
    try body(size)
    let small = try Self.time { try body(size) }
    let large = try Self.time { try body(4 * size) }
    #expect(large < small * 9, "\(small) s, then \(large) s")
  }

  @Test("conjunctions of disjunctions") func conjunctions() throws {
    let database = try Self.database()
    try growsLinearly(100) { count in
      let condition = Self.list(count, " and ") { "(n == \($0) or m == \($0))" }
      _ = try database.prepare(Self.fresh("{ N(where: \(condition)) { id } }")).run()
    }
  }

  @Test("lets") func letsGrow() throws {
    let database = try Self.database()
    try growsLinearly(500) { _ = try database.prepare(Self.fresh(Self.lets($0))) }
  }

  @Test("operations and fragments") func operationsGrow() throws {
    let database = try Self.database()
    try growsLinearly(200) { count in
      let fragments = Self.list(count) { "fragment F\($0) on N { id }" }
      let operations = Self.list(count) { "query Q\($0) { N { ...F\($0) } }" }
      _ = try database.prepareAll("\(operations) \(fragments)")
    }
  }

  @Test("types of a schema") func types() throws {
    try growsLinearly(300) { count in
      _ = try Database(schema: Self.list(count) { "type T\($0) { id: ID! a: Int next: T\(($0 + 1) % count) }" })
    }
  }

  @Test("fields of a type") func fields() throws {
    try growsLinearly(800) { count in
      let database = try Database(schema: "type N { id: ID! \(Self.list(count) { "f\($0): Int" }) }")
      _ = try database.prepare("{ N { \(Self.list(count) { "f\($0)" }) } }")
    }
  }

  @Test("columns of a CSV file") func columns() throws {
    try growsLinearly(500) { count in
      let database = try Database(schema: "type N { id: ID! \(Self.list(count) { "f\($0): Int" }) }")
      let text = "id,\(Self.list(count, ",") { "f\($0)" })\n1,\(Self.list(count, ",") { "\($0)" })\n"
      _ = try database.load([.csv(type: "N", bytes: Array(text.utf8))])
    }
  }

  @Test("unknown names") func unknownNames() throws {
    let database = try Self.database()
    growsLinearly(500) { count in
      _ = problem { _ = try database.prepare("{ N { \(Self.list(count) { "unknown\($0)" }) } }") }
      _ = problem { _ = try database.prepare("{ N { \(Self.list(count) { "...Unknown\($0)" }) } }") }
    }
  }
}
