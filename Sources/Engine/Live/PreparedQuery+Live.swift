import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLQuery
import GQLStore

extension PreparedQuery {
  /// Tells whether the operation asks for its answer again whenever it changes: a `subscription`, or one with `@live`.
  public var isLive: Bool { LiveDirective(document.definition(operation)) != nil }

  /// Follows the query: a sequence of its answer now, and of each that differs from the one before.
  ///
  /// ```swift
  /// for await event in try room.live(["chat": "c1"]) { print(event.jsonLine) }
  /// ```
  ///
  /// Any query can be followed, whether or not its text says so.
  ///
  /// - Parameters:
  ///   - variables: The variables, as for ``run(_:options:)``.
  ///   - mode: The form of later answers; nil for that of the text, which is ``LiveMode/full`` if it says none.
  ///   - every: The shortest time between two events; nil for that of the text, or none.
  /// - Throws: ``QueryError`` for a mutation, and where there are as many live queries as may be.
  public func live(
    _ variables: [String: Value] = [:], mode: LiveMode? = nil, every: Duration? = nil
  ) throws(QueryError) -> LiveEvents {
    let first = try subscription(variables, mode, every, nil)
    return LiveEvents(first) { () throws(QueryError) in try self.subscription(variables, mode, every, nil) }
  }

  /// Follows the query: calls `body` with its answer now, and with each that differs from the one before.
  ///
  /// ```swift
  /// let subscription = try room.subscribe(["chat": "c1"]) { event in print(event.jsonLine) }
  /// ```
  ///
  /// - Parameters:
  ///   - body: Called on the thread that tells all subscribers of the database, so that it should be short. It may use
  ///     the database.
  ///   - variables: The variables, as for ``run(_:options:)``.
  ///   - mode: The form of later answers; nil for that of the text, which is ``LiveMode/full`` if it says none.
  ///   - every: The shortest time between two events; nil for that of the text, or none.
  /// - Throws: ``QueryError`` for a mutation, and where there are as many live queries as may be.
  /// - Returns: A subscription that ends when it is released.
  public func subscribe(
    _ variables: [String: Value] = [:], mode: LiveMode? = nil, every: Duration? = nil,
    _ body: @escaping @Sendable (LiveEvent) -> Void
  ) throws(QueryError) -> LiveSubscription {
    try subscription(variables, mode, every, body)
  }

  /// Follows the query, for a program that takes events when it wants to.
  package func follow(
    _ variables: [String: Value] = [:], mode: LiveMode? = nil, every: Duration? = nil
  ) throws(QueryError) -> LiveSubscription {
    try subscription(variables, mode, every, nil)
  }

  private func subscription(
    _ variables: [String: Value], _ mode: LiveMode?, _ every: Duration?, _ body: (@Sendable (LiveEvent) -> Void)?
  ) throws(QueryError) -> LiveSubscription {
    if isMutation {
      throw QueryError(
        code: DocumentProblem.notLive.code, "a mutation cannot be followed", help: "follow a query, or a subscription")
    }
    let directive = LiveDirective(document.definition(operation))
    let isDifferential = mode.map { $0 == .diff } ?? directive?.isDifferential ?? false
    let interval = every.map(\.nanoseconds) ?? Self.nanoseconds(directive?.every)
    let subscriber = LiveSubscriber(self, variables, isDifferential: isDifferential, interval: interval, body)
    return try database.live.add(subscriber, to: database)
  }

  /// The time after which `now()` moves though nothing has changed, in nanoseconds; 0 for never.
  var tick: UInt64 { Self.nanoseconds(LiveDirective(document.definition(operation))?.tick) }

  private static func nanoseconds(_ microseconds: Int64?) -> UInt64 {
    UInt64(clamping: microseconds ?? 0).multipliedReportingOverflow(by: 1000).partialValue
  }

