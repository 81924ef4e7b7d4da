import GQLite
import Testing

/// A predicate, its negation and where it is null add up to the whole, each entity once.
@Suite struct PartitionTests {
  @Test(arguments: MetamorphicData.seeds(12)) func partsAddUp(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let data = MetamorphicData(&random)
    let database = try data.database(random.pick(MetamorphicData.Indexes.allCases))
    var predicates = RandomPredicate(random: random)
    let view = "{ Item { id } }"
    let whole = try ids(database.query(view), "Item")
    for _ in 0..<40 {
      let predicate = predicates.truth()
      let query = """
        {
          yes: Item(where: \(predicate)) { id }
          no: Item(where: not (\(predicate))) { id }
          unknown: Item(where: (\(predicate)) is null) { id }
          known: Item(where: (\(predicate)) is not null) { id }
          listed: Item { id p := \(predicate) }
          n: count(Item(where: \(predicate)))
        }
        """
      do {
        let answer = try database.query(query)
        let yes = try ids(answer, "yes")
        let no = try ids(answer, "no")
        let unknown = try ids(answer, "unknown")
        #expect((yes + no + unknown).sorted() == whole.sorted(), "seed \(seed): \(predicate)")
        #expect(try ids(answer, "known").sorted() == (yes + no).sorted(), "seed \(seed): \(predicate)")
        #expect(answer.value["n"]?.int == Int64(yes.count), "seed \(seed): \(predicate)")
        // What is computed for each is what the condition says, and in the same order.
        let listed = answer.value["listed"]?.list ?? []
        for (found, value) in [(yes, Value.bool(true)), (no, .bool(false)), (unknown, .null)] {
          let expected = listed.filter { $0["p"] == value }.compactMap { $0["id"]?.int }
          #expect(found == expected, "seed \(seed): \(predicate) is \(value)")
        }
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  private func ids(_ answer: Answer, _ key: String) throws -> [Int64] {
    try #require(answer.value[key]?.list).compactMap { $0["id"]?.int }
  }
}
