import Foundation
import GQLDifferential
import Testing

/// A few of the random live queries of `differential --live`, which follows many from a release build.
@Suite struct RandomLiveTests {
  /// `GQLITE_SEED` starts at another seed, `GQLITE_CASES` takes another number of databases.
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["GQLITE_SEED"].flatMap { UInt64($0) } ?? 1
    let count = environment["GQLITE_CASES"].flatMap { UInt64($0) } ?? 12
    return (0..<max(1, count)).map { first &+ $0 }
  }()

  @Test("patched is run again; told once, if and only if different", arguments: seeds)
  func agreement(_ seed: UInt64) {
    let result = LiveCampaign().run(seed: seed)
    for report in result.reports { Issue.record("\(report)") }
    #expect(result.told > 0)
  }
}
