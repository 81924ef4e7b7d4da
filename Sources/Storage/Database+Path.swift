import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

extension Database {
  /// A database that lasts: opens a file, or makes one.
  ///
  /// ```swift
  /// let database = try Database(path: "shop.gqlite", schema: "type Product { id: ID! name: String! price: Decimal! }")
  /// try database.run("mutation { insertProduct(data: {id: 1, name: \"Lamp\", price: 19.5}) { id } }")
  /// try database.close()
  /// ```
  /// A change is kept when the call that makes it returns, and seen by others then; see ``StorageOptions/Durability``.
  /// The schema is in the file. With another one, what loses nothing is changed; what loses data is refused, and the
  /// file stays as it is. Without one, the file's holds; a new file gets that of the first data.
  ///
  /// - Throws: ``GQLEngine/QueryError``, with the code `storage-busy` where another process writes to the file,
  ///   `storage-corrupt` where it is damaged, and `data-loss` where the schema does not fit.
  public convenience init(
    path: String, schema: String? = nil, name: String = "schema.graphql", storage: StorageOptions = StorageOptions()
  ) throws(QueryError) {
    var given: Catalog?
    if let schema { given = try Self.catalog(of: [SourceText(name: name, text: schema)]).catalog }
    let file = StorageFile(path: path, options: storage)
    let content = try file.open(creating: given)
    let kept: any CommitStorage = storage.access == .write ? file : ReadOnlyStorage(file)
    self.init(content.snapshot, hasSchema: content.hasSchema, storage: kept, version: content.version)
    guard let schema, let given else { return }
    if Database(Snapshot.empty(given)).schema == self.schema { return }
    try changeSchema(to: schema, name: name, allowingLoss: storage.allowsLoss)
  }
}

extension Database {
  /// Compares a database file with itself: the checksums of its rows and its log, the rows with the indexes and the two
  /// sides of each relation, and what SQLite checks. Returns what is wrong, a sentence each; nothing for a sound file.
  ///
  /// - Throws: ``GQLEngine/QueryError`` where the file cannot be opened at all.
  public static func verify(path: String) throws(QueryError) -> [String] {
    let file = StorageFile(path: path, options: StorageOptions(access: .read, creates: false))
    do throws(QueryError) {
      let content = try file.open(creating: nil)
      return try file.integrityProblems() + Database(content.snapshot).check()
    } catch {
      guard error.problems.first?.code == "storage-corrupt" else { throw error }
      return error.problems.map(\.message)
    }
  }

  /// Returns whether a file is a database that ``init(path:schema:name:storage:)`` has made.
  public static func isDatabase(path: String) -> Bool { DatabaseHeader.isDatabase(path) }

  /// The data of a file, in memory: what is changed is not kept.
  package convenience init(copying path: String) throws(QueryError) {
    let file = StorageFile(path: path, options: StorageOptions(access: .read, creates: false))
    self.init(try file.open(creating: nil).snapshot)
  }
}

/// Refuses to keep anything.
final class ReadOnlyStorage: CommitStorage {
  private let file: StorageFile

  init(_ file: StorageFile) { self.file = file }

  private var problem: QueryError {
    QueryError(
      code: "storage-read-only", "the database was opened for reading", help: "open it for writing", file: file.path)
  }

  func append(_ commits: [Commit], newest: Snapshot) throws(QueryError) { throw problem }
  func check(_ next: Snapshot, after base: Snapshot) throws(QueryError) {
    guard let type = next.catalog.types.first(where: { base.catalog.type(named: $0.name) == nil && !$0.isElement })
    else { throw problem }
    throw QueryError(
      code: "storage-read-only", "the file has no type '\(type.name)', and the database was opened for reading",
      help: "open it for writing", file: file.path)
  }
  func rewrite(_ newest: Snapshot, version: Int64, time: Int64) throws(QueryError) { throw problem }
  func flush() throws(QueryError) {}
  func close(_ newest: Snapshot) throws(QueryError) {}
  func abandon() { file.abandon() }
  func backup(to path: String) throws(QueryError) { try file.backup(to: path) }
  func reopen() throws(QueryError) -> (snapshot: Snapshot, version: Int64, hasSchema: Bool) { try file.reopen() }
}
