import GQLBase
import GQLCatalog
import GQLRegex

/// How a bound query is answered: for each of its sets an access path, a residual filter and a way to its order.
///
/// A value: printable (`explain`), comparable, cached. It holds no row and no data but constants.
package struct PhysicalPlan: Sendable, Equatable {
  package var query: BoundQuery
  /// Parallel to `query.sets`.
  package var sets: [SetPlan]
  /// Sets that are computed once, before anything else, in this order.
  package var rowSets: [RowSetPlan]
  /// True if other parameter values could make another plan the better one.
  package var isParameterSensitive: Bool
  /// The types whose ids should have an order, with which a plan would be much better.
  package var wantedOrders: Set<EntityTypeID>
  /// What the choice depended on, apart from the statistics; see ``accessEstimates(_:parameters:statistics:)``.
  package var watched: [WatchedEstimate]

  package init(
    query: BoundQuery, sets: [SetPlan], rowSets: [RowSetPlan] = [], isParameterSensitive: Bool = false,
    wantedOrders: Set<EntityTypeID> = [], watched: [WatchedEstimate] = []
  ) {
    self.wantedOrders = wantedOrders
    self.query = query
    self.sets = sets
    self.rowSets = rowSets
    self.isParameterSensitive = isParameterSensitive
    self.watched = watched
  }

  package subscript(_ id: SetID) -> SetPlan { sets[id.index] }
}

/// The physical side of one ``BoundSet``.
package struct SetPlan: Sendable, Equatable {
  package var access: AccessPath
  /// What the access path does not guarantee. Conjuncts stand cheapest and most selective first.
  package var filter: BoundExpression?
  package var order: OrderMethod
  /// The operators that make lists, pages, counts and tests of the set.
  package var operators: SetOperators
  /// Whether the order is right only while ids ascend with insertion, because rows that agree in what is walked come in
  /// canonical order. A run that finds other ids sorts.
  package var needsAscendingIDs: Bool
  package var estimate: PlanEstimate
  /// Holds the plan that takes over from a scan or a walk that was expected to find enough rows early, and did not.
  package var retreat: Retreat?
  /// Holds the plan by a scan that stands in for an element for which a key of the access path fails; nil if none can.
  ///
  /// A key is computed for each element, a condition only for the members that there are and that the conditions before
  /// it leave. The scan finds whether there are any, and fails for the first of them.
  package var whenKeysFail: Retreat?
  /// The alternatives that lost, best first, for `explain`.
  package var dropped: [DroppedAlternative]

  package init(
    access: AccessPath, filter: BoundExpression?, order: OrderMethod, operators: SetOperators = SetOperators(),
    needsAscendingIDs: Bool = false, estimate: PlanEstimate = PlanEstimate(), retreat: Retreat? = nil,
    whenKeysFail: Retreat? = nil, dropped: [DroppedAlternative] = []
  ) {
    self.access = access
    self.filter = filter
    self.order = order
    self.operators = operators
    self.needsAscendingIDs = needsAscendingIDs
    self.estimate = estimate
    self.retreat = retreat
    self.whenKeysFail = whenKeysFail
    self.dropped = dropped
  }

  /// Another plan of the same set, and when it takes over.
  package indirect enum Retreat: Sendable, Equatable {
    /// Once so many rows have been looked at, which cost as much as the other plan is expected to cost.
    case after(rows: Int, SetPlan)
    /// Where a key cannot be computed.
    case failingKeys(SetPlan)

    /// The plan that takes over.
    package var plan: SetPlan {
      get {
        switch self {
        case .after(_, let plan), .failingKeys(let plan): plan
        }
      }
      set {
        switch self {
        case .after(let rows, _): self = .after(rows: rows, newValue)
        case .failingKeys: self = .failingKeys(newValue)
        }
      }
    }
    /// How many rows are looked at before.
    package var rows: Int {
      switch self {
      case .after(let rows, _): rows
      case .failingKeys: 0
      }
    }
  }
}

extension SetPlan {
  /// The plans that may take over.
  package var others: [SetPlan] { [retreat, whenKeysFail].compactMap { $0?.plan } }
}

/// What the planner expects of a set. Figures may be wrong and never change an answer.
package struct PlanEstimate: Sendable, Equatable {
  /// Rows that are taken from the access path, which may stop early, and rows left after the filter and the limit (per
  /// parent, in nested sets).
  package var accessRows: Double = 0
  package var rows: Double = 0
  /// The share of the rows taken for which the filter is true.
  package var filterShare: Double = 1
  /// Units of ``Cost``, per parent too.
  package var cost: Double = 0
  package init(accessRows: Double = 0, rows: Double = 0, filterShare: Double = 1, cost: Double = 0) {
    self.accessRows = accessRows
    self.rows = rows
    self.filterShare = filterShare
    self.cost = cost
  }
}

