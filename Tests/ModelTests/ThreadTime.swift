import Foundation

/// The time that a thread itself has run, because other tests run beside it.
enum ThreadTime {
  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The least of several.
  static func least(of count: Int = 7, _ body: () throws -> Void) rethrows -> Duration {
    var least = Duration.seconds(1_000_000)
    for _ in 0..<count {
      let start = now
      try body()
      least = min(least, now - start)
    }
    return least
  }
}
