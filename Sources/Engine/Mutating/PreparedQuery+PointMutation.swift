import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

extension PreparedQuery {
  /// Runs a point mutation without publishing a version; nil where the operation is none, and nothing was done. Else its
  /// answer, and the number of the version with it. Called by the one writer.
  func changeInPlace<Result>(
    _ variables: [String: Value], options: RunOptions, _ take: (UnsafeRawBufferPointer) -> Result
  ) throws(QueryError) -> (Result, version: Int64)? {
    // The version is looked at for its schema and its statistics only.
    let view = database.state.withLock { $0.snapshot }
    guard !options.hasPlanner, !database.hasResolvers, document.source.bytes.count <= PointMutation.maximumBytes
    else { return nil }
    let plans = try segmentPlans(
      variables, view, options.interruption(document.limits, used: document.readBytes))
    guard plans.segments.count == 1, case .mutation(let mutation) = plans.segments[0], mutation.mayBePoint else {
      return nil
    }
    let parameters = try RunParameters(variables, of: self, plans, view, now: options.now ?? WallClock.now)
    defer { parameters.end() }
    guard parameters.fitPointMutation else { return nil }
    let context = parameters.context(options: options)
    let planning = PartPlanning(options, context)
    let program = try mutation.program(self, view, parameters, planning)
    guard program.isPoint else { return nil }
    try checkInterruption(planning)

    let output = takeBuffer()
    defer { giveBuffer(output) }
    let version: Int64
    do {
      let applied = try OpenVersionWriter(database: database).apply(program, context, into: &output.buffer)
      guard let applied else { return nil }
      version = applied
    } catch {
      throw queryError(error.problem, error.view)
    }
    if output.buffer.count == 0 { output.buffer.append("{}") }
    if options.areUsual { keepReady(program, mutation, plans, for: view) }
    return (output.buffer.withUnsafeBytes { take($0) }, version)
  }
}
