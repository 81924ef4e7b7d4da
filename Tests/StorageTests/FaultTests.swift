import Foundation
import GQLDifferential
import GQLStorage
import GQLite
import StorageTask
import Testing

/// The k-th call of the file system fails, once or from then on, or the disk is full from the k-th write on. A call
/// ends with an error then, the last version that was kept stays readable, nothing is written before `reopen()`, and
/// nothing that was acknowledged is lost.
@Suite(.serialized) struct FaultTests {
  private struct Fault: CustomStringConvertible {
    var call: Int
    var isFull: Bool
    var isLasting: Bool
    var description: String { "call \(call)\(isFull ? ", full" : "")\(isLasting ? ", lasting" : "")" }
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

  @Test(arguments: [false, true], [false, true]) func everyCall(_ isFull: Bool, _ isLasting: Bool) throws {
    // How many calls there are.
    let calls = try Self.run(Fault(call: .max, isFull: isFull, isLasting: isLasting)).calls
    let step = max(1, calls / (20 * Proofs.factor))
    var (failed, silent) = (0, 0)
    for call in stride(from: 0, to: calls, by: step) {
      let fault = Fault(call: call, isFull: isFull, isLasting: isLasting)
      do {
        let result = try Self.run(fault)
        if result.hasThrown { failed += 1 } else { silent += 1 }
        #expect(result.problem == nil, "\(fault), a \(result.kind): \(result.problem ?? "")")
      } catch { Issue.record("\(fault): \(error)") }
    }
    print("faults, full \(isFull), lasting \(isLasting): \(calls) calls, \(failed) told, \(silent) did no harm")
    #expect(failed > 10)
  }

  private struct Result {
    var calls = 0
    var kind = ""
    var hasThrown = false
    var problem: String?
  }

  private static func run(_ fault: Fault) throws -> Result {
    let folder = try Folder()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    let path = folder.file("a.gqlite")
    let options = options(fault.call / 5 % 2 == 0 ? .full : .normal)
    // Some of it is there before.
    do {
      let database = try Database(path: path, schema: Workload.schema, storage: options)
      try workload.begin(database)
      for number in 1...10 { try workload.run(number, of: 0, in: database) }
    }
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
