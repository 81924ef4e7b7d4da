/// A word of Swift source: what it is, and where its bytes are.
struct SwiftToken: Equatable, Sendable {
  enum Kind: UInt8, Sendable {
    /// A name or a keyword; only the place tells them apart.
    case identifier
    /// A name between backticks, which is never a keyword.
    case quotedIdentifier
    /// A number, a string with all its interpolations, or a regular expression.
    case literal
    /// One byte of punctuation or of an operator. Operators are not joined, since `>>` may close two lists.
    case symbol
  }

  var kind: Kind
  var start: Int
  var end: Int
  /// Whether a line ended between the token before and this one.
  var isFirstOnLine: Bool
  /// Whether anything stands between the token before and this one.
  var followsSpace: Bool
}
