import GQLBase
import GQLCatalog

/// New values for rows that are there.
extension WriteTransaction {
  /// Replaces the cells of a row that are given, as ``insert(_:cells:valid:)`` takes them, and stamps its `_updatedAt`:
  /// all of them or none, so that a key of several columns is never compared half written.
  ///
  /// Columns that are not given keep what they hold. Precondition: the row is live.
  ///
  /// - Parameter given: By column; nil if all are. Relation columns, folded ones and those of times are passed over.
  package func replace(
    _ type: EntityTypeID, _ row: UInt32, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>,
    given: UnsafePointer<Bool>? = nil
  ) throws(StoreProblem) {
    let table = ownedTable(type)
    precondition(table.isLive(row), "only live rows can be replaced")
    let layout = table.layout
    changedColumns.clear()
    for column in 0..<layout.columns.count where !layout.isFilled[column] && !layout.isFolded[column] {
      if let given, !given[column] { continue }
      self.valid[column] = valid[column]
      self.cells[column] = cells[column]
      if !holds(table, column, row) { changedColumns.append(column) }
    }
    try write(table, row)
  }

  /// Replaces a cell, and stamps the row's `_updatedAt`; nil makes it null. Not for relation columns.
  package func update(
    _ type: EntityTypeID, _ row: UInt32, _ column: ColumnID, _ cell: Cell?
  ) throws(StoreProblem) {
    let table = ownedTable(type)
    let number = Int(column.index)
    precondition(table.isLive(row) && !table.layout.isFilled[number] && !table.layout.isFolded[number])
    valid[number] = cell != nil
    cells[number] = cell ?? Cell(low: 0)
    changedColumns.clear()
    changedColumns.append(number)
    try write(table, row)
  }

  /// Writes the scratch cells of the changed columns, and what is made of them.
  private func write(_ table: Table, _ row: UInt32) throws(StoreProblem) {
    affectedIndexes.clear()
    movesReaders = false
    if changedColumns.isEmpty { return stampUpdate(table, row) }
    let layout = table.layout
    // By places: going through a list itself would count a reference to it.
    for number in 0..<changedColumns.count {
      let column = changedColumns[number]
      for place in 0..<layout.foldedColumns[column].count {
        let folded = layout.foldedColumns[column][place]
        try foldCell(table, into: folded, from: column)
        changedColumns.append(folded)
      }
    }
    for number in 0..<changedColumns.count {
      let column = changedColumns[number]
      for place in 0..<layout.indexesOfColumn[column].count {
        let index = layout.indexesOfColumn[column][place]
        if !affectedIndexes.contains(index) { affectedIndexes.append(index) }
      }
    }
    if bulk != nil {
      settleKeys(layout.id)
      bulk?.rebuild.insert(Int(layout.id.index))
      affectedIndexes.removeAll { $0 != 0 }
    }
    if !affectedIndexes.isEmpty {
      // In the order of the schema, in which they are checked: that of a folded text comes up after its field.
      if affectedIndexes.count > 1 { affectedIndexes.sort() }
      // Of keys with several components, those that stay.
      for index in affectedIndexes { loadOthers(table, index, row) }
      affectedIndexes.removeAll { !changesKey(table, $0, row) }
      for index in affectedIndexes where layout.indexes[index].isUnique { try checkUnique(table, index, except: row) }
      // Who takes the primary key of a deleted entity takes its place.
      if affectedIndexes.contains(0), let tombstones = table.tombstones, tombstones.count > 0 {
        try purgeNamesake(table, tombstones)
      }
    }
    for place in 0..<affectedIndexes.count { table.removeEntry(affectedIndexes[place], row, key: key) }
    for number in 0..<changedColumns.count {
      let column = changedColumns[number]
      let known = table.readers[column]
      let store = table.ownedColumn(column)
      if valid[column] {
        store.write(row, cells[column], ownsPayload: layout.isFolded[column])
        writtenPayload &+= store.payloadBytes(cells[column])
      } else {
        store.write(row, nil)
      }
      noteMove(table, column, from: known)
    }
    for place in 0..<affectedIndexes.count { table.addEntry(affectedIndexes[place], row, key: key) }
    stampUpdate(table, row)
  }

  /// Notes that a column lies elsewhere than a reader knows, as after the first write since a version was taken.
  @inline(__always)
  func noteMove(_ table: Table, _ column: Int, from known: ColumnReader) {
    if table.readers[column].pages != known.pages { movesReaders = true }
  }

  /// Puts the cells of an index's columns that do not change into the scratch.
  private func loadOthers(_ table: Table, _ index: Int, _ row: UInt32) {
    let keys = table.layout.indexes[index].keys
    if keys.count == 1 { return }
    for component in 0..<keys.count {
      let column = keys.components[component].column
      if changedColumns.contains(column) { continue }
      valid[column] = !table.columns[column].isNull(row)
      cells[column] = table.columns[column].cell(row)
    }
  }

  /// Returns whether the scratch cells have another key than the row's.
  private func changesKey(_ table: Table, _ number: Int, _ row: UInt32) -> Bool {
    let keys = table.layout.indexes[number].keys
    for index in 0..<keys.count {
      let component = keys.components[index]
      let isNull = component.isNull(table.readers, row)
      if isNull == valid[component.column] { return true }
      if !isNull && !component.equals(component.cell(table.readers, row), cells[component.column]) { return true }
    }
    return false
  }

  /// Returns whether a scratch cell is what the column holds; lists count as different.
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

  // MARK: - Reading

  /// Returns a reader for each column. Valid until the next call that changes the transaction.
  package func readers(_ type: EntityTypeID) -> UnsafePointer<ColumnReader> { UnsafePointer(table(type).readers) }

  /// Returns whether a to-many relation of the row has targets.
  package func hasReferences(_ relation: RelationID, source: UInt32) -> Bool {
    !readColumn(layout[relation]).reader.references(source).isEmpty
  }
}

extension Snapshot {
  /// Returns whether a provisional version shows the row of a type that a transaction has just replaced: its cells are
  /// read where they were written, readers of columns are still right, and its entries in indexes have stayed.
  package func shows(_ type: EntityTypeID, replacedBy transaction: WriteTransaction) -> Bool {
    table(type) === transaction.table(type) && transaction.affectedIndexes.isEmpty && !transaction.movesReaders
  }

  /// Returns a reader for each column. Valid as long as the snapshot.
  package func readers(_ type: EntityTypeID) -> UnsafePointer<ColumnReader> { UnsafePointer(table(type).readers) }
}
