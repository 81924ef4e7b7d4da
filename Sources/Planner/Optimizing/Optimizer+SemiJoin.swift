import GQLBase
import GQLCatalog

/// A row set under consideration.
struct RowSetDraft {
  var plan: RowSetPlan
  var rows: Double
  /// Units to build it.
  var cost: Double
}

/// Equal conditions share a row set.
struct RowSetKey: Hashable {
  var type: EntityTypeID
  var through: [RelationID]
  var members: EntityTypeID
  var predicate: BoundExpression
}

extension Optimizer {
  /// The row set of exactly those entities of `type` for which the condition is true, found from the other end of a
  /// relation; nil where there is none.
  ///
  /// - `exists(rel where p)`, on the element or on what a to-one path leads to: the members with `p`, followed back.
  /// - a condition on a to-one path only, such as `author.email == x`: the targets with it, followed back. It must be
  ///   true for no missing target.
  ///
  /// Neither if the condition reads anything around the element, or may fail: a set is computed for more rows than the
  /// test per row would see.
  mutating func semiJoin(_ condition: BoundExpression, type: EntityTypeID) -> Int? {
    if options.forcing == .scanOnly { return nil }
    guard query.freeScopes(of: condition).isSubset(of: .element), !query.canFail(condition) else { return nil }
    if case .quantifier(let quantifier, let id, let body) = condition.kind {
      guard quantifier == .exists || quantifier == .some else { return nil }
      let set = query[id]
      // The elements of a deleted entity's lists are deleted with it, and no way from the living leads back.
      if catalog[set.type].isElement, query.sets.contains(where: { !$0.source.isIndexed }) { return nil }
      guard case .relation(let base, let relation) = set.source, base.scope == 0, base.isPath, set.limit == nil,
        set.offset == nil,
        let predicate = BoundExpression.conjunction([set.predicate, body].compactMap { $0 })
      else { return nil }
      // The members may read nothing but themselves; the path to them is followed back.
      guard query.freeScopes(of: predicate).isSubset(of: .element) else { return nil }
      let back = ([relation] + base.path.reversed()).map { catalog[$0].inverse }
      return draft(type: type, members: set.type, predicate: predicate, through: back, range: condition.range)
    }
    guard let path = commonPath(condition), let last = path.last, rejectsMissing(condition) else { return nil }
    let target = catalog[last].target
    let predicate = condition.mapReferences { $0.droppingPath(path.count, arrivingAt: target) }
    let back = path.reversed().map { catalog[$0].inverse }
    return draft(type: type, members: target, predicate: predicate, through: back, range: condition.range)
  }

  /// The row set of the type's own entities with the condition: for children that are reached many times.
  mutating func membership(_ condition: BoundExpression, type: EntityTypeID) -> Int? {
    if options.forcing == .scanOnly { return nil }
    guard query.freeScopes(of: condition).isSubset(of: .element), !query.canFail(condition) else { return nil }
    guard let index = draft(type: type, members: type, predicate: condition, through: [], range: condition.range) else {
      return nil
    }
    // What has to be tested for every row is better tested for those that are reached.
    if case .scan? = plans[rowSets[index].plan.set.index]?.access { return nil }
    return index
  }

  /// The row set of what relations lead to from the members of a type with a condition.
  mutating func draft(
    type: EntityTypeID, members: EntityTypeID, predicate: BoundExpression, through: [RelationID], range: SourceRange
  ) -> Int? {
    let key = RowSetKey(type: type, through: through, members: members, predicate: predicate)
    if let known = rowSetMemo[key] { return known < 0 ? nil : known }
    // Not again while it is being planned: its own members cannot be found through themselves.
    rowSetMemo[key] = -1
    let id = SetID(query.sets.count)
    let isAlways = predicate.constant == .boolean(true)
    query.sets.append(BoundSet(type: members, source: .all, predicate: isAlways ? nil : predicate, range: range))
    plans.append(nil)
    planSet(id, executions: 1, usage: .rows)
    let estimate = plans[id.index]?.estimate ?? PlanEstimate()
    var rows = estimate.rows
    var cost = estimate.cost + rows * CostModel.bit
    for relation in through {
      let fanOut = estimator.statistics.fanOut(relation)
      cost += rows * (CostModel.edgeRun + fanOut.mean * (CostModel.edge + CostModel.bit))
      rows = min(rows * fanOut.mean, estimator.rowCount(catalog[relation].target))
    }
    // A row set is a bitmap of its whole type.
    cost += estimator.rowCount(type) / 64 * CostModel.bitmapWord
    let plan = RowSetPlan(
      type: type, set: id, through: through, estimate: PlanEstimate(accessRows: estimate.rows, rows: rows, cost: cost))
    rowSets.append(RowSetDraft(plan: plan, rows: rows, cost: cost))
    rowSetMemo[key] = rowSets.count - 1
    return rowSets.count - 1
  }

  /// The to-one relations that every reference to the element begins with; nil if there are none, or sets in between.
  private func commonPath(_ condition: BoundExpression) -> [RelationID]? {
    var common: [RelationID]?
    var isPlain = true
    condition.forEachNode { node in
      if node.setCall != nil || node.innerBody != nil { isPlain = false }
      guard let reference = node.ownReference else { return }
      let path = reference.path
      guard let known = common else {
        common = path
        return
      }
      common = Array(zip(known, path).prefix { $0 == $1 }.map(\.0))
    }
    guard isPlain, let common, !common.isEmpty else { return nil }
    return common
  }

  /// Whether the condition is not true when every entity that it reads is missing. Says no too often rather than yes.
  private func rejectsMissing(_ condition: BoundExpression) -> Bool {
    func isNullIfMissing(_ expression: BoundExpression) -> Bool {
      switch expression.kind {
      case .column, .entity: true
      case .convert(let inner), .fold(let inner): isNullIfMissing(inner)
      // A field of an interface.
      case .coalesce(let parts): parts.allSatisfy(isNullIfMissing)
      default: false
      }
    }
    switch condition.kind {
    case .compare(let comparison, let left, let right):
      switch comparison {
      case .equal:
        return isNullIfMissing(left) && !readsEntity(right) && !mayBeNull(right)
          || isNullIfMissing(right) && !readsEntity(left) && !mayBeNull(left)
      case .notEqual: return false
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return isNullIfMissing(left) || isNullIfMissing(right)
      }
    case .inValues(let subject, let values):
      return isNullIfMissing(subject) && values.allSatisfy { !readsEntity($0) && !mayBeNull($0) }
    case .inRange(let subject, _, _, _): return isNullIfMissing(subject)
    case .textTest(_, let left, let right), .like(let left, let right, _):
      return isNullIfMissing(left) || isNullIfMissing(right)
    case .column: return true
    case .matches(let texts, let words, _): return texts.allSatisfy(isNullIfMissing) || isNullIfMissing(words)
    case .not(let inner):
      if case .isNull(let subject) = inner.kind { return isNullIfMissing(subject) }
      return isNullIfMissing(inner)
    case .isTrue(let inner): return rejectsMissing(inner)
    case .and(let parts): return parts.contains(where: rejectsMissing)
    case .or(let parts): return !parts.isEmpty && parts.allSatisfy(rejectsMissing)
    default: return false
    }
  }

  private func readsEntity(_ expression: BoundExpression) -> Bool {
    var reads = false
    expression.forEachNode { if $0.ownReference != nil { reads = true } }
    return reads
  }
}
