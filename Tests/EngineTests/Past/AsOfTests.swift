import Foundation
import GQLite
import Testing

/// Earlier versions of a database in memory, by number and by time.
@Suite struct AsOfTests {
  private static let schema = """
    type Item { id: ID! value: Int note: String @fulltext(language: "none") owner: Owner @relation(inverse: "items") }
    type Owner { id: ID! name: String! @index items: [Item!]! @relation(inverse: "owner") }
    """

  private func database(_ schema: String = Self.schema, bytes: Int = 1 << 20) throws -> Database {
    let database = try Database(schema: schema)
    database.recentVersions = bytes
    return database
  }

  /// Seconds since 1970 as microseconds.
  private func at(_ seconds: Double) -> RunOptions { RunOptions(now: Int64(seconds * 1_000_000)) }

  private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  private func answer(_ database: Database, _ text: String, at seconds: Double) throws -> String {
    try database.prepare(text).run(on: database.view(at: date(seconds))).jsonString
  }

  private func answer(_ database: Database, _ text: String, version: Int64) throws -> String {
    try database.prepare(text).run(on: database.view(version: version)).jsonString
  }

  /// A value that is 1, 3, 5 and 7 from these seconds on.
  private func oddValues() throws -> Database {
    let database = try database()
    try database.run("mutation { insertItem(data: {id: 1, value: 1}) }", options: at(1))
    for second in [3, 5, 7] {
      try database.run(
        "mutation($v: Int) { updateItem(where: id == 1, set: {value: $v}) }", ["v": .int(Int64(second))],
        options: at(Double(second)))
    }
    return database
  }

  @Test(
    "a value that was written at 1, 3, 5 and 7",
    arguments: [(0.5, "null"), (1, "1"), (2, "1"), (4.9, "3"), (7, "7"), (8, "7")]
  ) func values(_ second: Double, _ value: String) throws {
    let database = try oddValues()
    let expected = value == "null" ? #"{"item":null}"# : #"{"item":{"value":\#(value)}}"#
    #expect(try answer(database, "{ item(id: 1) { value } }", at: second) == expected)
    let text = "query($t: DateTime!) @asOf(time: $t) { item(id: 1) { value } }"
    let time = Date(timeIntervalSince1970: second).ISO8601Format(.init(includingFractionalSeconds: true))
    #expect(try database.run(text, ["t": .string(time)]).jsonString == expected)
  }

  @Test("of two writes at one instant both are seen then, and each is a version") func oneInstant() throws {
    let database = try database()
    try database.run("mutation { insertItem(data: {id: 1, value: 1}) }", options: at(1))
    let before = database.version
    try database.run("mutation { updateItem(where: id == 1, set: {value: 2}) }", options: at(2))
    try database.run("mutation { updateItem(where: id == 1, set: {value: 3}) }", options: at(2))
    #expect(database.version == before + 2)
    let question = "{ item(id: 1) { value } }"
    #expect(try answer(database, question, at: 1.999999) == #"{"item":{"value":1}}"#)
    #expect(try answer(database, question, at: 2) == #"{"item":{"value":3}}"#)
    #expect(try answer(database, question, version: before + 1) == #"{"item":{"value":2}}"#)
  }

  @Test("a clock that goes back makes no version older than the one before") func clockGoesBack() throws {
    let database = try database()
    for (value, second) in [(1, 10.0), (2, 5.0), (3, 20.0)] {
      try database.run("mutation { upsertItem(data: {id: 1, value: \(value)}) }", options: at(second))
    }
    let question = "{ item(id: 1) { value } }"
    #expect(try answer(database, question, at: 5) == #"{"item":null}"#)
    #expect(try answer(database, question, at: 10) == #"{"item":{"value":2}}"#)
    #expect(try answer(database, question, at: 20) == #"{"item":{"value":3}}"#)
  }

  @Test("all entities of a moment, not those of today") func allAtAMoment() throws {
    let database = try database()
    for id in 1...4 { try database.run("mutation { insertItem(data: {id: \(id)}) }", options: at(Double(id))) }
    try database.run("mutation { deleteItem(where: id in [1, 3]) }", options: at(5))
    #expect(try answer(database, "{ Item { id } }", at: 2.5) == #"{"Item":[{"id":1},{"id":2}]}"#)
    #expect(try answer(database, "{ n: count(Item) }", at: 4) == #"{"n":4}"#)
    #expect(try answer(database, "{ Item { id } }", at: 5) == #"{"Item":[{"id":2},{"id":4}]}"#)
  }

