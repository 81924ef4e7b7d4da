import GQLBase
import GQLStore

/// Aggregates over the members of a set that each member has.
extension GroupingPass {
  /// Adds the sets of a batch of members. Where finding a member's set fails, the value of its group does.
  func addBags(
    _ plan: CompiledGrouping.Aggregate, _ aggregate: AggregateState, _ batch: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) {
    var waiting = [0..<batch.count]
    while let range = waiting.popLast() {
      let part = range.count == batch.count ? batch : batch.slice(range)
      state.bag.removeAll()
      state.bag.offsets.append(0)
      do throws(RuntimeProblem) {
        try execution.compiledSet(plan.set).append(part, execution, into: &state.bag)
      } catch {
        guard error.kind.isOfOneRow else { throw error }
        try execution.checkpoint()
        if range.count == 1 {
          aggregate.fail(state.ids[range.lowerBound], error)
          continue
        }
        let middle = range.lowerBound + range.count / 2
        waiting.append(middle..<range.upperBound)
        waiting.append(range.lowerBound..<middle)
        continue
      }
      try addBag(plan, aggregate, part, UnsafePointer(state.ids + range.lowerBound), execution)
    }
  }

  /// Adds the elements in `state.bag`; `ids` are the groups of the members that have them.
  private func addBag(
    _ plan: CompiledGrouping.Aggregate, _ aggregate: AggregateState, _ batch: ScopeRows, _ ids: UnsafePointer<UInt32>,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    let depth = batch.scopes.count
    let memory = state.bagRows.room(for: UInt32.self, count: depth * ScopeRows.batchRows)
    var scopes = ScopeRows(count: 0, scopes: [])
    scopes.scopes.append(UnsafePointer(memory))
    for scope in 0..<depth { scopes.scopes.append(UnsafePointer(memory + scope * ScopeRows.batchRows)) }
    let total = state.bag.rows.count
    var start = 0
    var member = 0
    while start < total {
      try execution.checkpoint()
      let count = min(ScopeRows.batchRows, total - start)
      for position in 0..<count {
        while Int(state.bag.offsets[member + 1]) <= start &+ position { member &+= 1 }
        state.inner[position] = ids[member]
        for scope in 0..<depth {
          memory[scope &* ScopeRows.batchRows &+ position] = batch.scopes[scope][member]
        }
      }
      if let own = plan.own {
        scopes.count = count
        scopes.scopes[0] = UnsafePointer(state.bag.rows.base + start)
        do throws(RuntimeProblem) {
          add(try own.evaluate(scopes, execution), to: aggregate, count, UnsafePointer(state.inner))
        } catch {
          guard error.kind.isOfOneRow else { throw error }
          try addSingly(own, aggregate, scopes, UnsafePointer(state.inner), execution)
        }
      } else {
        aggregate.count(count, state.inner)
      }
      start += count
    }
  }
}
