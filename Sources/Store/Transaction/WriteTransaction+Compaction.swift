import GQLCatalog

/// Leaving behind what is superseded.
extension WriteTransaction {
  /// Whether more is left behind than ``commit()`` leaves, whoever has written it.
  package var needsCompaction: Bool {
    tables.contains { table in
      table.columns.contains(where: \.needsCompaction)
        || table.indexes.contains { index in
          switch index {
          case .hash(let hash): hash.postings.needsCompaction
          case .fullText(let fullText): fullText.needsCompaction
          case .btree, .trigram, .pending: false
          }
        }
    }
  }

  /// Has ``commit()`` compact whatever needs it, whoever has written it.
  package func takeUpCompaction() {
    for type in tables.indices {
      for number in tables[type].columns.indices where tables[type].columns[number].needsCompaction {
        _ = ownedTable(EntityTypeID(type)).ownedColumn(number)
      }
      for number in tables[type].indexes.indices {
        switch tables[type].indexes[number] {
        case .hash(let hash) where hash.postings.needsCompaction: ownedTable(EntityTypeID(type)).ownIndex(number)
        case .fullText(let index) where index.needsCompaction: ownedTable(EntityTypeID(type)).ownIndex(number)
        case .hash, .fullText, .btree, .trigram, .pending: break
        }
      }
    }
  }

  func compactWritten() {
    for table in tables where table.stamp == stamp {
      for column in table.columns where column.stamp == stamp && column.needsCompaction {
        column.compact { table.isLive($0) || table.isDeleted($0) }
      }
      for index in table.indexes {
        if case .hash(let hash) = index, hash.stamp == stamp, hash.postings.needsCompaction {
          hash.postings.compact { _ in true }
        }
        if case .fullText(let fullText) = index, fullText.stamp == stamp { fullText.compact() }
      }
    }
  }

  /// Gives up what only writing needs.
  func restWriters() {
    for table in tables where table.stamp == stamp {
      for index in table.indexes {
        if case .fullText(let fullText) = index, fullText.stamp == stamp { fullText.rest() }
      }
    }
  }
}
