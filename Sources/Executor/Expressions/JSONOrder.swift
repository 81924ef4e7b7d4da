import GQLBase
import GQLStore

/// Equality and order of JSON values: structural, numbers by exact value, members in any order.
enum JSONOrder {
  static func isEqual(_ left: Cell, _ right: Cell) -> Bool {
    CellOrder.isEqualText(left, right) || compare(left, right) == 0
  }

  /// Whether `<` means something: values of one JSON type.
  static func isOrdered(_ left: Cell, _ right: Cell) -> Bool {
    guard let a = value(left), let b = value(right) else { return false }
    return rank(a) == rank(b)
  }

  /// null < bool < number < string < list < object; lists by element; objects by their members in the order of names.
  static func compare(_ left: Cell, _ right: Cell) -> Int {
    guard let a = value(left), let b = value(right) else { return CellOrder.compareTexts(left, right) }
    return compare(a, b)
  }

  private static func value(_ cell: Cell) -> JSONValue? {
    TextView(cell).withBytes { start, count in
      let bytes = UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
      do throws(JSONScanner.Failure) {
        return try JSONValue.parse(bytes)
      } catch {
        return nil
      }
    }
  }

  private static func rank(_ value: JSONValue) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .number: 2
    case .string: 3
    case .array: 4
    case .object: 5
    }
  }

  private static func compare(_ left: JSONValue, _ right: JSONValue) -> Int {
    switch (left, right) {
    case (.bool(let a), .bool(let b)): return a == b ? 0 : a ? 1 : -1
    case (.number(let a), .number(let b)): return compareNumbers(a, b)
    case (.string(let a), .string(let b)): return Text.compare(a, b)
    case (.array(let a), .array(let b)):
      for (first, second) in zip(a, b) {
        let order = compare(first, second)
        if order != 0 { return order }
      }
      return a.count - b.count
    case (.object(let a), .object(let b)):
      let first = sorted(a)
      let second = sorted(b)
      for (mine, theirs) in zip(first, second) {
        let names = Text.compare(mine.key, theirs.key)
        if names != 0 { return names }
        let order = compare(mine.value, theirs.value)
        if order != 0 { return order }
      }
      return first.count - second.count
    default: return rank(left) - rank(right)
    }
  }

  private static func sorted(_ members: [JSONValue.Member]) -> [JSONValue.Member] {
    members.sorted { $0.key < $1.key }
  }

  /// By exact value, whatever the digits and the exponent are.
  private static func compareNumbers(_ left: Text, _ right: Text) -> Int {
    if left == right { return 0 }
    return left.bytes.withUnsafeBufferPointer { left in
      right.bytes.withUnsafeBufferPointer { right in
        if let a = Decimal(parsing: left), let b = Decimal(parsing: right) { return compareExactly(a, b) }
        // The scanner took both for numbers, so both are.
        guard let a = NumberText(left), let b = NumberText(right) else { return 0 }
        return NumberText.compare(a, b)
      }
    }
  }
}
