import GQLCatalog

/// Rows of one type on their way into a store that is being opened, column by column.
package final class StoredBatch {
  private let width: Int
  private let cells: UnsafeMutablePointer<Cell>
  private let valid: UnsafeMutablePointer<Bool>
  private let statuses: UnsafeMutablePointer<UInt8>
  private let columns: UnsafeMutablePointer<ColumnCells>
  package let capacity: Int
  package private(set) var count = 0

  /// - Parameter width: The number of the type's columns.
  package init(width: Int, capacity: Int) {
    self.width = width
    self.capacity = capacity
    cells = .allocate(capacity: max(1, width * capacity))
    valid = .allocate(capacity: max(1, width * capacity))
    statuses = .allocate(capacity: capacity)
    columns = .allocate(capacity: max(1, width))
    cells.initialize(repeating: Cell(low: 0), count: max(1, width * capacity))
    valid.initialize(repeating: false, count: max(1, width * capacity))
    statuses.initialize(repeating: 0, count: capacity)
    for column in 0..<width {
      (columns + column).initialize(
        to: ColumnCells(cells: cells + column * capacity, valid: valid + column * capacity))
    }
  }

  deinit {
    cells.deallocate()
    valid.deallocate()
    statuses.deallocate()
    columns.deallocate()
  }

  /// Adds a row of nulls, and returns its place. Precondition: there is room.
  package func add(_ status: UInt8) -> Int {
    precondition(count < capacity, "a full batch")
    statuses[count] = status
    count += 1
    return count - 1
  }

  /// Precondition: the column and the place are there.
  @inline(__always)
  package func set(_ column: Int, _ place: Int, _ cell: Cell) {
    cells[column * capacity + place] = cell
    valid[column * capacity + place] = true
  }

  /// Adds the rows at the end of a type's. Returns whether there was room.
  package func append(to transaction: WriteTransaction, _ type: EntityTypeID) -> Bool {
    transaction.appendStored(type, columns: columns, statuses: statuses, rows: count)
  }

  /// Forgets all rows.
  package func removeAll() {
    for column in 0..<width { (valid + column * capacity).update(repeating: false, count: count) }
    count = 0
  }
}
