import GQLBase
import GQLCatalog

extension BoundQuery {
  /// The value of an operator over constants, where it cannot fail; otherwise the expression itself.
  func folded(_ expression: BoundExpression) -> BoundExpression {
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

/// The order of two values of one type, where the planner knows it; never for null, JSON and lists.
func compareValues(_ left: Value, _ right: Value) -> Int? {
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
