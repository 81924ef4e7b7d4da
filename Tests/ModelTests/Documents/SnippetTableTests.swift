import Foundation
import Testing

/// The table in `docs/swiftletmodel.md` names tests that there are.
@Suite struct SnippetTableTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    .standardizedFileURL

  @Test func testsAreThere() throws {
    let document = try String(contentsOf: Self.root.appending(path: "docs/swiftletmodel.md"), encoding: .utf8)
    var sources: [String: String] = [:]
    let folder = Self.root.appending(path: "Tests/ModelTests/Documents")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
      sources[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    var numbers: [Int] = []
    for row in document.matches(of: #/(?m)^\| (\d+) \| [^|]+ \| ([^|]+) \|/#) {
      numbers.append(try #require(Int(row.1)))
      guard let test = row.2.wholeMatch(of: #/`(\w+)\.(\w+)`/#) else {
        #expect(row.1 == "1", "snippet \(row.1) has no test")
        continue
      }
      let source = try #require(sources["\(test.1).swift"], "there is no suite \(test.1)")
      #expect(source.contains("@Suite struct \(test.1) {"), "\(test.1)")
      #expect(source.contains("@Test func \(test.2)() "), "\(test.1).\(test.2)")
    }
    #expect(numbers == Array(1...74))
  }
}
