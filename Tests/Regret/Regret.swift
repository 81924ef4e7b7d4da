import Foundation
import GQLBase
import GQLCatalog
import GQLDifferential
import GQLEngine
import GQLExecutor
import GQLPlanner
import GQLQuery
import GQLStore
import GQLite

/// Measures how far the plans that are chosen are from the best of their alternatives.
///
/// Every alternative of a random query runs, and all must give the same bytes. The regret is the time of the plan that
/// the planner chose, divided by the least time of any; each time is the least of several interleaved runs.
package struct Regret {
  /// What came of one query with one set of values.
  package struct Result {
    package var query: String
    package var rows: Int
    package var ratio: Double
    package var chosenNanoseconds: Double
    package var bestNanoseconds: Double
    package var alternatives: Int
    package var chosenPlan: String
    package var bestPlan: String
    package var schema: String
    /// Every alternative with its time, the one that was chosen first.
    package var plans: [(nanoseconds: Double, units: Double, text: String)]
  }

  /// An alternative that gave another answer, which must not be.
  package struct Difference: Error {
    package var text: String
  }

  /// The sizes of the data; each seed has one of them.
  package var sizes = [10_000, 100_000]
  package var queriesPerDatabase = 50
  /// Added to both times, so that nanoseconds of no interest make no ratio.
  static let slack = 1_000.0
  static let repeats = 5
  /// Plans that take longer than so many nanoseconds run from what the caches do not hold anyhow.
  static let longest = 2_000_000.0
  static let mostAlternatives = 24

  package init() {}

  /// Returns what the queries of one database came to.
  ///
  /// - Throws: ``Difference`` where two plans give different answers.
  package func run(seed: UInt64) throws -> [Result] {
    var random = SeededRandom(seed: seed)
    let data = try RegretData(&random, rows: sizes[Int(seed % UInt64(sizes.count))])
    var results: [Result] = []
    for _ in 0..<queriesPerDatabase {
      let query = RegretQuery(&random, data)
      let prepared = try data.database.prepare(query.text)
      var shelf = PlanShelf<Plan>()
      for values in query.values {
        let candidates = try Candidates(prepared, values, data.database, &shelf)
        if let result = try measure(candidates, query.text, values, data) { results.append(result) }
      }
    }
    return results
  }

  /// A plan, ready to run.
  struct Plan {
    let physical: PhysicalPlan
    let executable: Executable
  }

  /// The plan that is chosen for some values, and its alternatives.
  struct Candidates {
    var plans: [Plan] = []
    let parameters: [GQLCatalog.Value?]
    let snapshot: Snapshot

    /// - Parameter shelf: The plans that were made for other values, as a prepared query keeps them.
    init(
      _ prepared: PreparedQuery, _ values: [String: GQLite.Value], _ database: Database, _ shelf: inout PlanShelf<Plan>
    ) throws {
      let snapshot = try database.latest()
      self.snapshot = snapshot
      let query = try prepared.bound(values, snapshot.catalog)
      let parameters = try prepared.coerce(values, for: query.parameters, snapshot.catalog, now: nil)
      self.parameters = parameters
      func estimates(_ plan: PhysicalPlan) -> [Double] {
        accessEstimates(plan, parameters: parameters, statistics: snapshot)
      }
      if let known = shelf.plan(generation: snapshot.generation, { estimates($0.physical) }) { plans.append(known) }
      for number in 0..<Regret.mostAlternatives {
        let forcing = number == 0 ? ForcedAccess.cheapest : .alternative(number - 1)
        let physical = try prepared.plan(query, snapshot, parameters, PlannerOptions(forcing: forcing))
        let isNew = !plans.contains { $0.physical.isSameWay(as: physical) }
        // Beyond the last alternative of every set the plans repeat.
        if !isNew, number > 4 { break }
        guard isNew else { continue }
        let plan = Plan(physical: physical, executable: try Executable(physical, catalog: snapshot.catalog))
        if plans.isEmpty {
          let fit = PlanFit(
            generation: snapshot.generation, estimates: physical.isParameterSensitive ? estimates(physical) : [])
          plans.append(
            shelf.add(fit) {
              $0.physical.isSameWay(as: physical)
            } _: { _ in
              plan
            })
        } else {
          plans.append(plan)
        }
      }
    }
  }

  private func measure(
    _ candidates: Candidates, _ text: String, _ values: [String: GQLite.Value], _ data: RegretData
  ) throws -> Result? {
    guard candidates.plans.count > 1 else { return nil }
    var times = [Double](repeating: .infinity, count: candidates.plans.count)
    let all = candidates.plans.indices
    try time(candidates, all, repeats: Self.repeats, &times, text)
    var ratio = Self.ratio(times)
    if ratio > 1.1 {
      try time(candidates, all, repeats: Self.repeats * 3, &times, text)
      ratio = Self.ratio(times)
    }
    let best = times.indices.min { times[$0] < times[$1] } ?? 0
    let catalog = candidates.snapshot.catalog
    func plan(_ number: Int) -> String {
      explain(candidates.plans[number].physical, catalog: catalog)
    }
    let shown = values.isEmpty ? text : "\(text) with \(values)"
    return Result(
      query: shown, rows: data.rows, ratio: ratio, chosenNanoseconds: times[0], bestNanoseconds: times[best],
      alternatives: times.count, chosenPlan: plan(0), bestPlan: plan(best), schema: data.schema,
      plans: times.indices.map {
        (times[$0], candidates.plans[$0].physical.sets.reduce(0) { max($0, $1.estimate.cost) }, plan($0))
      })
  }

  /// The time that the thread has had a processor, in nanoseconds: what others do meanwhile does not count.
  static var processorTime: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  private static func ratio(_ times: [Double]) -> Double {
    (times[0] + slack) / ((times.min() ?? 0) + slack)
  }

  /// Lowers the times to those of several runs, one plan after the other in each.
  func time(
    _ candidates: Candidates, _ numbers: Range<Int>, repeats: Int, _ times: inout [Double], _ text: String
  ) throws {
    var expected: String?
    for round in 0..<repeats {
      for (number, plan) in candidates.plans.enumerated() where numbers.contains(number) {
        // Plans that are far behind are not waited for again and again.
        if round > 1, times[number] > 20 * (times.min() ?? 0) + 100_000 { continue }
        let runs = times[number].isFinite ? max(1, min(20, Int(20_000 / max(times[number], 1)))) : 1
        var output = ByteBuffer()
        // Not the first of several plans for the same rows alone is to fetch them into the caches.
        if times[number] < Self.longest {
          try plan.executable.run(
            candidates.snapshot, parameters: candidates.parameters, limits: .none, cancellation: nil, into: &output)
        }
        let start = Self.processorTime
        for _ in 0..<runs {
          output.truncate(to: 0)
          try plan.executable.run(
            candidates.snapshot, parameters: candidates.parameters, limits: .none, cancellation: nil, into: &output)
        }
        times[number] = min(times[number], Double(Self.processorTime - start) / Double(runs))
        guard round == 0 else { continue }
        let answer = output.string
        if answer != expected ?? answer { throw Difference(text: "\(text)\n\(plan.physical.sets.map(\.access))") }
        expected = answer
      }
    }
  }
}
