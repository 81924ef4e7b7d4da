import Foundation
import GQLDifferential
import GQLStorage
import GQLite

/// Changes a database file on several threads, and acknowledges each commit on standard output.
///
/// The disturbance is what happens beside it, again and again: "schema" changes the schema, "close" closes and opens,
/// "flush" flushes, "compact" compacts, "quiet" waits between commits, so that rows are written meanwhile, "checkpoint"
/// makes large commits, so that the write-ahead log is copied into the file. "branches" counts in a branch, which is
/// refreshed and merged, and acknowledges that too.
struct KillTask: Sendable {
  private let path: String
  private let workload: Workload
  private let options: StorageOptions
  private let disturbance: String
  private let round: UInt64

  /// PATH DURABILITY SEED THREADS LOG-BYTES LARGE-COMMIT SLICE-ROWS DISTURBANCE ROUND
  init?(_ arguments: [String]) {
    guard arguments.count == 9, let seed = UInt64(arguments[2]), let threads = Int(arguments[3]),
      let logBytes = Int(arguments[4]), let largeCommit = Int(arguments[5]), let sliceRows = Int(arguments[6]),
      let round = UInt64(arguments[8])
    else { return nil }
    path = arguments[0]
    workload = Workload(seed: seed, threads: threads)
    disturbance = arguments[7]
    self.round = round
    var options = StorageOptions(durability: arguments[1] == "full" ? .full : .normal, allowsLoss: true)
    options.folding.logBytes = logBytes
    options.folding.largeCommit = largeCommit
    options.folding.sliceRows = sliceRows
    if round % 2 == 1 { options.folding.pendingRows = 0 }
    if disturbance == "quiet" { options.folding.delay = 1 }
    self.options = options
  }

  /// Ends only where something is wrong.
  func run() -> Bool {
    var random = SeededRandom(seed: workload.seed &+ round)
    do {
      while true {
        let database = try Database(path: path, schema: Workload.schema, storage: options)
        try workload.begin(database)
        Self.say("open\n")
        let commits = disturbance == "close" ? 3 + random.below(20) : Int.max
        change(database, commits, random.next())
        try database.close()
      }
    } catch {
      Self.say("error \(error)\n")
      return false
    }
  }

  private func change(_ database: Database, _ commits: Int, _ seed: UInt64) {
    Proofs.inThreads(workload.threads + 1) { thread in
      do {
        if thread == workload.threads { return try disturb(database, seed) }
        let first = try workload.count(of: thread, in: database) + 1
        for number in first..<(commits == Int.max ? Int.max : first + commits) {
          try workload.run(number, of: thread, in: database)
          Self.say("\(thread) \(number)\n")
          // So that nobody commits for a moment now and then.
          if disturbance == "quiet" { usleep(UInt32(number % 7 * 700)) }
        }
      } catch {
        Self.say("error \(error)\n")
        exit(1)
      }
    }
  }

  private func disturb(_ database: Database, _ seed: UInt64) throws {
    if disturbance == "branches" { return try countInBranch(of: database) }
    guard ["schema", "flush", "compact", "checkpoint"].contains(disturbance) else { return }
    var random = SeededRandom(seed: seed)
    var isWider = false
    while true {
      usleep(UInt32(random.below(20_000)))
      if disturbance == "flush" {
        try database.flush()
        continue
      }
      if disturbance == "compact" {
        try database.compact()
        continue
      }
      if disturbance == "checkpoint" {
        try database.run(
          "mutation($text: String!) { upsertBallast(data: {id: 1, text: $text}) { id } }",
          ["text": .string(Self.ballast)])
        continue
      }
      isWider.toggle()
      try database.changeSchema(to: isWider ? Workload.widerSchema : Workload.schema, allowingLoss: true)
    }
  }

  private func countInBranch(of database: Database) throws {
    var number = try Self.branchCount(in: database)
    while true {
      number += 1
      let branch = try database.branch(Self.branch)
      try branch.run("mutation { upsertBallast(data: {id: 2, text: \"\(number)\"}) { id } }")
      Self.say("branch \(number)\n")
      if number % 5 == 0 { try branch.merge(into: database) } else if number % 3 == 0 { try branch.refresh() }
      usleep(UInt32(number % 4 * 500))
    }
  }

  private static let branch = "counted"

  /// How often was counted in the branch of a database; 0 where there is none.
  static func branchCount(in database: Database) throws -> Int {
    guard try database.branches.contains(where: { $0.name == branch }) else { return 0 }
    let answer = try database.branch(branch, creates: false).run("{ ballast(id: 2) { text } }").jsonString
    return answer.split(separator: "\"text\":\"").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
  }

  /// More than the write-ahead log has room for before it is copied, in a few commits.
  private static let ballast = String(repeating: "ballast ", count: 60_000)

  /// Writes one line, whole.
  static func say(_ line: String) {
    var line = line
    line.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
  }
}
