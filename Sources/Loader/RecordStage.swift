import GQLBase
import GQLCatalog
import GQLStore

/// Records read but not yet in the store: one record of a file and the entities nested in it.
///
/// A record goes into the store as a whole or not at all, so that a bad one can be skipped.
struct RecordStage {
  struct Record {
    var layout: Int
    /// Holds the first of the record's cells in `cells`, `valid` and `given`.
    var base: Int
    /// Marks where the record's object starts and ends in its file.
    var start: Int
    var end: Int
    /// False for an object inside another.
    var isTopLevel: Bool
    /// A nested object that names nothing but its id: a link, not an entity.
    var isBareID: Bool
    /// A non-null property that has no value, as `User.name`; nil if there is none. Fatal for top-level records only.
    var missing: String?
    /// A to-one that must have a target and that the record does not name: the other side may still name it.
    var lacksLink = false
  }

  struct Link {
    var relation: RelationID
    var record: Int
    /// Holds the target's key, or the number of the staged record.
    var key: Cell
    var isRecord: Bool
    /// For a relation to an interface or union whose target says its type: that type.
    var type: EntityTypeID?
  }

  var records: ContiguousArray<Record> = []
  var links: ContiguousArray<Link> = []
  private(set) var cells: UnsafeMutablePointer<Cell>
  /// Indicates whether a cell has a value.
  private(set) var valid: UnsafeMutablePointer<Bool>
  /// Indicates whether the record said so, rather than a default.
  private(set) var given: UnsafeMutablePointer<Bool>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 256
    cells = .allocate(capacity: capacity)
    valid = .allocate(capacity: capacity)
    given = .allocate(capacity: capacity)
  }

  func deallocate() {
    cells.deallocate()
    valid.deallocate()
    given.deallocate()
  }

  mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Adds an empty record and gives its number.
  mutating func begin(layout: Int, columns: Int, start: Int, isTopLevel: Bool) -> Int {
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

  @inline(__always)
  mutating func set(_ index: Int, _ cell: Cell) {
    cells[index] = cell
    valid[index] = true
    given[index] = true
  }

  /// Sets a cell, whether it has a value, and whether the record said so.
  mutating func put(_ index: Int, _ cell: Cell, isValid: Bool, isGiven: Bool) {
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
