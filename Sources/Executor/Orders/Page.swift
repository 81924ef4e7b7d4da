import GQLBase
import GQLCatalog
import GQLStore

/// The cursors of a page: where it begins and ends.
struct PageCursors {
  var after: Cursor?
  var before: Cursor?
  /// Indicates whether offset and limit count back from the end.
  var isBackward: Bool { after == nil && before != nil }

  /// Reads the cursors of one element.
  init(_ set: CompiledSet, _ vectors: UnsafePointer<Vector>?, _ execution: Execution) throws(RuntimeProblem) {
    guard let slice = set.slice else { return }
    func cursor(_ source: Int) throws(RuntimeProblem) -> Cursor? {
      guard source >= 0, let cell = slice.sources.cell(source, vectors, 0, execution) else { return nil }
      do {
        return try Cursor(cell, set.pagingFingerprint, set.order, execution.scratch)
      } catch {
        throw RuntimeProblem(.invalidCursor(error.fault), at: slice.sources.ranges[source])
      }
    }
    after = try cursor(slice.after)
    before = try cursor(slice.before)
  }
}

/// A page of a list by cursors. With `after:` a page begins after the cursor's place; with `before:` alone it ends in
/// front of it, and offset and limit count back from there; with both it lies between them.
///
/// Compares all members with the cursors; subclasses look for the page where an index or the rows' numbers lead there.
class Page: OrderOperator, @unchecked Sendable {
  /// The operator for the list, where no cursor is given.
  private let list: OrderOperator
  private let slot: Int

  init(of list: OrderOperator, _ compiler: inout PlanCompiler) {
    self.list = list
    slot = compiler.stateSlot()
  }

  final override func append(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let vectors = try set.slice?.sources.vectors(outer, execution)
    let slice = try set.slice(vectors, 0, of: outer, execution)
    let cursors = try PageCursors(set, vectors, execution)
    guard slice.limit > 0 else { return end(&result) }
    if cursors.after == nil, cursors.before == nil {
      return try list.append(slice, set, state, outer, execution, into: &result)
    }
    if try !find(cursors, slice, set, state, outer, execution, into: &result.rows) {
      try compare(cursors, slice, set, state, outer, execution, into: &result.rows)
    }
    end(&result)
  }

  final override func append(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) { try append(set, state, outer, execution, into: &result) }

