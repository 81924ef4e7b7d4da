import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Variables of fragments. An argument is an expression of the place of the spread; where the fragment uses the
/// variable, the expression is bound in the names of the spread and coerced to the declared type.
extension Binder {
  /// Returns the variables that a fragment declares. Problems of the declarations are reported.
  func variables(of fragment: FragmentDefinition) -> [FragmentVariable] {
    if let known = fragmentVariables[fragment.name.text] { return known }
    var result: [FragmentVariable] = []
    var names: Set<String> = []
    for definition in fragment.variables {
      let name = definition.name.text
      guard names.insert(name).inserted else {
        report(.duplicateVariable(name: name), at: definition.name.range)
        continue
      }
      let declared = declaredInput(definition.type)
      checkVariableDirectives(definition)
      var written = definition.defaultValue
      if let value = written {
        switch declared {
        case .value(let signature):
          if defaultValue(value, name, signature) == nil { written = nil }
        case .saved(_, let signature):
          if savedDefault(value, name, signature) == nil { written = nil }
        case .declared(let type):
          if let raw = RawValue(value.unparenthesized) { _ = settled(raw, type, .document, at: value.range) }
        case .structure, .broken: break
        }
      }
      let isWrong = written == nil && definition.defaultValue != nil
      result.append(FragmentVariable(definition, isWrong ? .broken : declared, default: definition.defaultValue))
    }
    fragmentVariables[fragment.name.text] = result
    return result
  }

  /// Returns the arguments of a spread by the names of the fragment's variables.
  func arguments(
    _ node: FragmentSpread, of fragment: FragmentDefinition, _ environment: Environment
  ) -> [String: Environment.Binding] {
    var result: [String: Environment.Binding] = [:]
    let declared = variables(of: fragment)
    if declared.isEmpty, node.arguments.isEmpty { return result }
    let known = declared.map(\.name.text)
    var given: [String: Argument] = [:]
    for argument in node.arguments {
      let name = argument.name.text
      if !known.contains(name) {
        report(
          .unknownArgument(name: name, of: fragment.name.text, near: suggest(argument.name, known)),
          at: argument.name.range)
      } else if given[name] != nil {
        report(.duplicateArgument(name: name), at: argument.name.range)
      } else {
        given[name] = argument
      }
    }
    for variable in declared {
      let name = variable.name.text
      if let value = given[name]?.value {
        let binding = environment.binding(value, for: variable)
        check(binding, variable, environment)
        // As with variables of operations, what is not provided has its default.
        if variable.defaultValue == nil || !isMissing(value, environment) {
          result[name] = binding
          continue
        }
      }
      if variable.defaultValue == nil, variable.isNonNull {
        if given[name] == nil {
          report(.missingFragmentArgument(fragment: fragment.name.text, name: name), at: node.name.range)
        }
        result[name] = Environment().binding(Expression(.missing, at: node.range), for: variable)
      } else {
        result[name] = Environment().binding(variable.defaultValue, for: variable)
      }
    }
    return result
  }

  /// Returns whether an argument is a variable that is not provided and has no default, whatever its type.
  private func isMissing(_ value: Expression, _ environment: Environment) -> Bool {
    if isAbsent(value, environment) { return true }
    guard case .variable(let name)? = written(value, environment).expression?.kind, structure(of: name) != nil else {
      return false
    }
    usedVariables.insert(name.text)
    return options.structuralValues[name.text] == nil && variables[name.text]?.structuralDefault == nil
  }

  /// Binds an argument where the spread stands, for its problems: the fragment may not use it.
  private func check(_ binding: Environment.Binding, _ variable: FragmentVariable, _ environment: Environment) {
    guard let value = binding.expression else { return }
    // What a value of a group is depends on where it is used.
    if environment.group() != nil, RawValue(value) == nil { return }
    let known = query.sets.count
    defer { query.sets.removeLast(query.sets.count - known) }
    checkNullability(value, variable, environment)
    switch variable.declared {
    case .broken: break
    case .value(let signature): _ = coerced(value, to: signature, environment)
    case .structure(let type): check(value, holds: type, variable, environment)
    case .declared(let type): check(value, isOf: type, environment)
    case .saved(let type, _): checkObjects(value, type, environment)
    }
  }

