import GQLCatalog
import GQLQuery
import GQLStore

/// The deleted entities of a type that are kept, or all entities with them, in canonical order.
final class DeletedRows: AccessOperator, @unchecked Sendable {
  private let includesLive: Bool

  init(includesLive: Bool, _ type: EntityTypeID) {
    self.includesLive = includesLive
    super.init(type)
  }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let snapshot = execution.snapshot
    guard includesLive else {
      let count = snapshot.deletedCount(type)
      guard count > 0 else { return true }
      rows.reserve(count)
      snapshot.deletedRows(type, into: rows.end)
      rows.count += count
      return true
    }
    let slots = snapshot.slotCount(type)
    rows.reserve(slots)
    rows.append(0..<slots, snapshot.liveness(type), mask: 3)
    return true
  }
}

/// The live rows whose `_createdAt` or `_updatedAt` lies within bounds: pages beyond them are passed over.
final class TimeRange: AccessOperator, @unchecked Sendable {
  private let column: ColumnID
  private let range: CompiledRange
  private let scalars: ScalarSources

  init(_ column: ColumnID, _ range: IndexRange, _ type: EntityTypeID, _ compiler: PlanCompiler) {
    self.column = column
    self.range = CompiledRange(range)
    scalars = ScalarSources(self.range.expressions, compiler)
    super.init(type)
  }

  override var findsLiveRowsOnly: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let bounds = try range.bounds(scalars, state, outer, execution),
      let times = Snapshot.times(
        lower: bounds.lower?.int, lowerInclusive: bounds.lowerInclusive, upper: bounds.upper?.int,
        upperInclusive: bounds.upperInclusive)
    else { return true }
    let cells = execution.snapshot.column(type, column)
    let status = execution.snapshot.liveness(type)
    var found: [(rows: Range<Int>, isTested: Bool)] = []
    execution.snapshot.forEachRange(type, column, within: times) { found.append(($0, $1)) }
    for (range, isTested) in found {
      try execution.checkpoint()
      try execution.checkMemory((rows.count &+ range.count) &* 4)
      rows.reserve(range.count)
      let start = rows.count
      rows.append(range, status, mask: 1)
      guard isTested else { continue }
      var written = start
      for index in start..<rows.count {
        let row = rows.base[index]
        rows.base[written] = row
        let time = cells.int64(row)
        if time >= times.lowerBound && time <= times.upperBound { written &+= 1 }
      }
      rows.count = written
    }
    return true
  }
}

extension RowBuffer {
  /// Appends the rows of the range whose status has a bit of the mask. Precondition: room is reserved.
  fileprivate mutating func append(_ range: Range<Int>, _ status: ColumnReader?, mask: UInt8) {
    let target = end
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
    count += written
  }
}
