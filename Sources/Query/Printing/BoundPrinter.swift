import GQLBase
import GQLCatalog

/// Writes a bound query as lines: its parameters, the fields of the answer, then each set and each selection by number.
///
/// Sets and selections refer to one another by these numbers, `set 2` and `selection 1`. Expressions are in the
/// language's syntax.
package struct BoundPrinter {
  private let query: BoundQuery
  private let catalog: Catalog
  private var lines: [String] = []

  private let shownElements: Int

  /// Returns the text of a query, of lists so many elements. Complexity: linear in the query.
  package static func text(_ query: BoundQuery, catalog: Catalog, shownElements: Int = 8) -> String {
    var printer = BoundPrinter(query: query, catalog: catalog, shownElements: shownElements)
    printer.write()
    return printer.lines.map { $0 + "\n" }.joined()
  }

  private init(query: BoundQuery, catalog: Catalog, shownElements: Int) {
    self.shownElements = shownElements
    self.query = query
    self.catalog = catalog
  }

  private mutating func write() {
    lines.append("query" + (query.name.map { " \($0)" } ?? ""))
    for parameter in query.parameters where parameter.source != .newRow {
      let name = parameter.source == .now ? parameter.name : "$\(parameter.name)"
      let standard = parameter.defaultValue.map {
        " = \(text(BoundExpression(.constant($0), .null, at: parameter.range)))"
      }
      lines.append("  \(name): \(type(parameter.signature))\(standard ?? "")")
    }
    for (number, _) in query.segments.enumerated() { lines.append("  segment \(number)") }
    write(query.fields, indent: "  ", printer())
    for (number, set) in query.sets.enumerated() { write(set, number) }
    for (number, selection) in query.selections.enumerated() { write(selection, number) }
  }

  private func type(_ signature: TypeSignature) -> String {
    catalog.typeName(signature.type) + (signature.isNonNull ? "!" : "")
  }

  private func printer(hiddenScopes: Int = 0) -> ExpressionPrinter {
    var printer = ExpressionPrinter(query: query, catalog: catalog, hiddenScopes: hiddenScopes)
    printer.shownElements = shownElements
    return printer
  }

  private func text(_ expression: BoundExpression, hiddenScopes: Int = 0) -> String {
    printer(hiddenScopes: hiddenScopes).text(expression)
  }

  // MARK: - Sets

  private mutating func write(_ set: BoundSet, _ number: Int) {
    lines.append("set \(number): \(catalog[set.type].name) from \(source(set.source))")
    func add(_ word: String, _ value: String?) { if let value { lines.append("  \(word) \(value)") } }
    switch set.linkStatus {
    case .live: break
    default: add("links", "\(set.linkStatus)")
    }
    add("where", set.predicate.map { text($0) })
    if !set.order.isEmpty { add("order", set.order.map { term($0) }.joined(separator: ", ")) }
    if !set.distinctOn.isEmpty { add("distinct on", set.distinctOn.map { text($0) }.joined(separator: ", ")) }
    add("limit", set.limit.map { text($0) })
    add("offset", set.offset.map { text($0) })
    if let paging = set.paging {
      add("after", paging.after.map { text($0) })
      add("before", paging.before.map { text($0) })
      if !paging.hasCursor { add("with", "cursors") }
    }
    if let hint = set.hint { add("using", hint.access.rawValue + (hint.index.map { " \($0)" } ?? "")) }
    if set.isProbe { add("only", "the member after the last") }
    if set.isOneByKey { add("at most", "one") }
  }

  private func term(_ term: BoundOrderTerm, hiddenScopes: Int = 0) -> String {
    let own = text(term.expression, hiddenScopes: hiddenScopes)
    return (term.isDescending ? "descending " : "") + own + (term.nullsFirst ? " nulls first" : "")
  }

  private func source(_ source: BoundSet.Source) -> String {
    func names(_ route: [RelationID]) -> String { route.map { catalog.name(of: $0) }.joined(separator: ".") }
    switch source {
    case .all: return "all"
    case .key(let index, let keys):
      return "key \(catalog.columnNames(of: catalog[index])) == \(keys.map { text($0) }.joined(separator: ", "))"
    case .relation(let reference, let relation):
      return "\(catalog.name(of: relation)) of \(path(reference))"
    case .step(let set, let relation): return "distinct \(catalog.name(of: relation)) of set \(set.index)"
    case .deleted(let includesLive): return includesLive ? "all, also deleted" : "deleted"
    case .given: return "given rows"
    case .items(let reference, let selection): return "group \(path(reference)) of selection \(selection.index)"
    case .linked(let set, let relation): return "\(catalog.name(of: relation)) of the only member of set \(set.index)"
    case .routes(let set, let routes, let inLinkOrder):
      return "\(routes.map(names).joined(separator: " | ")) of set \(set.index)\(inLinkOrder ? ", in link order" : "")"
    case .branches(let branches):
      return branches.map { branch in
        let casts = branch.casts.isEmpty ? "" : " as " + branch.casts.map(names).joined(separator: " | ")
        return "\(catalog.name(of: branch.relation)) of \(path(branch.reference))\(casts)"
      }.joined(separator: ", then ")
    case .union(let sets): return "union of " + sets.map { "set \($0.index)" }.joined(separator: ", ")
    case .closure(let closure):
      let lower = closure.lower.map { text($0) } ?? "1"
      let upper = closure.upper.map { (closure.includesUpper ? "" : "<") + text($0) } ?? ""
      return "closure of set \(closure.step.index) from \(end(closure.start)), depth \(lower)..\(upper)"
    case .shortestPath(let path):
      let most = path.maximumDepth.map { ", at most \(text($0)) steps" } ?? ""
      return "shortest path by set \(path.step.index) from \(end(path.start)) to \(end(path.target))\(most)"
    case .keys(let index, let list): return "keys \(catalog.columnNames(of: catalog[index])) in \(text(list))"
    case .members(let rule, let sets): return "\(rule) of " + sets.map { "set \($0.index)" }.joined(separator: ", ")
    case .each(let base, let list): return "set \(list.index) for each of set \(base.index)"
    case .host(let number): return "code \(number) of the program"
    }
  }

  private func end(_ end: TraversalEnd) -> String {
    switch end {
    case .entity(let reference): path(reference)
    case .set(let set): "set \(set.index)"
    }
  }

  /// The scopes from the innermost on: `^0` encloses the set, `^1` what is around that.
  private func path(_ reference: EntityReference) -> String {
    switch reference {
    case .scope(let scope, let type): "^\(scope) \(catalog[type].name)"
    case .toOne(let base, let relation): "\(path(base)).\(catalog.name(of: relation))"
    case .firstOf(let references, _): "first of (\(references.map { path($0) }.joined(separator: ", ")))"
    }
  }

  // MARK: - Selections

  private mutating func write(_ selection: BoundSelection, _ number: Int) {
    lines.append("selection \(number): set \(selection.set.index)")
    if let recursion = selection.recursion {
      lines.append("  recursion" + (recursion.depth.map { " to depth \(text($0))" } ?? ""))
    }
    let printer = self.printer()
    switch selection.shape {
    case .object(let fields): write(fields, indent: "  ", printer)
    case .value(let expression): lines.append("  value \(text(expression))")
    case .groups(let grouping): write(grouping)
    }
  }

  private mutating func write(_ grouping: BoundGrouping) {
    for key in grouping.keys {
      lines.append("  key \(key.name) := \(key.expressions.map { text($0) }.joined(separator: ", "))")
    }
    for (number, aggregate) in grouping.aggregates.enumerated() {
      var arguments = [aggregate.argument, aggregate.comparand].compactMap { $0 }.map { text($0) }
      if let set = aggregate.set { arguments.insert("set \(set.index)", at: 0) }
      let distinct = aggregate.isDistinct ? "distinct " : ""
      lines.append("  aggregate \(number) := \(distinct)\(aggregate.aggregate)(\(arguments.joined(separator: ", ")))")
    }
    if let having = grouping.having { lines.append("  having \(text(having, hiddenScopes: 1))") }
    if !grouping.order.isEmpty {
      lines.append("  order " + grouping.order.map { term($0, hiddenScopes: 1) }.joined(separator: ", "))
    }
    if let limit = grouping.limit { lines.append("  limit \(text(limit))") }
    if let offset = grouping.offset { lines.append("  offset \(text(offset))") }
    write(grouping.fields, indent: "  ", printer(hiddenScopes: 1))
  }

  private mutating func write(_ fields: [BoundField], indent: String, _ printer: ExpressionPrinter) {
    for field in fields {
      let condition = field.condition.map { ", if \(text($0))" } ?? ""
      let omits = field.omitsNull ? ", left out if null" : ""
      func add(_ text: String) { lines.append("\(indent)field \(field.key) := \(text)\(condition)\(omits)") }
      switch field.content {
      case .typename(let name): add("type name \(name)")
      case .value(let expression): add(printer.text(expression))
      case .embedded(let presence, let inner):
        add("object where \(printer.text(presence))")
        write(inner, indent: indent + "  ", printer)
      case .one(let selection): add("one of selection \(selection.index)")
      case .many(let selection): add("list of selection \(selection.index)")
      case .introspection: add("schema")
      case .inlined(let when, let inner):
        lines.append("\(indent)fields where \(printer.text(when))\(condition)\(omits)")
        write(inner, indent: indent + "  ", printer)
      case .recursion: add("this selection again")
      case .depth: add("depth")
      case .cycle: add("cycle")
      case .cursor: add("cursor")
      }
    }
  }
}