  /// Reports null for a non-null variable, and variables of the operation that may be null.
  private func checkNullability(_ value: Expression, _ variable: FragmentVariable, _ environment: Environment) {
    guard variable.isNonNull else { return }
    let (written, _) = written(value, environment)
    let declared = "'\(variable.type.text)'"
    switch written?.kind {
    case nil, .null?:
      // As a value it is coerced.
      if case .value = variable.declared { return }
      report(.wrongValue(.null(expected: declared)), at: value.range)
    case .variable(let name)?:
      guard let passed = variables[name.text] else { return }
      if passed.mayBeAbsent, variable.defaultValue == nil {
        report(
          .wrongVariableType(name: name.text, declared: "a variable that may be null", expected: declared),
          at: value.range)
      } else if case .structure = variable.declared, options.knowsValues, structuralValue(name) == nil {
        report(.wrongValue(.null(expected: declared)), at: value.range)
      }
    default: break
    }
  }

  /// Checks a value against a declared input, or the type of a field of one.
  private func check(_ value: Expression, isOf type: TypeReference, _ environment: Environment) {
    if let place = inputPlace(value, environment) {
      if place.type.withoutNonNull.text == type.withoutNonNull.text { return }
      report(
        .wrongType(found: "'\(place.type.text)'", expected: "'\(type.text)'"), at: value.range)
    } else if !holdsNames(value, environment), let raw = RawValue(value.unparenthesized) {
      _ = settled(raw, type, .document, at: value.range)
    } else {
      nested(at: value.range, ()) { $0.checkParts(of: value.unparenthesized, type, environment) }
    }
  }

  /// Checks what is no constant, part by part.
  private func checkParts(of value: Expression, _ type: TypeReference, _ environment: Environment) {
    switch (value.kind, type.withoutNonNull) {
    case (.list(let elements), .list(let element, _)):
      for expression in elements { check(expression, isOf: element, environment) }
    case (_, .list(let element, _)): check(value, isOf: element, environment)
    case (.object(let fields), .named(let name)):
      guard let input = declaredInput(named: name.text) else { fallthrough }
      check(fields, of: input, environment, at: value.range)
    default:
      if case .value(let signature) = declaredInput(type) {
        _ = coerced(value, to: signature, environment)
      } else {
        _ = bindOperand(value, environment)
      }
    }
  }

  private func check(
    _ fields: [ObjectField], of input: Declarations.Input, _ environment: Environment, at range: SourceRange
  ) {
    let type = input.definition
    refuseRepeats(fields)
    for field in fields {
      if let declared = input.field(named: field.name.text) {
        check(field.value, isOf: declared.type, environment)
      } else {
        reportUnknownField(field.name, of: type.name.text, among: type.inputFields.map(\.name.text))
      }
    }
    for field in type.inputFields {
      guard case .nonNull = field.type, field.defaultValue == nil,
        !fields.contains(where: { $0.name.text == field.name.text })
      else { continue }
      report(.missingInputField(name: field.name.text, type: type.name.text), at: range)
    }
  }

  private func check(
    _ value: Expression, holds type: GeneratedType, _ variable: FragmentVariable, _ environment: Environment
  ) {
    let (written, inner) = written(value, environment)
    switch (written?.kind, type) {
    case (nil, _), (.null?, _), (.missing?, _): break
    case (.variable(let name)?, _):
      guard let passed = variables[name.text] else {
        _ = bindOperand(written ?? value, inner)
        return
      }
      usedVariables.insert(name.text)
      if structure(of: name) != type, let declared = declaredType(of: passed) {
        report(
          .wrongVariableType(
            name: name.text, declared: declared, expected: "'\(GeneratedNames(catalog)[type])'"), at: value.range)
      }
    case (.object(let fields)?, .filter(let id)):
      refuseRepeats(fields)
      var place = inner.enteringUnseen(.entity(id))
      place.isOfSpread = true
      _ = filter(fields, .scope(0, id), place, value.range, .document)
    case (.object?, .order(let id)), (.list?, .order(let id)):
      var terms: [BoundOrderTerm] = []
      var place = inner.enteringUnseen(.entity(id))
      place.groups = [:]
      writtenOrder(value, id, .scope(0, id), place, into: &terms)
    case (_, .fields(let id)):
      for element in written.map(elements) ?? [] {
        guard case .name(let name) = element.kind, catalog[id].property(named: name.text) == nil else { continue }
        reportUnknownField(name, of: catalog[id].name, among: catalog[id].properties.map(\.name))
      }
    case (_, .filter): report(.wrongFilter(expected: "an object"), at: value.range)
    case (_, .order): report(.wrongOrder, at: value.range)
    default: break
    }
  }

