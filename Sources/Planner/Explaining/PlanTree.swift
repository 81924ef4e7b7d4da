import GQLBase
import GQLCatalog
import GQLQuery

/// A choice of what ``planTree(_:catalog:options:)`` and ``explain(_:catalog:options:)`` show.
package struct ExplainOptions: Sendable, Equatable {
  /// False gives the stable form: no figure that follows the data.
  package var costs: Bool
  /// Holds what a run measured, parallel to `PhysicalPlan.sets`.
  package var analyzed: [SetActuals]?
  package init(costs: Bool = true, analyzed: [SetActuals]? = nil) {
    self.costs = costs
    self.analyzed = analyzed
  }
}

/// An operator of a plan, or a set whose operators are below it.
package struct PlanNode: Sendable, Equatable {
  /// Names what it stands for: the response key of a set, else the step of the way to its rows, as `access` or `filter`.
  package var label = ""
  /// Indicates whether it is a set, whose operators are below it, and whether that is the set of a root field.
  package var isSet = false
  package var isRoot = false
  /// The operator, with the values that it works with.
  package var text: String
  /// The rows that are expected, of a nested set for each element.
  package var rows: Double?
  /// Indicates whether the rows are those of each element.
  package var isEach = false
  /// The price that is expected, in units of ``Cost``.
  package var cost: Double?
  /// The share of the rows that a filter is expected to keep.
  package var share: Double?
  /// The rows of another plan that are looked at before this one takes over.
  package var after: Int?
  /// Holds what a run measured.
  package var actuals: [Actual] = []
  package var children: [PlanNode] = []
  /// The plans that lost.
  package var dropped: [DroppedAlternative] = []

  /// A measurement of one use of the operator.
  package struct Actual: Sendable, Equatable {
    /// Says what was asked: rows, their number, whether there are any.
    package var use: Use
    /// The rows that came in, where they are other than those that left.
    package var input: Int?
    package var measured: OperatorActuals

    package enum Use: String, Sendable { case rows, count, exists, group }
  }
}

/// Returns the plan as a forest, a tree for each root field.
package func planTree(_ plan: PhysicalPlan, catalog: Catalog, options: ExplainOptions = .init()) -> [PlanNode] {
  let builder = PlanTreeBuilder(plan: plan, catalog: catalog, options: options)
  return plan.query.fields.map { builder.root($0) }
}

/// Makes the nodes of a plan.
struct PlanTreeBuilder {
  let plan: PhysicalPlan
  let catalog: Catalog
  let options: ExplainOptions
  private var printer: ExpressionPrinter

  init(plan: PhysicalPlan, catalog: Catalog, options: ExplainOptions) {
    self.plan = plan
    self.catalog = catalog
    self.options = options
    printer = ExpressionPrinter(query: plan.query, catalog: catalog, rowSets: plan.rowSets)
  }

  // MARK: Root

  func root(_ field: BoundField) -> PlanNode {
    switch field.content {
    case .typename, .recursion, .depth, .cycle, .cursor, .introspection, .embedded, .inlined:
      return PlanNode(text: field.key)
    case .value(let expression):
      var node = PlanNode(
        text: "\(field.key) := \(printer.text(expression))", children: calls(in: [expression], depth: 0))
      node.dropped = sets(in: [expression]).flatMap { plan[$0].dropped }
      return node
    case .one(let id), .many(let id):
      let selection = plan.query[id]
      var node = heading(field.key, selection.set)
      node.children = children(of: selection, depth: 0)
      node.dropped = dropped(selection.set)
      return node
    }
  }

  /// The plans that lost, of a set or of the one that it takes its members from.
  private func dropped(_ id: SetID) -> [DroppedAlternative] {
    if case .members(_, let sets) = plan.query[id].source, sets.count == 1 { return dropped(sets[0]) }
    return plan[id].dropped
  }

  private func heading(_ key: String, _ id: SetID) -> PlanNode {
    let type = catalog[plan.query[id].type].name
    var node = PlanNode(isSet: true, isRoot: true, text: key.isEmpty || key == type ? type : "\(key): \(type)")
    if options.costs {
      node.rows = plan[id].estimate.rows
      node.cost = plan[id].estimate.cost
    }
    node.actuals = uses(id)
    return node
  }

