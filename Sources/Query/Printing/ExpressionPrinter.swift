import GQLBase
import GQLCatalog

/// Writes bound expressions in the language's own syntax, names and all.
package struct ExpressionPrinter {
  let query: BoundQuery
  let catalog: Catalog
  /// Row sets stand for the conditions that they were made from.
  var rowSets: [RowSetPlan] = []
  /// What stands before the element's fields: empty, or a path such as `author`.
  var prefix = ""
  /// How many elements of a list are printed.
  var shownElements = 8
  /// 1 among the fields of a group, whose own scope has no name; its first member's stands for it.
  package var hiddenScopes = 0

  package init(
    query: BoundQuery, catalog: Catalog, rowSets: [RowSetPlan] = [], prefix: String = "", hiddenScopes: Int = 0
  ) {
    self.query = query
    self.catalog = catalog
    self.rowSets = rowSets
    self.prefix = prefix
    self.hiddenScopes = hiddenScopes
  }

  /// Binding strength, loosest first, as in the language's table.
  private enum Level: Int {
    case or = 1, and, not, comparison, coalesce, cast, range, sum, product, sign, postfix
  }

  /// The expression, in no parentheses of its own.
  package func text(_ expression: BoundExpression) -> String { text(expression, .or) }

  private func text(_ expression: BoundExpression, _ minimum: Level) -> String {
    func level(_ own: Level, _ text: String) -> String { own.rawValue < minimum.rawValue ? "(\(text))" : text }
    func binary(_ own: Level, _ left: BoundExpression, _ word: String, _ right: BoundExpression) -> String {
      let tighter = Level(rawValue: own.rawValue + 1) ?? .postfix
      return level(own, "\(text(left, own == .comparison ? tighter : own)) \(word) \(text(right, tighter))")
    }
    func call(_ name: String, _ arguments: [BoundExpression]) -> String {
      "\(name)(\(arguments.map { text($0) }.joined(separator: ", ")))"
    }
    switch expression.kind {
    case .constant(let value): return self.value(value)
    case .parameter(let index):
      guard query.parameters.indices.contains(index) else { return "$\(index)" }
      let parameter = query.parameters[index]
      return parameter.source == .now ? parameter.name : "$\(parameter.name)"
    case .column(let reference, let column):
      let type = reference.type(catalog)
      return path(
        reference, then: catalog[type].columns.indices.contains(Int(column.index)) ? catalog[type][column].name : "?")
    case .entity(let reference), .item(let reference, _): return path(reference, then: nil)
    case .not(let inner):
      if case .isNull(let operand) = inner.kind { return level(.comparison, "\(text(operand, .coalesce)) is not null") }
      return level(.not, "not \(text(inner, .not))")
    case .and(let parts): return level(.and, parts.map { text($0, .not) }.joined(separator: " and "))
    case .or(let parts): return level(.or, parts.map { text($0, .and) }.joined(separator: " or "))
    case .isTrue(let inner): return level(.comparison, "\(text(inner, .coalesce)) == true")
    case .isNull(let inner): return level(.comparison, "\(text(inner, .coalesce)) is null")
    case .compare(let comparison, let left, let right): return binary(.comparison, left, comparison.rawValue, right)
    case .inValues(let subject, let values):
      let shown = values.prefix(shownElements).map { text($0) } + rest(of: values.count)
      return level(.comparison, "\(text(subject, .coalesce)) in [\(shown.joined(separator: ", "))]")
    case .inList(let subject, let list): return binary(.comparison, subject, "in", list)
    case .inRange(let subject, let lower, let upper, let includesUpper):
      let bounds =
        "\(lower.map { text($0, .sum) } ?? "")\(includesUpper ? ".." : "..<")\(upper.map { text($0, .sum) } ?? "")"
      return level(.comparison, "\(text(subject, .coalesce)) in \(bounds)")
    case .textTest(let test, let left, let right): return binary(.comparison, left, test.rawValue, right)
    case .listContains(let list, let element): return binary(.comparison, list, "contains", element)
    case .like(let subject, let pattern, let isCaseInsensitive):
      return binary(.comparison, subject, isCaseInsensitive ? "ilike" : "like", pattern)
    case .regex(let subject, let pattern): return binary(.comparison, subject, "=~", pattern)
    case .arithmetic(let operation, let left, let right):
      return binary(operation == .add || operation == .subtract ? .sum : .product, left, operation.rawValue, right)
    case .negate(let inner): return level(.sign, "-\(text(inner, .sign))")
    case .convert(let inner): return text(inner, minimum)
    case .cast(let inner): return level(.cast, "\(text(inner, .cast)) as \(catalog.typeName(expression.type))")
    case .coalesce(let parts): return level(.coalesce, parts.map { text($0, .cast) }.joined(separator: " ?? "))
    case .conditional(let parts): return call("if", parts)
    case .fold(let inner): return "collate(\(text(inner)), CI)"
    case .jsonPath(let base, let key):
      if case .string(let name)? = key.constant { return "\(text(base, .postfix)).\(name.string)" }
      return "\(text(base, .postfix))[\(text(key))]"
    case .element(let base, let index): return "\(text(base, .postfix))[\(text(index))]"
    case .call(let function, let arguments):
      // The unit is written as a word.
      if function == .trunc || function == .dateDiff, case .string(let unit)? = arguments.last?.constant {
        return
          "\(function.rawValue)(\((arguments.dropLast().map { text($0) } + [unit.string]).joined(separator: ", ")))"
      }
      return call(function.rawValue, arguments)
    case .invoke(let function, let arguments): return call(function.name, arguments)
    case .jsonList(let elements): return "[\(elements.map { text($0) }.joined(separator: ", "))]"
    case .jsonObject(let names, let values):
      return "{\(zip(names, values).map { "\($0): \(text($1))" }.joined(separator: ", "))}"
    case .quantifier(let quantifier, let set, let body): return setCall(quantifier.rawValue, set, body)
    case .aggregate(let aggregate, let set, let body): return setCall(aggregate.rawValue, set, body)
    case .inRowSet(let reference, let index): return rowSet(index, reference)
    case .isDeleted(let reference): return path(reference, then: "isDeleted")
    case .matches(let texts, let query, _):
      guard texts.count == 1, let subject = texts.first else {
        guard case .column(let reference, _)? = texts.first?.kind else { return "? matches \(text(query))" }
        return level(.comparison, "\(path(reference, then: nil)) matches \(text(query, .coalesce))")
      }
      return binary(.comparison, subject, "matches", query)
    case .score: return "_score"
    case .highlight(let subject, let open, let close, _): return call("highlight", [subject, open, close])
    case .isInserted: return "_inserted"
    case .host(_, let number): return "(in Swift: \(hostWords(number)))"
    case .groupAggregate(_, let id, let slot): return groupAggregate(id, slot)
    case .listCall(let operation, let list, _, let body):
      return "\(operation.name)(\(text(list))\(body.map { ", \(nested.text($0))" } ?? ""))"
    case .join(let list, let separator): return call("join", [list, separator])
    }
  }

  // MARK: Sets

  private func setCall(_ name: String, _ id: SetID, _ body: BoundExpression?) -> String {
    let inner = nested
    var bare = query[id]
    // A test of existence with a predicate reads best as what was written.
    if name == "exists", body == nil, bare.limit == nil, bare.offset == nil, case .relation = bare.source,
      let predicate = bare.predicate
    {
      bare.predicate = nil
      bare.order = []
      return "some(\(set(bare)), \(inner.text(predicate)))"
    }
    let element = body.map { ", \(inner.text($0))" } ?? ""
    return "\(name)(\(set(query[id]))\(element))"
  }

  /// The set with its arguments: `messages(where: likes > 2)`.
  package func set(_ set: BoundSet) -> String {
    let inner = nested
    var arguments: [String] = []
    if let predicate = set.predicate { arguments.append("where: \(inner.text(predicate))") }
    if !set.order.isEmpty { arguments.append("orderBy: \(inner.order(set.order))") }
    if !set.distinctOn.isEmpty {
      arguments.append("distinctOn: [\(set.distinctOn.map { inner.text($0) }.joined(separator: ", "))]")
    }
    if let limit = set.limit { arguments.append("limit: \(text(limit))") }
    if let offset = set.offset { arguments.append("offset: \(text(offset))") }
    if let after = set.paging?.after { arguments.append("after: \(text(after))") }
    if let before = set.paging?.before { arguments.append("before: \(text(before))") }
    if let deleted = set.deletedWord { arguments.append("deleted: \(deleted)") }
    switch set.source {
    case .closure(let closure): return traversal(closure, arguments)
    case .shortestPath(let path): return traversal(path, arguments)
    case .all, .key, .relation, .step, .linked, .routes, .items, .branches, .union, .given, .deleted, .keys, .members,
      .each, .host:
      break
    }
    let written = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
    switch set.source {
    case .all, .given, .deleted: return catalog[set.type].name + written
    case .key(let index, let keys):
      let pairs = zip(catalog[index].columns, keys).map { "\(catalog[set.type][$0].name): \(text($1))" }
      return "\(catalog[set.type].rootOne)(\(pairs.joined(separator: ", ")))"
    case .relation(let reference, let relation): return path(reference, then: catalog.name(of: relation)) + written
    case .step(let base, let relation), .linked(let base, let relation):
      return "\(self.set(query[base])).\(catalog.name(of: relation))\(written)"
    case .routes(let base, let routes, _):
      let parts = routes.map { $0.map { catalog.name(of: $0) }.joined(separator: ".") }
      return "\(self.set(query[base])).(\(parts.joined(separator: " | ")))\(written)"
    case .branches(let branches):
      let parts = branches.map { path($0.reference, then: catalog.name(of: $0.relation)) }
      return "(\(parts.joined(separator: " | ")))\(written)"
    case .union(let sets): return "(\(sets.map { self.set(query[$0]) }.joined(separator: " | ")))\(written)"
    case .closure, .shortestPath: return written
    case .items: return "_items" + written
    case .keys(let index, let list):
      let key = catalog[index].columns.map { catalog[set.type][$0].name }.joined(separator: ", ")
      return "\(catalog[set.type].name)(\((["\(key): each of \(text(list))"] + arguments).joined(separator: ", ")))"
    case .members(let rule, let sets): return members(rule, sets.map { self.set(query[$0]) }, written)
    case .each(let base, let list): return "\(self.set(query[base])).each(\(inner.set(query[list])))\(written)"
    case .host(let number): return "\(catalog[set.type].name)(in Swift: \(hostWords(number)))\(written)"
    }
  }

  private func members(_ rule: BoundSet.MemberRule, _ sets: [String], _ arguments: String) -> String {
    let first = sets.first ?? ""
    switch rule {
    case .all: return arguments.isEmpty ? first : "(\(first))\(arguments)"
    case .once: return "once(\(first))\(arguments)"
    case .last: return "last(\(first))\(arguments)"
    case .common: return "(\(sets.joined(separator: " & ")))\(arguments)"
    case .sorted(let number): return "(\(first), in Swift: \(hostWords(number)))\(arguments)"
    }
  }

  /// Describes code of the embedding program.
  package func hostWords(_ number: Int) -> String {
    query.hosts.indices.contains(number) ? query.hosts[number].words : ""
  }

  private func groupAggregate(_ id: SelectionID, _ slot: Int) -> String {
    guard query.selections.indices.contains(id.index), case .groups(let grouping) = query[id].shape,
      grouping.aggregates.indices.contains(slot)
    else { return "?" }
    return text(grouping.aggregates[slot])
  }

  /// An aggregate as it is written, over a member.
  package func text(_ aggregate: BoundGroupAggregate) -> String {
    var member = nested
    member.hiddenScopes = 0
    var parts: [String] = []
    if let set = aggregate.set { parts.append(member.set(query[set])) }
    if let argument = aggregate.argument { parts.append(member.text(argument)) }
    var written = parts.joined(separator: ", ")
    if aggregate.isDistinct, aggregate.aggregate != .distinct { written = "distinct(\(written))" }
    return "\(aggregate.aggregate.rawValue)(\(written))"
  }

  private var nested: ExpressionPrinter {
    var printer = self
    printer.prefix = ""
    return printer
  }

  /// The terms of an order, as `orderBy:` has them.
  package func order(_ terms: [BoundOrderTerm]) -> String {
    let written = terms.map { term -> String in
      let expression = text(term.expression, .sign)
      if term.nullsFirst { return "\(term.isDescending ? "desc" : "asc")(\(expression), nulls: FIRST)" }
      return term.isDescending ? "-\(expression)" : expression
    }
    return written.count == 1 ? written[0] : "[\(written.joined(separator: ", "))]"
  }

  /// The condition that the row set was made from, as it reads from the entity that is tested.
  private func rowSet(_ index: Int, _ reference: EntityReference) -> String {
    guard rowSets.indices.contains(index) else { return "in row set \(index)" }
    let plan = rowSets[index]
    var relations = plan.routes.first.map { $0.reversed().map { catalog[$0].inverse } } ?? []
    // Of several types each has the field under its name.
    if plan.routes.count > 1 { relations.removeAll { catalog[$0].isMirror } }
    var printer = self
    let start = reference.path.isEmpty ? prefix : path(reference, then: nil)
    printer.prefix = ([start] + relations.map(catalog.name(of:))).filter { !$0.isEmpty }.joined(separator: ".")
    guard let predicate = query[plan.set].predicate else { return "exists(\(printer.prefix))" }
    if relations.contains(where: { catalog[$0].isToMany }) {
      return "some(\(printer.prefix), \(nested.text(predicate)))"
    }
    return printer.text(predicate, .not)
  }

  // MARK: Names and values

  private func path(_ reference: EntityReference, then field: String?) -> String {
    if !reference.isPath {
      let parts = reference.alternatives.map { path($0, then: field) }
      return "(\(parts.joined(separator: " | ")))"
    }
    var steps: [String] = []
    let depth = max(0, reference.scope - hiddenScopes)
    if depth > 0 {
      steps.append(String(repeating: "^", count: min(depth, 64)))
    } else if !prefix.isEmpty {
      steps.append(prefix)
    }
    steps += reference.path.map(catalog.name(of:))
    if let field { steps.append(field) }
    return steps.isEmpty ? "." : steps.joined(separator: ".")
  }

  private func rest(of count: Int) -> [String] {
    count > shownElements ? ["… \(count - shownElements) more"] : []
  }

  func value(_ value: Value) -> String {
    func written(_ fill: (inout ByteBuffer) -> Void) -> String {
      var buffer = ByteBuffer(capacity: 32)
      fill(&buffer)
      return buffer.string
    }
    func quoted(_ text: Text) -> String { written { $0.append(json: text) } }
    switch value {
    case .null: return "null"
    case .boolean(let truth): return truth ? "true" : "false"
    case .int(let number): return String(number)
    // Stands for a number beyond the largest Float.
    case .float(let number) where number.isInfinite: return number < 0 ? "-∞" : "∞"
    case .float(let number): return written { $0.append(double: number) }
    case .decimal(let number): return written { $0.append(decimal: number) }
    case .string(let text), .uuid(let text): return quoted(text)
    case .id(let text, let isNumber): return isNumber ? text.string : quoted(text)
    case .enumeration(let type, let code):
      let values = catalog[type].values
      return values.indices.contains(code) ? values[code] : "?"
    case .dateTime(let time): return written { $0.append(dateTime: time) }
    case .date(let day): return written { $0.append(date: day) }
    case .duration(let time): return written { $0.append(duration: time) }
    case .bytes(let text):
      return "\"\(written { buffer in text.withUnsafeBytes { Base64.encode($0, into: &buffer) } })\""
    case .json(let text): return text.string
    case .list(let elements):
      let shown =
        elements.prefix(shownElements).map { self.value($0) } + rest(of: elements.count)
      return "[\(shown.joined(separator: ", "))]"
    case .object(let members):
      return "{\(members.map { "\($0.name.string): \(self.value($0.value))" }.joined(separator: ", "))}"
    }
  }
}

