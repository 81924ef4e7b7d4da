import Foundation
import GQLite
import Testing

/// What programs that embed the engine use.
@Suite struct EvaluatorTests {
  private static let schema = """
    enum Status { ACTIVE GONE }
    type User {
      id: ID! name: String! age: Int @index status: Status @index(kind: HASH) born: Date at: DateTime data: Bytes
      money: Decimal score: Float on: Boolean tags: [String!]!
      posts: [Post!]! @relation(inverse: "author")
    }
    type Post { id: ID! text: String! author: User @relation(inverse: "posts") }
    """

  private static func database() throws -> Database {
    let database = try Database(schema: schema)
    try database.load([
      .lines(
        "User",
        #"""
        {"id":1,"name":"Ann","age":30,"status":"ACTIVE","born":"1990-01-02","at":"2024-01-02T03:04:05.5Z","data":"AQID","money":1.50,"score":0.25,"on":true,"tags":["a","b"]}
        {"id":2,"name":"Bob","status":"GONE"}
        {"id":3,"name":"Cid","age":7}
        """#),
      .lines("Post", #"{"id":1,"text":"one","author":1}"# + "\n" + #"{"id":2,"text":"two","author":1}"#),
    ])
    return database
  }

  @Test("variables take the type that they are declared with") func variables() throws {
    let database = try Self.database()
    let query = try database.prepare(
      "query Q($min: Int! = 5, $s: Status, $ids: [ID!], $n: String, $d: Date, $m: Decimal) { User(where: age >= $min or status == $s or id in $ids or name == $n or born == $d or money == $m) { id } }"
    )
    #expect(query.name == "Q")
    #expect(query.variables.map(\.type) == ["Int!", "Status", "[ID!]", "String", "Date", "Decimal"])
    #expect(query.variables.map(\.isRequired) == [false, false, false, false, false, false])
    #expect(try query.run().jsonString.contains("1"))
    func ids(_ values: [String: Value]) throws -> [Int64] {
      (try query.run(values).value["User"]?.list ?? []).compactMap { $0["id"]?.int }
    }
    #expect(try ids(["min": 100, "s": "GONE", "n": "?", "d": "2000-01-01", "m": 0]) == [2])
    #expect(try ids(["min": 100, "s": "ACTIVE", "ids": [2, "3"], "n": "?", "d": "2000-01-01", "m": 0]) == [1, 2, 3])
    // A list takes a single value, as GraphQL has it.
    #expect(try ids(["min": 100, "s": "ACTIVE", "ids": 3, "n": "?", "d": "2000-01-01", "m": 0]) == [1, 3])
    #expect(try ids(["min": 100, "s": "GONE", "n": "?", "d": "1990-01-02", "m": .number("1.5")]) == [1, 2])
    for (values, code) in [
      (["min": "x"], "wrong-type"), (["min": nil], "null-for-non-null"), (["min": 1.5], "wrong-type"),
      (["min": .number("99999999999999999999")], "number-out-of-range"), (["s": "AWAY"], "unknown-enum-value"),
      (["s": 1], "wrong-type"), (["d": "2024-02-30"], "malformed-value"), (["ids": [nil]], "null-for-non-null"),
      (["ids": [["a": 1]]], "wrong-type"), (["n": ["x"]], "wrong-type"), (["m": "ten"], "malformed-value"),
      (["min": .double(.nan)], "wrong-type"), (["n": .double(.infinity)], "?"),
    ] as [([String: Value], String)] {
      do {
        _ = try query.run(values)
        if code != "?" { Issue.record("\(values) was taken") }
      } catch {
        #expect(code == "?" || error.problems.first?.code == code, "\(values): \(error)")
        #expect(error.problems.first?.line == 1 || code == "?")
      }
    }
    let required = try database.prepare("query($a: Int!, $b: [Int!]!) { User(where: age == $a or age in $b) { id } }")
    #expect(required.variables.map(\.isRequired) == [true, true])
    do {
      _ = try required.run()
      Issue.record("variables that must be given were not")
    } catch { #expect(error.problems.count == 2) }
    // What no variable is declared for is no concern of the operation, as GraphQL has it.
    #expect(try required.run(["a": 1, "b": [], "c": 1]).jsonString == #"{"User":[]}"#)
  }

  @Test("answers decode into the program's types") func decoding() throws {
    struct User: Decodable, Equatable {
      enum Status: String, Decodable { case active = "ACTIVE", gone = "GONE" }
      struct Post: Decodable, Equatable { let text: String }
      let name: String
      let age: Int?
      let status: Status?
      let born: String?
      let at: Date?
      let data: Data?
      let money: Decimal?
      let score: Double?
      let on: Bool?
      let tags: [String]
      let posts: [Post]
    }
    struct Page: Decodable { let User: [User] }
    let answer = try Self.database().query(
      "{ User { name age status born at data money score on tags posts { text } } }")
    let users = try answer.decode(Page.self).User
    #expect(users == (try answer.decode([User].self, at: "User")))
    #expect(
      users[0]
        == User(
          name: "Ann", age: 30, status: .active, born: "1990-01-02", at: Date(timeIntervalSince1970: 1_704_164_645.5),
          data: Data([1, 2, 3]), money: Decimal(string: "1.5"), score: 0.25, on: true, tags: ["a", "b"],
          posts: [.init(text: "one"), .init(text: "two")]))
    #expect(users[1].age == nil && users[1].posts.isEmpty && users.count == 3)
    #expect(throws: DecodingError.self) { try answer.decode([User].self, at: "Nobody") }
    #expect(throws: DecodingError.self) { try answer.decode([Int].self, at: "User") }
  }

  @Test("durations are read as answers have them, and as they encode themselves") func durations() throws {
    struct Lap: Codable, Equatable {
      let time: Duration
      let rest: Duration?
    }
    let database = try Database(schema: "type Lap { id: ID! time: Duration! rest: Duration }")
    try database.load([
      .json(type: "Lap", bytes: Array(#"[{"id":1,"time":"PT1M30.5S","rest":"-P1D"},{"id":2,"time":"PT0S"}]"#.utf8))
    ])
    let laps = try database.query("{ Lap { time rest } }").decode([Lap].self, at: "Lap")
    #expect(
      laps == [
        Lap(time: .milliseconds(90_500), rest: .seconds(-86_400)), Lap(time: .zero, rest: nil),
      ])
    #expect(try JSONDecoder().decode([Lap].self, from: JSONEncoder().encode(laps)) == laps)
    #expect(throws: DecodingError.self) {
      try database.query(#"{ v: Lap(limit: 1) { time: id } }"#).decode([Lap].self, at: "v")
    }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Lap.self, from: Data("{}".utf8)) }
  }

  @Test("answers as a tree of values, as bytes and as text") func values() throws {
    let answer = try Self.database().query("{ User(limit: 1) { id name age money score on tags } x: count(Post) }")
    #expect(answer.value["x"] == 2 && answer.value["User"]?[0]?["tags"]?[1]?.string == "b")
    #expect(
      answer.value["User"]?[0]?["money"]?.double == 1.5 && answer.value["User"]?[1] == nil && answer.value["y"] == nil)
    #expect(answer.value.jsonText == answer.jsonString && Array(answer.jsonString.utf8) == answer.utf8)
    #expect("\(answer)" == answer.jsonString && answer.prettyJSONString.contains("\n  \"User\": [\n"))
    #expect(try Value(json: Array(answer.prettyJSONString.utf8)) == answer.value)
    #expect(throws: QueryError.self) { try Value(json: Array("{".utf8)) }
    for text in [
      "[1,-0.5,1e+22,\"\\u0000\",{\"a\":null},123456789012345678901234567890,true]", "[]", "\"\\ud83d\\ude00\"",
    ] {
      let value = try Value(json: Array(text.utf8))
      #expect(try Value(json: Array(value.jsonText.utf8)) == value)
    }
    var buffer: [UInt8] = [1, 2, 3]
    try Self.database().prepare("{ x: count(User) }").run(into: &buffer)
    #expect(buffer == Array(#"{"x":3}"#.utf8))
  }

  @Test("several operations: one is named, all are run, none is an error") func operations() throws {
    let database = try Self.database()
    let text = "query A { x: count(User) } query B($n: Int) { User(limit: $n) { id } } { y: count(Post) }"
    #expect(try database.prepareAll(text).map(\.name) == ["A", "B", nil])
    #expect(try database.prepareAll(text).map { try $0.run(["n": 1].filter { _ in true }).jsonString }.count == 3)
    #expect(try database.prepare(text, operation: "B").run(["n": 1]).jsonString == #"{"User":[{"id":1}]}"#)
    #expect(problem { _ = try database.prepare(text, operation: "C") }?.code == "unknown-operation")
    #expect(problem { _ = try database.prepare(text) }?.code == "several-operations")
    #expect(problem { _ = try database.prepare("fragment F on User { id }", operation: nil) } != nil)
  }

  @Test("errors carry code, range, message and help, all of a document in one go") func errors() throws {
    let database = try Self.database()
    do {
      _ = try database.prepare("{ User(where: agee > 3) { nmae } Usr { id } }", name: "a.query")
      Issue.record("nothing was wrong")
    } catch {
      #expect(
        error.problems.map(\.code) == ["unknown-field", "unknown-field", "unknown-field"] || error.problems.count == 3)
      let first = error.problems[0]
      #expect(first.file == "a.query" && first.line == 1 && first.column == 15 && first.range == 14..<18)
      #expect(first.help == "did you mean 'age'?" && first.severity == .error)
      #expect(error.description.contains("a.query:1:15") && error.coloredDescription.contains("\u{1B}["))
      #expect(!error.description.contains("\u{1B}"))
      #expect(error.jsonLines.split(separator: "\n").count == 3)
      for line in error.jsonLines.split(separator: "\n") { _ = try Value(json: Array(line.utf8)) }
    }
    #expect(problem { _ = try Database(schema: "type T { id: ID! x: Nope }", name: "s") }?.file == "s")
    #expect(problem { _ = try database.prepare("{ User { id ") }?.line == 1)
    #expect(problem { _ = try database.prepare("") } != nil)
  }

  @Test("a view keeps its version") func views() throws {
    let database = try Self.database()
    let view = database.view()
    let query = try database.prepare("{ n: count(User) User(where: age > 5) { id } }")
    let before = try query.run()
    try database.load([.lines("User", #"{"id":4,"name":"Dot","age":99}"#)])
    #expect(try query.run(on: view) == before && view.count(of: "User") == 3)
    #expect(try query.run().jsonString == #"{"n":4,"User":[{"id":1},{"id":3},{"id":4}]}"#)
  }

  @Test("structural variables: each shape is a query of its own") func structural() throws {
    let database = try Self.database()
    let query = try database.prepare(
      "query($f: UserFilter, $o: [UserOrder!], $min: Int) { User(where: $f and age >= $min, orderBy: $o) { id } }")
    let plain = try? database.prepare("query($f: UserFilter, $min: Int) { User(where: $f and age >= $min) { id } }")
    for query in [query, plain].compactMap({ $0 }) {
      func ids(_ values: [String: Value]) throws -> [Int64] {
        (try query.run(values).value["User"]?.list ?? []).compactMap { $0["id"]?.int }
      }
      #expect(try ids(["f": ["age": ["gt": 10]], "min": 0]) == [1])
      #expect(try ids(["f": ["age": ["lt": 10]], "min": 0]) == [3])
      #expect(try ids(["f": ["age": ["lt": 10]], "min": 8]) == [])
      #expect(try ids(["f": [:], "min": 0]) == [1, 3])
      #expect(try ids(["f": ["or": [["name": ["eq": "Ann"]], ["name": ["eq": "Cid"]]]], "min": 0]) == [1, 3])
      #expect(try ids(["f": ["posts": ["some": ["text": ["contains": "w"]]]], "min": 0]) == [1])
      #expect(problem { _ = try query.run(["f": ["agee": ["gt": 1]], "min": 0]) }?.help == "did you mean 'age'?")
      #expect(problem { _ = try query.run(["f": ["age": ["gt": "x"]], "min": 0]) } != nil)
      for number in 0..<100 {
        #expect(
          try ids(["f": ["age": ["gt": .int(Int64(number))]], "min": 0]).count == (number < 7 ? 2 : number < 30 ? 1 : 0)
        )
      }
    }
  }

  @Test("one prepared query serves values of very different selectivity, and data that grows") func planCache() throws {
    let database = try Database(schema: "type T { id: ID! a: Int @index b: Int @index(kind: HASH) c: Int }")
    let query = try database.prepare(
      "query($lo: Int!, $hi: Int!, $b: Int!) { n: count(T(where: a >= $lo and a < $hi and b == $b)) T(where: a >= $lo and a < $hi and b == $b, orderBy: -c, limit: 3) { id } }"
    )
    var rows: [(a: Int, b: Int, c: Int)] = []
    for size in [0, 10, 3000, 12_000] {
      var text = ""
      while rows.count < size {
        let id = rows.count
        rows.append((id % 5000, id % 97 == 0 ? id % 5 : 9, (id * 7919) % 10_007))
        text += "{\"id\":\(id),\"a\":\(rows[id].a),\"b\":\(rows[id].b),\"c\":\(rows[id].c)}\n"
      }
      try database.load([.lines("T", text)])
      for (lo, hi, b) in [
        (0, 1, 9), (0, 5000, 9), (0, 5000, 3), (10, 20, 0), (4000, 4100, 9), (5, 5, 9), (0, 5000, 77),
      ] {
        let found = rows.indices.filter { rows[$0].a >= lo && rows[$0].a < hi && rows[$0].b == b }
        let top = found.sorted { rows[$0].c != rows[$1].c ? rows[$0].c > rows[$1].c : $0 < $1 }.prefix(3)
        let expected = "{\"n\":\(found.count),\"T\":[\(top.map { "{\"id\":\($0)}" }.joined(separator: ","))]}"
        let values: [String: Value] = ["lo": .int(Int64(lo)), "hi": .int(Int64(hi)), "b": .int(Int64(b))]
        #expect(try query.run(values).jsonString == expected)
        #expect(try query.run(values).jsonString == expected)
      }
    }
  }
}
