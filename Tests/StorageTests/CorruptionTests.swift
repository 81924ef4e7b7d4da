import CSQLite3
import Foundation
import GQLite
import StorageProofs
import Testing

/// Files that are damaged, or of others: opening ends with an error, or with the content that was written; see
/// ``CorruptionProof``.
@Suite struct CorruptionTests {
  @Test func damaged() {
    Tries.expect(
      CorruptionProof.run(files: 660 * Tries.factor, seed: Tries.seed, jobs: 2), atLeast: 660 * Tries.factor, "files")
  }

  @Test func filesOfOthers() throws {
    let folder = try Folder()
    let path = folder.file("other")
    func sqlite(_ sql: String) {
      var handle: OpaquePointer?
      try? FileManager.default.removeItem(atPath: path)
      sqlite3_open(path, &handle)
      #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
      sqlite3_close(handle)
    }
    sqlite("CREATE TABLE a(b); INSERT INTO a VALUES (1)")
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(CorruptionProof.open(path) == .code("storage-corrupt"))
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(!FileManager.default.fileExists(atPath: path + "-lock"))
    sqlite("PRAGMA journal_mode = WAL; PRAGMA application_id = 7; CREATE TABLE a(b)")
    #expect(CorruptionProof.open(path) == .code("storage-corrupt"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["other"])
    // A lock that was there stays.
    try Data().write(to: URL(filePath: path + "-lock"))
    #expect(CorruptionProof.open(path) == .code("storage-corrupt"))
    #expect(FileManager.default.fileExists(atPath: path + "-lock"))
    try FileManager.default.removeItem(atPath: path + "-lock")
    // Nothing but a header.
    try Data("SQLite format 3\0".utf8 + [UInt8](repeating: 7, count: 4080)).write(to: URL(filePath: path))
    #expect(CorruptionProof.open(path) == .code("storage-corrupt"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["other"])
    sqlite("PRAGMA application_id = 0x47514C64; PRAGMA user_version = 1; CREATE TABLE a(b)")
    guard case .code = CorruptionProof.open(path) else {
      return #expect(Bool(false), "a file without tables of ours is opened")
    }
    let text = Data(String(repeating: "this is a text, and no database\n", count: 400).utf8)
    try text.write(to: URL(filePath: path))
    #expect(CorruptionProof.open(path) == .code("storage-corrupt"))
    #expect(try Data(contentsOf: URL(filePath: path)) == text)
    // Zeros alone are no file in the making: that has a journal beside it.
    let zeros = Data(count: 8192)
    try zeros.write(to: URL(filePath: path))
    #expect(CorruptionProof.open(path) == .code("storage-corrupt"))
    #expect(try Data(contentsOf: URL(filePath: path)) == zeros)
    #expect(CorruptionProof.open(folder.path) == .code("storage-failed"))
    #expect(CorruptionProof.open(folder.file("missing")) == .code("storage-failed"))
    #expect(CorruptionProof.open(folder.file("a/b")) == .code("storage-failed"))
    #expect(CorruptionProof.open("") == .code("storage-failed"))
    mkfifo(folder.file("fifo"), 0o600)
    #expect(CorruptionProof.open(folder.file("fifo")) == .code("storage-failed"))
    #expect(CorruptionProof.open(folder.file("fifo"), access: .read) == .code("storage-failed"))
    symlink(folder.file("loop"), folder.file("loop"))
    #expect(CorruptionProof.open(folder.file("loop")) == .code("storage-failed"))
    symlink(folder.file("nowhere/at/all"), folder.file("dangling"))
    #expect(CorruptionProof.open(folder.file("dangling")) == .code("storage-failed"))
  }

