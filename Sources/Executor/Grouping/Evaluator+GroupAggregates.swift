import GQLBase
import GQLStore

extension Evaluator {
  /// A group that failed raises its problem here, where it is read; or is null, as an operand of `try`.
  func groupAggregate(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard let state = execution.groups(of: Int(node.index)) else { return }
    let aggregate = state.aggregates[Int(node.entity)]
    let cells = aggregate.results.base
    let outcomes = aggregate.outcomes.base
    let limit = UInt32(truncatingIfNeeded: aggregate.results.count)
    let numbers = vector(node.a).rows
    for position in 0..<count {
      let number = numbers[position]
      guard number < limit, outcomes[Int(number)] != AggregateState.Outcome.null else {
        setNull(out, position)
        continue
      }
      if outcomes[Int(number)] == AggregateState.Outcome.failure {
        if let problem = aggregate.failures.problem(Int(number)), !node.flag || !problem.kind.isOfOneRow {
          throw problem
        }
        setNull(out, position)
        continue
      }
      store(cells[Int(number)], out, position)
    }
  }
}
