import GQLBase
import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLQuery
import GQLStore
import GQLWriting

/// The plans of an operation that is more than one plain query, by segment. Shared by threads.
final class SegmentPlans: Sendable {
  enum Segment: Sendable {
    case query(PartPlan)
    case past(BoundMoment, constants: PartPlan, PartPlan)
    case mutation(MutationPlans)
    case undo(BoundUndo, constants: PartPlan)
    /// Indirect, because every run takes its segments.
    indirect case command(BoundCommand, constants: PartPlan, answer: PartPlan?)
  }
  let query: BoundQuery
  /// The query's.
  let parameters: [BoundParameter]
  let segments: [Segment]
  let changeRanges: [ChangeRangePlans]
  let catalogVersion: UInt64
  /// Whether the operation changes data, or may.
  let isChange: Bool
  /// The names of the parameters; nil where nothing hangs on which of them are provided.
  let askedNames: [String]?
  /// How the parameters become cells at once; nil where values of them are needed, too.
  let bindings: CellBindings?
  private let idleParameters = IdlePair<OperationParameters>()

  init(_ query: BoundQuery, catalog: Catalog) {
    self.query = query
    parameters = query.parameters
    let layouts = EntityLayouts(catalog)
    catalogVersion = catalog.version
    var isChange = false
    segments = (query.segments.isEmpty ? [.query(query)] : query.segments).map { segment in
      switch segment {
      case .query(let query): return .query(PartPlan(query))
      case .past(let moment, let query):
        return .past(moment, constants: PartPlan(moment.constants), PartPlan(query))
      case .mutation(let mutation):
        isChange = true
        return .mutation(MutationPlans(mutation, layouts))
      case .undo(let undo):
        isChange = true
        return .undo(undo, constants: PartPlan(undo.constants))
      case .command(let command):
        isChange = true
        return .command(command, constants: PartPlan(command.constants), answer: command.answer.map { PartPlan($0) })
      }
    }
    self.isChange = isChange
    changeRanges = (query.changeRanges ?? []).map { ChangeRangePlans($0) }
    askedNames = query.asksWhatIsProvided ? query.parameters.map(\.name) : nil
    let needsCellsOnly = segments.allSatisfy {
      if case .mutation(let plans) = $0 { !plans.mutation.usesParameterValues } else { false }
    }
    // Lists may be long, and are looked at as values.
    let made = needsCellsOnly && changeRanges.isEmpty ? CellBindings(parameters, catalog) : nil
    bindings = made?.hasLists == false ? made : nil
  }

  /// Returns the cells of the parameters, to be given back by ``give(_:)``; nil where values are needed, or a variable
  /// needs a closer look.
  func takeCells(of variables: [String: Value], now: Int64) -> OperationParameters? {
    guard let bindings else { return nil }
    let cells = idleParameters.take() ?? OperationParameters(bindings.count)
    // Much is held as values, which the memory of a run counts.
    if bindings.bind(variables, to: cells, cells.scratch, now: now), cells.byteCount <= PointMutation.maximumBytes {
      return cells
    }
    give(cells)
    return nil
  }

  /// Gives back the cells of a run that has ended.
  func give(_ cells: OperationParameters) {
    cells.removeAll()
    if cells.scratch.byteCount <= Self.keptBytes { _ = idleParameters.put(cells) }
  }
  static let keptBytes = 1 << 16
}

/// The plans of the queries of one mutation field.
final class MutationPlans: Sendable {
  let mutation: BoundMutation
  private let layouts: EntityLayouts
  private let constants: PartPlan
  private let locate: PartPlan?
  private let deleted: PartPlan?
  private let decisions: PartPlan?
  private let answer: PartPlan?
  /// Whether anything must be found before the first change; without, the newest statistics are not needed, nor is the
  /// version that has them.
  let looksAtData: Bool
  private struct Ready {
    var program: MutationProgram
    /// That of the data for which it is the one; nil where other parameters may ask for another.
    var generation: UInt64?
  }
  private let ready = Lock<Ready?>(nil)
  /// Whether a plan may be another one for other data.
  private let hasSets: Bool
  /// Whether its plans may make it a point mutation.
  let mayBePoint: Bool

