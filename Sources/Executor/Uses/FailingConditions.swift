import GQLBase
import GQLStore

extension CompiledSet {
  /// Finds whether each element has members, where the condition fails for some: they are no members, and it is an error
  /// only if the others are too few.
  ///
  /// All that the access path finds is looked at, so that the order of looking, which is a plan's, decides nothing.
  func existsDespiteFailures(
    _ filter: Filter, _ scopes: ScopeRows, _ execution: Execution, into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    let state = execution.sets[id]
    var rows = RowBuffer()
    for element in 0..<scopes.count {
      if element > 0, !isCorrelated {
        results[element] = results[0]
        continue
      }
      let outer = scopes.element(element)
      let slice = try slice(of: outer, execution)
      guard slice.limit > 0 else {
        results[element] = 0
        continue
      }
      rows.removeAll()
      if !(try access.gather(self, state, outer, execution, into: &rows)), !access.isLinkOrdered {
        execution.sortUnique(&rows, from: 0, self, state)
      }
      try execution.checkMemory(rows.count &* 4)
      let (kept, failure) = try filter.countSound(rows, self, state, outer, execution)
      if kept <= slice.offset, let failure { throw failure }
      results[element] = kept > slice.offset ? 1 : 0
    }
  }
}

extension Filter {
  /// Counts the rows of one element for which the condition is true, and gives the first problem of those for which it
  /// fails.
  fileprivate func countSound(
    _ rows: borrowing RowBuffer, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> (kept: Int, failure: RuntimeProblem?) {
    let positions = state.positions.room(for: UInt16.self, count: ScopeRows.batchRows)
    var gather = OuterScopes(set.outerScopes, outer, state)
    var kept = 0
    var failure: RuntimeProblem?
    var start = 0
    while start < rows.count {
      var waiting = [start..<min(start + ScopeRows.batchRows, rows.count)]
      start += ScopeRows.batchRows
      while let range = waiting.popLast() {
        try execution.checkpoint()
        try execution.visit(range.count)
        do throws(RuntimeProblem) {
          let batch = gather.batch(
            UnsafePointer(rows.base + range.lowerBound), range.count, start: 0, ends: UnsafePointer(rows.base))
          kept += try program.filter(batch, execution, into: positions)
        } catch {
          guard error.kind.isOfOneRow else { throw error }
          if range.count == 1 {
            failure = failure ?? error
            continue
          }
          let size = QuantifierTruths.partSize(of: range.count)
          for first in stride(from: range.lowerBound, to: range.upperBound, by: size).reversed() {
            waiting.append(first..<min(first + size, range.upperBound))
          }
        }
      }
    }
    return (kept, failure)
  }
}
