import GQLStore

/// The cells of records of any types, record after record. Its owner frees it.
@usableFromInline package struct StagedCells {
  @usableFromInline package internal(set) var cells: UnsafeMutablePointer<Cell>
  /// Indicates whether a cell has a value.
  @usableFromInline package internal(set) var valid: UnsafeMutablePointer<Bool>
  /// Indicates whether the record said so, be it as null, rather than a default.
  @usableFromInline package internal(set) var given: UnsafeMutablePointer<Bool>
  @usableFromInline var capacity: Int
  /// Counts the cells of all records.
  @usableFromInline package internal(set) var count = 0

  package init(capacity: Int = 256) {
    self.capacity = capacity
    cells = .allocate(capacity: capacity)
    valid = .allocate(capacity: capacity)
    given = .allocate(capacity: capacity)
  }

  package func deallocate() {
    cells.deallocate()
    valid.deallocate()
    given.deallocate()
  }

  /// Adds a record, all of whose cells are null and not given. Returns the place of its first cell.
  @inlinable package mutating func begin(_ columns: Int) -> Int {
    if count + columns > capacity { grow(count + columns) }
    (cells + count).initialize(repeating: Cell(low: 0), count: columns)
    (valid + count).initialize(repeating: false, count: columns)
    (given + count).initialize(repeating: false, count: columns)
    count += columns
    return count - columns
  }

  /// Forgets the records from the one on whose first cell is at `base`.
  @inlinable package mutating func truncate(to base: Int) { count = base }

  @inline(never) @usableFromInline mutating func grow(_ needed: Int) {
    let larger = max(needed, capacity * 2)
    let old = self
    cells = .allocate(capacity: larger)
    cells.initialize(from: old.cells, count: count)
    valid = .allocate(capacity: larger)
    valid.initialize(from: old.valid, count: count)
    given = .allocate(capacity: larger)
    given.initialize(from: old.given, count: count)
    capacity = larger
    old.deallocate()
  }
}
