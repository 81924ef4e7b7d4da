import GQLBase
import GQLCatalog
import GQLQuery

/// A candidate with the figures that all ways to go on from it share.
private struct PricedCandidate {
  let candidate: AccessCandidate
  let set: BoundSet
  /// The conjuncts that are still to be tested.
  let residual: [ConjunctEstimate]
  /// Rows of the type.
  let all: Double
  let executions: Double
  let usage: SetUsage
  /// Rows that the access path finds, and those of them that the conditions keep.
  let rows: Double
  let matched: Double
  let offset: Double
  let limit: Double
  /// Units of a cell of a row that the path finds.
  let cell: Double
  /// The sample on which the conjuncts were tested together.
  let sample: ConjunctSample?
  /// The share of the type's pages that a scan looks into.
  let pageShare: Double
  let costs: CostModel

  var needed: Double { offset + limit }
  var isScan: Bool { candidate.kind == .scan }
  /// The share of the rows found that is kept.
  var share: Double { rows > 0 ? max(matched / rows, 1e-9) : 1 }

  func alternative(
    _ order: OrderMethod, _ filter: ArrangedFilter, visiting visited: Double, _ perExecution: Double, left: Double,
    needsAscendingIDs: Bool = false, earlyRow: Double? = nil, isLate: Bool = false
  ) -> Alternative {
    let total = executions * perExecution + candidate.once + filter.once
    return Alternative(
      candidate: candidate, filter: filter.expression, order: order, needsAscendingIDs: needsAscendingIDs,
      estimate: PlanEstimate(accessRows: visited, rows: left, filterShare: share, cost: total / executions),
      total: Cost(total), costOfEarlyRow: earlyRow, retreatShare: isLate ? 0.25 : 1)
  }

  /// Estimates the rows that are looked at until so many are found that the conditions keep, in the order in which the
  /// access path delivers them.
  ///
  /// A plan is kept for other values of its parameters. Where its own values come late, others may come early, so that
  /// it is priced as if they were spread evenly, and gives up sooner: `isLate`. But not where it is the conjunct at
  /// `watched` that lets them come late, because the plan is made again for other values of that.
  func passed(
    untilRows needed: Double, isDescending: Bool = false, isByRow: Bool, watched: Int? = nil,
    _ estimator: CardinalityEstimator
  ) -> (rows: Double, isLate: Bool) {
    if residual.isEmpty { return (min(rows, needed), false) }
    let even = min(rows, needed / share)
    guard let sample, even < rows, matched > 0,
      let places = sample.places(along: candidate, isByRow: isByRow, isDescending: isDescending, estimator)
    else { return (even, false) }
    let placed = rows * ConjunctSample.passed(places, untilShare: needed / matched)
    var isLate = placed > even * 4 && residual.contains { $0.expression.usesParameters }
    if isLate, let watched, let begin = sample.begin(of: watched), begin * rows > placed / 2 { isLate = false }
    return (isLate ? even : placed, isLate)
  }

  /// The members that offset and limit leave.
  var left: Double { min(max(0, matched - offset), usage == .existence ? .infinity : limit) }

  /// Units for finding rows of which so many are visited.
  func collecting(_ visited: Double, needsRowOrder: Bool, _ estimator: CardinalityEstimator) -> Double {
    if isScan { return costs.start }
    // Postings are read no further than they are needed.
    if case .textSearch = candidate.path, rows > 0 {
      return candidate.cost * max(visited / rows, 1e-3) + costs.hashProbe * 4
    }
    // A range of the table is read as far as rows are needed.
    if residual.isEmpty, estimator.isByRow(candidate.path) {
      return costs.start + costs.btreeProbe + visited * costs.indexEntry
    }
    return candidate.cost + (needsRowOrder ? costs.ascending(candidate, all) : 0)
  }

  /// Units for testing rows of which so many are visited. A scan does not look into pages whose bounds exclude all of
  /// their rows, but into all of the first one, where few rows are enough.
  func testing(_ filter: ArrangedFilter, _ visited: Double, stopsEarly: Bool = true) -> Double {
    let needed = stopsEarly ? needed : .infinity
    guard isScan else {
      return visited * filter.perRow + costs.batches(visited, needed: needed, conditions: filter.conditions)
    }
    let even = min(visited, needed / share)
    var tested = max(even * pageShare, visited - (1 - pageShare) * rows)
    if needed < CostModel.rowsOfPage { tested = max(tested, min(visited, CostModel.rowsOfPage)) }
    tested = min(visited, tested)
    return tested * (costs.scanRow + filter.perRow)
      + costs.batches(tested, needed: needed, conditions: filter.conditions)
      + (pageShare < 1 ? visited / CostModel.rowsOfPage * costs.pageBounds : 0)
  }
}

