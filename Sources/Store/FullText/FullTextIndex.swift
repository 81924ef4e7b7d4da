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

  init(language: TextLanguage, columns: [Int], stamp: UInt64) {
    self.language = language
    self.stamp = stamp
    self.columns = columns.map { FullTextColumn(source: $0, stamp: stamp) }
  }

  init(copying other: FullTextIndex, stamp: UInt64) {
    language = other.language
    self.stamp = stamp
    columns = other.columns.map { FullTextColumn(copying: $0, stamp: stamp) }
  }

  /// The same texts in other columns: as many, in the same order.
  init(copying other: FullTextIndex, columns: [Int], stamp: UInt64) {
    language = other.language
    self.stamp = stamp
    self.columns = zip(other.columns, columns).map { FullTextColumn(copying: $0, source: $1, stamp: stamp) }
  }

  /// The index over one of the columns.
  package func column(_ id: ColumnID) -> FullTextColumn? { columns.first { $0.source == Int(id.index) } }

  private func writer() -> TextAnalyzer {
    if let analyzer { return analyzer }
    let made = TextAnalyzer(language)
    analyzer = made
    return made
  }

  /// Gives up what only writing needs.
  func rest() { analyzer = nil }

  func insert(_ row: UInt32, _ readers: UnsafePointer<ColumnReader>) {
    for column in columns where !readers[column.source].isNull(row) {
      column.insert(row, Self.text(readers[column.source], row), writer())
    }
  }

  func remove(_ row: UInt32, _ readers: UnsafePointer<ColumnReader>) {
    for column in columns where !readers[column.source].isNull(row) {
      column.remove(row, Self.text(readers[column.source], row), writer())
    }
  }

  /// Where the allowance ends the index is not to be used.
  func build(
    _ rows: some Sequence<UInt32>, _ readers: UnsafePointer<ColumnReader>, _ allowance: WorkAllowance? = nil
  ) {
    for column in columns { column.build(rows, readers[column.source], writer(), allowance) }
  }

  var needsCompaction: Bool { columns.contains { $0.needsCompaction } }

  func compact() {
    for index in columns.indices where columns[index].needsCompaction {
      columns[index] = columns[index].compacted(stamp: stamp)
    }
  }

  private static func text(_ reader: ColumnReader, _ row: UInt32) -> UnsafeBufferPointer<UInt8> {
    let found = TextView.bytes(at: reader.cell(row, width: 16))
    return UnsafeBufferPointer(start: found.start.assumingMemoryBound(to: UInt8.self), count: found.count)
  }

  var byteCount: Int { columns.reduce(0) { $0 + $1.byteCount } }

  func hashMemory(into digest: inout MemoryDigest) { for column in columns { column.hashMemory(into: &digest) } }

  /// Compares every column with the texts of the live rows; calls with each row that is wrong, and nil where something
  /// else is. Complexity: O(postings).
  func check(_ rows: [UInt32], _ readers: UnsafePointer<ColumnReader>, _ report: (UInt32?) -> Void) {
    for column in columns {
      let fresh = FullTextColumn(source: column.source, stamp: 0)
      fresh.build(rows, readers[column.source], TextAnalyzer(language))
      if fresh.words != column.words { report(nil) }
      for row in rows where fresh.length(row) != column.length(row) { report(row) }
      var known = 0
      for term in 0..<UInt32(truncatingIfNeeded: fresh.termCount) {
        var expected = PostingBuffer()
        fresh.append(term, to: &expected)
        guard let other = fresh.withBytes(term, { column.term($0) }) else {
          report(expected.rows[0])
          continue
        }
        known += 1
        var found = PostingBuffer()
        column.append(other, to: &found)
        let isSame =
          found.count == expected.count && column.found(other) == expected.count
          && (0..<found.count).allSatisfy {
            found.rows[$0] == expected.rows[$0] && found.weights[$0] == expected.weights[$0]
          }
        if !isSame { report(expected.rows[0]) }
      }
      // What is left are terms that no text has any more.
      let used = (0..<UInt32(truncatingIfNeeded: column.termCount)).reduce(0) { $0 + (column.found($1) > 0 ? 1 : 0) }
      if used != known { report(nil) }
      let ordered = column.terms(from: Text())
      if ordered.count != column.termCount { report(nil) }
    }
  }
}
