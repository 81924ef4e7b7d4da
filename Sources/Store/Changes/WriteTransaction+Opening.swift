import GQLCatalog

/// Filling a store with the rows of a file, numbers and all.
///
/// Between ``beginOpening()`` and ``endOpening()`` no index is kept, and what rows lead to need not be there: a file may
/// hold rows of several versions, which the changes that follow bring to one.
extension WriteTransaction {
  /// Precondition: the store is empty.
  package func beginOpening() {
    precondition(tables.allSatisfy { $0.slots == 0 } && bulk == nil, "an empty store is wanted")
    keepsIndexes = false
  }

  /// Adds rows at the end of a type's, with all cells but those of lists and of folded texts.
  ///
  /// - Parameters:
  ///   - columns: One for each column of the type, in order.
  ///   - statuses: 0 for a void row, 1 for a live one, 2 for one that is deleted.
  /// - Returns: Whether there was room, and each folded text was short enough.
  package func appendStored(
    _ type: EntityTypeID, columns: UnsafePointer<ColumnCells>, statuses: UnsafePointer<UInt8>, rows count: Int
  ) -> Bool {
    let table = ownedTable(type)
    let layout = table.layout
    guard count > 0 else { return true }
    guard table.slots + count <= PageLayout.maximumRows, hasShortTexts(layout, columns, 0..<count) else { return false }
    table.ownColumns()
    for number in layout.columns.indices {
      let column = table.columns[number]
      if layout.isFolded[number] {
        let source = layout.columns[number].foldedFrom.map { Int($0.index) } ?? number
        appendFolded(table, number, columns[source], 0, count)
      } else if column.kind == .references {
        column.appendNulls(count)
      } else {
        column.append(columns[number].cells, columns[number].valid, count: count)
      }
    }
    var isPlain = table.liveness == nil
    if isPlain { for row in 0..<count where UInt64(statuses[row]) != RowStatus.live { isPlain = false } }
    if !isPlain {
      let liveness = table.ownedLiveness()
      for row in 0..<count { liveness.append(Cell(low: UInt64(min(statuses[row], 2)))) }
    }
    table.slots += count
    return true
  }

  /// Adds void rows at the end of a type's. They share their pages, so that a damaged number takes little memory.
  ///
  /// Returns false where there are more than a store can have had.
  package func appendVoid(_ type: EntityTypeID, count: Int) -> Bool {
    if count <= 0 { return count == 0 }
    let table = ownedTable(type)
    guard table.slots + count <= PageLayout.maximumRows, count <= Self.mostVoidCells / max(1, table.columns.count)
    else { return false }
    table.ownColumns()
    // Before the rows are counted: what was there lives.
    table.ownedLiveness().appendRepeated(Cell(low: RowStatus.purged), count: count)
    for column in table.columns {
      let nulls = column.liveNulls
      column.appendRepeated(nil, count: count)
      column.liveNulls = nulls
    }
    table.slots += count
    return true
  }

  /// Cells of void rows that are added together: rows with so many took sixteen gigabytes at least when they were there,
  /// and their pages take some 300 megabytes now.
  private static let mostVoidCells = 1 << 34

  /// Sets the list of a row and a relation's column. Precondition: the row is there, and has none yet.
  package func setStoredList(_ type: EntityTypeID, _ column: ColumnID, _ row: UInt32, _ targets: [UInt32]) {
    if targets.isEmpty { return }
    let run = ownedTable(type).ownedColumn(Int(column.index)).makeRun(row, count: targets.count)
    for (index, target) in targets.enumerated() { run[index] = target }
  }

  /// The number of rows of a type so far, void ones included.
  package func storedCount(_ type: EntityTypeID) -> Int { table(type).slots }

  /// Counts, and builds the indexes. False where something leads to a row that is not there, or where two live entities
  /// have one unique key: the rows were not those of a store then.
  ///
  /// - Parameters:
  ///   - limit: A number of rows of a type above which its other indexes are left to
  ///     ``Snapshot/withPendingIndexes()``. Those of full text are needed for scores, and built.
  ///   - reserved: By type: the number of rows whose numbers are taken, be they void.
  package func endOpening(postponingAbove limit: Int = .max, reserving reserved: [Int: Int] = [:]) -> Bool {
    keepsIndexes = true
    // Numbers that deletions and the past remember are not given again.
    for (type, remembered) in RememberedRows.ends(of: tables).enumerated() {
      let end = max(remembered, reserved[type] ?? 0)
      if !appendVoid(EntityTypeID(type), count: max(0, end - tables[type].slots)) { return false }
    }
    var builds: [IndexBuild] = []
    for number in tables.indices {
      let table = ownedTable(EntityTypeID(number))
      guard leadsToRows(table) else { return false }
      count(table)
      if let tombstones = table.tombstones, tombstones.count > 0 {
        for row in 0..<UInt32(truncatingIfNeeded: table.slots) where table.isDeleted(row) {
          table.ownedTombstones().addKey(row, columns: table.readers, key: key)
        }
      }
      for index in table.layout.indexes.indices {
        let layout = table.layout.indexes[index]
        if index > 0, !layout.isUnique, !layout.kind.facts.isIndispensable, table.slots > limit {
          table.setIndex(index, .pending)
        } else {
          table.resetIndex(index)
          builds.append(IndexBuild(table: table, index: index))
        }
      }
    }
    return IndexBuild.run(builds)
  }

  private func count(_ table: Table) {
    guard let liveness = table.liveness else { return table.live = table.slots }
    table.ownColumns()
    var live = 0
    var nulls = [Int](repeating: 0, count: table.columns.count)
    for row in 0..<UInt32(truncatingIfNeeded: table.slots)
    where UInt64(liveness.reader.byte(row)) == RowStatus.live {
      live += 1
      for number in nulls.indices where table.readers[number].isNull(row) { nulls[number] += 1 }
    }
    table.live = live
    for (number, column) in table.columns.enumerated() { column.liveNulls = nulls[number] }
  }

  private func leadsToRows(_ table: Table) -> Bool {
    for relation in table.layout.relations {
      let end = UInt32(truncatingIfNeeded: self.table(relation.target).slots)
      let column = table.columns[Int(relation.column.index)]
      for row in 0..<UInt32(truncatingIfNeeded: table.slots) where table.status(row) != RowChangeStatus.void {
        if relation.isToMany {
          for target in column.reader.references(row) where target >= end { return false }
        } else {
          let target = column.reader.reference(row)
          if target != PageLayout.noRow, target >= end { return false }
        }
      }
    }
    return true
  }
}

/// The rows that records of deletions and suspended links name.
private enum RememberedRows {
  /// Returns the end of the rows of each type, those that are only named included.
  static func ends(of tables: [Table]) -> [Int] {
    var ends = tables.map(\.slots)
    for table in tables where (table.tombstones?.count ?? 0) > 0 || !table.suspended.isEmpty {
      let relations = table.layout.relations
      func note(_ place: Int, _ target: UInt32) {
        guard relations.indices.contains(place), target != PageLayout.noRow else { return }
        let type = Int(relations[place].target.index)
        ends[type] = max(ends[type], Int(target) + 1)
      }
      for row in 0..<UInt32(truncatingIfNeeded: table.slots) {
        let image = StoredRow(table, row)
        image.withRecord { words in DeletionRecord.forEachTarget(in: ContiguousArray(words), note) }
        for place in relations.indices {
          image.withSuspended(place) { words in
            for index in words.indices where index & 1 == 1 { note(place, words[index]) }
          }
        }
      }
    }
    return ends
  }
}
