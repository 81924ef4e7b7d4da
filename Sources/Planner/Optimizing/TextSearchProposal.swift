import GQLCatalog
import GQLQuery

/// Full-text indexes over texts in which a conjunct looks for words.
enum TextSearchProposal: AccessProposal {
  static func candidates(
    _ type: EntityTypeID, _ conjuncts: [(position: Int, expression: BoundExpression)], _ optimizer: inout Optimizer
  ) -> [AccessCandidate] {
    let (estimator, costs) = (optimizer.estimator, optimizer.costs)
    return conjuncts.compactMap { position, expression in
      guard case .matches(let texts, let words, let source) = expression.kind, let index = source.index,
        source.type == type, texts.allSatisfy({ optimizer.elementColumn($0) != nil }),
        let query = optimizer.accessKey(words)
      else { return nil }
      let known = estimator.matchCount(index, source.columns, query)
      let rows = RowEstimate(known ?? estimator.rowCount(type) * DefaultSelectivity.matches)
      return AccessCandidate(
        path: .textSearch(index, source.columns, query), covered: [position], rows: rows,
        cost: costs.start + costs.hashProbe * 4 + rows.rows * costs.collectedPosting, kind: .textSearch,
        index: Int(index.index), isAscending: true)
    }
  }
}
