import GQLBase
import GQLCatalog
import GQLQuery

extension Binder {
  /// The value of an expression over constants, for `($n: Int = (20 + 5))`; nil where it is none or fails.
  func constantValue(_ expression: BoundExpression) -> Value? {
    switch expression.kind {
    case .constant(let value): return value
    case .not(let operand):
      guard let value = constantValue(operand) else { return nil }
      if case .boolean(let truth) = value { return .boolean(!truth) }
      return value.isNull ? .null : nil
    case .negate(let operand):
      switch constantValue(operand) {
      case .int(let value)?: return value == .min ? nil : .int(-value)
      case .float(let value)?: return .float(-value)
      case .decimal(let value)?: return .decimal(value.negated)
      default: return nil
      }
    case .convert(let operand):
      guard let value = constantValue(operand) else { return nil }
      return try? ValueCoercion(catalog: catalog, origin: .variable).coerce(RawValue(value), to: expression.type).get()
    case .arithmetic(let operation, let left, let right):
      guard let a = constantValue(left), let b = constantValue(right) else { return nil }
      return Self.arithmetic(operation, a, b)
    default: return nil
    }
  }

  private static func arithmetic(_ operation: ArithmeticOperator, _ left: Value, _ right: Value) -> Value? {
    switch (left, right) {
    case (.int(let a), .int(let b)):
      let result: (partialValue: Int64, overflow: Bool)
      switch operation {
      case .add: result = a.addingReportingOverflow(b)
      case .subtract: result = a.subtractingReportingOverflow(b)
      case .multiply: result = a.multipliedReportingOverflow(by: b)
      case .divide: return b == 0 ? nil : .float(Double(a) / Double(b))
      case .remainder: result = a.remainderReportingOverflow(dividingBy: b)
      }
      return result.overflow ? nil : .int(result.partialValue)
    case (.float(let a), .float(let b)):
      let result: Double
      switch operation {
      case .add: result = a + b
      case .subtract: result = a - b
      case .multiply: result = a * b
      case .divide: result = a / b
      case .remainder: result = a.truncatingRemainder(dividingBy: b)
      }
      return result.isFinite ? .float(result) : nil
    case (.decimal(let a), .decimal(let b)):
      let result: Decimal?
      switch operation {
      case .add: result = a.adding(b)
      case .subtract: result = a.subtracting(b)
      case .multiply: result = a.multiplied(by: b)
      case .divide: result = a.divided(by: b)
      case .remainder: result = a.remainder(dividingBy: b)
      }
      return result.map { .decimal($0) }
    case (.string(let a), .string(let b)):
      return operation == .add ? .string(Text(a.bytes + b.bytes)) : nil
    case (.null, _), (_, .null): return .null
    default: return nil
    }
  }
}
