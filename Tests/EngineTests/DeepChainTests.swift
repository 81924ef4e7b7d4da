import GQLite
import Testing

/// Chains of entities at the limits of recursion: the right answer or the limit's error, in steady stack space.
@Suite struct DeepChainTests {
  private static let length = 10_000

  /// n0 → n1 → … → n9999.
  private static func database() throws -> Database {
    let database = try Database(
      schema: """
        type Node { id: ID!  next: Node @relation(inverse: "previous")  previous: [Node!]! @relation(inverse: "next") }
        """)
    let lines = (0..<length).map { number in
      "{\"id\":\(number),\"next\":\(number + 1 < length ? "\(number + 1)" : "null")}\n"
    }
    try database.load([.lines("Node", lines.joined())])
    return database
  }

  private static func limits(_ depth: Int) -> QueryLimits {
    var limits = QueryLimits.standard
    limits.recursionDepth = depth
    return limits
  }

  @Test("@recurse to the end of the chain, and one level short of it")
  func recursion() throws {
    let database = try Self.database()
    let count = Self.length - 1
    let toOne = try database.prepare("{ node(id: 0) { next @recurse { id } } }")
    var expected = "{\"node\":{\"next\":"
    for number in 1...count { expected += "{\"id\":\(number),\"next\":" }
    expected += "null" + String(repeating: "}", count: count + 2)
    #expect(try toOne.run(options: RunOptions(limits: Self.limits(count))).jsonString == expected)
    let found = problem { _ = try toOne.run(options: RunOptions(limits: Self.limits(count - 1))) }
    #expect(found?.code == "limit-exceeded")
    #expect(found?.message.contains("'recursion-depth' of \(count - 1)") == true)

    // The other way each level is a list.
    let toMany = try database.prepare("{ node(id: \(count)) { previous @recurse { id _depth } } }")
    var lists = "{\"node\":{\"previous\":"
    for number in 1...count { lists += "[{\"id\":\(count - number),\"_depth\":\(number),\"previous\":" }
    lists += "[]" + String(repeating: "}]", count: count) + "}}"
    #expect(try toMany.run(options: RunOptions(limits: Self.limits(count))).jsonString == lists)
    let cut = try database.prepare("{ node(id: \(count)) { previous @recurse(depth: 2) { id } } }")
    let short = "[{\"id\":\(count - 1),\"previous\":[{\"id\":\(count - 2)}]}]"
    #expect(try cut.run(options: RunOptions(limits: Self.limits(2))).jsonString == "{\"node\":{\"previous\":\(short)}}")
  }

  @Test("A ring is entered once")
  func ring() throws {
    let database = try Self.database()
    _ = try database.query("mutation { updateNode(where: id == \"\(Self.length - 1)\", set: {next: \"0\"}) { id } }")
    let answer = try database.query(
      "{ node(id: 0) { n: count(closure(next)) self := some(closure(next), . == ^) } }"
    ).jsonString
    #expect(answer == "{\"node\":{\"n\":\(Self.length),\"self\":true}}")
    let nested = try database.prepare("{ node(id: 0) { next @recurse { id _cycle } } }")
    let deep = try nested.run(options: RunOptions(limits: Self.limits(Self.length))).jsonString
    #expect(deep.hasSuffix("{\"id\":0,\"_cycle\":true,\"next\":null" + String(repeating: "}", count: Self.length + 2)))
  }

  @Test("Closures and shortest paths go the whole way")
  func flat() throws {
    let database = try Self.database()
    let last = Self.length - 1
    let answer = try database.query(
      """
      { node(id: 0) {
        n: count(closure(next))
        far := closure(next, depth: 9998..20000)
        path := count(shortestPath(next, to: "\(last)"))
        short := count(shortestPath(next, to: "\(last)", maxDepth: \(last - 1)))
        back := count(shortestPath(previous, to: "\(last)"))
      } }
      """
    ).jsonString
    #expect(
      answer
        == "{\"node\":{\"n\":\(last),\"far\":[\(last - 1),\(last)],\"path\":\(Self.length),\"short\":0,\"back\":0}}")
    let all = try database.query("{ s := sum(Node(where: id in [\"9990\", \"9995\"]), count(closure(next))) }")
      .jsonString
    #expect(all == "{\"s\":13}")
  }
}
