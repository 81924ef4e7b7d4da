import GQLBase
import GQLCatalog
import GQLQuery

extension Optimizer {
  // MARK: Collections

  /// Plans a set over all entities of its type.
  mutating func planCollection(_ id: SetID, executions: Double, usage: SetUsage) -> SetPlan {
    let set = query[id]
    if !options.disabledRules.contains(.detectEmpty), let truth = set.predicate?.constant, truth != .boolean(true) {
      return SetPlan(access: .empty, filter: nil, order: .natural)
    }
    let expressions = set.predicate?.conjuncts ?? []
    if !options.disabledRules.contains(.detectEmpty), query.isContradiction(expressions) {
      return SetPlan(access: .empty, filter: nil, order: .natural)
    }
    let numbered = expressions.enumerated().map { (position: $0.offset, expression: $0.element) }
    isHinted = set.hint != nil
    let (watchedBefore, rowSetsBefore) = (watched.estimates.count, rowSets.count)
    var found = options.forcing == .scanOnly ? [] : accesses(set, numbered, executions: executions)
    // Planning the members of row sets in between has changed it.
    isHinted = set.hint != nil
    let all = estimator.rowCount(set.type)
    if !isCertain(found) {
      if options.forcing != .scanOnly {
        found += orderedWalks(set)
        found += skips(set, found, usage: usage)
        if let join = hashJoin(set, numbered) { found.append(join) }
      }
      found.append(
        AccessCandidate(
          path: .scan, covered: [], rows: RowEstimate(all, isExact: true),
          cost: costs.start + all * costs.scanRow, kind: .scan, isAscending: true))
    }
    // How many members a row set has decides whether it is worth its price.
    let mayTry =
      (found.count > 1 || id.index >= ownSetCount) && options.forcing != .scanOnly
      && !isQuick(found, executions: executions)
    let sampled = mayTry ? sample(numbered, set, isRowSet: id.index >= ownSetCount) : nil
    let conjuncts = estimates(numbered, type: set.type, found, sampled.map { ($0.sample, $0.positions) })
    let sample = sampled.map { ConjunctSample($0.sample, sampled: $0.positions, column: $0.column, conjuncts) }
    let pageShare = pageShare(numbered, type: set.type)
    found = worthwhile(found, set.hint, executions: executions)
    var alternatives: [Alternative] = []
    for candidate in found {
      // Each holds the conditions that are left.
      options.interruption?.take(conjuncts.count * MemoryLayout<BoundExpression>.stride)
      if !alternatives.isEmpty, isDue(at: set.range) { break }
      alternatives += self.alternatives(
        candidate, set, conjuncts, sample, pageShare: pageShare, all: all, executions: executions, usage: usage, found)
    }
    if found.count > 1, let limit = set.limit { watched.add(limit: limit) }
    let plan = choose(among: alternatives, for: id)
    // Other sets may use the row sets that were planned meanwhile.
    if usage != .rows, plan.countsByIndex, rowSets.count == rowSetsBefore { watched.forget(from: watchedBefore) }
    return plan
  }

  /// Tests the cheap conjuncts on a sample of the rows.
  private mutating func sample(
    _ numbered: [(position: Int, expression: BoundExpression)], _ set: BoundSet, isRowSet: Bool
  ) -> (sample: RowSample, positions: [Int], column: ColumnID?)? {
    let (estimator, dearest) = (self.estimator, costs.dearestSampled)
    return estimator.sample(numbered, set, in: query, isRowSet: isRowSet) {
      cost(of: $0, rows: 1, cell: costs.nearCell) <= dearest
    }
  }

  /// Returns whether one of the accesses finds the members in less time than a sample of the rows takes.
  private func isQuick(_ found: [AccessCandidate], executions: Double) -> Bool {
    found.contains {
      ($0.kind == .lookup || $0.kind == .range) && $0.rows.isExact
        && executions * ($0.cost + $0.rows.rows * costs.gatheredCell * 10) < Self.quick
    }
  }

  /// A microsecond, in units of ``Cost``.
  private static let quick = 2_500.0

  /// So many accesses to one set are thought through to the end.
  private static let mostAlternatives = 24

  /// The accesses that are cheapest by themselves, in their order: thinking one through takes as long as there are
  /// conditions, of which each may give one.
  private func worthwhile(
    _ found: [AccessCandidate], _ hint: AccessHint?, executions: Double
  ) -> [AccessCandidate] {
    guard found.count > Self.mostAlternatives else { return found }
    func rank(_ candidate: AccessCandidate) -> Double {
      switch candidate.kind {
      case .scan, .orderedWalk, .skip, .hashJoin, .empty: return -1
      default: break
      }
      if let hint, catalog.meets(hint, candidate.path) { return 0 }
      return candidate.cost + candidate.once / executions + candidate.rows.rows * costs.gatheredCell
    }
    let ranks = found.map(rank)
    let best = found.indices.sorted { ranks[$0] != ranks[$1] ? ranks[$0] < ranks[$1] : $0 < $1 }
    return best.prefix(Self.mostAlternatives).sorted().map { found[$0] }
  }

