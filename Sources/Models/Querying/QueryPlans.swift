import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLStore

/// The plans of a schema's queries, by shape.
final class QueryPlans: Sendable {
  private struct Plan {
    let executable: Executable
    let generation: UInt64
    /// What the choice hung on; empty where the plan serves all values.
    let estimates: [Double]
  }
  private let plans = Guarded<[QueryShape: Plan]>([:])
  private static let kept = 512

  /// The rows of a query; for each parent, where it has any. `ends` says where those of each parent end.
  func run(
    _ shape: QueryShape, _ parameters: [Parameter], types: [AnyTypeMapping],
    given: [UInt32] = [], parents: [UInt32]? = nil, on snapshot: Snapshot, ends: inout [Int]
  ) throws -> [UInt32] {
    let values = parameters.map { Optional($0.value) }
    let lowering = QueryLowering(shape, snapshot.catalog, types, parameters: parameters)
    var rows: [UInt32] = []
    do {
      let executable = try plan(shape, lowering, values, snapshot)
      try given.withUnsafeBufferPointer { (given) throws(RuntimeProblem) in
        guard let parents else {
          return try executable.members(
            of: lowering.wanted, snapshot, parameters: values, given: given, parents: nil, into: &rows, ends: &ends)
        }
        try parents.withUnsafeBufferPointer { (parents) throws(RuntimeProblem) in
          try executable.members(
            of: lowering.wanted, snapshot, parameters: values, given: given, parents: parents, into: &rows,
            ends: &ends)
        }
      }
    } catch {
      throw ModelError.failedQuery(error.diagnostic(catalog: snapshot.catalog, entityID: nil).message)
    }
    return rows
  }

  private func plan(
    _ shape: QueryShape, _ lowering: QueryLowering, _ values: [Value?], _ snapshot: Snapshot
  ) throws(RuntimeProblem) -> Executable {
    if let known = plans.withLock({ $0[shape] }), known.generation == snapshot.generation,
      isFit(known, values, snapshot)
    {
      return known.executable
    }
    let query = lowering.query()
    let planned = optimize(
      query, catalog: snapshot.catalog, statistics: snapshot, parameters: values,
      sampler: PredicateSampler(snapshot: snapshot, parameters: query.parameters))
    let executable = try Executable(planned.output, catalog: snapshot.catalog)
    let plan = Plan(
      executable: executable, generation: snapshot.generation,
      estimates: planned.output.isParameterSensitive
        ? accessEstimates(planned.output, parameters: values, statistics: snapshot) : [])
    plans.withLock { plans in
      if plans.count >= Self.kept { plans.removeAll() }
      plans[shape] = plan
    }
    return executable
  }

  private func isFit(_ plan: Plan, _ values: [Value?], _ snapshot: Snapshot) -> Bool {
    if plan.estimates.isEmpty { return true }
    let estimates = accessEstimates(plan.executable.plan, parameters: values, statistics: snapshot)
    return estimates.count == plan.estimates.count && zip(estimates, plan.estimates).allSatisfy(areAlike)
  }
}
