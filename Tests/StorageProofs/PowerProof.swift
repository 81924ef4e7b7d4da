import Foundation
import GQLDifferential
import GQLStorage
import GQLite

/// The power goes at any instant: what was synced is on the disk, and of what was not, any part in blocks of 512 bytes.
/// Each such state opens at a commit not before the last that was acknowledged, with the content of that commit.
package enum PowerProof {
  /// Tries states, many of each recording.
  package static func run(states: Int, seed: UInt64, jobs: Int) -> ProofReport {
    let parts = Proofs.parts(states, of: 80)
    return .trying("power", parts: parts.count, jobs: jobs) { part, report in
      let seed = seed &* 1_000_000 &+ UInt64(part)
      let recording = try Recording(seed)
      report.count("recordings")
      var random = SeededRandom(seed: seed)
      let folder = try Folder(syncs: false)
      let path = folder.file("power.gqlite")
      let ends = (0..<parts[part]).map { _ in random.below(recording.events.count + 1) }.sorted()
      var history = DiskHistory(recording.events)
      for end in ends {
        history.advance(to: end)
        let state = history.state(&random)
        try state.write(path, "recorded.gqlite")
        report.count("states")
        let problem: String?
        do {
          let opened = try Database(path: path, schema: state.acknowledged == 0 ? Workload.schema : nil)
          if opened.version > state.acknowledged { report.count("later than what was acknowledged") }
          problem = try recording.problem(opened, state.acknowledged)
        } catch { problem = "\(error)" }
        if let problem {
          return report.fail("seed \(seed), \(end) of \(recording.events.count) events, \(state.how): \(problem)")
        }
      }
    }
  }
}

/// What one database did to its files, and the content of each of its versions.
private struct Recording {
  var events: [WatchedDisk.Event] = []
  var contents: [Int64: String] = [:]

  init(_ seed: UInt64) throws {
    let folder = try Folder()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    disk.records = true
    var random = SeededRandom(seed: seed)
    var options = StorageOptions()
    options.folding.logBytes = random.pick([1_000, 4_000, 16 << 20])
    options.folding.sliceRows = random.pick([2, 10, 100])
    options.folding.largeCommit = random.pick([3_000, 4 << 20])
    let path = folder.file("recorded.gqlite")
    var database = try Database(path: path, schema: Workload.schema, storage: options)
    contents[0] = try database.run(Workload.everything).jsonString
    let workload = Workload(seed: seed, threads: 1)
    try workload.begin(database)
    try note(database, disk)
    for number in 1...45 {
      try workload.run(number, of: 0, in: database)
      try note(database, disk)
      if random.chance(4) {
        try database.changeSchema(to: number % 2 == 0 ? Workload.schema : Workload.widerSchema, allowingLoss: true)
        try note(database, disk)
      }
      if random.chance(4) {
        try database.compact()
        try note(database, disk)
      }
      if random.chance(6) {
        try database.close()
        if random.chance(30) { try OldFormat.downgrade(path, to: Int64(random.below(2))) }
        database = try Database(path: path, storage: options)
      }
    }
    if random.chance(50) { try database.close() }
    events = disk.events
  }

  private mutating func note(_ database: Database, _ disk: WatchedDisk) throws {
    contents[database.version] = try database.run(Workload.everything).jsonString
    disk.note(.acknowledged(database.version))
  }

  func problem(_ database: Database, _ acknowledged: Int64) throws -> String? {
    let version = database.version
    guard version >= acknowledged else { return "it opens at \(version), and \(acknowledged) was acknowledged" }
    let problems = database.check()
    if !problems.isEmpty { return "check: \(problems.prefix(3))" }
    guard let wanted = contents[version] else { return "there was no version \(version)" }
    let found = try database.run(Workload.everything).jsonString
    return found == wanted ? nil : "version \(version): \(Proofs.firstDifference(found, wanted))"
  }
}