  private mutating func accesses(
    _ set: BoundSet, _ numbered: [(position: Int, expression: BoundExpression)], executions: Double
  ) -> [AccessCandidate] {
    var movable = numbered.firstIndex { query.canFail($0.expression) } ?? numbered.count
    // A pattern may fail on the rows that it looks at, not on those that do not begin as it does, or that lack what
    // it requires.
    // A key or a bound that fails does so for every row.
    if movable < numbered.count,
      query.failsOnlyInPatterns(numbered[movable].expression) || query.failsAlike(numbered[movable].expression)
    {
      movable += 1
    }
    return candidates(set.type, Array(numbered[..<movable]), executions: executions)
  }

  /// Returns the share of the type's pages that a scan cannot pass over by their bounds.
  private func pageShare(
    _ numbered: [(position: Int, expression: BoundExpression)], type: EntityTypeID
  ) -> Double {
    var least = 1.0
    for (position, expression) in numbered {
      if query.canFail(expression) { break }
      guard let condition = indexCondition(expression, at: position, type: type) else { continue }
      let range: IndexRange
      switch condition.test {
      case .equal(let key, _): range = IndexRange(equal: [key])
      case .within(let lower, let upper): range = IndexRange(lower: lower, upper: upper)
      case .oneOf, .prefix, .isNull: continue
      }
      guard let known = estimator.keyRange(range),
        let share = estimator.statistics.pageShare(type, condition.column, known)
      else { continue }
      least = min(least, share)
    }
    return least
  }

  /// How selective each conjunct is: counted by an index where one of the candidates did so, or sampled.
  private func estimates(
    _ numbered: [(position: Int, expression: BoundExpression)], type: EntityTypeID, _ found: [AccessCandidate],
    _ sampled: (sample: RowSample, positions: [Int])? = nil
  ) -> [ConjunctEstimate] {
    let all = max(1, estimator.rowCount(type))
    let mayTrySampler = found.count > 1
    var counts: [Int: AccessCandidate] = [:]
    for candidate in found
    where candidate.covered.count == 1 && (candidate.rows.isExact || candidate.kind == .textSearch) {
      if counts[candidate.covered[0]] == nil { counts[candidate.covered[0]] = candidate }
    }
    var shares: [Int: Double] = [:]
    if let sampled {
      for (number, position) in sampled.positions.enumerated() {
        shares[position] = sampled.sample.share(ofCondition: number)
      }
    }
    return numbered.map { position, expression in
      var counted = counts[position]
      if case .quantifier = expression.kind {
        counted = found.first { $0.kind == .rowSet && $0.covered == [position] }
      }
      let share =
        counted.map { min(1, $0.rows.rows / all) } ?? shares[position]
        ?? estimator.selectivity(expression, type: type, in: query, mayTrySampler: mayTrySampler)
      return ConjunctEstimate(position: position, expression: expression, selectivity: share)
    }
  }

  // MARK: Links and keys

  /// Plans a set whose rows come by key, by relation, by step or from other sets: a filter and an order, no access to
  /// choose.
  mutating func planLinked(_ id: SetID, executions: Double, usage: SetUsage) -> SetPlan {
    let set = query[id]
    var plan = baseline(id)
    let (fetched, collecting) = planSource(of: set, executions: executions)
    let numbered = (set.predicate?.conjuncts ?? []).enumerated().map { (position: $0.offset, expression: $0.element) }
    let conjuncts = estimates(numbered, type: set.type, [])
    let share = CardinalityEstimator.conjunction(conjuncts.map(\.selectivity))
    let needed = usage == .existence ? 1 : count(set.offset, orElse: 0) + count(set.limit, orElse: .infinity)
    let visited = set.order.isEmpty ? min(fetched, needed / max(share, 1e-9)) : fetched
    let filter = arrange(
      conjuncts, type: set.type, rows: visited * executions,
      // Links mostly stand by their rows.
      cell: costs.gatheredCell(of: visited * executions, among: estimator.rowCount(set.type)) * costs.ascendingShare,
      // Given rows may be deleted ones, which no index knows.
      mayUseMembership: plan.access == .source && query.isIndexed(id))
    plan.filter = filter.expression
    var perExecution = collecting + visited * (costs.edge + filter.perRow)
    let matched = fetched * share
    if plan.order != .natural {
      perExecution += matched * (costs.gatheredCell + logarithm(matched) * costs.keySortStep)
    }
    if let join = sharedJoin(
      set, conjuncts, fetched: fetched, collecting: collecting, perExecution: perExecution + filter.once / executions,
      executions: executions)
    {
      checkHintOfLinked(set)
      return join
    }
    plan.estimate = PlanEstimate(
      accessRows: fetched, rows: min(matched, count(set.limit, orElse: .infinity)), filterShare: share,
      cost: perExecution + filter.once / executions)
    checkHintOfLinked(set)
    return plan
  }

