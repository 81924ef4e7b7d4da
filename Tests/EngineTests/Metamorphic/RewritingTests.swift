import GQLite
import Testing

/// Ways to say one thing: limits are prefixes, orders turn around, names and fragments only name.
@Suite struct RewritingTests {
  private func run(_ seed: UInt64, _ body: (Database, inout RandomPredicate) throws -> Void) throws {
    var random = SeededRandom(seed: seed)
    let data = MetamorphicData(&random)
    let database = try data.database(random.pick(MetamorphicData.Indexes.allCases))
    var predicates = RandomPredicate(random: random)
    for _ in 0..<25 {
      do { try body(database, &predicates) } catch { Issue.record("seed \(seed): \(error)") }
    }
  }

  private func ids(_ answer: Answer, _ key: String) -> [String] {
    (answer.value[key]?.list ?? []).compactMap { $0["id"]?.int.map(String.init) }
  }

  @Test(arguments: MetamorphicData.seeds(8)) func limitsArePrefixes(_ seed: UInt64) throws {
    try run(seed) { database, predicates in
      let order = predicates.order(isTotal: false).forwards
      let arguments = "where: \(predicates.truth()), orderBy: \(order)"
      let (offset, limit) = (predicates.random.below(6), predicates.random.below(20))
      let distinct = predicates.random.chance(30) ? ", distinctOn: [c, b]" : ""
      let answer = try database.query(
        """
        {
          all: Item(\(arguments)\(distinct)) { id }
          cut: Item(\(arguments)\(distinct), limit: \(limit)) { id }
          part: Item(\(arguments)\(distinct), limit: \(limit), offset: \(offset)) { id }
          rest: Item(\(arguments)\(distinct), offset: \(offset)) { id }
          more: hasMore(Item(\(arguments)\(distinct), limit: \(limit)))
        }
        """)
      let all = ids(answer, "all")
      #expect(ids(answer, "cut") == Array(all.prefix(limit)), "seed \(seed): \(arguments)")
      #expect(ids(answer, "part") == Array(all.dropFirst(offset).prefix(limit)), "seed \(seed): \(arguments)")
      #expect(ids(answer, "rest") == Array(all.dropFirst(offset)), "seed \(seed): \(arguments)")
      #expect(answer.value["more"] == .bool(all.count > limit), "seed \(seed): \(arguments)")
    }
  }

  @Test(arguments: MetamorphicData.seeds(8)) func ordersTurnAround(_ seed: UInt64) throws {
    try run(seed) { database, predicates in
      let (forwards, backwards) = predicates.order(isTotal: true)
      let condition = predicates.truth(1)
      let answer = try database.query(
        """
        {
          there: Item(where: \(condition), orderBy: \(forwards)) { id }
          back: Item(where: \(condition), orderBy: \(backwards)) { id }
        }
        """)
      #expect(ids(answer, "there") == Array(ids(answer, "back").reversed()), "seed \(seed): \(forwards) \(condition)")
    }
  }

  @Test(arguments: MetamorphicData.seeds(8)) func connectivesCommute(_ seed: UInt64) throws {
    try run(seed) { database, predicates in
      let (a, b) = (predicates.truth(1), predicates.truth(1))
      let answer = try database.query(
        """
        {
          ab: Item(where: \(a) and \(b)) { id } ba: Item(where: (\(b)) and (\(a))) { id }
          demorgan: Item(where: not (not (\(a)) or not (\(b)))) { id }
          aob: Item(where: \(a) or \(b)) { id } boa: Item(where: (\(b)) or (\(a))) { id }
          symbols: Item(where: (\(a)) || (\(b))) { id }
          chosen: Item(where: if(\(a), true, \(b))) { id }
        }
        """)
      #expect(ids(answer, "ab") == ids(answer, "ba"), "seed \(seed): \(a) and \(b)")
      #expect(ids(answer, "ab") == ids(answer, "demorgan"), "seed \(seed): \(a) and \(b)")
      #expect(ids(answer, "aob") == ids(answer, "boa"), "seed \(seed): \(a) or \(b)")
      #expect(ids(answer, "aob") == ids(answer, "symbols"), "seed \(seed): \(a) or \(b)")
      #expect(ids(answer, "aob") == ids(answer, "chosen"), "seed \(seed): \(a) or \(b)")
    }
  }

