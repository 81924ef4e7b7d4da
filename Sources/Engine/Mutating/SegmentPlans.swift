import GQLBase
import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLStore

/// The plans of an operation that is more than one plain query, by segment. Shared by threads.
final class SegmentPlans: Sendable {
  enum Segment: Sendable {
    case query(PartPlan)
    case mutation(
      BoundMutation, constants: PartPlan, locate: PartPlan?, deleted: PartPlan?, decisions: PartPlan?,
      answer: PartPlan?)
    case command(BoundCommand, constants: PartPlan, answer: PartPlan?)
  }
  let query: BoundQuery
  let segments: [Segment]
  let layouts: InputLayouts
  let catalogVersion: UInt64
  /// Whether the operation changes data, or may.
  let isChange: Bool

  init(_ query: BoundQuery, catalog: Catalog) {
    self.query = query
    layouts = InputLayouts(catalog)
    catalogVersion = catalog.version
    var isChange = false
    segments = query.segments.map { segment in
      switch segment {
      case .query(let query): return .query(PartPlan(query))
      case .mutation(let mutation):
        isChange = true
        return .mutation(
          mutation, constants: PartPlan(mutation.constants), locate: mutation.locate.map { PartPlan($0) },
          deleted: mutation.locateDeleted.map { PartPlan($0) },
          decisions: mutation.conflict?.decisions.map { PartPlan($0) }, answer: mutation.answer.map { PartPlan($0) })
      case .command(let command):
        isChange = true
        return .command(command, constants: PartPlan(command.constants), answer: command.answer.map { PartPlan($0) })
      }
    }
    self.isChange = isChange
  }
}

/// The plans of one query of a segment.
final class PartPlan: Sendable {
  private struct Ready {
    var executable: Executable
    var program: ValueProgram?
    var generation: UInt64
  }
  let query: BoundQuery
  private let entry: PlanCache.Entry
  private let ready = Lock<Ready?>(nil)

  init(_ query: BoundQuery) {
    self.query = query
    entry = PlanCache.Entry(query: query)
  }

  /// The plan for this data and these parameters, made ready.
  func executable(
    _ prepared: PreparedQuery, _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?], _ planner: PlannerOptions? = nil
  ) throws(QueryError) -> Executable {
    try made(prepared, snapshot, parameters, planner).executable
  }

  /// The same, for a query of values.
  func values(
    _ prepared: PreparedQuery, _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?], _ planner: PlannerOptions? = nil
  ) throws(QueryError) -> ValueProgram {
    let made = try made(prepared, snapshot, parameters, planner)
    if let program = made.program { return program }
    let program = ValueProgram(made.executable)
    ready.withLock { if $0?.executable === made.executable { $0?.program = program } }
    return program
  }

  private func made(
    _ prepared: PreparedQuery, _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?], _ planner: PlannerOptions? = nil
  ) throws(QueryError) -> Ready {
    let known = ready.withLock { $0 }
    if let planner {
      let plan = try prepared.plan(query, snapshot, parameters, planner)
      return Ready(executable: Executable(plan, catalog: snapshot.catalog), generation: 0)
    }
    // Without sets there is nothing to choose, however the data grow.
    let generation = query.sets.isEmpty ? 0 : snapshot.generation
    if let known, known.generation == generation, !known.executable.plan.isParameterSensitive { return known }
    let executable: Executable
    if let cached = entry.plan(generation: generation, parameters: parameters, snapshot: snapshot) {
      executable = cached.executable
    } else {
      executable = Executable(
        try prepared.plan(query, snapshot, parameters, PlannerOptions()), catalog: snapshot.catalog)
      _ = entry.add(executable, generation: generation, parameters: parameters, snapshot: snapshot)
    }
    if let known, known.executable === executable { return known }
    let made = Ready(executable: executable, program: nil, generation: generation)
    ready.withLock { $0 = made }
    return made
  }
}
