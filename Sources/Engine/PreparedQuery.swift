import GQLBase
import GQLCatalog
import GQLExecutor
import GQLParser
import GQLPlanner
import GQLStore

/// An operation, checked, bound and planned, to run any number of times from any thread.
///
/// It plans at its first run, and again when the schema changes, when the data has grown or shrunk by more than a factor
/// of two, and for variables whose values ask for another plan.
public final class PreparedQuery: Sendable {
  /// The operation's name.
  public let name: String?
  let database: Database
  let document: QueryDocument
  /// The operation's place among the document's definitions.
  let operation: Int
  /// Variables of type `<Type>Filter` or `<Type>Order`: their values decide what the query is.
  let structural: [String]
  /// Whether it is more than one plain query: some run in order, or what is asked for is the plan.
  let isSegmented: Bool
  /// What `@explain` asks for; nil where the answer is that of the operation.
  let explanation: ExplanationRequest?
  /// The plans of its segments, by the values of structural variables.
  private let segments = Lock<[(shape: String, plans: SegmentPlans)]>([])
  private let plans: Lock<PlanCache>
  /// What a run needs where nothing asks for another plan; one visit to the lock before a run, one behind it.
  private let ready = Lock<ReadyState>(ReadyState())

  private struct ReadyState {
    var plan: ReadyPlan?
    /// Output buffers between runs.
    var buffers: [ReusableBuffer] = []
  }

  /// `query` is the operation bound without values of structural parameters.
  init(database: Database, document: QueryDocument, operation: Int, query: BoundQuery) {
    self.database = database
    self.document = document
    self.operation = operation
    name = document.operationName(operation)
    structural = query.structuralParameters
    explanation = ExplanationRequest(document.definition(operation))
    isSegmented =
      !query.segments.isEmpty || document.definition(operation).operation == .mutation || explanation != nil
    var cache = PlanCache()
    if structural.isEmpty, !isSegmented {
      cache.insert(PlanCache.Entry(query: query), shape: "", catalogVersion: query.catalogVersion)
    }
    plans = Lock(cache)
  }

  /// Runs on the data as it is now.
  ///
  /// - Throws: ``QueryError`` if a variable cannot be what it is declared to be, or the run fails: nothing is answered.
  public func run(
    _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    guard isSegmented else { return try run(variables, on: database.current, options: options) }
    var utf8: [UInt8] = []
    try change(variables, options: options) { utf8 = [UInt8]($0) }
    return Answer(utf8: utf8)
  }

  /// Runs an operation of segments, in a transaction of its own if it is a mutation.
  private func change(
    _ variables: [String: Value], options: RunOptions, _ take: (UnsafeRawBufferPointer) -> Void
  ) throws(QueryError) {
    guard isMutation, explanation == nil else {
      return try write(variables, on: database.current, options: options, take)
    }
    do {
      try database.changing { (transaction) throws(QueryError) in
        try transaction.run(self, variables, options: options, take)
      }
    } catch let error as QueryError {
      throw error
    } catch {
      throw QueryError(code: "command-failed", "\(error)")
    }
  }

  /// Runs on a view; see ``run(_:options:)``.
  public func run(
    _ variables: [String: Value] = [:], on view: DatabaseView, options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try run(variables, on: view.snapshot, options: options)
  }

  /// Runs and puts the answer, compact JSON in UTF-8, in the place of what `buffer` holds; keeps its capacity. For
  /// programs that run one query very often.
  ///
  /// - Throws: ``QueryError``, as ``run(_:options:)``; `buffer` is empty then.
  public func run(
    _ variables: [String: Value] = [:], into buffer: inout [UInt8], options: RunOptions = RunOptions()
  ) throws(QueryError) {
    buffer.removeAll(keepingCapacity: true)
    if isSegmented {
      try change(variables, options: options) { buffer.append(contentsOf: $0) }
    } else {
      try write(variables, on: database.current, options: options) { buffer.append(contentsOf: $0) }
    }
  }

