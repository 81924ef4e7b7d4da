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

  /// No record would tell of links that go because of what the other end of a relation is now.
  @Test(
    "links that go with the other end of their relation end a history",
    arguments: [
      (
        #"type A { id: ID! bs: [B!]! @relation(inverse: "as") }"#,
        #"type A { id: ID! bs: B @relation(inverse: "as") }"#,
        "as: [A!]!"
      ),
      (
        #"type A { id: ID! bs: [B!]! @relation(inverse: "as") }"#,
        #"type A { id: ID! bs: B @relation(inverse: "as") }"#,
        "as: A"
      ),
      (
        "interface I { id: ID! } type A implements I { id: ID! } type C implements I { id: ID! }",
        "interface I { id: ID! } type A { id: ID! } type C implements I { id: ID! }", "as: [I!]!"
      ),
      (
        "union I = A | C type A { id: ID! } type C { id: ID! }", "union I = C type A { id: ID! } type C { id: ID! }",
        "as: [I!]!"
      ),
      ("type A { id: ID! }", "interface A { id: ID! } type X implements A { id: ID! }", "as: [A!]!"),
      ("type A { id: ID! }", "interface A { id: ID! } type X implements A { id: ID! }", "as: A"),
      (
        #"type A { id: ID! f: [B!]! @relation(inverse: "as") h: [B!]! @relation(inverse: "bs") }"#,
        #"type A { id: ID! f: [B!]! @relation(inverse: "bs") h: [B!]! @relation(inverse: "as") }"#,
        "bs: [A!]! as: [A!]!"
      ),
      ("type A { id: ID! }", "interface A { id: ID! } type X implements A { id: ID! }", "as: [A!]!"),
      ("type A { id: ID! }", "interface A { id: ID! } type X implements A { id: ID! }", "as: A"),
      (
        #"type A { id: ID! f: [B!]! @relation(inverse: "as") h: [B!]! @relation(inverse: "bs") }"#,
        #"type A { id: ID! f: [B!]! @relation(inverse: "bs") h: [B!]! @relation(inverse: "as") }"#,
        "bs: [A!]! as: [A!]!"
      ),
    ]) func otherEnds(_ before: String, _ after: String, _ field: String) throws
  {
    let types = " type B @history { id: ID! n: Int \(field) } type D @history { id: ID! n: Int }"
    let database = try Database(schema: before + types)
    try database.run(
      """
      mutation {
        insertA(data: [{id: 1}, {id: 2}]) insertD(data: {id: 1, n: 1})
        insertB(data: [{id: 3, n: 1, as: \(field.contains("I") ? "[first(A)]" : "1")}, {id: 4, n: 1}])
      }
      """)
    try database.run("mutation { updateB(where: id == 3, set: {n: 2}) updateD(where: id == 1, set: {n: 2}) }")
    let losses = try database.schemaChange(to: after + types).losses.map(\.message)
    #expect(losses.contains("the history of type 'B' begins again: the past of 2 entities would be lost"))
    try database.changeSchema(to: after + types, allowingLoss: true)
    try database.run("mutation { updateB(where: id == 4, set: {n: 3}) }")
    #expect(try database.run("{ D(versions: ALL, orderBy: _version) { n } }").jsonString == #"{"D":[{"n":1},{"n":2}]}"#)
    // Both as they were when it began, then the change.
    #expect(
      try database.run("{ B(versions: ALL, orderBy: [_version, id]) { id n } }").jsonString
        == #"{"B":[{"id":3,"n":2},{"id":4,"n":1},{"id":4,"n":3}]}"#)
    #expect(database.check() == [])
  }

  @Test("more room at the other end of a relation, and new types there, let a history go on") func roomyEnds() throws {
    // The field of a relation that had none takes up its links.
    let one = "type A { id: ID! } type B @history { id: ID! a: A }"
    let fields = try Database(schema: one)
    try fields.run("mutation { insertA(data: {id: 1}) insertB(data: {id: 2, a: 1}) }")
    try fields.run("mutation { updateB(where: id == 2, set: {a: null}) }")
    try fields.changeSchema(
      to: #"type A { id: ID! bs: [B!]! @relation(inverse: "a") } type B @history { id: ID! a: A }"#)
    #expect(
      try fields.run("{ B(versions: ALL, orderBy: _version) { a } }").jsonString == #"{"B":[{"a":1},{"a":null}]}"#)
    let types = " type B @history { id: ID! n: Int as: [A!]! } type R @history { id: ID! is: [I!]! }"
    let database = try Database(
      schema:
        #"type A { id: ID! bs: B @relation(inverse: "as") } interface I { id: ID! } type C implements I { id: ID! }"#
        + types)
    try database.run("mutation { insertA(data: {id: 1}) insertB(data: {id: 2, n: 1, as: [1]}) insertR(data: {id: 3}) }")
    try database.run("mutation { updateB(where: id == 2, set: {n: 2, as: []}) }")
    try database.changeSchema(
      to: #"type A implements I { id: ID! bs: [B!]! @relation(inverse: "as") } interface I { id: ID! }"#
        + " type C implements I { id: ID! }" + types)
    #expect(try database.run("{ B(versions: ALL, orderBy: _version) { n } }").jsonString == #"{"B":[{"n":1},{"n":2}]}"#)
    #expect(try database.run("{ R(versions: ALL) { id } }").jsonString == #"{"R":[{"id":3}]}"#)
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
