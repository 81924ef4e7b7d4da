import GQLBase
import GQLCatalog
import GQLStore

/// A record on its way into the store, with the objects inside it: flat, each before those inside it.
///
/// All doors fill it whose records hold others. It is never copied: it owns the memory of its cells.
@usableFromInline package struct RecordStage: ~Copyable {
  package enum Role: UInt8, Sendable {
    /// A record of its own.
    case row
    /// An object inside another: a fragment, which a record of its own may complete.
    case fragment
    /// An object inside another that names nothing but its id: a link, and no entity.
    case reference
    /// Values for an entity that was found.
    case assignment
    /// An element of a list of embedded objects.
    case element
  }

  /// A place of a record, a link or a key, as its door counts: offsets in a file, or the number of a source.
  package struct Origin: Sendable {
    package var start: Int
    package var end: Int

    package init(start: Int, end: Int? = nil) {
      self.start = start
      self.end = end ?? start
    }
  }

  @usableFromInline package struct Record {
    package var type: EntityTypeID
    /// Holds the first of the record's cells in `cells`, `valid` and `given`.
    @usableFromInline package var base: Int
    /// Holds the number of the record after the last one inside it.
    package var end: Int
    package var role: Role
    package var origin: Origin
    /// Holds the row that it became, or that it was found to be.
    package var row = PageLayout.noRow
    /// Of an element: the record in whose list it stands.
    package var owner = 0
    /// Indicates whether it lacks something that it must have and that another record may still give.
    package var isIncomplete = false
    /// Indicates whether neither it nor what is inside it is written.
    package var isSkipped = false
    /// Indicates whether null, for a link of an entity that was there, says nothing.
    package var keepsForNull = false
    /// Indicates whether links without a word for what they do are appended.
    package var appends = false
    /// Indicates whether links fill only what is empty.
    package var fillsOnly = false
  }

  /// A relation of a record, and what it is to lead to.
  package struct Link {
    package var record: Int
    package var relation: RelationID
    package var mode: LinkMode
    package var isNull: Bool
    /// Indicates whether it is a part of an embedded object, which is written as a whole.
    package var isWithin: Bool
    /// Indicates whether it is as it was read, which does not show what the link waits for.
    package var isRead = false
    /// Holds its places in `targets`.
    package var targets: Range<Int>
    package var origin: Origin
  }

  package enum Target {
    case record(Int)
    /// A key; of a relation to an interface or union as an ID.
    case key(Cell, at: Origin)
    case row(UInt32, EntityTypeID)
  }

  @usableFromInline package var records: ContiguousArray<Record> = []
  package private(set) var links: ContiguousArray<Link> = []
  package private(set) var targets: ContiguousArray<Target> = []
  @usableFromInline var staged: StagedCells
  @inlinable package var cells: UnsafeMutablePointer<Cell> { staged.cells }
  /// Indicates whether a cell has a value.
  @inlinable package var valid: UnsafeMutablePointer<Bool> { staged.valid }
  /// Indicates whether the record said so, be it as null, rather than a default.
  @inlinable package var given: UnsafeMutablePointer<Bool> { staged.given }

  package init(capacity: Int = 256) { staged = StagedCells(capacity: capacity) }

  deinit { staged.deallocate() }

  package mutating func removeAll() {
    records.clear()
    removeLinks()
    staged.truncate(to: 0)
  }

  /// Forgets the links of all records.
  package mutating func removeLinks() {
    links.clear()
    targets.clear()
  }

  /// Counts the bytes of all that is staged, but for texts and lists. Room that is left from before does not count.
  package var byteCount: Int {
    records.count &* MemoryLayout<Record>.stride &+ links.count &* MemoryLayout<Link>.stride
      &+ targets.count &* MemoryLayout<Target>.stride &+ staged.count &* (MemoryLayout<Cell>.stride &+ 2)
  }

  /// Adds an empty record and returns its number.
  package mutating func begin(_ type: EntityTypeID, columns: Int, role: Role, origin: Origin) -> Int {
    records.append(
      Record(type: type, base: staged.begin(columns), end: records.count + 1, role: role, origin: origin))
    return records.count - 1
  }

  /// Removes the last record. Precondition: nothing is inside it, and it has no links.
  package mutating func removeLast() { if let last = records.popLast() { staged.truncate(to: last.base) } }

  /// Gives a record a cell that it names; nil is null.
  @inlinable
  @inline(__always)
  package mutating func set(_ record: Int, _ column: Int, _ cell: Cell?) {
    let index = records[record].base &+ column
    given[index] = true
    valid[index] = cell != nil
    if let cell { cells[index] = cell }
  }

  /// Sets a cell of the record whose cells begin at some place before it.
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

  /// Adds a link of a record to targets.
  package mutating func link(
    _ record: Int, _ relation: RelationID, to targets: [Target], mode: LinkMode = .assign,
    isNull: Bool = false, isWithin: Bool = false, isRead: Bool = false, origin: Origin
  ) {
    let first = self.targets.count
    // Most are one.
    for target in targets { self.targets.append(target) }
    links.append(
      Link(
        record: record, relation: relation, mode: mode, isNull: isNull, isWithin: isWithin, isRead: isRead,
        targets: first..<self.targets.count, origin: origin))
  }

  /// Replaces a target by the row where it was found.
  package mutating func setTarget(_ place: Int, to row: UInt32, of type: EntityTypeID) {
    targets[place] = .row(row, type)
  }

  /// Removes the last link, which is written.
  package mutating func removeLastLink() {
    if let last = links.popLast() { targets.removeLast(targets.count - last.targets.lowerBound) }
  }

  /// Adds a link of a record to one target, at the place of the record.
  package mutating func link(_ record: Int, _ relation: RelationID, to target: Target) {
    targets.append(target)
    links.append(
      Link(
        record: record, relation: relation, mode: .assign, isNull: false, isWithin: false,
        targets: targets.count - 1..<targets.count, origin: records[record].origin))
  }
}
