import GQLBase
import GQLCatalog
import GQLQuery
import GQLRegex
import GQLStore

/// The rows that a trigram index offers for a condition on the text of one of its columns: all for which the condition
/// is true, and others.
final class TrigramCandidates: AccessOperator, @unchecked Sendable {
  private let index: IndexID
  private let column: ColumnID
  private let condition: TextCondition
  private let scalars: ScalarSources
  private let slot: Int

  init(
    _ index: IndexDescriptor, _ column: ColumnID, _ condition: TextCondition, _ pattern: BoundExpression,
    _ compiler: inout PlanCompiler
  ) {
    self.index = index.id
    self.column = column
    self.condition = condition
    scalars = ScalarSources([pattern], compiler)
    slot = compiler.stateSlot()
    super.init(index.type)
  }

  override var findsLiveRowsOnly: Bool { true }

  /// Returns the state, which keeps what the pattern requires while it stays the same.
  private func state(_ execution: Execution) -> TrigramSearch { execution.state(slot) { TrigramSearch() } }

  /// Appends the rows that the index offers, ascending; all live ones for a pattern without a trigram.
  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let vectors = try scalars.vectors(outer, execution)
    guard let pattern = scalars.cell(0, vectors, 0, execution) else { return true }
    let search = self.state(execution)
    let query = withUnsafePointer(to: pattern) {
      search.query(condition, TextView.text(at: $0), execution.limits.patterns)
    }
    guard let query, let column = execution.snapshot.trigrams(index).column(column) else {
      execution.appendLive(set.type, from: 0, limit: Int.max, into: &rows)
      return true
    }
    let start = rows.count
    let liveness = execution.snapshot.liveness(set.type)
    var isAscending = true
    for part in 0..<column.partCount {
      try execution.checkpoint()
      let found = column.candidates(part, query, liveness: liveness)
      guard found.count > 0 else { continue }
      try execution.checkMemory((rows.count + found.count) &* 4)
      if rows.count > start, found.rows[0] <= rows[rows.count - 1] {
        // Rows that changed are in a part of their own too, which lies across the others.
        if isAscending, column.isPending(part) {
          rows.mergeAscending(from: start, UnsafePointer(found.rows), found.count)
          continue
        }
        isAscending = false
      }
      rows.append(UnsafePointer(found.rows), found.count)
    }
    if !isAscending { execution.sortUnique(&rows, from: start, set, state) }
    return true
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
  private var query: TrigramQuery?

  /// Returns the trigrams for an estimate, be the text a pattern or not. One search is asked in one of the two ways.
  func trigrams(_ condition: TextCondition, _ pattern: UnsafeBufferPointer<UInt8>) -> TrigramQuery? {
    if isOf(pattern) { return query }
    let bytes = Array(pattern)
    self.pattern = bytes
    query = TextRequirement(condition, bytes).trigrams
    return query
  }

  /// Nil if it requires no trigram.
  func query(
    _ condition: TextCondition, _ pattern: UnsafeBufferPointer<UInt8>, _ limits: PatternLimits
  ) -> TrigramQuery? {
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
