import GQLDifferential
import Testing

/// The queries of all golden files, followed while their data change.
@Suite struct LiveCorpusTests {
  @Test("a patched answer is that of the query run again") func corpus() throws {
    var corpus = LiveCorpus()
    corpus.changes = 8
    let root = Folders.repository
    let result = try corpus.run([root.appending(path: "Tests/Corpus").path], seed: 1)
    for report in result.reports { Issue.record("\(report)") }
    #expect(result.checks > 3000 && result.told > 500)
  }
}
