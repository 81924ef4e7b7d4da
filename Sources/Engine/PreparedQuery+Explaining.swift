import GQLBase
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
    try explain(variables, on: database.latest(), costs: costs, analyze: analyze, options: options)
  }

  private func explain(
    _ variables: [String: Value], on snapshot: Snapshot, costs: Bool, analyze: Bool, options: RunOptions
  ) throws(QueryError) -> String {
    if isMutation { return try explainSegments(variables, snapshot, costs: costs, options: options) }
    let interruption = options.interruption(document.limits, used: document.readBytes)
    let query = try bound(variables, snapshot.catalog, interruption)
    let parameters = try coerce(variables, for: query.parameters, snapshot.catalog, now: options.now)
    var planning = PlannerOptions()
    planning.interruption = interruption
    let plan = try plan(query, snapshot, parameters, planning)
    var actuals: [SetActuals]?
    if analyze {
      do {
        actuals = try Executable(plan, catalog: snapshot.catalog, interruption: interruption).analyze(
          snapshot, parameters: parameters, limits: options.runLimits(of: document))
      } catch {
        throw QueryError([error.diagnostic(snapshot: snapshot)], in: document.source)
      }
    }
    return GQLPlanner.explain(
      plan, catalog: snapshot.catalog, options: ExplainOptions(costs: costs, analyzed: actuals))
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

  /// The plans by which a mutation finds what it changes, field by field; nothing is changed.
  private func explainSegments(
    _ variables: [String: Value], _ snapshot: Snapshot, costs: Bool, options: RunOptions
  ) throws(QueryError) -> String {
    var planning = PlannerOptions()
    planning.interruption = options.interruption(document.limits, used: document.readBytes)
    let plans = try segmentPlans(variables, snapshot.catalog, planning.interruption)
    let parameters = try coerce(variables, for: plans.query.parameters, snapshot.catalog, now: options.now)
    var text = ""
    for segment in plans.query.segments {
      let query: BoundQuery?
      switch segment {
      case .query(let bound): query = bound
      case .mutation(let mutation):
        text += "\(mutation.kind.rawValue) \(snapshot.catalog[mutation.type].name)\n"
        query = mutation.locate
      case .command(let command):
        text += "command \(command.name)\n"
        query = nil
      }
      guard let query else { continue }
      let plan = try plan(query, snapshot, parameters, planning)
      text += GQLPlanner.explain(plan, catalog: snapshot.catalog, options: ExplainOptions(costs: costs))
    }
    return text
  }
}
