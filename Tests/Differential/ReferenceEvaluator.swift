/// Answers random queries by the sentences of the language's reference, one entity at a time, without any index.
///
/// It shares nothing with the engine: a difference is a fault of one of the two.
struct ReferenceEvaluator {
  let model: Model
  /// What the last answer left open.
  let latitude = Latitude()

  final class Latitude {
    /// Something that the answer does not need is an error: the order of one element, a list that is cut to nothing.
    var mayFail = false
    /// What the scores of a query are reckoned from.
    var statistics: [String: TextSearch.Statistics] = [:]
  }

  /// Evaluates what the answer does not need.
  func unneeded(_ body: () throws -> Void) throws {
    do { try body() } catch ReferenceFailure.runtime { latitude.mayFail = true }
  }

  /// Whether a condition that decides what stays is true. Behind an unknown no conjunct can make it so, and what is
  /// wrong there need not be seen.
  func keeps(_ condition: Node, _ environment: Environment) throws -> Bool {
    guard case .operation("and") = condition.form else { return try evaluate(condition, environment).isTrue }
    for (place, part) in condition.children.enumerated() where try !keeps(part, environment) {
      let rest = condition.children[place...]
      try unneeded {
        for part in rest { if case .bool(false) = try evaluate(part, environment) { break } }
      }
      return false
    }
    return true
  }

  /// What an expression sees.
  struct Environment {
    /// The elements around it, the innermost last.
    var scopes: [Datum] = []
    var lets: [String: Let] = [:]
    var group: Group?
    var recursion: (depth: Int, isCycle: Bool)?
    var functions: [String: Node] = [:]
    var fragments: [String: Node] = [:]
    /// The variables of the fragment.
    var arguments: [String: FragmentArgument] = [:]
    /// In an object that is passed to a fragment: the place of the spread, if there is one.
    var elsewhere: [Environment] = []
    /// By the number of scopes: the condition that the element was found by.
    var conditions: [Int: Node] = [:]

    func entering(_ element: Datum) -> Environment {
      var inner = self
      inner.scopes.append(element)
      inner.group = nil
      return inner
    }
  }

  /// A `let` keeps the scopes of where it stands.
  struct Let {
    var node: Node
    var depth: Int
    /// The elements around it, once one of them may be another: within a recursion.
    var scopes: [Datum]?
    /// That of a parameter; what failed fails where it is used.
    var value: Result<Datum, ReferenceFailure>?
  }

  struct Group {
    var keys: [(name: String, value: Datum)]
    var members: [Datum]
  }

  typealias Members = [(key: String, json: String)]

  // MARK: - Queries

  func answer(_ query: Node) throws -> String {
    var members: Members = []
    var environment = Environment()
    for child in query.children {
      if case .function(let name, _, _) = child.form { environment.functions[name] = child }
      if case .fragment(let name, _, _) = child.form { environment.fragments[name] = child }
    }
    for child in query.children where !child.isDefinition { members += try root(child, environment) }
    return Self.object(members)
  }

  private func root(_ node: Node, _ environment: Environment) throws -> Members {
    if try isLeftOut(node, environment) { return [] }
    guard case .field(let name, let alias) = node.form else { return try member(node, environment) }
    let key = alias ?? name
    if let shape = model.shape(name) {
      return [(key, try list(model.all(shape.name, deleted: node.arguments?.deletedMode), node, environment))]
    }
    // A root field of one: the type's name with its first letter lowered.
    guard let shape = model.shapes.first(where: { $0.name.lowercased() == name }), let selections = node.selections,
      let argument = node.arguments?.children.first, case .argument(let keyName) = argument.form
    else { throw ReferenceFailure.malformed }
    let wanted = try evaluate(argument[0], environment)
    let found = try entity(of: shape.name, keyName, wanted)
    return [(key, try found.map { try object($0, selections, environment) } ?? "null")]
  }

  /// A value's text; entities stand for their ids.
  func json(_ value: Datum) throws -> String {
    switch value {
    case .entity: return try read(value, "id").json
    case .list(let elements): return Self.array(try elements.map(json))
    case .object(let members): return Self.object(try members.map { ($0.name, try json($0.value)) })
    default: return value.json
    }
  }

  static func object(_ members: Members) -> String {
    "{\(members.map { "\(Datum.quoted($0.key)):\($0.json)" }.joined(separator: ","))}"
  }

  func object(_ element: Datum, _ selections: Node, _ environment: Environment) throws -> String {
    Self.object(try members(selections, environment.entering(element)))
  }

  /// What a selection set gives for the innermost element, or for the group.
  func members(_ selections: Node, _ outer: Environment) throws -> Members {
    let environment = binding(selections, outer)
    var members: Members = []
    for selection in selections.children {
      // Spreads of one fragment in the same way are one.
      for found in try member(selection, environment) where !members.contains(where: { $0.key == found.key }) {
        members.append(found)
      }
    }
    for case .expand(let levels) in selections.children.map(\.form) {
      guard let element = environment.scopes.last else { throw ReferenceFailure.malformed }
      let names = selections.children.compactMap(\.responseName)
      members += try expanded(element, levels[...], except: Set(names), omitsNull: false, environment)
    }
    return members
  }

