import GQLite
import TestClocks
import Testing

/// Changes whose condition every entity meets are refused unless they say `all: true`; all others run.
@Suite struct CertainTruthTests {
  private static let schema = """
    enum Level { LOW HIGH }
    enum Only { ONE }
    type U { id: ID! age: Int! n: Int name: String! nick: String flag: Boolean! maybe: Boolean level: Level! rank: Level
      only: Only! price: Float! us: [U!]! v: V }
    type V { id: ID! n: Int! }
    """

  private static let database: Database? = try? {
    let database = try Database(schema: schema)
    try database.load([
      .lines(
        "U",
        """
        {"id":1,"age":3,"name":"a","flag":true,"level":"LOW","only":"ONE","price":1.5,"us":[2],"v":1}
        {"id":2,"age":5,"n":1,"name":"b","nick":"bb","flag":false,"maybe":true,"level":"HIGH","rank":"LOW","only":"ONE","price":2}
        """), .lines("V", "{\"id\":1,\"n\":1}"),
    ])
    return database
  }()

  /// The code of the refusal; nil if the update ran.
  private func refusal(_ condition: String, _ declared: String = "", _ variables: [String: Value] = [:]) throws
    -> String?
  {
    let database = try #require(Self.database)
    let text = "mutation\(declared) { updateU(where: \(condition), set: {price: 1}) { id } }"
    do {
      _ = try database.query(text, variables)
      return nil
    } catch { return error.problems.map(\.code).joined(separator: " ") }
  }

  @Test(
    "what holds for every entity is refused",
    arguments: [
      // Choices between values that are all true, or of which only those that are true are taken.
      "if(true, true, false)", "if(age > 3, true, true)", "if(flag, true, not flag)", "if(false, age > 3, true)",
      "if(n > 3, age == age, id == id)", "not if(n > 3, false, false)", "if(id == id, true, n > 3)",
      "coalesce(null, true)", "coalesce(n >= n, true)", "coalesce(null, n > 3 or true)",
      "coalesce(n > 3, true) or true",
      // Calls over nothing.
      "every([], false)", "none([], true)", "every([], ^.age > 3)", "every([1, 2], . > 0)", "some([1], . == 1)",
      "every(us(limit: 0), false)", "none(us(where: 1 == 2))", "every(us, age == age)", "not exists(us(limit: 0))",
      // The entity is one of all.
      ". in U", "exists(U)", "count(U) > 0", "some(U, true)", "not (none(U))", "some(U(where: id == id), . == ^)",
      // What a live entity is.
      "_status == CREATED", "_status != DELETED", "_status in [CREATED, DELETED]", "_status in [CREATED]",
      #"__typename == "U""#, #"__typename in ["V", "U"]"#,
      // All values that there are.
      "flag in [true, false]", "level in [LOW, HIGH]", "level >= LOW", "level <= HIGH", "only == ONE", "only != null",
      "rank in [LOW, HIGH, null]", "rank == LOW or rank != LOW", "flag == true or flag == false",
      "maybe or not maybe or maybe == null", "level == LOW or level == HIGH",
      "coalesce(maybe, true) or not coalesce(maybe, true)",
      // Bounds that nothing is beyond.
      "length(name) >= 0", #"name >= """#, "age >= -9223372036854775808", "age > -1e300", "count(us) > -1",
      "age in -9223372036854775808..9223372036854775807",
      // Patterns that every text matches.
      #"name contains """#, #"name =~ ".*""#, #"name =~ "^""#, #"name like "%%""#, #"lower(name) like "%""#,
      // Constants, however they are computed.
      #"lower("A") == "a""#, #""abc" contains "b""#, "length(\"abc\") == 3", "try(true)", "1 + 1 == 2", "not (1 > 2)",
      "sqrt(4.0) > 1", "[1] contains 1", "1 in [1, 2]", "n not in []", "(true)", "true and (age > 3 or true)",
      "{}", "{or: [{}]}", "{and: []}", "{us: {every: {}}}", "{not: {or: []}}",
    ]) func certain(_ condition: String) throws
  {
    #expect(try refusal(condition) == "unconditional-change", "\(condition)")
  }

