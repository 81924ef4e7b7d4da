import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// A computed field of a type.
struct ComputedField: Hashable {
  var type: EntityTypeID
  var property: PropertyID
}

/// Computed fields are their expressions, bound wherever the field is used.
extension Binder {
  /// Binds the expression for its errors; their ranges lie in its own text.
  func checkComputed(_ property: Property, _ expression: Expression, of type: EntityTypeID) -> [Diagnostic] {
    let key = ComputedField(type: type, property: property.id)
    computedExpressions[key] = expression
    // What one field's check meets inside another is reported where the first uses it.
    _ = bindComputed(key, property, of: .scope(0, type), at: expression.range)
    return diagnostics
  }

  /// A computed field of an entity.
  func computed(
    _ property: Property, _ text: String, of element: EntityReference, at range: SourceRange
  ) -> Operand {
    let key = ComputedField(type: type(of: element), property: property.id)
    if computedExpressions[key] == nil {
      let parsed = parseExpression(SourceText(name: "", bytes: Array(text.utf8)))
      guard !parsed.hasErrors else { return .error }
      computedExpressions[key] = parsed.output
    }
    guard !computing.contains(key) else {
      report(.computedCycle(field: "\(catalog[key.type].name).\(property.name)"), at: range)
      return .error
    }
    let outer = computedRange
    computedRange = outer ?? range
    defer { computedRange = outer }
    return bindComputed(key, property, of: element, at: computedRange ?? range)
  }

  private func bindComputed(
    _ key: ComputedField, _ property: Property, of element: EntityReference, at range: SourceRange
  ) -> Operand {
    guard let expression = computedExpressions[key], isComputable(range) else { return .error }
    computing.append(key)
    defer { computing.removeLast() }
    // The expression sees its own entity and nothing around it.
    var environment = Environment()
    environment.scopes = Array(repeating: .entity(key.type), count: element.scope + 1)
    environment.chain = [0]
    environment = environment.viewing(element, as: key.type)
    let known = query.sets.count
    let bound = typed(bindOperand(expression, environment), property, environment, at: expression.range)
    let operand = guarded(bound, by: element, of: key.type)
    guard computedRange != nil else { return operand }
    for index in known..<query.sets.count { query.sets[index].place(at: range) }
    return operand.placed(at: range)
  }

  /// Over a missing link a field is null or has no members, whatever its expression makes of nothing.
  private func guarded(_ operand: Operand, by element: EntityReference, of type: EntityTypeID) -> Operand {
    if case .plural(let path) = operand, !element.isScope {
      let isThere = isThere(element.shifted(by: 1), type, at: path.range)
      let known = query[path.set].predicate
      query[path.set].predicate =
        known.map { BoundExpression(.and([isThere, $0]), .boolean, at: path.range) } ?? isThere
      return operand
    }
    guard case .value(let value) = operand, !element.isScope else { return operand }
    func guarded(_ expression: BoundExpression) -> BoundExpression {
      if case .column = expression.kind { return expression }
      let isThere = isThere(element, type, at: expression.range)
      return BoundExpression(.conditional([isThere, expression]), expression.type, at: expression.range)
    }
    return .value(TypedValue(expression: guarded(value.expression), folded: value.folded.map(guarded)))
  }

  private func isComputable(_ range: SourceRange) -> Bool {
    guard computing.count < 64 else {
      if !isTooDeep { report(.depthLimit(limit: 64), at: range) }
      isTooDeep = true
      return false
    }
    return true
  }

  /// `first(orders)`, where a computed entity is a path over to-one relations.
  static var onlyMember: String { "the only member of a set" }

  /// The operand in the type that the field declares.
  private func typed(
    _ operand: Operand, _ property: Property, _ environment: Environment, at range: SourceRange
  ) -> Operand {
    let wanted = property.signature.type
    let operand = resolve(operand, environment, wanting: wanted)
    switch (wanted, operand) {
    case (_, .error): return .error
    case (.entity(let target), .entity(let reference, let type, let range)):
      if let cast = cast(reference, from: type, to: target), catalog.isSubtype(type, of: target) {
        return .entity(cast, target, range)
      }
    case (.list(.entity(let target)), .plural(let path)):
      if case .none = path.tail, path.type == target { return operand }
    case (.embedded(let id), .embedded(let value)):
      if value.type == id { return operand }
    case (.entity, _), (.list(.entity), _), (.embedded, _): break
    case (.list(.list), _):
      return coerce(operand, to: .json, environment, at: range).map { .value($0) } ?? .error
    case (.scalar(.string), .value(let value)) where value.folded != nil:
      return operand
    default:
      if case .value(let value) = operand, value.type != .null, conversion(value.expression, to: wanted) == nil {
        report(
          .wrongComputed(field: property.name, expected: words(wanted), found: words(value.type)), at: range)
        return .error
      }
      return coerce(operand, to: wanted, environment, at: range).map { .value($0) } ?? .error
    }
    var found = describe(operand)
    // Its type alone would not tell what is wrong.
    if case (.entity, .single) = (wanted, operand) { found = Self.onlyMember }
    report(.wrongComputed(field: property.name, expected: words(wanted), found: found), at: range)
    return .error
  }
}

// MARK: Places

extension Operand {
  /// The operand with every expression in it at another place.
  fileprivate func placed(at range: SourceRange) -> Operand {
    switch self {
    case .value(let value): return .value(value.placed(at: range))
    case .entity(let reference, let type, _): return .entity(reference, type, range)
    case .embedded(var value):
      value.range = range
      return .embedded(value)
    case .plural(var path):
      path.range = range
      if case .value(let value) = path.tail { path.tail = .value(value.placed(at: range)) }
      return .plural(path)
    default: return self
    }
  }
}

extension TypedValue {
  fileprivate func placed(at range: SourceRange) -> TypedValue {
    TypedValue(expression: expression.placed(at: range), folded: folded?.placed(at: range))
  }
}

extension BoundExpression {
  /// The same expression, said to stand at another place: what its errors point to.
  fileprivate func placed(at range: SourceRange) -> BoundExpression {
    var copy = mapOperands { $0.placed(at: range) }
    copy.range = range
    switch copy.kind {
    case .quantifier(let quantifier, let set, let body):
      copy.kind = .quantifier(quantifier, set, body?.placed(at: range))
    case .aggregate(let aggregate, let set, let body):
      copy.kind = .aggregate(aggregate, set, body?.placed(at: range))
    default: break
    }
    return copy
  }
}

extension BoundSet {
  fileprivate mutating func place(at range: SourceRange) {
    self.range = range
    if case .key(let index, let keys) = source { source = .key(index, keys.map { $0.placed(at: range) }) }
    predicate = predicate?.placed(at: range)
    for index in order.indices { order[index].expression = order[index].expression.placed(at: range) }
    distinctOn = distinctOn.map { $0.placed(at: range) }
    limit = limit?.placed(at: range)
    offset = offset?.placed(at: range)
  }
}
