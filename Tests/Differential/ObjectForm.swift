import GQLite

/// An object literal or a value of a variable: conditions and orders as strict clients write them.
indirect enum ObjectForm {
  case object([(name: String, value: ObjectForm)])
  case list([ObjectForm])
  case constant(Node)
  case word(String)
  case flag(Bool)
  /// A null.
  case nothing(Node)

  func text(_ hidden: Set<String>) -> String {
    switch self {
    case .object(let members): "{\(members.map { "\($0.name): \($0.value.text(hidden))" }.joined(separator: ", "))}"
    case .list(let elements): "[\(elements.map { $0.text(hidden) }.joined(separator: ", "))]"
    case .constant(let node), .nothing(let node): node.text(hidden)
    case .word(let word): word
    case .flag(let flag): "\(flag)"
    }
  }

  fileprivate var isNothing: Bool { if case .nothing = self { true } else { false } }

  fileprivate var members: [(name: String, value: ObjectForm)] {
    if case .object(let members) = self { members } else { [] }
  }

  var value: Value {
    switch self {
    case .object(let members): .object(members.map { Value.Member($0.name, $0.value.value) })
    case .list(let elements): .list(elements.map(\.value))
    case .constant(let node):
      if case .literal(let datum, _) = node.form { datum.value } else { .null }
    case .word(let word): .string(word)
    case .flag(let flag): .bool(flag)
    case .nothing: .null
    }
  }
}

extension Node {
  private static let operators = [
    "==": "eq", "!=": "ne", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte", "contains": "contains",
    "startsWith": "startsWith", "endsWith": "endsWith", "like": "like", "ilike": "ilike", "=~": "regex",
    "matches": "matches",
  ]

  /// The condition as an object; nil if the object form has no words for it.
  var objectForm: ObjectForm? {
    switch form {
    case .literal(.bool(true), _): return .object([])
    case .nothing: return .nothing(self)
    case .operation("and"):
      let parts = children.compactMap(\.objectForm)
      guard parts.count == children.count else { return nil }
      if parts.contains(where: \.isNothing) { return .object([("and", parts.count == 1 ? parts[0] : .list(parts))]) }
      // Keys side by side, where none stands twice.
      let members = parts.flatMap(\.members)
      if Set(members.map(\.name)).count == members.count { return .object(members) }
      return .object([("and", .list(parts))])
    case .operation("or"):
      let parts = children.compactMap(\.objectForm)
      guard parts.count == children.count else { return nil }
      if parts.count == 1, parts[0].isNothing { return .object([("or", parts[0])]) }
      return .object([("or", .list(parts))])
    case .not: return children.first?.objectForm.map { .object([("not", $0)]) }
    case .operation(let sign):
      guard children.count == 2, let name = Self.operators[sign] else { return nil }
      return children[0].member(.object([(name, .constant(children[1]))]))
    case .isNull(let negated): return children.first?.member(.object([("isNull", .flag(!negated))]))
    case .inList(let negated):
      let elements = ObjectForm.list(children.dropFirst().map { .constant($0) })
      return children.first?.member(.object([(negated ? "notIn" : "in", elements)]))
    case .aggregate(let name):
      guard ["some", "every", "none"].contains(name), children.count == 2, let inner = children[1].objectForm else {
        return nil
      }
      return children[0].member(.object([(name, inner)]))
    default: return nil
    }
  }

  /// The object inside the keys of a path, a set, or the count of a set.
  private func member(_ inner: ObjectForm) -> ObjectForm? {
    switch form {
    case .aggregate("count"):
      return children.count == 1 ? children.first?.member(.object([("count", inner)])) : nil
    case .path(0, _), .set(0, false):
      guard !children.isEmpty else { return nil }
      return children.reversed().reduce(inner) { inner, step -> ObjectForm? in
        guard case .step(let name) = step.form, step.children.isEmpty, let inner else { return nil }
        return .object([(name, inner)])
      }
    default: return nil
    }
  }

  /// `{field: DESC}`.
  var orderObject: ObjectForm? {
    var members: [(name: String, value: ObjectForm)] = []
    for term in children {
      guard case .order(let form) = term.form, let path = term.children.first, path.children.count == 1,
        case .path(0, _) = path.form, case .step(let name)? = path.children.first?.form
      else { return nil }
      let isDescending = if case .plain = form { false } else { true }
      members.append((name, .word(isDescending ? "DESC" : "ASC")))
    }
    return .object(members)
  }
}
