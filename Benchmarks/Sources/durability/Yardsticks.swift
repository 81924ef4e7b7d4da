import CSQLite
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A file of which one block is written again and again.
final class OverwrittenFile {
  private let descriptor: Int32
  private var block = [UInt8](repeating: 1, count: 4096)
  private var place = 0

  init(_ path: String) throws {
    descriptor = open(path, O_RDWR | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw Failure("cannot make \(path)") }
    let room = [UInt8](repeating: 0, count: 16 << 20)
    guard pwrite(descriptor, room, room.count, 0) == room.count, fsync(descriptor) == 0 else {
      throw Failure("cannot fill \(path)")
    }
  }

  deinit { close(descriptor) }

  func write() throws {
    block[0] &+= 1
    place = (place + 4096) % (16 << 20)
    guard pwrite(descriptor, block, block.count, off_t(place)) == block.count, fdatasync(descriptor) == 0 else {
      throw Failure("cannot write")
    }
  }
}

/// The same commits in SQLite.
final class SQLiteEvents {
  private var handle: OpaquePointer?
  private var insertion: OpaquePointer?

  init(_ path: String, synchronous: String) throws {
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure("SQLite cannot open \(path)") }
    sqlite3_exec(handle, "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous)", nil, nil, nil)
    sqlite3_exec(handle, "CREATE TABLE Event(id INTEGER PRIMARY KEY, text TEXT, at INTEGER)", nil, nil, nil)
    sqlite3_prepare_v2(
      handle, "INSERT INTO Event VALUES (?, 'something that happened', 1767225600000000)", -1, &insertion, nil)
  }

  deinit {
    sqlite3_finalize(insertion)
    sqlite3_close(handle)
  }

  func insert(_ id: Int) throws {
    sqlite3_bind_int64(insertion, 1, Int64(id))
    guard sqlite3_step(insertion) == SQLITE_DONE else { throw Failure("SQLite cannot insert") }
    sqlite3_reset(insertion)
  }

  /// Bytes of a plain table of the messages.
  static func messages(_ path: String, _ rows: Int) throws -> Int {
    var handle: OpaquePointer?
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure("SQLite cannot open \(path)") }
    defer { sqlite3_close(handle) }
    let sql = """
      CREATE TABLE Message(id INTEGER PRIMARY KEY, chat INTEGER, author INTEGER, createdAt INTEGER, likes INTEGER, text TEXT);
      WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n WHERE id + 1 < \(rows))
      INSERT INTO Message SELECT id, id * 7919 % 50000, id * 104729 % 100000, 1767225600000000 + id % 3600 * 1000000,
        id % 100, 'message ' || id || ' with some words that make it as long as most messages are' FROM n;
      VACUUM;
      """
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw Failure("SQLite cannot fill a table") }
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }
}
