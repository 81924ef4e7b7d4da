import GQLBase
import GQLStore
import GQLText

/// A `matches` in one run: its query, understood, and the figures that it is scored by.
final class FullTextSearchState {
  private let language: TextLanguage
  private var analyzer: TextAnalyzer?
  private var text = Text()
  private(set) var matcher: TextMatcher?
  /// What the query finds, in the run at hand only: it keeps a version of the data alive.
  var search: FullTextSearch?
  /// The run that the statistics are of.
  var statisticsRun: UInt64?
  var statistics = TextStatistics(texts: 0, words: 0, found: [])

  init(language code: String) { language = TextLanguage(code) ?? .standard }

  func hasQuery(of other: FullTextSearchState) -> Bool { language == other.language && text == other.text }

  /// The matcher of a query, which most often is that of the last call.
  func matcher(_ query: UnsafeBufferPointer<UInt8>) -> TextMatcher {
    if let matcher, query.elementsEqual(text.bytes) { return matcher }
    let analyzer = self.analyzer ?? TextAnalyzer(language)
    self.analyzer = analyzer
    text = Text(query)
    let made = TextMatcher(TextQuery(text, analyzer), analyzer)
    matcher = made
    search = nil
    statisticsRun = nil
    return made
  }
}

extension TextView {
  /// The bytes of the view that lies at `address`.
  static func text(at address: UnsafePointer<Cell>) -> UnsafeBufferPointer<UInt8> {
    let found = bytes(at: UnsafeRawPointer(address))
    return UnsafeBufferPointer(start: found.start.assumingMemoryBound(to: UInt8.self), count: found.count)
  }
}