  @Test(arguments: MetamorphicData.seeds(8)) func namesAndFragmentsOnlyName(_ seed: UInt64) throws {
    try run(seed) { database, predicates in
      let (a, b) = (predicates.truth(1), predicates.truth(1))
      let order = predicates.order(isTotal: false).forwards
      let plain = """
        { Item(where: \(a), orderBy: \(order), limit: 9) { id t friends(where: \(b)) { id c } owner { name } n: count(friends) } }
        """
      let written = """
        query($yes: Boolean = true) {
          ...Root
          Item(where: (\(a)), orderBy: \(order), limit: 9) { ... on Item { id } ...Friends @include(if: $yes) n: count(friends) }
        }
        fragment Root on Query { Item(where: (\(a)), orderBy: \(order), limit: 9) { id t } }
        fragment Friends on Item { t friends(where: (\(b))) { id ...Colour } owner { ... { name } } }
        fragment Colour on Item { c c @skip(if: false) }
        """
      let expected = try database.query(plain).jsonString
      #expect(try database.query(written).jsonString == expected, "seed \(seed): \(written)")
      let renamed = plain.replacing("{ Item(", with: "{ other: Item(").replacing("owner {", with: "boss: owner {")
      let found = try database.query(renamed).jsonString
      let names = found.replacing("{\"other\":", with: "{\"Item\":").replacing("\"boss\":", with: "\"owner\":")
      #expect(names == expected, "seed \(seed): \(renamed)")
    }
  }

  @Test(arguments: MetamorphicData.seeds(8)) func aggregatesAreThoseOfTheList(_ seed: UInt64) throws {
    try run(seed) { database, predicates in
      let condition = predicates.truth()
      let answer = try database.query(
        """
        {
          list: Item(where: \(condition)) { i f }
          n: count(Item(where: \(condition))) s: sum(Item(where: \(condition)).i) k: count(Item(where: \(condition)).i)
          least: min(Item(where: \(condition)), i) most: max(Item(where: \(condition)).i) a: avg(Item(where: \(condition)).i)
          all: collect(Item(where: \(condition)).i) once: distinct(Item(where: \(condition)).f)
          some: exists(Item(where: \(condition)))
          groups: Item(where: \(condition), groupBy: []) { n: count() s: sum(i) }
          by: Item(where: \(condition), groupBy: c) { n: count() s: sum(i) }
        }
        """
      ).value
      let values = (answer["list"]?.list ?? []).map { $0["i"] ?? .null }
      let numbers = values.compactMap(\.int)
      let sum = numbers.reduce(0, +)
      #expect(
        answer["n"] == .int(Int64(values.count)) && answer["k"] == .int(Int64(numbers.count)), "\(seed): \(condition)")
      #expect(answer["s"] == .int(sum) && answer["some"] == .bool(!values.isEmpty), "\(seed): \(condition)")
      #expect(answer["least"] == numbers.min().map { .int($0) } ?? .null, "\(seed): \(condition)")
      #expect(answer["most"] == numbers.max().map { .int($0) } ?? .null, "\(seed): \(condition)")
      #expect(answer["all"]?.list?.compactMap(\.int) == numbers, "\(seed): \(condition)")
      let mean = numbers.isEmpty ? nil : Double(sum) / Double(numbers.count)
      #expect(answer["a"]?.double == mean, "\(seed): \(condition)")
      var once: [Value] = []
      for element in answer["list"]?.list ?? [] {
        if let value = element["f"], value != .null, !once.contains(value) { once.append(value) }
      }
      #expect(answer["once"]?.list == once, "\(seed): \(condition)")
      #expect(answer["groups"]?[0]?["n"] == .int(Int64(values.count)), "\(seed): \(condition)")
      let groups = answer["by"]?.list ?? []
      #expect(groups.compactMap { $0["n"]?.int }.reduce(0, +) == Int64(values.count), "\(seed): \(condition)")
      #expect(groups.compactMap { $0["s"]?.int }.reduce(0, +) == sum, "\(seed): \(condition)")
    }
  }
}
