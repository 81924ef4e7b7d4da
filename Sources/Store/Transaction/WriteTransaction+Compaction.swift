import GQLCatalog

/// Leaving behind what is superseded.
extension WriteTransaction {
  /// Whether more is left behind than ``commit()`` leaves, whoever has written it.
  package var needsCompaction: Bool { tables.contains(where: \.needsCompaction) }

  /// Has ``commit()`` compact whatever needs it, whoever has written it.
  package func takeUpCompaction() {
    for type in tables.indices {
      for number in tables[type].columns.indices where tables[type].columns[number].needsCompaction {
        _ = ownedTable(EntityTypeID(type)).ownedColumn(number)
      }
      for (number, index) in tables[type].indexes.enumerated() where index.built?.needsCompaction ?? false {
        ownedTable(EntityTypeID(type)).ownIndex(number)
      }
    }
  }

  func compactWritten() {
    for table in tables where table.stamp == stamp {
      isCompacted = isCompacted || table.needsCompaction
      for column in table.columns where column.stamp == stamp && column.needsCompaction {
        column.compact { table.isLive($0) || table.isDeleted($0) }
      }
      for index in table.indexes where index.isOwned(by: stamp) { index.built?.compact() }
    }
  }

  /// Frees the memory that only writing needs.
  func trimIndexes() {
    for table in tables where table.stamp == stamp {
      for index in table.indexes where index.isOwned(by: stamp) { index.built?.trim() }
    }
  }
}

extension Table {
  /// Indicates whether more is left behind than a commit leaves.
  fileprivate var needsCompaction: Bool {
    columns.contains(where: \.needsCompaction) || indexes.contains { $0.built?.needsCompaction ?? false }
  }
}
