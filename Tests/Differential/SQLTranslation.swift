/// Queries as SQL, as far as SQL can say them.
///
/// What is left out, because SQLite means something else by it: Decimals and times (it has none), `like` and changes of
/// case (it knows ASCII only), collations, `/` of integers (its quotient is one), lists and JSON, limits inside sets.
/// What is written in another way: `==` is `IS`, since null is a value for it; a range is false for a null; nulls are
/// last in both directions; ties stand in the order of the rows; enums are stored by their places, truths as 0 and 1.
struct SQLTranslation {
  let model: Model
  /// The table's alias and the type of each element in sight.
  private var scopes: [(alias: String, type: String)] = []
  private var counter = 0

  init(_ model: Model) { self.model = model }

  /// A statement, and the columns that it gives; `Malformed` where SQL has no words for it.
  struct Statement {
    var sql: String
    var columns: [(name: String, kind: Kind)]
  }

  /// A root list: of elements, or of groups.
  mutating func statement(_ list: Node) throws -> Statement {
    guard case .field(let type, _) = list.form, model.shape(type)?.role == .entity, let selections = list.selections
    else { throw ReferenceFailure.malformed }
    let alias = enter(type)
    defer { scopes.removeLast() }
    let arguments = list.arguments
    let known = ["where", "groupBy", "having", "orderBy", "limit", "offset"]
    for case .argument(let name) in (arguments?.children ?? []).map(\.form) where !known.contains(name) {
      throw ReferenceFailure.malformed
    }
    var tail = ""
    if let condition = arguments?.argument("where") { tail += " WHERE \(try expression(condition[0]))" }
    var columns: [(name: String, kind: Kind, sql: String)] = []
    for selection in selections.children {
      switch selection.form {
      case .field(let name, let fieldAlias):
        guard let field = model.shape(type)?.field(name), name == "id" || Self.isStored(field) else {
          throw ReferenceFailure.malformed
        }
        let isLeftOut = selection.children.contains {
          if case .conditional(_, let isSkip, let flag) = $0.form { isSkip == flag } else { false }
        }
        if isLeftOut { continue }
        columns.append((fieldAlias ?? name, field.kind, "\(alias).\"\(name)\""))
      case .computed(let name, _):
        columns.append((name, try kind(selection[0]), try expression(selection[0])))
      default: throw ReferenceFailure.malformed
      }
    }
    var first = "\(alias).row"
    if let keys = arguments?.argument("groupBy") {
      // The selection names keys by the type's own fields.
      guard !keys.children.isEmpty, keys.children.allSatisfy({ $0.children.count == 1 && $0.isFieldPath }) else {
        throw ReferenceFailure.malformed
      }
      tail += " GROUP BY " + (try keys.children.map { try expression($0) }.joined(separator: ", "))
      first = "MIN(\(alias).row)"
    }
    if let condition = arguments?.argument("having") { tail += " HAVING \(try expression(condition[0]))" }
    var terms: [String] = []
    for term in arguments?.argument("orderBy")?.orderTerms ?? [] {
      // A constant would be the number of a column.
      guard case .order(let form) = term.form, term.namesField else { throw ReferenceFailure.malformed }
      terms.append(try order(form, expression(term[0])))
    }
    tail += " ORDER BY \((terms + [first]).joined(separator: ", "))"
    let limit = try arguments?.argument("limit").map { "coalesce(\(try expression($0[0])), -1)" } ?? "-1"
    let offset = try arguments?.argument("offset").map { "coalesce(\(try expression($0[0])), 0)" } ?? "0"
    tail += " LIMIT \(limit) OFFSET \(offset)"
    // SQL has no rows without columns.
    guard !columns.isEmpty else { throw ReferenceFailure.malformed }
    let wanted = columns.map(\.sql).joined(separator: ", ")
    return Statement(
      sql: "SELECT \(wanted) FROM \"\(type)\" AS \(alias)\(tail)", columns: columns.map { ($0.name, $0.kind) })
  }

  /// A root computation.
  mutating func value(_ node: Node) throws -> (sql: String, kind: Kind) { (try expression(node), try kind(node)) }

  private mutating func enter(_ type: String) -> String {
    counter += 1
    scopes.append(("e\(counter)", type))
    return "e\(counter)"
  }

  private func order(_ form: OrderForm, _ key: String) -> String {
    switch form {
    case .plain: "\(key) ASC NULLS LAST"
    case .ascending(let nullsFirst): "\(key) ASC NULLS \(nullsFirst ? "FIRST" : "LAST")"
    case .minus: "\(key) DESC NULLS LAST"
    case .descending(let nullsFirst): "\(key) DESC NULLS \(nullsFirst ? "FIRST" : "LAST")"
    }
  }

  // MARK: - Expressions

