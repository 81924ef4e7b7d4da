/// A recorder of the looks that a run takes at a limit, and of the processor's time between two of them.
///
/// A run is given `look()` as its cancellation. It is used by the thread of the run alone.
package final class LookRecorder: @unchecked Sendable {
  package private(set) var count = 0
  /// The longest time without a look, from the beginning to the end of the run.
  package private(set) var longest = Duration.zero
  package private(set) var total = Duration.zero
  private let most: Int
  private let patience: Duration
  private var start = Duration.zero
  private var last = Duration.zero

  /// Ends the run with a number of looks, or with the first look after a time.
  package init(most: Int = .max, after patience: Duration = .seconds(1_000_000)) {
    self.most = most
    self.patience = patience
  }

  package func record<Result>(_ body: () throws -> Result) rethrows -> Result {
    start = ThreadTime.now
    last = start
    defer {
      note()
      total = last - start
    }
    return try body()
  }

  /// Notes a look, and returns whether the run is to end.
  package func look() -> Bool {
    note()
    count += 1
    return count >= most || last - start >= patience
  }

  private func note() {
    let now = ThreadTime.now
    longest = max(longest, now - last)
    last = now
  }
}
