import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLParser
import GQLPlanner
import GQLStore
import Testing

@testable import GQLEngine

/// Answers by indexes over elements of lists are those of a scan, in every version, whatever was written since.
@Suite struct ElementIndexTests {
  private static let schema = """
    enum Color { RED GREEN BLUE }
    type Doc @elements(fields: ["tags", "others"], name: "both") {
      id: ID! tags: [String] others: [String!]! numbers: [Int] @elements rates: [Float!] @elements
      prices: [Decimal] @elements colors: [Color!] @elements flags: [Boolean] @elements keys: [ID!] @elements
    }
    """
  private static let words = [
    "a", "b", "swift", "a text that is longer than a view holds", "a text that is longer than a view h0lds", "",
  ]
  private static let conditions = [
    "tags contains $t", "$t in tags", "others contains $t", "tags contains $t and others contains \"a\"",
    "tags contains $t and tags contains \"b\"", "tags contains null", "tags contains $t or numbers contains $n",
    "numbers contains $n", "numbers contains 2 and numbers contains $n", "rates contains -0.0", "rates contains 1.5",
    "prices contains 1.50", "prices contains $n", "colors contains GREEN", "colors contains RED and $t in others",
    "flags contains true", "flags contains false", "keys contains \"7\"", "keys contains $t", "not (tags contains $t)",
    "id == \"3\" or tags contains $t", "some(Doc, others contains ^.id)", "$n in numbers and id > \"5\"",
  ]

  private static func list(_ random: inout SeededRandom, _ values: [String], nulls: Bool) -> String {
    let all = nulls ? values + ["null"] : values
    return "[" + (0..<random.below(4)).map { _ in random.pick(all) }.joined(separator: ", ") + "]"
  }

  private static func fields(_ random: inout SeededRandom) -> String {
    let words = words.map { "\"\($0)\"" }
    return "tags: \(random.below(8) == 0 ? "null" : list(&random, words, nulls: true)), "
      + "others: \(list(&random, words, nulls: false)), "
      + "numbers: \(list(&random, ["1", "2", "3", "-9000000000"], nulls: true)), "
      + "rates: \(list(&random, ["0.0", "-0.0", "1.5", "1e300"], nulls: false)), "
      + "prices: \(list(&random, ["1.5", "1.50", "2", "3.00"], nulls: true)), "
      + "colors: \(list(&random, ["RED", "GREEN", "BLUE"], nulls: false)), "
      + "flags: \(list(&random, ["true", "false"], nulls: true)), "
      + "keys: \(list(&random, ["\"7\"", "\"a\"", "\"b\""], nulls: false))"
  }

  @Test(arguments: 0..<4) func everyVersionAgrees(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed) &* 7919 &+ 11)
    let database = try Database(schema: Self.schema)
    var versions: [(snapshot: Snapshot, answers: [String])] = []
    for round in 0..<4 {
      for _ in 0..<40 {
        let id = random.below(60)
        switch random.below(10) {
        case 0: _ = try database.query("mutation { deleteDoc(where: id == \"\(id)\") { id } }")
        case 1...3:
          _ = try database.query(
            "mutation { updateDoc(where: id == \"\(id)\", set: {\(Self.fields(&random))}) { id } }")
        default:
          _ = try database.query("mutation { upsertDoc(data: {id: \"\(id)\", \(Self.fields(&random))}) { id } }")
        }
      }
      let snapshot = database.current
      #expect(snapshot.check().isEmpty, "seed \(seed), round \(round)")
      versions.append((snapshot, try Self.conditions.map { try answer($0, "SCAN", snapshot) }))
    }
    var forced = 0
    for (round, version) in versions.enumerated() {
      for (condition, expected) in zip(Self.conditions, version.answers) {
        let place = "seed \(seed), round \(round): \(condition)"
        #expect(try answer(condition, nil, version.snapshot) == expected, "\(place)")
        let other = try answer(condition, "ELEMENTS", version.snapshot)
        if other == "impossible" { continue }
        forced += 1
        #expect(other == expected, "\(place), forced")
      }
    }
    // All but "not", "or" with an id, and the correlated one, which is forced within.
    #expect(forced >= 4 * 17)
  }

  private func answer(_ condition: String, _ access: String?, _ snapshot: Snapshot) throws -> String {
    let using = access.map { " @using(access: \($0))" } ?? ""
    let text = "query($t: String!, $n: Int!) { Doc(where: \(condition))\(using) { id } }"
    let document = parse(SourceText(name: "q", text: text)).output
    let operation = try #require(operations(of: document).first)
    let bound = bind(document, operation: operation, catalog: snapshot.catalog)
    let query = try #require(bound.output, "\(bound.diagnostics)")
    let parameters: [GQLCatalog.Value?] = [.string(Text("a")), .int(2)]
    let plan = optimize(query, catalog: snapshot.catalog, statistics: snapshot, parameters: parameters)
    if !plan.diagnostics.isEmpty { return "impossible" }
    var output = ByteBuffer()
    try Executable(plan.output, catalog: snapshot.catalog)
      .run(snapshot, parameters: parameters, limits: .none, cancellation: nil, into: &output)
    return output.string
  }
}
