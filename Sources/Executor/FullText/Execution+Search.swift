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

  /// Appends rows by score, the best first, until `needed` pass the filter; all but the first `skip` if there is none.
  func appendBest(
    _ node: AccessNode, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, needed: Int,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard let search = try search(node, set, outer) else { return }
    let live = max(snapshot.liveCount(set.type), 1)
    let first = rows.count
    var capacity = min(needed, live, max(search.upperBound, 1))
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
      if rows.count - first >= needed || count < capacity || capacity >= live || capacity >= search.upperBound {
        return
      }
      capacity = capacity < live / 8 ? capacity * 8 : live
    }
  }
}
