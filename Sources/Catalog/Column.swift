/// How a column's cells lie in memory (see `Store/Page.swift` for the layout of a page).
@frozen @usableFromInline package enum ColumnKind: UInt8, Sendable, Hashable, CaseIterable {
  /// 8 bytes: Int; DateTime and Duration in microseconds; Date in days.
  case int64
  /// 8 bytes: Float.
  case float64
  /// 1 byte, 0 or 1: Boolean, and the presence of an embedded object.
  case byte
  /// 2 bytes: an enum's position in its declaration.
  case code
  /// 16 bytes: Decimal, packed.
  case decimal
  /// 16 bytes: a `TextView`; String, ID, UUID (canonical text), Bytes (raw), JSON (compact text).
  case text
  /// 16 bytes: a run of 8-byte cells, each followed (after the run) by a validity byte: lists of fixed-width scalars.
  case wordList
  /// 16 bytes: the same with 16-byte cells: lists of text and Decimal.
  case wideList
  /// 4 bytes: the row of the target of a to-one relation.
  case reference
  /// 8 bytes: a run of 4-byte rows: a to-many relation.
  case references

  /// Indicates whether a cell is all of its value, and has no part of it elsewhere.
  package var isWhole: Bool {
    switch self {
    case .int64, .float64, .byte, .code, .decimal, .reference: true
    case .text, .wordList, .wideList, .references: false
    }
  }

  /// Bytes of one cell in a page.
  package var width: Int {
    switch self {
    case .int64, .float64, .references: 8
    case .byte: 1
    case .code: 2
    case .reference: 4
    case .decimal, .text, .wordList, .wideList: 16
    }
  }

  package init(_ type: ValueType) {
    switch type {
    case .scalar(.int), .scalar(.dateTime), .scalar(.duration), .scalar(.date): self = .int64
    case .scalar(.float): self = .float64
    case .scalar(.boolean): self = .byte
    case .scalar(.decimal): self = .decimal
    case .scalar: self = .text
    case .enumeration: self = .code
    case .list(let element):
      switch ColumnKind(element) {
      case .text, .decimal: self = .wideList
      default: self = .wordList
      }
    case .entity: self = .reference
    case .embedded, .null: self = .byte
    }
  }
}

/// One stored column of an entity type.
@usableFromInline package struct ColumnDescriptor: Sendable, Hashable {
  package var id: ColumnID
  /// The path of the property, such as `address.city`; for messages and `explain` only.
  package var name: String
  package var kind: ColumnKind
  package var type: ValueType
  package var isNonNull: Bool
  /// Set on the hidden column that holds the case-folded text of another, kept in step by the store.
  package var foldedFrom: ColumnID?

  package init(
    id: ColumnID, name: String, kind: ColumnKind, type: ValueType, isNonNull: Bool, foldedFrom: ColumnID? = nil
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.type = type
    self.isNonNull = isNonNull
    self.foldedFrom = foldedFrom
  }
}
