import GQLBase
import GQLQuery
import GQLStore

/// Finds whether a set has members, 1 or 0, for the elements of a batch: see ``ExistenceMethod``. By counting, where no
/// subclass knows better. Immutable.
class ExistenceOperator: @unchecked Sendable {
  private let slot: Int

  init(_ compiler: inout PlanCompiler) { slot = compiler.stateSlot() }

  private final class Counts: OperatorState {
    @exclusivity(unchecked) var values = WorkMemory()
  }

  func exists(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    let memory = execution.state(slot) { Counts() }
    let counts = memory.values.room(for: Int64.self, count: scopes.count)
    try set.counter.count(set, state, scopes, execution, into: counts)
    for element in 0..<scopes.count { results[element] = counts[element] > 0 ? 1 : 0 }
  }
}

/// Looks for as many links of each element as it takes to have one after the offset.
final class FirstLinkTest: ExistenceOperator, @unchecked Sendable {
  private let search: LinkSearch

  override init(_ compiler: inout PlanCompiler) {
    search = LinkSearch(&compiler)
    super.init(&compiler)
  }

  override func exists(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    let started = execution.measuredTime
    guard let slice = try set.commonSlice(scopes.count, execution), slice.offset < LinkSearch.mostNeeded else {
      return try super.exists(set, state, scopes, execution, into: results)
    }
    if slice.limit > 0 {
      let first = try search.find(slice.offset + 1, set, state, scopes, execution)
      for element in 0..<scopes.count { results[element] = first.counts[element] > slice.offset ? 1 : 0 }
    } else {
      results.update(repeating: 0, count: scopes.count)
    }
    execution.note(results, of: set, scopes.count, since: started)
  }
}

/// Tests the rows under the keys of all elements together.
final class FirstOfKeysTest: ExistenceOperator, @unchecked Sendable {
  private let lists: FirstOfKeys

  override init(_ compiler: inout PlanCompiler) {
    lists = FirstOfKeys(&compiler)
    super.init(&compiler)
  }

  override func exists(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    let started = execution.measuredTime
    let memory = lists.memory(execution)
    memory.lists.removeAll()
    memory.lists.offsets.append(0)
    try lists.append(set, state, scopes, execution, into: &memory.lists)
    defer { memory.lists.rest() }
    try memory.hold(execution)
    for element in 0..<scopes.count {
      results[element] = memory.lists.offsets[element + 1] > memory.lists.offsets[element] ? 1 : 0
    }
    execution.note(results, of: set, scopes.count, since: started)
  }
}

/// Looks for one member of one element after the other; once for a run where the set depends on nothing around it.
final class FirstMemberTest: ExistenceOperator, @unchecked Sendable {
  private let slot: Int

  override init(_ compiler: inout PlanCompiler) {
    slot = compiler.stateSlot()
    super.init(&compiler)
  }

  private final class Memory: OperatorState {
    @exclusivity(unchecked) var rows = RowBuffer()
    @exclusivity(unchecked) var isAny = false
    @exclusivity(unchecked) var run: UInt64 = 0
  }

  override func exists(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    let started = execution.measuredTime
    let memory = execution.state(slot) { Memory() }
    if set.isCorrelated {
      for element in 0..<scopes.count {
        let one = scopes.count == 1 ? scopes : scopes.element(element)
        results[element] = try isNotEmpty(set, state, one, memory, execution) ? 1 : 0
      }
    } else {
      if memory.run != execution.run {
        if let known = (set.lists as? SharedLists)?.known(execution) {
          memory.isAny = known > 0
        } else {
          memory.isAny = try isNotEmpty(set, state, .root, memory, execution)
        }
        memory.run = execution.run
      }
      results.update(repeating: memory.isAny ? 1 : 0, count: scopes.count)
    }
    execution.note(results, of: set, scopes.count, since: started)
  }

  /// Looks for as many members as it takes to have one after the offset.
  private func isNotEmpty(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ memory: Memory, _ execution: Execution
  ) throws(RuntimeProblem) -> Bool {
    let slice = try set.slice(of: outer, execution)
    guard slice.limit > 0, slice.offset < Int.max else { return false }
    memory.rows.removeAll()
    let wanted = KeptRows(needed: slice.offset + 1, inAnyOrder: true)
    _ = try set.access.appendKept(set, state, outer, wanted, execution, into: &memory.rows)
    return memory.rows.count > slice.offset
  }
}
