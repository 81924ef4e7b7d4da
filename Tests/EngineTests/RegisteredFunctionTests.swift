import Dispatch
import GQLite
import Synchronization
import Testing

/// Functions that the embedding program gives.
@Suite struct RegisteredFunctionTests {
  struct Refused: Error, CustomStringConvertible { var description: String { "refused" } }

  private static func database() throws -> Database {
    let database = try Database(
      schema: "type Item { id: ID! n: Int x: Float d: Decimal s: String tags: [String!] at: DateTime flag: Boolean }")
    try database.load([
      .lines(
        "Item",
        """
        {"id":1,"n":2,"x":1.5,"d":0.10,"s":"one","tags":["a","b"],"at":"2024-01-01T00:00:00Z","flag":true}
        {"id":2}
        {"id":3,"n":-3,"x":-0.5,"d":123456789012345678901234567890.25,"s":"three","tags":[],"flag":false}

        """)
    ])
    return database
  }

  private func answer(_ database: Database, _ expression: String) throws -> String {
    let answer = try database.query("{ Item { x := \(expression) } }")
    guard case .object(let members) = answer.value, let items = members.first?.value.list else { return "?" }
    return items.map { item in
      switch item["x"] {
      case .int(let value)?: "\(value)"
      case .double(let value)?: "\(value)"
      case .number(let digits)?: digits
      case .string(let text)?: text
      case .bool(let truth)?: "\(truth)"
      case .list(let list)?: "\(list.compactMap(\.string))"
      default: "null"
      }
    }.joined(separator: " ")
  }

  @Test("Swift's types decide the language's") func typed() throws {
    let database = try Self.database()
    try database.register(function: "square") { (x: Int) in x * x }
    try database.register(function: "scaled") { (x: Double, by: Double) in x * by }
    try database.register(function: "shout") { (s: String) in s.uppercased() + "!" }
    try database.register(function: "opposite") { (b: Bool) in !b }
    try database.register(function: "reversed") { (list: [String]) in Array(list.reversed()) }
    try database.register(function: "answer") { 42 }
    try database.register(function: "orZero") { (x: Int?) in x ?? 0 }
    try database.register(function: "positive") { (x: Int) in x > 0 ? x : nil }
    #expect(try answer(database, "square(n)") == "4 null 9")
    // An Int becomes a Float where one is wanted.
    #expect(try answer(database, "scaled(n, 0.5)") == "1 null -1.5")
    #expect(try answer(database, "shout(s)") == "ONE! null THREE!")
    #expect(try answer(database, "opposite(flag)") == "false null true")
    #expect(try answer(database, "reversed(tags)") == #"["b", "a"] null []"#)
    #expect(try answer(database, "answer()") == "42 42 42")
    #expect(try answer(database, "orZero(n)") == "2 0 -3")
    #expect(try answer(database, "positive(n)") == "2 null null")
    let found = try database.query("{ Item(where: square(n ?? 0) > 3, orderBy: -square(n)) { id } }")
    #expect(found.jsonString == #"{"Item":[{"id":3},{"id":1}]}"#)
  }

