import GQLBase
import GQLCatalog

/// Evaluates a predicate on live rows; injected, because the planner knows no store.
package protocol SelectivitySampler: Sendable {
  /// The share of entities for which the predicate (element: scope 0, nothing around it) is true; nil if unknown.
  func selectivity(of predicate: BoundExpression, type: EntityTypeID, parameters: [Value?]) -> Double?
}
