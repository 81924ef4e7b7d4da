import CSQLite3
import GQLBase

/// A SQLite file, open for reading.
final class SQLiteConnection {
  /// Why the file could not be read.
  struct Failure: Error {
    let message: String
    var problem = LoadProblem.unreadable
  }

  private let handle: OpaquePointer
  /// What may end a statement before its end.
  let watch: LoadWatch
  let path: String
  /// Holds the bytes of the file.
  private(set) var size = 0
  private var takes = 0

  /// Opens a file, which is never written, nor is anything beside it.
  init(path: String, _ watch: LoadWatch = LoadWatch()) throws(Failure) {
    guard !path.utf8.contains(0) else { throw Failure(message: "a name with U+0000 in it") }
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    let status = sqlite3_open_v2(Self.address(of: path), &opened, flags, nil)
    guard status == SQLITE_OK, let opened else {
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "SQLite has no memory"
      if let opened { sqlite3_close_v2(opened) }
      throw Failure(message: message)
    }
    handle = opened
    self.watch = watch
    self.path = path
    boundValues()
    try checkLength()
    // A file from elsewhere must not make SQLite call functions or trust views.
    // All statements see one state of it.
    sqlite3_exec(opened, "PRAGMA trusted_schema = 0; PRAGMA query_only = 1; BEGIN", nil, nil, nil)
    guard watch.interruption != nil else { return }
    // Safe because the connection, which is passed unretained, closes the handle when it goes.
    sqlite3_progress_handler(
      opened, 10_000,
      { connection in
        guard let connection else { return 0 }
        return Unmanaged<SQLiteConnection>.fromOpaque(connection).takeUnretainedValue().isDue ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Returns how SQLite is to open a file.
  ///
  /// One with a write-ahead log, of which nothing waits there, is opened as one that does not change: SQLite would put
  /// files of its own beside it otherwise.
  private static func address(of path: String) -> String {
    var address = "file:"
    for byte in path.utf8 {
      let isPlain = byte >= 0x2D && byte <= 0x39 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte == 0x5F
      if isPlain {
        address.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        address += byte < 16 ? "%0" : "%"
        address += String(byte, radix: 16)
      }
    }
    let log = try? MappedFile(path: path + "-wal", atMost: 0)
    let start = try? MappedFile(path: path, atMost: 20)
    guard let bytes = start?.bytes, bytes.count >= 20, bytes[18] == 2 || bytes[19] == 2, log?.bytes.isEmpty ?? true
    else { return address }
    return address + "?immutable=1"
  }

  /// Tells how far a table is read, while its types are found.
  func tellProfiling(_ rows: Int, of all: Int) {
    watch.progress?(
      LoadPosition(
        step: .inferring, file: path, bytes: all > 0 ? Int(Double(size) * Double(rows) / Double(all)) : 0,
        totalBytes: size, records: rows))
  }

  /// Counts bytes that were made of the file.
  func take(_ bytes: Int) throws(Failure) {
    watch.interruption?.take(bytes)
    takes &+= 1
    if takes & 0xFFFF == 0 { watch.tellOpening(path) }
    if isDue { throw Failure(message: "interrupted") }
  }

  /// Has SQLite refuse values that are longer than the memory that is left, before it reads them: a value takes several
  /// times its length on its way into the store.
  func boundValues() {
    guard let memory = watch.interruption?.memory else { return }
    let most = max(Self.leastBound, memory.limit - memory.taken)
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: most))
  }

  /// SQLite itself reads its tables of tables under the bound.
  private static let leastBound = 1 << 20

  /// Returns why a statement ended.
  fileprivate func failure(_ status: Int32) -> Failure {
    guard status == SQLITE_TOOBIG else { return Failure(message: String(cString: sqlite3_errmsg(handle))) }
    let most = Int(sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, -1))
    // Where the memory that is left was the bound, there is too little of it.
    watch.interruption?.take(most + 1)
    return Failure(message: "a value or a row is longer than \(most) bytes, the most that is read", problem: .tooLarge)
  }

