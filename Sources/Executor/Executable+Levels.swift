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
    limits: RunLimits = .none, _ body: ((SelectionID) -> LevelRows) -> Void
  ) throws(RuntimeProblem) {
    let writer = takeWriter(snapshot)
    writer.execution.given = given
    writer.execution.limits = limits
    defer {
      writer.execution.given = UnsafeBufferPointer(start: nil, count: 0)
      give(writer)
    }
    try expandRoots(writer, snapshot, parameters, host)
    body { id in
      let members = writer.levels[id.index]
      return LevelRows(
        rows: UnsafeBufferPointer(start: members.members.rows.base, count: members.members.rows.count),
        offsets: UnsafeBufferPointer(start: members.members.offsets.base, count: members.members.offsets.count))
    }
  }

  /// Finds the members of all selections, as ``findLevels(_:parameters:given:host:_:)``, and measures each set.
  package func analyzeLevels(
    _ snapshot: Snapshot, parameters: [Value?], host: (any HostCode)?
  ) throws(RuntimeProblem) -> [SetActuals] {
    let writer = makeWriter(snapshot, limits: .none)
    writer.execution.actuals = Array(repeating: SetActuals(), count: sets.count)
    try expandRoots(writer, snapshot, parameters, host)
    return writer.execution.actuals ?? []
  }

  private func expandRoots(
    _ writer: ResponseWriter, _ snapshot: Snapshot, _ parameters: [Value?], _ host: (any HostCode)?
  ) throws(RuntimeProblem) {
    let execution = writer.execution
    execution.cancellation = nil
    execution.host = host
    execution.bind(parameters, self)
    execution.begin(snapshot, self)
    writer.begin(at: 0)
    for index in 0..<root.operationCount {
      switch root.operations[index].kind {
      case .one, .many: try expandRoot(Int(root.operations[index].index), writer)
      default: break
      }
    }
  }

  /// Finds the members of a selection at the root, and of all below it.
  private func expandRoot(_ index: Int, _ writer: ResponseWriter) throws(RuntimeProblem) {
    let selection = selections[index]
    let level = writer.levels[index]
    level.parentBase = 0
    try sets[selection.set].expand(.root, writer.execution, into: &level.members)
    try writer.begin(selection, level, above: nil)
    if selection.children.isEmpty { return }
    try writer.expandLevels(below: selection, level, 0..<level.members.rows.count, self, written: 0)
  }
}
