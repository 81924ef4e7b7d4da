import Foundation
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Origins of versions in files.
@Suite struct FileOriginTests {
  private static let schema = "type Item @history { id: ID! n: Int } type Other { id: ID! n: Int }"

  private static func options(
    keptBytes: Int = 0, largeCommit: Int = 4 << 20, logBytes: Int = 0, _ access: StorageOptions.Access = .write,
    _ durability: StorageOptions.Durability = .full
  ) -> StorageOptions {
    var options = StorageOptions(access: access, durability: durability, recentVersions: 0)
    options.folding.logBytes = logBytes
    options.folding.keptBytes = keptBytes
    options.folding.largeCommit = largeCommit
    options.folding.delay = 0
    return options
  }

  /// Makes twelve versions, of which each third has no origin. Returns what is to be read of them.
  private func fill(_ database: Database) throws -> String {
    var expected: [String] = []
    for n in 1...12 {
      let origin = n % 3 == 0 ? nil : "origin \(n % 2) é"
      try database.run("mutation { upsertItem(data: {id: 1, n: \(n)}) }", options: RunOptions(origin: origin))
      expected.append("{\"n\":\(n),\"_origin\":\(origin.map { "\"\($0)\"" } ?? "null")}")
    }
    return "{\"v\":[\(expected.joined(separator: ","))]}"
  }

  private func origins(_ database: Database) throws -> String {
    try database.run("{ v: Item(versions: ALL, orderBy: [_version, id]) { n _origin } }").jsonString
  }

  @Test(
    "origins are there where commits are in the log, where they are records, and where they were large",
    arguments: [(0, 4 << 20), (200, 4 << 20), (1 << 20, 4 << 20), (0, 1), (1 << 20, 1)])
  func everywhere(_ keptBytes: Int, _ largeCommit: Int) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let options = Self.options(keptBytes: keptBytes, largeCommit: largeCommit)
    let database = try Database(path: path, schema: Self.schema, storage: options)
    let follower = try Database(path: path, storage: Self.options(.follow))
    let expected = try fill(database)
    #expect(try origins(database) == expected)
    #expect(try origins(follower) == expected)
    let copy = folder.file("copy.gqlite")
    try database.backup(to: copy)
    try database.close()
    for path in [path, copy] {
      #expect(try Database.verify(path: path) == [])
      let again = try Database(path: path, storage: options)
      #expect(try origins(again) == expected)
      try again.compact()
      #expect(try origins(again) == expected)
      try again.changeSchema(to: "type Item @history { id: ID! n: Int note: String }")
      #expect(try origins(again) == expected)
      try again.close()
      #expect(try Database.verify(path: path) == [])
      #expect(try origins(Database(path: path, storage: Self.options(.read))) == expected)
    }
  }

  @Test("origins of commits that are only in the log are there after an end without closing") func logged() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let options = Self.options(keptBytes: 1 << 20, logBytes: 1 << 20)
    let database = try Database(path: path, schema: Self.schema, storage: options)
    let expected = try fill(database)
    // What a process leaves that is killed.
    let copy = folder.file("copy.gqlite")
    for end in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + end, toPath: copy + end)
    }
    #expect(try RawFile.integer(copy, "SELECT count(*) FROM gqlite_history") == 0)
    #expect(try Database.verify(path: copy) == [])
    let again = try Database(path: copy, storage: Self.options())
    #expect(try origins(again) == expected)
    try again.close()
    #expect(try RawFile.integer(copy, "SELECT count(*) FROM gqlite_log") == 0)
    #expect(try origins(Database(path: copy, storage: options)) == expected)
  }

  @Test("commits that gather in memory have their origins") func gathering() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let options = Self.options(logBytes: 1 << 20, .write, .memory)
    let database = try Database(path: path, schema: Self.schema, storage: options)
    let expected = try fill(database)
    #expect(try origins(database) == expected)
    try database.close()
    #expect(try origins(Database(path: path, storage: options)) == expected)
  }

  @Test("submissions of several origins have each their own") func submissions() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: Self.options())
    let insert = try database.prepare("mutation($id: ID!) { insertItem(data: {id: $id, n: 1}) }")
    let made = try (0..<20).map {
      try insert.submit(["id": .string("\($0 + 10)")], options: RunOptions(origin: $0 % 2 == 0 ? "even" : nil))
    }
    for submission in made { _ = try submission.answer() }
    #expect(
      try database.run("{ even: count(Item(versions: ALL, where: _origin == \"even\")) n: count(Item(versions: ALL)) }")
        .jsonString == #"{"even":10,"n":20}"#)
  }

  @Test("a file without origins has no table of them") func none() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: Self.options())
    try database.run("mutation { insertItem(data: {id: 1, n: 1}) }")
    // Of a type without a history nothing is kept.
    try database.run("mutation { insertOther(data: {id: 1, n: 1}) }", options: RunOptions(origin: "ada"))
    try database.close()
    #expect(try RawFile.integer(path, "SELECT count(*) FROM sqlite_schema WHERE name GLOB '*origin*'") == 0)
  }

  @Test("origins go with what is erased, and with what is not kept any more") func dropped() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let schema = "type Item @history { id: ID! n: Int } type Short @history(versions: 2) { id: ID! n: Int }"
    let database = try Database(path: path, schema: schema, storage: Self.options())
    try database.run("mutation { insertItem(data: {id: 1, n: 1}) }", options: RunOptions(origin: "secret"))
    try database.run("mutation { insertItem(data: {id: 2, n: 1}) }", options: RunOptions(origin: "kept"))
    try database.run("mutation { deleteItem(where: id == 1, hard: true) }")
    try database.close()
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history_origin") == 1)
    #expect(
      try origins(Database(path: path, storage: Self.options())) == #"{"v":[{"n":1,"_origin":"kept"}]}"#)
  }

  @Test("a damaged origin is told, and crashes nothing") func damaged() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: Self.options())
    _ = try fill(database)
    try database.close()
    let whole = try Data(contentsOf: URL(filePath: path))
    for damage in [
      "UPDATE gqlite_history_origin SET origin = x'00'", "UPDATE gqlite_history_origin SET origin = x''",
      "UPDATE gqlite_history_origin SET origin = zeroblob(100000)", "UPDATE gqlite_history_origin SET sum = sum + 1",
      "UPDATE gqlite_history_origin SET sum = 'x'", "UPDATE gqlite_history_origin SET version = version + 1000",
      "UPDATE gqlite_history_origin SET version = 999 WHERE version = 2", "DELETE FROM gqlite_history_origin",
      "DELETE FROM gqlite_history_origin WHERE version = 4", "DROP TABLE gqlite_history_origin",
      "DELETE FROM gqlite_history_sum WHERE type = 0",
    ] {
      try whole.write(to: URL(filePath: path))
      try RawFile.execute(path, damage)
      #expect(try Database.verify(path: path) != [], "\(damage)")
      // Nothing that is read depends on it.
      if damage.contains("type = 0") { continue }
      let read = try Database(path: path, storage: Self.options(.read))
      do {
        _ = try origins(read)
        Issue.record("\(damage)")
      } catch let error as QueryError { #expect(error.problems.first?.code == "storage-corrupt", "\(damage)") }
    }
  }
}
