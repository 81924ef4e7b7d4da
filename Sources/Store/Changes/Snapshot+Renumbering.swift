import GQLBase
import GQLCatalog

extension Snapshot {
  /// Returns a version with the same content whose rows are numbered without gaps, in their order.
  ///
  /// Complexity: O(*n* log *n*) in the entities, deleted ones included.
  ///
  /// - Parameters:
  ///   - limit: See ``WriteTransaction/endOpening(postponingAbove:)``.
  ///   - keepingAll: Whether all rows keep their numbers, because what is beside the version names them.
  package func renumbered(
    fold: @escaping TextFold, postponingAbove limit: Int = .max, keepingAll: Bool = false
  ) -> Snapshot {
    let isKept = keepingAll ? tables.map { _ in true } : HistoryTypes(catalog).isNamed
    let renumbering = Renumbering(tables, keeping: isKept)
    let transaction = WriteTransaction(Snapshot.empty(catalog), fold: fold)
    transaction.beginOpening()
    for number in tables.indices { renumbering.copyRows(number, to: transaction) }
    for number in tables.indices { renumbering.copyRareParts(number, dangling, to: transaction) }
    // It is a version of a store, and what leads to a row leads to the same one.
    precondition(transaction.endOpening(postponingAbove: limit), "the rows of a version fit each other")
    return transaction.commit()
  }
}

/// New numbers for the rows of a version.
private struct Renumbering {
  private let tables: [Table]
  /// By type: the new number of each row, ``PageLayout/noRow`` for void ones; empty where none changes.
  private let numbers: [ContiguousArray<UInt32>]

  /// By type: whether records of the past or branches name its rows, which keep their numbers.
  private let isKept: [Bool]

  init(_ tables: [Table], keeping isKept: [Bool]) {
    self.tables = tables
    self.isKept = isKept
    numbers = tables.map { table in
      guard table.liveness != nil, !isKept[Int(table.layout.id.index)] else { return [] }
      var numbers = ContiguousArray<UInt32>(repeating: PageLayout.noRow, count: table.slots)
      var next: UInt32 = 0
      for row in numbers.indices where table.status(UInt32(truncatingIfNeeded: row)) != RowChangeStatus.void {
        numbers[row] = next
        next += 1
      }
      return numbers
    }
  }

  /// The new number of a row; ``PageLayout/noRow`` for one that is void, or was before the file was opened.
  private func number(_ row: UInt32, _ type: EntityTypeID) -> UInt32 {
    guard Int(row) < tables[Int(type.index)].slots else { return PageLayout.noRow }
    let known = numbers[Int(type.index)]
    return known.isEmpty ? row : known[Int(row)]
  }

  /// The new number of a row; nil for one that has none.
  private func known(_ row: UInt32, _ type: EntityTypeID) -> UInt32? {
    let number = number(row, type)
    return number == PageLayout.noRow ? nil : number
  }

  func copyRows(_ type: Int, to transaction: WriteTransaction) {
    let table = tables[type]
    let layout = table.layout
    let targets = layout.columns.indices.map { column in layout.targets[column].map { EntityTypeID($0) } }
    let batch = StoredBatch(width: layout.columns.count, capacity: PageLayout.rows)
    for row in 0..<UInt32(truncatingIfNeeded: table.slots) {
      let image = StoredRow(table, row)
      if image.status == RowChangeStatus.void {
        if isKept[type] {
          if batch.count > 0 { add(batch, layout, transaction) }
          precondition(transaction.appendVoid(layout.id, count: 1), "as many rows were there before")
        }
        continue
      }
      let place = batch.add(UInt8(truncatingIfNeeded: image.status))
      for column in layout.columns.indices
      where layout.columns[column].kind != .references && !layout.isFolded[column] {
        guard var cell = image.cell(column) else { continue }
        if layout.columns[column].kind == .reference, let target = targets[column] {
          cell = Cell(low: UInt64(number(UInt32(truncatingIfNeeded: cell.low), target)))
        }
        batch.set(column, place, cell)
      }
      if batch.count == batch.capacity { add(batch, layout, transaction) }
    }
    if batch.count > 0 { add(batch, layout, transaction) }
    for relation in layout.relations where relation.isToMany { copyLists(relation, table, to: transaction) }
  }

  private func add(_ batch: StoredBatch, _ layout: StoreLayout.TypeLayout, _ transaction: WriteTransaction) {
    precondition(batch.append(to: transaction, layout.id), "as many rows were there before")
    batch.removeAll()
  }

  private func copyLists(_ relation: Relation, _ table: Table, to transaction: WriteTransaction) {
    let column = Int(relation.column.index)
    for row in 0..<UInt32(truncatingIfNeeded: table.slots) {
      let run = StoredRow(table, row).run(column)
      if run.isEmpty { continue }
      transaction.setStoredList(
        table.layout.id, relation.column, number(row, table.layout.id), run.map { number($0, relation.target) })
    }
  }

  /// Copies records of deletions, links that are suspended, and links that wait.
  func copyRareParts(_ type: Int, _ dangling: DanglingLinks, to transaction: WriteTransaction) {
    let table = tables[type]
    let layout = table.layout
    let owned = transaction.ownedTable(layout.id)
    for row in 0..<UInt32(truncatingIfNeeded: table.slots) {
      let image = StoredRow(table, row)
      if image.status == RowChangeStatus.void { continue }
      let new = number(row, layout.id)
      image.withRecord { words in
        if words.isEmpty { return }
        owned.ownedTombstones().setWords(new, DeletionRecord.renumbered(words, layout) { known($1, $0) })
      }
      for (place, relation) in layout.relations.enumerated() {
        image.withSuspended(place) { words in
          if words.isEmpty { return }
          owned.ownedSuspended(place).setWords(new, SuspendedLinks.renumbered(words) { known($0, relation.target) })
        }
        let link = DanglingLinks.Link(relation: relation.id, source: row)
        guard !dangling.isEmpty, let waiting = dangling.all(link, place: place) else { continue }
        transaction.dangling.put(waiting, of: DanglingLinks.Link(relation: relation.id, source: new))
      }
    }
  }
}
