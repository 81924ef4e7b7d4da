import CSQLite3
import GQLBase

/// A SQLite file, open for reading.
final class SQLiteConnection {
  /// Why the file could not be read.
  struct Failure: Error { let message: String }

  private let handle: OpaquePointer
  /// What may end a statement before its end.
  private let interruption: Interruption?

  /// Opens a file, which is never written, nor is anything beside it.
  init(path: String, _ interruption: Interruption? = nil) throws(Failure) {
    guard !path.utf8.contains(0) else { throw Failure(message: "a name with U+0000 in it") }
    var opened: OpaquePointer?
    let status = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
    guard status == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "SQLite has no memory"
      if let opened { sqlite3_close_v2(opened) }
      throw Failure(message: message)
    }
    handle = opened
    self.interruption = interruption
    // A file from elsewhere must not make SQLite call functions or trust views.
    sqlite3_exec(opened, "PRAGMA trusted_schema = 0; PRAGMA query_only = 1", nil, nil, nil)
    guard interruption != nil else { return }
    // Safe because the connection, which is passed unretained, closes the handle when it goes.
    sqlite3_progress_handler(
      opened, 10_000,
      { connection in
        guard let connection else { return 0 }
        return Unmanaged<SQLiteConnection>.fromOpaque(connection).takeUnretainedValue().isDue ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private var isDue: Bool { interruption?.isDue ?? false }

  deinit { sqlite3_close_v2(handle) }

  /// A statement over the file.
  func statement(_ sql: String) throws(Failure) -> SQLiteRows {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw Failure(message: String(cString: sqlite3_errmsg(handle)))
    }
    return SQLiteRows(statement, self)
  }

  fileprivate var message: String { String(cString: sqlite3_errmsg(handle)) }

  /// A name as SQL writes it.
  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// Whether a file begins as SQLite's do.
  static func isDatabase(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.starts(with: "SQLite format 3\0".utf8)
  }
}

/// The rows of a statement.
final class SQLiteRows {
  private let handle: OpaquePointer
  private let connection: SQLiteConnection

  fileprivate init(_ handle: OpaquePointer, _ connection: SQLiteConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ index: Int32, _ text: String) {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_text(handle, index, text, Int32(clamping: text.utf8.count), transient)
  }

  /// Goes to the next row; false behind the last.
  func next() throws(SQLiteConnection.Failure) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteConnection.Failure(message: connection.message)
    }
  }

  enum Kind { case null, integer, real, text, blob }

  func kind(_ column: Int) -> Kind {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }
  func real(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

  func text(_ column: Int) -> String {
    withBytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of a text or blob, valid in `body` only.
  func withBytes<Result>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let isBlob = sqlite3_column_type(handle, Int32(column)) == SQLITE_BLOB
    // Asking for the count of a text may convert it to UTF-8, which frees what was given before: the text comes first.
    let start =
      isBlob
      ? UnsafeRawPointer(sqlite3_column_blob(handle, Int32(column)))
      : UnsafeRawPointer(sqlite3_column_text(handle, Int32(column)))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return body(UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count))
  }
}
