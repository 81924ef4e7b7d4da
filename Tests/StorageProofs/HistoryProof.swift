import Foundation
import GQLDifferential
import GQLStorage
import GQLite

/// Threads append numbers to lists, while readers of their process, a follower there, and one in another process say
/// what they see. The writers are killed and started again, and their disk fails. Then nothing is lost, doubled or
/// reordered, and what was seen once is there for ever.
package struct HistoryProof {
  private let path: String
  private let follower: ChildProcess
  /// Each number that was acknowledged: its list, and how many there were with it.
  private var acknowledged: [Int: (list: Int, total: Int)] = [:]
  private var failed: Set<Int> = []
  /// The greatest number that each thread has had acknowledged or refused, by its upper bits.
  private var last: [Int: Int] = [:]
  private var seen: [Observation] = []

  /// What somebody saw, in the order of seeing it.
  private struct Observation {
    var total: Int
    var lists: [(count: Int, hash: UInt64)]
  }

  /// Runs histories until a time is over.
  package static func run(seconds: Double, seed: UInt64, jobs: Int) -> ProofReport {
    .trying("histories", parts: .max, jobs: jobs, until: Date(timeIntervalSinceNow: seconds)) { part, report in
      let folder = try Folder()
      var random = SeededRandom(seed: seed &* 1_000 &+ UInt64(part))
      let durability = part % 3 == 2 ? "normal" : "full"
      var proof = try HistoryProof(folder.file("history.gqlite"), durability)
      report.count("files")
      for round in 0..<4 {
        report.count("kills")
        if let problem = try proof.round(round, durability, fails: random.chance(50), &random, &report) {
          proof.follower.send(SIGKILL)
          _ = proof.follower.output()
          return report.fail("seed \(seed), part \(part), round \(round), \(durability): \(problem)")
        }
      }
      if let problem = try proof.end(&report) { report.fail("seed \(seed), part \(part), \(durability): \(problem)") }
    }
  }

  private init(_ path: String, _ durability: String) throws {
    self.path = path
    let database = try Database(path: path, schema: HistoryLists.schema)
    try HistoryLists.begin(database)
    try database.close()
    follower = try ChildProcess.task(["follow", path])
    follower.waitForOutput()
  }

  private mutating func round(
    _ round: Int, _ durability: String, fails: Bool, _ random: inout SeededRandom, _ report: inout ProofReport
  ) throws -> String? {
    let writer = try ChildProcess.task(["write", path, durability, "3", "\(round)", fails ? "1" : "0"])
    writer.waitForOutput()
    usleep(UInt32(20_000 + random.below(250_000)))
    writer.send(SIGKILL)
    let output = writer.output()
    if writer.endSignal != SIGKILL { return "the writer ended: \(output.suffix(500))" }
    if let problem = try note(output, fails ? "a writer whose disk fails" : "a writer", &report) { return problem }
    // Without the right to write, as the next writer is to find what this one has left.
    return try problem(HistoryLists(Database(path: path, storage: StorageOptions(access: .read))))
  }

  /// Reads what a process has said.
  private mutating func note(_ output: String, _ who: String, _ report: inout ProofReport) throws -> String? {
    var lastTotals: [Int] = []
    // The last line may be a part of one.
    for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let parts = line.split(separator: " ")
      let numbers = parts.dropFirst().compactMap { Int($0) }
      switch parts.first {
      case "open": continue
      case "a" where numbers.count == 4:
        report.count("appended")
        if acknowledged.updateValue((numbers[1], numbers[3]), forKey: numbers[2]) != nil { return "twice: \(line)" }
        last[numbers[2] >> 20] = numbers[2]
      case "f" where numbers.count == 1:
        report.count("failed")
        failed.insert(numbers[0])
        last[numbers[0] >> 20] = numbers[0]
      case "s":
        report.count("states seen")
        let lists = parts.dropFirst(2).map { $0.split(separator: ":") }
        let observation = Observation(
          total: numbers.first ?? 0, lists: lists.map { (Int($0[0]) ?? -1, UInt64($0[1]) ?? 0) })
        lastTotals.append(observation.total)
        seen.append(observation)
      default: return "\(who) said: \(line.prefix(500))"
      }
    }
    // A follower sees nothing earlier after something later; here there are two readers in one output.
    if who == "the follower", zip(lastTotals, lastTotals.dropFirst()).contains(where: { $0 >= $1 }) {
      return "the follower has gone back: \(lastTotals)"
    }
    return nil
  }

  /// What is wrong with the lists as they are, by all that was said before.
  private func problem(_ lists: HistoryLists) throws -> String? {
    if let problem = lists.problem { return problem }
    var places: [Int: (list: Int, place: Int)] = [:]
    for (list, content) in lists.lists.enumerated() {
      var threads: [Int: Int] = [:]
      var total = 0
      for (place, number) in content.numbers.enumerated() {
        if places.updateValue((list, place), forKey: number) != nil { return "\(number) is there twice" }
        if threads.updateValue(number, forKey: number >> 20) ?? 0 >= number { return "\(number) is too late" }
        guard let known = acknowledged[number] else {
          // The one that was on its way, or one that failed after it was written.
          if failed.contains(number) || number == (last[number >> 20] ?? (number >> 20) << 20) + 1 { continue }
          return "nobody has appended \(number)"
        }
        if known.list != list { return "\(number) is in the wrong list" }
        if known.total <= total { return "\(number) was appended as number \(known.total), and is behind \(total)" }
        total = known.total
      }
    }
    if let lost = acknowledged.keys.first(where: { places[$0] == nil }) {
      return "\(lost) was acknowledged, and is gone"
    }
    if Set(acknowledged.values.map(\.total)).count != acknowledged.count { return "two have the same place" }
    return goneState(lists)
  }

  /// A state that was seen, and is not the beginning of what is there.
  private func goneState(_ lists: HistoryLists) -> String? {
    let hashes = lists.lists.map { list in
      var hashes = [HistoryLists.hash([])]
      for number in list.numbers { hashes.append(HistoryLists.step(hashes[hashes.count - 1], number)) }
      return hashes
    }
    for state in seen {
      for (list, known) in zip(hashes, state.lists) where known.count >= list.count || list[known.count] != known.hash {
        return "the state \(state.total) was seen, and is gone"
      }
    }
    let ordered = seen.sorted { $0.total < $1.total }
    for (earlier, later) in zip(ordered, ordered.dropFirst()) {
      for (left, right) in zip(earlier.lists, later.lists) where left.count > right.count {
        return "the states \(earlier.total) and \(later.total) are of no one order"
      }
    }
    return nil
  }

  /// Ends the follower, and looks at all together.
  private mutating func end(_ report: inout ProofReport) throws -> String? {
    // It needs a moment to see the last.
    usleep(20_000)
    follower.send(SIGKILL)
    let output = follower.output()
    if follower.endSignal != SIGKILL { return "the follower ended: \(output.suffix(500))" }
    if let problem = try note(output, "the follower", &report) { return problem }
    let database = try Database(path: path)
    let problems = database.check()
    if !problems.isEmpty { return "check: \(problems.prefix(3))" }
    return try problem(HistoryLists(database))
  }
}
