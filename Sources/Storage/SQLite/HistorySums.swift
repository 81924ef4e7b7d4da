import GQLBase
import GQLEngine

/// The counts and sums of a file's records of the past, for each type by spans of versions. Without them, a record that a
/// damaged table lacks would look like one that was never made.
///
/// A span holds the versions from its first one up to the next span's. So a reader of the latest versions checks few records,
/// and a span that expires takes its damage with it. The origins of versions are counted as the records of type 0.
struct HistorySums {
  /// Makes the table. Called within a transaction.
  static let creation = """
    CREATE TABLE gqlite_history_sum(
      type INTEGER NOT NULL, version INTEGER NOT NULL, records INTEGER NOT NULL, sum INTEGER NOT NULL,
      PRIMARY KEY(type, version)) WITHOUT ROWID;
    """
  /// The number of origins, which no type has.
  static let origins: Int64 = 0
  /// The records of a span after which the next commit begins another.
  private static let fullSpan: Int64 = 4096

  let connection: StorageConnection

  /// One span of a type's records.
  fileprivate struct Span: Hashable {
    var type: Int64
    var version: Int64
    var records: Int64 = 0
    var sum: Int64 = 0

    mutating func count(_ sum: Int64, by difference: Int64) {
      records &+= difference
      self.sum = (self.sum &+ difference &* sum) & 0xFFFF_FFFF
    }
  }

  /// Returns whether the file has sums. One that was written before there were any has none.
  func exists(in schema: String = "main") throws(QueryError) -> Bool {
    let query = "SELECT count(*) FROM \(schema).sqlite_schema WHERE name = 'gqlite_history_sum'"
    return try connection.integer(query) ?? 0 > 0
  }

  /// Makes the table of a file that has none, and counts the records that are there. Called within a transaction.
  func make() throws(QueryError) {
    try connection.execute(Self.creation)
    try countAll()
  }

  /// Counts the records that are there, in a table that is empty. Called within a transaction.
  func countAll() throws(QueryError) {
    let editor = Editor(self)
    try forEachRecord { (type, version, sum) throws(QueryError) in try editor.add(type, version, sum) }
    try editor.finish()
  }

  /// Returns the sum that a record ends with; 0 where it is none.
  static func sum(of record: UnsafeRawBufferPointer) -> Int64 {
    if record.count < 4 { return 0 }
    return Int64(UInt32(littleEndian: record.loadUnaligned(fromByteOffset: record.count - 4, as: UInt32.self)))
  }

  /// Calls with the type, the version and the sum of each record and of each origin, versions of a type in ascending order.
  private func forEachRecord(_ body: (Int64, Int64, Int64) throws(QueryError) -> Void) throws(QueryError) {
    let records = try connection.prepare("SELECT type, version, body FROM gqlite_history ORDER BY type, version")
    while try records.step() { try body(records.integer(0), records.integer(1), Self.sum(of: records.bytes(2))) }
    records.reset()
    guard try OriginTable(connection: connection).exists() else { return }
    let origins = try connection.prepare("SELECT version, sum FROM gqlite_history_origin ORDER BY version")
    while try origins.step() { try body(Self.origins, origins.integer(0), origins.integer(1)) }
    origins.reset()
  }

  /// Copies the sums of a file that is attached as `source`, whose records up to a version were copied.
  ///
  /// - Parameter types: Joins rows `h` of a table with the number `n.number` that their type has in this file.
  func copy(through version: Int64, joining types: String) throws(QueryError) {
    try connection.execute("DELETE FROM gqlite_history_sum")
    // Counted here only where there is nothing to copy, since damage of the source must not get lost.
    if try !exists(in: "source") { return try countAll() }
    try connection.execute(
      """
      INSERT INTO gqlite_history_sum
        SELECT n.number, h.version, h.records, h.sum FROM source.gqlite_history_sum h JOIN \(types)
        WHERE h.version <= \(version);
      INSERT INTO gqlite_history_sum
        SELECT type, version, records, sum FROM source.gqlite_history_sum
        WHERE type = \(Self.origins) AND version <= \(version)
      """)
    let editor = Editor(self)
    /// Takes out what the last span of a type has beyond the version.
    func removeLater(_ query: String, _ column: String, _ type: String) throws(QueryError) {
      let statement = try connection.prepare(
        """
        SELECT \(column) FROM \(query) WHERE h.version > \(version) AND h.version < coalesce((
          SELECT min(s.version) FROM source.gqlite_history_sum s WHERE s.type = \(type) AND s.version > \(version)
        ), \(Int64.max))
        """)
      while try statement.step() {
        let sum = type == "h.type" ? Self.sum(of: statement.bytes(2)) : statement.integer(2)
        try editor.remove(statement.integer(0), statement.integer(1), sum)
      }
      statement.reset()
    }
    try removeLater("source.gqlite_history h JOIN \(types)", "n.number, h.version, h.body", "h.type")
    if try OriginTable(connection: connection).exists(in: "source") {
      let columns = "\(Self.origins), h.version, h.sum"
      try removeLater("source.gqlite_history_origin h", columns, "\(Self.origins)")
    }
    try editor.finish()
  }

