import Synchronization

/// The instant of all that one save writes, with what its hooks and resolvers write.
final class HeldInstant: Sendable {
  /// In microseconds since 1970.
  let time: Int64
  private let over = Atomic<Bool>(false)

  init(_ time: Int64) { self.time = time }

  /// Whether the save is over: copies of the context that its hooks have kept know it still.
  var isOver: Bool { over.load(ordering: .relaxed) }
  func end() { over.store(true, ordering: .relaxed) }
}
