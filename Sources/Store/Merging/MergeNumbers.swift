import GQLCatalog

/// New numbers for the rows that versions have beyond those of a start that they go back to.
struct MergeNumbers {
  typealias Row = DeletedRow

  private let start: Snapshot
  /// By rows that the start does not have.
  private(set) var numbers: [Row: UInt32] = [:]
  /// By type: the first number that no version has.
  private(set) var next: [UInt32]

  /// - Parameter others: Versions whose rows keep their numbers.
  init(since start: Snapshot, beside others: [Snapshot]) {
    self.start = start
    next = start.tables.indices.map { type in
      UInt32(truncatingIfNeeded: ([start] + others).reduce(0) { max($0, $1.tables[type].slots) })
    }
  }

  /// Begins with new numbers after those of other versions.
  init(since start: Snapshot, following others: MergeNumbers) {
    self.start = start
    next = others.next
  }

  /// Returns the number of a row; nil for one that is not known.
  subscript(_ row: Row) -> UInt32? {
    if let number = numbers[row] { return number }
    return start.table(row.type).status(row.row) == RowChangeStatus.void ? nil : row.row
  }

  /// Gives the rows of a version numbers, known ones or new ones.
  mutating func add(_ version: Snapshot, _ known: (Row) -> UInt32?) {
    // Invariant: what is compared is well-formed.
    try? version.changes(since: start).forEachRow { type, number in
      let row = Row(type: EntityTypeID(type), row: number)
      if self[row] != nil || version.table(row.type).status(number) == RowChangeStatus.void { return }
      if let number = known(row) {
        numbers[row] = number
      } else {
        numbers[row] = next[type]
        next[type] += 1
      }
    }
  }

  /// Returns a version that goes back to the start with these numbers.
  func renumbered(_ version: Snapshot) throws(ChangeProblem) -> Snapshot {
    var rows: [(row: Row, number: UInt32)] = []
    var waiting: [Row: [WaitingChange]] = [:]
    for found in DanglingLinks.changes(from: start.dangling, to: version.dangling, version.layout) {
      waiting[Row(type: found.type, row: found.row)] = found.changes
    }
    try version.changes(since: start).forEachRow { type, number in
      let row = Row(type: EntityTypeID(type), row: number)
      if let number = self[row] { rows.append((row, number)) }
    }
    // Where one that has gone and one that has come have a number, that is the second one's.
    let replaced = Set(rows.filter { $0.row.row != $0.number }.map { Row(type: $0.row.type, row: $0.number) })
    rows.removeAll { $0.row.row == $0.number && numbers[$0.row] == nil && replaced.contains($0.row) }
    rows.sort { ($0.row.type.index, $0.number) < ($1.row.type.index, $1.number) }
    var writer = ChangeWriter()
    for (row, number) in rows {
      let type = version.layout.types[Int(row.type.index)]
      let after = RenumberedRow(StoredRow(version.table(row.type), row.row), type) { target, number in
        self[Row(type: target, row: number)]
      }
      let before = StoredRow(start.table(row.type), number)
      let links = waiting[row] ?? []
      if before.status == RowChangeStatus.void {
        writer.add(type, number, before: VoidRow(), after: after, waiting: links[...])
      } else {
        writer.add(type, number, before: before, after: after, waiting: links[...])
      }
    }
    return try start.applying(CollectionOfOne(writer.finish()))
  }
}

/// A row that leads to others under other numbers.
private final class RenumberedRow: RowImage {
  private let stored: StoredRow
  private let type: StoreLayout.TypeLayout
  private let number: (EntityTypeID, UInt32) -> UInt32?
  private var runs: [Int: UnsafeMutableBufferPointer<UInt32>] = [:]

  init(_ stored: StoredRow, _ type: StoreLayout.TypeLayout, _ number: @escaping (EntityTypeID, UInt32) -> UInt32?) {
    self.stored = stored
    self.type = type
    self.number = number
  }

  deinit { for run in runs.values { run.deallocate() } }

  var status: UInt64 { stored.status }

  func cell(_ column: Int) -> Cell? {
    guard let cell = stored.cell(column) else { return nil }
    guard type.columns[column].kind == .reference, let target = type.targets[column] else { return cell }
    return number(EntityTypeID(target), UInt32(truncatingIfNeeded: cell.low)).map { Cell(low: UInt64($0)) }
  }

  func run(_ column: Int) -> UnsafeBufferPointer<UInt32> {
    let run = stored.run(column)
    guard !run.isEmpty, let target = type.targets[column] else { return run }
    if let known = runs[column] { return UnsafeBufferPointer(known) }
    let mapped = run.compactMap { number(EntityTypeID(target), $0) }
    let made = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: mapped.count)
    _ = made.initialize(from: mapped)
    runs[column] = made
    return UnsafeBufferPointer(made)
  }

  func withRecord<Result>(_ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    let words = stored.withRecord { words -> ContiguousArray<UInt32> in
      words.isEmpty ? [] : DeletionRecord.renumbered(words, type, number)
    }
    return words.withUnsafeBufferPointer(body)
  }

  func withSuspended<Result>(_ place: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    let relation = type.relations[place]
    let words = stored.withSuspended(place) { words in
      SuspendedLinks.renumbered(words) { self.number(relation.target, $0) }
    }
    return words.withUnsafeBufferPointer(body)
  }
}

extension DeletionRecord {
  /// Returns the words of a record with the new numbers of its targets, without those that have none.
  static func renumbered(
    _ words: UnsafeBufferPointer<UInt32>, _ type: StoreLayout.TypeLayout,
    _ number: (EntityTypeID, UInt32) -> UInt32?
  ) -> ContiguousArray<UInt32> {
    var result = DeletionRecord(words: ContiguousArray(words)).withoutLinks
    for (place, relation) in type.relations.enumerated() {
      guard let range = range(of: place, in: words) else { continue }
      result.add(relation: place, targets: words[range].compactMap { number(relation.target, $0) })
    }
    return result.words
  }
}

extension SuspendedLinks {
  /// Returns the words of links, places and targets by turns, with the new numbers of the targets, without those that have
  /// none.
  static func renumbered(
    _ words: UnsafeBufferPointer<UInt32>, _ number: (UInt32) -> UInt32?
  ) -> ContiguousArray<UInt32> {
    var result = ContiguousArray<UInt32>()
    for place in stride(from: 0, to: words.count - 1, by: 2) {
      if let target = number(words[place + 1]) { result += [words[place], target] }
    }
    return result
  }
}
