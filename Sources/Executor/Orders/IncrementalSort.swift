import GQLBase
import GQLCatalog
import GQLStore

/// The first rows of an order of which an index delivers the first terms.
///
/// Rows are walked until there are enough, and on to the end of those that agree with the last of them in the first
/// terms; then these few are sorted by all terms.
final class IncrementalSort: IndexWalk, @unchecked Sendable {
  /// The first terms, which the walk delivers.
  private let walked: CompiledOrder

  init(descending: Bool, by walked: CompiledOrder) {
    self.walked = walked
    super.init(descending: descending, needsAscendingIDs: false)
  }

  override func append(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard slice.end < Int.max, let order = set.order.map(Unmanaged.passUnretained),
      try isWalkable(set, outer, execution)
    else { return try sort(set, state, outer, execution, into: &result) }
    let isFound = try order.borrow { (order) throws(RuntimeProblem) in
      try append(slice, order, after: nil, set, state, outer, execution, into: &result.rows)
    }
    guard isFound else {
      return try retreat(slice, set, state, outer, execution, into: &result)
    }
    end(&result)
  }

  /// Appends the slice of a set, of what stands after a cursor if there is one. Returns false, and appends nothing,
  /// where it has looked at too many rows.
  ///
  /// Complexity: O(log *n* + *k* log *k*), where *k* are the rows up to the end of the slice and those that agree with
  /// the last of them in the first terms.
  func append(
    _ slice: SliceRange, _ order: CompiledOrder, after cursor: Cursor?, _ set: CompiledSet, _ state: SetState,
    _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let range = (set.access as? IndexRangeScan).map(Unmanaged.passUnretained) else { return true }
    let part = try range.borrow { (range) throws(RuntimeProblem) in
      try IndexedList.part(of: range, state, outer, descending: isDescending, execution)
    }
    guard let list = part else { return true }
    let capacity = min(slice.end, max(list.count, 1))
    try execution.checkMemory(capacity &* 16)
    var skip = 0
    if let cursor {
      skip = try list.rank(of: cursor, behind: false, isPrefix: true, walked, set, state, outer, execution)
    }
    // A plain column is compared as it lies, and the others where it ties only.
    let isPlain = walked.terms.count == 1 && order.leading >= 0 && cursor == nil && order.isWithoutNulls(set, execution)
    let images = isPlain ? DirectKeys(order, execution.readers[order.leading]) : nil
    var isWalkOrder = true
    state.candidates.removeAll()
    var seen = 0
    // The row that ends the slice, but for rows that tie with it.
    var last = PageLayout.noRow
    var chunk = min(max(capacity &+ 8, 32), ScopeRows.batchRows)
    while true {
      try execution.checkpoint()
      let start = state.candidates.count
      state.candidates.reserve(chunk)
      let count = list.walk(from: skip, chunk, into: state.candidates.end)
      state.candidates.count += count
      skip += count
      seen += count
      guard count > 0 else { break }
      let end = state.candidates[start + count - 1]
      try set.filter?.keep(&state.candidates, from: start, set, state, outer, execution)
      if let cursor { try keepAfter(cursor, order, set, state, outer, from: start, execution) }
      if last == PageLayout.noRow, state.candidates.count >= capacity { last = state.candidates[capacity - 1] }
      if count < chunk { break }
      if last == PageLayout.noRow, seen >= set.rowsBeforeRetreat {
        execution.note(set, accessRows: seen)
        return false
      }
      if last != PageLayout.noRow {
        let isTied =
          if let images { images.image(last) == images.image(end) } else {
            try areTied(last, end, set, state, outer, execution)
          }
        if !isTied { break }
      }
      if last != PageLayout.noRow, state.candidates.count > max(4 &* capacity, 4096) {
        isWalkOrder = false
        try keepFirst(capacity, isFinal: false, order, set, state, outer, execution)
      }
      chunk = min(chunk &* 2, ScopeRows.batchRows)
      try execution.checkMemory(state.candidates.count &* 4)
    }
    execution.note(set, accessRows: seen)
    if let images, isWalkOrder {
      try appendWalked(slice, images, order, set, state, outer, execution, into: &rows)
      return true
    }
    try keepFirst(capacity, isFinal: true, order, set, state, outer, execution)
    if slice.offset < state.candidates.count {
      rows.append(UnsafePointer(state.candidates.base + slice.offset), state.candidates.count - slice.offset)
    }
    return true
  }

  /// Appends the slice of the candidates, which stand in the order of a plain column, the first term.
  private func appendWalked(
    _ slice: SliceRange, _ images: DirectKeys, _ order: CompiledOrder, _ set: CompiledSet, _ state: SetState,
    _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let first = rows.count
    let candidates = UnsafePointer(state.candidates.base)
    var ties: [Tie] = []
    var end = 0
    var last: UInt64 = 0
    while end < state.candidates.count {
      let key = images.image(candidates[end])
      if end > 0, key == last { ties.join(first + end) } else if end >= slice.end { break }
      last = key
      end += 1
    }
    rows.append(candidates, end)
    let limit = execution.look { $0.slotCount(set.type) }
    // What is equal in all terms stands in canonical order.
    for tie in ties { _ = RowSorting.sortUnique(rows.base + tie.start, tie.count, limit: limit, bits: &state.bits) }
    try order.resolve(ties, set, state, outer, rows.base, execution)
    slice.keep(&rows, from: first)
  }

