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
