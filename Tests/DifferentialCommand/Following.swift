import Dispatch
import Foundation
import GQLDifferential
import Synchronization

/// Follows random queries until so many were compared, and exits.
func followAll(_ first: UInt64, _ checks: Int, _ jobs: Int, _ wantedReports: Int) -> Never {
  let next = Atomic<Int>(0)
  let total = Mutex(LiveCampaign.Result())
  let start = ContinuousClock.now
  DispatchQueue.concurrentPerform(iterations: jobs) { _ in
    while true {
      let place = next.add(1, ordering: .relaxed).oldValue
      let result = LiveCampaign().run(seed: first &+ UInt64(place))
      let isEnough = total.withLock { total in
        total.add(result)
        return total.checks >= checks || total.reports.count >= wantedReports
      }
      if isEnough { return }
    }
  }
  finish(total.withLock { $0 }, first, start, wantedReports)
}

/// Prints what was found, and exits.
func finish(
  _ result: LiveCampaign.Result, _ first: UInt64, _ start: ContinuousClock.Instant, _ wantedReports: Int
) -> Never {
  for report in result.reports.prefix(wantedReports) { print(report, terminator: "\n\n") }
  let seconds = start.duration(to: .now).components.seconds
  print(
    """
    seed \(first): \(result.checks) pairs of a live query and a change, \(result.told) answers told, \
    \(result.changed) times by changing the one before, \(result.reports.count) differences, \(seconds) s
    """)
  exit(result.reports.isEmpty ? 0 : 1)
}
