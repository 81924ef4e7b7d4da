import GQLCatalog

/// Estimates from the bounds of pages.
extension Snapshot {
  /// So many pages are looked at, evenly spread.
  private static let sampledPages = 128

  package func pageShare(_ type: EntityTypeID, _ column: ColumnID, _ range: KeyRange) -> Double? {
    let table = table(type)
    guard table.slots > 0, ColumnKind(catalog[type][column].type) == .int64 else { return nil }
    let wanted: ClosedRange<Int64>
    switch Self.numbers(range) {
    case .unknown: return nil
    case .none: return 0
    case .within(let numbers): wanted = numbers
    }
    let reader = table.columns[Int(column.index)].reader
    let pages = (table.slots + PageLayout.rows - 1) / PageLayout.rows
    let samples = min(pages, Self.sampledPages)
    var met = 0
    for sample in 0..<samples {
      let first = sample * pages / samples * PageLayout.rows
      let rows = min(PageLayout.rows, table.slots - first)
      // A page that is not full has no bounds, and is looked into.
      if rows < PageLayout.rows {
        met += 1
        continue
      }
      let bounds = PageSummary.estimate(reader.page(of: UInt32(truncatingIfNeeded: first)), rows: rows)
      if bounds.overlaps(wanted) { met += 1 }
    }
    return Double(met) / Double(samples)
  }

  /// So many places of a column are looked at, evenly spread, and so many rows in a row at each.
  private static let (sampledPlaces, neighbors) = (24, 3)

  package func ascends(_ type: EntityTypeID, _ column: ColumnID) -> Bool {
    let table = table(type)
    guard table.slots > Self.sampledPlaces * Self.neighbors,
      ColumnKind(catalog[type][column].type) == .int64
    else { return false }
    let reader = table.columns[Int(column.index)].reader
    var last = Int64.min
    for place in 0..<Self.sampledPlaces {
      let first = place * (table.slots - Self.neighbors) / (Self.sampledPlaces - 1)
      for row in first..<first + Self.neighbors {
        let cell = reader.int64(UInt32(truncatingIfNeeded: row))
        if cell < last { return false }
        last = cell
      }
    }
    return true
  }

  private enum Numbers {
    case unknown, none
    case within(ClosedRange<Int64>)
  }

  /// The numbers in a range, if it is one of whole numbers or times.
  private static func numbers(_ range: KeyRange) -> Numbers {
    func number(_ value: Value) -> Int64? {
      switch value {
      case .int(let number), .dateTime(let number), .date(let number): number
      default: nil
      }
    }
    guard range.prefix == nil, range.equal.count <= 1 else { return .unknown }
    if let key = range.equal.first {
      guard range.lower == nil, range.upper == nil, let key = number(key) else { return .unknown }
      return .within(key...key)
    }
    let lower = range.lower.flatMap { number($0.value) }
    let upper = range.upper.flatMap { number($0.value) }
    guard (lower == nil) == (range.lower == nil), (upper == nil) == (range.upper == nil) else { return .unknown }
    return times(
      lower: lower, lowerInclusive: range.lower?.isInclusive ?? true, upper: upper,
      upperInclusive: range.upper?.isInclusive ?? true
    ).map { .within($0) } ?? .none
  }
}
