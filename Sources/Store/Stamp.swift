import Synchronization

/// Numbers of transactions, unique in the process: what a page carries tells who may write it.
enum Stamp {
  private static let last = Atomic<UInt64>(0)

  /// Has all numbers that come be greater than one that a file holds.
  static func pass(_ number: UInt64) {
    var known = last.load(ordering: .relaxed)
    // Far from the end, so that what a damaged file says stops nothing.
    while known < number, number < 1 << 62 {
      let (exchanged, original) = last.compareExchange(expected: known, desired: number, ordering: .relaxed)
      if exchanged { return }
      known = original
    }
  }

  static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