  private func checkObjects(_ value: Expression, _ type: EntityTypeID, _ environment: Environment) {
    let (written, inner) = written(value, environment)
    guard let written else { return }
    for element in elements(of: written) {
      switch self.written(element, inner).expression?.kind {
      case nil, .object?, .null?, .missing?: break
      case .variable?: _ = inputVariable(element, type, inner)
      default:
        report(.wrongType(found: "this value", expected: "an object of '\(catalog[type].name)'"), at: element.range)
      }
    }
  }

  // MARK: Use

  /// Follows parentheses, variables of fragments and captured names to the expression that they stand for.
  ///
  /// - Returns: the expression, nil for an argument that is not given, and the names that it is to be bound in.
  func written(
    _ expression: Expression, _ environment: Environment
  ) -> (expression: Expression?, environment: Environment) {
    var expression = expression
    var environment = environment
    while true {
      if let place = inputPlace(expression, environment) { return (place.value, place.environment) }
      let binding: Environment.Binding?
      switch expression.kind {
      case .parenthesized(let inner):
        expression = inner
        continue
      case .variable(let name): binding = environment.arguments[name.text]
      case .name(let name): binding = capture(named: name.text)
      default: binding = nil
      }
      guard let binding else { return (expression, environment) }
      environment = environment.inside(binding)
      environment.isOfSpread = binding.variable != nil
      guard let inner = binding.expression else { return (nil, environment) }
      expression = inner
    }
  }

  /// Returns what a variable of the enclosing fragment stands for.
  func operand(_ binding: Environment.Binding, _ name: Name, _ environment: Environment) -> Operand {
    guard let variable = binding.variable else { return .error }
    guard let value = binding.expression else { return null(variable, at: name.range) }
    let inner = environment.inside(binding)
    switch variable.declared {
    case .broken: return .error
    case .value(let signature):
      // Objects that are saved are bound member by member.
      if case .embedded = signature.type.innermost { return settled(bindOperand(value, inner), inner) }
      let operand = coerced(value, to: signature, inner)
      if case .literal(.null, let range) = operand { return null(variable, at: range) }
      return operand
    case .structure(.filter(let type)): return .filter(type, name)
    case .structure, .saved, .declared: return settled(bindOperand(value, inner), inner)
    }
  }

  /// The null of a variable's type: unlike one that is written down it may stand wherever the variable may.
  private func null(_ variable: FragmentVariable, at range: SourceRange) -> Operand {
    guard case .value(let signature) = variable.declared else { return .literal(.null, range) }
    if case .embedded = signature.type.innermost { return .literal(.null, range) }
    return .value(BoundExpression(.constant(.null), valueType(signature.type), at: range))
  }

  /// Binds an expression as a value of a declared type, by the rules of variables.
  ///
  /// Constants are checked now. Everything else is converted, and compared with null, when it is evaluated.
  func coerced(_ value: Expression, to signature: TypeSignature, _ environment: Environment) -> Operand {
    nested(at: value.range, .error) { binder in
      binder.coerced(binder.bindOperand(value, environment), to: signature, environment, at: value.range)
    }
  }

