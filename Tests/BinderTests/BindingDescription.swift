import GQLBase
import GQLCatalog
import GQLParser
@testable import GQLBinder
@testable import GQLQuery

/// Bound queries as short text, so that expectations read like the language: `.0` is scope 0, `s1` is set 1.
struct BindingDescription {
  let query: BoundQuery
  let catalog: Catalog

  var text: String {
    query.fields.map { field($0) }.joined(separator: " ")
  }

  func field(_ field: BoundField) -> String {
    let condition = field.condition.map { " @(\(expression($0)))" } ?? ""
    return "\(field.key)\(condition): \(content(field.content))"
  }

  private func content(_ content: BoundField.Content) -> String {
    switch content {
    case .typename(let name): return "'\(name)'"
    case .introspection(let bound):
      return "introspection(\(bound.inputs.map { expression($0) }.joined(separator: ", ")))"
    case .value(let value): return expression(value)
    case .embedded(let presence, let fields):
      return "(\(expression(presence)))?{\(fields.map { field($0) }.joined(separator: " "))}"
    case .inlined(let condition, let fields):
      return "(\(expression(condition)))?\(fields.map { field($0) }.joined(separator: " "))"
    case .one(let id): return "one \(selection(id))"
    case .many(let id): return "many \(selection(id))"
    case .recursion: return "again"
    case .depth: return "depth"
    case .cycle: return "cycle"
    case .cursor: return "cursor"
    }
  }

  private func selection(_ id: SelectionID) -> String {
    let selection = query[id]
    switch selection.shape {
    case .object(let fields):
      return "\(set(selection.set)) {\(fields.map { field($0) }.joined(separator: " "))}"
    case .value(let value): return "\(set(selection.set)) = \(expression(value))"
    case .groups(let grouping):
      let keys = grouping.keys.map { "\($0.name): \($0.expressions.map { expression($0) }.joined(separator: " "))" }
      return "\(set(selection.set)) by (\(keys.joined(separator: ", ")))"
        + " {\(grouping.fields.map { field($0) }.joined(separator: " "))}"
    }
  }

  func set(_ id: SetID) -> String {
    let set = query[id]
    var parts: [String] = []
    switch set.source {
    case .all, .given: parts.append(catalog[set.type].name)
    case .key(let index, let values):
      parts.append(
        "\(catalog[set.type].name)#\(catalog[index].name)(\(values.map { expression($0) }.joined(separator: ", ")))")
    case .relation(let base, let relation): parts.append("\(reference(base))→\(name(relation))")
    case .branches(let branches):
      parts.append(branches.map { "\(reference($0.reference))→\(name($0.relation))" }.joined(separator: "|"))
    case .union(let sets): parts.append(sets.map { self.set($0) }.joined(separator: "|"))
    case .step(let base, let relation): parts.append("(\(self.set(base)))→→\(name(relation))")
    case .deleted(let includesLive): parts.append("\(includesLive ? "all" : "deleted") \(catalog[set.type].name)")
    case .closure(let closure): parts.append("closure of \(self.set(closure.step))")
    case .shortestPath(let path): parts.append("path over \(self.set(path.step))")
    case .items(let group, _): parts.append("\(reference(group))→_items")
    case .linked(let base, let relation): parts.append("(\(self.set(base)))→\(name(relation))")
    case .routes(let base, let routes, let inLinkOrder):
      let ends = routes.map { $0.map { name($0) }.joined(separator: ".") }.joined(separator: "|")
      parts.append("(\(self.set(base)))\(inLinkOrder ? "→" : "→→")(\(ends))")
    // No text has them.
    case .keys, .members, .each, .host: parts.append("?")
    }
    if let predicate = set.predicate { parts.append("where \(expression(predicate))") }
    if !set.order.isEmpty {
      let terms = set.order.map {
        "\(expression($0.expression))\($0.isDescending ? " desc" : "")\($0.nullsFirst ? " nulls first" : "")"
      }
      parts.append("order \(terms.joined(separator: ", "))")
    }
    if !set.distinctOn.isEmpty {
      parts.append("distinct \(set.distinctOn.map { expression($0) }.joined(separator: ", "))")
    }
    if let offset = set.offset { parts.append("offset \(expression(offset))") }
    if let limit = set.limit { parts.append("limit \(expression(limit))") }
    if let hint = set.hint { parts.append("using \(hint.access.rawValue) \(hint.index ?? "-")") }
    return parts.joined(separator: " ")
  }

