import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore
import Synchronization

/// A plan with what a run needs to know of it, until the schema or the size of the data changes.
final class ReadyPlan: Sendable {
  let executable: Executable
  let parameters: [BoundParameter]
  let generation: UInt64
  /// Holds the rows that access paths were estimated to find when the plan was made; none where the plan serves all
  /// values of its parameters.
  let estimates: [ClosedRange<Double>]
  /// How the parameters are taken from variables at once; nil if one needs a closer look.
  let bindings: CellBindings?

  init(_ executable: Executable, parameters: [BoundParameter], _ fit: PlanFit) {
    self.executable = executable
    self.parameters = parameters
    generation = fit.generation
    estimates = fit.estimates
    bindings = CellBindings(parameters, executable.catalog)
  }

  /// Whether other values of the parameters may ask for another plan.
  var isParameterSensitive: Bool { executable.plan.isParameterSensitive }

  /// Another schema has another generation too.
  func serves(_ snapshot: Snapshot) -> Bool { snapshot.generation == generation }
}

/// All that a run with the usual options needs, kept between runs: whoever has it owns it alone, so that a run takes no
/// lock, counts few references and allocates nothing.
///
/// Unchecked because one run at a time has it, see ``RestingRuns``.
final class ReadyRun: @unchecked Sendable {
  enum Fitness {
    /// The parameters are bound, and the plan is for such.
    case fit
    /// The plan is for other data.
    case stale
    /// The plan is for other parameters.
    case unlike
    /// A variable needs a closer look, or is wrong, which the binder then says.
    case unclear
  }
  let plan: ReadyPlan
  let writer: ResponseWriter
  /// The writer's, kept beside it because each way through the writer counts a reference.
  let execution: Execution
  /// The execution's, kept beside it for the same reason.
  private let scratch: ScratchArena
  private let bindings: CellBindings
  @exclusivity(unchecked) var buffer = ByteBuffer(capacity: 512)

  /// Whether it needs no more memory than may rest between runs. An answer's memory beyond that is given back.
  func isWorthKeeping() -> Bool {
    if buffer.count > ReusableBuffer.keptBytes { buffer.removeAll(keeping: ReusableBuffer.keptBytes) }
    return execution.isWorthKeeping
  }

  init?(_ plan: ReadyPlan, _ snapshot: Snapshot, limits: RunLimits) {
    guard let bindings = plan.bindings else { return nil }
    self.plan = plan
    self.bindings = bindings
    writer = plan.executable.makeWriter(snapshot, limits: limits)
    execution = writer.execution
    scratch = execution.scratch
  }

  /// Gives the execution its parameters. Who does not run it then calls `execution.end()`.
  @inline(__always)
  func prepare(_ variables: [String: Value], _ snapshot: Snapshot) -> Fitness {
    guard plan.serves(snapshot) else { return .stale }
    guard bindings.bind(variables, to: execution, scratch, now: WallClock.now) else { return .unclear }
    if plan.estimates.isEmpty { return .fit }
    return plan.executable.suits(execution, on: snapshot, plan.estimates) ? .fit : .unlike
  }
}

/// The runs of an operation between uses, and how many there are at all.
struct RestingRuns: ~Copyable {
  private let idle = IdlePair<ReadyRun>()
  /// How many there are, at rest and in use.
  private let count = Atomic<Int>(0)

  @inline(__always)
  func take() -> ReadyRun? { idle.take() }

  /// Puts back one that was taken or made.
  @inline(__always)
  func put(_ run: ReadyRun) { if !idle.put(run) { drop() } }

  /// Whether another may be made; it counts then.
  func mayMake() -> Bool {
    if count.load(ordering: .relaxed) >= 2 { return false }
    if count.add(1, ordering: .relaxed).oldValue < 2 { return true }
    drop()
    return false
  }

  /// One that was taken, or was allowed to be made, is not put back.
  func drop() { count.subtract(1, ordering: .relaxed) }
}

/// An output buffer that keeps its memory between runs.
final class ReusableBuffer: @unchecked Sendable {
  /// What an answer may leave behind for the next.
  static let keptBytes = 32 << 20
  // Unchecked because one run at a time has it.
  @exclusivity(unchecked) var buffer = ByteBuffer(capacity: 4096)
}
