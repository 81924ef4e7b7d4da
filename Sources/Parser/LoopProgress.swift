/// Proves that a loop over tokens ends: it traps in debug builds, and leaves the loop in release builds, where a round
/// consumes nothing.
struct LoopProgress {
  private var last = -1

  mutating func advanced(_ position: Int) -> Bool {
    guard position > last else {
      assertionFailure("a parsing loop made no progress")
      return false
    }
    last = position
    return true
  }
}
