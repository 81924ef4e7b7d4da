import Foundation
import GQLDifferential
import GQLStorage
import GQLite

/// The k-th call of the file system fails, once or from then on, or the disk is full from the k-th write on. A call
/// ends with an error then, the last version that was kept stays readable, nothing is written before `reopen()`, and
/// nothing that was acknowledged is lost.
package enum FaultProof {
  private struct Fault: CustomStringConvertible {
    var call: Int
    var isFull: Bool
    var isLasting: Bool
    var durability: StorageOptions.Durability
    var description: String {
      "call \(call)\(isFull ? ", full" : "")\(isLasting ? ", lasting" : ""), \(durability)"
    }
  }

  private static let commits = 14
  private static let workload = Workload(seed: 77, threads: 1)

  private static func options(_ durability: StorageOptions.Durability) -> StorageOptions {
    var options = StorageOptions(durability: durability)
    options.folding.logBytes = 400
    options.folding.sliceRows = 3
    options.folding.largeCommit = 3_000
    return options
  }

  /// Tries every fault, or some of them, evenly spread.
  package static func run(atMost most: Int = .max, jobs: Int) -> ProofReport {
    var faults: [Fault] = []
    var report = ProofReport("faults")
    do {
      let folder = try Folder()
      let original = folder.file("original.gqlite")
      try begin(original)
      for durability in [StorageOptions.Durability.full, .normal] {
        for (isFull, isLasting) in [(false, false), (false, true), (true, false), (true, true)] {
          // How many calls there are.
          var fault = Fault(call: .max, isFull: isFull, isLasting: isLasting, durability: durability)
          let calls = try run(fault, original).calls
          for call in 0..<calls {
            fault.call = call
            faults.append(fault)
          }
        }
      }
      let all = faults
      let tried = min(most, all.count)
      return .trying("faults", parts: tried, jobs: jobs) { part, report in
        let fault = all[part * all.count / tried]
        report.count("faults")
        do {
          let result = try run(fault, original)
          report.count(result.hasThrown ? "told" : "without harm")
          if let problem = result.problem { report.fail("\(fault), a \(result.kind): \(problem)") }
        } catch { report.fail("\(fault): \(error)") }
      }
    } catch {
      report.fail("\(error)")
      return report
    }
  }

  /// Some of it is there before.
  private static func begin(_ path: String) throws {
    let database = try Database(path: path, schema: Workload.schema, storage: options(.normal))
    try workload.begin(database)
    for number in 1...10 { try workload.run(number, of: 0, in: database) }
  }

  private struct Result {
    var calls = 0
    var kind = ""
    var hasThrown = false
    var problem: String?
  }

  private static func run(_ fault: Fault, _ original: String) throws -> Result {
    let folder = try Folder()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    let path = folder.file("a.gqlite")
    let options = options(fault.durability)
    try FileManager.default.copyDatabase(original, to: path)
    let twin = try Database(schema: Workload.schema)
    try workload.begin(twin)
    for number in 1...10 { try workload.run(number, of: 0, in: twin) }
    var kept = try twin.run(Workload.everything).jsonString
    var result = Result()
    disk.fail(at: fault.call, isFull: fault.isFull, isLasting: fault.isLasting)
    var database: Database?
    var number = 10
    var isClosing = false
    do {
      let opened = try Database(path: path, storage: options)
      database = opened
      for next in 11...(10 + commits) {
        number = next
        try workload.run(next, of: 0, in: opened)
        try workload.run(next, of: 0, in: twin)
        kept = try twin.run(Workload.everything).jsonString
        if next == 15 { try opened.flush() }
        if next == 18 { try opened.changeSchema(to: Workload.widerSchema) }
        if next == 21 { try opened.compact() }
      }
      isClosing = true
      try opened.close()
    } catch let error as QueryError {
      result.hasThrown = true
      let code = error.problems.first?.code ?? "no code"
      if !["storage-failed", "storage-full", "storage-read-only", "storage-corrupt"].contains(code) {
        result.problem = "the code is \(code)"
      }
      if code == "storage-corrupt" { result.problem = "an error of the system is told as damage: \(error)" }
      if fault.isFull, code != "storage-full" { result.problem = "a full disk is told as \(error)" }
    }
    result.calls = disk.calls
    result.kind = disk.lastFailure
    if result.problem != nil || fault.call == .max { return result }
    result.problem = try aftermath(
      database, disk, path, kept, twin, number, hasThrown: result.hasThrown && !isClosing)
    return result
  }

  /// What is wrong after a failure in a commit with a number. Where closing has failed, others may go on.
  private static func aftermath(
    _ database: Database?, _ disk: WatchedDisk, _ path: String, _ kept: String, _ twin: Database, _ number: Int,
    hasThrown: Bool
  ) throws -> String? {
    var possible = [kept]
    if hasThrown {
      // The commit that failed may be there.
      if try workload.count(of: 0, in: twin) < number { try workload.run(number, of: 0, in: twin) }
      possible.append(try twin.run(Workload.everything).jsonString)
    }
    if let database {
      let seen = try database.run(Workload.everything).jsonString
      if seen != kept { return "what is seen: \(Proofs.firstDifference(seen, kept))" }
      if hasThrown {
        do {
          try database.run("mutation { updateCounter(where: id == 0, set: {note: \"lost\"}) { id } }")
          return "a write after a failure is taken"
        } catch {
          if error.problems.first?.code.hasPrefix("storage-") != true { return "a write after a failure: \(error)" }
        }
        if try database.run(Workload.everything).jsonString != kept { return "what is seen after another write" }
      }
      disk.recover()
      try database.reopen()
      if let problem = try difference(database, possible) { return "reopened: \(problem)" }
      try database.run("mutation { updateCounter(where: id == 0, set: {note: \"again\"}) { id } }")
      guard try database.run("{ Counter { note } }").jsonString.contains("again") else { return "nothing is written" }
      let last = try database.run(Workload.everything).jsonString
      possible = [last]
      if number % 2 == 0 { try database.close() }
      try database.reopen()
      if let problem = try difference(database, possible) { return "reopened again: \(problem)" }
      try database.close()
    }
    disk.recover()
    let again = try Database(path: path)
    return try difference(again, possible).map { "opened anew: \($0)" }
  }

  private static func difference(_ database: Database, _ possible: [String]) throws -> String? {
    let problems = database.check()
    if !problems.isEmpty { return "check: \(problems.prefix(3))" }
    let found = try database.run(Workload.everything).jsonString
    return possible.contains(found) ? nil : Proofs.firstDifference(found, possible[0])
  }
}
