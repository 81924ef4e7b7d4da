import Foundation
import Testing

/// What loading takes beside the data, and the limit that it keeps.
@Suite struct LoadingMemoryTests {
  private static let count = 16 << 20

  private static func file(_ front: String, _ end: String) -> [UInt8] {
    var bytes = Array(front.utf8)
    bytes.append(contentsOf: [UInt8](repeating: UInt8(ascii: "a"), count: count))
    bytes.append(contentsOf: Array(end.utf8))
    return bytes
  }

  private static let files: [(String, [UInt8])] = [
    ("T.ndjson", file(#"{"id":1,"t":""#, "\"}")), ("T.ndjson", file(#"{"id":1,"t":"\n"#, "\"}")),
    ("T.json", file(#"[{"id":1,"t":""#, "\"}]")), ("T.ndjson", file(#"{"id":1,"j":[""#, "\"]}")),
    ("T.ndjson", file(#"{"id":1,"b":""#, "\"}")), ("T.csv", file("id,t\n1,\"\"\"", "\"\n")),
    ("T.ndjson.gz", DataFiles.storedZeros(blocks: 256, line: Array("{\"id\":1}\n".utf8))),
  ]

  /// Bytes at the peak, as the command measures them.
  private func peak(_ folder: Scratch, _ data: String?) throws -> Int {
    try folder.write("schema.graphql", "type T { id: ID! t: String j: JSON b: Bytes }\n")
    let result = try Gqlite.run(
      ["bench", "--seconds", "0.01", "--schema", "schema.graphql", "-e", "{ x := 1 }"]
        + (data.map { ["--data", $0] } ?? []),
      in: folder.url)
    let line = result.output.split(separator: "\n").first { $0.hasPrefix("peak_memory_bytes\t") }
    return try #require(line.flatMap { Int($0.dropFirst("peak_memory_bytes\t".count)) }, "\(result)")
  }

  /// The file, what is made of its value, and the store each have it once.
  @Test(
    "a large value is there three times at most",
    arguments: 0..<7)
  func values(_ number: Int) throws {
    let (name, bytes) = Self.files[number]
    let folder = try Scratch()
    let before = try peak(folder, nil)
    try folder.write(name, bytes)
    let taken = Double(try peak(folder, name) - before) / Double(Self.count)
    #expect(taken < 3.5, "\(name) takes \(taken) times its size")
  }

  @Test("the limit of memory holds while data is expanded") func limit() throws {
    let folder = try Scratch()
    try folder.write("T.ndjson.gz", DataFiles.storedZeros(blocks: 64, line: Array("{\"id\":1}\n".utf8)))
    let run = ["--data", "T.ndjson.gz", "-e", "{ T { id } }", "--max-memory"]
    let refused = try Gqlite.run(run + ["2000000"], in: folder.url)
    #expect(refused.status == 1 && refused.output == "")
    #expect(
      refused.errors.hasPrefix("error[memory]: T.ndjson.gz: the memory limit of 2000000 bytes is exceeded\n"),
      "\(refused.errors)")
    #expect(try Gqlite.run(run + ["8000000"], in: folder.url).output == "{\"T\":[{\"id\":1}]}\n")
    // So do the rows that are made.
    let line = "{\"id\":\"a rather long id, which is unlike the others: ID\",\"t\":\"a text that has a few bytes\"}\n"
    let rows = (0..<30_000).map { line.replacing("ID", with: "\($0)") }.joined()
    try folder.write("schema.graphql", "type T { id: ID! t: String @index }\n")
    try folder.write("T.ndjson", rows)
    let count = ["--schema", "schema.graphql", "--data", "T.ndjson", "-e", "{ n: count(T) }", "--max-memory"]
    let many = try Gqlite.run(count + ["2000000"], in: folder.url)
    #expect(many.status == 1 && many.output == "", "\(many)")
    #expect(
      many.errors.hasPrefix("error[memory]: T.ndjson: the memory limit of 2000000 bytes is exceeded\n"),
      "\(many.errors)")
    #expect(try Gqlite.run(count + ["20000000"], in: folder.url).output == "{\"n\":30000}\n")
    // What is made of the rows of a SQLite file counts, too.
    try folder.write("T.db", DataFiles.sqlite)
    let table = try folder.gqlite("--data", "T.db", "-e", "{ T { id } }", "--max-memory", "50")
    #expect(table.status == 1 && table.errors.hasPrefix("error[memory]: T.db/t: "), "\(table.errors)")
  }
}
