import GQLite
import Testing

/// Runs after the first one of a prepared query take a shorter way; they must answer as the first does.
struct PreparedRunTests {
  private static let schema = """
    enum Mood { CALM LOUD }
    type Pet { id: ID! name: String! @unique tag: String @unique weight: Float mood: Mood owner: Person @relation(inverse: "pets") }
    type Person { id: ID! name: String! pets: [Pet!]! @relation(inverse: "owner") }
    """

  private func database() throws -> Database {
    let database = try Database(schema: Self.schema)
    try database.load([
      .ndjson(
        type: "Pet",
        bytes: Array(
          """
          {"id": 7, "name": "Rex", "tag": "a tag longer than twelve bytes", "weight": 2.5, "mood": "LOUD", "owner": 1}
          {"id": -7, "name": "Li \\"q\\"", "weight": 0}
          {"id": 123456789012, "name": "Twelve"}
          {"id": 1234567890123, "name": "Thirteen"}
          {"id": 9223372036854775807, "name": "Largest"}
          {"id": -9223372036854775808, "name": "Least"}
          {"id": 0, "name": "Zero"}
          {"id": "x1", "name": "Text"}

          """.utf8)),
      .ndjson(type: "Person", bytes: Array("{\"id\": 1, \"name\": \"Ann\"}\n".utf8)),
    ])
    return database
  }

  /// All answers of a query run several times with the same variables.
  private func answers(
    _ query: PreparedQuery, _ variables: [String: Value], times: Int = 4
  ) throws -> Set<String> {
    var found: Set<String> = []
    for _ in 0..<times { found.insert(try query.run(variables).jsonString) }
    var buffer: [UInt8] = Array("old".utf8)
    try query.run(variables, into: &buffer)
    found.insert(String(decoding: buffer, as: UTF8.self))
    try query.run(variables) { found.insert(String(decoding: $0, as: UTF8.self)) }
    return found
  }

  @Test(
    "Ids of any length are found by number and by text",
    arguments: [
      (Int64(7), "Rex"), (-7, "Li \\\"q\\\""), (123_456_789_012, "Twelve"), (1_234_567_890_123, "Thirteen"),
      (.max, "Largest"), (.min, "Least"), (0, "Zero"),
    ])
  func ids(_ id: Int64, _ name: String) throws {
    let database = try database()
    let query = try database.prepare("query($id: ID!) { pet(id: $id) { id name } }")
    let expected: Set = ["{\"pet\":{\"id\":\(id),\"name\":\"\(name)\"}}"]
    #expect(try answers(query, ["id": .int(id)]) == expected)
    #expect(try answers(query, ["id": .string("\(id)")]) == expected)
  }

  @Test("Texts, also long ones, and what is not there")
  func names() throws {
    let database = try database()
    let byTag = try database.prepare("query($tag: String) { pet(tag: $tag) { id weight mood tag } }")
    #expect(
      try answers(byTag, ["tag": "a tag longer than twelve bytes"]) == [
        #"{"pet":{"id":7,"weight":2.5,"mood":"LOUD","tag":"a tag longer than twelve bytes"}}"#
      ])
    #expect(try answers(byTag, ["tag": "a tag longer than twelve byteX"]) == [#"{"pet":null}"#])
    #expect(try answers(byTag, ["tag": .null]) == [#"{"pet":null}"#])
    #expect(try answers(byTag, [:]) == [#"{"pet":null}"#])
    let byName = try database.prepare("query($name: String!) { pet(name: $name) { id tag } a: pet(id: 7) { name } }")
    #expect(try answers(byName, ["name": "Li \"q\""]) == [#"{"pet":{"id":-7,"tag":null},"a":{"name":"Rex"}}"#])
    let two = try database.prepare("query($a: ID!, $b: Float!, $c: Boolean!) { pet(id: $a) { id } x := $b y := $c }")
    #expect(
      try answers(two, ["a": "x1", "b": 2, "c": true]) == [#"{"pet":{"id":"x1"},"x":2,"y":true}"#])
  }

  @Test("A wrong variable is told after any number of good runs, and the next good run answers")
  func wrongVariables() throws {
    let query = try database().prepare("query($id: ID!) { pet(id: $id) { name } }")
    for _ in 0..<3 {
      #expect(try query.run(["id": 0]).jsonString == #"{"pet":{"name":"Zero"}}"#)
      #expect(throws: QueryError.self) { try query.run(["id": .bool(true)]) }
      #expect(throws: QueryError.self) { try query.run(["ID": 0]) }
      // What is not declared is not looked at.
      #expect(try query.run(["id": 0, "more": 1]).jsonString == #"{"pet":{"name":"Zero"}}"#)
      #expect(throws: QueryError.self) { try query.run() }
    }
  }

