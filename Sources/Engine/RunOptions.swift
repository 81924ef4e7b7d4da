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
  /// The limits of this run; nil for the database's. Those above are decided on their own.
  public var limits: QueryLimits?
  /// What may stop the run from another thread.
  public var cancellation: QueryCancellation?
  /// What `now()` gives, in microseconds since 1970; nil for the clock's time when the run begins.
  public var now: Int64?
  /// How plans are chosen, for tests that compare plans.
  package var planner: PlannerOptions?

  /// The defaults: the database's limits.
  public init(
    timeout: Duration? = nil, maximumBytes: Int? = nil, maximumNodes: Int? = nil, maximumMemory: Int? = nil,
    limits: QueryLimits? = nil, cancellation: QueryCancellation? = nil, now: Int64? = nil
  ) {
    self.timeout = timeout
    self.maximumBytes = maximumBytes
    self.maximumNodes = maximumNodes
    self.maximumMemory = maximumMemory
    self.limits = limits
    self.cancellation = cancellation
    self.now = now
  }

  /// The limits as the executor takes them; a time-out starts now. The document's stand where the run says nothing.
  func runLimits(of document: QueryDocument) -> RunLimits {
    if limits == nil, timeout == nil, maximumBytes == nil, maximumNodes == nil, maximumMemory == nil,
      let usual = document.usualRunLimits
    {
      return usual
    }
    let defaults = document.limits
    var limits = limits ?? defaults
    if let timeout { limits.time = timeout }
    if let maximumBytes { limits.answerBytes = maximumBytes }
    if let maximumNodes { limits.answerNodes = maximumNodes }
    if let maximumMemory { limits.memory = maximumMemory }
    return limits.run
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
