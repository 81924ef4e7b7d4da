import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLText

/// The rows that a full-text index finds in some of its columns: all of them ascending, or the best by score.
final class FullTextScan: AccessOperator, @unchecked Sendable {
  private let index: IndexID
  private let columns: [ColumnID]
  private let language: String
  private let scalars: ScalarSources
  private let slot: Int

  init(_ index: IndexDescriptor, _ columns: [ColumnID], _ query: BoundExpression, _ compiler: inout PlanCompiler) {
    self.index = index.id
    self.columns = columns
    language = index.language ?? ""
    scalars = ScalarSources([query], compiler)
    slot = compiler.stateSlot()
    super.init(index.type)
  }

  override var findsLiveRowsOnly: Bool { true }

  /// Returns the state, which keeps the query while the text stays the same.
  private func state(_ execution: Execution) -> FullTextSearchState {
    execution.state(slot) { execution.makeSearch(language) }
  }

  /// Returns the search; nil if the query is null.
  private func search(_ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> FullTextSearch? {
    let vectors = try scalars.vectors(outer, execution)
    guard let query = scalars.cell(0, vectors, 0, execution) else { return nil }
    let state = state(execution)
    let matcher = try withUnsafePointer(to: query) { (query) throws(RuntimeProblem) in
      try state.matcher(TextView.text(at: query), execution)
    }
    if let known = state.search { return known }
    let search = try FullTextSearch(execution.snapshot, type, index, columns, matcher, execution)
    state.search = search
    return search
  }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let search = try search(outer, execution) else { return true }
    try search.collect(0..<search.slots, into: &rows, execution)
    try execution.checkMemory(rows.count &* 4)
    return true
  }

  /// Postings ascend, so that the first few rows are found without the others.
  override func firstWindow(
    needed: Int, _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> Int? {
    guard let search = try search(outer, execution), needed < search.upperBound / 4 else { return nil }
    return max(PageLayout.rows, search.slots / search.upperBound * needed * 2)
  }

  override func gather(
    in window: Range<Int>, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) { try search(outer, execution)?.collect(window, into: &rows, execution) }

  override func estimate(_ execution: Execution) -> Double {
    guard let text = scalars.cell(0, nil, 0, execution) else { return 0 }
    let state = state(execution)
    let matcher = withUnsafePointer(to: text) { cell in
      let query = TextView.text(at: cell)
      return query.count > TextQuery.longestEstimated ? nil : try? state.matcher(query, execution)
    }
    return matcher.flatMap { execution.snapshot.matchCount(index, columns, $0.query) }.map { Double($0) } ?? 0
  }

  // MARK: - The best

  /// Appends rows by score, the best first, until `needed` pass the filter.
  ///
  /// Returns the runs of rows with one score where these are wanted: then all that tie with the last row are there.
  func appendBest(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, needed: Int, withTies: Bool = false,
    _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> [Tie] {
    guard let search = try search(outer, execution) else { return [] }
    let norms = self.state(execution).norms(average: search.statistics.averageLength)
    let live = max(execution.snapshot.liveCount(set.type), 1)
    let first = rows.count
    let most = min(live, max(search.upperBound, 1))
    // A few more, among which the last score most likely ends.
    var capacity = min(withTies ? min(needed, most) + 8 : needed, live, max(search.upperBound, 1))
    // A filter may refuse most.
    if set.filter != nil {
      capacity = min(live, max(search.upperBound, 1), max(64, capacity < live / 4 ? capacity * 4 : live))
    }
    while true {
      try execution.checkpoint()
      try execution.checkMemory(capacity &* 16)
      let items = state.items.room(for: SortItem.self, count: capacity)
      var best = BestRows(items, capacity: capacity)
      try search.best(into: &best, norms, state, execution)
      let count = best.heap.count
      try RowSorting.sort(items, count, spare: state.spare.room(for: SortItem.self, count: count), execution)
      rows.count = first
      rows.reserve(count)
      for index in 0..<count { rows.append(items[index].row) }
      execution.note(set, accessRows: count)
      try set.filter?.keep(&rows, from: first, set, state, outer, execution)
      let isAll = count < capacity || capacity >= live || capacity >= search.upperBound
      if isAll || rows.count - first >= needed {
        if !withTies { return [] }
        let ties = ties(of: UnsafePointer(rows.base + first), rows.count - first, at: first, items)
        // What ties with the last one may go on after those that were found.
        let isOpen = rows.count - first >= needed && key(of: rows[first + needed - 1], items) == items[count - 1].key
        if isAll || !isOpen { return ties }
      }
      capacity = capacity < live / 8 ? capacity * 8 : live
    }
  }

  /// Returns the key of one of the items.
  private func key(of row: UInt32, _ items: UnsafePointer<SortItem>) -> UInt64 {
    var place = 0
    while items[place].row != row { place += 1 }
    return items[place].key
  }

  /// Returns the runs of rows with one score; the rows are some of the items, in their order.
  private func ties(
    of rows: UnsafePointer<UInt32>, _ count: Int, at first: Int, _ items: UnsafePointer<SortItem>
  ) -> [Tie] {
    var ties: [Tie] = []
    var place = 0
    var last: UInt64?
    for index in 0..<count {
      while items[place].row != rows[index] { place += 1 }
      if items[place].key == last { ties.join(first + index) }
      last = items[place].key
    }
    return ties
  }
}
