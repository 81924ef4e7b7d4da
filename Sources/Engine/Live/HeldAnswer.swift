import Synchronization

/// An answer that is held for those who follow a question, who share it.
final class HeldAnswer: Sendable {
  let bytes: [UInt8]
  private let total: HeldBytes

  init(_ bytes: [UInt8], countedIn total: HeldBytes) {
    self.bytes = bytes
    self.total = total
    total.add(bytes.count)
  }

  deinit { total.add(-bytes.count) }
}

/// A count of the bytes of all answers that are held: the newest of each question, and older ones that a subscriber has
/// taken last, or not taken yet.
final class HeldBytes: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add(_ bytes: Int) { count.wrappingAdd(bytes, ordering: .relaxed) }
}
