import GQLQuery
import GQLStore

/// Gathers the rows of all elements, one list after the other; then filters, sorts and cuts them together.
class BatchedLists: ListOperator, @unchecked Sendable {
  override func append(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let first = result.rows.count
    let firstOffset = result.offsets.count
    try set.access.gatherLists(set, scopes, execution, into: &result)
    execution.note(set, accessRows: result.rows.count - first)
    try set.filter?.keepLists(set, state, scopes, &result, from: first, firstOffset: firstOffset, execution)
    try set.arrange(state, scopes, &result, from: first, firstOffset: firstOffset, execution)
  }
}

/// Takes the slice of each element's links without a look at the others.
final class SliceLists: ListOperator, @unchecked Sendable {
  override func append(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let first = result.rows.count
    try set.access.appendSlices(set, scopes, execution, into: &result)
    execution.note(set, accessRows: result.rows.count - first)
  }
}