extension BoundExpression {
  /// Indicates whether a scan counts the rows for which it is true without writing them down: a number of the element is
  /// compared.
  fileprivate var isCounted: Bool {
    guard case .compare(_, let left, let right) = kind, left.type.isFixedWidth else { return false }
    return left.elementColumn != nil && right.isConstantOrParameter
  }

  /// Indicates whether its value depends on a parameter.
  fileprivate var usesParameters: Bool {
    var found = false
    forEachNode { node in if case .parameter = node.kind { found = true } }
    return found
  }
}

/// Prices what follows an access: tests, and the way to the set's order.
extension Optimizer {
  /// Returns the ways to a set's members that begin with a candidate, priced.
  mutating func alternatives(
    _ candidate: AccessCandidate, _ set: BoundSet, _ conjuncts: [ConjunctEstimate], _ sample: ConjunctSample?,
    pageShare: Double, all: Double, executions: Double, usage: SetUsage, _ found: [AccessCandidate]
  ) -> [Alternative] {
    var rows = candidate.rows.rows
    let covered = Set(candidate.covered)
    // What is left is the same for every candidate; the sharpest of the counts is nearest to the truth.
    var matched =
      all
      * (sample?.share(of: conjuncts.map(\.position))
        ?? CardinalityEstimator.conjunction(conjuncts.map(\.selectivity)))
    for other in found where other.kind != .scan && other.kind != .orderedWalk && other.kind != .skip {
      matched = min(matched, other.rows.rows)
    }
    if candidate.kind == .intersection, let sample, covered.count > 1 {
      rows = min(rows, max(matched, all * sample.share(of: candidate.covered)))
    }
    let limit = usage == .existence ? 1 : count(set.limit, orElse: .infinity)
    // Rows that ascend are gathered with the cache, others against it.
    let scattered = costs.gatheredCell(of: rows, among: all) * costs.scatteredShare
    var cell = costs.sequentialCell
    if candidate.kind != .scan {
      let isAscending = candidate.isAscending || set.order.isEmpty && limit < .infinity
      cell = isAscending ? costs.nearCell * costs.ascendingShare : scattered
    }
    let priced = PricedCandidate(
      candidate: candidate, set: set, residual: conjuncts.filter { !covered.contains($0.position) }, all: all,
      executions: executions, usage: usage, rows: rows, matched: min(matched, rows),
      offset: count(set.offset, orElse: 0), limit: limit, cell: cell, sample: sample,
      pageShare: pageShare, costs: costs)
    if set.order.isEmpty { return candidate.kind == .orderedWalk ? [] : [unordered(priced, found)] }
    let walk = walked(priced, found).map { [$0] } ?? []
    return candidate.kind == .orderedWalk ? walk : walk + [sorted(priced)]
  }

  /// Returns the way to members that may stand in any order, or in canonical order.
  private mutating func unordered(_ priced: PricedCandidate, _ found: [AccessCandidate]) -> Alternative {
    let set = priced.set
    let stopsEarly = set.distinctOn.isEmpty && !passesOver(priced.candidate, found)
    let followed = priced.isScan && priced.needed < .infinity ? follows(priced.residual, found) : nil
    if let followed { watched.add(restOf: followed.path, set.type) }
    let passed = priced.passed(
      untilRows: priced.needed, isByRow: estimator.isByRow(priced.candidate.path), watched: followed?.covered.first,
      estimator)
    let visited = stopsEarly ? passed.rows : priced.rows
    var filter = arrange(priced.residual, type: set.type, rows: visited * priced.executions, cell: priced.cell)
    if priced.isScan, priced.usage == .count, priced.residual.count == 1, priced.residual[0].expression.isCounted {
      filter.perRow = min(filter.perRow, costs.countedCell)
    }
    var perExecution = priced.collecting(visited, needsRowOrder: priced.usage == .rows, estimator)
    perExecution += priced.testing(filter, visited)
    if !set.distinctOn.isEmpty {
      perExecution += priced.matched * Double(set.distinctOn.count) * priced.cell
      perExecution += priced.matched * logarithm(priced.matched) * costs.keySortStep
    }
    if priced.usage == .count, set.distinctOn.isEmpty, priced.residual.isEmpty,
      let counted = costs.ofCount(priced.candidate.path, among: priced.all)
    {
      perExecution = counted
    }
    let isEarly = priced.isScan && !priced.residual.isEmpty && visited < priced.rows
    var alternative = priced.alternative(
      .natural, filter, visiting: visited, perExecution, left: priced.left,
      earlyRow: isEarly ? priced.testing(filter, priced.rows) / max(priced.rows, 1) : nil, isLate: passed.isLate)
    // The rows that are wanted come after those of pages that hold none of them.
    let excluded = (1 - priced.pageShare) * priced.rows
    if isEarly, visited > excluded / 2 { alternative.passedOver = min(visited, excluded) }
    return alternative
  }