  private mutating func expression(_ node: Node) throws -> String {
    switch node.form {
    case .literal(let datum, _), .variable(_, _, let datum), .defaulted(_, _, let datum):
      return try Self.literal(datum)
    case .objectForm, .filterVariable: return try expression(node[0])
    case .path(let scope, false): return try path(node, scope)
    case .key(let name, false):
      guard let last = scopes.last else { throw ReferenceFailure.malformed }
      return "\(last.alias).\"\(name)\""
    case .operation(let sign): return try operation(sign, node)
    case .not: return "(NOT \(try expression(node[0])))"
    case .isNull(let negated): return "(\(try expression(node[0])) IS \(negated ? "NOT " : "")NULL)"
    case .inList(let negated):
      let value = try expression(node[0])
      let parts = try node.children.dropFirst().map { "\(value) IS \(try expression($0))" }
      return "(\(negated ? "NOT " : "")(\(parts.joined(separator: " OR "))))"
    case .inRange(let isClosed, let negated):
      let value = try expression(node[0])
      let low = "\(value) >= \(try expression(node[1]))"
      let high = "\(value) \(isClosed ? "<=" : "<") \(try expression(node[2]))"
      return "(\(negated ? "NOT " : "")COALESCE(\(low) AND \(high), 0))"
    case .call("if"):
      return
        "(CASE WHEN \(try expression(node[0])) THEN \(try expression(node[1])) ELSE \(try expression(node[2])) END)"
    case .call("length"), .call("abs"), .call("coalesce"):
      guard case .call(let name) = node.form else { throw ReferenceFailure.malformed }
      return "\(name.uppercased())(\(try node.children.map { try expression($0) }.joined(separator: ", ")))"
    case .aggregate(let name): return try aggregate(name, node)
    case .groupAggregate(let name, let isDistinct):
      guard let argument = node.children.first else { return "COUNT(*)" }
      guard ["count", "sum", "avg", "min", "max"].contains(name) else { throw ReferenceFailure.malformed }
      let call = "\(name.uppercased())(\(isDistinct ? "DISTINCT " : "")\(try expression(argument)))"
      return name == "sum" ? "COALESCE(\(call), 0)" : call
    default: throw ReferenceFailure.malformed
    }
  }

  private static func literal(_ datum: Datum) throws -> String {
    switch datum {
    case .null: return "NULL"
    case .bool(let flag): return flag ? "1" : "0"
    case .int(let number): return "(\(number))"
    case .float(let number): return "(\(number))"
    case .text(let text): return "'\(text.replacing("'", with: "''"))'"
    case .symbol(let place, _): return "\(place)"
    default: throw ReferenceFailure.malformed
    }
  }

  /// To-one relations are columns with the row of the other side.
  private func path(_ node: Node, _ scope: Int) throws -> String {
    guard scope < scopes.count, !node.children.isEmpty else { throw ReferenceFailure.malformed }
    var (current, type) = scopes[scopes.count - 1 - scope]
    for (place, step) in node.children.enumerated() {
      guard case .step(let name) = step.form, step.children.isEmpty, let shape = model.shape(type) else {
        throw ReferenceFailure.malformed
      }
      let column =
        place == 0 ? "\(current).\"\(name)\"" : "(SELECT \"\(name)\" FROM \"\(type)\" WHERE row = \(current))"
      current = column
      if let relation = shape.relation(name) {
        guard !relation.isMany, model.shape(relation.target)?.role == .entity, place + 1 < node.children.count else {
          throw ReferenceFailure.malformed
        }
        type = relation.target
      } else {
        guard place + 1 == node.children.count, let field = shape.field(name), Self.isStored(field) else {
          throw ReferenceFailure.malformed
        }
      }
    }
    return current
  }

  static func isStored(_ field: Field) -> Bool {
    field.computed == nil && !field.isFolded && [.int, .float, .text, .bool, .symbol].contains(field.kind)
  }

  private mutating func operation(_ sign: String, _ node: Node) throws -> String {
    let parts = try node.children.map { try expression($0) }
    switch sign {
    case "and", "or": return "(\(parts.joined(separator: " \(sign.uppercased()) ")))"
    case "==": return "(\(parts[0]) IS \(parts[1]))"
    case "!=": return "(\(parts[0]) IS NOT \(parts[1]))"
    case "<", "<=", ">", ">=", "-", "*": return "(\(parts.joined(separator: " \(sign) ")))"
    case "+": return "(\(parts.joined(separator: try kind(node) == .text ? " || " : " + ")))"
    case "??": return "COALESCE(\(parts.joined(separator: ", ")))"
    case "contains": return "(instr(\(parts[0]), \(parts[1])) > 0)"
    case "startsWith": return "(substr(\(parts[0]), 1, length(\(parts[1]))) = \(parts[1]))"
    default: throw ReferenceFailure.malformed
    }
  }

