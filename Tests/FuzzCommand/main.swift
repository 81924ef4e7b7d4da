import Foundation
import GQLFuzz
import GQLite

// fuzz [--first N] [--inputs N] [--seconds N] [--jobs N] [--reports N] [--patience N] [--crash-at N] [--hang-at N] PATH…
// fuzz --show N PATH…
//
// Changed golden documents run through every stage under the limits of `serve`. A worker process runs the inputs, so
// that a crash, a hang and memory that grows are found and reported with the number of the input. The numbers give the
// same inputs as long as the golden files are the same. `--crash-at` and `--hang-at` make a worker fail at an input, to
// show that it is found.

private var options = ["first": 0, "inputs": 20_000_000, "seconds": 0, "jobs": 2, "reports": 5, "patience": 60]
private var faults: [String: UInt64] = [:]
private var show: UInt64?
private var worker: String?
private var paths: [String] = []
private var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  guard argument.hasPrefix("--") else {
    paths.append(argument)
    continue
  }
  let name = String(argument.dropFirst(2))
  let value = arguments.popFirst()
  if name == "show", let number = value.flatMap({ UInt64($0) }) {
    show = number
  } else if name == "worker", let value {
    worker = value
  } else if name == "crash-at" || name == "hang-at", let number = value.flatMap({ UInt64($0) }) {
    faults[name] = number
  } else if options[name] != nil, let number = value.flatMap({ Int($0) }), number >= 0 {
    options[name] = number
  } else {
    print("usage: fuzz [--first N] [--inputs N] [--seconds N] [--jobs N] [--reports N] [--patience N] [--show N] PATH…")
    exit(2)
  }
}
if paths.isEmpty { paths = ["Tests/Corpus", "Examples"] }

if let worker {
  try FuzzWorker(paths: paths, orders: worker, crash: faults["crash-at"], hang: faults["hang-at"]).run()
} else if let show {
  let corpus = try FuzzCorpus(paths: paths)
  let input = DocumentMutator(corpus).input(show)
  print(input.text)
  print("--\n\(FuzzRunner(corpus).run(input))")
} else {
  let supervisor = FuzzSupervisor(
    paths: paths, first: UInt64(options["first"] ?? 0), inputs: UInt64(options["inputs"] ?? 0),
    seconds: options["seconds"] ?? 0, jobs: max(1, options["jobs"] ?? 1), reports: max(1, options["reports"] ?? 1),
    patience: Double(options["patience"] ?? 60), faults: faults)
  exit(try supervisor.run() ? 0 : 1)
}
