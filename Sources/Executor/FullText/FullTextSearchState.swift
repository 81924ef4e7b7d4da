import GQLBase
import GQLStore
import GQLText

/// A `matches` in one run: its query, understood, and the figures that it is scored by.
final class FullTextSearchState: OperatorState {
  private let language: TextLanguage
  @exclusivity(unchecked) private var analyzer: TextAnalyzer?
  @exclusivity(unchecked) private var text = Text()
  @exclusivity(unchecked) private(set) var matcher: TextMatcher?
  /// The run in which another `matches` was asked for its matcher last: a query that differs from row to row is not
  /// looked for again.
  @exclusivity(unchecked) private var sharingRun: UInt64 = 0
  /// The run whose time and cancellation the matcher looks at.
  @exclusivity(unchecked) private var heedingRun: UInt64 = 0
  /// What the query finds, in the run at hand only: it keeps a version of the data alive.
  @exclusivity(unchecked) var search: FullTextSearch?
  /// The run that the statistics are of.
  @exclusivity(unchecked) var statisticsRun: UInt64?
  @exclusivity(unchecked) var statistics = TextStatistics(texts: 0, words: 0, found: [])

  @exclusivity(unchecked) private var norms: LengthNorms?

  init(language code: String) { language = TextLanguage(code) ?? .standard }

  func hasQuery(of other: FullTextSearchState) -> Bool { language == other.language && text == other.text }

  /// The matcher of a query, which most often is that of the last call. It heeds what may stop the run.
  func matcher(
    _ query: UnsafeBufferPointer<UInt8>, _ execution: Execution
  ) throws(RuntimeProblem) -> TextMatcher {
    if let matcher, !matcher.isInterrupted, isOf(query) {
      if heedingRun != execution.run {
        heedingRun = execution.run
        matcher.heed(execution.interruption)
      }
      return matcher
    }
    matcher = nil
    search = nil
    statisticsRun = nil
    text = Text(query)
    // A condition, its score and its access path most often have the same query. Each uses the matcher for one text from
    // its beginning to its end.
    let isFirst = sharingRun != execution.run
    sharingRun = execution.run
    if isFirst, let known = execution.matcher(like: self) {
      matcher = known
      heedingRun = execution.run
      return known
    }
    let analyzer = self.analyzer ?? TextAnalyzer(language)
    self.analyzer = analyzer
    let understood = TextQuery(text, analyzer, execution.interruption)
    // What is due was so before: then the query was not read to its end.
    if execution.mayStop { try execution.checkpoint() }
    let made = TextMatcher(understood, analyzer)
    made.heed(execution.interruption)
    heedingRun = execution.run
    matcher = made
    return made
  }

  /// Returns the norms of lengths of texts for an average.
  func norms(average: Double) -> LengthNorms {
    if let norms, norms.average == average { return norms }
    let made = LengthNorms(average: average, largest: PostingWeight.largestLength)
    norms = made
    return made
  }

  /// Indicates whether its matcher heeds what may stop the run.
  func isReady(in execution: Execution) -> Bool {
    matcher.map { heedingRun == execution.run && !$0.isInterrupted } ?? false
  }

  private func isOf(_ query: UnsafeBufferPointer<UInt8>) -> Bool {
    text.withUnsafeBytes { ByteSearch.equal($0, UnsafeRawBufferPointer(query)) }
  }
}

extension TextView {
  /// The bytes of the view that lies at `address`.
  static func text(at address: UnsafePointer<Cell>) -> UnsafeBufferPointer<UInt8> {
    let found = bytes(at: UnsafeRawPointer(address))
    return UnsafeBufferPointer(start: found.start.assumingMemoryBound(to: UInt8.self), count: found.count)
  }
}
