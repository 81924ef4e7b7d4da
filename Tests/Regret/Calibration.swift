import GQLCatalog
import GQLDifferential
import GQLEngine
import GQLExecutor
import GQLPlanner
import GQLQuery
import GQLite

/// Finds the prices with which the planner chooses the quickest plans of random queries.
///
/// Each query is planned with changed prices, and the plan that is chosen then has a time, which is measured once. A
/// price is kept that lowers the mean of the logarithms of (time of the plan chosen ÷ least time); one price after the
/// other is tried, greater and less, until none helps.
package struct Calibration {
  private var cases: [Case] = []
  private let regret: Regret
  /// A change must lower the mean by so much, so that noise moves no price.
  private static let leastGain = 0.0002

  private struct Case {
    let text: String
    let prepared: PreparedQuery
    let query: BoundQuery
    var candidates: Regret.Candidates
    var times: [Double]
    /// The least time of the alternatives that were measured together.
    let least: Double
  }

  /// Measures all alternatives of random queries.
  ///
  /// - Throws: ``Regret/Difference`` where two plans give different answers.
  package init(_ regret: Regret, seed: UInt64, queries: Int) throws {
    self.regret = regret
    var seed = seed
    while cases.count < queries {
      var random = SeededRandom(seed: seed)
      let data = try RegretData(&random, rows: regret.sizes[Int(seed % UInt64(regret.sizes.count))])
      for _ in 0..<regret.queriesPerDatabase {
        let query = RegretQuery(&random, data)
        let prepared = try data.database.prepare(query.text)
        for values in query.values {
          var shelf = PlanShelf<Regret.Plan>()
          let candidates = try Regret.Candidates(prepared, values, data.database, &shelf)
          guard candidates.plans.count > 1 else { continue }
          var times = [Double](repeating: .infinity, count: candidates.plans.count)
          try regret.time(candidates, candidates.plans.indices, repeats: Regret.repeats, &times, query.text)
          cases.append(
            Case(
              text: query.text, prepared: prepared, query: try prepared.bound(values, candidates.snapshot.catalog),
              candidates: candidates, times: times, least: times.min() ?? 0))
        }
      }
      seed += 1
    }
  }

  /// Returns better prices, and the ratios of all queries with them. `report` gets a line for each step.
  package mutating func run(from costs: CostModel, _ report: (String) -> Void) throws -> (CostModel, [Double]) {
    var best = costs
    var least = try mean(best)
    report("\(cases.count) queries, mean \(least)")
    for factors in [[0.5, 2], [0.7, 1.4], [0.7, 1.4], [0.85, 1.18]] {
      for (name, path) in CostModel.prices {
        for factor in factors {
          var changed = best
          changed[keyPath: path] *= factor
          let found = try mean(changed)
          guard found < least - Self.leastGain else { continue }
          least = found
          best = changed
          report("\(name) \(best[keyPath: path]), mean \(least)")
        }
      }
    }
    return (best, try ratios(best))
  }

  private mutating func mean(_ costs: CostModel) throws -> Double {
    // Ratios at the end are no worse than twice a smaller one.
    let ratios = try ratios(costs)
    return ratios.reduce(0) { $0 + ($1 - 1) / ($1 + 1) } / Double(max(1, ratios.count))
  }

  /// Returns the ratio of each query. A plan that has no time yet is measured.
  private mutating func ratios(_ costs: CostModel) throws -> [Double] {
    try cases.indices.map { number in
      let (physical, snapshot) = try {
        let own = cases[number]
        let (snapshot, parameters) = (own.candidates.snapshot, own.candidates.parameters)
        return (try own.prepared.plan(own.query, snapshot, parameters, PlannerOptions(costs: costs)), snapshot)
      }()
      var place = cases[number].candidates.plans.firstIndex { $0.physical.isSameWay(as: physical) }
      if place == nil {
        cases[number].candidates.plans.append(
          Regret.Plan(physical: physical, executable: try Executable(physical, catalog: snapshot.catalog)))
        cases[number].times.append(.infinity)
        let last = cases[number].times.count - 1
        try regret.time(
          cases[number].candidates, last..<last + 1, repeats: Regret.repeats, &cases[number].times, cases[number].text)
        place = last
      }
      return max(1, (cases[number].times[place ?? 0] + Regret.slack) / (cases[number].least + Regret.slack))
    }
  }
}
