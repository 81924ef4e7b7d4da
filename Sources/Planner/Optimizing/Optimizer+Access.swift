import GQLBase
import GQLCatalog
import GQLQuery

extension Optimizer {
  /// The ways by indexes without keys.
  private static let proposals: [any AccessProposal.Type] = [
    TextSearchProposal.self, TrigramProposal.self, ElementProposal.self,
  ]

  /// Every access to the type's rows that the conjuncts allow, but the full scan.
  ///
  /// The conjuncts stand at `positions` of the set's predicate; none but the last may fail, and that in patterns only, or
  /// for all elements alike.
  mutating func candidates(
    _ type: EntityTypeID, _ conjuncts: [(position: Int, expression: BoundExpression)], executions: Double
  ) -> [AccessCandidate] {
    let conditions = Dictionary(
      grouping: conjuncts.compactMap { indexCondition($0.expression, at: $0.position, type: type) }, by: \.column)
    var result: [AccessCandidate] = []
    if !conditions.isEmpty {
      for id in indexes(of: type, over: conditions.keys) {
        let index = catalog[id]
        // Others below, for what they answer is no condition of one column with a key.
        guard index.kind.facts.hasKeys else { continue }
        if index.kind.facts.isOrdered {
          result += treeCandidates(index, conditions)
        } else {
          result += hashCandidates(index, conditions)
          if isOrdered(index) { result += idCandidates(index, conditions) }
        }
      }
      result += timeCandidates(type, conditions)
    }
    for proposal in Self.proposals { result += proposal.candidates(type, conjuncts, &self) }
    if isCertain(result) { return result.filter { $0.kind == .uniqueLookup } }
    for candidate in result where candidate.kind != .uniqueLookup { watched.add(candidate.path) }
    for (position, expression) in conjuncts {
      if case .or(let branches) = expression.kind {
        if let union = unionCandidate(type, branches, at: position, executions: executions) { result.append(union) }
      }
      if let draft = semiJoin(expression, type: type) {
        let rows = rowSets[draft].rows
        let bitmap = estimator.rowCount(type) / 64 * costs.bitmapWord
        result.append(
          AccessCandidate(
            path: .rowSet(draft), covered: [position], rows: RowEstimate(rows),
            cost: rows * costs.indexEntry + bitmap,
            once: rowSets[draft].cost, kind: .rowSet, isAscending: true))
      }
    }
    if let candidate = memberCandidate(type, conjuncts) { result.append(candidate) }
    return result + intersections(type, result)
  }

  /// The indexes of a type that a condition of one of the columns may use, in the type's order. Each alternative of each
  /// condition asks for them, so that not all indexes are looked at.
  mutating func indexes(of type: EntityTypeID, over columns: some Collection<ColumnID>) -> [IndexID] {
    if let few = catalog.fewIndexes(of: type, over: columns, estimator.statistics) { return few }
    if indexesByColumn[type] == nil {
      var found: [ColumnID: [IndexID]] = [:]
      for id in catalog[type].indexes where !estimator.statistics.isPending(id) {
        let columns = catalog[id].columns
        for column in catalog[id].kind.facts.hasKeys ? columns.prefix(1) : columns[...] {
          found[column, default: []].append(id)
        }
      }
      indexesByColumn[type] = found
    }
    let known = indexesByColumn[type] ?? [:]
    return Set(columns.flatMap { known[$0] ?? [] }).sorted { $0.index < $1.index }
  }

  /// A unique key ends the search for better: at most one row. Not where every alternative is to be tried.
  func isCertain(_ found: [AccessCandidate]) -> Bool {
    options.forcing == .cheapest && !isHinted && found.contains { $0.kind == .uniqueLookup }
  }

  // MARK: Single indexes

  private func hashCandidates(_ index: IndexDescriptor, _ conditions: [ColumnID: [IndexCondition]]) -> [AccessCandidate]
  {
    var keys: [BoundExpression] = []
    var covered: [Int] = []
    for column in index.columns {
      guard let (condition, key, _) = equality(on: column, conditions) else { break }
      keys.append(key)
      covered.append(condition.position)
    }
    var result: [AccessCandidate] = []
    if keys.count == index.columns.count {
      let rows = estimator.rows(index, key: keys)
      result.append(
        AccessCandidate(
          path: .lookup(index.id, keys), covered: covered, rows: rows,
          cost: costs.start + costs.hashProbe + rows.rows * costs.runEntry,
          kind: index.isUnique ? .uniqueLookup : .lookup, index: Int(index.id.index), isAscending: true))
    }
    if index.columns.count == 1, let column = index.columns.first {
      result += eachCandidates(index, column, conditions, probe: costs.hashProbe, entry: costs.runEntry)
    }
    return result
  }

