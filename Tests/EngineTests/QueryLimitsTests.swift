import GQLite
import TestClocks
import Testing

/// Every limit has a document or a run that passes it, which is told its name, and that a higher limit lets through.
@Suite struct QueryLimitsTests {
  private static let database: Database? = try? {
    let database = try Database(schema: "type N { id: ID! n: Int! text: String! next: N }")
    var text = ""
    for id in 0..<3000 {
      text += "{\"id\":\(id),\"n\":\(id % 7),\"text\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"next\":\((id + 1) % 3000)}\n"
    }
    try database.load([.lines("N", text)])
    return database
  }()

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var query: String
    var low: Int
    var high: Int
    var testDescription: String { name }
  }

  private static let many = (0..<9_000).map { "a\($0): n" }.joined(separator: " ")

  /// Limits that no error names, with the tests that hold them.
  private static let others: Set<String> = ["problems", "live-queries", "live-bytes"]

  @Test("every limit has a case") func everyLimit() {
    #expect(Set(Self.cases.map(\.name)).union(Self.others) == Set(QueryLimits.names))
  }

  @Test("no more problems are reported than the limit, in a document and in its syntax")
  func problems() throws {
    let database = try #require(Self.database)
    for text in [
      "{ N { a b c d e f } }", "{ N { id(a: ) id(a: ) id(a: ) id(a: ) id(a: ) } }",
      "{ x := \u{1} \u{1} \u{1} \u{1} \u{1} }",
    ] {
      var limits = QueryLimits.standard
      func count(_ most: Int) throws -> Int {
        limits.problems = most
        do {
          let document = try QueryDocument(name: "q", bytes: Array(text.utf8), dialect: .extended, limits: limits)
          _ = try database.prepareAll(document)
        } catch { return error.problems.count { $0.severity == .error } }
        return 0
      }
      let all = try count(100)
      #expect(all > 3, "\(text)")
      #expect(try count(2) <= 2, "\(text)")
    }
  }

  /// The strict profile has each limit, and none is looser than the standard one.
  @Test("the strict profile bounds everything") func strictProfile() throws {
    let database = try #require(Self.database)
    for example in Self.cases {
      var limits = QueryLimits.serve
      _ = limits.set(example.name, to: example.low)
      let found = problem {
        let document = try QueryDocument(
          name: "q", bytes: Array(example.query.utf8), dialect: .extended, limits: limits)
        for query in try database.prepareAll(document) { _ = try query.run() }
      }
      #expect(found != nil, "\(example.name)")
    }
    let mirror = Mirror(reflecting: QueryLimits.serve)
    for (label, value) in mirror.children {
      #expect("\(value)" != "nil", "\(label ?? "")")
    }
  }

  static let cases = [
    Case(name: "document-bytes", query: "{ N(limit: 1) { id } }", low: 21, high: 22),
    Case(name: "tokens", query: "{ N(limit: 1) { id } }", low: 10, high: 11),
    Case(name: "nesting", query: "{ N(limit: 1) { next { next { id } } } }", low: 3, high: 4),
    Case(name: "fields", query: "{ N(limit: 1) { id n text } }", low: 2, high: 3),
    Case(
      name: "expansion",
      query: "{ N(limit: 1) { ...A ...A } } fragment A on N { next { id n text next { id n text } } }",
      low: 10, high: 40),
    Case(name: "visited-rows", query: "{ x: count(N(where: n + 0 == 3)) }", low: 2000, high: 3000),
    Case(name: "visited-rows", query: "{ N { id } }", low: 2999, high: 3000),
    Case(name: "visited-rows", query: "{ N(where: text contains \"b\") { id } }", low: 1023, high: 3000),
    Case(name: "answer-nodes", query: "{ N(limit: 10) { id } }", low: 9, high: 10),
    Case(name: "answer-bytes", query: "{ N(limit: 1) { id } }", low: 15, high: 16),
    Case(name: "memory", query: "{ N(orderBy: [text, -n]) { id } }", low: 10_000, high: 10_000_000),
    Case(name: "text-bytes", query: "{ x := padStart(\"\", 1000, \"ab\") }", low: 999, high: 1000),
    Case(name: "list-elements", query: "{ x := split(\"a,b,c\", \",\") }", low: 2, high: 3),
    // Texts of 28 bytes; as JSON there are two quotes, and commas, brackets and a name around them.
    Case(name: "text-bytes", query: "{ x := join(N(limit: 10), text, \",\") }", low: 288, high: 289),
    Case(name: "text-bytes", query: "{ x := {a: collect(N(limit: 10), text)} }", low: 316, high: 317),
    Case(name: "text-bytes", query: "{ N(limit: 1) { x := [text, text] } }", low: 62, high: 63),
    Case(name: "list-elements", query: "{ x := length(collect(N, n)) }", low: 2999, high: 3000),
    // Of 3,000 values.
    Case(name: "list-elements", query: "{ x := length(distinct(N.n)) }", low: 6, high: 7),
    Case(name: "list-elements", query: "{ N(groupBy: n) { x := length(collect(text)) } }", low: 428, high: 429),
    Case(
      name: "memory", query: "{ x := length(collect(N, padStart(\"\", n + 1000, text))) }", low: 2_000_000,
      high: 8_000_000),
    Case(name: "pattern-bytes", query: "{ x: count(N(where: text =~ \"aaaab\")) }", low: 4, high: 5),
    Case(name: "time", query: "{ N { id } }", low: 0, high: 600_000),
    Case(name: "fields", query: "{ N(limit: 1) { id let a := n let b := a } }", low: 2, high: 3),
    Case(name: "memory", query: "{ N(limit: 1) { \(many) } }", low: 1 << 20, high: 1 << 28),
    Case(name: "recursion-depth", query: "{ N(limit: 1) { next @recurse { id } } }", low: 100, high: 3000),
    Case(name: "recursion-entities", query: "{ N(limit: 1) { next @recurse { id } } }", low: 100, high: 3000),
    Case(name: "pattern-depth", query: "{ x := \"aaaaaaadz\" =~ \"^(a|b|c)*z\" }", low: 3, high: 100_000),
    Case(
      name: "pattern-memory", query: "{ x := concat(padStart(\"\", 2000, \"a\"), \"dz\") =~ \"^(a|b|c)*z\" }",
      low: 3072,
      high: 16 << 20),
    Case(
      name: "pattern-steps", query: "{ x: count(N(limit: 1, where: text =~ \"(a+)+$|(a+)+b\")) }", low: 1,
      high: 10_000_000),
  ]

  @Test(arguments: cases) func namesItself(_ example: Case) throws {
    let database = try #require(Self.database)
    func run(_ value: Int) throws {
      var limits = QueryLimits.standard
      let isKnown = limits.set(example.name, to: value)
      #expect(isKnown)
      let document = try QueryDocument(
        name: "q", bytes: Array(example.query.utf8), dialect: .extended, limits: limits)
      for query in try database.prepareAll(document) { _ = try query.run() }
    }
    let found = problem { try run(example.low) }
    let words = (found?.message ?? "") + " " + (found?.help ?? "")
    #expect(words.contains(example.name), "\(words)")
    try run(example.high)
  }

  @Test("a database has limits, and a run others") func levels() throws {
    let database = try Database(schema: "type N { id: ID! n: Int }")
    try database.load([.lines("N", (0..<50).map { "{\"id\":\($0)}" }.joined(separator: "\n"))])
    let before = try database.prepare("{ N { id } }")
    database.limits.answerNodes = 10
    #expect(database.limits != .standard)
    #expect(problem { _ = try database.query("{ N { id } }") }?.code == "limit-exceeded")
    // What was prepared before keeps its limits.
    #expect(try before.run().utf8.count > 50)
    #expect(try database.query("{ N { id } }", options: RunOptions(limits: .standard)).utf8.count > 50)
    #expect(try database.query("{ N { id } }", options: RunOptions(maximumNodes: 50)).utf8.count > 50)
    database.limits = .serve
    #expect(try database.query("{ N { id } }").utf8.count > 50)
    let deep = String(repeating: "(", count: 40) + "1" + String(repeating: ")", count: 40)
    #expect(problem { _ = try database.query("{ x := \(deep) }") }?.message.contains("32") == true)
  }

  /// Lists of a batch of a thousand elements are a thousand times all entities: 12 MB here, of which a call that goes
  /// through them holds a million rows at once.
  @Test(
    "memory and rows are looked at while the lists of a batch are made",
    arguments: [
      "{ U(limit: 1000) { x := sum(U, g + ^.g) } }",
      "{ U(limit: 1000) { boss { x := sum(subs, 1) } } }",
      "{ U(limit: 1000) { boss { x := sum(subs(orderBy: id), 1) } } }",
      "{ U(limit: 1000, orderBy: sum(boss.subs, 1)) { id } }",
      "{ U(groupBy: boss) { n: sum(_items, sum(boss.subs, 1)) } }",
      "{ U(limit: 1000) { boss { subs(groupBy: boss) { n: count() } } } }",
      "{ U(limit: 1000) { x := sum(U(where: g == ^.g), g + ^.g) } }",
      "{ U(groupBy: g) { _items(limit: 1000) { x := sum(U(where: g == ^.g), g + ^.g) } } }",
    ])
  func batches(_ text: String) throws {
    let database = try Database(
      schema: "type U { id: ID! g: Int @index(kind: HASH) boss: U @relation(inverse: \"subs\") subs: [U!]! }")
    try database.load([.lines("U", (0..<3000).map { "{\"id\":\($0),\"g\":1,\"boss\":0}\n" }.joined())])
    func code(memory: Int, rows: Int) -> String? {
      var limits = QueryLimits.standard
      limits.memory = memory
      limits.visitedRows = rows
      return problem { _ = try database.query(text, options: RunOptions(limits: limits)) }?.message
    }
    // Whichever is passed first is named.
    #expect(code(memory: 1 << 21, rows: 2_000_000)?.contains("2097152") == true)
    #expect(code(memory: 1 << 23, rows: 900_000)?.contains("visited-rows") == true)
  }

  @Test(
    "sorts, conditions and patterns look at their limits again and again",
    arguments: [
      "{ N(orderBy: [text, -n], limit: 10000000, offset: 299000) { id } }",
      "{ x: count(N(where: text =~ \"(x+x+)+y|(a|aa)+$\")) }",
      "{ N(orderBy: n * n % 11, limit: 3) { a: count(N(where: text contains ^.text and n > ^.n)) } }",
    ])
  func stops(_ text: String) throws {
    let database = try Database(schema: "type N { id: ID! n: Int! text: String! }")
    var lines = ""
    for id in 0..<60_000 {
      lines += "{\"id\":\(id),\"n\":\(id &* 7919 % 60_000),\"text\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\(id % 9)\"}\n"
    }
    try database.load([.lines("N", lines)])
    let query = try database.prepare(text)
    for delay in [0, 3, 10, 30] {
      let looks = LookRecorder(after: .milliseconds(delay))
      let options = RunOptions(cancellation: QueryCancellation { looks.look() })
      let code = looks.record { problem { _ = try query.run(options: options) } }?.code
      // The pattern that goes on and on has a limit of its own.
      #expect(code == "cancelled" || code == "pattern-limit" && text.contains("=~"))
      // Without optimization, and time in which others run does not count.
      #expect(looks.longest < .milliseconds(200), "\(looks.longest)")
    }
  }
}
