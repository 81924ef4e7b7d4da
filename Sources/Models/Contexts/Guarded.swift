import Foundation

/// A value under a lock.
final class Guarded<State>: @unchecked Sendable {
  private let lock = NSLock()
  // Unchecked because the lock excludes all others.
  @exclusivity(unchecked) private var state: State

  init(_ state: State) { self.state = state }

  @inline(__always)
  func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state)
  }

  /// Nil if somebody has the lock.
  func withLockIfFree<Result>(_ body: (inout State) throws -> Result) rethrows -> Result? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return try body(&state)
  }
}
