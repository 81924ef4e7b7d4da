import GQLite
import Testing

/// `_origin` of versions, and `origin` of changes.
@Suite struct OriginTests {
  private static let schema = "type Item @history { id: ID! n: Int } type Other { id: ID! n: Int }"

  private func set(_ database: Database, _ n: Int, by origin: String? = nil) throws {
    try database.run("mutation { upsertItem(data: {id: 1, n: \(n)}) }", options: RunOptions(origin: origin))
  }

  private func origins(_ database: Database) throws -> String {
    try database.run("{ v: Item(versions: ALL, orderBy: [_version, id]) { n _origin } }").jsonString
  }

  @Test("the origin of a version is that of the change that has made it") func mutations() throws {
    let database = try Database(schema: Self.schema)
    try set(database, 1, by: "ada")
    try set(database, 2)
    #expect(try origins(database) == #"{"v":[{"n":1,"_origin":"ada"},{"n":2,"_origin":null}]}"#)
    // What comes later is added to what is known.
    try set(database, 3, by: "Bö 🐢")
    _ = try database.transaction(origin: "") { try $0.run("mutation { updateItem(all: true, set: {n: 4}) }") }
    #expect(
      try origins(database)
        == #"{"v":[{"n":1,"_origin":"ada"},{"n":2,"_origin":null},{"n":3,"_origin":"Bö 🐢"},{"n":4,"_origin":""}]}"#)
    #expect(
      try database.run("{ Item { _versions(where: _origin == \"ada\") { n } } }").jsonString
        == #"{"Item":[{"_versions":[{"n":1}]}]}"#)
    #expect(
      try database.run("{ _changes(where: origin != null, orderBy: version) { version origin } }").jsonString
        == #"{"_changes":[{"version":1,"origin":"ada"},{"version":3,"origin":"Bö 🐢"},{"version":4,"origin":""}]}"#)
    #expect(
      try database.run("{ Item(versions: ALL, groupBy: _origin, orderBy: _origin) { _origin n: count() } }")
        .jsonString.contains(#"{"_origin":"ada","n":1}"#))
  }

  @Test("what fails leaves no origin for the next change") func failures() throws {
    let database = try Database(schema: Self.schema)
    #expect(throws: (any Error).self) {
      try database.run("mutation { insertItem(data: [{id: 1}, {id: 1}]) }", options: RunOptions(origin: "ada"))
    }
    try set(database, 1)
    #expect(try origins(database) == #"{"v":[{"n":1,"_origin":null}]}"#)
  }

  @Test("what an undo stack takes back and does again is of its origin") func undo() throws {
    let database = try Database(schema: Self.schema)
    try set(database, 1)
    let stack = database.undoStack(for: "ada")
    try set(database, 2, by: "ada")
    try stack.undo()
    try stack.redo()
    try database.undo(database.version)
    #expect(
      try origins(database)
        == #"{"v":[{"n":1,"_origin":null},{"n":2,"_origin":"ada"},{"n":1,"_origin":"ada"},"#
        + #"{"n":2,"_origin":"ada"},{"n":1,"_origin":null}]}"#)
  }

  @Test("an origin that is too long is refused") func long() throws {
    let database = try Database(schema: Self.schema)
    try set(database, 1)
    let before = database.version
    for bytes in [1025, 1 << 20] {
      let error = #expect(throws: QueryError.self) { try set(database, 2, by: String(repeating: "o", count: bytes)) }
      #expect(error?.problems.first?.code == "limit-exceeded")
    }
    #expect(database.version == before)
    try set(database, 2, by: String(repeating: "o", count: 1024))
    #expect(database.version == before + 1)
  }

  @Test("a save of an editing context is of the origin that it names") func contexts() throws {
    let database = try Database(schema: Self.schema)
    try set(database, 1)
    let context = database.edit()
    try context.run("mutation { updateItem(all: true, set: {n: 2}) }", options: RunOptions(origin: "inner"))
    try context.save(origin: "ada")
    #expect(try origins(database) == #"{"v":[{"n":1,"_origin":null},{"n":2,"_origin":"ada"}]}"#)
  }

  @Test("origins go on through a change of the schema") func schemas() throws {
    let database = try Database(schema: Self.schema)
    try set(database, 1, by: "ada")
    try set(database, 2, by: "bob")
    try database.changeSchema(to: "type Item @history { id: ID! n: Int note: String }")
    #expect(try origins(database) == #"{"v":[{"n":1,"_origin":"ada"},{"n":2,"_origin":"bob"}]}"#)
  }
}
