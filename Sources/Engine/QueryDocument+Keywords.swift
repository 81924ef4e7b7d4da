import GQLParser

extension QueryDocument {
  /// The words that a document may begin with.
  package static let keywords = documentKeywords
}
