import GQLCatalog

/// The read side of one column, as raw addresses: what hot loops in other modules hold.
///
/// Valid as long as the ``Snapshot`` that gave it. Rows must be below the snapshot's row count of the type.
@frozen @usableFromInline package struct ColumnReader: @unchecked Sendable {
  /// `pages[row >> PageLayout.rowShift]` is a page's base; see ``PageLayout``.
  @usableFromInline package let pages: UnsafePointer<UnsafeRawPointer?>

  @inlinable package init(pages: UnsafePointer<UnsafeRawPointer?>) { self.pages = pages }

  /// The base of the page that holds `row`.
  @inlinable package func page(of row: UInt32) -> UnsafeRawPointer {
    // Safe because rows below the row count have pages.
    pages[Int(row) >> PageLayout.rowShift].unsafelyUnwrapped
  }

  /// The address of the cell.
  @inlinable package func cell(_ row: UInt32, width: Int) -> UnsafeRawPointer {
    page(of: row) + (PageLayout.cellsOffset + (Int(row) & PageLayout.rowMask) &* width)
  }

  @inlinable package func isNull(_ row: UInt32) -> Bool {
    let base = page(of: row)
    let word = (base + PageLayout.validityOffset + (Int(row) & PageLayout.rowMask) >> 6 &* 8).load(as: UInt64.self)
    return word >> UInt64(row & 63) & 1 == 0
  }

  @inlinable package func int64(_ row: UInt32) -> Int64 { cell(row, width: 8).load(as: Int64.self) }
  /// What the cell of an `.int64` column holds beside its word; 0 for most.
  @inlinable package func finer(_ row: UInt32) -> Int64 {
    let base = page(of: row)
    if !PageLayout.isFine(base) { return 0 }
    return (base + (PageLayout.finerOffset + (Int(row) & PageLayout.rowMask) &* 8)).load(as: Int64.self)
  }
  /// The cell of an `.int64` column, with what it holds beside its word.
  @inlinable package func fineCell(_ row: UInt32) -> Cell {
    Cell(low: UInt64(bitPattern: int64(row)), high: UInt64(bitPattern: finer(row)))
  }
  @inlinable package func float64(_ row: UInt32) -> Double { cell(row, width: 8).load(as: Double.self) }
  @inlinable package func byte(_ row: UInt32) -> UInt8 { cell(row, width: 1).load(as: UInt8.self) }
  @inlinable package func code(_ row: UInt32) -> UInt16 { cell(row, width: 2).load(as: UInt16.self) }
  @inlinable package func wide(_ row: UInt32) -> Cell {
    let address = cell(row, width: 16)
    return Cell(low: address.load(as: UInt64.self), high: (address + 8).load(as: UInt64.self))
  }
  /// The bytes of a text, in place.
  func text(_ row: UInt32) -> UnsafeBufferPointer<UInt8> {
    let found = TextView.bytes(at: cell(row, width: 16))
    return UnsafeBufferPointer(start: found.start.assumingMemoryBound(to: UInt8.self), count: found.count)
  }
  /// The cell of a column of a kind with all that it holds, for who writes it somewhere else; nulls are zeros.
  package func wholeCell(_ row: UInt32, kind: ColumnKind) -> Cell {
    kind == .int64 ? fineCell(row) : cell(row, kind: kind)
  }
  /// The cell of a column of a kind in the form of ``Cell``, without what is finer; nulls are zeros.
  @inlinable @inline(__always)
  package func cell(_ row: UInt32, kind: ColumnKind) -> Cell {
    switch kind {
    case .int64, .float64, .references: Cell(int64(row))
    case .byte: Cell(low: UInt64(byte(row)))
    case .code: Cell(low: UInt64(code(row)))
    case .reference: Cell(low: UInt64(reference(row)))
    case .decimal, .text, .wordList, .wideList: wide(row)
    }
  }
  /// The target of a to-one relation, or `PageLayout.noRow`.
  @inlinable package func reference(_ row: UInt32) -> UInt32 { cell(row, width: 4).load(as: UInt32.self) }
  /// The targets of a to-many relation, in link order. Null cells (never written) are empty runs.
  @inlinable package func references(_ row: UInt32) -> UnsafeBufferPointer<UInt32> {
    RunCell.rows(cell(row, width: 8).load(as: UInt64.self))
  }
}
