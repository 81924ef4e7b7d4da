import GQLBase
import GQLCatalog
import GQLQuery

extension Optimizer {
  /// The way to a correlated set without an index: all rows of the type once into a table by the values that
  /// conjuncts ask to equal something around the set, then a probe for each execution. Nil where there is no such
  /// conjunct; what stands behind one that can fail is none.
  func hashJoin(
    _ set: BoundSet, _ numbered: [(position: Int, expression: BoundExpression)]
  ) -> AccessCandidate? {
    var build: [BoundExpression] = []
    var keys: [BoundExpression] = []
    var covered: [Int] = []
    for (position, expression) in numbered {
      if query.canFail(expression) { break }
      guard keys.count < 4, case .compare(.equal, let left, let right) = expression.kind, left.type == right.type,
        isHashable(left.type)
      else { continue }
      for (inner, outer) in [(left, right), (right, left)] {
        guard isOwn(inner), let key = accessKey(outer), !query.freeScopes(of: key).isEmpty else { continue }
        build.append(inner)
        keys.append(key)
        covered.append(position)
        break
      }
    }
    guard !keys.isEmpty else { return nil }
    let all = max(1, estimator.rowCount(set.type))
    // Keys of joins tell rows apart better than a status does.
    let rows = all.squareRoot()
    return AccessCandidate(
      path: .hashJoin(build, keys), covered: covered, rows: RowEstimate(rows),
      cost: CostModel.start + CostModel.hashProbe + rows * CostModel.indexEntry,
      once: CostModel.start + all * (CostModel.hashBuild + CostModel.gatheredCell * Double(build.count)),
      kind: .hashJoin, isAscending: true)
  }

  /// Whether the expression reads the element and nothing else, without sets.
  private func isOwn(_ expression: BoundExpression) -> Bool {
    guard query.freeScopes(of: expression) == .element, !query.canFail(expression) else { return false }
    var isPlain = true
    expression.forEachNode { if $0.setCall != nil || $0.innerBody != nil { isPlain = false } }
    return isPlain
  }

  /// Whether equal values have equal bytes, once brought into one form.
  private func isHashable(_ type: ValueType) -> Bool {
    switch type {
    case .scalar(.json), .list, .embedded, .null: false
    case .scalar, .enumeration, .entity: true
    }
  }
}
