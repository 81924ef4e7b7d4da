import GQLBase
import GQLExecutor
import GQLPlanner

/// A choice of how one run behaves: its limits, and what may stop it.
public struct RunOptions: Sendable {
  private struct Settings: Sendable {
    var timeout: Duration?
    var maximumBytes: Int?
    var maximumNodes: Int?
    var maximumMemory: Int?
    var limits: QueryLimits?
    var cancellation: QueryCancellation?
    var now: Int64?
    var planner: PlannerOptions?
    var started: UInt64?
    var origin: String?
    var action: String?
  }
  private final class Box: Sendable {
    let settings: Settings
    init(_ settings: Settings) { self.settings = settings }
  }
  /// Nil where nothing was set, so that the usual options cost nothing to make and to pass.
  private var box: Box?

  /// The defaults: the database's limits.
  public init() { box = nil }

  /// Options that differ from the defaults; see the properties.
  public init(
    timeout: Duration? = nil, maximumBytes: Int? = nil, maximumNodes: Int? = nil, maximumMemory: Int? = nil,
    limits: QueryLimits? = nil, cancellation: QueryCancellation? = nil, now: Int64? = nil, origin: String? = nil,
    action: String? = nil
  ) {
    box = Box(
      Settings(
        timeout: timeout, maximumBytes: maximumBytes, maximumNodes: maximumNodes, maximumMemory: maximumMemory,
        limits: limits, cancellation: cancellation, now: now, origin: origin, action: action))
  }

  private subscript<Member>(_ member: WritableKeyPath<Settings, Member?>) -> Member? {
    get { box?.settings[keyPath: member] }
    set {
      var settings = box?.settings ?? Settings()
      settings[keyPath: member] = newValue
      box = Box(settings)
    }
  }

  /// The wall time that the run may take, and that preparing with these options may take; nil for as long as it takes.
  public var timeout: Duration? {
    get { self[\.timeout] }
    set { self[\.timeout] = newValue }
  }
  /// The most bytes that the answer may have; nil for any number.
  public var maximumBytes: Int? {
    get { self[\.maximumBytes] }
    set { self[\.maximumBytes] = newValue }
  }
  /// The most objects and bare values that the answer may have; nil for any number.
  public var maximumNodes: Int? {
    get { self[\.maximumNodes] }
    set { self[\.maximumNodes] = newValue }
  }
  /// The most bytes of working memory that the run may take beside its answer; nil for any number.
  public var maximumMemory: Int? {
    get { self[\.maximumMemory] }
    set { self[\.maximumMemory] = newValue }
  }
  /// The limits of this run; nil for the database's. Those above are decided on their own.
  public var limits: QueryLimits? {
    get { self[\.limits] }
    set { self[\.limits] = newValue }
  }
  /// Holds what may stop the run, or preparing with these options, from another thread.
  public var cancellation: QueryCancellation? {
    get { box?.settings.cancellation }
    set { self[\.cancellation] = newValue }
  }
  /// Sets what `now()` gives, in microseconds since 1970; nil for the clock's time when the run begins.
  public var now: Int64? {
    get { box?.settings.now }
    set { self[\.now] = newValue }
  }
  /// Names who makes a change, for ``Database/undoStack(for:)`` and as `_origin` of the versions that it makes.
  public var origin: String? {
    get { box?.settings.origin }
    set { self[\.origin] = newValue }
  }
  /// Names a change for people, as in `Rename`; see ``UndoStack/undoNames``.
  public var action: String? {
    get { box?.settings.action }
    set { self[\.action] = newValue }
  }
  /// How plans are chosen, for tests that compare plans.
  package var planner: PlannerOptions? {
    get { box?.settings.planner }
    set { self[\.planner] = newValue }
  }

  /// Indicates whether ``planner`` is set, without a copy of it.
  var hasPlanner: Bool { box.map { $0.settings.planner != nil } ?? false }

  /// The moment of the monotonic clock at which the time-out starts; nil where each step starts its own.
  package var started: UInt64? {
    get { box?.settings.started }
    set { self[\.started] = newValue }
  }

  /// What may end loading; nil where nothing may.
  package var loading: Interruption? { interruption(.standard) }

  /// What may end reading, binding and planning; a time-out starts now. The limits stand where the options say nothing.
  ///
  /// Of the memory that preparing may take, `used` bytes are taken already.
  func interruption(_ defaults: QueryLimits, used: Int = 0) -> Interruption? {
    let settings = box?.settings
    var limits = settings?.limits ?? defaults
    if let timeout = settings?.timeout { limits.time = timeout }
    if let memory = settings?.maximumMemory { limits.memory = memory }
    guard limits.time != nil || limits.memory != nil || settings?.cancellation != nil else { return nil }
    let run = limits.run(since: settings?.started)
    return Interruption(
      deadline: run.deadline, milliseconds: run.milliseconds, cancellation: settings?.cancellation?.flag,
      memory: limits.memory.map { PreparationMemory(limit: max(0, $0), used: used) })
  }

  /// Whether nothing was set.
  var areUsual: Bool { box == nil }

  /// The limits as the executor takes them; a time-out starts now. The document's stand where the run says nothing.
  func runLimits(of document: QueryDocument) -> RunLimits {
    let settings = box?.settings
    if settings == nil, let usual = document.usualRunLimits { return usual }
    let defaults = document.limits
    var limits = settings?.limits ?? defaults
    if let timeout = settings?.timeout { limits.time = timeout }
    if let maximumBytes = settings?.maximumBytes { limits.answerBytes = maximumBytes }
    if let maximumNodes = settings?.maximumNodes { limits.answerNodes = maximumNodes }
    if let maximumMemory = settings?.maximumMemory { limits.memory = maximumMemory }
    return limits.run(since: settings?.started)
  }
}

/// A flag that stops the runs that were given it. Any thread may raise it.
public final class QueryCancellation: Sendable {
  let flag: Cancellation

  /// A flag that is not raised.
  public init() { flag = Cancellation() }

  /// One that is told of each look at it, and raised where that gives true.
  package init(look: @escaping @Sendable () -> Bool) { flag = Cancellation(look: look) }

  /// Stops the runs at their next check, within milliseconds; they fail with the code `cancelled`.
  public func cancel() { flag.cancel() }

  /// Tells whether ``cancel()`` was called.
  public var isCancelled: Bool { flag.isCancelled }
}