/// The expression in the language's syntax; scope 0 is the element, as in a `where`.
package func describe(_ expression: BoundExpression, in query: BoundQuery, catalog: Catalog) -> String {
  ExpressionPrinter(query: query, catalog: catalog).text(expression)
}

extension Catalog {
  /// The relation's field name; the other side's in the hidden direction of a one-way relation.
  package func name(of relation: RelationID) -> String {
    let descriptor = self[relation]
    if let property = descriptor.property { return self[descriptor.source][property].name }
    if descriptor.isMirror { return "as \(self[descriptor.target].name)" }
    let inverse = self[descriptor.inverse]
    guard let property = inverse.property else { return "?" }
    return "inverse of \(self[inverse.source].name).\(self[inverse.source][property].name)"
  }

  func typeName(_ type: ValueType) -> String {
    switch type {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let id): self[id].name
    case .list(let element): "[\(typeName(element))]"
    case .embedded(let id): self[id].name
    case .entity(let id): self[id].name
    case .null: "null"
    }
  }

  /// `User.age`, `User(lastName, firstName)`.
  func columnNames(of index: IndexDescriptor) -> String {
    let type = self[index.type]
    let names = index.columns.map { type[$0].name }
    return names.count == 1 ? "\(type.name).\(names[0])" : "\(type.name)(\(names.joined(separator: ", ")))"
  }

  /// The path without keys and bounds: `Hash User.status`.
  package func shortDescription(of path: AccessPath, order: OrderMethod) -> String { path.form.name(order, self) }
}
