import GQLite
import Testing

/// Indexes change no byte of an answer.
@Suite struct IndexIndependenceTests {
  @Test(arguments: MetamorphicData.seeds(8)) func indexesChangeNothing(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let data = MetamorphicData(&random, items: random.pick([12, 45, 70]))
    let databases = try MetamorphicData.Indexes.allCases.map { ($0, try data.database($0)) }
    var predicates = RandomPredicate(random: random)
    for _ in 0..<25 {
      let query = Self.query(&predicates)
      var expected: String?
      for (indexes, database) in databases {
        let answer: String
        do { answer = try database.query(query).jsonString } catch { answer = "\(error)" }
        if expected == nil {
          expected = answer
          if answer.hasPrefix("error") { Issue.record("seed \(seed): \(answer)") }
        }
        #expect(answer == expected, "seed \(seed), \(indexes): \(query)")
      }
    }
  }

  private static func query(_ predicates: inout RandomPredicate) -> String {
    let order = predicates.order(isTotal: false).forwards
    let limit = predicates.random.chance(50) ? ", limit: \(1 + predicates.random.below(12))" : ""
    let offset = predicates.random.chance(20) ? ", offset: \(predicates.random.below(4))" : ""
    switch predicates.random.below(5) {
    case 0:
      return "{ Owner(orderBy: -rank) { id items(where: \(predicates.truth()), orderBy: \(order)\(limit)) { id } } }"
    case 1: return "{ Item(where: \(predicates.truth()), orderBy: \(order), distinctOn: c\(limit)) { id c } }"
    case 2:
      return """
        { Item(where: \(predicates.truth()), groupBy: \(predicates.random.pick(["c", "[b, i]", "owner", "ci"])), orderBy: [-count(), min(id)]) {
          n: count() s: sum(i) m: max(d) first: min(t)
        } }
        """
    case 3:
      return
        "{ n: count(Item(where: \(predicates.truth()))) s: sum(Item(where: \(predicates.truth(1))).d) f := first(Item(where: \(predicates.truth(1)), orderBy: \(order))).id }"
    default:
      return
        "{ Item(where: \(predicates.truth()), orderBy: \(order)\(offset)\(limit)) { id i t friends(where: \(predicates.truth(1)), limit: 2) { id } } }"
    }
  }
}
