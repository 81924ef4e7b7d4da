import GQLBase
import GQLCatalog
import GQLQuery

/// What an expression means, one entity at a time, written from the language's rules without regard for speed.
enum ExpressionReference {
  enum Outcome: Equatable {
    case value(Value)
    case failure
  }

  typealias Row = [ExpressionHarness.Column: Value]

  struct Failure: Error {}

  static func outcome(_ expression: BoundExpression, _ row: Row, next: Row?) -> Outcome {
    do { return .value(try value(expression, row, next)) } catch { return .failure }
  }

  static func value(_ expression: BoundExpression, _ row: Row, _ next: Row?) throws -> Value {
    func value(_ inner: BoundExpression) throws -> Value { try ExpressionReference.value(inner, row, next) }
    switch expression.kind {
    case .constant(let constant): return constant
    case .column(let reference, let column):
      guard let column = ExpressionHarness.Column(rawValue: Int(column.index)) else { return .null }
      if case .toOne = reference { return next?[column] ?? .null }
      return row[column] ?? .null
    case .not(let operand):
      guard case .boolean(let truth) = try value(operand) else { return .null }
      return .boolean(!truth)
    case .and(let operands):
      var isUnknown = false
      for operand in operands {
        switch try value(operand) {
        case .boolean(false): return .boolean(false)
        case .boolean: continue
        default: isUnknown = true
        }
      }
      return isUnknown ? .null : .boolean(true)
    case .or(let operands):
      var isUnknown = false
      for operand in operands {
        switch try value(operand) {
        case .boolean(true): return .boolean(true)
        case .boolean: continue
        default: isUnknown = true
        }
      }
      return isUnknown ? .null : .boolean(false)
    case .isTrue(let operand): return .boolean(try value(operand) == .boolean(true))
    case .isNull(let operand): return .boolean(try value(operand) == .null)
    case .compare(let comparison, let left, let right):
      return compare(comparison, try value(left), try value(right))
    case .inValues(let operand, let elements):
      let needle = try value(operand)
      var found = false
      for element in elements where isSame(needle, try value(element)) { found = true }
      return .boolean(found)
    case .inRange(let operand, let lower, let upper, let includesUpper):
      let x = try value(operand)
      let low = try lower.map { try value($0) }
      let high = try upper.map { try value($0) }
      if x == .null || low == .some(.null) || high == .some(.null) { return .null }
      if let low, order(x, low) < 0 { return .boolean(false) }
      if let high { return .boolean(includesUpper ? order(x, high) <= 0 : order(x, high) < 0) }
      return .boolean(true)
    case .textTest(let test, let left, let right):
      guard case .string(let text) = try value(left), case .string(let part) = try value(right) else { return .null }
      let bytes = Array(text.bytes)
      let needle = Array(part.bytes)
      switch test {
      case .startsWith: return .boolean(bytes.starts(with: needle))
      case .endsWith: return .boolean(bytes.reversed().starts(with: needle.reversed()))
      case .contains:
        for start in 0...bytes.count where bytes[start...].starts(with: needle) { return .boolean(true) }
        return .boolean(false)
      }
    case .arithmetic(let operation, let left, let right):
      return try arithmetic(operation, try value(left), try value(right), expression.type)
    case .negate(let operand):
      switch try value(operand) {
      case .int(let number):
        if number == .min { throw Failure() }
        return .int(-number)
      case .float(let number): return .float(0 - number)
      default: return .null
      }
    case .coalesce(let operands):
      for operand in operands {
        let result = try value(operand)
        if result != .null { return result }
      }
      return .null
    case .conditional(let operands):
      var index = 0
      while index + 1 < operands.count {
        if try value(operands[index]) == .boolean(true) { return try value(operands[index + 1]) }
        index += 2
      }
      return index < operands.count ? try value(operands[index]) : .null
    case .call(.length, let arguments):
      guard case .string(let text) = try value(arguments[0]) else { return .null }
      return .int(Int64(text.string.unicodeScalars.count))
    case .call(.try, let arguments):
      do { return try value(arguments[0]) } catch { return .null }
    case .call(let function, let arguments): return try call(function, try arguments.map { try value($0) })
    default: return .null
    }
  }

