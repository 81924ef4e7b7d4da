import GQLCatalog

/// What programs with entities of their own need beside single cells.
extension WriteTransaction {
  /// One reader a column. Valid until the next call that changes the transaction.
  package func readers(_ type: EntityTypeID) -> UnsafePointer<ColumnReader> { UnsafePointer(table(type).readers) }

  /// Replaces all cells of a row that are the caller's, as ``insert(_:cells:valid:)`` takes them, and stamps its
  /// `_updatedAt`. Columns that `owned` says no of keep what they hold. Precondition: the row is live; not within a bulk.
  package func replace(
    _ type: EntityTypeID, _ row: UInt32, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>,
    owned: [Bool]? = nil
  ) throws(StoreProblem) {
    precondition(bulk == nil && table(type).isLive(row), "only live rows can be replaced")
    let table = ownedTable(type)
    let layout = table.layout
    let count = layout.columns.count
    var changed: [Int] = []
    for column in 0..<count where !layout.isFilled[column] && !layout.isFolded[column] {
      if let owned, !owned[column] {
        self.valid[column] = !table.columns[column].isNull(row)
        self.cells[column] = table.columns[column].cell(row)
        continue
      }
      self.valid[column] = valid[column]
      self.cells[column] = cells[column]
      if !holds(table, column, row) { changed.append(column) }
    }
    if changed.isEmpty { return stampUpdate(table, row) }
    for column in 0..<count where layout.isFolded[column] {
      try foldCell(table, into: column, from: layout.columns[column].foldedFrom.map { Int($0.index) } ?? column)
      if !holds(table, column, row) { changed.append(column) }
    }
    let affected = layout.indexes.indices.filter { number in
      let keys = layout.indexes[number].keys
      return (0..<keys.count).contains { changed.contains(keys.components[$0].column) }
    }
    for index in affected where layout.indexes[index].isUnique { try checkUnique(table, index, except: row) }
    for index in affected {
      table.ownIndex(index)
      table.removeEntry(index, row, key: key)
    }
    for column in changed {
      table.ownedColumn(column).write(
        row, self.valid[column] ? self.cells[column] : nil, ownsPayload: layout.isFolded[column])
    }
    for index in affected { table.addEntry(index, row, key: key) }
    stampUpdate(table, row)
  }

  /// Whether a scratch cell is what the column holds; lists count as different.
  private func holds(_ table: Table, _ column: Int, _ row: UInt32) -> Bool {
    let store = table.columns[column]
    let isNull = store.isNull(row)
    if isNull || !valid[column] { return isNull == !valid[column] }
    switch store.kind {
    case .text:
      let (old, new) = (TextView(store.cell(row)), TextView(cells[column]))
      return old.equals(new) && old.isNumber == new.isNumber
    case .wordList, .wideList: return false
    default: return store.cell(row) == cells[column]
    }
  }

  /// Writes `now` into the row's `_updatedAt`. Precondition: the row is live.
  package func stamp(_ type: EntityTypeID, _ row: UInt32) { stampUpdate(ownedTable(type), row) }

  /// Whether a to-many relation of the row has targets.
  package func hasReferences(_ relation: RelationID, source: UInt32) -> Bool {
    !readColumn(layout[relation]).reader.references(source).isEmpty
  }
}

extension Snapshot {
  /// One reader a column. Valid as long as the snapshot.
  package func readers(_ type: EntityTypeID) -> UnsafePointer<ColumnReader> { UnsafePointer(table(type).readers) }
}
