import Foundation

/// Patterns are those of Foundation or of Swift, which differ from those of the language in text; so they are looked for
/// in Swift, on the rows that the rest of the condition leaves.
extension QueryPredicate {
  /// One of the texts has a match of a pattern.
  public static func string<Property: TextProperty>(
    _ paths: KeyPath<Entity, Property>..., matches pattern: NSRegularExpression,
    options: NSRegularExpression.MatchingOptions = []
  ) -> Self {
    search(paths) { pattern.hasMatch($0, options) }
  }

  /// None of the texts has a match of a pattern.
  public static func string<Property: TextProperty>(
    _ paths: KeyPath<Entity, Property>..., notMatching pattern: NSRegularExpression,
    options: NSRegularExpression.MatchingOptions = []
  ) -> Self {
    !search(paths) { pattern.hasMatch($0, options) }
  }

  /// One of the texts has a match of a pattern: `.string(\.text, matches: /\d+/)`.
  public static func string<Property: TextProperty, Output>(
    _ paths: KeyPath<Entity, Property>..., matches pattern: Regex<Output>
  ) -> Self {
    search(paths) { $0.hasMatch(of: pattern) }
  }

  /// None of the texts has a match of a pattern.
  public static func string<Property: TextProperty, Output>(
    _ paths: KeyPath<Entity, Property>..., notMatching pattern: Regex<Output>
  ) -> Self {
    !search(paths) { $0.hasMatch(of: pattern) }
  }

  private static func search<Property: TextProperty>(
    _ paths: [KeyPath<Entity, Property>], _ isMatch: @escaping (String) -> Bool
  ) -> Self {
    Self(nil) { entity, _ in paths.contains { entity[keyPath: $0].knownText.map(isMatch) ?? false } }
  }
}

extension NSRegularExpression {
  /// Whether a text has a match. The range is in UTF-16, as Foundation counts.
  fileprivate func hasMatch(_ text: String, _ options: MatchingOptions) -> Bool {
    firstMatch(in: text, options: options, range: NSRange(location: 0, length: text.utf16.count)) != nil
  }
}

extension String {
  /// Whether the text has a match. Patterns whose own code fails match nothing.
  fileprivate func hasMatch<Output>(of pattern: Regex<Output>) -> Bool {
    (try? pattern.firstMatch(in: self)) != nil
  }
}
