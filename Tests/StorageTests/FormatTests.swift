import CSQLite3
import Foundation
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// One file of each format, as it was written once: each is read, and one of before is upgraded.
///
/// `GQLITE_UPDATE_FILES=1` writes those that are missing; what was written once stays.
@Suite struct FormatTests {
  private static let formats: [Int64] = [0, 1, 2, 3]
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Files")
  private static func file(_ format: Int64) -> URL { folder.appending(path: "format-\(format).gqlite") }

  private static let schema = """
    enum Kind { BOOK LAMP }
    type Maker { id: ID! name: String! products: [Product] @relation(inverse: "maker") }
    type Product {
      id: ID!
      name: String! @index
      price: Decimal
      kind: Kind
      tags: [String!]
      made: DateTime
      size: Size
      maker: Maker
    }
    type Size { width: Float height: Float }
    """
  private static let everything = """
    { Maker(orderBy: id) { id name products { id } }
      Product(orderBy: id, deleted: INCLUDE) { id name price kind tags made size { width height } maker { id } _status } }
    """
  /// What the files hold, written by hand.
  private static let content =
    #"{"Maker":[{"id":"m1","name":"Ada","products":[{"id":1},{"id":2}]}],"#
    + #""Product":[{"id":1,"name":"Lamp","price":19.50,"kind":"LAMP","tags":["a","b"],"#
    + #""made":"2026-01-02T03:04:05.678901Z","size":{"width":1.5,"height":null},"maker":{"id":"m1"},"_status":"CREATED"},"#
    + #"{"id":2,"name":"Book","price":null,"kind":"BOOK","tags":null,"made":null,"size":null,"maker":{"id":"m1"},"#
    + #""_status":"CREATED"},"#
    + #"{"id":3,"name":"Rug","price":80,"kind":null,"tags":null,"made":null,"size":null,"maker":null,"#
    + #""_status":"DELETED"}]}"#

  private static func make(_ path: String) throws {
    let database = try Database(path: path, schema: schema)
    try database.run(
      """
      mutation {
        insertMaker(data: {id: "m1", name: "Ada"}) { id }
        insertProduct(data: [
          {id: 1, name: "Lamp", price: 19.50, kind: LAMP, tags: ["a", "b"], made: "2026-01-02T03:04:05.678901Z",
           size: {width: 1.5}, maker: "m1"},
          {id: 2, name: "Book", kind: BOOK, maker: "m1"}, {id: 3, name: "Rug", price: 80}]) { id }
      }
      """)
    try database.run("mutation { deleteProduct(where: id == 3) { id } }")
    try database.close()
  }

