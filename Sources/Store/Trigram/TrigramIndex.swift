import GQLBase
import GQLCatalog

/// One version of a trigram index: the trigrams of each of its columns.
final class TrigramIndex: CandidateIndex, @unchecked Sendable {
  let stamp: UInt64
  let columns: [CandidateColumn]

  init(_ layout: StoreLayout.Index, stamp: UInt64) {
    self.stamp = stamp
    columns = layout.keys.columns.map { CandidateColumn(TrigramKeys(), source: $0) }
  }

  init(copying other: TrigramIndex, keys: KeyLayout?, stamp: UInt64) {
    self.stamp = stamp
    columns = other.copiedColumns(keys)
  }

  var inTable: TableIndex { .trigram(self) }
}

extension Snapshot {
  package func trigramCount(_ index: IndexID, _ column: ColumnID, _ query: CandidateQuery) -> Int? {
    candidates(index, column)?.estimate(query)
  }
}
