import GQLCatalog

/// How one component of a key is read, hashed and compared.
@frozen @usableFromInline package enum KeyKind: UInt8, Sendable {
  case int64, float64, byte, code, decimal, text
  /// Text in which decimal integers order by value, before all others.
  case id
}

/// One column of a key.
@frozen @usableFromInline package struct KeyComponent: Sendable {
  @usableFromInline package let column: Int
  @usableFromInline package let kind: KeyKind

  init(column: Int, kind: KeyKind) {
    self.column = column
    self.kind = kind
  }

  /// Nil for kinds of columns that cannot be keys.
  init?(_ descriptor: ColumnDescriptor) { self.init(descriptor, descriptor.kind, descriptor.type) }

  /// Makes the component of an index: of what the index holds of a cell.
  init?(_ descriptor: ColumnDescriptor, of kind: IndexDescriptor.Kind) {
    guard let part = kind.facts.content.part(of: descriptor.type) else { return nil }
    self.init(descriptor, ColumnKind(part), part)
  }

  private init?(_ descriptor: ColumnDescriptor, _ cells: ColumnKind, _ type: ValueType) {
    column = Int(descriptor.id.index)
    switch cells {
    case .int64: kind = .int64
    case .float64: kind = .float64
    case .byte: kind = .byte
    case .code: kind = .code
    case .decimal: kind = .decimal
    case .text: kind = type == .id && descriptor.foldedFrom == nil ? .id : .text
    case .wordList, .wideList, .reference, .references: return nil
    }
  }

  @inlinable package func cell(_ columns: UnsafePointer<ColumnReader>, _ row: UInt32) -> Cell {
    let reader = columns[column]
    switch kind {
    case .int64, .float64: return Cell(reader.int64(row))
    case .byte: return Cell(low: UInt64(reader.byte(row)))
    case .code: return Cell(low: UInt64(reader.code(row)))
    case .decimal, .text, .id: return reader.wide(row)
    }
  }

  @inlinable package func isNull(_ columns: UnsafePointer<ColumnReader>, _ row: UInt32) -> Bool {
    columns[column].isNull(row)
  }

  /// Whether two non-null cells are one key.
  @inlinable package func equals(_ left: Cell, _ right: Cell) -> Bool {
    switch kind {
    case .int64, .byte, .code: return left.low == right.low
    case .float64: return KeyOrder.image(left.double) == KeyOrder.image(right.double)
    case .decimal: return left == right || PackedDecimal(left).compare(PackedDecimal(right)) == 0
    case .text, .id: return TextView(left).equals(TextView(right))
    }
  }

  @inlinable package func hash(_ cell: Cell, _ seed: UInt64) -> UInt64 {
    switch kind {
    case .int64, .byte, .code: return KeyHash.word(cell.low, seed)
    case .float64: return KeyHash.word(KeyOrder.image(cell.double), seed)
    case .decimal: return PackedDecimal(cell).hash(seed)
    case .text, .id: return KeyHash.text(TextView(cell), seed)
    }
  }
}

/// The components of one index, at a fixed address for readers; shared by all versions.
final class KeyLayout: @unchecked Sendable {
  let components: UnsafeMutablePointer<KeyComponent>
  let count: Int

  init(_ list: [KeyComponent]) {
    count = list.count
    components = .allocate(capacity: max(1, count))
    for (index, component) in list.enumerated() { (components + index).initialize(to: component) }
  }

  deinit { components.deallocate() }

  /// The numbers of the columns, in the order of the components.
  var columns: [Int] { (0..<count).map { components[$0].column } }

  /// Copies the row's key; false if a component is null.
  func load(_ columns: UnsafePointer<ColumnReader>, _ row: UInt32, into key: UnsafeMutablePointer<Cell>) -> Bool {
    for index in 0..<count {
      if components[index].isNull(columns, row) { return false }
      key[index] = components[index].cell(columns, row)
    }
    return true
  }
}
