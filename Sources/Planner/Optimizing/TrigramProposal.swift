import GQLCatalog
import GQLQuery
import GQLRegex

/// Trigram indexes over texts in which a conjunct looks for something. Each row must be tested all the same.
enum TrigramProposal: AccessProposal {
  static func candidates(
    _ type: EntityTypeID, _ conjuncts: [(position: Int, expression: BoundExpression)], _ optimizer: inout Optimizer
  ) -> [AccessCandidate] {
    let (catalog, costs) = (optimizer.catalog, optimizer.costs)
    var result: [AccessCandidate] = []
    for (position, expression) in conjuncts {
      guard let test = textCondition(expression), let column = writtenColumn(test.subject, type, optimizer),
        test.pattern.type == .string, let pattern = optimizer.accessKey(test.pattern)
      else { continue }
      for id in optimizer.indexes(of: type, over: CollectionOfOne(column)) where catalog[id].kind == .trigram {
        let path = AccessPath.trigramCandidates(id, column, test.condition, pattern)
        guard let rows = offeredRows(path, of: type, optimizer.estimator) else { continue }
        let segments = optimizer.estimator.rowCount(type) / 65_536
        result.append(
          AccessCandidate(
            path: path, covered: [], offered: [position], rows: RowEstimate(rows),
            cost: costs.start + costs.trigramLookup + segments * costs.trigramSegment
              + rows * costs.indexEntry,
            kind: .offered, index: Int(id.index), isAscending: true))
      }
    }
    // Index by index, as the others stand.
    return result.sorted { ($0.index, $0.offered.first ?? 0) < ($1.index, $1.offered.first ?? 0) }
  }

  /// About how many rows the index offers; nil if the pattern is known and has no trigram.
  private static func offeredRows(
    _ path: AccessPath, of type: EntityTypeID, _ estimator: CardinalityEstimator
  ) -> Double? {
    let all = estimator.rowCount(type)
    guard case .trigramCandidates(let id, let column, let condition, let pattern) = path else { return all }
    guard let known = estimator.value(of: pattern) else { return all * DefaultSelectivity.trigramCandidates }
    guard case .string(let text) = known else { return 0 }
    guard let query = TextRequirement(condition, text.bytes).trigrams else {
      return pattern.constant == nil ? all : nil
    }
    return estimator.statistics.trigramCount(id, column, query).map { min(all, Double($0)) }
      ?? all * DefaultSelectivity.trigramCandidates
  }

  private static func textCondition(
    _ expression: BoundExpression
  ) -> (condition: TextCondition, subject: BoundExpression, pattern: BoundExpression)? {
    switch expression.kind {
    case .isTrue(let inner): textCondition(inner)
    case .textTest(.contains, let subject, let text): (.contains, subject, text)
    case .textTest(.startsWith, let subject, let text): (.startsWith, subject, text)
    case .textTest(.endsWith, let subject, let text): (.endsWith, subject, text)
    case .like(let subject, let pattern, let ignoresCase): (ignoresCase ? .ilike : .like, subject, pattern)
    case .regex(let subject, let pattern): (.regex, subject, pattern)
    default: nil
    }
  }

  /// The column with the text as it was written, if the subject is that text or the same folded.
  private static func writtenColumn(
    _ subject: BoundExpression, _ type: EntityTypeID, _ optimizer: Optimizer
  ) -> ColumnID? {
    if case .fold(let inner) = subject.kind { return writtenColumn(inner, type, optimizer) }
    guard subject.type == .string, let column = optimizer.elementColumn(subject) else { return nil }
    return optimizer.catalog[type][column].foldedFrom ?? column
  }
}
