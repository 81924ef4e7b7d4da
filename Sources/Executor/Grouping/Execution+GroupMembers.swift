import GQLBase
import GQLStore

extension Execution {
  /// The members of the group that the node refers to.
  @inline(__always)
  func groupMembers(_ node: AccessNode, _ scopes: ScopeRows, _ element: Int) -> UnsafeBufferPointer<UInt32> {
    let number = resolve(node.reference, scopes, element)
    guard number != PageLayout.noRow, let state = groups[node.number], Int(number) < state.firsts.count else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    let start = Int(state.starts.base[Int(number)])
    let end = Int(state.starts.base[Int(number) + 1])
    return UnsafeBufferPointer(start: state.listed.base + start, count: end - start)
  }

  /// The members of groups, for all elements together.
  func appendGroupMembers(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let first = result.rows.count
    let firstOffset = result.offsets.count
    let isWhole = !set.isPlain || set.order != nil
    let vectors = isWhole ? nil : try set.bounds?.vectors(scopes, self)
    var watch = ListWatch(set, result.rows)
    for element in 0..<scopes.count {
      let list = groupMembers(set.access, scopes, element)
      let slice = isWhole ? Slice() : try slice(set, vectors, element, of: scopes)
      if let start = list.baseAddress, slice.offset < list.count {
        result.rows.append(start + slice.offset, min(list.count - slice.offset, slice.limit))
      }
      try end(&result, &watch)
    }
    note(set, accessRows: result.rows.count - first)
    guard isWhole else { return }
    try filter(set, state, scopes, &result, from: first, firstOffset: firstOffset)
    try arrange(set, state, scopes, &result, from: first, firstOffset: firstOffset)
  }
}

extension Evaluator {
  /// A group that failed raises its problem here, where it is read; or is null, as an operand of `try`.
  func groupAggregate(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard let state = execution.groups[Int(node.index)] else { return }
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
