import GQLBase
import GQLCatalog
import GQLQuery

/// The values that conditions with constants leave to a column.
private struct AllowedValues {
  /// Nil: all.
  private var listed: [Value]?
  /// Lists of more values are not compared with one another.
  static let longestCompared = 64
  private var lower = Int64.min
  private var upper = Int64.max

  /// Leaves the values that are listed, too.
  mutating func take(_ values: [Value]) {
    listed = listed.map { $0.filter(values.contains) } ?? values
  }

  /// Leaves the numbers from one on. Null if there is none.
  mutating func take(from number: Int64?) { lower = max(lower, number ?? .max) }
  mutating func take(through number: Int64?) { upper = min(upper, number ?? .min) }

  var isEmpty: Bool {
    if lower > upper { return true }
    guard let listed else { return false }
    return listed.allSatisfy { value in value.position.map { $0 < lower || $0 > upper } ?? false }
  }
}

extension Value {
  /// A number with the order of the values, of types whose values lie next to one another.
  fileprivate var position: Int64? {
    switch self {
    case .int(let number), .dateTime(let number), .date(let number): number
    default: nil
    }
  }

  /// Indicates whether no other value is equal to it.
  fileprivate var isAlone: Bool {
    switch self {
    case .boolean, .int, .string, .enumeration, .dateTime, .date, .uuid: true
    case .null, .float, .decimal, .id, .duration, .bytes, .json, .list, .object: false
    }
  }
}

extension BoundQuery {
  /// Returns whether conditions leave no value to some column, and none of them can fail: two values, a value beyond a
  /// bound, a range that ends before it begins. Complexity: O(conditions).
  func isContradiction(_ conjuncts: [BoundExpression]) -> Bool {
    var allowed: [ColumnID: AllowedValues] = [:]
    for conjunct in conjuncts {
      switch conjunct.kind {
      case .compare(let comparison, let left, let right):
        if let column = left.elementColumn, let value = right.constant {
          allowed[column, default: AllowedValues()].take(comparison, value)
        } else if let column = right.elementColumn, let value = left.constant {
          allowed[column, default: AllowedValues()].take(comparison.swapped, value)
        }
      case .inRange(let subject, let lower, let upper, let includesUpper):
        guard let column = subject.elementColumn else { continue }
        if let lower = lower?.constant { allowed[column, default: AllowedValues()].take(.greaterOrEqual, lower) }
        if let upper = upper?.constant {
          allowed[column, default: AllowedValues()].take(includesUpper ? .lessOrEqual : .less, upper)
        }
      case .inValues(let subject, let values):
        let constants = values.compactMap(\.constant)
        guard let column = subject.elementColumn, constants.count == values.count,
          constants.count <= AllowedValues.longestCompared, constants.allSatisfy(\.isAlone)
        else { continue }
        allowed[column, default: AllowedValues()].take(constants)
      default: continue
      }
    }
    return allowed.values.contains(where: \.isEmpty) && !conjuncts.contains { canFail($0) }
  }
}

extension BoundExpression {
  /// The column of the element itself that the expression is.
  var elementColumn: ColumnID? {
    if case .column(.scope(0, _), let column) = kind { column } else { nil }
  }
}

extension AllowedValues {
  fileprivate mutating func take(_ comparison: ComparisonOperator, _ value: Value) {
    if comparison == .equal, value.isAlone { return take([value]) }
    guard let position = value.position else { return }
    switch comparison {
    case .equal, .notEqual: break
    case .greaterOrEqual: take(from: position)
    case .lessOrEqual: take(through: position)
    case .greater: take(from: position == .max ? nil : position + 1)
    case .less: take(through: position == .min ? nil : position - 1)
    }
  }
}
