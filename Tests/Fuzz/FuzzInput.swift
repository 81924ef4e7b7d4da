import GQLEngine

/// One input: a changed document, its dialect and its variables. It is made of a seed and a number, so that it can be
/// had again.
package struct FuzzInput: Sendable {
  package var bytes: [UInt8]
  package var dialect: QueryDialect
  package var variables: [UInt8]?
  /// The place of the golden document that it was made of.
  var seed: Int
  /// Chooses what is done with the document beside running it.
  var choice: UInt64

  /// The text, for reports.
  package var text: String {
    let vars = variables.map { "\n# vars: \(String(decoding: $0, as: UTF8.self))" } ?? ""
    return "# dialect: \(dialect.rawValue)\(vars)\n\(String(decoding: bytes, as: UTF8.self))"
  }
}
