import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Variables of input types that the document or the schema defines. Their values are part of the query: an object of
/// such a type stands wherever an object that is written may stand, and its fields are values of their types.
extension Binder {
  /// A variable of a declared input type, or a field of one.
  struct InputPlace {
    var type: TypeReference
    /// Nil where nothing is given; `.missing` where the value is not known yet.
    var value: Expression?
    /// The names that the value is bound in.
    var environment: Environment
  }

  /// Returns the input type that a name means; nil where another type has that name.
  func declaredInput(named name: String) -> Declarations.Input? {
    guard let input = declarations.inputs[name], !isKnownType(name) else { return nil }
    return input
  }

  /// Returns whether a type is a declared input, or a list of it. Fields of unknown types are reported.
  func isDeclaredInput(_ reference: TypeReference) -> Bool {
    guard let input = declaredInput(named: reference.name.text) else { return false }
    guard checkedInputs.insert(reference.name.text).inserted else { return true }
    var names: Set<String> = []
    for field in input.definition.inputFields {
      let range = input.isOfDocument ? field.name.range : reference.range
      if !names.insert(field.name.text).inserted { report(.duplicateArgument(name: field.name.text), at: range) }
      if isDeclaredInput(field.type) { continue }
      let type = input.isOfDocument ? field.type : field.type.placed(at: reference.range)
      if case .broken = declaredInput(type) { continue }
      if let value = field.defaultValue {
        guard let raw = RawValue(value) else {
          report(.wrongDefault(variable: field.name.text, problem: .notConstant), at: range)
          continue
        }
        _ = settled(raw, type, .document, at: input.isOfDocument ? value.range : reference.range)
      }
    }
    return true
  }

  // MARK: Values

  /// Returns a value with its defaults, checked against a type; nil where it does not fit, which is reported.
  ///
  /// Enum values come out as names and decimals as numbers, so that the result stands for a literal of a document.
  func settled(
    _ raw: RawValue, _ type: TypeReference, _ origin: ValueCoercion.Origin, at range: SourceRange
  ) -> RawValue? {
    guard !isExhausted, count(at: range) else { return nil }
    switch type {
    case .nonNull(let inner, _):
      if raw == .null { return wrong(.null(expected: "'\(inner.text)'"), at: range) }
      return settled(raw, inner, origin, at: range)
    case _ where raw == .null: return raw
    case .list(let element, _):
      guard case .list(let elements) = raw else { return settled(raw, element, origin, at: range).map { .list([$0]) } }
      var result: [RawValue] = []
      for (index, value) in elements.enumerated() {
        let place = valuePath.depth
        valuePath.enter(index: index)
        defer { valuePath.leave(to: place) }
        guard let value = nested(at: range, nil, { $0.settled(value, element, origin, at: range) }) else { return nil }
        result.append(value)
      }
      return .list(result)
    case .named(let name):
      if let input = declaredInput(named: name.text) {
        return nested(at: range, nil) { $0.settled(raw, input.definition, origin, at: range) }
      }
      switch declaredInput(type) {
      case .value(let signature): return settled(raw, signature, origin, at: range)
      case .structure(let type): return origin == .variable ? withNames(raw, of: type) : raw
      case .saved, .declared, .broken: return raw
      }
    }
  }

