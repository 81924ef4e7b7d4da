import GQLBase
import GQLCatalog
import GQLQuery

/// Aggregates that need a few members only, where an index delivers these: the least and the greatest value, the last
/// one, and each value once.
///
/// Such a set is planned as one with an order and a limit, or with `distinctOn`, which has the same value. It stays so
/// where the plan reads less.
extension Optimizer {
  /// Plans the set of an aggregate.
  mutating func planAggregate(
    _ aggregate: Aggregate, _ set: SetID, _ body: BoundExpression?, executions: Double
  ) {
    if plans[set.index] == nil, let narrowed = narrowed(aggregate, set, body) {
      let original = query[set]
      query[set] = narrowed
      planSet(set, executions: executions, usage: .rows)
      if isInterrupted || plans[set.index].map({ gains($0, aggregate) }) == true { return }
      query[set] = original
      plans[set.index] = nil
    }
    planSet(set, executions: executions, usage: aggregate == .count ? .count : .rows)
  }

  private func gains(_ plan: SetPlan, _ aggregate: Aggregate) -> Bool {
    switch aggregate {
    case .last: return true
    case .distinct:
      if case .range(_, let range) = plan.access { return range.firstOfEach > 0 }
      return false
    default:
      if case .fromAccess = plan.order { return true }
      return false
    }
  }

  /// Returns the members of a set that decide about an aggregate; nil where these are all, or no index delivers them.
  private mutating func narrowed(_ aggregate: Aggregate, _ id: SetID, _ body: BoundExpression?) -> BoundSet? {
    var set = query[id]
    guard options.forcing != .scanOnly, set.source == .all, set.hint == nil, set.limit == nil, set.offset == nil,
      set.distinctOn.isEmpty, !set.isProbe, !set.isOneByKey, set.paging?.hasCursor != true,
      !(set.predicate.map { query.canFail($0) } ?? false), isReferredToOnce(id)
    else { return nil }
    func isIndexed(_ column: ColumnID) -> Bool {
      catalog[set.type].indexes.contains { catalog[$0].columns.contains(column) && isOrdered(catalog[$0]) }
    }
    let column = body.flatMap(elementColumn)
    switch aggregate {
    case .min, .max:
      // Of an order of its own the first of equal values would be taken.
      guard set.order.isEmpty, let body, let column, body.type.isOrdered, isIndexed(column) else { return nil }
      set.order = [BoundOrderTerm(body, isDescending: aggregate == .max)]
    case .last:
      // What is last among rows that agree in all terms is not first in the opposite order.
      guard !set.order.isEmpty, query.decides(set, catalog: catalog),
        !set.order.contains(where: { query.canFail($0.expression) })
      else { return nil }
      if let body, query.canFail(body) || query.mayBeNull(body, catalog: catalog) { return nil }
      set.order = set.order.map {
        BoundOrderTerm(
          $0.expression, isDescending: !$0.isDescending, nullsFirst: mayBeNull($0.expression) && !$0.nullsFirst)
      }
    case .distinct:
      guard set.order.isEmpty, let body, let column, isIndexed(column) else { return nil }
      set.distinctOn = [body]
      return set
    case .count, .sum, .avg, .first, .collect: return nil
    }
    set.limit = BoundExpression(.constant(.int(1)), .int, at: set.range)
    return set
  }

  /// Returns whether one expression alone speaks of a set of the query.
  private mutating func isReferredToOnce(_ id: SetID) -> Bool {
    let counts = setReferences ?? query.setReferenceCounts()
    setReferences = counts
    return counts.indices.contains(id.index) && counts[id.index] == 1
  }

  // MARK: One of each

  /// Returns ways to the first row of each of the keys by which rows are told apart, without a look at the others.
  func skips(_ set: BoundSet, _ found: [AccessCandidate], usage: SetUsage) -> [AccessCandidate] {
    guard !set.distinctOn.isEmpty, set.order.isEmpty, set.paging?.hasCursor != true else { return [] }
    let columns = set.distinctOn.compactMap(elementColumn)
    guard columns.count == set.distinctOn.count else { return [] }
    let conditions = set.predicate?.conjuncts.count ?? 0
    var ranges: [(index: IndexID, range: IndexRange, covered: [Int], rows: Double)] = []
    for candidate in found where candidate.covered.count == conditions {
      guard case .range(let index, let range) = candidate.path, !range.onlyNulls, catalog[index].kind.facts.isOrdered,
        !range.equal.contains(where: mayBeNull)
      else { continue }
      ranges.append((index, range, candidate.covered, candidate.rows.rows))
    }
    if conditions == 0 {
      for index in catalog[set.type].indexes where catalog[index].kind.facts.isOrdered && isOrdered(catalog[index]) {
        ranges.append((index, IndexRange(includesNulls: true), [], estimator.rowCount(set.type)))
      }
    }
    return ranges.compactMap { index, range, covered, rows in
      let fixed = catalog[index].columns.prefix(range.equal.count)
      let walked = catalog[index].columns.dropFirst(range.equal.count)
      let wanted = Set(columns).subtracting(fixed)
      // Behind all components stands the row; behind fewer it is any row of the key, which is enough to be counted.
      guard !wanted.isEmpty, wanted == Set(walked.prefix(wanted.count)), usage == .count || wanted.count == walked.count
      else { return nil }
      var skip = range
      skip.firstOfEach = range.equal.count + wanted.count
      let keys = min(rows, wanted.reduce(1) { $0 * distinctKeys(set.type, $1) })
      return AccessCandidate(
        path: .range(index, skip), covered: covered, rows: RowEstimate(keys),
        cost: costs.start + (1 + keys) * 2 * costs.btreeProbe, kind: .skip, index: Int(index.index),
        isAscending: false)
    }
  }

  /// Estimates the values of a column, null among them.
  private func distinctKeys(_ type: EntityTypeID, _ column: ColumnID) -> Double {
    if let known = estimator.statistics.distinctCount(type, column) { return known + 1 }
    return max(1, estimator.rowCount(type) * DefaultSelectivity.equality)
  }
}

extension ValueType {
  /// Whether the values of a column of the type have an order that an index keeps.
  fileprivate var isOrdered: Bool {
    switch self {
    case .scalar(let scalar): scalar != .json
    case .enumeration: true
    case .entity, .embedded, .list, .null: false
    }
  }
}
