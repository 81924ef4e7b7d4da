import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// A ``RowSetPlan`` made ready to run: the build side of a semi-join. Immutable.
struct CompiledRowSet {
  private let set: Int
  private let type: EntityTypeID
  private let routes: [[RelationAccess]]
  private let slot: Int
  /// Indicates whether the way back may lead to entities that are gone: versions stay where theirs has gone.
  private let mayLeadToDead: Bool

  init(_ plan: RowSetPlan, _ compiler: inout PlanCompiler) {
    set = plan.set.index
    mayLeadToDead = compiler.catalog[compiler.plan.query[plan.set].type].pastRole != nil
    type = plan.type
    routes = plan.routes.map { route in route.map { compiler.relation($0) } }
    slot = compiler.stateSlot()
  }

  /// Returns the rows, found once a run, and not before they are needed: a field that is skipped may be all that uses
  /// them.
  @inline(__always)
  func built(_ execution: Execution) throws(RuntimeProblem) -> RowSetState {
    let state = execution.state(slot) { RowSetState() }
    if state.run != execution.run { try build(state, execution) }
    return state
  }

  @inline(never)
  private func build(_ state: RowSetState, _ execution: Execution) throws(RuntimeProblem) {
    state.expansion.removeAll()
    state.expansion.offsets.append(0)
    try execution.compiledSet(set).append(.root, execution, into: &state.expansion)
    state.bits.clear(rows: execution.snapshot.slotCount(type))
    for route in routes {
      if route.isEmpty { state.bits.insert(state.expansion.rows.base, state.expansion.rows.count) }
      var rows = RowBuffer()
      for (number, relation) in route.enumerated() {
        try execution.checkpoint()
        let count = number == 0 ? state.expansion.rows.count : rows.count
        let sources = UnsafePointer(number == 0 ? state.expansion.rows.base : rows.base)
        if number == route.count - 1 {
          try mark(relation, sources, count, in: state.bits, execution)
          continue
        }
        var targets = BitMemory()
        targets.clear(rows: execution.snapshot.slotCount(relation.target))
        try mark(relation, sources, count, in: targets, execution)
        rows.removeAll()
        targets.collect(into: &rows)
      }
    }
    state.run = execution.run
  }

  private func mark(
    _ relation: RelationAccess, _ rows: UnsafePointer<UInt32>, _ count: Int, in bits: borrowing BitMemory,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    let reader = execution.readers[relation.reader]
    guard relation.isToMany else {
      for index in 0..<count {
        let target = reader.reference(rows[index])
        if target == PageLayout.noRow { continue }
        if mayLeadToDead, !execution.look({ $0.isLive(relation.target, target) }) { continue }
        bits.insert(target)
      }
      return
    }
    var start = 0
    while start < count {
      try execution.checkpoint()
      let end = min(start + ScopeRows.batchRows, count)
      execution.warmRuns(reader, rows + start, end - start)
      for index in start..<end { for target in reader.references(rows[index]) { bits.insert(target) } }
      start = end
    }
  }
}

/// A semi-join's build side in one execution.
final class RowSetState: OperatorState {
  @exclusivity(unchecked) var bits = BitMemory()
  @exclusivity(unchecked) fileprivate var expansion = Expansion()
  /// The run that it was computed in.
  @exclusivity(unchecked) fileprivate var run: UInt64 = 0
}

extension Execution {
  /// Returns the rows of one of the plan's row sets.
  @inline(__always)
  func builtRowSet(_ index: Int) throws(RuntimeProblem) -> RowSetState {
    try executable._withUnsafeGuaranteedRef { $0.rowSets[index] }.built(self)
  }
}
