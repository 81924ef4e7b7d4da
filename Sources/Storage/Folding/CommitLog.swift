import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

/// The commits of a database in a backend: appends them as records, and folds them into rows.
///
/// Rows are written a few at a time between commits, when records have grown to some megabytes or nothing has been
/// committed for a while. The newest records stay after they were folded, for followers and people. For one thread at a
/// time.
final class CommitLog: CommitStorage, @unchecked Sendable {
  let backend: any StorageBackend
  private let options: StorageOptions

  // What the rows of the backend lack.
  @exclusivity(unchecked) private var dirty = DirtyRows()
  /// Rows that are being written, of versions up to one.
  private var folding: (rows: DirtyRows, end: StoragePoint)?
  private var folded: Int64 = 0
  /// The version that was appended last, or read.
  private var point = StoragePoint(version: 0, sum: 0)
  /// The last record that was read beyond that version.
  private var lastRead = StoragePoint(version: 0, sum: 0)
  private var recordBytes = 0
  /// The records that the backend keeps, oldest first, with the number of their bytes.
  private var records: [(version: Int64, bytes: Int)] = []
  /// The backend's mark when it was read last; nil after a failure, so that it is read again.
  private var knownMark: Int64?
  /// The types whose past is kept.
  private var historyTypes = HistoryTypes(Catalog())
  /// Rows of a type above which its indexes are not built while the database is opened.
  private let pendingRows: Int

  /// - Parameter postponesIndexes: Whether the indexes of large types may be built after opening.
  init(_ backend: any StorageBackend, options: StorageOptions, postponesIndexes: Bool = false) {
    self.backend = backend
    self.options = options
    pendingRows = postponesIndexes ? options.folding.pendingRows : .max
  }

  /// Calls the backend; errors that are not ours become `storage-failed`.
  private func calling<Output>(_ body: () throws -> Output) throws(QueryError) -> Output {
    do {
      return try body()
    } catch let error as QueryError {
      throw error
    } catch {
      throw StorageProblem.failed("\(error)").error(backend.name)
    }
  }

  // MARK: - Opening

  var foldingDelay: Int { options.access == .write ? options.folding.delay : 0 }

  /// Makes a new place with a version.
  func begin(_ snapshot: Snapshot, version: Int64, _ branches: [BranchContent]) throws(QueryError) {
    try calling { try backend.open(options) }
    do throws(QueryError) {
      try rewrite(snapshot, version: version, time: version == 0 ? .min : WallClock.now, branches)
    } catch {
      backend.abandon()
      throw error
    }
  }

  /// Opens the backend, or begins with a schema where it keeps nothing.
  func open(creating schema: Catalog?) throws(QueryError) -> StoredVersion {
    try calling { try backend.open(options) }
    do throws(QueryError) {
      if let kept = try readAll() { return kept }
      guard options.access == .write else { throw StorageProblem.failed("it is empty").error(backend.name) }
      let snapshot = Snapshot.empty(schema ?? Catalog())
      point = try replace(snapshot, version: 0, time: .min)
      lastRead = point
      return StoredVersion(snapshot: snapshot, version: 0, hasSchema: schema != nil)
    } catch {
      backend.abandon()
      throw error
    }
  }

  /// Reads everything that is kept; nil where nothing is.
  func readAll() throws(QueryError) -> StoredVersion? {
    let mark = try calling { try backend.changeMark() }
    let reader = StorageReader(backend.name)
    try calling { try backend.read(into: reader) }
    guard let (snapshot, hasSchema) = try reader.finish(postponingAbove: pendingRows) else { return nil }
    knownMark = mark
    historyTypes = HistoryTypes(snapshot.catalog)
    dirty = reader.dirty
    folding = nil
    folded = reader.folded.version
    point = reader.point
    lastRead = point
    recordBytes = reader.recordBytes
    records = reader.records
    var stored = StoredVersion(snapshot: snapshot, version: point.version, hasSchema: hasSchema)
    stored.time = reader.newestTime
    return stored
  }

  // MARK: - Appending

  var gatheredBytes: Int { options.durability == .memory ? options.folding.logBytes : 0 }
  var isFolding: Bool { folding != nil || recordBytes > options.folding.logBytes }

