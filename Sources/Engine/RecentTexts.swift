import GQLBase
import GQLCatalog
import GQLLexer
import GQLQuery

/// A cache of the documents that were prepared lately, so that a text is not read and bound again.
final class RecentTexts: Sendable {
  /// An operation, and the text that runs with it where it is another one's of its shape.
  typealias Known = (operation: PreparedOperation, shared: SharedText?)

  private struct State {
    /// By the bytes of the text.
    var texts = TextCache<Known>()
    /// Hashes of texts that shared an operation lately, each in the place that its lowest bits say.
    var sharing: [UInt64] = Array(repeating: 0, count: 64)
    /// By the shape of the text, for texts that differ from known ones in literals, blanks and comments.
    var shapes = TextCache<ShapedOperations>()
    /// Another number whenever what documents are prepared with has changed.
    var epoch: UInt64 = 0
  }
  private let state = Lock(State())
  /// Longer texts are not kept.
  private static let longestText = 16 << 10

  /// A text that is not known, and what is known of its shape.
  struct UnknownText {
    let source: SourceText
    let tokens: Analyzed<TokenBuffer>
    fileprivate let key: TextKey
    fileprivate let shape: TextShape?
    fileprivate let shaped: ShapedOperations?
    fileprivate let epoch: UInt64

    /// Returns an operation that serves the text, bound for a schema; nil if there is none.
    fileprivate func shared(_ catalog: Catalog) -> Known? {
      guard catalog.version == key.catalogVersion, let shape, let found = shaped?.find(shape, source, catalog) else {
        return nil
      }
      return (found.operation, SharedText(source, values: found.values, catalogVersion: catalog.version))
    }
  }

  /// Returns an operation that serves a text that is not known; nil if there is none. One that comes again is kept: most
  /// texts with values of their own do not.
  func share(_ text: UnknownText, _ catalog: Catalog) -> Known? {
    guard let shared = text.shared(catalog) else { return nil }
    let place = Int(text.key.hash % 64)
    state.withLock { state in
      guard text.epoch == state.epoch else { return }
      if state.sharing[place] == text.key.hash {
        text.source.bytes.withUnsafeBytes { state.texts.insert(shared, $0, text.key) }
      }
      state.sharing[place] = text.key.hash
    }
    return shared
  }

  /// Returns the operation that a text was prepared to, or the key to find it by from now on; nil for a text that is
  /// not kept.
  func find(
    _ text: UnsafeBufferPointer<UInt8>, name: String, catalogVersion: UInt64
  ) -> (known: Known?, key: TextKey)? {
    let bytes = UnsafeRawBufferPointer(text)
    guard bytes.count <= Self.longestText else { return nil }
    let key = TextKey(bytes, name: name, catalogVersion: catalogVersion)
    return (state.withLock { $0.texts.find(bytes, key) }, key)
  }

  /// Complexity: O(bytes of the text).
  func unknown(_ source: SourceText, _ key: TextKey, _ limits: LexerLimits) -> UnknownText {
    let tokens = tokenize(source, limits: limits)
    let shape = TextShape(source, tokens)
    let (shaped, epoch) = state.withLock { state in
      (shape?.key.withUnsafeBytes { state.shapes.find($0, TextKey($0, like: key)) }, state.epoch)
    }
    return UnknownText(source: source, tokens: tokens, key: key, shape: shape, shaped: shaped, epoch: epoch)
  }

  /// Keeps the operation that a text was prepared to.
  func add(_ operation: PreparedOperation, _ query: BoundQuery, _ text: UnknownText, _ catalog: Catalog) {
    var shaped: ShapedOperations?
    if let shape = text.shape, operation.isSharable, query.catalogVersion == catalog.version,
      text.key.catalogVersion == catalog.version
    {
      shaped = text.shaped ?? ShapedOperations()
      shaped?.add(operation, query, shape, text.source, catalog)
    }
    state.withLock { state in
      guard text.epoch == state.epoch else { return }
      text.source.bytes.withUnsafeBytes { state.texts.insert((operation, nil), $0, text.key) }
      guard let shaped, let shape = text.shape else { return }
      shape.key.withUnsafeBytes { state.shapes.insert(shaped, $0, TextKey($0, like: text.key)) }
    }
  }

  /// Forgets all: documents are prepared with other limits or commands from now on.
  func removeAll() {
    state.withLock { $0 = State(epoch: $0.epoch + 1) }
  }
}
