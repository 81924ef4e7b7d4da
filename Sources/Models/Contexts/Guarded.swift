import Foundation

/// A value under a lock.
package final class Guarded<State>: @unchecked Sendable {
  private let lock = NSLock()
  // Unchecked because the lock excludes all others.
  @exclusivity(unchecked) private var state: State

  package init(_ state: State) { self.state = state }

  @inline(__always)
  package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state)
  }

  /// Nil if somebody has the lock.
  package func withLockIfFree<Result>(_ body: (inout State) throws -> Result) rethrows -> Result? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return try body(&state)
  }
}
