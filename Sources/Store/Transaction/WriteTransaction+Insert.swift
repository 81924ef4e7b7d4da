import GQLCatalog

extension WriteTransaction {
  /// Adds an entity: one cell and one validity per column of the type, in order; relation columns, folded columns and
  /// those of `_createdAt` and `_updatedAt` (which get `now`) are ignored. A deleted entity with its primary key is
  /// purged. Texts and lists are copied. A list's cell is the address of its cells (8 bytes each in a `.wordList`,
  /// 16 in a `.wideList`; one validity byte each behind all of them) and their count in `high`.
  package func insert(
    _ type: EntityTypeID, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>
  ) throws(StoreProblem) -> UInt32 {
    try insert(type, cells: cells, valid: valid, connects: true)
  }

  /// The same; links that wait for it go on waiting, unless it `connects`.
  @inline(__always)
  func insert(
    _ type: EntityTypeID, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>, connects: Bool
  ) throws(StoreProblem) -> UInt32 {
    let table = ownedTable(type)
    let layout = table.layout
    guard table.slots < PageLayout.maximumRows else { throw .tooManyRows(type) }
    for mirror in layout.mirrors where self.table(mirror.target).slots >= PageLayout.maximumRows {
      throw .tooManyRows(mirror.target)
    }
    table.ownColumns()
    let count = layout.columns.count
    for column in 0..<count {
      self.valid[column] = valid[column] && !layout.isFilled[column]
      self.cells[column] = cells[column]
    }
    for column in 0..<count where layout.isFolded[column] {
      try foldCell(table, into: column, from: layout.columns[column].foldedFrom.map { Int($0.index) } ?? column)
    }
    let row = UInt32(truncatingIfNeeded: table.slots)
    if bulk != nil { settleKeys(type) }
    let indexCount = bulk == nil ? layout.indexes.count : min(1, layout.indexes.count)
    for number in 0..<indexCount where layout.indexes[number].isUnique {
      try checkUnique(table, number, except: PageLayout.noRow)
    }

    if let graveyard = table.graveyard, graveyard.count > 0 { try purgeNamesake(table, graveyard) }
    for column in 0..<count {
      if column == layout.created || column == layout.updated {
        // Within a bulk all rows get the same time at its end.
        if bulk == nil { appendTime(table.columns[column]) }
        continue
      }
      let isValid = self.valid[column]
      table.columns[column].append(isValid ? self.cells[column] : nil, ownsPayload: layout.isFolded[column])
      if isValid { writtenBytes &+= table.columns[column].payloadBytes(self.cells[column]) }
    }
    if table.liveness != nil { table.ownedLiveness().append(Cell(low: RowStatus.live)) }
    table.slots += 1
    table.live += 1
    for number in 0..<indexCount {
      table.ownIndex(number)
      table.addEntry(number, row, key: key)
    }
    if !layout.mirrors.isEmpty { insertMirrors(table, row) }
    if connects, !dangling.isEmpty { try connectDangling(table, row, isNew: true) }
    return row
  }

  private func appendTime(_ column: ColumnStore) {
    column.append(Cell(now))
    if column.count & PageLayout.rowMask == 0 { column.shareTail() }
  }

  /// Writes `now` into the row's `_updatedAt`.
  func stampUpdate(_ table: Table, _ row: UInt32) {
    // Rows that a bulk adds have no cell yet, and get `now` at its end.
    guard let number = table.layout.updated, Int(row) < table.columns[number].count,
      table.columns[number].cell(row) != Cell(now)
    else { return }
    table.ownedColumn(number).write(row, Cell(now))
  }

  /// Gives the rows that a bulk added their times.
  func stampBulk(_ table: Table) {
    for number in [table.layout.created, table.layout.updated] {
      guard let number, table.columns[number].count < table.slots else { continue }
      let column = table.ownedColumn(number)
      column.appendRepeated(Cell(now), count: table.slots - column.count)
    }
  }

  /// Purges the deleted entity that has the primary key of the scratch cells.
  private func purgeNamesake(_ table: Table, _ graveyard: Graveyard) throws(StoreProblem) {
    guard let keys = table.layout.indexes.first?.keys else { return }
    for component in 0..<keys.count {
      let column = keys.components[component].column
      guard valid[column] else { return }
      key[component] = cells[column]
    }
    let row = graveyard.find(key, columns: table.readers)
    if row != PageLayout.noRow { try purgeDeleted(table, row) }
  }

