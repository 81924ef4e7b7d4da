import GQLCatalog
import GQLEngine
import GQLStore

/// Reading the past from a file: commits of its log, then records.
extension HistoryTable {
  /// Returns whether records lead back from the newest version of a request. Those of another schema do not, nor those
  /// of which a later version has erased some. Called within a transaction.
  func isKept(for request: HistoryRequest) throws(QueryError) -> Bool {
    guard catalog.storesAlike(request.catalog), try connection.schemaSum() == schemaSum else { return false }
    return try lastErasure() ?? 0 <= request.newest
  }

  /// Returns the newest version with which an entity was erased, of those in the table; nil for none.
  private func lastErasure() throws(QueryError) -> Int64? {
    try connection.integer("SELECT value FROM gqlite_meta WHERE key = 'history_erased'")
  }

  /// Returns where the past of types begins. Called within a transaction.
  func starts(_ types: [Int]) throws(QueryError) -> [HistoryStart?] {
    guard try starts.areSound() else { throw corrupt(HistoryStartTable.unsound) }
    let starts = try starts.read()
    return types.map { starts[$0] }
  }

  /// Calls with what takes the changes after a moment back, as long as that returns true. Called within a transaction.
  ///
  /// - Returns: True if the past of some entity may have been erased.
  func forEachStep(_ request: HistoryRequest, _ body: (HistoryStep) -> Bool) throws(QueryError) -> Bool {
    var rows = HistoryRows()
    var goesOn = try forEachLogged(request, &rows, body)
    let lastErasure = try lastErasure()
    if goesOn { goesOn = try forEachOfTimes(request, rows.open, body) }
    if goesOn { try forEachRecord(request, rows.erased, body) }
    return lastErasure != nil || !rows.erased.isEmpty
  }

  /// Calls with the records that belong to versions before the moment, and lead back to the times of these; see
  /// ``TimesRecord``. Returns false where the body does.
  private func forEachOfTimes(
    _ request: HistoryRequest, _ open: [Int: Set<UInt32>], _ body: (HistoryStep) -> Bool
  ) throws(QueryError) -> Bool {
    let newest = try connection.prepare(Self.newestOfRow)
    for (type, rows) in open {
      guard let column = types[type]?.timeColumn else { continue }
      for row in rows {
        newest.bind(1, numbers[type])
        newest.bind(2, Int64(row))
        newest.bind(3, request.newest)
        let record = try newest.step() ? try Record(newest, corrupt) : nil
        newest.reset()
        guard let record, !request.isLater(version: record.version, time: record.time),
          TimesRecord(record.content, column: column) != nil
        else { continue }
        var step = Self.step(type, [record], nil)
        step.isOfTimes = true
        if !body(step) { return false }
      }
    }
    return true
  }

  private func forEachRecord(
    _ request: HistoryRequest, _ erased: [Int: Set<UInt32>], _ body: (HistoryStep) -> Bool
  ) throws(QueryError) {
    var origins = try origins.reader(from: request.newest, checked)
    for type in request.types {
      let statement = try connection.prepare(
        """
        SELECT row, version, time, body FROM gqlite_history WHERE type = ? AND version <= ?
        ORDER BY version DESC, row DESC
        """)
      statement.bind(1, numbers[type])
      statement.bind(2, request.newest)
      var group: [Record] = []
      var checker = try checker(type, from: request.newest)
      var hasReached = false
      while try statement.step() {
        let record = try Record(statement, corrupt)
        if try checker?.check(downTo: record.version) == false {
          throw corrupt("a record of version \(record.version) is not one that was written")
        }
        if !request.isLater(version: record.version, time: record.time) {
          hasReached = true
          break
        }
        if erased[type]?.contains(record.row) ?? false { continue }
        if let version = group.first?.version, version != record.version {
          if try !body(Self.step(type, group, origins.origin(of: version))) { return }
          group.removeAll(keepingCapacity: true)
        }
        group.append(record)
      }
      if !hasReached { try checker?.check(downTo: .min) }
      if let version = group.first?.version, try !body(Self.step(type, group, origins.origin(of: version))) { return }
    }
  }

  /// Returns a checker of the records of a type, from a version on downwards.
  private func checker(_ type: Int, from newest: Int64) throws(QueryError) -> HistorySums.Checker? {
    let query = """
      SELECT row, version, time, body FROM gqlite_history
      WHERE type = \(numbers[type]) AND version >= ?1 AND version < ?2 ORDER BY version, row
      """
    return try sums.checker(numbers[type], from: newest, checked, query, corrupt) { (statement) throws(QueryError) in
      try Record(statement, corrupt).sum
    }
  }

  private static func step(_ type: Int, _ records: [Record], _ origin: String?) -> HistoryStep {
    let records = records.reversed()
    let first = records.first
    return HistoryStep(
      type: type, version: first?.version ?? 0, time: first?.time ?? 0, rows: records.map(\.row),
      changes: changes(type, records.map { (row: $0.row, content: $0.content) }), origin: origin)
  }

  static func changes(
    _ type: Int, _ rows: [(row: UInt32, content: ContiguousArray<UInt8>)]
  ) -> ChangeSet {
    var bytes: ContiguousArray<UInt8> = []
    var ranges: [(row: UInt32, content: Range<Int>)] = []
    for (row, content) in rows {
      ranges.append((row, bytes.count..<(bytes.count + content.count)))
      bytes += content
    }
    return bytes.withUnsafeBytes { bytes in
      ChangeSet(
        type: type, rows: ranges.map { (row: $0.row, content: UnsafeRawBufferPointer(rebasing: bytes[$0.content])) })
    }
  }

  /// The commits whose records are in the log still. Returns false where the body does.
  private func forEachLogged(
    _ request: HistoryRequest, _ rows: inout HistoryRows, _ body: (HistoryStep) -> Bool
  ) throws(QueryError) -> Bool {
    var time = try lastTime() ?? .min
    // Of a time the commits before it are read too, because their times may not ascend.
    let log = try connection.prepare("SELECT version, time, body FROM gqlite_log WHERE version <= ? ORDER BY version")
    log.bind(1, request.newest)
    var commits: [Commit] = []
    // The sums wrap where a damaged file has the largest number: that is found missing then.
    var next = try connection.logAfter().map { $0 &+ 1 }
    while try log.step() {
      let (version, noted) = (log.integer(0), log.integer(1))
      guard version == next ?? version else { throw corrupt("commits are missing from its log") }
      next = version &+ 1
      time = max(time, noted)
      if !request.looksBack, !request.isLater(version: version, time: time) { continue }
      guard let record = LogRecord(log.bytes(2), version: version, time: noted) else {
        throw corrupt("the checksum of commit \(version) is wrong")
      }
      commits.append(Commit(version: version, time: time, changes: record.changes, cause: record.cause))
    }
    log.reset()
    if let next, next <= request.newest { throw corrupt("commits are missing from its log") }
    do throws(ChangeProblem) {
      return try request.forEachStep(of: commits, &rows, body)
    } catch {
      throw corrupt("a commit of its log is not readable")
    }
  }
}