  private func eachCandidates(
    _ index: IndexDescriptor, _ column: ColumnID, _ conditions: [ColumnID: [IndexCondition]], probe: Double,
    entry: Double
  ) -> [AccessCandidate] {
    (conditions[column] ?? []).compactMap { condition in
      guard case .oneOf(let keys) = condition.test else { return nil }
      let (rows, isOneRun) = estimator.rows(index, each: keys)
      let probes = keys.reduce(0.0) { total, key in
        guard case .list = key.type else { return total + 1 }
        if case .list(let elements)? = estimator.value(of: key) { return total + Double(elements.count) }
        return total + DefaultSelectivity.listCount
      }
      return AccessCandidate(
        path: .lookupEach(index.id, keys), covered: [condition.position], rows: rows,
        cost: costs.start + probes * probe + rows.rows * entry, kind: .lookupEach, index: Int(index.id.index),
        isAscending: isOneRun)
    }
  }

  /// Equal leading components as far as they go, then the bounds of the next.
  private func treeCandidates(_ index: IndexDescriptor, _ conditions: [ColumnID: [IndexCondition]]) -> [AccessCandidate]
  {
    var range = IndexRange()
    var covered: [Int] = []
    var mayMeetNull = false
    for column in index.columns where !mayMeetNull {
      guard let (condition, key, isNullable) = equality(on: column, conditions) else { break }
      range.equal.append(key)
      covered.append(condition.position)
      // The executor finds the rows with a null only in the last component that is asked for.
      mayMeetNull = isNullable
    }
    var result: [AccessCandidate] = []
    let next = range.equal.count < index.columns.count ? index.columns[range.equal.count] : nil
    if let next, !mayMeetNull {
      let (bounded, more) = bounds(on: next, conditions)
      if bounded.lower != nil || bounded.upper != nil || bounded.prefix != nil {
        var narrowed = bounded
        narrowed.equal = range.equal
        result.append(rangeCandidate(index, narrowed, covered + more))
      }
      if range.equal.isEmpty {
        if index.columns.count == 1 {
          let probe = costs.probe(catalog[index.type][next].kind, among: estimator.rowCount(index.type))
          result += eachCandidates(index, next, conditions, probe: probe, entry: costs.indexEntry)
        }
        for condition in conditions[next] ?? [] {
          guard case .isNull = condition.test else { continue }
          result.append(rangeCandidate(index, IndexRange(onlyNulls: true), [condition.position]))
        }
      }
    }
    if !range.equal.isEmpty {
      // Rows whose next component is null have equal leading ones too.
      range.includesNulls = next != nil
      result.append(rangeCandidate(index, range, covered))
    }
    return result
  }

  /// Ranges of ids.
  private func idCandidates(_ index: IndexDescriptor, _ conditions: [ColumnID: [IndexCondition]]) -> [AccessCandidate] {
    guard let column = index.columns.first, equality(on: column, conditions) == nil else { return [] }
    let (range, covered) = bounds(on: column, conditions)
    return range.isBounded ? [rangeCandidate(index, range, covered)] : []
  }

  func rangeCandidate(_ index: IndexDescriptor, _ range: IndexRange, _ covered: [Int]) -> AccessCandidate {
    let rows = estimator.rows(index, range)
    let isComplete = range.equal.count == index.columns.count
    let probe = costs.probe(
      catalog[index.type][index.columns[0]].kind, among: estimator.rowCount(index.type),
      isCompound: !range.equal.isEmpty && range.isBounded)
    return AccessCandidate(
      path: .range(index.id, range), covered: covered, rows: rows,
      cost: costs.start + probe + rows.rows * costs.indexEntry,
      kind: isComplete && index.isUnique ? .uniqueLookup : .range, index: Int(index.id.index),
      isAscending: isComplete || estimator.ascends(index, after: range.equal.count))
  }

  /// `_createdAt` and `_updatedAt`: the bounds of pages are an index that costs nothing.
  private func timeCandidates(_ type: EntityTypeID, _ conditions: [ColumnID: [IndexCondition]]) -> [AccessCandidate] {
    [catalog[type].createdColumn, catalog[type].updatedColumn].compactMap { column in
      guard let column else { return nil }
      var (range, covered) = bounds(on: column, conditions)
      if let (condition, key, _) = equality(on: column, conditions) {
        range = IndexRange(
          lower: .init(key, isInclusive: true), upper: .init(key, isInclusive: true))
        covered = [condition.position]
      }
      guard range.lower != nil || range.upper != nil else { return nil }
      let rows = estimator.rows(type, times: column, range)
      let pages = estimator.rowCount(type) / 1024
      return AccessCandidate(
        path: .timeRange(type, column, range), covered: covered, rows: rows,
        cost: costs.start + pages * costs.pageBounds + rows.rows * costs.indexEntry, kind: .timeRange,
        index: Int(column.index), isAscending: true)
    }
  }