  @Test("Later runs see later data, and views keep theirs")
  func changes() throws {
    let database = try database()
    let query = try database.prepare("query($id: ID!) { pet(id: $id) { name owner { name } } }")
    let plain = try database.prepare("query($id: ID!) { pet(id: $id) { name } }")
    #expect(try answers(query, ["id": 7]) == [#"{"pet":{"name":"Rex","owner":{"name":"Ann"}}}"#])
    #expect(try answers(plain, ["id": 7]) == [#"{"pet":{"name":"Rex"}}"#])
    let before = database.view()
    for name in ["Max", "Bo", "a name that does not fit into a cell"] {
      _ = try database.prepare("mutation($n: String!) { updatePet(where: id == 7, set: {name: $n}) }").run(
        ["n": .string(name)])
      #expect(try answers(plain, ["id": 7]) == ["{\"pet\":{\"name\":\"\(name)\"}}"])
      #expect(try plain.run(["id": 7], on: before).jsonString == #"{"pet":{"name":"Rex"}}"#)
      #expect(try answers(plain, ["id": 7]) == ["{\"pet\":{\"name\":\"\(name)\"}}"])
    }
    _ = try database.prepare("mutation { deletePet(where: id == 7) }").run()
    #expect(try answers(plain, ["id": 7]) == [#"{"pet":null}"#])
    #expect(try answers(query, ["id": 7]) == [#"{"pet":null}"#])
  }

  @Test("Limits of a run hold on the short way too")
  func limits() throws {
    let database = try database()
    let query = try database.prepare("query($id: ID!) { pet(id: $id) { name } }")
    for _ in 0..<2 {
      #expect(try query.run(["id": 0]).jsonString == #"{"pet":{"name":"Zero"}}"#)
      #expect(throws: QueryError.self) { try query.run(["id": 0], options: RunOptions(maximumBytes: 5)) }
      #expect(throws: QueryError.self) { try query.run(["id": 0], options: RunOptions(maximumNodes: 0)) }
    }
    for limit in ["answer-nodes", "visited-rows", "answer-bytes"] {
      var limits = QueryLimits.standard
      switch limit {
      case "answer-nodes": limits.answerNodes = 0
      case "visited-rows": limits.visitedRows = 0
      default: limits.answerBytes = 5
      }
      database.limits = limits
      let limited = try database.prepare("query($id: ID!) { pet(id: $id) { name } }")
      for _ in 0..<3 {
        let error = #expect(throws: QueryError.self) { try limited.run(["id": 0]) }
        #expect(error?.problems.first?.message.contains(limit) == true)
      }
    }
  }

