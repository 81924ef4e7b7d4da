import GQLCatalog
import GQLQuery

/// Indexes over the elements of lists in which conjuncts look for values. Each row must be tested all the same, because
/// its list may have changed, and values may share a key.
enum ElementProposal: AccessProposal {
  /// The conjuncts that look for values in the lists of one column.
  private struct Search {
    let column: ColumnID
    var positions: [Int] = []
    var values: [BoundExpression] = []
  }

  static func candidates(
    _ type: EntityTypeID, _ conjuncts: [(position: Int, expression: BoundExpression)], _ optimizer: inout Optimizer
  ) -> [AccessCandidate] {
    var searches: [Search] = []
    for (position, expression) in conjuncts {
      guard let (list, value) = membership(expression), let column = optimizer.elementColumn(list),
        list.type == .list(value.type), let key = optimizer.accessKey(value), key.constant != .null
      else { continue }
      let place = searches.firstIndex { $0.column == column } ?? searches.endIndex
      if place == searches.endIndex { searches.append(Search(column: column)) }
      searches[place].positions.append(position)
      searches[place].values.append(key)
    }
    var result: [AccessCandidate] = []
    for search in searches {
      for id in optimizer.indexes(of: type, over: CollectionOfOne(search.column))
      where optimizer.catalog[id].kind == .elements {
        result.append(candidate(id, search, type, optimizer))
      }
    }
    return result
  }

  private static func candidate(
    _ id: IndexID, _ search: Search, _ type: EntityTypeID, _ optimizer: Optimizer
  ) -> AccessCandidate {
    let (costs, estimator) = (optimizer.costs, optimizer.estimator)
    let all = estimator.rowCount(type)
    let shares = search.values.map { value in
      guard let known = estimator.value(of: value), !known.isNull,
        let count = estimator.statistics.cardinality(id, KeyRange(equal: [known]))
      else { return DefaultSelectivity.equality }
      return all > 0 ? min(1, Double(count) / all) : 0
    }
    let rows = all * CardinalityEstimator.conjunction(shares)
    let segments = 1 + all / 65_536
    return AccessCandidate(
      path: .elementCandidates(id, search.column, search.values), covered: [], offered: search.positions,
      rows: RowEstimate(rows),
      cost: costs.start + segments * Double(search.values.count) * costs.btreeProbe + rows * costs.indexEntry,
      kind: .offered, index: Int(id.index), isAscending: true)
  }

  private static func membership(
    _ expression: BoundExpression
  ) -> (list: BoundExpression, value: BoundExpression)? {
    switch expression.kind {
    case .isTrue(let inner): membership(inner)
    case .listContains(let list, let value), .inList(let value, let list): (list, value)
    default: nil
    }
  }
}