  func append(_ commits: [Commit], newest: () throws(QueryError) -> Snapshot) throws(QueryError) {
    guard let last = commits.last?.version else { return }
    do {
      for commit in commits { try commit.changes.forEachRow { type, row in dirty.insert(type, row) } }
    } catch {
      throw StorageProblem.failed("a change cannot be read").error(backend.name)
    }
    if let file, file.branches.rebasedNext != nil { file.branches.rebasedBase = try newest() }
    let bytes = commits.reduce(0) { $0 + $1.changes.bytes.count }
    if bytes > options.folding.largeCommit, backend.isTransactional, !keepsRecords {
      let before = point
      for commit in commits {
        point = StoragePoint(version: commit.version, sum: LogRecord.sum(commit, after: point.sum))
      }
      do throws(QueryError) {
        try foldAll(try newest(), commits)
      } catch {
        point = before
        throw error
      }
      // These commits have no records, so that those before them lead nowhere.
      try forget(through: last)
    } else {
      var (appended, end): ([StorageRecord], StoragePoint) = ([], point)
      for commit in commits {
        let (bytes, sum) = LogRecord.bytes(commit, after: end.sum)
        appended.append(StorageRecord(version: commit.version, time: commit.time, bytes: bytes))
        end = StoragePoint(version: commit.version, sum: sum)
      }
      try calling { try backend.append(appended) }
      for record in appended { records.append((record.version, record.bytes.count)) }
      recordBytes += bytes
      point = end
      // One slice after each commit, so that none waits for more.
      if folding != nil || recordBytes > options.folding.logBytes { _ = try fold(newest: newest) }
    }
  }

  private var file: SQLiteBackend? { backend as? SQLiteBackend }
  var branches: (any BranchStorage)? { file?.branches }

  /// Indicates whether no record may go, because the past is kept in nothing else.
  private var keepsRecords: Bool { historyTypes.isAny && !(backend is SQLiteBackend) }

  // MARK: - Folding

  /// Writes a few of the rows that the backend lacks. Returns whether there are more.
  func fold(newest: () throws(QueryError) -> Snapshot) throws(QueryError) -> Bool {
    if folding == nil {
      if dirty.isEmpty { return false }
      folding = (dirty, point)
      dirty = DirtyRows()
      recordBytes = 0
    }
    guard case (var rows, let end)? = folding else { return false }
    let slice = StorageRows(rows.takeFirst(options.folding.sliceRows), of: try newest(), at: point)
    try calling { try backend.write(slice, holding: rows.isEmpty ? end : nil) }
    if !rows.isEmpty {
      folding = (rows, end)
      return true
    }
    folding = nil
    folded = end.version
    try forgetOld()
    if let file, file.branches.isFoldDue(above: options.folding.logBytes) { try file.branches.fold(try newest()) }
    return !dirty.isEmpty
  }

  /// Forgets the oldest records whose commits are folded, where there are more than are to stay.
  private func forgetOld() throws(QueryError) {
    if keepsRecords { return }
    var (kept, place) = (0, records.count)
    while place > 0, kept + records[place - 1].bytes <= options.folding.keptBytes {
      place -= 1
      kept += records[place].bytes
    }
    while place > 0, records[place - 1].version > folded { place -= 1 }
    if place > 0 { try forget(through: records[place - 1].version) }
  }

  private func forget(through version: Int64) throws(QueryError) {
    try calling { try backend.forget(through: version) }
    records.removeAll { $0.version <= version }
  }

  /// Writes all rows that the backend lacks.
  ///
  /// - Parameter commits: Those among the last ones that have no records.
  private func foldAll(_ newest: Snapshot, _ commits: [Commit] = []) throws(QueryError) {
    if let folding { dirty.formUnion(folding.rows) }
    folding = nil
    var all = StorageRows(dirty.takeAll(), of: newest, at: point)
    if historyTypes.isAny || branches?.count ?? 0 > 0 { all.commits = commits }
    try calling { try backend.write(all, holding: point) }
    folded = point.version
    recordBytes = 0
  }

  // MARK: - Schemas

  func check(_ next: Snapshot, after base: Snapshot) throws(QueryError) {
    guard options.access == .write else {
      let new = next.catalog.types.first { base.catalog.type(named: $0.name) == nil && !$0.isElement }
      throw (new.map { .typeIsMissing($0.name) } ?? StorageProblem.openedForReading).error(backend.name)
    }
    try checkSchema(of: next)
  }

  func checkSchema(of next: Snapshot) throws(QueryError) {
    let state = try state(of: next, version: 0, time: 0)
    try calling { try backend.check(state) }
  }

  func rewrite(
    _ newest: Snapshot, version: Int64, time: Int64, _ branches: [BranchContent]
  ) throws(QueryError) {
    file?.branches.replaced = branches
    defer { file?.branches.replaced = nil }
    point = try replace(newest, version: version, time: time)
    folding = nil
    dirty = DirtyRows()
    recordBytes = 0
    records = []
    folded = version
  }

  private func replace(_ snapshot: Snapshot, version: Int64, time: Int64) throws(QueryError) -> StoragePoint {
    var state = try state(of: snapshot, version: version, time: time)
    state.time = time
    try calling { try backend.replace(state, with: StorageRows(allOf: snapshot, at: state.folded)) }
    historyTypes = HistoryTypes(snapshot.catalog)
    return state.folded
  }

