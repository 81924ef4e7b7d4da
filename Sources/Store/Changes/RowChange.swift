import GQLCatalog

/// A change of one row, as a ``ChangeSet`` has it. What its cells point to lives as long as it is lent.
package struct RowChange {
  /// A change of one cell; nil is null, or the cell of a row that is not there.
  package struct Field {
    package let column: Int
    package let kind: ColumnKind
    package let before: Cell?
    package let after: Cell?
  }
  package fileprivate(set) var type = 0
  package fileprivate(set) var row: UInt32 = 0
  /// Indicates whether the row held nothing before.
  package fileprivate(set) var isNew = false
  /// Indicates whether the row holds nothing any more.
  package fileprivate(set) var isPurged = false
  /// Indicates whether it is another kind of row now: live, deleted or void.
  package fileprivate(set) var hasOtherStatus = false
  /// Indicates whether what is remembered beside cells and lists has changed: of deletions, of links that wait.
  package fileprivate(set) var hasOtherRecords = false
  package fileprivate(set) var fields: ContiguousArray<Field> = []
  /// The columns of the lists of links that have changed.
  package fileprivate(set) var lists: ContiguousArray<Int> = []

  fileprivate init() {}

  /// Returns the change of a column, if it is among the changes.
  package func field(_ column: Int) -> Field? {
    for field in fields where field.column == column { return field }
    return nil
  }
}

extension ChangeSet {
  /// Calls with the change of each row, in the order of types and rows.
  ///
  /// - Throws: where the set is not well-formed.
  package func forEachChange(_ body: (borrowing RowChange) -> Void) throws(ChangeProblem) {
    let problem = bytes.withUnsafeBytes { bytes -> ChangeProblem? in
      var visit = RowChangeVisit(bytes)
      do throws(ChangeProblem) {
        try visit.run(body)
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw problem }
  }
}

private struct RowChangeVisit: ~Copyable {
  private var reader: ChangeReader
  private let scratch = ChangeScratch()
  private var words: ContiguousArray<UInt32> = []
  private var change = RowChange()

  init(_ bytes: UnsafeRawBufferPointer) { reader = ChangeReader(bytes) }

  mutating func run(_ body: (borrowing RowChange) -> Void) throws(ChangeProblem) {
    while !reader.isAtEnd {
      guard let type = try reader.next() else { throw reader.malformed }
      change.type = type
      var next: UInt32 = 0
      while let row = try reader.row(after: next) {
        next = row + 1
        change.row = row
        try read()
        body(change)
        scratch.reset()
      }
    }
  }

  private mutating func read() throws(ChangeProblem) {
    let marks = try reader.marks()
    change.isNew = marks.before == RowChangeStatus.void
    change.isPurged = marks.after == RowChangeStatus.void
    change.hasOtherStatus = marks.before != marks.after
    change.hasOtherRecords =
      marks.has(RowChangeMarks.record) || marks.has(RowChangeMarks.suspended) || marks.has(RowChangeMarks.waiting)
    change.fields.removeAll(keepingCapacity: true)
    change.lists.removeAll(keepingCapacity: true)
    if marks.has(RowChangeMarks.fields) {
      while let column = try reader.next() {
        let form = try reader.form()
        let before = form.hasBefore ? try reader.value(form.kind, isFine: form.beforeIsFine, scratch) : nil
        let after = form.hasAfter ? try reader.value(form.kind, isFine: form.afterIsFine, scratch) : nil
        change.fields.append(RowChange.Field(column: column, kind: form.kind.column, before: before, after: after))
      }
    }
    if marks.has(RowChangeMarks.lists) {
      while let column = try reader.next() {
        let list = try reader.list()
        for _ in 0..<(list.takenOut + list.putIn) { _ = try reader.varint() }
        change.lists.append(column)
      }
    }
    if marks.has(RowChangeMarks.record) { for _ in 0..<2 { try reader.words(into: &words) } }
    if marks.has(RowChangeMarks.suspended) {
      while try reader.next() != nil { for _ in 0..<2 { try reader.words(into: &words) } }
    }
    if marks.has(RowChangeMarks.waiting) {
      while let place = try reader.next() { _ = try reader.waiting(place: place) }
    }
  }
}

extension ChangeValueKind {
  /// A kind of columns whose cells have this form.
  fileprivate var column: ColumnKind {
    switch self {
    case .word: .int64
    case .float: .float64
    case .byte: .byte
    case .code: .code
    case .decimal: .decimal
    case .text: .text
    case .wordList: .wordList
    case .wideList, .textList: .wideList
    case .row: .reference
    }
  }
}

extension KeyHash {
  /// Hashes a cell that is not null, so that equal values of columns of a kind have equal hashes; nil for lists.
  package static func cell(_ cell: Cell, _ kind: ColumnKind) -> UInt64? {
    switch kind {
    case .int64, .byte, .code, .reference: word(cell.low, seed)
    case .float64: word(KeyOrder.image(cell.double), seed)
    case .decimal: PackedDecimal(cell).hash(seed)
    case .text: text(TextView(cell), seed)
    case .wordList, .wideList, .references: nil
    }
  }
}

extension KeyOrder {
  /// A number that orders like the cells of a column; other cells may share it. Nil for what has no order.
  package static func image(_ cell: Cell, _ column: ColumnDescriptor) -> UInt64? {
    KeyComponent(column).map { image($0.kind, cell) }
  }
}