  /// Returns what is wrong with the sums, a sentence each.
  func problems() throws(QueryError) -> [String] {
    if try !exists() { return [] }
    let editor = Editor(self)
    var strays: Set<Int64> = []
    try forEachRecord { (type, version, sum) throws(QueryError) in
      if try !editor.remove(type, version, sum) { strays.insert(type) }
    }
    let found = try editor.remainder().map { Self.misfit($0.type, $0.version) }
    return found + strays.sorted().map { Self.misfit($0, 0) }
  }

  private static func misfit(_ type: Int64, _ version: Int64) -> String {
    let records = type == origins ? "origins of versions" : "records of the past"
    return "\(records) from version \(version) on are missing, or are not those that were written"
  }

  /// An editor of the sums within one transaction.
  final class Editor {
    private let sums: HistorySums
    /// By type, in ascending order, those that were changed.
    private var spans: [Int64: [Span]] = [:]
    /// Those that the file has, of the same types.
    private var stored: [Int64: [Span]] = [:]
    /// By type: the version of the last record that was added.
    private var added: [Int64: Int64] = [:]

    init(_ sums: HistorySums) { self.sums = sums }

    private func load(_ type: Int64) throws(QueryError) {
      if spans[type] != nil { return }
      let statement = try sums.connection.prepare(
        "SELECT version, records, sum FROM gqlite_history_sum WHERE type = ? ORDER BY version")
      statement.bind(1, type)
      var found: [Span] = []
      while try statement.step() {
        found.append(
          Span(type: type, version: statement.integer(0), records: statement.integer(1), sum: statement.integer(2)))
      }
      statement.reset()
      (spans[type], stored[type]) = (found, found)
    }

    /// Returns the place of the span that has a version; nil where it is before all.
    private func place(_ type: Int64, _ version: Int64) -> Int? {
      guard let spans = spans[type] else { return nil }
      var (low, high) = (0, spans.count)
      while low < high {
        let middle = (low + high) / 2
        if spans[middle].version <= version { low = middle + 1 } else { high = middle }
      }
      return low == 0 ? nil : low - 1
    }

    /// Counts a record that comes.
    func add(_ type: Int64, _ version: Int64, _ sum: Int64) throws(QueryError) {
      try load(type)
      let last = spans[type]?.last
      let isLater = last.map { $0.records >= HistorySums.fullSpan && $0.version < version } ?? false
      // All records of a commit are in one span.
      if let place = place(type, version), !isLater || added[type] == version {
        spans[type]?[place].count(sum, by: 1)
      } else {
        var span = Span(type: type, version: version)
        span.count(sum, by: 1)
        let place = isLater ? spans[type]?.count ?? 0 : 0
        spans[type]?.insert(span, at: place)
      }
      added[type] = version
    }

    /// Counts a record that goes. Returns false where no span has its version.
    @discardableResult
    func remove(_ type: Int64, _ version: Int64, _ sum: Int64) throws(QueryError) -> Bool {
      try load(type)
      guard let place = place(type, version) else { return false }
      spans[type]?[place].count(sum, by: -1)
      return true
    }

    /// Counts a record that takes the place of another of its version.
    func replace(_ type: Int64, _ version: Int64, _ old: Int64, by new: Int64) throws(QueryError) {
      try load(type)
      guard let place = place(type, version) else { return }
      spans[type]?[place].count(old, by: -1)
      spans[type]?[place].count(new, by: 1)
    }

    /// Drops the spans that end up to a version.
    ///
    /// - Returns: The first version of the span that goes on beyond it, whose records are to be removed one by one; nil where
    ///   none does.
    func removeSpans(_ type: Int64, through version: Int64) throws(QueryError) -> Int64? {
      try load(type)
      guard let place = place(type, version) else { return nil }
      let spans = self.spans[type] ?? []
      if place + 1 < spans.count, spans[place + 1].version - 1 <= version {
        self.spans[type]?.removeSubrange(...place)
        return nil
      }
      self.spans[type]?.removeSubrange(..<place)
      return spans[place].version
    }

