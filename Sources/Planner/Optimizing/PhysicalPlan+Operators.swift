import GQLCatalog
import GQLQuery

/// Names the operators that the executor makes of each set's plan.
extension PhysicalPlan {
  /// Chooses the operators of all sets. They follow from access path, filter and order, and have no price of their own.
  package mutating func chooseOperators(_ catalog: Catalog) {
    let selected = SelectedSets(query)
    let context = SetFacts.Context(query, catalog)
    for index in sets.indices {
      let facts = SetFacts(SetID(index), sets[index].access, selected, context)
      sets[index].operators = facts.operators(of: sets[index])
      if let retreat = sets[index].retreat { sets[index].retreat?.plan.operators = facts.operators(of: retreat.plan) }
      guard query.sets[index].source == .all, sets[index].access.keyExpressions.contains(where: { query.canFail($0) })
      else { continue }
      var scan = SetPlan(
        access: .scan, filter: query.sets[index].predicate, order: query.sets[index].sortingMethod)
      scan.operators = facts.operators(of: scan)
      sets[index].whenKeysFail = .failingKeys(scan)
    }
  }
}

/// The sets of which selections ask for more than members.
struct SelectedSets {
  /// Those whose members' depths are written.
  fileprivate var withDepths: Set<SetID> = []
  /// Those that a field at the root groups by what members say themselves.
  fileprivate var grouped: Set<SetID> = []

  init(_ query: BoundQuery) {
    for place in query.selections.indices where query.selections[place].showsDepth {
      withDepths.insert(query.selections[place].set)
    }
    for place in query.fields.indices {
      guard case .many(let id) = query.fields[place].content, case .groups(let grouping) = query[id].shape,
        grouping.aggregates.allSatisfy({ $0.set == nil })
      else { continue }
      grouped.insert(query[id].set)
    }
  }
}

/// The facts about a set on which its operators may rely.
struct SetFacts {
  /// A query and its catalog, which all of its sets share. A class, because each set's facts hold it.
  final class Context {
    let query: BoundQuery
    let catalog: Catalog

    init(_ query: BoundQuery, _ catalog: Catalog) {
      self.query = query
      self.catalog = catalog
    }
  }
  private let set: BoundSet
  private let context: Context
  private var query: BoundQuery { context.query }
  private var catalog: Catalog { context.catalog }
  /// Indicates whether the depths of its members are written, which a walk finds.
  private let showsDepths: Bool
  /// Indicates whether a field at the root groups its members by what they say themselves.
  private let isGroupedAtRoot: Bool
  /// Indicates whether its lists depend on what is around it.
  let isCorrelated: Bool

  /// - Parameter access: The access path of the set's plan.
  init(_ id: SetID, _ access: AccessPath, _ selected: SelectedSets, _ context: Context) {
    set = context.query[id]
    self.context = context
    var isClosure = false
    if case .closure = set.source { isClosure = access == .source }
    showsDepths = isClosure && selected.withDepths.contains(id)
    isGroupedAtRoot = selected.grouped.contains(id)
    isCorrelated =
      !context.query.freeScopes(of: id).isEmpty
      || access.keyExpressions.contains { !context.query.freeScopes(of: $0).isEmpty }
  }

  /// Where the rows of each element lie, for operators that find those of many elements together.
  enum Lists { case links, branches, group, members, walk, keyed, other }

  func lists(_ plan: SetPlan) -> Lists {
    switch (plan.access, set.source) {
    case (.source, .relation(let entity, _)): entity.isPath && set.linkStatus == .live ? .links : .branches
    case (.source, .branches): .branches
    case (.source, .items): .group
    case (.source, .members): .members
    case (.source, .closure): .walk
    case (.source, .key), (.lookup, _), (.hashJoin, _): isCorrelated && !set.isPaged ? .keyed : .other
    case (.range(let id, let range), _):
      range.isWholeKey(of: catalog[id], catalog) && isCorrelated && !set.isPaged ? .keyed : .other
    default: .other
    }
  }

  /// Indicates whether its members are just the rows of its access path, in their order, or a slice of them.
  func isPlain(_ plan: SetPlan) -> Bool {
    plan.filter == nil && set.distinctOn.isEmpty && !set.isPaged
  }

  /// Indicates whether the slice of an element's links can be read without the others.
  func isSliced(_ plan: SetPlan) -> Bool {
    guard isPlain(plan), set.order.isEmpty else { return false }
    switch (lists(plan), set.source) {
    case (.links, _), (.group, _): return true
    case (.branches, .relation(let entity, _)): return set.linkStatus != .live && entity.alternatives.count == 1
    case (.branches, .branches(let branches)):
      return set.linkStatus != .live && branches.count == 1 && branches[0].casts.isEmpty
        && branches[0].reference.alternatives.count == 1
    default: return false
    }
  }

  /// Indicates whether its members are a whole table.
  func isTable(_ plan: SetPlan) -> Bool {
    plan.access == .scan && isPlain(plan) && set.order.isEmpty && set.limit == nil && set.offset == nil
  }

  /// Indicates whether the access path tells the number of rows without finding them.
  func isCounted(_ plan: SetPlan) -> Bool {
    switch (plan.access, set.source) {
    case (.scan, _), (.lookup, _), (.range, _), (.empty, _), (.source, .key): true
    case (.hashJoin, _): lists(plan) == .keyed
    case (.source, .relation), (.source, .branches), (.source, .step): set.linkStatus == .live
    case (.source, .routes(_, let routes, let inLinkOrder)):
      set.linkStatus == .live && !inLinkOrder && routes.count == 1 && routes[0].count == 1
    default: false
    }
  }

