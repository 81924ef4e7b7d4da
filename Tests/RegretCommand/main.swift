import Foundation
import GQLRegret

// regret [--seed N] [--queries N] [--rows N] [--worst N] [--check yes]
//
// Random schemas, data and queries: how much slower the plans that are chosen are than the best of all alternatives.
// `--rows` is the size of each database instead of 10,000, 100,000 and 1,000,000 in turn.

var options = ["seed": 1, "queries": 2000, "rows": 0, "worst": 10]
var arguments = CommandLine.arguments.dropFirst()
while let flag = arguments.popFirst() {
  let name = flag.hasPrefix("--") ? String(flag.dropFirst(2)) : flag
  guard options[name] != nil, let value = arguments.popFirst().flatMap({ Int($0) }), value >= 0 else {
    print("usage: regret [--seed N] [--queries N] [--rows N] [--worst N]")
    exit(2)
  }
  options[name] = value
}
var regret = Regret()
let rows = options["rows"] ?? 0
regret.sizes = rows > 0 ? [rows] : [10_000, 100_000, 10_000, 100_000, 1_000_000]
let wanted = max(1, options["queries"] ?? 2000)
var results: [Regret.Result] = []
var seed = UInt64(options["seed"] ?? 1)
do {
  while results.count < wanted {
    results += try regret.run(seed: seed)
    seed += 1
  }
} catch let difference as Regret.Difference {
  print("seed \(seed): answers differ\n\(difference.text)")
  exit(1)
}
let sorted = results.map(\.ratio).sorted()
func share(_ percent: Double) -> String {
  String(format: "%.2f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * percent / 100))])
}
for result in results.sorted(by: { $0.ratio > $1.ratio }).prefix(options["worst"] ?? 10) where result.ratio > 1.05 {
  print(
    """
    \(String(format: "%.2f", result.ratio)) ×: \(result.query)
    \(result.rows) rows, \(result.alternatives) plans; chosen \(Int(result.chosenNanoseconds)) ns, \
    best \(Int(result.bestNanoseconds)) ns
    chosen:
    \(result.chosenPlan)best:
    \(result.bestPlan)
    """)
}
print(
  """
  \(results.count) queries: median \(share(50)), p90 \(share(90)), p95 \(share(95)), p99 \(share(99)), \
  maximum \(share(100))
  """)
