import GQLBase
import GQLQuery
import GQLStore

/// The first links of each element in the order of a column: where that column does not decrease with the row, one end of
/// each list whose rows ascend.
final class TopLinks: BatchedLists, @unchecked Sendable {
  private let slot: Int

  override init(_ compiler: inout PlanCompiler) {
    slot = compiler.stateSlot()
    super.init(&compiler)
  }

  override func append(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard let links = set.access as? Links, let order = set.order, isAscending(order, set, execution) else {
      return try super.append(set, state, scopes, execution, into: &result)
    }
    let first = result.rows.count
    let firstOffset = result.offsets.count
    let vectors = try set.slice?.sources.vectors(scopes, execution)
    links.warm(scopes, execution)
    var watch = ListWatch(set, result.rows)
    for element in 0..<scopes.count {
      let slice = try set.slice(vectors, element, of: scopes, execution)
      let row = execution.resolve(links.reference, scopes, element)
      try appendTop(order, links.relation, row, slice, state, execution, into: &result.rows)
      try execution.end(&result, &watch)
    }
    if order.direct >= 0 { return }
    execution.note(set, accessRows: result.rows.count - first)
    try set.arrange(state, scopes, &result, from: first, firstOffset: firstOffset, execution)
  }

  /// Returns whether the order term's column does not decrease with the row; looked up once a run.
  private func isAscending(_ order: CompiledOrder, _ set: CompiledSet, _ execution: Execution) -> Bool {
    let known = execution.state(slot) { AscendingColumn() }
    if known.run != execution.run {
      known.run = execution.run
      known.isAscending = execution.snapshot.isAscending(set.type, order.directColumn)
    }
    return known.isAscending
  }

  /// Appends a slice of a run in the order of a column that does not decrease with the row: an ascending run needs
  /// only one of its ends. Where further terms decide among equal values, appends what may belong to the slice.
  private func appendTop(
    _ order: CompiledOrder, _ relation: RelationAccess, _ row: UInt32, _ slice: SliceRange, _ state: SetState,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard row != PageLayout.noRow, slice.limit > 0 else { return }
    guard relation.isToMany else {
      return execution.appendTargets(relation, row, from: slice.offset, limit: slice.limit, into: &rows)
    }
    let run = execution.readers[relation.reader].references(row)
    guard let start = run.baseAddress, slice.offset < run.count else { return }
    try execution.charge(run.count)
    var disorder: UInt32 = 0
    var previous = start[0]
    for index in 1..<max(run.count, 1) {
      let next = start[index]
      // Borrows into the high bit where rows decrease; rows are below 2³¹.
      disorder |= next &- previous
      previous = next
    }
    let end = min(slice.end, run.count)
    let isAscending = disorder >> 31 == 0
    let isSingle = order.direct >= 0
    if isAscending, isSingle, !order.terms[0].isDescending {
      rows.append(start + slice.offset, end - slice.offset)
      return
    }
    var first = 0
    let images = DirectKeys(order, execution.readers[order.leading])
    if !isSingle {
      var last = run.count
      if isAscending, end > 0 {
        // One end of the run, and all that have the key of the last one there.
        if order.terms[0].isDescending {
          first = run.count - end
          let boundary = images.image(start[first])
          while first > 0, images.image(start[first - 1]) == boundary { first -= 1 }
        } else {
          last = end
          let boundary = images.image(start[last - 1])
          while last < run.count, images.image(start[last]) == boundary { last += 1 }
        }
      }
      return rows.append(start + first, last - first)
    }
    if isAscending {
      // The last ones, and all that have the key of the first of them.
      first = run.count - end
      let boundary = images.image(start[first])
      while first > 0, images.image(start[first - 1]) == boundary { first -= 1 }
    }
    let count = run.count - first
    let items = state.items.room(for: SortItem.self, count: max(end, 1))
    var heap = TopHeap(items, capacity: end)
    for index in 0..<count {
      let row = start[first + index]
      heap.offer(SortItem(key: images.image(row), index: UInt32(truncatingIfNeeded: index), row: row))
    }
    let spare = state.spare.room(for: SortItem.self, count: heap.count)
    try RowSorting.sort(items, heap.count, spare: spare, execution)
    for index in slice.offset..<max(heap.count, slice.offset) { rows.append(items[index].row) }
  }
}

/// Indicates whether a column does not decrease with the row, in one run.
private final class AscendingColumn: OperatorState {
  @exclusivity(unchecked) var isAscending = false
  @exclusivity(unchecked) var run: UInt64 = 0
}
