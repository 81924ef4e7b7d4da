import GQLBase
import GQLStore

/// Sees to it that the lists of a batch of elements are looked at while they are put behind one another: the lists of a
/// thousand elements may be a thousand times all entities.
struct ListWatch {
  /// Where the batch begins.
  fileprivate let first: Int
  /// How many rows there are at the next look.
  fileprivate var next: Int
  /// Rows that a condition is evaluated for are counted there.
  fileprivate let countsRows: Bool
  /// The set whose members the rows are; -2 where conditions, orders and slices are still to leave some out.
  fileprivate let set: Int

  /// A fraction of a millisecond, where rows are copied.
  fileprivate static var interval: Int { 1 << 17 }

  init(_ set: CompiledSet, _ rows: borrowing RowBuffer) {
    first = rows.count
    next = first &+ Self.interval
    countsRows = set.filter == nil
    self.set = set.isWhole ? set.id : -2
  }
}

extension Execution {
  /// Throws where the lists of an expansion end at numbers of more than 32 bits.
  func checkOffsets(_ rows: Int) throws(RuntimeProblem) {
    if rows > Int(UInt32.max >> 1) {
      throw RuntimeProblem(.memory(limit: limits.maximumMemory), at: SourceRange(at: 0))
    }
  }

  /// Notes that the list of an element ends here.
  @inline(__always)
  func end(_ result: inout Expansion, _ watch: inout ListWatch) throws(RuntimeProblem) {
    result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    try look(result.rows, &watch)
  }

  /// Throws if what the lists hold, or the time that they took, is too much.
  @inline(__always)
  func look(_ rows: borrowing RowBuffer, _ watch: inout ListWatch) throws(RuntimeProblem) {
    if rows.count >= watch.next { try lookClosely(rows.count, &watch) }
  }

  @inline(never)
  private func lookClosely(_ count: Int, _ watch: inout ListWatch) throws(RuntimeProblem) {
    watch.next = count &+ ListWatch.interval
    try checkOffsets(count)
    try checkMemory(count &* 4)
    if watch.set == expanded.set { try checkLevel(count) }
    try checkpoint()
    // They are counted when all lists are there.
    if watch.countsRows { try checkVisits(count &- watch.first) }
  }
}
