import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The rows that an index over the elements of lists offers for values that the lists are to hold.
final class ElementCandidates: CandidateScan, @unchecked Sendable {
  private let keys: ElementKeys?
  /// Indicates whether rows are counted: where the index has no other column, as the planner has it.
  private let isCounted: Bool

  override init(
    _ index: IndexDescriptor, _ column: ColumnID, _ values: [BoundExpression], _ compiler: inout PlanCompiler
  ) {
    keys = ElementKeys(compiler.catalog[index.type][column])
    isCounted = index.columns.count == 1
    super.init(index, column, values, &compiler)
  }

  /// Asks for lists with all values that are no nulls; a null may be an element too, and has no key.
  override func request(_ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> Request {
    let vectors = try scalars.vectors(outer, execution)
    var found: [UInt32] = []
    for number in 0..<scalars.count {
      guard let keys, let cell = scalars.cell(number, vectors, 0, execution) else { continue }
      let key = keys.key(cell)
      if !found.contains(key) { found.append(key) }
    }
    return found.isEmpty ? .everything : .candidates(CandidateQuery(keys: found.sorted()))
  }

  override func estimate(_ execution: Execution) -> Double {
    guard isCounted, let keys, let column = execution.snapshot.candidates(index, column) else { return 0 }
    var least = Double.infinity
    for number in 0..<scalars.count {
      guard let cell = scalars.cell(number, nil, 0, execution) else { continue }
      least = min(least, Double(column.estimate(CandidateQuery(keys: [keys.key(cell)]))))
    }
    return least.isFinite ? least : 0
  }
}
