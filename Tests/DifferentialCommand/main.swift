import Dispatch
import Foundation
import GQLDifferential
import Synchronization

// differential [--seed N] [--databases N] [--queries N] [--jobs N] [--reports N]
// differential --corpus N [--seed N]
// differential --live N [--seed N] [--jobs N] [--reports N]
// differential --as-of N [--seed N] [--jobs N] [--reports N]
// differential --merge N [--seed N] [--jobs N] [--reports N]
//
// Random queries on random data: the reference evaluator and every plan give the same bytes. A failing database is had
// again by its seed: `differential --seed N --databases 1`. With `--live`, so many pairs of a live query and a change
// instead: what is told leads to the bytes of the query run again. With `--corpus`, the same of the queries of
// Tests/Corpus and Examples, while so many changes are made to each of their databases. With `--as-of`, the answers of
// so many earlier versions are those that they gave when they were new. With `--merge`, so many editing contexts are
// saved: what comes of it is what an oracle says, and the laws of merging hold.

var options = [
  "seed": 1, "databases": 1000, "queries": 100, "jobs": 2, "reports": 5, "live": 0, "corpus": 0, "as-of": 0,
  "merge": 0,
]
var arguments = CommandLine.arguments.dropFirst()
while let flag = arguments.popFirst() {
  let name = flag.hasPrefix("--") ? String(flag.dropFirst(2)) : flag
  guard options[name] != nil, let value = arguments.popFirst().flatMap({ Int($0) }), value >= 0 else {
    print(
      "usage: differential [--seed N] [--databases N] [--queries N] [--jobs N] [--reports N] [--live N] [--as-of N] "
        + "[--merge N]")
    exit(2)
  }
  options[name] = value
}
let first = UInt64(options["seed"] ?? 1)
let databases = options["databases"] ?? 1000
let jobs = max(1, options["jobs"] ?? 2)
let wantedReports = max(1, options["reports"] ?? 5)
if let changes = options["corpus"], changes > 0 {
  var corpus = LiveCorpus()
  corpus.changes = changes
  let start = ContinuousClock.now
  finish(try corpus.run(["Tests/Corpus", "Examples"], seed: first), first, start, wantedReports)
}
let liveChecks = options["live"] ?? 0
if liveChecks > 0 { followAll(first, liveChecks, jobs, wantedReports) }
var campaign = Campaign()
campaign.queries = options["queries"] ?? 100
let fixed = campaign
let next = Atomic<Int>(0)
let total = Mutex(Campaign.Result())
let start = ContinuousClock.now

if let wanted = options["as-of"], wanted > 0 {
  let total = Mutex(PastCampaign.Result())
  DispatchQueue.concurrentPerform(iterations: jobs) { _ in
    while true {
      let place = next.add(1, ordering: .relaxed).oldValue
      let result = PastCampaign().run(seed: first &+ UInt64(place))
      let isEnough = total.withLock { total in
        total.add(result)
        return total.answers >= wanted || total.reports.count >= wantedReports
      }
      if isEnough { return }
    }
  }
  let result = total.withLock { $0 }
  for report in result.reports.prefix(wantedReports) { print(report, terminator: "\n\n") }
  let seconds = start.duration(to: .now).components.seconds
  print(
    "seeds from \(first): \(result.answers) answers of \(result.versions) versions, \(result.reports.count) differences, "
      + "\(seconds) s")
  exit(result.reports.isEmpty ? 0 : 1)
}

if let wanted = options["merge"], wanted > 0 {
  let total = Mutex(MergeCampaign.Result())
  DispatchQueue.concurrentPerform(iterations: jobs) { _ in
    while true {
      let place = next.add(1, ordering: .relaxed).oldValue
      let seed = first &+ UInt64(place)
      let result =
        switch place % 8 {
        case 7: MergeCampaign().runDeleted(seed: seed)
        case 3, 5: MergeCampaign().runAgain(seed: seed)
        default: MergeCampaign().run(seed: seed)
        }
      let isEnough = total.withLock { total in
        total.add(result)
        return total.merges >= wanted || total.reports.count >= wantedReports
      }
      if isEnough { return }
    }
  }
  let result = total.withLock { $0 }
  for report in result.reports.prefix(wantedReports) { print(report, terminator: "\n\n") }
  let seconds = start.duration(to: .now).components.seconds
  print(
    "seeds from \(first): \(result.merges) merges, \(result.conflicts) conflicts, \(result.reports.count) differences, "
      + "\(seconds) s")
  exit(result.reports.isEmpty ? 0 : 1)
}

DispatchQueue.concurrentPerform(iterations: jobs) { _ in
  while true {
    let place = next.add(1, ordering: .relaxed).oldValue
    guard place < databases else { return }
    let result = fixed.run(seed: first &+ UInt64(place))
    let isEnough = total.withLock { total in
      total.add(result)
      return total.reports.count >= wantedReports
    }
    if isEnough { return }
  }
}

let result = total.withLock { $0 }
for report in result.reports.prefix(wantedReports) { print(report, terminator: "\n\n") }
let seconds = start.duration(to: .now).components.seconds
print(
  """
  seeds \(first)..<\(first &+ UInt64(databases)): \(result.queries) queries, \(result.runs) runs under other plans, \
  \(result.toldBySQLite) told by SQLite too, \(result.failures) that must fail, \(result.beyondModel) beyond the reference, \(result.reports.count) differences, \
  \(seconds) s
  """)
exit(result.reports.isEmpty ? 0 : 1)
