import GQLBase
import GQLCatalog

/// A recorder of what rows of one table held before a transaction changed them: a part of a row is noted when it is first
/// written.
///
/// Rows from ``first`` on are new, and nothing is noted of them. Cells are noted with the addresses of what they point
/// to, which outlives the transaction's changes but no compaction; lists and words are copied, unless they only grow.
final class TableRecorder: @unchecked Sendable {
  /// The form of a note.
  private enum Form: UInt8 {
    case null
    /// A cell.
    case cell
    /// A list or words, copied: their place in `words` and their number.
    case copied
    /// A list of which the first ones are untouched: their number.
    case grown
  }
  private struct Note {
    var row: UInt32
    /// A column, or one of the parts below.
    var part: UInt32
    var form: Form
    var cell: Cell
  }

  private let columns: UInt32
  /// The first row that is new.
  @exclusivity(unchecked) private(set) var first: UInt32
  @exclusivity(unchecked) private var notes: ContiguousArray<Note> = []
  @exclusivity(unchecked) private var words: ContiguousArray<UInt32> = []
  /// The notes by row and part, once they are many.
  @exclusivity(unchecked) private var places: [UInt64: Int] = [:]
  /// The places of the notes in the order of rows and parts, while a set is written.
  @exclusivity(unchecked) private var order: ContiguousArray<Int> = []
  /// Notes up to which a search goes through all.
  private static let few = 12

  init(_ table: Table) {
    columns = UInt32(truncatingIfNeeded: table.layout.columns.count)
    first = UInt32(truncatingIfNeeded: table.slots)
  }

  /// Parts of a row behind its columns.
  private var liveness: UInt32 { columns }
  private var record: UInt32 { columns + 1 }
  private var past: UInt32 { .max }
  private func suspended(_ place: Int) -> UInt32 { columns + 2 + UInt32(truncatingIfNeeded: place) }

  var isEmpty: Bool { notes.isEmpty }

  /// Bytes held.
  var byteCount: Int { notes.count * MemoryLayout<Note>.stride + words.count * 4 + places.count * 32 }

  /// Begins anew with what the table holds now.
  func reset(_ table: Table) {
    first = UInt32(truncatingIfNeeded: table.slots)
    if notes.isEmpty { return }
    if notes.count <= Self.few { notes.clear() } else { notes.removeAll(keepingCapacity: notes.count < 1024) }
    if !words.isEmpty { words.removeAll(keepingCapacity: words.count < 1024) }
    if !places.isEmpty { places.removeAll(keepingCapacity: places.count < 1024) }
  }

  // MARK: - Noting

  private static func key(_ row: UInt32, _ part: UInt32) -> UInt64 { UInt64(row) << 32 | UInt64(part) }

  private func find(_ row: UInt32, _ part: UInt32) -> Int? {
    if notes.count <= Self.few {
      for index in notes.indices where notes[index].row == row && notes[index].part == part { return index }
      return nil
    }
    return places[Self.key(row, part)]
  }

  private func add(_ note: Note) {
    notes.append(note)
    if notes.count <= Self.few { return }
    if places.isEmpty {
      for (index, note) in notes.enumerated() { places[Self.key(note.row, note.part)] = index }
    } else {
      places[Self.key(note.row, note.part)] = notes.count - 1
    }
  }

  /// Notes a cell of a field, a to-one relation, or of liveness, before it is written.
  @inline(__always)
  func note(_ column: Int, _ row: UInt32, _ cell: @autoclosure () -> Cell?) {
    if row >= first { return }
    let part = UInt32(truncatingIfNeeded: column)
    if find(row, part) != nil { return }
    let cell = cell()
    add(Note(row: row, part: part, form: cell == nil ? .null : .cell, cell: cell ?? Cell(low: 0)))
  }

  /// Notes a list before something is added at its end.
  @inline(__always)
  func noteGrowth(_ column: Int, _ row: UInt32, _ run: UnsafeBufferPointer<UInt32>) {
    if row >= first { return }
    let part = UInt32(truncatingIfNeeded: column)
    if find(row, part) != nil { return }
    add(Note(row: row, part: part, form: .grown, cell: Cell(low: 0, high: UInt64(run.count))))
  }

  /// Notes a list before it is changed in another way.
  func noteList(_ column: Int, _ row: UInt32, _ run: UnsafeBufferPointer<UInt32>) {
    if row >= first { return }
    let part = UInt32(truncatingIfNeeded: column)
    guard let known = find(row, part) else { return add(copying(run[...], row, part)) }
    if notes[known].form == .grown { notes[known] = copying(run.prefix(Int(notes[known].cell.high)), row, part) }
  }

  private func copying(_ run: Slice<UnsafeBufferPointer<UInt32>>, _ row: UInt32, _ part: UInt32) -> Note {
    let start = words.count
    words.append(contentsOf: run)
    return Note(row: row, part: part, form: .copied, cell: Cell(low: UInt64(start), high: UInt64(run.count)))
  }

  /// Notes what is remembered of a deleted row, before it is written.
  func noteRecord(_ row: UInt32, _ words: UnsafeBufferPointer<UInt32>) {
    if row < first, find(row, record) == nil { add(copying(words[...], row, record)) }
  }

