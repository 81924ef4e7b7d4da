import GQLBase
import GQLCatalog
import GQLParser

extension Binder {
  private static let quantifiers: [String: Quantifier] = [
    "some": .some, "every": .every, "none": .none, "one": .one, "exists": .exists,
  ]
  private static let aggregates: [String: Aggregate] = [
    "count": .count, "sum": .sum, "avg": .avg, "min": .min, "max": .max,
  ]
  private static let laterCalls: [String: NotSupportedYet] = [
    "first": .firstAggregate, "collect": .collectAggregate, "join": .joinAggregate, "distinct": .distinctAggregate,
    "hasMore": .hasMore, "closure": .closure, "shortestPath": .shortestPath,
  ]

  mutating func bindCall(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    // A relation or a type with a selection's arguments: `messages(where: …)`.
    if arguments.positional.isEmpty, !arguments.named.isEmpty {
      if let operand = relationCall(name, arguments, environment) { return operand }
    }
    if let quantifier = Self.quantifiers[name.text] {
      return bindQuantifier(quantifier, name, arguments, environment, range)
    }
    if let aggregate = Self.aggregates[name.text] {
      return bindAggregate(aggregate, name, arguments, environment, range)
    }
    if let feature = Self.laterCalls[name.text] {
      report(.notSupportedYet(feature), at: range)
      return .error
    }
    return bindFunction(name, arguments, environment, range)
  }

  private mutating func relationCall(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment
  ) -> Operand? {
    if let element = environment.element(),
      let property = catalog[type(of: element)].property(named: name.text)
    {
      let operand = member(property, of: element, at: name.range)
      switch operand {
      case .plural(let path):
        var bound = query[path.set]
        bindArguments(arguments.named, of: name, environment: environment, into: &bound)
        query[path.set] = bound
        return operand
      case .entity:
        report(.notSupportedYet(.toOneStepArguments), at: arguments.range)
        return .error
      default:
        report(.argumentsOnValue(field: name.text), at: arguments.range)
        return .error
      }
    }
    if let root = catalog.root(named: name.text) {
      guard root.isList else {
        report(.notSupportedYet(.typeInExpression), at: name.range)
        return .error
      }
      return rootSet(root.type, arguments.named, name, environment)
    }
    return nil
  }

  // MARK: Sets

