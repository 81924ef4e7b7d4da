import GQLBase
import GQLCatalog
import GQLQuery

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
  var routes: [[RelationID]]
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
  /// The relation or a step of the path may be a field of an interface: it is followed back for each of its types.
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
      if catalog[set.type].isElement, !query.isIndexed { return nil }
      // The way back from an entity leads to those that its links join it with, not to suspended ones.
      guard set.linkStatus == .live, let ways = ways(to: set.source), set.limit == nil, set.offset == nil,
        // One that is the first of its key among all is not so among those with the predicate.
        body == nil || set.distinctOn.isEmpty,
        let predicate = BoundExpression.conjunction([set.predicate, body].compactMap { $0 })
      else { return nil }
      // The members may read nothing but themselves; the path to them is followed back.
      guard query.freeScopes(of: predicate).isSubset(of: .element) else { return nil }
      return draft(type: type, members: set.type, predicate: predicate, routes: back(ways), range: condition.range)
    }
    guard let common = commonReference(condition), rejectsMissing(condition) else { return nil }
    let ways = common.alternatives.map(\.path)
    // A deleted row of an interface is found from no living entity.
    if ways.contains(where: { $0.first.map { catalog[$0].isMirror } ?? false }),
      !query.isIndexed
    {
      return nil
    }
    guard (1...Self.mostRoutes).contains(ways.count) else { return nil }
    let target = common.type(catalog)
    let predicate = condition.mapReferences { $0.replacing(common, by: .scope(0, target)) }
    return draft(type: type, members: target, predicate: predicate, routes: back(ways), range: condition.range)
  }

  /// More ways than this are not followed.
  private static let mostRoutes = 64

  /// The relations from the element to the members of a set; nil if it is none of the element's own.
  private func ways(to source: BoundSet.Source) -> [[RelationID]]? {
    let branches: [RelationBranch]
    switch source {
    case .relation(let base, let relation): branches = [RelationBranch(reference: base, relation: relation)]
    case .branches(let list): branches = list
    default: return nil
    }
    guard branches.allSatisfy({ $0.reference.scope == 0 }) else { return nil }
    let ways = branches.flatMap { branch in
      branch.reference.alternatives.flatMap { base in
        (branch.casts.isEmpty ? [[]] : branch.casts).map { base.path + [branch.relation] + $0 }
      }
    }
    return (1...Self.mostRoutes).contains(ways.count) ? ways : nil
  }

  private func back(_ ways: [[RelationID]]) -> [[RelationID]] {
    ways.map { $0.reversed().map { catalog[$0].inverse } }
  }

  /// The row set of the type's own entities with the condition: for children that are reached many times.
  mutating func membership(_ condition: BoundExpression, type: EntityTypeID) -> Int? {
    if options.forcing == .scanOnly { return nil }
    guard query.freeScopes(of: condition).isSubset(of: .element), !query.canFail(condition) else { return nil }
    let draft = draft(type: type, members: type, predicate: condition, routes: [[]], range: condition.range)
    guard let index = draft else { return nil }
    // What has to be tested for every row is better tested for those that are reached.
    if case .scan? = plans[rowSets[index].plan.set.index]?.access { return nil }
    return index
  }

  /// The row set of what relations lead to from the members of a type with a condition.
  mutating func draft(
    type: EntityTypeID, members: EntityTypeID, predicate: BoundExpression, routes: [[RelationID]], range: SourceRange
  ) -> Int? {
    let key = RowSetKey(type: type, routes: routes, members: members, predicate: predicate)
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
    var cost = estimate.cost + rows * costs.bit
    var reached = 0.0
    for route in routes {
      var ends = rows
      for relation in route {
        let fanOut = estimator.statistics.fanOut(relation)
        let step = catalog[relation].isToMany ? costs.edgeRun + fanOut.mean * costs.edge : costs.toOneStep
        cost += ends * (step + fanOut.mean * costs.bit)
        // Where many lead to one, some are reached more than once.
        let (found, all) = (ends * fanOut.mean, estimator.rowCount(catalog[relation].target))
        ends = catalog[catalog[relation].inverse].isToMany ? found * all / max(found + all, 1) : min(found, all)
      }
      reached += ends
    }
    rows = min(reached, estimator.rowCount(type))
    // A row set is a bitmap of its whole type.
    cost += estimator.rowCount(type) / 64 * costs.bitmapWord
    let plan = RowSetPlan(
      type: type, set: id, routes: routes, estimate: PlanEstimate(accessRows: estimate.rows, rows: rows, cost: cost))
    rowSets.append(RowSetDraft(plan: plan, rows: rows, cost: cost))
    rowSetMemo[key] = rowSets.count - 1
    return rowSets.count - 1
  }

  /// What every reference to the element begins with, as far as they are one; nil if that is nothing, or there are sets
  /// in between.
  private func commonReference(_ condition: BoundExpression) -> EntityReference? {
    var common: [EntityReference]?
    var isPlain = true
    condition.forEachNode { node in
      if node.setCall != nil || node.innerBody != nil { isPlain = false }
      guard let reference = node.ownReference else { return }
      let steps = reference.steps
      guard let known = common else {
        common = steps
        return
      }
      common = Array(zip(known, steps).prefix { $0 == $1 }.map(\.0))
    }
    return isPlain ? common?.last : nil
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

extension EntityReference {
  /// The entities on the way from the element to this one, itself the last: for a field of an interface those that all
  /// of its ways have in common, then where they meet.
  fileprivate var steps: [EntityReference] {
    switch self {
    case .scope: return []
    case .toOne(let base, _): return base.steps + [self]
    case .firstOf(let references, _):
      guard var common = references.first?.steps else { return [self] }
      for other in references.dropFirst() {
        common = Array(zip(common, other.steps).prefix { $0 == $1 }.map(\.0))
      }
      return common + [self]
    }
  }

  /// The same reference where what it begins with is another one.
  fileprivate func replacing(_ start: EntityReference, by other: EntityReference) -> EntityReference {
    if self == start { return other }
    switch self {
    case .scope: return self
    case .toOne(let base, let relation): return .toOne(base.replacing(start, by: other), relation)
    case .firstOf(let references, let type): return .firstOf(references.map { $0.replacing(start, by: other) }, type)
    }
  }
}
