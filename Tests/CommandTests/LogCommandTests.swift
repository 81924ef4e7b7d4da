import Foundation
import GQLite
import Testing

/// `gqlite log` and `gqlite diff`, beside a database that is open.
@Suite struct LogCommandTests {
  private let folder: Scratch
  private let database: Database

  /// A database with two commits in its log.
  init() throws {
    folder = try Scratch()
    database = try Database(
      path: folder.url.appending(path: "a.gqlite").path, schema: "type Item { id: ID! n: Int! }")
    try run("insertItem(data: {id: 1, n: 5}) { id }", at: 0)
    try run("updateItem(where: id == 1, set: {n: 6}) { id }", at: 61)
  }

  private func run(_ mutation: String, at second: Int64) throws {
    let now = 1_767_225_600_000_000 + second * 1_000_000
    try database.run("mutation { \(mutation) }", options: RunOptions(now: now))
  }

  private static let first =
    #"{"type":"Item","row":0,"id":1,"change":"insert","fields":{"id":{"new":1},"n":{"new":5},"#
    + #""_createdAt":{"new":"2026-01-01T00:00:00Z"},"_updatedAt":{"new":"2026-01-01T00:00:00Z"}}}"#
  private static let second =
    #"{"type":"Item","row":0,"id":1,"change":"update","fields":{"n":{"old":5,"new":6},"#
    + #""_updatedAt":{"old":"2026-01-01T00:00:00Z","new":"2026-01-01T00:01:01Z"}}}"#

  /// The lines without the times of their commits.
  private static func timeless(_ text: String) -> String {
    text.replacing(#/"time":"20\d\d-[^"]*Z"/#, with: #""time":"T""#)
  }

  private static func line(_ version: Int, _ row: String) -> String {
    #"{"version":\#(version),"time":"T","changes":[\#(row)]}"# + "\n"
  }

  @Test("log prints commits, the oldest first") func log() throws {
    let all = try folder.gqlite("log", "a.gqlite", "--format", "json")
    #expect(all.status == 0 && all.errors == "")
    #expect(Self.timeless(all.output) == Self.line(1, Self.first) + Self.line(2, Self.second))
    #expect(Self.timeless(try folder.gqlite("log", "a.gqlite", "--since", "1").output) == Self.line(2, Self.second))
    #expect(try folder.gqlite("log", "a.gqlite", "--since", "2").output == "")
    try database.flush()
    try database.changeSchema(to: "type Item { id: ID! n: Int! m: Int }")
    #expect(try folder.gqlite("log", "a.gqlite").output == "")
    let forgotten = try folder.gqlite("log", "a.gqlite", "--since", "1")
    #expect(forgotten.status == 1 && forgotten.output == "")
    #expect(
      forgotten.errors.hasPrefix(
        "error[unknown-version]: a.gqlite: the log does not reach back to version 1: the oldest that it leads to is 3"))
  }

  @Test("diff prints what differs between two versions") func diff() throws {
    #expect(try folder.gqlite("diff", "a.gqlite", "--from", "0", "--to", "1").output == Self.first + "\n")
    #expect(try folder.gqlite("diff", "a.gqlite", "--from", "1").output == Self.second + "\n")
    #expect(try folder.gqlite("diff", "a.gqlite", "--from", "2", "--to", "2").output == "")
    let back = try folder.gqlite("diff", "a.gqlite", "--from", "2", "--to", "0")
    #expect(
      back.output
        == #"{"type":"Item","row":0,"id":1,"change":"purge","fields":{"id":{"old":1},"n":{"old":6},"#
        + #""_createdAt":{"old":"2026-01-01T00:00:00Z"},"_updatedAt":{"old":"2026-01-01T00:01:01Z"}}}"# + "\n")
    let later = try folder.gqlite("diff", "a.gqlite", "--from", "1", "--to", "9")
    #expect(later.status == 1 && later.errors.hasPrefix("error[unknown-version]: a.gqlite: there is no version 9"))
    for arguments in [["a.gqlite"], ["--from", "x", "a.gqlite"], ["--from", "1"], ["a.gqlite", "--from=-1"]] {
      #expect(try Gqlite.run(["diff"] + arguments, in: folder.url).status == 2, "\(arguments)")
    }
    #expect(try folder.gqlite("log", "a.gqlite", "--format", "csv").status == 2)
    #expect(try folder.gqlite("log", "missing.gqlite").status == 1)
    #expect(try folder.gqlite("diff", "--help").output.hasPrefix("usage: gqlite diff FILE"))
  }

  /// Waits until a file holds a number of lines, for a minute at most.
  private func lines(_ name: String, _ count: Int) throws -> [String] {
    for _ in 0..<600 {
      let found = try folder.read(name).split(separator: "\n").map(String.init)
      if found.count >= count { return found }
      Thread.sleep(forTimeInterval: 0.1)
    }
    return try folder.read(name).split(separator: "\n").map(String.init)
  }

  @Test("--follow goes on until a signal") func follow() throws {
    try folder.write("out", "")
    let process = Process()
    process.executableURL = Gqlite.binary
    process.arguments = ["log", "a.gqlite", "--since", "1", "--follow"]
    process.currentDirectoryURL = folder.url
    process.standardOutput = try FileHandle(forWritingTo: folder.url.appending(path: "out"))
    try process.run()
    #expect(try lines("out", 1).map(Self.timeless) == [String(Self.line(2, Self.second).dropLast())])
    try run("updateItem(where: id == 1, set: {n: 7}) { id }", at: 62)
    #expect(try lines("out", 2).last?.contains(#""n":{"old":6,"new":7}"#) == true)
    try database.changeSchema(to: "type Item { id: ID! n: Int! m: Int }")
    #expect(try lines("out", 3).last == #"{"version":4,"since":3,"changes":null}"#)
    try run("updateItem(where: id == 1, set: {m: 1}) { id }", at: 63)
    #expect(try lines("out", 4).last?.contains(#""m":{"old":null,"new":1}"#) == true)
    process.interrupt()
    for _ in 0..<600 where process.isRunning { Thread.sleep(forTimeInterval: 0.1) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    // It holds nothing of the file.
    try run("updateItem(where: id == 1, set: {m: 2}) { id }", at: 64)
    try database.close()
  }

  @Test("--follow ends when nobody reads") func closedPipe() throws {
    let command = "\(Gqlite.binary.path) log a.gqlite --follow | head -n 1; echo done"
    let ended = try Gqlite.run(URL(filePath: "/bin/sh"), ["-c", command], in: folder.url, patience: 60)
    #expect(ended.status == 0 && ended.output.hasSuffix("done\n") && ended.errors == "")
    #expect(Self.timeless(ended.output).hasPrefix(Self.line(1, Self.first)))
  }
}
