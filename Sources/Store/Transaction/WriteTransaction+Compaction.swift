import GQLCatalog

/// Leaving behind what is superseded.
extension WriteTransaction {
  /// Whether more is left behind than ``commit()`` leaves, whoever has written it.
  package var needsCompaction: Bool {
    tables.contains { table in
      table.columns.contains(where: \.needsCompaction)
        || table.indexes.contains { $0.built?.needsCompaction ?? false }
    }
  }

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
      for column in table.columns where column.stamp == stamp && column.needsCompaction {
        column.compact { table.isLive($0) || table.isDeleted($0) }
        isCompacted = true
      }
      for index in table.indexes where index.isOwned(by: stamp) {
        if index.built?.needsCompaction ?? false { isCompacted = true }
        index.built?.compact()
      }
    }
  }

  /// Frees the memory that only writing needs.
  func trimIndexes() {
    for table in tables where table.stamp == stamp {
      for index in table.indexes where index.isOwned(by: stamp) { index.built?.trim() }
    }
  }
}