  private func coerced(
    _ operand: Operand, to signature: TypeSignature, _ environment: Environment, at range: SourceRange
  ) -> Operand {
    let type = signature.type
    let decided = resolve(operand, environment, wanting: type.innermost)
    switch decided {
    case .error, .bare: return .error
    case .literal(.null, _) where !signature.isNonNull: return decided
    case .literal(let raw, let range): return constant(raw, signature, at: range)
    case .list(let elements, let range):
      guard case .list(let element) = type else { return plainValue(decided, signature, environment, at: range) }
      if case .embedded = element {
        for expression in elements { _ = coerced(expression, to: TypeSignature(element), environment) }
        return settled(decided, environment)
      }
      let isConstant = !elements.contains { holdsNames($0, environment) }
      if isConstant, let raw = RawValue(Expression(.list(elements), at: range)) {
        return constant(raw, signature, at: range)
      }
      return list(elements, of: element, signature, environment, at: range)
    case .object(let fields, let range):
      guard case .embedded(let id) = type else { return plainValue(decided, signature, environment, at: range) }
      checkMembers(fields, of: id, environment, at: range)
      return settled(decided, environment)
    case .plural(let path):
      guard case .list(let element) = type else { return plainValue(decided, signature, environment, at: range) }
      guard let all = collected(path) else { return .error }
      return converted(TypedValue(expression: all), to: .list(element), signature, at: range)
    case .embedded:
      if case .embedded = type { return decided }
      return plainValue(decided, signature, environment, at: range)
    default:
      guard let bound = value(decided, environment, at: range) else { return .error }
      return converted(bound, to: type, signature, at: range)
    }
  }

  /// Returns whether an expression has a name in it that is more than a value of an enum.
  func holdsNames(_ expression: Expression, _ environment: Environment) -> Bool {
    switch expression.kind {
    case .name(let name): hasMeaning(name, environment)
    case .parenthesized(let inner): holdsNames(inner, environment)
    case .list(let elements): elements.contains { holdsNames($0, environment) }
    case .object(let fields): fields.contains { holdsNames($0.value, environment) }
    default: false
    }
  }

  private func constant(_ raw: RawValue, _ signature: TypeSignature, at range: SourceRange) -> Operand {
    switch ValueCoercion(catalog: catalog, origin: .document, ints: options.ints).coerce(raw, to: signature) {
    case .success(let value):
      if value.isNull { return .literal(.null, range) }
      return .value(BoundExpression(.constant(value), valueType(signature.type), at: range))
    case .failure(let failure):
      report(.wrongValue(failure.problem), at: range)
      return .error
    }
  }

  /// Lists of lists are JSON once they are checked.
  func valueType(_ type: ValueType) -> ValueType {
    if case .list(.list) = type { return .json }
    return type
  }

  /// Binds a list whose elements are computed.
  private func list(
    _ elements: [Expression], of type: ValueType, _ signature: TypeSignature, _ environment: Environment,
    at range: SourceRange
  ) -> Operand {
    var element = TypeSignature(type, isNonNull: signature.isElementNonNull)
    element.isElementNonNull = signature.innerNonNull.first ?? false
    element.innerNonNull = Array(signature.innerNonNull.dropFirst())
    var parts: [BoundExpression] = []
    for expression in elements {
      switch coerced(expression, to: element, environment) {
      case .value(let value): parts.append(value.expression)
      case .literal(.null, let range): parts.append(BoundExpression(.constant(.null), type, at: range))
      case .error: return .error
      case let other:
        report(.wrongType(found: describe(other), expected: words(type)), at: expression.range)
        return .error
      }
    }
    if case .list = type {
      let json = parts.compactMap { conversion($0, to: .json) }
      guard json.count == parts.count else { return .error }
      return .value(BoundExpression(.jsonList(json), .json, at: range))
    }
    return list(of: parts, type, at: range).map { .value($0) } ?? .error
  }

  private func plainValue(
    _ operand: Operand, _ signature: TypeSignature, _ environment: Environment, at range: SourceRange
  ) -> Operand {
    coerce(operand, to: signature.type, environment, at: range).map { .value(required($0, signature, at: range)) }
      ?? .error
  }