  @Test("Many threads run one query, and a run may start another of itself")
  func threads() async throws {
    let database = try database()
    let query = try database.prepare("query($id: ID!) { pet(id: $id) { id name } }")
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<200 {
            let (id, name) = (task + round).isMultiple(of: 2) ? (7, "Rex") : (0, "Zero")
            guard let answer = try? query.run(["id": .int(Int64(id))]).jsonString,
              answer == "{\"pet\":{\"id\":\(id),\"name\":\"\(name)\"}}"
            else { return false }
          }
          return true
        }
      }
      for await isRight in group { #expect(isRight) }
    }
    var inner = ""
    try query.run(["id": 7]) { _ in
      inner = (try? query.run(["id": 0]).jsonString) ?? ""
      inner += (try? query.run(["id": 7]).jsonString) ?? ""
    }
    #expect(inner == #"{"pet":{"id":0,"name":"Zero"}}{"pet":{"id":7,"name":"Rex"}}"#)
  }

  @Test("Moments, days, enum values and lists are read as the binder reads them")
  func scalars() throws {
    let database = try Database(
      schema: """
        enum Mood { CALM LOUD }
        type Day { id: ID! at: DateTime! @index on: Date! @index mood: Mood! @index(kind: HASH) n: Int! @index x: Float! }
        """)
    var lines = ""
    for day in 1...28 {
      let text = day < 10 ? "0\(day)" : "\(day)"
      lines += """
        {"id":\(day),"at":"2024-02-\(text)T12:00:00Z","on":"2024-02-\(text)","mood":"\(day % 3 == 0 ? "LOUD" : "CALM")",\
        "n":\(day),"x":\(day).5}

        """
    }
    try database.load([.ndjson(type: "Day", bytes: Array(lines.utf8))])
    func ids(_ range: some Sequence<Int>) -> Set<String> {
      ["{\"Day\":[\(range.map { "{\"id\":\($0)}" }.joined(separator: ","))]}"]
    }
    let since = try database.prepare("query($t: DateTime!) { Day(where: at >= $t) { id } }")
    #expect(try answers(since, ["t": "2024-02-27T12:00:00Z"]) == ids(27...28))
    #expect(try answers(since, ["t": "2024-02-27T14:00:00+02:00"]) == ids(27...28))
    #expect(try answers(since, ["t": "2024-02-27"]) == ids(27...28))
    #expect(throws: QueryError.self) { try since.run(["t": "yesterday"]) }
    #expect(try answers(since, ["t": "2024-02-01"]) == ids(1...28))
    let on = try database.prepare("query($d: Date!) { Day(where: on == $d) { id } }")
    #expect(try answers(on, ["d": "2024-02-05"]) == ids(5...5))
    #expect(throws: QueryError.self) { try on.run(["d": "2024-02-30"]) }
    let mood = try database.prepare("query($m: Mood!) { Day(where: mood == $m and n < 9) { id } }")
    #expect(try answers(mood, ["m": "LOUD"]) == ids([3, 6]))
    #expect(throws: QueryError.self) { try mood.run(["m": "loud"]) }
    let numbers = try database.prepare("query($n: [Int!]!) { Day(where: n in $n) { id } }")
    #expect(try answers(numbers, ["n": [4, 2, 99, 2]]) == ids([2, 4]))
    #expect(try answers(numbers, ["n": .list((1...28).map { .int($0) })]) == ids(1...28))
    #expect(try answers(numbers, ["n": []]) == ids([]))
    #expect(try answers(numbers, ["n": 3]) == ids([3]))
    #expect(throws: QueryError.self) { try numbers.run(["n": [1, nil]]) }
    let keys = try database.prepare("query($i: [ID!]!) { Day(where: id in $i) { id } }")
    #expect(try answers(keys, ["i": [7, "3", "none"]]) == ids([3, 7]))
    let floats = try database.prepare("query($x: [Float!]!) { Day(where: x in $x) { id } }")
    #expect(try answers(floats, ["x": [3.5, 7, -0.0]]) == ids([3]))
  }

  @Test("Variables that are null or left out, by turns with others")
  func optional() throws {
    let database = try database()
    let query = try database.prepare(
      """
      query($tag: String, $least: Float = 1, $moods: [Mood!]) {
        Pet(where: ($tag == null or tag == $tag) and (weight ?? 0) >= ($least ?? -1) and ($moods == null or mood in $moods),
          orderBy: name) { name }
      }
      """)
    let tag: Value = "a tag longer than twelve bytes"
    let all = ["Largest", "Least", #"Li \"q\""#, "Rex", "Text", "Thirteen", "Twelve", "Zero"]
    func expected(_ names: [String]) -> Set<String> {
      ["{\"Pet\":[" + names.map { "{\"name\":\"\($0)\"}" }.joined(separator: ",") + "]}"]
    }
    for _ in 1...2 {
      #expect(try answers(query, ["tag": tag, "least": 0, "moods": ["LOUD"]]) == expected(["Rex"]))
      #expect(try answers(query, ["tag": tag, "least": 0, "moods": .null]) == expected(["Rex"]))
      #expect(try answers(query, ["tag": tag, "least": 3]) == expected([]))
      #expect(try answers(query, ["tag": .null, "least": 0]) == expected(all))
      #expect(try answers(query, ["least": .null]) == expected(all))
      // The default is 1.
      #expect(try answers(query, ["tag": tag]) == expected(["Rex"]))
      #expect(try answers(query, [:]) == expected(["Rex"]))
      #expect(try answers(query, ["moods": ["CALM"], "least": 0]) == expected([]))
    }
    let one = try database.prepare("query($tag: String) { n: count(Pet(where: tag == $tag)) }")
    for _ in 1...2 {
      #expect(try answers(one, ["tag": tag]) == [#"{"n":1}"#])
      #expect(try answers(one, ["tag": .null]) == [#"{"n":7}"#])
      #expect(try answers(one, [:]) == [#"{"n":7}"#])
    }
    let needed = try database.prepare("query($tag: String!) { n: count(Pet(where: tag == $tag)) }")
    for _ in 1...2 {
      #expect(try answers(needed, ["tag": tag]) == [#"{"n":1}"#])
      #expect(throws: QueryError.self) { try needed.run(["tag": .null]) }
      #expect(throws: QueryError.self) { try needed.run([:]) }
    }
  }

  @Test("Values that want another plan get it, and the answers are the same in any order of runs")
  func plans() throws {
    let database = try Database(schema: "type T { id: ID! a: Int! @index b: Int! @index(kind: HASH) }")
    var lines = ""
    for row in 0..<4000 { lines += "{\"id\":\(row),\"a\":\(row),\"b\":\(row < 3000 ? 0 : row % 50)}\n" }
    try database.load([.ndjson(type: "T", bytes: Array(lines.utf8))])
    let query = try database.prepare("query($a: Int!, $b: Int!) { n: count(T(where: a >= $a and b == $b)) }")
    for round in 0..<40 {
      // b: 3,000 rows or 20; a: nearly all, a few, none.
      let a = [0, 10, 3990, 5000, 2900][round % 5]
      let b = round / 5 % 3
      let expected = (0..<4000).count { $0 >= a && ($0 < 3000 ? 0 : $0 % 50) == b }
      #expect(try query.run(["a": .int(Int64(a)), "b": .int(Int64(b))]).jsonString == "{\"n\":\(expected)}")
    }
  }

  @Test("Searches for words and parts of texts that are parameters, rare ones and common ones by turns")
  func searches() throws {
    let database = try Database(
      schema: #"type Note { id: ID! n: Int! @index text: String! @fulltext(language: "none") @trigram }"#)
    var lines = ""
    for number in 0..<3_000 {
      let third = number % 3 == 0 ? "third " : ""
      let rare = number % 700 == 0 ? " zebra\(number)" : ""
      lines += #"{"id":\#(number),"n":\#(number % 7),"text":"common \#(third)w\#(number)\#(rare)"}"# + "\n"
    }
    try database.load([.ndjson(type: "Note", bytes: Array(lines.utf8))])
    _ = try database.query(#"mutation { updateNote(where: id in [3, 10, 17], set: {text: "third zebra"}) }"#)
    let words = ["common", "zebra", "third", "w17", "zebra700", "none", "co", "%zebra%", "zebra[0-9]+", "common"]
    for way in [
      "text matches $p", "text contains $p", "text like $p", "text =~ $p", "text matches $p and n == 3",
      "text contains $p or n == 5",
    ] {
      let fields = "Note(where: \(way), limit: 20) { id text } n: count(Note(where: \(way)))"
      let query = try database.prepare("query($p: String!) { \(fields) }")
      for word in words {
        let expected = try database.query("{ \(fields.replacing("$p", with: "\"\(word)\"")) }").jsonString
        #expect(try answers(query, ["p": .string(word)]) == [expected], "\(way) \(word)")
      }
    }
  }

  @Test("A text that was prepared before is the same query, under what holds now")
  func texts() throws {
    let database = try Database(schema: "type T { id: ID! n: Int! }")
    try database.load([.ndjson(type: "T", bytes: Array("{\"id\":1,\"n\":5}\n".utf8))])
    let text = "{ T { id n } }"
    for _ in 0..<3 { #expect(try database.query(text).jsonString == #"{"T":[{"id":1,"n":5}]}"#) }
    _ = try database.query("mutation { insertT(data: {id: 2, n: 6}) { id } }")
    #expect(try database.query(text).jsonString == #"{"T":[{"id":1,"n":5},{"id":2,"n":6}]}"#)
    _ = try database.query("mutation { insertT(data: {id: 3, n: 6}) { id } }")
    #expect(throws: QueryError.self) { try database.query("mutation { insertT(data: {id: 3, n: 6}) { id } }") }
    // Texts that are canonically equivalent are not the same bytes.
    #expect(try database.query("{ x := length(\"e\u{301}\") }").jsonString == #"{"x":2}"#)
    #expect(try database.query("{ x := length(\"\u{e9}\") }").jsonString == #"{"x":1}"#)
    database.limits.answerNodes = 2
    #expect(throws: QueryError.self) { try database.query(text) }
    database.limits.answerNodes = nil
    #expect(try database.query(text).jsonString == #"{"T":[{"id":1,"n":5},{"id":2,"n":6},{"id":3,"n":6}]}"#)
    #expect(throws: QueryError.self) { try database.query("mutation { touch }") }
    try database.registerCommand("touch", returns: "Int") { _, _ in .int(7) }
    #expect(try database.query("mutation { touch }").jsonString == #"{"touch":7}"#)
    for number in 0..<300 { #expect(try database.query("{ x := \(number) }").jsonString == "{\"x\":\(number)}") }
    // The database lives as long as a query of it, and no longer.
    weak var released: Database?
    do {
      let other = try Database(schema: "type T { id: ID! }")
      released = other
      _ = try other.query("{ T { id } }")
      _ = try other.query("{ T { id } }")
    }
    #expect(released == nil)
  }

  @Test("Options keep what is set, each copy its own")
  func options() {
    var options = RunOptions()
    options.timeout = .seconds(1)
    let copy = options
    options.maximumBytes = 3
    options.now = 5
    #expect(copy.maximumBytes == nil && copy.timeout == .seconds(1) && copy.now == nil)
    #expect(options.maximumBytes == 3 && options.timeout == .seconds(1) && options.now == 5)
    #expect(RunOptions(maximumNodes: 9).maximumNodes == 9)
  }
}