  /// SQLite takes what a file that was cut off lacks of its last page as zeros, which would be rows.
  private func checkLength() throws(Failure) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    var size: Int64 = 0
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      let methods = file.pointee.pMethods, methods.pointee.xFileSize?(file, &size) == SQLITE_OK
    else { return }
    self.size = Int(size)
    let pages = try statement("PRAGMA page_size")
    guard try pages.next(), pages.integer(0) > 0, size % pages.integer(0) == 0 else {
      throw Failure(message: "the file is cut off: it ends within a page")
    }
  }

  private var isDue: Bool { watch.isDue }

  deinit { sqlite3_close_v2(handle) }

  /// A statement over the file.
  func statement(_ sql: String) throws(Failure) -> SQLiteRows { SQLiteRows([try prepare(sql)], self) }

  /// The rows of a selection in its order, with any number of columns.
  ///
  /// A statement has no more columns than a table may have, and ids come on top. What does not fit is read by further
  /// statements, which give the same rows, since a running one holds the state of the file.
  func select(_ columns: [String], _ rest: String) throws(Failure) -> SQLiteRows {
    let width = max(1, Int(sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1)))
    var parts: [OpaquePointer] = []
    do throws(Failure) {
      for start in stride(from: 0, to: columns.count, by: width) {
        let part = columns[start..<min(start + width, columns.count)]
        parts.append(try prepare("SELECT \(part.joined(separator: ", ")) \(rest)"))
      }
    } catch {
      for part in parts { sqlite3_finalize(part) }
      throw error
    }
    return SQLiteRows(parts, width: width, self)
  }

  private func prepare(_ sql: String) throws(Failure) -> OpaquePointer {
    var statement: OpaquePointer?
    boundValues()
    let status = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard status == SQLITE_OK, let statement else { throw failure(status) }
    return statement
  }

  /// A name as SQL writes it.
  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// Whether a file begins as SQLite's do.
  static func isDatabase(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.starts(with: "SQLite format 3\0".utf8)
  }
}

/// The rows of a statement, or of several that give different columns of the same rows.
final class SQLiteRows {
  private let parts: [OpaquePointer]
  /// The columns of each part but the last.
  private let width: Int
  private let connection: SQLiteConnection

  fileprivate init(_ parts: [OpaquePointer], width: Int = .max, _ connection: SQLiteConnection) {
    self.parts = parts
    self.width = width
    self.connection = connection
  }

  deinit { for part in parts { sqlite3_finalize(part) } }

  func bind(_ index: Int32, _ text: String) {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for part in parts { sqlite3_bind_text(part, index, text, Int32(clamping: text.utf8.count), transient) }
  }

  /// Goes to the next row; false behind the last.
  func next() throws(SQLiteConnection.Failure) -> Bool {
    var isRow = true
    for part in parts {
      switch sqlite3_step(part) {
      case SQLITE_ROW: break
      case SQLITE_DONE: isRow = false
      case let status: throw connection.failure(status)
      }
    }
    return isRow
  }

  enum Kind { case null, integer, real, text, blob }

  /// Returns the statement that gives a column, and its number there.
  func place(_ column: Int) -> (part: OpaquePointer, column: Int32) {
    column < width ? (parts[0], Int32(column)) : (parts[column / width], Int32(column % width))
  }

  func kind(_ column: Int) -> Kind {
    let (part, column) = place(column)
    return switch sqlite3_column_type(part, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  func integer(_ column: Int) -> Int64 {
    let (part, column) = place(column)
    return sqlite3_column_int64(part, column)
  }

  func real(_ column: Int) -> Double {
    let (part, column) = place(column)
    return sqlite3_column_double(part, column)
  }

  func text(_ column: Int) -> String {
    withBytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of a text or blob, valid in `body` only.
  func withBytes<Result>(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let (part, column) = place(column)
    // Asking for the count of a text may convert it to UTF-8, which frees what was given before: the text comes first.
    let start =
      sqlite3_column_type(part, column) == SQLITE_BLOB
      ? UnsafeRawPointer(sqlite3_column_blob(part, column)) : UnsafeRawPointer(sqlite3_column_text(part, column))
    let count = Int(sqlite3_column_bytes(part, column))
    return body(UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count))
  }
}
