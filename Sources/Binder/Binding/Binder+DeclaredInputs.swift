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
    /// The way to it, as messages show it: `r.max`.
    var path: String
    /// The names that the value is bound in.
    var environment: Environment
  }

  /// Returns the input type that a name means; nil where another type has that name.
  func declaredInput(named name: String) -> Declarations.Input? {
    guard let input = declarations.inputs[name], !isKnownType(name) else { return nil }
    return input
  }

  /// Returns whether a type is a declared input, or a list of it. Problems of the inputs that it leads to are reported.
  func isDeclaredInput(_ reference: TypeReference) -> Bool {
    guard declaredInput(named: reference.name.text) != nil else { return false }
    // Inputs may lead from one to the next in chains of any length.
    var waiting = [reference.name.text]
    while let name = waiting.popLast() {
      guard checkedInputs.insert(name).inserted, let input = declaredInput(named: name) else { continue }
      waiting += check(input, at: reference)
    }
    return true
  }

  /// Returns the inputs that the fields of an input have as their types, once the others are checked.
  private func check(_ input: Declarations.Input, at reference: TypeReference) -> [String] {
    var names: Set<String> = []
    var inner: [String] = []
    for field in input.definition.inputFields {
      guard count(at: reference.range) else { break }
      let range = input.isOfDocument ? field.name.range : reference.range
      if !names.insert(field.name.text).inserted { report(.duplicateArgument(name: field.name.text), at: range) }
      let isInput = declaredInput(named: field.type.name.text) != nil
      if isInput { inner.append(field.type.name.text) }
      let type = input.isOfDocument ? field.type : field.type.placed(at: reference.range)
      if !isInput, case .broken = declaredInput(type) { continue }
      if let value = field.defaultValue {
        guard let raw = RawValue(value) else {
          report(.wrongDefault(variable: field.name.text, problem: .notConstant), at: range)
          continue
        }
        _ = settled(raw, type, .document, at: input.isOfDocument ? value.range : reference.range)
      }
    }
    return inner
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
        return nested(at: range, nil) { $0.settled(raw, input, origin, at: range) }
      }
      switch declaredInput(type) {
      case .value(let signature):
        guard let value = settled(raw, signature, origin, at: range) else { return nil }
        return origin == .variable ? withEnums(value, signature.type) : value
      case .structure(let type):
        if let names = names(of: type) { return settled(raw, names, type, origin, at: range) }
        return origin == .variable ? withNames(raw, of: type) : raw
      case .saved(_, let signature): return origin == .variable ? withEnums(raw, signature.type) : raw
      case .declared, .broken: return raw
      }
    }
  }

  private func settled(
    _ raw: RawValue, _ input: Declarations.Input, _ origin: ValueCoercion.Origin, at range: SourceRange
  ) -> RawValue? {
    let type = input.definition
    guard case .object(let members) = raw else {
      return wrong(.wrongKind(found: raw.words, expected: "'\(type.name.text)'"), at: range)
    }
    if type.directives.contains(where: { $0.name.text == "oneOf" }), members.count != 1 || members[0].value.isNull {
      return wrong(.wrongKind(found: raw.words, expected: "exactly one field of '\(type.name.text)'"), at: range)
    }
    var given: [String: RawValue] = [:]
    for member in members {
      guard input.field(named: member.name) != nil else {
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
    case .success(.enumeration(let id, let code)): return .typed(.enumeration(id, code: code))
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

  /// Returns a value of a generated enum as its name.
  private func settled(
    _ raw: RawValue, _ names: [String], _ type: GeneratedType, _ origin: ValueCoercion.Origin, at range: SourceRange
  ) -> RawValue? {
    let word: String
    switch (raw, origin) {
    case (.text(let text), .variable): word = text.string
    case (.name(let name), _): word = name
    default: return wrong(.wrongKind(found: raw.words, expected: "'\(GeneratedNames(catalog)[type])'"), at: range)
    }
    if names.contains(where: { $0.utf8.elementsEqual(word.utf8) }) { return .name(word) }
    let near = nearestNames(to: word, in: names)
    return wrong(.unknownEnumValue(name: word, type: GeneratedNames(catalog)[type], near: near), at: range)
  }

  /// Returns an object of a variable that is to be saved with its enum values typed.
  private func withEnums(_ raw: RawValue, _ type: ValueType) -> RawValue {
    switch (raw, type) {
    case (.text(let text), .enumeration(let id)):
      let code = catalog[id].values.firstIndex { $0.utf8.elementsEqual(text.bytes) }
      return code.map { .typed(.enumeration(id, code: $0)) } ?? raw
    case (.list(let elements), .list(let element)): return .list(elements.map { withEnums($0, element) })
    case (.list(let elements), _): return .list(elements.map { withEnums($0, type) })
    case (_, .list(let element)): return withEnums(raw, element)
    case (.object(let members), .embedded(let id)):
      return .object(
        members.map { member in
          let field = catalog[id].fields.first { $0.name == member.name }
          let value = field.map { withEnums(member.value, $0.signature.type) }
          return RawValue.Member(name: member.name, value: value ?? member.value)
        })
    case (.object(let members), .entity(let id)):
      return .object(
        members.map { member in
          // `set`, `append` and `remove` hold objects of the same type.
          let inner = catalog[id].property(named: member.name)?.signature.type ?? type
          return RawValue.Member(name: member.name, value: withEnums(member.value, inner))
        })
    default: return raw
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
    guard beginsWithVariable(expression) else { return nil }
    switch expression.kind {
    case .parenthesized(let inner): return inputPlace(inner, environment)
    case .variable(let name):
      if let binding = environment.arguments[name.text] {
        guard case .declared(let type)? = binding.variable?.declared else { return nil }
        let inner = environment.inside(binding)
        var place = InputPlace(type: type, value: nil, path: name.text, environment: inner)
        guard let value = binding.expression else { return place }
        if let other = inputPlace(value, inner) { return other }
        let known = holdsNames(value, inner) ? nil : constant(value, type)
        place.value = known ?? completed(value, type)
        return place
      }
      guard case .declared(let type)? = variables[name.text]?.kind else { return nil }
      usedVariables.insert(name.text)
      let value = value(of: name, type)
      if value == nil, options.structuralValues[name.text] == nil { absentInputs.insert(name.text) }
      return InputPlace(
        type: type, value: value, path: name.text, environment: environment.withoutElements)
    case .member(let base, let name, nil):
      guard let owner = inputPlace(base, environment) else { return nil }
      return member(name, of: owner)
    default: return nil
    }
  }

  /// Returns whether a path without arguments begins with a variable. Of one that is too deep to be bound it is false.
  private func beginsWithVariable(_ path: Expression) -> Bool {
    var head = path
    for _ in 0..<options.limits.depth {
      switch head.kind {
      case .member(let base, _, nil), .parenthesized(let base): head = base
      case .variable: return true
      default: return false
      }
    }
    return false
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
      result =
        settled.map { Expression(structural: $0, at: name.range, enumsOf: catalog) }
        ?? Expression(.missing, at: name.range)
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

  /// Returns a constant of a declared input type with its defaults; nil for what is none.
  private func constant(_ written: Expression, _ type: TypeReference, at place: SourceRange? = nil) -> Expression? {
    guard let raw = RawValue(written.unparenthesized) else { return nil }
    let range = place ?? written.range
    guard let value = settled(raw, type, .document, at: range) else { return Expression(.missing, at: range) }
    return Expression(structural: value, at: range, enumsOf: catalog)
  }

  /// Returns an object that is no constant with the defaults of the fields that it does not name, at every depth.
  private func completed(_ value: Expression, _ type: TypeReference) -> Expression {
    nested(at: value.range, value) { binder in
      switch (value.kind, type.withoutNonNull) {
      case (.parenthesized(let inner), _): return binder.completed(inner, type)
      case (.list(let elements), .list(let element, _)):
        return Expression(.list(elements.map { binder.completed($0, element) }), at: value.range)
      case (_, .list(let element, _)): return binder.completed(value, element)
      case (.object(var fields), .named(let name)):
        guard let input = binder.declaredInput(named: name.text) else { return value }
        for index in fields.indices {
          guard let field = input.field(named: fields[index].name.text) else { continue }
          fields[index].value = binder.completed(fields[index].value, field.type)
        }
        for field in input.definition.inputFields {
          guard let written = field.defaultValue, !fields.contains(where: { $0.name.text == field.name.text }),
            let known = binder.constant(written, field.type, at: value.range)
          else { continue }
          fields.append(ObjectField(name: Name(field.name.text, at: value.range), value: known, range: value.range))
        }
        return Expression(.object(fields), at: value.range)
      default: return value
      }
    }
  }

  private func member(_ name: Name, of owner: InputPlace) -> InputPlace? {
    guard case .named(let typeName) = owner.type.withoutNonNull, let input = declaredInput(named: typeName.text) else {
      return nil
    }
    guard let field = input.field(named: name.text) else {
      let near = suggest(name, input.definition.inputFields.map(\.name.text))
      report(.unknownField(name: name.text, type: typeName.text, near: near), at: name.range)
      return InputPlace(
        type: owner.type, value: Expression(.missing, at: name.range), path: owner.path, environment: owner.environment)
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
    let path = "\(owner.path).\(name.text)"
    if value == nil { absentInputs.insert(path) }
    return InputPlace(type: field.type, value: value, path: path, environment: owner.environment)
  }

  /// Returns what a declared input is in an expression: a value of its type, an object, or a list of objects.
  func operand(of place: InputPlace, at range: SourceRange) -> Operand {
    guard declaredInput(named: place.type.name.text) == nil, case .value(let signature) = declaredInput(place.type),
      !isObject(signature.type)
    else {
      guard let value = place.value else { return .literal(.null, range) }
      return bindOperand(value, place.environment)
    }
    let type = valueType(signature.type)
    guard let value = place.value, value.kind != .null else {
      return .value(BoundExpression(.constant(.null), type, at: range))
    }
    if case .missing = value.kind { return unknown(type, signature, at: range) }
    guard !holdsNames(value, place.environment), let raw = RawValue(withBareEnums(value)) else {
      return coerced(value, to: signature, place.environment)
    }
    switch ValueCoercion(catalog: catalog, origin: .variable, ints: options.ints).coerce(raw, to: signature) {
    case .success(let value):
      // As a variable of its own, whose nulls are unknown.
      if case .list(.enumeration) = type { return unknown(type, signature, value: value, at: range) }
      return .value(BoundExpression(.constant(value), type, at: range))
    case .failure(let failure):
      report(.wrongValue(failure.problem), at: range)
      return .error
    }
  }

  /// Returns what stands for a value of which only the type is known: a parameter, so that nothing follows from it. A
  /// query with it is never run, but bound again for the values of a run.
  private func unknown(
    _ type: ValueType, _ signature: TypeSignature, value: Value? = nil, at range: SourceRange
  ) -> Operand {
    query.parameters.append(BoundParameter(name: "", signature: signature, defaultValue: value, range: range))
    return .value(BoundExpression(.parameter(query.parameters.count - 1), type, at: range))
  }

  /// Returns whether a value is bound as it is written, field by field.
  private func isObject(_ type: ValueType) -> Bool {
    if case .embedded = type.innermost { true } else { false }
  }

  /// Returns a value with `LEAD` in place of `Level.LEAD`.
  private func withBareEnums(_ value: Expression) -> Expression {
    switch value.kind {
    case .member(_, let name, nil): Expression(.name(name), at: value.range)
    case .list(let elements): Expression(.list(elements.map(withBareEnums)), at: value.range)
    default: value
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
