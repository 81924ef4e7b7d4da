import GQLBase
import GQLCatalog

/// One version of a trigram index: the trigrams of each of its columns.
package final class TrigramIndex: @unchecked Sendable {
  let stamp: UInt64
  /// In the order of the index's columns.
  let columns: [TrigramColumn]

  init(columns: [Int], stamp: UInt64) {
    self.stamp = stamp
    self.columns = columns.map { TrigramColumn(source: $0) }
  }

  init(copying other: TrigramIndex, stamp: UInt64) {
    self.stamp = stamp
    columns = other.columns.map { TrigramColumn(copying: $0) }
  }

  /// The same texts in other columns: as many, in the same order.
  init(copying other: TrigramIndex, columns: [Int], stamp: UInt64) {
    self.stamp = stamp
    self.columns = zip(other.columns, columns).map { TrigramColumn(copying: $0, source: $1) }
  }

  /// The index over one of the columns.
  package func column(_ id: ColumnID) -> TrigramColumn? { columns.first { $0.source == Int(id.index) } }

  func insert(_ row: UInt32, _ readers: UnsafePointer<ColumnReader>) {
    for column in columns where !readers[column.source].isNull(row) { column.insert(row) }
  }

  func remove(_ row: UInt32, _ readers: UnsafePointer<ColumnReader>) {
    for column in columns where !readers[column.source].isNull(row) { column.remove() }
  }

  /// Where the allowance ends the index is not to be used.
  func build(
    _ rows: some Sequence<UInt32>, _ readers: UnsafePointer<ColumnReader>, _ allowance: WorkAllowance? = nil
  ) {
    for column in columns { column.build(rows, readers, allowance) }
  }

  func needsSettling(_ table: Table) -> Bool { columns.contains { $0.needsSettling(table) } }

  /// Where the allowance ends the index is not to be used.
  func settle(_ table: Table, _ allowance: WorkAllowance? = nil) {
    for column in columns { column.settle(table, allowance) }
  }

  var byteCount: Int { columns.reduce(0) { $0 + $1.byteCount } }

  func hashMemory(into digest: inout MemoryDigest) { for column in columns { column.hashMemory(into: &digest) } }

  /// Calls with each live row that is missed, and nil where something else is wrong.
  func check(_ rows: [UInt32], _ readers: UnsafePointer<ColumnReader>, _ report: (UInt32?) -> Void) {
    for column in columns { column.check(rows, readers, report) }
  }
}

extension Snapshot {
  /// Precondition: a trigram index.
  package func trigrams(_ id: IndexID) -> TrigramIndex {
    guard let place = layout.places[Int(id.index)], case .trigram(let index) = tables[place.type].indexes[place.index]
    else { preconditionFailure("not a trigram index") }
    return index
  }

  package func trigramCount(_ index: IndexID, _ column: ColumnID, _ query: TrigramQuery) -> Int? {
    guard let place = layout.places[Int(index.index)],
      case .trigram(let found) = tables[place.type].indexes[place.index]
    else { return nil }
    return found.column(column)?.estimate(query)
  }
}
