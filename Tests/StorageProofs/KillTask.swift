import Foundation
import GQLDifferential
import GQLStorage
import GQLite
import Synchronization

/// Changes a database file on several threads, and acknowledges each commit on standard output.
struct KillTask: Sendable {
  let path: String
  let workload: Workload
  let options: StorageOptions
  let disturbance: String
  let round: UInt64

  /// Ends only where something is wrong.
  func run() -> Bool {
    var random = SeededRandom(seed: workload.seed &+ round)
    do {
      while true {
        let database = try Database(path: path, schema: Workload.schema, storage: options)
        try workload.begin(database)
        Self.say("open\n")
        let commits = disturbance == "close" ? 3 + random.below(20) : Int.max
        guard change(database, commits, random.next()) else { return false }
        try database.close()
      }
    } catch {
      Self.say("error \(error)\n")
      return false
    }
  }

  private func change(_ database: Database, _ commits: Int, _ seed: UInt64) -> Bool {
    let isFine = Atomic<Bool>(true)
    DispatchQueue.concurrentPerform(iterations: workload.threads + 1) { thread in
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
        isFine.store(false, ordering: .relaxed)
        exit(1)
      }
    }
    return isFine.load(ordering: .relaxed)
  }

  private func disturb(_ database: Database, _ seed: UInt64) throws {
    guard ["schema", "flush", "compact"].contains(disturbance) else { return }
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
      isWider.toggle()
      try database.changeSchema(to: isWider ? Workload.widerSchema : Workload.schema, allowingLoss: true)
    }
  }

  /// Writes one line, whole.
  private static func say(_ line: String) {
    var line = line
    line.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
  }
}
