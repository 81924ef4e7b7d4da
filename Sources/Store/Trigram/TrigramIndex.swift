import GQLBase
import GQLCatalog

/// One version of a trigram index: the trigrams of each of its columns.
package final class TrigramIndex: @unchecked Sendable {
  let stamp: UInt64
  /// In the order of the index's columns.
  let columns: [TrigramColumn]

  init(_ layout: StoreLayout.Index, stamp: UInt64) {
    self.stamp = stamp
    columns = layout.keys.columns.map { TrigramColumn(source: $0) }
  }

  init(copying other: TrigramIndex, keys: KeyLayout?, stamp: UInt64) {
    self.stamp = stamp
    let sources = keys?.columns ?? other.columns.map(\.source)
    columns = zip(other.columns, sources).map { TrigramColumn(copying: $0, source: $1) }
  }

  /// The index over one of the columns.
  package func column(_ id: ColumnID) -> TrigramColumn? { columns.first { $0.source == Int(id.index) } }
}

extension TrigramIndex: EntityIndex {
  var inTable: TableIndex { .trigram(self) }

  func insert(_ row: UInt32, columns readers: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    for column in columns where !readers[column.source].isNull(row) { column.insert(row) }
  }

  func remove(_ row: UInt32, columns readers: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    for column in columns where !readers[column.source].isNull(row) { column.remove() }
  }

  func build(
    _ rows: IndexedRows, columns readers: UnsafePointer<ColumnReader>, _ allowance: WorkAllowance?
  ) -> (UInt32, UInt32)? {
    for column in columns { column.build(rows, readers, allowance) }
    return nil
  }

  func needsSettling(_ table: Table) -> Bool { columns.contains { $0.needsSettling(table) } }

  func settle(_ table: Table, _ allowance: WorkAllowance?) {
    for column in columns { column.settle(table, allowance) }
  }

  var byteCount: Int { columns.reduce(0) { $0 + $1.byteCount } }

  func hashMemory(into digest: inout MemoryDigest) { for column in columns { column.hashMemory(into: &digest) } }

  func check(_ table: Table, as id: IndexID) -> [Inconsistency] {
    var found: [Inconsistency] = []
    for column in columns {
      column.check(table.liveRows, table.readers) { row in
        found.append(row.map { .indexEntry(id, row: $0) } ?? .indexStructure(id))
      }
    }
    return found
  }
}

extension Snapshot {
  /// Precondition: a trigram index.
  package func trigrams(_ id: IndexID) -> TrigramIndex {
    guard let index = index(id)?.asTrigram else { preconditionFailure("not a trigram index") }
    return index
  }

  package func trigramCount(_ index: IndexID, _ column: ColumnID, _ query: TrigramQuery) -> Int? {
    self.index(index)?.asTrigram?.column(column)?.estimate(query)
  }
}
