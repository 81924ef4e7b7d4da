import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

/// Row ids of each enclosing scope for a batch of at most ``batchRows`` elements.
///
/// `rows(0)` is `.`, `rows(1)` is `^`, …; every array has `count` entries; a missing entity is `PageLayout.noRow`.
/// At the root of an operation there is no scope and `count` is 1.
package struct ScopeRows {
  package static let batchRows = 1024
  package var count: Int
  package var scopes: ContiguousArray<UnsafePointer<UInt32>>

  package init(count: Int, scopes: ContiguousArray<UnsafePointer<UInt32>>) {
    self.count = count
    self.scopes = scopes
  }
  package static var root: ScopeRows { ScopeRows(count: 1, scopes: []) }
}

/// One run of an ``Executable``: its snapshot, parameters, working memory. Used by one thread at a time; reused by
/// later runs of the same executable.
package final class Execution {
  package let catalog: Catalog
  package internal(set) var snapshot: Snapshot
  /// Another number in every run: what a state derived from parameters or the snapshot is stale under another number.
  package internal(set) var run: UInt64 = 0
  /// The parameters in the form of a column of their type; texts and lists lie in the scratch arena for the run.
  package internal(set) var parameterCells: UnsafePointer<Cell>
  package internal(set) var parameterValid: UnsafePointer<Bool>
  package internal(set) var parameterValues: [Value?] = []
  /// Freed at the end of the run; who needs much in a loop releases to a mark.
  package let scratch = ScratchArena()

  init(catalog: Catalog, snapshot: Snapshot) {
    self.catalog = catalog
    self.snapshot = snapshot
    parameterCells = UnsafePointer(scratch.allocate(Cell.self, count: 1))
    parameterValid = UnsafePointer(scratch.allocate(Bool.self, count: 1))
  }

  /// Throws if the run is cancelled or its time is up. Call it once a batch.
  package func checkpoint() throws(RuntimeProblem) { preconditionFailure() }

  /// The working memory of a program in this execution; made at the first call.
  package func state(for program: ExpressionProgram) -> ExpressionState { preconditionFailure() }

  /// The members of a set for each element of a batch (the scopes are those that the set's `limit` sees), behind its
  /// predicate, order, `distinctOn`, offset and limit, in list order.
  package func expand(
    _ set: SetID, _ scopes: ScopeRows, into expansion: inout Expansion
  ) throws(RuntimeProblem) { preconditionFailure() }

  /// How many members `expand` would give, per element.
  package func count(
    _ set: SetID, _ scopes: ScopeRows, into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) { preconditionFailure() }

  /// Whether `expand` would give any, per element: 1 or 0.
  package func exists(
    _ set: SetID, _ scopes: ScopeRows, into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) { preconditionFailure() }

  /// The members of `PhysicalPlan.rowSets[index]`, a bit per row, least significant first.
  package func rowSetBits(_ index: Int) -> UnsafePointer<UInt64> { preconditionFailure() }
}
