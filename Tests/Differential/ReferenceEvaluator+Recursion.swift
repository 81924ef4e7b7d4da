/// `@recurse` and `closure`.
extension ReferenceEvaluator {
  /// The field with its arguments at every level, last in its own selection, until the depth or a cycle ends it.
  func recurse(
    _ name: String, _ node: Node, depth: Int?, level: Int, path: [Datum], _ environment: Environment
  ) throws -> String {
    guard let parent = environment.scopes.last, case .entity(let type, _) = parent,
      let relation = model.shape(type)?.relation(name), let selections = node.selections
    else { throw ReferenceFailure.malformed }
    let bound = binding(selections, environment, inside: true)
    var found = try arrange(links(parent, name, deleted: node.arguments?.deletedMode), node.arguments, bound)
    if !relation.isMany { found = Array(found.prefix(1)) }
    let objects = try found.map { element -> String in
      let isCycle = path.contains { $0.key() == element.key() }
      var inner = environment.entering(element)
      inner.recursion = (level, isCycle)
      var members = try self.members(selections, inner)
      if depth.map({ level < $0 }) ?? true {
        var below = relation.isMany ? "[]" : "null"
        if !isCycle {
          var next = environment.keepingLets()
          next.scopes[next.scopes.count - 1] = element
          next.recursion = nil
          below = try recurse(name, node, depth: depth, level: level + 1, path: path + [element], next)
        }
        guard case .field(_, let alias) = node.form else { throw ReferenceFailure.malformed }
        members.append((alias ?? name, below))
      }
      return Self.object(members)
    }
    return relation.isMany ? Self.array(objects) : objects.first ?? "null"
  }

  /// What repeating the last step reaches: breadth first, by parents in order, then links in order, each once.
  func closure(
    _ node: Node, _ depth: ClosedRange<Int>?, _ environment: Environment
  ) throws -> [(element: Datum, depth: Int)] {
    let path = try node[0]
    guard case .set(let scope, false) = path.form, case .step(let name)? = path.children.last?.form else {
      throw ReferenceFailure.malformed
    }
    let start = Node(.set(scope: scope, isRoot: false), Array(path.children.dropLast()))
    let condition = node.children.count > 1 ? node.children[1] : nil
    var level = try set(start, environment)
    var seen: Set<String> = []
    var found: [(element: Datum, depth: Int)] = []
    let lowest = depth?.lowerBound ?? 1
    if lowest == 0 {
      found = level.map { ($0, 0) }
      seen = Set(level.map { $0.key() })
    }
    var distance = 1
    while !level.isEmpty, distance <= depth?.upperBound ?? Int.max {
      var next: [Datum] = []
      for element in level {
        for target in links(element, name, deleted: path.children.last?.arguments?.deletedMode) {
          if let condition, try !keeps(condition, environment.entering(target)) { continue }
          guard seen.insert(target.key()).inserted else { continue }
          next.append(target)
          if distance >= lowest { found.append((target, distance)) }
        }
      }
      level = next
      distance += 1
    }
    return found
  }
}

extension ReferenceEvaluator.Environment {
  /// The same place, where each `let` keeps the elements that are around it now.
  func keepingLets() -> Self {
    var result = self
    for (name, found) in lets where found.scopes == nil && found.depth <= scopes.count {
      result.lets[name]?.scopes = Array(scopes.prefix(found.depth))
    }
    return result
  }
}
