import GQLQuery

/// What a loop that appends the members of one element after the other looks at, once in so many members: a batch of a
/// thousand elements may have a thousand times a long list.
struct ExpansionLook {
  private static let interval = 1 << 16
  private let first: Int
  private let visits: Bool
  private var looked: Int

  /// `visits`: members count as visited where nothing else visits them.
  init(_ first: Int, visits: Bool) {
    self.first = first
    self.visits = visits
    looked = first
  }

  /// To be called with the number of members so far.
  @inline(__always)
  mutating func next(_ rows: Int, _ execution: Execution) throws(RuntimeProblem) {
    if rows &- looked >= Self.interval {
      looked = rows
      try check(rows, execution)
      try execution.checkpoint()
    }
  }

  /// Throws if there may not be so many.
  @inline(never)
  func check(_ rows: Int, _ execution: Execution) throws(RuntimeProblem) {
    try execution.checkOffsets(rows)
    try execution.checkMemory(rows &* 4)
    if visits { try execution.checkVisits(rows &- first) }
  }
}
