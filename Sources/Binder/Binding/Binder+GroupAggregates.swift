import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Aggregates over the members of a group.
extension Binder {
  /// Nil for what is no aggregate, or one over a set that has nothing to do with the group.
  func groupAggregate(
    _ name: Name, _ arguments: CallArguments, _ number: Int, _ environment: Environment, _ range: SourceRange
  ) -> Operand? {
    let isJoin = name.text == "join"
    guard let aggregate = isJoin ? .collect : Aggregate(rawValue: name.text) else { return nil }
    if let first = arguments.positional.first, !isOverMembers(first, number, environment) { return nil }
    for argument in arguments.named {
      report(.unknownArgument(name: argument.name.text, of: name.text, near: []), at: argument.name.range)
      return .error
    }
    var positional = arguments.positional
    var separator: BoundExpression?
    if isJoin {
      guard positional.count == 2 || positional.count == 3, let last = positional.popLast() else {
        report(.wrongArgumentCount(function: name.text, expected: "values and a separator"), at: range)
        return .error
      }
      guard let bound = coerce(bindOperand(last, environment), to: .string, environment, at: last.range) else {
        return .error
      }
      separator = bound
    }
    let sets = query.sets.count
    guard let bound = bind(aggregate, name, positional, number, environment, range) else { return .error }
    func value(_ slot: Int) -> Operand {
      let list = reference(number, slot, groups[number].aggregates[slot].type, environment, range)
      let isFolded = groups[number].aggregates[slot].isFolded
      guard let separator else { return .value(list, folded: isFolded ? fold(converted(list, .string)) : nil) }
      return .value(BoundExpression(.join(list, separator: separator), .string, at: range))
    }
    // Not before it is bound, which bounds its depth.
    let said = fingerprint(name, arguments, environment)
    if let slot = groups[number].known[said] {
      query.sets.removeLast(query.sets.count - sets)
      return value(slot)
    }
    groups[number].known[said] = groups[number].aggregates.count
    groups[number].aggregates.append(bound)
    return value(groups[number].aggregates.count - 1)
  }

  private func reference(
    _ number: Int, _ slot: Int, _ type: ValueType, _ environment: Environment, _ range: SourceRange
  ) -> BoundExpression {
    let group = groups[number]
    let own = EntityReference.scope(environment.scopes.count - 2 - group.scope, group.type)
    return BoundExpression(.groupAggregate(own, group.selection, slot), type, at: range)
  }

  private func fingerprint(_ name: Name, _ arguments: CallArguments, _ environment: Environment) -> String {
    var printer = ExpressionFingerprint(self)
    printer.print(Expression(.call(name, arguments), at: arguments.range), environment)
    return printer.text
  }

  /// Whether an aggregate's argument is said of members: it is, unless it starts at a root, around the group, or at the
  /// group's own set of them.
  private func isOverMembers(_ expression: Expression, _ number: Int, _ environment: Environment) -> Bool {
    var expression = expression
    var environment = environment
    // A `let` sees only those before it, so that this ends.
    while true {
      let name: Name
      switch expression.kind {
      case .parenthesized(let inner), .member(let inner, _, _):
        expression = inner
        continue
      case .call(let function, let arguments):
        if function.text == "distinct", let first = arguments.positional.first {
          expression = first
          continue
        }
        guard arguments.positional.isEmpty else { return true }
        name = function
      case .name(let written): name = written
      case .outer: return false
      default: return true
      }
      guard let binding = environment.lets[name.text] ?? alias(name, number, environment) else {
        if catalog[groups[number].type].property(named: name.text) != nil { return true }
        return name.text != "_items" && catalog.root(named: name.text)?.isList != true
      }
      // One from around the group knows no member.
      guard binding.chain.last == groups[number].scope else { return false }
      guard let inner = binding.expression else { return true }
      environment = environment.inside(binding)
      expression = inner
    }
  }

  // MARK: Arguments

