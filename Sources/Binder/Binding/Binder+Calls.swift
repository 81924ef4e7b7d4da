import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  private static let quantifiers: [String: Quantifier] = [
    "some": .some, "every": .every, "none": .none, "one": .one, "exists": .exists,
  ]
  private static let aggregates: [String: Aggregate] = [
    "count": .count, "sum": .sum, "avg": .avg, "min": .min, "max": .max, "first": .first, "last": .last,
    "collect": .collect, "distinct": .distinct,
  ]

  func bindCall(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    // A relation or a type with a selection's arguments: `messages(where: …)`.
    if arguments.positional.isEmpty, !arguments.named.isEmpty {
      if let operand = relationCall(name, arguments, environment, range) { return operand }
    }
    if let number = environment.group(), let operand = groupAggregate(name, arguments, number, environment, range) {
      return operand
    }
    if let quantifier = Self.quantifiers[name.text] {
      return bindQuantifier(quantifier, name, arguments, environment, range)
    }
    if let aggregate = Self.aggregates[name.text] {
      return bindAggregate(aggregate, name, arguments, environment, range)
    }
    if name.text == "join" { return bindJoin(name, arguments, environment, range) }
    switch name.text {
    case "closure": return bindClosure(name, arguments, environment, range)
    case "shortestPath": return bindShortestPath(name, arguments, environment, range)
    case "hasMore": return bindHasMore(name, arguments, environment, range)
    default: break
    }
    return bindFunction(name, arguments, environment, range)
  }

  private func relationCall(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> Operand? {
    if let number = environment.group() {
      if let operand = groupCall(name, arguments, number, environment) { return operand }
    } else if let element = environment.element(),
      let property = catalog[type(of: element)].property(named: name.text)
    {
      let operand = member(property, of: element, at: name.range)
      switch operand {
      case .plural(let path):
        var bound = query[path.set]
        bindArguments(arguments.named, of: name, environment: environment, into: &bound)
        query[path.set] = bound
        return operand
      case .entity: return filtered(operand, arguments, name, environment)
      default:
        report(.argumentsOnValue(field: name.text), at: arguments.range)
        return .error
      }
    }
    guard let root = catalog.root(named: name.text) else { return nil }
    if root.isList { return rootSet(root, arguments.named, name, environment) }
    // `user(id: authorId)`: the keys are seen from where it stands.
    let set = reserveSet(root.type, at: range)
    if catalog[root.type].isAbstract {
      bindKey(arguments.named, of: name, abstract: root.type, into: set, environment)
      return .single(PluralPath(set: set, type: root.type, range: range, text: name.text))
    }
    let key = KeyBinder(binder: self).source(arguments.named, of: name, root.type, environment)
    guard let source = key else { return .error }
    query[set].source = source
    return .single(PluralPath(set: set, type: root.type, range: range, text: name.text))
  }

  // MARK: Sets and lists

  /// What a call goes through.
  enum Collection {
    case path(PluralPath)
    case list(TypedValue)
  }

  /// The first argument of a call over a set or a list; a to-one relation is a set of at most one.
  func collection(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange,
    expected: String = "a set and an expression", most: Int = 2
  ) -> Collection? {
    for argument in arguments.named {
      report(.unknownArgument(name: argument.name.text, of: name.text, near: []), at: argument.name.range)
    }
    guard let first = arguments.positional.first, arguments.positional.count <= most, arguments.named.isEmpty else {
      if arguments.positional.isEmpty, name.text == "count", arguments.named.isEmpty {
        report(.outsideGroup("count()"), remedyForCount(environment, at: range), at: range)
      } else if arguments.named.isEmpty {
        report(.wrongArgumentCount(function: name.text, expected: expected), at: range)
      }
      return nil
    }
    let operand = resolve(bindOperand(first, environment), environment)
    switch operand {
    case .error: return nil
    case .plural(let path), .single(let path): return .path(path)
    case .entity(let reference, let type, let range) where !reference.isScope:
      return .path(ToOnePathBinder(binder: self).set(of: reference, type, range))
    case .value(let value):
      if case .list = value.type { return .list(value) }
      if let path = ToOnePathBinder(binder: self).path(first, operand, environment) { return .path(path) }
      report(.notASet(function: name.text), remedy(forAggregate: name, of: first, environment), at: first.range)
      return nil
    case .list(let elements, let range): return valueList(elements, environment, at: range).map { .list($0) }
    default:
      report(.notASet(function: name.text), at: first.range)
      return nil
    }
  }

  /// A number for a list call, and what its body sees.
  func entering(
    elementsOf list: TypedValue, _ environment: Environment
  ) -> (number: Int, environment: Environment)? {
    guard case .list(let element) = list.type else { return nil }
    query.itemCount += 1
    return (query.itemCount - 1, environment.entering(.item(query.itemCount - 1, element)))
  }

  /// What an expression for each member of a path sees: the entity, or the value that the path ends with.
  func entering(membersOf path: PluralPath, _ environment: Environment, _ name: Name) -> Environment? {
    switch path.tail {
    case .none:
      var inner = environment.entering(path.type)
      inner.note(searches: searches(of: query[path.set]))
      return inner
    case .value(let value): return environment.entering(.value(path.type, value))
    case .embedded:
      report(.notASet(function: name.text), at: path.range)
      return nil
    }
  }

  // MARK: Tests

  private func bindQuantifier(
    _ quantifier: Quantifier, _ name: Name, _ arguments: CallArguments, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    // `exists(x)` of a value or an entity: it is not null.
    if quantifier == .exists, arguments.positional.count == 1, arguments.named.isEmpty,
      let first = arguments.positional.first
    {
      let operand = resolve(bindOperand(first, environment), environment)
      switch operand {
      case .error: return .error
      case .plural(let path), .single(let path): return .value(exists(path, range))
      case .value(let value):
        guard case .list = value.type else { return .value(negation(isNull(value, range))) }
        return quantified(quantifier, value, nil, environment, range)
      case .entity, .embedded:
        return isNull(operand, at: range).map { .value(negation($0)) } ?? .error
      default: break
      }
    }
    guard let collection = collection(name, arguments, environment, range, expected: "a set and a condition") else {
      return .error
    }
    let body = arguments.positional.count == 2 ? arguments.positional[1] : nil
    if body == nil, quantifier == .every {
      report(.wrongArgumentCount(function: name.text, expected: "a set and a condition"), at: range)
      return .error
    }
    switch collection {
    case .list(let list): return quantified(quantifier, list, body, environment, range)
    case .path(let path):
      if quantifier == .every { hasEvery = true }
      guard let body else {
        if quantifier == .some { return .value(exists(path, range)) }
        var test: BoundExpression?
        switch path.tail {
        case .none: break
        case .value(let value): test = negation(isNull(value, range))
        case .embedded(let value): test = BoundExpression(.isTrue(value.presenceExpression), .boolean, at: range)
        }
        return .value(BoundExpression(.quantifier(quantifier, path.set, test), .boolean, at: range))
      }
      guard let inner = entering(membersOf: path, environment, name), let predicate = condition(body, inner) else {
        return .error
      }
      return .value(
        BoundExpression(
          .quantifier(quantifier == .exists ? .some : quantifier, path.set, predicate), .boolean, at: range))
    }
  }

  private func quantified(
    _ quantifier: Quantifier, _ list: TypedValue, _ body: Expression?, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    guard let (number, inner) = entering(elementsOf: list, environment) else { return .error }
    var predicate: BoundExpression?
    if let body {
      predicate = condition(body, inner)
      if predicate == nil { return .error }
    }
    return .value(
      BoundExpression(
        .listCall(.quantifier(quantifier), list.expression, item: number, predicate), .boolean, at: range))
  }

  private func isNull(_ value: TypedValue, _ range: SourceRange) -> BoundExpression {
    BoundExpression(.isNull(value.expression), .boolean, at: range)
  }

  /// Whether there is a member, and it has what the path ends with.
  func exists(_ path: PluralPath, _ range: SourceRange) -> BoundExpression {
    switch path.tail {
    case .none:
      query.forgetOrder(of: path.set)
      return BoundExpression(.quantifier(.exists, path.set, nil), .boolean, at: range)
    case .value(let value):
      return BoundExpression(.quantifier(.some, path.set, negation(isNull(value, range))), .boolean, at: range)
    case .embedded(let value):
      let test = BoundExpression(.isTrue(value.presenceExpression), .boolean, at: range)
      return BoundExpression(.quantifier(.some, path.set, test), .boolean, at: range)
    }
  }
}
