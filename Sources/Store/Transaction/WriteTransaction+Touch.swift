import GQLCatalog

/// Reading ahead.
extension WriteTransaction {
  /// Reads a word of whatever the deletion of a row will read, none of which waits for another: where the row's cells
  /// lie, its targets' cells, the lists behind them. Most of what deleting one row of many costs are such misses, and
  /// the deletion itself would wait for one after the other.
  func touch(_ type: EntityTypeID, _ row: UInt32) {
    let table = table(type)
    var touched = table.touch(row) | (table.tombstones?.touch(row) ?? 0)
    for relation in relations(type) where !relation.isToMany {
      let target = table.readers[Int(relation.column.index)].reference(row)
      if target != PageLayout.noRow { touched |= touch(layout[relation.inverse], target) }
    }
    // Kept, because what nobody looks at is not read.
    warmed = touched
  }

  /// Reads a word of whatever writing cells of a row will read, for the reason that ``touch(_:_:)`` has.
  package func touchCells(_ type: EntityTypeID, _ row: UInt32, _ columns: [ColumnID]) {
    let table = table(type)
    var touched: UInt64 = 0
    for column in columns { touched |= table.touch(row, Int(column.index)) }
    if let updated = table.layout.updated { touched |= table.touch(row, updated) }
    warmed = touched
  }

  /// The row's links of a relation.
  @inline(__always)
  private func touch(_ relation: Relation, _ row: UInt32) -> UInt64 {
    let table = table(relation.source)
    let number = Int(relation.column.index)
    let reader = table.readers[number]
    var touched = reader.touch(row, width: relation.isToMany ? 8 : 4)
    if relation.isToMany {
      let run = reader.references(row)
      if let start = run.baseAddress {
        // Safe because runs have a header.
        touched |= (UnsafeRawPointer(start) - 8).load(as: UInt64.self)
        touched |= UInt64(start[run.count &- 1])
      }
    }
    if !table.suspended.isEmpty, let links = table.suspended[layout.relationPlaces[Int(relation.id.index)]] {
      touched |= links.touch(row)
    }
    return touched
  }
}

extension Table {
  /// The row's cells.
  fileprivate func touch(_ row: UInt32) -> UInt64 {
    var touched: UInt64 = 0
    for column in layout.touched { touched |= readers[column.number].touch(row, width: column.width) }
    return liveness == nil ? touched : touched | readers[layout.columns.count].touch(row, width: 1)
  }

  /// A cell of the row.
  @inline(__always)
  fileprivate func touch(_ row: UInt32, _ column: Int) -> UInt64 {
    Int(row) < columns[column].count ? readers[column].touch(row, width: columns[column].width) : 0
  }
}

extension ColumnReader {
  /// Reads the three lines of a page that writing a cell changes.
  @inline(__always)
  fileprivate func touch(_ row: UInt32, width: Int) -> UInt64 {
    let base = page(of: row)
    let place = Int(row) & PageLayout.rowMask
    // Safe because the row has a page, whose header, validity and cells lie so.
    return base.load(fromByteOffset: PageLayout.stampOffset, as: UInt64.self)
      | (base + (PageLayout.validityOffset + place >> 6 &* 8)).load(as: UInt64.self)
      | UInt64((base + (PageLayout.cellsOffset + place &* width)).load(as: UInt8.self))
  }
}
