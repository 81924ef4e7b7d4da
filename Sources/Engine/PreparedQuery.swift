import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLParser
import GQLPlanner
import GQLQuery
import GQLStore

/// An operation, checked, bound and planned, to run any number of times from any thread.
///
/// It plans at its first run, and again when the schema changes, when the data has grown or shrunk by more than a factor
/// of two, and for variables whose values ask for another plan.
public final class PreparedQuery: Sendable {
  let database: Database
  private let prepared: PreparedOperation
  /// The text, where `prepared` is another one's of its shape.
  let shared: SharedText?

  init(_ prepared: PreparedOperation, database: Database, _ shared: SharedText? = nil) {
    self.prepared = prepared
    self.database = database
    self.shared = shared
  }

  /// Returns the query of this very text: for what asks for more than an answer.
  func own() throws(QueryError) -> PreparedQuery {
    guard let shared else { return self }
    if let known = shared.own.withLock({ $0 }) { return PreparedQuery(known, database: database) }
    let own = try OperationPreparer(database: database).operation(of: shared.source)
    shared.own.withLock { $0 = own }
    return PreparedQuery(own, database: database)
  }

  /// Returns the error of diagnostics of the operation's text, with the places of this text.
  func failure(_ diagnostics: [Diagnostic]) -> QueryError {
    guard let shared else { return QueryError(diagnostics, in: document.source) }
    return QueryError(shared.relocated(diagnostics, from: document.source), in: shared.source)
  }

  /// The text that was prepared.
  var ownSource: SourceText { shared?.source ?? document.source }

  /// The operation's name.
  public var name: String? { prepared.name }
  /// The document of the operation. Its places are not those of a text that shares the operation.
  var document: QueryDocument { prepared.document }
  /// The operation's place among the document's definitions.
  var operation: Int { prepared.operation }
  /// Variables of type `<Type>Filter` or `<Type>Order`: their values decide what the query is.
  var structural: [String] { prepared.structural }
  /// The roles of the hidden types of versions and changes that it reads.
  var pastRoles: Set<EntityType.PastRole> { prepared.pastRoles }
  /// Whether it is more than one plain query.
  var isSegmented: Bool { prepared.isSegmented }
  /// Indicates whether its query is one of segments.
  var hasSegments: Bool { prepared.hasSegments }
  /// What `@explain` asks for; nil where it is not there.
  var explanation: ExplanationRequest? { prepared.explanation }

  /// A run of a point mutation that rests; nil if there is none.
  func takeMutation() -> ReadyMutation? { prepared.restingMutations.take() }

  /// Indicates whether no more runs of point mutations need to rest.
  var hasRestingMutations: Bool { prepared.restingMutations.isFull }

  /// Keeps a run of a point mutation until another one takes it.
  func put(_ run: ReadyMutation) { _ = prepared.restingMutations.put(run) }

  /// False at the first call: most texts that a program runs once are not worth what makes later runs quick.
  func hasRunBefore() -> Bool { prepared.hasRunBefore() }

  /// Runs on the data as it is now.
  ///
  /// - Throws: ``QueryError`` if a variable cannot be what it is declared to be, or the run fails: nothing is answered.
  @discardableResult
  public func run(
    _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    guard isSegmented else {
      let newest = try NewestVersion(database: database).refreshed()
      return Answer(
        utf8: try write(variables, on: newest.snapshot, options: options) { [UInt8]($0) }, version: newest.version)
    }
    let (bytes, version) = try change(variables, options: options) { [UInt8]($0) }
    return Answer(utf8: bytes, version: version)
  }

  /// Runs an operation of segments, in a transaction of its own if it is a mutation.
  private func change<Result>(
    _ variables: [String: Value], options: RunOptions, _ take: (UnsafeRawBufferPointer) -> Result
  ) throws(QueryError) -> (Result, version: Int64?) {
    guard isMutation, explanation == nil else {
      let newest = try NewestVersion(database: database).refreshed()
      let (result, version) = try writeSegments(variables, on: newest.snapshot, options: options, take)
      return (result, version.number(given: newest.version))
    }
    let (result, ticket, version) = try apply(variables, options: options, take)
    if let ticket { try database.wait(for: ticket) }
    return (result, version)
  }