  // MARK: Sets

  private func children(of selection: BoundSelection, depth: Int) -> [PlanNode] {
    var nodes = details(selection.set, depth: depth) + [lists(selection.set, depth: depth)].compactMap { $0 }
    switch selection.shape {
    case .object(let fields): nodes += self.fields(fields, depth: depth)
    case .value(let expression): nodes += calls(in: [expression], depth: depth)
    case .groups(let grouping): nodes += self.grouping(grouping, of: selection.set, depth: depth)
    }
    return nodes
  }

  private func grouping(_ grouping: BoundGrouping, of id: SetID, depth: Int) -> [PlanNode] {
    let keys = grouping.keys.flatMap(\.expressions).map { printer.text($0) }
    var text = "by [\(keys.joined(separator: ", "))]"
    if !grouping.aggregates.isEmpty {
      text += " computing \(grouping.aggregates.map { printer.text($0) }.joined(separator: ", "))"
    }
    var below = calls(in: grouping.memberExpressions, depth: depth + 1)
    for set in grouping.aggregates.compactMap(\.set) {
      var node = source(set)
      node.children = details(set, depth: depth + 1) + [lists(set, depth: 1)].compactMap { $0 }
      if !node.children.isEmpty || options.costs { below.append(node) }
    }
    if plan[id].operators.groups == .pages { text += ", page by page" }
    var nodes = [PlanNode(label: "group", text: text, actuals: groups(of: id), children: below)]
    var inner = self
    inner.printer.hiddenScopes = 1
    if let having = grouping.having {
      let calls = inner.calls(in: [having], depth: depth + 1)
      nodes.append(PlanNode(label: "having", text: inner.printer.text(having), children: calls))
    }
    let limit = grouping.limit.map { printer.text($0) }
    let skipped = grouping.offset.map { ", skipping \(printer.text($0))" } ?? ""
    if !grouping.order.isEmpty {
      let cut = limit.map { ", first \($0)\(skipped)" } ?? skipped
      nodes.append(PlanNode(label: "order", text: "sort by \(inner.printer.order(grouping.order))\(cut)"))
    } else if limit != nil || !skipped.isEmpty {
      nodes.append(PlanNode(label: "order", text: "natural, stop after \(limit ?? "all")\(skipped)"))
    }
    return nodes + inner.fields(grouping.fields, depth: depth)
  }

  private func fields(_ fields: [BoundField], depth: Int) -> [PlanNode] {
    // Against a plan that refers to itself; no binder makes one.
    guard depth < 256 else { return [] }
    return fields.flatMap { field -> [PlanNode] in
      switch field.content {
      case .typename, .recursion, .depth, .cycle, .cursor, .introspection: return []
      case .value(let expression):
        let below = calls(in: [expression], depth: depth + 1)
        return below.isEmpty ? [] : [PlanNode(label: field.key, text: printer.text(expression), children: below)]
      case .embedded(_, let inner): return self.fields(inner, depth: depth + 1)
      case .inlined(let condition, let inner):
        let below = self.fields(inner, depth: depth + 1)
        return below.isEmpty ? [] : [PlanNode(text: "where \(printer.text(condition))", children: below)]
      case .one(let id), .many(let id):
        let selection = plan.query[id]
        let recursion = selection.recursion.map { " \(printer.recursion($0))" } ?? ""
        var node = source(selection.set, after: recursion)
        node.label = field.key
        node.children = children(of: selection, depth: depth + 1)
        return [node]
      }
    }
  }

  /// How a child's rows come.
  private func source(_ id: SetID, isOnce: Bool = false, after recursion: String = "") -> PlanNode {
    var node = PlanNode(isSet: true, text: origin(id) + (isOnce ? ", once" : "") + recursion)
    if options.costs {
      node.rows = plan[id].estimate.rows
      node.isEach = !isOnce
    }
    node.actuals = uses(id)
    return node
  }

