import Foundation
import GQLDifferential
import GQLStorage
import GQLite

// StorageTask PATH DURABILITY SEED THREADS LOG-BYTES LARGE-COMMIT SLICE-ROWS DISTURBANCE ROUND
//
// Opens a database, says so with a line, and changes it on several threads until it is killed. A line "THREAD NUMBER"
// follows each commit that was acknowledged. DISTURBANCE is what happens beside it, again and again: "none", "schema"
// changes the schema, "close" closes and opens, "flush" flushes, "compact" compacts,
// "quiet" waits between commits, so that rows are written meanwhile.

private let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 9, let seed = UInt64(arguments[2]), let threads = Int(arguments[3]),
  let round = UInt64(arguments[8])
else {
  print("usage: StorageTask PATH DURABILITY SEED THREADS LOG-BYTES LARGE-COMMIT SLICE-ROWS DISTURBANCE ROUND")
  exit(2)
}
private let numbers = arguments[4...6].map { Int($0) ?? 1 << 20 }
private var options = StorageOptions(durability: arguments[1] == "full" ? .full : .normal, allowsLoss: true)
options.folding.logBytes = numbers[0]
options.folding.largeCommit = numbers[1]
options.folding.sliceRows = numbers[2]
if round % 2 == 1 { options.folding.pendingRows = 0 }
if arguments[7] == "quiet" { options.folding.delay = 1 }
exit(
  KillTask(
    path: arguments[0], workload: Workload(seed: seed, threads: threads), options: options, disturbance: arguments[7],
    round: round
  ).run() ? 0 : 1)