  private func name(_ relation: RelationID) -> String {
    let relation = catalog[relation]
    return relation.property.map { catalog[relation.source][$0].name } ?? "~"
  }

  private func reference(_ reference: EntityReference) -> String {
    switch reference {
    case .scope(let depth, let type): ".\(depth):\(catalog[type].name)"
    case .toOne(let base, let relation): "\(self.reference(base)).\(name(relation))"
    case .firstOf(let references, _): references.map { self.reference($0) }.joined(separator: "|")
    }
  }

  func expression(_ expression: BoundExpression) -> String {
    func text(_ inner: BoundExpression) -> String { self.expression(inner) }
    func list(_ inner: [BoundExpression]) -> String { inner.map { text($0) }.joined(separator: ", ") }
    switch expression.kind {
    case .constant(let value): return constant(value)
    case .parameter(let index): return "$\(query.parameters[index].name)"
    case .column(let reference, let column):
      var base = reference
      var prefix = ""
      while case .toOne(let inner, let relation) = base {
        prefix = "\(name(relation)).\(prefix)"
        base = inner
      }
      guard case .scope(let depth, _) = base else { return "?" }
      var type = EntityTypeID(0)
      switch reference {
      case .scope(_, let id): type = id
      case .toOne(_, let relation): type = catalog[relation].target
      case .firstOf(_, let id): type = id
      }
      let descriptor = catalog[type][column]
      return
        "\(prefix)\(descriptor.name)\(descriptor.foldedFrom == nil ? "" : "~")\(String(repeating: "^", count: depth))"
    case .entity(let reference): return "<\(self.reference(reference))>"
    case .not(let inner): return "not(\(text(inner)))"
    case .and(let parts): return "(\(parts.map { text($0) }.joined(separator: " and ")))"
    case .or(let parts): return "(\(parts.map { text($0) }.joined(separator: " or ")))"
    case .isTrue(let inner): return "isTrue(\(text(inner)))"
    case .isNull(let inner): return "isNull(\(text(inner)))"
    case .compare(let op, let left, let right): return "\(text(left)) \(op.rawValue) \(text(right))"
    case .inValues(let left, let values): return "\(text(left)) in [\(list(values))]"
    case .inList(let left, let values): return "\(text(left)) in \(text(values))"
    case .inRange(let left, let lower, let upper, let includes):
      return "\(text(left)) in \(lower.map(text) ?? "")\(includes ? ".." : "..<")\(upper.map(text) ?? "")"
    case .textTest(let test, let left, let right): return "\(text(left)) \(test.rawValue) \(text(right))"
    case .listContains(let left, let right): return "\(text(left)) has \(text(right))"
    case .like(let left, let pattern, let folds): return "\(text(left)) \(folds ? "ilike" : "like") \(text(pattern))"
    case .regex(let left, let pattern): return "\(text(left)) =~ \(text(pattern))"
    case .arithmetic(let op, let left, let right): return "(\(text(left)) \(op.rawValue) \(text(right)))"
    case .negate(let inner): return "-\(text(inner))"
    case .convert(let inner): return "\(catalog.name(of: expression.type))(\(text(inner)))"
    case .cast(let inner): return "(\(text(inner)) as \(catalog.name(of: expression.type)))"
    case .coalesce(let parts): return parts.map { text($0) }.joined(separator: " ?? ")
    case .conditional(let parts): return "if(\(list(parts)))"
    case .fold(let inner): return "fold(\(text(inner)))"
    case .jsonPath(let base, let key): return "\(text(base))[\(text(key))]"
    case .listCall(let operation, let list, let number, let body):
      return "\(operation.name)[\(number)](\(text(list))\(body.map { ", \(text($0))" } ?? ""))"
    case .item(let reference, let number): return "item\(number)\(String(repeating: "^", count: reference.scope))"
    case .join(let values, let separator): return "join(\(text(values)), \(text(separator)))"
    case .element(let base, let key): return "\(text(base))[\(text(key))]"
    case .invoke(let function, let parts): return "\(function.name)(\(list(parts)))"
    case .call(let function, let parts): return "\(function.rawValue)(\(list(parts)))"
    case .jsonList(let parts): return "[\(list(parts))]"
    case .jsonObject(let names, let parts):
      return "{\(zip(names, parts).map { "\($0): \(text($1))" }.joined(separator: ", "))}"
    case .quantifier(let quantifier, let id, let body):
      return "\(quantifier.rawValue)(\(set(id))\(body.map { " | \(text($0))" } ?? ""))"
    case .aggregate(let aggregate, let id, let body):
      return "\(aggregate.rawValue)(\(set(id))\(body.map { " | \(text($0))" } ?? ""))"
    case .inRowSet, .isDeleted, .isInserted, .host, .matches, .score, .highlight: return "?"
    case .groupAggregate(let group, _, let slot): return "\(reference(group)).aggregate\(slot)"
    }
  }

