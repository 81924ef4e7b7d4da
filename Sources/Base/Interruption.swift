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

/// The memory that preparing a document may take. Stages count what they make, the nodes times their size, rather than
/// ask the process.
package final class PreparationMemory: Sendable {
  package let limit: Int
  private let used: Atomic<Int>

  /// A count of which `used` bytes are taken already.
  package init(limit: Int, used: Int = 0) {
    self.limit = limit
    self.used = Atomic(used)
  }

  /// Counts bytes that were made.
  package func take(_ bytes: Int) { used.wrappingAdd(bytes, ordering: .relaxed) }
  package var taken: Int { used.load(ordering: .relaxed) }
  package var isExceeded: Bool { used.load(ordering: .relaxed) > limit }
}

/// What may end work before its end: its time, its memory, or another thread. Reading, binding and planning look at it now and then;
/// what they give once it is due is not to be used.
package struct Interruption: Sendable, Hashable {
  /// A time of the monotonic clock, see ``MonotonicClock/now``.
  package var deadline: UInt64
  /// What the deadline was made from, for the message.
  package var milliseconds: Int
  package var cancellation: Cancellation?
  /// What preparing counts its memory with; nil where that has no limit.
  package var memory: PreparationMemory?

  package init(
    deadline: UInt64, milliseconds: Int, cancellation: Cancellation?, memory: PreparationMemory? = nil
  ) {
    self.deadline = deadline
    self.milliseconds = milliseconds
    self.cancellation = cancellation
    self.memory = memory
  }

  /// Counts bytes that preparing has made.
  package func take(_ bytes: Int) { memory?.take(bytes) }

  package var isCancelled: Bool { cancellation?.isCancelled ?? false }
  package var isLate: Bool { deadline != .max && MonotonicClock.now > deadline }
  package var isOutOfMemory: Bool { memory?.isExceeded ?? false }
  /// Whether work is to end.
  package var isDue: Bool { isCancelled || isLate || isOutOfMemory }

  /// Why work is to end; nil as long as it may go on.
  package func diagnostic(at range: SourceRange) -> Diagnostic? {
    if isCancelled { return Diagnostic(DiagnosticCode("cancelled"), "cancelled", at: range) }
    if let memory, memory.isExceeded {
      return Diagnostic(
        DiagnosticCode("memory"), "the memory limit of \(memory.limit) bytes is exceeded", at: range,
        help: "the limit 'memory' can be raised")
    }
    guard isLate else { return nil }
    return Diagnostic(
      DiagnosticCode("timeout"), "the time limit of \(milliseconds) ms is exceeded", at: range,
      help: "the limit 'time' can be raised")
  }

  package static func == (left: Interruption, right: Interruption) -> Bool {
    left.deadline == right.deadline && left.milliseconds == right.milliseconds
      && left.cancellation === right.cancellation && left.memory === right.memory
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

  /// Counts bytes that preparing has made.
  package func take(_ bytes: Int) { interruption?.take(bytes) }

  @inline(never)
  private mutating func look() {
    work = 0
    if let interruption, !isDue { isDue = interruption.isDue }
  }
}
