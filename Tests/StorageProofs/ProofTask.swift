import Foundation
import GQLStorage
import GQLite

/// What a process does that a proof starts, and perhaps kills.
package enum ProofTask {
  /// Runs a task by its name; returns the status of the process, nil where there is no such task.
  package static func run(_ arguments: [String]) -> Int32? {
    guard let name = arguments.first else { return nil }
    let rest = Array(arguments.dropFirst())
    do {
      switch name {
      case "change": return KillTask(rest).map { $0.run() ? 0 : 1 }
      case "write": return try HistoryWriter(rest).map { $0.run() ? 0 : 1 }
      case "follow" where rest.count == 1: return HistoryFollower.run(rest[0]) ? 0 : 1
      case "fork" where rest.count == 1: return try ForkTask.run(rest[0]) ? 0 : 1
      case "create" where rest.count == 1: return try create(rest[0])
      default: return nil
      }
    } catch {
      KillTask.say("error \(error)\n")
      return 1
    }
  }

  /// Makes a database where others may do so at the same moment, and keeps it for a moment.
  private static func create(_ path: String) throws -> Int32 {
    do {
      let database = try Database(path: path, schema: Workload.schema)
      try Workload(seed: 1, threads: 1).begin(database)
      KillTask.say("made\n")
      usleep(100_000)
      try database.close()
    } catch let error as QueryError {
      KillTask.say("\(error.problems.first?.code ?? "no code")\n")
    }
    return 0
  }
}

/// Uses a database in a fork of the process that has opened it.
enum ForkTask {
  /// Swift has no `fork`, because little works in a fork. What must work is that the file stays whole.
  private static func forked() -> pid_t {
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    return unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
  }

  /// Says what the fork meets when it writes, and what is in the file after both have gone on.
  static func run(_ path: String) throws -> Bool {
    var database: Database? = try Database(path: path, schema: "type A { id: ID! n: Int }")
    try database?.run("mutation { insertA(data: {id: 1, n: 1}) { id } }")
    let process = forked()
    if process == 0 {
      alarm(20)
      do {
        _ = try database?.run("{ A { n } }")
        KillTask.say("the fork reads\n")
        try database?.run("mutation { insertA(data: {id: 2, n: 2}) { id } }")
        KillTask.say("the fork writes\n")
      } catch {
        KillTask.say("the fork: \(error.problems.first?.code ?? "no code")\n")
      }
      // What it lets go of is the parent's.
      database = nil
      _exit(0)
    }
    if process < 0 { return false }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    try database?.run("mutation { insertA(data: {id: 3, n: 3}) { id } }")
    do {
      _ = try Database(path: path)
    } catch {
      KillTask.say("another: \(error.problems.first?.code ?? "no code")\n")
    }
    try database?.close()
    KillTask.say(try Database(path: path).run("{ A(orderBy: id) { id } }").jsonString + "\n")
    return status == 0
  }
}
