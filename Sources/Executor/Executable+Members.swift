import GQLBase
import GQLCatalog
import GQLQuery
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
    execution.begin(snapshot, self)
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

  /// Keeps of each of several lists of rows, which stand one behind the other, what a set of the source `.given` has of
  /// it: filtered, in the set's order, cut. `ends` says where each list ends, before and after.
  package func narrow(
    to set: SetID, _ snapshot: Snapshot, parameters: [Value?], rows: inout [UInt32], ends: inout [Int]
  ) throws(RuntimeProblem) {
    let execution = take(snapshot)
    execution.limits = .none
    execution.cancellation = nil
    defer { give(execution) }
    execution.begin(snapshot, self)
    execution.bind(parameters, self)
    let compiled = execution.compiledSet(set.index)
    precondition(compiled.access is GivenRows, "rows that are given have no other access path")
    var kept: [UInt32] = []
    var expansion = Expansion()
    var (list, start) = (0, 0)
    while list < ends.count {
      let lists = list..<min(list + ScopeRows.batchRows, ends.count)
      let end = ends[lists.upperBound - 1]
      expansion.removeAll()
      expansion.offsets.append(0)
      rows.withUnsafeBufferPointer { rows in
        if let base = rows.baseAddress, end > start { expansion.rows.append(base + start, end - start) }
      }
      for number in lists { expansion.offsets.append(UInt32(truncatingIfNeeded: ends[number] - start)) }
      // No expression of a root set asks for what is around it.
      let scopes = ScopeRows(count: lists.count, scopes: [])
      let state = execution.sets[compiled.id]
      try compiled.filter?.keepLists(compiled, state, scopes, &expansion, from: 0, firstOffset: 1, execution)
      try compiled.arrange(state, scopes, &expansion, from: 0, firstOffset: 1, execution)
      let first = kept.count
      kept.append(contentsOf: UnsafeBufferPointer(start: expansion.rows.base, count: expansion.rows.count))
      for number in lists { ends[number] = first + Int(expansion.offsets[number - list + 1]) }
      (list, start) = (lists.upperBound, end)
    }
    rows = kept
  }
}