  /// Runs on a version, and finds what the answer depends on.
  ///
  /// - Parameters:
  ///   - basis: The basis of the last footprint. Where it is the same, no footprint is returned.
  ///   - list: The elements of the answer, where it is a flat list that is worth being changed in parts.
  func answerWithFootprint(
    _ variables: [String: Value], on snapshot: Snapshot, into output: inout ByteBuffer, _ basis: inout FootprintBasis?,
    _ list: inout LiveList?
  ) throws(QueryError) -> Footprint? {
    let (last, known) = (basis, list)
    (basis, list) = (nil, nil)
    if isSegmented {
      let answer = try writeAnew(variables, on: snapshot, options: RunOptions()) { [UInt8]($0) }
      output.append(answer)
      return .everything
    }
    var variables = variables
    if let shared {
      if snapshot.catalog.version != shared.catalogVersion {
        return try own().answerWithFootprint(variables, on: snapshot, into: &output, &basis, &list)
      }
      variables.merge(shared.values) { $1 }
    }
    let options = RunOptions()
    let (executable, parameters) = try executable(
      variables, snapshot, now: nil, options.interruption(document.limits, used: document.readBytes))
    let limits = options.runLimits(of: document)
    let start = output.count
    let trace: LevelTrace
    do {
      trace = try executable.trace(
        snapshot, parameters: parameters, keepsList: executable.plan.query.sets.count == 1, limits: limits,
        into: &output)
    } catch {
      throw failure([error.diagnostic(snapshot: snapshot)])
    }
    if start == 0, let rows = trace.list, isWorthChanging(rows.count, executable.plan, snapshot) {
      let plan =
        known.flatMap {
          $0.executable.plan.query.catalogVersion == executable.plan.query.catalogVersion ? $0.plan : nil
        }
        ?? elements(of: executable.plan.query, variables, snapshot, parameters)
      list = plan.flatMap { LiveList($0, executable, parameters, rows: rows, answer: output, limits: limits) }
    }
    return footprint(executable, parameters, trace, on: snapshot, last, &basis)
  }

  /// Finds what the answer depends on; nil where it has the basis of the last footprint.
  func footprint(
    _ executable: Executable, _ parameters: [GQLCatalog.Value?], _ trace: LevelTrace, on snapshot: Snapshot,
    _ last: FootprintBasis?, _ basis: inout FootprintBasis?
  ) -> Footprint? {
    let found = FootprintBasis(executable: executable, rows: trace.hash)
    if let last, last == found {
      basis = last
      return nil
    }
    var builder = FootprintBuilder(executable.plan, snapshot, parameters, trace)
    let footprint = builder.build()
    basis = builder.readsData ? nil : found
    return footprint
  }

  /// Indicates whether running a query of one list again takes longer than changing some of its elements.
  private func isWorthChanging(_ rows: Int, _ plan: PhysicalPlan, _ snapshot: Snapshot) -> Bool {
    let fewest = database.live.fewestChanged.load(ordering: .relaxed)
    if rows >= fewest { return true }
    guard case .scan? = plan.sets.first?.access, let set = plan.query.sets.first, set.source == .all else {
      return false
    }
    return snapshot.slotCount(set.type) >= fewest * 16
  }

  /// Returns the plan of the elements of a query that is one of a flat list; nil for another one.
  private func elements(
    of query: BoundQuery, _ variables: [String: Value], _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?]
  ) -> LiveElements? {
    guard let flat = query.flatList(snapshot.catalog) else { return nil }
    let entry = entry(StructuralShape(variables, of: structural), snapshot)
    if let known = entry?.elements { return known }
    // The query itself reports what cannot be planned.
    guard let plan = try? plan(flat.elements, snapshot, parameters, PlannerOptions(givenRows: 4)),
      let executable = try? made(plan, snapshot, nil)
    else { return nil }
    let made = LiveElements(flat, executable)
    entry?.elements = made
    return made
  }

  /// Returns the data that a run that has failed may depend on.
  func footprintOfFailure(_ variables: [String: Value], on snapshot: Snapshot) -> Footprint {
    if isSegmented { return .everything }
    var variables = variables
    if let shared {
      if snapshot.catalog.version != shared.catalogVersion {
        return (try? own())?.footprintOfFailure(variables, on: snapshot) ?? .everything
      }
      variables.merge(shared.values) { $1 }
    }
    // What cannot be bound or planned may be so after any change.
    guard let (executable, parameters) = try? executable(variables, snapshot, now: nil) else { return .everything }
    var builder = FootprintBuilder(executable.plan, snapshot, parameters, nil)
    return builder.build()
  }
}

/// A basis of a footprint: the plan, which the variables of a question go with, and the rows of the answer.
struct FootprintBasis: Equatable {
  private let executable: Executable
  private let rows: UInt64

  init(executable: Executable, rows: UInt64) {
    self.executable = executable
    self.rows = rows
  }

  static func == (left: FootprintBasis, right: FootprintBasis) -> Bool {
    left.executable === right.executable && left.rows == right.rows
  }
}

extension Duration {
  /// The nanoseconds, as many as there may be; 0 for less than nothing.
  fileprivate var nanoseconds: UInt64 {
    let parts = components
    if parts.seconds < 0 || parts.attoseconds < 0 { return 0 }
    let (whole, isTooLong) = UInt64(parts.seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return isTooLong ? .max / 2 : min(whole, .max / 2) &+ UInt64(parts.attoseconds / 1_000_000_000)
  }
}
