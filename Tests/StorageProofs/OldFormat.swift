import CSQLite3
import GQLStorage

/// Files of format 0, which no version has written: they let tests see an upgrade.
package enum OldFormat {
  /// Makes a file of format 1, which nobody has open, one of format 0, in one transaction of SQLite.
  package static func downgrade(_ path: String) throws {
    try RawFile.execute(
      path,
      """
      BEGIN IMMEDIATE;
      ALTER TABLE gqlite_type DROP COLUMN rows;
      ALTER TABLE gqlite_type DROP COLUMN sum;
      ALTER TABLE gqlite_type DROP COLUMN given;
      ALTER TABLE gqlite_field DROP COLUMN given;
      PRAGMA user_version = 0;
      COMMIT;
      PRAGMA wal_checkpoint(TRUNCATE);
      """)
  }
}

/// A file of SQLite, without the library.
package enum RawFile {
  package struct Failure: Error {
    package let message: String
  }

  package static func execute(_ path: String, _ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK,
      sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    else { throw Failure(message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "SQLite has no memory") }
  }

  /// Returns the integer that a query gives.
  package static func integer(_ path: String, _ sql: String) throws -> Int64 {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close_v2(handle)
    }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
      sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW
    else { throw Failure(message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "SQLite has no memory") }
    return sqlite3_column_int64(statement, 0)
  }
}
