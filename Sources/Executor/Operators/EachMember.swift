import GQLCatalog
import GQLStore

/// For each member of a set the members of another one, which sees it as the innermost scope, one list after the other.
final class EachMember: AccessOperator, @unchecked Sendable {
  private let base: Int
  private let list: Int
  private let slot: Int

  init(of base: Int, _ list: Int, _ type: EntityTypeID, _ compiler: inout PlanCompiler) {
    self.base = base
    self.list = list
    slot = compiler.stateSlot()
    super.init(type)
  }

  override var isLinkOrdered: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let memory = execution.state(slot) { EachMemberState() }
    memory.base.removeAll()
    memory.base.offsets.append(0)
    try execution.compiledSet(base).append(outer, execution, into: &memory.base)
    try execution.hold(memory.base, &memory.baseBytes)
    defer {
      memory.base.rest()
      memory.lists.rest()
    }
    let depth = outer.scopes.count
    let repeated = memory.scopes.room(for: UInt32.self, count: depth * ScopeRows.batchRows)
    for scope in 0..<depth {
      (repeated + scope * ScopeRows.batchRows).update(repeating: outer.scopes[scope][0], count: ScopeRows.batchRows)
    }
    var start = 0
    while start < memory.base.rows.count {
      try execution.checkpoint()
      var scopes = ContiguousArray([UnsafePointer(memory.base.rows.base + start)])
      for scope in 0..<depth { scopes.append(UnsafePointer(repeated + scope * ScopeRows.batchRows)) }
      let count = min(ScopeRows.batchRows, memory.base.rows.count - start)
      memory.lists.removeAll()
      memory.lists.offsets.append(0)
      try execution.compiledSet(list).append(
        ScopeRows(count: count, scopes: scopes), execution, into: &memory.lists)
      rows.append(UnsafePointer(memory.lists.rows.base), memory.lists.rows.count)
      try execution.checkMemory(rows.count &* 4)
      start += count
    }
    try execution.hold(memory.lists, &memory.listBytes)
    return rows.count < 2
  }
}

/// The members of both sets, and the scopes around each of the first.
private final class EachMemberState: OperatorState {
  @exclusivity(unchecked) var base = Expansion()
  @exclusivity(unchecked) var baseBytes = 0
  @exclusivity(unchecked) var lists = Expansion()
  @exclusivity(unchecked) var listBytes = 0
  @exclusivity(unchecked) var scopes = WorkMemory()
}
