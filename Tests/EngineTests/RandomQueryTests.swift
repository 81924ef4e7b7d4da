import Foundation
import GQLDifferential
import Testing

/// A few of the random queries of `differential`, which runs many from a release build.
@Suite struct RandomQueryTests {
  /// `GQLITE_SEED` starts at another seed, `GQLITE_CASES` takes another number of databases.
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["GQLITE_SEED"].flatMap { UInt64($0) } ?? 1
    let count = environment["GQLITE_CASES"].flatMap { UInt64($0) } ?? 16
    return (0..<max(1, count)).map { first &+ $0 }
  }()

  @Test("the reference evaluator and all plans agree", arguments: seeds)
  func agreement(_ seed: UInt64) {
    var campaign = Campaign()
    campaign.queries = 40
    campaign.allowsLarge = false
    let result = campaign.run(seed: seed)
    for report in result.reports { Issue.record("\(report)") }
    #expect(result.beyondModel * 20 <= result.queries)
  }
}
