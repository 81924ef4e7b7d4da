/// Answers random queries by the sentences of the language's reference, one entity at a time, without any index.
///
/// It shares nothing with the engine: a difference is a fault of one of the two.
struct ReferenceEvaluator {
  let database: ReferenceDatabase

  struct Element: Hashable {
    var type: Int
    var row: Int
  }

  // MARK: - Queries

  func answer(_ roots: [ReferenceRoot]) -> String {
    let members = roots.enumerated().map { index, root in "\"q\(index)\":\(answer(root))" }
    return "{\(members.joined(separator: ","))}"
  }

  private func answer(_ root: ReferenceRoot) -> String {
    switch root {
    case .list(let type, let arguments, let selections):
      let all = database.types[type].rows.indices.map { Element(type: type, row: $0) }
      return list(arrange(all, arguments, []), selections, [])
    case .one(let type, let id, let selections):
      guard let row = database.types[type].rows.firstIndex(where: { $0["id"] == .int(id) }) else { return "null" }
      return object([Element(type: type, row: row)], selections)
    case .computed(let value): return ReferenceJSON.text(evaluate(value, []))
    }
  }

  private func list(_ elements: [Element], _ selections: [ReferenceSelection], _ scopes: [Element]) -> String {
    "[\(elements.map { object(scopes + [$0], selections) }.joined(separator: ","))]"
  }

