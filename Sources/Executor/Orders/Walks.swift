import GQLBase
import GQLQuery
import GQLStore

/// Walks a B-tree, or an order of ids, in list order, and stops at the end of the slice.
///
/// Where this version of the data cannot be walked so, or a key is null that the tree cannot walk past, it sorts.
class IndexWalk: Sort, @unchecked Sendable {
  let isDescending: Bool
  /// Indicates whether the order is right only while ids ascend with insertion.
  private let needsAscendingIDs: Bool

  init(descending: Bool, needsAscendingIDs: Bool) {
    isDescending = descending
    self.needsAscendingIDs = needsAscendingIDs
  }

  /// Returns whether the access path delivers the set's order in this version and for this element.
  final func isWalkable(_ set: CompiledSet, _ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> Bool {
    if needsAscendingIDs, !execution.look({ $0.idsAscend(set.type) }) { return false }
    if let index = (set.access as? IndexRangeScan)?.index, execution.look({ $0.ordered(index) == nil }) { return false }
    return try !set.access.isBehindNull(outer, execution)
  }

  override func append(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard try isWalkable(set, outer, execution) else {
      return try sort(set, state, outer, execution, into: &result)
    }
    try walk(slice, set, state, outer, execution, into: &result)
  }

  /// Appends the slice in the order of the walk.
  fileprivate func walk(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    let intersection = set.access as? Intersection
    guard let range = intersection?.walked ?? set.access as? IndexRangeScan,
      let bounds = try range.bounds(state, outer, execution), let reader = execution.look({ $0.ordered(range.index) })
    else { return end(&result) }
    let first = result.rows.count
    if set.isPlain, intersection == nil {
      var limit = slice.limit
      if limit > 4096 { limit = min(limit, max(reader.count(bounds) - slice.offset, 0)) }
      try execution.checkMemory(limit &* 4)
      result.rows.reserve(limit)
      let count = reader.walk(
        bounds, descending: isDescending, skip: slice.offset, limit: limit, into: result.rows.end)
      result.rows.count += count
      execution.note(set, accessRows: count)
      return end(&result)
    }
    try intersection?.markUnwalked(set, state, outer, execution)
    let needed = set.distinct == nil ? slice.end : Int.max
    var skip = 0
    var chunk = min(max(needed, 64), ScopeRows.batchRows)
    while result.rows.count - first < needed {
      let start = result.rows.count
      result.rows.reserve(chunk)
      let count = reader.walk(bounds, descending: isDescending, skip: skip, limit: chunk, into: result.rows.end)
      result.rows.count += count
      skip += count
      if intersection != nil { state.bits.keep(&result.rows, from: start) }
      try set.filter?.keep(&result.rows, from: start, set, state, outer, execution)
      if count < chunk { break }
      if skip >= set.rowsBeforeRetreat, result.rows.count - first < needed {
        execution.note(set, accessRows: skip)
        result.rows.count = first
        return try retreat(slice, set, state, outer, execution, into: &result)
      }
      chunk = min(chunk * 2, 1 << 14)
      try execution.checkMemory(result.rows.count &* 4)
    }
    execution.note(set, accessRows: skip)
    try finish(set, state, outer, from: first, execution, into: &result)
  }

  /// Ends a list whose rows stand in order.
  fileprivate final func finish(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, from first: Int, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    let firstOffset = result.offsets.count
    end(&result)
    try set.cut(state, outer, &result, from: first, firstOffset: firstOffset, execution)
  }
}

/// Takes the rows as they were inserted, where that is list order.
final class InsertionWalk: IndexWalk, @unchecked Sendable {
  fileprivate override func walk(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    let first = result.rows.count
    if set.isPlain, try set.access.appendSlice(slice, outer, 0, execution, into: &result.rows) {
      execution.note(set, accessRows: result.rows.count - first)
      return end(&result)
    }
    let wanted = KeptRows(needed: set.distinct == nil ? slice.end : Int.max, mayAbandon: true)
    guard try set.access.appendKept(set, state, outer, wanted, execution, into: &result.rows) else {
      return try retreat(slice, set, state, outer, execution, into: &result)
    }
    try finish(set, state, outer, from: first, execution, into: &result)
  }
}

/// Takes the texts that a search finds by their score, the best first.
final class BestTexts: IndexWalk, @unchecked Sendable {
  fileprivate override func walk(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    let first = result.rows.count
    let needed = set.distinct == nil ? slice.end : Int.max
    _ = try (set.access as? FullTextScan)?
      .appendBest(set, state, outer, needed: needed, execution, into: &result.rows)
    try finish(set, state, outer, from: first, execution, into: &result)
  }
}

extension BitMemory {
  /// Keeps the rows from `start` on whose bits are set.
  func keep(_ rows: inout RowBuffer, from start: Int) {
    var written = start
    for index in start..<rows.count {
      let row = rows[index]
      rows.base[written] = row
      if contains(row) { written &+= 1 }
    }
    rows.count = written
  }
}
