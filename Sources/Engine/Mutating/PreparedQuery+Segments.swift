import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

extension PreparedQuery {
  /// Tells whether the operation changes data, or may.
  public var isMutation: Bool {
    document.definition(operation).operation == .mutation
  }

  /// Runs an operation of segments and appends its answer; `mutator` is nil where data must not change. Returns the
  /// version that it has read.
  @discardableResult
  func runSegments(
    _ variables: [String: Value], _ given: Snapshot, _ mutator: Mutator?, _ transaction: DatabaseTransaction?,
    options: RunOptions, into output: inout ByteBuffer
  ) throws(QueryError) -> ReadVersion {
    if let explanation {
      try appendExplanation(explanation, variables, mutator?.snapshot() ?? given, options: options, into: &output)
      return .given
    }
    if !pastRoles.isEmpty, mutator != nil {
      throw PastProblem.noVersions.error(at: document.definition(operation).range, in: document.source)
    }
    let data = try data(given, options.interruption(document.limits, used: document.readBytes))
    let (snapshot, version) = (data.snapshot, data.version)
    let plans = try segmentPlans(
      variables, snapshot, options.interruption(document.limits, used: document.readBytes))
    if plans.isChange, mutator == nil {
      let problem = MutationProblem(.readOnly, at: document.definition(operation).range)
      throw QueryError([problem.diagnostic], in: document.source)
    }
    let now = options.now ?? WallClock.now
    let parameters = try RunParameters(variables, of: self, plans, snapshot, now: now)
    defer { parameters.end() }
    let context = parameters.context(options: options)
    let planning = PartPlanning(options, context)
    for range in plans.changeRanges { try range.check(self, data, context, planning) }
    let start = output.count
    var read = ReadVersion.none
    for segment in plans.segments {
      try checkInterruption(planning)
      let before = output.count
      let isWritten: Bool
      // What changes gets the time of its operation; an operation that a command ran has left its own.
      mutator?.transaction.now = now
      switch segment {
      case .query(let part):
        try runPart(part, mutator?.snapshot() ?? snapshot, context, planning, into: &output)
        read.note(version)
        isWritten = true
      case .past(let moment, let constants, let part):
        let view = mutator?.snapshot() ?? snapshot
        let past = try past(moment, constants, of: part.query, view, context, planning)
        try runPart(part, past.snapshot, context, planning, into: &output)
        read.note(.number(past.number))
        isWritten = true
      case .mutation(let mutation):
        guard let mutator else { continue }
        if mutation.mutation.kind == .erase, database.editing != nil {
          throw PastProblem.noHistoryHere.error(at: mutation.mutation.range, in: document.source)
        }
        let view = mutation.looksAtData ? mutator.snapshot() : snapshot
        let program = try mutation.program(self, view, parameters, planning)
        do {
          isWritten = try mutator.apply(program, context, into: &output)
          transaction?.note(undone: nil)
        } catch {
          throw queryError(error, mutator.lastView)
        }
        if options.areUsual { keepReady(program, mutation, plans, for: view) }
      case .undo(let undo, let constants):
        guard let mutator, let transaction else { continue }
        isWritten = try runUndo(undo, constants, mutator, transaction, context, planning, into: &output)
      case .command(let command, let constants, let answer):
        guard let mutator, let transaction else { continue }
        isWritten = try runCommand(
          command, constants, answer, mutator, transaction, context, planning, into: &output)
      }
      if isWritten { output.joinObject(at: before, first: start) }
    }
    if output.count == start { output.append("{}") }
    return read
  }

  /// Runs a query and appends its answer's object.
  func runPart(
    _ part: PartPlan, _ view: Snapshot, _ context: MutationContext, _ planning: PartPlanning,
    into output: inout ByteBuffer
  ) throws(QueryError) {
    let executable = try part.executable(self, view, context.parameters, planning)
    do {
      try executable.run(
        view, parameters: context.parameters, limits: context.limits, cancellation: context.cancellation,
        into: &output)
    } catch {
      throw QueryError([error.diagnostic(snapshot: view)], in: document.source)
    }
  }

  /// Throws if the time of the run is up: small parts look at the clock nowhere else.
  func checkInterruption(_ planning: PartPlanning) throws(QueryError) {
    guard let diagnostic = planning.interruption?.diagnostic(at: document.definition(operation).range) else { return }
    throw QueryError([diagnostic], in: document.source)
  }

  func queryError(_ problem: MutationProblem, _ snapshot: Snapshot) -> QueryError {
    if case .runtime(let problem) = problem.kind {
      return QueryError([problem.diagnostic(snapshot: snapshot)], in: document.source)
    }
    return QueryError([problem.diagnostic], in: document.source)
  }
}

extension BoundQuery {
  /// Whether a change is refused, or says something else, where some variable is not provided.
  var asksWhatIsProvided: Bool {
    segments.contains { segment in
      guard case .mutation(let mutation) = segment else { return false }
      if mutation.refusal?.variables.isEmpty == false { return true }
      return (mutation.rows + [mutation.assignment, mutation.conflict?.record].compactMap(\.self)).contains { input in
        if case .record(let record) = input { record.hasAbsentParameters } else { false }
      }
    }
  }
}

extension ByteBuffer {
  /// Makes one object of the object that ends at `place` and the one that was appended there; the first one of all
  /// starts at `first`.
  fileprivate mutating func joinObject(at place: Int, first: Int) {
    // Every object has braces; `{}` adds nothing.
    guard place > first else { return }
    let added = count - place
    if added <= 2 { return truncate(to: place) }
    let isFirstEmpty = place - first == 2
    let bytes = withUnsafeBytes { Array($0[(place + 1)...]) }
    truncate(to: place - 1)
    if !isFirstEmpty { append(0x2C) }
    append(bytes)
  }
}
