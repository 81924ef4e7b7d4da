import Foundation
import GQLPlanner
import GQLRewriter
import GQLite
import Testing

/// The golden files under Tests/Corpus and Examples, as `gqlite test` runs them.
@Suite struct CorpusTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../..").standardizedFileURL

  /// Every folder of cases.
  private static let areas: [String] = {
    let corpus = "Tests/Corpus"
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: corpus).path)) ?? []
    return entries.filter { $0 != "data" && !$0.hasPrefix(".") }.sorted().map { "\(corpus)/\($0)" } + [
      "Examples/people"
    ]
  }()

  @Test("golden files", arguments: areas) func area(_ name: String) throws {
    let (runner, report) = try run(name, under: nil)
    // Cases over data beside the checkout are skipped where it is missing, and say so in the report.
    #expect(runner.failed == 0, "\(report)")
    #expect(runner.passed + runner.skipped > 0)
  }

  @Test("the corpus is not empty") func areasExist() { #expect(Self.areas.count > 10) }

  /// Ways to choose plans; each gives other plans for most of the corpus.
  private static let planners: [PlannerOptions] =
    [PlannerOptions(forcing: .scanOnly), PlannerOptions(rowsBeforeRetreat: 1)]
    + (0..<4).map { PlannerOptions(forcing: .alternative($0)) }
    + (1...4).map { PlannerOptions(forcing: .perturbed(seed: $0)) }
    + RewriteRule.allCases.map { PlannerOptions(disabledRules: [$0]) }
    + [PlannerOptions(disabledRules: Set(RewriteRule.allCases), forcing: .scanOnly)]

  @Test("the answer is the same under every plan", arguments: planners)
  func plans(_ planner: PlannerOptions) throws {
    // A forced access path leaves no choice.
    for area in Self.areas where area != "Tests/Corpus/using" {
      let (runner, report) = try run(area, under: planner)
      #expect(runner.failed == 0, "\(report)")
    }
  }

  private func run(_ area: String, under planner: PlannerOptions?) throws -> (GoldenRunner, String) {
    var runner = GoldenRunner(updates: false, planner: planner)
    var report = ""
    try runner.run(Self.root.appending(path: area).path) { report += $0 }
    return (runner, report)
  }
}
