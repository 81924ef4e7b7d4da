import Foundation
import GQLite
import Testing

/// `gqlite live`, and runs of subscriptions.
@Suite struct LiveCommandTests {
  private let folder: Scratch
  private let database: Database

  init() throws {
    folder = try Scratch()
    let path = folder.url.appending(path: "a.gqlite").path
    database = try Database(path: path, schema: "type Item { id: ID! n: Int! }")
    try database.run("mutation { insertItem(data: {id: 1, n: 5}) { id } }")
    try folder.write(
      "items.query", "subscription($least: Int!) @live(mode: DIFF) { Item(where: n >= $least) { id n } }")
  }

  /// The lines of a file, once there are so many.
  private func lines(_ name: String, _ count: Int) throws -> [String] {
    for _ in 0..<600 {
      if try folder.read(name).split(separator: "\n").count >= count { break }
      Thread.sleep(forTimeInterval: 0.05)
    }
    return try folder.read(name).split(separator: "\n").map(String.init)
  }

  /// A process that follows the file, and writes to the files `out` and `errors`.
  private func follower(branch: String? = nil) throws -> Process {
    try folder.write("out", "")
    try folder.write("errors", "")
    let process = Process()
    process.executableURL = Gqlite.binary
    process.arguments =
      ["live", "--db", "a.gqlite", "items.query", "--var", "least=5"] + (branch.map { ["--branch", $0] } ?? [])
    process.currentDirectoryURL = folder.url
    process.standardOutput = try FileHandle(forWritingTo: folder.url.appending(path: "out"))
    process.standardError = try FileHandle(forWritingTo: folder.url.appending(path: "errors"))
    return process
  }

  /// Waits until a process has ended by itself, a minute at most.
  private func end(of process: Process) {
    for _ in 0..<600 where process.isRunning { Thread.sleep(forTimeInterval: 0.1) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  @Test("a line for each answer, until a signal") func follow() throws {
    let process = try follower()
    try process.run()
    #expect(try lines("out", 1) == [#"{"version":1,"data":{"Item":[{"id":1,"n":5}]}}"#])
    try database.run("mutation { insertItem(data: {id: 2, n: 4}) { id } }")
    try database.run("mutation { updateItem(where: id == 1, set: {n: 7}) { id } }")
    #expect(
      try lines("out", 2).last == #"{"version":3,"patch":[{"op":"replace","path":"/Item/0/n","value":7}]}"#)
    try database.run("mutation { deleteItem(where: id == 1) }")
    #expect(try lines("out", 3).last == #"{"version":4,"patch":[{"op":"remove","path":"/Item/0"}]}"#)
    process.interrupt()
    end(of: process)
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    try database.close()
  }

  @Test("a file that is removed or replaced ends it with an error", arguments: [false, true])
  func gone(isReplaced: Bool) throws {
    let process = try follower()
    try process.run()
    #expect(try lines("out", 1).count == 1)
    try database.close()
    let file = folder.url.appending(path: "a.gqlite")
    if isReplaced { try FileManager.default.copyItem(at: file, to: folder.url.appending(path: "b.gqlite")) }
    try FileManager.default.removeItem(at: file)
    if isReplaced { try FileManager.default.moveItem(at: folder.url.appending(path: "b.gqlite"), to: file) }
    end(of: process)
    #expect(process.terminationReason == .exit && process.terminationStatus == 1)
    #expect(try folder.read("errors").hasPrefix("error[storage-changed]"))
    #expect(try lines("out", 2).last?.contains("storage-changed") ?? false)
  }

  @Test("a branch is followed until it is dropped") func branch() throws {
    let draft = try database.branch("draft")
    let process = try follower(branch: "draft")
    try process.run()
    #expect(try lines("out", 1) == [#"{"version":0,"data":{"Item":[{"id":1,"n":5}]}}"#])
    // What the database gets is not in the branch.
    try database.run("mutation { insertItem(data: {id: 2, n: 9}) { id } }")
    try draft.run("mutation { updateItem(where: id == 1, set: {n: 7}) { id } }")
    #expect(
      try lines("out", 2).last == #"{"version":1,"patch":[{"op":"replace","path":"/Item/0/n","value":7}]}"#)
    try draft.refresh()
    #expect(
      try lines("out", 3).last?.contains(#""patch":[{"op":"add","path":"/Item/1","value":{"id":2,"n":9}}]"#) ?? false)
    // A merge leaves the branch its number, with other data.
    try database.run("mutation { insertItem(data: {id: 3, n: 8}) { id } }")
    try draft.merge(into: database)
    #expect(
      try lines("out", 4).last?.contains(#""patch":[{"op":"add","path":"/Item/2","value":{"id":3,"n":8}}]"#) ?? false)
    try database.dropBranch("draft")
    end(of: process)
    #expect(process.terminationReason == .exit && process.terminationStatus == 1)
    #expect(try folder.read("errors").hasPrefix("error[unknown-branch]"))
    #expect(try lines("out", 5).last?.contains("unknown-branch") ?? false)
    let missing = try Gqlite.run(
      ["live", "--db", "a.gqlite", "--branch", "none", "items.query", "--var", "least=5"], in: folder.url)
    #expect(missing.status == 1 && missing.errors.hasPrefix("error[unknown-branch]"))
    try database.close()
  }

  @Test("as many answers as are wanted, in the mode that is wanted") func count() throws {
    let ended = try Gqlite.run(
      ["live", "--db", "a.gqlite", "items.query", "--var", "least=5", "--count", "1", "--mode", "full"], in: folder.url)
    #expect(ended.output == #"{"version":1,"data":{"Item":[{"id":1,"n":5}]}}"# + "\n")
    #expect(ended.status == 0 && ended.errors == "")
  }

  @Test("what cannot be followed is said") func refused() throws {
    let mutation = try Gqlite.run(
      ["live", "--db", "a.gqlite", "mutation { deleteItem(where: id == 1) }"], in: folder.url)
    #expect(mutation.status == 1 && mutation.errors.hasPrefix("error[not-live]"))
    let two = try Gqlite.run(
      ["live", "--db", "a.gqlite", "query A { Item { id } } query B { Item { n } }"], in: folder.url)
    #expect(two.status == 2 && two.errors.contains("one operation"))
    let none = try Gqlite.run(["live", "{ Item { id } }"], in: folder.url)
    #expect(none.status == 2 && none.errors.contains("--db"))
    let mode = try Gqlite.run(["live", "--db", "a.gqlite", "{ Item { id } }", "--mode", "half"], in: folder.url)
    #expect(mode.status == 2 && mode.errors.contains("full or diff"))
    for count in ["0", "-1", "x", "1.5"] {
      let wrong = try folder.gqlite("live", "--db", "a.gqlite", "{ Item { id } }", "--count=\(count)")
      #expect(wrong.status == 2 && wrong.errors.contains("--count is a number from 1 on, not '\(count)'"), "\(wrong)")
    }
  }

  @Test("a run answers once, and says so") func run() throws {
    let ended = try Gqlite.run(["--db", "a.gqlite", "--read-only", "items.query", "--var", "least=5"], in: folder.url)
    #expect(ended.output == #"{"Item":[{"id":1,"n":5}]}"# + "\n")
    #expect(ended.errors.contains("gqlite live"))
    #expect(ended.status == 0)
  }
}
