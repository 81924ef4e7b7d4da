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

  private func corrupt(_ version: Int64) -> QueryError {
    StorageProblem.corrupt("the checksum of the origin of version \(version) is wrong").error(connection.path)
  }

  private func exists(in schema: String = "main") throws(QueryError) -> Bool {
    let query = "SELECT count(*) FROM \(schema).sqlite_schema WHERE name = 'gqlite_history_origin'"
    return try connection.integer(query) ?? 0 > 0
  }

  private static func sum(_ origin: UnsafeRawBufferPointer, _ version: Int64) -> Int64 {
    let head = withUnsafeBytes(of: version.littleEndian) { CRC32C.checksum($0) }
    return Int64(CRC32C.checksum(origin, after: head))
  }

  /// Notes who has made a version. Called within a transaction.
  func note(_ origin: String, of version: Int64) throws(QueryError) {
    try connection.execute(Self.creation)
    let insertion = try connection.prepare("INSERT OR REPLACE INTO gqlite_history_origin VALUES (?, ?, ?)")
    try Array(origin.utf8).withUnsafeBufferPointer { (bytes) throws(QueryError) in
      let bytes = UnsafeRawBufferPointer(bytes)
      insertion.bind(1, version)
      insertion.bind(2, blob: bytes)
      insertion.bind(3, Self.sum(bytes, version))
      try insertion.run()
    }
  }

  /// Drops the origins of versions up to one, before which nothing is kept.
  ///
  /// - Parameter unused: Drops those of later versions too, where no record is left of them.
  func drop(through version: Int64, unused: Bool) throws(QueryError) {
    if try !exists() { return }
    try connection.execute("DELETE FROM gqlite_history_origin WHERE version <= \(version)")
    if !unused { return }
    try connection.execute(
      "DELETE FROM gqlite_history_origin WHERE version NOT IN (SELECT version FROM gqlite_history)")
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
    fileprivate let statement: StorageStatement

    /// Returns who has made a version; nil where nobody was named.
    func origin(of version: Int64) throws(QueryError) -> String? {
      statement.bind(1, version)
      defer { statement.reset() }
      return try statement.step() ? table.read(statement) : nil
    }
  }

  /// Returns a reader; nil where there are no origins. Called within a transaction.
  func reader() throws(QueryError) -> Reader? {
    if try !exists() { return nil }
    return Reader(
      table: self,
      statement: try connection.prepare("SELECT version, origin, sum FROM gqlite_history_origin WHERE version = ?"))
  }

  fileprivate func read(_ statement: StorageStatement) throws(QueryError) -> String {
    let version = statement.integer(0)
    let bytes = statement.bytes(1)
    guard Self.sum(bytes, version) == statement.integer(2) else { throw corrupt(version) }
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
