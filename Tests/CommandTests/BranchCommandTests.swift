import CSQLite3
import Foundation
import GQLite
import Testing

/// `gqlite branch`, and documents that run in a branch.
@Suite struct BranchCommandTests {
  private let folder: Scratch

  init() throws {
    folder = try Scratch()
    try folder.write("s.graphql", "type User { id: ID! name: String! age: Int }\n")
    #expect(try folder.gqlite("init", "a.gqlite", "--schema", "s.graphql").status == 0)
    try change("insertUser(data: [{id: 1, name: \"Ada\"}, {id: 2, name: \"Bo\"}])")
  }

  private func run(_ arguments: [String]) throws -> Gqlite.Result {
    try Gqlite.run(arguments, input: "", environment: [:], in: folder.url)
  }

  private func change(_ mutation: String, branch: String? = nil) throws {
    let flags = branch.map { ["--branch", $0] } ?? []
    let result = try run(["--db", "a.gqlite"] + flags + ["mutation { \(mutation) { id } }"])
    #expect(result.status == 0 && result.errors == "", "\(result)")
  }

  private func names(branch: String? = nil) throws -> String {
    let flags = branch.map { ["--branch", $0] } ?? []
    return try run(["--db", "a.gqlite", "--read-only"] + flags + ["{ names := User.name }"]).output
  }

