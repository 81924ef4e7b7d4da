import GQLBase
import GQLCatalog
import GQLQuery

extension Optimizer {
  /// Indicates whether the entries of an index can be read in the order of its keys: a B-tree's, and those of ids where
  /// something delivers their order.
  func isOrdered(_ index: IndexDescriptor) -> Bool {
    if estimator.statistics.isPending(index.id) { return false }
    guard catalog.isOfIDs(index) else { return index.kind.facts.isOrdered }
    switch estimator.statistics.idOrder(index.type) {
    case .rows, .index: return true
    // Planned as if it were there, to know what it would save; but where a plan is forced.
    case .pending:
      return options.forcing == .cheapest && estimator.rowCount(index.type) >= costs.leastOrderedIDs
    case .none: return false
    }
  }

  /// Returns walks of whole ordered indexes that deliver the set's order, or a part of it, without any condition.
  func orderedWalks(_ set: BoundSet) -> [AccessCandidate] {
    guard !set.order.isEmpty else { return [] }
    var result: [AccessCandidate] = []
    for id in catalog[set.type].indexes where isOrdered(catalog[id]) {
      let path = AccessPath.range(id, IndexRange(includesNulls: true))
      guard walkOrder(path, set) != nil else { continue }
      let all = estimator.rowCount(set.type)
      result.append(
        AccessCandidate(
          path: path, covered: [], rows: RowEstimate(all, isExact: true),
          cost: costs.start + costs.btreeProbe + all * costs.indexEntry, kind: .orderedWalk,
          index: Int(id.index), isAscending: false))
    }
    return result
  }

  /// Returns how rows get into the set's order where the path is walked in order, and whether that is right only while
  /// ids ascend with insertion; nil where a walk does not help.
  func walkOrder(_ path: AccessPath, _ set: BoundSet) -> (method: OrderMethod, needsAscendingIDs: Bool)? {
    // What can fail must see every row.
    if set.order.contains(where: { query.canFail($0.expression) }) { return nil }
    var isScored = false
    if case .score? = set.order.first?.expression.kind { isScored = true }
    if path.fixedColumns(catalog) != nil, !isScored {
      // Lists of many elements are sorted together, and pages are found by comparing.
      let isCorrelated = path.keyExpressions.contains { !query.freeScopes(of: $0).isEmpty }
      if isCorrelated || set.paging?.hasCursor == true { return nil }
    }
    let (match, descending) = query.orderMatch(path, set, catalog: catalog, idsAscend: false)
    if match == .satisfied { return (.fromAccess(descending: descending), false) }
    if estimator.statistics.idOrder(set.type) == .rows {
      let (match, descending) = query.orderMatch(path, set, catalog: catalog, idsAscend: true)
      if match == .satisfied { return (.fromAccess(descending: descending), true) }
    }
    // Where all rows are wanted they are sorted as they come.
    guard case .prefix(let count) = match, set.sortingMethod == .topN else { return nil }
    return (.incremental(descending: descending, prefix: count), false)
  }

  /// Returns whether a path gives rows in order of insertion, and a condition that is left is a range of ids, which
  /// ascend with it: those before the range come first, however many it leaves.
  func passesOver(_ candidate: AccessCandidate, _ found: [AccessCandidate]) -> Bool {
    guard candidate.path.fixedColumns(catalog) != nil || estimator.isByRow(candidate.path) else { return false }
    return found.contains { other in
      estimator.isByRow(other.path) && other.covered.contains { !candidate.covered.contains($0) }
    }
  }

  /// Returns whether a walk of a whole index looks at rows that a range of the same index leaves out: then the range is
  /// walked instead.
  func isNarrowed(_ candidate: AccessCandidate, _ found: [AccessCandidate]) -> Bool {
    guard candidate.kind == .orderedWalk, let index = candidate.path.index else { return false }
    return found.contains { other in
      guard case .range(index, let range) = other.path else { return false }
      return range.isBounded
    }
  }
}
