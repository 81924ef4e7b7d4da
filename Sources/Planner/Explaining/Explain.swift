import GQLBase
import GQLCatalog
import GQLQuery

/// What ``explain(_:catalog:options:)`` shows.
package struct ExplainOptions: Sendable, Equatable {
  /// False gives the stable form: no figure that follows the data.
  package var costs: Bool
  /// What a run measured, parallel to `PhysicalPlan.sets`.
  package var analyzed: [SetActuals]?
  package init(costs: Bool = true, analyzed: [SetActuals]? = nil) {
    self.costs = costs
    self.analyzed = analyzed
  }
}

/// The plan as a tree, one root field after the other, each with the alternatives that lost below it.
package func explain(_ plan: PhysicalPlan, catalog: Catalog, options: ExplainOptions = .init()) -> String {
  let printer = PlanPrinter(plan: plan, catalog: catalog, options: options)
  var lines: [String] = []
  for field in plan.query.fields { lines += printer.root(field) }
  return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
}

/// A line and what hangs below it.
private struct Node {
  var text: String
  var children: [Node] = []

  func lines(_ result: inout [String], indent: String = "") {
    for (position, child) in children.enumerated() {
      let isLast = position == children.count - 1
      result.append("\(indent)\(isLast ? "└" : "├") \(child.text)")
      child.lines(&result, indent: indent + (isLast ? "  " : "│ "))
    }
  }
}

private struct PlanPrinter {
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

  func root(_ field: BoundField) -> [String] {
    var lines: [String] = []
    switch field.content {
    case .typename, .recursion, .depth, .cycle, .cursor, .introspection: return [field.key]
    case .embedded, .inlined: return [field.key]
    case .value(let expression):
      lines.append("\(field.key) := \(printer.text(expression))")
      Node(text: "", children: calls(in: [expression], depth: 0)).lines(&lines)
      for id in sets(in: [expression]) { lines += dropped(id) }
    case .one(let id), .many(let id):
      let selection = plan.query[id]
      lines.append(heading(field.key, selection.set))
      Node(text: "", children: children(of: selection, depth: 0)).lines(&lines)
      lines += dropped(selection.set)
    }
    return lines
  }

  private func heading(_ key: String, _ id: SetID) -> String {
    let type = catalog[plan.query[id].type].name
    let estimate = plan[id].estimate
    var text = key.isEmpty || key == type ? type : "\(key): \(type)"
    if options.costs { text += "  ≈\(number(estimate.rows)) rows  cost \(number(estimate.cost))" }
    return text + actuals(id)
  }

  private func dropped(_ id: SetID) -> [String] {
    let all = plan[id].dropped
    if all.isEmpty { return [] }
    let shown = all.map { options.costs ? "\($0.description) (cost \(number($0.cost)))" : $0.description }
    return ["dropped: \(shown.joined(separator: " · "))"]
  }

  // MARK: Sets

  private func children(of selection: BoundSelection, depth: Int) -> [Node] {
    var nodes = details(selection.set, depth: depth)
    switch selection.shape {
    case .object(let fields): nodes += self.fields(fields, depth: depth)
    case .value(let expression): nodes += calls(in: [expression], depth: depth)
    case .groups(let grouping): nodes += self.grouping(grouping, depth: depth)
    }
    return nodes
  }

