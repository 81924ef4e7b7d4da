/// A value that orders the other way round: `\.age.desc`.
public struct Descending<Value: Comparable>: Comparable {
  /// The value.
  public let value: Value
  /// Orders the value the other way round.
  public init(_ value: Value) { self.value = value }
  /// Greater values come first.
  public static func < (left: Self, right: Self) -> Bool { right.value < left.value }
  /// Tells whether the values are equal.
  public static func == (left: Self, right: Self) -> Bool { left.value == right.value }
}

extension Descending: Sendable where Value: Sendable {}
extension Descending: Hashable where Value: Hashable {}

extension Descending: NonNullColumnValue, ColumnValue where Value: ColumnScalar {
  /// The value's own column.
  public static var columnShape: ColumnShape { Value.columnShape }
  /// The value.
  public init(cell: ColumnCell) throws { self.init(try Value(cell: cell)) }
  /// The value.
  public func write(into slot: inout ColumnSlot) throws { try value.write(into: &slot) }
}

extension Comparable {
  /// The value in descending order.
  public var desc: Descending<Self> { Descending(self) }
}

/// Tells at run time whether a key of an order descends.
protocol DescendingKey {}
extension Descending: DescendingKey {}

/// An optional in the order that puts nil first: what `\.nickname.desc` turns round.
public struct NilFirst<Wrapped: Comparable>: Comparable {
  /// The optional.
  public let value: Wrapped?
  /// Takes an optional.
  public init(_ value: Wrapped?) { self.value = value }
  /// Puts nil before all values.
  public static func < (left: Self, right: Self) -> Bool {
    guard let second = right.value else { return false }
    return left.value.map { $0 < second } ?? true
  }
}

extension NilFirst: Sendable where Wrapped: Sendable {}
extension NilFirst: Hashable where Wrapped: Hashable {}

extension Optional where Wrapped: Comparable {
  /// The value in descending order, nil last.
  public var desc: Descending<NilFirst<Wrapped>> { Descending(NilFirst(self)) }
}

/// A type whose values are ordered as the nullable column is that holds them.
protocol OrderedWithNil {}
extension NilFirst: OrderedWithNil where Wrapped: ColumnScalar {}
extension Descending: OrderedWithNil where Value: OrderedWithNil {}
