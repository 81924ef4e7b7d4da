import Synchronization

/// Numbers of transactions, unique in the process: what a page carries tells who may write it.
enum Stamp {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
