#if !canImport(Darwin)
  import Foundation

  // Foundation has this part of predicates on Apple's systems only.
  extension PredicateExpressions {
    /// A test whether a text contains another as people search: whatever the case, with or without diacritics.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
      PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      /// A truth value: whether it does.
      public typealias Output = Bool
      /// The text that is searched.
      public let root: Root
      /// Gives what is searched for.
      public let other: Other

      /// A search.
      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// Searches.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
      }
    }

    /// Makes what `#Predicate` makes of `localizedStandardContains`.
    public static func build_localizedStandardContains<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
      StringLocalizedStandardContains(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
  extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
  extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
