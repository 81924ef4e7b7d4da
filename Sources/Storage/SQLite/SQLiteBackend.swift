import CSQLite3
import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

/// A file of SQLite: a log of records, and tables of rows that people and other programs can read.
///
/// A record is a row of the log's table; a commit is one transaction of SQLite. See `docs/format.md`. For one thread at
/// a time.
///
/// ```swift
/// let database = try Database(SQLiteBackend(path: "shop.gqlite"))    // the same as Database(path: "shop.gqlite")
/// ```
public final class SQLiteBackend: StorageBackend, @unchecked Sendable {
  /// "GQLd".
  static let applicationID: Int64 = 0x4751_4C64

  /// The file's path.
  public let path: String
  private var options = StorageOptions()
  /// Nil when the file is not open.
  private var connection: StorageConnection?
  private var lock: FileLock?
  /// A layout that is made of a catalog.
  private struct Tables {
    /// Made when rows are written.
    var rows: [RowTable] = []
    /// The catalog's of `rows`.
    var version: UInt64?
    /// Nil where nothing was read yet, or the file is of a format without it.
    var history: HistoryTable?
  }
  private var tables = Tables()
  private var insertion: StorageStatement?
  private var mark: StorageStatement?
  /// How often the mark was asked for.
  private var marks: UInt = 0
  /// The connection's version of the file after what it has read or written itself.
  private var knownVersion: UInt32?
  /// The format that the file had when it was read.
  var format = StorageFormat.plain
  /// The version that the log leads to.
  private(set) var newest = StoragePoint(version: 0, sum: 0)
  /// Indicates whether the next transaction notes that version: the first one after a checkpoint does.
  private var notesNewest = true
  private let memory = StorageMemory()
  /// The id that a file was given when it was made, or is to be given.
  var identity: String?
  private(set) lazy var branches = FileBranches(self)

  /// A file; nothing is opened yet.
  public init(path: String) { self.path = path }

  /// The file's path.
  public var name: String { path }
  /// Returns true: rows are written in one transaction of SQLite.
  public var isTransactional: Bool { true }
  var isWriting: Bool { options.access == .write }

  func opened() throws(QueryError) -> StorageConnection {
    guard let connection else {
      throw QueryError(code: "storage-closed", "the database is closed", help: "open it again", file: path)
    }
    guard !connection.isForeign else {
      throw StorageProblem.failed("another process has opened it, of which this one is a fork").error(path)
    }
    return connection
  }

  // MARK: - Opening

  /// Opens the file; makes one where the options allow it.
  public func open(_ options: StorageOptions) throws {
    self.options = options
    let isWriting = options.access == .write
    if let problem = StoragePath.problem(of: path, mayBeMissing: isWriting && options.creates) {
      throw StorageProblem.unusable(problem).error(path)
    }
    if isWriting, StoragePath.hasSeveralNames(path) {
      // The files beside it are found by its name, and those of the other name are others.
      throw StorageProblem.unusable("it has several names, as hard links").error(path)
    }
    if options.access != .read, !options.allowsNetwork,
      let system = NetworkMount.name(of: path, mounts: options.mounts)
    {
      throw StorageProblem.onNetwork(system).error(path)
    }
    // Before anything is put beside it.
    if DatabaseHeader.isForeign(path) { throw StorageProblem.foreign.error(path) }
    if isWriting { lock = try FileLock(path) }
    do {
      try connect(options, isWriting: isWriting)
    } catch {
      connection = nil
      // What is of another program gets nothing beside it.
      if let lock, lock.isNew, !DatabaseHeader.isDatabase(path), !StoragePath.isMissing(path) { lock.removeFile() }
      abandon()
      throw error
    }
  }

  private func connect(_ options: StorageOptions, isWriting: Bool) throws {
    let connection =
      try isWriting
      ? StorageConnection(path: path, isWriting: true, creates: options.creates)
      : StorageConnection.reading(path, isFollowing: options.access == .follow)
    self.connection = connection
    if try isEmpty(connection) {
      guard isWriting, options.creates else { throw StorageProblem.unusable("it is empty").error(path) }
      return try configure(connection, isNew: true)
    }
    if try connection.integer("PRAGMA application_id") != Self.applicationID {
      throw StorageProblem.foreign.error(path)
    }
    // Before anything is set in a file that this version does not know.
    _ = try StorageFormat.of(connection)
    if isWriting { try configure(connection, isNew: false) }
  }

