import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// An operator that makes the list of one element of the rows that a set's access path finds and its filter keeps: in
/// list order, cut. See ``OrderMethod`` and ``PageMethod``. Immutable.
///
/// Unchecked because subclasses add only constants.
class OrderOperator: @unchecked Sendable {
  /// Appends the list of one element.
  func append(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let slice = try set.slice(of: outer, execution)
    guard slice.limit > 0 else { return end(&result) }
    try append(slice, set, state, outer, execution, into: &result)
  }

  /// Appends a slice, which is not empty, of the list of one element.
  func append(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) { preconditionFailure("an operator makes a list") }

  @inline(__always)
  final func end(_ result: inout Expansion) {
    result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
  }

  /// Appends the slice by the plan that takes over from one which has looked at too many rows.
  final func retreat(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard let other = set.retreat else { return end(&result) }
    execution.noteRetreat(set)
    try other.members.append(slice, other, state, outer, execution, into: &result)
  }
}

/// Rows in the order in which they are found: canonical order, or link order.
final class NaturalOrder: OrderOperator, @unchecked Sendable {
  override func append(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    let first = result.rows.count
    let firstOffset = result.offsets.count
    if set.isPlain, try set.access.appendSlice(slice, outer, 0, execution, into: &result.rows) {
      execution.note(set, accessRows: result.rows.count - first)
      return end(&result)
    }
    let needed = set.distinct == nil ? slice.end : Int.max
    _ = try set.access.appendKept(set, state, outer, KeptRows(needed: needed), execution, into: &result.rows)
    end(&result)
    try set.cut(state, outer, &result, from: first, firstOffset: firstOffset, execution)
  }
}

/// Sorts all rows, in memory.
class Sort: OrderOperator, @unchecked Sendable {
  override func append(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) { try sort(set, state, outer, execution, into: &result) }

  /// Appends all rows, sorted and cut.
  final func sort(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let first = result.rows.count
    let firstOffset = result.offsets.count
    _ = try set.access.appendKept(set, state, outer, KeptRows(), execution, into: &result.rows)
    end(&result)
    try set.arrange(state, outer, &result, from: first, firstOffset: firstOffset, execution)
  }
}

/// Keeps, of the rows of each element that agree in `distinctOn`, the first. Immutable.
final class DistinctOn: @unchecked Sendable {
  private let keys: CompiledOrder

  init(_ expressions: [BoundExpression], type: EntityTypeID, _ compiler: inout PlanCompiler) {
    keys = CompiledOrder(expressions.map { BoundOrderTerm($0, isDescending: false) }, type: type, &compiler)
  }

  /// Keeps the first of the rows from `first` on, which stand in list order, element by element.
  func keepFirst(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int,
    firstOffset: Int, _ execution: Execution
  ) throws(RuntimeProblem) {
    let total = result.rows.count - first
    guard total > 1 else { return }
    let rows = result.rows.base
    let offsets = result.offsets.base + firstOffset
    let keys = try keys.keys(
      set, state, scopes, UnsafePointer(rows + first), total, ends: UnsafePointer(offsets), base: first, execution)
    state.bits.clear(rows: total)
    var start = first
    for element in 0..<scopes.count {
      let end = Int(offsets[element])
      let count = end - start
      guard count > 0 else { continue }
      let items = keys.items(rows + start, count, from: start - first, state)
      try keys.sort(items, count, state, execution)
      for index in 0..<count
      where index == 0 || keys.compare(Int(items[index - 1].index), Int(items[index].index)) != 0 {
        state.bits.insert(items[index].index)
      }
      start = end
    }
    start = first
    var written = first
    for element in 0..<scopes.count {
      let end = Int(offsets[element])
      for position in start..<end {
        rows[written] = rows[position]
        if state.bits.contains(UInt32(truncatingIfNeeded: position - first)) { written += 1 }
      }
      offsets[element] = UInt32(truncatingIfNeeded: written)
      start = end
    }
    result.rows.count = written
  }
}
