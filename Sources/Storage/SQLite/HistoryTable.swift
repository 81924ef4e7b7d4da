import CSQLite3
import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

/// The records of the past in a file, of the types that have `@history`.
///
/// They are made of the log when its records go, in the transaction in which they go: what takes a commit back is in the log
/// or here, and never in both. Each is one change of one row, with a checksum of its version, time, row and content.
struct HistoryTable {
  /// Makes the tables. Called within a transaction.
  static let creation = """
    CREATE TABLE gqlite_history(
      type INTEGER NOT NULL, version INTEGER NOT NULL, row INTEGER NOT NULL, time INTEGER NOT NULL, body BLOB NOT NULL,
      PRIMARY KEY(type, version, row)) WITHOUT ROWID;
    CREATE INDEX gqlite_history_row ON gqlite_history(type, row, version);
    CREATE TABLE gqlite_history_start(type INTEGER PRIMARY KEY, version INTEGER NOT NULL, time INTEGER NOT NULL);
    \(HistorySums.creation)
    """

  /// The table by row. Named, because SQLite would rather walk all versions of a type by the primary key.
  private static let byRow = "gqlite_history INDEXED BY gqlite_history_row"

  /// The newest record of a row, up to a version.
  static let newestOfRow = """
    SELECT row, version, time, body FROM \(byRow) WHERE type = ? AND row = ? AND version <= ?
    ORDER BY version DESC LIMIT 1
    """

  private static let removalOfRecord = "DELETE FROM gqlite_history WHERE type = ? AND version = ? AND row = ?"

  let connection: StorageConnection
  let catalog: Catalog
  let types: HistoryTypes
  /// By type: its number in the file.
  let numbers: [Int64]
  /// The checksum of the schema that the file has then.
  let schemaSum: Int64?
  let checked = HistorySums.Checked()

  /// Called within a transaction.
  init(_ catalog: Catalog, _ layout: StorageLayout, _ connection: StorageConnection) throws(QueryError) {
    self.connection = connection
    self.catalog = catalog
    types = HistoryTypes(catalog)
    numbers = layout.kinds.map(\.number)
    schemaSum = try connection.schemaSum()
  }

  func corrupt(_ what: String) -> QueryError { StorageProblem.corrupt(what).error(connection.path) }

  // MARK: - Rows

  /// Notes how many rows the types have that records name, void ones at the end included: a file has nothing of these, and
  /// they must not get other entities. Called within a transaction.
  func noteRows(of snapshot: Snapshot) throws(QueryError) {
    let counts = numbers.indices.filter { types.isNamed[$0] }.map { type in
      "\(numbers[type]):\(snapshot.slotCount(EntityTypeID(type)))"
    }
    if counts.isEmpty { return try connection.execute("DELETE FROM gqlite_meta WHERE key GLOB 'history_rows*'") }
    let text = counts.joined(separator: " ")
    try connection.execute(
      "INSERT OR REPLACE INTO gqlite_meta VALUES ('history_rows', '\(text)'), ('history_rows_sum', \(Self.sum(text)))")
  }

  /// Reserves the rows that were noted, and notes the time of the last commit. Called within a transaction.
  func reserveRows(in reader: StorageReader) throws(QueryError) {
    reader.note(time: try lastTime() ?? .min)
    guard let text = try connection.text("SELECT value FROM gqlite_meta WHERE key = 'history_rows'") else { return }
    let sum = try connection.integer("SELECT value FROM gqlite_meta WHERE key = 'history_rows_sum'")
    guard sum == Self.sum(text) else { throw corrupt("the checksum of its numbers of rows is wrong") }
    for entry in text.split(separator: " ") {
      let parts = entry.split(separator: ":").compactMap { Int($0) }
      guard parts.count == 2 else { throw corrupt("its numbers of rows are not readable") }
      guard let type = numbers.firstIndex(of: Int64(parts[0])), types.isNamed[type] else { continue }
      reader.reserve(type, rows: parts[1])
    }
  }

