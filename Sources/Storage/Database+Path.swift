import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

extension Database {
  /// A database that lasts: opens a file, or makes one.
  ///
  /// ```swift
  /// let database = try Database(path: "shop.gqlite", schema: "type Product { id: ID! name: String! price: Decimal! }")
  /// try database.run("mutation { insertProduct(values: {id: 1, name: \"Lamp\", price: 19.5}) { id } }")
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

/// Refuses to keep anything.
final class ReadOnlyStorage: CommitStorage {
  private let file: StorageFile

  init(_ file: StorageFile) { self.file = file }

  private var problem: QueryError { StorageProblem.readOnly("it was opened for reading").error(file.path) }

  func append(_ commits: [Commit], newest: Snapshot) throws(QueryError) { throw problem }
  func rewrite(_ newest: Snapshot, version: Int64, time: Int64) throws(QueryError) { throw problem }
  func flush() throws(QueryError) {}
  func close(_ newest: Snapshot) throws(QueryError) {}
  func reopen() throws(QueryError) -> (snapshot: Snapshot, version: Int64) { try file.reopen() }
}
