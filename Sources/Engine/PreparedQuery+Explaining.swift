import GQLExecutor
import GQLPlanner
import GQLStore

extension PreparedQuery {
  /// The plan for these variables, as text.
  ///
  /// - Parameters:
  ///   - costs: whether estimates and costs are shown; without them the text is stable enough for golden files.
  ///   - analyze: whether to run the query and show what was really read, and the times.
  /// - Throws: ``QueryError``, as ``run(_:options:)``.
  public func explain(
    _ variables: [String: Value] = [:], costs: Bool = true, analyze: Bool = false, options: RunOptions = RunOptions()
  ) throws(QueryError) -> String {
    let snapshot = database.current
    let query = try bound(variables, snapshot.catalog)
    let parameters = try coerce(variables, for: query, snapshot.catalog, now: options.now)
    let plan = try plan(query, snapshot, parameters, PlannerOptions())
    var actuals: [SetActuals]?
    if analyze {
      do {
        actuals = try Executable(plan, catalog: snapshot.catalog).analyze(
          snapshot, parameters: parameters, limits: options.runLimits(document.limits))
      } catch {
        throw QueryError([error.diagnostic(snapshot: snapshot)], in: document.source)
      }
    }
    return GQLPlanner.explain(
      plan, catalog: snapshot.catalog, options: ExplainOptions(costs: costs, analyzed: actuals))
  }
}
