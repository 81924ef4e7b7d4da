import GQLCatalog
import GQLQuery

/// A kind of access path that reads an index without keys, and answers conditions that no key does.
///
/// Each has a type of its own in a file of its own. ``Optimizer`` has the list.
protocol AccessProposal: Sendable {
  /// Returns the accesses to a type's rows that conjuncts allow, priced. The conjuncts have their positions in the set's
  /// predicate.
  static func candidates(
    _ type: EntityTypeID, _ conjuncts: [(position: Int, expression: BoundExpression)], _ optimizer: inout Optimizer
  ) -> [AccessCandidate]
}