  /// Plans the sets that a set's rows come from; gives how many rows come, and what finding them costs.
  private mutating func planSource(of set: BoundSet, executions: Double) -> (fetched: Double, collecting: Double) {
    var fetched = 1.0
    var collecting = costs.setPerParent
    switch set.source {
    case .all: break
    case .given: fetched = options.givenRows
    case .deleted(let includesLive):
      fetched = Double(max(0, estimator.statistics.deletedCount(set.type)))
      if includesLive { fetched += estimator.rowCount(set.type) }
      collecting += fetched * costs.indexEntry
    case .key(_, let keys):
      for key in keys { _ = cost(of: key, rows: executions, cell: costs.gatheredCell) }
      collecting += costs.hashProbe
    case .relation(let base, let relation):
      let fanOut = estimator.statistics.fanOut(relation)
      fetched = fanOut.mean + sleeping(set, relation)
      collecting += Double(base.path.count) * costs.gatheredCell + costs.edgeRun
    case .items: fetched = DefaultSelectivity.limit
    case .branches(let branches):
      fetched = branches.reduce(0) {
        $0 + estimator.statistics.fanOut($1.relation).mean + sleeping(set, $1.relation)
      }
      collecting += Double(branches.count) * costs.edgeRun
    // In functions of their own, because sets stand within each other, and each takes its share of the stack.
    case .keys, .members, .each, .host: return planCombined(set, executions: executions)
    case .step, .linked, .routes, .union: return planReached(set, executions: executions)
    case .closure, .shortestPath: return planWalk(set, executions: executions)
    }
    return (fetched, collecting)
  }

  /// Plans the sets that are reached from others, or made of them.
  private mutating func planReached(_ set: BoundSet, executions: Double) -> (fetched: Double, collecting: Double) {
    var fetched = 1.0
    var collecting = costs.setPerParent
    switch set.source {
    case .step(let base, let relation), .linked(let base, let relation):
      planSet(base, executions: executions, usage: .rows)
      let estimate = plans[base.index]?.estimate ?? PlanEstimate()
      let mean = estimator.statistics.fanOut(relation).mean + sleeping(set, relation)
      fetched = min(estimate.rows * mean, estimator.rowCount(set.type))
      collecting += estimate.cost + estimate.rows * costs.edgeRun
    case .routes(let base, let routes, _):
      planSet(base, executions: executions, usage: .rows)
      let estimate = plans[base.index]?.estimate ?? PlanEstimate()
      fetched = 0
      for route in routes {
        var reached = estimate.rows
        for relation in route {
          collecting += reached * costs.edgeRun
          reached *= estimator.statistics.fanOut(relation).mean + sleeping(set, relation)
        }
        fetched += reached
      }
      fetched = min(fetched, estimator.rowCount(set.type))
      collecting += estimate.cost + fetched * costs.rowSortStep
    case .union(let sets):
      fetched = 0
      for base in sets {
        planSet(base, executions: executions, usage: .rows)
        let estimate = plans[base.index]?.estimate ?? PlanEstimate()
        fetched = min(fetched + estimate.rows, estimator.rowCount(set.type))
        collecting += estimate.cost + estimate.rows * costs.rowSortStep
      }
    default: break
    }
    return (fetched, collecting)
  }

  /// Plans the sets of walks.
  private mutating func planWalk(_ set: BoundSet, executions: Double) -> (fetched: Double, collecting: Double) {
    var fetched = 1.0
    var collecting = costs.setPerParent
    switch set.source {
    case .closure(let closure):
      let starts = planEnd(closure.start, executions: executions)
      fetched = reach(of: closure.step, from: starts.rows, depth: closure.upper)
      planSet(closure.step, executions: executions * max(1, fetched), usage: .rows)
      collecting += starts.cost + fetched * (plans[closure.step.index]?.estimate.cost ?? costs.setPerParent)
    case .shortestPath(let path):
      let starts = planEnd(path.start, executions: executions)
      let targets = planEnd(path.target, executions: executions)
      let visited = reach(of: path.step, from: starts.rows, depth: path.maximumDepth)
      planSet(path.step, executions: executions * max(1, visited), usage: .rows)
      fetched = DefaultSelectivity.pathLength
      collecting += starts.cost + targets.cost
      collecting += visited * (plans[path.step.index]?.estimate.cost ?? costs.setPerParent)
    default: break
    }
    return (fetched, collecting)
  }

