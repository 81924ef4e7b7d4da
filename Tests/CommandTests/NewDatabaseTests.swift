import Foundation
import Testing

/// What `init` and `import` make, and what they leave where they fail.
@Suite struct NewDatabaseTests {
  private static let query = "{ Item { id } }"
  private static let answer = #"{"Item":[{"id":1}]}"# + "\n"

  private static func folder() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write("s.graphql", "type Item { id: ID! n: Int }")
    try scratch.write("data/Item.ndjson", "{\"id\":1,\"n\":2}\n")
    return scratch
  }

  /// The names in a folder, without those that were there at the beginning.
  private static func names(_ folder: Scratch) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { !["s.graphql", "data"].contains($0) }
      .sorted()
  }

  @Test("a first import that fails leaves nothing") func failedImports() throws {
    let folder = try Self.folder()
    try folder.write("data/schema.graphql", "type Itm { id: ID! }")
    let wrong = try folder.gqlite("import", "--db", "a.gqlite", "data")
    #expect(wrong.status == 1 && wrong.errors.contains("error[unknown-type]"), "\(wrong)")
    #expect(try folder.gqlite("import", "--db", "a.gqlite", "missing.ndjson").status == 1)
    let lost = try folder.gqlite("import", "--db", "none/a.gqlite", "data/Item.ndjson")
    #expect(lost.status == 1 && lost.errors.hasPrefix("error[storage-failed]: none/a.gqlite: "), "\(lost)")
    #expect(try Self.names(folder) == [])
    try folder.write("data/schema.graphql", "type Item { id: ID! n: Int }")
    #expect(try folder.gqlite("import", "--db", "a.gqlite", "data").output == "Item: 1\n")
    #expect(try folder.gqlite("a.gqlite", Self.query).output == Self.answer)
    // One that is there stays as it was.
    try folder.write("data/Item.ndjson", "{\"id\":2}\n{\"id\":1}\n")
    #expect(try folder.gqlite("import", "--db", "a.gqlite", "data").status == 1)
    #expect(try folder.gqlite("a.gqlite", Self.query).output == Self.answer)
  }

  @Test("what a killed command has left goes with the next one") func remains() throws {
    let folder = try Self.folder()
    // No process has such a number.
    let gone = ["a.gqlite.999999999.tmp", "a.gqlite.999999999.tmp-lock", "a.gqlite.999999999.tmp-wal"]
    let kept = ["a.gqlite.\(getpid()).tmp", "a.gqlite.x.tmp", "b.gqlite.999999999.tmp"]
    for name in gone + kept { try folder.write(name, "") }
    // Of a file that was removed.
    try folder.write("a.gqlite-wal", "old")
    #expect(try folder.gqlite("init", "a.gqlite", "--schema", "s.graphql").status == 0)
    #expect(try Self.names(folder).filter { $0.hasSuffix(".tmp") } == kept.sorted())
    for name in gone { #expect(!folder.exists(name), "\(name)") }
    #expect(try folder.gqlite("import", "--db", "a.gqlite", "data").output == "Item: 1\n")
    #expect(try folder.gqlite("verify", "a.gqlite").status == 0)
    let again = try folder.gqlite("init", "a.gqlite", "--schema", "s.graphql")
    #expect(again.status == 2 && again.errors == "gqlite: there is a file 'a.gqlite' already\n")
  }

  @Test("a link that leads to nothing is no place for a database") func danglingLinks() throws {
    let folder = try Self.folder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "link").path, withDestinationPath: "nowhere")
    for run in [["init", "link", "--schema", "s.graphql"], ["import", "--db", "link", "data"]] {
      let refused = try Gqlite.run(run, in: folder.url)
      #expect(refused.status == 1, "\(refused)")
      #expect(
        refused.errors.hasPrefix(
          "error[storage-failed]: link: the file cannot be used: it is a link that leads to nothing\n"), "\(refused)")
    }
    #expect(try Self.names(folder) == ["link"])
  }

  @Test("a path is that of a file, whatever it begins with", arguments: [":memory:", "file:a?mode=memory"])
  func names(_ name: String) throws {
    let folder = try Self.folder()
    #expect(try folder.gqlite("init", name, "--schema", "s.graphql").status == 0)
    #expect(folder.exists(name))
    #expect(try folder.gqlite("--db", name, "mutation { insertItem(data: {id: 1}) { id } }").status == 0)
    #expect(try folder.gqlite("--db", name, Self.query).output == Self.answer)
    #expect(try folder.gqlite("--db", name, "--read-only", Self.query).output == Self.answer)
    #expect(try folder.gqlite("backup", name, "file:copy").status == 0)
    #expect(try folder.gqlite("--db", "file:copy", Self.query).output == Self.answer)
  }
}
