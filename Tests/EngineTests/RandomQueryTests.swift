import Foundation
import GQLPlanner
import GQLite
import Testing

/// Random queries on random data: the reference evaluator and every plan give the same bytes.
@Suite struct RandomQueryTests {
  /// `GQLITE_SEED` runs one other seed, `GQLITE_CASES` other numbers of databases.
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["GQLITE_SEED"].flatMap { UInt64($0) } ?? 1
    let count = environment["GQLITE_CASES"].flatMap { UInt64($0) } ?? 60
    return (0..<max(1, count)).map { first &+ $0 }
  }()

  private static let plans: [PlannerOptions] =
    [PlannerOptions(forcing: .scanOnly)]
    + (1...4).map { PlannerOptions(forcing: .alternative($0)) }
    + (1...5).map { PlannerOptions(forcing: .perturbed(seed: UInt64($0))) }
    + RewriteRule.allCases.map { PlannerOptions(disabledRules: [$0]) }
    + [
      PlannerOptions(disabledRules: Set(RewriteRule.allCases)),
      PlannerOptions(disabledRules: Set(RewriteRule.allCases), forcing: .scanOnly),
    ]

  @Test("the reference evaluator and all plans agree", arguments: seeds)
  func agreement(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let model = ReferenceDatabase(&random)
    let database = try Database(schema: model.sdl)
    try database.load(
      model.types.indices.map { .ndjson(type: model.types[$0].name, bytes: Array(model.ndjson($0).utf8)) })
    #expect(database.check() == [])
    let evaluator = ReferenceEvaluator(database: model)
    for number in 0..<50 {
      let query = RandomQuery(model, &random)
      let text = query.text
      let place = "seed \(seed), query \(number): \(text) with \(query.values)"
      do {
        let prepared = try database.prepare(text)
        let answer = try prepared.run(query.values).jsonString
        let expected = evaluator.answer(query.roots)
        if answer != expected {
          Issue.record("\(place)\nexpected \(expected)\n     got \(answer)\nschema \(model.sdl)")
          return
        }
        // All plans for some queries, three for each: the seeds are many.
        let plans = number % 10 == 0 ? Self.plans : (0..<3).map { _ in random.pick(Self.plans) }
        for plan in plans {
          let other = try prepared.run(query.values, planner: plan).jsonString
          if other != answer {
            Issue.record("\(place)\nunder \(plan)\nexpected \(answer)\n     got \(other)\nschema \(model.sdl)")
            return
          }
        }
      } catch {
        Issue.record("\(place)\n\(error)")
        return
      }
    }
  }
}
