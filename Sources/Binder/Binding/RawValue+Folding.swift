import GQLBase
import GQLParser
import GQLQuery

extension RawValue {
  /// What a constant expression of a default comes to, `(60 * 60)`: literals, signs, arithmetic and joined texts.
  ///
  /// Numbers are exact; Int by Int stays Int but for `/`, as at run time. Nil where it is no constant, or where the
  /// operation is impossible: a division by zero, a result out of range.
  static func folding(_ expression: Expression) -> RawValue? {
    if let literal = RawValue(expression) { return literal }
    switch expression.kind {
    case .parenthesized(let inner): return folding(inner)
    case .unary(.plus, let inner): return folding(inner).flatMap { $0.isNumber ? $0 : nil }
    case .unary(.minus, let inner): return folding(inner).flatMap { folded(.subtract, .integer("0"), $0) }
    case .binary(let symbol, let left, let right):
      guard let first = folding(left), let second = folding(right) else { return nil }
      return folded(symbol, first, second)
    case .list(let elements):
      var values: [RawValue] = []
      for element in elements {
        guard let value = folding(element) else { return nil }
        values.append(value)
      }
      return .list(values)
    default: return nil
    }
  }

  private var isNumber: Bool {
    switch self {
    case .integer, .real: true
    default: false
    }
  }

  private static func folded(_ symbol: BinaryOperator, _ left: RawValue, _ right: RawValue) -> RawValue? {
    switch (left, right) {
    case (.text(let first), .text(let second)) where symbol == .add: .text(Text(first.string + second.string))
    case (.integer(let first), .integer(let second)) where symbol != .divide: folded(symbol, first, second)
    case (.integer(let first), .integer(let second)), (.integer(let first), .real(let second)),
      (.real(let first), .integer(let second)), (.real(let first), .real(let second)):
      folded(symbol, Decimal(parsing: first), Decimal(parsing: second))
    default: nil
    }
  }

  private static func folded(_ symbol: BinaryOperator, _ left: String, _ right: String) -> RawValue? {
    guard let left = Int64(left), let right = Int64(right) else { return nil }
    let result: (partialValue: Int64, overflow: Bool)
    switch symbol {
    case .add: result = left.addingReportingOverflow(right)
    case .subtract: result = left.subtractingReportingOverflow(right)
    case .multiply: result = left.multipliedReportingOverflow(by: right)
    case .remainder: result = right == 0 ? (0, true) : left.remainderReportingOverflow(dividingBy: right)
    default: return nil
    }
    return result.overflow ? nil : .integer(String(result.partialValue))
  }

  private static func folded(_ symbol: BinaryOperator, _ left: Decimal?, _ right: Decimal?) -> RawValue? {
    guard let left, let right else { return nil }
    let result: Decimal?
    switch symbol {
    case .add: result = left.adding(right)
    case .subtract: result = left.subtracting(right)
    case .multiply: result = left.multiplied(by: right)
    case .divide: result = right.isZero ? nil : left.divided(by: right)
    case .remainder: result = right.isZero ? nil : left.remainder(dividingBy: right)
    default: return nil
    }
    return result.map { .real($0.description) }
  }
}
