import GQLBase
import GQLCatalog
import GQLStore

/// Rows by what the store knows of their lives.
extension Execution {
  /// Appends the deleted rows that are kept, with the live ones if wanted, in order.
  func appendDeleted(_ type: EntityTypeID, includesLive: Bool, into rows: inout RowBuffer) {
    if !includesLive {
      let count = snapshot.deletedCount(type)
      guard count > 0 else { return }
      rows.reserve(count)
      snapshot.deletedRows(type, into: rows.end)
      rows.count += count
      return
    }
    let slots = snapshot.slotCount(type)
    rows.reserve(slots)
    appendRows(0..<slots, snapshot.liveness(type), mask: 3, into: &rows)
  }

  /// Appends the rows of the range whose status has a bit of the mask. Precondition: room is reserved.
  private func appendRows(_ range: Range<Int>, _ status: ColumnReader?, mask: UInt8, into rows: inout RowBuffer) {
    let target = rows.end
    var written = 0
    for row in range {
      let row = UInt32(truncatingIfNeeded: row)
      target[written] = row
      guard let status else {
        written &+= 1
        continue
      }
      if status.byte(row) & mask != 0 { written &+= 1 }
    }
    rows.count += written
  }

  /// Appends the live rows with a time within the node's bounds, in order.
  func appendTimes(
    _ node: AccessNode, _ type: EntityTypeID, _ state: SetState, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard let bounds = try rangeBounds(node, state, outer),
      let times = Snapshot.times(
        lower: bounds.lower?.int, lowerInclusive: bounds.lowerInclusive, upper: bounds.upper?.int,
        upperInclusive: bounds.upperInclusive)
    else { return }
    let column = snapshot.column(type, node.column)
    let status = snapshot.liveness(type)
    var found: [(rows: Range<Int>, isTested: Bool)] = []
    snapshot.forEachRange(type, node.column, within: times) { found.append(($0, $1)) }
    for (range, isTested) in found {
      try checkpoint()
      try checkMemory((rows.count &+ range.count) &* 4)
      rows.reserve(range.count)
      let start = rows.count
      appendRows(range, status, mask: 1, into: &rows)
      guard isTested else { continue }
      var written = start
      for index in start..<rows.count {
        let row = rows.base[index]
        rows.base[written] = row
        let time = column.int64(row)
        if time >= times.lowerBound && time <= times.upperBound { written &+= 1 }
      }
      rows.count = written
    }
  }
}