  @Test func versionsAndMeta() throws {
    let folder = try Folder()
    let original = try CorruptionProof.Original(isClosed: true, seed: Tries.seed, folder)
    let path = folder.file("changed.gqlite")
    func changed(_ sql: String) throws -> CorruptionProof.Outcome {
      try original.write(path, original.file, [])
      var handle: OpaquePointer?
      sqlite3_open(path, &handle)
      #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
      sqlite3_close(handle)
      return CorruptionProof.open(path)
    }
    #expect(try changed("PRAGMA user_version = 5") == .code("storage-version"))
    #expect(try changed("PRAGMA user_version = 2147483647") == .code("storage-version"))
    #expect(try changed("PRAGMA application_id = 1") == .code("storage-corrupt"))
    // What others leave beside our tables changes nothing.
    #expect(try changed("CREATE TABLE mine(a); CREATE INDEX i ON mine(a)") == .content(original.last))
    // A text and bytes differ, where their bytes do not; and a log leads to the newest version.
    let id = try RawFile.integer(
      folder.file("original.gqlite"),
      "SELECT f.number FROM gqlite_field f JOIN gqlite_type t ON t.number = f.type AND t.name = 'Item' WHERE f.name = 'id'"
    )
    let type = try RawFile.integer(
      folder.file("original.gqlite"), "SELECT number FROM gqlite_type WHERE name = 'Item'")
    #expect(
      try changed("UPDATE gqlite_t\(type) SET f\(id) = CAST(f\(id) AS BLOB) WHERE typeof(f\(id)) = 'text'")
        == .code("storage-corrupt"))
    #expect(
      try changed(
        "DELETE FROM gqlite_log WHERE version > 20 AND (SELECT value FROM gqlite_meta WHERE key = 'folded') > 20")
        == .code("storage-corrupt"))
    let statements = [
      "PRAGMA user_version = -1", "PRAGMA user_version = 0", "PRAGMA user_version = 1", "PRAGMA user_version = 2",
      "PRAGMA user_version = 4",
      "DROP TABLE gqlite_history",
      "UPDATE gqlite_meta SET value = 'x' WHERE key = 'folded'",
      "UPDATE gqlite_meta SET value = -5 WHERE key = 'folded'", "UPDATE gqlite_meta SET value = 1 WHERE key = 'folded'",
      "UPDATE gqlite_meta SET value = 9e18 WHERE key = 'folded'",
      "UPDATE gqlite_meta SET value = value + 1 WHERE key = 'folded'",
      "UPDATE gqlite_meta SET value = value + 1 WHERE key = 'folded_sum'",
      "UPDATE gqlite_meta SET value = value + 1 WHERE key = 'newest'",
      "UPDATE gqlite_meta SET value = value + 1 WHERE key = 'newest_sum'",
      "DELETE FROM gqlite_meta WHERE key = 'newest'", "DELETE FROM gqlite_meta WHERE key = 'schema_sum'",
      "DELETE FROM gqlite_meta", "DROP TABLE gqlite_meta",
      "UPDATE gqlite_meta SET value = 'type X { id: ID! }' WHERE key = 'schema'",
      "UPDATE gqlite_meta SET value = '' WHERE key = 'schema'",
      "UPDATE gqlite_meta SET value = 'type {' WHERE key = 'schema'", "DROP TABLE gqlite_log",
      "DELETE FROM gqlite_type", "UPDATE gqlite_type SET number = number + 10", "DELETE FROM gqlite_field",
      "UPDATE gqlite_field SET name = 'x' WHERE name = 'seq'", "DROP TABLE gqlite_t1", "DROP TABLE gqlite_t3",
      "DELETE FROM gqlite_t3 WHERE row = 4", "DELETE FROM gqlite_t3", "UPDATE gqlite_t3 SET row = row + 1000",
      "UPDATE gqlite_t3 SET row = -1 WHERE row = 3", "UPDATE gqlite_t3 SET v = 5 WHERE row = 3",
      "UPDATE gqlite_t3 SET status = 2 WHERE row = 3", "UPDATE gqlite_t3 SET extra = x'00' WHERE row = 3",
      "UPDATE gqlite_t3 SET row = 4000000000 WHERE row = (SELECT max(row) FROM gqlite_t3)",
      "UPDATE gqlite_t3 SET row = 9223372036854775807 WHERE row = (SELECT max(row) FROM gqlite_t3)",
      "INSERT OR REPLACE INTO gqlite_log VALUES (1, 0, x'')", "INSERT INTO gqlite_log VALUES (1000000, 0, x'00')",
      "INSERT INTO gqlite_t3(row, v, status, sum) VALUES (5000, 1, 1, 0)", "ALTER TABLE gqlite_t3 ADD COLUMN more",
      "DROP VIEW Item; CREATE VIEW Item AS SELECT 1",
    ]
    for sql in statements {
      switch try changed(sql) {
      case .code(let code): #expect(CorruptionProof.codes.contains(code), "\(sql): \(code)")
      case .content(let found):
        #expect(found == original.last, "\(sql): \(Proofs.firstDifference(found, original.last))")
      }
    }
  }
}
