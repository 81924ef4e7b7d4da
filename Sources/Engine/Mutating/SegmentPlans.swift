import GQLBase
import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLStore

/// The plans of an operation that is more than one plain query, by segment. Shared by threads.
final class SegmentPlans: Sendable {
  enum Segment: Sendable {
    case query(PartPlan)
    case mutation(MutationPlans)
    case command(BoundCommand, constants: PartPlan, answer: PartPlan?)
  }
  let query: BoundQuery
  let segments: [Segment]
  let catalogVersion: UInt64
  /// Whether the operation changes data, or may.
  let isChange: Bool

  init(_ query: BoundQuery, catalog: Catalog) {
    self.query = query
    let layouts = InputLayouts(catalog)
    catalogVersion = catalog.version
    var isChange = false
    segments = query.segments.map { segment in
      switch segment {
      case .query(let query): return .query(PartPlan(query))
      case .mutation(let mutation):
        isChange = true
        return .mutation(MutationPlans(mutation, layouts))
      case .command(let command):
        isChange = true
        return .command(command, constants: PartPlan(command.constants), answer: command.answer.map { PartPlan($0) })
      }
    }
    self.isChange = isChange
  }
}

/// The plans of the queries of one mutation field.
final class MutationPlans: Sendable {
  private let mutation: BoundMutation
  private let layouts: InputLayouts
  private let constants: PartPlan
  private let locate: PartPlan?
  private let deleted: PartPlan?
  private let decisions: PartPlan?
  private let answer: PartPlan?
  /// Whether anything must be found before the first change; without, the newest statistics are not needed, nor is the
  /// version that has them.
  let looksAtData: Bool
  private let ready = Lock<MutationProgram?>(nil)

  init(_ mutation: BoundMutation, _ layouts: InputLayouts) {
    self.mutation = mutation
    self.layouts = layouts
    constants = PartPlan(mutation.constants)
    locate = mutation.locate.map { PartPlan($0) }
    deleted = mutation.locateDeleted.map { PartPlan($0) }
    decisions = mutation.conflict?.decisions.map { PartPlan($0) }
    answer = mutation.answer.map { PartPlan($0) }
    looksAtData = locate != nil || deleted != nil || !mutation.constants.sets.isEmpty
  }

  /// The field made ready for this data and these parameters; the same one again where no plan has changed.
  func program(
    _ prepared: PreparedQuery, _ view: Snapshot, _ parameters: [GQLCatalog.Value?], _ planning: PartPlanning
  ) throws(QueryError) -> MutationProgram {
    let constants = try constants.values(prepared, view, parameters, planning)
    let locate = try locate?.values(prepared, view, parameters, planning)
    let deleted = try deleted?.values(prepared, view, parameters, planning)
    let decisions = try decisions?.values(prepared, view, parameters, planning)
    let answer = try answer?.executable(prepared, view, parameters, planning)
    let known = ready.withLock { $0 }
    if let known, known.constants === constants, known.locate === locate, known.locateDeleted === deleted,
      known.decisions === decisions, known.answer === answer
    {
      return known
    }
    let program = MutationProgram(
      mutation: mutation, layouts: layouts, constants: constants, locate: locate, locateDeleted: deleted,
      decisions: decisions, answer: answer)
    ready.withLock { $0 = program }
    return program
  }
}

/// How the parts of an operation are planned when their turn comes.
struct PartPlanning {
  /// Of tests that compare plans.
  var options: PlannerOptions?
  var interruption: Interruption?

  /// Planning the parts belongs to the run, and ends with its time.
  init(_ options: PlannerOptions?, _ context: MutationContext) {
    self.options = options
    guard context.limits.deadline != .max || context.cancellation != nil else { return }
    interruption = Interruption(
      deadline: context.limits.deadline, milliseconds: context.limits.milliseconds, cancellation: context.cancellation)
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
    _ prepared: PreparedQuery, _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?], _ planning: PartPlanning
  ) throws(QueryError) -> Executable {
    try made(prepared, snapshot, parameters, planning).executable
  }

  /// The same, for a query of values.
  func values(
    _ prepared: PreparedQuery, _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?], _ planning: PartPlanning
  ) throws(QueryError) -> ValueProgram {
    let made = try made(prepared, snapshot, parameters, planning)
    if let program = made.program { return program }
    let program = ValueProgram(made.executable)
    ready.withLock { if $0?.executable === made.executable { $0?.program = program } }
    return program
  }

  private func made(
    _ prepared: PreparedQuery, _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?], _ planning: PartPlanning
  ) throws(QueryError) -> Ready {
    let known = ready.withLock { $0 }
    func plan() throws(QueryError) -> Executable {
      var options = planning.options ?? PlannerOptions()
      options.interruption = planning.interruption
      return try prepared.made(
        try prepared.plan(query, snapshot, parameters, options), snapshot, planning.interruption)
    }
    if planning.options != nil { return Ready(executable: try plan(), generation: 0) }
    // Without sets there is nothing to choose, however the data grow.
    let generation = query.sets.isEmpty ? 0 : snapshot.generation
    if let known, known.generation == generation, !known.executable.plan.isParameterSensitive { return known }
    let executable: Executable
    if let cached = entry.plan(generation: generation, parameters: parameters, snapshot: snapshot) {
      executable = cached.executable
    } else {
      executable = try plan()
      _ = entry.add(executable, generation: generation, parameters: parameters, snapshot: snapshot)
    }
    if let known, known.executable === executable { return known }
    let made = Ready(executable: executable, program: nil, generation: generation)
    ready.withLock { $0 = made }
    return made
  }
}