  private func run(
    _ variables: [String: Value], on snapshot: Snapshot, options: RunOptions
  ) throws(QueryError) -> Answer {
    var utf8: [UInt8] = []
    try write(variables, on: snapshot, options: options) { utf8 = [UInt8]($0) }
    return Answer(utf8: utf8)
  }

  private func write(
    _ variables: [String: Value], on snapshot: Snapshot, options: RunOptions, _ take: (UnsafeRawBufferPointer) -> Void
  ) throws(QueryError) {
    let (plan, waiting) = ready.withLock { ($0.plan, $0.buffers.popLast()) }
    let reusable = waiting ?? ReusableBuffer()
    defer { ready.withLock { if $0.buffers.count < 8 { $0.buffers.append(reusable) } } }
    reusable.buffer.removeAll()
    if isSegmented {
      try runSegments(variables, snapshot, nil, nil, options: options, into: &reusable.buffer)
    } else {
      try append(variables, on: snapshot, options: options, plan, into: &reusable.buffer)
    }
    reusable.buffer.withUnsafeBytes { take($0) }
  }

  /// Runs a plain query and appends its answer.
  func append(
    _ variables: [String: Value], on snapshot: Snapshot, options: RunOptions, into output: inout ByteBuffer
  ) throws(QueryError) {
    try append(variables, on: snapshot, options: options, ready.withLock { $0.plan }, into: &output)
  }

  private func append(
    _ variables: [String: Value], on snapshot: Snapshot, options: RunOptions, _ plan: ReadyPlan?,
    into output: inout ByteBuffer
  ) throws(QueryError) {
    let executable: Executable
    let parameters: [GQLCatalog.Value?]
    if let plan, plan.serves(snapshot), let quick = QuickCoercion.coerce(variables, plan.parameters, now: options.now) {
      executable = plan.executable
      parameters = quick
    } else {
      (executable, parameters) = try self.executable(variables, snapshot, now: options.now)
    }
    do {
      try executable.run(
        snapshot, parameters: parameters, limits: options.runLimits(of: document),
        cancellation: options.cancellation?.flag,
        into: &output)
    } catch {
      throw QueryError([error.diagnostic(snapshot: snapshot)], in: document.source)
    }
  }

  /// The plans of the segments for these variables.
  func segmentPlans(_ variables: [String: Value], _ catalog: Catalog) throws(QueryError) -> SegmentPlans {
    let shape = structural.isEmpty ? "" : structuralKey(variables)
    let known = segments.withLock { plans in
      plans.first { $0.plans.catalogVersion == catalog.version && $0.shape == shape }?.plans
    }
    if let known { return known }
    let plans = SegmentPlans(try bound(variables, catalog), catalog: catalog)
    segments.withLock {
      $0.removeAll { $0.plans.catalogVersion != catalog.version }
      if $0.count >= 32 { $0.removeFirst() }
      $0.append((shape, plans))
    }
    return plans
  }

  // MARK: - Planning

  /// The plan for these variables, made ready, and the variables in the form that it takes.
  func executable(
    _ variables: [String: Value], _ snapshot: Snapshot, now: Int64?
  ) throws(QueryError) -> (Executable, [GQLCatalog.Value?]) {
    let shape = structural.isEmpty ? "" : structuralKey(variables)
    let catalogVersion = snapshot.catalog.version
    let entry: PlanCache.Entry
    if let cached = plans.withLock({ $0.entry(shape: shape, catalogVersion: catalogVersion) }) {
      entry = cached
    } else {
      let query = try bound(variables, snapshot.catalog)
      entry = PlanCache.Entry(query: query)
      plans.withLock { $0.insert(entry, shape: shape, catalogVersion: catalogVersion) }
    }
    let parameters = try coerce(variables, for: entry.query, snapshot.catalog, now: now)
    let generation = snapshot.generation
    if let executable = entry.executable(generation: generation, parameters: parameters, snapshot: snapshot) {
      return (executable, parameters)
    }
    let executable = Executable(
      try plan(entry.query, snapshot, parameters, PlannerOptions()), catalog: snapshot.catalog)
    entry.add(executable, generation: generation, parameters: parameters, snapshot: snapshot)
    if structural.isEmpty, !document.hasNarrowInts, !executable.plan.isParameterSensitive {
      ready.withLock {
        $0.plan = ReadyPlan(
          executable: executable, parameters: entry.query.parameters, generation: generation)
      }
    }
    return (executable, parameters)
  }

