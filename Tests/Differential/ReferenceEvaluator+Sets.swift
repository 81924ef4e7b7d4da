/// The members of lists and sets, and their order.
extension ReferenceEvaluator {
  /// `where`, `orderBy`, `distinctOn`, cursors, `offset` and `limit`, in that order.
  ///
  /// - Parameter leaveOut: What takes the failures of `where`; the elements that have them are left out.
  func arrange(
    _ elements: [Datum], _ arguments: Node?, _ environment: Environment, limits: Bool = true,
    leaveOut: ((ReferenceFailure) -> Void)? = nil
  ) throws -> [Datum] {
    guard let arguments = try settled(arguments, environment) else { return elements }
    // A list that is cut to nothing is not looked at.
    if limits, isNothing(arguments.argument("limit")?.children.first) {
      try unneeded { _ = try arrange(elements, arguments, environment, limits: false) }
      return []
    }
    var kept = elements
    if let condition = arguments.argument("where") {
      kept = try kept.filter {
        do {
          return try keeps(condition[0], environment.entering($0))
        } catch let failure as ReferenceFailure {
          guard let leaveOut, case .runtime = failure else { throw failure }
          leaveOut(failure)
          return false
        }
      }
    }
    if let order = arguments.argument("orderBy") {
      let inner = environment.found(by: arguments)
      kept = try sorted(kept, order.orderTerms) { node, element in try evaluate(node, inner.entering(element)) }
    }
    if let keys = arguments.argument("distinctOn"), kept.count == 1 {
      try unneeded { for key in keys.children { _ = try evaluate(key, environment.entering(kept[0])) } }
    } else if let keys = arguments.argument("distinctOn") {
      var seen: Set<String> = []
      kept = try kept.filter { element in
        let parts = try keys.children.map { node in
          try evaluate(node, environment.entering(element)).key(folded: node.isFolded)
        }
        return seen.insert(parts.joined(separator: "|")).inserted
      }
    }
    return try page(kept, arguments, environment, limits: limits)
  }

  /// Whether a limit is zero before anything is looked at: written down, or in a variable.
  private func isNothing(_ limit: Node?) -> Bool {
    switch limit?.form {
    case .literal(.int(0), _)?, .variable(_, _, .int(0))?, .defaulted(_, _, .int(0))?: true
    default: false
    }
  }

  private func page(
    _ elements: [Datum], _ arguments: Node, _ environment: Environment, limits: Bool
  ) throws -> [Datum] {
    var kept = elements[...]
    let terms = arguments.argument("orderBy")?.orderTerms ?? []
    let inner = environment.found(by: arguments)
    func place(_ name: String) throws -> CursorPlace? {
      guard let argument = arguments.argument(name), let value = argument.children.first else { return nil }
      if case .variable(_, _, .null) = value.form { return nil }
      guard case .cursor(_, let place) = value.form else { throw ReferenceFailure.malformed }
      return place
    }
    /// Whether an element stands before the place, at it, or behind it.
    func side(_ element: Datum, _ place: CursorPlace) throws -> Int {
      for (term, key) in zip(terms, place.keys) {
        guard case .order(let form) = term.form else { throw ReferenceFailure.malformed }
        let own = try evaluate(term[0], inner.entering(element))
        if let before = try Self.precedes(own, key, form, term[0].isFolded) { return before ? -1 : 1 }
      }
      if element.key() == place.element.key() { return 0 }
      return place.predecessors.contains(element.key()) ? -1 : 1
    }
    let after = try place("after")
    let before = try place("before")
    if let after { kept = try kept.filter { try side($0, after) > 0 }[...] }
    if let before { kept = try kept.filter { try side($0, before) < 0 }[...] }
    func number(_ name: String) throws -> Int? {
      guard let argument = arguments.argument(name) else { return nil }
      switch try evaluate(argument[0], environment) {
      case .int(let number) where number >= 0: return number
      case .null: return nil
      default: throw ReferenceFailure.runtime("negative-limit")
      }
    }
    let offset = try number("offset") ?? 0
    let limit = limits ? try number("limit") : nil
    if before != nil, after == nil {
      // The list ends at the cursor: the page is taken from its end.
      kept = kept.dropLast(offset)
      return limit.map { Array(kept.suffix($0)) } ?? Array(kept)
    }
    kept = kept.dropFirst(offset)
    return limit.map { Array(kept.prefix($0)) } ?? Array(kept)
  }

