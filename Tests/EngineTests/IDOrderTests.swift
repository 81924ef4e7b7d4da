import GQLEngine
import GQLite
import Testing

/// Ids that do not ascend with insertion: their order is built once a query wants it, and kept by every write.
@Suite struct IDOrderTests {
  private static let count = 6_000
  /// Each number below a prime once, in another order.
  private static let ids = (1...count).map { $0 * 4_001 % 6_007 }

  private static func database() throws -> Database {
    let database = try Database(schema: "type M { id: ID! n: Int! }")
    try database.load([.lines("M", ids.map { #"{"id": \#($0), "n": \#($0 % 10)}"# }.joined(separator: "\n"))])
    return database
  }

  private static func answer(_ ids: some Sequence<Int>) -> String {
    #"{"M":[\#(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]}"#
  }

  @Test func isBuiltWhenItIsWanted() async throws {
    let database = try Self.database()
    var ids = Self.ids
    let last = try database.prepare("{ M(orderBy: -id, limit: 3) { id } }")
    // Looking at a plan asks for nothing.
    #expect(try last.explain().contains("top 3 by -id"))
    await database.ready()
    #expect(try last.explain().contains("top 3 by -id"))
    #expect(try last.run().jsonString == Self.answer(ids.sorted().suffix(3).reversed()))
    await database.ready()
    #expect(try last.explain().contains("IDWalk M.id  descending"))
    #expect(try last.run().jsonString == Self.answer(ids.sorted().suffix(3).reversed()))
    let range = "{ M(where: id >= 100 and id < 104) { id } n: count(M(where: id > 5000)) top: max(M, id) }"
    #expect(try database.prepare(range).explain().contains("IDRange M.id"))
    // Without an order rows stand as they were inserted.
    let within = ids.filter { (100..<104).contains($0) }.map { #"{"id":\#($0)}"# }.joined(separator: ",")
    let above = ids.count { $0 > 5000 }
    #expect(
      try database.run(range).jsonString == #"{"M":[\#(within)],"n":\#(above),"top":\#(ids.max() ?? 0)}"#)
    // Writes of one entity and of many.
    try database.run("mutation { deleteM(where: id == \(ids.max() ?? 0)) }")
    let greatest = ids.max()
    ids.removeAll { $0 == greatest }
    try database.run("mutation { insertM(data: [{id: 9000, n: 1}, {id: 8000, n: 1}, {id: 7000, n: 1}]) { id } }")
    #expect(try last.run().jsonString == Self.answer([9000, 8000, 7000]))
    try database.run("mutation { deleteM(where: id > 6500) }")
    #expect(try last.run().jsonString == Self.answer(ids.sorted().suffix(3).reversed()))
    #expect(try last.explain().contains("IDWalk"))
    #expect(database.check() == [])
    let more = (0..<4_000).map { #"{"id": \#(20_000 - $0), "n": 0}"# }.joined(separator: "\n")
    try database.load([.lines("M", more)])
    #expect(try last.run().jsonString == Self.answer([20_000, 19_999, 19_998]))
    #expect(database.check() == [])
  }

  @Test func fewEntitiesAreSorted() async throws {
    let database = try Database(schema: "type M { id: ID! }")
    try database.load([.lines("M", [3, 1, 2].map { #"{"id": \#($0)}"# }.joined(separator: "\n"))])
    #expect(try database.run("{ M(orderBy: id) { id } }").jsonString == Self.answer([1, 2, 3]))
    await database.ready()
    #expect(try !database.prepare("{ M(orderBy: id) { id } }").explain().contains("IDWalk"))
  }

  /// Each answer is that of some version, whether the order is there or not.
  @Test func isBuiltWhileOthersReadAndWrite() async throws {
    let database = try Self.database()
    let least = 10_000
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          var known = 0
          for _ in 0..<60 {
            let found = try database.run(
              "{ M(where: id >= \(least), orderBy: id) { id } n: count(M(where: id >= \(least))) }")
            let text = found.jsonString
            let ids = text.matches(of: /"id":(\d+)/).compactMap { Int($0.output.1) }
            #expect(ids == Array(least..<(least + ids.count)))
            #expect(text.hasSuffix("\"n\":\(ids.count)}"))
            #expect(ids.count >= known)
            known = ids.count
            await Task.yield()
          }
        }
      }
      group.addTask {
        for number in 0..<120 {
          try database.run("mutation { insertM(data: {id: \(least + number), n: 0}) { id } }")
          await Task.yield()
        }
      }
      try await group.waitForAll()
    }
    await database.ready()
    let all = try database.prepare("{ M(where: id >= \(least), orderBy: id) { id } }")
    #expect(try all.explain().contains("IDRange"))
    #expect(try all.run().jsonString == Self.answer(least..<(least + 120)))
    #expect(database.check() == [])
  }

  /// Another schema gets no order of itself; a query asks for it again.
  @Test func survivesChangesOfTheSchema() async throws {
    let database = try Self.database()
    let query = "{ M(orderBy: id, limit: 2) { id } }"
    let expected = Self.answer(Self.ids.sorted().prefix(2))
    #expect(try database.run(query).jsonString == expected)
    try database.changeSchema(to: "type M { id: ID! n: Int! @index more: String }", allowingLoss: true)
    #expect(try database.run(query).jsonString == expected)
    await database.ready()
    #expect(try database.run(query).jsonString == expected)
    await database.ready()
    #expect(try database.prepare(query).explain().contains("IDWalk"))
    #expect(database.check() == [])
  }
}
