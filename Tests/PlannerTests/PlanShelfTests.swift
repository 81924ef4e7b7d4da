import GQLQuery
import Testing

/// Which values of parameters a plan is kept for.
@Suite struct PlanShelfTests {
  private static func add(_ shelf: inout PlanShelf<String>, _ plan: String, _ estimates: [Double]) {
    _ = shelf.add(PlanFit(generation: 1, estimates: estimates)) {
      $0 == plan
    } _: { _ in
      plan
    }
  }

  private static func find(_ shelf: PlanShelf<String>, _ estimates: [Double]) -> String? {
    shelf.plan(generation: 1) { _ in estimates }
  }

  @Test func oneWayServesWhatLiesBetween() {
    var shelf = PlanShelf<String>()
    Self.add(&shelf, "walk", [100])
    #expect(Self.find(shelf, [10_000]) == nil)
    Self.add(&shelf, "walk", [1_000_000])
    #expect(Self.find(shelf, [10_000]) == "walk" && shelf.count == 1)
    // More than four times as many.
    #expect(Self.find(shelf, [5_000_000]) == nil)
    #expect(shelf.plan(generation: 2) { _ in [10_000] } == nil)
  }

  @Test func anotherWayBetweenIsKept() {
    var shelf = PlanShelf<String>()
    Self.add(&shelf, "walk", [100])
    Self.add(&shelf, "sort", [10_000])
    Self.add(&shelf, "walk", [1_000_000])
    #expect(Self.find(shelf, [10_000]) == "sort" && shelf.count == 3)
    #expect(Self.find(shelf, [1_000]) == nil && Self.find(shelf, [100_000]) == nil)
  }

  @Test func twoEstimatesAreNotWidenedTogether() {
    var shelf = PlanShelf<String>()
    Self.add(&shelf, "walk", [20, 20])
    Self.add(&shelf, "walk", [10_000, 10_000])
    #expect(Self.find(shelf, [10_000, 20]) == nil && Self.find(shelf, [1_000, 1_000]) == nil)
    Self.add(&shelf, "walk", [10_000, 20])
    #expect(Self.find(shelf, [10_000, 1_000]) == "walk" && Self.find(shelf, [1_000, 1_000]) == nil)
  }

  @Test func estimatesThatAreNoNumbers() {
    var shelf = PlanShelf<String>()
    Self.add(&shelf, "walk", [.nan])
    #expect(Self.find(shelf, [10]) == nil && Self.find(shelf, [.infinity]) == "walk")
  }
}
