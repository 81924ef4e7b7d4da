import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLStore

/// Estimates a predicate by evaluating it on a few hundred live rows, spread evenly.
struct SnapshotSampler: SelectivitySampler {
  let snapshot: Snapshot

  func selectivity(of predicate: BoundExpression, type: EntityTypeID, parameters: [GQLCatalog.Value?]) -> Double? {
    nil
  }
}
