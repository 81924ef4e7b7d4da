import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// What a name in the body of a function of the document stands for.
final class FunctionArgument {
  let type: ValueType
  /// The functions that enclosed the call: the argument is bound as if it stood there.
  let callers: [String]
  /// While a definition is checked by itself, its parameters stand for any value of their types.
  let placeholder: Operand?
  var isUsed = false

  init(_ type: ValueType, callers: [String], placeholder: Operand? = nil) {
    self.type = type
    self.callers = callers
    self.placeholder = placeholder
  }
}

/// `func vat(x: Decimal): Decimal = x * 1.25`.
///
/// A call is bound as the body, with the parameters as `let`s of the arguments, converted to the declared types. So a
/// plan sees no functions, and what is passed on unused costs nothing; the limit of nodes bounds the expansion.
extension Binder {
  // MARK: Definitions

  func declareFunctions(_ document: Document) {
    var places: [String: SourceRange] = [:]
    for case .function(let function) in document.definitions {
      let name = function.name
      if let first = places[name.text] {
        report(.duplicateDefinition(name: name.text, first: first), at: name.range)
        continue
      }
      places[name.text] = name.range
      if Self.isBuiltIn(name.text) || catalog.function(named: name.text) != nil {
        report(.reservedFunction(name: name.text), at: name.range)
        continue
      }
      functions[name.text] = function
    }
  }

  /// Checks the definition by itself, whether or not it is called: other functions count by their declared results.
  func checkFunction(_ function: FunctionDefinition) {
    guard let result = functionType(function.result) else { return }
    var environment = Environment()
    var names: [String: SourceRange] = [:]
    for parameter in function.parameters {
      if let first = names[parameter.name.text] {
        report(.duplicateDefinition(name: parameter.name.text, first: first), at: parameter.name.range)
      }
      names[parameter.name.text] = parameter.name.range
      guard let type = functionType(parameter.type) else { return }
      if let written = parameter.defaultValue {
        _ = typed(bindOperand(written, Environment()), type, Environment(), at: written.range)
        checkNulls(of: written, parameter.type)
      }
      let argument = FunctionArgument(type, callers: [], placeholder: placeholder(type, at: parameter.name.range))
      let binding = Environment.Binding(
        expression: nil, chain: [], lets: LetScope(), arguments: [:], views: [:], parameter: argument)
      environment.lets.set(parameter.name.text, to: binding, in: lets)
    }
    isCheckingFunction = true
    defer { isCheckingFunction = false }
    callers = [function.name.text]
    _ = typed(bindOperand(function.body, environment), result, environment, at: function.body.range)
    checkNulls(of: function.body, function.result)
    callers = []
  }

  /// Any value of a type.
  func placeholder(_ type: ValueType, at range: SourceRange) -> Operand {
    if case .entity(let id) = type { return .entity(.scope(0, id), id, range) }
    query.parameters.append(
      BoundParameter(name: "", signature: TypeSignature(type), defaultValue: nil, range: range))
    return .value(BoundExpression(.parameter(query.parameters.count - 1), type, at: range))
  }

  /// The type of a parameter or a result: a scalar, an enum, a list of them, or an entity.
  private func functionType(_ reference: TypeReference) -> ValueType? {
    switch reference {
    case .nonNull(let inner, _): return functionType(inner)
    case .list(let inner, let range):
      guard let element = functionType(inner) else { return nil }
      switch element {
      case .scalar, .enumeration: return .list(element)
      // Lists of lists are read as JSON.
      case .list: return .json
      case .entity, .embedded, .null:
        report(.notFunctionType(name: "[\(catalog.name(of: element))]"), at: range)
        return nil
      }
    case .named(let name):
      if let scalar = ScalarType(rawValue: name.text) { return .scalar(scalar) }
      if let type = catalog.enums.first(where: { $0.name == name.text }) { return .enumeration(type.id) }
      if let type = catalog.type(named: name.text) { return .entity(type.id) }
      if catalog.embeddedTypes.contains(where: { $0.name == name.text }) {
        report(.notFunctionType(name: name.text), at: name.range)
        return nil
      }
      lazy var known = ScalarType.allCases.map(\.rawValue) + catalog.enums.map(\.name) + catalog.types.map(\.name)
      report(.unknownType(name: name.text, near: suggest(name, known)), at: name.range)
      return nil
    }
  }

  /// Reports a null that is written where a type has none. The values of a run are not looked at.
  @discardableResult
  private func checkNulls(of value: Expression, _ type: TypeReference) -> Bool {
    switch (value.kind, type) {
    case (.parenthesized(let inner), _): return checkNulls(of: inner, type)
    case (.null, .nonNull(let inner, _)):
      // For an entity the type alone says it.
      if case .entity? = functionType(inner) { return true }
      report(.wrongType(found: "null", expected: "\(words(inner)), which is never null"), at: value.range)
      return false
    case (.list, .nonNull(let inner, _)): return checkNulls(of: value, inner)
    case (.list(let elements), .list(let inner, _)): return elements.allSatisfy { checkNulls(of: $0, inner) }
    default: return true
    }
  }

  // MARK: Calls

