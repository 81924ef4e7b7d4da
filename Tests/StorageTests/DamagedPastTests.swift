import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Numbers and tables of the past and of branches that are wrong or missing end in a sentence, and in no endless work.
@Suite struct DamagedPastTests {
  /// Those of a file that keeps its past in the history alone.
  private static var options: StorageOptions {
    var options = StorageOptions(durability: .memory, recentVersions: 0)
    options.folding.logBytes = 0
    options.folding.keptBytes = 0
    options.folding.delay = 0
    return options
  }

  private func damaged(_ sql: String, _ body: (String) throws -> Void) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: "type Item @history { id: ID! n: Int! }", storage: Self.options)
    for number in 1...20 { try database.run("mutation { upsertItem(data: {id: \(number % 5), n: \(number)}) }") }
    let branch = try database.branch("draft")
    try branch.run("mutation { updateItem(where: id == 1, set: {n: 99}) }")
    try database.close()
    try RawFile.execute(path, sql)
    try body(path)
  }

  private func code(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? QueryError)?.problems.first?.code ?? "\(error)"
    }
  }

  @Test(
    "a number after which nothing can follow",
    arguments: ["9223372036854775807", "9e999", "3", "-9223372036854775808"]) func logAfter(_ value: String) throws
  {
    try damaged("UPDATE gqlite_meta SET value = \(value) WHERE key = 'log_after'") { path in
      #expect(try Database.verify(path: path).contains { $0.hasPrefix("commits after version") })
      let database = try Database(path: path, storage: StorageOptions(access: .read))
      #expect(code { try database.run("{ _changes { version } }") } == "storage-corrupt")
      #expect(try database.run("{ n: count(Item) }").jsonString == #"{"n":5}"#)
    }
  }

  @Test("a row that is no integer", arguments: ["row + 0.5", "'x'", "x'00'"]) func rows(_ value: String) throws {
    try damaged("UPDATE gqlite_history SET row = \(value) WHERE version = (SELECT min(version) FROM gqlite_history)") {
      path in
      #expect(try Database.verify(path: path).contains { $0.contains("is not readable") })
      let database = try Database(path: path)
      #expect(
        code { try database.changeSchema(to: "type Item @history { id: ID! n: Int! m: Int! = 1 }") }
          == "storage-corrupt")
      #expect(try database.run("{ n: count(Item) }").jsonString == #"{"n":5}"#)
    }
  }

  /// Without its sums, which earlier files lack, that a record is missing is seen only by what it led to.
  @Test("a history that does not lead back") func gaps() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let schema =
      "type Item @history { id: ID! tags: [Tag!]! } type Tag { id: ID! } type Other @history { id: ID! n: Int }"
    let database = try Database(path: path, schema: schema, storage: Self.options)
    for mutation in [
      "insertTag(data: [{id: 1}, {id: 2}]) insertItem(data: {id: 1, tags: [1]}) insertOther(data: {id: 1})",
      "updateItem(where: id == 1, set: {tags: {append: [2]}})", "updateItem(where: id == 1, set: {tags: []})",
      "updateOther(where: id == 1, set: {n: 1})",
    ] { try database.run("mutation { \(mutation) }") }
    try database.close()
    #expect(try Database.verify(path: path) == [])
    try RawFile.execute(path, "DELETE FROM gqlite_history WHERE version = 3; DROP TABLE gqlite_history_sum")
    #expect(
      try Database.verify(path: path) == [
        "the history of 'Item' does not lead back: a change does not fit the version after it"
      ])
  }

  /// A missing record of the log is told, and not made a part of the history, where nothing would tell of it any more.
  @Test(
    "a log without a commit", arguments: [2, 3, 4],
    [nil, "type Item @history { id: ID! n: Int! m: Int! = 1 }"]) func missingCommits(_ version: Int, _ schema: String?)
    throws
  {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(
      path: path, schema: "type Item @history { id: ID! n: Int! }", storage: StorageOptions(durability: .memory))
    for number in 1...5 { try database.run("mutation { upsertItem(data: {id: 1, n: \(number)}) }") }
    try database.close()
    try RawFile.execute(path, "DELETE FROM gqlite_log WHERE version = \(version)")
    #expect(try Database.verify(path: path) != [])
    let again = try Database(path: path)
    #expect(
      code { if let schema { try again.changeSchema(to: schema) } else { try again.compact() } } == "storage-corrupt")
    #expect(try again.run("{ Item { n } }").jsonString == #"{"Item":[{"n":5}]}"#)
    try again.close()
    #expect(try Database.verify(path: path) != [])
  }

  @Test(
    "a table that is missing",
    arguments: ["gqlite_branch_past", "gqlite_branch_content", "gqlite_branch_log", "gqlite_history_start"])
  func tables(_ table: String) throws {
    try damaged("DROP TABLE \(table)") { path in
      let database = try Database(path: path, storage: StorageOptions(access: .read))
      #expect(try database.run("{ n: count(Item) }").jsonString == #"{"n":5}"#)
      try database.close()
      var found: String?
      let code = code { found = try Database.verify(path: path).first }
      #expect(code == "storage-corrupt" || found != nil)
    }
  }

  @Test("a table without which the file is of no format", arguments: ["gqlite_branch", "gqlite_history"])
  func formats(_ table: String) throws {
    try damaged("DROP TABLE \(table)") { path in
      #expect(code { _ = try Database(path: path, storage: StorageOptions(access: .read)) } == "storage-corrupt")
    }
  }
}
