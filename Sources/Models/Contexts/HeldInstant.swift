import Foundation
import Synchronization

/// The instant of all that one save writes, with what its hooks and resolvers write.
final class HeldInstant: Sendable {
  /// In microseconds since 1970.
  let time: Int64
  private let over = Atomic<Bool>(false)
  private let thread = ObjectIdentifier(Thread.current)

  init(_ time: Int64) { self.time = time }

  /// Whether the save is not over, and this is within it: copies of the context that its hooks have kept, or have given
  /// away, know it still.
  var isRunningHere: Bool { !over.load(ordering: .relaxed) && thread == ObjectIdentifier(Thread.current) }
  func end() { over.store(true, ordering: .relaxed) }
}
