import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLQuery
import GQLStore

/// The plans of a schema's queries, by shape.
final class QueryPlans: Sendable {
  private struct Plan {
    let executable: Executable
    let generation: UInt64
    /// What the choice hung on; empty where the plan serves all values.
    let estimates: [Double]
    /// How many rows or parents it was made for.
    let givenRows: Double
  }
  /// The newest last. Several of a shape, because databases of the same types share them, and because other values may
  /// want other plans.
  private let plans = Guarded<[QueryShape: [Plan]]>([:])
  private static let kept = 512
  private static let keptOfShape = 6

  /// The rows of a query; for each parent, where it has any. `ends` says where those of each parent end.
  func run(
    _ shape: QueryShape, _ parameters: [Parameter], types: [AnyTypeMapping],
    given: [UInt32] = [], parents: [UInt32]? = nil, on snapshot: Snapshot, ends: inout [Int]
  ) throws -> [UInt32] {
    let values = parameters.map { Optional($0.value) }
    var rows: [UInt32] = []
    do {
      let executable = try plan(shape, parameters, values, types, given: parents?.count ?? given.count, snapshot)
      try given.withUnsafeBufferPointer { (given) throws(RuntimeProblem) in
        guard let parents else {
          return try executable.members(
            of: shape.wanted, snapshot, parameters: values, given: given, parents: nil, into: &rows, ends: &ends)
        }
        try parents.withUnsafeBufferPointer { (parents) throws(RuntimeProblem) in
          try executable.members(
            of: shape.wanted, snapshot, parameters: values, given: given, parents: parents, into: &rows, ends: &ends)
        }
      }
    } catch { throw failure(error, snapshot) }
    return rows
  }

  /// What a query keeps of each of several lists of rows. Precondition: its source is rows.
  func narrow(
    _ rows: inout [UInt32], _ ends: inout [Int], to shape: QueryShape, _ parameters: [Parameter],
    types: [AnyTypeMapping], on snapshot: Snapshot
  ) throws {
    let values = parameters.map { Optional($0.value) }
    do {
      let executable = try plan(shape, parameters, values, types, given: rows.count, snapshot)
      try executable.narrow(to: shape.wanted, snapshot, parameters: values, rows: &rows, ends: &ends)
    } catch { throw failure(error, snapshot) }
  }

  private func failure(_ problem: RuntimeProblem, _ snapshot: Snapshot) -> ModelError {
    .failedQuery(problem.diagnostic(catalog: snapshot.catalog, entityID: nil).message)
  }

  private func plan(
    _ shape: QueryShape, _ parameters: [Parameter], _ values: [Value?], _ types: [AnyTypeMapping], given: Int,
    _ snapshot: Snapshot
  ) throws(RuntimeProblem) -> Executable {
    let givenRows = Double(max(given, 1))
    let known = plans.withLock { $0[shape] } ?? []
    let fitting = known.last {
      $0.generation == snapshot.generation && areAlike($0.givenRows, givenRows) && isFit($0, values, snapshot)
    }
    if let fitting { return fitting.executable }
    let query = QueryLowering(shape, snapshot.catalog, types, parameters: parameters).query()
    let planned = optimize(
      query, catalog: snapshot.catalog, statistics: snapshot, parameters: values,
      sampler: PredicateSampler(snapshot: snapshot, parameters: query.parameters),
      options: PlannerOptions(givenRows: givenRows))
    let executable = try Executable(planned.output, catalog: snapshot.catalog)
    let plan = Plan(
      executable: executable, generation: snapshot.generation,
      estimates: planned.output.isParameterSensitive
        ? accessEstimates(planned.output, parameters: values, statistics: snapshot) : [], givenRows: givenRows)
    plans.withLock { plans in
      if plans[shape] == nil, plans.count >= Self.kept { plans.removeAll() }
      var ofShape = plans[shape] ?? []
      if ofShape.count >= Self.keptOfShape { ofShape.removeFirst() }
      ofShape.append(plan)
      plans[shape] = ofShape
    }
    return executable
  }

  /// How many plans of a shape are kept.
  func count(of shape: QueryShape) -> Int { plans.withLock { $0[shape]?.count ?? 0 } }

  private func isFit(_ plan: Plan, _ values: [Value?], _ snapshot: Snapshot) -> Bool {
    if plan.estimates.isEmpty { return true }
    let estimates = accessEstimates(plan.executable.plan, parameters: values, statistics: snapshot)
    return estimates.count == plan.estimates.count && zip(estimates, plan.estimates).allSatisfy(areAlike)
  }
}
