import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Changes of fields that are out of the history: in memory, and in a file, in its log and among its records.
@Suite struct LeftOutFieldTests {
  private static let schema = """
    type A @history(versions: 3) { id: ID! n: Int seen: Int @history(off: true) tags: [String!] @history(off: true) }
    """

  private func options(_ keptBytes: Int) -> StorageOptions {
    var options = StorageOptions(recentVersions: 0)
    options.folding.logBytes = 0
    options.folding.keptBytes = keptBytes
    options.folding.delay = 0
    return options
  }

  /// - Parameter keptBytes: The bytes of the log that stay; nil for a database in memory.
  private func database(_ schema: String, _ folder: Folder, _ keptBytes: Int?) throws -> Database {
    guard let keptBytes else { return try Database(schema: schema) }
    return try Database(path: folder.file("a.gqlite"), schema: schema, storage: options(keptBytes))
  }

  private func run(_ database: Database, _ text: String, at seconds: Int64) throws {
    try database.run(text, options: RunOptions(now: seconds * 1_000_000))
  }

  private func time(_ seconds: Int) -> String { "\"1970-01-01T00:00:0\(seconds)Z\"" }

  @Test("they push no version out, and leave the time of the change that made a version", arguments: [nil, 0, 1 << 20])
  func versions(_ keptBytes: Int?) throws {
    let folder = try Folder()
    let database = try database(Self.schema, folder, keptBytes)
    try run(database, "mutation { insertA(data: {id: 1, n: 1, seen: 1}) }", at: 1)
    try run(database, "mutation { updateA(where: id == 1, set: {n: 2}) }", at: 2)
    for number in 1...3 {
      try run(database, "mutation { updateA(where: id == 1, set: {seen: \(number * 10)}) }", at: 3)
      try run(database, "mutation { updateA(where: id == 1, set: {tags: [\"t\(number)\"]}) }", at: 4)
    }
    func expect(_ version: Int, _ n: Int, _ seen: Int, _ seconds: Int, _ tag: String = "t3") throws {
      #expect(
        try database.run("query @asOf(version: \(version)) { A { n seen tags _updatedAt } }").jsonString
          == #"{"A":[{"n":\#(n),"seen":\#(seen),"tags":["\#(tag)"],"_updatedAt":\#(time(seconds))}]}"#,
        "version \(version)")
    }
    try expect(1, 1, 30, 1)
    for version in 2...7 { try expect(version, 2, 30, 2) }
    // That is the newest one.
    try expect(8, 2, 30, 4)
    try run(database, "mutation { updateA(where: id == 1, set: {n: 3, seen: 40}) }", at: 5)
    try run(database, "mutation { updateA(where: id == 1, set: {seen: 50}) }", at: 6)
    func expectAll(in database: Database) throws {
      #expect(try database.run("query @asOf(version: 0) { A { n } }").jsonString == #"{"A":[]}"#)
      try expect(1, 1, 50, 1)
      for version in 2...8 { try expect(version, 2, 50, 2) }
      try expect(9, 3, 50, 5)
      try expect(10, 3, 50, 6)
      #expect(
        try database.run("{ A { _versions { n _version _change } } }").jsonString
          == #"{"A":[{"_versions":[{"n":1,"_version":1,"_change":"CREATED"},"#
          + #"{"n":2,"_version":2,"_change":"UPDATED"},{"n":3,"_version":9,"_change":"UPDATED"}]}]}"#)
    }
    try expectAll(in: database)
    guard keptBytes != nil else { return }
    try database.compact()
    try expectAll(in: database)
    try database.close()
    // One that waits for the next change is there besides the three of versions.
    #expect(try RawFile.integer(folder.file("a.gqlite"), "SELECT count(*) FROM gqlite_history") == 4)
    #expect(try Database.verify(path: folder.file("a.gqlite")) == [])
    let again = try Database(path: folder.file("a.gqlite"), storage: options(0))
    #expect(
      try again.run("query @asOf(version: 8) { A { n seen _updatedAt } }").jsonString
        == #"{"A":[{"n":2,"seen":50,"_updatedAt":\#(time(2))}]}"#)
    try run(again, "mutation { updateA(where: id == 1, set: {n: 4}) }", at: 7)
    try again.close()
    #expect(try RawFile.integer(folder.file("a.gqlite"), "SELECT count(*) FROM gqlite_history") == 3)
    let last = try Database(path: folder.file("a.gqlite"), storage: options(0))
    // Compacting made a version. Three changes are kept: those of 2, 9 and 12.
    #expect(
      try last.run("query @asOf(version: 1) { A { n } }").jsonString == #"{"A":[{"n":1}]}"#)
    for (version, n, seconds) in [(1, 1, 1), (2, 2, 2), (8, 2, 2), (9, 3, 5), (10, 3, 5), (11, 3, 5), (12, 4, 7)] {
      #expect(
        try last.run("query @asOf(version: \(version)) { A { n _updatedAt } }").jsonString
          == #"{"A":[{"n":\#(n),"_updatedAt":\#(time(seconds))}]}"#, "version \(version)")
    }
  }

  @Test("they take no room", arguments: [nil, 0]) func room(_ keptBytes: Int?) throws {
    let folder = try Folder()
    let schema = "type A @history { id: ID! n: Int seen: Int @history(off: true) }"
    let database = try database(schema, folder, keptBytes)
    try database.run("mutation { insertA(data: [{id: 1, n: 1}, {id: 2, n: 1}]) }")
    for number in 1...40 {
      try database.run(
        "mutation { updateA(all: true, set: {seen: \(number)}) }", options: RunOptions(origin: "somebody"))
    }
    try database.run("mutation { updateA(where: id == 1, set: {n: 2}) }")
    #expect(
      try database.run("{ A { _versions { n _version _origin } } }").jsonString
        == #"{"A":[{"_versions":[{"n":1,"_version":1,"_origin":null},{"n":2,"_version":42,"_origin":null}]},"#
        + #"{"_versions":[{"n":1,"_version":1,"_origin":null}]}]}"#)
    guard keptBytes != nil else { return }
    try database.compact()
    try database.close()
    // Two that came, one that changed, and the time of the other one.
    #expect(try RawFile.integer(folder.file("a.gqlite"), "SELECT count(*) FROM gqlite_history") == 4)
  }

  @Test("their records are joined when a field leaves the history", arguments: [nil, 0, 1 << 20])
  func leavingLater(_ keptBytes: Int?) throws {
    let folder = try Folder()
    let database = try database("type A @history(versions: 2) { id: ID! n: Int seen: Int }", folder, keptBytes)
    try run(database, "mutation { insertA(data: {id: 1, n: 1}) }", at: 1)
    try run(database, "mutation { updateA(all: true, set: {seen: 1}) }", at: 2)
    try run(database, "mutation { updateA(all: true, set: {n: 2}) }", at: 3)
    let schema = "type A @history { id: ID! n: Int seen: Int @history(off: true) }"
    try database.changeSchema(to: schema)
    try run(database, "mutation { updateA(all: true, set: {seen: 2}) }", at: 4)
    try run(database, "mutation { updateA(all: true, set: {n: 3}) }", at: 5)
    let newest = Int(database.version)
    // A change of the schema of a file is a version of its own.
    for (version, n, seconds) in [(2, 1, 1), (3, 2, 3), (newest - 1, 2, 3), (newest, 3, 5)] {
      #expect(
        try database.run("query @asOf(version: \(version)) { A { n seen _updatedAt } }").jsonString
          == #"{"A":[{"n":\#(n),"seen":2,"_updatedAt":\#(time(seconds))}]}"#, "version \(version)")
    }
    // It has all that there is again.
    try database.changeSchema(to: "type A @history { id: ID! n: Int seen: Int }")
    #expect(
      try database.run("query @asOf(version: 3) { A { n seen _updatedAt } }").jsonString
        == #"{"A":[{"n":2,"seen":2,"_updatedAt":\#(time(3))}]}"#)
  }
}