  /// The first argument of a call over a set; a to-one relation is a set of at most one.
  private mutating func set(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> PluralPath? {
    for argument in arguments.named {
      report(.unknownArgument(name: argument.name.text, of: name.text, near: []), at: argument.name.range)
    }
    guard let first = arguments.positional.first, arguments.positional.count <= 2, arguments.named.isEmpty else {
      if arguments.positional.isEmpty, name.text == "count", arguments.named.isEmpty {
        report(.notSupportedYet(.grouping), at: range)
      } else if arguments.named.isEmpty {
        report(.wrongArgumentCount(function: name.text, expected: "a set and an expression"), at: range)
      }
      return nil
    }
    let operand = resolve(bindOperand(first, environment), environment)
    switch operand {
    case .error: return nil
    case .plural(let path): return path
    case .entity(let reference, let type, let range) where !reference.isScope:
      let set = reserveSet(type, at: range)
      query[set] = BoundSet(type: type, source: source(of: reference), range: range)
      return PluralPath(set: set, type: type, range: range, text: "")
    case .value(let value):
      if case .list = value.type {
        report(.notSupportedYet(.listAggregate), at: first.range)
      } else {
        report(.notASet(function: name.text), at: first.range)
      }
      return nil
    default:
      report(.notASet(function: name.text), at: first.range)
      return nil
    }
  }

  private mutating func bindQuantifier(
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
      case .plural(let path): return exists(path, range)
      case .value, .entity, .embedded:
        return isNull(operand, at: range).map { .value(negation($0)) } ?? .error
      default: break
      }
    }
    guard let path = set(name, arguments, environment, range) else { return .error }
    guard case .none = path.tail else {
      if arguments.positional.count == 1, quantifier == .some { return exists(path, range) }
      report(.notSupportedYet(.listAggregate), at: path.range)
      return .error
    }
    guard arguments.positional.count == 2 else {
      if quantifier == .every {
        report(.wrongArgumentCount(function: name.text, expected: "a set and a condition"), at: range)
        return .error
      }
      return .value(
        BoundExpression(
          .quantifier(quantifier == .some ? .exists : quantifier, path.set, nil), .boolean, at: range))
    }
    guard let predicate = condition(arguments.positional[1], environment.entering(path.type)) else { return .error }
    return .value(
      BoundExpression(.quantifier(quantifier == .exists ? .some : quantifier, path.set, predicate), .boolean, at: range)
    )
  }

  private func exists(_ path: PluralPath, _ range: SourceRange) -> Operand {
    switch path.tail {
    case .none: return .value(BoundExpression(.quantifier(.exists, path.set, nil), .boolean, at: range))
    case .value(let value):
      let test = negation(BoundExpression(.isNull(value.expression), .boolean, at: range))
      return .value(BoundExpression(.quantifier(.some, path.set, test), .boolean, at: range))
    case .embedded(let value):
      let test = BoundExpression(.isTrue(value.presenceExpression), .boolean, at: range)
      return .value(BoundExpression(.quantifier(.some, path.set, test), .boolean, at: range))
    }
  }

  private mutating func bindAggregate(
    _ aggregate: Aggregate, _ name: Name, _ arguments: CallArguments, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    guard let path = set(name, arguments, environment, range) else { return .error }
    var element: BoundExpression?
    switch path.tail {
    case .none: break
    case .value(let value): element = value.expression
    case .embedded(let value):
      guard aggregate == .count else {
        report(.notSupportedYet(.entityValue), at: value.range)
        return .error
      }
      // Absent objects do not count.
      let presence = BoundExpression(.isTrue(value.presenceExpression), .boolean, at: value.range)
      let one = BoundExpression(.constant(.boolean(true)), .boolean, at: value.range)
      element = BoundExpression(.conditional([presence, one]), .boolean, at: value.range)
    }
    if arguments.positional.count == 2 {
      guard element == nil else {
        report(.wrongArgumentCount(function: name.text, expected: "a set and an expression"), at: range)
        return .error
      }
      let inner = environment.entering(path.type)
      let argument = arguments.positional[1]
      guard let value = value(bindOperand(argument, inner), inner, at: argument.range) else { return .error }
      element = value.expression
    }
    if aggregate == .count { return count(path, element, range) }
    guard let element else {
      report(.wrongArgumentCount(function: name.text, expected: "values, as in \(name.text)(orders.amount)"), at: range)
      return .error
    }
    switch aggregate {
    case .min, .max:
      guard isOrdered(element.type), element.type != .json, element.type != .null else {
        report(.unordered(type: words(element.type)), at: element.range)
        return .error
      }
      return .value(BoundExpression(.aggregate(aggregate, path.set, element), element.type, at: range))
    default:
      guard element.type.isNumeric else {
        report(.wrongType(found: words(element.type), expected: "numbers"), at: element.range)
        return .error
      }
      let type: ValueType = aggregate == .avg && element.type == .int ? .float : element.type
      return .value(BoundExpression(.aggregate(aggregate, path.set, element), type, at: range))
    }
  }

  private mutating func count(
    _ path: PluralPath, _ element: BoundExpression?, _ range: SourceRange
  ) -> Operand {
    let result = BoundExpression(.aggregate(.count, path.set, nil), .int, at: range)
    guard let element else { return .value(result) }
    // Nulls do not count: a further condition on the set, unless the set is cut off before it.
    let set = query[path.set]
    guard set.limit == nil, set.offset == nil, set.distinctOn.isEmpty else {
      report(.notSupportedYet(.countOfLimitedValues), at: range)
      return .error
    }
    let isThere = negation(BoundExpression(.isNull(element), .boolean, at: element.range))
    if let predicate = set.predicate {
      query[path.set].predicate = BoundExpression(.and([predicate, isThere]), .boolean, at: predicate.range)
    } else {
      query[path.set].predicate = isThere
    }
    return .value(result)
  }
}
