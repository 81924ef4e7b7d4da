import Foundation
import GQLite
import Testing

/// Data without a schema answers as it does with the schema that is printed for it.
@Suite struct InferenceLawTests {
  /// Loads data without a schema and with the schema that was inferred, and compares everything that both hold.
  @discardableResult
  private func check(_ sources: [DataSource], _ name: String) throws -> Database {
    let inferred = Database()
    let report = try inferred.load(sources)
    #expect(inferred.check() == [], "\(name)")
    let written = try Database(schema: inferred.schema)
    let again = try written.load(sources)
    #expect(written.schema == inferred.schema, "\(name)")
    #expect(again.inserted == report.inserted && again.danglingLinks == report.danglingLinks, "\(name)")
    for type in report.inserted.map(\.type) {
      let query = "{ \(type) { ...** } }"
      let answer = try inferred.query(query).jsonString
      #expect(try written.query(query).jsonString == answer, "\(name) \(type)")
    }
    return inferred
  }

  private static let excerpts = Folders.repository.appending(path: "Tests/Corpus/data/inferred")

  @Test("each excerpt of the public files, alone and all together") func excerpts() throws {
    let folder = Self.excerpts.appending(path: "excerpts")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files.count == 17)
    for file in files { try check([.path(folder.appending(path: file).path)], file) }
    try check(files.map { .path(folder.appending(path: $0).path) }, "all")
    try check([.path(folder.path)], "the folder")
  }

  @Test("each shape of files") func shapes() throws {
    var checked = 0
    for folder in ["sources", "tasks"] {
      let url = Folders.repository.appending(path: "Tests/Corpus/data/\(folder)")
      var paths: [String] = []
      let files = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
      for name in files {
        let path = url.appending(path: name).path
        // Without what is wrong at purpose.
        guard (try? Database().load(path: path)) != nil else { continue }
        try check([.path(path)], name)
        paths.append(path)
      }
      try check(paths.map { .path($0) }, folder)
      if paths.count == files.count { try check([.path(url.path)], folder) }
      checked += paths.count
    }
    #expect(checked >= 28)
  }

  @Test("files that are called alike") func clashes() throws {
    let folder = try TemporaryFolder()
    let files = [
      ("t.csv", "id,n\n1,2\n"), ("t.json", #"[{"id": 7, "m": 1}]"#), ("t.tsv", "id\tk\n3\t4\n"),
      ("a.json", #"{"t": [{"id": 1, "x": 2}], "u": [{"id": 2, "t": 1}]}"#),
      ("b.json", #"[{"model": "shop.t", "pk": 4, "fields": {"y": 1}}]"#),
      ("c.ndjson", "{\"__typename\": \"t\", \"id\": 9, \"z\": 1}\n{\"__typename\": \"T\", \"id\": 8, \"w\": 1}\n"),
    ]
    var paths = try files.map { try folder.write($0.0, $0.1) }
    paths.append(
      try folder.sqlite("d.sqlite", "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'v')"))
    let database = try check(paths.map { .path($0) }, "forward")
    try check(paths.reversed().map { .path($0) }, "backward")
    let types = database.schema.split(separator: "\n").filter { $0.hasPrefix("type ") }
    #expect(types.count >= 7, "\(types)")
  }

  @Test("the public files themselves") func originals() throws {
    guard let shared = Folders.shared else {
      print("skipped: there is no folder of shared data beside the checkout")
      return
    }
    for set in ["chinook", "isocodes", "swapi"] {
      let raw = shared.appending(path: "data/\(set)/raw")
      for file in try FileManager.default.contentsOfDirectory(atPath: raw.path).sorted()
      where file.hasSuffix(".json") || file.hasSuffix(".sqlite") {
        try check([.path(raw.appending(path: file).path)], file)
      }
    }
  }
}
