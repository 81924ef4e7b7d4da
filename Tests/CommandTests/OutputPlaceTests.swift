import Foundation
import Testing

/// What `-o` must not write over: whatever the answers come from.
@Suite struct OutputPlaceTests {
  private static let item = "{\"id\":1,\"n\":2}\n"
  private static let query = "{ Item { id } }"

  private static func folder() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write("data/Item.ndjson", item)
    try scratch.write("d.query", query)
    try scratch.write("e.query", "extend schema @data(from: \"data/Item.ndjson\")\n\(query)")
    try scratch.write("s.graphql", "type Item { id: ID! n: Int }")
    try scratch.write("v.json", "{\"n\": 1}")
    return scratch
  }

  @Test(
    "what is read is not written to",
    arguments: [
      (["--data", "data", "-e", query], "data/Item.ndjson"),
      (["--data", "data/*.ndjson", "-e", query], "./data/Item.ndjson"),
      (["--data", "data", "-e", query], "link"),
      (["e.query"], "data/Item.ndjson"),
      (["--data", "data", "d.query"], "d.query"),
      (["--data", "data", "--schema", "s.graphql", "-e", query], "s.graphql"),
      (["--data", "data", "--vars", "v.json", "-e", "query($n: Int) { Item(where: n > $n) { id } }"], "v.json"),
    ]) func readFiles(_ run: [String], _ output: String) throws
  {
    let folder = try Self.folder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "link").path, withDestinationPath: "data/Item.ndjson")
    let before = try folder.read(output)
    let refused = try Gqlite.run(run + ["-o", output], in: folder.url)
    #expect(refused.status == 2 && refused.output == "" && refused.errors.contains("'\(output)' is "), "\(refused)")
    #expect(try folder.read(output) == before)
    #expect(try Gqlite.run(run + ["-o", "data/answer.txt"], in: folder.url).status == 0)
  }

  @Test("a folder of data may get files that are not read") func otherFiles() throws {
    let folder = try Self.folder()
    for _ in 1...2 {
      let run = try folder.gqlite(
        "--data", "data", "--schema", "s.graphql", "-e", Self.query, "-o", "data/answer.json")
      #expect(run.status == 0, "\(run)")
    }
    #expect(try folder.read("data/answer.json") == #"{"Item":[{"id":1}]}"# + "\n")
  }

  @Test("a response that data does not load is not written over that data") func failedLoads() throws {
    let folder = try Self.folder()
    try folder.write("data/A.ndjson", "{")
    for data in ["data", "data/*.ndjson"] {
      let failed = try folder.gqlite(
        "--data", data, "--format", "graphql", "-e", Self.query, "-o", "data/Item.ndjson")
      #expect(failed.status == 2 && failed.errors.contains("is data, which is never written to"), "\(failed)")
    }
    #expect(try folder.read("data/Item.ndjson") == Self.item)
  }

  @Test("what lies beside a database belongs to it", arguments: ["", "-wal", "-shm", "-journal", "-lock"])
  func besideDatabases(_ suffix: String) throws {
    let folder = try Self.folder()
    #expect(try folder.gqlite("import", "--db", "a.gqlite", "data").status == 0)
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "sub"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "sub/link").path, withDestinationPath: "../a.gqlite")
    let runs = [["a.gqlite"], ["sub/link"], ["--data", "sub/link"]]
    for run in runs {
      let refused = try Gqlite.run(run + [Self.query, "-o", "a.gqlite\(suffix)"], in: folder.url)
      #expect(refused.status == 2 && refused.output == "", "\(refused)")
      #expect(refused.errors.contains("belongs to the database") || refused.errors.contains("is data"), "\(refused)")
    }
    #expect(try folder.gqlite("a.gqlite", Self.query).output == #"{"Item":[{"id":1}]}"# + "\n")
  }
}
