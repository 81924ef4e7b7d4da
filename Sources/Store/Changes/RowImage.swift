import GQLCatalog

/// The content of one row at one time: status, cells, lists, links that are suspended, and what is remembered of a
/// deleted entity. A void row has none of these.
protocol RowImage {
  var status: UInt64 { get }
  /// A cell of a column of fields or of a to-one relation, with what is finer; nil for null.
  func cell(_ column: Int) -> Cell?
  /// The targets of a to-many relation.
  func run(_ column: Int) -> UnsafeBufferPointer<UInt32>
  /// The words of a ``DeletionRecord``; empty but for deleted rows.
  func withRecord<Result>(_ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result
  /// The words of the ``SuspendedLinks`` of the relation at a place; empty but for live rows.
  func withSuspended<Result>(_ place: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result
}

/// A row as a table holds it.
struct StoredRow: RowImage {
  let table: Table
  let row: UInt32
  let status: UInt64

  init(_ table: Table, _ row: UInt32) {
    self.table = table
    self.row = row
    status = table.status(row)
  }

  @inline(__always)
  func cell(_ column: Int) -> Cell? {
    if status == RowChangeStatus.void { return nil }
    let store = table.columns[column]
    return store.isNull(row) ? nil : store.cell(row)
  }

  @inline(__always)
  func run(_ column: Int) -> UnsafeBufferPointer<UInt32> {
    if status == RowChangeStatus.void { return UnsafeBufferPointer(start: nil, count: 0) }
    return table.readers[column].references(row)
  }

  func withRecord<Result>(_ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    guard status == RowChangeStatus.deleted, let tombstones = table.tombstones else {
      return body(UnsafeBufferPointer(start: nil, count: 0))
    }
    return tombstones.withWords(row, body)
  }

  func withSuspended<Result>(_ place: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    guard status != RowChangeStatus.void, !table.suspended.isEmpty, let links = table.suspended[place] else {
      return body(UnsafeBufferPointer(start: nil, count: 0))
    }
    return links.withLinks(row, body)
  }
}

/// A row that is void.
struct VoidRow: RowImage {
  var status: UInt64 { RowChangeStatus.void }
  @inline(__always)
  func cell(_ column: Int) -> Cell? { nil }
  @inline(__always)
  func run(_ column: Int) -> UnsafeBufferPointer<UInt32> { UnsafeBufferPointer(start: nil, count: 0) }
  func withRecord<Result>(_ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    body(UnsafeBufferPointer(start: nil, count: 0))
  }
  func withSuspended<Result>(_ place: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    body(UnsafeBufferPointer(start: nil, count: 0))
  }
}

extension Table {
  /// Returns the status of a row; void for one that the table does not have.
  func status(_ row: UInt32) -> UInt64 {
    guard Int(row) < slots else { return RowChangeStatus.void }
    return liveness.map { UInt64($0.reader.byte(row)) } ?? RowChangeStatus.live
  }
}
