import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

/// Expressions compiled to kernels over batches: immutable, shared by threads and runs. What a run writes lies in its
/// ``ExpressionState``.
package final class ExpressionProgram: Sendable {
  /// Equal subexpressions are computed once for all of `expressions`.
  package init(_ expressions: [BoundExpression], catalog: Catalog) {}

  /// Evaluates for all rows of the batch and gives one vector for each expression of the initialiser, in its order.
  /// They stay valid until the next call on this program in this execution.
  package func evaluate(_ scopes: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> UnsafePointer<Vector> {
    preconditionFailure("not written yet")
  }

  /// The positions, ascending, at which the first expression (a Boolean) is true; `positions` has room for the
  /// batch's count.
  package func filter(
    _ scopes: ScopeRows, _ execution: Execution, into positions: UnsafeMutablePointer<UInt16>
  ) throws(RuntimeProblem) -> Int { 0 }

  /// The same over the rows `firstRow ..< firstRow + count` of scope 0, which must lie in one page: nothing is
  /// gathered. Gives row ids. Dead rows are tested like others.
  ///
  /// `outer` is the batch of one element that encloses the scan: its scope 0 is scope 1 here.
  package func filterPage(
    firstRow: UInt32, count: Int, outer: ScopeRows?, _ execution: Execution, into rows: UnsafeMutablePointer<UInt32>
  ) throws(RuntimeProblem) -> Int { 0 }

  /// How many rows ``filterPage`` would give. Live rows only if `live` is given: its bit 0 is `firstRow`'s.
  package func countPage(
    firstRow: UInt32, count: Int, outer: ScopeRows?, _ execution: Execution
  ) throws(RuntimeProblem) -> Int { 0 }
}
