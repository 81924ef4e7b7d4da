import Foundation
import GQLDifferential
import GQLStorage
import GQLite
import StorageTask
import Testing

/// How much the random proofs do: `GQLITE_STORAGE_ROUNDS` multiplies it, `GQLITE_STORAGE_SEED` begins elsewhere.
enum Proofs {
  static let factor = max(1, ProcessInfo.processInfo.environment["GQLITE_STORAGE_ROUNDS"].flatMap { Int($0) } ?? 1)
  static let seed = ProcessInfo.processInfo.environment["GQLITE_STORAGE_SEED"].flatMap { UInt64($0) } ?? 1

  /// A program beside the test bundle.
  static func program(_ name: String) -> URL {
    let folder = Bundle.main.executableURL?.deletingLastPathComponent() ?? URL(filePath: ".build/debug")
    return folder.appending(path: name)
  }
}

/// A process that changes a file is killed at a random instant, again and again. Each commit that it has acknowledged
/// is there afterwards, and of each thread one more at most; the content is what these commits make in memory.
@Suite struct KillTests {
  private static let rounds = 24

  @Test(arguments: ["full", "normal"]) func killed(_ durability: String) throws {
    let folder = try Folder()
    let path = folder.file("killed.gqlite")
    let seed = Proofs.seed &+ (durability == "full" ? 0 : 1000)
    var proof = try KillProof(path, Workload(seed: seed, threads: 3), durability)
    for round in 0..<(Self.rounds * Proofs.factor) {
      let problem = try proof.round(UInt64(round))
      #expect(problem == nil, "seed \(seed), round \(round), \(durability): \(problem ?? "")")
      if problem != nil { return }
    }
    #expect(proof.commits > 100)
    print("killed, \(durability): \(Self.rounds * Proofs.factor) rounds, \(proof.commits) commits")
  }
}

/// One file, what is known of it, and a database in memory that is given the same commits.
private struct KillProof {
  let path: String
  let workload: Workload
  let durability: String
  let twin: Database
  /// The commits of each thread that the twin has.
  var counts: [Int]
  var commits: Int { counts.reduce(0, +) }

  init(_ path: String, _ workload: Workload, _ durability: String) throws {
    self.path = path
    self.workload = workload
    self.durability = durability
    twin = try Database(schema: Workload.schema)
    try workload.begin(twin)
    counts = Array(repeating: 0, count: workload.threads)
  }

  /// What is wrong after a process was killed; nil for nothing.
  mutating func round(_ round: UInt64) throws -> String? {
    var random = SeededRandom(seed: workload.seed &* 31 &+ round)
    let (output, isOpen) = try killedProcess(round, &random)
    if let error = output.range(of: "error ") { return "the process: \(output[error.lowerBound...].prefix(500))" }
    guard isOpen || FileManager.default.fileExists(atPath: path) else { return nil }
    var acknowledged = counts
    for line in output.split(separator: "\n") {
      let parts = line.split(separator: " ").compactMap { Int($0) }
      if parts.count == 2 { acknowledged[parts[0]] = parts[1] }
    }
    let database = try Database(path: path, storage: StorageOptions(allowsLoss: true))
    // It may have been killed before there was a schema, or a counter.
    if commits == 0, !isOpen { return nil }
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
    if random.chance(30) {
      try database.close()
      let again = try Database(path: path)
      return try difference(again).map { "closed and opened: \($0)" }
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
    return try unseen(database)
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
    let process = Process()
    process.executableURL = Proofs.program("StorageTask")
    let log = random.pick([2_000, 10_000, 16 << 20])
    let large = random.pick([4_000, 4 << 20])
    process.arguments = [
      path, durability, "\(workload.seed)", "\(workload.threads)", "\(log)", "\(large)", "\(1 + random.below(20))",
      random.pick(["none", "none", "schema", "close", "close", "flush", "compact", "quiet"]), "\(round)",
    ]
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    let reader = pipe.fileHandleForReading
    try process.run()
    var data = Data()
    // Some are killed while they open.
    if random.chance(85) { data = reader.availableData }
    usleep(UInt32(random.below(random.chance(80) ? 150_000 : 15_000)))
    kill(process.processIdentifier, SIGKILL)
    data += reader.readDataToEndOfFile()
    process.waitUntilExit()
    if process.terminationReason == .exit || process.terminationStatus != SIGKILL {
      return (
        "error it ended with \(process.terminationStatus): \(String(decoding: data.suffix(500), as: UTF8.self))", true
      )
    }
    return (String(decoding: data, as: UTF8.self), !data.isEmpty)
  }
}

extension Proofs {
  static func firstDifference(_ found: String, _ wanted: String) -> String {
    let (left, right) = (Array(found.utf8), Array(wanted.utf8))
    let place = zip(left, right).prefix { $0 == $1 }.count
    func around(_ bytes: [UInt8]) -> String {
      String(decoding: bytes[max(0, min(place, bytes.count) - 120)..<min(bytes.count, place + 120)], as: UTF8.self)
    }
    return "found …\(around(left))…\nnot …\(around(right))…"
  }
}
