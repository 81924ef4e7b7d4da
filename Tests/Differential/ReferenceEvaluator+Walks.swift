/// `@expand` and `shortestPath`.
extension ReferenceEvaluator {
  /// The fields that an expansion adds: all that are not named, relations as the first of the levels says.
  func expanded(
    _ element: Datum, _ levels: ArraySlice<String>, except names: Set<String>, omitsNull: Bool,
    _ environment: Environment
  ) throws -> Members {
    // An entity of an interface or union comes as what it is.
    guard case .entity(let type, _) = element, let shape = model.shape(type) else { throw ReferenceFailure.malformed }
    var members: Members = []
    for field in shape.fields where !names.contains(field.name) {
      let value = try read(element, field.name)
      if !(omitsNull && value.isNull) { members.append((field.name, try json(value))) }
    }
    for relation in shape.relations where !names.contains(relation.name) {
      guard let level = levels.first else { continue }
      let shown = try links(element, relation.name).map { linked -> String in
        if level == "IDS" { return try read(linked, "id").json }
        let inner = try expanded(
          linked, levels.dropFirst(), except: [], omitsNull: level == "FRAGMENTS", environment)
        return Self.object(inner)
      }
      if relation.isMany {
        members.append((relation.name, Self.array(shown)))
      } else if let only = shown.first {
        members.append((relation.name, only))
      } else if !omitsNull {
        members.append((relation.name, "null"))
      }
    }
    return members
  }

  /// Both ends and what lies between; of several ways that over earlier links.
  func shortestPath(_ node: Node, _ depth: Int?, _ environment: Environment) throws -> [Datum] {
    let step = try node[0]
    guard case .set(0, false) = step.form, case .step(let name) = try step[0].form else {
      throw ReferenceFailure.malformed
    }
    let start = try element(0, environment)
    guard case .entity(let type, _) = start, let wanted = try target(node[1], type, environment) else { return [] }
    var ways: [[Datum]] = [[start]]
    var seen: Set<String> = [start.key()]
    var distance = 0
    while !ways.isEmpty {
      if let found = ways.first(where: { $0.last?.key() == wanted.key() }) { return found }
      guard distance < depth ?? Int.max else { return [] }
      distance += 1
      var next: [[Datum]] = []
      for way in ways {
        for linked in links(way[way.count - 1], name, deleted: try step[0].arguments?.deletedMode) {
          if let condition = try step[0].arguments?.argument("where"),
            try !keeps(condition[0], environment.entering(linked))
          {
            continue
          }
          if seen.insert(linked.key()).inserted { next.append(way + [linked]) }
        }
      }
      ways = next
    }
    return []
  }

  private func target(_ node: Node, _ type: String, _ environment: Environment) throws -> Datum? {
    let value = try evaluate(node, environment)
    switch value {
    case .entity: return value
    case .id: return try model.all(type).first { try Datum.isSame(read($0, "id"), value) }
    default: return nil
    }
  }
}

/// Functions of the document.
extension ReferenceEvaluator {
  /// The body sees its parameters and nothing of where it is called.
  func userCall(_ name: String, _ arguments: [Node], _ environment: Environment) throws -> Datum {
    guard let node = environment.functions[name], case .function(_, let parameters, _) = node.form else {
      throw ReferenceFailure.malformed
    }
    var inner = Environment()
    inner.functions = environment.functions
    for (place, parameter) in parameters.enumerated() {
      var value: Result<Datum, ReferenceFailure> = .success(parameter.fallback ?? .null)
      if arguments.indices.contains(place) {
        do {
          value = .success(try evaluate(arguments[place], environment))
        } catch let failure as ReferenceFailure {
          guard case .runtime = failure else { throw failure }
          // Whether an argument that the body does not need is looked at is not said.
          latitude.mayFail = true
          value = .failure(failure)
        }
      } else if parameter.fallback == nil {
        throw ReferenceFailure.malformed
      }
      inner.lets[parameter.name] = Let(node: node, depth: 0, value: value)
    }
    return try evaluate(node[0], inner)
  }
}
