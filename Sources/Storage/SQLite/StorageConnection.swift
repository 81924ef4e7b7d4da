import CSQLite3
import GQLBase
import GQLEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A connection to a database file. For one thread at a time.
final class StorageConnection {
  private let handle: OpaquePointer
  let path: String
  private let owner = getpid()
  /// Nil only where the file went while it was opened.
  let file: FileIdentity?
  private let isImmutable: Bool
  // Run for each transaction, so that they are not parsed each time.
  private var begin: OpaquePointer?
  private var commit: OpaquePointer?
  /// A query that is open between transactions; see ``transaction(holds:_:)``.
  private var held: OpaquePointer?
  private var isHolding = false
  /// The number of pages in the write-ahead log after the last commit.
  private var logPages = 0
  /// The number of pages from which on the log is copied into the file.
  private var checkpointPages = StorageConnection.checkpointPages
  private static let checkpointPages = 1000

  /// - Parameter isImmutable: Whether nobody changes the file, so that nothing is put beside it.
  init(path: String, isWriting: Bool, creates: Bool, isImmutable: Bool = false) throws(QueryError) {
    // Before SQLite makes it, so that nobody else may read it; what SQLite puts beside it has the same rights.
    if creates, isWriting { StoragePath.makeFile(path) }
    var opened: OpaquePointer?
    let access = isWriting ? SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0) : SQLITE_OPEN_READONLY
    // By a URI, so that another file can be attached by one.
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
    let name = StoragePath.address(path) + (isImmutable ? "?immutable=1" : "")
    let file = FileIdentity(path)
    if let file { OpenFiles.add(file) }
    let status = sqlite3_open_v2(name, &opened, flags, nil)
    guard status == SQLITE_OK, let opened else {
      if let file { OpenFiles.remove(file) }
      let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "SQLite has no memory"
      if let opened { sqlite3_close_v2(opened) }
      throw StorageProblem(status, message).error(path)
    }
    handle = opened
    self.path = path
    self.file = file
    self.isImmutable = isImmutable
    sqlite3_busy_timeout(handle, 5000)
  }

  /// A connection that only reads.
  ///
  /// SQLite reads a file in write-ahead mode with two files beside it. Where they cannot be made, because the folder is
  /// read-only or the disk is full, the file is read as one that nobody changes: if no log is beside it, and nobody
  /// writes to it.
  static func reading(_ path: String, isFollowing: Bool) throws(QueryError) -> StorageConnection {
    let connection = try StorageConnection(path: path, isWriting: false, creates: false)
    guard let lack = connection.lackOfFilesBeside else { return connection }
    let (hasLog, isUsed) = (StoragePath.hasLog(path), isFollowing || FileLock.isHeld(path))
    // On a full disk, what SQLite says of it is the reason.
    if lack == .room, hasLog || isUsed { return connection }
    if hasLog { throw StorageProblem.logIsUnreadable.error(path) }
    if isUsed { throw StorageProblem.followingIsImpossible.error(path) }
    return try StorageConnection(path: path, isWriting: false, creates: false, isImmutable: true)
  }

  /// What the files beside a database lack.
  private enum Lack { case right, room }

  /// The reason why nothing can be read, where a file beside the database can be neither opened nor made, or not be
  /// made as large as it is to be.
  private var lackOfFilesBeside: Lack? {
    let status = sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", nil, nil, nil)
    switch status & 0xFF {
    case SQLITE_CANTOPEN, SQLITE_READONLY: return .right
    case SQLITE_FULL: return .room
    // IOERR_SHMOPEN, SHMSIZE and SHMMAP, of the file that processes share. Their macros are not imported.
    case SQLITE_IOERR: return [18, 19, 21].contains(status >> 8) ? .room : nil
    default: return nil
    }
  }

  /// The URI by which SQLite reads the file as this connection does, and writes nothing to it.
  var readingAddress: String { StoragePath.address(path) + "?mode=ro" + (isImmutable ? "&immutable=1" : "") }

  deinit {
    // A fork must not tidy up what its parent goes on with.
    if isForeign { return }
    sqlite3_finalize(begin)
    sqlite3_finalize(commit)
    sqlite3_finalize(held)
    sqlite3_close_v2(handle)
    if let file { OpenFiles.remove(file) }
  }

  /// The number of columns that a table may have.
  var mostColumns: Int {
    Int(min(sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1), sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1)))
  }

  // MARK: - Checkpoints

  /// Notes after each commit how long the write-ahead log is, in the place of SQLite's own checkpoints.
  func takeOverCheckpoints() {
    let hook: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
      context, _, _, pages in
      if let context { Unmanaged<StorageConnection>.fromOpaque(context).takeUnretainedValue().note(Int(pages)) }
      return SQLITE_OK
    }
    sqlite3_wal_hook(handle, hook, Unmanaged.passUnretained(self).toOpaque())
  }

  private func note(_ pages: Int) {
    // It has begun anew.
    if pages <= logPages { checkpointPages = Self.checkpointPages }
    logPages = pages
  }

  /// Indicates whether the write-ahead log is so long that it should be copied into the file.
  var isCheckpointDue: Bool { logPages >= checkpointPages }

  /// Copies the write-ahead log into the file, as far as no reader needs what is there. What fails is tried again by
  /// the next one: all that was committed is in the log.
  func checkpoint() {
    letGo()
    var (all, copied): (Int32, Int32) = (-1, -1)
    // Without a name it would be the log of an attached file too.
    let status = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &all, &copied)
    // A reader is in the way.
    if status != SQLITE_OK || copied < all { checkpointPages = logPages + Self.checkpointPages / 10 }
  }

  /// Indicates whether the file has been removed, emptied or replaced since it was opened.
  var isReplaced: Bool { FileIdentity(ofContentAt: path) != file }

  /// Indicates whether the process is a fork of the one that has opened the file.
  var isForeign: Bool { getpid() != owner }

  /// The error of a result code.
  func error(_ status: Int32) -> QueryError {
    StorageProblem(status, String(cString: sqlite3_errmsg(handle))).error(path)
  }

  /// Runs statements that answer nothing.
  func execute(_ sql: String) throws(QueryError) {
    if sqlite3_get_autocommit(handle) != 0 { letGo() }
    let status = sqlite3_exec(handle, sql, nil, nil, nil)
    if status != SQLITE_OK { throw error(status) }
  }

  /// Runs a statement that is prepared once.
  private func run(_ sql: String, _ statement: inout OpaquePointer?) throws(QueryError) {
    if statement == nil {
      let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
      if status != SQLITE_OK { throw error(status) }
    }
    let status = sqlite3_step(statement)
    if status == SQLITE_DONE {
      sqlite3_reset(statement)
      return
    }
    let failure = error(status)
    sqlite3_reset(statement)
    throw failure
  }

  /// A number that differs after a transaction of this connection, or one of another that this one has seen. Within a
  /// transaction it has seen all.
  var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, nil, SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  func prepare(_ sql: String) throws(QueryError) -> StorageStatement {
    var statement: OpaquePointer?
    let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard status == SQLITE_OK, let statement else { throw error(status) }
    return StorageStatement(statement, self)
  }

  /// The integer in the first column of a statement's first row; nil if there is none.
  func integer(_ sql: String) throws(QueryError) -> Int64? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The text in the first column of a statement's first row; nil if there is none.
  func text(_ sql: String) throws(QueryError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.string(0) : nil
  }

  /// Returns whether a table has a column.
  func hasColumn(_ column: String, in table: String) throws(QueryError) -> Bool {
    try integer("SELECT count(*) FROM pragma_table_info('\(table)') WHERE name = '\(column)'") != 0
  }

  /// Runs `body`, which sees one state of the file. Within another one it sees the same.
  func reading(_ body: () throws(QueryError) -> Void) throws(QueryError) {
    if sqlite3_get_autocommit(handle) == 0 { return try body() }
    try execute("BEGIN")
    do throws(QueryError) {
      try body()
      try execute("COMMIT")
    } catch {
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  private func beginWriting() throws(QueryError) {
    if isHolding, begin != nil {
      let status = sqlite3_step(begin)
      if status == SQLITE_DONE {
        sqlite3_reset(begin)
        return
      }
      let failure = error(status)
      sqlite3_reset(begin)
      letGo()
      // Another program writes, or has written. It is waited for only where no query is open.
      if status & 0xFF != SQLITE_BUSY { throw failure }
    }
    try run("BEGIN IMMEDIATE", &begin)
  }

  /// Opens a query, which goes on after the transaction. What fails makes the next one slower only.
  private func hold() {
    if isHolding { return }
    if held == nil {
      sqlite3_prepare_v3(handle, "SELECT 1 FROM sqlite_schema", -1, UInt32(SQLITE_PREPARE_PERSISTENT), &held, nil)
    }
    isHolding = sqlite3_step(held) == SQLITE_ROW
    if !isHolding { sqlite3_reset(held) }
  }

  /// Ends the query that is open between transactions.
  private func letGo() {
    if !isHolding { return }
    isHolding = false
    sqlite3_reset(held)
  }

  /// Runs `body` as one transaction.
  ///
  /// Where it holds, a query stays open after it. So SQLite keeps its place in the write-ahead log, and the next
  /// transaction takes one lock instead of three. Nothing is copied into the file meanwhile: the query ends before each
  /// checkpoint, and before everything else that is run.
  func transaction(holds: Bool = false, _ body: () throws(QueryError) -> Void) throws(QueryError) {
    if !holds { letGo() }
    try beginWriting()
    do throws(QueryError) {
      if holds { hold() }
      try body()
      try run("COMMIT", &commit)
    } catch {
      letGo()
      // Some failures have rolled it back already.
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }
}

/// A prepared statement, run again and again.
final class StorageStatement {
  private let statement: OpaquePointer
  private let connection: StorageConnection

  fileprivate init(_ statement: OpaquePointer, _ connection: StorageConnection) {
    self.statement = statement
    self.connection = connection
  }

  deinit { sqlite3_finalize(statement) }

  // MARK: - Running

  /// Goes to the next row. Returns false at the end.
  func step() throws(QueryError) -> Bool {
    let status = sqlite3_step(statement)
    if status == SQLITE_ROW { return true }
    if status == SQLITE_DONE { return false }
    let error = connection.error(status)
    sqlite3_reset(statement)
    throw error
  }

  /// Runs a statement that answers nothing, and makes it ready to be run again.
  func run() throws(QueryError) {
    _ = try step()
    sqlite3_reset(statement)
  }

  func reset() { sqlite3_reset(statement) }

  // MARK: - Parameters, from 1

  func bind(_ number: Int32, _ value: Int64) { sqlite3_bind_int64(statement, number, value) }
  func bind(_ number: Int32, _ value: Double) { sqlite3_bind_double(statement, number, value) }
  func bindNull(_ number: Int32) { sqlite3_bind_null(statement, number) }

  /// Binds a text; the bytes must outlive the run.
  func bind(_ number: Int32, text bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      sqlite3_bind_text(statement, number, "", 0, nil)
      return
    }
    sqlite3_bind_text64(
      statement, number, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
  }

  /// Binds bytes, which must outlive the run.
  func bind(_ number: Int32, blob bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      sqlite3_bind_zeroblob(statement, number, 0)
      return
    }
    sqlite3_bind_blob64(statement, number, start, UInt64(bytes.count), nil)
  }

  // MARK: - Columns, from 0

  func type(_ number: Int32) -> Int32 { sqlite3_column_type(statement, number) }
  func integer(_ number: Int32) -> Int64 { sqlite3_column_int64(statement, number) }
  func double(_ number: Int32) -> Double { sqlite3_column_double(statement, number) }

  /// A text or bytes; valid until the next step.
  func bytes(_ number: Int32) -> UnsafeRawBufferPointer {
    // A text is read as such first, since the file may be of another encoding.
    if sqlite3_column_type(statement, number) == SQLITE_TEXT {
      let start = sqlite3_column_text(statement, number)
      return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, number)))
    }
    let start = sqlite3_column_blob(statement, number)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, number)))
  }

  func string(_ number: Int32) -> String { String(decoding: bytes(number), as: UTF8.self) }
}
