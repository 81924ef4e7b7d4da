import GQLBase

/// A value outside the store: a constant of a plan, a parameter, a default.
///
/// Times are counts as in the columns: microseconds for `.dateTime` and `.duration`, days for `.date`.
package indirect enum Value: Sendable, Hashable {
  case null
  case boolean(Bool)
  case int(Int64)
  case float(Double)
  case decimal(Decimal)
  case string(Text)
  /// An id's text; `isNumber` says that it prints as a number.
  case id(Text, isNumber: Bool)
  case enumeration(EnumTypeID, code: Int)
  case dateTime(Int64)
  case date(Int64)
  case duration(Int64)
  case uuid(Text)
  case bytes(Text)
  /// Compact JSON text.
  case json(Text)
  case list([Value])
  /// An embedded or input object, in the order written.
  case object([Member])

  package struct Member: Sendable, Hashable {
    package var name: Text
    package var value: Value
    package init(_ name: Text, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  package var isNull: Bool { if case .null = self { true } else { false } }

  /// Bytes of the longest text that a cell can hold.
  package static let longestText = 0x3FFF_FFFF

  /// How many values stand in the lists in it.
  package var elementCount: Int {
    switch self {
    case .list(let elements): elements.reduce(elements.count) { $0 + $1.elementCount }
    case .object(let members): members.reduce(0) { $0 + $1.value.elementCount }
    default: 0
    }
  }
}
