import GQLExecutor
import GQLPlanner

/// How one run behaves: its limits, and what may stop it.
public struct RunOptions: Sendable {
  /// The wall time that the run may take; nil for as long as it takes.
  public var timeout: Duration?
  /// The most bytes that the answer may have; nil for any number.
  public var maximumBytes: Int?
  /// The most objects and bare values that the answer may have; nil for any number.
  public var maximumNodes: Int?
  /// The most bytes of working memory that the run may take beside its answer; nil for any number.
  public var maximumMemory: Int?
  /// What may stop the run from another thread.
  public var cancellation: QueryCancellation?
  /// What `now()` gives, in microseconds since 1970; nil for the clock's time when the run begins.
  public var now: Int64?
  /// How plans are chosen, for tests that compare plans.
  package var planner: PlannerOptions?

  /// The defaults: no limit.
  public init(
    timeout: Duration? = nil, maximumBytes: Int? = nil, maximumNodes: Int? = nil, maximumMemory: Int? = nil,
    cancellation: QueryCancellation? = nil, now: Int64? = nil
  ) {
    self.timeout = timeout
    self.maximumBytes = maximumBytes
    self.maximumNodes = maximumNodes
    self.maximumMemory = maximumMemory
    self.cancellation = cancellation
    self.now = now
  }

  /// The limits as the executor takes them; a time-out starts now.
  var limits: RunLimits {
    var limits = RunLimits()
    if let timeout {
      let parts = timeout.components
      let milliseconds = Double(parts.seconds) * 1000 + Double(parts.attoseconds) / 1e15
      limits.allow(milliseconds: Int(max(0, min(milliseconds.rounded(.up), 1e15))))
    }
    if let maximumBytes { limits.maximumBytes = max(0, maximumBytes) }
    if let maximumNodes { limits.maximumNodes = max(0, maximumNodes) }
    if let maximumMemory { limits.maximumMemory = max(0, maximumMemory) }
    return limits
  }
}

/// A flag that stops the runs that were given it. Any thread may raise it.
public final class QueryCancellation: Sendable {
  let flag = Cancellation()

  /// A flag that is not raised.
  public init() {}

  /// Stops the runs at their next check, within milliseconds; they fail with the code `cancelled`.
  public func cancel() { flag.cancel() }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { flag.isCancelled }
}
