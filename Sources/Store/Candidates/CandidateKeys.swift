/// A way from the cells of a column to keys, by which an index offers rows.
///
/// Two different things may share a key, so that rows found by one must be tested. No row and no key is asked for through
/// an existential: ``segments(_:_:_:)`` makes all of a build, and its default is specialized for each type that conforms.
protocol CandidateKeys: Sendable {
  /// Returns the number of keys of a row at most, which stands for the work and the memory that they take.
  func most(_ row: UInt32, _ reader: ColumnReader) -> Int

  /// Enters the keys of a row that was begun.
  func enter(_ row: UInt32, _ reader: ColumnReader, into builder: inout CandidateSegmentBuilder)

  /// Returns the keys of a row, for checks.
  func keys(_ row: UInt32, _ reader: ColumnReader) -> [UInt32]

  /// Makes segments of ascending rows. Where the allowance ends they are not to be used.
  func segments(_ rows: IndexedRows, _ reader: ColumnReader, _ allowance: WorkAllowance?) -> [CandidateSegment]
}

extension CandidateKeys {
  func segments(_ rows: IndexedRows, _ reader: ColumnReader, _ allowance: WorkAllowance?) -> [CandidateSegment] {
    var builder = CandidateSegmentBuilder()
    var share = allowance.map { MemoryShare($0) }
    var bytes = 0
    for row in rows where !reader.isNull(row) {
      builder.begin(row)
      enter(row, reader, into: &builder)
      builder.end()
      // A posting has two bytes.
      let most = most(row, reader)
      bytes += most * 2
      if allowance?.advance(1 + most / 2) == false || share?.hold(bytes) == false { return [] }
    }
    let segments = builder.segments()
    _ = share?.hold(segments.reduce(0) { $0 + $1.byteCount })
    return segments
  }
}
