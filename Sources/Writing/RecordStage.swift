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
  @usableFromInline var staged = StagedCells()
  @inlinable package var cells: UnsafeMutablePointer<Cell> { staged.cells }
  /// Indicates whether a cell has a value.
  @inlinable package var valid: UnsafeMutablePointer<Bool> { staged.valid }
  /// Indicates whether the record said so, rather than a default.
  @inlinable package var given: UnsafeMutablePointer<Bool> { staged.given }

  package init() {}

  package func deallocate() { staged.deallocate() }

  package mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    links.removeAll(keepingCapacity: true)
    staged.truncate(to: 0)
  }

  /// Adds an empty record and returns its number.
  package mutating func begin(layout: Int, columns: Int, start: Int, isTopLevel: Bool) -> Int {
    records.append(
      Record(
        layout: layout, base: staged.begin(columns), start: start, end: start, isTopLevel: isTopLevel, isBareID: false,
        missing: nil))
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
}
