import GQLDifferential
import Testing

/// Random merges, as `differential --merge N` makes many of them.
@Suite struct MergePropertyTests {
  @Test("merges agree with the oracle, and obey the laws", arguments: [UInt64(1), 1_000, 2_000, 3_000])
  func campaign(_ first: UInt64) {
    var result = MergeCampaign.Result()
    for seed in first..<first + 12 where result.reports.isEmpty { result.add(MergeCampaign().run(seed: seed)) }
    #expect(result.reports == [])
    #expect(result.merges >= 24)
  }

  @Test("merges of what was merged agree with the oracle, too", arguments: [UInt64(1), 1_000, 2_000, 3_000])
  func again(_ first: UInt64) {
    var result = MergeCampaign.Result()
    for seed in first..<first + 12 where result.reports.isEmpty { result.add(MergeCampaign().runAgain(seed: seed)) }
    #expect(result.reports == [])
    #expect(result.merges >= 24)
  }

  /// A live context that has a conflict already; lists of objects that one side replaces, and the other deletes with
  /// their owner.
  @Test("merges that went wrong once", arguments: [UInt64(2_225), 2_487, 10_840, 11_366, 13_546, 23_610, 26_846])
  func known(_ seed: UInt64) {
    #expect(MergeCampaign().run(seed: seed).reports == [])
  }
}