  private func grouping(_ grouping: BoundGrouping, depth: Int) -> [Node] {
    let keys = grouping.keys.flatMap(\.expressions).map { printer.text($0) }
    var text = "\(label("group")) by [\(keys.joined(separator: ", "))]"
    if !grouping.aggregates.isEmpty {
      text += " computing \(grouping.aggregates.map { printer.text($0) }.joined(separator: ", "))"
    }
    var below = calls(in: grouping.memberExpressions, depth: depth + 1)
    for set in grouping.aggregates.compactMap(\.set) {
      let details = details(set, depth: depth + 1)
      if !details.isEmpty || options.costs { below.append(Node(text: source(set), children: details)) }
    }
    var nodes = [Node(text: text, children: below)]
    var inner = self
    inner.printer.hiddenScopes = 1
    if let having = grouping.having {
      let calls = inner.calls(in: [having], depth: depth + 1)
      nodes.append(Node(text: "\(label("having")) \(inner.printer.text(having))", children: calls))
    }
    let limit = grouping.limit.map { printer.text($0) }
    let skipped = grouping.offset.map { ", skipping \(printer.text($0))" } ?? ""
    if !grouping.order.isEmpty {
      let cut = limit.map { ", first \($0)\(skipped)" } ?? skipped
      nodes.append(Node(text: "\(label("order")) sort by \(inner.printer.order(grouping.order))\(cut)"))
    } else if limit != nil || !skipped.isEmpty {
      nodes.append(Node(text: "\(label("order")) natural, stop after \(limit ?? "all")\(skipped)"))
    }
    return nodes + inner.fields(grouping.fields, depth: depth)
  }

  private func fields(_ fields: [BoundField], depth: Int) -> [Node] {
    // Against a plan that refers to itself; no binder makes one.
    guard depth < 256 else { return [] }
    return fields.flatMap { field -> [Node] in
      switch field.content {
      case .typename, .recursion, .depth, .cycle, .cursor, .introspection: return []
      case .value(let expression):
        let below = calls(in: [expression], depth: depth + 1)
        return below.isEmpty ? [] : [Node(text: "\(label(field.key)) \(printer.text(expression))", children: below)]
      case .embedded(_, let inner): return self.fields(inner, depth: depth + 1)
      case .inlined(let condition, let inner):
        let below = self.fields(inner, depth: depth + 1)
        return below.isEmpty ? [] : [Node(text: "where \(printer.text(condition))", children: below)]
      case .one(let id), .many(let id):
        let selection = plan.query[id]
        let recursion = selection.recursion.map { " \(printer.recursion($0))" } ?? ""
        return [
          Node(
            text: "\(label(field.key)) \(source(selection.set))\(recursion)",
            children: children(of: selection, depth: depth + 1))
        ]
      }
    }
  }