  /// Appends the page where it can be found without all members; returns false, and appends nothing, elsewhere.
  func find(
    _ cursors: PageCursors, _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool { false }

  /// Appends the page by the plan that takes over from one which has looked at too many rows.
  fileprivate final func retreat(
    _ cursors: PageCursors, _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard let other = set.retreat else { return }
    execution.noteRetreat(set)
    try compare(cursors, slice, other, state, outer, execution, into: &rows)
  }

  // MARK: - By comparing

  /// Appends the page of any list: of all members, those that stand after one cursor and before the other.
  private func compare(
    _ cursors: PageCursors, _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    state.candidates.removeAll()
    let memory = execution.state(slot) { PageMemory() }
    let links = try set.access.links(outer, execution, &memory.linked)
    _ = try set.access.appendKept(set, state, outer, KeptRows(), execution, into: &state.candidates)
    if let distinct = set.distinct { try keepDistinct(distinct, set, state, outer, execution) }
    let isLinked = set.access.countsPlacesByLinks
    let low = cursors.after.map { place($0, behind: true, state, links, isLinked: isLinked) } ?? 0
    let high =
      cursors.before.map { place($0, behind: false, state, links, isLinked: isLinked) } ?? state.candidates.count
    let first = rows.count
    guard let order = set.order else {
      if low < high { rows.append(UnsafePointer(state.candidates.base + low), high - low) }
      return slice.keep(&rows, from: first, isBackward: cursors.isBackward)
    }
    let count = state.candidates.count
    guard count > 0 else { return }
    let both = [cursors.after, cursors.before].compactMap { $0 }
    let keys = try order.keys(of: state.candidates.base, count, and: both, set, state, outer, execution)
    let items = keys.items(state.candidates.base, count, from: 0, state)
    var found = 0
    for index in 0..<count {
      if cursors.after != nil {
        let comparison = keys.compare(index, count)
        if comparison < 0 || comparison == 0 && index < low { continue }
      }
      if cursors.before != nil {
        let comparison = keys.compare(index, count + both.count - 1)
        if comparison > 0 || comparison == 0 && index >= high { continue }
      }
      items[found] = items[index]
      found += 1
    }
    if cursors.isBackward || slice.end >= found {
      try keys.sort(items, found, state, execution)
    } else {
      found = try keys.select(items, found, first: slice.end, state, execution)
    }
    rows.reserve(found)
    for index in 0..<found { rows.append(items[index].row) }
    slice.keep(&rows, from: first, isBackward: cursors.isBackward)
  }

  /// Of the candidates, which stand in natural order, keeps those that are the first of their kind in list order.
  private func keepDistinct(
    _ distinct: DistinctOn, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) {
    var all = Expansion()
    all.offsets.append(0)
    all.rows.append(UnsafePointer(state.candidates.base), state.candidates.count)
    all.offsets.append(UInt32(truncatingIfNeeded: all.rows.count))
    try set.order?.sortByTerms(set, state, outer, &all, from: 0, firstOffset: 1, execution)
    try distinct.keepFirst(set, state, outer, &all, from: 0, firstOffset: 1, execution)
    state.bits.clear(rows: execution.snapshot.slotCount(set.type))
    state.bits.insert(UnsafePointer(all.rows.base), all.rows.count)
    state.bits.keep(&state.candidates, from: 0)
  }

  /// Returns how many candidates stand before the cursor's place in natural order; `behind` counts its own member too.
  private func place(
    _ cursor: Cursor, behind: Bool, _ state: SetState, _ links: UnsafeBufferPointer<UInt32>, isLinked: Bool
  ) -> Int {
    guard isLinked else {
      var low = 0
      var high = state.candidates.count
      while low < high {
        let middle = (low + high) / 2
        let row = state.candidates[middle]
        if behind ? row <= cursor.row : row < cursor.row { low = middle + 1 } else { high = middle }
      }
      return low
    }
    var end = 0
    if let own = links.firstIndex(of: cursor.row) {
      end = behind ? own + 1 : own
    } else {
      for neighbor in cursor.neighbors {
        guard let known = links.firstIndex(of: neighbor) else { continue }
        end = known + 1
        break
      }
    }
    // The candidates are some of the links, in their order.
    var place = 0
    for index in 0..<end where place < state.candidates.count && state.candidates[place] == links[index] { place += 1 }
    return place
  }
}

/// Links among which a cursor's place is sought.
private final class PageMemory: OperatorState {
  @exclusivity(unchecked) var linked = RowBuffer()
}

/// A page of what an index walks in list order: between the ranks of its cursors.
///
/// Complexity: O(log² n + page), without a filter.
final class RankedPage: Page, @unchecked Sendable {
  private let walk: IndexWalk

  init(of walk: IndexWalk, _ compiler: inout PlanCompiler) {
    self.walk = walk
    super.init(of: walk, &compiler)
  }

