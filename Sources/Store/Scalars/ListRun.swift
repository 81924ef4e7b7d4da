import GQLCatalog

/// A list's run of cells: `count` cells of `width` bytes, then a validity byte for each.
@frozen @usableFromInline package struct ListRun {
  @usableFromInline package var start: UnsafeRawPointer
  @usableFromInline package var count: Int
  @usableFromInline package var width: Int

  package init(_ cell: Cell, _ element: ValueType) { self.init(cell, isWide: ListRun.width(element) == 16) }

  /// - Parameter isWide: Whether elements have 16 bytes rather than 8.
  package init(_ cell: Cell, isWide: Bool) {
    width = isWide ? 16 : 8
    if let start = UnsafeRawPointer(bitPattern: UInt(cell.low)) {
      self.start = start
      count = Int(cell.high & 0xFFFF_FFFF)
    } else {
      start = UnsafeRawPointer(ListRun.empty)
      count = 0
    }
  }

  /// Bytes of a cell of a list of such elements.
  package static func width(_ element: ValueType) -> Int {
    switch ColumnKind(element) {
    case .text, .decimal, .wordList, .wideList, .references: 16
    case .int64, .float64, .byte, .code, .reference: 8
    }
  }

  @inlinable package func isNull(_ index: Int) -> Bool {
    start.load(fromByteOffset: count &* width &+ index, as: UInt8.self) == 0
  }

  @inlinable package func cell(_ index: Int) -> Cell {
    let address = start + index &* width
    let low = address.loadUnaligned(as: UInt64.self)
    return Cell(low: low, high: width == 16 ? (address + 8).loadUnaligned(as: UInt64.self) : 0)
  }

  /// The bytes of a text; they are the list's, or lie where it points. Precondition: elements are texts.
  @inlinable package func textBytes(_ index: Int) -> (start: UnsafeRawPointer, count: Int) {
    TextView.bytes(at: start + index &* 16)
  }

  // Safe because nobody reads or writes it: it is the address of lists without elements, and never freed.
  nonisolated(unsafe) private static let empty = UnsafePointer(UnsafeMutablePointer<UInt64>.allocate(capacity: 1))
}