  /// Without the time.
  private func timeless(_ text: String) -> String {
    text.replacing(#/"time":"20\d\d-[^"]*Z"/#, with: #""time":"T""#)
  }

  @Test("a branch that is damaged is not in a backup, and is named") func backup() throws {
    #expect(try folder.gqlite("branch", "a.gqlite", "draft").status == 0)
    try change("updateUser(where: id == 1, set: {name: \"Ann\"})", branch: "draft")
    #expect(try folder.gqlite("backup", "a.gqlite", "whole.gqlite").status == 0)
    #expect(try folder.gqlite("branch", "whole.gqlite").output.contains(#""name":"draft""#))
    let connection = try #require(Self.connection(folder.url.appending(path: "a.gqlite").path))
    sqlite3_exec(connection, "UPDATE gqlite_branch SET time = time + 1", nil, nil, nil)
    sqlite3_close(connection)
    let copied = try folder.gqlite("backup", "a.gqlite", "b.gqlite")
    #expect(copied.status == 1)
    #expect(copied.errors == "gqlite: warning: the branch 'draft' is damaged, and is not in the copy\n")
    #expect(try folder.gqlite("branch", "b.gqlite").output == "")
    #expect(try folder.gqlite("verify", "b.gqlite").status == 0)
  }

  @Test("changes of a branch are taken back, and seen, in later processes") func undo() throws {
    #expect(try folder.gqlite("branch", "a.gqlite", "draft").status == 0)
    for name in ["Ann", "Anna"] {
      try change("updateUser(where: id == 1, set: {name: \"\(name)\"})", branch: "draft")
    }
    func undo(_ version: Int) throws -> Gqlite.Result {
      try run(["--db", "a.gqlite", "--branch", "draft", "mutation { _undo(version: \(version)) { _version } }"])
    }
    // A change of the database in between is none of the branch.
    try change("updateUser(where: id == 2, set: {name: \"Bob\"})")
    #expect(try undo(2).output == "{\"_undo\":{\"_version\":3}}\n")
    #expect(try names(branch: "draft") == #"{"names":["Ann","Bo"]}"# + "\n")
    // What takes a later change back is done again by taking that back.
    #expect(try undo(3).status == 0)
    #expect(try names(branch: "draft") == #"{"names":["Anna","Bo"]}"# + "\n")
    #expect(try undo(1).errors.contains("undo-conflict"))
    #expect(try undo(4).status == 0)
    #expect(try undo(1).status == 0)
    #expect(try names(branch: "draft") == #"{"names":["Ada","Bo"]}"# + "\n")
    for (version, name) in ["Ada", "Ann", "Anna", "Ann", "Anna", "Ann", "Ada"].enumerated() {
      let query = "query @asOf(version: \(version)) { names := User.name }"
      #expect(
        try run(["--db", "a.gqlite", "--read-only", "--branch", "draft", query]).output
          == #"{"names":["\#(name)","Bo"]}"# + "\n")
    }
  }

  @Test("what a branch was at a time is read in later processes") func asOfTime() throws {
    #expect(try folder.gqlite("branch", "a.gqlite", "draft").status == 0)
    var times: [String] = []
    for name in ["Ann", "Anna", "Anne"] {
      try change("updateUser(where: id == 1, set: {name: \"\(name)\"})", branch: "draft")
      // What is less than a millisecond is left out, and the next change is a later one.
      Thread.sleep(forTimeInterval: 0.002)
      times.append(Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(Date()))
      Thread.sleep(forTimeInterval: 0.002)
    }
    for (time, name) in zip(times, ["Ann", "Anna", "Anne"]) {
      let query = "query @asOf(time: \"\(time)\") { names := User.name }"
      #expect(
        try run(["--db", "a.gqlite", "--read-only", "--branch", "draft", query]).output
          == #"{"names":["\#(name)","Bo"]}"# + "\n")
    }
  }

  @Test("the number of a version of a branch never stands for other data") func numbersAfterMerge() throws {
    #expect(try folder.gqlite("branch", "a.gqlite", "draft").status == 0)
    try change("updateUser(where: id == 1, set: {name: \"Ann\"})", branch: "draft")
    func names(_ version: Int) throws -> Gqlite.Result {
      let query = "query @asOf(version: \(version)) { names := User.name }"
      return try run(["--db", "a.gqlite", "--read-only", "--branch", "draft", query])
    }
    // Nothing but its own: the version that it was is the one that it goes on with.
    #expect(try folder.gqlite("branch", "a.gqlite", "draft", "--merge").status == 0)
    #expect(try names(1).output == #"{"names":["Ann","Bo"]}"# + "\n")
    #expect(try names(2).errors.contains("unknown-version"))
    // What the database has beside it comes in as version 3.
    try change("updateUser(where: id == 1, set: {name: \"Anna\"})", branch: "draft")
    try change("updateUser(where: id == 2, set: {name: \"Bob\"})")
    #expect(try names(2).output == #"{"names":["Anna","Bo"]}"# + "\n")
    #expect(try folder.gqlite("branch", "a.gqlite", "draft", "--merge").status == 0)
    #expect(try names(2).errors.contains("no-history"))
    #expect(try names(3).output == #"{"names":["Anna","Bob"]}"# + "\n")
    try change("updateUser(where: id == 2, set: {name: \"Bea\"})", branch: "draft")
    #expect(try names(3).output == #"{"names":["Anna","Bob"]}"# + "\n")
    #expect(try names(4).output == #"{"names":["Anna","Bea"]}"# + "\n")
  }

  private static func connection(_ path: String) -> OpaquePointer? {
    var connection: OpaquePointer?
    sqlite3_open(path, &connection)
    return connection
  }

  @Test("a branch is made, changed, merged and dropped") func branch() throws {
    #expect(try folder.gqlite("branch", "a.gqlite").output == "")
    let made = try folder.gqlite("branch", "a.gqlite", "draft")
    #expect(timeless(made.output) == #"{"name":"draft","base":1,"changes":0,"time":"T"}"# + "\n" && made.status == 0)
    #expect(try folder.gqlite("branch", "--db", "a.gqlite", "draft").output == made.output)
    try change("updateUser(where: id == 1, set: {name: \"Ann\"})", branch: "draft")
    try change("updateUser(where: id == 2, set: {name: \"Bob\"})")
    #expect(try names() == #"{"names":["Ada","Bob"]}"# + "\n")
    #expect(try names(branch: "draft") == #"{"names":["Ann","Bo"]}"# + "\n")
    #expect(
      try timeless(folder.gqlite("branch", "a.gqlite").output)
        == #"{"name":"draft","base":1,"changes":1,"time":"T"}"# + "\n")
    let changes = try folder.gqlite("branch", "a.gqlite", "draft", "--changes").output
    #expect(changes.contains(#""id":1,"change":"update","fields":{"name":{"old":"Ada","new":"Ann"}"#))
    #expect(changes.split(separator: "\n").count == 1)
    let merged = try folder.gqlite("branch", "a.gqlite", "draft", "--merge")
    #expect(merged.output == #"{"version":3,"changes":1,"conflicts":0}"# + "\n" && merged.errors == "")
    #expect(try names() == #"{"names":["Ann","Bob"]}"# + "\n")
    #expect(try folder.gqlite("branch", "a.gqlite", "draft", "--drop").status == 0)
    #expect(try folder.gqlite("branch", "a.gqlite").output == "")
    #expect(try folder.gqlite("verify", "a.gqlite").status == 0)
  }

  @Test("a merge into another branch that fails leaves that as it was") func failedInto() throws {
    for name in ["draft", "other"] { #expect(try folder.gqlite("branch", "a.gqlite", name).status == 0) }
    try change("updateUser(where: id == 1, set: {age: 5})", branch: "draft")
    try change("updateUser(where: id == 1, set: {age: 6})", branch: "other")
    try change("updateUser(where: id == 2, set: {name: \"Bob\"})")
    let before = try folder.gqlite("branch", "a.gqlite").output
    let failed = try folder.gqlite("branch", "a.gqlite", "draft", "--merge", "--into", "other")
    #expect(failed.status == 1 && failed.errors.contains("merge-conflict"))
    #expect(try folder.gqlite("branch", "a.gqlite").output == before)
    #expect(try names(branch: "other") == #"{"names":["Ada","Bo"]}"# + "\n")
    let merged = try folder.gqlite("branch", "a.gqlite", "draft", "--merge", "--into", "other", "--conflicts", "mine")
    #expect(merged.status == 0)
    #expect(try names(branch: "other") == #"{"names":["Ada","Bob"]}"# + "\n")
  }

  @Test("a merge has an origin of its own, and no changes are left after it") func origin() throws {
    try folder.write("h.graphql", "type Note @history { id: ID! n: Int }\n")
    #expect(try folder.gqlite("init", "b.gqlite", "--schema", "h.graphql").status == 0)
    func gqlite(_ arguments: String...) throws -> String {
      let result = try run(arguments)
      #expect(result.status == 0 && result.errors == "", "\(result)")
      return result.output
    }
    _ = try gqlite("--db", "b.gqlite", "mutation { insertNote(data: [{id: 1, n: 1}, {id: 2, n: 1}]) }")
    _ = try gqlite("branch", "b.gqlite", "draft")
    _ = try gqlite("--db", "b.gqlite", "--branch", "draft", "mutation { deleteNote(where: id == 1, hard: true) }")
    _ = try gqlite("--db", "b.gqlite", "--branch", "draft", "mutation { updateNote(where: id == 2, set: {n: 2}) }")
    _ = try gqlite("branch", "b.gqlite", "draft", "--merge", "--origin", "ann")
    #expect(try gqlite("branch", "b.gqlite", "draft", "--changes") == "")
    #expect(
      try gqlite("--db", "b.gqlite", "{ Note(versions: ALL, orderBy: _version) { id n _origin } }")
        == #"{"Note":[{"id":2,"n":1,"_origin":null},{"id":2,"n":2,"_origin":"ann"}]}"# + "\n")
    #expect(try gqlite("log", "b.gqlite", "--since", "1").contains(#","origin":"ann","changes":"#))
    let wrong = try run(["branch", "b.gqlite", "draft", "--origin", "ann"])
    #expect(wrong.status == 2)
  }

  @Test("a branch is brought to the newest data") func refresh() throws {
    #expect(try folder.gqlite("branch", "a.gqlite", "draft", "--refresh").errors.contains("[unknown-branch]"))
    #expect(try folder.gqlite("branch", "a.gqlite", "draft").status == 0)
    try change("updateUser(where: id == 1, set: {name: \"Ann\"})", branch: "draft")
    try change("updateUser(where: id == 2, set: {name: \"Bob\"})")
    let refreshed = try folder.gqlite("branch", "a.gqlite", "draft", "--refresh")
    #expect(timeless(refreshed.output) == #"{"name":"draft","base":2,"changes":1,"time":"T"}"# + "\n")
    #expect(refreshed.status == 0 && refreshed.errors == "")
    #expect(try names(branch: "draft") == #"{"names":["Ann","Bob"]}"# + "\n")
    #expect(try names() == #"{"names":["Ada","Bob"]}"# + "\n")
    try change("updateUser(where: id == 1, set: {name: \"Anna\"})")
    let refused = try folder.gqlite("branch", "a.gqlite", "draft", "--refresh")
    #expect(refused.status == 1 && refused.output == "")
    #expect(
      refused.errors.hasSuffix(
        "\n  help: refresh with '--conflicts mine' or 'theirs', or give the field '@merge(by:)'\n"), "\(refused)")
    let decided = try folder.gqlite("branch", "a.gqlite", "draft", "--refresh", "--conflicts", "theirs")
    #expect(decided.status == 0 && decided.output.hasPrefix(#"{"name":"draft","base":3,"#), "\(decided)")
    #expect(
      decided.errors
        == "gqlite: note: 'User.name' of 1 is \"Ann\" here and \"Anna\" there, and was \"Ada\": theirs counts\n")
    #expect(try names(branch: "draft") == #"{"names":["Anna","Bob"]}"# + "\n")
    // What is left is the time of the change.
    #expect(try !folder.gqlite("branch", "a.gqlite", "draft", "--changes").output.contains("name"))
    #expect(try folder.gqlite("verify", "a.gqlite").status == 0)
  }

