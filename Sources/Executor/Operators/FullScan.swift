import GQLCatalog
import GQLStore

/// A scan of all live rows of a type, in canonical order.
final class FullScan: AccessOperator, @unchecked Sendable {
  override var findsLiveRowsOnly: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    execution.appendLive(type, from: 0, limit: Int.max, into: &rows)
    return true
  }

  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    counts.update(repeating: Int64(execution.snapshot.liveCount(type)), count: scopes.count)
    return true
  }
}

extension Execution {
  /// Appends live rows in order, leaving out the first `skip`.
  func appendLive(_ type: EntityTypeID, from skip: Int, limit: Int, into rows: inout RowBuffer) {
    let slots = snapshot.slotCount(type)
    guard limit > 0, slots > 0 else { return }
    guard let live = snapshot.liveness(type) else {
      guard skip < slots else { return }
      let count = min(limit, slots - skip)
      rows.reserve(count)
      let target = rows.end
      let first = UInt32(truncatingIfNeeded: skip)
      for index in 0..<count { target[index] = first &+ UInt32(truncatingIfNeeded: index) }
      rows.count += count
      return
    }
    var skip = skip
    var left = limit
    var first = 0
    while first < slots, left > 0 {
      let count = min(PageLayout.rows, slots - first)
      let cells = (live.page(of: UInt32(truncatingIfNeeded: first)) + PageLayout.cellsOffset)
        .assumingMemoryBound(to: UInt8.self)
      rows.reserve(count)
      let target = rows.end
      var written = 0
      for index in 0..<count {
        target[written] = UInt32(truncatingIfNeeded: first &+ index)
        written &+= Int(cells[index] & 1)
      }
      let skipped = min(skip, written)
      skip -= skipped
      if skipped > 0 { target.update(from: target + skipped, count: written - skipped) }
      let kept = min(written - skipped, left)
      rows.count += kept
      left -= kept
      first += count
    }
  }
}
