/// The circumstances that a plan was chosen for, with the one rule for when it is stale.
package struct PlanFit: Sendable {
  /// The generation of the statistics; another schema has another one too.
  package let generation: UInt64
  /// The rows that the access paths were estimated to find, parallel to `PhysicalPlan.watched`; empty where the plan serves all
  /// values of its parameters.
  package let estimates: [Double]
  /// How many rows the run was given.
  package let givenRows: Double

  package init(generation: UInt64, estimates: [Double], givenRows: Double = 1) {
    self.generation = generation
    self.estimates = estimates
    self.givenRows = givenRows
  }

  /// Returns whether the plan is still the one to take: for the same statistics, about as many rows, and parameters that
  /// let one expect about as much.
  package func holds(generation: UInt64, givenRows: Double, _ estimates: () -> [Double]) -> Bool {
    guard self.generation == generation, areAlike(self.givenRows, givenRows) else { return false }
    if self.estimates.isEmpty { return true }
    let now = estimates()
    return now.count == self.estimates.count && zip(now, self.estimates).allSatisfy(areAlike)
  }
}

/// The plans of one query, each for other data or other values, the newest last.
package struct PlanShelf<Plan: Sendable>: Sendable {
  private var entries: [(fit: PlanFit, plan: Plan)] = []
  /// More are not kept: the oldest makes way.
  private static var capacity: Int { 8 }

  package init() {}

  package var count: Int { entries.count }

  /// Returns the newest plan that is not stale; `estimates` reckons what a plan's access paths are expected to find.
  package func plan(
    generation: UInt64, givenRows: Double = 1, _ estimates: (Plan) -> [Double]
  ) -> Plan? {
    entries.last { entry in
      entry.fit.holds(generation: generation, givenRows: givenRows) { estimates(entry.plan) }
    }?.plan
  }

  package mutating func add(_ plan: Plan, _ fit: PlanFit) {
    if entries.count >= Self.capacity { entries.removeFirst() }
    entries.append((fit, plan))
  }

  /// Forgets the plans for other statistics.
  package mutating func removeAll(but generation: UInt64) { entries.removeAll { $0.fit.generation != generation } }
}
