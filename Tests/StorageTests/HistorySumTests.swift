import Foundation
import GQLBase
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// The counts and sums of the past in files hold after every step that adds, changes or removes records.
@Suite struct HistorySumTests {
  private static let schema = """
    type All @history { id: ID! n: Int! }
    type Few @history(versions: 2) { id: ID! n: Int! note: String }
    type Late @history(for: "P1D") { id: ID! n: Int! }
    type Order @history { id: ID! lines: [Line!] }
    type Line { text: String! }
    """
  private static var options: StorageOptions {
    var options = StorageOptions(durability: .memory, recentVersions: 0)
    options.folding.logBytes = 0
    options.folding.keptBytes = 0
    options.folding.delay = 0
    return options
  }

  private func count(_ path: String, _ table: String, where condition: String = "1") throws -> Int64 {
    try RawFile.integer(path, "SELECT count(*) FROM \(table) WHERE \(condition)")
  }

  /// Makes six commits, the third after two days.
  private func fill(_ database: Database) throws {
    let day: Int64 = 86_400_000_000
    for n in 1...6 {
      try database.run(
        """
        mutation { upsertAll(data: {id: 1, n: \(n)}) upsertFew(data: {id: 1, n: \(n), note: "n"})
          upsertLate(data: {id: \(n), n: \(n)}) upsertOrder(data: {id: \(n % 2), lines: [{text: "\(n)"}]}) }
        """,
        options: RunOptions(now: (n < 3 ? 20_000 : 20_002) * day + Int64(n), origin: n % 2 == 0 ? nil : "ada"))
    }
  }

  private func check(_ path: String, _ step: String) throws {
    #expect(try FileSums.problem(path) == nil, "\(step)")
    #expect(try Database.verify(path: path) == [], "\(step)")
  }

  @Test("sums hold after limits, erasing, changes of the schema, compacting and copies") func steps() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    var database = try Database(path: path, schema: Self.schema, storage: Self.options)
    func reopen(_ step: String) throws {
      try database.close()
      try check(path, step)
      database = try Database(path: path, storage: Self.options)
    }
    try fill(database)
    try reopen("filled")
    let few = "type = (SELECT number FROM gqlite_type WHERE name = 'Few')"
    #expect(try count(path, "gqlite_history", where: few) == 2)
    // Six of All, two of Few, six of Order, six of Line; of Late those of the last day at least.
    #expect(try count(path, "gqlite_history") >= 6 + 2 + 6)
    #expect(try count(path, "gqlite_history_origin") == 3)
    try database.run("mutation { deleteOrder(where: id == 1, hard: true) }")
    try reopen("erased")
    try database.backup(to: folder.file("b.gqlite"))
    try check(folder.file("b.gqlite"), "copied")
    try database.changeSchema(to: Self.schema.replacing("note: String", with: "extra: Int = 1"), allowingLoss: true)
    try reopen("another field")
    try database.compact()
    try reopen("compacted")
    try database.changeSchema(to: "type All @history { id: ID! n: Int! } type New { id: ID! }", allowingLoss: true)
    try database.run("mutation { updateAll(where: id == 1, set: {n: 7}) }", options: RunOptions(origin: "bob"))
    try reopen("fewer types")
    #expect(try count(path, "gqlite_history_sum", where: "type != 0") == 1)
    #expect(try database.run("{ All(versions: ALL, orderBy: _version) { n } }").jsonString.contains(#"{"n":7}"#))
    try database.changeSchema(to: "type New { id: ID! }", allowingLoss: true)
    try reopen("no past")
    #expect(try count(path, "gqlite_history_sum") == 0)
  }

  @Test("a copy of an earlier version has the sums of its records") func earlierCopy() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: Self.options)
    try fill(database)
    // It does not follow what is written and folded then.
    let reader = try Database(path: path, storage: StorageOptions(access: .read))
    try database.run("mutation { updateAll(where: id == 1, set: {n: 7}) }", options: RunOptions(origin: "bob"))
    try database.run("mutation { updateAll(where: id == 1, set: {n: 8}) }", options: RunOptions(origin: "bob"))
    try database.close()
    try reader.backup(to: folder.file("b.gqlite"))
    try check(folder.file("b.gqlite"), "copied")
    #expect(try reader.run("{ All { n } }").jsonString == #"{"All":[{"n":6}]}"#)
  }

  /// Makes a database in whose file 9,000 versions of one entity are in three spans.
  private func makeLong(_ path: String) throws {
    let database = try Database(path: path, schema: "type A @history { id: ID! n: Int! }", storage: Self.options)
    try database.run("mutation { insertA(data: {id: 1, n: 0}) }")
    let update = try database.prepare("mutation($n: Int!) { updateA(where: id == 1, set: {n: $n}) }")
    for n in 1..<9000 { try update.run(["n": .int(Int64(n))]) }
    try database.close()
    #expect(try count(path, "gqlite_history") == 9000)
  }

  @Test("a span has 4096 records at most where commits are small, and damage of one is not that of another")
  func spans() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    try makeLong(path)
    #expect(try count(path, "gqlite_history_sum") == 3)
    #expect(try RawFile.integer(path, "SELECT max(records) FROM gqlite_history_sum") == 4096)
    try check(path, "long")
    try RawFile.execute(path, "DELETE FROM gqlite_history WHERE version = 5000")
    #expect(try Database.verify(path: path).count == 1)
    let database = try Database(path: path, storage: Self.options)
    // Versions after the second span are read without it.
    #expect(try database.run("query @asOf(version: 8500) { A { n } }").jsonString == #"{"A":[{"n":8499}]}"#)
    for version in [100, 4500, 5500] {
      #expect(throws: QueryError.self) { try database.run("query @asOf(version: \(version)) { A { n } }") }
    }
    #expect(throws: QueryError.self) { try database.run("{ A { _versions(limit: 1) { n } } }") }
    // The database itself goes on, and what is written later is read.
    try database.run("mutation { updateA(where: id == 1, set: {n: -1}) }")
    #expect(try database.run("query @asOf(version: 9000) { A { n } }").jsonString == #"{"A":[{"n":8999}]}"#)
  }

  @Test("a file without sums is read, and gets them when it is written to") func earlier() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: Self.options)
    try fill(database)
    let question = "{ All(versions: ALL, orderBy: _version) { n _origin } }"
    let answer = try database.run(question).jsonString
    try database.close()
    try RawFile.execute(
      path, "DROP TABLE gqlite_history_sum; DELETE FROM gqlite_meta WHERE key = 'history_start_sum'")
    let reader = try Database(path: path, storage: StorageOptions(access: .read))
    #expect(try reader.run(question).jsonString == answer)
    try reader.backup(to: folder.file("b.gqlite"))
    try check(folder.file("b.gqlite"), "copied")
    let again = try Database(path: path, storage: Self.options)
    try again.run("mutation { updateAll(where: id == 1, set: {n: 7}) }")
    try again.close()
    try check(path, "written")
    #expect(try count(path, "gqlite_history_sum") > 0)
  }

  @Test("a copy of a file whose past is damaged is damaged, too") func damagedCopy() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: Self.options)
    try fill(database)
    try database.close()
    try RawFile.execute(
      path, "DELETE FROM gqlite_history WHERE version = 3; UPDATE gqlite_history_start SET version = 1")
    try Database(path: path, storage: StorageOptions(access: .read)).backup(to: folder.file("b.gqlite"))
    // One problem of the starts, and one for each type that has lost a record.
    #expect(try Database.verify(path: folder.file("b.gqlite")).count > 1)
  }
}
