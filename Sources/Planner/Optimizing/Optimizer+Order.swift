import GQLBase
import GQLCatalog
import GQLQuery

extension Optimizer {
  /// Walks of whole B-trees that give the set's order, without any condition.
  func orderedWalks(_ set: BoundSet) -> [AccessCandidate] {
    guard !set.order.isEmpty else { return [] }
    var result: [AccessCandidate] = []
    for id in catalog[set.type].indexes where catalog[id].kind == .btree && !estimator.statistics.isPending(id) {
      let path = AccessPath.range(id, IndexRange(includesNulls: true))
      guard servedDirection(path, set) != nil else { continue }
      let all = estimator.rowCount(set.type)
      result.append(
        AccessCandidate(
          path: path, covered: [], rows: RowEstimate(all, isExact: true),
          cost: CostModel.start + CostModel.btreeProbe + all * CostModel.indexEntry, kind: .orderedWalk,
          index: Int(id.index), isAscending: false))
    }
    return result
  }

  /// Whether walking the path's B-tree gives the rows in the set's list order, and then whether backwards; nil if not.
  ///
  /// The terms must be the index's components behind the equal ones, all of them, because entries with equal terms
  /// must come by row: ascending throughout, or one single descending component. In both directions nulls come last.
  func servedDirection(_ path: AccessPath, _ set: BoundSet) -> Bool? {
    query.servesOrder(path, set, catalog: catalog)
  }
}

extension BoundQuery {
  /// See ``Optimizer/servedDirection(_:_:)``.
  func servesOrder(_ path: AccessPath, _ set: BoundSet, catalog: Catalog) -> Bool? {
    if case .fullText(_, let columns, let words) = path { return servesScore(columns, words, set) }
    guard case .range(let id, let range) = path, !range.onlyNulls, !set.order.isEmpty else { return nil }
    let index = catalog[id]
    let type = catalog[set.type]
    let fixed = index.columns.prefix(range.equal.count)
    var terms: [(column: ColumnID, term: BoundOrderTerm)] = []
    for term in set.order {
      if term.expression.isConstantOrParameter { continue }
      guard case .column(.scope(0, _), let column) = term.expression.kind else { return nil }
      if fixed.contains(column) || terms.contains(where: { $0.column == column }) { continue }
      terms.append((column, term))
      // Nothing can be equal in a unique column and differ in what follows.
      if type[column].isNonNull,
        type.indexes.contains(where: { catalog[$0].isUnique && catalog[$0].columns == [column] })
      {
        break
      }
    }
    let remaining = index.columns.dropFirst(range.equal.count)
    guard terms.count == remaining.count else { return nil }
    // Under a null key the walk is that of the rows with a null, whose order is another.
    if !remaining.isEmpty, let last = fixed.last, !type[last].isNonNull, let key = range.equal.last,
      mayBeNull(key, catalog: catalog)
    {
      return nil
    }
    let isDescending = terms.first?.term.isDescending ?? false
    if isDescending && terms.count > 1 { return nil }
    for (position, (column, pair)) in zip(remaining, terms).enumerated() {
      guard pair.column == column, pair.term.isDescending == isDescending else { return nil }
      let isBounded = position == 0 && (range.lower != nil || range.upper != nil || range.prefix != nil)
      if pair.term.nullsFirst, !type[column].isNonNull, !isBounded { return nil }
    }
    return isDescending
  }

  /// The best first, if the score of just this search is the order.
  private func servesScore(_ columns: [ColumnID], _ words: BoundExpression, _ set: BoundSet) -> Bool? {
    guard let term = set.order.first, set.order.count == 1, term.isDescending,
      case .score(let matches) = term.expression.kind, matches.count == 1,
      case .matches(let texts, let query, let source)? = matches.first?.kind, source.columns == columns,
      texts.allSatisfy({ if case .column(.scope(0, _), _) = $0.kind { true } else { false } }),
      query.mapReferences({ $0.shifted(by: -1) }) == words
    else { return nil }
    return true
  }
}