  init(_ mutation: BoundMutation, _ layouts: EntityLayouts) {
    self.mutation = mutation
    self.layouts = layouts
    constants = PartPlan(mutation.constants)
    locate = mutation.locate.map { PartPlan($0) }
    deleted = mutation.locateDeleted.map { PartPlan($0) }
    decisions = mutation.conflict?.decisions.map { PartPlan($0) }
    answer = mutation.answer.map { PartPlan($0) }
    looksAtData = locate != nil || deleted != nil || !mutation.constants.sets.isEmpty
    mayBePoint = mutation.mayBePoint
    hasSets = looksAtData || mutation.answer != nil || mutation.conflict?.decisions != nil
  }

  /// Returns whether a program is the one for all parameters, as long as the data's generation stays.
  func isSettled(_ program: MutationProgram) -> Bool {
    ready.withLock { $0?.program === program && $0?.generation != nil }
  }

  /// The field made ready for this data and these parameters; the same one again where no plan has changed.
  func program(
    _ prepared: PreparedQuery, _ view: Snapshot, _ run: RunParameters, _ planning: PartPlanning
  ) throws(QueryError) -> MutationProgram {
    let generation = hasSets ? view.generation : 0
    let known = ready.withLock { $0 }
    if !planning.isForced, let known, known.generation == generation { return known.program }
    let parameters = try run.values()
    let constants = try constants.values(prepared, view, parameters, planning)
    let locate = try locate?.values(prepared, view, parameters, planning)
    let deleted = try deleted?.values(prepared, view, parameters, planning)
    let decisions = try decisions?.values(prepared, view, parameters, planning)
    let answer = try answer?.executable(prepared, view, parameters, planning)
    if let program = known?.program, program.constants === constants, program.locate === locate,
      program.locateDeleted === deleted, program.decisions === decisions, program.answer === answer
    {
      return program
    }
    let program = MutationProgram(
      mutation: mutation, layouts: layouts, constants: constants, locate: locate, locateDeleted: deleted,
      decisions: decisions, answer: answer)
    if !planning.isForced {
      let executables = [constants.executable, locate?.executable, deleted?.executable, decisions?.executable, answer]
      let isSettled = executables.allSatisfy { $0?.plan.isParameterSensitive != true }
      ready.withLock { $0 = Ready(program: program, generation: isSettled ? generation : nil) }
    }
    return program
  }
}

/// How the parts of an operation are planned when their turn comes.
struct PartPlanning {
  private let run: RunOptions
  let interruption: Interruption?

  /// Indicates whether a test that compares plans says how they are chosen.
  var isForced: Bool { run.hasPlanner }
  /// The options of such a test.
  var options: PlannerOptions? { run.planner }

  /// Planning the parts belongs to the run, and ends with its time.
  init(_ run: RunOptions, _ context: MutationContext) {
    self.run = run
    let limits = context.limits
    guard limits.deadline != .max || limits.maximumMemory != .max || context.cancellation != nil else {
      interruption = nil
      return
    }
    interruption = Interruption(
      deadline: limits.deadline, milliseconds: limits.milliseconds, cancellation: context.cancellation,
      memory: limits.maximumMemory == .max ? nil : PreparationMemory(limit: limits.maximumMemory))
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
    let program = ValueProgram(made.executable, interruption: planning.interruption)
    if let diagnostic = planning.interruption?.diagnostic(at: SourceRange(at: 0)) {
      throw QueryError([diagnostic], in: prepared.document.source)
    }
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
    if planning.isForced { return Ready(executable: try plan(), generation: 0) }
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
