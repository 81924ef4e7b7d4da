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
  /// Units of a cell of a row: of those that the path finds, and of those of a walk.
  let cell: Double
  let scattered: Double
  /// The sample on which the conjuncts were tested together.
  let sample: ConjunctSample?
  /// The share of the type's pages that a scan looks into.
  let pageShare: Double

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
  /// it is priced as if they were spread evenly, and gives up sooner: `isLate`.
  func passed(
    untilRows needed: Double, isDescending: Bool = false, isByRow: Bool, _ estimator: CardinalityEstimator
  ) -> (rows: Double, isLate: Bool) {
    if residual.isEmpty { return (min(rows, needed), false) }
    let even = min(rows, needed / share)
    guard let sample, even < rows, matched > 0,
      let places = sample.places(along: candidate, isByRow: isByRow, isDescending: isDescending, estimator)
    else { return (even, false) }
    let placed = rows * ConjunctSample.passed(places, untilShare: needed / matched)
    let isLate = placed > even * 4 && residual.contains { $0.expression.usesParameters }
    return (isLate ? even : placed, isLate)
  }
}

extension BoundExpression {
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
    let rows = candidate.rows.rows
    let covered = Set(candidate.covered)
    // What is left is the same for every candidate; the sharpest of the counts is nearest to the truth.
    var matched =
      all
      * (sample?.share(of: conjuncts.map(\.position))
        ?? CardinalityEstimator.conjunction(conjuncts.map(\.selectivity)))
    for other in found where other.kind != .scan && other.kind != .orderedWalk && other.kind != .skip {
      matched = min(matched, other.rows.rows)
    }
    let limit = usage == .existence ? 1 : count(set.limit, orElse: .infinity)
    let gathered = costs.gatheredCell(among: all)
    // Rows that ascend are gathered with the cache, others against it.
    let scattered = gathered * costs.scatteredShare
    var cell = costs.sequentialCell
    if candidate.kind != .scan {
      let isAscending = candidate.isAscending || set.order.isEmpty && limit < .infinity
      cell = isAscending ? gathered * costs.ascendingShare : scattered
      if rows > all * costs.denseShare { cell = max(gathered / 4, costs.nearCell / 2) }
    }
    let priced = PricedCandidate(
      candidate: candidate, set: set, residual: conjuncts.filter { !covered.contains($0.position) }, all: all,
      executions: executions, usage: usage, rows: rows, matched: min(matched, rows),
      offset: count(set.offset, orElse: 0), limit: limit, cell: cell, scattered: scattered, sample: sample,
      pageShare: pageShare)
    if set.order.isEmpty { return candidate.kind == .orderedWalk ? [] : [unordered(priced, found)] }
    let walk = walked(priced, found).map { [$0] } ?? []
    return candidate.kind == .orderedWalk ? walk : walk + [sorted(priced)]
  }

  /// Estimates the members that offset and limit leave.
  private func left(_ priced: PricedCandidate) -> Double {
    min(max(0, priced.matched - priced.offset), count(priced.set.limit, orElse: .infinity))
  }

  /// Units for finding rows of which so many are visited.
  private func collecting(_ priced: PricedCandidate, _ visited: Double, needsRowOrder: Bool) -> Double {
    let candidate = priced.candidate
    if priced.isScan { return costs.start + visited * costs.pageBounds / CostModel.rowsOfPage }
    // Postings are read no further than they are needed.
    if case .textSearch = candidate.path, priced.rows > 0 {
      return candidate.cost * max(visited / priced.rows, 1e-3) + costs.hashProbe * 4
    }
    // A range of the table is read as far as rows are needed.
    if priced.residual.isEmpty, isByRow(candidate.path) {
      return costs.start + costs.btreeProbe + visited * costs.indexEntry
    }
    return candidate.cost + (needsRowOrder ? ascending(candidate, priced.all) : 0)
  }

  /// Units for testing rows of which so many are visited. A scan does not look into pages whose bounds exclude all of
  /// their rows.
  private func testing(_ priced: PricedCandidate, _ filter: ArrangedFilter, _ visited: Double) -> Double {
    guard priced.isScan else { return visited * filter.perRow }
    let even = min(visited, priced.needed / priced.share)
    let tested = max(even * priced.pageShare, visited - (1 - priced.pageShare) * priced.rows)
    return min(visited, tested) * (costs.scanRow + filter.perRow)
  }

  /// Returns the way to members that may stand in any order, or in canonical order.
  private mutating func unordered(_ priced: PricedCandidate, _ found: [AccessCandidate]) -> Alternative {
    let set = priced.set
    let stopsEarly = set.distinctOn.isEmpty && !passesOver(priced.candidate, found)
    let passed = priced.passed(untilRows: priced.needed, isByRow: isByRow(priced.candidate.path), estimator)
    let visited = stopsEarly ? passed.rows : priced.rows
    let filter = arrange(priced.residual, type: set.type, rows: visited * priced.executions, cell: priced.cell)
    var perExecution = collecting(priced, visited, needsRowOrder: priced.usage == .rows)
    perExecution += testing(priced, filter, visited)
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
    return priced.alternative(
      .natural, filter, visiting: visited, perExecution, left: left(priced),
      earlyRow: isEarly ? testing(priced, filter, priced.rows) / max(priced.rows, 1) : nil, isLate: passed.isLate)
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
      tied = tiedRows(candidate.path, set, prefix: prefix)
      isPart = true
    }
    let passed = priced.passed(
      untilRows: isPart || !residual.isEmpty ? priced.needed : priced.limit, isDescending: method.walk.isDescending,
      isByRow: isByRow(candidate.path), estimator)
    let visited = passesOver(candidate, found) ? priced.rows : min(priced.rows, passed.rows + tied)
    let filter = arrange(residual, type: set.type, rows: visited * priced.executions, cell: priced.scattered)
    var isEarly = !residual.isEmpty && visited < priced.rows
    var perExecution: Double
    switch candidate.path {
    case .range:
      perExecution = costs.start + costs.btreeProbe + visited * (costs.walkEntry + filter.perRow)
    case .textSearch where method.walk.isDescending:
      // Most postings are passed over, once the best are known; those of an unlucky filter are read again.
      perExecution = candidate.cost + priced.rows * costs.posting + visited * (costs.posting * 4 + filter.perRow * 2)
      isEarly = false
    default:
      perExecution = collecting(priced, visited, needsRowOrder: true) + testing(priced, filter, visited)
      isEarly = isEarly && priced.isScan
    }
    // Over an unfiltered range the offset is a rank: one more descent.
    if residual.isEmpty, priced.offset > 0 { perExecution += costs.btreeProbe }
    if isPart {
      let sorted = visited * priced.share
      perExecution += sorted * (keyCost(set, cell: priced.scattered) + logarithm(sorted) * costs.keySortStep)
    }
    return priced.alternative(
      method, filter, visiting: visited, perExecution, left: left(priced), needsAscendingIDs: needsAscendingIDs,
      earlyRow: isEarly ? costs.walkEntry + filter.perRow : nil, isLate: passed.isLate)
  }

  /// Returns the way by all rows, which are sorted, or of which the first are kept.
  private mutating func sorted(_ priced: PricedCandidate) -> Alternative {
    let (set, matched) = (priced.set, priced.matched)
    let filter = arrange(priced.residual, type: set.type, rows: priced.rows * priced.executions, cell: priced.cell)
    let order = set.sortingMethod
    var perExecution = collecting(priced, priced.rows, needsRowOrder: false)
    perExecution += testing(priced, filter, priced.rows)
    perExecution += costs.startOfOrder + matched * keyCost(set, cell: priced.cell)
    if order == .topN {
      let kept = min(matched, priced.needed)
      perExecution += matched * costs.heapOffer + kept * logarithm(kept) * costs.keySortStep
    } else {
      perExecution += matched * logarithm(matched) * costs.keySortStep
    }
    return priced.alternative(order, filter, visiting: priced.rows, perExecution, left: left(priced))
  }

  /// Units for reading what a row is put into order by. After a first column of fixed width the other terms are read for
  /// rows that tie only.
  private func keyCost(_ set: BoundSet, cell: Double) -> Double {
    func isNarrow(_ term: BoundOrderTerm) -> Bool {
      guard let column = elementColumn(term.expression) else { return false }
      switch catalog[set.type][column].kind {
      case .int64, .float64, .byte, .code: return true
      default: return false
      }
    }
    if let first = set.order.first {
      if isNarrow(first) { return cell }
      // Rows stand by their ids already.
      if let column = elementColumn(first.expression), column == catalog.idColumn(of: set.type),
        estimator.statistics.idOrder(set.type) == .rows
      {
        return costs.sequentialCell
      }
    }
    return set.order.reduce(0) { $0 + cell + (isNarrow($1) ? costs.sequentialCell : costs.wideKey) }
  }
}
