import GQLite
import Testing

/// Pasts in which values repeat that are unique by now.
@Suite struct RepeatedKeyTests {
  /// Answers of all ways to a key that two entities have in version 1: 1 and 2 have a = 1, 3 has a = 9.
  private static let document = """
    query @asOf(version: 1) {
      found: T(where: a == 1) { id }
      scanned: T(where: a + 0 == 1) { id }
      listed: T(where: a in [9, 1], orderBy: id) { id }
      n: count(T(where: a == 1))
      second: exists(T(where: a == 1 and b == 1))
      T(orderBy: id) { id same: count(T(where: a == ^.a)) }
    }
    """
  private static let answer = #"""
    {"found":[{"id":1},{"id":2}],"scanned":[{"id":1},{"id":2}],\#
    "listed":[{"id":1},{"id":2},{"id":3}],"n":2,"second":true,\#
    "T":[{"id":1,"same":2},{"id":2,"same":2},{"id":3,"same":1}]}
    """#

  private func database(_ schema: String) throws -> Database {
    let database = try Database(schema: schema)
    try database.run(
      "mutation { insertT(data: [{id: 1, a: 1, b: 2, t: \"x\"}, {id: 2, a: 1, b: 1, t: \"x\"}, {id: 3, a: 9, t: \"y\"}]) }"
    )
    try database.run("mutation { updateT(where: id == 2, set: {a: 3, t: \"z\"}) }")
    return database
  }

  @Test(
    "a field that becomes unique has the values of before in the past",
    arguments: [
      "a: Int @unique b: Int t: String", "a: Int @unique b: Int @index t: String @unique",
      "a: Int @unique b: Int t: String @index",
    ]) func becomesUnique(_ fields: String) throws
  {
    let database = try database("type T @history { id: ID! a: Int b: Int t: String }")
    try database.changeSchema(to: "type T @history { id: ID! \(fields) }")
    #expect(try database.run(Self.document).jsonString == Self.answer)
    // The newest version is as it was, and what is unique stays so.
    #expect(try database.run("{ T(where: a == 1) { id } }").jsonString == #"{"T":[{"id":1}]}"#)
    #expect(throws: QueryError.self) { try database.run("mutation { updateT(where: id == 3, set: {a: 1}) }") }
    #expect(try database.run(Self.document).jsonString == Self.answer)
  }

  @Test("a text that becomes unique is found for both, in lists too") func text() throws {
    let database = try database("type T @history { id: ID! a: Int b: Int t: String }")
    try database.changeSchema(to: "type T @history { id: ID! a: Int b: Int t: String @unique }")
    let answer = try database.run(
      #"query($l: [String!]) @asOf(version: 1) { one: T(where: t == "x") { id } some: T(where: t in $l) { id } }"#,
      ["l": .list([.string("y"), .string("x")])])
    #expect(
      answer.jsonString
        == #"{"one":[{"id":1},{"id":2}],"some":[{"id":1},{"id":2},{"id":3}]}"#)
  }
}