  private func equality(
    on column: ColumnID, _ conditions: [ColumnID: [IndexCondition]]
  ) -> (condition: IndexCondition, key: BoundExpression, mayMeetNull: Bool)? {
    for condition in conditions[column] ?? [] {
      if case .equal(let key, let mayMeetNull) = condition.test { return (condition, key, mayMeetNull) }
    }
    return nil
  }

  /// The first lower and the first upper bound, or the first prefix; and the positions that they cover.
  private func bounds(on column: ColumnID, _ conditions: [ColumnID: [IndexCondition]]) -> (
    range: IndexRange, covered: [Int]
  ) {
    var range = IndexRange()
    var covered: [Int] = []
    for condition in conditions[column] ?? [] {
      guard case .within(let lower, let upper) = condition.test else { continue }
      if lower != nil && range.lower != nil || upper != nil && range.upper != nil { continue }
      range.lower = range.lower ?? lower
      range.upper = range.upper ?? upper
      if condition.isExact { covered.append(condition.position) }
    }
    if range.lower != nil || range.upper != nil { return (range, covered) }
    for condition in conditions[column] ?? [] {
      guard case .prefix(let text) = condition.test else { continue }
      return (IndexRange(prefix: text), condition.isExact ? [condition.position] : [])
    }
    return (range, [])
  }

  // MARK: Combinations

  private static let mostBranches = 1024

  /// `a or b`, where each alternative has an access of its own.
  private mutating func unionCandidate(
    _ type: EntityTypeID, _ branches: [BoundExpression], at position: Int, executions: Double
  ) -> AccessCandidate? {
    var paths: [AccessPath] = []
    var cost = 0.0
    var once = 0.0
    var shares: [Double] = []
    var isExact = true
    let all = max(1, estimator.rowCount(type))
    // Each has an access of its own; so many are slower than looking at all rows, or should have been a list.
    guard branches.count <= Self.mostBranches else { return nil }
    for branch in branches {
      guard !isDue(at: branch.range) else { return nil }
      let conjuncts = branch.conjuncts.enumerated().map { (position: $0.offset, expression: $0.element) }
      let found = withoutPending(candidates(type, conjuncts, executions: executions), of: type)
      let units = found.map { $0.cost + $0.once / executions + $0.rows.rows * costs.gatheredCell }
      guard let best = found.indices.min(by: { units[$0] < units[$1] }) else { return nil }
      let chosen = found[best]
      paths.append(chosen.path)
      cost += chosen.cost + chosen.rows.rows * costs.bit
      once += chosen.once
      shares.append(min(1, chosen.rows.rows / all))
      isExact = isExact && chosen.covered.count == conjuncts.count
    }
    let rows = all * (1 - shares.reduce(1) { $0 * (1 - $1) })
    return AccessCandidate(
      path: .union(paths), covered: isExact ? [position] : [], rows: RowEstimate(rows), cost: cost, once: once,
      kind: .union, isAscending: false)
  }

  /// Pairs among the most selective accesses: two lists of rows are quickly intersected.
  private func intersections(_ type: EntityTypeID, _ singles: [AccessCandidate]) -> [AccessCandidate] {
    let all = max(1, estimator.rowCount(type))
    let useful = singles.indices
      .filter { !singles[$0].used.isEmpty && singles[$0].kind != .uniqueLookup }
      .sorted {
        singles[$0].rows.rows != singles[$1].rows.rows ? singles[$0].rows.rows < singles[$1].rows.rows : $0 < $1
      }
      .prefix(4)
    var result: [AccessCandidate] = []
    for (number, first) in useful.enumerated() {
      for second in useful.dropFirst(number + 1) {
        let (a, b) = (singles[first], singles[second])
        if a.used.contains(where: b.used.contains) { continue }
        let share = CardinalityEstimator.conjunction([a.rows.rows / all, b.rows.rows / all])
        result.append(
          AccessCandidate(
            path: .intersection([a.path, b.path]), covered: (a.covered + b.covered).sorted(),
            rows: RowEstimate(all * share),
            cost: a.cost + b.cost + costs.ascending(a, all) + costs.ascending(b, all)
              + costs.intersecting(a.rows.rows, b.rows.rows),
            once: a.once + b.once,
            kind: .intersection, index: min(a.index, b.index), isAscending: false))
      }
    }
    return result
  }
}

extension Catalog {
  /// Returns the indexes of a type that a condition of one of the columns may use; nil where a table of them is quicker
  /// than looking at all.
  fileprivate func fewIndexes(
    of type: EntityTypeID, over columns: some Collection<ColumnID>, _ statistics: any Statistics
  ) -> [IndexID]? {
    guard self[type].indexes.count <= 16 else { return nil }
    var found: [IndexID] = []
    for id in self[type].indexes where !statistics.isPending(id) {
      let keys = self[id].kind.facts.hasKeys ? self[id].columns.prefix(1) : self[id].columns[...]
      if keys.contains(where: { columns.contains($0) }) { found.append(id) }
    }
    return found.sorted { $0.index < $1.index }
  }
}
