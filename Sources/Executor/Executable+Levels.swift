import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The members of one selection in a run: those of parent `i` are `rows[offsets[i] ..< offsets[i + 1]]`. A selection at
/// the root has one list.
package struct LevelRows {
  package let rows: UnsafeBufferPointer<UInt32>
  package let offsets: UnsafeBufferPointer<UInt32>
}

/// The rows of a query's selections, for programs that make something else of them than text.
extension Executable {
  /// Finds the members of all selections, level by level, and passes them to `body`; they are valid until it returns.
  ///
  /// - Parameters:
  ///   - given: The members of sets of that source, which outlive the call.
  ///   - host: The code of host nodes.
  package func findLevels(
    _ snapshot: Snapshot, parameters: [Value?], given: UnsafeBufferPointer<UInt32>, host: (any HostCode)?,
    _ body: ((SelectionID) -> LevelRows) -> Void
  ) throws(RuntimeProblem) {
    let execution = take(snapshot)
    execution.limits = .none
    execution.cancellation = nil
    execution.given = given
    execution.host = host
    defer {
      execution.given = UnsafeBufferPointer(start: nil, count: 0)
      give(execution)
    }
    execution.begin(snapshot, self, outputStart: 0)
    execution.bind(parameters, self)
    for index in 0..<root.operationCount {
      switch root.operations[index].kind {
      case .one, .many: try expandRoot(Int(root.operations[index].index), execution)
      default: break
      }
    }
    body { id in
      let members = execution.levels[id.index]
      return LevelRows(
        rows: UnsafeBufferPointer(start: members.members.rows.base, count: members.members.rows.count),
        offsets: UnsafeBufferPointer(start: members.members.offsets.base, count: members.members.offsets.count))
    }
  }

  /// Finds the members of a selection at the root, and of all below it.
  private func expandRoot(_ index: Int, _ execution: Execution) throws(RuntimeProblem) {
    let selection = selections[index]
    let level = execution.levels[index]
    level.members.removeAll()
    level.members.offsets.append(0)
    level.parentBase = 0
    try execution.append(sets[selection.set], .root, into: &level.members)
    try execution.begin(selection, level, above: nil)
    if selection.children.isEmpty { return }
    try execution.expandLevels(below: selection, level, 0..<level.members.rows.count, self, written: 0)
  }
}
