import Synchronization

/// A count of the bytes of all answers that are held: the newest of each question, and older ones that a subscriber has
/// taken last, or not taken yet.
final class HeldBytes: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add(_ bytes: Int) { count.wrappingAdd(bytes, ordering: .relaxed) }
}
