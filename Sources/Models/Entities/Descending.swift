extension Comparable {
  /// The value in descending order.
  public var desc: _Descending<Self> { _Descending(self) }
}

/// Tells at run time whether a key of an order descends.
protocol DescendingKey {}
extension _Descending: DescendingKey {}

extension Optional where Wrapped: Comparable {
  /// The value in descending order, nil last.
  public var desc: _Descending<_NilFirst<Wrapped>> { _Descending(_NilFirst(self)) }
}

/// A type whose values are ordered as the nullable column is that holds them.
protocol OrderedWithNil {}
extension _NilFirst: OrderedWithNil where Wrapped: _ColumnScalar {}
extension _Descending: OrderedWithNil where Value: OrderedWithNil {}

/// A key of an order that can be nil itself.
protocol OrderedMissing {
  static var missing: Self { get }
}
extension _NilFirst: OrderedMissing {
  static var missing: Self { Self(nil) }
}
extension _Descending: OrderedMissing where Value: OrderedMissing {
  static var missing: Self { Self(.missing) }
}
