import GQLCatalog
import GQLExecutor
import GQLStore

/// The parameters of one run of an operation of segments: cells where nothing else is needed, else values.
struct RunParameters {
  private let variables: [String: Value]
  private let now: Int64
  /// Nil where the fields need values.
  private let cells: OperationParameters?
  /// The values; none where there are ``cells``.
  private let known: [GQLCatalog.Value?]
  private let prepared: PreparedQuery
  private let plans: SegmentPlans
  private let view: Snapshot

  /// - Throws: where a variable is wrong.
  init(
    _ variables: [String: Value], of prepared: PreparedQuery, _ plans: SegmentPlans, _ view: Snapshot, now: Int64
  ) throws(QueryError) {
    (self.variables, self.prepared, self.plans, self.view, self.now) = (variables, prepared, plans, view, now)
    cells = prepared.takesPlainVariables ? plans.takeCells(of: variables, now: now) : nil
    known = cells == nil ? try prepared.coerce(variables, for: plans.parameters, view.catalog, now: now) : []
  }

  /// Gives back the memory of the cells. They are not to be used afterwards.
  func end() { if let cells { plans.give(cells) } }

  /// Returns the values, by which a plan is chosen.
  func values() throws(QueryError) -> [GQLCatalog.Value?] {
    cells == nil ? known : try prepared.coerce(variables, for: plans.parameters, view.catalog, now: now)
  }

  /// Indicates whether the values are few and short enough for a point mutation.
  var fitPointMutation: Bool { cells != nil || PointMutation.fits(known) }

  /// Returns what the fields of the run have in common.
  func context(options: RunOptions) -> MutationContext {
    var isGiven: (@Sendable (String) -> Bool)?
    if cells == nil, plans.askedNames != nil { isGiven = { [variables] in variables.index(forKey: $0) != nil } }
    return MutationContext(
      parameters: known, cells: cells, limits: options.runLimits(of: prepared.document),
      cancellation: options.cancellation?.flag, now: now, parameterNames: plans.askedNames ?? [], isGiven: isGiven)
  }
}
