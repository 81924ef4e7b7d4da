/// Groups: what stands instead of a list's elements under `groupBy`.
extension ReferenceEvaluator {
  func groups(_ elements: [Datum], _ node: Node, _ outer: Environment) throws -> String {
    guard let arguments = try settled(node.arguments, outer), let by = arguments.argument("groupBy") else {
      throw ReferenceFailure.malformed
    }
    // The scores of members are by the condition that selects them.
    let environment = outer.found(by: arguments)
    var kept = elements
    if let condition = arguments.argument("where") {
      kept = try kept.filter { try keeps(condition[0], environment.entering($0)) }
    }
    var found: [Group] = []
    var places: [String: Int] = [:]
    // `groupBy: []` is one group, also of nothing.
    if by.children.isEmpty { found.append(Group(keys: [], members: [])) }
    for element in kept {
      let inner = environment.entering(element)
      let keys = try by.children.map { (name: try Self.keyName($0), value: try evaluate(Self.keyValue($0), inner)) }
      let parts = try zip(by.children, keys).map { node, key in key.value.key(folded: try Self.keyValue(node).isFolded)
      }
      let key = parts.joined(separator: "|")
      if by.children.isEmpty {
        found[0].members.append(element)
      } else if let place = places[key] {
        found[place].members.append(element)
      } else {
        places[key] = found.count
        found.append(Group(keys: keys, members: [element]))
      }
    }
    func inside(_ group: Group) -> Environment {
      var inner = environment
      inner.group = group
      return inner
    }
    if let condition = arguments.argument("having") {
      found = try found.filter { try keeps(condition[0], inside($0)) }
    }
    if let order = arguments.argument("orderBy") {
      found = try sorted(found, order.orderTerms) { node, group in try evaluate(node, inside(group)) }
    }
    if let offset = arguments.argument("offset"), case .int(let number) = try evaluate(offset[0], environment) {
      found = Array(found.dropFirst(number))
    }
    if let limit = arguments.argument("limit"), case .int(let number) = try evaluate(limit[0], environment) {
      found = Array(found.prefix(number))
    }
    guard let selections = node.selections else {
      return Self.array(try found.map { group in Self.object(try group.keys.map { ($0.name, try json($0.value)) }) })
    }
    return Self.array(try found.map { Self.object(try members(selections, inside($0))) })
  }

  /// A path names its key by its last step.
  static func keyName(_ node: Node) throws -> String {
    if case .named(let name) = node.form { return name }
    guard case .step(let name)? = node.children.last?.form else { throw ReferenceFailure.malformed }
    return name
  }

  static func keyValue(_ node: Node) throws -> Node {
    if case .named = node.form { return try node[0] }
    return node
  }

  /// A field in a group's selection: a key, or `_items`.
  func groupField(_ name: String, _ node: Node, _ group: Group, _ environment: Environment) throws -> String {
    var outside = environment
    outside.group = nil
    if name == "_items" { return try list(group.members, node, outside) }
    guard let key = group.keys.first(where: { $0.name == name }) else { throw ReferenceFailure.malformed }
    guard let selections = node.selections else {
      return try json(key.value)
    }
    return key.value.isNull ? "null" : try object(key.value, selections, outside)
  }

  func groupAggregate(_ name: String, _ isDistinct: Bool, _ node: Node, _ environment: Environment) throws -> Datum {
    guard let group = environment.group else { throw ReferenceFailure.malformed }
    guard let argument = node.children.first else { return .int(group.members.count) }
    var outside = environment
    outside.group = nil
    var values: [Datum] = []
    for member in group.members {
      let inner = outside.entering(member)
      // Of a to-many path what each member has.
      if case .set = argument.form {
        values += try set(argument, inner)
      } else {
        values.append(try evaluate(argument, inner))
      }
    }
    if isDistinct { values = Self.distinct(values, folded: argument.isFolded) }
    let separator = node.children.count > 1 ? try evaluate(node[1], environment) : .null
    return try aggregate(name, values, separator, folded: argument.isFolded)
  }
}
