import GQLBase
import GQLCatalog
import GQLStore

/// A record on its way into the store, with the entities nested in it.
///
/// A record goes into the store as a whole or not at all, so that a bad one can be skipped.
@usableFromInline package struct RecordStage {
  package struct Record {
    package var layout: Int
    /// Holds the first of the record's cells in `cells`, `valid` and `given`.
    package var base: Int
    /// Marks where the record's object starts and ends in its file.
    package var start: Int
    package var end: Int
    /// False for an object inside another.
    package var isTopLevel: Bool
    /// A nested object that names nothing but its id: a link, not an entity.
    package var isBareID: Bool
    /// A non-null property that has no value, as `User.name`; nil if there is none. Fatal for top-level records only.
    package var missing: String?
    /// A to-one that must have a target and that the record does not name: the other side may still name it.
    package var lacksLink = false
  }

  package struct Link {
    package var relation: RelationID
    package var record: Int
    /// Holds the target's key, or the number of the staged record.
    package var key: Cell
    package var isRecord: Bool
    /// For a relation to an interface or union whose target says its type: that type.
    package var type: EntityTypeID?

    package init(relation: RelationID, record: Int, key: Cell, isRecord: Bool, type: EntityTypeID? = nil) {
      self.relation = relation
      self.record = record
      self.key = key
      self.isRecord = isRecord
      self.type = type
    }
  }

  package var records: ContiguousArray<Record> = []
  package var links: ContiguousArray<Link> = []
  @usableFromInline package internal(set) var cells: UnsafeMutablePointer<Cell>
  /// Indicates whether a cell has a value.
  @usableFromInline package internal(set) var valid: UnsafeMutablePointer<Bool>
  /// Indicates whether the record said so, rather than a default.
  @usableFromInline package internal(set) var given: UnsafeMutablePointer<Bool>
  private var capacity: Int
  package private(set) var count = 0

  package init() {
    capacity = 256
    cells = .allocate(capacity: capacity)
    valid = .allocate(capacity: capacity)
    given = .allocate(capacity: capacity)
  }

  package func deallocate() {
    cells.deallocate()
    valid.deallocate()
    given.deallocate()
  }

  package mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Adds an empty record and returns its number.
  package mutating func begin(layout: Int, columns: Int, start: Int, isTopLevel: Bool) -> Int {
    if count + columns > capacity { grow(count + columns) }
    (cells + count).initialize(repeating: Cell(low: 0), count: columns)
    (valid + count).initialize(repeating: false, count: columns)
    (given + count).initialize(repeating: false, count: columns)
    records.append(
      Record(
        layout: layout, base: count, start: start, end: start, isTopLevel: isTopLevel, isBareID: false, missing: nil))
    count += columns
    return records.count - 1
  }

  @inlinable
  @inline(__always)
  package mutating func set(_ index: Int, _ cell: Cell) {
    cells[index] = cell
    valid[index] = true
    given[index] = true
  }

  /// Sets a cell, whether it has a value, and whether the record said so.
  package mutating func put(_ index: Int, _ cell: Cell, isValid: Bool, isGiven: Bool) {
    cells[index] = cell
    valid[index] = isValid
    given[index] = isGiven
  }

  private mutating func grow(_ needed: Int) {
    let larger = max(needed, capacity * 2)
    let cells = UnsafeMutablePointer<Cell>.allocate(capacity: larger)
    cells.initialize(from: self.cells, count: count)
    let valid = UnsafeMutablePointer<Bool>.allocate(capacity: larger)
    valid.initialize(from: self.valid, count: count)
    let given = UnsafeMutablePointer<Bool>.allocate(capacity: larger)
    given.initialize(from: self.given, count: count)
    deallocate()
    self.cells = cells
    self.valid = valid
    self.given = given
    capacity = larger
  }
}