  /// Applies a mutation, and returns the version that it has made. Where a ticket is returned, the change is not kept yet.
  private func apply<Result>(
    _ variables: [String: Value], options: RunOptions, _ take: (UnsafeRawBufferPointer) -> Result
  ) throws(QueryError) -> (Result, Committer.Ticket?, version: Int64?) {
    try CommitCause.check(origin: options.origin)
    do {
      let writer = PastWriter(database: database)
      let ((result, version), ticket) = try database.asWriterWithTicket {
        // Only what a context changes is noted without an origin.
        if options.areUsual, database.editing == nil, let done = try changeReady(variables, take) { return done }
        return try writer.noting(options.origin, options.action) {
          if options.areUsual, database.editing != nil, let done = try changeReady(variables, take) { return done }
          if let done = try changeInPlace(variables, options: options, take) { return done }
          var result: Result?
          try database.changingAsWriter { (transaction) throws(QueryError) in
            try transaction.run(self, variables, options: options) { result = take($0) }
          }
          // Safe because a transaction that does not throw has run.
          return (result.unsafelyUnwrapped, writer.appliedVersion)
        }
      }
      return (result, ticket, version)
    } catch let error as QueryError {
      throw error
    } catch {
      throw QueryError(code: "command-failed", "\(error)")
    }
  }

