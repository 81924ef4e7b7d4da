import GQLCatalog

/// Searching the columns of times, which have no index: insertions come in the order of time, and pages know bounds.
extension Snapshot {
  /// The first row whose time is not below `time`; in a column whose cells do not decrease with the row.
  private func firstRow(_ table: Table, _ column: ColumnReader, from time: Int64) -> Int {
    var low = 0
    var high = table.slots
    while low < high {
      let middle = (low + high) / 2
      if column.int64(UInt32(truncatingIfNeeded: middle)) < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The rows, live or not, with times in `times`, as ranges: found by halving where times ascend with rows, else the
  /// pages whose bounds meet them. `body` gets the rows, and whether each of them is to be tested.
  package func forEachRange(
    _ type: EntityTypeID, _ column: ColumnID, within times: ClosedRange<Int64>, _ body: (Range<Int>, Bool) -> Void
  ) {
    let table = table(type)
    let store = table.columns[Int(column.index)]
    let reader = store.reader
    if store.isAscending {
      let start = firstRow(table, reader, from: times.lowerBound)
      let end = times.upperBound == .max ? table.slots : firstRow(table, reader, from: times.upperBound + 1)
      if start < end { body(start..<end, false) }
      return
    }
    var start = 0
    while start < table.slots {
      let end = min(table.slots, start + PageLayout.rows)
      if end - start == PageLayout.rows,
        let bounds = PageSummary.scanning(reader.page(of: UInt32(truncatingIfNeeded: start)))
      {
        if bounds.highest >= times.lowerBound && bounds.lowest <= times.upperBound {
          let isInside = bounds.lowest >= times.lowerBound && bounds.highest <= times.upperBound
          body(start..<end, !isInside)
        }
      } else {
        body(start..<end, true)
      }
      start = end
    }
  }

  package func timeCardinality(_ type: EntityTypeID, _ column: ColumnID, _ range: KeyRange) -> Int? {
    guard let times = Self.times(range) else { return nil }
    let table = table(type)
    let store = table.columns[Int(column.index)]
    if table.slots == 0 { return 0 }
    if store.isAscending {
      var count = 0
      forEachRange(type, column, within: times) { rows, _ in count += rows.count }
      return min(count, table.live)
    }
    // Evenly spread samples.
    let samples = min(64, table.slots)
    var hits = 0
    for sample in 0..<samples {
      let row = UInt32(truncatingIfNeeded: sample * table.slots / samples)
      if times.contains(store.reader.int64(row)) { hits += 1 }
    }
    return hits * table.live / samples
  }

  /// The range as times; nil if it is none, empty at the least moment where nothing is in it.
  private static func times(_ range: KeyRange) -> ClosedRange<Int64>? {
    func bound(_ bound: KeyRange.Bound?) -> Int64?? {
      guard let bound else { return .some(nil) }
      if case .dateTime(let value) = bound.value { return value }
      return nil
    }
    guard range.equal.isEmpty, range.prefix == nil, let lower = bound(range.lower), let upper = bound(range.upper)
    else {
      return nil
    }
    return Self.times(
      lower: lower, lowerInclusive: range.lower?.isInclusive ?? true, upper: upper,
      upperInclusive: range.upper?.isInclusive ?? true) ?? .min ... .min
  }

  /// A closed range of the bounds, nil being open; nil if nothing is within.
  package static func times(
    lower: Int64?, lowerInclusive: Bool, upper: Int64?, upperInclusive: Bool
  ) -> ClosedRange<Int64>? {
    var low = lower ?? .min
    var high = upper ?? .max
    if lower != nil && !lowerInclusive {
      if low == .max { return nil }
      low += 1
    }
    if upper != nil && !upperInclusive {
      if high == .min { return nil }
      high -= 1
    }
    return low <= high ? low...high : nil
  }
}
