extension Datum {
  /// `==`: null is a value.
  static func isSame(_ left: Datum, _ right: Datum, folded: Bool = false) throws -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.null, _), (_, .null): return false
    case (.list(let left), .list(let right)):
      guard left.count == right.count else { return false }
      return try zip(left, right).allSatisfy { try isSame($0, $1, folded: folded) }
    case (.object(let left), .object(let right)):
      guard left.count == right.count else { return false }
      return try left.allSatisfy { member in
        guard let other = right.first(where: { $0.name == member.name }) else { return false }
        return try isSame(member.value, other.value, folded: folded)
      }
    case (.entity(let type, let row), .entity(let otherType, let otherRow)): return type == otherType && row == otherRow
    default: return try compare(left, right, folded: folded) == 0
    }
  }

  /// Negative, zero or positive; nil with a null, or for values of different types.
  static func compare(_ left: Datum, _ right: Datum, folded: Bool = false) throws -> Int? {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
    case (.symbol(let left, _), .symbol(let right, _)): return left - right
    case (.date(let left), .date(let right)), (.time(let left), .time(let right)),
      (.duration(let left), .duration(let right)), (.int(let left), .int(let right)):
      return left < right ? -1 : left > right ? 1 : 0
    case (.text(let left), .text(let right)):
      return folded ? bytes(fold(left), fold(right)) : bytes(left, right)
    case (.id(let left, _), .id(let right, _)): return ids(left, right)
    case (.float(let left), .float(let right)): return left < right ? -1 : left > right ? 1 : 0
    case (.entity, _), (_, .entity): throw ReferenceFailure.malformed
    default:
      guard left.isNumber, right.isNumber else { return nil }
      return ExactDecimal.compare(try left.exact(), try right.exact())
    }
  }

  /// The order of `orderBy` among values that are not null, of JSON too: bool, number, text, list, object.
  static func order(_ left: Datum, _ right: Datum, folded: Bool) throws -> Int {
    if let order = try compare(left, right, folded: folded) { return order }
    if case .list(let left) = left, case .list(let right) = right {
      for (left, right) in zip(left, right) {
        let order = try Self.order(left, right, folded: folded)
        if order != 0 { return order }
      }
      return left.count - right.count
    }
    if case .object = left, case .object = right { throw ReferenceFailure.beyondModel }
    return left.rank - right.rank
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .float, .decimal: 2
    case .list: 4
    case .object: 5
    default: 3
    }
  }

  var isNumber: Bool {
    switch self {
    case .int, .float, .decimal: true
    default: false
    }
  }

  func exact() throws -> ExactDecimal {
    switch self {
    case .int(let number): return ExactDecimal(Int128(number))
    case .decimal(let number): return number
    case .float(let number):
      guard let exact = ExactDecimal(exactly: number) else { throw ReferenceFailure.beyondModel }
      return exact
    default: throw ReferenceFailure.malformed
    }
  }

  func double() throws -> Double {
    switch self {
    case .int(let number): return Double(number)
    case .float(let number): return number
    case .decimal(let number): return number.double
    default: throw ReferenceFailure.malformed
    }
  }

  static func bytes(_ left: String, _ right: String) -> Int {
    if left.utf8.elementsEqual(right.utf8) { return 0 }
    return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
  }

  /// Decimal integers by value and before all others, those by bytes.
  private static func ids(_ left: String, _ right: String) -> Int {
    switch (Int(left), Int(right)) {
    case (let left?, let right?): left < right ? -1 : left > right ? 1 : 0
    case (_?, nil): -1
    case (nil, _?): 1
    case (nil, nil): bytes(left, right)
    }
  }
}

/// Why the reference evaluator has no answer.
enum ReferenceFailure: Error, Equatable {
  /// What the query asks for is an error at run time, with this code.
  case runtime(String)
  /// The numbers are such that the plain arithmetic here is not exact.
  case beyondModel
  /// The tree is no query: shrinking made it.
  case malformed
}