  /// Applies a mutation, and returns without waiting until it is kept: so one thread makes many changes that share a wait
  /// for the disk. Changes are kept in the order in which they were made, and others see each when it is kept.
  ///
  /// ```swift
  /// let submissions = try rows.map { try insert.submit(["id": $0.id]) }
  /// for submission in submissions { print(try submission.answer().jsonString) }
  /// ```
  ///
  /// - Throws: ``QueryError``, as ``run(_:options:)``; what the storage reports is thrown by
  ///   ``Submission/answer()``.
  public func submit(
    _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Submission {
    guard isSegmented, isMutation, explanation == nil, database.isDurable else {
      return Submission(answer: try run(variables, options: options))
    }
    let (bytes, ticket, version) = try apply(variables, options: options) { [UInt8]($0) }
    if ticket != nil { database.commitSoon() }
    return Submission(answer: Answer(utf8: bytes, version: version), ticket: ticket, of: database)
  }

  /// Runs on a view; see ``run(_:options:)``.
  public func run(
    _ variables: [String: Value] = [:], on view: DatabaseView, options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    // Versions are those up to now.
    if !pastRoles.isEmpty, try database.latest() !== view.snapshot {
      throw PastProblem.noVersions.error(at: document.definition(operation).range, in: document.source)
    }
    if isSegmented {
      let (bytes, version) = try writeSegments(variables, on: view.snapshot, options: options) { [UInt8]($0) }
      return Answer(utf8: bytes, version: version.number(given: view.version))
    }
    return Answer(
      utf8: try write(variables, on: view.snapshot, options: options) { [UInt8]($0) }, version: view.version)
  }

  /// Runs and puts the answer, compact JSON in UTF-8, in the place of what `buffer` holds; keeps its capacity. For
  /// programs that run one query very often.
  ///
  /// - Throws: ``QueryError``, as ``run(_:options:)``; `buffer` is empty then.
  public func run(
    _ variables: [String: Value] = [:], into buffer: inout [UInt8], options: RunOptions = RunOptions()
  ) throws(QueryError) {
    buffer.removeAll(keepingCapacity: true)
    try run(variables, options: options) { buffer.append(contentsOf: $0) }
  }

  /// Runs and passes the answer, compact JSON in UTF-8, to `body`, without a copy. For programs that run one query very
  /// often. The bytes are valid until `body` returns.
  ///
  /// - Throws: ``QueryError``, as ``run(_:options:)``; `body` is not called then.
  public func run(
    _ variables: [String: Value] = [:], options: RunOptions = RunOptions(),
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(QueryError) {
    if isSegmented, database.isDurable {
      // Not before it is kept.
      return try change(variables, options: options) { [UInt8]($0) }.0.withUnsafeBytes { body($0) }
    }
    if isSegmented { return try change(variables, options: options, body).0 }
    return try write(variables, on: database.latest(), options: options, body)
  }

  private func write<Result>(
    _ variables: [String: Value], on snapshot: consuming Snapshot, options: RunOptions,
    _ take: (UnsafeRawBufferPointer) -> Result
  ) throws(QueryError) -> Result {
    if let shared, let result = try writeShared(shared, variables, on: snapshot, options: options, take) {
      return result
    }
    if options.areUsual, let run = takeRun(variables, snapshot) { return try write(run, on: snapshot, take) }
    return try writeAnew(variables, on: snapshot, options: options, take)
  }

  /// Runs with the operation of another text; nil where no literal is a parameter of it.
  private func writeShared<Result>(
    _ shared: SharedText, _ variables: [String: Value], on snapshot: Snapshot, options: RunOptions,
    _ take: (UnsafeRawBufferPointer) -> Result
  ) throws(QueryError) -> Result? {
    // The shared operation is bound for one schema.
    if snapshot.catalog.version != shared.catalogVersion {
      return try own().write(variables, on: snapshot, options: options, take)
    }
    if shared.values.isEmpty { return nil }
    let all = variables.merging(shared.values) { $1 }
    if options.areUsual, let run = takeRun(all, snapshot) { return try write(run, on: snapshot, take) }
    return try writeAnew(all, on: snapshot, options: options, take)
  }

  /// A run that rests, its parameters bound; nil if there is none for these variables on this data.
  @inline(__always)
  private func takeRun(_ variables: [String: Value], _ snapshot: Snapshot) -> ReadyRun? {
    guard let run = prepared.resting.take() else { return nil }
    let fitness = run.prepare(variables, snapshot)
    return fitness == .fit ? run : takeOther(run, fitness, variables, snapshot)
  }

  /// The other one in the place of one that does not fit. Where neither does, one makes way for what is made next.
  @inline(never)
  private func takeOther(
    _ run: ReadyRun, _ fitness: ReadyRun.Fitness, _ variables: [String: Value], _ snapshot: Snapshot
  ) -> ReadyRun? {
    run.execution.end()
    if fitness == .unclear {
      prepared.resting.put(run)
      return nil
    }
    if let other = prepared.resting.take() {
      let otherFitness = other.prepare(variables, snapshot)
      if otherFitness == .fit {
        if fitness == .stale { prepared.resting.drop() } else { prepared.resting.put(run) }
        return other
      }
      other.execution.end()
      if otherFitness == .stale { prepared.resting.drop() } else { prepared.resting.put(other) }
    }
    prepared.resting.drop()
    return nil
  }

  /// Runs with parameters that are bound. The run takes the snapshot over, which so costs no count more.
  @inline(__always)
  private func write<Result>(
    _ run: ReadyRun, on snapshot: consuming Snapshot, _ take: (UnsafeRawBufferPointer) -> Result
  ) throws(QueryError) -> Result {
    run.buffer.removeAll()
    do {
      try run.plan.executable.run(run.writer, on: snapshot, into: &run.buffer)
    } catch {
      let diagnostic = error.diagnostic(snapshot: run.execution.snapshot)
      run.execution.end()
      rest(run)
      throw failure([diagnostic])
    }
    run.execution.end()
    let result = run.buffer.withUnsafeBytes { take($0) }
    rest(run)
    return result
  }

  @inline(__always)
  private func rest(_ run: ReadyRun) {
    if run.isWorthKeeping() { prepared.resting.put(run) } else { prepared.resting.drop() }
  }

  func writeAnew<Result>(
    _ variables: [String: Value], on snapshot: Snapshot, options: RunOptions,
    _ take: (UnsafeRawBufferPointer) -> Result
  ) throws(QueryError) -> Result {
    if isSegmented { return try writeSegments(variables, on: snapshot, options: options, take).0 }
    let plan = prepared.ready.withLock { $0.plan }
    let reusable = takeBuffer()
    defer { giveBuffer(reusable) }
    try append(variables, on: snapshot, options: options, plan, into: &reusable.buffer)
    if options.areUsual, prepared.hasRunBefore() { makeReady(snapshot) }
    return reusable.buffer.withUnsafeBytes { take($0) }
  }

  private func writeSegments<Result>(
    _ variables: [String: Value], on snapshot: Snapshot, options: RunOptions,
    _ take: (UnsafeRawBufferPointer) -> Result
  ) throws(QueryError) -> (Result, ReadVersion) {
    let reusable = takeBuffer()
    defer { giveBuffer(reusable) }
    let version = try runSegments(variables, snapshot, nil, nil, options: options, into: &reusable.buffer)
    return (reusable.buffer.withUnsafeBytes { take($0) }, version)
  }

  /// An empty buffer, which ``giveBuffer(_:)`` takes back.
  func takeBuffer() -> ReusableBuffer {
    let waiting = prepared.ready.withLock { $0.buffers.popLast() }
    guard let waiting else { return ReusableBuffer() }
    waiting.buffer.removeAll()
    return waiting
  }

  func giveBuffer(_ reusable: ReusableBuffer) {
    if reusable.buffer.count > ReusableBuffer.keptBytes {
      reusable.buffer.removeAll(keeping: ReusableBuffer.keptBytes)
    }
    prepared.ready.withLock { if $0.buffers.count < 8 { $0.buffers.append(reusable) } }
  }

  /// Prepares for the next run like the one that has just ended.
  private func makeReady(_ snapshot: Snapshot) {
    guard let limits = document.usualRunLimits, let plan = prepared.ready.withLock({ $0.plan }), plan.bindings != nil,
      plan.serves(snapshot), prepared.resting.mayMake()
    else { return }
    if let run = ReadyRun(plan, snapshot, limits: limits) { prepared.resting.put(run) } else { prepared.resting.drop() }
  }

  /// Runs a plain query and appends its answer.
  func append(
    _ variables: [String: Value], on snapshot: Snapshot, options: RunOptions, into output: inout ByteBuffer
  ) throws(QueryError) {
    var variables = variables
    if let shared {
      if snapshot.catalog.version != shared.catalogVersion {
        return try own().append(variables, on: snapshot, options: options, into: &output)
      }
      variables.merge(shared.values) { $1 }
    }
    try append(variables, on: snapshot, options: options, prepared.ready.withLock { $0.plan }, into: &output)
  }

  private func append(
    _ variables: [String: Value], on snapshot: Snapshot, options: RunOptions, _ plan: ReadyPlan?,
    into output: inout ByteBuffer
  ) throws(QueryError) {
    let executable: Executable
    let parameters: [GQLCatalog.Value?]
    if let plan, !plan.isParameterSensitive, plan.serves(snapshot),
      let values = PlainCoercion.coerce(variables, plan.parameters, now: options.now)
    {
      executable = plan.executable
      parameters = values
    } else {
      (executable, parameters) = try self.executable(
        variables, snapshot, now: options.now, options.interruption(document.limits, used: document.readBytes))
    }
    do {
      try executable.run(
        snapshot, parameters: parameters, limits: options.runLimits(of: document),
        cancellation: options.cancellation?.flag,
        into: &output)
    } catch {
      throw failure([error.diagnostic(snapshot: snapshot)])
    }
  }

  /// The plans of the segments for these variables.
  func segmentPlans(
    _ variables: [String: Value], _ view: Snapshot, _ interruption: @autoclosure () -> Interruption? = nil
  ) throws(QueryError) -> SegmentPlans {
    let version = view.catalog.version
    let shape = StructuralShape(variables, of: structural)
    let known = prepared.segments.withLock { plans in
      plans.first { $0.plans.catalogVersion == version && $0.shape == shape }?.plans
    }
    if let known { return known }
    let catalog = view.catalog
    let plans = SegmentPlans(try bound(variables, catalog, interruption()), catalog: catalog)
    guard shape.isWorthKeeping else { return plans }
    prepared.segments.withLock {
      $0.removeAll { $0.plans.catalogVersion != catalog.version }
      if $0.count >= 32 { $0.removeFirst() }
      $0.append((shape, plans))
    }
    return plans
  }

  // MARK: - Planning

  /// The plan for these variables, made ready, and the variables in the form that it takes.
  func executable(
    _ variables: [String: Value], _ snapshot: Snapshot, now: Int64?, _ interruption: Interruption? = nil
  ) throws(QueryError) -> (Executable, [GQLCatalog.Value?]) {
    let shape = StructuralShape(variables, of: structural)
    let catalogVersion = snapshot.catalog.version
    let entry: PlanCache.Entry
    if let cached = self.entry(shape, snapshot) {
      entry = cached
    } else {
      let query = try bound(variables, snapshot.catalog, interruption)
      entry = PlanCache.Entry(query: query)
      // What this text alone binds is not what others of its shape run with.
      if shape.isWorthKeeping, shared == nil {
        prepared.plans.withLock { $0.insert(entry, shape: shape, catalogVersion: catalogVersion) }
      }
    }
    let parameters = try coerce(variables, for: entry.query.parameters, snapshot.catalog, now: now, interruption)
    let generation = snapshot.generation
    let found: ReadyPlan
    if let known = entry.plan(generation: generation, parameters: parameters, snapshot: snapshot) {
      found = known
    } else {
      var options = PlannerOptions()
      options.interruption = interruption
      let executable = try made(try plan(entry.query, snapshot, parameters, options), snapshot, interruption)
      found = entry.add(executable, generation: generation, parameters: parameters, snapshot: snapshot)
      let orders = executable.plan.wantedOrders
      if !orders.isEmpty { database.buildOrders(of: orders) }
    }
    // Narrow integers are for the binder to look at.
    if structural.isEmpty, !document.hasNarrowInts { prepared.ready.withLock { $0.plan = found } }
    return (found.executable, parameters)
  }

  /// Returns the bound form for variables of a shape, as far as it was kept.
  func entry(_ shape: StructuralShape, _ snapshot: Snapshot) -> PlanCache.Entry? {
    prepared.plans.withLock { $0.entry(shape: shape, catalogVersion: snapshot.catalog.version) }
  }

  /// Returns the query that the variables make of the operation, bound.
  package func bound(
    _ variables: [String: Value], _ catalog: Catalog, _ interruption: Interruption? = nil
  ) throws(QueryError) -> BoundQuery {
    if shared != nil { return try own().bound(variables, catalog, interruption) }
    try checkRequiredStructural(variables)
    var options = document.bindingOptions
    options.interruption = interruption
    options.commands = isSegmented ? database.commandDescriptors(catalog) : []
    options.knowsValues = true
    for name in structural {
      guard let value = variables[name] else { continue }
      guard let raw = value.raw(interruption) else { throw overdue(interruption) }
      try checkNumbers(in: raw, of: name, interruption)
      options.structuralValues[name] = raw
    }
    let bound = bind(
      document.definitions, operation: document.definition(operation), catalog: catalog, options: options)
    guard let query = bound.output, !bound.hasErrors else { throw QueryError(bound.diagnostics, in: document.source) }
    return query
  }

  /// Plans a bound query for values of its parameters.
  package func plan(
    _ query: BoundQuery, _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?], _ options: PlannerOptions
  ) throws(QueryError) -> PhysicalPlan {
    let planned = optimize(
      query, catalog: snapshot.catalog, statistics: snapshot, parameters: parameters,
      sampler: PredicateSampler(
        snapshot: snapshot, parameters: query.parameters, interruption: options.interruption),
      options: options)
    if planned.hasErrors { throw failure(planned.diagnostics) }
    return planned.output
  }

  func overdue(_ interruption: Interruption?) -> QueryError {
    failure(interruption?.diagnostic(at: SourceRange(at: 0)).map { [$0] } ?? [])
  }

  /// A plan made ready to run.
  func made(
    _ plan: PhysicalPlan, _ snapshot: Snapshot, _ interruption: Interruption?
  ) throws(QueryError) -> Executable {
    do {
      return try Executable(plan, catalog: snapshot.catalog, interruption: interruption)
    } catch {
      throw failure([error.diagnostic(snapshot: snapshot)])
    }
  }

  /// Indicates whether usual variables mean what they do in the language, and decide nothing but values.
  var takesPlainVariables: Bool { structural.isEmpty && !document.hasNarrowInts }

  /// Returns the values of the parameters; nil for those that are not given.
  package func coerce(
    _ variables: [String: Value], for parameters: [BoundParameter], _ catalog: @autoclosure () -> Catalog, now: Int64?,
    _ interruption: Interruption? = nil
  ) throws(QueryError) -> [GQLCatalog.Value?] {
    if takesPlainVariables, let values = PlainCoercion.coerce(variables, parameters, now: now) { return values }
    var inputs: [String: VariableInput] = [:]
    for parameter in parameters {
      guard inputs[parameter.name] == nil, let value = variables[parameter.name] else { continue }
      guard let raw = value.raw(interruption) else { throw overdue(interruption) }
      inputs[parameter.name] = .raw(raw)
    }
    let coerced = coerceVariables(
      inputs, for: parameters, catalog: catalog(), now: now ?? WallClock.now, ints: document.bindingOptions.ints)
    if coerced.hasErrors { throw failure(coerced.diagnostics) }
    return coerced.output
  }

  /// Runs with a plan that is not the cheapest, for tests that compare plans.
  package func run(
    _ variables: [String: Value] = [:], on view: DatabaseView? = nil, planner: PlannerOptions, now: Int64? = nil
  ) throws(QueryError) -> Answer {
    if isSegmented {
      var options = RunOptions(now: now)
      options.planner = planner
      return try run(variables, options: options)
    }
    if shared != nil { return try own().run(variables, on: view, planner: planner, now: now) }
    let (snapshot, version) =
      if let view { (view.snapshot, view.version) } else { try NewestVersion(database: database).refreshed() }
    let query = try bound(variables, snapshot.catalog)
    let parameters = try coerce(variables, for: query.parameters, snapshot.catalog, now: now)
    let plan = try plan(query, snapshot, parameters, planner)
    var buffer = ByteBuffer(capacity: 1024)
    do {
      try Executable(plan, catalog: snapshot.catalog).run(
        snapshot, parameters: parameters, limits: .none, cancellation: nil, into: &buffer)
    } catch {
      throw failure([error.diagnostic(snapshot: snapshot)])
    }
    return Answer(utf8: buffer.takeArray(), version: version)
  }
}