  private static func arithmetic(
    _ operation: ArithmeticOperator, _ left: Value, _ right: Value, _ type: ValueType
  ) throws -> Value {
    if left == .null || right == .null { return .null }
    if case .dateTime(let a) = left, case .duration(let b) = right {
      return .dateTime(operation == .add ? a + b : a - b)
    }
    if case .dateTime(let a) = left, case .dateTime(let b) = right { return .duration(a - b) }
    if case .int(let a) = left, case .int(let b) = right, type == .int {
      let result: (partialValue: Int64, overflow: Bool)
      switch operation {
      case .add: result = a.addingReportingOverflow(b)
      case .subtract: result = a.subtractingReportingOverflow(b)
      case .multiply: result = a.multipliedReportingOverflow(by: b)
      case .divide, .remainder:
        if b == 0 { throw Failure() }
        result = b == -1 ? (0, false) : (a % b, false)
      }
      if result.overflow { throw Failure() }
      return .int(result.partialValue)
    }
    if case .string(let a) = left, case .string(let b) = right { return .string(Text(a.bytes + b.bytes)) }
    let a = double(left)
    let b = double(right)
    let result: Double
    switch operation {
    case .add: result = a + b
    case .subtract: result = a - b
    case .multiply: result = a * b
    case .divide:
      if b == 0 { throw Failure() }
      result = a / b
    case .remainder:
      if b == 0 { throw Failure() }
      result = a.truncatingRemainder(dividingBy: b)
    }
    if !result.isFinite { throw Failure() }
    return .float(result)
  }

  private static func double(_ value: Value) -> Double {
    switch value {
    case .int(let number): Double(number)
    case .float(let number): number
    default: 0
    }
  }

  private static func isSame(_ left: Value, _ right: Value) -> Bool {
    if left == .null || right == .null { return left == right }
    return order(left, right) == 0
  }

  private static func compare(_ comparison: ComparisonOperator, _ left: Value, _ right: Value) -> Value {
    switch comparison {
    case .equal: return .boolean(isSame(left, right))
    case .notEqual: return .boolean(!isSame(left, right))
    default: break
    }
    if left == .null || right == .null { return .null }
    let order = order(left, right)
    switch comparison {
    case .less: return .boolean(order < 0)
    case .lessOrEqual: return .boolean(order <= 0)
    case .greater: return .boolean(order > 0)
    default: return .boolean(order >= 0)
    }
  }

  /// Of two non-null values of one type, or two numbers.
  static func order(_ left: Value, _ right: Value) -> Int {
    func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }
    switch (left, right) {
    case (.int(let a), .int(let b)), (.dateTime(let a), .dateTime(let b)): return sign(a, b)
    case (.float(let a), .float(let b)): return sign(a, b)
    case (.boolean(let a), .boolean(let b)): return sign(a ? 1 : 0, b ? 1 : 0)
    case (.enumeration(_, let a), .enumeration(_, let b)): return sign(a, b)
    case (.string(let a), .string(let b)):
      if a.bytes.elementsEqual(b.bytes) { return 0 }
      return a.bytes.lexicographicallyPrecedes(b.bytes) ? -1 : 1
    case (.float(let a), .int(let b)): return -orderMixed(b, a)
    case (.int(let a), .float(let b)): return orderMixed(a, b)
    default:
      guard let a = exact(left), let b = exact(right) else { return 0 }
      return sign(a, b)
    }
  }

  /// The doubles here are quarters below 2⁶⁴, so that the integer part decides, then the fraction.
  private static func orderMixed(_ a: Int64, _ b: Double) -> Int {
    let floor = b.rounded(.down)
    guard floor < 0x1p63 else { return -1 }
    guard floor >= -0x1p63 else { return 1 }
    let whole = Int64(floor)
    if a != whole { return a < whole ? -1 : 1 }
    return b > floor ? -1 : 0
  }

  private static func exact(_ value: Value) -> Decimal? {
    switch value {
    case .int(let number): Decimal(number)
    case .float(let number): Decimal(exactly: number)
    case .decimal(let number): number
    default: nil
    }
  }
}