  /// Where a set's rows come from, in words.
  private func origin(_ id: SetID) -> String {
    let set = plan.query[id]
    var text: String
    switch set.source {
    case .relation(_, let relation):
      let descriptor = catalog[relation]
      text = "batched \(descriptor.isToMany ? "to-many" : "to-one") \(catalog[descriptor.source].name)."
      text += "\(catalog.name(of: relation)) → \(catalog[set.type].name)"
    case .step, .linked, .routes, .union: text = "step \(printer.set(set))"
    case .branches: text = "by type \(printer.set(set))"
    case .given: text = "the entities changed"
    case .all: text = "of \(catalog[set.type].name)"
    case .deleted(let includesLive): text = "\(includesLive ? "also" : "only") deleted of \(catalog[set.type].name)"
    case .key: text = "by key \(printer.set(set))"
    case .closure, .shortestPath: text = "walk \(printer.set(set))"
    case .items: text = "members of the group"
    case .members(.common, _), .keys, .host: text = "of \(catalog[set.type].name)"
    case .members(_, let sets): text = sets.first.map { origin($0) } ?? ""
    case .each(_, let list): text = origin(list)
    }
    switch set.linkStatus {
    case .live: break
    case .deleted: text += ", only deleted"
    case .any: text += ", also deleted"
    }
    return text
  }

  /// The steps of a set, those of the sets that it is made of included. Sets may lie deep within one another, so that
  /// what is not the recursion itself stands in functions of its own, whose frames are gone by then.
  private func details(_ id: SetID, depth: Int) -> [PlanNode] {
    guard depth < 256 else { return [] }
    let inner = bases(of: id).map { details($0, depth: depth + 1) }
    return access(id, depth: depth) + combined(id, inner) + following(id, depth: depth)
  }

  private func bases(of id: SetID) -> [SetID] { plan.query[id].source.sets }

  /// The access path of a set.
  private func access(_ id: SetID, depth: Int) -> [PlanNode] {
    let set = plan.query[id]
    let setPlan = plan[id]
    var nodes: [PlanNode] = []
    if setPlan.access != .source {
      var node = PlanNode(label: "access", text: setPlan.access.form.text(PathPrinter(printer)))
      if setPlan.order.walk.isDescending { node.text += "  descending" }
      if options.costs { node.rows = setPlan.estimate.accessRows }
      node.actuals = measured(id, .access)
      node.children = setPlan.access.rowSets.map { rowSet($0, depth: depth + 1) }
      node.children += calls(in: setPlan.access.keyExpressions, depth: depth + 1)
      nodes.append(node)
    }
    if case .deleted(let includesLive) = set.source {
      var node = PlanNode(
        label: "access", text: includesLive ? "FullScan with deleted" : "Deleted \(catalog[set.type].name)")
      if options.costs { node.rows = setPlan.estimate.accessRows }
      node.actuals = measured(id, .access)
      nodes.append(node)
    }
    return nodes
  }

  /// The steps after the access path.
  private func following(_ id: SetID, depth: Int) -> [PlanNode] {
    let set = plan.query[id]
    let setPlan = plan[id]
    var nodes = setPlan.filter.map { filter($0, of: id, depth: depth) } ?? []
    if let order = order(set, setPlan) {
      nodes.append(PlanNode(label: "order", text: order, actuals: setPlan.order.sorts ? measured(id, .order) : []))
    }
    if !set.distinctOn.isEmpty {
      let keys = set.distinctOn.map { printer.text($0) }.joined(separator: ", ")
      nodes.append(PlanNode(label: "distinct", text: "first of each \(keys)"))
    }
    nodes += [setPlan.retreat, setPlan.whenKeysFail].compactMap { $0 }.map { retreat($0, of: id, depth: depth) }
    nodes += calls(in: set.order.map(\.expression) + set.distinctOn, depth: depth + 1)
    return nodes
  }

