import GQLBase

/// What the language has and this version does not run. Later work empties the list.
///
/// A query or schema that triggers each case stands above it.
package enum NotSupportedYet: String, Sendable, Hashable, CaseIterable {
  /// `{ User { x := highlight(name) } }`
  case scalarFunction
  /// `{ User(where: collate(name, "sv") == "a") { id } }`
  case languageCollation

  package static let code = DiagnosticCode("not-supported-yet")

  /// The feature as it is called in messages.
  package var feature: String {
    switch self {
    case .scalarFunction: "this function"
    case .languageCollation: "a collation other than CI"
    }
  }

  package var message: String {
    "\(feature) is not supported yet"
  }
}