  /// Keeps the first of the candidates; what is equal in all terms stands in canonical order.
  private func keepFirst(
    _ capacity: Int, isFinal: Bool, _ order: CompiledOrder, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    execution.sortUnique(&state.candidates, from: 0, set, state)
    try order.reduce(&state.candidates, to: capacity, isFinal: isFinal, set, state, outer, execution)
  }

  /// Returns whether two rows agree in the first terms. The others are not asked: they may fail, or look at sets.
  private func areTied(
    _ left: UInt32, _ right: UInt32, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> Bool {
    let mark = execution.scratch.mark
    defer { if !walked.program.keepsScratch { execution.scratch.release(to: mark) } }
    var both = (left, right)
    return try withUnsafeMutableBytes(of: &both) { (bytes) throws(RuntimeProblem) in
      guard let rows = bytes.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return false }
      return try walked.keys(of: rows, 2, set, state, outer, execution).compare(0, 1) == 0
    }
  }

  /// Keeps the candidates from `start` on that stand after a cursor.
  private func keepAfter(
    _ cursor: Cursor, _ order: CompiledOrder, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    from start: Int, _ execution: Execution
  ) throws(RuntimeProblem) {
    let count = state.candidates.count - start
    if count == 0 { return }
    // Texts that are computed for comparing go with the comparison, unless sets keep some of them for the run.
    let mark = execution.scratch.mark
    defer { if !order.program.keepsScratch { execution.scratch.release(to: mark) } }
    let rows = state.candidates.base + start
    let keys = try order.keys(of: rows, count, and: [cursor], set, state, outer, execution)
    var written = 0
    for index in 0..<count {
      let row = rows[index]
      let comparison = keys.compare(index, count)
      rows[written] = row
      if comparison > 0 || comparison == 0 && row > cursor.row { written += 1 }
    }
    state.candidates.count = start + written
  }
}

/// The texts with the best scores, and of those with one score in the order of further terms.
final class TiedTexts: Sort, @unchecked Sendable {
  /// The terms after the score: among texts with one score, it is not worked out again.
  private let further: CompiledOrder

  init(by further: CompiledOrder) { self.further = further }

  override func append(
    _ slice: SliceRange, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard slice.end < Int.max, let search = set.access as? FullTextScan else {
      return try sort(set, state, outer, execution, into: &result)
    }
    let first = result.rows.count
    let ties = try search.appendBest(
      set, state, outer, needed: slice.end, withTies: true, execution, into: &result.rows)
    try further.resolve(ties, set, state, outer, result.rows.base, execution)
    slice.keep(&result.rows, from: first)
    end(&result)
  }
}

/// A part of a B-tree, or of an order of ids, in list order.
struct IndexedList {
  private let reader: OrderedReader
  private let bounds: BTreeBounds
  private let isDescending: Bool

  /// Returns nil if nothing can be in the part.
  static func part(
    of range: IndexRangeScan, _ state: SetState, _ outer: ScopeRows, descending: Bool, _ execution: Execution
  ) throws(RuntimeProblem) -> IndexedList? {
    guard var bounds = try range.bounds(state, outer, execution),
      let reader = execution.look({ $0.ordered(range.index) })
    else { return nil }
    if bounds.equalCount > 0, let equal = bounds.equal {
      // The set's memory is needed for keys.
      let copy = execution.scratch.allocate(Cell.self, count: bounds.equalCount)
      copy.update(from: equal, count: bounds.equalCount)
      bounds.equal = UnsafePointer(copy)
    }
    return IndexedList(reader: reader, bounds: bounds, isDescending: descending)
  }

  var count: Int { reader.count(bounds) }

  func walk(from first: Int, _ count: Int, into rows: UnsafeMutablePointer<UInt32>) -> Int {
    reader.walk(bounds, descending: isDescending, skip: first, limit: count, into: rows)
  }

  /// Returns how many members of the list stand before the cursor's place; `behind` counts its own member too.
  /// Complexity: O(log² *n*).
  ///
  /// - Parameter isPrefix: Whether the order has the first terms only, so that the row does not decide after them.
  func rank(
    of cursor: Cursor, behind: Bool, isPrefix: Bool = false, _ order: CompiledOrder, _ set: CompiledSet,
    _ state: SetState, _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> Int {
    func isBefore(_ row: inout UInt32) throws(RuntimeProblem) -> Bool {
      let keys = try order.keys(of: &row, 1, and: [cursor], set, state, outer, execution)
      let comparison = keys.compare(0, 1)
      let isRowBefore = behind ? row <= cursor.row : row < cursor.row
      return comparison != 0 || isPrefix ? comparison < 0 : isRowBefore
    }
    var row: UInt32 = 0
    if case .rows(let reader) = reader {
      // Numbers of live rows are counted, so that rows are halved.
      let slots = reader.slots(bounds)
      var low = slots.lowerBound
      var high = slots.upperBound
      while low < high {
        let middle = (low + high) / 2
        guard let slot = reader.firstLive(middle..<high) else {
          high = middle
          continue
        }
        row = UInt32(truncatingIfNeeded: slot)
        if try isBefore(&row) != isDescending { low = slot + 1 } else { high = middle }
      }
      return reader.liveCount(isDescending ? low..<slots.upperBound : slots.lowerBound..<low)
    }
    var low = 0
    var high = self.count
    while low < high {
      let middle = (low + high) / 2
      guard walk(from: middle, 1, into: &row) == 1 else { return low }
      if try isBefore(&row) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
