import GQLBase
import GQLQuery
import GQLStore

/// An operator that makes the lists of a set for the elements of a batch: see ``ListMethod``. Immutable; its memory lies
/// in the state of a slot.
///
/// Unchecked because subclasses add only constants.
class ListOperator: @unchecked Sendable {
  private let slot: Int

  init(_ compiler: inout PlanCompiler) { slot = compiler.stateSlot() }

  /// Appends the lists of all elements of a batch.
  func append(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) { preconditionFailure("an operator makes lists") }

  /// Counts the members of all elements by their lists.
  func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) {
    let memory = memory(execution)
    memory.lists.removeAll()
    memory.lists.offsets.append(0)
    try set.appendFound(scopes, execution, into: &memory.lists)
    defer { memory.lists.rest() }
    try memory.hold(execution)
    for element in 0..<scopes.count {
      counts[element] = Int64(memory.lists.offsets[element + 1]) - Int64(memory.lists.offsets[element])
    }
  }

  /// Returns the memory of lists that are made to be counted.
  final func memory(_ execution: Execution) -> ListMemory { execution.state(slot) { ListMemory() } }
}

/// Lists of a batch, or of a run.
final class ListMemory: OperatorState {
  @exclusivity(unchecked) var lists = Expansion()
  /// Bytes of them that are counted.
  @exclusivity(unchecked) private var bytes = 0
  /// The run that the lists are of, where they are the same for all elements.
  @exclusivity(unchecked) var run: UInt64 = 0

  /// Counts the memory that is kept for the next batch.
  func hold(_ execution: Execution) throws(RuntimeProblem) { try execution.hold(lists, &bytes) }
}

/// Makes the list of one element after the other.
final class EachList: ListOperator, @unchecked Sendable {
  override func append(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) { try set.appendEach(state, scopes, execution, into: &result) }
}

extension CompiledSet {
  /// Appends the list of each element by itself.
  func appendEach(
    _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    if scopes.count == 1 { return try members.append(self, state, scopes, execution, into: &result) }
    var watch = ListWatch(self, result.rows)
    for element in 0..<scopes.count {
      try members.append(self, state, scopes.element(element), execution, into: &result)
      try execution.look(result.rows, &watch)
    }
  }
}

extension ScopeRows {
  /// A batch of one of the elements.
  func element(_ index: Int) -> ScopeRows {
    var scopes = ContiguousArray<UnsafePointer<UInt32>>()
    scopes.reserveCapacity(self.scopes.count)
    for scope in self.scopes { scopes.append(scope + index) }
    return ScopeRows(count: 1, scopes: scopes)
  }
}