  private func isEmpty(_ connection: StorageConnection) throws(QueryError) -> Bool {
    try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
  }

  private func configure(_ connection: StorageConnection, isNew: Bool) throws(QueryError) {
    try connection.execute("PRAGMA trusted_schema = 0; PRAGMA secure_delete = FAST")
    if isNew { try connection.execute("PRAGMA auto_vacuum = INCREMENTAL") }
    guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
      throw StorageProblem.failed("its file system has no write-ahead log").error(path)
    }
    try connection.execute("PRAGMA synchronous = \(options.durability == .full ? "FULL" : "NORMAL")")
    try connection.execute("PRAGMA fullfsync = 1; PRAGMA cache_size = -16000")
    connection.takeOverCheckpoints()
    notesNewest = true
  }

  // MARK: - Reading

  /// See ``StorageBackend/read(into:)``.
  public func read(into reader: StorageReader) throws {
    let connection = try opened()
    format = StorageFormat.plain
    tables.history = nil
    try branches.begin(nil, reader)
    // All of it is of one state of the file.
    try connection.reading { () throws(QueryError) in
      if try isEmpty(connection) { return }
      format = try StorageFormat.of(connection)
      guard let schema = try connection.text("SELECT value FROM gqlite_meta WHERE key = 'schema'"),
        let (folded, noted) = try points(connection),
        let types = try connection.integer("SELECT count(*) FROM gqlite_type"), !schema.isEmpty || types == 0
      else {
        throw StorageProblem.corrupt("what it says of itself is missing").error(path)
      }
      guard try connection.isNoted(schema, isOptional: format < 2) else {
        throw StorageProblem.corrupt("the checksum of its schema is wrong").error(path)
      }
      try StorageFormat.check(format, connection)
      identity = try connection.text("SELECT value FROM gqlite_meta WHERE key = 'id'")
      try reader.begin(StorageState(schema: schema, folded: folded, newest: noted))
      let layout = try StorageLayout(reader.catalog, connection)
      if let transaction = reader.transaction {
        for (type, kind) in layout.kinds.enumerated() {
          let table = try RowTable(kind, reader.catalog, connection, hasCounts: format > 0)
          try table.read(into: transaction, newerThan: folded.version) { row, version in
            reader.note(type, row, version)
          }
        }
      }
      if format > 2 {
        let history = try HistoryTable(reader.catalog, layout, connection)
        try history.reserveRows(in: reader)
        tables.history = history
      }
      try branches.begin(layout, reader)
      let log = try connection.prepare("SELECT version, time, body FROM gqlite_log ORDER BY version")
      while try log.step() {
        try reader.add(
          record: log.bytes(2), version: log.integer(0), time: log.integer(1), isChained: format > 1)
      }
      // A log that is not empty leads to the newest version.
      if let last = reader.records.last, last.version < folded.version {
        throw StorageProblem.corrupt("commits are missing from its log").error(path)
      }
    }
    knownVersion = connection.dataVersion
    newest = reader.point
    if format >= StorageFormat.plain, options.access == .write { try countHistory(connection) }
    if format < StorageFormat.plain, options.access == .write {
      notesNewest = false
      try transaction(connection) { () throws(QueryError) in
        try StorageFormat.upgrade(connection, from: format)
        let history = try HistoryTable(reader.catalog, StorageLayout(reader.catalog, connection), connection)
        let start = HistoryStart(version: reader.point.version, time: WallClock.now)
        try history.takeOver(nil, reader.catalog, from: start)
        tables.history = history
      }
      format = StorageFormat.plain
    }
  }

  /// Counts the records of a file that was written before they were counted.
  private func countHistory(_ connection: StorageConnection) throws(QueryError) {
    let sums = HistorySums(connection: connection)
    if try sums.exists() { return }
    if try isEmpty(connection) { return }
    try transaction(connection) { () throws(QueryError) in try sums.make() }
  }

  /// The versions that are noted. Files of earlier formats note only what is folded, and no sums.
  private func points(
    _ connection: StorageConnection
  ) throws(QueryError) -> (folded: StoragePoint, newest: StoragePoint)? {
    if format > 1 {
      guard let folded = try connection.point("folded"), let newest = try connection.point("newest") else { return nil }
      return (folded, newest)
    }
    guard let folded = try folded(connection) else { return nil }
    let point = StoragePoint(version: folded, sum: 0)
    return (point, point)
  }

  private func folded(_ connection: StorageConnection) throws(QueryError) -> Int64? {
    try connection.integer("SELECT value FROM gqlite_meta WHERE key = 'folded'")
  }

  /// See ``StorageBackend/records(after:)``.
  public func records(after version: Int64) throws -> [StorageRecord]? {
    let connection = try opened()
    var found: [StorageRecord]? = []
    try connection.reading { () throws(QueryError) in
      // Records of another format do not follow those that were read. Branches leave them as they are.
      let stored = try StorageFormat.of(connection)
      if stored != format, min(stored, format) < StorageFormat.plain { return found = nil }
      let log = try connection.prepare("SELECT version, time, body FROM gqlite_log WHERE version > ? ORDER BY version")
      log.bind(1, version)
      var next = version + 1
      while try log.step() {
        guard log.integer(0) == next else { return found = nil }
        var record = StorageRecord(version: next, time: log.integer(1), bytes: [UInt8](log.bytes(2)))
        record.isChained = format > 1
        found?.append(record)
        next += 1
      }
      guard let folded = try folded(connection), folded < next else { return found = nil }
      if let newest = try connection.point("newest"), newest.version >= next { found = nil }
    }
    return found
  }

  /// See ``StorageBackend/changeMark()``.
  public func changeMark() throws -> Int64 {
    let connection = try opened()
    // A file that is replaced never changes again. Looked at now and then, because it takes a microsecond.
    marks &+= 1
    if marks & 31 == 0, connection.isReplaced { throw StorageProblem.changed.error(path) }
    if mark == nil { mark = try connection.prepare("PRAGMA data_version") }
    guard let statement = mark else { return 0 }
    _ = try statement.step()
    defer { statement.reset() }
    return statement.integer(0)
  }

  // MARK: - Writing

  /// Runs `body` as one transaction, if nobody else has written to the file since it was opened.
  ///
  /// The version that the log leads to then is noted before and after each checkpoint: a log that lacks commits, because
  /// a page of it is damaged, would otherwise be one that has never had them. Pages that are not in the file yet have
  /// checksums of SQLite.
  ///
  /// - Parameters:
  ///   - point: That version, if `body` changes it.
  ///   - isNoted: Whether it is noted in any case, since pages are written anyway.
  ///   - holds: Whether the next one is likely to come soon; see ``StorageConnection/transaction(holds:_:)``.
  func transaction(
    _ connection: StorageConnection, isNew: Bool = false, reaching point: StoragePoint? = nil, isNoted: Bool = false,
    holds: Bool = false, _ body: () throws(QueryError) -> Void
  ) throws(QueryError) {
    let reached = point ?? newest
    let isNoting = isNoted || notesNewest || connection.isCheckpointDue
    do throws(QueryError) {
      try connection.transaction(holds: holds) { () throws(QueryError) in
        if !isNew, connection.dataVersion != knownVersion || connection.isReplaced {
          throw StorageProblem.changed.error(path)
        }
        try body()
        if isNoting { try connection.note("newest", reached) }
      }
    } catch {
      branches.forgetKnown()
      throw error
    }
    newest = reached
    if isNoting {
      notesNewest = connection.isCheckpointDue
      if notesNewest { connection.checkpoint() }
    }
    knownVersion = connection.dataVersion
  }

  /// See ``StorageBackend/append(_:)``.
  public func append(_ records: [StorageRecord]) throws {
    let connection = try opened()
    let statement = try insertion ?? connection.prepare("INSERT OR FAIL INTO gqlite_log VALUES (?, ?, ?)")
    insertion = statement
    guard let last = records.last else { return }
    let point = StoragePoint(version: last.version, sum: LogRecord.sum(last.bytes))
    try transaction(connection, reaching: point, holds: true) { () throws(QueryError) in
      for record in records {
        statement.bind(1, record.version)
        statement.bind(2, record.time)
        try record.bytes.withUnsafeBufferPointer { (bytes) throws(QueryError) in
          statement.bind(3, blob: UnsafeRawBufferPointer(bytes))
          try statement.run()
        }
      }
      try branches.rebaseNext(beside: point)
    }
    branches.endRebase()
  }

  /// See ``StorageBackend/write(_:holding:)``.
  public func write(_ rows: StorageRows, holding point: StoragePoint?) throws {
    let connection = try opened()
    let tables = try tables(rows.snapshot.catalog, connection)
    let before = newest
    try transaction(connection, reaching: rows.point, isNoted: true) { () throws(QueryError) in
      if !rows.commits.isEmpty {
        // The log's records go below, because they do not lead to this version.
        try history?.takeLog(through: .max)
        try history?.add(rows.commits)
        try branches.takeLog(through: .max)
        try branches.add(rows.commits, after: before)
        try branches.rebaseNext(beside: rows.point)
      }
      try rows.forEachPlace { (type, row) throws(QueryError) in
        try tables[type].write(row, rows.snapshot, version: rows.point.version, memory)
      }
      for table in tables { try table.saveCounts() }
      if let point {
        try connection.note("folded", point)
        try history?.noteRows(of: rows.snapshot)
        // Records that do not lead to this version lead nowhere.
        if try connection.integer("SELECT max(version) FROM gqlite_log") ?? 0 < point.version {
          try connection.execute("DELETE FROM gqlite_log")
          try connection.note(logAfter: point.version)
        }
      }
    }
    if !rows.commits.isEmpty { branches.endRebase() }
  }

  private func tables(_ catalog: Catalog, _ connection: StorageConnection) throws(QueryError) -> [RowTable] {
    if tables.version == catalog.version { return tables.rows }
    tables.rows = []
    for kind in try StorageLayout(catalog, connection).kinds {
      tables.rows.append(try RowTable(kind, catalog, connection, hasCounts: true))
    }
    tables.version = catalog.version
    return tables.rows
  }

  /// The records of the past.
  var history: HistoryTable? { tables.history }

  /// Reads the steps that take the changes after a moment back; see ``GQLEngine/HistoryStorage``.
  func readHistory(
    _ request: HistoryRequest, from begin: ([HistoryStart?]) -> Bool, _ body: (HistoryStep) -> Bool
  ) throws(QueryError) -> HistoryReading {
    var reading = HistoryReading(isOfNewest: true, hasErased: false)
    guard let history else {
      _ = begin([])
      return reading
    }
    try opened().reading { () throws(QueryError) in
      reading.isOfNewest = try history.isKept(for: request)
      guard reading.isOfNewest, begin(try history.starts(request.types)) else { return }
      reading.hasErased = try history.forEachStep(request, body)
    }
    // No newer version is ever read where nobody follows.
    if !reading.isOfNewest, options.access == .read { throw StorageProblem.changed.error(path) }
    return reading
  }

  /// See ``StorageBackend/forget(through:)``.
  public func forget(through version: Int64) throws {
    let connection = try opened()
    try transaction(connection) { () throws(QueryError) in
      try history?.takeLog(through: version)
      try branches.takeLog(through: version)
      try connection.execute("DELETE FROM gqlite_log WHERE version <= \(version)")
      try connection.note(logAfter: version)
    }
  }

  /// Refuses a schema whose numbers belong to other types or fields of the file.
  public func check(_ state: StorageState) throws {
    if state.schema.isEmpty { return }
    let catalog = try Database.catalog(of: [SourceText(name: path, text: state.schema)]).catalog
    _ = try StorageLayout(changingTo: catalog, try opened())
  }

  /// See ``StorageBackend/replace(_:with:)``.
  public func replace(_ state: StorageState, with rows: StorageRows) throws {
    let connection = try opened()
    let isNew = try isEmpty(connection)
    // No statement may hold a table that goes.
    tables.rows = []
    tables.version = nil
    insertion = nil
    try transaction(connection, isNew: isNew, reaching: state.newest, isNoted: true) { () throws(QueryError) in
      var old: (table: HistoryTable, catalog: Catalog)?
      if isNew {
        try create(connection)
      } else {
        if let history {
          try history.takeLog(through: .max)
          old = (history, try storedCatalog(connection))
        }
        try dropTables(connection)
      }
      try fill(state, rows, old, connection)
    }
    // So that the file itself says what it is, and not only the log beside it.
    if isNew { try truncateLog(connection, "") }
  }

  private func create(_ connection: StorageConnection) throws(QueryError) {
    try connection.execute(
      """
      PRAGMA application_id = \(Self.applicationID);
      PRAGMA user_version = \(StorageFormat.plain);
      CREATE TABLE gqlite_meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
      CREATE TABLE gqlite_type(
        number INTEGER PRIMARY KEY, name TEXT NOT NULL, rows INTEGER NOT NULL DEFAULT 0, sum INTEGER NOT NULL DEFAULT 0,
        given INTEGER);
      CREATE TABLE gqlite_field(
        number INTEGER PRIMARY KEY, type INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT, given INTEGER);
      CREATE TABLE gqlite_log(version INTEGER PRIMARY KEY, time INTEGER NOT NULL, body BLOB NOT NULL);
      \(HistoryTable.creation)
      INSERT INTO gqlite_meta VALUES ('id', lower(hex(randomblob(16)))), ('schema', '');
      """)
    if let identity {
      try connection.prepare("UPDATE gqlite_meta SET value = ? WHERE key = 'id'").run(binding: [(1, identity)])
    } else {
      identity = try connection.text("SELECT value FROM gqlite_meta WHERE key = 'id'")
    }
  }

  /// The schema that is kept.
  private func storedCatalog(_ connection: StorageConnection) throws(QueryError) -> Catalog {
    let schema = try connection.text("SELECT value FROM gqlite_meta WHERE key = 'schema'") ?? ""
    return schema.isEmpty ? Catalog() : try Database.catalog(of: [SourceText(name: path, text: schema)]).catalog
  }

  private func dropTables(_ connection: StorageConnection) throws(QueryError) {
    let old = try connection.prepare(
      """
      SELECT name, type FROM sqlite_schema
      WHERE type = 'view' AND name IN (SELECT name FROM gqlite_type) OR name GLOB 'gqlite_t[0-9]*'
      """)
    var names: [(name: String, isView: Bool)] = []
    while try old.step() { names.append((old.string(0), old.string(1) == "view")) }
    old.reset()
    for (name, isView) in names {
      try connection.execute("DROP \(isView ? "VIEW" : "TABLE") IF EXISTS \"\(name.replacing("\"", with: "\"\""))\"")
    }
  }

  /// Makes the tables of a state, and writes all rows. Called within a transaction.
  private func fill(
    _ state: StorageState, _ rows: StorageRows, _ old: (table: HistoryTable, catalog: Catalog)?,
    _ connection: StorageConnection
  ) throws(QueryError) {
    let catalog = rows.snapshot.catalog
    let layout = try StorageLayout(changingTo: catalog, connection)
    try layout.save(connection)
    try connection.prepare("UPDATE gqlite_meta SET value = ? WHERE key = 'schema'").run(binding: [(1, state.schema)])
    try connection.note(sumOf: state.schema)
    for kind in layout.kinds { try RowTable.create(kind, connection) }
    for view in StorageViews.statements(layout, catalog) { try connection.execute(view) }
    var tables: [RowTable] = []
    for kind in layout.kinds { tables.append(try RowTable(kind, catalog, connection, hasCounts: true)) }
    for table in tables { table.resetCounts() }
    try rows.forEachPlace { (type, row) throws(QueryError) in
      try tables[type].write(row, rows.snapshot, version: rows.point.version, memory)
    }
    for table in tables { try table.saveCounts() }
    try connection.note("folded", state.folded)
    try connection.execute("DELETE FROM gqlite_log")
    try connection.note(logAfter: state.folded.version)
    let history = try HistoryTable(catalog, layout, connection)
    let start = HistoryStart(version: state.folded.version, time: state.time)
    try history.takeOver(old, catalog, rows.snapshot, from: start)
    try history.noteRows(of: rows.snapshot)
    try branches.replace(catalog, beside: state.newest)
    self.tables = Tables(rows: tables, version: catalog.version, history: history)
  }

  // MARK: - Ending

  /// See ``StorageBackend/flush()``.
  public func flush() throws {
    if options.durability == .full { return }
    // A commit that is synced syncs what was committed before it.
    let connection = try opened()
    try connection.execute("PRAGMA synchronous = FULL")
    try transaction(connection, isNoted: true) { () throws(QueryError) in }
    try connection.execute("PRAGMA synchronous = NORMAL")
  }

  /// See ``StorageBackend/close()``.
  public func close() throws {
    // The file is whole without: what is committed is in its write-ahead log.
    // A fork leaves it to its parent.
    if options.access == .write, connection?.isForeign != true {
      if let connection, connection.isReplaced {
        abandon()
        throw StorageProblem.changed.error(path)
      }
      try? connection?.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA incremental_vacuum")
    }
    abandon()
  }

  /// See ``StorageBackend/abandon()``.
  public func abandon() {
    tables = Tables()
    branches.forgetKnown()
    insertion = nil
    mark = nil
    knownVersion = nil
    connection = nil
    lock = nil
  }

  /// Gives the space of what was removed back to the system.
  func vacuum() throws(QueryError) {
    tables.rows = []
    tables.version = nil
    insertion = nil
    mark = nil
    let connection = try opened()
    try transaction(connection) { () throws(QueryError) in }
    try truncateLog(connection, "VACUUM;")
    knownVersion = connection.dataVersion
  }

  /// Runs a statement, and copies all of the write-ahead log into the file.
  func truncateLog(_ connection: StorageConnection, _ sql: String) throws(QueryError) {
    notesNewest = true
    try connection.execute("\(sql) PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Returns the problems that SQLite finds in the file itself, a sentence each.
  func integrityProblems() throws(QueryError) -> [String] {
    let statement = try opened().prepare("PRAGMA integrity_check")
    var found: [String] = []
    while try statement.step() { found.append(statement.string(0)) }
    if found == ["ok"] { found = [] }
    found += try logProblems(opened())
    if let history { try opened().reading { () throws(QueryError) in found += try history.problems() } }
    return found
  }

  /// Returns what is wrong with the records, those among them whose commits the rows hold.
  private func logProblems(_ connection: StorageConnection) throws(QueryError) -> [String] {
    var found: [String] = []
    let folded = try format > 1 ? connection.point("folded") : nil
    let log = try connection.prepare("SELECT version, time, body FROM gqlite_log ORDER BY version")
    var (last, first): (StoragePoint?, Int64?) = (nil, nil)
    while try log.step() {
      let (version, time) = (log.integer(0), log.integer(1))
      first = first ?? version
      let decoded =
        format > 1
        ? LogRecord(log.bytes(2), version: version, time: time)
        : LogRecord(unchained: log.bytes(2), version: version, time: time, after: 0)
      guard let record = decoded else {
        found.append("the checksum of commit \(version) is wrong")
        last = nil
        continue
      }
      if let last, last.version &+ 1 != version || record.before.map({ $0 != last.sum }) == true {
        found.append("commit \(version) does not follow the one before it")
      }
      let point = StoragePoint(version: version, sum: record.sum)
      if let folded, folded.version == version, folded != point {
        found.append("commit \(version) is not the one that its rows were written for")
      }
      last = point
    }
    // The sum wraps where a damaged file has the largest number, after which nothing follows.
    if let after = try connection.logAfter(), (first ?? newest.version &+ 1) > after &+ 1 {
      found.append("commits after version \(after) are missing from the log")
    }
    return found
  }
}
