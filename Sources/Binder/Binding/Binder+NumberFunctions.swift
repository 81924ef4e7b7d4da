import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  /// An argument that must be a number; a literal with a point is a Decimal, whose digits are those written.
  private func numberArgument(
    _ written: Expression, _ environment: Environment, orDuration: Bool = false
  ) -> BoundExpression? {
    let operand = resolve(bindOperand(written, environment), environment)
    if case .literal(.real(let digits), let range) = operand, let number = Decimal(parsing: digits) {
      return BoundExpression(.constant(.decimal(number)), .decimal, at: range)
    }
    guard let bound = value(operand, environment, at: written.range)?.expression else { return nil }
    if bound.type == .null { return converted(bound, .int) }
    guard bound.type.isNumeric || orDuration && bound.type == .scalar(.duration) else {
      report(.wrongType(found: words(bound.type), expected: "a number"), at: written.range)
      return nil
    }
    return bound
  }

  /// `abs round floor ceil`.
  func roundingFunction(
    _ function: ScalarFunction, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    guard let subject = numberArgument(values[0], environment, orDuration: function == .abs) else { return .error }
    if function == .abs { return .value(BoundExpression(.call(.abs, [subject]), subject.type, at: range)) }
    guard values.count == 2 else { return .value(BoundExpression(.call(function, [subject]), .int, at: range)) }
    guard let places = argument(values[1], .int, environment) else { return .error }
    return .value(BoundExpression(.call(function, [subject, places]), subject.type, at: range))
  }

  /// `sqrt pow`, over Floats.
  func floatFunction(
    _ function: ScalarFunction, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    var arguments: [BoundExpression] = []
    for written in values {
      let operand = resolve(bindOperand(written, environment), environment)
      guard let bound = value(operand, environment, at: written.range)?.expression else { return .error }
      guard bound.type.isNumeric || bound.type == .null else {
        report(.wrongType(found: words(bound.type), expected: "a number"), at: written.range)
        return .error
      }
      arguments.append(converted(bound, .scalar(.float)))
    }
    return .value(BoundExpression(.call(function, arguments), .scalar(.float), at: range))
  }

  /// `div(a, b)`, in the wider of the two types.
  func div(_ values: [Expression], _ environment: Environment, _ range: SourceRange) -> Operand {
    let left = resolve(bindOperand(values[0], environment), environment)
    let right = resolve(bindOperand(values[1], environment), environment)
    guard let first = number(left, beside: staticType(right), .divide, environment, at: values[0].range),
      let second = number(right, beside: staticType(left), .divide, environment, at: values[1].range)
    else { return .error }
    guard first.type.isNumeric || first.type == .null, second.type.isNumeric || second.type == .null else {
      return wrongOperands("div", first, second, range)
    }
    var wide = Self.widest(first.type, second.type)
    if wide == .null { wide = .int }
    return .value(BoundExpression(.call(.div, [converted(first, wide), converted(second, wide)]), wide, at: range))
  }

  /// `least greatest`, of operands that have one ordered type.
  func extreme(
    _ function: ScalarFunction, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    var operands: [(Operand, SourceRange)] = []
    for written in values { operands.append((bindOperand(written, environment), written.range)) }
    guard let bound = alike(operands, environment, range), let first = bound.first else { return .error }
    if first.type == .null { return .value(first) }
    guard isOrdered(first.type) else {
      report(.unordered(type: words(first.type)), at: range)
      return .error
    }
    return .value(BoundExpression(.call(function, bound), first.type, at: range))
  }
}
