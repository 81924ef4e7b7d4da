import GQLBase
import GQLCatalog
import GQLQuery

/// Checks what every plan must satisfy, in debug builds: a wrong plan should stop here and not in the executor.
package enum PlanValidator {
  @inlinable package static func check(_ plan: PhysicalPlan, catalog: Catalog) {
    #if DEBUG
      let problems = problems(plan, catalog: catalog)
      precondition(problems.isEmpty, problems.joined(separator: "; "))
    #endif
  }

  /// One sentence for each thing that is wrong.
  package static func problems(_ plan: PhysicalPlan, catalog: Catalog) -> [String] {
    guard plan.sets.count == plan.query.sets.count else { return ["plans and sets differ in number"] }
    var problems: [String] = []
    for (index, rowSet) in plan.rowSets.enumerated() {
      guard plan.query.sets.indices.contains(rowSet.set.index) else {
        problems.append("row set \(index) names no set")
        continue
      }
      for route in rowSet.routes {
        var type = plan.query[rowSet.set].type
        for relation in route {
          if catalog[relation].source != type { problems.append("row set \(index) follows a relation of another type") }
          type = catalog[relation].target
        }
        if type != rowSet.type { problems.append("row set \(index) ends at another type") }
      }
      if rowSetsUsed(by: plan[rowSet.set]).contains(where: { $0 >= index }) {
        problems.append("row set \(index) reads one that is computed later")
      }
    }
    let selected = SelectedSets(plan.query)
    let context = SetFacts.Context(plan.query, catalog)
    for (index, set) in plan.query.sets.enumerated() {
      let facts = SetFacts(SetID(index), plan.sets[index].access, selected, context)
      let setPlan = plan.sets[index]
      let name = "set \(index)"
      if rowSetsUsed(by: setPlan).contains(where: { !plan.rowSets.indices.contains($0) }) {
        problems.append("\(name) reads a row set that does not exist")
        continue
      }
      for used in setPlan.access.rowSets where plan.rowSets[used].type != set.type {
        problems.append("\(name) takes rows of another type")
      }
      problems += setPlan.access.form.problems(set, catalog).map { "\(name) \($0)" }
      problems += (orderProblems(setPlan, set, plan.query, catalog) + facts.problems(setPlan)).map { "\(name) \($0)" }
      for other in setPlan.others {
        let found =
          other.access.form.problems(set, catalog) + orderProblems(other, set, plan.query, catalog)
          + facts.problems(other)
        problems += found.map { "the retreat of \(name) \($0)" }
      }
      if !plan.query.isIndexed(SetID(index)), tests(rowSetsOf: set.type, setPlan, plan) {
        problems.append("\(name) has members that no row set holds")
      }
      let conditions = set.predicate?.conjuncts.count ?? 0
      let tested = setPlan.filter?.conjuncts.count ?? 0
      switch setPlan.access {
      case .scan, .source:
        if tested != conditions { problems.append("\(name) tests \(tested) of \(conditions) conditions") }
      case .empty: break
      default:
        if tested > conditions { problems.append("\(name) tests more than was asked") }
      }
    }
    return problems
  }

  private static func rowSetsUsed(by plan: SetPlan) -> [Int] {
    var used = plan.access.rowSets
    plan.filter?.forEachNode { if case .inRowSet(_, let index) = $0.kind { used.append(index) } }
    return used + (plan.retreat.map { rowSetsUsed(by: $0.plan) } ?? [])
  }

  /// Whether a set's filter asks for its own members in a row set of their type that no relation leads to.
  private static func tests(rowSetsOf type: EntityTypeID, _ setPlan: SetPlan, _ plan: PhysicalPlan) -> Bool {
    var found = false
    setPlan.filter?.forEachNode { node in
      guard case .inRowSet(.scope(0, type), let index) = node.kind else { return }
      if plan.rowSets[index].routes == [[]] { found = true }
    }
    return found
  }

  private static func orderProblems(_ plan: SetPlan, _ set: BoundSet, _ query: BoundQuery, _ catalog: Catalog)
    -> [String]
  {
    switch plan.order {
    case .natural: return set.order.isEmpty || plan.access == .empty ? [] : ["drops its order"]
    case .sort: return set.order.isEmpty ? ["sorts without terms"] : []
    case .topN:
      if set.order.isEmpty || set.limit == nil { return ["keeps the first of what has no order or limit"] }
      return set.distinctOn.isEmpty ? [] : ["keeps the first before it knows which are distinct"]
    case .fromAccess(let descending):
      let match = query.orderMatch(plan.access, set, catalog: catalog, idsAscend: plan.needsAscendingIDs)
      return match == (.satisfied, descending)
        ? [] : ["takes its order from an access that has another"]
    case .incremental(let descending, let prefix):
      if set.limit == nil || !set.distinctOn.isEmpty { return ["sorts the first of what has no limit"] }
      return query.orderMatch(plan.access, set, catalog: catalog, idsAscend: false) == (.prefix(prefix), descending)
        ? [] : ["takes a part of its order from an access that has another"]
    }
  }
}
