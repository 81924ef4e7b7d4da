import CSQLite3
import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

/// A database in a file of SQLite: a log of commits, and tables of rows that the log is folded into.
///
/// A commit is a record of the log, one transaction of SQLite. Rows are written later, many at a time, each once however
/// often it has changed; each says for which version it was written, so that a crash in the middle loses nothing. See
/// `docs/format.md`. For one thread at a time.
final class StorageFile: CommitStorage, @unchecked Sendable {
  /// "GQLd".
  static let applicationID: Int64 = 0x4751_4C64
  /// The number of the file's form.
  static let format: Int64 = 1

  let path: String
  private let options: StorageOptions
  /// Nil after ``close(_:)``.
  private var connection: StorageConnection?
  private var lock: FileLock?
  private var tables: [RowTable] = []
  private var insertion: StorageStatement?
  private var dataVersion: StorageStatement?
  private var knownDataVersion: Int64 = 0
  private let memory = StorageMemory()
  /// Commits that are not written yet, below full durability in memory.
  private var unwritten: [Commit] = []
  private var newest: Snapshot?

  // What the tables lack.
  private var dirty = DirtyRows()
  /// Rows that are being written, of versions up to one.
  private var folding: (rows: DirtyRows, version: Int64)?
  private var folded: Int64 = 0
  private var version: Int64 = 0
  private var logBytes = 0

  init(path: String, options: StorageOptions) {
    self.path = path
    self.options = options
  }

  private func opened() throws(QueryError) -> StorageConnection {
    guard let connection else {
      throw QueryError(code: "storage-closed", "the database is closed", help: "open it again", file: path)
    }
    return connection
  }

  // MARK: - Opening

  /// The content of a file.
  struct Content {
    var snapshot: Snapshot
    var version: Int64
    var hasSchema: Bool
  }

  /// Opens the file, or makes one with a schema.
  func open(creating schema: Catalog?) throws(QueryError) -> Content {
    let isWriting = options.access == .write
    try checkPath(isWriting: isWriting)
    if isWriting { lock = try FileLock(path) }
    let connection = try StorageConnection(path: path, isWriting: isWriting, creates: options.creates)
    self.connection = connection
    let isNew = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
    if !isNew, try connection.integer("PRAGMA application_id") != Self.applicationID {
      throw StorageProblem.foreign.error(path)
    }
    let format = try connection.integer("PRAGMA user_version") ?? 0
    if format > Self.format { throw StorageProblem.newer(format: Int(format)).error(path) }
    if isWriting { try configure(connection) }
    if isNew {
      guard isWriting else { throw StorageProblem.failed("it is empty").error(path) }
      try create(connection, schema)
    }
    return try read(connection)
  }

  private func checkPath(isWriting: Bool) throws(QueryError) {
    if let problem = StoragePath.problem(of: path, mayBeMissing: isWriting && options.creates) {
      throw StorageProblem.unusable(problem).error(path)
    }
    // Before anything is put beside it.
    if DatabaseHeader.isForeign(path) { throw StorageProblem.foreign.error(path) }
  }