  private func object(_ scopes: [Element], _ selections: [ReferenceSelection]) -> String {
    guard let element = scopes.last else { return "null" }
    let type = database.types[element.type]
    var members: [String] = []
    for selection in selections {
      switch selection {
      case .field(let name):
        members.append("\"\(name)\":\(ReferenceJSON.text(type.rows[element.row][name] ?? .null))")
      case .computed(let key, let value):
        members.append("\"\(key)\":\(ReferenceJSON.text(evaluate(value, scopes)))")
      case .relation(let name, let arguments, let inner):
        guard let relation = type.relations.first(where: { $0.name == name }) else { continue }
        let linked = follow(element, name)
        if relation.isMany {
          members.append("\"\(name)\":\(list(arrange(linked, arguments, scopes), inner, scopes))")
        } else {
          members.append("\"\(name)\":\(linked.first.map { object(scopes + [$0], inner) } ?? "null")")
        }
      }
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// `where`, `orderBy`, `distinctOn`, `offset` and `limit`, in that order.
  private func arrange(_ elements: [Element], _ arguments: ReferenceArguments, _ scopes: [Element]) -> [Element] {
    var kept = elements
    if let predicate = arguments.predicate {
      kept = kept.filter { evaluate(predicate, scopes + [$0]) == .bool(true) }
    }
    let keyed = kept.enumerated().map { index, element in
      (index: index, element: element, keys: arguments.order.map { evaluate($0.key, scopes + [element]) })
    }
    kept = keyed.sorted { left, right in
      for (place, order) in arguments.order.enumerated() {
        if let before = precedes(left.keys[place], right.keys[place], order.form) { return before }
      }
      return left.index < right.index
    }.map(\.element)
    if !arguments.distinct.isEmpty {
      var seen: Set<[ReferenceValue]> = []
      kept = kept.filter { element in
        seen.insert(arguments.distinct.map { canonical(evaluate($0, scopes + [element])) }).inserted
      }
    }
    kept = Array(kept.dropFirst(arguments.offset ?? 0))
    return arguments.limit.map { Array(kept.prefix($0)) } ?? kept
  }

  /// Nulls come last in both directions, unless they are wanted first; nil for equal keys.
  private func precedes(_ left: ReferenceValue, _ right: ReferenceValue, _ form: ReferenceOrder.Form) -> Bool? {
    var nullsFirst = false
    var isDescending = true
    switch form {
    case .ascending: isDescending = false
    case .minus: break
    case .descending(let first): nullsFirst = first
    }
    if left == .null || right == .null {
      return left == right ? nil : (left == .null) == nullsFirst
    }
    guard let order = compare(left, right), order != 0 else { return nil }
    return isDescending ? order > 0 : order < 0
  }

  // MARK: - Sets

  private func follow(_ element: Element, _ name: String) -> [Element] {
    let type = database.types[element.type]
    guard let relation = type.relations.first(where: { $0.name == name }), let links = type.links[name] else {
      return []
    }
    return links[element.row].map { Element(type: relation.target, row: $0) }
  }

  /// A path of entities is a set: each once, in canonical order; a single relation keeps its link order.
  private func members(_ set: ReferenceSet, _ scopes: [Element]) -> [Element] {
    var found: [Element]
    if let type = set.rootType {
      found = database.types[type].rows.indices.map { Element(type: type, row: $0) }
    } else {
      found = [scopes[scopes.count - 1 - set.scope]]
      for step in set.steps { found = found.flatMap { follow($0, step) } }
      if set.steps.count > 1 { found = Array(Set(found)).sorted { $0.row < $1.row } }
    }
    guard let predicate = set.predicate else { return found }
    return found.filter { evaluate(predicate, scopes + [$0]) == .bool(true) }
  }

  // MARK: - Expressions

  func evaluate(_ expression: ReferenceExpression, _ scopes: [Element]) -> ReferenceValue {
    switch expression {
    case .literal(let value), .variable(_, let value): return value
    case .path(let scope, let steps): return path(scopes[scopes.count - 1 - scope], steps)
    case .compare(let sign, let left, let right):
      return compare(sign, evaluate(left, scopes), evaluate(right, scopes))
    case .isNull(let value, let negated): return .bool((evaluate(value, scopes) == .null) != negated)
    case .inList(let value, let elements, let negated):
      let value = evaluate(value, scopes)
      return .bool(elements.contains { isEqual($0, value) } != negated)
    case .inRange(let value, let lower, let upper, let isClosed, let negated):
      let value = evaluate(value, scopes)
      guard let low = compare(value, .int(lower)), let high = compare(value, .int(upper)) else {
        return .bool(negated)
      }
      return .bool((low >= 0 && (isClosed ? high <= 0 : high < 0)) != negated)
    case .textTest(let test, let value, let part): return textTest(test, evaluate(value, scopes), part)
    case .listContains(let list, let value):
      guard case .list(let elements) = evaluate(list, scopes) else { return .null }
      let value = evaluate(value, scopes)
      return value == .null ? .null : .bool(elements.contains { isEqual($0, value) })
    case .not(let value):
      guard case .bool(let flag) = evaluate(value, scopes) else { return .null }
      return .bool(!flag)
    case .and(let parts): return kleene(parts.map { evaluate($0, scopes) }, decisive: false)
    case .or(let parts): return kleene(parts.map { evaluate($0, scopes) }, decisive: true)
    case .arithmetic(let sign, let left, let right):
      return arithmetic(sign, evaluate(left, scopes), evaluate(right, scopes))
    case .coalesce(let first, let second):
      let value = evaluate(first, scopes)
      return value == .null ? evaluate(second, scopes) : value
    case .conditional(let test, let yes, let no):
      return evaluate(evaluate(test, scopes) == .bool(true) ? yes : no, scopes)
    case .quantifier(let kind, let set, let predicate):
      let found = members(set, scopes)
      let good =
        predicate.map { test in found.filter { evaluate(test, scopes + [$0]) == .bool(true) }.count } ?? found.count
      switch kind {
      case "some", "exists": return .bool(good > 0)
      case "none": return .bool(good == 0)
      case "one": return .bool(good == 1)
      default: return .bool(good == found.count)
      }
    case .count(let set): return .int(members(set, scopes).count)
    case .aggregate(let kind, let set, let field):
      let values = members(set, scopes).map { path($0, [field]) }.filter { $0 != .null }
      return aggregate(kind, values)
    }
  }

  private func path(_ start: Element, _ steps: [String]) -> ReferenceValue {
    var element = start
    for step in steps.dropLast() {
      guard let next = follow(element, step).first else { return .null }
      element = next
    }
    return database.types[element.type].rows[element.row][steps.last ?? ""] ?? .null
  }

  /// `false` decides a conjunction, `true` a disjunction; failing that, an unknown makes it unknown.
  private func kleene(_ values: [ReferenceValue], decisive: Bool) -> ReferenceValue {
    if values.contains(.bool(decisive)) { return .bool(decisive) }
    return values.contains(.null) ? .null : .bool(!decisive)
  }

  private func compare(_ sign: String, _ left: ReferenceValue, _ right: ReferenceValue) -> ReferenceValue {
    switch sign {
    case "==": return .bool(isEqual(left, right))
    case "!=": return .bool(!isEqual(left, right))
    default:
      guard let order = compare(left, right) else { return .null }
      switch sign {
      case "<": return .bool(order < 0)
      case "<=": return .bool(order <= 0)
      case ">": return .bool(order > 0)
      default: return .bool(order >= 0)
      }
    }
  }

  private func isEqual(_ left: ReferenceValue, _ right: ReferenceValue) -> Bool {
    if left == .null || right == .null { return left == right }
    return compare(left, right) == 0
  }

  /// Negative, zero or positive; nil with a null.
  private func compare(_ left: ReferenceValue, _ right: ReferenceValue) -> Int? {
    if let left = number(left), let right = number(right) { return left < right ? -1 : left > right ? 1 : 0 }
    switch (left, right) {
    case (.bool(let left), .bool(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
    case (.symbol(let left, _), .symbol(let right, _)): return left - right
    case (.text(let left), .text(let right)):
      if left.utf8.elementsEqual(right.utf8) { return 0 }
      return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    default: return nil
    }
  }

  private func number(_ value: ReferenceValue) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .float(let number): number
    default: nil
    }
  }

  /// One key for numbers that are equal.
  private func canonical(_ value: ReferenceValue) -> ReferenceValue { number(value).map { .float($0 + 0) } ?? value }

  private func textTest(_ test: String, _ value: ReferenceValue, _ part: String) -> ReferenceValue {
    guard case .text(let text) = value else { return .null }
    let whole = Array(text.utf8)
    let part = Array(part.utf8)
    switch test {
    case "startsWith": return .bool(whole.starts(with: part))
    case "endsWith": return .bool(whole.suffix(part.count).elementsEqual(part))
    default:
      guard part.count <= whole.count else { return .bool(false) }
      return .bool((0...(whole.count - part.count)).contains { whole[$0...].starts(with: part) })
    }
  }

  private func arithmetic(_ sign: String, _ left: ReferenceValue, _ right: ReferenceValue) -> ReferenceValue {
    if sign != "/", case .int(let left) = left, case .int(let right) = right {
      return .int(sign == "+" ? left + right : sign == "-" ? left - right : left * right)
    }
    if case .text(let left) = left, case .text(let right) = right { return .text(left + right) }
    guard let left = number(left), let right = number(right) else { return .null }
    switch sign {
    case "+": return .float(left + right)
    case "-": return .float(left - right)
    case "*": return .float(left * right)
    default: return .float(left / right)
    }
  }

  private func aggregate(_ kind: String, _ values: [ReferenceValue]) -> ReferenceValue {
    switch kind {
    case "sum", "avg":
      if kind == "avg", values.isEmpty { return .null }
      let sum = values.reduce(ReferenceValue.int(0)) { arithmetic("+", $0, $1) }
      return kind == "sum" ? sum : arithmetic("/", sum, .int(values.count))
    case "min": return values.reduce(.null) { $0 == .null || (compare($1, $0) ?? 0) < 0 ? $1 : $0 }
    default: return values.reduce(.null) { $0 == .null || (compare($1, $0) ?? 0) > 0 ? $1 : $0 }
    }
  }
}
