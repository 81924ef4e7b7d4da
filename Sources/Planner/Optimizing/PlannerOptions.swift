import GQLBase
import GQLCatalog
import GQLRewriter

/// What tests and tools may change about planning. No option changes a result.
package struct PlannerOptions: Sendable, Hashable {
  /// Rules that are skipped.
  package var disabledRules: Set<RewriteRule>
  package var forcing: ForcedAccess
  /// What may end planning before its end.
  package var interruption: Interruption?

  package init(disabledRules: Set<RewriteRule> = [], forcing: ForcedAccess = .cheapest) {
    self.disabledRules = disabledRules
    self.forcing = forcing
  }
}

/// Which of a set's alternatives is taken.
package enum ForcedAccess: Sendable, Hashable {
  case cheapest
  /// Full scans, sorts and tests per row only: the plan that every other is compared with.
  case scanOnly
  /// Costs are multiplied by factors drawn from the seed, so that each seed chooses another plan.
  case perturbed(seed: UInt64)
  /// For each set the alternative with this rank by cost, or the last one where there are fewer.
  case alternative(Int)
}
