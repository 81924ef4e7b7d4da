import CSQLite3
import Foundation
import GQLEngine
import GQLStorage
import StorageProofs
import Testing

/// Names that change in a file, and numbers that do not.
@Suite struct RenamingTests {
  /// The rows of a query of SQLite, columns joined by a line.
  private func rows(_ path: String, _ sql: String) throws -> [String] {
    var handle: OpaquePointer?
    #expect(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    defer { sqlite3_close_v2(handle) }
    var statement: OpaquePointer?
    #expect(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, "\(sql)")
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "-"
        }.joined(separator: "|"))
    }
    return rows
  }

  private func code(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? QueryError)?.problems.first?.code
    }
  }

  private static let first = """
    type Author { id: ID! name: String }
    type Book { id: ID! title: String! writer: Author }
    """
  private static let second = """
    type Author { id: ID! name: String }
    type Volume @was(name: "Book") { id: ID! name: String! @was(name: "title") author: Author @was(name: "writer") }
    """

  @Test func aRenamedFieldKeepsItsNumberAndValues() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    do {
      let database = try Database(path: path, schema: Self.first)
      try database.run("mutation { insertAuthor(data: {id: 1, name: \"Ada\"}) { id } }")
      try database.run("mutation { insertBook(data: {id: 1, title: \"One\", writer: {id: 1}}) { id } }")
      try database.close()
    }
    let fields =
      "SELECT t.name, f.number, f.name FROM gqlite_field f JOIN gqlite_type t ON t.number = f.type ORDER BY f.number"
    let before = try rows(path, fields)
    #expect(before.contains("Author|5|~Book.writer") || before.contains { $0.hasSuffix("|~Book.writer") })
    for _ in 0..<2 {
      let database = try Database(path: path, schema: Self.second)
      #expect(
        try database.run("{ Volume { name author { name } } }").jsonString
          == #"{"Volume":[{"name":"One","author":{"name":"Ada"}}]}"#)
      #expect(database.check() == [])
      try database.close()
    }
    let renamed = before.map { row in
      row.replacing("Book|", with: "Volume|").replacing("|title", with: "|name").replacing("|writer", with: "|author")
        .replacing("~Book.writer", with: "~Volume.author")
    }
    #expect(try rows(path, fields) == renamed)
    #expect(try rows(path, "SELECT name, author FROM Volume") == ["One|1"])
    #expect(try Database.verify(path: path) == [])
  }

  @Test func aNumberIsNeverUsedAgain() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    for schema in [
      "type A { id: ID! a: Int b: Int }", "type A { id: ID! a: Int }",
      // The name of a field that is gone.
      "type A { id: ID! b: Int @was(name: \"a\") }", "type A { id: ID! b: Int @was(name: \"a\") a: Int }",
    ] {
      let database = try Database(path: path, schema: schema)
      if schema.contains("a: Int b: Int") { try database.run("mutation { insertA(data: {id: 1, a: 5}) { id } }") }
      try database.close()
    }
    // 1 id, 2 a, 3 b, and the two times.
    #expect(
      try rows(path, "SELECT number, name FROM gqlite_field ORDER BY number") == [
        "1|id", "2|b", "3|-3 b", "4|_createdAt", "5|_updatedAt", "6|a",
      ])
    #expect(try Database(path: path).run("{ A { a b } }").jsonString == #"{"A":[{"a":null,"b":5}]}"#)
  }

  @Test func numbersOfASchemaAreInTheFile() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    func open(_ schema: String) throws {
      let database = try Database(path: path, schema: schema)
      defer { try? database.close() }
      #expect(try Database(schema: schema).schema == database.schema)
    }
    try open("type A @number(value: 7) { id: ID! a: Int @number(value: 42) b: Int @number(value: 43) }")
    try open("type B @number(value: 7) { id: ID! c: Int @number(value: 42) }")
    #expect(try rows(path, "SELECT number, name, given FROM gqlite_type") == ["1|B|7"])
    #expect(
      try rows(path, "SELECT number, name, given FROM gqlite_field WHERE given IS NOT NULL ORDER BY number")
        == ["2|c|42", "3|b|43"])
    // What was given once is not given again, though the field is gone, and is no trouble for other writes.
    let database = try Database(path: path)
    for schema in [
      "type B @number(value: 7) { id: ID! c: Int @number(value: 42) d: Int @number(value: 43) }",
      "type B @number(value: 8) { id: ID! c: Int @number(value: 42) }",
      "type B @number(value: 7) { id: ID! c: Int @number(value: 1) }",
    ] {
      #expect(code { try database.changeSchema(to: schema) } == "number-conflict", "\(schema)")
    }
    try database.run("mutation { insertB(data: {id: 1, c: 3}) { id } }")
    // A number that a schema leaves out stays the field's.
    try database.changeSchema(to: "type B { id: ID! c: Int }")
    #expect(
      code { try database.changeSchema(to: "type B { id: ID! c: Int d: Int @number(value: 42) }") } == "number-conflict"
    )
    try database.changeSchema(to: "type B { id: ID! c: Int b: Int @number(value: 43) }")
    #expect(try database.run("{ B { c b } }").jsonString == #"{"B":[{"c":3,"b":null}]}"#)
  }

  @Test func aCopyKnowsTheNumbersOfWhatIsGone() throws {
    let folder = try Folder()
    let (path, copy, again) = (folder.file("a.gqlite"), folder.file("b.gqlite"), folder.file("c.gqlite"))
    do {
      let database = try Database(
        path: path,
        schema: """
          type A @number(value: 5) {
            id: ID! n: Int @number(value: 3) m: Int @number(value: 4) old: Int @number(value: 6)
          }
          type G @number(value: 7) { id: ID! g: Int @number(value: 1) }
          """)
      // `m` is another field's name then, and `A` says its number no longer.
      try database.changeSchema(to: "type A { id: ID! old: Int @number(value: 6) }", allowingLoss: true)
      try database.changeSchema(to: "type A { id: ID! m: Int @was(name: \"old\") @number(value: 6) }")
      try database.run("mutation { insertA(data: {id: 1, m: 8}) { id } }")
      try database.backup(to: copy)
      try database.close()
      let copied = try Database(path: copy)
      try copied.backup(to: again)
      try copied.close()
    }
    for path in [path, copy, again] {
      let database = try Database(path: path)
      for schema in [
        "type A { id: ID! m: Int @number(value: 6) k: Int @number(value: 3) }",
        "type A { id: ID! m: Int @number(value: 6) k: Int @number(value: 4) }",
        "type A { id: ID! m: Int @number(value: 6) } type B @number(value: 7) { id: ID! g: Int @number(value: 2) }",
        "type A { id: ID! m: Int @number(value: 6) } type B @number(value: 5) { id: ID! }",
        "type A @number(value: 8) { id: ID! m: Int @number(value: 6) }",
      ] {
        #expect(code { try database.changeSchema(to: schema) } == "number-conflict", "\(schema) in \(path)")
      }
      try database.changeSchema(
        to: "type A @number(value: 5) { id: ID! m: Int n: Int @number(value: 3) } type G { id: ID! g: Int }")
      #expect(try database.run("{ A { m n } }").jsonString == #"{"A":[{"m":8,"n":null}]}"#)
      try database.close()
      #expect(try Database.verify(path: path) == [])
    }
  }

  @Test func aRenamedValueKeepsItsRows() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    do {
      let database = try Database(
        path: path, schema: "enum Kind { BOOK LAMP } type A { id: ID! kind: Kind all: [Kind!] }")
      try database.run("mutation { insertA(data: {id: 1, kind: LAMP, all: [BOOK, LAMP]}) { id } }")
      try database.close()
    }
    let schema = "enum Kind { NEW BOOK LIGHT @was(name: \"LAMP\") } type A { id: ID! kind: Kind all: [Kind!] }"
    for _ in 0..<2 {
      let database = try Database(path: path, schema: schema)
      #expect(try database.run("{ A { kind all } }").jsonString == #"{"A":[{"kind":"LIGHT","all":["BOOK","LIGHT"]}]}"#)
      try database.close()
    }
    #expect(try rows(path, "SELECT kind FROM A") == ["LIGHT"])
    #expect(try Database(path: path).schema.contains("LIGHT @was(name: \"LAMP\")"))
    #expect(try Database.verify(path: path) == [])
  }

  /// What would be refused is told, and nothing is changed.
  @Test func aChangeIsToldOfAFile() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    do {
      let database = try Database(path: path, schema: "type A { id: ID! a: Int @number(value: 2) }")
      try database.changeSchema(to: "type A { id: ID! }")
      try database.close()
    }
    let bytes = try Data(contentsOf: URL(filePath: path))
    for access in [StorageOptions.Access.write, .read, .follow] {
      let database = try Database(path: path, storage: StorageOptions(access: access))
      #expect(
        code { _ = try database.schemaChange(to: "type A { id: ID! b: Int @number(value: 2) }") } == "number-conflict")
      #expect(try database.schemaChange(to: "type A { id: ID! b: Int @number(value: 3) }").differences.count == 1)
      try database.close()
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
  }

  /// A file of a format in which schemas gave no numbers.
  @Test func anOlderFileOpens() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    do {
      let database = try Database(path: path, schema: "type A { id: ID! a: Int }")
      try database.run("mutation { insertA(data: {id: 1, a: 5}) { id } }")
      try database.close()
    }
    try OldFormat.downgrade(path)
    #expect(try Database(path: path, storage: StorageOptions(access: .read)).count(of: "A") == 1)
    let database = try Database(path: path, schema: "type A { id: ID! b: Int @was(name: \"a\") @number(value: 9) }")
    #expect(try database.run("{ A { b } }").jsonString == #"{"A":[{"b":5}]}"#)
    try database.close()
    #expect(try rows(path, "SELECT name, given FROM gqlite_field WHERE number = 2") == ["b|9"])
  }

  @Test func whatIsRefusedLeavesTheFile() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    try Database(path: path, schema: "type A { id: ID! a: Int }").close()
    let bytes = try Data(contentsOf: URL(filePath: path))
    #expect(
      code { _ = try Database(path: path, schema: "type A { id: ID! a: Int b: Int @was(name: \"a\") }") }
        == "rename-conflict")
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
  }
}
