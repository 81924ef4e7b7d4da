import GQLBase
import GQLQuery
import GQLStore

/// Counts the members of a set for the elements of a batch: see ``CountMethod``. By their lists, where no subclass knows
/// better. Immutable.
class CountOperator: @unchecked Sendable {
  func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) { try set.lists.count(set, state, scopes, execution, into: counts) }
}

/// Counts without rows where the access path can, which may depend on keys: by degrees, by runs, by ranks.
final class AccessCount: CountOperator, @unchecked Sendable {
  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) {
    let started = execution.measuredTime
    guard try set.access.count(set, state, scopes, execution, into: counts) else {
      return try super.count(set, state, scopes, execution, into: counts)
    }
    if let slice = set.slice {
      let vectors = try slice.sources.vectors(scopes, execution)
      for element in 0..<scopes.count {
        counts[element] = try slice.range(vectors, element, of: scopes, execution).length(of: Int(counts[element]))
      }
    }
    execution.note(counts, of: set, scopes.count, since: started)
  }
}

/// Counts what the filter keeps of a table, once for a run.
final class FilterCount: CountOperator, @unchecked Sendable {
  private let slot: Int

  init(_ compiler: inout PlanCompiler) { slot = compiler.stateSlot() }

  private final class Total: OperatorState {
    @exclusivity(unchecked) var value: Int64 = 0
    @exclusivity(unchecked) var run: UInt64 = 0
  }

  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) {
    let started = execution.measuredTime
    let total = execution.state(slot) { Total() }
    if total.run != execution.run {
      if let known = (set.lists as? SharedLists)?.known(execution) {
        total.value = Int64(known)
      } else {
        let slice = try set.slice(try set.slice?.sources.vectors(.root, execution), 0, of: .root, execution)
        total.value = slice.length(of: try countTable(set, state, execution))
      }
      total.run = execution.run
    }
    counts.update(repeating: total.value, count: scopes.count)
    execution.note(counts, of: set, scopes.count, since: started)
  }

  private func countTable(
    _ set: CompiledSet, _ state: SetState, _ execution: Execution
  ) throws(RuntimeProblem) -> Int {
    guard let filter = set.filter else { return 0 }
    let slots = execution.snapshot.slotCount(set.type)
    defer { execution.note(set, accessRows: slots) }
    var total = 0
    guard execution.snapshot.liveness(set.type) != nil else {
      let started = execution.measuredTime
      total = try filter.program.countTable(slots, execution)
      execution.note(set, filtered: slots, kept: total, since: started)
      return total
    }
    state.candidates.removeAll()
    state.candidates.reserve(PageLayout.rows)
    var first = 0
    while first < slots {
      let count = min(PageLayout.rows, slots - first)
      total += try filter.keepPage(set, state, first, count, .root, execution, into: state.candidates.end)
      first += count
    }
    return total
  }
}

extension SliceRange {
  /// Returns how many of so many members it has.
  fileprivate func length(of count: Int) -> Int64 { Int64(min(max(count - offset, 0), limit)) }
}
