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
    try self.init(SQLiteBackend(path: path), schema: schema, name: name, storage: storage)
  }

  /// A database that lasts in a place of the program's choice; see ``init(path:schema:name:storage:)``.
  ///
  /// - Throws: ``GQLEngine/QueryError``, as for a file; errors of the backend that are others are `storage-failed`.
  public convenience init(
    _ backend: some StorageBackend, schema: String? = nil, name: String = "schema.graphql",
    storage: StorageOptions = StorageOptions()
  ) throws(QueryError) {
    var given: Catalog?
    if let schema { given = try Self.catalog(of: [SourceText(name: name, text: schema)]).catalog }
    let log = CommitLog(backend, options: storage, postponesIndexes: true)
    let stored = try log.open(creating: given)
    let refusal = storage.access == .write ? nil : StorageProblem.openedForReading.error(backend.name)
    self.init(
      stored, storage: log, refusal: refusal, isFollowing: storage.access == .follow,
      recentVersions: storage.recentVersions)
    guard let schema, let given else { return }
    if Database(Snapshot.empty(given)).schema == self.schema { return }
    try changeSchema(to: schema, name: name, allowingLoss: storage.allowsLoss)
  }
}

extension Database {
  /// Compares a database file with itself: the checksums of its rows and its log, the rows with the indexes and the two
  /// sides of each relation, and what SQLite checks. Histories are read to their beginning. Returns what is wrong, a
  /// sentence each; nothing for a sound file.
  ///
  /// - Throws: ``GQLEngine/QueryError`` where the file cannot be opened at all.
  public static func verify(path: String) throws(QueryError) -> [String] {
    let file = SQLiteBackend(path: path)
    do throws(QueryError) {
      let log = CommitLog(file, options: .reading)
      let stored = try log.open(creating: nil)
      let found =
        try file.integrityProblems() + Database(stored.snapshot).check() + file.branches.problems(beside: stored)
      return try found.isEmpty ? historyProblems(path, stored.snapshot.catalog) : found
    } catch {
      guard error.problems.first?.code == "storage-corrupt" else { throw error }
      return error.problems.map(\.message)
    }
  }

  /// Returns what is wrong where a history does not lead back from what there is now.
  private static func historyProblems(_ path: String, _ catalog: Catalog) throws(QueryError) -> [String] {
    let kept = catalog.types.filter { $0.kind == .entity && $0.history != nil }
    if kept.isEmpty { return [] }
    let database = try Database(path: path, storage: .reading)
    for type in kept {
      do throws(QueryError) {
        _ = try database.run("{ n: count(\(type.rootMany)(versions: ALL)) }")
      } catch {
        guard error.problems.first?.code == "storage-corrupt" else { throw error }
        // The histories of other types may be read with this one.
        return error.problems.map { "the history of '\(type.name)' does not lead back: \($0.message)" }
      }
    }
    return []
  }

  /// Returns whether a file is a database that ``init(path:schema:name:storage:)`` has made.
  public static func isDatabase(path: String) -> Bool { DatabaseHeader.isDatabase(path) }

  /// The data of a file, in memory: what is changed is not kept.
  package convenience init(copying path: String) throws(QueryError) {
    self.init(try CommitLog(SQLiteBackend(path: path), options: .reading).open(creating: nil).snapshot)
  }
}

extension StorageOptions {
  /// Those of who only looks.
  static var reading: StorageOptions { StorageOptions(access: .read, creates: false) }
}