    /// Returns spans of which something is left, with those of types that nothing was done with.
    fileprivate func remainder() throws(QueryError) -> [(type: Int64, version: Int64)] {
      let types = try sums.connection.prepare("SELECT DISTINCT type FROM gqlite_history_sum")
      while try types.step() { try load(types.integer(0)) }
      types.reset()
      return spans.sorted { $0.key < $1.key }.flatMap(\.value)
        .filter { $0.records != 0 || $0.sum != 0 }.map { (type: $0.type, version: $0.version) }
    }

    /// Writes what was changed.
    func finish() throws(QueryError) {
      let removal = try sums.connection.prepare("DELETE FROM gqlite_history_sum WHERE type = ? AND version = ?")
      let insertion = try sums.connection.prepare("INSERT OR REPLACE INTO gqlite_history_sum VALUES (?, ?, ?, ?)")
      for (type, spans) in spans {
        let kept = spans.filter { $0.records != 0 || $0.sum != 0 }
        let (old, versions) = (stored[type] ?? [], Set(kept.map(\.version)))
        for span in old where !versions.contains(span.version) {
          removal.bind(1, type)
          removal.bind(2, span.version)
          try removal.run()
        }
        let known = Set(old)
        for span in kept where !known.contains(span) {
          for (number, value) in [(1, type), (2, span.version), (3, span.records), (4, span.sum)] as [(Int32, Int64)] {
            insertion.bind(number, value)
          }
          try insertion.run()
        }
      }
      (spans, stored, added) = ([:], [:], [:])
    }
  }

  /// The spans whose records were found to be those that were written. For one thread at a time.
  final class Checked {
    /// The most spans that are noted, some megabytes.
    private static let most = 1 << 16
    private var spans: Set<Span> = []

    fileprivate func contains(_ span: Span) -> Bool { spans.contains(span) }

    fileprivate func insert(_ span: Span) {
      if spans.count >= Self.most { spans.removeAll() }
      spans.insert(span)
    }
  }

  /// A reader of one type's sums from a version on downwards, which checks the spans that it comes to. Each is read once.
  struct Checker {
    private let type: Int64
    private let checked: Checked
    private let spans: StorageStatement
    private let records: (StorageStatement) throws(QueryError) -> Int64
    private let query: StorageStatement?
    private let corrupt: (String) -> QueryError
    /// The first version after the next span.
    private var end: Int64
    private var isAtEnd = false

    /// - Parameters:
    ///   - query: Selects the records from one version on and before another; nil where there is no table of them.
    ///   - sum: Returns the sum of a record, which it checks.
    fileprivate init(
      _ sums: HistorySums, _ type: Int64, from newest: Int64, _ checked: Checked, _ query: StorageStatement?,
      _ corrupt: @escaping (String) -> QueryError, _ sum: @escaping (StorageStatement) throws(QueryError) -> Int64
    ) throws(QueryError) {
      (self.type, self.checked, self.query, self.corrupt, records) = (type, checked, query, corrupt, sum)
      let next = "SELECT min(version) FROM gqlite_history_sum WHERE type = \(type) AND version > \(newest)"
      let end = try sums.connection.integer(next) ?? 0
      self.end = end > newest ? end : .max
      spans = try sums.connection.prepare(
        """
        SELECT version, records, sum FROM gqlite_history_sum WHERE type = \(type) AND version <= \(newest)
        ORDER BY version DESC
        """)
    }

    /// Checks all spans down to the one that has a version.
    ///
    /// - Returns: True if there is one.
    @discardableResult
    mutating func check(downTo version: Int64) throws(QueryError) -> Bool {
      while end > version, !isAtEnd {
        guard try spans.step() else {
          isAtEnd = true
          break
        }
        let span = Span(type: type, version: spans.integer(0), records: spans.integer(1), sum: spans.integer(2))
        if !checked.contains(span) {
          try check(span)
          checked.insert(span)
        }
        end = span.version
      }
      return end <= version
    }

    private func check(_ span: Span) throws(QueryError) {
      var found = Span(type: type, version: span.version)
      if let query {
        query.bind(1, span.version)
        query.bind(2, end)
        while try query.step() { found.count(try records(query), by: 1) }
        query.reset()
      }
      if found != span { throw corrupt(HistorySums.misfit(type, span.version)) }
    }
  }

  /// Returns a checker of one type's records, from a version on downwards; nil where the file has no sums.
  func checker(
    _ type: Int64, from newest: Int64, _ checked: Checked, _ query: String?,
    _ corrupt: @escaping (String) -> QueryError, _ sum: @escaping (StorageStatement) throws(QueryError) -> Int64
  ) throws(QueryError) -> Checker? {
    if try !exists() { return nil }
    var statement: StorageStatement?
    if let query { statement = try connection.prepare(query) }
    return try Checker(self, type, from: newest, checked, statement, corrupt, sum)
  }
}
