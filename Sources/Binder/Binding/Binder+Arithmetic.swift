import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  /// `+ - * / %` over numbers, texts (`+`), times and durations.
  func arithmetic(
    _ op: ArithmeticOperator, _ left: Expression, _ right: Expression, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    let leftOperand = resolve(bindOperand(left, environment), environment)
    let rightOperand = resolve(bindOperand(right, environment), environment)
    if op == .add,
      let remedy = ExpressionRemedies(binder: self).adding(left, leftOperand, right, rightOperand, at: range)
    {
      report(
        .wrongOperands(symbol: "+", left: describe(leftOperand), right: describe(rightOperand)), remedy, at: range)
      return .error
    }
    return arithmetic(op, leftOperand, rightOperand, left.range, right.range, environment, range)
  }

  /// The same of bound operands: not in the frames of operators that stand in each other.
  private func arithmetic(
    _ op: ArithmeticOperator, _ leftOperand: Operand, _ rightOperand: Operand, _ leftRange: SourceRange,
    _ rightRange: SourceRange, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    guard
      let first = number(leftOperand, beside: staticType(rightOperand), op, environment, at: leftRange),
      let second = number(rightOperand, beside: staticType(leftOperand), op, environment, at: rightRange)
    else { return .error }
    if isTime(first.type) || isTime(second.type) { return timeArithmetic(op, first, second, range) }
    let isText = { (type: ValueType) in type.scalar?.isTextual ?? false }
    if op == .add, isText(first.type) || isText(second.type) {
      guard isText(first.type) || first.type == .null, isText(second.type) || second.type == .null else {
        return wrongOperands(op.rawValue, first, second, range)
      }
      return .value(
        BoundExpression(.arithmetic(.add, converted(first, .string), converted(second, .string)), .string, at: range))
    }
    guard first.type.isNumeric || first.type == .null, second.type.isNumeric || second.type == .null,
      first.type != .null || second.type != .null
    else { return wrongOperands(op.rawValue, first, second, range) }
    let wide = Self.widest(first.type, second.type)
    if op == .divide, wide == .int {
      return .value(
        BoundExpression(.arithmetic(op, converted(first, .int), converted(second, .int)), .scalar(.float), at: range))
    }
    return .value(
      BoundExpression(.arithmetic(op, converted(first, wide), converted(second, wide)), wide, at: range))
  }

  func wrongOperands(
    _ symbol: String, _ left: BoundExpression, _ right: BoundExpression, _ range: SourceRange
  ) -> Operand {
    report(.wrongOperands(symbol: symbol, left: words(left.type), right: words(right.type)), at: range)
    return .error
  }

  private func isTime(_ type: ValueType) -> Bool {
    switch type.scalar {
    case .dateTime?, .date?, .duration?: true
    default: false
    }
  }

  /// | | |
  /// |---|---|
  /// | time + duration, duration + time, time − duration | the time's type |
  /// | time − time | Duration; a Date beside a DateTime is its first moment |
  /// | duration ± duration | Duration |
  /// | duration · number, number · duration, duration / number | Duration |
  /// | duration / duration | Float |
  private func timeArithmetic(
    _ op: ArithmeticOperator, _ left: BoundExpression, _ right: BoundExpression, _ range: SourceRange
  ) -> Operand {
    func result(_ op: ArithmeticOperator, _ a: BoundExpression, _ b: BoundExpression, _ type: ScalarType) -> Operand {
      .value(BoundExpression(.arithmetic(op, a, b), .scalar(type), at: range))
    }
    let duration = ValueType.scalar(.duration)
    switch (op, left.type.scalar, right.type.scalar) {
    case (.add, .duration?, .duration?), (.subtract, .duration?, .duration?): return result(op, left, right, .duration)
    case (.add, .dateTime?, .duration?), (.subtract, .dateTime?, .duration?): return result(op, left, right, .dateTime)
    case (.add, .date?, .duration?), (.subtract, .date?, .duration?): return result(op, left, right, .date)
    case (.add, .duration?, .dateTime?): return result(op, right, left, .dateTime)
    case (.add, .duration?, .date?): return result(op, right, left, .date)
    case (.subtract, .dateTime?, .dateTime?), (.subtract, .date?, .date?): return result(op, left, right, .duration)
    case (.subtract, .dateTime?, .date?), (.subtract, .date?, .dateTime?):
      return result(op, converted(left, .scalar(.dateTime)), converted(right, .scalar(.dateTime)), .duration)
    case (.multiply, .duration?, let other?) where other.isNumeric: return result(op, left, right, .duration)
    case (.divide, .duration?, let other?) where other.isNumeric: return result(op, left, right, .duration)
    case (.multiply, let other?, .duration?) where other.isNumeric: return result(op, right, left, .duration)
    case (.divide, .duration?, .duration?): return result(op, left, right, .float)
    // A bare null: the time that it would have to be.
    case (.add, _, _) where left.type == .null || right.type == .null:
      let (time, null) = left.type == .null ? (right, left) : (left, right)
      return result(op, time, converted(null, duration), time.type.scalar ?? .duration)
    case (.subtract, _, _) where right.type == .null:
      return result(op, left, converted(right, duration), left.type.scalar ?? .duration)
    case (.subtract, _, _) where left.type == .null: return result(op, converted(left, right.type), right, .duration)
    default: return wrongOperands(op.rawValue, left, right, range)
    }
  }

  /// An operand of arithmetic; a literal takes the other operand's type where that holds it exactly, and a text beside
  /// a time is a time or a duration, whichever it looks like.
  func number(
    _ operand: Operand, beside other: ValueType?, _ op: ArithmeticOperator, _ environment: Environment,
    at range: SourceRange
  ) -> BoundExpression? {
    if case .literal(let raw, let range) = operand {
      switch (raw, other) {
      case (.integer, .scalar(.float)?), (.integer, .scalar(.decimal)?), (.real, .scalar(.decimal)?):
        return other.flatMap { coerce(operand, to: $0, environment, at: range) }
      case (.null, let type?):
        return isTime(type)
          ? BoundExpression(.constant(.null), .null, at: range)
          : BoundExpression(.constant(.null), type, at: range)
      case (.text(let text), let type?) where isTime(type) && (op == .add || op == .subtract):
        return constant(raw, literalTime(text, beside: type, op), at: range)
      default: break
      }
    }
    return value(operand, environment, at: range)?.expression
  }

  private func literalTime(_ text: Text, beside other: ValueType, _ op: ArithmeticOperator) -> ValueType {
    // A year with its dash begins each time, and times do not add up.
    let looksLikeTime = text.bytes.first.map { $0 &- 0x30 < 10 } ?? false && text.bytes.dropFirst(4).first == 0x2D
    guard looksLikeTime, op == .subtract || other == .scalar(.duration) else { return .scalar(.duration) }
    return text.count <= 10 && other != .scalar(.dateTime) ? .scalar(.date) : .scalar(.dateTime)
  }

  static func widest(_ left: ValueType, _ right: ValueType) -> ValueType {
    if left == .null { return right }
    if right == .null || left == right { return left }
    if left == .int { return right }
    if right == .int { return left }
    return .scalar(.float)
  }
}
