import GQLCatalog

/// An index that offers rows, each column by itself; see ``CandidateColumn``. Its kinds differ in the keys of a cell.
protocol CandidateIndex: EntityIndex {
  /// In the order of the index's columns.
  var columns: [CandidateColumn] { get }
}

extension CandidateIndex {
  /// Returns the columns for a version that another transaction may write.
  func copiedColumns(_ keys: KeyLayout?) -> [CandidateColumn] {
    zip(columns, keys?.columns ?? columns.map(\.source)).map { CandidateColumn(copying: $0, source: $1) }
  }

  func candidates(_ id: ColumnID) -> CandidateColumn? { columns.first { $0.source == Int(id.index) } }

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
  /// Returns the column of an index that offers rows; nil for another kind of index, and for a column that is not in it.
  package func candidates(_ id: IndexID, _ column: ColumnID) -> CandidateColumn? {
    index(id)?.built?.candidates(column)
  }
}
