import GQLite
import Testing

/// Counting the distinct targets of a set's links, of which there are few or many.
@Suite struct DistinctCountTests {
  private static let people = 4000

  /// Person `i` knows `i + 1`, `i + 7`, `i + 49`, … as many as its number modulo eight says; number 0 knows the first
  /// thousand, number 1 the first fifty.
  private static func known(_ person: Int) -> [Int] {
    if person == 0 { return Array(1...1000) }
    if person == 1 { return Array(2...51) }
    var step = 1
    return (0..<(person % 8)).map { _ in
      defer { step *= 7 }
      return (person + step) % people
    }
  }

  private static func database() throws -> Database {
    let database = try Database(
      schema: "type Person { id: ID! knows: [Person!]! @relation(inverse: \"knownBy\") knownBy: [Person!]! }")
    var text = ""
    for person in 0..<people { text += "{\"id\":\(person),\"knows\":\(known(person))}\n" }
    try database.load([.lines("Person", text)])
    return database
  }

  /// What those whom somebody knows know, each once.
  private static func reached(_ person: Int) -> Set<Int> { Set(known(person).flatMap(known)) }

  @Test func countsEachOnce() throws {
    let database = try Self.database()
    let query = try database.prepare("query($id: ID!) { person(id: $id) { n: count(knows.knows) } }")
    // Twice in turns: nothing of a count is left for the next one.
    for person in [0, 1, 2, 0, 7, 1, 0, 3999, 0] {
      let answer = try query.run(["id": .int(Int64(person))])
      #expect(answer.jsonString == "{\"person\":{\"n\":\(Self.reached(person).count)}}")
    }
  }

  @Test func aFailedCountLeavesNothing() throws {
    let database = try Self.database()
    let query = try database.prepare("{ person(id: 0) { n: count(knows.knows) } }")
    var limits = QueryLimits.standard
    limits.visitedRows = 1500
    var options = RunOptions()
    options.limits = limits
    #expect(throws: QueryError.self) { try query.run(options: options) }
    #expect(try query.run().jsonString == "{\"person\":{\"n\":\(Self.reached(0).count)}}")
  }

  @Test func deletedOnesAreNotCounted() throws {
    let database = try Self.database()
    let gone = Set(2000..<2400)
    let ids = gone.map { "\($0)" }.joined(separator: ",")
    _ = try database.prepare("mutation { deletePerson(where: id in [\(ids)]) }").run()
    let expected = Set(Self.known(0).filter { !gone.contains($0) }.flatMap(Self.known)).subtracting(gone)
    let answer = try database.prepare("{ person(id: 0) { n: count(knows.knows) } }").run()
    #expect(answer.jsonString == "{\"person\":{\"n\":\(expected.count)}}")
  }
}
