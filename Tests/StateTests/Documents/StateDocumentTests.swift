import Foundation
import Testing

/// The table in `docs/statemodel.md` names tests that there are.
@Suite struct StateDocumentTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    .standardizedFileURL

  private let document: String
  /// The sources of the suites by their names.
  private let sources: [String: String]

  init() throws {
    document = try String(contentsOf: Self.root.appending(path: "docs/statemodel.md"), encoding: .utf8)
    var sources: [String: String] = [:]
    for folder in ["Tests/StateTests", "Tests/StateTests/Documents"] {
      let folder = Self.root.appending(path: folder)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
        sources[String(name.dropLast(6))] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      }
    }
    self.sources = sources
  }

  private func expectTest(_ suite: Substring, _ test: Substring) throws {
    let source = try #require(sources[String(suite)], "there is no suite \(suite)")
    #expect(source.contains("@Suite struct \(suite) {"), "\(suite)")
    #expect(source.contains("@Test func \(test)() "), "\(suite).\(test)")
  }

  @Test func snippetsHaveTests() throws {
    var numbers: [Int] = []
    var missing: [Int] = []
    for row in document.matches(of: #/(?m)^\| (\d+) \| [^|]+ \| ([^|]+) \|/#) {
      let number = try #require(Int(row.1))
      numbers.append(number)
      guard let test = row.2.wholeMatch(of: #/`(\w+)\.(\w+)`/#) else {
        missing.append(number)
        continue
      }
      try expectTest(test.1, test.2)
    }
    #expect(numbers == Array(1...35))
    // Those of synchronization and commands.
    #expect(missing == Array(28...32))
  }

  @Test func chaptersHaveTests() throws {
    let rows = document.matches(of: #/(?m)^\| [A-Z][^|]+ \| `(\w+)\.(\w+)` \|$/#)
    #expect(rows.count == 7)
    for row in rows { try expectTest(row.1, row.2) }
  }
}
