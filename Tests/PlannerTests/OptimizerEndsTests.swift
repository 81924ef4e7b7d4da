import GQLBase
import GQLCatalog
import GQLPlanner
import GQLQuery
import Testing

private typealias User = ChatFixture.User
private typealias Message = ChatFixture.Message

/// Orders by id, the ends of indexes, and one row of each key, by figures instead of data.
@Suite struct OptimizerEndsTests {
  private func fixture(_ order: IDOrder) -> ChatFixture {
    var fixture = ChatFixture()
    fixture.statistics.idOrders = [ChatFixture.user: order, ChatFixture.message: order]
    return fixture
  }

  private func users(
    _ predicate: BoundExpression? = nil, _ order: BoundOrderTerm..., limit: BoundExpression? = nil
  ) -> BoundQuery {
    query(collection(ChatFixture.user, where: predicate, orderBy: order, limit: limit))
  }

  @Test func walksByID() {
    let last = users(nil, descending(user(User.id)), limit: int(10))
    for order in [IDOrder.rows, .index] {
      #expect(
        explained(last, fixture(order)) == """
          User
          ├ access   IDWalk User.id  descending
          └ order    from index, stop after 10
          """)
    }
    for order in [IDOrder.pending, .none] {
      #expect(
        explained(last, fixture(order)) == """
          User
          ├ access   FullScan
          └ order    top 10 by -id
          """)
    }
  }

  /// An order is asked for where it saves much, and by nobody else.
  @Test func asksForAnOrder() {
    let last = users(nil, descending(user(User.id)), limit: int(10))
    #expect(plan(last, fixture(.pending)).wantedOrders == [ChatFixture.user])
    for order in [IDOrder.rows, .index, .none] { #expect(plan(last, fixture(order)).wantedOrders.isEmpty) }
    #expect(plan(users(), fixture(.pending)).wantedOrders.isEmpty)
    #expect(plan(users(nil, descending(user(User.name)), limit: int(1)), fixture(.pending)).wantedOrders.isEmpty)
    #expect(plan(last, fixture(.pending), options: PlannerOptions(forcing: .scanOnly)).wantedOrders.isEmpty)
    var few = fixture(.pending)
    few.statistics.rows[ChatFixture.user] = 1_000
    #expect(plan(last, few).wantedOrders.isEmpty)
  }

  @Test func idsBreakTies() {
    let ages = users(nil, descending(user(User.age)), ascending(user(User.id)), limit: int(10))
    let walked = plan(ages, fixture(.rows))
    #expect(walked.sets[0].needsAscendingIDs)
    #expect(walked.sets[0].order == .fromAccess(descending: true))
    // An index over ids says nothing of rows that tie in another one.
    var index = fixture(.index)
    var rows = fixture(.rows)
    index.statistics.distinct[.init(type: ChatFixture.user, column: User.age)] = 10_000
    rows.statistics.distinct = index.statistics.distinct
    #expect(plan(ages, index).sets[0].order == .incremental(descending: true, prefix: 1))
    // Nor do ascending ids deliver descending ones.
    let back = users(nil, descending(user(User.age)), descending(user(User.id)), limit: int(10))
    #expect(plan(back, rows).sets[0].order == .incremental(descending: true, prefix: 1))
  }

  @Test func rangesOfIDs() {
    let range = all(
      compare(user(User.id), .greaterOrEqual, id("10")), compare(user(User.id), .less, id("20")))
    var figures = fixture(.rows)
    figures.statistics.shares[ChatFixture.Index.userID] = { _ in 10 }
    #expect(explained(users(range), figures) == "User\n└ access   IDRange User.id [\"10\", \"20\")")
    #expect(
      explained(users(range), fixture(.none))
        == "User\n├ access   FullScan\n└ filter   id in \"10\"..<\"20\"")
  }

  /// A scan by insertion passes over all that stands before a range of ids, however many rows lie within.
  @Test func pagesByAnID() {
    var figures = fixture(.rows)
    figures.statistics.shares[ChatFixture.Index.userID] = { _ in 99_000 }
    let after = compare(user(User.id), .greater, id("1000"))
    #expect(
      explained(users(after, ascending(user(User.id)), limit: int(10)), figures) == """
        User
        ├ access   IDRange User.id ("1000", ∞)
        └ order    from index, stop after 10
        """)
    #expect(
      explained(users(after, limit: int(10)), figures) == """
        User
        ├ access   IDRange User.id ("1000", ∞)
        └ order    natural, stop after 10
        """)
  }

  @Test func ends() {
    let ages = computation(
      BoundExpression(.aggregate(.max, SetID(0), user(User.age)), .int, at: nowhere), collection(ChatFixture.user))
    #expect(
      explained(ages) == """
        n := max(User(orderBy: -age, limit: 1), age)
        └ of User
          ├ access   BTreeWalk User.age  descending
          └ order    from index, stop after 1
        """)
    // No index has balances.
    let balances = computation(
      BoundExpression(.aggregate(.max, SetID(0), user(User.balance)), .int, at: nowhere),
      collection(ChatFixture.user))
    #expect(explained(balances) == "n := max(User, balance)\n└ of User\n  └ access   FullScan")
  }

  @Test func oneOfEachKey() {
    var set = collection(ChatFixture.user)
    set.distinctOn = [user(User.age)]
    var few = ChatFixture()
    few.statistics.distinct[.init(type: ChatFixture.user, column: User.age)] = 100
    #expect(explained(query(set), few) == "User\n├ access   BTreeSkip User.age\n└ distinct first of each age")
    // As many keys as rows are read in one go.
    few.statistics.distinct[.init(type: ChatFixture.user, column: User.age)] = 90_000
    #expect(explained(query(set), few) == "User\n├ access   FullScan\n└ distinct first of each age")
    // The first user of a city is not the first in an index that goes on with ages; to count cities it is enough.
    few.statistics.distinct[.init(type: ChatFixture.user, column: User.city)] = 50
    set.distinctOn = [user(User.city)]
    #expect(explained(query(set), few) == "User\n├ access   FullScan\n└ distinct first of each city")
    let count = computation(BoundExpression(.aggregate(.count, SetID(0), nil), .int, at: nowhere), set)
    #expect(explained(count, few).contains("BTreeSkip User(city, age)"))
  }

  /// Under a limit the rows that are expected to be read are shown, and the share of them that a filter keeps.
  @Test func estimatesUnderALimit() {
    let fixture = ChatFixture()
    let bound = users(
      compare(user(User.status), .equal, status(0)), descending(user(User.age)), limit: int(10))
    let lines = explain(plan(bound, fixture), catalog: fixture.catalog).split(separator: "\n").map(String.init)
    #expect(lines[1] == "├ access   BTreeWalk User.age  descending   est 30")
    #expect(lines[2] == "├ filter   status == ACTIVE   est 0.33")
    let rare = users(compare(user(User.balance), .equal, int(7)), limit: int(1))
    var figures = ChatFixture()
    figures.statistics.distinct[.init(type: ChatFixture.user, column: User.balance)] = 50_000
    let text = explain(plan(rare, figures), catalog: figures.catalog)
    #expect(text.contains("filter   balance == 7   est 0.00002\n"), "\(text)")
  }
}