  /// By the terms, those equal in all of them as they stood.
  func sorted<Element>(
    _ elements: [Element], _ terms: [Node], _ value: (Node, Element) throws -> Datum
  ) throws -> [Element] {
    // One element is in order.
    guard elements.count > 1 else {
      try unneeded { for element in elements { for term in terms { _ = try value(term[0], element) } } }
      return elements
    }
    var keyed: [(index: Int, element: Element, keys: [Datum])] = []
    for (index, element) in elements.enumerated() {
      keyed.append((index, element, try terms.map { try value($0[0], element) }))
    }
    return try keyed.sorted { left, right in
      for (place, term) in terms.enumerated() {
        guard case .order(let form) = term.form else { throw ReferenceFailure.malformed }
        let folded = try term[0].isFolded
        if let before = try Self.precedes(left.keys[place], right.keys[place], form, folded) { return before }
      }
      return left.index < right.index
    }.map(\.element)
  }

  /// Nulls come last in both directions, unless they are wanted first; nil for equal keys.
  private static func precedes(_ left: Datum, _ right: Datum, _ form: OrderForm, _ folded: Bool) throws -> Bool? {
    let (isDescending, nullsFirst) =
      switch form {
      case .plain: (false, false)
      case .ascending(let nullsFirst): (false, nullsFirst)
      case .minus: (true, false)
      case .descending(let nullsFirst): (true, nullsFirst)
      }
    if left.isNull || right.isNull {
      return left.isNull == right.isNull ? nil : left.isNull == nullsFirst
    }
    if case .entity = left { throw ReferenceFailure.malformed }
    let order = try Datum.order(left, right, folded: folded)
    return order == 0 ? nil : isDescending ? order > 0 : order < 0
  }

  // MARK: - Sets

  func links(_ element: Datum, _ name: String, deleted mode: String? = nil) -> [Datum] {
    let written = model.written(element, name)
    switch mode {
    case "INCLUDE": return written
    case "ONLY": return written.filter { model.isDeleted($0) }
    default: break
    }
    // The links of what is deleted sleep, those to it too.
    if model.deleted.isEmpty { return written }
    return model.isDeleted(element) ? [] : written.filter { !model.isDeleted($0) }
  }

  private func relation(of element: Datum, _ name: String) -> RelationShape? {
    guard case .entity(let type, _) = element else { return nil }
    return model.shape(type)?.relation(name)
  }

  /// What a step leads to from one element: entities, a list's elements, or one value.
  private func follow(_ element: Datum, _ name: String, deleted mode: String?) throws -> [Datum] {
    if relation(of: element, name) != nil { return links(element, name, deleted: mode) }
    let value = try read(element, name)
    if case .list(let elements) = value { return elements }
    return [value]
  }

  /// A path of entities is a set: each once, in canonical order; a single relation keeps its link order.
  ///
  /// - Parameter leaveOut: What takes the failures of the last `where`; the elements that have them are left out.
  func set(
    _ node: Node, _ environment: Environment, limits: Bool = true, leaveOut: ((ReferenceFailure) -> Void)? = nil
  ) throws -> [Datum] {
    /// Not where the list is needed as it is.
    func leavesOut(_ step: Node?) -> ((ReferenceFailure) -> Void)? {
      let needsAll = ["distinctOn", "after", "before"].contains { step?.arguments?.argument($0) != nil }
      return needsAll ? nil : leaveOut
    }
    switch node.form {
    case .set(let scope, let isRoot):
      var steps = node.children[...]
      var found: [Datum]
      if isRoot {
        guard case .step(let name)? = steps.first?.form, let first = steps.popFirst() else {
          throw ReferenceFailure.malformed
        }
        found = try arrange(
          model.all(name, deleted: first.arguments?.deletedMode), first.arguments, environment,
          limits: limits || !steps.isEmpty, leaveOut: steps.isEmpty ? leavesOut(first) : nil)
      } else {
        found = [try element(scope, environment)]
      }
      // Behind a to-many relation it is a set, not a list.
      var isPath = isRoot
      while let step = steps.popFirst() {
        guard case .step(let name) = step.form else { throw ReferenceFailure.malformed }
        let isMany = found.contains { relation(of: $0, name)?.isMany ?? false }
        // A step's arguments are about what the path leads to from its start, all together.
        found = try found.flatMap { try follow($0, name, deleted: step.arguments?.deletedMode) }
        if isPath, case .entity? = found.first { found = canonical(found) }
        found = try arrange(
          found, step.arguments, environment, limits: limits || !steps.isEmpty,
          leaveOut: steps.isEmpty ? leavesOut(step) : nil)
        isPath = isPath || isMany
      }
      return found
    case .closure(let depth):
      return try closure(node, depth, environment).map(\.element)
    case .shortestPath(let depth): return try shortestPath(node, depth, environment)
    case .letName(let name):
      if let value = environment.lets[name]?.value { return [try value.get()] }
      let (definition, scope) = try letDefinition(name, environment)
      return try set(definition, scope, leaveOut: leaveOut)
    default:
      let value = try evaluate(node, environment)
      switch (value, node.form) {
      case (.list(let elements), _): return elements
      case (.null, _): return []
      case (.entity, _): return [value]
      default: throw ReferenceFailure.malformed
      }
    }
  }

