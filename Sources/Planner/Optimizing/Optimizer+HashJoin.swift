import GQLBase
import GQLCatalog
import GQLQuery

extension Optimizer {
  /// The way to a correlated set without an index: all rows of the type once into a table by the values that
  /// conjuncts ask to equal something around the set, then a probe for each execution. Nil where there is no such
  /// conjunct; what stands behind one that can fail is none. The first that can fail is one if only its side around the
  /// set can.
  func hashJoin(
    _ set: BoundSet, _ numbered: [(position: Int, expression: BoundExpression)]
  ) -> AccessCandidate? {
    let (build, keys, covered) = joinKeys(numbered, mayFail: true)
    guard !keys.isEmpty else { return nil }
    let all = max(1, estimator.rowCount(set.type))
    // Keys of joins tell rows apart better than a status does.
    let rows = all.squareRoot()
    return AccessCandidate(
      path: .hashJoin(build, keys), covered: covered, rows: RowEstimate(rows),
      cost: costs.start + costs.hashProbe + rows * costs.indexEntry,
      once: costs.start + all * (costs.hashBuild + costs.gatheredCell * Double(build.count)),
      kind: .hashJoin, isAscending: true)
  }

  /// The sides of equalities between the element and what is around the set, and where they stand.
  private func joinKeys(
    _ numbered: [(position: Int, expression: BoundExpression)], mayFail: Bool
  ) -> (build: [BoundExpression], keys: [BoundExpression], covered: [Int]) {
    var build: [BoundExpression] = []
    var keys: [BoundExpression] = []
    var covered: [Int] = []
    // What stands behind a condition that can fail is asked of those for which it is true.
    let first = numbered.firstIndex { query.canFail($0.expression) } ?? numbered.count
    let isKey = mayFail && first < numbered.count && query.failsAlike(numbered[first].expression)
    for (position, expression) in numbered[..<(isKey ? first + 1 : first)] {
      guard keys.count < 4, case .compare(.equal, let left, let right) = expression.kind, left.type == right.type,
        isHashable(left.type)
      else { continue }
      for (inner, outer) in [(left, right), (right, left)] {
        guard isOwn(inner), let key = accessKey(outer) ?? failingKey(outer), !query.freeScopes(of: key).isEmpty
        else { continue }
        build.append(inner)
        keys.append(key)
        covered.append(position)
        break
      }
    }
    return (build, keys, covered)
  }

  /// The same for a set whose source depends on nothing around it, `x in V.u.name`: its members into a table. Nil where
  /// a test of each member costs less.
  mutating func sharedJoin(
    _ set: BoundSet, _ conjuncts: [ConjunctEstimate], fetched: Double, collecting: Double, perExecution: Double,
    executions: Double
  ) -> SetPlan? {
    guard options.forcing != .scanOnly else { return nil }
    switch set.source {
    case .step(let base, _), .routes(let base, _, inLinkOrder: false):
      guard query.freeScopes(of: base).isEmpty else { return nil }
    case .union(let bases):
      guard bases.allSatisfy({ query.freeScopes(of: $0).isEmpty }) else { return nil }
    case .all, .key, .relation, .linked, .routes, .branches, .items, .closure, .shortestPath, .given, .deleted, .keys,
      .members, .each, .host:
      return nil
    }
    let (build, keys, covered) = joinKeys(conjuncts.map { ($0.position, $0.expression) }, mayFail: false)
    guard !keys.isEmpty else { return nil }
    let rows = max(1, fetched).squareRoot()
    let rest = conjuncts.filter { !covered.contains($0.position) }
    let share = CardinalityEstimator.conjunction(rest.map(\.selectivity))
    let filter = arrange(
      rest, type: set.type, rows: rows * executions, cell: costs.gatheredCell)
    let built = costs.hashBuild + costs.gatheredCell * Double(build.count)
    let once = collecting + fetched * built + filter.once
    let probe = costs.start + costs.hashProbe + rows * (costs.indexEntry + filter.perRow)
    let total = once + executions * probe
    switch options.forcing {
    case .cheapest, .scanOnly:
      guard Cost(total).isClearlyLess(than: Cost(executions * perExecution)) else { return nil }
    case .perturbed:
      let decision = -1_000_000 - Int(set.range.start)
      guard total * options.perturbation(decision, 0) < executions * perExecution * options.perturbation(decision, 1)
      else { return nil }
    case .alternative(let number): guard number % 2 == 1 else { return nil }
    }
    return SetPlan(
      access: .hashJoin(build, keys), filter: filter.expression, order: set.sortingMethod,
      estimate: PlanEstimate(accessRows: rows, rows: rows, filterShare: share, cost: total / executions))
  }

  /// Whether the expression reads the element and nothing else, without sets.
  private func isOwn(_ expression: BoundExpression) -> Bool {
    query.freeScopes(of: expression) == .element && !query.canFail(expression) && query.isPlain(expression)
  }

  /// Whether equal values have equal bytes, once brought into one form.
  private func isHashable(_ type: ValueType) -> Bool {
    switch type {
    case .embedded, .null: false
    case .scalar, .enumeration, .entity, .list: true
    }
  }
}
