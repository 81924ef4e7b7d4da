import GQLBase
import GQLCatalog
import GQLStore
import GQLText

extension Execution {
  /// The state of a full-text access, which keeps its query while the text stays the same.
  func textSearch(_ node: AccessNode) -> FullTextSearchState {
    let key = ObjectIdentifier(node)
    if let known = textSearches[key] { return known }
    let made = FullTextSearchState(language: node.language)
    textSearches[key] = made
    return made
  }

  /// What a full-text access looks for; nil if the query is null.
  private func search(
    _ node: AccessNode, _ set: CompiledSet, _ outer: ScopeRows
  ) throws(RuntimeProblem) -> FullTextSearch? {
    guard let scalars = node.scalars else { return nil }
    let vectors = try scalars.vectors(outer, self)
    guard let query = scalars.cell(0, vectors, 0, self) else { return nil }
    let state = textSearch(node)
    let matcher = try withUnsafePointer(to: query) { (query) throws(RuntimeProblem) in
      try state.matcher(TextView.text(at: query), self)
    }
    if let known = state.search { return known }
    let search = try FullTextSearch(snapshot, set.type, node.index, node.columns, matcher, self)
    state.search = search
    return search
  }

  /// Appends the rows that a full-text index finds, ascending.
  func search(
    _ node: AccessNode, _ set: CompiledSet, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard let search = try search(node, set, outer) else { return }
    try search.collect(into: &rows, self)
    try checkMemory(rows.count &* 4)
  }

  /// Appends rows by score, the best first, until `needed` pass the filter.
  ///
  /// Returns the runs of rows with one score where these are wanted: then all that tie with the last row are there.
  func appendBest(
    _ node: AccessNode, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, needed: Int,
    withTies: Bool = false, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> [Tie] {
    guard let search = try search(node, set, outer) else { return [] }
    let live = max(snapshot.liveCount(set.type), 1)
    let first = rows.count
    let most = min(live, max(search.upperBound, 1))
    // A few more, among which the last score most likely ends.
    var capacity = min(withTies ? min(needed, most) + 8 : needed, live, max(search.upperBound, 1))
    // A filter may refuse most.
    if set.filter != nil {
      capacity = min(live, max(search.upperBound, 1), max(64, capacity < live / 4 ? capacity * 4 : live))
    }
    while true {
      try checkpoint()
      try checkMemory(capacity &* 16)
      let items = state.items.room(for: SortItem.self, count: capacity)
      var best = BestRows(items, capacity: capacity)
      try search.best(into: &best, state, self)
      let count = best.heap.count
      try RowSorting.sort(items, count, spare: state.spare.room(for: SortItem.self, count: count), self)
      rows.count = first
      rows.reserve(count)
      for index in 0..<count { rows.append(items[index].row) }
      note(set, accessRows: count)
      try filterRows(set, state, outer, &rows, from: first, needed: Int.max)
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

  /// Appends the slice of a set in the order of the score, and of further terms among equal scores.
  func appendTiedBest(
    _ set: CompiledSet, _ state: SetState, _ order: CompiledOrder, _ outer: ScopeRows, _ slice: Slice,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let first = rows.count
    let ties = try appendBest(set.access, set, state, outer, needed: slice.end, withTies: true, into: &rows)
    if !ties.isEmpty { try resolve(ties, set, state, order, outer, rows.base) }
    keep(slice, of: &rows, from: first, isBackward: false)
  }
}