  func call(
    _ function: FunctionDefinition, _ name: Name, _ arguments: CallArguments, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    usedFunctions.insert(name.text)
    guard !callers.contains(name.text) || isCheckingFunction else {
      report(.recursiveFunction(path: callers + [name.text]), at: name.range)
      return .error
    }
    if isCheckingFunction { functionCalls.append((name.text, name.range)) }
    guard let result = functionType(function.result) else { return .error }
    guard let written = matched(arguments, to: function.parameters, name, range) else { return .error }
    var body = Environment()
    body.scopes = environment.scopes
    body.matches = environment.matches
    body.groups = environment.groups
    body.called = environment.chain.last ?? environment.called
    for (parameter, value) in zip(function.parameters, written) {
      guard let type = functionType(parameter.type) else { return .error }
      if let value { guard checkNulls(of: value, parameter.type) else { return .error } }
      var binding = value != nil ? environment.binding(value) : Environment().binding(parameter.defaultValue)
      binding.parameter = FunctionArgument(type, callers: callers)
      body.lets.set(parameter.name.text, to: binding, in: lets)
    }
    let outside = callers
    callers.append(name.text)
    defer { callers = outside }
    // A definition is checked without the bodies of those that it calls, so that checking stays linear.
    var operand = Operand.error
    if isCheckingFunction {
      operand = placeholder(result, at: range)
    } else {
      operand = nested(at: range, .error) { binder in
        binder.typed(binder.bindOperand(function.body, body), result, body, at: function.body.range)
      }
    }
    // What the body does not look at must be right all the same.
    for parameter in function.parameters {
      guard let binding = body.lets[parameter.name.text], binding.parameter?.isUsed == false else { continue }
      if case .error = self.argument(binding, parameter.name, body) { operand = .error }
    }
    return operand
  }

  /// An expression for each parameter, nil for a default. Nil if something is wrong.
  private func matched(
    _ arguments: CallArguments, to parameters: [FunctionDefinition.Parameter], _ name: Name, _ range: SourceRange
  ) -> [Expression?]? {
    var written: [Expression?] = Array(repeating: nil, count: parameters.count)
    let expected = parameters.isEmpty ? "nothing" : parameters.map(\.name.text).joined(separator: ", ")
    guard arguments.positional.count <= parameters.count else {
      report(.wrongArgumentCount(function: name.text, expected: expected), at: range)
      return nil
    }
    for (index, value) in arguments.positional.enumerated() { written[index] = value }
    for argument in arguments.named {
      guard let index = parameters.firstIndex(where: { $0.name.text == argument.name.text }) else {
        let near = suggest(argument.name, parameters.map(\.name.text))
        report(.unknownArgument(name: argument.name.text, of: name.text, near: near), at: argument.name.range)
        return nil
      }
      guard written[index] == nil else {
        report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
        return nil
      }
      written[index] = argument.value
    }
    for (parameter, value) in zip(parameters, written) where value == nil && parameter.defaultValue == nil {
      report(.wrongArgumentCount(function: name.text, expected: expected), at: range)
      return nil
    }
    return written
  }

  /// What a parameter's name stands for.
  func argument(_ binding: Environment.Binding, _ name: Name, _ environment: Environment) -> Operand {
    guard let argument = binding.parameter else { return .error }
    argument.isUsed = true
    if let placeholder = argument.placeholder { return placeholder }
    guard let written = binding.expression else { return .error }
    let inner = environment.inside(binding)
    let inside = callers
    callers = argument.callers
    defer { callers = inside }
    return nested(at: name.range, .error) { binder in
      binder.typed(binder.bindOperand(written, inner), argument.type, inner, at: written.range)
    }
  }

  /// The operand as one of a declared type, or an error that is reported.
  private func typed(
    _ operand: Operand, _ type: ValueType, _ environment: Environment, at range: SourceRange
  ) -> Operand {
    let operand = resolve(operand, environment, wanting: type)
    switch (operand, type) {
    case (.error, _): return .error
    case (.entity(_, let found, _), .entity(let wanted)) where found == wanted: return operand
    case (.single(let path), .entity(let wanted)) where path.type == wanted && path.isEntity: return operand
    case (.single(let path), .entity(let wanted)) where path.isEntity && catalog.isSubtype(path.type, of: wanted):
      return cast(operand, to: wanted, environment, range)
    // A member of an interface or a union.
    case (.entity(let reference, let found, let place), .entity(let wanted)) where catalog.isSubtype(found, of: wanted):
      guard let wider = cast(reference, from: found, to: wanted) else { return .error }
      return .entity(wider, wanted, place)
    // The collation of a text goes with it.
    case (.value(let value), _) where value.type == type: return operand
    case (.literal(.null, let place), .entity):
      report(.wrongType(found: "null", expected: words(type)), at: place)
      return .error
    case (_, .entity), (.entity, _), (.embedded, _):
      report(.wrongType(found: describe(operand), expected: words(type)), at: range)
      return .error
    default: return coerce(operand, to: type, environment, at: range).map { .value($0) } ?? .error
    }
  }

  // MARK: Functions of the embedding program

  func call(
    _ function: RegisteredFunction, _ name: Name, _ arguments: CallArguments, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    for argument in arguments.named {
      report(.unknownArgument(name: argument.name.text, of: name.text, near: []), at: argument.name.range)
    }
    guard arguments.named.isEmpty else { return .error }
    let values = arguments.positional
    guard values.count == function.parameters.count else {
      let expected = function.parameters.map(words).joined(separator: ", ")
      return wrongCount(name, expected.isEmpty ? "nothing" : expected, range)
    }
    var bound: [BoundExpression] = []
    for (written, type) in zip(values, function.parameters) {
      guard let argument = argument(written, type, environment) else { continue }
      bound.append(argument)
    }
    guard bound.count == values.count else { return .error }
    return .value(BoundExpression(.invoke(function, bound), function.result, at: range))
  }
}
