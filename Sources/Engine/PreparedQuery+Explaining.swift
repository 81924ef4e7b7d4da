import GQLBase
import GQLCatalog
import GQLExecutor
import GQLParser
import GQLPlanner
import GQLQuery
import GQLStore

/// `@explain` on an operation.
struct ExplanationRequest: Sendable {
  var costs = true
  var analyze = false

  /// Nil if the operation is not to be explained. The binder has checked the arguments.
  init?(_ operation: OperationDefinition) {
    guard let directive = operation.directives.first(where: { $0.name.text == "explain" }) else { return nil }
    for argument in directive.arguments {
      guard case .boolean(let value) = argument.value.kind else { continue }
      if argument.name.text == "costs" { costs = value } else { analyze = value }
    }
  }
}

extension PreparedQuery {
  /// Tells whether the operation has `@explain`: it answers `{"plan": […]}`, its plan's lines, and changes nothing.
  public var isExplained: Bool { explanation != nil }

  /// The plan for these variables, as text.
  ///
  /// - Parameters:
  ///   - costs: whether estimates and costs are shown; without them the text is stable enough for golden files.
  ///   - analyze: whether to run the query and show what was really read, and the times.
  /// - Throws: ``QueryError``, as ``run(_:options:)``.
  public func explain(
    _ variables: [String: Value] = [:], costs: Bool = true, analyze: Bool = false, options: RunOptions = RunOptions()
  ) throws(QueryError) -> String {
    try own().explain(variables, on: database.latest(), costs: costs, analyze: analyze, options: options)
  }

  /// Returns the plan, without figures, that would be chosen for data of which these are stated.
  package func explain(_ variables: [String: Value], figures: StatedFigures) throws(QueryError) -> String {
    if figures.isEmpty || hasSegments { return try explain(variables, costs: false) }
    let snapshot = try data(database.latest(), nil).snapshot
    let (plan, explanation) = try own().explainedPlan(
      variables, snapshot, costs: false, analyze: false, RunOptions(), figures)
    return GQLPlanner.explain(plan, catalog: snapshot.catalog, options: explanation)
  }

  private func explain(
    _ variables: [String: Value], on snapshot: Snapshot, costs: Bool, analyze: Bool, options: RunOptions
  ) throws(QueryError) -> String {
    let snapshot = try data(snapshot, options.interruption(document.limits, used: document.readBytes)).snapshot
    if hasSegments {
      return try explainSegments(variables, snapshot, costs: costs, analyze: analyze, options: options)
    }
    let (plan, explanation) = try explainedPlan(variables, snapshot, costs: costs, analyze: analyze, options)
    return GQLPlanner.explain(plan, catalog: snapshot.catalog, options: explanation)
  }

  /// Returns the plan for these variables as one JSON array, an object for each root field.
  ///
  /// Each object has the `operator` as text, where known a `label`, estimates (`rows`, or `rowsEach` of a nested set;
  /// `cost`; `share` of a filter), the plans that were `dropped`, and its `inputs`. With `analyze` it has what was
  /// measured as `actual`, a list of uses: `loops`, `rows`, `nanoseconds`, `bytes`. A mutation gives an array of such
  /// arrays, one for each field that finds entities.
  ///
  /// - Parameters:
  ///   - costs: Whether estimates and costs are given.
  ///   - analyze: Whether to run the query and measure it. A mutation is not run.
  /// - Throws: ``QueryError``, as ``run(_:options:)``.
  public func explainJSON(
    _ variables: [String: Value] = [:], costs: Bool = true, analyze: Bool = false, options: RunOptions = RunOptions()
  ) throws(QueryError) -> String {
    let snapshot = try data(
      database.latest(), options.interruption(document.limits, used: document.readBytes)
    ).snapshot
    var output = ByteBuffer()
    if hasSegments {
      let planning = PlannerOptions(interruption: options.interruption(document.limits, used: document.readBytes))
      output.append("[")
      var isFirst = true
      try forEachSegment(variables, snapshot, planning, options) { (segment) throws(QueryError) in
        guard let plan = segment.plan else { return }
        if !isFirst { output.append(",") }
        isFirst = false
        plan.appendJSON(catalog: snapshot.catalog, options: ExplainOptions(costs: costs), to: &output)
      }
      output.append("]")
    } else {
      let (plan, explanation) = try own().explainedPlan(
        variables, snapshot, costs: costs, analyze: analyze, options)
      plan.appendJSON(catalog: snapshot.catalog, options: explanation, to: &output)
    }
    return output.string
  }

  /// Returns the sets, selections and fields that binding makes of the operation for these variables, as lines.
  ///
  /// They hold no choice of the planner: `gqlite explain --format bound`.
  ///
  /// - Throws: ``QueryError`` if the operation has an error.
  public func explainBound(_ variables: [String: Value] = [:]) throws(QueryError) -> String {
    let snapshot = try data(database.latest(), nil).snapshot
    return BoundPrinter.text(try bound(variables, snapshot.catalog), catalog: snapshot.catalog)
  }

