import GQLBase
import GQLCatalog
import GQLStore

/// A batch of records of one type, column by column, on its way into the store.
///
/// A door that fills it writes every column of a record, its origin, and its links by key.
@usableFromInline package final class EntityStage {
  /// A place of a record in its file.
  package struct Origin {
    package var start: Int
    package var end: Int
    /// A to-one that must have a target and that the record does not name: the other side may still name it.
    package var lacksLink: Bool

    package init(start: Int, end: Int, lacksLink: Bool) {
      self.start = start
      self.end = end
      self.lacksLink = lacksLink
    }
  }

  /// Links of one relation, in the order of their records.
  @usableFromInline package struct Links {
    let relation: RelationID
    @usableFromInline var records: ContiguousArray<Int32> = []
    @usableFromInline var keys: ContiguousArray<Cell> = []
  }

  /// Holds the number of the type, and of its layout.
  package let layout: Int
  package let columnCount: Int
  @exclusivity(unchecked) package private(set) var count = 0
  @exclusivity(unchecked) package private(set) var origins: UnsafeMutablePointer<Origin>
  @exclusivity(unchecked) @usableFromInline var links: ContiguousArray<Links> = []
  /// Holds the rows that the records became.
  @exclusivity(unchecked) private(set) var rows: UnsafeMutablePointer<UInt32>
  /// Column after column, `capacity` records each.
  @exclusivity(unchecked) @usableFromInline var cells: UnsafeMutablePointer<Cell>
  /// Indicates whether a cell has a value.
  @exclusivity(unchecked) @usableFromInline var valid: UnsafeMutablePointer<Bool>
  /// Indicates whether the record said so, rather than a default.
  @exclusivity(unchecked) @usableFromInline var given: UnsafeMutablePointer<Bool>
  @exclusivity(unchecked) @usableFromInline var capacity: Int
  @exclusivity(unchecked) private var columns: UnsafeMutablePointer<ColumnCells>

  /// Returns 1,024, as many rows as a page of the store has; fewer where there are many columns.
  package static func mostRecords(columns: Int) -> Int { max(1, min(1024, (1 << 17) / max(1, columns))) }

  package init(layout: Int, columnCount: Int) {
    self.layout = layout
    self.columnCount = columnCount
    capacity = 0
    cells = .allocate(capacity: 0)
    valid = .allocate(capacity: 0)
    given = .allocate(capacity: 0)
    origins = .allocate(capacity: 0)
    rows = .allocate(capacity: 0)
    columns = .allocate(capacity: columnCount)
  }

  deinit {
    deallocate()
    columns.deallocate()
  }

  private func deallocate() {
    cells.deallocate()
    valid.deallocate()
    given.deallocate()
    origins.deallocate()
    rows.deallocate()
  }

  /// Forgets all records.
  package func removeAll() {
    count = 0
    for index in links.indices {
      links[index].records.removeAll(keepingCapacity: true)
      links[index].keys.removeAll(keepingCapacity: true)
    }
  }

  /// Adds records, whose cells and origins the caller writes. Returns the first one's number.
  package func add(_ added: Int) -> Int {
    if count + added > capacity { grow(count + added) }
    count += added
    return count - added
  }

  /// Forgets the records from `end` on, and their links.
  package func truncate(to end: Int) {
    count = end
    for index in links.indices {
      while let last = links[index].records.last, Int(last) >= end {
        links[index].records.removeLast()
        links[index].keys.removeLast()
      }
    }
  }

  /// Returns the cells of a column, by record.
  @inlinable package func cells(_ column: Int) -> UnsafeMutablePointer<Cell> { cells + column * capacity }
  @inlinable package func valid(_ column: Int) -> UnsafeMutablePointer<Bool> { valid + column * capacity }
  @inlinable package func given(_ column: Int) -> UnsafeMutablePointer<Bool> { given + column * capacity }

  /// Returns the columns as the store takes them; valid until records are added.
  var storeColumns: UnsafePointer<ColumnCells> {
    for column in 0..<columnCount {
      (columns + column).initialize(to: ColumnCells(cells: cells(column), valid: valid(column)))
    }
    return UnsafePointer(columns)
  }

  /// Returns the place of a relation in ``links``.
  package func place(of relation: RelationID) -> Int {
    for index in links.indices where links[index].relation == relation { return index }
    links.append(Links(relation: relation))
    return links.count - 1
  }

  @inlinable package func link(_ place: Int, _ record: Int, _ key: Cell) {
    links[place].records.append(Int32(truncatingIfNeeded: record))
    links[place].keys.append(key)
  }

  private func grow(_ needed: Int) {
    let larger = max(needed, min(capacity * 2, Self.mostRecords(columns: columnCount)), 16)
    let cells = UnsafeMutablePointer<Cell>.allocate(capacity: larger * columnCount)
    let valid = UnsafeMutablePointer<Bool>.allocate(capacity: larger * columnCount)
    let given = UnsafeMutablePointer<Bool>.allocate(capacity: larger * columnCount)
    let origins = UnsafeMutablePointer<Origin>.allocate(capacity: larger)
    let rows = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
    for column in 0..<columnCount {
      (cells + column * larger).initialize(from: self.cells(column), count: count)
      (valid + column * larger).initialize(from: self.valid(column), count: count)
      (given + column * larger).initialize(from: self.given(column), count: count)
    }
    origins.initialize(from: self.origins, count: count)
    rows.initialize(from: self.rows, count: count)
    deallocate()
    self.cells = cells
    self.valid = valid
    self.given = given
    self.origins = origins
    self.rows = rows
    capacity = larger
  }
}

extension EntityStage {
  /// Copies a record of a record stage, without its links, and returns its number.
  func add(_ record: RecordStage.Record, of stage: borrowing RecordStage) -> Int {
    let number = add(1)
    origins[number] = Origin(start: record.origin.start, end: record.origin.end, lacksLink: record.isIncomplete)
    for column in 0..<columnCount {
      let place = column * capacity + number
      cells[place] = stage.cells[record.base + column]
      valid[place] = stage.valid[record.base + column]
      given[place] = stage.given[record.base + column]
    }
    return number
  }

  /// Adds links of a record that are by key. Returns false where one is not: it is a record of its own.
  package func link(_ number: Int, as stage: borrowing RecordStage) -> Bool {
    for link in stage.links {
      for index in link.targets {
        guard case .key(let key, _) = stage.targets[index] else { return false }
        self.link(place(of: link.relation), number, key)
      }
    }
    return true
  }

  /// Copies a record into a record stage, as its only one.
  func copy(_ number: Int, of type: EntityTypeID, to stage: inout RecordStage) -> RecordStage.Record {
    stage.removeAll()
    let origin = origins[number]
    let record = stage.begin(
      type, columns: columnCount, role: .row, origin: RecordStage.Origin(start: origin.start, end: origin.end))
    stage.records[record].isIncomplete = origin.lacksLink
    for column in 0..<columnCount {
      let place = column * capacity + number
      stage.put(column, cells[place], isValid: valid[place], isGiven: given[place])
    }
    return stage.records[record]
  }
}
