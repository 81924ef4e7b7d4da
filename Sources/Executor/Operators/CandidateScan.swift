import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The rows that an index offers for a condition on one of its columns: all for which the condition is true, and others.
/// A subclass says what is asked of the index.
class CandidateScan: AccessOperator, @unchecked Sendable {
  let index: IndexID
  let column: ColumnID
  /// The values that the condition compares with.
  let scalars: ScalarSources
  /// Where its state lies in an execution.
  let slot: Int

  /// A request to the index.
  enum Request {
    /// No row can match.
    case nothing
    /// Any row may match.
    case everything
    case candidates(CandidateQuery)
  }

  init(
    _ index: IndexDescriptor, _ column: ColumnID, _ values: [BoundExpression], _ compiler: inout PlanCompiler
  ) {
    self.index = index.id
    self.column = column
    scalars = ScalarSources(values, compiler)
    slot = compiler.stateSlot()
    super.init(index.type)
  }

  override var findsLiveRowsOnly: Bool { true }

  /// Returns the request for one element. A scan that says nothing else offers all rows.
  func request(_ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> Request {
    .everything
  }

  /// Appends the rows that the index offers, ascending.
  final override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let query: CandidateQuery?
    switch try request(outer, execution) {
    case .nothing: return true
    case .everything: query = nil
    case .candidates(let asked): query = asked
    }
    guard let query, let column = execution.snapshot.candidates(index, column) else {
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
}