  private func state(of snapshot: Snapshot, version: Int64, time: Int64) throws(QueryError) -> StorageState {
    let schema = snapshot.catalog.types.isEmpty ? "" : Database(snapshot).schema
    guard Self.isReadBack(schema, as: snapshot.catalog) else {
      throw StorageProblem.notStorable("this schema").error(backend.name)
    }
    let sum = LogRecord.sum(schema: schema, version: version, time: time, after: point.sum)
    let state = StoragePoint(version: version, sum: sum)
    return StorageState(schema: schema, folded: state, newest: state)
  }

  /// Returns whether a printed schema is read back with the same numbers: records name types and columns by their
  /// numbers.
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

  // MARK: - Following

  /// Returns whether others have written since the backend was read, or since the last call.
  func hasNews() throws(QueryError) -> Bool {
    let mark = try calling { try backend.changeMark() }
    defer { knownMark = mark }
    return mark != knownMark
  }

  /// Returns the commits after a version, in their order; nil where the backend has no records of some.
  ///
  /// - Parameter point: The version with its sum. Where the commits do not follow it, there are none.
  func commits(after version: Int64, following point: StoragePoint? = nil) throws(QueryError) -> [Commit]? {
    guard let records = try calling({ try backend.records(after: version) }) else { return nil }
    var commits: [Commit] = []
    commits.reserveCapacity(records.count)
    var last = point ?? [self.point, lastRead].first { $0.version == version }
    for (index, record) in records.enumerated() {
      let decoded = record.bytes.withUnsafeBytes {
        record.isChained
          ? LogRecord($0, version: record.version, time: record.time)
          : LogRecord(unchained: $0, version: record.version, time: record.time, after: last?.sum ?? 0)
      }
      guard record.version == version + 1 + Int64(index), let decoded else {
        throw StorageProblem.corrupt("the checksum of commit \(record.version) is wrong").error(backend.name)
      }
      if let last, let before = decoded.before, before != last.sum {
        if point != nil, commits.isEmpty { return nil }
        throw StorageProblem.corrupt("commit \(record.version) does not follow the one before it").error(backend.name)
      }
      commits.append(
        Commit(version: record.version, time: record.time, changes: decoded.changes, cause: decoded.cause))
      last = StoragePoint(version: record.version, sum: decoded.sum)
    }
    if let last { lastRead = last }
    return commits
  }

  /// Returns the commits that lead to the version that was read, from the oldest one after which none is missing.
  func keptCommits() throws(QueryError) -> [Commit] {
    // Of a follower the records that were there when all was read.
    var oldest = records.last?.version ?? point.version
    for record in records.reversed() where record.version == oldest { oldest -= 1 }
    return try (commits(after: oldest) ?? []).filter { $0.version <= point.version }
  }

  func pastCommits() throws(QueryError) -> [Commit] { try keptCommits() }

  func news(after version: Int64, of newest: Snapshot) throws(QueryError) -> StoredVersion? {
    guard try hasNews() else { return nil }
    do throws(QueryError) {
      return try changes(after: version, of: newest)
    } catch {
      knownMark = nil
      throw error
    }
  }

  private func changes(after version: Int64, of newest: Snapshot) throws(QueryError) -> StoredVersion? {
    // Those that have gone are folded, or the schema is another.
    guard let commits = try commits(after: version) else { return try readAll() }
    guard let last = commits.last else { return nil }
    let transaction = WriteTransaction(newest, fold: foldText)
    for commit in commits {
      do throws(ChangeProblem) {
        try transaction.apply(commit.changes)
      } catch {
        throw StorageProblem.corrupt("commit \(commit.version) does not fit what was before it").error(backend.name)
      }
    }
    let snapshot = transaction.commit()
    point = lastRead
    return StoredVersion(snapshot: snapshot, version: last.version, hasSchema: true, continuing: commits)
  }

  // MARK: - Ending

  func flush() throws(QueryError) { try calling { try backend.flush() } }

  func close(_ newest: Snapshot) throws(QueryError) {
    if !dirty.isEmpty || folding != nil {
      do throws(QueryError) {
        try foldAll(newest)
        try forgetOld()
      } catch {
        // All is in the log, and is folded after the next opening.
        guard options.durability != .memory, error.isOfPlace else { throw error }
      }
    }
    try calling { try backend.close() }
  }

  func abandon() { backend.abandon() }

  func reopen(after version: Int64, of newest: Snapshot) throws(QueryError) -> StoredVersion {
    let known = point
    backend.abandon()
    let stored = try open(creating: nil)
    guard known.version == version, stored.version > version || point == known,
      Database(newest).schema == Database(stored.snapshot).schema,
      let commits = try commits(after: version, following: known), commits.last?.version ?? version == stored.version,
      let snapshot = try? newest.applying(commits.map(\.changes))
    else { return stored }
    return StoredVersion(
      snapshot: snapshot, version: stored.version, hasSchema: stored.hasSchema, continuing: commits)
  }
}
