import GQLBase
import GQLCatalog
import GQLText

/// One version of a full-text index: an inverted index for each of its columns.
package final class FullTextIndex: @unchecked Sendable {
  let language: TextLanguage
  let stamp: UInt64
  /// In the order of the index's columns.
  @exclusivity(unchecked) private(set) var columns: [FullTextColumn]
  /// Of the one thread that writes.
  @exclusivity(unchecked) private var analyzer: TextAnalyzer?

  init(_ layout: StoreLayout.Index, stamp: UInt64) {
    language = layout.language ?? .standard
    self.stamp = stamp
    columns = layout.keys.columns.map { FullTextColumn(source: $0, stamp: stamp) }
  }

  init(copying other: FullTextIndex, keys: KeyLayout?, stamp: UInt64) {
    language = other.language
    self.stamp = stamp
    let sources = keys?.columns ?? other.columns.map(\.source)
    columns = zip(other.columns, sources).map { FullTextColumn(copying: $0, source: $1, stamp: stamp) }
  }

  /// The index over one of the columns.
  package func column(_ id: ColumnID) -> FullTextColumn? { columns.first { $0.source == Int(id.index) } }

  private func writer() -> TextAnalyzer {
    if let analyzer { return analyzer }
    let made = TextAnalyzer(language)
    analyzer = made
    return made
  }
}

extension FullTextIndex: EntityIndex {
  var inTable: TableIndex { .fullText(self) }

  func insert(_ row: UInt32, columns readers: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    for column in columns where !readers[column.source].isNull(row) {
      column.insert(row, readers[column.source].text(row), writer())
    }
  }

  func remove(_ row: UInt32, columns readers: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    for column in columns where !readers[column.source].isNull(row) {
      column.remove(row, readers[column.source].text(row), writer())
    }
  }

  func build(
    _ rows: IndexedRows, columns readers: UnsafePointer<ColumnReader>, _ allowance: WorkAllowance?
  ) -> (UInt32, UInt32)? {
    for column in columns { column.build(rows, readers[column.source], writer(), allowance) }
    return nil
  }

  var needsCompaction: Bool { columns.contains { $0.needsCompaction } }

  func compact() {
    for index in columns.indices where columns[index].needsCompaction {
      columns[index] = columns[index].compacted(stamp: stamp)
    }
  }

  func trim() { analyzer = nil }

  var byteCount: Int { columns.reduce(0) { $0 + $1.byteCount } }

  func hashMemory(into digest: inout MemoryDigest) { for column in columns { column.hashMemory(into: &digest) } }

  /// Complexity: O(postings).
  func check(_ table: Table, as id: IndexID) -> [Inconsistency] {
    var found: [Inconsistency] = []
    for column in columns {
      column.check(table.liveRows, table.readers[column.source], TextAnalyzer(language)) { row in
        found.append(row.map { .indexEntry(id, row: $0) } ?? .indexStructure(id))
      }
    }
    return found
  }
}

extension FullTextColumn {
  /// Compares the column with one that is made of the texts of the live rows; calls with each row that is wrong, and with
  /// nil where something else is.
  fileprivate func check(
    _ rows: IndexedRows, _ reader: ColumnReader, _ analyzer: TextAnalyzer, _ report: (UInt32?) -> Void
  ) {
    let fresh = FullTextColumn(source: source, stamp: 0)
    fresh.build(rows, reader, analyzer)
    if fresh.words != words { report(nil) }
    for row in rows where fresh.length(row) != length(row) { report(row) }
    var known = 0
    for term in 0..<UInt32(truncatingIfNeeded: fresh.termCount) {
      var expected = PostingBuffer()
      fresh.append(term, to: &expected)
      guard let other = fresh.withBytes(term, { self.term($0) }) else {
        report(expected.rows[0])
        continue
      }
      known += 1
      var found = PostingBuffer()
      append(other, to: &found)
      let isSame =
        found.count == expected.count && self.found(other) == expected.count
        && (0..<found.count).allSatisfy {
          found.rows[$0] == expected.rows[$0] && found.weights[$0] == expected.weights[$0]
        }
      if !isSame { report(expected.rows[0]) }
    }
    // What is left are terms that no text has any more.
    let used = (0..<UInt32(truncatingIfNeeded: termCount)).reduce(0) { $0 + (self.found($1) > 0 ? 1 : 0) }
    if used != known { report(nil) }
    if terms(from: Text()).count != termCount { report(nil) }
  }
}

extension Snapshot {
  /// Precondition: a full-text index.
  package func fullTextIndex(_ id: IndexID) -> FullTextIndex {
    guard let index = index(id)?.asFullText else { preconditionFailure("not a full-text index") }
    return index
  }
}
