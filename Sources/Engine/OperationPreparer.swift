import GQLBase
import GQLCatalog
import GQLQuery

/// A preparer of the operations of documents, for a database.
struct OperationPreparer {
  let database: Database

  /// Prepares a text that ran with another one's operation, for what that cannot do.
  func operation(of source: SourceText) throws(QueryError) -> PreparedOperation {
    let document = try QueryDocument(source: source, dialect: .extended, limits: database.limits)
    return try onlyOperation(of: document, RunOptions()).operation
  }

  func document(
    _ text: String, _ name: String, _ options: RunOptions
  ) throws(QueryError) -> QueryDocument {
    try QueryDocument(
      source: SourceText(name: name, text: text), dialect: .extended, limits: database.limits, options: options)
  }

  /// Reads a text whose tokens are known.
  func document(
    _ text: RecentTexts.UnknownText, _ options: RunOptions
  ) throws(QueryError) -> QueryDocument {
    try QueryDocument(
      source: text.source, dialect: .extended, limits: database.limits, options: options, tokens: text.tokens)
  }

  func onlyOperation(
    of document: QueryDocument, _ options: RunOptions
  ) throws(QueryError) -> (operation: PreparedOperation, query: BoundQuery) {
    let all = try operations(of: document, options)
    guard let only = all.first else { throw document.noOperationError() }
    guard all.count == 1 else {
      throw QueryError(
        code: DocumentProblem.severalOperations.code, "the document has \(all.count) operations: name one",
        help: "prepareAll(_:) gives all of them", file: document.sourceName)
    }
    return only
  }

  func operations(
    of document: QueryDocument, _ options: RunOptions
  ) throws(QueryError) -> [(operation: PreparedOperation, query: BoundQuery)] {
    try database.refresh()
    let (queries, catalog, _) = try bound(document, options)
    return zip(document.operations, queries).map {
      (PreparedOperation(document: document, operation: $0, query: $1, $1.pastRolesRead(catalog)), $1)
    }
  }

  /// Binds every operation of a document: under the catalog with versions of entities, where one reads these.
  func bound(
    _ document: QueryDocument, _ options: RunOptions
  ) throws(QueryError) -> (queries: [BoundQuery], catalog: Catalog, warnings: [Diagnostic]) {
    let catalog = database.catalog
    if catalog.types.contains(where: { $0.history != nil }), document.mayReadVersions {
      let versions = VersionReader(database: database).catalog(of: catalog)
      let (queries, warnings) = try document.bound(
        versions, commands: database.commandDescriptors(versions), run: options)
      if queries.contains(where: { !$0.pastRolesRead(versions).isEmpty }) { return (queries, versions, warnings) }
    }
    let (queries, warnings) = try document.bound(
      catalog, commands: database.commandDescriptors(catalog), run: options)
    return (queries, catalog, warnings)
  }
}
