import Foundation

/// A clock of the processor's time that the calling thread has had. What else runs on the machine does not count, so
/// tests may hold it against a limit while others run beside them.
package enum ThreadTime {
  /// The time that the calling thread has run since it began.
  package static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Measures what a function takes of the calling thread.
  package static func measure(_ body: () throws -> Void) rethrows -> Duration {
    let start = now
    try body()
    return now - start
  }

  /// Measures a function several times, and returns the shortest.
  package static func least(of count: Int = 7, _ body: () throws -> Void) rethrows -> Duration {
    var least = Duration.seconds(1_000_000)
    for _ in 0..<count { least = min(least, try measure(body)) }
    return least
  }
}