  private static func sum(_ text: String) -> Int64 {
    Int64(Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) })
  }

  // MARK: - Keeping

  /// Makes records of the log's up to a version, which go then. Called within a transaction.
  func takeLog(through version: Int64, from schema: String = "") throws(QueryError) {
    if !types.isAny { return }
    let log = try connection.prepare(
      "SELECT version, time, body FROM \(schema)gqlite_log WHERE version <= ? ORDER BY version")
    log.bind(1, version)
    let writer = try Writer(self)
    var last: StoragePoint?
    while try log.step() {
      let (version, time) = (log.integer(0), log.integer(1))
      guard let record = LogRecord(log.bytes(2), version: version, time: time) else {
        throw corrupt("the checksum of commit \(version) is wrong")
      }
      // What is missing would be told of nowhere from now on.
      if last == nil, schema.isEmpty, let after = try connection.logAfter(), version > after &+ 1 {
        throw corrupt("commits are missing from its log")
      }
      if let last, last.version &+ 1 != version || record.before.map({ $0 != last.sum }) == true {
        throw corrupt("commit \(version) does not follow the one before it")
      }
      last = StoragePoint(version: version, sum: record.sum)
      try writer.add(Commit(version: version, time: time, changes: record.changes, cause: record.cause))
    }
    log.reset()
    try writer.finish()
  }

  /// Adds commits that follow the last one and have no records in the log. Called within a transaction.
  func add(_ commits: [Commit]) throws(QueryError) {
    if !types.isAny || commits.isEmpty { return }
    let writer = try Writer(self)
    for commit in commits { try writer.add(commit) }
    try writer.finish()
  }

  private static func sum(
    _ content: UnsafeRawBufferPointer, _ row: UInt32, _ version: Int64, _ time: Int64
  ) -> UInt32 {
    let head = withUnsafeBytes(of: (version.littleEndian, time.littleEndian, Int64(row).littleEndian)) {
      CRC32C.checksum($0)
    }
    return CRC32C.checksum(content, after: head)
  }

  /// A writer of the records of some commits.
  private final class Writer {
    private let table: HistoryTable
    private let insertion: StorageStatement
    private let going: StorageStatement
    private let removal: StorageStatement
    private let sums: HistorySums.Editor
    private let limiting: StorageStatement
    private let oldest: StorageStatement
    private let newest: StorageStatement
    private let taking: StorageStatement
    private var lastTime: Int64
    private var starts: [Int: HistoryStart]
    private var buffer: [UInt8] = []
    /// By type, the rows whose entities went for good, with the last version of that.
    private var erased: [Int: [UInt32: Int64]] = [:]
    /// The version with which the last of them went; nil for none.
    private var lastErasure: Int64?

    init(_ table: HistoryTable) throws(QueryError) {
      self.table = table
      let connection = table.connection
      // Whole rows are put in the place of what is there: a commit has one record of a row.
      insertion = try connection.prepare("INSERT INTO gqlite_history VALUES (?, ?, ?, ?, ?)")
      let condition = "type = ? AND row = ? AND version <= ?"
      going = try connection.prepare("SELECT type, version, body FROM \(HistoryTable.byRow) WHERE \(condition)")
      removal = try connection.prepare("DELETE FROM \(HistoryTable.byRow) WHERE \(condition)")
      sums = HistorySums.Editor(table.sums)
      limiting = try connection.prepare(
        """
        SELECT version, time FROM \(HistoryTable.byRow) WHERE type = ? AND row = ?
        ORDER BY version DESC LIMIT 1 OFFSET ?
        """)
      oldest = try connection.prepare(
        "SELECT version, time FROM \(HistoryTable.byRow) WHERE type = ? AND row = ? ORDER BY version LIMIT 1")
      newest = try connection.prepare(HistoryTable.newestOfRow)
      taking = try connection.prepare(HistoryTable.removalOfRecord)
      starts = try table.starts.read()
      lastTime = try table.lastTime() ?? .min
    }

    func add(_ commit: Commit) throws(QueryError) {
      let (version, time) = (commit.version, commit.time)
      lastTime = max(lastTime, time)
      let records: RowRecords
      do throws(ChangeProblem) { records = try commit.changes.records(of: table.types) } catch {
        throw table.corrupt("commit \(version) is not readable")
      }
      var isAny = false
      for row in records.rows {
        let number = table.numbers[row.type]
        if row.isErasing {
          erased[row.type, default: [:]][row.row] = version
          lastErasure = version
          try remove(row.type, row.row, through: version)
          continue
        }
        let isOfTimes = try fill(records.bytes[row.content], row)
        if !isOfTimes { isAny = true }
        let sum = buffer.withUnsafeBytes { HistoryTable.sum($0, row.row, version, lastTime) }
        for shift in 0..<UInt32(4) { buffer.append(UInt8(truncatingIfNeeded: sum >> (shift * 8))) }
        insertion.bind(1, number)
        insertion.bind(2, version)
        insertion.bind(3, Int64(row.row))
        insertion.bind(4, lastTime)
        try sums.add(number, version, Int64(sum))
        try buffer.withUnsafeBufferPointer { (bytes) throws(QueryError) in
          insertion.bind(5, blob: UnsafeRawBufferPointer(bytes))
          try insertion.run()
        }
        if !isOfTimes, let rule = table.types[row.type]?.rule, let most = rule.versions {
          try limit(row, number, to: most, before: rule.duration.map { self.start(after: $0) })
        }
      }
      if let origin = commit.origin, isAny { try table.origins.note(origin, of: version, sums) }
    }

    /// Fills the buffer with a record, joined with what a change of nothing that is kept has left of the row's time. Returns
    /// whether the record is of such a change.
    private func fill(_ content: ArraySlice<UInt8>, _ row: RowRecords.Row) throws(QueryError) -> Bool {
      buffer.removeAll(keepingCapacity: true)
      guard let column = table.types[row.type]?.timeColumn else {
        buffer += content
        return false
      }
      newest.bind(1, table.numbers[row.type])
      newest.bind(2, Int64(row.row))
      newest.bind(3, Int64.max)
      let last = try newest.step() ? try Record(newest, table.corrupt) : nil
      newest.reset()
      let isOfTimes = TimesRecord(content, column: column) != nil
      guard let last, let times = TimesRecord(last.content, column: column) else {
        buffer += content
        return isOfTimes
      }
      taking.bind(1, table.numbers[row.type])
      taking.bind(2, last.version)
      taking.bind(3, Int64(row.row))
      try sums.remove(table.numbers[row.type], last.version, last.sum)
      try taking.run()
      buffer += isOfTimes ? times.content : times.merged(into: content)
      return isOfTimes
    }

    private func remove(_ type: Int, _ row: UInt32, through version: Int64) throws(QueryError) {
      for statement in [going, removal] {
        statement.bind(1, table.numbers[type])
        statement.bind(2, Int64(row))
        statement.bind(3, version)
      }
      try HistoryTable.count(going, sums)
      try removal.run()
    }

    /// Erases rows that lived with what was erased, and went before it: elements of earlier lists.
    private func eraseElements() throws(QueryError) {
      var new = erased
      while !new.isEmpty {
        // With the version with which each went.
        var found: [Int: [UInt32: Int64]] = [:]
        for (type, history) in table.types.types.enumerated() {
          guard let history, history.owners.contains(where: { new[$0.type] != nil }) else { continue }
          let records = try table.connection.prepare(
            "SELECT row, version, time, body FROM gqlite_history WHERE type = ?")
          records.bind(1, table.numbers[type])
          while try records.step() {
            let record = try Record(records, table.corrupt)
            for (column, row) in RowRecords.links(in: record.content)
            where history.owners.contains(where: { owner in
              // What has come back since is another's.
              owner.column == column && new[owner.type]?[row].map { record.version <= $0 } ?? false
            }) {
              found[type, default: [:]][record.row] = max(record.version, found[type]?[record.row] ?? 0)
            }
          }
          records.reset()
        }
        // Those that are found are removed, and not found again.
        new = found
        for (type, rows) in found { for (row, version) in rows { try remove(type, row, through: version) } }
      }
    }

    /// When the past begins of what is kept for a time. A clock that goes wrong makes nothing old.
    private func start(after duration: Int64) -> Int64 {
      let (time, isBefore) = min(lastTime, WallClock.now).subtractingReportingOverflow(duration)
      return isBefore ? .min : time
    }

    /// Removes what is more of a row than is to be kept.
    ///
    /// - Parameter start: A time since which all is kept; nil for none.
    private func limit(
      _ row: RowRecords.Row, _ number: Int64, to most: Int64, before start: Int64?
    ) throws(QueryError) {
      if let start, try first(row, number).map({ $0.time >= start }) ?? true { return }
      limiting.bind(1, number)
      limiting.bind(2, Int64(row.row))
      limiting.bind(3, most)
      guard try limiting.step() else { return limiting.reset() }
      var last = HistoryStart(version: limiting.integer(0), time: limiting.integer(1))
      limiting.reset()
      guard let start else { return try remove(row, through: last) }
      // From the oldest on: each goes once.
      let end = last.version
      while let first = try first(row, number), first.version <= end, first.time < start {
        last = first
        try remove(row, through: last)
      }
    }

    private func first(_ row: RowRecords.Row, _ number: Int64) throws(QueryError) -> HistoryStart? {
      oldest.bind(1, number)
      oldest.bind(2, Int64(row.row))
      defer { oldest.reset() }
      return try oldest.step() ? HistoryStart(version: oldest.integer(0), time: oldest.integer(1)) : nil
    }

    private func remove(_ row: RowRecords.Row, through last: HistoryStart) throws(QueryError) {
      try remove(row.type, row.row, through: last.version)
      begin(row.type, after: last)
    }

    private func begin(_ type: Int, after last: HistoryStart) {
      if let start = starts[type], start.version < last.version { starts[type] = last }
    }

    /// Removes what is too old, and notes where each past begins.
    func finish() throws(QueryError) {
      try eraseElements()
      for type in table.numbers.indices {
        guard let rule = table.types[type]?.rule, let duration = rule.duration, rule.versions == nil else { continue }
        try removeOld(type, before: start(after: duration))
      }
      for type in table.numbers.indices {
        guard let owners = table.types[type]?.owners, !owners.isEmpty else { continue }
        guard let start = owners.compactMap({ starts[$0.type] }).min(by: { $0.version < $1.version }) else { continue }
        begin(type, after: start)
        try table.remove(type, through: start.version, sums)
      }
      try table.starts.note(starts, areSound: table.starts.areSound())
      let oldest = starts.values.map(\.version).min() ?? 0
      try table.origins.drop(through: oldest, unused: lastErasure != nil, sums)
      try sums.finish()
      if lastTime > .min {
        try table.connection.execute("INSERT OR REPLACE INTO gqlite_meta VALUES ('history_time', \(lastTime))")
      }
      if let lastErasure {
        try table.connection.execute("INSERT OR REPLACE INTO gqlite_meta VALUES ('history_erased', \(lastErasure))")
      }
    }

    private func removeOld(_ type: Int, before oldest: Int64) throws(QueryError) {
      let first = try table.connection.prepare(
        "SELECT version, time FROM gqlite_history WHERE type = ? ORDER BY version")
      first.bind(1, table.numbers[type])
      var last: HistoryStart?
      while try first.step(), first.integer(1) < oldest {
        last = HistoryStart(version: first.integer(0), time: first.integer(1))
      }
      first.reset()
      guard let last else { return }
      try table.remove(type, through: last.version, sums)
      begin(type, after: last)
    }
  }

  private func remove(_ type: Int, through version: Int64, _ sums: HistorySums.Editor) throws(QueryError) {
    let number = numbers[type]
    if let first = try sums.removeSpans(number, through: version) {
      let condition = "type = \(number) AND version BETWEEN \(first) AND \(version)"
      try Self.count(connection.prepare("\(Self.going) \(condition)"), sums)
    }
    try connection.execute("DELETE FROM gqlite_history WHERE type = \(number) AND version <= \(version)")
  }

  /// Selects records that are removed, with a condition.
  private static let going = "SELECT type, version, body FROM gqlite_history WHERE"

  /// Counts the records of a selection out, before they are removed.
  private static func count(_ going: StorageStatement, _ sums: HistorySums.Editor) throws(QueryError) {
    while try going.step() {
      try sums.remove(going.integer(0), going.integer(1), HistorySums.sum(of: going.bytes(2)))
    }
    going.reset()
  }

  // MARK: - Starts

  /// Returns the time of the last commit of which there are records.
  func lastTime() throws(QueryError) -> Int64? {
    try connection.integer("SELECT value FROM gqlite_meta WHERE key = 'history_time'")
  }

  /// Brings records to another schema, whose numbers the file has by now. Called within a transaction, when nothing is in
  /// the log.
  ///
  /// - Parameters:
  ///   - old: The table under the schema before, with its catalog; nil where none is known.
  ///   - snapshot: The version that the schema came with, where it is known.
  ///   - start: Where the past begins of types that had none.
  func takeOver(
    _ old: (table: HistoryTable, catalog: Catalog)?, _ catalog: Catalog, _ snapshot: Snapshot? = nil,
    from start: HistoryStart
  ) throws(QueryError) {
    var starts = try old?.table.starts.read() ?? [:]
    let mapping = HistoryMapping(from: old?.catalog ?? Catalog(), to: catalog, at: start.time)
    let empty = old == nil ? [] : snapshot.map { mapping.emptyBefore($0) } ?? []
    let sums = HistorySums.Editor(sums)
    var next: [Int: HistoryStart] = [:]
    var kept: Set<Int64> = []
    for type in numbers.indices where types[type] != nil {
      if let old, let former = mapping.types[type], old.table.numbers[former.type] == numbers[type],
        let known = starts.removeValue(forKey: former.type)
      {
        next[type] = known
        kept.insert(numbers[type])
        if let records = former.records, let last = try translate(type, records, sums) {
          try remove(type, through: last.version, sums)
          if last.version > known.version { next[type] = last }
        }
      } else {
        next[type] = empty.contains(type) ? .ever : start
      }
    }
    let known = kept.map { "\($0)" }.joined(separator: ", ")
    let counted = (kept + [HistorySums.origins]).map { "\($0)" }.joined(separator: ", ")
    let areSound = try self.starts.areSound()
    try connection.execute(
      """
      DELETE FROM gqlite_history WHERE type NOT IN (\(known));
      DELETE FROM gqlite_history_sum WHERE type NOT IN (\(counted));
      DELETE FROM gqlite_history_start
      """)
    try self.starts.note(next, areSound: areSound)
    try origins.drop(through: 0, unused: true, sums)
    try sums.finish()
  }

  /// Returns where the past begins, if not all records fit.
  private func translate(
    _ type: Int, _ mapping: RecordMapping, _ sums: HistorySums.Editor
  ) throws(QueryError) -> HistoryStart? {
    let statement = try connection.prepare(
      """
      SELECT row, version, time, body FROM gqlite_history WHERE type = ? AND (version, row) > (?, ?)
      ORDER BY version, row
      """)
    let update = try connection.prepare("UPDATE gqlite_history SET body = ? WHERE type = ? AND version = ? AND row = ?")
    let removal = try connection.prepare(Self.removalOfRecord)
    let going = try connection.prepare("\(Self.going) type = ? AND version = ? AND row = ?")
    var last: (version: Int64, row: Int64) = (.min, .min)
    var start: HistoryStart?
    var times = PendingTimes(column: types[type]?.timeColumn)
    while true {
      statement.bind(1, numbers[type])
      statement.bind(2, last.version)
      statement.bind(3, last.row)
      guard try statement.step() else { break }
      let record = try Record(statement, corrupt)
      statement.reset()
      last = (record.version, Int64(record.row))
      switch mapping.record(record.content) {
      case .content(let content):
        let (content, before) = times.joined(content, record.row, record.version)
        if let before {
          going.bind(1, numbers[type])
          going.bind(2, before)
          going.bind(3, Int64(record.row))
          try Self.count(going, sums)
          removal.bind(1, numbers[type])
          removal.bind(2, before)
          removal.bind(3, Int64(record.row))
          try removal.run()
        }
        var body = Array(content)
        let sum = body.withUnsafeBytes { Self.sum($0, record.row, record.version, record.time) }
        for shift in 0..<UInt32(4) { body.append(UInt8(truncatingIfNeeded: sum >> (shift * 8))) }
        try sums.replace(numbers[type], record.version, record.sum, by: Int64(sum))
        update.bind(2, numbers[type])
        update.bind(3, record.version)
        update.bind(4, Int64(record.row))
        try body.withUnsafeBufferPointer { (bytes) throws(QueryError) in
          update.bind(1, blob: UnsafeRawBufferPointer(bytes))
          try update.run()
        }
      case .nothing:
        try sums.remove(numbers[type], record.version, record.sum)
        removal.bind(1, numbers[type])
        removal.bind(2, record.version)
        removal.bind(3, Int64(record.row))
        try removal.run()
      case .misfit: start = HistoryStart(version: record.version, time: record.time)
      }
    }
    statement.reset()
    return start
  }

  // MARK: - Reading

  struct Record {
    var row: UInt32
    var version: Int64
    var time: Int64
    var content: ContiguousArray<UInt8>
    var sum: Int64

    /// Reads a record, which nothing is trusted of.
    init(_ statement: StorageStatement, _ corrupt: (String) -> QueryError) throws(QueryError) {
      let (row, body) = (statement.integer(0), statement.bytes(3))
      (version, time) = (statement.integer(1), statement.integer(2))
      // A text or a real number would be read as another one than that by which SQLite orders and finds it.
      guard row >= 0, row < PageLayout.maximumRows, body.count >= 6,
        (0..<3).allSatisfy({ statement.type($0) == SQLITE_INTEGER })
      else {
        throw corrupt("a record of version \(version) is not readable")
      }
      self.row = UInt32(truncatingIfNeeded: row)
      let content = UnsafeRawBufferPointer(rebasing: body[..<(body.count - 4)])
      let sum = UInt32(littleEndian: body.loadUnaligned(fromByteOffset: body.count - 4, as: UInt32.self))
      guard HistoryTable.sum(content, self.row, version, time) == sum else {
        throw corrupt("the checksum of a record of version \(version) is wrong")
      }
      self.content = ContiguousArray(content)
      self.sum = Int64(sum)
    }
  }

  /// Returns what is wrong with the records, a sentence each.
  func problems() throws(QueryError) -> [String] {
    let statement = try connection.prepare(
      "SELECT row, version, time, body, type FROM gqlite_history ORDER BY type, version")
    var found: [String] = []
    while try statement.step() {
      do throws(QueryError) {
        let record = try Record(statement, corrupt)
        guard let type = numbers.firstIndex(of: statement.integer(4)), types[type] != nil else {
          found.append("a record of version \(record.version) is of no type with a history")
          continue
        }
        if !Self.changes(type, [(record.row, record.content)]).isOnly(type, record.row) {
          found.append("a record of version \(record.version) is not readable")
        }
      } catch {
        found += error.problems.map(\.message)
      }
    }
    if try !starts.areSound() { found += corrupt(HistoryStartTable.unsound).problems.map(\.message) }
    return try found + origins.problems() + sums.problems()
  }

  var origins: OriginTable { OriginTable(connection: connection) }
  var starts: HistoryStartTable { HistoryStartTable(connection: connection, numbers: numbers) }
  var sums: HistorySums { HistorySums(connection: connection) }
}