  /// How a child's rows come.
  private func source(_ id: SetID, isOnce: Bool = false) -> String {
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
    }
    switch set.linkStatus {
    case .live: break
    case .deleted: text += ", only deleted"
    case .any: text += ", also deleted"
    }
    if isOnce { text += ", once" }
    if options.costs { text += "   est \(number(plan[id].estimate.rows))\(isOnce ? "" : " each")" }
    return text + actuals(id)
  }

  private func details(_ id: SetID, depth: Int) -> [Node] {
    guard depth < 256 else { return [] }
    let set = plan.query[id]
    let setPlan = plan[id]
    var nodes: [Node] = []
    if setPlan.access != .source {
      var text = "\(label("access")) \(describe(setPlan.access))"
      if setPlan.order.walk.isDescending { text += "  descending" }
      if options.costs { text += "   est \(number(setPlan.estimate.accessRows))" }
      let below = setPlan.access.rowSets.map { rowSet($0, depth: depth + 1) }
      nodes.append(Node(text: text, children: below + calls(in: setPlan.access.keyExpressions, depth: depth + 1)))
    }
    if case .deleted(let includesLive) = set.source {
      var text = "\(label("access")) \(includesLive ? "FullScan with deleted" : "Deleted \(catalog[set.type].name)")"
      if options.costs { text += "   est \(number(setPlan.estimate.accessRows))" }
      nodes.append(Node(text: text, children: []))
    }
    for base in set.source.sets { nodes += details(base, depth: depth + 1) }
    if let filter = setPlan.filter {
      var text = "\(label("filter")) \(printer.text(filter))"
      if options.costs, setPlan.estimate.accessRows > 0 {
        text += "   est \(number(setPlan.estimate.filterShare))"
      }
      nodes.append(Node(text: text, children: calls(in: [filter], depth: depth + 1)))
    }
    if let order = order(set, setPlan) { nodes.append(Node(text: "\(label("order")) \(order)")) }
    nodes += calls(in: set.order.map(\.expression) + set.distinctOn, depth: depth + 1)
    return nodes
  }

  private func order(_ set: BoundSet, _ setPlan: SetPlan) -> String? {
    let limit = set.limit.map { printer.text($0) }
    var skipped = set.offset.map { ", skipping \(printer.text($0))" } ?? ""
    if let after = set.paging?.after { skipped += " after \(printer.text(after))" }
    if let before = set.paging?.before { skipped += " before \(printer.text(before))" }
    switch setPlan.order {
    case .natural: return limit.map { "natural, stop after \($0)\(skipped)" } ?? pages(set, skipped, "natural")
    case .fromAccess:
      let method = setPlan.access.fixedColumns(catalog) == nil ? "from index" : "by insertion"
      return limit.map { "\(method), stop after \($0)\(skipped)" } ?? pages(set, skipped, method) ?? method
    case .incremental(_, let prefix):
      let rest = Array(set.order.dropFirst(prefix))
      return "from index by \(printer.order(Array(set.order.prefix(prefix)))), ties "
        + (rest.isEmpty ? "in canonical order" : "sorted by \(printer.order(rest))")
        + ", stop after \(limit ?? "")\(skipped)"
    case .topN: return "top \(limit ?? "")\(skipped) by \(printer.order(set.order))"
    case .sort: return "sort by \(printer.order(set.order))" + (limit.map { ", first \($0)\(skipped)" } ?? "")
    }
  }

  private func pages(_ set: BoundSet, _ skipped: String, _ method: String) -> String? {
    set.paging?.hasCursor ?? false ? method + skipped : nil
  }

  /// The sets and row sets in expressions that have something to tell.
  private func calls(in expressions: [BoundExpression], depth: Int) -> [Node] {
    var nodes: [Node] = []
    for expression in expressions {
      var used: [Int] = []
      expression.forEachNode { if case .inRowSet(_, let index) = $0.kind { used.append(index) } }
      for index in used { nodes.append(rowSet(index, depth: depth)) }
    }
    for id in sets(in: expressions) {
      let below = details(id, depth: depth + 1)
      if below.isEmpty, !options.costs { continue }
      let isOnce = depth > 0 && expressions.contains { isComputedOnce($0, over: id) }
      nodes.append(Node(text: source(id, isOnce: isOnce), children: below))
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

  private func rowSet(_ index: Int, depth: Int) -> Node {
    guard plan.rowSets.indices.contains(index) else { return Node(text: "row set \(index)") }
    let rowSet = plan.rowSets[index]
    var text = "by semi-join from \(catalog[plan.query[rowSet.set].type].name)"
    if rowSet.routes == [[]] { text = "by set of \(catalog[rowSet.type].name)" }
    if options.costs { text += "   est \(number(rowSet.estimate.rows))  cost \(number(rowSet.estimate.cost))" }
    return Node(text: text + actuals(rowSet.set), children: details(rowSet.set, depth: depth + 1))
  }

  // MARK: Access paths

  private func describe(_ path: AccessPath) -> String {
    switch path {
    case .source, .scan, .empty: return catalog.shortDescription(of: path, order: .natural)
    case .lookup(_, let keys):
      return "\(catalog.shortDescription(of: path, order: .natural)) == \(list(keys))"
    case .lookupEach(_, let keys):
      let values = keys.map(key)
      if keys.count == 1, case .list = keys[0].type {
        return "\(catalog.shortDescription(of: path, order: .natural)) in \(values[0])"
      }
      let shown = values.prefix(4).joined(separator: ", ") + (values.count > 4 ? ", … \(values.count - 4) more" : "")
      return "\(catalog.shortDescription(of: path, order: .natural)) in [\(shown)]"
    case .range(_, let range):
      let name = catalog.shortDescription(of: path, order: range.isBounded ? .natural : .fromAccess(descending: false))
      return name + bounds(range)
    case .timeRange(_, _, let range): return catalog.shortDescription(of: path, order: .natural) + bounds(range)
    case .fullText(_, _, let query):
      return "\(catalog.shortDescription(of: path, order: .natural)) matches \(key(query))"
    case .trigram(_, _, let condition, let pattern):
      return "\(catalog.shortDescription(of: path, order: .natural)) \(condition.word) \(key(pattern))"
    case .hashJoin(let build, let keys):
      let pairs = zip(build, keys).map { "\(printer.text($0)) == \(key($1))" }
      return "\(catalog.shortDescription(of: path, order: .natural)) on \(pairs.joined(separator: " and "))"
    case .intersection(let paths): return paths.map(describe).joined(separator: " ∩ ")
    case .union(let paths): return paths.map(describe).joined(separator: " ∪ ")
    case .rowSet(let index):
      guard plan.rowSets.indices.contains(index) else { return "SemiJoin" }
      let test = BoundExpression(
        .inRowSet(.scope(0, plan.rowSets[index].type), index), .boolean, at: SourceRange(at: 0))
      return "SemiJoin \(printer.text(test))"
    }
  }

  private func bounds(_ range: IndexRange) -> String {
    if range.onlyNulls { return " null" }
    var parts: [String] = []
    if !range.equal.isEmpty { parts.append("== \(range.equal.map(key).joined(separator: ", "))") }
    if let prefix = range.prefix { parts.append("prefix \(key(prefix))") }
    if range.lower != nil || range.upper != nil {
      let low = range.lower.map { "\($0.isInclusive ? "[" : "(")\(key($0.value))" } ?? "(-∞"
      let high = range.upper.map { "\(key($0.value))\($0.isInclusive ? "]" : ")")" } ?? "∞)"
      parts.append("\(low), \(high)")
    }
    return parts.isEmpty ? "" : " " + parts.joined(separator: ", ")
  }

  /// A key sees what encloses the set: one scope nearer than the set's predicate, which is how people write it.
  private func key(_ expression: BoundExpression) -> String {
    printer.text(expression.mapReferences { $0.shifted(by: 1) })
  }

  private func list(_ keys: [BoundExpression]) -> String { keys.map(key).joined(separator: ", ") }

  // MARK: Figures

  private func actuals(_ id: SetID) -> String {
    guard let all = options.analyzed, all.indices.contains(id.index), all[id.index].parents > 0 else { return "" }
    let actual = all[id.index]
    var text = "   actual \(actual.accessRows) → \(actual.rows) rows"
    if actual.parents > 1 { text += " in \(actual.parents) sets" }
    return text + "  \(time(actual.nanoseconds))"
  }

  private func time(_ nanoseconds: UInt64) -> String {
    let value = Double(nanoseconds)
    if value < 1_000 { return "\(nanoseconds) ns" }
    if value < 1_000_000 { return "\(number(value / 1_000)) µs" }
    return "\(number(value / 1_000_000)) ms"
  }

  /// Whole from 10 on, one digit below, two below 1, of which the first is not 0; never through a locale.
  private func number(_ value: Double) -> String {
    guard value.isFinite, value < 1e15 else { return "∞" }
    if value >= 10 { return String(Int64(value.rounded())) }
    var digits: Int64 = 10
    var places = 1
    while places < (value >= 1 ? 1 : 2) || value > 0 && value * Double(digits) < 9.5 && places < 9 {
      digits *= 10
      places += 1
    }
    let scaled = Int64((value * Double(digits)).rounded())
    let fraction = scaled % digits
    if fraction == 0 { return String(scaled / digits) }
    var text = String(fraction)
    text = String(repeating: "0", count: places - text.utf8.count) + text
    while text.hasSuffix("0") { text.removeLast() }
    return "\(scaled / digits).\(text)"
  }

  private func label(_ text: String) -> String {
    text.count >= 8 ? text : text + String(repeating: " ", count: 8 - text.count)
  }
}