  /// Plans the sets of a list of keys, and of sets over others.
  private mutating func planCombined(_ set: BoundSet, executions: Double) -> (fetched: Double, collecting: Double) {
    var fetched = DefaultSelectivity.listCount
    var collecting = costs.setPerParent
    switch set.source {
    case .keys(_, let list):
      _ = cost(of: list, rows: executions, cell: costs.gatheredCell)
      if case .list(let keys)? = estimator.value(of: list) { fetched = Double(keys.count) }
      collecting += fetched * costs.hashProbe
    case .members(let rule, let sets):
      fetched = .infinity
      for base in sets {
        planSet(base, executions: executions, usage: .rows)
        let estimate = plans[base.index]?.estimate ?? PlanEstimate()
        fetched = min(fetched, estimate.rows)
        collecting += estimate.cost / (query.freeScopes(of: base).isEmpty ? executions : 1)
        collecting += estimate.rows * costs.edge
      }
      if case .sorted = rule {
        collecting += fetched * (costs.hostTest + logarithm(fetched) * costs.keySortStep)
      }
      if rule == .last { fetched = min(fetched, 1) }
    case .each(let base, let list):
      planSet(base, executions: executions, usage: .rows)
      let each = plans[base.index]?.estimate ?? PlanEstimate()
      planSet(list, executions: executions * max(1, each.rows), usage: .rows)
      let estimate = plans[list.index]?.estimate ?? PlanEstimate()
      fetched = each.rows * estimate.rows
      collecting += each.cost + each.rows * estimate.cost
    default: collecting += fetched * costs.hashProbe
    }
    return (fetched, collecting)
  }

  /// How many links to deleted entities a set follows from each: a deleted one had as many as the living have.
  private func sleeping(_ set: BoundSet, _ relation: RelationID) -> Double {
    if set.linkStatus == .live { return 0 }
    let relation = catalog[relation]
    let deleted = Double(max(0, estimator.statistics.deletedCount(relation.target)))
    return deleted * estimator.statistics.fanOut(relation.inverse).mean / max(1, estimator.rowCount(relation.source))
  }

  /// Plans where a walk starts or ends.
  private mutating func planEnd(_ end: TraversalEnd, executions: Double) -> (rows: Double, cost: Double) {
    guard case .set(let set) = end else { return (1, costs.gatheredCell) }
    planSet(set, executions: executions, usage: .rows)
    let estimate = plans[set.index]?.estimate ?? PlanEstimate()
    return (estimate.rows, estimate.cost)
  }

  /// How many entities repeating a step may reach.
  func reach(of step: SetID, from starts: Double, depth: BoundExpression?) -> Double {
    let all = estimator.rowCount(query[step].type)
    let mean: Double
    switch query[step].source {
    case .relation(_, let relation): mean = estimator.statistics.fanOut(relation).mean
    case .branches(let branches):
      // An entity is of one of the types.
      let links = branches.reduce(0.0) { total, branch in
        let source = catalog[branch.relation].source
        return total + estimator.statistics.fanOut(branch.relation).mean * estimator.rowCount(source)
      }
      mean = links / max(1, all)
    default: return starts
    }
    let depth = min(count(depth, orElse: DefaultSelectivity.walkDepth), DefaultSelectivity.walkDepth)
    var level = starts
    var total = 0.0
    var done = 0.0
    while done < depth, level > 1e-3, total < all {
      level = min(level * mean, all)
      total += level
      done += 1
    }
    return min(total, all)
  }
}

extension CostModel {
  /// Returns the price of telling the number of rows that a path finds among `all` of the type without fetching them;
  /// nil where that is not possible.
  func ofCount(_ path: AccessPath, among all: Double) -> Double? {
    switch path {
    case .range(_, let range):
      // The ranks of both ends; that of an open one is known.
      start
        + logarithm(all) * btreeStep * (range.equal.isEmpty && (range.lower == nil) != (range.upper == nil) ? 1 : 2)
    case .lookup: start + hashProbe
    case .scan, .empty: start
    case .hashJoin: hashProbe
    // The bits of the set are counted.
    case .rowSet: start + all / 64 * bitmapWord
    default: nil
    }
  }
}