  private func configure(_ connection: StorageConnection) throws(QueryError) {
    try connection.execute("PRAGMA trusted_schema = 0; PRAGMA secure_delete = FAST")
    if try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
      try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    }
    guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
      throw StorageProblem.failed("its file system has no write-ahead log").error(path)
    }
    try connection.execute("PRAGMA synchronous = \(options.durability == .full ? "FULL" : "NORMAL")")
    try connection.execute("PRAGMA fullfsync = 1; PRAGMA cache_size = -16000; PRAGMA wal_autocheckpoint = 1000")
  }

  private func create(_ connection: StorageConnection, _ schema: Catalog?) throws(QueryError) {
    try connection.transaction { () throws(QueryError) in
      try connection.execute(
        """
        PRAGMA application_id = \(Self.applicationID);
        PRAGMA user_version = \(Self.format);
        CREATE TABLE gqlite_meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE gqlite_type(
          number INTEGER PRIMARY KEY, name TEXT NOT NULL, rows INTEGER NOT NULL DEFAULT 0, sum INTEGER NOT NULL DEFAULT 0,
          given INTEGER);
        CREATE TABLE gqlite_field(
          number INTEGER PRIMARY KEY, type INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT, given INTEGER);
        CREATE TABLE gqlite_log(version INTEGER PRIMARY KEY, time INTEGER NOT NULL, body BLOB NOT NULL);
        INSERT INTO gqlite_meta VALUES ('id', lower(hex(randomblob(16)))), ('folded', 0), ('schema', '');
        """)
      if let schema { try writeAll(Snapshot.empty(schema), version: 0, connection) }
    }
    // So that the file itself says what it is, and not only the log beside it.
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func read(_ connection: StorageConnection) throws(QueryError) -> Content {
    // All of it is of one state of the file.
    try connection.execute("BEGIN")
    let content: Content
    do throws(QueryError) {
      content = try readAll(connection)
      try connection.execute("COMMIT")
    } catch {
      try? connection.execute("ROLLBACK")
      throw error
    }
    if options.access == .write { try prepareWriting(connection, content.snapshot.catalog) }
    return content
  }

  private func readAll(_ connection: StorageConnection) throws(QueryError) -> Content {
    guard let schema = try connection.text("SELECT value FROM gqlite_meta WHERE key = 'schema'"),
      let folded = try connection.integer("SELECT value FROM gqlite_meta WHERE key = 'folded'"), folded >= 0,
      folded < 1 << 62,
      let types = try connection.integer("SELECT count(*) FROM gqlite_type"), !schema.isEmpty || types == 0
    else {
      throw StorageProblem.corrupt("what it says of itself is missing").error(path)
    }
    self.folded = folded
    var catalog = Catalog()
    if !schema.isEmpty {
      do {
        catalog = try Database.catalog(of: [SourceText(name: path, text: schema)]).catalog
      } catch {
        throw StorageProblem.corrupt("its schema is none: \(error.problems.first?.message ?? "")").error(path)
      }
    }
    return try readRows(connection, catalog, hasSchema: !schema.isEmpty)
  }

  private func readRows(
    _ connection: StorageConnection, _ catalog: Catalog, hasSchema: Bool
  ) throws(QueryError) -> Content {
    let layout = try StorageLayout(catalog, connection)
    let transaction = WriteTransaction(Snapshot.empty(catalog), fold: foldText)
    transaction.beginOpening()
    dirty = DirtyRows()
    var newer: [Int: [UInt32: Int64]] = [:]
    for (type, kind) in layout.kinds.enumerated() {
      try RowTable(kind, catalog, connection).read(into: transaction, newerThan: folded) { row, version in
        newer[type, default: [:]][row] = version
        dirty.insert(type, row)
      }
    }
    try readLog(connection, transaction, newer)
    guard transaction.endOpening() else {
      throw StorageProblem.corrupt("its rows are not those of one version").error(path)
    }
    return Content(snapshot: transaction.commit(), version: version, hasSchema: hasSchema)
  }

  private func readLog(
    _ connection: StorageConnection, _ transaction: WriteTransaction, _ newer: [Int: [UInt32: Int64]]
  ) throws(QueryError) {
    let log = try connection.prepare(
      "SELECT version, body FROM gqlite_log WHERE version > \(folded) ORDER BY version")
    version = folded
    logBytes = 0
    while try log.step() {
      guard log.integer(0) == version + 1 else {
        throw StorageProblem.corrupt("commit \(version + 1) is missing from its log").error(path)
      }
      version += 1
      let body = log.bytes(1)
      guard let changes = LogRecord.changes(body) else {
        throw StorageProblem.corrupt("the checksum of commit \(version) is wrong").error(path)
      }
      logBytes += body.count
      let version = version
      do throws(ChangeProblem) {
        try transaction.apply(changes) { type, row in newer[type]?[row].map { $0 >= version } ?? false }
        try changes.forEachRow { type, row in dirty.insert(type, row) }
      } catch {
        throw StorageProblem.corrupt("commit \(version) does not fit what was before it").error(path)
      }
    }
  }

  private func prepareWriting(_ connection: StorageConnection, _ catalog: Catalog) throws(QueryError) {
    let layout = try StorageLayout(catalog, connection)
    tables = []
    for kind in layout.kinds { tables.append(try RowTable(kind, catalog, connection)) }
    insertion = try connection.prepare("INSERT INTO gqlite_log VALUES (?, ?, ?)")
    let statement = try connection.prepare("PRAGMA data_version")
    dataVersion = statement
    _ = try statement.step()
    knownDataVersion = statement.integer(0)
    statement.reset()
  }

  // MARK: - Writing

  func append(_ commits: [Commit], newest: Snapshot) throws(QueryError) {
    self.newest = newest
    if options.durability == .memory {
      unwritten += commits
      // What waits for flush() is bounded.
      if unwritten.reduce(0, { $0 + $1.changes.bytes.count }) < options.folding.logBytes { return }
      return try writeUnwritten()
    }
    try write(commits, newest)
  }

  private func writeUnwritten() throws(QueryError) {
    guard !unwritten.isEmpty, let newest else { return }
    try write(unwritten, newest)
    unwritten.removeAll()
  }

  private func write(_ commits: [Commit], _ newest: Snapshot) throws(QueryError) {
    let connection = try opened()
    try checkOthers()
    guard let last = commits.last?.version else { return }
    do {
      for commit in commits { try commit.changes.forEachRow { type, row in dirty.insert(type, row) } }
    } catch {
      throw StorageProblem.failed("a change cannot be read").error(path)
    }
    let bytes = commits.reduce(0) { $0 + $1.changes.bytes.count }
    if bytes > options.folding.largeCommit {
      try connection.transaction { () throws(QueryError) in try writeRows(newest, version: last, connection) }
      folding = nil
      dirty = DirtyRows()
      logBytes = 0
    } else {
      try connection.transaction { () throws(QueryError) in
        for commit in commits { try log(commit) }
      }
      logBytes += bytes
    }
    version = last
    // One slice behind each commit, so that none waits for more.
    if folding != nil || logBytes > options.folding.logBytes { try foldSlice(newest, connection) }
  }

  private func log(_ commit: Commit) throws(QueryError) {
    guard let insertion else { throw StorageProblem.failed("its log cannot be written").error(path) }
    let body = LogRecord.bytes(commit.changes)
    insertion.bind(1, commit.version)
    insertion.bind(2, commit.time)
    let failure = body.withUnsafeBytes { bytes -> QueryError? in
      insertion.bind(3, blob: bytes)
      do throws(QueryError) {
        try insertion.run()
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Nobody else writes to the file while it is open.
  private func checkOthers() throws(QueryError) {
    guard let dataVersion else { return }
    _ = try dataVersion.step()
    let found = dataVersion.integer(0)
    dataVersion.reset()
    if found != knownDataVersion { throw StorageProblem.changed.error(path) }
  }

  // MARK: - Folding

  /// Writes a few of the rows that the tables lack.
  private func foldSlice(_ newest: Snapshot, _ connection: StorageConnection) throws(QueryError) {
    if folding == nil {
      folding = (dirty, version)
      dirty = DirtyRows()
      logBytes = 0
    }
    guard case (var rows, let end)? = folding else { return }
    let version = version
    try connection.transaction { () throws(QueryError) in
      try write(rows.takeFirst(options.folding.sliceRows), newest, version)
      if rows.isEmpty { try forgetLog(to: end, connection) }
    }
    folding = rows.isEmpty ? nil : (rows, end)
    if rows.isEmpty { folded = end }
  }

  private func forgetLog(to version: Int64, _ connection: StorageConnection) throws(QueryError) {
    try connection.execute(
      "UPDATE gqlite_meta SET value = \(version) WHERE key = 'folded'; DELETE FROM gqlite_log WHERE version <= \(version)"
    )
  }

  /// Writes all rows that the tables lack. Called within a transaction.
  private func writeRows(_ newest: Snapshot, version: Int64, _ connection: StorageConnection) throws(QueryError) {
    if let folding { dirty.formUnion(folding.rows) }
    var rows = dirty
    while !rows.isEmpty { try write(rows.takeFirst(4096), newest, version) }
    try forgetLog(to: version, connection)
    folded = version
  }

  private func write(
    _ rows: [(type: Int, row: UInt32)], _ newest: Snapshot, _ version: Int64
  ) throws(QueryError) {
    for (type, row) in rows where type < tables.count {
      try tables[type].write(row, newest, version: version, memory)
    }
    for table in tables { try table.saveCounts() }
  }

  // MARK: - Schemas

  func check(_ next: Snapshot, after base: Snapshot) throws(QueryError) {
    _ = try StorageLayout(changingTo: next.catalog, try opened())
  }

  func rewrite(_ newest: Snapshot, version: Int64, time: Int64) throws(QueryError) {
    let connection = try opened()
    try checkOthers()
    try connection.transaction { () throws(QueryError) in try writeAll(newest, version: version, connection) }
    self.newest = newest
    unwritten.removeAll()
    folding = nil
    dirty = DirtyRows()
    logBytes = 0
    folded = version
    self.version = version
    insertion = try connection.prepare("INSERT INTO gqlite_log VALUES (?, ?, ?)")
  }

  /// Writes a version with its schema in the place of all that is there. Called within a transaction.
  private func writeAll(_ snapshot: Snapshot, version: Int64, _ connection: StorageConnection) throws(QueryError) {
    let catalog = snapshot.catalog
    let schema = Database(snapshot).schema
    guard Self.isReadBack(schema, as: catalog) else {
      throw StorageProblem.notStorable("this schema").error(path)
    }
    // No statement may hold a table that goes.
    tables = []
    insertion = nil
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
    let layout = try StorageLayout(changingTo: catalog, connection)
    try layout.save(connection)
    try connection.prepare("UPDATE gqlite_meta SET value = ? WHERE key = 'schema'").run(binding: [(1, schema)])
    for kind in layout.kinds { try RowTable.create(kind, connection) }
    for view in StorageViews.statements(layout, catalog) { try connection.execute(view) }
    for kind in layout.kinds { tables.append(try RowTable(kind, catalog, connection)) }
    for table in tables { table.resetCounts() }
    for (type, kind) in layout.kinds.enumerated() {
      for row in 0..<UInt32(truncatingIfNeeded: snapshot.slotCount(kind.type.id)) {
        try tables[type].write(row, snapshot, version: version, memory)
      }
      try tables[type].saveCounts()
    }
    try forgetLog(to: version, connection)
  }

  /// Returns whether a printed schema is read back with the same numbers: the log names types and columns by
  /// their numbers.
  private static func isReadBack(_ schema: String, as catalog: Catalog) -> Bool {
    if catalog.types.isEmpty { return true }
    guard let again = try? Database.catalog(of: [SourceText(name: "", text: schema)]).catalog else { return false }
    return again.types.count == catalog.types.count
      && zip(again.types, catalog.types).allSatisfy { left, right in
        left.name == right.name && left.columns.map(\.name) == right.columns.map(\.name)
          && left.columns.map(\.kind) == right.columns.map(\.kind)
      } && again.relations.map(\.column) == catalog.relations.map(\.column)
      && again.relations.map(\.target) == catalog.relations.map(\.target)
      && again.enums.map(\.values) == catalog.enums.map(\.values)
  }

  // MARK: - Ending

  func flush() throws(QueryError) {
    try writeUnwritten()
    if options.durability == .full { return }
    // A commit that is synced syncs what was committed before it.
    try opened().execute(
      """
      PRAGMA synchronous = FULL;
      UPDATE gqlite_meta SET value = value WHERE key = 'folded';
      PRAGMA synchronous = NORMAL
      """)
  }

  func close(_ newest: Snapshot) throws(QueryError) {
    guard let connection else { return }
    try writeUnwritten()
    if !dirty.isEmpty || folding != nil {
      try connection.transaction { () throws(QueryError) in try writeRows(newest, version: version, connection) }
    }
    dirty = DirtyRows()
    folding = nil
    // The file is whole without: what is committed is in its write-ahead log.
    try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA incremental_vacuum")
    letGo()
  }

  func backup(to target: String) throws(QueryError) {
    let connection = try opened()
    try writeUnwritten()
    guard StoragePath.problem(of: target, mayBeMissing: true) == nil, StoragePath.isMissing(target) else {
      throw StorageProblem.failed("there is something at '\(target)' already").error(path)
    }
    StoragePath.makeFile(target)
    try connection.prepare("VACUUM INTO ?").run(binding: [(1, target)])
  }

  /// Returns the problems that SQLite finds in the file itself, a sentence each.
  func integrityProblems() throws(QueryError) -> [String] {
    let statement = try opened().prepare("PRAGMA integrity_check")
    var found: [String] = []
    while try statement.step() { found.append(statement.string(0)) }
    return found == ["ok"] ? [] : found
  }

  func abandon() { letGo() }

  private func letGo() {
    tables = []
    insertion = nil
    dataVersion = nil
    connection = nil
    lock = nil
  }

  func reopen() throws(QueryError) -> (snapshot: Snapshot, version: Int64, hasSchema: Bool) {
    letGo()
    unwritten.removeAll()
    folding = nil
    let content = try open(creating: nil)
    return (content.snapshot, content.version, content.hasSchema)
  }
}

/// A record of the log: the bytes of a change set, and their CRC-32C.
enum LogRecord {
  static func bytes(_ changes: ChangeSet) -> ContiguousArray<UInt8> {
    var bytes = changes.bytes
    let sum = bytes.withUnsafeBytes { CRC32C.checksum($0) }
    for shift in 0..<UInt32(4) { bytes.append(UInt8(truncatingIfNeeded: sum >> (shift * 8))) }
    return bytes
  }

  /// The change set; nil where the sum is wrong.
  static func changes(_ bytes: UnsafeRawBufferPointer) -> ChangeSet? {
    guard bytes.count >= 4 else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    var sum: UInt32 = 0
    for place in 0..<4 { sum |= UInt32(bytes[bytes.count - 4 + place]) << UInt32(place * 8) }
    return sum == CRC32C.checksum(body) ? ChangeSet(bytes: ContiguousArray(body)) : nil
  }
}

/// Rows of some types, as bits.
struct DirtyRows {
  private var types: [[UInt64]] = []
  private(set) var isEmpty = true

  mutating func insert(_ type: Int, _ row: UInt32) {
    while types.count <= type { types.append([]) }
    let word = Int(row >> 6)
    if word >= types[type].count {
      types[type].append(contentsOf: repeatElement(0, count: word + 1 - types[type].count))
    }
    types[type][word] |= 1 << UInt64(row & 63)
    isEmpty = false
  }

  mutating func formUnion(_ other: DirtyRows) {
    for (type, words) in other.types.enumerated() {
      while types.count <= type { types.append([]) }
      if words.count > types[type].count {
        types[type].append(contentsOf: repeatElement(0, count: words.count - types[type].count))
      }
      for (index, word) in words.enumerated() { types[type][index] |= word }
    }
    if !other.isEmpty { isEmpty = false }
  }

  /// Takes out the first rows, in the order of types and rows.
  mutating func takeFirst(_ most: Int) -> [(type: Int, row: UInt32)] {
    var found: [(type: Int, row: UInt32)] = []
    for type in types.indices {
      for index in types[type].indices where types[type][index] != 0 {
        while types[type][index] != 0 {
          if found.count == most { return found }
          let bit = types[type][index].trailingZeroBitCount
          types[type][index] &= types[type][index] &- 1
          found.append((type, UInt32(truncatingIfNeeded: index * 64 + bit)))
        }
      }
    }
    isEmpty = true
    return found
  }
}
