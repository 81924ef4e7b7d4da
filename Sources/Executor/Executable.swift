import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

/// A plan made ready to run: expressions compiled, keys escaped. Immutable; any number of threads may run it.
package final class Executable: Sendable {
  package let plan: PhysicalPlan
  package let catalog: Catalog

  package init(_ plan: PhysicalPlan, catalog: Catalog) {
    self.plan = plan
    self.catalog = catalog
  }

  /// Appends the answer, one compact JSON object. If it throws, the output is as it was.
  ///
  /// `parameters` are coerced to their types; nil where not provided (defaults already applied).
  package func run(
    _ snapshot: Snapshot, parameters: [Value?], limits: RunLimits, cancellation: Cancellation?,
    into output: inout ByteBuffer
  ) throws(RuntimeProblem) { preconditionFailure() }

  /// Runs and measures each set; the answer is discarded.
  package func analyze(
    _ snapshot: Snapshot, parameters: [Value?], limits: RunLimits = .none
  ) throws(RuntimeProblem) -> [SetActuals] { preconditionFailure() }
}

/// What a set gave in one run, for `explain --analyze`.
package struct SetActuals: Sendable, Hashable {
  /// Rows that the access path gave, of all parents and batches together.
  package var accessRows = 0
  /// Rows left at the end.
  package var rows = 0
  /// Parents (elements) that the set was computed for.
  package var parents = 0
  package var nanoseconds: UInt64 = 0
  package init() {}
}