  /// Notes the suspended links of a row's relation, before they are written.
  func noteSuspended(_ place: Int, _ row: UInt32, _ words: UnsafeBufferPointer<UInt32>) {
    if row < first, find(row, suspended(place)) == nil { add(copying(words[...], row, suspended(place))) }
  }

  /// Notes the mark of what becomes of the history of a row. What is erased stays erased.
  func note(_ mark: UInt64, of row: UInt32) {
    if row >= first { return }
    if let known = find(row, past) {
      if mark == RowChangeMarks.erased { notes[known].cell.low = mark }
    } else {
      add(Note(row: row, part: past, form: .null, cell: Cell(low: mark)))
    }
  }

  // MARK: - Reading

  /// Returns the mark of what becomes of the history of a row; 0 for none.
  func pastMark(_ found: Range<Int>) -> UInt64 {
    // It is the last part.
    guard let last = found.last, notes[order[last]].part == past else { return 0 }
    return notes[order[last]].cell.low
  }

  private func key(_ place: Int) -> UInt64 { Self.key(notes[place].row, notes[place].part) }

  /// Calls with the rows of which something was noted, ascending, each with its notes in the order of parts.
  func forEachRow(_ body: (UInt32, Range<Int>) -> Void) {
    if notes.isEmpty { return }
    order.removeAll(keepingCapacity: order.count < 1024)
    var isAscending = true
    for place in notes.indices {
      if place > 0, key(place) < key(place - 1) { isAscending = false }
      order.append(place)
    }
    if !isAscending { order.sort { key($0) < key($1) } }
    var start = 0
    while start < order.count {
      let row = notes[order[start]].row
      var end = start + 1
      while end < order.count, notes[order[end]].row == row { end += 1 }
      body(row, start..<end)
      start = end
    }
  }

  /// A row as it was before the transaction.
  struct Row: RowImage {
    fileprivate let recorder: TableRecorder
    fileprivate let table: Table
    fileprivate let row: UInt32
    /// Places in the recorder's order.
    fileprivate let notes: Range<Int>
    let status: UInt64
  }

  /// A row as it was before the transaction, from what was noted and what was not written.
  func row(_ row: UInt32, _ found: Range<Int>, in table: Table) -> Row {
    var status = table.status(row)
    for place in found where notes[order[place]].part == liveness { status = notes[order[place]].cell.low }
    return Row(recorder: self, table: table, row: row, notes: found, status: status)
  }

  private func note(_ part: UInt32, _ found: Range<Int>) -> Note? {
    for place in found {
      let index = order[place]
      if notes[index].part >= part { return notes[index].part == part ? notes[index] : nil }
    }
    return nil
  }

  private func withWords<Result>(_ note: Note, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    let (start, count) = (Int(note.cell.low), Int(note.cell.high))
    return words.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<(start + count)])) }
  }

  fileprivate func cell(_ column: Int, _ row: Row) -> Cell? {
    if let note = note(UInt32(truncatingIfNeeded: column), row.notes) { return note.form == .null ? nil : note.cell }
    let store = row.table.columns[column]
    return store.isNull(row.row) ? nil : store.cell(row.row)
  }

  fileprivate func run(_ column: Int, _ row: Row) -> UnsafeBufferPointer<UInt32> {
    let now = row.table.readers[column].references(row.row)
    guard let note = note(UInt32(truncatingIfNeeded: column), row.notes) else { return now }
    if note.form == .grown { return UnsafeBufferPointer(rebasing: now.prefix(Int(note.cell.high))) }
    // Safe because nothing is noted while a set is written.
    return withWords(note) { $0 }
  }

  fileprivate func withRecord<Result>(_ row: Row, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    if let note = note(record, row.notes) { return withWords(note, body) }
    return row.table.tombstones?.withWords(row.row, body) ?? body(UnsafeBufferPointer(start: nil, count: 0))
  }

  fileprivate func withSuspended<Result>(
    _ place: Int, _ row: Row, _ body: (UnsafeBufferPointer<UInt32>) -> Result
  ) -> Result {
    if let note = note(suspended(place), row.notes) { return withWords(note, body) }
    guard !row.table.suspended.isEmpty, let links = row.table.suspended[place] else {
      return body(UnsafeBufferPointer(start: nil, count: 0))
    }
    return links.withLinks(row.row, body)
  }
}

extension TableRecorder.Row {
  @inline(__always)
  func cell(_ column: Int) -> Cell? { status == RowChangeStatus.void ? nil : recorder.cell(column, self) }

  @inline(__always)
  func run(_ column: Int) -> UnsafeBufferPointer<UInt32> {
    status == RowChangeStatus.void ? UnsafeBufferPointer(start: nil, count: 0) : recorder.run(column, self)
  }

  func withRecord<Result>(_ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    status == RowChangeStatus.deleted
      ? recorder.withRecord(self, body) : body(UnsafeBufferPointer(start: nil, count: 0))
  }

  func withSuspended<Result>(_ place: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    status == RowChangeStatus.void
      ? body(UnsafeBufferPointer(start: nil, count: 0)) : recorder.withSuspended(place, self, body)
  }
}
