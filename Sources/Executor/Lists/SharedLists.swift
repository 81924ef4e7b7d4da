import GQLQuery
import GQLStore

/// Makes the list of a set that depends on nothing around it: once for all elements of a run.
final class SharedLists: ListOperator, @unchecked Sendable {
  override func append(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    // At the root it is asked for once.
    if scopes.count == 1, scopes.scopes.isEmpty {
      return try set.members.append(set, state, scopes, execution, into: &result)
    }
    let memory = try share(set, state, execution)
    // Nothing is begun that cannot be held.
    try execution.checkMemory((result.rows.count &+ memory.lists.rows.count &* scopes.count) &* 4)
    var watch = ListWatch(set, result.rows)
    for _ in 0..<scopes.count {
      result.rows.append(UnsafePointer(memory.lists.rows.base), memory.lists.rows.count)
      try execution.end(&result, &watch)
    }
  }

  /// Returns the list, found when it is first asked for in a run.
  private func share(
    _ set: CompiledSet, _ state: SetState, _ execution: Execution
  ) throws(RuntimeProblem) -> ListMemory {
    let memory = memory(execution)
    guard memory.run != execution.run else { return memory }
    memory.lists.removeAll()
    memory.lists.offsets.append(0)
    try set.members.append(set, state, .root, execution, into: &memory.lists)
    memory.run = execution.run
    return memory
  }

  /// Returns the number of members.
  func total(_ set: CompiledSet, _ execution: Execution) throws(RuntimeProblem) -> Int {
    try share(set, execution.sets[set.id], execution).lists.rows.count
  }

  /// Returns the number of members, if they have been found in this run.
  func known(_ execution: Execution) -> Int? {
    let memory = memory(execution)
    return memory.run == execution.run ? memory.lists.rows.count : nil
  }

  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) {
    let started = execution.measuredTime
    counts.update(repeating: Int64(try total(set, execution)), count: scopes.count)
    try set.refuseSecond(counts, scopes.count)
    execution.note(counts, of: set, scopes.count, since: started)
  }
}
