import Testing

@testable import GQLEngine

/// A failure in the middle of each kind of change leaves the store as it was, byte for byte.
@Suite struct MutationFailureTests {
  private struct Refused: Error {}

  private static let schema = """
    interface Named { id: ID! name: String }
    type Person implements Named {
      id: ID! name: String @index email: String @unique n: Int = 1 @index(kind: HASH)
      text: String @fulltext @trigram
      home: Home
      boss: Person @relation(inverse: "team")
      team: [Person!]! @relation(inverse: "boss")
      likes: [Named!]!
      seats: [Seat!]! @relation(inverse: "holder", onDelete: CASCADE)
    }
    type Home { street: String! keeper: Person near: [Seat!] }
    type Seat @id(fields: ["row", "number"]) {
      row: String! number: Int!
      holder: Person @relation(inverse: "seats")
      guards: [Guard!]! @relation(inverse: "seat", onDelete: DENY)
    }
    type Guard implements Named { id: ID! name: String seat: Seat! @relation(inverse: "guards") }
    """

  private static func database() throws -> Database {
    let database = try Database(schema: schema)
    try database.register(function: "fail") { (value: Int64) throws -> Int64 in
      if value == 3 { throw Refused() }
      return value
    }
    try database.registerCommand("refuse", arguments: [], returns: "Int") { transaction, _ in
      try transaction.run("mutation { updatePerson(all: true, set: {n: 7, text: \"gone\"}) }")
      throw Refused()
    }
    _ = try database.query(
      """
      mutation {
        insertPerson(data: [
          {id: 1, name: "a", email: "a@x", n: 1, text: "red fox", seats: {append: [{row: "A", number: 1}, {row: "A", number: 2}]}}
          {id: 2, name: "b", email: "b@x", n: 2, text: "red hen", boss: 1, home: {street: "s", keeper: 1}}
          {id: 3, name: "c", email: "c@x", n: 3, text: "blue hen", boss: 1, likes: [{__typename: "Person", id: 1}]}
          {id: 4, name: "d", email: "d@x", n: 4}
        ])
        insertGuard(data: {id: "g", name: "g", seat: {row: "A", number: 2}})
        deletePerson(where: id == 4)
      }
      """)
    return database
  }

  @Test(
    arguments: [
      // The third row, the second field, the last of many.
      #"insertPerson(data: [{id: 8, text: "red"}, {id: 9, boss: 8}, {id: 10, email: "a@x"}])"#,
      #"insertPerson(data: [{id: 8, team: [{id: 9, email: "new@x"}, {id: 10, email: "b@x"}]}])"#,
      #"updatePerson(all: true, set: {n: fail(n), text: "new", name: "same"})"#,
      #"updatePerson(all: true, set: {n: 10 / (n - 3)})"#,
      #"updatePerson(all: true, set: {email: "same@x"})"#,
      #"upsertPerson(data: [{id: 1, text: "other"}, {id: 2, n: 3}], strategy: PATCH, set: {n: fail(new.n ?? 0)})"#,
      #"upsertPerson(data: [{id: 1, text: "other"}, {id: 1}], strategy: FAIL)"#,
      #"upsertPerson(data: [{id: 1, seats: []}, {id: 2, home: {street: "t", keeper: 404}}], strategy: REPLACE)"#,
      #"deletePerson(where: id == 2) deletePerson(where: id == 1)"#,
      #"restorePerson insertPerson(data: {id: 4})"#,
      #"updatePerson(where: id == 3, set: {email: "d@x"}) restorePerson(where: id == 4)"#,
      #"deletePerson(all: true, hard: true)"#,
      #"insertSeat(data: [{row: "B", number: 1}, {row: "A", number: 1}])"#,
      #"updateSeat(where: row == "A", set: {number: 1})"#,
      #"deleteSeat(where: number > 0, hard: true)"#,
      #"updatePerson(where: id == 2, set: {likes: {append: ["1", "404"]}, boss: null})"#,
      #"updatePerson(where: id == 3, set: {home: {street: "u", near: [{row: "C", number: 1}, {row: "C"}]}})"#,
      #"updatePerson(where: id == 3, set: {likes: [], team: [2, 404]})"#,
      #"x: insertPerson(data: {id: 11}) refuse"#,
    ], ["", " @transaction"])
  func leavesNoTrace(_ fields: String, _ directive: String) throws {
    let database = try Self.database()
    let before = database.current
    let digest = before.memoryDigest
    #expect(throws: QueryError.self) { try database.query("mutation\(directive) { \(fields) }") }
    #expect(database.current === before && before.memoryDigest == digest)
    #expect(database.check() == [])
    // Nothing of it is in the way of a later change.
    _ = try database.query(
      #"mutation { insertPerson(data: {id: 90, email: "later@x", text: "red"}) restorePerson(all: true) }"#)
    #expect(database.check() == [])
    let found = try database.query(#"{ Person(where: text matches "red" and text contains "red") { id } }"#).jsonString
    #expect(found == #"{"Person":[{"id":1},{"id":2},{"id":90}]}"#)
  }

  @Test(arguments: [ConflictResolution.fail, .keep, .replace, .patch])
  func decidedConflictsAndWhatFailsBehindThem(_ resolution: ConflictResolution) throws {
    let database = try Self.database()
    try database.onConflict("Person.email") { _, _ in resolution }
    let before = database.current
    let digest = before.memoryDigest
    let insert = #"insertPerson(data: {id: 20, email: "b@x", text: "red cat", team: [3]})"#
    #expect(throws: QueryError.self) {
      try database.query(#"mutation { \#(insert) updatePerson(where: id == 404 or n > 0, set: {n: 1 / (n - n)}) }"#)
    }
    #expect(database.current === before && before.memoryDigest == digest && database.check() == [])
    let answer = try? database.query("mutation { \(insert) }")
    #expect((answer == nil) == (resolution == .fail) && database.check() == [])
  }
}
