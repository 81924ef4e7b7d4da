import GQLBase
import GQLCatalog
import GQLQuery
import GQLRewriter

/// Chooses how each set of the query is found. Total: every query has a plan, and every plan gives the same answer.
///
/// With `parameters`, cardinalities are those of these values; the plan is right for all others too. Diagnostics are
/// about `@using` hints that cannot be met.
package func optimize(
  _ query: BoundQuery, catalog: Catalog, statistics: any Statistics, parameters: [Value?]? = nil,
  sampler: (any SelectivitySampler)? = nil, options: PlannerOptions = .init()
) -> Analyzed<PhysicalPlan> {
  let statistics: any Statistics =
    options.figures.isEmpty
    ? statistics : StatedStatistics(figures: options.figures, counted: statistics, catalog: catalog)
  let rewritten = Rewriter.rewrite(query, disabled: options.disabledRules, options.interruption)
  let estimator = CardinalityEstimator(
    catalog: catalog, statistics: statistics, parameterTypes: query.parameters, parameters: parameters,
    sampler: sampler)
  var optimizer = Optimizer(query: rewritten, catalog: catalog, estimator: estimator, options: options)
  optimizer.planAll()
  _ = optimizer.isDue(at: SourceRange(at: 0))
  let plan = optimizer.finish()
  PlanValidator.check(plan, catalog: catalog)
  return Analyzed(plan, optimizer.diagnostics)
}

/// The state of one run.
struct Optimizer {
  /// Sets found by semi-joins are appended behind the query's own.
  var query: BoundQuery
  let catalog: Catalog
  let estimator: CardinalityEstimator
  let options: PlannerOptions
  /// Stored, because a copy at each use would take the stack of deep queries.
  let costs: CostModel
  /// How many sets the query had.
  let ownSetCount: Int
  /// Parallel to `query.sets`; nil until planned.
  var plans: [SetPlan?]
  /// Every row set considered; those that no plan uses are dropped in the end.
  var rowSets: [RowSetDraft] = []
  var rowSetMemo: [RowSetKey: Int] = [:]
  /// By type and column: the indexes that a condition of it may use, once they were asked for.
  var indexesByColumn: [EntityTypeID: [ColumnID: [IndexID]]] = [:]
  var watched = WatchList()
  var diagnostics: [Diagnostic] = []
  /// Whether the work is to end: what is still to be planned gets the plan that needs no thought.
  var isInterrupted = false
  /// Expressions that were priced.
  var pricedExpressions = 0
  /// The types whose ids should have an order.
  var wantedOrders: Set<EntityTypeID> = []
  /// How often each of the query's sets is referred to; counted when first asked for.
  var setReferences: [Int]?
  /// Whether `@using` asks for an access to the set being planned.
  var isHinted = false

  init(query: BoundQuery, catalog: Catalog, estimator: CardinalityEstimator, options: PlannerOptions) {
    self.query = query
    self.catalog = catalog
    self.estimator = estimator
    self.options = options
    costs = options.costs
    ownSetCount = query.sets.count
    plans = query.sets.indices.map { _ in nil }
  }

  mutating func planAll() {
    if isDue(at: query.sets.first?.range ?? SourceRange(at: 0)) { return }
    planFields(query.fields, rows: 1)
  }

  private mutating func planFields(_ fields: [BoundField], rows: Double) {
    // By their places, because each element of a loop is a copy.
    for place in fields.indices {
      switch fields[place].content {
      case .typename, .recursion, .depth, .cycle, .cursor, .introspection: break
      case .value(let expression): _ = cost(of: expression, rows: rows, cell: costs.gatheredCell)
      case .embedded(let presence, let inner):
        _ = cost(of: presence, rows: rows, cell: costs.gatheredCell)
        planFields(inner, rows: rows)
      case .inlined(let condition, let inner):
        _ = cost(of: condition, rows: rows, cell: costs.gatheredCell)
        planFields(inner, rows: rows)
      case .one(let id), .many(let id): planSelection(id, parents: rows)
      }
    }
  }

