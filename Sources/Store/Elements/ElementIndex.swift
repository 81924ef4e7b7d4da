import GQLBase
import GQLCatalog

/// One version of an index over the elements of lists, those of each of its columns by themselves.
final class ElementIndex: CandidateIndex, @unchecked Sendable {
  let stamp: UInt64
  let columns: [CandidateColumn]
  /// By column.
  private let keys: [ElementKeys]

  init(_ layout: StoreLayout.Index, stamp: UInt64) {
    self.stamp = stamp
    keys = (0..<layout.keys.count).map { ElementKeys(layout.keys.components[$0]) }
    columns = zip(keys, layout.keys.columns).map { CandidateColumn($0, source: $1) }
  }

  init(copying other: ElementIndex, keys: KeyLayout?, stamp: UInt64) {
    self.stamp = stamp
    self.keys = other.keys
    columns = other.copiedColumns(keys)
  }

  var inTable: TableIndex { .elements(self) }

  /// Returns about how many lists hold an element, where there is one column.
  func count(under key: [Cell], columns readers: UnsafePointer<ColumnReader>) -> Int? {
    guard columns.count == 1, key.count == 1 else { return nil }
    return columns[0].estimate(CandidateQuery(keys: [keys[0].key(key[0])]))
  }
}
