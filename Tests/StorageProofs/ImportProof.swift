import Foundation
import GQLDifferential
import GQLStorage
import GQLite

/// The command imports a file of data, and is ended by a signal in the middle. All of the data is there then, or
/// nothing; where nothing is there, the command can be run again.
package enum ImportProof {
  private static let rows = 4_000
  private static let signals = [SIGTERM, SIGINT, SIGKILL]

  /// Runs rounds of imports into files that are missing, or have other data.
  package static func run(rounds: Int, seed: UInt64, jobs: Int) -> ProofReport {
    let parts = Proofs.parts(rounds, of: 12)
    return .trying("imports", parts: parts.count, jobs: jobs) { part, report in
      let folder = try Folder()
      let data = folder.file("Item.ndjson")
      var lines = ""
      for row in 0..<rows { lines += "{\"id\":\(row),\"name\":\"item \(row)\",\"next\":\(row * 7 % rows)}\n" }
      try lines.write(toFile: data, atomically: true, encoding: .utf8)
      var command = Import(folder: folder, data: data, random: SeededRandom(seed: seed &* 77 &+ UInt64(part)))
      for round in 0..<parts[part] {
        report.count("rounds")
        if let problem = try command.round(round, &report) {
          return report.fail("seed \(seed), part \(part), round \(round): \(problem)")
        }
      }
    }
  }

  private struct Import {
    let folder: Folder
    let data: String
    var random: SeededRandom
    /// Microseconds that the command takes, or so.
    var duration = 50_000

    private func start(_ path: String) throws -> ChildProcess {
      try ChildProcess("gqlite", ["import", "--db", path, data])
    }

    mutating func round(_ round: Int, _ report: inout ProofReport) throws -> String? {
      let path = folder.file("import-\(round).gqlite")
      let hasOthers = random.chance(50)
      if hasOthers {
        let database = try Database(
          path: path, schema: "type Item { id: ID! name: String next: Int } type Other { id: ID! }")
        try database.run("mutation { insertOther(data: {id: 1}) { id } }")
        try database.close()
      }
      let process = try start(path)
      usleep(UInt32(random.below(max(1, duration * 6 / 5))))
      process.send(random.pick(ImportProof.signals))
      let output = process.output()
      report.count(process.endSignal == nil ? "had ended" : "ended by a signal")
      // So that about as many end by a signal as by themselves, however busy the machine is.
      duration = process.endSignal == nil ? duration * 2 / 3 : min(duration * 3 / 2, 10_000_000)
      if let status = process.status, status != 0 { return "it failed: \(output)" }
      let found = try count(path)
      guard found == 0 || found == ImportProof.rows, process.endSignal != nil || found == ImportProof.rows else {
        return "\(found) of \(ImportProof.rows) are there"
      }
      report.count(found == 0 ? "nothing there" : "all there")
      if found == 0 {
        let again = try start(path)
        let output = again.output()
        if again.status != 0 { return "run again, it failed: \(output)" }
        if try count(path) != ImportProof.rows { return "run again, some are missing" }
      }
      if try !Database.verify(path: path).isEmpty { return "the file is not sound" }
      return try hasOthers && RawFile.integer(path, "SELECT count(*) FROM Other") != 1 ? "other data is gone" : nil
    }

    private func count(_ path: String) throws -> Int {
      guard FileManager.default.fileExists(atPath: path) else { return 0 }
      let database = try Database(path: path)
      defer { try? database.close() }
      let problems = database.check()
      if !problems.isEmpty { throw RawFile.Failure(message: "check: \(problems.prefix(3))") }
      return database.schema.contains("type Item") ? database.count(of: "Item") ?? 0 : 0
    }
  }
}
