import GQLite
import Testing

/// Changes of a schema that end a history, or begin it again.
@Suite struct SchemaChangeHistoryTests {
  private static let schema = "type A @history { id: ID! n: Int s: String b: B } type B { id: ID! }"

  private func database() throws -> Database {
    let database = try Database(schema: Self.schema)
    try database.run("mutation { insertA(data: [{id: 1, n: 1}, {id: 2}, {id: 3}]) }")
    try database.run("mutation { deleteA(where: id == 2) }")
    try database.run("mutation { updateA(where: id == 1, set: {n: 2}) }")
    return database
  }

  @Test(
    "the past that goes is a loss",
    arguments: [
      ("type A { id: ID! n: Int s: String b: B } type B { id: ID! }", "type 'A' does not keep its old values"),
      (
        "type A @history { id: ID! n: Float s: String b: B } type B { id: ID! }", "the history of type 'A' begins again"
      ),
      (
        "type A @history { id: ID! n: Int s: String b: B c: B } type B { id: ID! }",
        "the history of type 'A' begins again"
      ),
      ("type A @history { id: ID! n: Int s: String } type B { id: ID! }", "the history of type 'A' begins again"),
      (
        "type A @history { id: ID! n: Int s: String b: B } type B { id: ID! a: A }",
        "the history of type 'A' begins again"
      ),
    ]) func losses(_ schema: String, _ change: String) throws
  {
    let database = try database()
    let past = "query @asOf(version: 1) { A { n } }"
    let losses = try database.schemaChange(to: schema).losses
    #expect(losses.map(\.name) == ["A"])
    #expect(losses.map(\.count) == [3])
    #expect(losses.map(\.message) == ["\(change): the past of 3 entities would be lost"])
    #expect(throws: QueryError.self) { try database.changeSchema(to: schema) }
    // Nothing is lost then.
    #expect(try database.run(past).jsonString == #"{"A":[{"n":1},{"n":null},{"n":null}]}"#)
    try database.changeSchema(to: schema, allowingLoss: true)
    #expect(throws: QueryError.self) { try database.run(past) }
  }

  @Test(
    "a history that goes on, or has nothing, is none",
    arguments: [
      "type A @history { id: ID! m: Int @was(name: \"n\") s: String b: B } type B { id: ID! }",
      "type A @history { id: ID! n: Int s: String b: B more: Float } type B { id: ID! c: Int }",
      "type C @history @was(name: \"A\") { id: ID! s: String n: Int b: B } type B { id: ID! }",
      "type A @history(versions: 9) { id: ID! n: Int s: String b: B } type B @history { id: ID! }",
    ]) func noLosses(_ schema: String) throws
  {
    #expect(try database().changeSchema(to: schema).losses == [])
  }

  @Test("a type without entities has no past to lose, but for those that are there no more") func empty() throws {
    let schema = "type A @history { id: ID! n: Float }"
    let database = try Database(schema: "type A @history { id: ID! n: Int }")
    database.recentVersions = 1 << 20
    #expect(try database.schemaChange(to: schema).losses == [])
    try database.run("mutation { insertA(data: {id: 1, n: 1}) }")
    try database.undo(database.version)
    #expect(
      try database.schemaChange(to: schema).losses.map(\.message)
        == ["the history of type 'A' begins again: the past of 1 entity would be lost"])
    #expect(
      try database.schemaChange(to: "type B { id: ID! }").losses.map(\.message)
        == ["type 'A' is removed: the past of 1 entity would be lost"])
  }

  @Test("elements of lists and interfaces have a past of their own") func parts() throws {
    let schema = """
      interface I { id: ID! } type A implements I @history { id: ID! lines: [Line!] } type Line { n: Int }
      """
    let database = try Database(schema: schema)
    try database.run("mutation { insertA(data: {id: 1, lines: [{n: 1}, {n: 2}]}) }")
    func losses(_ schema: String) throws -> [String] {
      try database.schemaChange(to: schema).losses.map(\.message)
    }
    #expect(
      try losses(
        "interface I { id: ID! } type A implements I @history { id: ID! lines: [Line!] } type Line { n: Float }")
        == ["the history of type 'Line' begins again: the past of 2 objects would be lost"])
    #expect(
      try losses(schema + " type B implements I @history { id: ID! }")
        == ["the history of type 'I' begins again: the past of 1 entity would be lost"])
    #expect(
      try losses("interface I { id: ID! } type A implements I { id: ID! lines: [Line!] } type Line { n: Int }")
        == ["type 'A' does not keep its old values: the past of 1 entity would be lost"])
    #expect(try losses(schema + " type B @history { id: ID! }") == [])
  }
}
