import Foundation
import StorageProofs
import Synchronization

// storageproof [--kills N] [--imports N] [--states N] [--faults N|all] [--corruptions N] [--replays N]
//              [--histories SECONDS] [--branches N] [--seed S] [--jobs J] [--part P]
//
// Tries to lose or falsify what databases in files keep; docs/durability.md says how. Prints what was tried, and each
// problem with the seed and the part that lead to it again. The status is 1 where there is one. With --part the proofs
// begin with that part; the number of tries counts from the first one on.
//
// storageproof task NAME … is a process that the proofs start and kill.

private let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "task" {
  signal(SIGPIPE, SIG_IGN)
  guard let status = ProofTask.run(Array(arguments.dropFirst())) else {
    print("there is no such task: \(arguments)")
    exit(2)
  }
  exit(status)
}

private let usage = """
  usage: storageproof [--kills N] [--imports N] [--states N] [--faults N|all] [--corruptions N] [--replays N]
                      [--histories SECONDS] [--branches N] [--seed S] [--jobs J] [--part P]
  """
private let names = ["kills", "imports", "states", "faults", "corruptions", "replays", "histories", "branches"]
private var options: [String: Int] = [:]
private var rest = arguments[...]
while let flag = rest.popFirst() {
  let name = String(flag.dropFirst(2))
  guard flag.hasPrefix("--"), (names + ["seed", "jobs", "part"]).contains(name), let text = rest.popFirst(),
    let value = name == "faults" && text == "all" ? .max : Int(text), value >= 0
  else {
    print(usage)
    exit(2)
  }
  options[name] = value
}
if !names.contains(where: { options[$0] ?? 0 > 0 }) {
  print(usage)
  exit(2)
}

private let seed = UInt64(options["seed"] ?? 1)
private let jobs = options["jobs"] ?? 2
Proofs.firstPart.store(options["part"] ?? 0, ordering: .relaxed)
print("seed \(seed), \(jobs) jobs")
private var isFine = true
for name in names {
  guard let number = options[name], number > 0 else { continue }
  let start = ContinuousClock.now
  let report =
    switch name {
    case "kills": KillProof.run(rounds: number, seed: seed, jobs: jobs)
    case "imports": ImportProof.run(rounds: number, seed: seed, jobs: jobs)
    case "states": PowerProof.run(states: number, seed: seed, jobs: jobs)
    case "faults": FaultProof.run(atMost: number, jobs: jobs)
    case "corruptions": CorruptionProof.run(files: number, seed: seed, jobs: jobs)
    case "replays": ReplayProof.run(replays: number, seed: seed, jobs: jobs)
    case "branches": BranchProof.run(tries: number, seed: seed, jobs: jobs)
    default: HistoryProof.run(seconds: Double(number), seed: seed, jobs: jobs)
    }
  for problem in report.problems { print("\(report.name): \(problem)\n") }
  let milliseconds = Int(start.duration(to: .now) / .milliseconds(1))
  print("\(report) (\(milliseconds / 1000).\(milliseconds % 1000 / 100) s)")
  if !report.problems.isEmpty { isFine = false }
}
exit(isFine ? 0 : 1)
