import GQLite
import Testing

/// What is the same for all rows lies in the memory of one batch, and what is kept of it must not.
@Suite struct BatchConstantsTests {
  private static let database: Database? = try? {
    let database = try Database(
      schema: "type U { id: ID! n: Int! name: String! } type V { id: ID! n: Int! k: Int @index }")
    let rows = (0..<3000).map { "{\"id\":\($0),\"n\":\($0),\"name\":\"a name of more than one cell, \($0)\"}" }
    try database.load([.lines("U", rows.joined(separator: "\n"))])
    return database
  }()

  @Test("a set of a list that is written in JSON is right in each batch") func setsOfJSON() throws {
    let database = try #require(Self.database)
    let text = """
      query($p: JSON) { U(where: name in (["a name of more than one cell, 10", $p] as JSON)) { id } }
      """
    let answer = try database.query(text, ["p": .string("a name of more than one cell, 2990")])
    #expect(answer.jsonString == #"{"U":[{"id":10},{"id":2990}]}"#)
  }

  /// The key fails, and there is no row that it would have to be compared with.
  @Test("a set is found once for all as it is for each") func failingKeys() throws {
    let database = try #require(Self.database)
    let text =
      "query($z: Int) { U(limit: 2) { x := sum(V(where: k == 1 % $z), n + ^.n) y := sum(V(where: k == 1 % $z), n) } }"
    let answer = try database.query(text, ["z": 0])
    #expect(answer.jsonString == #"{"U":[{"x":0,"y":0},{"x":0,"y":0}]}"#)
  }

  @Test("a function that gives another value each time is called for each") func otherValuesEachTime() throws {
    let database = try Database(schema: "type U { id: ID! n: Int! }")
    nonisolated(unsafe) var calls: Int64 = 0
    try database.register(function: "next", isDeterministic: false) { () -> Int64 in
      calls += 1
      return calls
    }
    try database.load([.lines("U", "{\"id\":1,\"n\":1}\n{\"id\":2,\"n\":2}")])
    let answer = try database.query("{ U { x := sum(U, next()) } }").jsonString
    #expect(answer == #"{"U":[{"x":3},{"x":7}]}"#)
  }
}
