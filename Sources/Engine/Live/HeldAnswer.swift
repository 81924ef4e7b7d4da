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