  @Test("types of the language, exactly") func declared() throws {
    let database = try Self.database()
    try database.register(function: "same", parameters: [.decimal], returns: .decimal) { $0[0] }
    try database.register(function: "moment", parameters: [.dateTime], returns: .string) { $0[0] }
    try database.register(function: "later", parameters: [.dateTime], returns: .dateTime) { _ in
      "2025-01-01T00:00:00Z"
    }
    try database.register(function: "name", parameters: [.id, .json], returns: .json, takesNulls: true) {
      .list([$0[0], $0[1]])
    }
    #expect(try answer(database, "same(d)") == "0.10 null 123456789012345678901234567890.25")
    #expect(try answer(database, "moment(at)") == "2024-01-01T00:00:00Z null null")
    #expect(try answer(database, "later(at) - at") == "P366D null null")
    let json = try database.query(#"{ item(id: 2) { x := name(id, {a: n}) } }"#)
    #expect(json.jsonString == #"{"item":{"x":["2",{"a":null}]}}"#)
  }

  @Test("what it throws is an error of the run, with place, entity and values") func failures() throws {
    let database = try Self.database()
    try database.register(function: "checked") { (n: Int) throws -> Int in
      if n < 0 { throw Refused() }
      return n
    }
    try database.register(function: "wrong", parameters: [.int], returns: .int) { _ in "text" }
    try database.register(function: "infinite") { (x: Double) in x / 0 }
    let thrown = try #require(problem { _ = try database.query("{ Item { x := checked(n) } }") })
    #expect(thrown.code == "function-failed" && thrown.message == "'checked' failed: refused (-3)")
    #expect(thrown.line == 1 && thrown.column == 15)
    #expect(try answer(database, "try(checked(n))") == "2 null null")
    #expect(try answer(database, "try(checked(n)) ?? -1") == "2 -1 -1")
    #expect(problem { _ = try database.query("{ Item { x := wrong(n) } }") }?.code == "function-failed")
    #expect(problem { _ = try database.query("{ Item { x := infinite(x) } }") }?.code == "function-failed")
    // Arguments are checked with the document.
    #expect(problem { _ = try database.query("{ Item { x := checked(s) } }") }?.code == "wrong-type")
    #expect(problem { _ = try database.query("{ Item { x := checked() } }") }?.code == "missing-argument")
    #expect(problem { _ = try database.query("{ Item { x := checked(n: 1) } }") }?.code == "unknown-argument")
    #expect(problem { _ = try database.query("{ Item { x := cheked(n) } }") }?.help == "did you mean 'checked'?")
  }

  @Test("names") func names() throws {
    let database = try Self.database()
    #expect(problem { try database.register(function: "lower") { (s: String) in s } }?.code == "reserved-function")
    #expect(problem { try database.register(function: "count") { (s: String) in s } }?.code == "reserved-function")
    #expect(problem { try database.register(function: "a b") { 1 } }?.code == "function-name")
    #expect(problem { try database.register(function: "") { 1 } }?.code == "function-name")
    #expect(problem { try database.register(function: "f") { (x: [[Int]]) in x.count } }?.code == "function-name")
    try database.register(function: "own") { 1 }
    #expect(
      problem { _ = try database.query("func own(): Int = 2 { x := own() }") }?.code == "reserved-function")
  }

  @Test("prepared queries see a function that is registered again, whatever its type") func replaced() throws {
    let database = try Self.database()
    try database.register(function: "f") { (n: Int) in n + 1 }
    let query = try database.prepare("{ item(id: 1) { x := f(n) } }")
    #expect(try query.run().jsonString == #"{"item":{"x":3}}"#)
    try database.register(function: "f") { (n: Double) in "\(n)" }
    #expect(try query.run().jsonString == #"{"item":{"x":"2.0"}}"#)
    try database.load([.lines("Item", #"{"id":9,"n":1}"#)])
    #expect(try query.run().jsonString == #"{"item":{"x":"2.0"}}"#)
  }

  @Test("functions stay when the first load infers the schema") func inferred() throws {
    let database = Database()
    try database.register(function: "twice") { (n: Int) in n * 2 }
    try database.load([.lines("Thing", #"{"id":1,"n":4}"#)])
    #expect(try database.query("{ Thing { x := twice(n) } }").jsonString == #"{"Thing":[{"x":8}]}"#)
  }

  @Test("a deterministic function over constants is called once for a batch") func deterministic() throws {
    let database = try Self.database()
    final class Calls: Sendable {
      let count = Atomic<Int>(0)
    }
    let once = Calls()
    let each = Calls()
    try database.register(function: "once") { (n: Int) in
      once.count.add(1, ordering: .relaxed)
      return n
    }
    try database.register(function: "each", isDeterministic: false) { (n: Int) in
      each.count.add(1, ordering: .relaxed).newValue * n
    }
    #expect(try answer(database, "once(7)") == "7 7 7")
    #expect(once.count.load(ordering: .relaxed) == 1)
    #expect(try answer(database, "each(1)") == "1 2 3")
  }

  @Test("registering while others query") func threads() throws {
    let database = try Self.database()
    try database.register(function: "f") { (n: Int) in n + 1 }
    let query = try database.prepare("{ Item { x := f(n) } }")
    let wrong = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for round in 0..<50 {
        if thread == 0 {
          try? database.register(function: "f") { (n: Int) in n + (round % 2) }
        } else {
          let answer = try? query.run().jsonString
          let isRight =
            answer == #"{"Item":[{"x":3},{"x":null},{"x":-2}]}"# || answer == #"{"Item":[{"x":2},{"x":null},{"x":-3}]}"#
          if !isRight { wrong.add(1, ordering: .relaxed) }
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }
}