  @Test("what a branch has in conflict with its database is decided before another one is merged into it")
  func conflictInto() throws {
    for name in ["draft", "other"] { #expect(try folder.gqlite("branch", "a.gqlite", name).status == 0) }
    try change("updateUser(where: id == 2, set: {age: 3})", branch: "draft")
    try change("updateUser(where: id == 1, set: {name: \"Ann\"})", branch: "other")
    try change("updateUser(where: id == 1, set: {name: \"Anna\"})")
    let merge = ["branch", "a.gqlite", "draft", "--merge", "--into", "other"]
    for flags in [merge, merge + ["--conflicts", "mine"], merge + ["--conflicts", "theirs"]] {
      let refused = try run(flags)
      #expect(refused.status == 1)
      #expect(
        refused.errors.hasPrefix(
          "error[merge-conflict]: between the branch 'other' and its database: 'User.name' of 1 is"), "\(refused)")
      #expect(
        refused.errors.hasSuffix(
          "help: refresh the branch 'other' first, with '--conflicts mine' or 'theirs', or give the field '@merge(by:)'\n"
        ), "\(refused)")
    }
    #expect(try folder.gqlite("branch", "a.gqlite", "other", "--refresh", "--conflicts", "mine").status == 0)
    #expect(try run(merge).output.hasSuffix(#""changes":1,"conflicts":0}"# + "\n"))
    #expect(try names(branch: "other") == #"{"names":["Ann","Bo"]}"# + "\n")
  }

  @Test("conflicts are told, or decided") func conflicts() throws {
    for name in ["draft", "other"] { #expect(try folder.gqlite("branch", "a.gqlite", name).status == 0) }
    try change("updateUser(where: id == 1, set: {name: \"Ann\"})", branch: "draft")
    try change("updateUser(where: id == 2, set: {age: 3})", branch: "draft")
    let moved = try folder.gqlite("branch", "a.gqlite", "draft", "--merge", "--into", "other")
    #expect(moved.output == #"{"version":1,"changes":2,"conflicts":0}"# + "\n")
    #expect(try names(branch: "other") == #"{"names":["Ann","Bo"]}"# + "\n")
    try change("updateUser(where: id == 1, set: {name: \"Anna\"})")
    let refused = try folder.gqlite("branch", "a.gqlite", "draft", "--merge")
    #expect(refused.status == 1 && refused.output == "")
    #expect(refused.errors.hasPrefix(#"error[merge-conflict]: 'User.name' of 1 is "Ann" here and "Anna" there"#))
    #expect(
      refused.errors.hasSuffix(
        "\n  help: merge with '--conflicts mine' or 'theirs', or give the field '@merge(by:)'\n"), "\(refused)")
    let decided = try folder.gqlite("branch", "a.gqlite", "draft", "--merge", "--conflicts", "theirs")
    #expect(decided.output == #"{"version":3,"changes":1,"conflicts":1}"# + "\n" && decided.status == 0)
    #expect(decided.errors.hasPrefix("gqlite: note: 'User.name' of 1 is"))
    #expect(decided.errors.hasSuffix(": theirs counts\n"))
    #expect(try names() == #"{"names":["Anna","Bo"]}"# + "\n")
  }

  @Test("what a branch would lose by a schema is told beforehand, as it is refused then") func schema() throws {
    #expect(try folder.gqlite("branch", "a.gqlite", "draft").status == 0)
    try change("updateUser(where: id == 1, set: {age: 3})", branch: "draft")
    try folder.write("new.graphql", "type User { id: ID! name: String! }\n")
    // No user of the database has an age.
    let lost = "lost: the branch 'draft' has changes that the schema has no place for: "
    let told = try folder.gqlite("schema", "--db", "a.gqlite", "--to", "new.graphql")
    #expect(told.status == 1 && told.output.hasPrefix("- field 'User.age'\n\(lost)"), "\(told)")
    #expect(told.output.split(separator: "\n").count == 2)
    let refused = try folder.gqlite("schema", "--db", "a.gqlite", "--to", "new.graphql", "--apply")
    #expect(refused.status == 1 && refused.errors.hasPrefix("error[data-loss]: the branch 'draft' has"), "\(refused)")
    let flags = ["schema", "--db", "a.gqlite", "--to", "new.graphql", "--allow-loss"]
    #expect(try run(flags).status == 0)
    #expect(try run(flags + ["--apply"]).status == 0)
    #expect(try folder.gqlite("schema", "--db", "a.gqlite").output == "type User {\n  id: ID!\n  name: String!\n}\n")
  }

  @Test("while another process writes, a branch is shown, and the schema and plans are") func busy() throws {
    let made = try folder.gqlite("branch", "a.gqlite", "draft")
    #expect(made.status == 0)
    let path = folder.url.appending(path: "a.gqlite").path
    let writer = try Database(path: path)
    #expect(try folder.gqlite("branch", "a.gqlite", "draft").output == made.output)
    let other = try folder.gqlite("branch", "a.gqlite", "other")
    #expect(other.status == 1 && other.errors.hasPrefix("error[storage-busy]"), "\(other)")
    #expect(try folder.gqlite("schema", "--db", "a.gqlite").output.hasPrefix("type User {\n"))
    #expect(try folder.gqlite("schema", "--db", "a.gqlite", "--to", "s.graphql").status == 0)
    let plan = try folder.gqlite("explain", "--db", "a.gqlite", "--branch", "draft", "{ User { id } }")
    #expect(plan.status == 0 && plan.output.contains("User"), "\(plan)")
    try writer.close()
  }

  @Test("what is wrong is told") func wrong() throws {
    let unknown = try folder.gqlite("--db", "a.gqlite", "--branch", "draft", "{ names := User.name }")
    #expect(unknown.status == 1 && unknown.errors.hasPrefix("error[unknown-branch]: there is no branch 'draft'"))
    #expect(try folder.gqlite("branch", "a.gqlite", "draft", "--merge").errors.contains("[unknown-branch]"))
    // Nor does what comes after it run in the database.
    try folder.write("a.query", "{ names := User.name }")
    try folder.write("b.query", "mutation { deleteUser(where: id == 1) }")
    #expect(try folder.gqlite("--db", "a.gqlite", "--branch", "draft", "a.query", "b.query").status == 1)
    #expect(try names() == #"{"names":["Ada","Bo"]}"# + "\n")
    #expect(try folder.gqlite("branch", "a.gqlite", "a\nb").errors.contains("[branch-name]"))
    #expect(try folder.gqlite("branch", "a.gqlite", "draft").status == 0)
    let itself = try folder.gqlite("branch", "a.gqlite", "draft", "--merge", "--into", "draft")
    #expect(
      itself.status == 1
        && itself.errors.hasPrefix("error[unrelated-branch]: the branch 'draft' cannot be merged into itself\n"))
    let schema = try folder.gqlite(
      "schema", "--db", "a.gqlite", "--branch", "draft", "--to", "s.graphql", "--apply")
    #expect(schema.status == 0 || schema.errors.contains("[not-on-branch]"), "\(schema)")
    for arguments in [
      ["branch"], ["branch", "a.gqlite", "a", "b"], ["branch", "a.gqlite", "--merge"],
      ["branch", "a.gqlite", "draft", "--merge", "--drop"], ["branch", "a.gqlite", "draft", "--into", "b"],
      ["branch", "a.gqlite", "draft", "--merge", "--conflicts", "both"], ["--branch", "draft", "{ a: 1 }"],
      ["branch", "a.gqlite", "--refresh"], ["branch", "a.gqlite", "draft", "--refresh", "--merge"],
      ["branch", "a.gqlite", "draft", "--refresh", "--into", "b"],
      ["branch", "a.gqlite", "draft", "--changes", "--conflicts", "mine"],
    ] { #expect(try run(arguments).status == 2, "\(arguments)") }
    #expect(try folder.gqlite("branch", "--help").output.hasPrefix("usage: gqlite branch FILE\n"))
  }
}