  @Test(
    "what some entity may fail is a condition",
    arguments: [
      "if(age > 3, true, false)", "if(n > 3, true)", "if(flag, true, flag)", "coalesce(maybe, true)",
      "coalesce(maybe, false)", "every([1], ^.age > 3)", "every(us, age > 3)", "none(us)", "exists(us)", "exists(V)",
      "count(V) > 0", "count(U) > 1", "some(U, age > 3)", "some(U(where: age > 3), . == ^)", "exists(U(offset: 1))",
      "_status == DELETED", "flag", "flag in [true]", "level == LOW", "level > LOW", "rank in [LOW, HIGH]",
      "rank == LOW or rank == HIGH", "maybe or not maybe", "n >= n", "n == 1 or n < 1", "length(nick) >= 0",
      "nick like \"%\"", "nick contains \"\"", #"name like """#, #"name > """#, "age > -9223372036854775808",
      "age >= 0",
      "price >= -1e308", "n not in [1]", "v.n == v.n and v.n >= 0", "false", "not true", "every([true], false)",
      #"name =~ "^$""#, "some([], true)",
    ]) func open(_ condition: String) throws
  {
    #expect(try refusal(condition) == nil, "\(condition)")
  }

  @Test("what hangs on variables is asked for each run") func variables() throws {
    let cases: [(condition: String, declared: String, refused: [Value], run: [Value])] = [
      ("$x", "($x: Boolean!)", [.bool(true)], [.bool(false)]),
      ("$x or age > 3", "($x: Boolean!)", [.bool(true)], [.bool(false)]),
      ("if($x, true, age > 3)", "($x: Boolean!)", [.bool(true)], [.bool(false)]),
      ("not $x and id == id", "($x: Boolean!)", [.bool(false)], [.bool(true)]),
      ("coalesce($x, true)", "($x: Boolean)", [.null, .bool(true)], [.bool(false)]),
      ("name contains $x", "($x: String!)", [.string("")], [.string("a")]),
      ("name like $x", "($x: String!)", [.string("%"), .string("%%")], [.string(""), .string("a%"), .string("%\n")]),
      ("name =~ $x", "($x: String!)", [.string(""), .string(".*")], [.string("b+"), .string("^b")]),
      ("name >= $x", "($x: String!)", [.string("")], [.string("a")]),
      ("age >= $x", "($x: Int!)", [.int(.min)], [.int(0)]),
      ("count(us) >= $x", "($x: Int!)", [.int(0), .int(-1)], [.int(1)]),
      ("$x > 3", "($x: Int!)", [.int(4)], [.int(3)]),
      ("1 / $x > 0 or age > 3", "($x: Float!)", [.double(2)], [.double(-2)]),
      ("id not in $x", "($x: [ID!]!)", [.list([])], [.list([.int(1)])]),
      ("every($x, . > 3)", "($x: [Int!]!)", [.list([]), .list([.int(4)])], [.list([.int(3)])]),
      ("every($x, . > ^.age)", "($x: [Int!]!)", [.list([])], [.list([.int(3)])]),
      (
        "level in $x", "($x: [Level!]!)", [.list([.string("LOW"), .string("HIGH")])],
        [.list([.string("LOW")]), .list([])]
      ),
    ]
    for test in cases {
      for value in test.refused {
        #expect(
          try refusal(test.condition, test.declared, ["x": value]) == "unconditional-change",
          "\(test.condition) \(value)")
      }
      for value in test.run {
        #expect(try refusal(test.condition, test.declared, ["x": value]) == nil, "\(test.condition) \(value)")
      }
    }
    // What cannot be computed before is no reason to refuse, and an error where it is needed.
    #expect(try refusal("1 / $x > 0 or age > 3", "($x: Float!)", ["x": .double(0)]) == "division-by-zero")
  }

  @Test("a long condition is asked about in no time") func long() throws {
    let nested = String(repeating: "if(flag, true, ", count: 120) + "age > 3" + String(repeating: ")", count: 120)
    let coalesced = String(repeating: "coalesce(maybe, ", count: 120) + "age > 3" + String(repeating: ")", count: 120)
    for condition in [nested, coalesced, (0..<400).map { "age != \($0)" }.joined(separator: " and ")] {
      var code: String? = "none"
      let time = try ThreadTime.measure { code = try refusal(condition) }
      #expect(code == nil && time < .seconds(5), "\(time)")
    }
  }

  /// Choices that all hang on variables; what they hang on does not double with each.
  @Test("long choices are told apart", .timeLimit(.minutes(1)), arguments: [3, 60, 400]) func longChoices(_ count: Int)
    throws
  {
    let choices = (0..<count).map { _ in "age < $m, $a" }.joined(separator: ", ")
    let condition = "if(\(choices), $a)"
    for (value, expected) in [(true, "unconditional-change"), (false, nil)] as [(Bool, String?)] {
      #expect(
        try refusal(condition, "($m: Int, $a: Boolean)", ["m": .int(4), "a": .bool(value)]) == expected, "\(value)")
    }
  }
}
