import GQLBase
import GQLCatalog
import GQLText

extension QueryPredicate {
  /// The texts have at least one of the words of `words`, or one that is much like it.
  ///
  /// Words are equal if their stems are, whatever their case. Those of four letters and more may differ by a slip: a
  /// letter too many, too few, another, or two exchanged. Punctuation separates words and means nothing else. Several
  /// texts are searched as if they were one.
  ///
  /// A list that must match, and that has no order of its own, begins with the best: by BM25, where a word that is there
  /// as it was written counts more than one with a slip. Equally good ones keep their order. It is the same with and
  /// without a ``FullTextIndex``, but for computed properties without one, which are not ordered.
  public static func string<Property: _TextProperty>(
    _ paths: (KeyPath<Entity, Property> & Sendable)..., matches words: String
  ) -> Self {
    let query = wordQuery(words)
    let search = Guarded<TextMatcher?>(nil)
    let readers = paths.map { PathReader($0) }
    let holds: (Entity, EntityFacts) -> Bool = { entity, _ in
      // Computed properties may do anything, even search.
      let texts = readers.compactMap { $0.read(entity)?._knownText }
      return search.withLock { search in
        let matcher = search ?? TextMatcher(wordSearch: query)
        search = matcher
        matcher.begin()
        for var text in texts { text.withUTF8 { matcher.add($0) } }
        return matcher.isMatch
      }
    }
    let info = EntityInfo<Entity>.shared
    let attributes = paths.compactMap { info.key($0)?.attribute }
    guard attributes.count == paths.count, !attributes.isEmpty else { return Self(nil, holds: holds) }
    return Self(
      .matches(attributes: attributes, parameter: 0), [Parameter(value: .string(query), type: .string)], holds: holds)
  }

  /// In the language of ``TextQuery``: any of the words, each as it is or with a slip.
  private static func wordQuery(_ words: String) -> Text {
    let terms = words.unicodeScalars
      .split { !$0.properties.isAlphabetic && $0.properties.generalCategory != .decimalNumber && !isMark($0) }
      .map { word in
        let text = String(word)
        // Small letters, because capital ones may be an operator.
        let term = ["OR", "AND", "NOT"].contains(text) ? text.lowercased() : text
        return word.count < 4 ? term : "\(term) OR \(term)~"
      }
    return Text(Array(terms.joined(separator: " OR ").utf8))
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}

extension TextMatcher {
  /// Searches texts in the language that indexes have where nothing is said.
  fileprivate convenience init(wordSearch query: Text) {
    let analyzer = TextAnalyzer(.standard)
    self.init(TextQuery(query, analyzer), analyzer)
  }
}
