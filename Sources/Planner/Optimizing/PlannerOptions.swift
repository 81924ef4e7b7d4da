import GQLBase
import GQLCatalog
import GQLRewriter

/// What tests and tools may change about planning. No option changes a result.
package struct PlannerOptions: Sendable, Hashable {
  /// Rules that are skipped.
  package var disabledRules: Set<RewriteRule>
  package var forcing: ForcedAccess
  /// So many rows are looked at before a plan gives up: less is not worth beginning again.
  package var rowsBeforeRetreat: Int
  /// How many rows a run is given, of which the sets of the source `.given` consist.
  package var givenRows: Double
  /// The prices of what plans do.
  package var costs: CostModel
  /// What may end planning before its end.
  package var interruption: Interruption?
  /// Figures that take the place of those that are counted.
  package var figures = StatedFigures()

  package init(
    disabledRules: Set<RewriteRule> = [], forcing: ForcedAccess = .cheapest, rowsBeforeRetreat: Int = 64,
    givenRows: Double = 1, costs: CostModel = CostModel(), interruption: Interruption? = nil
  ) {
    self.disabledRules = disabledRules
    self.forcing = forcing
    self.rowsBeforeRetreat = rowsBeforeRetreat
    self.givenRows = givenRows
    self.costs = costs
    self.interruption = interruption
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

extension PlannerOptions {
  /// A factor between 1/64 and 64 that the seed draws for a decision, 1 without a seed.
  func perturbation(_ decision: Int, _ alternative: Int) -> Double {
    guard case .perturbed(let seed) = forcing else { return 1 }
    // SplitMix64 over the decision's number.
    var state = seed &+ UInt64(truncatingIfNeeded: decision &* 1_000_003 &+ alternative) &* 0x9E37_79B9_7F4A_7C15
    state = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    state = (state ^ state >> 27) &* 0x94D0_49BB_1331_11EB
    state ^= state >> 31
    let step = Int(state % 13) - 6
    return step < 0 ? 1 / Double(1 << -step) : Double(1 << step)
  }
}
