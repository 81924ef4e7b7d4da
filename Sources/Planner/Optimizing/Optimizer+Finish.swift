import GQLBase
import GQLCatalog
import GQLQuery

extension Optimizer {
  /// The plan, without the sets and row sets that were considered and not used.
  func finish() -> PhysicalPlan {
    var usage = PlanUsage(optimizer: self)
    usage.visitFields(query.fields)
    var newRowSet = rowSets.indices.map { _ in -1 }
    var newSet = query.sets.indices.map { $0 }
    var result = query
    result.sets = []
    var kept: [Int] = []
    // The query's own sets all stay, because selections and expressions name them.
    for index in query.sets.indices where index < ownSetCount || usage.sets[index] {
      newSet[index] = kept.count
      kept.append(index)
      result.sets.append(query.sets[index])
    }
    var finalRowSets: [RowSetPlan] = []
    for (index, draft) in rowSets.enumerated() where usage.rowSets[index] {
      newRowSet[index] = finalRowSets.count
      var plan = draft.plan
      plan.set = SetID(newSet[plan.set.index])
      finalRowSets.append(plan)
    }
    let finalPlans = kept.map { index -> SetPlan in
      let id = SetID(index)
      guard usage.sets[index], let plan = plans[index] else { return baseline(id) }
      return plan.mapRowSets { newRowSet[$0] }
    }
    var plan = PhysicalPlan(
      query: result, sets: finalPlans, rowSets: finalRowSets, isParameterSensitive: !watched.estimates.isEmpty,
      wantedOrders: wantedOrders, watched: watched.estimates)
    plan.chooseOperators(catalog)
    return plan
  }
}

/// What a plan uses, found from its fields on.
private struct PlanUsage {
  let optimizer: Optimizer
  var sets: [Bool]
  var rowSets: [Bool]

  init(optimizer: Optimizer) {
    self.optimizer = optimizer
    sets = optimizer.query.sets.indices.map { _ in false }
    rowSets = optimizer.rowSets.indices.map { _ in false }
  }

  mutating func visitFields(_ fields: [BoundField]) {
    // By their places, because each element of a loop is a copy.
    for place in fields.indices {
      if let condition = fields[place].condition { visit(condition) }
      switch fields[place].content {
      case .typename, .recursion, .depth, .cycle, .cursor: break
      case .introspection(let bound):
        for input in bound.inputs { visit(input) }
      case .value(let expression): visit(expression)
      case .embedded(let presence, let inner):
        visit(presence)
        visitFields(inner)
      case .inlined(let condition, let inner):
        visit(condition)
        visitFields(inner)
      case .one(let id), .many(let id):
        visit(optimizer.query[id].set)
        switch optimizer.query[id].shape {
        case .object(let fields): visitFields(fields)
        case .value(let expression): visit(expression)
        case .groups(let grouping):
          for aggregate in grouping.aggregates { if let set = aggregate.set { visit(set) } }
          for expression in grouping.expressions { visit(expression) }
          visitFields(grouping.fields)
        }
      }
    }
  }

  private mutating func visit(_ expression: BoundExpression) {
    if expression.isLeaf {
      if case .inRowSet(_, let index) = expression.kind { visitRowSet(index) }
      return
    }
    var calls: [SetID] = []
    var used: [Int] = []
    expression.forEachNode { node in
      if let call = node.setCall { calls.append(call.set) }
      if case .inRowSet(_, let index) = node.kind { used.append(index) }
    }
    for call in calls { visit(call) }
    for index in used { visitRowSet(index) }
  }

  private mutating func visitRowSet(_ index: Int) {
    guard !rowSets[index] else { return }
    rowSets[index] = true
    visit(optimizer.rowSets[index].plan.set)
  }

  private mutating func visit(_ id: SetID) {
    guard !sets[id.index] else { return }
    sets[id.index] = true
    let set = optimizer.query[id]
    let plan = optimizer.plans[id.index] ?? optimizer.baseline(id)
    for base in set.source.sets { visit(base) }
    if let filter = plan.filter { visit(filter) }
    let keys = plan.access.keyExpressions
    for expression in keys { visit(expression) }
    // All of it is asked where a key fails.
    if let predicate = set.predicate, keys.contains(where: { optimizer.query.canFail($0) }) { visit(predicate) }
    for index in plan.access.rowSets { visitRowSet(index) }
    if let other = plan.retreat?.plan {
      if let filter = other.filter { visit(filter) }
      for expression in other.access.keyExpressions { visit(expression) }
      for index in other.access.rowSets { visitRowSet(index) }
    }
    for expression in set.expressions(withPredicate: false) { visit(expression) }
  }
}

extension SetPlan {
  func mapRowSets(_ change: (Int) -> Int) -> SetPlan {
    var copy = self
    copy.access = access.mapRowSets(change)
    copy.filter = filter.map { $0.mapRowSets(change) }
    if let retreat { copy.retreat = .after(rows: retreat.rows, retreat.plan.mapRowSets(change)) }
    return copy
  }
}

extension BoundExpression {
  func mapRowSets(_ change: (Int) -> Int) -> BoundExpression {
    if case .inRowSet(let reference, let index) = kind {
      var copy = self
      copy.kind = .inRowSet(reference, change(index))
      return copy
    }
    return mapOperands { $0.mapRowSets(change) }
  }
}