  func bound(_ variables: [String: Value], _ catalog: Catalog) throws(QueryError) -> BoundQuery {
    try checkRequiredStructural(variables)
    var options = document.bindingOptions
    options.commands = isSegmented ? database.commandDescriptors(catalog) : []
    for name in structural {
      if let value = variables[name] { options.structuralValues[name] = value.untyped }
    }
    let bound = bind(
      document.document, operation: document.definition(operation), catalog: catalog, options: options)
    guard let query = bound.output, !bound.hasErrors else { throw QueryError(bound.diagnostics, in: document.source) }
    return query
  }

  func plan(
    _ query: BoundQuery, _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?], _ options: PlannerOptions
  ) throws(QueryError) -> PhysicalPlan {
    let planned = optimize(
      query, catalog: snapshot.catalog, statistics: snapshot, parameters: parameters,
      sampler: PredicateSampler(snapshot: snapshot, parameters: query.parameters), options: options)
    if planned.hasErrors { throw QueryError(planned.diagnostics, in: document.source) }
    return planned.output
  }

  private func structuralKey(_ variables: [String: Value]) -> String {
    var key = ""
    for name in structural {
      key += name + "=" + (variables[name]?.json.json ?? "") + "\n"
    }
    return key
  }

  func coerce(
    _ variables: [String: Value], for query: BoundQuery, _ catalog: Catalog, now: Int64?
  ) throws(QueryError) -> [GQLCatalog.Value?] {
    let isPlain = structural.isEmpty && !document.hasNarrowInts
    let quick = isPlain ? QuickCoercion.coerce(variables, query.parameters, now: now) : nil
    if let quick { return quick }
    var inputs: [String: VariableInput] = [:]
    for (name, value) in variables { inputs[name] = .json(value.json) }
    let coerced = coerceVariables(
      inputs, for: query.parameters, catalog: catalog, now: now ?? Database.now(), ints: document.bindingOptions.ints)
    if coerced.hasErrors { throw QueryError(coerced.diagnostics, in: document.source) }
    return coerced.output
  }

  /// Runs with a plan that is not the cheapest, for tests that compare plans.
  package func run(
    _ variables: [String: Value] = [:], planner: PlannerOptions, now: Int64? = nil
  ) throws(QueryError) -> Answer {
    if isSegmented {
      var options = RunOptions(now: now)
      options.planner = planner
      return try run(variables, options: options)
    }
    let snapshot = database.current
    let query = try bound(variables, snapshot.catalog)
    let parameters = try coerce(variables, for: query, snapshot.catalog, now: now)
    let plan = try plan(query, snapshot, parameters, planner)
    var buffer = ByteBuffer(capacity: 1024)
    do {
      try Executable(plan, catalog: snapshot.catalog).run(
        snapshot, parameters: parameters, limits: .none, cancellation: nil, into: &buffer)
    } catch {
      throw QueryError([error.diagnostic(snapshot: snapshot)], in: document.source)
    }
    return Answer(utf8: buffer.takeArray())
  }
}

/// A plan that serves all values of its parameters, until the schema or the size of the data changes.
final class ReadyPlan: Sendable {
  let executable: Executable
  let parameters: [BoundParameter]
  private let generation: UInt64

  init(executable: Executable, parameters: [BoundParameter], generation: UInt64) {
    self.executable = executable
    self.parameters = parameters
    self.generation = generation
  }

  /// Another schema has another generation too.
  func serves(_ snapshot: Snapshot) -> Bool { snapshot.generation == generation }
}

/// An output buffer that keeps its memory between runs.
final class ReusableBuffer: @unchecked Sendable {
  // Unchecked because one run at a time has it.
  @exclusivity(unchecked) var buffer = ByteBuffer(capacity: 4096)
}
