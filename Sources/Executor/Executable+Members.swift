import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

/// The rows of a set, for programs that make something else of them than text.
extension Executable {
  /// Appends the members of a set for each of the parents, in order, and where those of each end. Without parents it is
  /// a set at the root. `given` are the members of sets of that source; they, and the snapshot, outlive the call.
  package func members(
    of set: SetID, _ snapshot: Snapshot, parameters: [Value?], given: UnsafeBufferPointer<UInt32>,
    parents: UnsafeBufferPointer<UInt32>?, into rows: inout [UInt32], ends: inout [Int]
  ) throws(RuntimeProblem) {
    let execution = take(snapshot)
    execution.limits = .none
    execution.cancellation = nil
    execution.given = given
    defer {
      execution.given = UnsafeBufferPointer(start: nil, count: 0)
      give(execution)
    }
    execution.begin(snapshot, self, outputStart: 0)
    execution.bind(parameters, self)
    var expansion = Expansion()
    guard let parents else {
      try execution.expand(set, .root, into: &expansion)
      rows.append(contentsOf: UnsafeBufferPointer(start: expansion.rows.base, count: expansion.rows.count))
      ends.append(rows.count)
      return
    }
    guard let base = parents.baseAddress else { return }
    var start = 0
    while start < parents.count {
      let count = min(ScopeRows.batchRows, parents.count - start)
      try execution.expand(set, ScopeRows(count: count, scopes: [base + start]), into: &expansion)
      let first = rows.count
      rows.append(contentsOf: UnsafeBufferPointer(start: expansion.rows.base, count: expansion.rows.count))
      for element in 0..<count { ends.append(first + Int(expansion.offsets[element + 1])) }
      start += count
    }
  }
}
