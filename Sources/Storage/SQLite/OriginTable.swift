import CSQLite3
import GQLBase
import GQLEngine

/// The origins of the versions in a file's history: who has made each, where somebody was named.
///
/// The table is made with the first origin. A file without one has none, and pays nothing for it.
struct OriginTable {
  let connection: StorageConnection

  private static let creation = """
    CREATE TABLE IF NOT EXISTS gqlite_history_origin(
      version INTEGER PRIMARY KEY, origin BLOB NOT NULL, sum INTEGER NOT NULL)
    """

  private func corrupt(_ what: String) -> QueryError { StorageProblem.corrupt(what).error(connection.path) }

  func exists(in schema: String = "main") throws(QueryError) -> Bool {
    let query = "SELECT count(*) FROM \(schema).sqlite_schema WHERE name = 'gqlite_history_origin'"
    return try connection.integer(query) ?? 0 > 0
  }

  private static func sum(_ origin: UnsafeRawBufferPointer, _ version: Int64) -> Int64 {
    let head = withUnsafeBytes(of: version.littleEndian) { CRC32C.checksum($0) }
    return Int64(CRC32C.checksum(origin, after: head))
  }

  /// Notes who has made a version. Called within a transaction.
  func note(_ origin: String, of version: Int64, _ sums: HistorySums.Editor) throws(QueryError) {
    try connection.execute(Self.creation)
    let known = try connection.integer("SELECT sum FROM gqlite_history_origin WHERE version = \(version)")
    if let known { try sums.remove(HistorySums.origins, version, known) }
    let insertion = try connection.prepare("INSERT OR REPLACE INTO gqlite_history_origin VALUES (?, ?, ?)")
    try Array(origin.utf8).withUnsafeBufferPointer { (bytes) throws(QueryError) in
      let bytes = UnsafeRawBufferPointer(bytes)
      insertion.bind(1, version)
      insertion.bind(2, blob: bytes)
      let sum = Self.sum(bytes, version)
      insertion.bind(3, sum)
      try insertion.run()
      try sums.add(HistorySums.origins, version, sum)
    }
  }

  /// Drops the origins of versions up to one, before which nothing is kept.
  ///
  /// - Parameter unused: Drops those of later versions too, where no record is left of them.
  func drop(through version: Int64, unused: Bool, _ sums: HistorySums.Editor) throws(QueryError) {
    if try !exists() { return }
    try drop("version <= \(version)", sums)
    if unused { try drop("version NOT IN (SELECT version FROM gqlite_history)", sums) }
  }

  private func drop(_ condition: String, _ sums: HistorySums.Editor) throws(QueryError) {
    let going = try connection.prepare("SELECT version, sum FROM gqlite_history_origin WHERE \(condition)")
    while try going.step() { try sums.remove(HistorySums.origins, going.integer(0), going.integer(1)) }
    going.reset()
    try connection.execute("DELETE FROM gqlite_history_origin WHERE \(condition)")
  }

  /// Copies the origins of a file that is attached as `source`, up to a version.
  func copy(through version: Int64) throws(QueryError) {
    if try exists() { try connection.execute("DELETE FROM gqlite_history_origin") }
    if try !exists(in: "source") { return }
    try connection.execute(Self.creation)
    try connection.execute(
      """
      INSERT INTO gqlite_history_origin
        SELECT version, origin, sum FROM source.gqlite_history_origin WHERE version <= \(version)
      """)
  }

  /// A reader of origins, by version.
  struct Reader {
    fileprivate let table: OriginTable
    /// Nil where there is no table of them.
    fileprivate let statement: StorageStatement?
    fileprivate var checker: HistorySums.Checker?

    /// Returns who has made a version; nil where nobody was named.
    mutating func origin(of version: Int64) throws(QueryError) -> String? {
      try checker?.check(downTo: version)
      guard let statement else { return nil }
      statement.bind(1, version)
      defer { statement.reset() }
      return try statement.step() ? table.read(statement) : nil
    }
  }

  /// Returns a reader of the origins of versions up to one. Called within a transaction.
  func reader(from newest: Int64, _ checked: HistorySums.Checked) throws(QueryError) -> Reader {
    let selection = "SELECT version, origin, sum FROM gqlite_history_origin WHERE"
    let isThere = try exists()
    let checker = try HistorySums(connection: connection).checker(
      HistorySums.origins, from: newest, checked,
      isThere ? "\(selection) version >= ?1 AND version < ?2 ORDER BY version" : nil, corrupt
    ) { (statement) throws(QueryError) in
      _ = try read(statement)
      return statement.integer(2)
    }
    let statement = isThere ? try connection.prepare("\(selection) version = ?") : nil
    return Reader(table: self, statement: statement, checker: checker)
  }

  fileprivate func read(_ statement: StorageStatement) throws(QueryError) -> String {
    let version = statement.integer(0)
    let bytes = statement.bytes(1)
    guard Self.sum(bytes, version) == statement.integer(2) else {
      throw corrupt("the checksum of the origin of version \(version) is wrong")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns what is wrong with the origins, a sentence each.
  func problems() throws(QueryError) -> [String] {
    if try !exists() { return [] }
    let statement = try connection.prepare("SELECT version, origin, sum FROM gqlite_history_origin ORDER BY version")
    var found: [String] = []
    while try statement.step() {
      do throws(QueryError) { _ = try read(statement) } catch { found += error.problems.map(\.message) }
    }
    statement.reset()
    return found
  }
}