  /// Converts a value that is not known before the query runs.
  private func converted(
    _ value: TypedValue, to type: ValueType, _ signature: TypeSignature, at range: SourceRange
  ) -> Operand {
    let type = valueType(type)
    if value.type == type {
      return .value(
        TypedValue(
          expression: required(value.expression, signature, at: range),
          folded: value.folded.map { required($0, signature, at: range) }))
    }
    if let result = conversion(value.expression, to: type) { return .value(required(result, signature, at: range)) }
    if case .list(let element) = type {
      switch value.type {
      case .list(let own) where isCastable(own, to: element):
        return .value(
          required(BoundExpression(.cast(value.expression), type, at: range), signature, at: range))
      case .scalar(.json):
        return .value(required(BoundExpression(.cast(value.expression), type, at: range), signature, at: range))
      case .list: break
      default:
        // One value is a list of one, and null is null.
        guard case .value(let one) = converted(value, to: element, TypeSignature(element), at: range),
          let list = list(of: [one.expression], element, at: range)
        else { return .error }
        let test = BoundExpression(.isNull(value.expression), .boolean, at: range)
        let null = BoundExpression(.constant(.null), type, at: range)
        return .value(
          required(BoundExpression(.conditional([test, null, list]), type, at: range), signature, at: range))
      }
    } else if isCastable(value.type, to: type) {
      return .value(required(BoundExpression(.cast(value.expression), type, at: range), signature, at: range))
    }
    report(.wrongType(found: words(value.type), expected: words(type)), at: range)
    return .error
  }

  /// Returns whether some values of the one type are written forms of values of the other, as in JSON.
  private func isCastable(_ from: ValueType, to type: ValueType) -> Bool {
    if from == type || conversion(BoundExpression(.constant(.null), from, at: SourceRange(at: 0)), to: type) != nil {
      return true
    }
    switch (from, type) {
    case (.scalar(.json), .scalar), (.scalar(.json), .enumeration), (.scalar(.string), .enumeration),
      (.scalar(.string), .scalar(.date)), (.scalar(.string), .scalar(.dateTime)),
      (.scalar(.string), .scalar(.duration)), (.scalar(.string), .scalar(.uuid)),
      (.scalar(.string), .scalar(.bytes)), (.scalar(.date), .scalar(.dateTime)), (.scalar(.int), .scalar(.id)):
      return true
    default: return false
    }
  }

  /// An error at run time where the value, or an element of the list, is null and must not be.
  private func required(
    _ value: BoundExpression, _ signature: TypeSignature, at range: SourceRange
  ) -> BoundExpression {
    var checksElements = false
    if signature.isElementNonNull, case .list = value.type {
      switch value.kind {
      case .constant: break
      case .parameter(let index): checksElements = !query.parameters[index].signature.isElementNonNull
      default: checksElements = true
      }
    }
    let checksValue = signature.isNonNull && query.mayBeNull(value, catalog: catalog)
    guard checksValue || checksElements else { return value }
    let flags = [checksValue, checksElements].map {
      BoundExpression(.constant(.boolean($0)), .boolean, at: range)
    }
    return BoundExpression(.call(.required, [value] + flags), value.type, at: range)
  }

  private func isToMany(_ type: ValueType) -> Bool {
    if case .list(.entity) = type { true } else { false }
  }

  /// Checks the members of an object of an embedded type.
  private func checkMembers(
    _ fields: [ObjectField], of id: EmbeddedTypeID, _ environment: Environment, at range: SourceRange
  ) {
    let type = catalog[id]
    refuseRepeats(fields)
    for field in fields {
      guard let member = type.fields.first(where: { $0.name == field.name.text }) else {
        reportUnknownField(field.name, of: type.name, among: type.fields.map(\.name))
        continue
      }
      switch member.signature.type {
      // Links are checked where the object is saved.
      case .entity, .list(.entity): continue
      default: _ = coerced(field.value, to: member.signature, environment)
      }
    }
    for member in type.fields
    where member.signature.isNonNull && member.defaultValue == nil && !isToMany(member.signature.type)
      && !fields.contains(where: { $0.name.text == member.name })
    {
      report(.missingInputField(name: member.name, type: type.name), at: range)
    }
  }

}
