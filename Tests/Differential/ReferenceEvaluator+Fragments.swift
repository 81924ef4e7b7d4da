/// What a fragment's variable stands for.
struct FragmentArgument {
  var parameter: FragmentParameter
  /// Nil where nothing is given.
  var node: Node?
  /// The place of the spread.
  var environment: ReferenceEvaluator.Environment
}

/// Fragments, what says nothing, and entities that are chosen.
extension ReferenceEvaluator {
  func spread(_ name: String, _ node: Node, _ environment: Environment) throws -> Members {
    guard let definition = environment.fragments[name],
      case .fragment(_, let type, let parameters) = definition.form, let selections = definition.selections,
      case .entity(let actual, _)? = environment.scopes.last
    else { throw ReferenceFailure.malformed }
    guard model.members(type).contains(actual) else { return [] }
    var inner = environment
    inner.lets = [:]
    inner.elsewhere = []
    inner.arguments = [:]
    for parameter in parameters {
      var argument = FragmentArgument(parameter: parameter, node: nil, environment: environment)
      argument.node = try node.argument(parameter.name)?[0]
      // What is not provided has the default.
      if try argument.node.map({ try isMissing($0, environment) }) ?? true, let fallback = parameter.fallback {
        argument.node = fallback
      }
      inner.arguments[parameter.name] = argument
    }
    return try members(selections, inner)
  }

  private func argument(_ name: String, _ environment: Environment) throws -> FragmentArgument {
    guard let argument = environment.arguments[name] else { throw ReferenceFailure.malformed }
    return argument
  }

  /// The value of a fragment's variable: that of the expression at the place of the spread, as the declared type.
  func parameter(_ name: String, _ environment: Environment) throws -> Datum {
    let argument = try argument(name, environment)
    var value = Datum.null
    if let node = argument.node { value = try evaluate(node, argument.environment) }
    if value.isNull {
      if argument.parameter.isNonNull { throw ReferenceFailure.runtime("missing-parameter") }
      return value
    }
    return try argument.parameter.kind.map { try coerced(value, to: $0) } ?? value
  }

  private func coerced(_ value: Datum, to kind: Kind) throws -> Datum {
    switch (kind, value) {
    case (.list(let element), .list(let elements)): return .list(try elements.map { try coerced($0, to: element) })
    case (.list(let element), _): return .list([try coerced(value, to: element)])
    case (.float, .int): return try convert(value, to: "Float")
    case (.decimal, .int): return try convert(value, to: "Decimal")
    case (.date, .text(let text)):
      let parts = text.split(separator: "-").compactMap { Int($0) }
      guard parts.count == 3 else { throw ReferenceFailure.malformed }
      return .date(CivilCalendar.number(CivilCalendar.Day(year: parts[0], month: parts[1], day: parts[2])))
    case (.text, .id(let text, _)): return .text(text)
    case (_, .entity): throw ReferenceFailure.malformed
    default: return value
    }
  }

  /// Whether it is a variable that is not given.
  private func isMissing(_ node: Node, _ environment: Environment) throws -> Bool {
    switch node.form {
    case .absent, .absentKey, .nothing(.missing): return true
    case .parameter(let name), .filterParameter(let name), .orderParameter(let name), .parameterKey(let name):
      let argument = try argument(name, environment)
      return try argument.node.map { try isMissing($0, argument.environment) } ?? true
    default: return false
    }
  }

  /// In the object form the key of a variable that is not given says nothing.
  func isAbsentKey(_ node: Node, _ environment: Environment) throws -> Bool {
    switch node.form {
    case .absentKey, .parameterKey: try isMissing(node, environment)
    default: false
    }
  }

  /// What an argument is in the end, where it is a variable of a fragment; nil where it is null as a whole.
  private func settled(_ node: Node, _ environment: Environment) throws -> (node: Node, environment: Environment)? {
    switch node.form {
    case .nothing, .absent, .literal(.null, _), .variable(_, _, .null): return nil
    case .parameter(let name), .filterParameter(let name), .orderParameter(let name):
      let argument = try argument(name, environment)
      return try argument.node.flatMap { try settled($0, argument.environment) }
    default: return (node, environment)
    }
  }

  /// Arguments without those that say nothing.
  func settled(_ arguments: Node?, _ environment: Environment) throws -> Node? {
    guard var result = arguments else { return nil }
    result.children = try result.children.compactMap { child in
      guard case .argument(let name) = child.form, ["where", "having", "orderBy", "limit", "offset"].contains(name),
        child.children.count == 1
      else { return child }
      guard let (node, _) = try settled(child[0], environment) else { return nil }
      switch try (child[0].form, node.form) {
      // Limits that are known beforehand, and orders, which are about fields only.
      case (.orderParameter, _), (.parameter, .literal), (.parameter, .variable), (.parameter, .defaulted):
        return Node(child.form, [node])
      default: return child
      }
    }
    return result
  }

  /// A condition in a fragment's variable: its fields are the element's, its values those of the spread.
  func filter(_ name: String, _ environment: Environment) throws -> Datum {
    let argument = try argument(name, environment)
    guard let (node, place) = try argument.node.flatMap({ try settled($0, argument.environment) }) else {
      return .null
    }
    var inner = environment
    inner.elsewhere = [place]
    inner.arguments = place.arguments
    return try evaluate(node, inner)
  }

  // MARK: - Chosen values

  func entity(of type: String, _ key: String, _ wanted: Datum) throws -> Datum? {
    try model.all(type).first { try Datum.isSame(read($0, key), wanted) }
  }

  /// Lists one behind the other. JSON that is no list is an error.
  func joined(_ node: Node, _ environment: Environment) throws -> Datum {
    var elements: [Datum] = []
    var isNull = false
    for child in node.children {
      switch try evaluate(child, environment) {
      case .null: isNull = true
      case .list(let list): elements += list
      default: throw ReferenceFailure.runtime("conversion")
      }
    }
    return isNull ? .null : .list(elements)
  }
}
