/// An expression of the random queries: what the engine reads as text and the reference evaluator as a tree.
indirect enum ReferenceExpression {
  case literal(ReferenceValue)
  /// A variable and the value that it is given.
  case variable(String, ReferenceValue)
  /// A path from the element `scope` levels out: to-one relations, then a field.
  case path(scope: Int, [String])
  case compare(String, ReferenceExpression, ReferenceExpression)
  case isNull(ReferenceExpression, negated: Bool)
  case inList(ReferenceExpression, [ReferenceValue], negated: Bool)
  case inRange(ReferenceExpression, Int, Int, isClosed: Bool, negated: Bool)
  /// `contains`, `startsWith` or `endsWith` over texts.
  case textTest(String, ReferenceExpression, String)
  case listContains(ReferenceExpression, ReferenceExpression)
  case not(ReferenceExpression)
  case and([ReferenceExpression])
  case or([ReferenceExpression])
  case arithmetic(String, ReferenceExpression, ReferenceExpression)
  case coalesce(ReferenceExpression, ReferenceExpression)
  case conditional(ReferenceExpression, ReferenceExpression, ReferenceExpression)
  /// `some every none one exists` over a set.
  case quantifier(String, ReferenceSet, ReferenceExpression?)
  case count(ReferenceSet)
  /// `sum avg min max` of a field of the members.
  case aggregate(String, ReferenceSet, String)

  var text: String {
    switch self {
    case .literal(let value): return Self.literal(value)
    case .variable(let name, _): return "$\(name)"
    case .path(let scope, let steps):
      return (scope == 0 ? "" : String(repeating: "^", count: scope) + ".") + steps.joined(separator: ".")
    case .compare(let sign, let left, let right): return "(\(left.text) \(sign) \(right.text))"
    case .isNull(let value, let negated): return "(\(value.text) is\(negated ? " not" : "") null)"
    case .inList(let value, let elements, let negated):
      let list = elements.map(Self.literal).joined(separator: ", ")
      return "(\(value.text) \(negated ? "not in" : "in") [\(list)])"
    case .inRange(let value, let lower, let upper, let isClosed, let negated):
      return "(\(value.text) \(negated ? "not in" : "in") \(lower)\(isClosed ? ".." : "..<")\(upper))"
    case .textTest(let test, let value, let part): return "(\(value.text) \(test) \"\(part)\")"
    case .listContains(let list, let value): return "(\(list.text) contains \(value.text))"
    case .not(let value): return "(not \(value.text))"
    case .and(let parts): return "(\(parts.map(\.text).joined(separator: " and ")))"
    case .or(let parts): return "(\(parts.map(\.text).joined(separator: " or ")))"
    case .arithmetic(let sign, let left, let right): return "(\(left.text) \(sign) \(right.text))"
    case .coalesce(let first, let second): return "(\(first.text) ?? \(second.text))"
    case .conditional(let test, let yes, let no): return "if(\(test.text), \(yes.text), \(no.text))"
    case .quantifier(let kind, let set, let predicate):
      return "\(kind)(\(set.text)\(predicate.map { ", \($0.text)" } ?? ""))"
    case .count(let set): return "count(\(set.text))"
    case .aggregate(let kind, let set, let field): return "\(kind)(\(set.text).\(field))"
    }
  }

  private static func literal(_ value: ReferenceValue) -> String {
    if case .symbol(_, let name) = value { return name }
    return ReferenceJSON.text(value)
  }
}

/// The members of a relation, of two relations in a row, or of a type at the root.
struct ReferenceSet {
  /// Relations to follow from the element `scope` levels out; empty for the root.
  var steps: [String]
  var scope = 0
  var rootType: Int?
  var predicate: ReferenceExpression?
  var name: String

  var text: String {
    let start = scope == 0 ? "" : String(repeating: "^", count: scope) + "."
    return start + name + (predicate.map { "(where: \($0.text))" } ?? "")
  }
}

struct ReferenceOrder {
  enum Form { case ascending, minus, descending(nullsFirst: Bool) }
  var key: ReferenceExpression
  var form: Form

  var text: String {
    switch form {
    case .ascending: key.text
    case .minus: "-\(key.text)"
    case .descending(let nullsFirst): "desc(\(key.text)\(nullsFirst ? ", nulls: FIRST" : ""))"
    }
  }
}

struct ReferenceArguments {
  var predicate: ReferenceExpression?
  var order: [ReferenceOrder] = []
  var limit: Int?
  var offset: Int?
  var distinct: [ReferenceExpression] = []

  var text: String {
    var parts: [String] = []
    if let predicate { parts.append("where: \(predicate.text)") }
    if !order.isEmpty { parts.append("orderBy: [\(order.map(\.text).joined(separator: ", "))]") }
    if let limit { parts.append("limit: \(limit)") }
    if let offset { parts.append("offset: \(offset)") }
    if !distinct.isEmpty { parts.append("distinctOn: [\(distinct.map(\.text).joined(separator: ", "))]") }
    return parts.isEmpty ? "" : "(\(parts.joined(separator: ", ")))"
  }
}

indirect enum ReferenceSelection {
  case field(String)
  case computed(String, ReferenceExpression)
  case relation(String, ReferenceArguments, [ReferenceSelection])

  var text: String {
    switch self {
    case .field(let name): name
    case .computed(let key, let value): "\(key) := \(value.text)"
    case .relation(let name, let arguments, let selections):
      "\(name)\(arguments.text) { \(selections.map(\.text).joined(separator: " ")) }"
    }
  }
}

/// One root field of a random query.
enum ReferenceRoot {
  case list(Int, ReferenceArguments, [ReferenceSelection])
  case one(Int, id: Int, [ReferenceSelection])
  case computed(ReferenceExpression)

  func text(_ key: String) -> String {
    switch self {
    case .list(let type, let arguments, let selections):
      "\(key): T\(type)\(arguments.text) { \(selections.map(\.text).joined(separator: " ")) }"
    case .one(let type, let id, let selections):
      "\(key): t\(type)(id: \"\(id)\") { \(selections.map(\.text).joined(separator: " ")) }"
    case .computed(let value): "\(key) := \(value.text)"
    }
  }
}