  /// How the sets that a set's members come from are put together. `inner` are the steps of each of these.
  private func combined(_ id: SetID, _ inner: [[PlanNode]]) -> [PlanNode] {
    let sets = bases(of: id)
    func part(_ label: String, _ number: Int) -> PlanNode {
      var node = source(sets[number])
      node.label = label
      node.children = inner[number]
      return node
    }
    let all = inner.flatMap { $0 }
    switch plan.query[id].source {
    case .keys(let index, let list):
      let name = catalog.shortDescription(of: .lookup(index, []), order: .natural)
      return [PlanNode(label: "access", text: "\(name) each of \(printer.text(list))", actuals: measured(id, .access))]
    case .host(let number): return [PlanNode(label: "access", text: "in Swift: \(printer.hostWords(number))")]
    case .members(.once, _): return all + [PlanNode(label: "distinct", text: "each once")]
    case .members(.last, _): return all + [PlanNode(label: "order", text: "the last one")]
    case .members(.sorted(let number), _): return all + [PlanNode(text: "in Swift: \(printer.hostWords(number))")]
    case .members(.common, _): return sets.indices.map { part("all of", $0) }
    case .union where sets.count > 1: return sets.indices.map { part("any of", $0) }
    case .each where sets.count == 2: return inner[0] + [part("each", 1)]
    default: return all
    }
  }

  /// Shows the tests of the plan's filter, and below them those of the embedding program.
  private func filter(_ filter: BoundExpression, of id: SetID, depth: Int) -> [PlanNode] {
    func isHost(_ conjunct: BoundExpression) -> Bool { if case .host = conjunct.kind { true } else { false } }
    var nodes: [PlanNode] = []
    let conjuncts = filter.conjuncts
    let own = conjuncts.contains(where: isHost) ? BoundExpression.conjunction(conjuncts.filter { !isHost($0) }) : filter
    if let own {
      var node = PlanNode(label: "filter", text: printer.text(own), children: calls(in: [own], depth: depth + 1))
      if options.costs, plan[id].estimate.accessRows > 0 { node.share = plan[id].estimate.filterShare }
      nodes.append(node)
    }
    for case .host(_, let number) in conjuncts.map(\.kind) {
      nodes.append(PlanNode(text: "in Swift: \(printer.hostWords(number))"))
    }
    nodes[nodes.count - 1].actuals = measured(id, .filter)
    return nodes
  }

  /// Another plan of the set, which takes over from one that does not find enough rows early, or whose keys fail.
  private func retreat(_ retreat: SetPlan.Retreat, of id: SetID, depth: Int) -> PlanNode {
    let set = plan.query[id]
    var node = PlanNode(label: "else", text: retreat.plan.access.form.text(PathPrinter(printer)))
    if retreat.plan.order.walk.isDescending { node.text += "  descending" }
    if case .after(let rows, _) = retreat {
      if options.costs { node.after = rows }
      if let taken = options.analyzed?[id.index].retreats {
        node.actuals = [PlanNode.Actual(use: .rows, measured: OperatorActuals(loops: taken))]
      }
    } else {
      node.text += " where a key fails"
    }
    node.children = retreat.plan.access.rowSets.map { rowSet($0, depth: depth + 1) }
    if let filter = retreat.plan.filter {
      // What its conditions ask stands below the plan's own filter.
      node.children.append(PlanNode(label: "filter", text: printer.text(filter)))
    }
    if let order = order(set, retreat.plan) { node.children.append(PlanNode(label: "order", text: order)) }
    return node
  }

  private func order(_ set: BoundSet, _ setPlan: SetPlan) -> String? {
    let limit = set.limit.map { printer.text($0) }
    var skipped = set.offset.map { ", skipping \(printer.text($0))" } ?? ""
    if let after = set.paging?.after { skipped += " after \(printer.text(after))" }
    if let before = set.paging?.before { skipped += " before \(printer.text(before))" }
    let page = setPlan.operators.page?.words ?? ""
    var method = "from index"
    if case .textSearch = setPlan.access { method = "by score" }
    switch setPlan.order {
    case .natural where limit == nil && !set.isPaged: return nil
    case .natural: method = "natural"
    case .fromAccess:
      if setPlan.access.fixedColumns(catalog) != nil && !setPlan.order.walk.isDescending { method = "by insertion" }
    case .incremental(_, let prefix):
      let rest = Array(set.order.dropFirst(prefix))
      if method != "by score" { method += " by \(printer.order(Array(set.order.prefix(prefix))))" }
      method += ", ties " + (rest.isEmpty ? "in canonical order" : "sorted by \(printer.order(rest))")
    case .topN: return "top \(limit ?? "")\(skipped) by \(printer.order(set.order))\(page)"
    case .sort:
      return "sort by \(printer.order(set.order))" + (limit.map { ", first \($0)" } ?? "")
        + (limit != nil || set.isPaged ? skipped : "") + page
    }
    return method + (limit.map { ", stop after \($0)" } ?? "") + (limit != nil || set.isPaged ? skipped : "") + page
  }