  /// Returns the range of an index whose parameter says how late a scan comes to the rows that a conjunct keeps: all
  /// before or after a value of a column that ascends with insertion.
  private func follows(_ residual: [ConjunctEstimate], _ found: [AccessCandidate]) -> AccessCandidate? {
    found.first { candidate in
      guard case .range(let id, let range) = candidate.path, range.equal.isEmpty, watched.contains(candidate.path),
        (range.lower == nil) != (range.upper == nil), estimator.ascends(catalog[id], after: 0)
      else { return false }
      return candidate.covered.count == 1 && residual.contains { $0.position == candidate.covered[0] }
    }
  }

  /// Returns the way by a walk in the order that is wanted, or in that of its first terms; nil where there is none.
  ///
  /// What can fail must see every row, and in the order that rows have, so that neither an early stop nor the index's
  /// order decides which error is told. Where a key or a bound fails, there is no walk.
  private mutating func walked(_ priced: PricedCandidate, _ found: [AccessCandidate]) -> Alternative? {
    let (candidate, set, residual) = (priced.candidate, priced.set, priced.residual)
    guard options.forcing != .scanOnly, !isNarrowed(candidate, found),
      !residual.contains(where: { query.canFail($0.expression) }),
      let (method, needsAscendingIDs) = walkOrder(candidate.path, set)
    else { return nil }
    var tied = 0.0
    var isPart = false
    if case .incremental(_, let prefix) = method {
      tied = estimator.tiedRows(candidate.path, set, prefix: prefix)
      isPart = true
    }
    let passed = priced.passed(
      untilRows: isPart || !residual.isEmpty ? priced.needed : priced.limit, isDescending: method.walk.isDescending,
      isByRow: estimator.isByRow(candidate.path), estimator)
    let visited = passesOver(candidate, found) ? priced.rows : min(priced.rows, passed.rows + tied)
    let cell = estimator.walkedCell(candidate.path, visited, among: priced.all, costs)
    let filter = arrange(residual, type: set.type, rows: visited * priced.executions, cell: cell)
    let entry = estimator.entry(candidate.path, isDescending: method.walk.isDescending, costs)
    var isEarly = !residual.isEmpty && visited < priced.rows
    var perExecution: Double
    switch candidate.path {
    case .range:
      perExecution = candidate.cost - candidate.rows.rows * costs.indexEntry + visited * entry
      perExecution += priced.testing(filter, visited)
    case .textSearch where method.walk.isDescending:
      // Most postings are passed over, once the best are known; those of an unlucky filter are read again.
      perExecution = candidate.cost + priced.rows * costs.posting + visited * (costs.posting * 4 + filter.perRow * 2)
      isEarly = false
    default:
      perExecution = priced.collecting(visited, needsRowOrder: true, estimator) + priced.testing(filter, visited)
      isEarly = isEarly && priced.isScan
    }
    // Over an unfiltered range the offset is a rank: one more descent.
    if residual.isEmpty, priced.offset > 0 { perExecution += costs.btreeProbe }
    if isPart {
      let sorted = visited * priced.share
      perExecution +=
        sorted * (estimator.keyCost(set, cell: cell, costs) + logarithm(sorted) * costs.keySortStep)
    }
    return priced.alternative(
      method, filter, visiting: visited, perExecution, left: priced.left, needsAscendingIDs: needsAscendingIDs,
      earlyRow: isEarly ? entry + filter.perRow : nil, isLate: passed.isLate)
  }

  /// Returns the way by all rows, which are sorted, or of which the first are kept.
  private mutating func sorted(_ priced: PricedCandidate) -> Alternative {
    let (set, matched) = (priced.set, priced.matched)
    let filter = arrange(priced.residual, type: set.type, rows: priced.rows * priced.executions, cell: priced.cell)
    let order = set.sortingMethod
    var perExecution = priced.collecting(priced.rows, needsRowOrder: false, estimator)
    perExecution += priced.testing(filter, priced.rows, stopsEarly: false)
    perExecution += costs.startOfOrder + matched * estimator.keyCost(set, cell: priced.cell, costs)
    if order == .topN {
      let kept = min(matched, priced.needed)
      perExecution += matched * costs.heapOffer + kept * logarithm(kept) * costs.keySortStep
    } else {
      perExecution += matched * logarithm(matched) * costs.keySortStep
      perExecution += matched * Double(set.order.count - 1) * costs.wideKey
    }
    return priced.alternative(order, filter, visiting: priced.rows, perExecution, left: priced.left)
  }
}