  @Test("the status over time, and what was cleared") func status() throws {
    let database = try database()
    try database.run("mutation { insertItem(data: {id: 1, value: 12}) }", options: at(1))
    try database.run("mutation { deleteItem(where: id == 1) }", options: at(2))
    try database.run("mutation { restoreItem(where: id == 1) }", options: at(3))
    try database.run("mutation { updateItem(where: id == 1, set: {value: null}) }", options: at(4))
    try database.run("mutation { deleteItem(where: id == 1, hard: true) }", options: at(5))
    let question = "{ Item(deleted: INCLUDE) { value _status } }"
    #expect(try answer(database, question, at: 0) == #"{"Item":[]}"#)
    #expect(try answer(database, question, at: 1) == #"{"Item":[{"value":12,"_status":"CREATED"}]}"#)
    #expect(try answer(database, question, at: 2) == #"{"Item":[{"value":12,"_status":"DELETED"}]}"#)
    #expect(try answer(database, question, at: 3) == #"{"Item":[{"value":12,"_status":"CREATED"}]}"#)
    #expect(try answer(database, question, at: 4) == #"{"Item":[{"value":null,"_status":"CREATED"}]}"#)
    #expect(try answer(database, question, at: 5) == #"{"Item":[]}"#)
  }

  @Test("fields of one document read different versions") func fields() throws {
    let database = try oddValues()
    let version = database.version
    let text = """
      query($v: Int) {
        now: item(id: 1) { value }
        ...Before
        m: max(Item.value) @asOf(version: 2)
        Item { value }
      }
      fragment Before on Query { before: item(id: 1) @asOf(version: $v) { value } }
      """
    let expected = """
      {"now":{"value":7},"before":{"value":5},"m":3,"Item":[{"value":7}]}
      """
    #expect(try database.run(text, ["v": .int(version - 1)]).jsonString == expected)
    let whole = """
      query @asOf(version: 1) { a: item(id: 1) { value } b: item(id: 1) @asOf(version: 1 + 2) { value } }
      """
    #expect(try database.run(whole).jsonString == #"{"a":{"value":1},"b":{"value":5}}"#)
    #expect(try database.run("query @asOf(version: 0) { Item { value } }").jsonString == #"{"Item":[]}"#)
  }

  @Test("links, indexes and words of a version are its own") func indexes() throws {
    let database = try database()
    try database.run("mutation { insertOwner(data: {id: 1, name: \"Ada\"}) }")
    try database.run("mutation { insertItem(data: {id: 1, note: \"red apple\", owner: 1}) }")
    let before = database.version
    try database.run("mutation { insertOwner(data: {id: 2, name: \"Bo\"}) }")
    try database.run("mutation { updateItem(where: id == 1, set: {note: \"green pear\", owner: 2}) }")
    try database.run("mutation { updateOwner(where: id == 1, set: {name: \"Eve\"}) }")
    let question = """
      { a: Owner(where: name == "Ada") { items { id } } b: Owner(where: name == "Bo") { items { id } }
        r: Item(where: note matches "apple") { id } g: Item(where: note matches "pear") { owner { name } } }
      """
    #expect(
      try answer(database, question, version: before) == #"{"a":[{"items":[{"id":1}]}],"b":[],"r":[{"id":1}],"g":[]}"#)
    #expect(
      try database.run(question).jsonString
        == #"{"a":[],"b":[{"items":[{"id":1}]}],"r":[],"g":[{"owner":{"name":"Bo"}}]}"#)
  }

