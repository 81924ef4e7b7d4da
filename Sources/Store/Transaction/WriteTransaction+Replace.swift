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

  /// The last of the rows, but for one, that an index has under the key of these cells, which are as
  /// ``insert(_:cells:valid:)`` takes them. In a B-tree null is a value; under a hash index it finds nothing.
  package func lastRow(
    _ index: IndexID, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>, except: UInt32
  ) -> UInt32? {
    guard let place = layout.places[Int(index.index)] else { return nil }
    let table = tables[place.type]
    let keys = table.layout.indexes[place.index].keys
    var nulls = 0
    for component in 0..<keys.count {
      let column = keys.components[component].column
      key[component] = cells[column]
      if !valid[column] { nulls += 1 }
    }
    switch table.indexes[place.index] {
    case .hash(let hash):
      if nulls > 0 { return nil }
      switch hash.reader(table.readers).rows(key) {
      case .none: return nil
      case .one(let row): return row == except ? nil : row
      case .many(let rows): return rows.last { $0 != except }
      }
    case .btree(let tree):
      var leading = 0
      while leading < keys.count, valid[keys.components[leading].column] { leading += 1 }
      var bounds = BTreeBounds(equal: UnsafePointer(key), equalCount: leading)
      if leading < keys.count { bounds.onlyNulls = true } else { bounds.includesNulls = true }
      let reader = tree.reader(table.readers)
      let found = reader.count(bounds)
      if found == 0 { return nil }
      let rows = UnsafeMutablePointer<UInt32>.allocate(capacity: found)
      defer { rows.deallocate() }
      let written = reader.walk(bounds, descending: false, skip: 0, limit: found, into: rows)
      var last: UInt32?
      // What stands behind the first null is compared here.
      for row in UnsafeBufferPointer(start: rows, count: written) where row != except {
        let isEqual = (leading..<keys.count).allSatisfy { number in
          let component = keys.components[number]
          let isNull = component.isNull(table.readers, row)
          if isNull || !valid[component.column] { return isNull == !valid[component.column] }
          return component.equals(component.cell(table.readers, row), key[number])
        }
        if isEqual, row > last ?? 0 || last == nil { last = row }
      }
      return last
    case .fullText, .trigram: return nil
    }
  }
}

extension Snapshot {
  /// One reader a column. Valid as long as the snapshot.
  package func readers(_ type: EntityTypeID) -> UnsafePointer<ColumnReader> { UnsafePointer(table(type).readers) }
}
