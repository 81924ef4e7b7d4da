import Testing

@testable import GQLEngine

/// Texts that differ in literals, blanks and comments share an operation, and nobody can tell.
@Suite struct SharedTextTests {
  private static func database() throws -> Database {
    let database = try Database(
      schema: """
        type User {
          id: ID!
          name: String @collate(CI)
          code: String @trigram
          age: Int @index
          score: Float
          born: Date
          posts: [Post!] @relation(inverse: "author")
        }
        type Post { id: ID! likes: Int author: User }
        """)
    let users = (0..<20).map {
      #"{"id":\#($0),"name":"U\#($0 % 4)","code":"c\#($0)","age":\#($0 * 5),"score":\#(Double($0) / 2),"#
        + #""born":"2000-01-\#(10 + $0)"}"#
    }
    let posts = (0..<60).map { #"{"id":\#($0),"likes":\#($0 % 10),"author":\#($0 % 20)}"# }
    try database.load([.lines("User", users.joined(separator: "\n")), .lines("Post", posts.joined(separator: "\n"))])
    return database
  }

  private static func answer(_ database: Database, _ text: String) -> String {
    do { return try database.prepare(text).run().jsonString } catch { return error.description }
  }

  /// Every text alone, in a database that has seen no other.
  private static func alone(_ text: String) throws -> String { answer(try database(), text) }

  private static let posts =
    "fragment P($n: Int!) on User { posts(where: likes > $n, limit: $n) { id } }"

  private static let function = "func g(n: Int): Boolean = exists(User(where: age > n)) and n > 7"
  private static let both =
    "fragment B($n: Float!) on User { posts(where: author.score > $n) { id } b := $n }"
  private static let list =
    "fragment L($n: Int!) on User { posts(where: author.age == $n or likes in [1, 2, 3, 4, 5, 6, 7, 8, $n]) { id } }"

  @Test(arguments: [
    ["{ User(where: age > 90) { id } }", "{ User(where: age > 80) { id } }", "{ User(where: age>85)  { id } } # 3"],
    [
      "{ user(id: 3) { code } }", "{ user(id: 4) { code } }", "{ user(id: 500) { code } }",
      "{ user(id: \"5\") { code } }",
    ],
    [
      #"{ User(where: code == "c1") { id } }"#, #"{ User(where: code == "c2") { id } }"#,
      #"{ User(where: code == "C3") { id } }"#,
    ],
    // The case-folded texts are compared: lowercase ones look as if they were written so.
    [
      #"{ User(where: name == "u1") { id } }"#, #"{ User(where: name == "u2") { id } }"#,
      #"{ User(where: name == "U3") { id } }"#,
    ],
    [
      "{ User(where: score >= 9) { id } }", "{ User(where: score >= 8) { id } }",
      "{ User(where: score >= 7.5) { id } }",
    ],
    [
      #"{ User(where: born > "2000-01-20") { id } }"#, #"{ User(where: born > "2000-01-25") { id } }"#,
      #"{ User(where: born > "soon") { id } }"#, #"{ User(where: born > "2000-01-27") { id } }"#,
    ],
    [
      "{ User(orderBy: -age, limit: 2) { id } }", "{ User(orderBy: -age, limit: 3) { id } }",
      "{ User(orderBy: -age, limit: 1000) { id } }", "{ User(orderBy: -age, limit: 0) { id } }",
      "{ User(orderBy: -age, limit: 2, offset: 3) { id } }",
    ],
    // One literal decides two things.
    [
      "{ User(where: age > 80) { id ...P(n: 2) } } \(posts)", "{ User(where: age > 80) { id ...P(n: 3) } } \(posts)",
      "{ User(where: age > 80) { id ...P(n: 1) } } \(posts)",
    ],
    // Fields of one name must have one meaning.
    [
      "{ User(where: age > 80) { posts(limit: 1) { id } posts(limit: 1) { likes } } }",
      "{ User(where: age > 85) { posts(limit: 2) { id } posts(limit: 2) { likes } } }",
      "{ User(where: age > 80) { posts(limit: 1) { id } posts(limit: 2) { likes } } }",
    ],
    // Cursors know the order of their list, and what is counted in it.
    [
      "{ User(orderBy: count(posts(where: likes > 3)), limit: 2) { id _cursor } }",
      "{ User(orderBy: count(posts(where: likes > 4)), limit: 2) { id _cursor } }",
      "{ User(orderBy: count(posts(where: likes > 5)), limit: 2) { id _cursor } }",
    ],
    // What is beyond 2⁵³ is compared exactly.
    [
      "{ User(where: score >= 9) { id } }", "{ User(where: score >= 8) { id } }",
      "{ User(where: score >= 9007199254740993) { id } }",
    ],
    // What is given to a function or a fragment may decide twice; one value may be written in two ways.
    [
      "{ User(where: age > 80) { id x := g(n: 8) } } \(function)",
      "{ User(where: age > 80) { id x := g(n: 9) } } \(function)",
      "{ User(where: age > 80) { id x := g(n: 3) } } \(function)",
    ],
    [
      "{ User(where: age > 80) { id ...B(n: 1.0) } } \(both)", "{ User(where: age > 80) { id ...B(n: 1.00) } } \(both)",
      "{ User(where: age > 80) { id ...B(n: 2.0) } } \(both)",
    ],
    [
      "{ User(where: score > 8.0) { id } }", "{ User(where: score > 8.00) { id } }",
      "{ User(where: score > 9.0) { id } }",
    ],
    // A list may be longer than what `explain` shows of it.
    [
      "{ User(where: age > 80) { id ...L(n: 85) } } \(list)", "{ User(where: age > 80) { id ...L(n: 90) } } \(list)",
      "{ User(where: age > 80) { id ...L(n: 95) } } \(list)",
    ],
    [
      #"{ User(where: code == "User") { id } __type(name: "User") { name } }"#,
      #"{ User(where: code == "Post") { id } __type(name: "Post") { name } }"#,
      #"{ User(where: code == "c3") { id } __type(name: "c3") { name } }"#,
    ],
    // Limits of two sizes by turns.
    [
      "{ User(orderBy: -age, limit: 3) { id } }", "{ User(orderBy: -age, limit: 2) { id } }",
      "{ User(orderBy: -age, limit: 100) { id } }", "{ User(orderBy: -age, limit: 127) { id } }",
    ],
    // A forced access is possible for some values only.
    [
      #"{ User(where: code contains "c11") @using(access: TRIGRAM) { id } }"#,
      #"{ User(where: code contains "c12") @using(access: TRIGRAM) { id } }"#,
      #"{ User(where: code contains "c1") @using(access: TRIGRAM) { id } }"#,
    ],
    // What fails says where, in its own text.
    [
      "{ User(where: 10 / age > 2) { id } }", "{\n  User(where: 10 / age > 2) { id } }",
      "{ User # by age\n (where: 10 / age > 3) { id } }", "{ User(where: 10 / age > 2 and id != 7) { id } }",
      "{\n\n User(where: 10 / age > 2 and id != 77) { id } }",
      "{\n\n User(where: 10   /   age > 2 and id != 777) { id } }",
    ],
    [
      "{ User(where: age in 5..20) { id } }", "{ User(where: age in 50..60) { id } }",
      "{ User(where: age in 60..50) { id } }",
    ],
    [
      "{ count(User(where: some(posts, likes > 8))) }", "{ n: count(User(where: some(posts, likes > 8))) }",
      "{ n: count(User(where: some(posts, likes > 7))) }", "{ n: count(User(where: some(posts, likes > 2))) }",
    ],
    [
      "query($n: Int = 3) { User(where: age < 20, limit: $n) { id } }",
      "query($n: Int = 2) { User(where: age < 25, limit: $n) { id } }",
      "query($n: Int = 1) { User(where: age < 30, limit: $n) { id } }",
    ],
  ])
  func texts(_ texts: [String]) throws {
    let database = try Self.database()
    for round in 0..<3 {
      for text in texts {
        let expected = try Self.alone(text)
        #expect(Self.answer(database, text) == expected, "round \(round): \(text)")
      }
    }
  }

  @Test func answers() throws {
    let database = try Self.database()
    for age in [80, 70, 90, 60] {
      let answer = try database.prepare("{ User(where: age > \(age)) { age } }").run().jsonString
      let ages = stride(from: age + 5, to: 100, by: 5).map { #"{"age":\#($0)}"# }.joined(separator: ",")
      #expect(answer == #"{"User":[\#(ages)]}"#)
    }
  }

  @Test func variables() throws {
    let database = try Self.database()
    for (age, limit) in [(80, 1), (70, 2), (60, 3)] {
      let query = try database.prepare("query($n: Int!) { User(where: age > \(age), limit: $n) { age } }")
      let answer = try query.run(["n": .int(Int64(limit))]).jsonString
      let ages = (1...limit).map { #"{"age":\#(age + $0 * 5)}"# }.joined(separator: ",")
      #expect(answer == #"{"User":[\#(ages)]}"#)
      #expect(problem { _ = try query.run(["n": "x"]) }?.code == "wrong-type")
      #expect(problem { _ = try query.run() }?.code == "missing-variable")
    }
  }

  @Test func plansAreOfTheText() throws {
    let database = try Self.database()
    _ = try database.prepare("{ User(where: age > 10) { id } }").run()
    _ = try database.prepare("{ User(where: age > 20) { id } }").run()
    let query = try database.prepare("{ User(where: age > 30) { id } }")
    #expect(try query.run().jsonString.hasPrefix(#"{"User":[{"id":7}"#))
    #expect(try query.explain(costs: false).contains("30"))
    #expect(try query.explainJSON(costs: false).contains("30"))
    #expect(try query.explainBound().contains("age > 30"))
  }

  @Test func schemaChanges() throws {
    let database = try Self.database()
    for age in [10, 20] { _ = try database.prepare("{ User(where: age > \(age), limit: 1) { id } }").run() }
    let query = try database.prepare("{ User(where: age > 30, limit: 1) { id } }")
    #expect(try query.run().jsonString == #"{"User":[{"id":7}]}"#)
    try database.register(function: "twice") { (n: Int) in n * 2 }
    #expect(try query.run().jsonString == #"{"User":[{"id":7}]}"#)
    #expect(
      try database.prepare("{ User(where: age > 40, limit: 1) { id } }").run().jsonString == #"{"User":[{"id":9}]}"#)
  }

  @Test func transactions() throws {
    let database = try Self.database()
    for age in [80, 85, 70, 75] {
      let answer = try database.transaction { try $0.run("{ User(where: age > \(age), limit: 1) { age } }").jsonString }
      #expect(answer == #"{"User":[{"age":\#(age + 5)}]}"#)
      try database.register(function: "f\(age)") { (n: Int) in n }
    }
  }

  @Test func limits() throws {
    let database = try Self.database()
    for age in [10, 20, 30] { _ = try database.prepare("{ User(where: age > \(age), limit: 1) { id } }").run() }
    database.limits.tokens = 5
    #expect(
      problem { _ = try database.prepare("{ User(where: age > 40, limit: 1) { id } }") }?.code == "too-many-tokens")
  }
}
