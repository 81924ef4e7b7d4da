import CSQLite3
import Foundation
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Programs of SQLite beside a database that has committed just now, and goes on.
@Suite struct OtherProgramTests {
  private static let schema = "type A { id: Int! }"

  private static func insert(_ id: Int, _ database: Database) throws {
    try database.run("mutation { insertA(data: {id: \(id)}) { id } }")
  }

  private static func execute(_ handle: OpaquePointer?, _ sql: String) -> Int32 {
    sqlite3_exec(handle, sql, nil, nil, nil)
  }

  /// A lock that goes soon is waited for, also by a commit that follows another.
  @Test func aLockIsWaitedFor() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: StorageOptions(durability: .normal))
    try Self.insert(1, database)
    var other: OpaquePointer?
    #expect(sqlite3_open(path, &other) == SQLITE_OK)
    defer { sqlite3_close(other) }
    #expect(Self.execute(other, "BEGIN IMMEDIATE") == SQLITE_OK)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? Self.insert(2, database)
      done.signal()
    }
    usleep(50_000)
    #expect(database.count(of: "A") == 1)
    #expect(Self.execute(other, "ROLLBACK") == SQLITE_OK)
    done.wait()
    #expect(database.count(of: "A") == 2)
    try Self.insert(3, database)
    try database.close()
    #expect(try Database(path: path).count(of: "A") == 3)
  }

  @Test func whatItWritesIsNoticed() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: StorageOptions(durability: .normal))
    for id in 1...3 { try Self.insert(id, database) }
    var other: OpaquePointer?
    #expect(sqlite3_open(path, &other) == SQLITE_OK)
    defer { sqlite3_close(other) }
    #expect(Self.execute(other, "CREATE TABLE other(x)") == SQLITE_OK)
    let error = #expect(throws: QueryError.self) { try Self.insert(4, database) }
    #expect(error?.problems.first?.code == "storage-changed")
    #expect(database.count(of: "A") == 3)
  }

  /// It reads all that is committed between two commits.
  @Test func itReadsWhatIsCommitted() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: StorageOptions(durability: .normal))
    for id in 1...20 {
      try Self.insert(id, database)
      #expect(try Database(path: path, storage: StorageOptions(access: .read)).count(of: "A") == id)
    }
    try database.close()
  }

  /// The write-ahead log begins anew after each checkpoint, however many commits follow one another.
  @Test func theLogStaysShort() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: StorageOptions(durability: .normal))
    let query = try database.prepare("mutation($id: Int!) { insertA(data: {id: $id}) { id } }")
    for id in 0..<6000 { _ = try query.run(["id": .int(Int64(id))]) }
    let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
    #expect(size > 0 && size < 1200 * 4200)
    try database.close()
    #expect(try Database(path: path).count(of: "A") == 6000)
  }
}
