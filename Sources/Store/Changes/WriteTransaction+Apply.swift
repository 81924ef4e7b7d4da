import GQLBase
import GQLCatalog

extension WriteTransaction {
  /// Makes of the version that a change set begins with the one that it leads to: writes cells, lists, status, records,
  /// suspended and waiting links, and keeps indexes and counts. No constraint, default or rule of the schema is looked
  /// at, and no clock. Precondition: not within a bulk.
  ///
  /// Complexity: O(*n*) in the changes, and O(log *n*) in what each index holds for each change of a key.
  ///
  /// - Throws: where the set is not well-formed, or begins with another version. Some of it is applied then: the
  ///   transaction must be dropped, or rolled back.
  ///
  /// - Parameters:
  ///   - isKnown: Whether a row of a type, both by number, holds what the set says of it already.
  ///   - checksTargets: Whether rows must be there that something leads to.
  package func apply(
    _ changes: ChangeSet, checksTargets: Bool = true, unless isKnown: ((Int, UInt32) -> Bool)? = nil
  ) throws(ChangeProblem) {
    precondition(bulk == nil, "change sets are not applied within a bulk")
    if changes.isEmpty { return }
    dropPurged()
    let problem = changes.bytes.withUnsafeBytes { bytes -> ChangeProblem? in
      guard let application = ChangeApplication(self, bytes, isKnown) else { return .otherLayout(offset: 0) }
      do throws(ChangeProblem) {
        try application.run(checksTargets: checksTargets)
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw problem }
  }
}

/// One change set on its way into a transaction.
///
/// A type's rows are gone through three times: entries of what changes are taken out of the indexes, then all is
/// written, then entries are put in. So no index ever sees a row that is half written, or two rows that exchange keys.
private final class ChangeApplication {
  private let transaction: WriteTransaction
  private let catalog: Catalog
  private let isKnown: ((Int, UInt32) -> Bool)?
  @exclusivity(unchecked) private var reader: ChangeReader
  private let scratch = ChangeScratch()
  @exclusivity(unchecked) private var rows: ContiguousArray<UInt32> = []
  @exclusivity(unchecked) private var words: ContiguousArray<UInt32> = []
  /// By type: one more than the greatest row that something leads to.
  @exclusivity(unchecked) private var reach: [UInt32]
  /// The type at hand, its table, and what its rows begin with.
  @exclusivity(unchecked) private var layout: StoreLayout.TypeLayout
  @exclusivity(unchecked) private var table: Table
  @exclusivity(unchecked) private var firstNew: UInt32 = 0
  /// By column: whether the row at hand has a change of it, and which have.
  @exclusivity(unchecked) private var isChanged: [Bool] = []
  @exclusivity(unchecked) private var changed: [Int] = []

  /// Nil for a store without types, which has nothing to be changed.
  init?(_ transaction: WriteTransaction, _ bytes: UnsafeRawBufferPointer, _ isKnown: ((Int, UInt32) -> Bool)?) {
    self.isKnown = isKnown
    guard let layout = transaction.layout.types.first, let table = transaction.tables.first else { return nil }
    self.transaction = transaction
    catalog = transaction.base.catalog
    reader = ChangeReader(bytes)
    reach = Array(repeating: 0, count: transaction.tables.count)
    self.layout = layout
    self.table = table
  }

  func run(checksTargets: Bool) throws(ChangeProblem) {
    var previous = -1
    while !reader.isAtEnd {
      guard let type = try reader.next(), type > previous else { throw reader.malformed }
      guard type < transaction.tables.count else { throw reader.otherLayout }
      previous = type
      try begin(type)
      let start = reader.offset
      if transaction.keepsIndexes {
        try forEachRow { (row, marks) throws(ChangeProblem) in try self.takeOut(row, marks) }
        reader.rewind(to: start)
      }
      try forEachRow { (row, marks) throws(ChangeProblem) in try self.write(row, marks) }
      if !transaction.keepsIndexes { continue }
      reader.rewind(to: start)
      try forEachRow { (row, marks) throws(ChangeProblem) in try self.putIn(row, marks) }
    }
    // Rows that a file holds in a later version may be missing still.
    if !transaction.keepsIndexes || !checksTargets { return }
    for (type, end) in reach.enumerated() where end > UInt32(truncatingIfNeeded: transaction.tables[type].slots) {
      throw .malformed(offset: reader.offset)
    }
  }