  override func find(
    _ cursors: PageCursors, _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let range = set.access as? IndexRangeScan, let order = set.order, set.filter == nil || cursors.before == nil,
      try walk.isWalkable(set, outer, execution)
    else { return false }
    guard let list = try IndexedList.part(of: range, state, outer, descending: walk.isDescending, execution) else {
      return true
    }
    var start = 0
    var end = list.count
    if let after = cursors.after {
      start = try list.rank(of: after, behind: true, order, set, state, outer, execution)
    }
    if let before = cursors.before {
      end = max(start, try list.rank(of: before, behind: false, order, set, state, outer, execution))
    }
    if set.filter == nil {
      let length = end - start
      guard slice.offset < length else { return true }
      let count = min(slice.limit, length - slice.offset)
      let first = cursors.isBackward ? end - slice.offset - count : start + slice.offset
      try execution.checkMemory(count &* 4)
      rows.reserve(count)
      rows.count += list.walk(from: first, count, into: rows.end)
      execution.note(set, accessRows: count)
      return true
    }
    let first = rows.count
    var seen = 0
    var chunk = min(max(slice.end, 64), ScopeRows.batchRows)
    while rows.count - first < slice.end, start < end {
      let from = rows.count
      let count = min(chunk, end - start)
      rows.reserve(count)
      rows.count += list.walk(from: start, count, into: rows.end)
      start += count
      seen += count
      execution.note(set, accessRows: count)
      try set.filter?.keep(&rows, from: from, set, state, outer, execution)
      chunk = min(chunk * 2, 1 << 14)
      try execution.checkMemory(rows.count &* 4)
      if seen >= set.rowsBeforeRetreat, rows.count - first < slice.end, start < end {
        rows.count = first
        try retreat(cursors, slice, set, state, outer, execution, into: &rows)
        return true
      }
    }
    slice.keep(&rows, from: first)
    return true
  }
}

/// A page of what an index walks in the order of the first terms, if it ends at no cursor.
final class TiedPage: Page, @unchecked Sendable {
  private let walk: IncrementalSort

  init(of walk: IncrementalSort, _ compiler: inout PlanCompiler) {
    self.walk = walk
    super.init(of: walk, &compiler)
  }

  override func find(
    _ cursors: PageCursors, _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let after = cursors.after, cursors.before == nil, slice.end < Int.max, let order = set.order,
      try walk.isWalkable(set, outer, execution)
    else { return false }
    if try !walk.append(slice, order, after: after, set, state, outer, execution, into: &rows) {
      try retreat(cursors, slice, set, state, outer, execution, into: &rows)
    }
    return true
  }
}

/// A page in canonical order of a type's rows: they begin, or end, at the cursor's row.
final class ScannedPage: Page, @unchecked Sendable {
  override func find(
    _ cursors: PageCursors, _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let scan = set.access as? FullScan else { return false }
    let slots = execution.snapshot.slotCount(set.type)
    let low = cursors.after.map { min(Int($0.row) + 1, slots) } ?? 0
    let high = cursors.before.map { min(Int($0.row), slots) } ?? slots
    let first = rows.count
    guard low < high else { return true }
    /// Appends what the filter keeps of the rows of a page that lie between the cursors.
    func append(_ page: Int, to rows: inout RowBuffer) throws(RuntimeProblem) {
      let first = max(page, low)
      let end = min(page + PageLayout.rows, high)
      guard first < end else { return }
      rows.reserve(PageLayout.rows)
      rows.count += try scan.keepPage(set, state, first, end - first, outer, execution, into: rows.end)
      execution.note(set, accessRows: end - first)
    }
    if !cursors.isBackward {
      var page = low & ~(PageLayout.rows - 1)
      while page < high, rows.count - first < slice.end {
        try append(page, to: &rows)
        page += PageLayout.rows
      }
      slice.keep(&rows, from: first)
      return true
    }
    // From the last page on; found pages are put before those after them.
    var parts: [(start: Int, count: Int)] = []
    state.candidates.removeAll()
    var page = (high - 1) & ~(PageLayout.rows - 1)
    while page >= 0, state.candidates.count < slice.end {
      let start = state.candidates.count
      try append(page, to: &state.candidates)
      parts.append((start, state.candidates.count - start))
      page -= PageLayout.rows
    }
    for part in parts.reversed() { rows.append(UnsafePointer(state.candidates.base + part.start), part.count) }
    slice.keep(&rows, from: first, isBackward: true)
    return true
  }
}
