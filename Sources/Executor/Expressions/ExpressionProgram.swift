import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

// Stands in until the expressions branch is merged.
package final class ExpressionProgram: Sendable {
  package init(_ expressions: [BoundExpression], catalog: Catalog) {}
  package func makeState() -> ExpressionState { ExpressionState() }
}

package final class ExpressionState {}
