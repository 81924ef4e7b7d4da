import GQLBase
import GQLCatalog
import GQLParser
import Testing

@testable import GQLBinder
@testable import GQLQuery

/// What a condition hangs on is looked for within limits.
@Suite struct CertainTruthStepsTests {
  private let catalog = BindingFixture.catalog
  private let late = Interruption(deadline: 1, milliseconds: 1, cancellation: nil)

  private func query(_ condition: String) throws -> BoundQuery {
    let text = "query($a: Boolean, $c: Boolean, $n: Int) { User(where: \(condition)) { id } }"
    let document = parse(SourceText(name: "q", text: text))
    return try #require(checkDocument(document.output, catalog: catalog).output.first)
  }

  private func truth(
    _ condition: String, _ interruption: Interruption? = nil, maximumSteps: Int = 200_000
  ) throws -> (premise: BoundExpression?, steps: Int) {
    let query = try query(condition)
    let truth = CertainTruth(
      query: query, catalog: catalog, interruption: interruption, maximumSteps: maximumSteps)
    return (truth.premise(of: try #require(query.sets[0].predicate)), truth.stepCount)
  }

  @Test func whatNobodyWaitsForIsNotCertain() throws {
    let conditions = [
      "id == id", "status == ACTIVE or status != ACTIVE", "$a", "age > 3 or true", "every(chats, id == id)",
    ]
    for condition in conditions {
      #expect(try truth(condition).premise != nil, "\(condition)")
      #expect(try truth(condition, late).premise == nil, "\(condition)")
    }
  }

  /// Each combination of values takes as many steps as the condition has nodes.
  @Test func combinationsCount() throws {
    let few = try truth("status == ACTIVE or status != ACTIVE")
    let many = try truth(
      (0..<40).map { "status == ACTIVE or status != ACTIVE or $n == \($0)" }.joined(separator: " or "))
    #expect(many.steps > 40 * 3 && many.steps > few.steps)
    let chain = (0..<60).map { "$n > \($0)" }.joined(separator: " and ")
    let enumerated = try truth("(status == ACTIVE and \(chain)) or (status != ACTIVE and \(chain))")
    #expect(enumerated.premise != nil && enumerated.steps > 2 * 120)
    let cut = try truth("(status == ACTIVE and \(chain)) or (status != ACTIVE and \(chain))", maximumSteps: 100)
    #expect(cut.premise == nil && cut.steps <= 400)
  }

  /// A premise does not double with each choice.
  @Test(.timeLimit(.minutes(5))) func choicesAddUp() throws {
    func size(_ expression: BoundExpression) -> Int {
      var count = 0
      expression.forEachNode { _ in count += 1 }
      return count
    }
    let flat = "if(\((0..<200).map { "count(chats) < $n, $a or $n == \($0)" }.joined(separator: ", ")), $a)"
    var nested = "$a"
    var free = "count(chats) >= $n"
    for number in 0..<60 {
      nested = "if(count(chats) < $n, \(nested), $a or $n == \(number))"
      free = "if($c, \(free), $a or $n == \(number))"
    }
    for condition in [flat, nested, free] {
      let premise = try #require(try truth(condition).premise)
      #expect(size(premise) < 60_000, "\(size(premise))")
    }
  }
}
