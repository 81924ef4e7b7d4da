import CSQLite

/// An in-memory SQLite database, tuned for speed: no journal, no locks between threads.
final class SQLiteDatabase {
  private let handle: OpaquePointer

  init() throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(":memory:", &opened, flags, nil) == SQLITE_OK, let opened else {
      throw Failure("SQLite does not open")
    }
    handle = opened
    try execute(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY; PRAGMA locking_mode=EXCLUSIVE")
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw Failure("\(message)\n\(sql)") }
  }

  func prepare(_ sql: String) throws -> SQLiteStatement {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK, let statement else {
      throw Failure("\(message)\n\(sql)")
    }
    return SQLiteStatement(statement, database: self)
  }

  /// Lines of `EXPLAIN QUERY PLAN`.
  func plan(_ sql: String) throws -> [String] {
    let statement = try prepare("EXPLAIN QUERY PLAN " + sql)
    var lines: [String] = []
    while try statement.step() { lines.append(statement.text(column: 3)) }
    return lines
  }

  /// Bytes that SQLite has allocated, all databases together.
  static var memoryUsed: Int { Int(sqlite3_memory_used()) }

  fileprivate var message: String { String(cString: sqlite3_errmsg(handle)) }
}

/// A prepared statement.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let database: SQLiteDatabase

  fileprivate init(_ handle: OpaquePointer, database: SQLiteDatabase) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ index: Int32, _ value: Int) { sqlite3_bind_int64(handle, index, Int64(value)) }
  func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  /// Binds UTF-8 that stays valid until the statement is stepped and reset.
  func bind(_ index: Int32, borrowing bytes: UnsafeBufferPointer<UInt8>) {
    bytes.withMemoryRebound(to: CChar.self) { characters in
      // An empty buffer may have no address, which would bind NULL.
      if let address = characters.baseAddress {
        _ = sqlite3_bind_text(handle, index, address, Int32(characters.count), nil)
      } else {
        _ = sqlite3_bind_text(handle, index, "", 0, nil)
      }
    }
  }

  /// Binds a text that SQLite copies.
  func bind(_ index: Int32, _ text: String) {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), transient)
  }

  /// Goes to the next row; false after the last.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw Failure(database.message)
    }
  }

  func reset() { sqlite3_reset(handle) }

  /// Runs a statement that yields no rows, and makes it ready for the next run.
  func run() throws {
    while try step() {}
    reset()
  }

  /// The same, with parameters; those that the statement does not have are left out.
  func run(_ parameters: [Parameter]) throws {
    bind(parameters)
    try run()
  }

  private func bind(_ parameters: [Parameter]) {
    for (position, parameter) in parameters.enumerated() {
      let index = Int32(position + 1)
      switch parameter {
      case .integer(let number): bind(index, number)
      case .text(let text): bind(index, text)
      case .integers(let numbers): bind(index, "[\(numbers.map(String.init).joined(separator: ","))]")
      }
    }
  }

  func text(column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }

  /// Runs a query that yields one text, and passes its bytes, which are valid inside `use` only.
  func answer<Result>(_ parameters: [Parameter], _ use: (UnsafeBufferPointer<UInt8>) throws -> Result) throws -> Result
  {
    bind(parameters)
    defer { reset() }
    guard try step(), let text = sqlite3_column_text(handle, 0) else { throw Failure("SQLite answers with nothing") }
    return try use(UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, 0))))
  }
}
