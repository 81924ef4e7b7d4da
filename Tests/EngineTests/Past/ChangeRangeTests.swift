import GQLite
import Testing

/// The versions and times between which `_changes` lists what has changed.
@Suite struct ChangeRangeTests {
  private func at(_ seconds: Int64) -> RunOptions { RunOptions(now: seconds * 1_000_000) }

  /// Two types; the history of the second one begins with the version 3.
  private func database() throws -> Database {
    let database = try Database(schema: "type A @history { id: ID! n: Int } type B { id: ID! }")
    try database.run("mutation { insertA(data: {id: 1, n: 1}) }", options: at(1))
    try database.run("mutation { insertB(data: {id: 1}) }", options: at(2))
    try database.changeSchema(to: "type A @history { id: ID! n: Int } type B @history { id: ID! }")
    #expect(database.version == 3)
    try database.run("mutation { updateA(all: true, set: {n: 2}) }")
    try database.run("mutation { insertB(data: {id: 2}) }")
    return database
  }

  private func problem(_ database: Database, _ text: String, _ variables: [String: Value] = [:]) -> String {
    do {
      return try database.run(text, variables).jsonString
    } catch {
      guard let problem = error.problems.first, error.problems.count == 1 else { return "\(error)" }
      return "\(problem.code) \(problem.line ?? 0):\(problem.column ?? 0)"
    }
  }

  @Test(
    "a version or a time that '@asOf' does not read is its error, at its place",
    arguments: [
      ("from: 6", "unknown-version 1:18"), ("to: 6", "unknown-version 1:16"), ("from: -1", "unknown-version 1:18"),
      ("from: 9223372036854775807", "unknown-version 1:18"), ("to: 9223372036854775808", "number-out-of-range 1:16"),
      ("from: 1.5", "wrong-type 1:18"), ("to: true", "wrong-type 1:16"), ("from: \"x\"", "malformed-value 1:18"),
      ("from: 0", "no-history 1:18"), ("from: 2, to: 5", "no-history 1:18"), ("to: 2", "no-history 1:16"),
      ("types: B, from: 2", "no-history 1:28"), ("from: \"1970-01-01T00:00:02Z\"", "no-history 1:18"),
      ("from: 3", "4 5"), ("from: 3, to: 4", "4"), ("from: 5", ""), ("to: 5", "1 4 5"), ("from: 3, to: 3", ""),
      ("from: 0, types: A", "1 4"), ("from: 0, to: 1, types: [A]", "1"),
      ("types: [A], from: \"1970-01-01T00:00:00Z\"", "1 4"),
      ("from: \"1970-01-01T00:00:01Z\", to: \"9999-01-01T00:00:00Z\", types: [A]", "4"),
      ("from: null, to: null", "1 4 5"), ("from: 5, to: 4", "unknown-version 1:18"),
      ("to: 3, from: 4", "unknown-version 1:25"), ("from: 9, to: 4", "unknown-version 1:18"),
      ("types: A, from: \"1970-01-01T00:00:02Z\", to: \"1970-01-01T00:00:01Z\"", "unknown-version 1:28"),
    ]) func bounds(_ arguments: String, _ expected: String) throws
  {
    let versions = expected.split(separator: " ").map { "{\"version\":\($0)}" }.joined(separator: ",")
    let answer = expected.contains("-") ? expected : "{\"_changes\":[\(versions)]}"
    #expect(problem(try database(), "{ _changes(\(arguments)) { version } }") == answer)
  }

  @Test("variables and calls are looked at when the query runs") func variables() throws {
    let database = try database()
    let text = "query($f: Int, $t: [String!]) { n: count(_changes(from: $f, types: $t)) }"
    let both = "query($f: Int, $t: Int) { n: count(_changes(from: $f, to: $t)) }"
    #expect(problem(database, both, ["f": 5, "t": 4]) == "unknown-version 1:51")
    #expect(problem(database, both, ["f": 5, "t": 5]) == #"{"n":0}"#)
    #expect(problem(database, text, ["f": 99]) == "unknown-version 1:57")
    #expect(problem(database, text, ["f": 1]) == "no-history 1:57")
    #expect(problem(database, text, ["f": 1, "t": ["A"]]) == #"{"n":1}"#)
    #expect(problem(database, text, ["f": 1, "t": ["A", "B"]]) == "no-history 1:57")
    #expect(problem(database, text, ["f": 1, "t": .null]) == "no-history 1:57")
    #expect(problem(database, text) == #"{"n":3}"#)
    #expect(problem(database, text, ["f": .null]) == #"{"n":3}"#)
    #expect(
      problem(database, "{ A { n: count(_changes(from: 1 + 8)) } }") == "unknown-version 1:31")
    #expect(
      problem(database, "{ a: _changes(from: 3) { version } _changes(to: now() - \"P1D\", types: A) { version } }")
        == #"{"a":[{"version":4},{"version":5}],"_changes":[{"version":1}]}"#)
  }

  @Test("a past that has lost a change has none of before") func trimmed() throws {
    let database = try Database(schema: "type A @history(versions: 1) { id: ID! n: Int }")
    try database.run("mutation { insertA(data: {id: 1}) }")
    for number in 1...2000 { try database.run("mutation { updateA(all: true, set: {n: \(number)}) }") }
    #expect(problem(database, "{ A @asOf(version: 1) { n } }") == "no-history 1:20")
    #expect(problem(database, "{ _changes(from: 1) { version } }") == "no-history 1:18")
    #expect(problem(database, "{ _changes(from: 2000) { version } }") == #"{"_changes":[{"version":2001}]}"#)
  }
}
