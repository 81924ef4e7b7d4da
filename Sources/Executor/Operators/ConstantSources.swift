import GQLStore

/// A set that no row can be a member of.
final class EmptySource: AccessOperator, @unchecked Sendable {
  override var findsLiveRowsOnly: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool { true }

  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    counts.update(repeating: 0, count: scopes.count)
    return true
  }
}

/// The rows that a run is given, in their order.
final class GivenRows: AccessOperator, @unchecked Sendable {
  override var isLinkOrdered: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let given = execution.given
    if let start = given.baseAddress { rows.append(start, given.count) }
    return given.count < 2
  }
}
