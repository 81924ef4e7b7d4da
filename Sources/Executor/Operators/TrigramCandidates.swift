import GQLBase
import GQLCatalog
import GQLQuery
import GQLRegex
import GQLStore

/// The rows that a trigram index offers for a condition on the text of one of its columns.
final class TrigramCandidates: CandidateScan, @unchecked Sendable {
  private let condition: TextCondition

  init(
    _ index: IndexDescriptor, _ column: ColumnID, _ condition: TextCondition, _ pattern: BoundExpression,
    _ compiler: inout PlanCompiler
  ) {
    self.condition = condition
    super.init(index, column, [pattern], &compiler)
  }

  /// Returns the state, which keeps what the pattern requires while it stays the same.
  private func state(_ execution: Execution) -> TrigramSearch { execution.state(slot) { TrigramSearch() } }

  /// Asks for all live rows where the pattern has no trigram.
  override func request(_ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> Request {
    let vectors = try scalars.vectors(outer, execution)
    guard let pattern = scalars.cell(0, vectors, 0, execution) else { return .nothing }
    let search = state(execution)
    let query = withUnsafePointer(to: pattern) {
      search.query(condition, TextView.text(at: $0), execution.limits.patterns)
    }
    return query.map { .candidates($0) } ?? .everything
  }

  override func estimate(_ execution: Execution) -> Double {
    guard let pattern = scalars.cell(0, nil, 0, execution) else { return 0 }
    let search = state(execution)
    let query = withUnsafePointer(to: pattern) { search.trigrams(condition, TextView.text(at: $0)) }
    guard let query else { return .infinity }
    return Double(execution.snapshot.trigramCount(index, column, query) ?? 0)
  }
}

/// A memory of what the pattern of a trigram access requires, kept while the pattern stays the same.
final class TrigramSearch: OperatorState {
  private var pattern: [UInt8]?
  private var limits = PatternLimits.standard
  private var query: CandidateQuery?

  /// Returns the trigrams for an estimate, be the text a pattern or not. One search is asked in one of the two ways.
  func trigrams(_ condition: TextCondition, _ pattern: UnsafeBufferPointer<UInt8>) -> CandidateQuery? {
    if isOf(pattern) { return query }
    let bytes = Array(pattern)
    self.pattern = bytes
    query = TextRequirement(condition, bytes).trigrams
    return query
  }

  /// Nil if it requires no trigram.
  func query(
    _ condition: TextCondition, _ pattern: UnsafeBufferPointer<UInt8>, _ limits: PatternLimits
  ) -> CandidateQuery? {
    if self.limits == limits, isOf(pattern) { return query }
    let bytes = Array(pattern)
    self.pattern = bytes
    self.limits = limits
    query = TextRequirement(condition, bytes).trigrams
    // What is no pattern is refused by the test of the rows, so there must be some.
    if query != nil, condition == .regex, !Pattern.isValid(bytes, limits: limits) { query = nil }
    return query
  }

  private func isOf(_ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
    self.pattern?.withUnsafeBytes { ByteSearch.equal($0, UnsafeRawBufferPointer(pattern)) } ?? false
  }
}
