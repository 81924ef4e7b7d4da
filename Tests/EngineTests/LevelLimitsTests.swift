import GQLite
import Testing

/// What selections inside each other have below them is bounded before it is found, not once it is written.
@Suite struct LevelLimitsTests {
  /// A hundred entities of which each knows all: 10,000 links, and a million members two levels down.
  private static func database() throws -> Database {
    let database = try Database(schema: "type U { id: ID! n: Int! a: A friends: [U!]! } type A { id: ID! us: [U!]! }")
    let all = (0..<100).map(String.init).joined(separator: ",")
    try database.load([
      .lines("U", (0..<100).map { #"{"id":\#($0),"n":\#($0),"friends":[\#(all)]}"# }.joined(separator: "\n")),
      .lines("A", #"{"id":1,"us":[\#(all)]}"#),
    ])
    return database
  }

  private static let deep = "{ U { friends { friends { friends { id } } } } }"

  @Test func theAnswersBytesBoundTheLevels() throws {
    let database = try Self.database()
    // A hundred million members; with rows of four bytes 400 MB. The memory of the process is no measure, because other
    // tests run in it: the limit of the run's memory would be named if that were passed first.
    let error = #expect(throws: QueryError.self) {
      try database.query(Self.deep, options: RunOptions(maximumBytes: 1_000_000, maximumMemory: 200_000_000))
    }
    #expect(error?.problems.first?.message.contains("'answer-bytes'") == true)
    let limited = #expect(throws: QueryError.self) {
      try database.query(Self.deep, options: RunOptions(maximumMemory: 20_000_000))
    }
    #expect(limited?.problems.first?.code == "memory")
  }

  /// A thousand members have ten thousand numbers each. Forty of them have more bytes than the answer may have, and all
  /// of them more than the memory.
  @Test func theAnswersBytesBoundComputedLists() throws {
    let database = try Self.database()
    let error = #expect(throws: QueryError.self) {
      try database.query(
        "{ U { friends { x := collect(friends, collect(friends, n)) } } }",
        options: RunOptions(maximumBytes: 1_000_000, maximumMemory: 50_000_000))
    }
    #expect(error?.problems.first?.message.contains("'answer-bytes'") == true)
  }

  /// What has room is answered, to the last byte.
  @Test(arguments: [
    "{ U { friends { friends { id } } } }", "{ U { f: friends(limit: 3) n } }", "{ U { friends { n x: friends } } }",
    "{ U { friends { ... @include(if: false) { friends { id } } } } }", "{ U { a { us { friends { n } } } } }",
    "{ A { us { friends(where: n > 97) { n } } } n := 1 U { friends { n } } }",
  ]) func answersThatJustFit(_ query: String) throws {
    let database = try Self.database()
    let answer = try database.query(query)
    let bytes = answer.utf8.count
    #expect(try database.query(query, options: RunOptions(maximumBytes: bytes)) == answer)
    #expect(throws: QueryError.self) { try database.query(query, options: RunOptions(maximumBytes: bytes - 1)) }
  }

  /// Members that conditions, orders and slices leave out are none of the answer.
  @Test(arguments: [
    "where: n + 0 == 12", "orderBy: -n, limit: 1", "where: n > 90, orderBy: -n, limit: 1", "distinctOn: [n % 2]",
  ]) func whatIsLeftOutDoesNotCount(_ arguments: String) throws {
    let database = try Database(
      schema: "type U { id: ID! n: Int! h: H } type H { id: ID! us: [U!]! @relation(inverse: \"h\") }")
    try database.load([
      .lines("H", #"{"id":1}"#),
      .lines("U", (0..<200_000).map { #"{"id":\#($0),"n":\#($0 % 97),"h":1}"# }.joined(separator: "\n")),
    ])
    let query = "{ H { us(limit: 3) { h { us(\(arguments)) { n } } } } }"
    let answer = try database.query(query)
    let options = RunOptions(maximumBytes: answer.utf8.count)
    if answer.utf8.count < 10_000 { #expect(try database.query(query, options: options) == answer) }
  }
}
