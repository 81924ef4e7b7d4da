import Foundation
import GQLDifferential
import GQLStorage
import GQLite

/// A process that changes a file is killed at a random instant, again and again. Each commit that it has acknowledged
/// is there afterwards, and of each thread one more at most; the content is what these commits make in memory.
///
/// What the process does beside it is said by its disturbance. Now and then the file is made one of an earlier format
/// between two processes, so that the next one is killed while it upgrades.
package struct KillProof {
  private let path: String
  private let workload: Workload
  private let durability: String
  /// A database in memory that is given the same commits.
  private let twin: Database
  /// The commits of each thread that the twin has.
  private var counts: [Int]
  /// How often was counted in a branch.
  private var branchCount = 0
  private var isOld = false

  private static let disturbances = [
    "none", "none", "schema", "close", "close", "flush", "compact", "quiet", "checkpoint", "branches",
    "branches",
  ]

  /// Runs rounds of processes, those of one file after one another.
  package static func run(rounds: Int, seed: UInt64, jobs: Int) -> ProofReport {
    let parts = Proofs.parts(rounds, of: 24)
    return .trying("kills", parts: parts.count, jobs: jobs) { part, report in
      let folder = try Folder()
      let workload = Workload(seed: seed &* 1_000 &+ UInt64(part), threads: 3)
      let durability = part % 2 == 0 ? "full" : "normal"
      var proof = try KillProof(folder.file("killed.gqlite"), workload, durability)
      for round in 0..<parts[part] {
        report.count("rounds")
        if let problem = try proof.round(UInt64(round), &report) {
          return report.fail("seed \(seed), part \(part), round \(round), \(durability): \(problem)")
        }
      }
      report.count("commits", proof.counts.reduce(0, +))
    }
  }

  private init(_ path: String, _ workload: Workload, _ durability: String) throws {
    self.path = path
    self.workload = workload
    self.durability = durability
    twin = try Database(schema: Workload.schema)
    try workload.begin(twin)
    counts = Array(repeating: 0, count: workload.threads)
  }

  /// What is wrong after a process was killed; nil for nothing.
  private mutating func round(_ round: UInt64, _ report: inout ProofReport) throws -> String? {
    var random = SeededRandom(seed: workload.seed &* 31 &+ round)
    let (output, isOpen) = try killedProcess(round, &random)
    if let error = output.range(of: "error ") { return "the process: \(output[error.lowerBound...].prefix(500))" }
    guard isOpen || FileManager.default.fileExists(atPath: path) else { return nil }
    if isOld {
      report.count("of an earlier format")
      if try RawFile.integer(path, "PRAGMA user_version") == OldFormat.newest { report.count("upgraded") }
    }
    var acknowledged = counts
    for line in output.split(separator: "\n") {
      let parts = line.split(separator: " ").compactMap { Int($0) }
      if parts.count == 2 { acknowledged[parts[0]] = parts[1] }
    }
    let database = try Database(path: path, storage: StorageOptions(allowsLoss: true))
    // It may have been killed before there was a schema, or a counter.
    if counts.allSatisfy({ $0 == 0 }), !isOpen { return nil }
    for thread in 0..<workload.threads {
      let found = try workload.count(of: thread, in: database)
      guard found == acknowledged[thread] || found == acknowledged[thread] + 1 else {
        return "thread \(thread): \(acknowledged[thread]) were acknowledged, \(found) are there"
      }
      while counts[thread] < found {
        counts[thread] += 1
        try workload.run(counts[thread], of: thread, in: twin)
      }
    }
    if let problem = try difference(database) { return problem }
    if let problem = try branchDifference(database, output) { return problem }
    isOld = false
    if random.chance(40) {
      try database.close()
      // Earlier formats have no branches.
      isOld = try random.chance(50) && RawFile.integer(path, "PRAGMA user_version") == OldFormat.newest
      if isOld { try OldFormat.downgrade(path, to: Int64(random.below(2))) }
      let again = try Database(path: path, storage: StorageOptions(access: isOld ? .read : .write))
      return try difference(again).map { "closed and opened: \($0)" }
    }
    return nil
  }

  /// What is wrong with the branch that was counted in.
  private mutating func branchDifference(_ database: Database, _ output: String) throws -> String? {
    let lines = output.split(separator: "\n").filter { $0.hasPrefix("branch ") }
    let acknowledged = lines.last.flatMap { Int($0.dropFirst("branch ".count)) } ?? branchCount
    branchCount = try KillTask.branchCount(in: database)
    guard branchCount == acknowledged || branchCount == acknowledged + 1 else {
      return "\(acknowledged) were acknowledged in a branch, \(branchCount) are there"
    }
    for found in try database.branches {
      let problems = try database.branch(found.name, creates: false).database.check()
      if !problems.isEmpty { return "check of branch '\(found.name)': \(problems.prefix(3))" }
    }
    return nil
  }

  private func difference(_ database: Database) throws -> String? {
    let problems = database.check()
    if !problems.isEmpty { return "check: \(problems.prefix(3))" }
    let (found, wanted) = (
      try database.run(Workload.everything).jsonString, try twin.run(Workload.everything).jsonString
    )
    if found != wanted { return "at \(counts): \(Proofs.firstDifference(found, wanted))" }
    return try unseen(database) ?? past()
  }

  /// The counters of the past do not ascend, or cannot be read though their history reaches so far.
  private func past() throws -> String? {
    if let problem = try FileSums.problem(path) { return problem }
    let reader = try Database(path: path, storage: StorageOptions(access: .read, recentVersions: 0))
    var before = Array(repeating: 0, count: workload.threads)
    let newest = reader.version
    for step in 0...4 {
      let version = newest * Int64(step) / 4
      let answer: String
      do {
        answer = try reader.run("query @asOf(version: \(version)) { Counter(orderBy: id) { n } }").jsonString
      } catch {
        if error.problems.first?.code == "no-history" { continue }
        return "as of \(version) of \(newest): \(error)"
      }
      let found = answer.split(separator: ":").compactMap { Int($0.prefix { $0.isNumber || $0 == "-" }) }
      for (thread, count) in found.enumerated() {
        if count < before[thread] || count > counts[thread] { return "as of \(version): \(found) after \(before)" }
        before[thread] = count
      }
    }
    return nil
  }

  /// A commit saw others that are not there: the commits that are there are no prefix.
  private func unseen(_ database: Database) throws -> String? {
    let answer = try database.run("{ Counter(orderBy: id) { seen } }").jsonString
    for part in answer.split(separator: "\"seen\":[").dropFirst() {
      let seen = part.prefix { $0 != "]" }.split(separator: ",").compactMap { Int($0) }
      for (thread, count) in seen.enumerated() where count > counts[thread] {
        return "\(counts) are there, and one of them has seen \(seen)"
      }
    }
    return nil
  }

  /// What a process says until it is killed, and whether it had opened the file.
  private func killedProcess(_ round: UInt64, _ random: inout SeededRandom) throws -> (String, Bool) {
    let log = random.pick([2_000, 10_000, 16 << 20])
    let large = random.pick([4_000, 4 << 20])
    let process = try ChildProcess.task([
      "change", path, durability, "\(workload.seed)", "\(workload.threads)", "\(log)", "\(large)",
      "\(1 + random.below(20))", random.pick(Self.disturbances), "\(round)",
    ])
    // Some are killed while they open.
    let waits = random.chance(isOld ? 30 : 85)
    if waits { process.waitForOutput() }
    usleep(UInt32(random.below(!waits && isOld ? 30_000 : random.chance(80) ? 100_000 : 15_000)))
    process.send(SIGKILL)
    let output = process.output()
    if process.endSignal != SIGKILL {
      return ("error it ended with \(process.status ?? 0): \(output.suffix(500))", true)
    }
    return (output, !output.isEmpty)
  }
}
