import GQLBase
import GQLCatalog
import GQLStore

/// Writes the answer of a run: expands the levels of its members, all parents together, and writes them depth first.
///
/// Used by one thread at a time; reused by later runs of the same executable. It owns its run: a reference without a
/// count would be counted at each use.
package final class ResponseWriter {
  package let execution: Execution
  let catalog: Catalog
  let readers: UnsafeMutablePointer<ColumnReader>
  /// By selection.
  let levels: ContiguousArray<LevelState>
  /// Conditions of fields, by slot: whether the field is written.
  let conditions: UnsafeMutablePointer<Bool>
  /// Entities, groups and objects of introspection in the answer so far.
  @exclusivity(unchecked) private(set) var nodes = 0
  /// Where the answer begins in the output.
  @exclusivity(unchecked) private(set) var outputStart = 0
  /// The length of the output at which its limits are looked at next.
  @exclusivity(unchecked) private(set) var lookAtOutput = outputInterval
  /// Collects loads that only warm the cache, so that they are not removed.
  @exclusivity(unchecked) var warmed: UInt64 = 0
  /// Notes the rows of each level, for answers that are watched; nil for others.
  @exclusivity(unchecked) package var trace: LevelTrace?
  /// Bytes of the answer between two looks at its limits.
  private static let outputInterval = 1 << 23

  init(_ executable: Executable, _ snapshot: Snapshot) {
    execution = Execution(executable, snapshot)
    catalog = execution.catalog
    readers = execution.readers
    levels = ContiguousArray(executable.selections.map { _ in LevelState() })
    conditions = .allocate(capacity: executable.conditionCount + 1)
    conditions.initialize(repeating: true, count: executable.conditionCount + 1)
  }

  deinit { conditions.deallocate() }

  /// Begins an answer that starts at a place of the output.
  @inline(__always)
  func begin(at start: Int) {
    outputStart = start
    lookAtOutput = start &+ Self.outputInterval
    nodes = 0
  }

  // MARK: - Limits

  /// Counts nodes of the answer.
  @inline(__always)
  func countNodes(_ number: Int) throws(RuntimeProblem) {
    try checkNodes(number, at: SourceRange(at: 0))
    nodes &+= number
  }

  /// Throws if so many nodes more, which are yet to be counted, are more than the answer may have.
  @inline(__always)
  func checkNodes(_ number: Int, at range: SourceRange) throws(RuntimeProblem) {
    if number > execution.limits.maximumNodes &- nodes {
      throw RuntimeProblem(.limitExceeded(name: "answer-nodes", limit: execution.limits.maximumNodes), at: range)
    }
  }

  /// Throws if an output of so many bytes is too long.
  func checkBytes(_ count: Int) throws(RuntimeProblem) {
    if count - outputStart > execution.limits.maximumBytes {
      throw RuntimeProblem(
        .limitExceeded(name: "answer-bytes", limit: execution.limits.maximumBytes), at: SourceRange(at: 0))
    }
    try execution.checkCeiling(holding: count)
    lookAtOutput = count &+ Self.outputInterval
  }
}
