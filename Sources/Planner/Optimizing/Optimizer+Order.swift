import GQLBase
import GQLCatalog
import GQLQuery

extension Optimizer {
  /// Returns walks of whole B-trees that deliver the set's order, or a part of it, without any condition.
  func orderedWalks(_ set: BoundSet) -> [AccessCandidate] {
    guard !set.order.isEmpty else { return [] }
    var result: [AccessCandidate] = []
    for id in catalog[set.type].indexes where catalog[id].kind == .btree && !estimator.statistics.isPending(id) {
      let path = AccessPath.range(id, IndexRange(includesNulls: true))
      guard walkOrder(path, set) != nil else { continue }
      let all = estimator.rowCount(set.type)
      result.append(
        AccessCandidate(
          path: path, covered: [], rows: RowEstimate(all, isExact: true),
          cost: CostModel.start + CostModel.btreeProbe + all * CostModel.indexEntry, kind: .orderedWalk,
          index: Int(id.index), isAscending: false))
    }
    return result
  }

  /// Returns how rows get into the set's order where the path is walked in order; nil where that does not help.
  func walkOrder(_ path: AccessPath, _ set: BoundSet) -> OrderMethod? {
    let (match, descending) = query.orderMatch(path, set, catalog: catalog)
    // What can fail must see every row.
    if match == .none || set.order.contains(where: { query.canFail($0.expression) }) { return nil }
    switch match {
    case .none: return nil
    case .satisfied: return .fromAccess(descending: descending)
    // Where all rows are wanted they are sorted as they come.
    case .prefix(let count):
      return set.sortingMethod == .topN ? .incremental(descending: descending, prefix: count) : nil
    }
  }

  /// Estimates the rows of a walk that agree with one of them in the first terms of the order.
  func tiedRows(_ path: AccessPath, _ set: BoundSet, prefix: Int) -> Double {
    // Few texts have the same score, but for the shortest.
    if case .fullText = path { return DefaultSelectivity.limit }
    var rows = estimator.rowCount(set.type)
    for term in set.order.prefix(prefix) {
      guard case .column(.scope(0, _), let column) = term.expression.kind else { continue }
      rows = min(rows, estimator.equalityRows(set.type, column))
    }
    return rows
  }
}