  // MARK: - Choice

  func operators(of plan: SetPlan) -> SetOperators {
    SetOperators(
      lists: listMethod(plan), page: pageMethod(plan), count: countMethod(plan), exists: existenceMethod(plan),
      groups: isTable(plan) && isGroupedAtRoot ? .pages : .lists)
  }

  private func listMethod(_ plan: SetPlan) -> ListMethod {
    if showsDepths { return .walks }
    if !isCorrelated { return .shared }
    if set.isPaged { return .each }
    if isSliced(plan) { return .slices }
    switch lists(plan) {
    case .links:
      if isPlain(plan), plan.order == .topN, set.leadingColumn(query, catalog) != nil { return .topLinks }
      let stops = set.order.isEmpty && set.distinctOn.isEmpty && set.limit != nil && set.hasCommonSlice
      return stops ? .firstLinks : .batched
    case .branches, .group: return .batched
    case .members:
      // Where a few members are enough, the filter looks at few.
      let stops = plan.filter != nil && set.order.isEmpty && set.distinctOn.isEmpty && (set.limit ?? set.offset) != nil
      return stops ? .each : .batched
    case .walk: return .walks
    case .keyed: return .keyed
    case .other: return .each
    }
  }

  private func pageMethod(_ plan: SetPlan) -> PageMethod? {
    guard let paging = set.paging, paging.hasCursor else { return nil }
    switch (plan.access, plan.order) {
    case (.range, .fromAccess) where set.distinctOn.isEmpty && !set.order.isEmpty: return .ranks
    case (.range, .incremental) where paging.after != nil: return .ties
    case (.scan, _)
    where set.order.isEmpty && set.distinctOn.isEmpty && !(plan.filter.map { query.canFail($0) } ?? false):
      return .rows
    default: return .compared
    }
  }

  private func countMethod(_ plan: SetPlan) -> CountMethod {
    if set.isOneByKey { return .lists }
    if isPlain(plan), isCounted(plan) { return .access }
    let isScanned = plan.access == .scan && plan.filter != nil && set.distinctOn.isEmpty && !set.isPaged
    return isScanned && !isCorrelated ? .filter : .lists
  }

  private func existenceMethod(_ plan: SetPlan) -> ExistenceMethod {
    guard plan.filter != nil, set.distinctOn.isEmpty, !set.isPaged else { return .count }
    switch lists(plan) {
    case .links: return set.hasCommonSlice ? .firstLinks : .count
    case .keyed where set.limit == nil && set.offset == nil: return .keyed
    default: return set.isOneByKey || set.linkStatus != .live ? .count : .first
    }
  }

  // MARK: - Checks

  /// Returns what an operator of a plan relies on and does not have.
  func problems(_ plan: SetPlan) -> [String] {
    var problems: [String] = []
    func require(_ holds: Bool, _ problem: String) { if !holds { problems.append(problem) } }
    let operators = plan.operators
    switch operators.lists {
    case .shared: require(!isCorrelated && !showsDepths, "shares lists that differ")
    case .each: break
    case .batched:
      require([.links, .branches, .group, .members].contains(lists(plan)), "gathers lists that lie nowhere together")
    case .slices: require(isSliced(plan), "takes slices of what is not cut as it lies")
    case .firstLinks:
      require(
        lists(plan) == .links && set.order.isEmpty && set.distinctOn.isEmpty && set.limit != nil && set.hasCommonSlice,
        "takes the first links of what needs all")
    case .topLinks:
      require(
        lists(plan) == .links && isPlain(plan) && set.limit != nil && set.leadingColumn(query, catalog) != nil,
        "takes the ends of links that no column orders")
    case .keyed: require(lists(plan) == .keyed, "looks up keys where there are none")
    case .walks: require(lists(plan) == .walk, "walks where no step is repeated")
    }
    require((operators.page != nil) == set.isPaged, "has pages and cursors one without the other")
    switch operators.page {
    case nil, .compared: break
    case .ranks: require(plan.order.walk.isWalk && set.distinctOn.isEmpty, "ranks cursors in another order")
    case .ties: require(plan.order.walk.isWalk && set.paging?.after != nil, "ranks a cursor that there is not")
    case .rows: require(plan.access == .scan && set.order.isEmpty, "takes the rows of cursors for places")
    }
    switch operators.count {
    case .lists: break
    case .access: require(isPlain(plan) && isCounted(plan) && !set.isOneByKey, "counts what is not counted")
    case .filter: require(plan.access == .scan && plan.filter != nil && !isCorrelated, "counts by a scan of other rows")
    }
    switch operators.exists {
    case .count: break
    case .firstLinks: require(lists(plan) == .links && set.hasCommonSlice, "tests links that are cut one by one")
    case .keyed: require(lists(plan) == .keyed && set.limit == nil, "tests keys where there are none")
    case .first: require(set.distinctOn.isEmpty && !set.isPaged && !set.isOneByKey, "tests one member of several")
    }
    require(operators.groups == .lists || isTable(plan) && isGroupedAtRoot, "groups pages of other rows")
    return problems
  }
}

extension IndexRange {
  /// Returns whether it is one whole key of a B-tree, of which the index finds all rows at once.
  func isWholeKey(of index: IndexDescriptor, _ catalog: Catalog) -> Bool {
    guard index.kind.facts.isOrdered, !equal.isEmpty, equal.count == index.columns.count, lower == nil, upper == nil,
      prefix == nil, !onlyNulls
    else { return false }
    return equal.count == 1 || index.columns.allSatisfy { catalog[index.type][$0].isNonNull }
  }
}
