import GQLCatalog

/// A recorder of what a transaction changes. Every write of a column, a record of a deletion, a suspended or
/// a waiting link passes it; see ``TableRecorder`` and ``WaitingRecorder``.
final class ChangeRecorder: @unchecked Sendable {
  /// By type; nil where the transaction has not looked for writing.
  @exclusivity(unchecked) private var tables: [TableRecorder?]
  let waiting = WaitingRecorder()
  /// Used again for each set.
  @exclusivity(unchecked) private var writer = ChangeWriter()

  init(types: Int) { tables = Array(repeating: nil, count: types) }

  /// The recorder of a table that is about to be written.
  func table(_ table: Table) -> TableRecorder {
    let number = Int(table.layout.id.index)
    if let known = tables[number] { return known }
    let made = TableRecorder(table)
    tables[number] = made
    return made
  }

  /// Tells whether no row of before was changed; rows may have been added.
  var isEmpty: Bool { tables.allSatisfy { $0?.isEmpty ?? true } }

  /// Bytes held.
  var byteCount: Int { tables.reduce(0) { $0 + ($1?.byteCount ?? 0) } }

  /// The change set from what was noted first to what the tables hold now, which is what is noted from now on.
  ///
  /// - Parameter waiting: What ``WaitingRecorder/changes(to:_:)`` gives.
  func take(_ current: [Table], _ waiting: [RowWaitingChanges]) -> ChangeSet {
    for number in tables.indices {
      guard let recorder = tables[number] else {
        if waiting.isEmpty { continue }
        // Links that wait belong to tables that need not be written.
        addWaiting(waiting.filter { Int($0.type.index) == number }, current[number], to: &writer)
        continue
      }
      let table = current[number]
      if waiting.isEmpty {
        recorder.forEachRow { row, notes in
          writer.add(
            table.layout, row, before: recorder.row(row, notes, in: table), after: StoredRow(table, row),
            past: recorder.pastMark(notes))
        }
        addNew(table, from: recorder.first, to: &writer)
      } else {
        addMerged(recorder, table, waiting.filter { Int($0.type.index) == number }, to: &writer)
      }
      recorder.reset(table)
    }
    if !self.waiting.isEmpty { self.waiting.reset() }
    return writer.finish()
  }

  /// Notes from now on what changes to what the tables hold now.
  func reset(_ current: [Table]) {
    for number in tables.indices { tables[number]?.reset(current[number]) }
    if !waiting.isEmpty { waiting.reset() }
  }

  private func addNew(_ table: Table, from first: UInt32, to writer: inout ChangeWriter) {
    for row in first..<max(first, UInt32(truncatingIfNeeded: table.slots)) {
      writer.add(table.layout, row, before: VoidRow(), after: StoredRow(table, row))
    }
  }

  private func addWaiting(_ waiting: [RowWaitingChanges], _ table: Table, to writer: inout ChangeWriter) {
    for found in waiting {
      let row = StoredRow(table, found.row)
      writer.add(table.layout, found.row, before: row, after: row, waiting: found.changes[...])
    }
  }

  /// Adds the rows that were written and those of links that wait, in one order.
  private func addMerged(
    _ recorder: TableRecorder, _ table: Table, _ waiting: [RowWaitingChanges], to writer: inout ChangeWriter
  ) {
    var noted: [(row: UInt32, notes: Range<Int>)] = []
    recorder.forEachRow { row, notes in noted.append((row, notes)) }
    var (next, nextWaiting) = (0, 0)
    while next < noted.count || nextWaiting < waiting.count {
      let row = min(
        next < noted.count ? noted[next].row : .max, nextWaiting < waiting.count ? waiting[nextWaiting].row : .max)
      if row >= recorder.first { break }
      var changes: ArraySlice<WaitingChange> = []
      if nextWaiting < waiting.count, waiting[nextWaiting].row == row {
        changes = waiting[nextWaiting].changes[...]
        nextWaiting += 1
      }
      var notes = 0..<0
      if next < noted.count, noted[next].row == row {
        notes = noted[next].notes
        next += 1
      }
      writer.add(
        table.layout, row, before: recorder.row(row, notes, in: table), after: StoredRow(table, row), waiting: changes,
        past: recorder.pastMark(notes))
    }
    for row in recorder.first..<max(recorder.first, UInt32(truncatingIfNeeded: table.slots)) {
      var changes: ArraySlice<WaitingChange> = []
      if nextWaiting < waiting.count, waiting[nextWaiting].row == row {
        changes = waiting[nextWaiting].changes[...]
        nextWaiting += 1
      }
      writer.add(table.layout, row, before: VoidRow(), after: StoredRow(table, row), waiting: changes)
    }
  }
}

extension WriteTransaction {
  /// Has the transaction note what it changes from now on, for ``takeChanges()``. Precondition: nothing was written yet.
  package func beginRecording() {
    guard recorder == nil else { return }
    precondition(bulk == nil && tables.allSatisfy { $0.stamp != stamp }, "recording begins before the first change")
    let made = ChangeRecorder(types: tables.count)
    recorder = made
    dangling.recorder = made.waiting
  }

  /// The changes since recording began, or since they were taken last; empty where nothing is recorded. To be taken
  /// before ``commit()``, which compacts what changes refer to. Complexity: O(*n* log *n*) in what was written.
  package func takeChanges() -> ChangeSet {
    #if DEBUG
      // Who takes them here does not leave them to be observed.
      observed = nil
    #endif
    return takeRecorded()
  }

  /// Forgets the changes since recording began, or since they were taken last: they will not be taken back.
  package func forgetChanges() {
    #if DEBUG
      // A version observes them.
      if observed != nil { return _ = snapshot(compacting: false) }
    #endif
    guard let recorder else { return }
    if !staleSuspended.isEmpty { dropPurged() }
    takenChanges += 1
    recorder.reset(tables)
  }

  func takeRecorded() -> ChangeSet {
    guard let recorder else { return ChangeSet() }
    if !staleSuspended.isEmpty { dropPurged() }
    takenChanges += 1
    return recorder.take(tables, recorder.waiting.isEmpty ? [] : recorder.waiting.changes(to: dangling, layout))
  }
}