/// A figure that follows the parameters and decided between plans.
package enum WatchedEstimate: Sendable, Equatable {
  /// Rows of an access path that was taken or considered.
  case access(AccessPath)
  /// Rows of a type that are not of a path, where these come first.
  case rest(AccessPath, EntityTypeID)
  /// The value of a limit.
  case limit(BoundExpression)
}

/// A plan of a set that was dearer than the one chosen, for `explain`.
package struct DroppedAlternative: Sendable, Equatable {
  package var description: String
  package var cost: Double
  package init(description: String, cost: Double) {
    self.description = description
    self.cost = cost
  }
}

/// How a set's rows get into list order.
package enum OrderMethod: Sendable, Equatable {
  /// No `orderBy`: link order in a relation, canonical order elsewhere (the executor sorts row ids where the access
  /// path does not give them ascending).
  case natural
  /// The access path walks its B-tree in list order, descending if said so, or its postings by score; stops early at
  /// the limit.
  case fromAccess(descending: Bool)
  /// The access path walks its B-tree in the order of the first `prefix` terms; rows that agree in these are sorted by
  /// all. Stops when the limit is reached and no further row can agree with the last one.
  case incremental(descending: Bool, prefix: Int)
  /// Keeps only the first `offset + limit`.
  case topN
  case sort
}

extension OrderMethod {
  /// Indicates whether rows are sorted, all or the first of them.
  package var sorts: Bool {
    switch self {
    case .natural, .fromAccess: false
    case .topN, .sort, .incremental: true
    }
  }

  /// Indicates whether the access path is walked in its order, and then whether backwards.
  package var walk: (isWalk: Bool, isDescending: Bool) {
    switch self {
    case .natural, .topN, .sort: (false, false)
    case .fromAccess(let descending), .incremental(let descending, _): (true, descending)
    }
  }
}

extension BoundSet {
  /// Indicates whether only members after or before a cursor belong.
  package var isPaged: Bool { paging?.hasCursor ?? false }

  /// Indicates whether limit and offset are the same for all elements of a run.
  package var hasCommonSlice: Bool {
    (limit?.isConstantOrParameter ?? true) && (offset?.isConstantOrParameter ?? true)
  }

  /// Returns the column of fixed width that the first term of its order is, if the others cannot fail: rows are compared
  /// by it as it lies, and by the other terms where it ties.
  package func leadingColumn(_ query: BoundQuery, _ catalog: Catalog) -> ColumnID? {
    guard let term = order.first, case .column(.scope(0, _), let column) = term.expression.kind,
      !order.dropFirst().contains(where: { query.canFail($0.expression) })
    else { return nil }
    switch catalog[type][column].kind {
    case .int64, .float64, .byte, .code: return column
    default: return nil
    }
  }

  /// How its rows get into list order where the access path gives none. Top-n where a limit allows it: not behind
  /// `distinctOn`, which needs all rows in order.
  package var sortingMethod: OrderMethod {
    if order.isEmpty { return .natural }
    return limit != nil && distinctOn.isEmpty ? .topN : .sort
  }
}

/// A semi-join's build side: the entities of a type that some member of `set` leads to.
///
/// `set` is a set of the query whose plan says how its members are found; each route leads from its type to the type of
/// the row set.
package struct RowSetPlan: Sendable, Equatable {
  package var type: EntityTypeID
  package var set: SetID
  /// Relations followed from the members, in order; an empty route if the members themselves are the row set. Several
  /// where a field of an interface is followed back, one for each of its types.
  package var routes: [[RelationID]]
  package var estimate: PlanEstimate
  package init(type: EntityTypeID, set: SetID, routes: [[RelationID]], estimate: PlanEstimate = PlanEstimate()) {
    self.type = type
    self.set = set
    self.routes = routes
    self.estimate = estimate
  }
}

extension PhysicalPlan {
  /// Returns whether both find the same rows in the same way, whatever they expect; walks give up after about as many
  /// rows.
  package func isSameWay(as other: PhysicalPlan) -> Bool {
    sets.count == other.sets.count && rowSets.count == other.rowSets.count
      && zip(sets, other.sets).allSatisfy {
        $0.isSameAccess(as: $1) && SetPlan.retreatsAlike($0.retreat, $1.retreat)
      }
      && zip(rowSets, other.rowSets).allSatisfy { $0.set == $1.set && $0.routes == $1.routes }
  }
}

extension SetPlan {
  fileprivate func isSameAccess(as other: SetPlan) -> Bool {
    access == other.access && filter == other.filter && order == other.order && operators == other.operators
  }

  fileprivate static func retreatsAlike(_ left: Retreat?, _ right: Retreat?) -> Bool {
    switch (left, right) {
    case (nil, nil): return true
    case (let left?, let right?):
      let share = Double(left.rows + 1) / Double(right.rows + 1)
      return left.plan.isSameAccess(as: right.plan) && share > 0.75 && share < 1.33
    default: return false
    }
  }
}
