import Foundation
import Testing

/// Databases in files, from the command line.
@Suite struct DatabaseCommandTests {
  private static let schema = "type User { id: ID! name: String! age: Int friends: [User] }\n"

  private static func folder() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write("s.graphql", schema)
    try scratch.write(
      "User.ndjson", "{\"id\":1,\"name\":\"Ada\",\"age\":36}\n{\"id\":2,\"name\":\"Bo\",\"friends\":[1]}\n")
    return scratch
  }

  /// Makes a database of two users.
  private static func fill(_ folder: Scratch) throws {
    #expect(try folder.gqlite("init", "a.gqlite", "--schema", "s.graphql").status == 0)
    #expect(try folder.gqlite("import", "--db", "a.gqlite", "User.ndjson").output == "User: 2\n")
  }

  @Test("what one process changes, the next one sees") func changesAreKept() throws {
    let folder = try Self.folder()
    #expect(try folder.gqlite("init", "a.gqlite", "--schema", "s.graphql").status == 0)
    let made = try folder.gqlite("a.gqlite", "mutation { insertUser(data: {id: 1, name: \"Ada\"}) { id } }")
    #expect(made.output == "{\"insertUser\":[{\"id\":1}]}\n" && made.errors == "")
    #expect(try folder.gqlite("--db", "a.gqlite", "{ User { name } }").output == "{\"User\":[{\"name\":\"Ada\"}]}\n")
    #expect(try folder.gqlite("verify", "a.gqlite").status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: folder.url.appending(path: "a.gqlite").path)
    #expect((mode[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
  }

  @Test("files of data are brought in, all or nothing") func importing() throws {
    let folder = try Self.folder()
    try Self.fill(folder)
    let query = "{ User(orderBy: id) { name friends { name } } }"
    let answer =
      "{\"User\":[{\"name\":\"Ada\",\"friends\":[]},{\"name\":\"Bo\",\"friends\":[{\"name\":\"Ada\"}]}]}\n"
    #expect(try folder.gqlite("a.gqlite", query).output == answer)
    try folder.write("More.ndjson", "{\"id\":3,\"name\":\"Cy\"}\n{\"id\":1,\"name\":\"twice\"}\n")
    #expect(try folder.gqlite("import", "--db", "a.gqlite", "User=More.ndjson").status == 1)
    #expect(try folder.gqlite("a.gqlite", query).output == answer)
  }

  @Test("as data a database is read, and what is changed is not kept") func asData() throws {
    let folder = try Self.folder()
    try Self.fill(folder)
    let changed = try folder.gqlite("--data", "a.gqlite", "mutation { deleteUser(where: id == 1) { id } }")
    #expect(changed.output == "{\"deleteUser\":[{\"id\":1}]}\n")
    #expect(changed.errors == "gqlite: note: the changes are not kept; 'gqlite --db a.gqlite' keeps them\n")
    #expect(try folder.gqlite("a.gqlite", "{ n: count(User) }").output == "{\"n\":2}\n")
    try folder.write("q.query", "extend schema @data(from: \"a.gqlite\")\n{ n: count(User) }\n")
    #expect(try folder.gqlite("q.query").output == "{\"n\":2}\n")
    let mixed = try folder.gqlite("--data", "a.gqlite", "--data", "User.ndjson", "{ n: count(User) }")
    #expect(mixed.status == 1 && mixed.errors.contains("a database cannot be read beside other data"))
  }

  @Test("a database that is read only stays as it is") func readOnly() throws {
    let folder = try Self.folder()
    try Self.fill(folder)
    #expect(try folder.gqlite("--db", "a.gqlite", "--read-only", "{ n: count(User) }").output == "{\"n\":2}\n")
    let changed = try folder.gqlite(
      "--db", "a.gqlite", "--read-only", "mutation { deleteUser(where: id == 1) { id } }")
    #expect(changed.status == 1 && changed.errors.contains("error[storage-read-only]"))
    #expect(try folder.gqlite("a.gqlite", "{ n: count(User) }").output == "{\"n\":2}\n")
  }

  @Test("a schema is changed in the file where that loses nothing") func schemas() throws {
    let folder = try Self.folder()
    try Self.fill(folder)
    try folder.write(
      "wider.graphql", "type User { id: ID! name: String! age: Int friends: [User] isNew: Boolean = true }")
    try folder.write("narrow.graphql", "type User { id: ID! name: String! friends: [User] }")
    #expect(try folder.gqlite("schema", "--db", "a.gqlite", "--to", "wider.graphql").output == "+ field 'User.isNew'\n")
    #expect(try folder.gqlite("a.gqlite", "{ User { isNew } }").status == 1)
    #expect(try folder.gqlite("schema", "--db", "a.gqlite", "--to", "wider.graphql", "--apply").status == 0)
    #expect(
      try folder.gqlite("a.gqlite", "{ User { isNew } }").output == "{\"User\":[{\"isNew\":true},{\"isNew\":true}]}\n")
    let refused = try folder.gqlite("schema", "--db", "a.gqlite", "--to", "narrow.graphql", "--apply")
    #expect(refused.status == 1 && refused.errors.contains("error[data-loss]"))
    #expect(
      try folder.gqlite("schema", "--db", "a.gqlite", "--to", "narrow.graphql", "--apply", "--allow-loss").status == 0)
    #expect(try folder.gqlite("verify", "a.gqlite").status == 0)
  }

  @Test("the schema that is there is no change") func sameSchema() throws {
    let folder = try Self.folder()
    try Self.fill(folder)
    try folder.write("same.graphql", try folder.gqlite("schema", "--db", "a.gqlite").output)
    let log = try folder.gqlite("log", "a.gqlite").output
    let before = try Data(contentsOf: folder.url.appending(path: "a.gqlite"))
    #expect(try folder.gqlite("schema", "--db", "a.gqlite", "--to", "same.graphql").output.isEmpty)
    let made = try folder.gqlite("schema", "--db", "a.gqlite", "--to", "same.graphql", "--apply")
    #expect(made.status == 0 && made.output == "nothing to change\n", "\(made)")
    #expect(try folder.gqlite("log", "a.gqlite").output == log && !log.isEmpty)
    #expect(try Data(contentsOf: folder.url.appending(path: "a.gqlite")) == before)
  }

  @Test("a database is no file with a schema") func schemaOfADatabase() throws {
    let folder = try Self.folder()
    try Self.fill(folder)
    for path in ["a.gqlite", "./a.gqlite"] {
      let refused = try folder.gqlite("schema", "--db", "a.gqlite", "--to", path)
      #expect(refused.status == 2 && refused.output.isEmpty, "\(refused)")
      #expect(refused.errors.contains("\(path) is a database, and --to names a file with a schema"), "\(refused)")
      #expect(!refused.errors.contains("unexpected-character"), "\(refused)")
    }
  }

  @Test("a change that is only told is refused as it would be when it is made") func schemaNumbers() throws {
    let folder = try Self.folder()
    try folder.write("first.graphql", "type User { id: ID! a: Int @number(value: 2) b: Int @number(value: 3) }")
    try folder.write("second.graphql", "type User { id: ID! a: Int @number(value: 2) }")
    try folder.write("third.graphql", "type User { id: ID! a: Int @number(value: 2) c: String @number(value: 3) }")
    #expect(try folder.gqlite("init", "n.gqlite", "--schema", "first.graphql").status == 0)
    #expect(try folder.gqlite("schema", "--db", "n.gqlite", "--to", "second.graphql", "--apply").status == 0)
    // The number is that of a field that is gone.
    let before = try Data(contentsOf: folder.url.appending(path: "n.gqlite"))
    for option in ["--allow-loss", "--read-only"] {
      let told = try folder.gqlite("schema", "--db", "n.gqlite", "--to", "third.graphql", option)
      #expect(told.status == 1 && told.output.isEmpty, "\(told)")
      let problem = "error[number-conflict]: n.gqlite: 'User.c' has the number 3, which belongs to 'b' in the file"
      #expect(told.errors.contains(problem), "\(told)")
    }
    #expect(try Data(contentsOf: folder.url.appending(path: "n.gqlite")) == before)
    let made = try folder.gqlite("schema", "--db", "n.gqlite", "--to", "third.graphql", "--apply")
    #expect(made.status == 1 && made.output.isEmpty && made.errors.contains("error[number-conflict]"))
  }

  @Test("a copy is a database") func backups() throws {
    let folder = try Self.folder()
    try Self.fill(folder)
    #expect(try folder.gqlite("backup", "a.gqlite", "b.gqlite").status == 0)
    #expect(try folder.gqlite("b.gqlite", "{ n: count(User) }").output == "{\"n\":2}\n")
    let taken = try folder.gqlite("backup", "a.gqlite", "b.gqlite")
    #expect(taken.status == 1)
    #expect(
      taken.errors == "error[storage-failed]: b.gqlite: there is something at this path already\n"
        + "  help: name one where nothing is\n")
    #expect(try folder.gqlite("backup", "a.gqlite", "none/b.gqlite").errors.contains("none/b.gqlite"))
  }

  @Test("a file is smaller after entities were removed for good") func compacting() throws {
    let folder = try Self.folder()
    try Self.fill(folder)
    func size() throws -> Int { try Data(contentsOf: folder.url.appending(path: "a.gqlite")).count }
    let rows = (100..<1500).map { "{id: \($0), name: \"a name of some length, longer\"}" }.joined(separator: ", ")
    #expect(try folder.gqlite("a.gqlite", "mutation { n: insertUser(data: [\(rows)]) { id } }").status == 0)
    #expect(
      try folder.gqlite("a.gqlite", "mutation { n: deleteUser(where: id >= 100, hard: true) { id } }").status == 0)
    let before = try size()
    #expect(try folder.gqlite("compact", "a.gqlite").status == 0)
    #expect(try size() < before / 2)
    #expect(try folder.gqlite("a.gqlite", "{ n: count(User) }").output == "{\"n\":2}\n")
    #expect(try folder.gqlite("verify", "a.gqlite").status == 0)
    #expect(try folder.gqlite("compact", "missing.gqlite").status == 1)
    #expect(!folder.exists("missing.gqlite"))
  }

  @Test("the log has what the commands before have done") func logged() throws {
    let folder = try Self.folder()
    try Self.fill(folder)
    let first = try folder.gqlite("a.gqlite", "mutation { insertUser(data: {id: 70, name: \"x\"}) { id } }")
    #expect(first.status == 0)
    #expect(
      try folder.gqlite("a.gqlite", "mutation { updateUser(where: id == 70, set: {name: \"y\"}) { id } }").status == 0)
    let lines = try folder.gqlite("log", "a.gqlite").output.split(separator: "\n")
    #expect(lines.last?.contains("\"change\":\"update\"") == true && lines.last?.contains("\"new\":\"y\"") == true)
    #expect(lines.count >= 2)
  }

  @Test("what is no database is said to be none") func others() throws {
    let folder = try Self.folder()
    for path in [".", "s.graphql", "missing.gqlite", "/dev/null"] {
      let found = try folder.gqlite("--db", path, "{ User { id } }")
      #expect(found.status == 1 && found.errors.contains("error[storage-"), "\(path): \(found.errors)")
    }
    #expect(!folder.exists("missing.gqlite"))
    #expect(try folder.gqlite("init", "s.graphql", "--schema", "s.graphql").status == 2)
    #expect(try folder.gqlite("--db", "a.gqlite", "--data", "User.ndjson", "{ n: 1 }").status == 2)
    #expect(try folder.gqlite("--read-only", "{ n: 1 }").status == 2)
  }
}
