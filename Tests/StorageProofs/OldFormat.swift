import CSQLite3
import GQLBase
import GQLStorage

/// Files of formats that no version has written: they let tests see upgrades.
package enum OldFormat {
  /// The format that is written, where there are no branches.
  package static let newest: Int64 = 3
  /// The format of a file with branches.
  package static let branches: Int64 = 4
  /// One that no version knows.
  package static let unknown: Int64 = 5

  /// Makes a file of the newest format, which nobody has open, one of an earlier format, in one transaction of SQLite.
  package static func downgrade(_ path: String, to format: Int64 = 0) throws {
    let records = format < 2 ? try unchainedRecords(path) : []
    let isUnchained = "DELETE FROM gqlite_meta WHERE key IN ('folded_sum', 'newest', 'newest_sum');"
    try RawFile.execute(
      path,
      """
      BEGIN IMMEDIATE;
      \(records.joined(separator: "\n"))
      \(format < 2 ? isUnchained : "")
      DROP TABLE gqlite_history;
      DROP TABLE gqlite_history_start;
      DROP TABLE gqlite_history_sum;
      DELETE FROM gqlite_meta WHERE key IN ('history_start_sum', 'log_after');
      \(format == 0 ? withoutNumbers : "")
      PRAGMA user_version = \(format);
      COMMIT;
      PRAGMA wal_checkpoint(TRUNCATE);
      """)
  }

  private static let withoutNumbers = """
    DELETE FROM gqlite_meta WHERE key = 'schema_sum';
    ALTER TABLE gqlite_type DROP COLUMN rows;
    ALTER TABLE gqlite_type DROP COLUMN sum;
    ALTER TABLE gqlite_type DROP COLUMN given;
    ALTER TABLE gqlite_field DROP COLUMN given;
    """

  /// Returns statements that give each record the form of format 1: the change set, and its CRC-32C.
  private static func unchainedRecords(_ path: String) throws -> [String] {
    var statements: [String] = []
    try RawFile.forEachRow(path, "SELECT version, body FROM gqlite_log") { row in
      let count = Int(sqlite3_column_bytes(row, 1))
      var body = UnsafeRawBufferPointer(start: sqlite3_column_blob(row, 1), count: count).dropLast(8)
      while body.first == 0 {
        // Its cause goes: a byte 0 and a number in 4 bytes, then a name of so many bytes, or so many versions.
        let number = body.dropFirst().prefix(4).reversed().reduce(0) { $0 * 256 + Int($1) }
        body = body.dropFirst(5 + (number < 1 << 31 ? number : (number - (1 << 31)) * 8))
      }
      let sum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: body))
      let bytes = Array(body) + withUnsafeBytes(of: sum.littleEndian) { Array($0) }
      let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      statements.append("UPDATE gqlite_log SET body = x'\(digits)' WHERE version = \(sqlite3_column_int64(row, 0));")
    }
    return statements
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

  /// Calls with each row that a query gives.
  package static func forEachRow(_ path: String, _ sql: String, _ body: (OpaquePointer) -> Void) throws {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close_v2(handle)
    }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
      sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement
    else { throw Failure(message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "SQLite has no memory") }
    while true {
      let status = sqlite3_step(statement)
      if status == SQLITE_DONE { return }
      guard status == SQLITE_ROW else { throw Failure(message: String(cString: sqlite3_errmsg(handle))) }
      body(statement)
    }
  }

  /// Returns the integer that a query gives.
  package static func integer(_ path: String, _ sql: String) throws -> Int64 {
    var found: Int64?
    try forEachRow(path, sql) { row in found = found ?? sqlite3_column_int64(row, 0) }
    guard let found else { throw Failure(message: "there is no row") }
    return found
  }
}
