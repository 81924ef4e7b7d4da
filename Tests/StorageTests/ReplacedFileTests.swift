import Foundation
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Files with two names, and files that go, are emptied or are replaced while they are open.
@Suite struct ReplacedFileTests {
  private static let insertion = "mutation { n: insertA(data: {id: %}) { id } }"

  private static func code(_ body: () throws -> Void) -> String? {
    do { try body() } catch let error as QueryError { return error.problems.first?.code } catch { return "\(error)" }
    return nil
  }

  private static func insert(_ id: Int, _ database: Database) throws {
    try database.run(insertion.replacing("%", with: "\(id)"))
  }

  @Test func hardLinks() throws {
    let folder = try Folder()
    let (path, other) = (folder.file("a.gqlite"), folder.file("b.gqlite"))
    try Database(path: path, schema: "type A { id: ID! }").close()
    try FileManager.default.linkItem(atPath: path, toPath: other)
    #expect(Self.code { _ = try Database(path: path) } == "storage-failed")
    #expect(Self.code { _ = try Database(path: other) } == "storage-failed")
    #expect(try Database(path: other, storage: StorageOptions(access: .read)).count(of: "A") == 0)
    try FileManager.default.removeItem(atPath: other)
    try Self.insert(1, try Database(path: path))
  }

  @Test(arguments: ["removed", "emptied", "replaced"]) func goneWhileOpen(_ how: String) throws {
    let folder = try Folder()
    let (path, other) = (folder.file("a.gqlite"), folder.file("b.gqlite"))
    let database = try Database(path: path, schema: "type A { id: ID! }")
    let follower = try Database(path: path, storage: StorageOptions(access: .follow))
    try Self.insert(1, database)
    try Database(path: other, schema: "type A { id: ID! }").close()
    switch how {
    case "removed": try FileManager.default.removeItem(atPath: path)
    case "emptied": try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: 0)
    default: rename(other, path)
    }
    #expect(Self.code { try Self.insert(2, database) } == "storage-changed")
    #expect(try database.run("{ A { id } }").jsonString == #"{"A":[{"id":1}]}"#)
    #expect(Self.code { try database.close() } == nil)
    if how == "emptied" { return }
    #expect(Self.code { for _ in 0..<40 { try follower.refresh() } } == "storage-changed")
  }

  /// A file that this process has open is not opened in another way: closing that would drop the locks of SQLite.
  @Test func locksStay() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let writer = try Database(path: path, schema: "type A { id: ID! }")
    let follower = try Database(path: path, storage: StorageOptions(access: .follow))
    for number in 1...8 {
      // Each of these looks at the file.
      #expect(Database.isDatabase(path: path))
      #expect(try Database.verify(path: path) == [])
      _ = try Database(path: path, storage: StorageOptions(access: .read))
      let child = Process()
      child.executableURL = Proofs.program("gqlite")
      child.arguments = ["verify", path]
      try child.run()
      child.waitUntilExit()
      #expect(child.terminationStatus == 0)
      // Whoever took itself for the last one has removed the log.
      #expect(FileManager.default.fileExists(atPath: path + "-wal"))
      try Self.insert(number, writer)
      #expect(follower.count(of: "A") == number)
    }
  }

  @Test func emptyFiles() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    #expect(FileManager.default.createFile(atPath: path, contents: Data()))
    #expect(Self.code { _ = try Database(path: path, storage: StorageOptions(creates: false)) } == "storage-failed")
    #expect(Self.code { _ = try Database(path: path, storage: StorageOptions(access: .read)) } == "storage-failed")
    // Where a file may be made, what a process has begun to make is gone on with.
    try Self.insert(1, try Database(path: path, schema: "type A { id: ID! }"))
  }
}