  /// Whether `@include` or `@skip` leaves it out.
  private func isLeftOut(_ node: Node, _ environment: Environment) throws -> Bool {
    try node.children.contains { child in
      switch child.form {
      case .conditional(_, let isSkip, let flag): isSkip == flag
      case .conditionalParameter(let name, let isSkip): isSkip == (try parameter(name, environment).isTrue)
      default: false
      }
    }
  }

  /// The `let`s of a selection set, about elements `inside` the environment or about its own.
  func binding(_ selections: Node?, _ outer: Environment, inside: Bool = false) -> Environment {
    var environment = outer
    let depth = outer.scopes.count + (inside ? 1 : 0)
    for child in selections?.children ?? [] {
      guard case .let(let name) = child.form, let node = child.children.first else { continue }
      environment.lets[name] = Let(node: node, depth: depth)
    }
    return environment
  }

  private func member(_ node: Node, _ environment: Environment) throws -> Members {
    if try isLeftOut(node, environment) { return [] }
    switch node.form {
    case .let, .expand: return []
    case .computed(let key, _): return [(key, try json(evaluate(node[0], environment)))]
    case .computedSet(let key):
      guard let selections = node.selections else { throw ReferenceFailure.malformed }
      if let first = node.children.first, first.isOne {
        let found = try evaluate(first, environment)
        return [(key, found.isNull ? "null" : try object(found, selections, environment))]
      }
      guard try isPlural(node[0], environment), try !node[0].isChoice else { throw ReferenceFailure.malformed }
      let found = try set(node[0], environment)
      return [(key, Self.array(try found.map { try object($0, selections, environment) }))]
    case .on(let type):
      guard let selections = node.selections, case .entity(let actual, _)? = environment.scopes.last else {
        throw ReferenceFailure.malformed
      }
      return model.members(type).contains(actual) ? try members(selections, environment) : []
    case .spread(let name): return try spread(name, node, environment)
    case .field(let name, let alias):
      let key = alias ?? name
      if let group = environment.group { return [(key, try groupField(name, node, group, environment))] }
      return [(key, try field(name, node, environment))]
    default: throw ReferenceFailure.malformed
    }
  }

  private func field(_ name: String, _ node: Node, _ environment: Environment) throws -> String {
    guard let element = environment.scopes.last else { throw ReferenceFailure.malformed }
    switch name {
    case "__typename":
      guard case .entity(let type, _) = element else { throw ReferenceFailure.malformed }
      return Datum.quoted(type)
    case "_depth": return "\(environment.recursion?.depth ?? 0)"
    case "_cycle": return "\(environment.recursion?.isCycle ?? false)"
    case "_cursor": return "\"\""
    case "_status": return try read(element, name).json
    default: break
    }
    var inner = environment
    inner.recursion = nil
    if let recursion = node.children.first(where: { if case .recurse = $0.form { true } else { false } }) {
      guard case .recurse(let depth) = recursion.form else { throw ReferenceFailure.malformed }
      return try recurse(name, node, depth: depth, level: 1, path: [element], inner)
    }
    if case .entity(let type, _) = element, let relation = model.shape(type)?.relation(name) {
      let linked = links(element, name, deleted: node.arguments?.deletedMode)
      return relation.isMany ? try list(linked, node, inner) : try one(linked.first, node, inner)
    }
    let value = try read(element, name)
    guard let selections = node.selections else { return try json(value) }
    if case .list(let elements) = value { return try list(elements, node, inner) }
    return value.isNull ? "null" : try object(value, selections, inner)
  }

  /// A to-one relation, null where its condition does not hold.
  private func one(_ linked: Datum?, _ node: Node, _ environment: Environment) throws -> String {
    guard let linked else { return "null" }
    let bound = binding(node.selections, environment, inside: true)
    if let condition = try settled(node.arguments, bound)?.argument("where") {
      guard try keeps(condition[0], bound.entering(linked)) else { return "null" }
    }
    guard let selections = node.selections else { return try read(linked, "id").json }
    return try object(linked, selections, environment)
  }

  /// A selection of many, grouped or not.
  func list(_ elements: [Datum], _ node: Node, _ environment: Environment) throws -> String {
    if node.arguments?.argument("groupBy") != nil { return try groups(elements, node, environment) }
    let bound = binding(node.selections, environment, inside: true)
    let arranged = try arrange(elements, node.arguments, bound)
    guard let selections = node.selections else { return Self.array(try arranged.map { try read($0, "id").json }) }
    let inner = environment.found(by: try settled(node.arguments, bound))
    return Self.array(try arranged.map { try object($0, selections, inner) })
  }

  static func array(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }
}

extension ReferenceEvaluator.Environment {
  /// The scores of the elements inside are about the `where` of these arguments.
  func found(by arguments: Node?) -> ReferenceEvaluator.Environment {
    var inner = self
    inner.conditions[scopes.count + 1] = arguments?.argument("where")?.children.first
    return inner
  }
}

extension Node {
  /// `deleted: ONLY`.
  var deletedMode: String? {
    if case .word(let mode)? = argument("deleted")?.children.first?.form { mode } else { nil }
  }

  /// The key under which a selection stands.
  var responseName: String? {
    switch form {
    case .field(let name, let alias): alias ?? name
    case .computed(let name, _), .computedSet(let name): name
    default: nil
    }
  }
}
