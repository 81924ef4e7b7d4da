/// The circumstances that a plan was chosen for, with the one rule for when it is stale.
package struct PlanFit: Sendable {
  /// The generation of the statistics; another schema has another one too.
  package let generation: UInt64
  /// The rows that the access paths were estimated to find, from the fewest to the most, parallel to
  /// `PhysicalPlan.watched`; empty where the plan serves all values of its parameters.
  package private(set) var estimates: [ClosedRange<Double>]
  /// How many rows the run was given.
  package let givenRows: Double

  package init(generation: UInt64, estimates: [Double], givenRows: Double = 1) {
    self.generation = generation
    self.estimates = estimates.map { $0.isNaN ? .infinity ... .infinity : $0...$0 }
    self.givenRows = givenRows
  }

  /// Returns whether the plan is still the one to take: for the same statistics, about as many rows, and parameters that
  /// let one expect about as much.
  package func holds(generation: UInt64, givenRows: Double, _ estimates: () -> [Double]) -> Bool {
    guard self.generation == generation, isAlike(self.givenRows, givenRows...givenRows) else { return false }
    return self.estimates.isEmpty || Self.hold(estimates(), self.estimates)
  }

  /// Returns whether one may expect about what a plan was made for.
  package static func hold(_ now: [Double], _ estimates: [ClosedRange<Double>]) -> Bool {
    now.count == estimates.count && zip(now, estimates).allSatisfy(isAlike)
  }

  /// Returns circumstances that comprise both, and all that lie between; nil where they differ in more than one estimate,
  /// for which prices are about linear: of two, other plans may be better where one is small and the other great.
  fileprivate func union(_ other: PlanFit) -> PlanFit? {
    guard generation == other.generation, estimates.count == other.estimates.count,
      isAlike(givenRows, other.givenRows...other.givenRows)
    else { return nil }
    var both = self
    both.estimates = zip(estimates, other.estimates).map {
      min($0.lowerBound, $1.lowerBound)...max($0.upperBound, $1.upperBound)
    }
    return both.estimates.count { !isAlike($0.lowerBound, $0.upperBound...$0.upperBound) } > 1 ? nil : both
  }

  fileprivate func overlaps(_ other: PlanFit) -> Bool {
    generation == other.generation && isAlike(givenRows, other.givenRows...other.givenRows)
      && estimates.count == other.estimates.count && zip(estimates, other.estimates).allSatisfy { $0.overlaps($1) }
  }
}

/// Returns whether a value is at most four times as far off as a range reaches; below 16 rows all plans are quick.
package func isAlike(_ value: Double, _ range: ClosedRange<Double>) -> Bool {
  let value = max(value, 16)
  return value <= max(range.upperBound, 16) * 4 && max(range.lowerBound, 16) <= value * 4
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
    if entries.isEmpty { return nil }
    return entries.last { entry in
      entry.fit.holds(generation: generation, givenRows: givenRows) { estimates(entry.plan) }
    }?.plan
  }

  /// Adds a plan that was made for want of one that fits.
  ///
  /// Where the same way was chosen for other values before, it is taken to be the best for all values between, so that
  /// values that vary much do not lead to planning again and again. Where another way was chosen between, it is not.
  ///
  /// - Parameters:
  ///   - isSame: Returns whether a known plan goes the same way.
  ///   - make: Makes the plan for the circumstances that it then serves.
  package mutating func add(
    _ fit: PlanFit, isSame: (Plan) -> Bool, _ make: (PlanFit) -> Plan
  ) -> Plan {
    var fit = fit
    if !entries.isEmpty, let index = entries.lastIndex(where: { $0.fit.union(fit) != nil && isSame($0.plan) }),
      let both = entries[index].fit.union(fit),
      !entries.indices.contains(where: { $0 != index && entries[$0].fit.overlaps(both) })
    {
      fit = both
      entries.remove(at: index)
    }
    if entries.count >= Self.capacity { entries.removeFirst() }
    let plan = make(fit)
    entries.append((fit, plan))
    return plan
  }

  /// Forgets the plans for other statistics.
  package mutating func removeAll(but generation: UInt64) {
    if !entries.isEmpty { entries.removeAll { $0.fit.generation != generation } }
  }
}
