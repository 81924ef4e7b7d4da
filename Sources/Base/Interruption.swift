import Synchronization

/// A flag that any thread may raise to stop work at its next check.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Called at each look, which is how tests see that there are some; true raises the flag.
  private let look: (@Sendable () -> Bool)?

  package init(look: (@Sendable () -> Bool)? = nil) { self.look = look }
  package func cancel() { flag.store(true, ordering: .relaxed) }
  package var isCancelled: Bool {
    if let look, look() { cancel() }
    return flag.load(ordering: .relaxed)
  }
}

/// What may end work before its end: its time, or another thread. Reading, binding and planning look at it now and then;
/// what they give once it is due is not to be used.
package struct Interruption: Sendable, Hashable {
  /// A time of the monotonic clock, see ``MonotonicClock/now``.
  package var deadline: UInt64
  /// What the deadline was made from, for the message.
  package var milliseconds: Int
  package var cancellation: Cancellation?

  package init(deadline: UInt64, milliseconds: Int, cancellation: Cancellation?) {
    self.deadline = deadline
    self.milliseconds = milliseconds
    self.cancellation = cancellation
  }

  package var isCancelled: Bool { cancellation?.isCancelled ?? false }
  package var isLate: Bool { deadline != .max && MonotonicClock.now > deadline }

  /// Why work is to end; nil as long as it may go on.
  package func diagnostic(at range: SourceRange) -> Diagnostic? {
    if isCancelled { return Diagnostic(DiagnosticCode("cancelled"), "cancelled", at: range) }
    guard isLate else { return nil }
    return Diagnostic(
      DiagnosticCode("timeout"), "the time limit of \(milliseconds) ms is exceeded", at: range,
      help: "the limit 'time' can be raised")
  }

  package static func == (left: Interruption, right: Interruption) -> Bool {
    left.deadline == right.deadline && left.milliseconds == right.milliseconds
      && left.cancellation === right.cancellation
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(deadline) }
}

/// Looks at an interruption now and then, for loops whose steps are too short to look each time. What such a loop gives
/// once it was due is not to be used.
package struct InterruptionWatch {
  private let interruption: Interruption?
  private var work = 0
  /// Whether the work is to end, as it was found at the last look: what is due stays so.
  package private(set) var isDue = false

  /// Work between two looks: some tens of microseconds at a nanosecond a byte, some milliseconds in the slowest loops.
  private static let interval = 1 << 15

  package init(_ interruption: Interruption?) { self.interruption = interruption }

  /// Counts work, in bytes or in what takes about as long; gives whether it is to end.
  @inline(__always)
  package mutating func spend(_ bytes: Int) -> Bool {
    work &+= bytes
    if work >= Self.interval { look() }
    return isDue
  }

  @inline(never)
  private mutating func look() {
    work = 0
    if let interruption, !isDue { isDue = interruption.isCancelled || interruption.isLate }
  }
}