  /// Puts the folded text of scratch column `source` into scratch column `target`.
  func foldCell(_ table: Table, into target: Int, from source: Int) throws(StoreProblem) {
    valid[target] = valid[source]
    guard valid[source] else { return }
    let column = table.ownedColumn(target)
    cells[target] = try foldedCell(table, target, cells[source], column)
  }

  /// The folded form of a text, with its bytes in the column's arena.
  func foldedCell(
    _ table: Table, _ target: Int, _ cell: Cell, _ column: ColumnStore
  ) throws(StoreProblem) -> Cell {
    folded.removeAll(keepingCapacity: true)
    TextView(cell).withBytes { start, count in fold(UnsafeRawBufferPointer(start: start, count: count), &folded) }
    guard folded.count <= TextView.maximumLength else {
      throw .textTooLong(table.layout.id, table.layout.columns[target].id)
    }
    return folded.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count > 0 else { return Cell(low: 0) }
      if bytes.count <= TextView.inlineCapacity { return TextView(start, count: bytes.count).cell }
      // Not counted as live before the cell is written.
      let address = column.arena.allocate(bytes.count)
      address.copyMemory(from: start, byteCount: bytes.count)
      return TextView(address, count: bytes.count).cell
    }
  }

  /// Refuses the scratch cells if a unique index has their key for another row than `row`.
  func checkUnique(_ table: Table, _ number: Int, except row: UInt32) throws(StoreProblem) {
    let keys = table.layout.indexes[number].keys
    for component in 0..<keys.count {
      let column = keys.components[component].column
      guard valid[column] else { return }
      key[component] = cells[column]
    }
    let existing = table.find(number, key: key)
    if existing != PageLayout.noRow && existing != row {
      throw .uniqueViolation(index: table.layout.indexes[number].id, existing: existing, row: nil)
    }
  }

  /// Replaces a cell, and stamps the row's `_updatedAt`; nil makes it null. Not for relation columns.
  package func update(
    _ type: EntityTypeID, _ row: UInt32, _ column: ColumnID, _ cell: Cell?
  ) throws(StoreProblem) {
    let table = ownedTable(type)
    let layout = table.layout
    let number = Int(column.index)
    precondition(table.isLive(row) && !layout.isFilled[number] && !layout.isFolded[number])
    let foldedColumns = layout.foldedColumns[number]
    var affected = layout.indexesOfColumn[number]
    for folded in foldedColumns {
      for index in layout.indexesOfColumn[folded] where !affected.contains(index) { affected.append(index) }
    }
    if bulk != nil {
      settleKeys(type)
      bulk?.rebuild.insert(Int(type.index))
      affected.removeAll { $0 != 0 }
    }
    if !affected.isEmpty {
      for other in layout.columns.indices where !layout.isFilled[other] {
        valid[other] = !table.columns[other].isNull(row)
        cells[other] = table.columns[other].cell(row)
      }
    }
    valid[number] = cell != nil
    cells[number] = cell ?? Cell(low: 0)
    for folded in foldedColumns { try foldCell(table, into: folded, from: number) }
    affected.removeAll { !changesKey(table, $0, row) }
    for index in affected where layout.indexes[index].isUnique { try checkUnique(table, index, except: row) }
    // Who takes the primary key of a deleted entity takes its place.
    if affected.contains(0), let graveyard = table.graveyard, graveyard.count > 0 {
      try purgeNamesake(table, graveyard)
    }

    for index in affected {
      table.ownIndex(index)
      table.removeEntry(index, row, key: key)
    }
    write(table, number, row)
    for folded in foldedColumns { write(table, folded, row, ownsPayload: true) }
    for index in affected { table.addEntry(index, row, key: key) }
    stampUpdate(table, row)
  }

  /// Writes the scratch cell of a column.
  private func write(_ table: Table, _ number: Int, _ row: UInt32, ownsPayload: Bool = false) {
    let column = table.ownedColumn(number)
    guard valid[number] else { return column.write(row, nil) }
    column.write(row, cells[number], ownsPayload: ownsPayload)
    writtenBytes &+= column.payloadBytes(cells[number])
  }

  /// Whether the scratch cells have another key than the row's.
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
}
