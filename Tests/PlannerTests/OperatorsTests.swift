import GQLBase
import GQLCatalog
import GQLPlanner
import GQLQuery
import Testing

private typealias User = ChatFixture.User

/// The operators that a plan names for lists, pages, counts and tests.
@Suite struct OperatorsTests {
  private let fixture = ChatFixture()
  /// A whole table at the root, and some of it in the order of an index.
  private var whole: PhysicalPlan { plan(query(collection(ChatFixture.user))) }
  private var some: PhysicalPlan {
    plan(query(collection(ChatFixture.user, where: bool(.compare(.greater, user(User.balance), int(3))))))
  }

  private func problems(_ plan: PhysicalPlan, _ change: (inout SetOperators) -> Void) -> [String] {
    var plan = plan
    change(&plan.sets[0].operators)
    return PlanValidator.problems(plan, catalog: fixture.catalog)
  }

  @Test func followFromThePlan() {
    #expect(whole.sets[0].operators == SetOperators(lists: .shared, count: .access))
    #expect(some.sets[0].operators == SetOperators(lists: .shared, count: .filter, exists: .first))
  }

  /// General operators are right for every set.
  @Test(arguments: [ListMethod.each, .shared]) func fitEverySet(_ lists: ListMethod) {
    for plan in [whole, some] {
      #expect(problems(plan) { $0 = SetOperators(lists: lists) }.isEmpty)
    }
  }

  @Test func rowsThatLieElsewhereAreNoLists() {
    for lists in [ListMethod.batched, .slices, .firstLinks, .topLinks, .keyed, .walks] {
      #expect(problems(whole) { $0.lists = lists }.count == 1, "\(lists)")
    }
  }

  @Test func pagesNeedCursors() {
    for page in PageMethod.allCases { #expect(!problems(whole) { $0.page = page }.isEmpty, "\(page)") }
  }

  @Test func countsAndTestsNeedWhatTheyRelyOn() {
    #expect(problems(some) { $0.count = .access } == ["set 0 counts what is not counted"])
    #expect(problems(whole) { $0.count = .filter } == ["set 0 counts by a scan of other rows"])
    #expect(problems(some) { $0.exists = .firstLinks } == ["set 0 tests links that are cut one by one"])
    #expect(problems(some) { $0.exists = .keyed } == ["set 0 tests keys where there are none"])
    #expect(problems(some) { $0.groups = .pages } == ["set 0 groups pages of other rows"])
  }
}
