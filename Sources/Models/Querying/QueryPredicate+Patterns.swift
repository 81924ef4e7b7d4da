import Foundation

/// Patterns are those of Foundation or of Swift, which differ from those of the language in text; so they are looked for
/// in Swift, on the rows that the rest of the condition leaves.
extension QueryPredicate {
  /// One of the texts has a match of a pattern.
  public static func string<Property: _TextProperty>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., matches pattern: NSRegularExpression,
    options: NSRegularExpression.MatchingOptions = []
  ) -> Self {
    search(paths) { pattern.hasMatch($0, options) }
  }

  /// None of the texts has a match of a pattern.
  public static func string<Property: _TextProperty>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., notMatching pattern: NSRegularExpression,
    options: NSRegularExpression.MatchingOptions = []
  ) -> Self {
    !search(paths) { pattern.hasMatch($0, options) }
  }

  /// One of the texts has a match of a pattern: `.string(\.text, matches: /\d+/)`.
  ///
  /// The pattern is the query's from here on. Code of the program in it, as `transform` of a capture, runs on one thread at
  /// a time. It may ask queries, even this one, but not wait for other threads that do.
  public static func string<Property: _TextProperty, Output>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., matches pattern: sending Regex<Output>
  ) -> Self {
    let pattern = SharedPattern(pattern)
    return search(paths) { try pattern.hasMatch(in: $0) }
  }

  /// None of the texts has a match of a pattern, which is the query's from here on.
  public static func string<Property: _TextProperty, Output>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., notMatching pattern: sending Regex<Output>
  ) -> Self {
    let pattern = SharedPattern(pattern)
    return !search(paths) { try pattern.hasMatch(in: $0) }
  }

  private static func search<Property: _TextProperty>(
    _ paths: [KeyPath<Entity, Property>], _ isMatch: @escaping (String) throws -> Bool
  ) -> Self {
    let readers = paths.map { PathReader($0) }
    return Self(nil) { entity, _ in try readers.contains { try $0.read(entity)?._knownText.map(isMatch) ?? false } }
  }
}

extension NSRegularExpression {
  /// Whether a text has a match. The range is in UTF-16, as Foundation counts.
  fileprivate func hasMatch(_ text: String, _ options: MatchingOptions) -> Bool {
    firstMatch(in: text, options: options, range: NSRange(location: 0, length: text.utf16.count)) != nil
  }
}
