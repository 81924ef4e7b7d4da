import CSQLite3
import GQLBase
import GQLEngine

/// A file that is to be copied, as it was when the copy began.
struct CopySource: Sendable {
  let path: String
  /// The URI by which SQLite reads it and writes nothing to it.
  let address: String
  let file: FileIdentity?
  /// The id that it was given when it was made.
  let identity: String?
  /// The checksum of its schema; nil where it is of a format without a past.
  let schemaSum: Int64?
  let numbers: KnownNumbers

  /// Indicates whether the file has been removed, emptied or replaced since.
  var isReplaced: Bool { FileIdentity(ofContentAt: path) != file }
}

/// A part of a file that copies take over beside the rows.
extension SQLiteBackend {
  /// Notes what a copy is made of. Called while nobody writes.
  func copySource() throws(QueryError) -> CopySource {
    let connection = try opened()
    return CopySource(
      path: path, address: connection.readingAddress, file: connection.file, identity: identity,
      schemaSum: history?.schemaSum, numbers: try KnownNumbers(connection))
  }

  /// Takes over which numbers the schemas of another file have given, also to what is gone.
  func copyNumbers(from source: CopySource) throws(QueryError) {
    guard source.numbers.hasGiven else { return }
    let connection = try opened()
    try transaction(connection) { () throws(QueryError) in try source.numbers.note(inCopy: connection) }
    // What fails is told here: the copy goes without its log.
    try truncateLog(connection, "")
  }

  /// Copies the records of the past of another file with the same schema.
  ///
  /// - Throws: with the code `storage-changed` where the file no longer has the past of that version.
  func copyHistory(from source: CopySource, through version: Int64) throws(QueryError) {
    guard let history, history.types.isAny, source.schemaSum != nil else { return }
    do throws(QueryError) {
      try attached(source) { (connection) throws(QueryError) in
        try transaction(connection) { () throws(QueryError) in
          guard try isKept(source, through: version, connection) else {
            throw StorageProblem.changed.error(source.path)
          }
          try history.copy(through: version)
          guard try history.begins(through: version) else { throw StorageProblem.changed.error(source.path) }
        }
      }
    } catch {
      throw source.isReplaced ? StorageProblem.changed.error(source.path) : error
    }
    if source.isReplaced { throw StorageProblem.changed.error(source.path) }
    // What fails is told here: the copy goes without its log.
    try truncateLog(opened(), "")
  }

  private func attached(
    _ source: CopySource, _ body: (StorageConnection) throws(QueryError) -> Void
  ) throws(QueryError) {
    let connection = try opened()
    try connection.prepare("ATTACH ? AS source").run(binding: [(1, source.address)])
    var failure: QueryError?
    do throws(QueryError) {
      try body(connection)
    } catch {
      failure = error
    }
    try connection.execute("DETACH source")
    if let failure { throw failure }
  }

  /// Returns whether the file that is attached is the one that the copy began with, and has the past of a version: with
  /// another schema, or once a later version has erased some of it, it has not. Called within a transaction.
  private func isKept(
    _ source: CopySource, through version: Int64, _ connection: StorageConnection
  ) throws(QueryError) -> Bool {
    let meta = "SELECT value FROM source.gqlite_meta WHERE key ="
    guard try connection.text("\(meta) 'id'") == source.identity,
      try connection.integer("\(meta) 'schema_sum'") == source.schemaSum
    else { return false }
    if try connection.integer("\(meta) 'history_erased'") ?? 0 > version { return false }
    return try connection.lastVersion(in: "source") >= version
  }
}
