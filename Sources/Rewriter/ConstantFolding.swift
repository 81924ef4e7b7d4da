import GQLBase
import GQLCatalog
import GQLQuery

extension BoundQuery {
  /// The value of an operator over constants, where it cannot fail; otherwise the expression itself.
  package func folded(_ expression: BoundExpression) -> BoundExpression {
    func constant(_ value: Value) -> BoundExpression {
      BoundExpression(.constant(value), expression.type, at: expression.range)
    }
    switch expression.kind {
    case .compare(let comparison, let left, let right):
      // The right side's null first: `x == null` asks for what an index knows.
      for (subject, other) in [(left, right), (right, left)] where other.constant == .null {
        switch comparison {
        case .equal, .notEqual:
          let test = folded(BoundExpression(.isNull(subject), .boolean, at: expression.range))
          if comparison == .equal { return test }
          if case .boolean(let truth)? = test.constant { return constant(.boolean(!truth)) }
          return test.negated()
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
          if !canFail(subject) { return constant(.null) }
        }
      }
      if let whole = comparedWithWhole(comparison, left, right, at: expression.range)
        ?? comparedWithWhole(comparison.swapped, right, left, at: expression.range)
      {
        return whole
      }
      guard let a = left.constant, let b = right.constant, let sign = compareValues(a, b) else { return expression }
      switch comparison {
      case .equal: return constant(.boolean(sign == 0))
      case .notEqual: return constant(.boolean(sign != 0))
      case .less: return constant(.boolean(sign < 0))
      case .lessOrEqual: return constant(.boolean(sign <= 0))
      case .greater: return constant(.boolean(sign > 0))
      case .greaterOrEqual: return constant(.boolean(sign >= 0))
      }
    case .isNull(let operand):
      if let value = operand.constant { return constant(.boolean(value.isNull)) }
      return expression
    case .inValues(let subject, let values):
      return values.isEmpty && !canFail(subject) ? constant(.boolean(false)) : expression
    case .inRange(let subject, let lower, let upper, let includesUpper):
      guard subject.type == .int else { return expression }
      func whole(_ bound: BoundExpression?, up: Bool) -> BoundExpression? {
        guard let bound, let fraction = bound.constant.flatMap(Fraction.init),
          let value = up ? fraction.above : fraction.below
        else { return bound }
        return BoundExpression(.constant(.int(value)), .int, at: bound.range)
      }
      var copy = expression
      copy.kind = .inRange(
        subject, lower: whole(lower, up: true), upper: whole(upper, up: !includesUpper), includesUpper: includesUpper)
      return copy
    case .arithmetic(let operation, let left, let right):
      guard case .int(let a)? = left.constant, case .int(let b)? = right.constant else { return expression }
      let result: (partialValue: Int64, overflow: Bool)
      switch operation {
      case .add: result = a.addingReportingOverflow(b)
      case .subtract: result = a.subtractingReportingOverflow(b)
      case .multiply: result = a.multipliedReportingOverflow(by: b)
      case .divide, .remainder: return expression
      }
      return result.overflow ? expression : constant(.int(result.partialValue))
    default: return expression
    }
  }
}

extension BoundQuery {
  /// An Int beside a constant with a fraction, or one that no Int reaches, as the same comparison with an Int, which an
  /// index knows: `age > 3.5` is `age >= 4`. Nil if it is something else.
  private func comparedWithWhole(
    _ comparison: ComparisonOperator, _ subject: BoundExpression, _ other: BoundExpression, at range: SourceRange
  ) -> BoundExpression? {
    guard subject.type == .int, let fraction = other.constant.flatMap(Fraction.init) else { return nil }
    func compared(_ comparison: ComparisonOperator, _ value: Int64) -> BoundExpression {
      let constant = BoundExpression(.constant(.int(value)), .int, at: other.range)
      return BoundExpression(.compare(comparison, subject, constant), .boolean, at: range)
    }
    if let value = fraction.whole { return compared(comparison, value) }
    switch comparison {
    case .equal, .notEqual: return canFail(subject) ? nil : .truth(comparison == .notEqual, at: range)
    case .greater, .greaterOrEqual:
      return fraction.above.map { compared(.greaterOrEqual, $0) } ?? compared(.greater, .max)
    case .less, .lessOrEqual: return fraction.below.map { compared(.lessOrEqual, $0) } ?? compared(.less, .min)
    }
  }
}

/// A number among the Ints.
private struct Fraction {
  /// The Int that it is.
  var whole: Int64?
  /// The greatest Int that is not above it, and the least that is not below; nil where there is none.
  var below: Int64?
  var above: Int64?

  /// Nil for what is no Float and no Decimal.
  init?(_ value: Value) {
    switch value {
    case .decimal(let decimal):
      self.init(floor: decimal.floor, ceiling: decimal.ceiling, isNegative: decimal.isNegative) {
        $0.scale == 0 ? Int64(exactly: $0.significand) : nil
      }
    case .float(let double):
      self.init(
        floor: double.rounded(.down), ceiling: double.rounded(.up), isNegative: double < 0
      ) { Int64(exactly: $0) }
    default: return nil
    }
  }

  private init<Number: Equatable>(
    floor: Number?, ceiling: Number?, isNegative: Bool, _ integer: (Number) -> Int64?
  ) {
    below = floor.flatMap(integer) ?? (isNegative ? nil : .max)
    above = ceiling.flatMap(integer) ?? (isNegative ? .min : nil)
    if let floor, let ceiling, floor == ceiling { whole = integer(floor) }
  }
}

/// The order of two values of one type, where the planner knows it; never for null, JSON and lists.
package func compareValues(_ left: Value, _ right: Value) -> Int? {
  switch (left, right) {
  case (.boolean(let a), .boolean(let b)): a == b ? 0 : a ? 1 : -1
  case (.int(let a), .int(let b)), (.dateTime(let a), .dateTime(let b)), (.date(let a), .date(let b)),
    (.duration(let a), .duration(let b)):
    a < b ? -1 : a > b ? 1 : 0
  case (.float(let a), .float(let b)): a < b ? -1 : a > b ? 1 : 0
  case (.string(let a), .string(let b)): Text.compare(a, b)
  case (.enumeration(let a, let m), .enumeration(let b, let n)) where a == b: m - n
  default: nil
  }
}
