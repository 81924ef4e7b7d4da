import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

/// All that a point mutation with the usual options needs, kept between runs: so a run plans nothing and allocates little.
///
/// Unchecked because one run at a time has it.
final class ReadyMutation: @unchecked Sendable {
  let program: MutationProgram
  let context: MutationContext
  /// That of the data for which it is planned.
  let generation: UInt64
  /// Indicates whether it is planned for the newest data, since it looks at them before the first change.
  let looksAtData: Bool
  private let bindings: CellBindings
  private let cells: OperationParameters
  @exclusivity(unchecked) var buffer = ByteBuffer(capacity: 512)

  /// Nil where it needs more than cells of its parameters.
  init?(
    _ program: MutationProgram, _ mutation: MutationPlans, _ plans: SegmentPlans, generation: UInt64, limits: RunLimits
  ) {
    guard let bindings = plans.bindings else { return nil }
    self.program = program
    looksAtData = mutation.looksAtData
    self.generation = generation
    self.bindings = bindings
    cells = OperationParameters(bindings.count)
    context = MutationContext(
      parameters: [], cells: cells, limits: limits, now: 0, parameterNames: plans.askedNames ?? [])
  }

  /// Gives the run its parameters; false where a variable needs a closer look.
  func prepare(_ variables: [String: Value], now: Int64) -> Bool {
    context.now = now
    buffer.removeAll()
    return bindings.bind(variables, to: cells, cells.scratch, now: now) && cells.byteCount <= PointMutation.maximumBytes
  }

  /// Forgets the parameters.
  func end() { cells.removeAll() }

  /// Indicates whether it needs no more memory than may rest between runs.
  var isWorthKeeping: Bool {
    buffer.count <= ReusableBuffer.keptBytes && cells.scratch.byteCount <= SegmentPlans.keptBytes
  }
}

extension PreparedQuery {
  /// Runs a point mutation that is ready, as ``changeInPlace(_:options:_:)`` does; nil also where none is.
  func changeReady<Result>(
    _ variables: [String: Value], _ take: (UnsafeRawBufferPointer) -> Result
  ) throws(QueryError) -> (Result, version: Int64)? {
    if database.hasResolvers { return nil }
    guard let run = takeMutation() else { return nil }
    guard run.prepare(variables, now: WallClock.now) else {
      rest(run)
      return nil
    }
    let version: Int64
    do throws(OpenVersionProblem) {
      // One that does not fit the data any more is made again.
      guard let applied = try OpenVersionWriter(database: database).apply(run) else { return nil }
      version = applied
    } catch {
      rest(run)
      throw queryError(error.problem, error.view)
    }
    if run.buffer.count == 0 { run.buffer.append("{}") }
    let result = run.buffer.withUnsafeBytes { take($0) }
    rest(run)
    return (result, version)
  }

  /// Applies a point mutation that is ready within a transaction, and appends its answer; false where none is, or it is to
  /// be run in another way, and nothing was done.
  func applyReady(
    _ variables: [String: Value], in transaction: DatabaseTransaction, _ mutator: Mutator, into output: inout ByteBuffer
  ) throws(QueryError) -> Bool {
    guard let run = takeMutation() else { return false }
    let view = run.looksAtData ? mutator.snapshot() : transaction.base
    // One that does not fit the data any more is made again.
    guard view.generation == run.generation else { return false }
    defer { rest(run) }
    guard run.prepare(variables, now: WallClock.now) else { return false }
    do throws(MutationProblem) {
      mutator.transaction.now = run.context.now
      mutator.beginOperation()
      _ = try mutator.apply(run.program, run.context, into: &output)
    } catch {
      throw queryError(error, mutator.lastView)
    }
    transaction.note(undone: nil)
    if output.count == 0 { output.append("{}") }
    return true
  }

  /// Keeps a field that has run as usual for later runs, where it is a point mutation and the only field.
  func keepReady(
    _ program: MutationProgram, _ mutation: MutationPlans, _ plans: SegmentPlans, for view: Snapshot
  ) {
    guard plans.bindings != nil, program.isPoint, plans.segments.count == 1, takesPlainVariables, hasRunBefore(),
      !hasRestingMutations, mutation.isSettled(program), let limits = document.usualRunLimits,
      let run = ReadyMutation(program, mutation, plans, generation: view.generation, limits: limits)
    else { return }
    put(run)
  }

  private func rest(_ run: ReadyMutation) {
    run.end()
    if run.isWorthKeeping { put(run) }
  }
}