  private func settled(
    _ raw: RawValue, _ type: TypeDefinition, _ origin: ValueCoercion.Origin, at range: SourceRange
  ) -> RawValue? {
    guard case .object(let members) = raw else {
      return wrong(.wrongKind(found: raw.words, expected: "'\(type.name.text)'"), at: range)
    }
    var given: [String: RawValue] = [:]
    for member in members {
      guard type.inputFields.contains(where: { $0.name.text == member.name }) else {
        let near = nearestNames(to: member.name, in: type.inputFields.map(\.name.text))
        return wrong(.unknownMember(name: member.name, type: type.name.text, near: near), at: range)
      }
      given[member.name] = member.value
    }
    var result: [RawValue.Member] = []
    for field in type.inputFields {
      let place = valuePath.depth
      valuePath.enter(member: field.name.text)
      defer { valuePath.leave(to: place) }
      if let value = given[field.name.text] {
        guard let value = settled(value, field.type, origin, at: range) else { return nil }
        result.append(RawValue.Member(name: field.name.text, value: value))
      } else if let written = field.defaultValue, let value = RawValue(written) {
        guard let value = settled(value, field.type, .document, at: range) else { return nil }
        result.append(RawValue.Member(name: field.name.text, value: value))
      } else if case .nonNull(let inner, _) = field.type {
        return wrong(.null(expected: "'\(inner.text)'"), at: range)
      }
    }
    return .object(result)
  }

  private func settled(
    _ raw: RawValue, _ signature: TypeSignature, _ origin: ValueCoercion.Origin, at range: SourceRange
  ) -> RawValue? {
    switch ValueCoercion(catalog: catalog, origin: origin, ints: options.ints).coerce(raw, to: signature) {
    case .success(.enumeration(let id, let code)): return .name(catalog[id].values[code])
    case .success(.decimal(let number)): return .real(number.description)
    case .success(let value):
      // As written, but that a whole number may be written `3.0`.
      if case .int(let number) = value { return .integer(String(number)) }
      return raw
    case .failure(let failure):
      let place = valuePath.depth
      defer { valuePath.leave(to: place) }
      for step in failure.path { valuePath.enter(step) }
      return wrong(failure.problem, at: range)
    }
  }

  /// Returns a filter of a variable with its enum values as names, as a document writes them.
  private func withNames(_ raw: RawValue, of type: GeneratedType) -> RawValue {
    switch (raw, type) {
    case (.text(let text), .enumFilter), (.text(let text), .enumListFilter): return .name(text.string)
    case (.list(let elements), _): return .list(elements.map { withNames($0, of: type) })
    case (.object(let members), .enumFilter), (.object(let members), .enumListFilter):
      return .object(members.map { RawValue.Member(name: $0.name, value: withNames($0.value, of: type)) })
    case (.object(let members), .filter(let entity)), (.object(let members), .relationFilter(let entity)):
      return .object(
        members.map { member in
          let inner = catalog[entity].property(named: member.name).map { filterType($0.signature.type) } ?? type
          let value = inner.map { withNames(member.value, of: $0) } ?? member.value
          return RawValue.Member(name: member.name, value: value)
        })
    default: return raw
    }
  }

  private func wrong(_ problem: CoercionProblem, at range: SourceRange) -> RawValue? {
    report(.wrongValue(problem), at: range)
    return nil
  }

  // MARK: Places

  /// Returns the declared input that an expression is: a variable, or a field of one.
  func inputPlace(_ expression: Expression, _ environment: Environment) -> InputPlace? {
    switch expression.kind {
    case .parenthesized(let inner): return inputPlace(inner, environment)
    case .variable(let name):
      if let binding = environment.arguments[name.text] {
        guard case .declared(let type)? = binding.variable?.declared else { return nil }
        let inner = environment.inside(binding)
        guard let value = binding.expression else { return InputPlace(type: type, value: nil, environment: inner) }
        return inputPlace(value, inner) ?? InputPlace(type: type, value: value, environment: inner)
      }
      guard case .declared(let type)? = variables[name.text]?.kind else { return nil }
      usedVariables.insert(name.text)
      return InputPlace(type: type, value: value(of: name, type), environment: environment.withoutElements)
    case .member(let base, let name, nil):
      guard let owner = inputPlace(base, environment) else { return nil }
      return member(name, of: owner)
    default: return nil
    }
  }

