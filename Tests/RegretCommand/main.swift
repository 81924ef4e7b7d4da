import Foundation
import GQLPlanner
import GQLRegret

// regret [--seed N] [--queries N] [--rows N] [--worst N] [--plans 1] [--calibrate 1]
//
// Random schemas, data and queries: how much slower the plans that are chosen are than the best of all alternatives.
// With `--plans 1` it prints all alternatives of every query, with their times and prices.
// With `--calibrate 1` it looks for better prices instead and prints them, for `Sources/Planner/Costing/CostModel.swift`.
// `--rows` is the size of each database instead of 10,000, 100,000 and 1,000,000 in turn.

var options = ["seed": 1, "queries": 2000, "rows": 0, "worst": 10, "plans": 0, "calibrate": 0]
var arguments = CommandLine.arguments.dropFirst()
while let flag = arguments.popFirst() {
  let name = flag.hasPrefix("--") ? String(flag.dropFirst(2)) : flag
  guard options[name] != nil, let value = arguments.popFirst().flatMap({ Int($0) }), value >= 0 else {
    print("usage: regret [--seed N] [--queries N] [--rows N] [--worst N] [--plans 1] [--calibrate 1]")
    exit(2)
  }
  options[name] = value
}
var regret = Regret()
let rows = options["rows"] ?? 0
regret.sizes = rows > 0 ? [rows] : [10_000, 100_000, 10_000, 100_000, 1_000_000]
let wanted = max(1, options["queries"] ?? 2000)
func share(_ sorted: [Double], _ percent: Double) -> String {
  String(format: "%.2f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * percent / 100))])
}
func summary(_ ratios: [Double]) -> String {
  let sorted = ratios.sorted()
  return "\(sorted.count) queries: median \(share(sorted, 50)), p90 \(share(sorted, 90)), p95 \(share(sorted, 95)), "
    + "p99 \(share(sorted, 99)), maximum \(share(sorted, 100))"
}
if options["calibrate"] ?? 0 > 0 {
  do {
    var calibration = try Calibration(regret, seed: UInt64(options["seed"] ?? 1), queries: wanted)
    let (costs, ratios) = try calibration.run(from: CostModel()) { print($0) }
    for (name, path) in CostModel.prices { print("  \(name) = \(String(format: "%.4g", costs[keyPath: path]))") }
    print(summary(ratios))
  } catch {
    print(error)
    exit(1)
  }
  exit(0)
}
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
if options["plans"] ?? 0 > 0 {
  for result in results {
    print("\(String(format: "%.2f", result.ratio)) ×: \(result.query)\n\(result.rows) rows")
    for plan in result.plans { print("\(Int(plan.nanoseconds)) ns, \(Int(plan.units)) units:\n\(plan.text)") }
  }
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
print(summary(results.map(\.ratio)))
