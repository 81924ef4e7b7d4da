import GQLBase
import GQLStore

/// Batches in which an argument of an aggregate failed: what fails is the value of its group alone.
extension GroupingPass {
  /// Groups a batch of members whose keys and arguments cannot be evaluated together.
  mutating func addSingly(_ batch: ScopeRows, _ execution: Execution) throws(RuntimeProblem) {
    assign(try grouping.keyProgram?.evaluate(batch, execution), batch.count)
    noteFirsts { batch.scopes[0][$0] }
    count(batch.count)
    for (number, plan) in grouping.aggregates.enumerated() where plan.set < 0 {
      guard let own = plan.own else { continue }
      try addSingly(own, state.aggregates[number], batch, UnsafePointer(state.ids), execution)
    }
  }

  /// Adds the values of those elements for which they can be computed; the groups of the others fail.
  func addSingly(
    _ own: ExpressionProgram, _ aggregate: AggregateState, _ batch: ScopeRows, _ ids: UnsafePointer<UInt32>,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    var waiting = [0..<batch.count]
    while var range = waiting.popLast() {
      // Nothing more is to be said of a group that has failed.
      while let first = range.first, aggregate.failures.contains(Int(ids[first])) {
        range = first + 1..<range.upperBound
      }
      if range.isEmpty { continue }
      do throws(RuntimeProblem) {
        let vectors = try own.evaluate(batch.slice(range), execution)
        add(vectors, to: aggregate, range.count, ids + range.lowerBound)
      } catch {
        guard error.kind.isOfOneRow else { throw error }
        try execution.checkpoint()
        if range.count == 1 {
          aggregate.fail(ids[range.lowerBound], error)
          continue
        }
        let middle = range.lowerBound + range.count / 2
        waiting.append(middle..<range.upperBound)
        waiting.append(range.lowerBound..<middle)
      }
    }
  }

  /// Adds the own argument's values.
  func add(
    _ vectors: UnsafePointer<Vector>, to aggregate: AggregateState, _ size: Int, _ ids: UnsafePointer<UInt32>
  ) {
    aggregate.add(vectors[0], aggregate.plan.comparand < 0 ? vectors[0] : vectors[1], size, ids)
  }
}

extension ScopeRows {
  /// The elements at some neighboring positions.
  func slice(_ range: Range<Int>) -> ScopeRows {
    ScopeRows(count: range.count, scopes: ContiguousArray(scopes.map { $0 + range.lowerBound }))
  }
}