  /// Returns the value of a variable of a declared input type, settled once for all of its uses.
  private func value(of name: Name, _ type: TypeReference) -> Expression? {
    if let known = settledInputs[name.text] { return known }
    var result: Expression?
    if let provided = structuralValue(name), let raw = RawValue(provided.expression) {
      let place = valuePath.depth
      if provided.origin == .variable { valuePath.enter(variable: name.text) }
      let range = variables[name.text]?.range ?? name.range
      let settled = settled(raw, type, provided.origin, at: range)
      valuePath.leave(to: place)
      result = settled.map { Expression(structural: $0, at: name.range) } ?? Expression(.missing, at: name.range)
    } else if !options.knowsValues, options.structuralValues[name.text] == nil {
      result = sample(type, at: name.range)
    }
    settledInputs[name.text] = result
    return result
  }

  /// Returns what stands for a value that is not known yet: an object with all fields, whose values are unknown.
  private func sample(_ type: TypeReference, at range: SourceRange) -> Expression {
    switch type {
    case .nonNull(let inner, _): return sample(inner, at: range)
    case .list(let element, _): return Expression(.list([sample(element, at: range)]), at: range)
    case .named(let name):
      guard let input = declaredInput(named: name.text) else { return Expression(.missing, at: range) }
      let fields = input.definition.inputFields.map { field in
        ObjectField(
          name: Name(field.name.text, at: range), value: Expression(.missing, at: range), range: range)
      }
      return Expression(.object(fields), at: range)
    }
  }

  private func member(_ name: Name, of owner: InputPlace) -> InputPlace? {
    guard case .named(let typeName) = owner.type.withoutNonNull, let input = declaredInput(named: typeName.text) else {
      return nil
    }
    guard let field = input.definition.inputFields.first(where: { $0.name.text == name.text }) else {
      let near = suggest(name, input.definition.inputFields.map(\.name.text))
      report(.unknownField(name: name.text, type: typeName.text, near: near), at: name.range)
      return InputPlace(
        type: owner.type, value: Expression(.missing, at: name.range), environment: owner.environment)
    }
    var value: Expression?
    if case .object(let fields)? = owner.value?.unparenthesized.kind {
      value = fields.last { $0.name.text == name.text }?.value
    } else if case .missing? = owner.value?.kind {
      value = owner.value
    }
    if case .missing? = value?.kind, declaredInput(named: field.type.name.text) != nil {
      value = sample(field.type, at: name.range)
    }
    return InputPlace(type: field.type, value: value, environment: owner.environment)
  }

  /// Returns what a declared input is in an expression: a value of its type, an object, or a list of objects.
  func operand(of place: InputPlace, at range: SourceRange) -> Operand {
    guard declaredInput(named: place.type.name.text) == nil, case .value(let signature) = declaredInput(place.type)
    else {
      guard let value = place.value else { return .literal(.null, range) }
      return bindOperand(value, place.environment)
    }
    guard let value = place.value else { return .value(BoundExpression(.constant(.null), signature.type, at: range)) }
    if case .missing = value.kind {
      return .value(BoundExpression(.constant(.null), signature.type, at: range))
    }
    guard let raw = RawValue(value) else { return bindOperand(value, place.environment) }
    switch ValueCoercion(catalog: catalog, origin: .variable, ints: options.ints).coerce(raw, to: signature) {
    case .success(let value): return .value(BoundExpression(.constant(value), signature.type, at: range))
    case .failure(let failure):
      report(.wrongValue(failure.problem), at: range)
      return .error
    }
  }
}

extension TypeReference {
  /// The name inside lists and marks.
  var name: Name {
    switch self {
    case .named(let name): name
    case .list(let inner, _), .nonNull(let inner, _): inner.name
    }
  }

  var withoutNonNull: TypeReference {
    if case .nonNull(let inner, _) = self { inner } else { self }
  }

  /// The same type, said at another place.
  func placed(at range: SourceRange) -> TypeReference {
    switch self {
    case .named(let name): .named(Name(name.text, at: range))
    case .list(let inner, _): .list(inner.placed(at: range), range)
    case .nonNull(let inner, _): .nonNull(inner.placed(at: range), range)
    }
  }
}