  private func constant(_ value: Value) -> String {
    switch value {
    case .decimal(let number): return "\(number)m"
    case .float(let number): return "\(number)f"
    case .id(let text, _): return "#\(text.string)"
    case .dateTime(let count): return "t\(count)"
    case .date(let days): return "d\(days)"
    case .json(let text): return "json \(text.string)"
    default: return print(catalog.literal(value))
    }
  }
}

enum BindingFixture {
  static let sdl = """
    enum Status { ACTIVE MINOR BANNED }
    type Address { street: String city: String! zip: Zip }
    type Zip { code: Int }
    type User @index(fields: ["lastName", "firstName"]) @index(fields: ["address.city"]) {
      id: ID!
      email: String @unique @collate(CI)
      firstName: String!
      lastName: String!
      age: Int @index
      score: Float
      balance: Decimal
      status: Status = ACTIVE @index(kind: HASH)
      MINOR: Boolean
      address: Address
      tags: [String!]
      data: JSON
      born: Date
      seen: DateTime
      boss: User @relation(inverse: "staff")
      staff: [User!]! @relation(inverse: "boss")
      friends: [User!]! @relation(inverse: "friends")
      chats: [Chat!]! @relation(inverse: "users")
      messages: [Message!]! @relation(inverse: "author")
    }
    type Chat { id: ID! title: String users: [User!]! @relation(inverse: "chats")
      messages: [Message!]! @relation(inverse: "chat") }
    type Message { id: Int! text: String! likes: Int author: User! chat: Chat }
    type Query { people: [User!]! me(id: ID!): User }
    """

  static let catalog: Catalog = {
    let document = parse(SourceText(name: "schema", text: sdl))
    return buildCatalog(document.output).output
  }()

  static func bind(
    _ text: String, options: BindingOptions = BindingOptions()
  ) -> Analyzed<BoundQuery?> {
    let document = parse(SourceText(name: "query", text: text), dialect: options.dialect)
    guard let operation = operations(of: document.output).first else { return Analyzed(nil, document.diagnostics) }
    let bound = GQLBinder.bind(document.output, operation: operation, catalog: catalog, options: options)
    return Analyzed(bound.output, document.diagnostics + bound.diagnostics)
  }

  /// The bound query as text, or its diagnostics.
  static func describe(_ text: String, options: BindingOptions = BindingOptions()) -> String {
    let bound = bind(text, options: options)
    guard let query = bound.output, !bound.hasErrors else {
      return bound.diagnostics.map { "\($0.code) \($0.message)" }.joined(separator: "; ")
    }
    return BindingDescription(query: query, catalog: catalog).text
  }

  /// The condition that `User(where: …)` binds to.
  static func condition(_ text: String, options: BindingOptions = BindingOptions()) -> String {
    let whole = describe("{ User(where: \(text)) { id } }", options: options)
    let prefix = "User: many User where "
    let suffix = " {id: id}"
    guard whole.hasPrefix(prefix), whole.hasSuffix(suffix) else { return whole }
    return String(whole.dropFirst(prefix.count).dropLast(suffix.count))
  }

  static func codes(_ text: String, options: BindingOptions = BindingOptions()) -> [String] {
    bind(text, options: options).diagnostics.map(\.code.rawValue)
  }
}