  /// The sets and row sets in expressions that have something to tell.
  private func calls(in expressions: [BoundExpression], depth: Int) -> [PlanNode] {
    var nodes: [PlanNode] = []
    for expression in expressions {
      var used: [Int] = []
      expression.forEachNode { if case .inRowSet(_, let index) = $0.kind { used.append(index) } }
      for index in used { nodes.append(rowSet(index, depth: depth)) }
    }
    for id in sets(in: expressions) {
      let isOnce = depth > 0 && expressions.contains { isComputedOnce($0, over: id) }
      let below = details(id, depth: depth + 1) + uses(of: id, in: expressions, depth: isOnce ? 0 : depth)
      if below.isEmpty, !options.costs { continue }
      var node = source(id, isOnce: isOnce)
      node.children = below
      nodes.append(node)
    }
    return nodes
  }

  /// Returns whether all that an expression says of a set is the same for every element.
  private func isComputedOnce(_ expression: BoundExpression, over id: SetID) -> Bool {
    var calls: [BoundExpression] = []
    expression.forEachNode { if $0.setCall?.set == id { calls.append($0) } }
    return !calls.isEmpty && calls.allSatisfy { plan.query.isComputedOnce($0) }
  }

  private func sets(in expressions: [BoundExpression]) -> [SetID] {
    var result: [SetID] = []
    for expression in expressions {
      expression.forEachNode { node in
        if let call = node.setCall, !result.contains(call.set) { result.append(call.set) }
      }
    }
    return result
  }

  private func rowSet(_ index: Int, depth: Int) -> PlanNode {
    guard plan.rowSets.indices.contains(index) else { return PlanNode(text: "row set \(index)") }
    let rowSet = plan.rowSets[index]
    var node = PlanNode(isSet: true, text: "by semi-join from \(catalog[plan.query[rowSet.set].type].name)")
    if rowSet.routes == [[]] { node.text = "by set of \(catalog[rowSet.type].name)" }
    if options.costs {
      node.rows = rowSet.estimate.rows
      node.cost = rowSet.estimate.cost
    }
    node.actuals = uses(rowSet.set)
    node.children = details(rowSet.set, depth: depth + 1)
    return node
  }

  // MARK: Figures

  /// Returns what was measured of each use of a set.
  private func uses(_ id: SetID) -> [PlanNode.Actual] {
    guard let all = options.analyzed, all.indices.contains(id.index) else { return [] }
    let actuals = all[id.index]
    var result: [PlanNode.Actual] = []
    if actuals.lists.loops > 0 {
      result.append(PlanNode.Actual(use: .rows, input: actuals.access.rows, measured: actuals.lists))
    }
    if actuals.counts.loops > 0 { result.append(PlanNode.Actual(use: .count, measured: actuals.counts)) }
    if actuals.tests.loops > 0 { result.append(PlanNode.Actual(use: .exists, measured: actuals.tests)) }
    return result
  }

  /// Returns what was measured of a grouping over a set.
  private func groups(of id: SetID) -> [PlanNode.Actual] {
    guard let all = options.analyzed, all.indices.contains(id.index), all[id.index].groups.loops > 0 else { return [] }
    return [PlanNode.Actual(use: .group, measured: all[id.index].groups)]
  }

  /// Returns what was measured of one operator of a set that ran.
  private func measured(_ id: SetID, _ part: SetActuals.Part) -> [PlanNode.Actual] {
    guard let all = options.analyzed, all.indices.contains(id.index), all[id.index].uses.loops > 0 else { return [] }
    let actuals = all[id.index]
    var measured = part == .access ? actuals.measuredAccess : actuals[part]
    measured.loops = actuals.uses.loops
    return [PlanNode.Actual(use: .rows, input: part == .filter ? actuals.filtered : nil, measured: measured)]
  }
}
