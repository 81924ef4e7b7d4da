import Foundation
import GQLPlanner
import GQLite
import Testing

/// Plans as data, and what `explain` measures of each of their steps.
@Suite struct PlanTreeTests {
  /// 100 users with 3 messages each; user 7 has messages of 70, 71 and 72 likes, and so on.
  private static func database() throws -> Database {
    let database = try Database(
      schema: """
        type User { id: ID! age: Int! @index city: String! messages: [Message!]! @relation(inverse: "author") }
        type Message { id: ID! likes: Int! author: User! @relation(inverse: "messages") }
        """)
    let users = (0..<100).map { #"{"id": \#($0), "age": \#($0), "city": "\#($0 % 2 == 0 ? "even" : "odd")"}"# }
    let messages = (0..<300).map { #"{"id": \#($0), "likes": \#($0 / 3 * 10 + $0 % 3), "author": \#($0 / 3)}"# }
    try database.load([.lines("User", users.joined(separator: "\n"))])
    try database.load([.lines("Message", messages.joined(separator: "\n"))])
    return database
  }

  private struct Step: Decodable {
    struct Actual: Decodable {
      var use: String
      var loops: Int
      var input: Int?
      var rows: Int
    }
    var label: String?
    var `operator`: String
    var rows: Double?
    var rowsEach: Double?
    var cost: Double?
    var actual: [Actual]?
    var inputs: [Step]?
    var dropped: [[String: JSONAny]]?

    func input(_ label: String) -> Step? { inputs?.first { $0.label == label } }
  }

  /// Any value of JSON, of which only the presence counts.
  private struct JSONAny: Decodable {
    init(from decoder: any Decoder) throws {}
  }

  private func plan(
    _ text: String, _ database: Database, analyze: Bool = true, costs: Bool = true
  ) throws -> [Step] {
    let json = try database.prepare(text).explainJSON(costs: costs, analyze: analyze)
    return try JSONDecoder().decode([Step].self, from: Data(json.utf8))
  }

  @Test func everyStepIsMeasured() throws {
    let database = try Self.database()
    let roots = try plan(
      "{ User(where: city == \"odd\" and age >= 90, orderBy: -id) { id messages(where: likes > 950) { id } } }",
      database)
    let user = try #require(roots.first)
    // 91, 93, 95, 97 and 99.
    #expect(user.actual?.first?.rows == 5)
    let access = try #require(user.input("access")?.actual?.first)
    let filter = try #require(user.input("filter")?.actual?.first)
    #expect(filter.input == access.rows && filter.rows == 5)
    #expect(user.input("order")?.actual?.first?.rows == 5)
    let messages = try #require(user.input("messages"))
    // Of 5 users 15 messages, of which the two later ones of 95 and all of 97 and 99 have more than 950 likes.
    #expect(messages.actual?.first?.loops == 5)
    #expect(messages.actual?.first?.input == 15)
    #expect(messages.actual?.first?.rows == 8)
    #expect(messages.input("filter")?.actual?.first?.input == 15)
    #expect(messages.rowsEach != nil)
  }

  @Test func callsAreMeasured() throws {
    let database = try Self.database()
    let roots = try plan(
      "{ User(where: count(messages) == 3 and some(messages, likes > ^.age * 9 + 98)) { id } n: count(User(where: age < 10)) }",
      database)
    let filter = try #require(roots[0].input("filter"))
    let uses = (filter.inputs ?? []).flatMap { $0.actual ?? [] }
    let counted = try #require(uses.first { $0.use == "count" })
    #expect(counted.loops == 100 && counted.rows == 300)
    // The greatest likes of user u are 10 u + 2: more than 9 u + 98 from 97 on.
    let tested = try #require(uses.first { $0.use == "exists" })
    #expect(tested.loops == 100 && tested.rows == 3)
    let count = try #require(roots[1].inputs?.first?.actual?.first)
    #expect(count.use == "count" && count.rows == 10 && count.loops == 1)
  }

  @Test func groupsAreMeasured() throws {
    let database = try Self.database()
    let text = try database.prepare("{ User(groupBy: city) { city n: count() } }").explain(analyze: true)
    #expect(text.contains("actual 2 groups"))
  }

  @Test func planWithoutRun() throws {
    let database = try Self.database()
    let roots = try plan("{ User(where: age > 5, limit: 3) { id } }", database, analyze: false)
    #expect(roots[0].actual == nil && roots[0].rows != nil && roots[0].cost != nil)
    #expect(roots[0].dropped?.isEmpty == false)
    let stable = try database.prepare("{ User(where: age > 5, limit: 3) { id } }").explainJSON(costs: false)
    #expect(!stable.contains("\"cost\"") && !stable.contains("\"rows\""))
  }

  @Test func mutationsHaveOnePlanEach() throws {
    let database = try Self.database()
    let json = try database.prepare(
      "mutation { updateUser(where: id == 3, set: { city: \"x\" }) { id } deleteMessage(where: likes > 5) { id } }"
    ).explainJSON(costs: false)
    let plans = try JSONDecoder().decode([[Step]].self, from: Data(json.utf8))
    #expect(plans.count == 2)
    #expect(plans[0].first?.inputs?.first?.operator.hasPrefix("Primary") == true)
  }

  /// A walk that does not find enough gives up, and the answer is that of the other plan.
  @Test func walksGiveUp() throws {
    let database = try Database(schema: "type M { id: ID! a: Int! @index k: String! g: String! @index(kind: HASH) }")
    // One kind in ten has the greatest values only, so that an ascending walk finds it last. Such conditions are too
    // dear for a sample that would show that.
    let lines = (0..<20_000).map { id in
      #"{"id": \#(id), "a": \#(id), "k": "\#(id >= 18_000 ? "late" : "early")", "g": "\#(id % 8 == 0 ? "x" : "y")"}"#
    }
    try database.load([.lines("M", lines.joined(separator: "\n"))])
    let prepared = try database.prepare(
      "{ M(where: g == \"x\" and upper(lower(k)) == \"LATE\", orderBy: a, limit: 50) { id } }")
    let plan = try prepared.explain(analyze: true)
    let expected = (0..<50).map { #"{"id":\#(18_000 + $0 * 8)}"# }.joined(separator: ",")
    #expect(try prepared.run().jsonString == #"{"M":[\#(expected)]}"#)
    #expect(
      plan.contains("BTreeWalk M.a") && plan.contains("else     Hash M.g") && plan.contains("actual 1 times"), "\(plan)"
    )
    for rows in [1, 64, 4096] {
      let options = PlannerOptions(rowsBeforeRetreat: rows)
      #expect(try prepared.run(planner: options).jsonString == #"{"M":[\#(expected)]}"#)
    }
  }

  @Test func contradictionsFindNobody() throws {
    let database = try Self.database()
    let prepared = try database.prepare("{ User(where: city == \"odd\" and age > 3 and city == \"even\") { id } }")
    #expect(try prepared.explain(costs: false).contains("Empty"))
    #expect(try prepared.run().jsonString == #"{"User":[]}"#)
    let same = try database.prepare("{ n: count(User(where: city == \"odd\" and city == \"odd\")) }")
    #expect(try same.run().jsonString == #"{"n":50}"#)
  }

  /// The first texts that match are found by reading a part of the index.
  @Test func textsStopEarly() throws {
    let database = try Database(schema: "type D { id: ID! t: String! @fulltext n: Int! }")
    let lines = (0..<20_000).map {
      #"{"id": \#($0), "t": "common \#($0 % 7 == 0 ? "seventh" : "other") w\#($0)", "n": \#($0 % 3)}"#
    }
    try database.load([.lines("D", lines.joined(separator: "\n"))])
    let prepared = try database.prepare("{ D(where: t matches \"seventh common\" and n == 1, limit: 3) { id } }")
    // Multiples of 7 with a remainder of 1 by 3: 7, 28, 49.
    #expect(try prepared.run().jsonString == #"{"D":[{"id":7},{"id":28},{"id":49}]}"#)
    let forced = try database.prepare(
      "{ D(where: t matches \"seventh common\" and n == 1, limit: 3, offset: 2) @using(access: FULLTEXT) { id } }")
    #expect(try forced.run().jsonString == #"{"D":[{"id":49},{"id":70},{"id":91}]}"#)
    let read = try #require(try forced.explain(analyze: true).firstMatch(of: /actual (\d+) →/)?.output.1)
    #expect(try #require(Int(read)) < 2_000)
    let missing = try database.prepare(
      "{ D(where: t matches \"seventh -common\", limit: 3) @using(access: FULLTEXT) { id } }")
    #expect(try missing.run().jsonString == #"{"D":[]}"#)
  }
}
