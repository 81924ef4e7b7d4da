import GQLBase
import GQLCatalog
import GQLPlanner
import GQLQuery
import Testing

private typealias User = ChatFixture.User

/// How far a walk or a scan is expected to go, from where the matches of a sample stand.
@Suite struct PlacesTests {
  /// A condition that holds for every so many of 500 entities, whose values are given in turn.
  private struct Matches: SelectivitySampler {
    var every: Int
    var values: [Value]

    func selectivity(of predicate: BoundExpression, type: EntityTypeID, parameters: [Value?]) -> Double? {
      1 / Double(every)
    }

    func sample(
      _ conditions: [BoundExpression], valuesOf column: ColumnID?, type: EntityTypeID, parameters: [Value?]
    ) -> RowSample? {
      var sample = RowSample()
      sample.tested = (1 << UInt64(conditions.count)) - 1
      sample.masks = (0..<500).map { $0 % every == 0 ? sample.tested : 0 }
      sample.matches = stride(from: 0, to: 500, by: every).enumerated().map { ($1, values[$0 % values.count]) }
      return sample
    }
  }

  /// Returns how many rows a list by age, of users with a balance, is expected to look at.
  private func visited(_ order: BoundOrderTerm, _ limit: Int64, _ fixture: ChatFixture, _ sampler: Matches) -> Double {
    let set = collection(
      ChatFixture.user, where: compare(user(User.balance), .greater, int(3)), orderBy: [order], limit: int(limit))
    let plan = optimize(
      query(set), catalog: fixture.catalog, statistics: fixture.statistics, sampler: sampler
    ).output
    #expect(plan.sets[0].access == .range(ChatFixture.Index.age, IndexRange(includesNulls: true)))
    return plan.sets[0].estimate.accessRows
  }

  /// 40,000 of 100,000 users have no age. They come last downwards too, so that the first of the others stands at the
  /// begin of the walk.
  @Test func nullsComeLastInBothDirections() {
    var fixture = ChatFixture()
    fixture.statistics.nulls[.init(type: ChatFixture.user, column: User.age)] = 40_000
    fixture.statistics.shares[ChatFixture.Index.age] = { range in
      guard range.equal.isEmpty, case .int(let upper)? = range.upper?.value else { return nil }
      return Int(upper) * 600 + (range.upper?.isInclusive == true ? 600 : 0)
    }
    // Ages from 0 to 99, each as often as another: every second of the sample matches.
    let sampler = Matches(every: 2, values: (0..<100).map { .int($0) })
    #expect(visited(descending(user(User.age)), 10, fixture, sampler) < 700)
    #expect(visited(ascending(user(User.age)), 10, fixture, sampler) < 700)
  }

  /// All matches are of the lowest age, which has 990 entries: half of them are found after about half of these.
  @Test func matchesOfOneValueAreSpreadOverItsEntries() {
    var fixture = ChatFixture()
    fixture.statistics.shares[ChatFixture.Index.age] = { range in
      guard range.equal.isEmpty, case .int(let upper)? = range.upper?.value else { return nil }
      return Int(upper) * 990 + (range.upper?.isInclusive == true ? 990 : 0)
    }
    let sampler = Matches(every: 100, values: [.int(0)])
    // One in a hundred of 100,000 users.
    let rows = visited(ascending(user(User.age)), 500, fixture, sampler)
    #expect(rows > 300 && rows < 700)
  }

  /// Times ascend with insertion, so that a scan passes over all messages before a time. The plan is kept for times that
  /// leave about as many messages before them, and after.
  @Test func lateMatchesAreWatched() {
    var fixture = ChatFixture()
    let column = ChatFixture.Message.createdAt
    fixture.statistics.ascending = [.init(type: ChatFixture.message, column: column)]
    let set = collection(
      ChatFixture.message,
      where: all(
        compare(message(column), .greaterOrEqual, parameter(0, .scalar(.dateTime))),
        compare(message(ChatFixture.Message.likes), .equal, int(3))), limit: int(5))
    let bound = query(set, parameters: [declared("since", .scalar(.dateTime))])
    let plan = plan(bound, fixture, parameters: [.dateTime(900_000)])
    let range = AccessPath.range(
      ChatFixture.Index.createdAt, IndexRange(lower: .init(parameter(0, .scalar(.dateTime)), isInclusive: true)))
    #expect(plan.watched == [.access(range), .rest(range, ChatFixture.message)])
    let estimates = accessEstimates(plan, parameters: [.dateTime(400_000)], statistics: fixture.statistics)
    #expect(estimates == [600_000, 400_000])
  }
}
