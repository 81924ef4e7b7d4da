import GQLBase
import GQLRegex

/// How far one run may go. Checked once a batch, so a run may pass a limit by what one batch gives.
package struct RunLimits: Sendable, Hashable {
  /// A time of the monotonic clock, see ``MonotonicClock/now``.
  package var deadline: UInt64 = .max
  /// What the deadline was made from, for the message.
  package var milliseconds = 0
  /// Bytes of the answer.
  package var maximumBytes = Int.max
  /// Objects and bare values in the answer.
  package var maximumNodes = Int.max
  /// Bytes of rows, keys and values that a run holds beside the answer.
  package var maximumMemory = Int.max
  /// Rows that access paths give and conditions are evaluated for.
  package var maximumVisitedRows = Int.max
  /// Bytes of one computed text.
  package var maximumText = 1 << 26
  /// Elements of one computed list.
  package var maximumElements = 1 << 20
  /// What one match of a regular expression may take.
  package var patterns = PatternLimits.standard

  /// How deep a recursion may go: objects inside each other in the answer, which its readers have to bear.
  package var maximumNesting = 10_000
  /// Entities that one recursion may show. Ways through a graph are more than anything can hold, so that this has a
  /// limit where others have none: so many need some hundred megabytes.
  package var maximumRecursion = 10_000_000

  package init() {}
  package static let none = RunLimits()

  /// Sets the deadline, from now.
  package mutating func allow(milliseconds: Int, since start: UInt64 = MonotonicClock.now) {
    self.milliseconds = max(milliseconds, 0)
    let (nanoseconds, overflow) = UInt64(self.milliseconds).multipliedReportingOverflow(by: 1_000_000)
    let (end, late) = start.addingReportingOverflow(nanoseconds)
    deadline = overflow || late ? .max : end
  }
}