  private func canonical(_ entities: [Datum]) -> [Datum] {
    var seen: Set<String> = []
    return entities.filter { seen.insert($0.key()).inserted }.sorted { model.place($0) < model.place($1) }
  }

  /// Whether a path has a to-many step, as the generator's have where a list is wanted.
  func isPlural(_ node: Node, _ environment: Environment) throws -> Bool {
    guard case .set(let scope, false) = node.form else { return true }
    guard case .entity(let start, _) = try element(scope, environment) else { return false }
    var shape = model.shape(start)
    for case .step(let name) in node.children.map(\.form) {
      if shape?.field(name)?.kind.isList ?? false { return true }
      guard let relation = shape?.relation(name) else { return false }
      if relation.isMany { return true }
      shape = model.shape(relation.target)
    }
    return false
  }

  func element(_ scope: Int, _ environment: Environment) throws -> Datum {
    let place = environment.scopes.count - 1 - scope
    guard environment.scopes.indices.contains(place) else { throw ReferenceFailure.malformed }
    return environment.scopes[place]
  }

  func letDefinition(_ name: String, _ environment: Environment) throws -> (Node, Environment) {
    guard let found = environment.lets[name], found.depth <= environment.scopes.count else {
      throw ReferenceFailure.malformed
    }
    var scope = environment
    scope.scopes = found.scopes ?? Array(environment.scopes.prefix(found.depth))
    scope.group = nil
    return (found.node, scope)
  }

  // MARK: - Values of elements

  /// A field of an entity or an object; null over a missing link.
  func read(_ element: Datum, _ name: String) throws -> Datum {
    switch element {
    case .null: return .null
    case .object(let members): return members.first { $0.name == name }?.value ?? .null
    case .entity(let type, let row):
      guard let shape = model.shape(type) else { throw ReferenceFailure.malformed }
      if name == "_status" { return model.isDeleted(element) ? .symbol(1, "DELETED") : .symbol(0, "CREATED") }
      if let field = shape.field(name) {
        if let computed = field.computed { return try evaluate(computed, Environment(scopes: [element])) }
        return model.rows[type]?[row][name] ?? .null
      }
      guard let relation = shape.relation(name) else { throw ReferenceFailure.malformed }
      let linked = links(element, name)
      return relation.isMany ? .list(linked) : linked.first ?? .null
    default:
      // JSON without members.
      return .null
    }
  }
}

extension Node {
  /// A set whose own order is left out, where it finds no page by a cursor.
  var withoutOrder: Node {
    guard case .set = form, let last = children.indices.last else { return withoutOwnOrder }
    var copy = self
    copy.children[last] = children[last].withoutOwnOrder
    return copy
  }

  private var withoutOwnOrder: Node {
    var copy = self
    for index in children.indices {
      guard case .arguments = children[index].form, children[index].argument("after") == nil,
        children[index].argument("before") == nil
      else { continue }
      copy.children[index].children.removeAll { if case .argument("orderBy") = $0.form { true } else { false } }
    }
    return copy
  }
}