  private func begin(_ type: Int) throws(ChangeProblem) {
    layout = transaction.layout.types[type]
    table = transaction.ownedTable(EntityTypeID(type))
    table.ownColumns()
    firstNew = UInt32(truncatingIfNeeded: table.slots)
    isChanged = Array(repeating: false, count: layout.columns.count)
    changed.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private func forEachRow(
    _ body: (UInt32, RowChangeMarks) throws(ChangeProblem) -> Void
  ) throws(ChangeProblem) {
    var next: UInt32 = 0
    while let row = try reader.row(after: next) {
      next = row + 1
      let marks = try reader.marks()
      if marks.has(RowChangeMarks.erased) { transaction.pasts.erased.insert(DeletedRow(type: layout.id, row: row)) }
      if marks.has(RowChangeMarks.kept) { RowHistory(in: transaction).keep(layout.id, row: row) }
      // A row that a file lacks was void when rows were written, which was later than what the set says of it.
      let isGone =
        !transaction.keepsIndexes && marks.before != RowChangeStatus.void
        && table.status(row) == RowChangeStatus.void
      if isGone || isKnown?(Int(layout.id.index), row) ?? false {
        try reader.skipRow(marks, &words) { _ in }
      } else {
        try body(row, marks)
      }
    }
  }

  // MARK: - Indexes

  /// Takes a row's entries out of the indexes that are to hold it no longer, or under another key.
  private func takeOut(_ row: UInt32, _ marks: RowChangeMarks) throws(ChangeProblem) {
    try passOver(marks)
    defer { forgetChanges() }
    guard table.status(row) == marks.before else {
      throw .otherVersion(type: Int(layout.id.index), row: row)
    }
    if marks.before == RowChangeStatus.live {
      for index in layout.indexes.indices where marks.after != RowChangeStatus.live || isAffected(index) {
        table.removeEntry(index, row, key: transaction.key)
      }
      if marks.after != RowChangeStatus.live {
        table.live -= 1
        countNulls(row, by: -1)
      }
    } else if marks.before == RowChangeStatus.deleted, marks.after != RowChangeStatus.deleted || isAffected(0) {
      table.ownedTombstones().removeKey(row, columns: table.readers, key: transaction.key)
    }
  }

  private func putIn(_ row: UInt32, _ marks: RowChangeMarks) throws(ChangeProblem) {
    try passOver(marks)
    defer { forgetChanges() }
    if marks.after == RowChangeStatus.live {
      for index in layout.indexes.indices where marks.before != RowChangeStatus.live || isAffected(index) {
        table.addRepeatableEntry(index, row, key: transaction.key)
      }
    } else if marks.after == RowChangeStatus.deleted, marks.before != RowChangeStatus.deleted || isAffected(0) {
      table.ownedTombstones().addKey(row, columns: table.readers, key: transaction.key)
    }
  }

  /// Returns whether a change of the row at hand is of a column of an index's key.
  private func isAffected(_ index: Int) -> Bool {
    guard index < layout.indexes.count else { return false }
    for place in changed.indices {
      let column = changed[place]
      if layout.indexesOfColumn[column].contains(index) { return true }
      if layout.foldedColumns[column].isEmpty { continue }
      for folded in layout.foldedColumns[column] where layout.indexesOfColumn[folded].contains(index) { return true }
    }
    return false
  }

  private func forgetChanges() {
    // By places: going through the array itself would count a reference to it.
    for place in changed.indices { isChanged[changed[place]] = false }
    changed.removeAll(keepingCapacity: true)
  }

  /// Passes over a row, and notes which columns change.
  private func passOver(_ marks: RowChangeMarks) throws(ChangeProblem) {
    var last = -1
    try reader.skipRow(marks, &words) { column in
      changed.append(column)
      last = max(last, column)
    }
    if last >= layout.columns.count { throw reader.otherLayout }
  }

  private func countNulls(_ row: UInt32, by difference: Int) {
    for column in table.columns where column.isNull(row) { column.liveNulls += difference }
  }

  // MARK: - Writing

  private func write(_ row: UInt32, _ marks: RowChangeMarks) throws(ChangeProblem) {
    if !transaction.keepsIndexes, table.status(row) != marks.before {
      throw .otherVersion(type: Int(layout.id.index), row: row)
    }
    defer {
      forgetChanges()
      scratch.reset()
    }
    if marks.has(RowChangeMarks.fields) { try readFields() }
    if marks.before == RowChangeStatus.void {
      if marks.after != RowChangeStatus.void { try row < firstNew ? reuse(row, marks) : append(row, marks) }
    } else if marks.after != RowChangeStatus.void {
      try change(row, marks)
    }
    if marks.has(RowChangeMarks.lists) { try writeLists(row, marks) }
    if marks.after == RowChangeStatus.void, marks.before != RowChangeStatus.void { clear(row) }
    if marks.has(RowChangeMarks.record) {
      for _ in 0..<2 { try reader.words(into: &words) }
      // Deletions that come are numbered after those that are known.
      if words.count >= 2 { Stamp.pass(DeletionRecord.deletion(words[0], words[1])) }
      guard words.isEmpty == (marks.after != RowChangeStatus.deleted), words.count != 1 else { throw reader.malformed }
      table.ownedTombstones().setWords(row, words)
    }
    if marks.has(RowChangeMarks.suspended) {
      while let place = try reader.next() {
        guard place < layout.relations.count else { throw reader.otherLayout }
        for _ in 0..<2 { try reader.words(into: &words) }
        guard words.count & 1 == 0 else { throw reader.malformed }
        table.ownedSuspended(place).setWords(row, words)
      }
    }
    if marks.has(RowChangeMarks.waiting) { try writeWaiting(row) }
    if marks.before != marks.after {
      if row < firstNew { table.ownedLiveness().writeRaw(row, Cell(low: marks.after)) }
      if marks.after == RowChangeStatus.live {
        table.live += 1
        if row < firstNew { countNulls(row, by: 1) }
      }
    }
  }

  /// Reads the fields of a row as they become, into the transaction's scratch cells.
  private func readFields() throws(ChangeProblem) {
    var previous = -1
    while let column = try reader.next() {
      guard column > previous, column < layout.columns.count, !layout.isFolded[column] else {
        throw reader.otherLayout
      }
      previous = column
      let kind = layout.columns[column].kind
      let form = try reader.form()
      guard kind != .references, form.kind == ChangeValueKind(kind, elementIsText: layout.elementIsText[column])
      else { throw reader.otherLayout }
      if form.hasBefore { try reader.skip(form.kind, isFine: form.beforeIsFine) }
      transaction.valid[column] = form.hasAfter
      if form.hasAfter {
        let cell = try reader.value(form.kind, isFine: form.afterIsFine, scratch)
        if kind == .reference {
          try reach(column, UInt32(truncatingIfNeeded: cell.low))
        } else if !StoredValue.isValid(cell, layout.columns[column].type, catalog) {
          throw reader.malformed
        }
        transaction.cells[column] = cell
      }
      isChanged[column] = true
      changed.append(column)
    }
  }

  /// Notes that something leads to a row.
  private func reach(_ column: Int, _ row: UInt32) throws(ChangeProblem) {
    guard let target = layout.targets[column] else { throw reader.otherLayout }
    if row >= reach[target] { reach[target] = row + 1 }
  }

  private func fold(_ column: Int, from source: Int) throws(ChangeProblem) {
    do throws(StoreProblem) {
      try transaction.foldCell(table, into: column, from: source)
    } catch {
      throw reader.malformed
    }
  }

  /// Adds a row at the end, after void ones if some are missing.
  private func append(_ row: UInt32, _ marks: RowChangeMarks) throws(ChangeProblem) {
    guard Int(row) < PageLayout.maximumRows else { throw .tooManyRows(type: Int(layout.id.index)) }
    guard transaction.appendVoid(layout.id, count: Int(row) - table.slots) else {
      throw .tooManyRows(type: Int(layout.id.index))
    }
    if table.liveness != nil || marks.after != RowStatus.live {
      table.ownedLiveness().append(Cell(low: marks.after))
    }
    for number in layout.columns.indices {
      let column = table.columns[number]
      if layout.isFolded[number], let source = layout.columns[number].foldedFrom {
        transaction.valid[number] = false
        if isChanged[Int(source.index)] { try fold(number, from: Int(source.index)) }
        column.append(transaction.valid[number] ? transaction.cells[number] : nil, ownsPayload: true)
      } else {
        let isValid = isChanged[number] && transaction.valid[number]
        column.append(isValid ? transaction.cells[number] : nil)
      }
      // Only the nulls of live rows count.
      if marks.after != RowStatus.live, column.isNull(row) { column.liveNulls -= 1 }
    }
    table.slots += 1
  }

  /// Gives a void row a content.
  private func reuse(_ row: UInt32, _ marks: RowChangeMarks) throws(ChangeProblem) {
    for number in layout.columns.indices where layout.columns[number].kind != .references {
      let column = table.columns[number]
      var cell: Cell?
      if layout.isFolded[number], let source = layout.columns[number].foldedFrom {
        transaction.valid[number] = false
        if isChanged[Int(source.index)] { try fold(number, from: Int(source.index)) }
        if transaction.valid[number] { cell = column.adopting(transaction.cells[number]) }
      } else if isChanged[number], transaction.valid[number] {
        cell = column.copyingPayload(transaction.cells[number])
      }
      let nulls = column.liveNulls
      column.writeRaw(row, cell)
      column.isAscending = false
      column.liveNulls = nulls
    }
  }

  /// Writes the fields of a row that has a content before and after.
  private func change(_ row: UInt32, _ marks: RowChangeMarks) throws(ChangeProblem) {
    let isLive = marks.before == RowChangeStatus.live && marks.after == RowChangeStatus.live
    for place in changed.indices {
      let number = changed[place]
      write(row, number, isLive: isLive, ownsPayload: false)
      if layout.foldedColumns[number].isEmpty { continue }
      for folded in layout.foldedColumns[number] {
        try fold(folded, from: number)
        write(row, folded, isLive: isLive, ownsPayload: true)
      }
    }
  }

  private func write(_ row: UInt32, _ number: Int, isLive: Bool, ownsPayload: Bool) {
    let column = table.columns[number]
    let nulls = column.liveNulls
    column.write(row, transaction.valid[number] ? transaction.cells[number] : nil, ownsPayload: ownsPayload)
    // Nulls of other rows are counted when they begin to live.
    if !isLive { column.liveNulls = nulls }
  }

  /// Leaves nothing of a row but its cells, which are not looked at.
  private func clear(_ row: UInt32) {
    for number in layout.columns.indices {
      let column = table.columns[number]
      let nulls = column.liveNulls
      switch column.kind {
      case .reference: column.writeRaw(row, nil)
      case .references:
        if !table.readers[number].references(row).isEmpty {
          column.setRun(row, copying: UnsafeBufferPointer(start: nil, count: 0), capacity: 0)
        }
      default: if column.payloadBytes(column.cell(row)) > 0 { column.forgetPayload(row) }
      }
      column.liveNulls = nulls
    }
  }

  private func writeLists(_ row: UInt32, _ marks: RowChangeMarks) throws(ChangeProblem) {
    var previous = -1
    while let number = try reader.next() {
      guard number > previous, number < layout.columns.count, layout.columns[number].kind == .references else {
        throw reader.otherLayout
      }
      previous = number
      let edit = try reader.list()
      let column = table.columns[number]
      let old = table.readers[number].references(row)
      guard edit.kept <= old.count - edit.takenOut else {
        throw .otherVersion(type: Int(layout.id.index), row: row)
      }
      rows.removeAll(keepingCapacity: true)
      try reader.rows(edit.takenOut, into: &rows)
      guard rows.elementsEqual(old[edit.kept..<(edit.kept + edit.takenOut)]) else {
        throw .otherVersion(type: Int(layout.id.index), row: row)
      }
      rows.removeAll(keepingCapacity: true)
      try reader.rows(edit.putIn, into: &rows)
      for target in rows { try reach(number, target) }
      let nulls = column.liveNulls
      replace(column, row, old, edit)
      if marks.before != RowChangeStatus.live || marks.after != RowChangeStatus.live {
        // A row that was appended counts already, if it lives.
        let isCounted = row >= firstNew && marks.after == RowChangeStatus.live
        if !isCounted { column.liveNulls = nulls }
      }
    }
  }

  /// Writes a list's edit, of which `rows` are put in.
  private func replace(
    _ column: ColumnStore, _ row: UInt32, _ old: UnsafeBufferPointer<UInt32>, _ edit: ChangeReader.List
  ) {
    if edit.takenOut == 0, edit.kept == old.count, rows.count <= 4 {
      for target in rows { column.appendToRun(row, target) }
    } else if edit.takenOut == 1, rows.isEmpty {
      column.removeFromRun(row, at: edit.kept)
    } else {
      var made = ContiguousArray<UInt32>()
      made.reserveCapacity(old.count - edit.takenOut + rows.count)
      made.append(contentsOf: old.prefix(edit.kept))
      made.append(contentsOf: rows)
      made.append(contentsOf: old[(edit.kept + edit.takenOut)...])
      made.withUnsafeBufferPointer { column.setRun(row, copying: $0, capacity: $0.count) }
    }
  }

  private func writeWaiting(_ row: UInt32) throws(ChangeProblem) {
    while let place = try reader.next() {
      guard place < layout.relations.count else { throw reader.otherLayout }
      let change = try reader.waiting(place: place)
      for entry in change.entries where Int(entry.key.type.index) >= transaction.tables.count {
        throw reader.otherLayout
      }
      try transaction.dangling.apply(change, layout, row, reader)
    }
  }
}
