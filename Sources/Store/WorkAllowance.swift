/// How far long work on a store may go: who waits for it may end it, and it may take so much memory.
///
/// Loops over rows and links call ``advance(_:)`` and leave off once it says no. What they leave behind then is not to be
/// used, so everything that takes an allowance works on what nobody else sees yet.
package final class WorkAllowance {
  package enum Excess: Sendable { case stopped, memory }

  private let isStopped: () -> Bool
  private let maximumMemory: Int
  /// Full, so that the first step asks.
  private var steps = interval
  private var memory = 0
  /// Why the work must end; nil as long as it may go on.
  package private(set) var excess: Excess?

  /// How often the caller is asked: some microseconds of copying rows.
  private static let interval = 1 << 10

  package init(maximumMemory: Int = .max, isStopped: @escaping () -> Bool) {
    self.maximumMemory = maximumMemory
    self.isStopped = isStopped
  }

  /// As far as it takes.
  package static var unlimited: WorkAllowance { WorkAllowance { false } }

  /// Counts rows or links that were gone through; false if the work must end.
  @inline(__always)
  package func advance(_ count: Int = 1) -> Bool {
    steps &+= count
    return steps < Self.interval ? excess == nil : look()
  }

  @inline(never)
  private func look() -> Bool {
    steps = 0
    if excess == nil, isStopped() { excess = .stopped }
    return excess == nil
  }

  /// Counts bytes that are allocated, or given back; false if the work must end.
  package func take(_ bytes: Int) -> Bool {
    memory += bytes
    if memory > maximumMemory, excess == nil { excess = .memory }
    return excess == nil
  }
}

/// What one part of the work has taken of its allowance, as it grows.
struct MemoryShare {
  private let allowance: WorkAllowance
  private var taken = 0

  init(_ allowance: WorkAllowance) { self.allowance = allowance }

  /// Counts what the part holds now; false if the work must end.
  mutating func hold(_ bytes: Int) -> Bool {
    defer { taken = bytes }
    return allowance.take(bytes - taken)
  }
}