  private mutating func planSelection(_ id: SelectionID, parents: Double) {
    let selection = query[id]
    var parents = parents
    if let recursion = selection.recursion {
      // Every member is a parent again.
      parents *= 1 + reach(of: selection.set, from: 1, depth: recursion.depth)
    }
    planSet(selection.set, executions: parents, usage: .rows)
    let rows = parents * (plans[selection.set.index]?.estimate.rows ?? 1)
    switch selection.shape {
    case .object(let fields): planFields(fields, rows: rows)
    case .value(let expression): _ = cost(of: expression, rows: rows, cell: costs.gatheredCell)
    case .groups(let grouping): planGrouping(grouping, parents: parents, rows: rows)
    }
  }

  /// Plans the sets in a grouping; the grouping itself leaves no choice.
  private mutating func planGrouping(_ grouping: BoundGrouping, parents: Double, rows: Double) {
    for expression in grouping.memberExpressions {
      _ = cost(of: expression, rows: rows, cell: costs.sequentialCell)
    }
    for aggregate in grouping.aggregates {
      guard let set = aggregate.set else { continue }
      planSet(set, executions: rows, usage: .rows)
      let elements = rows * (plans[set.index]?.estimate.rows ?? 1)
      for expression in aggregate.expressions {
        _ = cost(of: expression, rows: elements, cell: costs.gatheredCell)
      }
    }
    let groups = grouping.keys.isEmpty ? parents : max(parents, min(rows, parents * DefaultSelectivity.groups))
    for expression in [grouping.having].compactMap({ $0 }) + grouping.order.map(\.expression) {
      _ = cost(of: expression, rows: groups, cell: costs.gatheredCell)
    }
    planFields(grouping.fields, rows: groups)
  }

  /// Plans a set once; a set that several places use is planned for the first of them.
  mutating func planSet(_ id: SetID, executions: Double, usage: SetUsage) {
    guard plans[id.index] == nil else { return }
    // Against a set that refers to itself, which no binder makes.
    plans[id.index] = baseline(id)
    if isDue(at: query[id].range) { return }
    let set = query[id]
    let executions = max(1, executions)
    let plan: SetPlan
    switch set.source {
    case .all: plan = planCollection(id, executions: executions, usage: usage)
    case .key, .relation, .step, .linked, .routes, .branches, .union, .items, .closure, .shortestPath, .given, .deleted,
      .keys, .members, .each, .host:
      plan = planLinked(id, executions: executions, usage: usage)
    }
    plans[id.index] = plan
    for expression in set.order.map(\.expression) + set.distinctOn {
      _ = cost(of: expression, rows: executions * plan.estimate.accessRows, cell: costs.gatheredCell)
    }
    for expression in set.outerExpressions {
      _ = cost(of: expression, rows: executions, cell: costs.gatheredCell)
    }
  }

  /// Whether the caller does not wait any longer, which is reported once.
  mutating func isDue(at range: SourceRange) -> Bool {
    if isInterrupted { return true }
    guard let diagnostic = options.interruption?.diagnostic(at: range) else { return false }
    diagnostics.append(diagnostic)
    isInterrupted = true
    return true
  }

  /// The plan that needs no thought: the source as it stands, a test per row, a sort.
  func baseline(_ id: SetID) -> SetPlan {
    let access: AccessPath
    switch query[id].source {
    case .all: access = .scan
    case .key(let index, let keys): access = .lookup(index, keys)
    case .relation, .step, .linked, .routes, .branches, .union, .items, .closure, .shortestPath, .given, .deleted,
      .keys,
      .members, .each, .host:
      access = .source
    }
    return SetPlan(access: access, filter: query[id].predicate, order: query[id].sortingMethod)
  }
}

/// What is wanted of a set's rows.
enum SetUsage {
  case rows
  /// Their number only: an unfiltered index range answers by ranks.
  case count
  /// Whether there is one: the first ends the search.
  case existence
}

/// A number for a limit or an offset.
extension Optimizer {
  func count(_ expression: BoundExpression?, orElse fallback: Double) -> Double {
    guard let expression else { return fallback }
    if case .int(let number)? = estimator.value(of: expression) { return Double(max(0, number)) }
    return DefaultSelectivity.limit
  }
}
