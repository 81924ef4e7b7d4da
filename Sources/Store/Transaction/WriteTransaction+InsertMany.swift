import GQLCatalog

/// The cells of one column of rows that are inserted together, and whether each has a value.
package struct ColumnCells {
  package let cells: UnsafePointer<Cell>
  package let valid: UnsafePointer<Bool>

  package init(cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>) {
    self.cells = cells
    self.valid = valid
  }
}

/// How far an insertion of many rows came.
package struct InsertedRows {
  /// The rows that were added, from the first one on; they follow each other.
  package var count: Int
  /// Why the row after them was not.
  package var problem: StoreProblem?
}

extension WriteTransaction {
  /// Adds entities as ``insert(_:cells:valid:)`` does, column by column, up to the first one that is refused.
  ///
  /// - Parameter columns: One for each column of the type, in order.
  package func insert(
    _ type: EntityTypeID, columns: UnsafePointer<ColumnCells>, rows: Range<Int>
  ) -> InsertedRows {
    let table = ownedTable(type)
    let layout = table.layout
    let isPlain =
      bulk != nil && layout.mirrors.isEmpty && !layout.foldsKey && dangling.isEmpty
      && (table.tombstones?.count ?? 0) == 0 && table.slots + rows.count <= PageLayout.maximumRows
      && hasShortTexts(layout, columns, rows)
    guard isPlain else { return insertEach(type, columns, rows) }
    table.ownColumns()
    let (added, existing) = addKeys(table, columns, rows)
    let result = InsertedRows(
      count: added,
      problem: existing.map { .uniqueViolation(index: layout.indexes[0].id, existing: $0, row: nil) })
    guard added > 0 else { return result }
    for number in layout.columns.indices {
      // Within a bulk all rows get their times at its end.
      if number == layout.created || number == layout.updated { continue }
      let column = table.columns[number]
      if layout.isFolded[number] {
        let source = layout.columns[number].foldedFrom.map { Int($0.index) } ?? number
        appendFolded(table, number, columns[source], rows.lowerBound, added)
      } else if layout.isFilled[number] {
        column.appendNulls(added)
      } else {
        let before = column.liveBytes
        column.append(columns[number].cells + rows.lowerBound, columns[number].valid + rows.lowerBound, count: added)
        writtenPayload &+= column.liveBytes - before
      }
    }
    if table.liveness != nil { table.ownedLiveness().appendRepeated(Cell(low: RowStatus.live), count: added) }
    table.slots += added
    table.live += added
    return result
  }

  private func insertEach(
    _ type: EntityTypeID, _ columns: UnsafePointer<ColumnCells>, _ rows: Range<Int>
  ) -> InsertedRows {
    let width = table(type).layout.columns.count
    return withUnsafeTemporaryAllocation(of: Cell.self, capacity: width) { cells in
      withUnsafeTemporaryAllocation(of: Bool.self, capacity: width) { valid in
        // Safe because types have at least one column.
        let (cells, valid) = (cells.baseAddress.unsafelyUnwrapped, valid.baseAddress.unsafelyUnwrapped)
        for row in rows {
          for column in 0..<width {
            cells[column] = columns[column].cells[row]
            valid[column] = columns[column].valid[row]
          }
          do throws(StoreProblem) {
            _ = try insert(type, cells: cells, valid: valid)
          } catch {
            return InsertedRows(count: row - rows.lowerBound, problem: error)
          }
        }
        return InsertedRows(count: rows.count, problem: nil)
      }
    }
  }

  /// Whether no text that is folded can become too long.
  func hasShortTexts(
    _ layout: StoreLayout.TypeLayout, _ columns: UnsafePointer<ColumnCells>, _ rows: Range<Int>
  ) -> Bool {
    for number in layout.columns.indices where !layout.foldedColumns[number].isEmpty {
      for row in rows where columns[number].valid[row] {
        // A fold makes a text three times as long at most.
        if TextView(columns[number].cells[row]).count > TextView.maximumLength / 4 { return false }
      }
    }
    return true
  }

  func appendFolded(_ table: Table, _ number: Int, _ source: ColumnCells, _ first: Int, _ count: Int) {
    let column = table.columns[number]
    withUnsafeTemporaryAllocation(of: Cell.self, capacity: count) { folded in
      // Safe because the capacity is not zero.
      let folded = folded.baseAddress.unsafelyUnwrapped
      for row in 0..<count {
        // Cannot be too long, see ``hasShortTexts(_:_:_:)``.
        let cell = source.valid[first + row] ? try? foldedCell(table, number, source.cells[first + row], column) : nil
        (folded + row).initialize(to: cell ?? Cell(low: 0))
      }
      let before = column.liveBytes
      column.append(folded, source.valid + first, count: count, ownsPayload: true)
      writtenPayload &+= column.liveBytes - before
    }
  }

  // MARK: - Primary keys

  /// Puts the keys of new rows into the primary index, or notes that they need not be there yet. Returns how many rows
  /// have keys of their own, and the row that has the key of the next one.
  private func addKeys(
    _ table: Table, _ columns: UnsafePointer<ColumnCells>, _ rows: Range<Int>
  ) -> (added: Int, existing: UInt32?) {
    guard let index = table.layout.indexes.first else { return (rows.count, nil) }
    let type = Int(table.layout.id.index)
    let source = columns[index.keys.components[0].column]
    if bulk?.ascending[type]?.accept(
      source.cells + rows.lowerBound, source.valid + rows.lowerBound, rows.count, index.keys.components[0].kind) == true
    {
      return (rows.count, nil)
    }
    settleKeys(table.layout.id)
    table.ownIndex(0)
    guard let hash = table.indexes[0].asHash, index.isUnique else { return (rows.count, nil) }
    return hash.insertUnique(
      UInt32(truncatingIfNeeded: table.slots), columns, rows, stored: table.readers)
  }

  /// Whether keys of the type can be found now. Precondition: within a bulk.
  package func hasSettledKeys(_ type: EntityTypeID) -> Bool { bulk?.ascending[Int(type.index)] == nil }

  /// Puts the keys that a bulk has left out into the primary index.
  package func settleKeys(_ type: EntityTypeID) {
    guard bulk?.ascending[Int(type.index)] != nil else { return }
    bulk?.ascending[Int(type.index)] = nil
    let table = ownedTable(type)
    guard table.slots > 0 else { return }
    table.ownIndex(0)
    // They are all there, and no two are alike: the type was empty before.
    if let hash = table.indexes[0].asHash {
      let twins = hash.build(IndexedRows(below: table.slots), columns: table.readers)
      precondition(twins == nil, "ascending keys are distinct")
    }
  }
}
