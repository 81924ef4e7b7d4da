import GQLEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Database {
  /// An empty database with the schema in a file; see ``init(schema:name:)``.
  ///
  /// - Throws: ``QueryError`` if the file cannot be read, or with every problem of the schema.
  public convenience init(schemaAt url: URL) throws(QueryError) {
    try self.init(schemaTexts: [(url.shownPath, try url.document())])
  }

  /// Prepares the only operation of the document in a file, or the one named; see
  /// ``prepare(_:operation:name:options:)``.
  ///
  /// - Throws: ``QueryError`` if the file cannot be read, or with every problem of the document.
  public func prepare(
    contentsOf url: URL, operation: String? = nil, options: RunOptions = RunOptions()
  ) throws(QueryError) -> PreparedQuery {
    let document = try QueryDocument(
      name: url.shownPath, bytes: try url.document(), dialect: .extended, limits: limits, options: options)
    return try prepare(document, operation: operation, options: options)
  }

  /// Loads one file or directory; see ``load(_:options:)``.
  @discardableResult
  public func load(contentsOf url: URL, options: LoadOptions = LoadOptions()) throws(QueryError) -> LoadReport {
    try load([.url(url)], options: options)
  }
}

extension URL {
  /// Names the file as messages do.
  fileprivate var shownPath: String { isFileURL ? path : absoluteString }

  /// The bytes of a document; one more than the longest may have of a longer one, which is refused then.
  fileprivate func document() throws(QueryError) -> [UInt8] {
    try FileBytes.read(shownPath, atMost: QueryLimits.standard.documentBytes)
  }
}
