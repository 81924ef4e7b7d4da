/// The scalars of the language.
package enum ScalarType: String, Sendable, Hashable, CaseIterable {
  case int = "Int"
  case float = "Float"
  case decimal = "Decimal"
  case string = "String"
  case boolean = "Boolean"
  case id = "ID"
  case dateTime = "DateTime"
  case date = "Date"
  case duration = "Duration"
  case uuid = "UUID"
  case bytes = "Bytes"
  case json = "JSON"
  case cursor = "Cursor"

  /// Int, Float and Decimal, which compare by exact value.
  package var isNumeric: Bool { self == .int || self == .float || self == .decimal }
  /// Text that the text operators take: String, ID, UUID.
  package var isTextual: Bool { self == .string || self == .id || self == .uuid || self == .cursor }
}

/// The type of an expression or a property, nullability aside.
package indirect enum ValueType: Hashable, Sendable {
  case scalar(ScalarType)
  case enumeration(EnumTypeID)
  case list(ValueType)
  case embedded(EmbeddedTypeID)
  case entity(EntityTypeID)
  /// The type of a bare `null`.
  case null

  package static let int = ValueType.scalar(.int)
  package static let float = ValueType.scalar(.float)
  package static let decimal = ValueType.scalar(.decimal)
  package static let string = ValueType.scalar(.string)
  package static let boolean = ValueType.scalar(.boolean)
  package static let id = ValueType.scalar(.id)
  package static let json = ValueType.scalar(.json)

  package var scalar: ScalarType? {
    if case .scalar(let scalar) = self { scalar } else { nil }
  }

  package var isNumeric: Bool { scalar?.isNumeric ?? false }

  /// The type of the values in a list, however deep its lists are nested; the type itself if it is none.
  package var innermost: ValueType {
    var type = self
    while case .list(let element) = type { type = element }
    return type
  }

  /// Returns the type with `String` in place of `ID`, whose cells have the same form.
  package var withTextIDs: ValueType {
    switch self {
    case .scalar(.id): .string
    case .list(let element): .list(element.withTextIDs)
    default: self
    }
  }
}

/// A property's or parameter's type as written: `[String!]!`.
package struct TypeSignature: Hashable, Sendable {
  package var type: ValueType
  package var isNonNull: Bool
  /// For lists: whether the elements are non-null.
  package var isElementNonNull: Bool
  /// For lists of lists: the same of the elements of the elements, and so on inwards.
  package var innerNonNull: [Bool] = []

  package init(_ type: ValueType, isNonNull: Bool = false, isElementNonNull: Bool = false) {
    self.type = type
    self.isNonNull = isNonNull
    self.isElementNonNull = isElementNonNull
  }
}