  private func explainedPlan(
    _ variables: [String: Value], _ snapshot: Snapshot, costs: Bool, analyze: Bool, _ options: RunOptions,
    _ figures: StatedFigures = StatedFigures()
  ) throws(QueryError) -> (PhysicalPlan, ExplainOptions) {
    let interruption = options.interruption(document.limits, used: document.readBytes)
    let query = try bound(variables, snapshot.catalog, interruption)
    let parameters = try coerce(variables, for: query.parameters, snapshot.catalog, now: options.now)
    var planning = PlannerOptions(interruption: interruption)
    planning.figures = figures
    let plan = try plan(query, snapshot, parameters, planning)
    var actuals: [SetActuals]?
    if analyze { actuals = try analyzed(plan, snapshot, parameters, interruption, options) }
    return (plan, ExplainOptions(costs: costs, analyzed: actuals))
  }

  /// Appends the answer of an operation with `@explain`.
  func appendExplanation(
    _ request: ExplanationRequest, _ variables: [String: Value], _ snapshot: Snapshot, options: RunOptions,
    into output: inout ByteBuffer
  ) throws(QueryError) {
    let text = try explain(
      variables, on: snapshot, costs: request.costs, analyze: request.analyze, options: options)
    output.append("{\"plan\":[")
    for (number, line) in text.split(separator: "\n").enumerated() {
      if number > 0 { output.append(",") }
      output.append(json: String(line))
    }
    output.append("]}")
  }

  /// Returns the plans by which a mutation finds what it changes, or those of versions of the past, field by field;
  /// nothing is changed.
  private func explainSegments(
    _ variables: [String: Value], _ snapshot: Snapshot, costs: Bool, analyze: Bool, options: RunOptions
  ) throws(QueryError) -> String {
    let planning = PlannerOptions(interruption: options.interruption(document.limits, used: document.readBytes))
    var text = ""
    try forEachSegment(variables, snapshot, planning, options) { (segment) throws(QueryError) in
      if let heading = segment.heading { text += heading + "\n" }
      guard let plan = segment.plan else { return }
      var actuals: [SetActuals]?
      if analyze, !isMutation {
        actuals = try analyzed(plan, segment.snapshot, segment.parameters, planning.interruption, options)
      }
      text += GQLPlanner.explain(
        plan, catalog: snapshot.catalog, options: ExplainOptions(costs: costs, analyzed: actuals))
    }
    return text
  }

  /// Runs a plan to measure it.
  private func analyzed(
    _ plan: PhysicalPlan, _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?], _ interruption: Interruption?,
    _ options: RunOptions
  ) throws(QueryError) -> [SetActuals] {
    do {
      return try Executable(plan, catalog: snapshot.catalog, interruption: interruption).analyze(
        snapshot, parameters: parameters, limits: options.runLimits(of: document))
    } catch {
      throw QueryError([error.diagnostic(snapshot: snapshot)], in: document.source)
    }
  }

  private struct ExplainedSegment {
    var heading: String?
    var plan: PhysicalPlan?
    /// The data that it is planned for.
    var snapshot: Snapshot
    var parameters: [GQLCatalog.Value?]
  }

  /// Calls for each segment, with what it does and the plan by which it finds entities.
  private func forEachSegment(
    _ variables: [String: Value], _ snapshot: Snapshot, _ planning: PlannerOptions, _ options: RunOptions,
    _ body: (ExplainedSegment) throws(QueryError) -> Void
  ) throws(QueryError) {
    let plans = try segmentPlans(variables, snapshot, planning.interruption)
    let now = options.now ?? WallClock.now
    let run = try RunParameters(variables, of: self, plans, snapshot, now: now)
    defer { run.end() }
    let parameters = try run.values()
    let context = run.context(options: options)
    for segment in plans.segments {
      let query: BoundQuery?
      var heading: String?
      var data = snapshot
      switch segment {
      case .query(let part): query = part.query
      case .past(let moment, let constants, let part):
        query = part.query
        let version = try past(
          moment, constants, of: part.query, snapshot, context, PartPlanning(options, context))
        data = version.snapshot
        heading = version.words
      case .mutation(let mutation):
        heading = "\(mutation.mutation.kind.rawValue) \(snapshot.catalog[mutation.mutation.type].name)"
        query = mutation.mutation.locate
      case .undo:
        heading = "undo"
        query = nil
      case .command(let command, _, _):
        heading = "command \(command.name)"
        query = nil
      }
      try body(
        ExplainedSegment(
          heading: heading,
          plan: try query.map { (query) throws(QueryError) in try plan(query, data, parameters, planning) },
          snapshot: data, parameters: parameters))
    }
  }
}