  /// A relation, or a type, with a condition; perhaps a field of its members.
  private mutating func aggregate(_ name: String, _ node: Node) throws -> String {
    guard case .set(0, let isRoot) = try node[0].form, let step = try node[0].children.first,
      case .step(let relationName) = step.form, try node[0].children.count <= 2
    else { throw ReferenceFailure.malformed }
    var source = ""
    var type = relationName
    var condition: [String] = []
    if isRoot {
      guard model.shape(type)?.role == .entity else { throw ReferenceFailure.malformed }
      source = "\"\(type)\" AS \(enter(type))"
    } else {
      guard let outer = scopes.last, let relation = model.shape(outer.type)?.relation(relationName), relation.isMany,
        model.shape(relation.target)?.role == .entity
      else { throw ReferenceFailure.malformed }
      type = relation.target
      let alias = enter(type)
      source =
        "\"\(outer.type).\(relationName)\" AS l\(alias) JOIN \"\(type)\" AS \(alias) ON \(alias).row = l\(alias).target"
      condition.append("l\(alias).source = \(outer.alias).row")
    }
    defer { scopes.removeLast() }
    for argument in step.arguments?.children ?? [] {
      guard case .argument("where") = argument.form else { throw ReferenceFailure.malformed }
      condition.append(try expression(argument[0]))
    }
    var values: [String] = []
    if try node[0].children.count == 2 {
      values.append(try path(Node(.path(scope: 0, isFolded: false), [node[0].children[1]]), 0))
    }
    values += try node.children.dropFirst().map { try expression($0) }
    guard values.count <= 1 else { throw ReferenceFailure.malformed }
    func select(_ what: String, _ more: [String] = []) -> String {
      let all = condition + more
      return "(SELECT \(what) FROM \(source)\(all.isEmpty ? "" : " WHERE \(all.joined(separator: " AND "))"))"
    }
    let value = values.first ?? ""
    // SQL gives an aggregate to the query whose columns stand in it, so that each value is selected first.
    func fold(_ function: String) -> String { "(SELECT \(function)(v) FROM \(select("\(value) AS v")))" }
    switch name {
    case "count": return values.isEmpty ? select("COUNT(*)") : fold("COUNT")
    case "exists": return "EXISTS \(select("1"))"
    case "some": return "EXISTS \(select("1", [value]))"
    case "none": return "(NOT EXISTS \(select("1", [value])))"
    case "every": return "(NOT EXISTS \(select("1", ["(\(value)) IS NOT 1"])))"
    case "one": return "(\(select("COUNT(*)", [value])) = 1)"
    case "sum": return "COALESCE(\(fold("SUM")), 0)"
    case "avg", "min", "max": return fold(name.uppercased())
    default: throw ReferenceFailure.malformed
    }
  }

  // MARK: - Types

  /// What an expression gives, as far as printing needs it.
  private func kind(_ node: Node) throws -> Kind {
    switch node.form {
    case .literal(let datum, _), .variable(_, _, let datum), .defaulted(_, _, let datum):
      switch datum {
      case .int: return .int
      case .float: return .float
      case .text: return .text
      case .bool: return .bool
      default: throw ReferenceFailure.malformed
      }
    case .path, .key:
      guard var type = scopes.last?.type else { throw ReferenceFailure.malformed }
      if case .path(let scope, _) = node.form {
        guard scope < scopes.count else { throw ReferenceFailure.malformed }
        type = scopes[scopes.count - 1 - scope].type
      }
      var names = node.children.compactMap { if case .step(let name) = $0.form { name } else { nil } }
      if case .key(let name, _) = node.form { names = [name] }
      for name in names {
        if let field = model.shape(type)?.field(name) { return field.kind }
        type = model.shape(type)?.relation(name)?.target ?? ""
      }
      throw ReferenceFailure.malformed
    case .operation(let sign):
      guard ["+", "-", "*", "??"].contains(sign) else { return .bool }
      let kinds = try node.children.map(kind)
      return kinds.contains(.float) ? .float : kinds[0]
    case .call("if"): return try kind(node[1])
    case .call("length"): return .int
    case .call: return try kind(node[0])
    case .aggregate("count"), .groupAggregate("count", _): return .int
    case .aggregate("avg"), .groupAggregate("avg", _): return .float
    case .groupAggregate: return try kind(node[0])
    case .aggregate(let name):
      guard ["sum", "min", "max"].contains(name) else { return .bool }
      guard case .set(_, let isRoot) = try node[0].form, case .step(let first)? = try node[0].children.first?.form,
        case .step(let last)? = try node[0].children.last?.form
      else { throw ReferenceFailure.malformed }
      let type = isRoot ? first : scopes.last.flatMap { model.shape($0.type)?.relation(first)?.target } ?? ""
      guard let field = model.shape(type)?.field(last) else { throw ReferenceFailure.malformed }
      return field.kind
    default: return .bool
    }
  }
}

extension Node {
  fileprivate var isFieldPath: Bool { if case .path(0, false) = form { true } else { false } }

  /// Whether something of an element or a group stands in it.
  fileprivate var namesField: Bool {
    var found = false
    forEach { node in
      switch node.form {
      case .path, .key, .aggregate, .groupAggregate: found = true
      default: break
      }
    }
    return found
  }
}