  private func bind(
    _ aggregate: Aggregate, _ name: Name, _ positional: [Expression], _ number: Int, _ environment: Environment,
    _ range: SourceRange
  ) -> BoundGroupAggregate? {
    var positional = positional
    var bound = BoundGroupAggregate(aggregate, type: .int, at: range)
    guard var first = positional.first else {
      if aggregate == .count { return bound }
      report(.wrongArgumentCount(function: name.text, expected: "values of the members"), at: range)
      return nil
    }
    while case .parenthesized(let inner) = first.kind { first = inner }
    if aggregate == .distinct { bound.isDistinct = true }
    if case .call(let inner, let arguments) = first.kind, inner.text == "distinct", arguments.named.isEmpty {
      guard positional.count == 1, !arguments.positional.isEmpty else {
        report(.wrongArgumentCount(function: "distinct", expected: "values"), at: first.range)
        return nil
      }
      positional = arguments.positional
      bound.isDistinct = true
    }
    guard let first = positional.first, positional.count <= 2 else {
      report(.wrongArgumentCount(function: name.text, expected: "a set and an expression"), at: range)
      return nil
    }
    let member = memberEnvironment(number, environment)
    if reportConstant(first, member, ofTexts: true) { return nil }
    var operand = resolve(bindOperand(first, member), member)
    var inner = member
    if let path = collection(operand) {
      bound.set = path.set
      inner = member.entering(path.type)
      inner.note(searches: searches(of: query[path.set]))
      switch path.tail {
      case .none: operand = .entity(.scope(0, path.type), path.type, path.range)
      case .value(let value): operand = .value(value)
      case .embedded(let value): operand = .embedded(value)
      }
      if positional.count == 2 {
        guard case .none = path.tail else {
          report(.wrongArgumentCount(function: name.text, expected: "a set and an expression"), at: range)
          return nil
        }
        if reportConstant(positional[1], inner, ofTexts: true) { return nil }
        operand = resolve(bindOperand(positional[1], inner), inner)
      } else if case .none = path.tail, aggregate != .count {
        report(
          .wrongArgumentCount(function: name.text, expected: "values, as in \(name.text)(orders.amount)"), at: range)
        return nil
      }
      if let path = collection(operand) {
        report(.pluralPath(relation: path.text, suggestion: nil), at: path.range)
        return nil
      }
    } else if positional.count == 2 {
      if case .error = operand { return nil }
      report(.notASet(function: name.text), at: first.range)
      return nil
    }
    if name.text == "join" { return takeText(operand, inner, first.range, into: bound) }
    // `count(tags)`: of the elements, as of a set's.
    if aggregate == .count, !bound.isDistinct, case .value(let value) = operand, case .list = value.type,
      case .value(let count) = bindCall(
        name, CallArguments(positional: [positional.last ?? first], named: [], range: range), inner, range)
    {
      bound.aggregate = .sum
      bound.argument = count.expression
      return bound
    }
    if aggregate == .count, !bound.isDistinct {
      operand = CountBinder(binder: self).counted(operand, first, inner, isSecond: positional.count == 2)
    }
    return take(operand, inner, first.range, into: bound)
  }

  private func collection(_ operand: Operand) -> PluralPath? {
    switch operand {
    case .plural(let path), .single(let path): path
    default: nil
    }
  }

  /// Values of `join`, as texts.
  private func takeText(
    _ operand: Operand, _ environment: Environment, _ range: SourceRange, into bound: BoundGroupAggregate
  ) -> BoundGroupAggregate? {
    guard var bound = take(operand, environment, range, into: bound), let argument = bound.argument else { return nil }
    bound.type = .list(.string)
    if argument.type == .string { return bound }
    if argument.type.scalar?.isTextual == true || argument.type == .null {
      bound.argument = converted(argument, .string)
      return bound
    }
    guard case .value(let text) = casted(.value(argument), to: .string, environment, at: argument.range) else {
      return nil
    }
    bound.argument = text.expression
    return bound
  }

  private func take(
    _ operand: Operand, _ environment: Environment, _ range: SourceRange, into bound: BoundGroupAggregate
  ) -> BoundGroupAggregate? {
    var bound = bound
    let value: TypedValue
    switch (operand, bound.aggregate) {
    case (.error, _): return nil
    case (.entity(.scope(0, _), _, _), .count) where bound.set != nil && !bound.isDistinct: return bound
    case (.entity(let reference, let type, let range), .count):
      value = TypedValue(expression: BoundExpression(.entity(reference), .entity(type), at: range))
    case (.entity(let reference, let type, let range), _):
      guard let column = idColumn(of: type) else {
        report(.unordered(type: words(.entity(type))), at: range)
        return nil
      }
      value = TypedValue(expression: BoundExpression(.column(reference, column.id), column.type, at: range))
    case (.embedded(let embedded), .count) where !bound.isDistinct:
      // Absent objects do not count.
      let presence = BoundExpression(.isTrue(embedded.presenceExpression), .boolean, at: range)
      let one = BoundExpression(.constant(.boolean(true)), .boolean, at: range)
      value = TypedValue(expression: BoundExpression(.conditional([presence, one]), .boolean, at: range))
    default:
      guard let found = self.value(operand, environment, at: range) else { return nil }
      value = found
    }
    let type = value.type
    bound.argument = value.expression
    bound.isFolded = value.folded != nil && (bound.aggregate.isExtreme || [.first, .last].contains(bound.aggregate))
    if bound.isDistinct || bound.aggregate.isExtreme, let folded = value.folded { bound.comparand = folded }
    switch bound.aggregate {
    case .count: bound.type = .int
    case .sum, .avg:
      guard isSummable(value.expression) else { return nil }
      bound.type = bound.aggregate == .avg && type == .int ? .float : type
    case .min, .max:
      guard isOrdered(type), type != .json, type != .null else {
        report(.unordered(type: words(type)), at: value.expression.range)
        return nil
      }
      bound.type = type
    case .first, .last: bound.type = type
    case .collect, .distinct:
      if case .list = type {
        report(.wrongType(found: words(type), expected: "single values"), at: value.expression.range)
        return nil
      }
      bound.type = .list(type)
    }
    return bound
  }
}
