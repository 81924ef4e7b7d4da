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

    if let tombstones = table.tombstones, tombstones.count > 0 { try purgeNamesake(table, tombstones) }
    for column in 0..<count {
      Unmanaged.passUnretained(table.columns[column]).borrow { append(column, to: $0, layout) }
    }
    if table.liveness != nil { table.ownedLiveness().append(Cell(low: RowStatus.live)) }
    table.slots += 1
    table.live += 1
    for number in 0..<indexCount { table.addEntry(number, row, key: key) }
    if !layout.mirrors.isEmpty { insertMirrors(table, row) }
    if connects, !dangling.isEmpty { try connectDangling(table, row, isNew: true) }
    return row
  }

  /// Appends the scratch cell of a column to it.
  @inline(__always)
  private func append(_ column: Int, to store: ColumnStore, _ layout: StoreLayout.TypeLayout) {
    if column == layout.created || column == layout.updated {
      // Within a bulk all rows get the same time at its end.
      if bulk == nil { appendTime(store) }
      return
    }
    let isValid = valid[column]
    store.append(isValid ? cells[column] : nil, ownsPayload: layout.isFolded[column])
    if isValid { writtenPayload &+= store.payloadBytes(cells[column]) }
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
    let known = table.readers[number]
    table.ownedColumn(number).write(row, Cell(now))
    noteMove(table, number, from: known)
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
  func purgeNamesake(_ table: Table, _ tombstones: TombstoneTable) throws(StoreProblem) {
    guard let keys = table.layout.indexes.first?.keys else { return }
    for component in 0..<keys.count {
      let column = keys.components[component].column
      guard valid[column] else { return }
      key[component] = cells[column]
    }
    let row = tombstones.find(key, columns: table.readers)
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
}
