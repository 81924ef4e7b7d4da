import GQLBase
import GQLCatalog

/// Evaluates conditions on live rows; injected, because the planner knows no store.
package protocol SelectivitySampler: Sendable {
  /// The share of entities for which the predicate (element: scope 0, nothing around it) is true; nil if unknown.
  func selectivity(of predicate: BoundExpression, type: EntityTypeID, parameters: [Value?]) -> Double?
  /// Tests several conditions on the same entities, so that it shows which hold together, and where; nil if unknown.
  ///
  /// - Parameters:
  ///   - conditions: At most ``RowSample/mostConditions``.
  ///   - column: A column whose values are wanted of the entities for which all conditions hold.
  func sample(
    _ conditions: [BoundExpression], valuesOf column: ColumnID?, type: EntityTypeID, parameters: [Value?]
  ) -> RowSample?
}

extension SelectivitySampler {
  package func sample(
    _ conditions: [BoundExpression], valuesOf column: ColumnID?, type: EntityTypeID, parameters: [Value?]
  ) -> RowSample? { nil }
}

/// Entities spread evenly over a type, in the order of insertion, and the conditions that hold for each.
package struct RowSample: Sendable {
  package static let mostConditions = 64

  /// Of each entity, a bit for each condition that holds for it.
  package var masks: [UInt64] = []
  /// The conditions that were tested; others failed or cannot be tested without a plan.
  package var tested: UInt64 = 0
  /// The places in ``masks`` of entities for which all tested conditions hold, or of evenly spread ones of many, with
  /// their values of the column that was asked for.
  package var matches: [(place: Int, value: Value)] = []

  package init() {}

  /// Returns the share of entities for which a condition holds; nil if it was not tested. None of a few hundred does not
  /// mean none at all.
  package func share(ofCondition number: Int) -> Double? {
    guard tested >> UInt64(number) & 1 == 1, !masks.isEmpty else { return nil }
    let found = masks.reduce(0) { $0 + Int($1 >> UInt64(number) & 1) }
    return (Double(found) + 0.5) / Double(masks.count + 1)
  }
}
