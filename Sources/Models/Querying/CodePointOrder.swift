import GQLBase

/// A type of texts, or of what is made of texts. Conditions and orders that run in Swift compare its values by code
/// points, as the store does, where Swift's own operators go by canonical equivalence.
protocol CodePointOrdered {
  /// Ranks two values: negative, zero or positive.
  static func rank(_ left: Self, _ right: Self) -> Int
}

/// An order of a type's values by code points, which is chosen once for all rows.
struct CodePointOrder<Value> {
  /// Ranks two values: negative, zero or positive.
  let rank: (Value, Value) -> Int

  /// Makes the order of a type; nil for one that is not made of texts, whose own operators are right.
  static func make() -> CodePointOrder? {
    func order<Texts: CodePointOrdered>(_ type: Texts.Type) -> Any { CodePointOrder<Texts>(rank: Texts.rank) }
    return (Value.self as? any CodePointOrdered.Type).flatMap { order($0) as? CodePointOrder }
  }
}

extension String: CodePointOrdered {
  static func rank(_ left: String, _ right: String) -> Int { compareTexts(left.utf8, right.utf8) }
}

extension Substring: CodePointOrdered {
  static func rank(_ left: Substring, _ right: Substring) -> Int { compareTexts(left.utf8, right.utf8) }
}

extension Character: CodePointOrdered {
  static func rank(_ left: Character, _ right: Character) -> Int { compareTexts(left.utf8, right.utf8) }
}

extension Optional: CodePointOrdered where Wrapped: CodePointOrdered {
  static func rank(_ left: Wrapped?, _ right: Wrapped?) -> Int {
    switch (left, right) {
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    case (let first?, let second?): Wrapped.rank(first, second)
    }
  }
}

extension Array: CodePointOrdered where Element: CodePointOrdered {
  static func rank(_ left: [Element], _ right: [Element]) -> Int {
    for (first, second) in zip(left, right) {
      let order = Element.rank(first, second)
      if order != 0 { return order }
    }
    return left.count - right.count
  }
}

extension _NilFirst: CodePointOrdered where Wrapped: CodePointOrdered {
  static func rank(_ left: Self, _ right: Self) -> Int { Wrapped?.rank(left.value, right.value) }
}

extension _Descending: CodePointOrdered where Value: CodePointOrdered {
  static func rank(_ left: Self, _ right: Self) -> Int { Value.rank(right.value, left.value) }
}

/// Orders UTF-8, whose bytes are in the order of the code points.
private func compareTexts<Bytes: Collection<UInt8>>(_ left: Bytes, _ right: Bytes) -> Int {
  let order = left.withContiguousStorageIfAvailable { left in
    right.withContiguousStorageIfAvailable { compareBytes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
  }
  if case let order?? = order { return order }
  return left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
}
