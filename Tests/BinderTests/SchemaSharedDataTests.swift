import Foundation
import GQLBase
import GQLCatalog
import GQLParser
import Testing
@testable import GQLBinder

/// The schemas that come with the real data sets: plain types, whose inverses are only looked like.
@Suite struct SchemaSharedDataTests {
  static let shared: URL? = {
    if let path = ProcessInfo.processInfo.environment["GQLITE_SHARED"] { return URL(fileURLWithPath: path) }
    let repository = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = repository.deletingLastPathComponent().appendingPathComponent("shared")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  @Test(.enabled(if: shared != nil, "the shared data sets are not here"), arguments: ["chinook", "isocodes", "swapi"])
  func plainSchemasBuild(_ name: String) throws {
    let folder = try #require(Self.shared)
    let file = folder.appendingPathComponent("data/\(name)/schema.graphql")
    let text = try String(contentsOf: file, encoding: .utf8)
    let document = parse(SourceText(name: name, text: text))
    #expect(document.diagnostics == [])
    let built = buildCatalog(document.output)
    #expect(!built.hasErrors)
    #expect(built.diagnostics.allSatisfy { $0.code.rawValue == "possible-inverse" }, "\(built.diagnostics)")
    #expect(!built.output.rootNames.isEmpty)
    let again = buildCatalog(parse(SourceText(name: name, text: printSchema(built.output))).output)
    #expect(again.output == built.output)
    // As the comments of the files say: with the warnings' fix-its every inverse is declared.
    var bytes = Array(text.utf8)
    let edits = built.diagnostics.flatMap(\.fixIts).flatMap(\.edits).sorted { $0.range.start > $1.range.start }
    for edit in edits { bytes.insert(contentsOf: Array(edit.replacement.utf8), at: Int(edit.range.start)) }
    let mended = buildCatalog(parse(SourceText(name: name, bytes: bytes)).output)
    #expect(!mended.hasErrors)
    let inverses = text.split(separator: "\n").filter { $0.contains("# inverse of") }.count
    #expect(edits.count == inverses)
  }
}