  private func digest(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  private func copy(_ format: Int64, _ folder: Folder) throws -> String {
    let path = folder.file("format-\(format).gqlite")
    try FileManager.default.copyItem(at: Self.file(format), to: URL(filePath: path))
    return path
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["GQLITE_UPDATE_FILES"] == "1"))
  func write() throws {
    for format in Self.formats {
      let folder = try Folder()
      let path = folder.file("made.gqlite")
      try Self.make(path)
      if FileManager.default.fileExists(atPath: Self.file(format).path) { continue }
      if format < OldFormat.newest {
        try OldFormat.downgrade(path, to: format)
        try RawFile.execute(path, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try FileManager.default.copyItem(at: URL(filePath: path), to: Self.file(format))
    }
  }

  /// Who only reads changes no byte, whatever the format is.
  @Test(arguments: formats, [StorageOptions.Access.read, .follow])
  func reading(_ format: Int64, _ access: StorageOptions.Access) throws {
    let folder = try Folder()
    let path = try copy(format, folder)
    let before = try digest(path)
    let database = try Database(path: path, storage: StorageOptions(access: access))
    #expect(try database.run(Self.everything).jsonString == Self.content)
    #expect(database.check() == [])
    #expect(try Database.verify(path: path) == [])
    try database.close()
    #expect(try digest(path) == before)
    #expect(try RawFile.integer(path, "PRAGMA user_version") == format)
    // A copy has the newest format.
    let copy = folder.file("copy.gqlite")
    try Database(path: path, storage: StorageOptions(access: .read)).backup(to: copy)
    #expect(try RawFile.integer(copy, "PRAGMA user_version") == OldFormat.newest)
    #expect(try Database(path: copy).run(Self.everything).jsonString == Self.content)
  }

  /// A file with branches, as it was written once.
  @Test func branches() throws {
    let folder = try Folder()
    let path = folder.file("branches.gqlite")
    if ProcessInfo.processInfo.environment["GQLITE_UPDATE_FILES"] == "1",
      !FileManager.default.fileExists(atPath: Self.file(OldFormat.branches).path)
    {
      try Self.make(path)
      let database = try Database(path: path)
      let draft = try database.branch("draft")
      try draft.run(#"mutation { updateProduct(where: id == 2, set: {name: "Notebook"}) { id } }"#)
      try draft.run(#"mutation { insertProduct(data: {id: 9, name: "Pen", maker: "m1"}) { id } }"#)
      try database.run("mutation { updateProduct(where: id == 1, set: {price: 20}) { id } }")
      try database.close()
      try FileManager.default.copyItem(at: URL(filePath: path), to: Self.file(OldFormat.branches))
    } else {
      try FileManager.default.copyItem(at: Self.file(OldFormat.branches), to: URL(filePath: path))
    }
    #expect(try RawFile.integer(path, "PRAGMA user_version") == OldFormat.branches)
    let names = "{ Product(orderBy: id) { id name price } }"
    do {
      let reader = try Database(path: path, storage: StorageOptions(access: .read))
      #expect(
        try reader.branch("draft").run(names).jsonString
          == #"{"Product":[{"id":1,"name":"Lamp","price":19.50},{"id":2,"name":"Notebook","price":null},"#
          + #"{"id":9,"name":"Pen","price":null}]}"#)
    }
    let database = try Database(path: path)
    try database.branch("draft").merge(into: database)
    #expect(
      try database.run(names).jsonString
        == #"{"Product":[{"id":1,"name":"Lamp","price":20},{"id":2,"name":"Notebook","price":null},"#
        + #"{"id":9,"name":"Pen","price":null}]}"#)
    #expect(try Database.verify(path: path) == [])
  }

  @Test(arguments: formats) func writing(_ format: Int64) throws {
    let folder = try Folder()
    let path = try copy(format, folder)
    let follower = try Database(path: path, storage: StorageOptions(access: .follow))
    do {
      let database = try Database(path: path)
      #expect(try RawFile.integer(path, "PRAGMA user_version") == OldFormat.newest)
      #expect(try database.run(Self.everything).jsonString == Self.content)
      #expect(try follower.run(Self.everything).jsonString == Self.content)
      try database.run("mutation { insertProduct(data: {id: 4, name: \"Pen\", maker: \"m1\"}) { id } }")
      #expect(try follower.run("{ n: count(Product) }").jsonString == #"{"n":3}"#)
      try database.changeSchema(to: Self.schema + "\ntype Extra { id: ID! @number(value: 4) }")
      try database.close()
    }
    #expect(try follower.run("{ n: count(Product) m: count(Extra) }").jsonString == #"{"n":3,"m":0}"#)
    #expect(try Database.verify(path: path) == [])
    // A row that is missing is found from then on.
    try RawFile.execute(path, "DELETE FROM gqlite_t2 WHERE row = 1")
    #expect { try Database(path: path) } throws: { ($0 as? QueryError)?.problems.first?.code == "storage-corrupt" }
  }

  /// The upgrade is one transaction: where it fails, the file is as it was.
  @Test func anUpgradeFails() throws {
    var told = 0
    for call in 0..<400 {
      let folder = try Folder()
      let path = try copy(0, folder)
      let disk = WatchedDisk(folder.path)
      defer { disk.forget() }
      disk.fail(at: call, isFull: call % 2 == 0, isLasting: true)
      var problem: String?
      do { _ = try Database(path: path) } catch { problem = error.problems.first?.code }
      if let problem {
        told += 1
        #expect(["storage-full", "storage-failed", "storage-read-only"].contains(problem), "call \(call)")
      }
      let failures = disk.failures
      disk.recover()
      let database = try Database(path: path)
      #expect(try database.run(Self.everything).jsonString == Self.content)
      #expect(try RawFile.integer(path, "PRAGMA user_version") == OldFormat.newest)
      if failures == 0, call % 2 == 1 { break }
    }
    #expect(told > 5)
  }

  /// A file of format 1 with commits that are not folded yet, as its version has left it: killed.
  @Test func aLogOfFormat1() throws {
    let folder = try Folder()
    let path = folder.file("log.gqlite")
    try FileManager.default.copyItem(at: Self.folder.appending(path: "format-1-log.gqlite"), to: URL(filePath: path))
    let everything = "{ Product(orderBy: id, deleted: INCLUDE) { id name price maker { id } _status } }"
    // After the fourth commit; the rows hold two.
    let content =
      #"{"Product":[{"id":1,"name":"Lamp","price":18,"maker":{"id":"m1"},"_status":"CREATED"},"#
      + #"{"id":2,"name":"Book","price":null,"maker":null,"_status":"DELETED"}]}"#
    let follower = try Database(path: path, storage: StorageOptions(access: .follow))
    #expect(try follower.run(everything).jsonString == content)
    #expect(follower.version == 4)
    #expect(try Database.verify(path: path) == [])
    do {
      let database = try Database(path: path)
      #expect(try database.run(everything).jsonString == content)
      try database.run("mutation { restoreProduct(where: id == 2) { id } }")
      #expect(try follower.run("{ n: count(Product) }").jsonString == #"{"n":2}"#)
      #expect(follower.version == 5)
    }
    #expect(try Database.verify(path: path) == [])
    #expect(try Database(path: path).run("{ n: count(Product) }").jsonString == #"{"n":2}"#)
    // A commit is missing, and is missed from now on.
    let damaged = folder.file("damaged.gqlite")
    try FileManager.default.copyItem(
      at: Self.folder.appending(path: "format-1-log.gqlite"), to: URL(filePath: damaged))
    let killed = folder.file("killed.gqlite")
    do {
      let database = try Database(path: damaged)
      #expect(database.version == 4)
      for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: damaged + suffix, toPath: killed + suffix) }
    }
    try RawFile.execute(killed, "DELETE FROM gqlite_log WHERE version = 4")
    #expect { try Database(path: killed) } throws: { ($0 as? QueryError)?.problems.first?.code == "storage-corrupt" }
  }

  @Test func aNewerFormat() throws {
    let folder = try Folder()
    let path = try copy(OldFormat.newest, folder)
    try RawFile.execute(path, "PRAGMA user_version = \(OldFormat.unknown)")
    let before = try digest(path)
    for access in [StorageOptions.Access.write, .read, .follow] {
      #expect { try Database(path: path, storage: StorageOptions(access: access)) } throws: {
        ($0 as? QueryError)?.problems.first?.code == "storage-version"
      }
    }
    #expect(try digest(path) == before)
  }

  /// While a database follows it, another version of the library makes the file one of a newer format.
  @Test func aNewerFormatWhileFollowing() throws {
    let folder = try Folder()
    let path = try copy(OldFormat.newest, folder)
    let follower = try Database(path: path, storage: StorageOptions(access: .follow))
    try RawFile.execute(
      path,
      """
      PRAGMA user_version = \(OldFormat.unknown);
      UPDATE gqlite_meta SET value = value + 1 WHERE key = 'folded'
      """)
    #expect { try follower.run("{ n: count(Product) }") } throws: {
      ($0 as? QueryError)?.problems.first?.code == "storage-version"
    }
  }
}
