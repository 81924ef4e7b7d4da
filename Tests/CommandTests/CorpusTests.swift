import Foundation
import GQLite
import Testing

/// The golden files under Tests/Corpus, as `gqlite test Tests/Corpus` runs them.
@Suite struct CorpusTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../Corpus").standardizedFileURL

  private static let areas: [String] = {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: corpus.path)) ?? []
    return entries.filter { $0 != "data" && !$0.hasPrefix(".") }.sorted()
  }()

  @Test("every area of the corpus", arguments: areas)
  func area(_ name: String) throws {
    var runner = GoldenRunner(updates: false)
    var report = ""
    try runner.run(Self.corpus.appending(path: name).path) { report += $0 }
    // Cases over data beside the checkout are skipped where it is missing, and say so in the report.
    #expect(runner.failed == 0, "\(report)")
    #expect(runner.passed + runner.skipped > 0)
  }

  @Test("the corpus is not empty") func areasExist() { #expect(Self.areas.count > 10) }
}
