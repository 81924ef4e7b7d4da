import GQLBase
import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLStore
import Synchronization

/// A plan with what a run needs to know of it, until the schema or the size of the data changes.
final class ReadyPlan: Sendable {
  let executable: Executable
  let parameters: [BoundParameter]
  let generation: UInt64
  /// What the planner's access paths were estimated to give when the plan was made; none where the plan serves all
  /// values of its parameters.
  let estimates: [Double]
  /// How the parameters are taken from variables at once; nil if one needs a closer look.
  let quick: [QuickParameter]?

  init(_ executable: Executable, parameters: [BoundParameter], generation: UInt64, estimates: [Double]) {
    self.executable = executable
    self.parameters = parameters
    self.generation = generation
    self.estimates = estimates
    let quick = parameters.compactMap { QuickParameter($0, executable.catalog) }
    self.quick = quick.count == parameters.count ? quick : nil
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
  let execution: Execution
  private let parameters: [QuickParameter]
  /// How many are variables.
  private let shown: Int
  @exclusivity(unchecked) var buffer = ByteBuffer(capacity: 4096)

  /// Whether it needs no more memory than may rest between runs. An answer's memory beyond that is given back.
  func isWorthKeeping() -> Bool {
    if buffer.count > ReusableBuffer.keptBytes { buffer.removeAll(keeping: ReusableBuffer.keptBytes) }
    return execution.isWorthKeeping
  }

  init?(_ plan: ReadyPlan, _ snapshot: Snapshot, limits: RunLimits) {
    guard let quick = plan.quick else { return nil }
    self.plan = plan
    parameters = quick
    shown = quick.reduce(0) { $0 + ($1.isNow ? 0 : 1) }
    execution = plan.executable.makeExecution(snapshot, limits: limits)
  }

  /// Gives the execution its parameters. Who does not run it then calls `execution.end()`.
  @inline(__always)
  func prepare(_ variables: [String: Value], _ snapshot: Snapshot) -> Fitness {
    guard plan.serves(snapshot) else { return .stale }
    guard bind(variables) else { return .unclear }
    if plan.estimates.isEmpty { return .fit }
    return plan.executable.suits(execution, on: snapshot, plan.estimates) ? .fit : .unlike
  }

  @inline(__always)
  private func bind(_ variables: [String: Value]) -> Bool {
    guard variables.count == shown else { return false }
    if parameters.count == 1, shown == 1 {
      // Comparing one name is quicker than hashing it.
      let (name, value) = variables[variables.startIndex]
      return name == parameters[0].name && parameters[0].bind(value, 0, execution)
    }
    for index in 0..<parameters.count {
      if parameters[index].isNow {
        execution.setParameter(index, Cell(Database.now()))
        continue
      }
      guard let value = variables[parameters[index].name], parameters[index].bind(value, index, execution) else {
        return false
      }
    }
    return true
  }
}

/// Up to two runs between uses; the first two threads find one each.
struct RestingRuns: ~Copyable {
  private let first = Atomic<UInt>(0)
  private let second = Atomic<UInt>(0)
  /// How many there are, at rest and in use.
  private let count = Atomic<Int>(0)

  deinit {
    for address in [first.load(ordering: .acquiring), second.load(ordering: .acquiring)] {
      if let pointer = UnsafeRawPointer(bitPattern: address) { Unmanaged<ReadyRun>.fromOpaque(pointer).release() }
    }
  }

  @inline(__always)
  func take() -> ReadyRun? {
    var address = first.exchange(0, ordering: .acquiring)
    if address == 0 { address = second.exchange(0, ordering: .acquiring) }
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
    return Unmanaged<ReadyRun>.fromOpaque(pointer).takeRetainedValue()
  }

  /// Puts back one that was taken or made.
  @inline(__always)
  func put(_ run: ReadyRun) {
    let address = UInt(bitPattern: Unmanaged.passRetained(run).toOpaque())
    if first.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return }
    if second.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { return }
    drop()
    Unmanaged.passUnretained(run).release()
  }

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
