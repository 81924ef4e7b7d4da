import GQLCatalog

extension WriteTransaction {
  /// The row that a unique index has under the key of these cells, which are as ``insert(_:cells:valid:)`` takes them;
  /// nil if there is none, or if a component of the key is null. Not between begin- and endBulk.
  package func findRow(
    _ index: IndexID, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>
  ) throws(StoreProblem) -> UInt32? {
    guard let place = layout.places[Int(index.index)] else { return nil }
    let table = tables[place.type]
    let keys = table.layout.indexes[place.index].keys
    return try withKey(keys, of: table, cells, valid) { () -> UInt32? in
      for component in 0..<keys.count where !self.valid[keys.components[component].column] { return nil }
      let row = table.find(place.index, key: key)
      return row == PageLayout.noRow ? nil : row
    }
  }

  /// The last of the rows, but for one, that an index has under the key of these cells, which are as
  /// ``insert(_:cells:valid:)`` takes them, with what these hold beside their words. In a B-tree null is a value; under a
  /// hash index it finds nothing. `accepts` says which rows count, if not all do. Not between begin- and endBulk.
  ///
  /// Complexity: O(log² n), however many there are under the key; O(n) in those that do not count, or differ in what is
  /// beside their words.
  package func lastRow(
    _ index: IndexID, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>, except: UInt32,
    where accepts: ((UInt32) -> Bool)? = nil
  ) throws(StoreProblem) -> UInt32? {
    guard let place = layout.places[Int(index.index)] else { return nil }
    let table = tables[place.type]
    let keys = table.layout.indexes[place.index].keys
    return try withKey(keys, of: table, cells, valid) { () -> UInt32? in
      func counts(_ row: UInt32) -> Bool {
        row != except && isExactly(row, keys, table.readers) && accepts?(row) ?? true
      }
      let index = table.indexes[place.index]
      if let hash = index.asHash {
        for component in 0..<keys.count where !self.valid[keys.components[component].column] { return nil }
        switch hash.reader(table.readers).rows(key) {
        case .none: return nil
        case .one(let row): return counts(row) ? row : nil
        case .many(let rows): return rows.last(where: counts)
        }
      }
      if let tree = index.asTree { return lastRow(tree.reader(table.readers), keys, table.readers, where: counts) }
      guard index.isPending else { return nil }
      return (0..<UInt32(truncatingIfNeeded: table.slots)).last { table.isLive($0) && counts($0) }
    }
  }

  /// The last of the rows that count under the key, in which by `valid` null stands too.
  private func lastRow(
    _ tree: BTreeReader, _ keys: KeyLayout, _ readers: UnsafePointer<ColumnReader>, where counts: (UInt32) -> Bool
  ) -> UInt32? {
    var leading = 0
    while leading < keys.count, valid[keys.components[leading].column] { leading += 1 }
    var bounds = BTreeBounds(equal: UnsafePointer(key), equalCount: leading)
    if leading < keys.count { bounds.onlyNulls = true } else { bounds.includesNulls = true }
    func row(_ place: Int) -> UInt32 {
      var row = PageLayout.noRow
      _ = tree.walk(bounds, descending: false, skip: place, limit: 1, into: &row)
      return row
    }
    // What stands behind the first null is searched for here: equal keys stand one behind the other, by row.
    var (start, end) = (0, tree.count(bounds))
    if leading + 1 < keys.count {
      while start < end {
        let middle = (start + end) / 2
        if order(row(middle), keys, readers, from: leading + 1) <= 0 { start = middle + 1 } else { end = middle }
      }
    }
    var place = end
    while place > 0 {
      place -= 1
      let found = row(place)
      guard order(found, keys, readers, from: leading + 1) == 0 else { return nil }
      if counts(found) { return found }
    }
    return nil
  }

  /// Whether a row under the key has beside its words what the cells of the key have.
  private func isExactly(_ row: UInt32, _ keys: KeyLayout, _ readers: UnsafePointer<ColumnReader>) -> Bool {
    for number in 0..<keys.count where keys.components[number].kind == .int64 {
      let column = keys.components[number].column
      if valid[column], readers[column].finer(row) != key[number].finer { return false }
    }
    return true
  }

  /// How a row's components from one on compare with those of the key; nulls are the largest.
  private func order(
    _ row: UInt32, _ keys: KeyLayout, _ readers: UnsafePointer<ColumnReader>, from first: Int
  ) -> Int {
    var number = first
    while number < keys.count {
      let component = keys.components[number]
      switch (component.isNull(readers, row), !valid[component.column]) {
      case (true, true): break
      case (true, false): return 1
      case (false, true): return -1
      case (false, false):
        let order = KeyOrder.compare(component.kind, component.cell(readers, row), key[number])
        if order != 0 { return order }
      }
      number += 1
    }
    return 0
  }

  /// Calls something with the key of an index in `key`; see ``Table/withKey(_:_:_:fold:buffer:cell:_:)``.
  private func withKey<Result>(
    _ keys: KeyLayout, of table: Table, _ cells: UnsafePointer<Cell>, _ valid: UnsafePointer<Bool>,
    _ body: () -> Result
  ) throws(StoreProblem) -> Result {
    try table.withKey(
      keys, key, self.valid, fold: fold, buffer: &folded, cell: { valid[$1] ? cells[$1] : nil }, body)
  }

  /// Returns the row with a primary key of which a text is compared in its folded form; `PageLayout.noRow` if there is
  /// none. Folding what is folded changes nothing.
  func findFolded(_ table: Table, _ wanted: UnsafePointer<Cell>) -> UInt32 {
    let row = try? table.withKey(
      table.layout.indexes[0].keys, key, valid, fold: fold, buffer: &folded, cell: { component, _ in wanted[component] }
    ) { table.find(0, key: key) }
    // A text that is too long when it is folded is no key.
    return row ?? PageLayout.noRow
  }
}

extension Snapshot {
  /// The live row with this primary key: one cell per component.
  package func findRow(_ type: EntityTypeID, key: UnsafePointer<Cell>) -> UInt32? {
    let table = table(type)
    if table.layout.indexes.isEmpty { return nil }
    let row = table.find(0, key: key)
    return row == PageLayout.noRow ? nil : row
  }
}
