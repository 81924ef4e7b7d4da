import GQLBase
import GQLEngine

/// The forms of a file, by number: which one a file has, and how one of before becomes the newest.
///
/// Formats 0 and 1 were never released. They are there so that tests see files of another format read and upgraded. The
/// records of format 1 are no chain, and its files do not say which version their log leads to. Format 0 has neither
/// counts of rows nor the numbers that a schema gives. Format 2 has no records of the past. A file has format 3, or 4 as long
/// as it has branches: a version that does not know these would lose what they need.
enum StorageFormat {
  static let newest: Int64 = 4
  static let plain: Int64 = 3

  /// The number of a file's form, which is one that can be read.
  static func of(_ connection: StorageConnection) throws(QueryError) -> Int64 {
    let format = try connection.integer("PRAGMA user_version") ?? 0
    if format > newest { throw StorageProblem.newer(format: Int(format)).error(connection.path) }
    if format < 0 { throw StorageProblem.corrupt("its format has the number \(format)").error(connection.path) }
    return format
  }

  /// Refuses tables that are of another format than the file says. Its tables are there.
  static func check(_ format: Int64, _ connection: StorageConnection) throws(QueryError) {
    if try connection.hasColumn("rows", in: "gqlite_type") != (format > 0) {
      throw StorageProblem.corrupt("its tables are not those of format \(format)").error(connection.path)
    }
    if try (connection.point("newest") != nil) != (format > 1) {
      throw StorageProblem.corrupt("it is not as format \(format) is").error(connection.path)
    }
    if try connection.hasColumn("body", in: "gqlite_history") != (format > 2) {
      throw StorageProblem.corrupt("its tables are not those of format \(format)").error(connection.path)
    }
    if try connection.hasColumn("beside", in: "gqlite_branch") != (format > 3) {
      throw StorageProblem.corrupt("its tables are not those of format \(format)").error(connection.path)
    }
  }

  /// Makes a file of an earlier format one without branches of the newest. Called within a transaction, after all of it was read.
  static func upgrade(_ connection: StorageConnection, from format: Int64) throws(QueryError) {
    if format < 1 { try addNumbers(connection) }
    if format < 2 { try chainRecords(connection) }
    try connection.execute(HistoryTable.creation)
    try connection.execute("PRAGMA user_version = \(plain)")
  }

  /// Makes a file of format 1 one of format 2.
  private static func chainRecords(_ connection: StorageConnection) throws(QueryError) {
    let folded = try connection.integer("SELECT value FROM gqlite_meta WHERE key = 'folded'") ?? 0
    var point = StoragePoint(version: folded, sum: 0)
    try connection.note("folded", point)
    // Those before have no sum to begin with; who follows the file reads all of it.
    try connection.execute("DELETE FROM gqlite_log WHERE version <= \(folded)")
    let record = try connection.prepare("SELECT version, time, body FROM gqlite_log WHERE version > ? ORDER BY version")
    let update = try connection.prepare("UPDATE gqlite_log SET body = ? WHERE version = ?")
    while true {
      record.bind(1, point.version)
      guard try record.step() else { break }
      let (version, time) = (record.integer(0), record.integer(1))
      let known = LogRecord(unchained: record.bytes(2), version: version, time: time, after: point.sum)
      record.reset()
      guard let known else {
        throw StorageProblem.corrupt("the checksum of commit \(version) is wrong").error(connection.path)
      }
      let commit = Commit(version: version, time: time, changes: known.changes)
      let (bytes, sum) = LogRecord.bytes(commit, after: point.sum)
      update.bind(2, version)
      try bytes.withUnsafeBufferPointer { (bytes) throws(QueryError) in
        update.bind(1, blob: UnsafeRawBufferPointer(bytes))
        try update.run()
      }
      point = StoragePoint(version: version, sum: sum)
    }
    record.reset()
    try connection.note("newest", point)
    let schema = try connection.text("SELECT value FROM gqlite_meta WHERE key = 'schema'") ?? ""
    try connection.note(sumOf: schema)
  }

  /// Makes a file of format 0 one of format 1.
  private static func addNumbers(_ connection: StorageConnection) throws(QueryError) {
    try connection.execute(
      """
      ALTER TABLE gqlite_type ADD COLUMN rows INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE gqlite_type ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE gqlite_type ADD COLUMN given INTEGER;
      ALTER TABLE gqlite_field ADD COLUMN given INTEGER;
      """)
    let types = try connection.prepare(
      """
      SELECT number FROM gqlite_type
      WHERE EXISTS (SELECT * FROM sqlite_schema WHERE type = 'table' AND name = 'gqlite_t' || number)
      """)
    var numbers: [Int64] = []
    while try types.step() { numbers.append(types.integer(0)) }
    types.reset()
    for number in numbers {
      try connection.execute(
        """
        UPDATE gqlite_type SET (rows, sum) = (SELECT count(*), coalesce(sum(sum), 0) & 0xFFFFFFFF FROM gqlite_t\(number))
        WHERE number = \(number)
        """)
    }
  }
}

/// The notes of a file about itself in `gqlite_meta`.
extension StorageConnection {
  /// The version that is noted under a name; nil where none is.
  func point(_ name: String) throws(QueryError) -> StoragePoint? {
    guard let version = try integer("SELECT value FROM gqlite_meta WHERE key = '\(name)'"),
      let sum = try integer("SELECT value FROM gqlite_meta WHERE key = '\(name)_sum'"), let sum = UInt32(exactly: sum)
    else { return nil }
    return StoragePoint(version: version, sum: sum)
  }

  /// Notes a version under a name.
  func note(_ name: String, _ point: StoragePoint) throws(QueryError) {
    try execute(
      "INSERT OR REPLACE INTO gqlite_meta VALUES ('\(name)', \(point.version)), ('\(name)_sum', \(point.sum))")
  }

  /// The newest version that the rows and the log hold. Called within a transaction.
  func lastVersion(in schema: String = "main") throws(QueryError) -> Int64 {
    try integer(
      """
      SELECT max(
        coalesce((SELECT value FROM \(schema).gqlite_meta WHERE key = 'folded'), 0),
        coalesce((SELECT max(version) FROM \(schema).gqlite_log), 0))
      """) ?? 0
  }

  /// The version after which the log has all records. A file that was written before that was noted has none.
  func logAfter() throws(QueryError) -> Int64? { try integer("SELECT value FROM gqlite_meta WHERE key = 'log_after'") }

  /// Notes the version after which the log has all records.
  func note(logAfter version: Int64) throws(QueryError) {
    try execute("INSERT OR REPLACE INTO gqlite_meta VALUES ('log_after', \(version))")
  }

  /// Notes the checksum of a schema.
  func note(sumOf schema: String) throws(QueryError) {
    try execute("INSERT OR REPLACE INTO gqlite_meta VALUES ('schema_sum', \(Self.sum(of: schema)))")
  }

  /// Returns whether a schema is the one whose checksum was noted. Files of earlier formats may have none.
  func isNoted(_ schema: String, isOptional: Bool) throws(QueryError) -> Bool {
    guard let sum = try schemaSum() else { return isOptional }
    return sum == Self.sum(of: schema)
  }

  /// The checksum of the schema that is noted; nil where none is.
  func schemaSum() throws(QueryError) -> Int64? {
    try integer("SELECT value FROM gqlite_meta WHERE key = 'schema_sum'")
  }

  private static func sum(of schema: String) -> Int64 {
    Int64(Array(schema.utf8).withUnsafeBytes { CRC32C.checksum($0) })
  }
}