  @Test("loads, transactions and single statements are versions of one count") func doors() throws {
    let database = try database()
    var seen: [(version: Int64, answer: String)] = []
    let question = "{ Item { id value } Owner { id items { id } } }"
    func look() throws { seen.append((database.version, try database.run(question).jsonString)) }
    try look()
    try database.load([.ndjson(type: "Item", bytes: Array(#"{"id": 1, "value": 1}"#.utf8))])
    try look()
    try database.run("mutation { insertItem(data: {id: 2, value: 2}) }")
    try database.transaction { transaction in
      try transaction.run("mutation { insertOwner(data: {id: 1, name: \"a\", items: [1, 2]}) }")
      try transaction.run("mutation { updateItem(where: id == 2, set: {value: 20}) }")
    }
    try look()
    try database.run("mutation { updateItem(all: true, set: {value: 0}) }")
    try look()
    #expect(seen.map(\.version) == [0, 1, 3, 4])
    for (version, answer) in seen.shuffled() {
      #expect(try self.answer(database, question, version: version) == answer)
    }
    // What changes nothing is no version.
    #expect(try database.run("mutation { updateItem(where: id == 99, set: {value: 0}) }").version == 4)
    #expect(database.version == 4)
    #expect(try database.run("mutation { updateItem(where: id == 1, set: {value: 7}) }").version == 5)
    #expect(try database.run(question).version == 5)
  }

  @Test("what is no version is an error with a code") func errors() throws {
    let database = try oddValues()
    func code(_ text: String, _ variables: [String: Value] = [:]) -> String? {
      problem { try database.run(text, variables) }?.code
    }
    #expect(code("query @asOf(version: -1) { Item { id } }") == "unknown-version")
    #expect(code("query @asOf(version: 99) { Item { id } }") == "unknown-version")
    #expect(code("query($v: Int) @asOf(version: $v) { Item { id } }") == "unknown-version")
    #expect(code("query($t: DateTime) @asOf(time: $t) { Item { id } }", ["t": .null]) == "unknown-version")
    #expect(code("query @asOf(time: \"soon\") { Item { id } }") == "malformed-value")
    let text = "query($t: DateTime) @asOf(time: $t) { Item { id } }"
    #expect(code(text, ["t": .string("2026-13-01")]) == "malformed-value")
    #expect(code("query @asOf { Item { id } }") == "missing-argument")
    #expect(code("query @asOf(time: \"2026-01-01T00:00:00Z\", version: 1) { Item { id } }") == "duplicate-argument")
    #expect(code("mutation @asOf(version: 1) { deleteItem(where: id == 1) }") == "misplaced-directive")
    #expect(code("mutation { deleteItem(where: id == 1) @asOf(version: 1) }") == "misplaced-directive")
    #expect(code("{ Item { id @asOf(version: 1) } }") == "misplaced-directive")
    #expect(problem { _ = try database.view(version: -1) }?.code == "unknown-version")
    #expect(problem { _ = try database.view(version: .max) }?.code == "unknown-version")
    #expect(problem { _ = try database.view(at: Date(timeIntervalSince1970: .nan)) }?.code == "unknown-version")
    #expect(try answer(database, "{ item(id: 1) { value } }", at: .infinity) == #"{"item":{"value":7}}"#)
    #expect(try answer(database, "{ item(id: 1) { value } }", at: -.infinity) == #"{"item":null}"#)
  }

  @Test("a database that keeps no versions says so, and its versions can be counted on") func notKept() throws {
    let database = try Database(schema: Self.schema)
    try database.run("mutation { insertItem(data: {id: 1, value: 1}) }")
    let first = database.version
    #expect(problem { try database.run("query @asOf(version: 0) { Item { id } }") }?.code == "no-history")
    #expect(problem { _ = try database.view(at: .distantPast) }?.code == "no-history")
    #expect(try answer(database, "{ n: count(Item) }", version: first) == #"{"n":1}"#)
    database.recentVersions = 1 << 20
    #expect(database.version == first)
    try database.run("mutation { updateItem(where: id == 1, set: {value: 2}) }")
    #expect(database.version == first + 1)
    #expect(try answer(database, "{ item(id: 1) { value } }", version: first) == #"{"item":{"value":1}}"#)
    #expect(problem { _ = try database.view(at: .distantPast) }?.code == "no-history")
    database.recentVersions = 0
    #expect(database.version == first + 1)
    #expect(problem { _ = try database.view(version: first) }?.code == "no-history")
  }

  @Test("the oldest versions go where they take too much") func bounded() throws {
    let database = try database(bytes: 8_000)
    try database.run("mutation { insertItem(data: {id: 1, value: 0}) }")
    let update = try database.prepare("mutation($v: Int) { updateItem(where: id == 1, set: {value: $v}) }")
    for value in 1...1_000 { try update.run(["v": .int(Int64(value))]) }
    let newest = database.version
    #expect(newest == 1_001)
    let error = problem { _ = try database.view(version: 1) }
    #expect(error?.code == "no-history")
    let oldest = Int64(error?.message.split(separator: " ").last ?? "")
    let kept = try #require(oldest)
    #expect(kept > 800 && kept < 1_000)
    #expect(try answer(database, "{ item(id: 1) { value } }", version: kept) == #"{"item":{"value":\#(kept - 1)}}"#)
    #expect(problem { _ = try database.view(version: kept - 1) }?.code == "no-history")
    // One that alone takes more than all may leaves nothing before it.
    let text = String(repeating: "x", count: 20_000)
    try database.run("mutation($n: String) { updateItem(where: id == 1, set: {note: $n}) }", ["n": .string(text)])
    #expect(problem { _ = try database.view(version: newest) }?.code == "no-history")
    #expect(try answer(database, "{ n: count(Item) }", version: newest + 1) == #"{"n":1}"#)
  }

  @Test("a version is read by today's schema") func otherSchema() throws {
    let database = try database("type Item { id: ID! value: Int title: String }")
    try database.run("mutation { insertItem(data: {id: 1, value: 1, title: \"a\"}) }")
    try database.changeSchema(to: "type Item { id: ID! value: Int name: String @was(name: \"title\") size: Int = 5 }")
    try database.run("mutation { updateItem(where: id == 1, set: {name: \"b\", size: 9}) }")
    try database.changeSchema(to: "type Item { id: ID! name: String size: Int = 5 }", allowingLoss: true)
    try database.run("mutation { updateItem(where: id == 1, set: {name: \"c\"}) }")
    #expect(database.version == 5)
    let expected = [
      #"{"Item":[]}"#, #"{"Item":[{"id":1,"name":"a","size":5}]}"#, #"{"Item":[{"id":1,"name":"a","size":5}]}"#,
      #"{"Item":[{"id":1,"name":"b","size":9}]}"#, #"{"Item":[{"id":1,"name":"b","size":9}]}"#,
      #"{"Item":[{"id":1,"name":"c","size":9}]}"#,
    ]
    for version in [5, 0, 3, 1, 4, 2, 1, 0] {
      #expect(try answer(database, "{ Item { * } }", version: Int64(version)) == expected[version], "\(version)")
    }
    #expect(problem { try database.run("query @asOf(version: 1) { Item { value } }") }?.code == "unknown-field")
  }

  @Test("a version that today's schema does not allow is none") func conflictingSchema() throws {
    let database = try database("type Item { id: ID! value: Int }")
    try database.run("mutation { insertItem(data: [{id: 1, value: 1}, {id: 2, value: 1}]) }")
    try database.run("mutation { updateItem(where: id == 2, set: {value: 2}) }")
    try database.changeSchema(to: "type Item { id: ID! value: Int @unique }")
    #expect(problem { _ = try database.view(version: 1) }?.code == "no-history")
    #expect(try answer(database, "{ item(value: 2) { id } }", version: 2) == #"{"item":{"id":2}}"#)
  }

  @Test("functions of the program that came later are known in earlier versions") func functions() throws {
    let database = try oddValues()
    let view = try database.view(version: 1)
    try database.register(function: "twice") { (number: Int) in number * 2 }
    let text = "{ item(id: 1) { d: twice(value) } }"
    #expect(try answer(database, text, version: 1) == #"{"item":{"d":2}}"#)
    #expect(try answer(database, text, version: 2) == #"{"item":{"d":6}}"#)
    withExtendedLifetime(view) {}
  }

  @Test("the plan of a version says how far it is") func explaining() throws {
    let database = try oddValues()
    let text = "query @asOf(version: 1) { Item(where: value > 0) { id } }"
    let plan = try database.prepare(text).explain(costs: false)
    #expect(plan.hasPrefix("as of version 1, rewound 3 changes\nItem\n"), "\(plan)")
    #expect(try database.prepare(text).explain(analyze: true).contains("actual 1"))
    let embedded = try database.run("query @asOf(version: 3) @explain(costs: false) { Item { id } }").jsonString
    #expect(embedded.hasPrefix(#"{"plan":["as of version 3, rewound 1 change","#), "\(embedded)")
  }

  @Test("a long way back ends with the time of the run") func interrupted() throws {
    let database = try oddValues()
    let cancellation = QueryCancellation()
    cancellation.cancel()
    let error = problem {
      try database.run("query @asOf(version: 1) { Item { id } }", options: RunOptions(cancellation: cancellation))
    }
    #expect(error?.code == "cancelled")
  }

  @Test("readers of the past beside a writer") func threads() throws {
    let database = try database()
    try database.run("mutation { insertItem(data: {id: 1, value: 1}) }")
    let update = try database.prepare("mutation { updateItem(where: id == 1, set: {value: value + 1}) }")
    let question = try database.prepare("query($v: Int!) @asOf(version: $v) { item(id: 1) { value } }")
    DispatchQueue.concurrentPerform(iterations: 3) { number in
      if number == 0 {
        for _ in 0..<500 { #expect(throws: Never.self) { try update.run() } }
        return
      }
      for _ in 0..<300 {
        let version = Int64.random(in: 1...database.version)
        let answer = try? question.run(["v": .int(version)]).jsonString
        #expect(answer == #"{"item":{"value":\#(version)}}"#)
      }
    }
  }
}
