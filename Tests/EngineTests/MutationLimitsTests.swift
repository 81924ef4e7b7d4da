import GQLBase
import Testing

@testable import GQLEngine

/// Limits and cancellation hold within mutations too, and a mutation that is stopped changes nothing.
@Suite struct MutationLimitsTests {
  private static let count = 3000

  /// 3,000 live entities, and as many deleted ones.
  private static func database() throws -> Database {
    let database = try Database(
      schema: """
        type N { id: ID! n: Int! code: Int @unique text: String lines: [Line!] next: N }
        type Line { what: String! }
        """)
    let rows = (0..<2 * count).map {
      "{\"id\":\"\($0)\",\"n\":\($0 % count),\"code\":\($0),\"lines\":[{\"what\":\"w\"}]}"
    }
    try database.load([.lines("N", rows.joined(separator: "\n"))])
    _ = try database.query("mutation { deleteN(where: code >= \(count)) }")
    return database
  }

  private static let summary =
    "{ n: count(N) codes: sum(N.code) lines: count(N.lines) texts: count(N(where: text != null)) }"

  private func expectStopped(
    _ database: Database, _ code: String, _ text: String, _ options: RunOptions,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let view = database.view()
    let digest = view.snapshot.memoryDigest
    let before = try database.query(Self.summary).jsonString
    let found = problem(of: { _ = try database.query(text, options: options) }, at: location)
    #expect(found?.code == code, sourceLocation: location)
    #expect(database.view().snapshot === view.snapshot, sourceLocation: location)
    #expect(view.snapshot.memoryDigest == digest && database.check() == [], sourceLocation: location)
    #expect(try database.query(Self.summary).jsonString == before, sourceLocation: location)
  }

  static let big = [
    #"updateN(all: true, set: {lines: [{what: "a"}, {what: "b"}, {what: "c"}, {what: "d"}]})"#,
    #"updateN(all: true, set: {lines: {append: .lines}})"#,
    #"updateN(all: true, set: {next: .})"#,
  ]

  @Test(arguments: big) func memory(_ field: String) throws {
    let database = try Self.database()
    try expectStopped(database, "memory", "mutation { \(field) }", RunOptions(maximumMemory: 100_000))
    _ = try database.query("mutation { \(field) }", options: RunOptions(maximumMemory: 1 << 26))
    #expect(database.check() == [])
  }

  @Test func memoryOfRowsOfADocument() throws {
    let rows = (10_000..<13_000).map { "{id: \"\($0)\", n: 1}" }.joined(separator: " ")
    let database = try Self.database()
    try expectStopped(database, "memory", "mutation { insertN(data: [\(rows)]) }", RunOptions(maximumMemory: 100_000))
    _ = try database.query("mutation { insertN(data: [\(rows)]) }", options: RunOptions(maximumMemory: 1 << 26))
    #expect(try database.query("{ n: count(N) }").jsonString == #"{"n":6000}"#)
  }

  /// One row is found, and the cascade holds all others.
  @Test(arguments: ["deleteRoot(where: id == 1)", "deleteRoot(where: id == 1, hard: true)"])
  func memoryOfCascades(_ field: String) throws {
    let database = try Database(
      schema: """
        type Root { id: ID! all: [N!]! @relation(inverse: "root", onDelete: CASCADE) }
        type N { id: ID! code: Int @unique text: String lines: [Line!] root: Root @relation(inverse: "all") }
        type Line { what: String! }
        """)
    let rows = (0..<Self.count).map { "{\"id\":\"\($0)\",\"code\":\($0),\"lines\":[{\"what\":\"w\"}],\"root\":1}" }
    try database.load([.lines("Root", #"{"id":1}"#), .lines("N", rows.joined(separator: "\n"))])
    try expectStopped(database, "memory", "mutation { \(field) }", RunOptions(maximumMemory: 50_000))
    _ = try database.query("mutation { \(field) }", options: RunOptions(maximumMemory: 1 << 26))
    #expect(try database.query("{ n: count(N) }").jsonString == #"{"n":0}"#)
    #expect(database.check() == [])
    if field.contains("hard") { return }
    try expectStopped(database, "memory", "mutation { restoreRoot(all: true) }", RunOptions(maximumMemory: 50_000))
    _ = try database.query("mutation { restoreRoot(all: true) }")
    #expect(try database.query("{ n: count(N) }").jsonString == #"{"n":3000}"#)
    #expect(database.check() == [])
  }

  /// What one batch computes goes before the next: 3 MB of texts, of which a batch has a third, beside the 3 MB that are
  /// written.
  @Test func batchesReleaseTheirMemory() throws {
    let database = try Self.database()
    let options = RunOptions(maximumMemory: 5_000_000)
    _ = try database.query(#"mutation { updateN(all: true, set: {text: padStart(id, 1000, "-")}) }"#, options: options)
    let answer = try database.query(
      #"{ right: count(N(where: length(text) == 1000 and text == padStart(id, 1000, "-"))) wrong: count(N(where: text == null)) }"#
    )
    #expect(answer.jsonString == #"{"right":3000,"wrong":0}"#)
    #expect(database.check() == [])
  }

  /// Pages of columns and indexes count, though nothing else is as large: of 3,000 numbers and as many times.
  @Test(arguments: ["updateN(all: true, set: {n: n + 1})", "deleteN(all: true)"]) func pages(_ field: String) throws {
    let database = try Self.database()
    try expectStopped(database, "memory", "mutation { \(field) }", RunOptions(maximumMemory: 40_000))
    let answer = try database.query("mutation { \(field) }", options: RunOptions(maximumMemory: 40_000_000))
    #expect(answer.jsonString.contains("3000"))
  }

  /// A function that the last row raises the flag with: what is left then is not evaluation but writing. Where a
  /// condition is evaluated, a scan would go on behind the last row; a deletion writes its answer first.
  @Test(arguments: [
    "updateN(all: true, set: {code: stop(n) + 1, next: .})",
    "updateN(all: true, set: {lines: {append: [{what: string(stop(n))}]}})",
    "deleteN(all: true) { n := stop(n) }",
    "deleteN(where: code < \(count), hard: true) { n := stop(n) }",
    "restoreN(where: stop(n) >= 0)",
  ]) func cancellation(_ field: String) throws {
    let database = try Self.database()
    let cancellation = QueryCancellation()
    let last = Self.count - 1
    try database.register(function: "stop") { (n: Int) in
      if n == last { cancellation.cancel() }
      return n
    }
    try expectStopped(database, "cancelled", "mutation { \(field) }", RunOptions(cancellation: cancellation))
    #expect(cancellation.isCancelled)
    _ = try database.query("mutation { \(field) }")
    #expect(database.check() == [])
  }
}
