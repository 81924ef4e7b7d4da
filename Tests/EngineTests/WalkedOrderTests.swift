import Foundation
import GQLPlanner
import GQLRewriter
import GQLite
import Testing

/// Orders of several terms against a sorted array: ties, nulls first and last, both directions, mixed ones, with
/// equalities and ranges, offsets and cursors, after changes, under several plans. Ids ascend with insertion or do not;
/// they are numbers or texts.
@Suite struct WalkedOrderTests {
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["GQLITE_SEED"].flatMap { UInt64($0) } ?? 1
    return (0..<20).map { first &+ $0 }
  }()

  private static let plans: [PlannerOptions] =
    [PlannerOptions(), PlannerOptions(forcing: .scanOnly), PlannerOptions(disabledRules: Set(RewriteRule.allCases))]
    + (1...4).map { PlannerOptions(forcing: .alternative($0)) } + [PlannerOptions(rowsBeforeRetreat: 2)]

  private static let sdl = """
    type M @index(fields: ["a", "b"]) @index(fields: ["k", "b", "a"]) @index(fields: ["b", "k"])
      @unique(fields: ["u", "k"]) {
      id: ID!
      a: Int @index
      b: Int! @index
      c: String @index
      k: Int!
      u: Int!
    }
    """

  private struct Row {
    var id: Int
    var isText = false
    /// The id as documents and answers have it.
    var idText: String { isText ? "\"m\(String(id + 10_000_000).dropFirst())\"" : "\(id)" }
    var a: Int?
    var b: Int
    var c: String?
    var k: Int
    var u: Int
  }

  private struct Term {
    var field: String
    var isDescending: Bool
    var nullsFirst: Bool

    var text: String {
      if nullsFirst { return "\(isDescending ? "desc" : "asc")(\(field), nulls: FIRST)" }
      return (isDescending ? "-" : "") + field
    }

    /// Returns whether one row stands before another; nil for neither.
    func isBefore(_ left: Row, _ right: Row) -> Bool? {
      func compare<Value: Comparable>(_ left: Value?, _ right: Value?) -> Bool? {
        switch (left, right) {
        case (nil, nil): nil
        case (nil, _): nullsFirst
        case (_, nil): !nullsFirst
        case (let left?, let right?): left == right ? nil : (left < right) != isDescending
        }
      }
      switch field {
      case "id": return compare(left.id, right.id)
      case "a": return compare(left.a, right.a)
      case "b": return compare(left.b, right.b)
      case "c": return compare(left.c, right.c)
      case "k": return compare(left.k, right.k)
      default: return compare(left.u, right.u)
      }
    }
  }

  @Test("lists in the order of several terms are those of a sorted array", arguments: seeds)
  func agreement(_ seed: UInt64) throws { _ = try check(seed) }

  /// The planner takes a part of an order from an index in some of the queries, so that the others test something.
  @Test func ordersAreWalked() throws {
    let walks = try Self.seeds.prefix(6).reduce(0) { try $0 + check($1) }
    #expect(walks > 0)
  }

  /// A page is read from the index, and not the type.
  @Test func readsThePage() throws {
    let database = try Database(schema: Self.sdl)
    let lines = (0..<5_000).map { #"{"id": \#($0), "a": 1, "b": \#($0 / 3), "k": 0, "u": \#($0)}"# }
    try database.load([.lines("M", lines.joined(separator: "\n"))])
    let prepared = try database.prepare("{ M(orderBy: [-b, -id], limit: 4) { id } }")
    // 4,998 and 4,999 have the greatest value, 4,995 to 4,997 the next. Ids that are loaded as numbers print so.
    #expect(try prepared.run().jsonString == #"{"M":[{"id":4999},{"id":4998},{"id":4997},{"id":4996}]}"#)
    let plan = try prepared.explain(analyze: true)
    #expect(plan.contains("ties sorted by -id"))
    let read = try #require(plan.firstMatch(of: /actual (\d+) →/)?.output.1)
    #expect(try #require(Int(read)) < 100)
  }

  /// Rows that agree in what an index has stand by their ids where ids ascend with insertion, and no longer.
  @Test func idsBreakTies() throws {
    let database = try Database(schema: Self.sdl)
    let lines = (1..<5_000).map { #"{"id": \#($0), "a": 1, "b": \#($0 / 3), "k": 0, "u": \#($0)}"# }
    try database.load([.lines("M", lines.joined(separator: "\n"))])
    let prepared = try database.prepare("{ M(orderBy: [-b, id], limit: 4) { id } }")
    #expect(try prepared.run().jsonString == #"{"M":[{"id":4998},{"id":4999},{"id":4995},{"id":4996}]}"#)
    #expect(try prepared.explain(analyze: true).contains("actual 4 → 4 rows"))
    try database.run("mutation { insertM(data: {id: 0, b: 1666, k: 0, u: 0}) { id } }")
    #expect(try prepared.run().jsonString == #"{"M":[{"id":0},{"id":4998},{"id":4999},{"id":4995}]}"#)
    #expect(try prepared.explain().contains("ties sorted by id"))
  }

  /// A join on computed texts is made once, and holds texts that ties are compared with.
  @Test func tiesByJoinsOnComputedTexts() throws {
    let database = try Database(
      schema: "type User { id: Int! age: Int @index name: String! } type Pet { id: Int! owner: String! }")
    func name(_ id: Int) -> String { "a name that is rather long, number \(100_000 + id)" }
    func petCount(_ id: Int) -> Int { id * 7 % 4 }
    var users: [String] = []
    var pets: [String] = []
    for id in 0..<3_000 {
      // Ten users have each age. The first twelve are the ten of 600 and two of 599; nulls stand last.
      let age = id % 50 == 37 ? "null" : "\(600 - id / 10)"
      users.append(#"{"id": \#(id), "age": \#(age), "name": "\#(name(id))"}"#)
      for _ in 0..<petCount(id) {
        pets.append(#"{"id": \#(pets.count), "owner": "\#(name(id).uppercased())"}"#)
      }
    }
    try database.load([.lines("User", users.joined(separator: "\n")), .lines("Pet", pets.joined(separator: "\n"))])
    let ids = [0..<10, 10..<20].flatMap { $0.sorted { (-petCount($0), $0) < (-petCount($1), $1) } }.prefix(12)
    let expected = #"{"User":[\#(ids.map { "{\"id\":\($0)}" }.joined(separator: ","))]}"#
    let order = "orderBy: [-age, -count(Pet(where: lower(owner) == lower(^.name)))]"
    let first = try database.prepare("{ User(\(order), limit: 12) { id } }")
    #expect(try first.run().jsonString == expected)
    #expect(try first.run(planner: PlannerOptions(forcing: .scanOnly)).jsonString == expected)
    // The same by pages of three.
    var cursor: Value = .null
    var paged: [Int] = []
    let page = try database.prepare("query($c: Cursor) { User(\(order), limit: 3, after: $c) { id _cursor } }")
    for _ in 0..<4 {
      let answer = try page.run(["c": cursor]).jsonString
      paged += answer.matches(of: /"id":(\d+)/).compactMap { Int($0.output.1) }
      cursor = .string(String(try #require(answer.matches(of: /"_cursor":"([^"]*)"/).last?.output.1)))
    }
    #expect(paged == Array(ids))
  }

  /// Compares lists and pages of random queries; returns how many plans take a part of the order from an index.
  private func check(_ seed: UInt64) throws -> Int {
    var random = SeededRandom(seed: seed)
    let database = try Database(schema: Self.sdl)
    var rows = (0..<(random.chance(20) ? 5 : 400)).map { Self.row($0, &random) }
    if random.chance(30) { for place in rows.indices { rows[place].isText = true } }
    if random.chance(40) { for place in rows.indices { rows.swapAt(place, random.below(rows.count)) } }
    var lines = ""
    for row in rows {
      lines += """
        {"id": \(row.idText), "a": \(row.a.map { "\($0)" } ?? "null"), "b": \(row.b), \
        "c": \(row.c.map { "\"\($0)\"" } ?? "null"), "k": \(row.k), "u": \(row.u)}

        """
    }
    try database.load([.lines("M", lines)])
    var walks = 0
    for number in 0..<60 {
      if number % 10 == 9 { try change(&rows, database, &random) }
      let query = RandomList(&random)
      let expected = query.members(rows)
      let isText = rows.first?.isText ?? false
      let plan = random.pick(Self.plans)
      let prepared = try database.prepare("{ M(\(query.arguments(isText))) { id } }")
      let answer = try prepared.run(planner: plan).jsonString
      let wanted = #"{"M":[\#(query.slice(expected).map { #"{"id":\#($0.idText)}"# }.joined(separator: ","))]}"#
      if answer != wanted {
        Issue.record(
          "seed \(seed), \(number): \(query.arguments(isText)) by \(plan)\nexpected \(wanted)\n     got \(answer)")
        return walks
      }
      if try prepared.explain().contains(", ties ") { walks += 1 }
      let (text, values) = query.aggregates(rows, &random)
      let found = try database.prepare(text).run(planner: random.pick(Self.plans)).jsonString
      if found != values {
        Issue.record("seed \(seed), \(number): \(text)\nexpected \(values)\n     got \(found)")
        return walks
      }
      if let problem = try pages(query, isText, expected, database, plan) {
        Issue.record("seed \(seed), \(number): pages of \(query.arguments(isText)) by \(plan)\n\(problem)")
        return walks
      }
    }
    return walks
  }

  /// Compares the pages of a list, each after the one before, with all of it.
  private func pages(
    _ query: RandomList, _ isText: Bool, _ expected: [Row], _ database: Database, _ plan: PlannerOptions
  ) throws -> String? {
    let prepared = try database.prepare("query ($c: Cursor) { M(\(query.pageArguments(isText))) { id _cursor } }")
    var cursor: Value = .null
    var start = 0
    while start <= expected.count, start < 40 {
      let answer = try prepared.run(["c": cursor], planner: plan).jsonString
      let found = answer.matches(of: /"id":"?m?(\d+)/).compactMap { Int($0.output.1) }
      let wanted = Array(expected.dropFirst(start).prefix(query.limit).map(\.id))
      if found != wanted { return "after \(start): expected \(wanted), got \(found)" }
      guard let last = answer.matches(of: /"_cursor":"([^"]*)"/).last?.output.1 else { return nil }
      cursor = .string(String(last))
      start += found.count
    }
    return nil
  }

  private static func row(_ id: Int, _ random: inout SeededRandom) -> Row {
    Row(
      id: id, a: random.chance(30) ? nil : random.below(6) - 3, b: random.below(5),
      c: random.chance(30) ? nil : random.pick(["", "a", "ab", "abc long enough for memory", "b"]), k: random.below(3),
      u: id * 7 % 10009)
  }

  /// Deletes, changes and adds some rows.
  private func change(_ rows: inout [Row], _ database: Database, _ random: inout SeededRandom) throws {
    for _ in 0..<10 where !rows.isEmpty {
      let place = random.below(rows.count)
      if random.chance(50) {
        _ = try database.query("mutation { deleteM(where: id == \(rows[place].idText)) }")
        rows.remove(at: place)
      } else {
        rows[place].a = random.chance(30) ? nil : random.below(6) - 3
        rows[place].b = random.below(5)
        let a = rows[place].a.map { "\($0)" } ?? "null"
        _ = try database.query(
          "mutation { updateM(where: id == \(rows[place].idText), set: {a: \(a), b: \(rows[place].b)}) { id } }")
      }
    }
    var new = Self.row((rows.map(\.id).max() ?? 0) + 1000, &random)
    new.isText = rows.first?.isText ?? false
    let (a, c) = (new.a.map { "\($0)" } ?? "null", new.c.map { "\"\($0)\"" } ?? "null")
    _ = try database.query(
      "mutation { insertM(data: {id: \(new.idText), a: \(a), b: \(new.b), c: \(c), k: \(new.k), u: \(new.u)}) { id } }")
    rows.append(new)
  }

  private struct RandomList {
    var terms: [Term]
    var k: Int?
    var least: Int?
    /// Bounds of ids, the upper one exclusive.
    var from: Int?
    var to: Int?
    var limit: Int
    var offset: Int

    init(_ random: inout SeededRandom) {
      let fields = ["a", "b", "c", "k", "id", "u", "b", "a"]
      terms = (0..<(1 + random.below(3))).map { _ in
        let field = random.pick(fields)
        return Term(field: field, isDescending: random.chance(50), nullsFirst: random.chance(25))
      }
      if random.chance(40) {
        let descending = random.chance(60)
        terms = [("b", false), ("a", random.chance(50))].map {
          Term(field: $0.0, isDescending: descending, nullsFirst: $0.1)
        }
      }
      k = random.chance(35) ? random.below(4) : nil
      least = random.chance(25) ? random.below(5) : nil
      from = random.chance(25) ? random.below(500) - 20 : nil
      to = random.chance(25) ? random.below(3000) : nil
      if random.chance(20) { terms = [Term(field: "id", isDescending: random.chance(50), nullsFirst: false)] }
      limit = 1 + random.below(random.chance(20) ? 60 : 9)
      offset = random.chance(40) ? random.below(12) : 0
    }

    private func condition(_ isText: Bool) -> String {
      func id(_ number: Int) -> String { Row(id: max(0, number), isText: isText, b: 0, k: 0, u: 0).idText }
      let conditions = [
        k.map { "k == \($0)" }, least.map { "b >= \($0)" }, from.map { "id >= \(id($0))" }, to.map { "id < \(id($0))" },
      ].compactMap { $0 }
      return conditions.isEmpty ? "" : "where: \(conditions.joined(separator: " and ")), "
    }
    private var order: String { "orderBy: [\(terms.map(\.text).joined(separator: ", "))], limit: \(limit)" }
    func arguments(_ isText: Bool) -> String { condition(isText) + order + (offset > 0 ? ", offset: \(offset)" : "") }
    func pageArguments(_ isText: Bool) -> String { condition(isText) + order + ", after: $c" }

    private func kept(_ rows: [Row]) -> [Row] {
      rows.filter { row in
        (k.map { row.k == $0 } ?? true) && (least.map { row.b >= $0 } ?? true)
          && (from.map { row.id >= $0 } ?? true) && (to.map { row.id < $0 } ?? true)
      }
    }

    /// Returns a query of aggregates over the members, and its answer.
    func aggregates(_ rows: [Row], _ random: inout SeededRandom) -> (text: String, answer: String) {
      let kept = kept(rows)
      let condition = condition(rows.first?.isText ?? false).dropLast(2)
      let all = condition.isEmpty ? "M" : "M(\(condition))"
      func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "null" }
      var last = all.hasSuffix(")") ? String(all.dropLast()) + ", " : all + "("
      last += random.chance(50) ? "orderBy: [b, -id])" : "orderBy: id)"
      let isByID = last.hasSuffix("orderBy: id)")
      let lastRow = kept.max { isByID ? $0.id < $1.id : ($0.b, -$0.id) < ($1.b, -$1.id) }
      let distinct = all.hasSuffix(")") ? String(all.dropLast()) + ", " : all + "("
      var seen: Set<String> = []
      let texts = kept.compactMap(\.c).filter { seen.insert($0).inserted }.map { "\"\($0)\"" }
      let parts: [(String, String, String)] = [
        ("p", "min(\(all), id)", text(kept.min { $0.id < $1.id }?.idText)),
        ("q", "max(\(all), id)", text(kept.max { $0.id < $1.id }?.idText)),
        ("r", "min(\(all), a)", text(kept.compactMap(\.a).min())),
        ("s", "max(\(all), a)", text(kept.compactMap(\.a).max())),
        ("t", "max(\(all), b)", text(kept.map(\.b).max())),
        ("u", "last(\(last), u)", text(lastRow?.u)),
        ("v", "count(distinct(\(all).a))", "\(Set(kept.compactMap(\.a)).count)"),
        ("w", "count(\(distinct)distinctOn: a))", "\(Set(kept.map(\.a)).count)"),
        ("x", "distinct(\(all).c)", "[\(texts.joined(separator: ","))]"),
      ]
      return (
        "{ " + parts.map { "\($0.0) := \($0.1)" }.joined(separator: " ") + " }",
        "{" + parts.map { "\"\($0.0)\":\($0.2)" }.joined(separator: ",") + "}"
      )
    }

    func members(_ rows: [Row]) -> [Row] {
      kept(rows).enumerated().sorted { left, right in
        for term in terms {
          if let isBefore = term.isBefore(left.element, right.element) { return isBefore }
        }
        return left.offset < right.offset
      }.map(\.element)
    }

    func slice(_ members: [Row]) -> [Row] { Array(members.dropFirst(offset).prefix(limit)) }
  }
}
