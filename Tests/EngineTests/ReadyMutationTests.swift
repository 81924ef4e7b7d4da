import Dispatch
import GQLite
import Testing

/// Tests point mutations that are run again and again, and are kept ready between.
@Suite struct ReadyMutationTests {
  private let database: Database
  private let insert: PreparedQuery
  private let add: PreparedQuery

  init() throws {
    database = try Database(
      schema: """
        type P { id: ID! n: Int! = 0 name: String @unique at: DateTime @default(value: now()) }
        """)
    insert = try database.prepare(
      "mutation($id: ID!, $name: String) { insertP(data: {id: $id, name: $name}) { id name } }")
    add = try database.prepare(Self.addition)
  }

  private static let addition =
    "mutation($id: ID!, $n: Int! = 1) { updateP(where: id == $id, set: {n: n + $n}) }"

  private func code(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let error as QueryError {
      return error.problems.first?.code
    } catch {
      return "\(error)"
    }
  }
  private var all: String {
    get throws { try database.run("{ p := P(orderBy: id) { id n name } }").jsonString }
  }

  @Test func answersAreThoseOfTheFirstRun() throws {
    for number in 1...4 {
      let answer = try insert.run(["id": .string("\(number)"), "name": .string("n\(number)")]).jsonString
      #expect(answer == #"{"insertP":[{"id":"\#(number)","name":"n\#(number)"}]}"#)
    }
    for number in 1...4 {
      #expect(try add.run(["id": "1", "n": .int(Int64(number))]).jsonString == #"{"updateP":1}"#)
      // A default, an id that is not there, and an id that is given as a number need a closer look, or none.
      #expect(try add.run(["id": "1"]).jsonString == #"{"updateP":1}"#)
      #expect(try add.run(["id": "9", "n": 1]).jsonString == #"{"updateP":0}"#)
      #expect(code { try add.run(["id": "1", "n": "x"]) } != nil)
      #expect(code { try add.run(["n": 1]) } != nil)
    }
    #expect(try database.run("{ p(id: 1) { n } }").jsonString == #"{"p":{"n":14}}"#)
    #expect(database.check() == [])
  }

  /// A variable that is left out says nothing of its field, null empties it.
  @Test func variablesMayBeLeftOutOrNull() throws {
    let database = try Database(schema: "type P { id: ID! n: Int = 5 name: String boss: P }")
    try database.run(#"mutation { insertP(data: {id: "boss"}) }"#)
    let insert = try database.prepare(
      """
      mutation($id: ID!, $n: Int, $name: String, $boss: ID) {
        insertP(data: {id: $id, n: $n, name: $name, boss: $boss}) { n name boss { id } }
      }
      """)
    let update = try database.prepare(
      """
      mutation($id: ID!, $n: Int, $name: String, $boss: ID) {
        updateP(where: id == $id, set: {n: $n, name: $name, boss: $boss}) { n name boss { id } }
      }
      """)
    struct Choice {
      var value: Value?
      var inserted: String
      var updated: String
    }
    let numbers = [
      Choice(value: 7, inserted: "7", updated: "7"), Choice(value: .null, inserted: "null", updated: "null"),
      Choice(value: nil, inserted: "5", updated: "1"),
    ]
    let names = [
      Choice(value: "x", inserted: #""x""#, updated: #""x""#), Choice(value: .null, inserted: "null", updated: "null"),
      Choice(value: nil, inserted: "null", updated: #""old""#),
    ]
    let bosses = [
      Choice(value: "boss", inserted: #"{"id":"boss"}"#, updated: #"{"id":"boss"}"#),
      Choice(value: .null, inserted: "null", updated: "null"),
      Choice(value: nil, inserted: "null", updated: #"{"id":"first"}"#),
    ]
    try insert.run(["id": "first"])
    var last = 0
    for _ in 1...2 {
      for number in numbers {
        for name in names {
          for boss in bosses {
            last += 1
            var variables: [String: Value] = ["id": .string("\(last)")]
            variables["n"] = number.value
            variables["name"] = name.value
            variables["boss"] = boss.value
            let inserted = try insert.run(variables).jsonString
            #expect(
              inserted
                == #"{"insertP":[{"n":\#(number.inserted),"name":\#(name.inserted),"boss":\#(boss.inserted)}]}"#)
            try update.run(["id": .string("\(last)"), "n": 1, "name": "old", "boss": "first"])
            let updated = try update.run(variables).jsonString
            #expect(
              updated == #"{"updateP":[{"n":\#(number.updated),"name":\#(name.updated),"boss":\#(boss.updated)}]}"#)
          }
        }
      }
    }
    #expect(database.check() == [])
  }

  /// A condition is not dropped because its variable is left out; null is a value.
  @Test func conditionsAreNotLeftOut() throws {
    let database = try Database(schema: "type P { id: ID! n: Int @unique name: String @index }")
    let rename = try database.prepare(
      "mutation($n: Int, $name: String) { updateP(where: n == $n and name == $name, set: {name: $name}) { id } }")
    for number in 1...4 {
      try database.run("mutation { insertP(data: {id: \"\(number)\", n: \(number), name: \"a\"}) }")
    }
    try database.run("mutation { insertP(data: {id: \"5\"}) }")
    for number in 1...4 {
      let answer = try rename.run(["n": .int(Int64(number)), "name": "a"]).jsonString
      #expect(answer == #"{"updateP":[{"id":"\#(number)"}]}"#)
      #expect(try rename.run(["n": .int(Int64(number)), "name": .null]).jsonString == #"{"updateP":[]}"#)
      #expect(try rename.run(["n": .null, "name": .null]).jsonString == #"{"updateP":[{"id":"5"}]}"#)
      #expect(code { try rename.run(["n": .int(Int64(number))]) } == "absent-variable")
      #expect(code { try rename.run(["name": "a"]) } == "absent-variable")
    }
  }

  /// A column that is written for the first time since a reader looked lies elsewhere from then on.
  @Test func answersHaveWhatOtherMutationsWrote() throws {
    let database = try Database(schema: "type T { id: Int! n: Int! = 0 m: Int! = 0 }")
    try database.run("mutation { insertT(data: [{id: 1}, {id: 2}]) }")
    let first = try database.prepare("mutation($i: Int!) { updateT(where: id == $i, set: {n: n + 1}) }")
    let second = try database.prepare(
      "mutation($i: Int!, $v: Int!) { updateT(where: id == $i, set: {m: $v}) { n m k := m * 10 } }")
    let third = try database.prepare("mutation($i: Int!) { updateT(where: id == $i, set: {n: m}) { n m } }")
    let last = try database.prepare("mutation($i: Int!) { deleteT(where: id == $i) { n m } }")
    for round in 0..<3 {
      // A read in between publishes what was written, so that all columns are written for the first time again.
      if round > 0 { #expect(try database.run("{ t(id: 1) { n m } }").jsonString == #"{"t":{"n":7,"m":7}}"#) }
      try first.run(["i": 1])
      let number = round == 0 ? 1 : 8
      #expect(try second.run(["i": 99, "v": 5]).jsonString == #"{"updateT":[]}"#)
      for value in 5...7 {
        #expect(
          try second.run(["i": 1, "v": .int(Int64(value))]).jsonString
            == #"{"updateT":[{"n":\#(number),"m":\#(value),"k":\#(value * 10)}]}"#)
      }
      #expect(try third.run(["i": 1]).jsonString == #"{"updateT":[{"n":7,"m":7}]}"#)
    }
    #expect(try last.run(["i": 1]).jsonString == #"{"deleteT":[{"n":7,"m":7}]}"#)
    #expect(database.check() == [])
  }

  /// Operations of a transaction see what those before them did, be they ready or not.
  @Test func transactionsAreAsSingleRuns() throws {
    let sum = try database.prepare("mutation($id: ID!) { updateP(where: id == $id, set: {n: n * 2}) { id n } }")
    let remove = try database.prepare("mutation($id: ID!) { deleteP(where: id == $id) { name } }")
    for round in 1...3 {
      try database.transaction { transaction in
        func answer(_ query: PreparedQuery, _ variables: [String: Value]) throws -> String {
          try transaction.run(query, variables).jsonString
        }
        for number in 1...3 {
          let id = "\(round)\(number)"
          let inserted = try answer(insert, ["id": .string(id), "name": .string("n" + id)])
          #expect(inserted == #"{"insertP":[{"id":"\#(id)","name":"n\#(id)"}]}"#)
          #expect(try answer(add, ["id": .string(id), "n": .int(Int64(number))]) == #"{"updateP":1}"#)
          let doubled = try answer(sum, ["id": .string(id)])
          #expect(doubled == #"{"updateP":[{"id":"\#(id)","n":\#(number * 2)}]}"#)
          // A default, and one that is not there.
          #expect(try answer(add, ["id": .string(id)]) == #"{"updateP":1}"#)
          #expect(try answer(add, ["id": "none"]) == #"{"updateP":0}"#)
        }
        let removed = try answer(remove, ["id": .string("\(round)2")])
        #expect(removed == #"{"deleteP":[{"name":"n\#(round)2"}]}"#)
        #expect(try answer(sum, ["id": .string("\(round)2")]) == #"{"updateP":[]}"#)
      }
      // Between: alone, and one that fails, with which all of its transaction is gone.
      #expect(try add.run(["id": .string("\(round)1"), "n": 0]).jsonString == #"{"updateP":1}"#)
      let before = try all
      #expect(throws: QueryError.self) {
        try database.transaction { transaction in
          try transaction.run(add, ["id": .string("\(round)1"), "n": 5])
          try transaction.run(insert, ["id": "new", "name": .string("n\(round)1")])
        }
      }
      #expect(try all == before)
      #expect(database.check() == [])
    }
    #expect(
      try all == """
        {"p":[{"id":"11","n":3,"name":"n11"},{"id":"13","n":7,"name":"n13"},{"id":"21","n":3,"name":"n21"},\
        {"id":"23","n":7,"name":"n23"},{"id":"31","n":3,"name":"n31"},{"id":"33","n":7,"name":"n33"}]}
        """)
  }

  /// Memory is that of an operation, not of all in a transaction.
  @Test func memoryIsCountedByOperation() throws {
    database.limits.memory = 1 << 20
    let insert = try database.prepare("mutation($id: ID!, $name: String) { insertP(data: {id: $id, name: $name}) }")
    let text = String(repeating: "x", count: 3_000)
    try database.transaction { transaction in
      for number in 0..<1_000 {
        try transaction.run(insert, ["id": .string("\(number)"), "name": .string(text + "\(number)")])
      }
    }
    #expect(try database.run("{ n: count(P) }").jsonString == #"{"n":1000}"#)
  }

  @Test func whatIsRefusedLeavesNothing() throws {
    for number in 1...3 { try insert.run(["id": .string("\(number)"), "name": .string("n\(number)")]) }
    let before = try all
    for _ in 1...3 {
      #expect(code { try insert.run(["id": "7", "name": "n1"]) } == "unique-violation")
      #expect(code { try insert.run(["id": "1", "name": "other"]) } == "unique-violation")
      #expect(code { try add.run(["id": "1", "n": .int(.max)]) } == nil)
      #expect(code { try add.run(["id": "1", "n": .int(.max)]) } != nil)
      try add.run(["id": "1", "n": .int(-.max)])
    }
    #expect(try all == before)
    let long = String(repeating: "x", count: 100_000)
    try insert.run(["id": "8", "name": .string(long)])
    try insert.run(["id": "9", "name": .null])
    #expect(try database.run("{ p(id: 8) { name } q := p(id: 9) { name } }").jsonString.count > 100_000)
    #expect(database.check() == [])
  }

  @Test func anotherSchemaIsMet() throws {
    for number in 1...3 { try insert.run(["id": .string("\(number)"), "name": .null]) }
    try database.changeSchema(to: "type P { id: ID! m: Int! = 7 n: Int! = 0 name: String @unique at: DateTime }")
    for number in 4...6 { try insert.run(["id": .string("\(number)"), "name": .null]) }
    #expect(try database.run("{ m := P(orderBy: id).m }").jsonString == #"{"m":[7,7,7,7,7,7]}"#)
    try database.changeSchema(to: "type P { id: ID! n: Int! = 0 }", allowingLoss: true)
    #expect(code { try insert.run(["id": "7", "name": .null]) } != nil)
    for _ in 1...3 { try add.run(["id": "1", "n": 2]) }
    #expect(try database.run("{ p(id: 1) { n } }").jsonString == #"{"p":{"n":6}}"#)
  }

  @Test func timesAndOriginsAreThoseOfTheRun() throws {
    database.recentVersions = 1 << 20
    for number in 1...3 { try insert.run(["id": .string("\(number)"), "name": .null]) }
    try insert.run(["id": "4", "name": .null], options: RunOptions(now: 1_000_000))
    try insert.run(["id": "5", "name": .null])
    let old = try database.run(#"{ ids := P(where: at < "2000-01-01T00:00:00Z").id }"#).jsonString
    #expect(old == #"{"ids":["4"]}"#)
    try database.undo(database.version)
    #expect(try database.run("{ n := count(P) }").jsonString == #"{"n":4}"#)
  }

  @Test func whatTheProgramDecidesLaterCounts() throws {
    for number in 1...3 { try insert.run(["id": .string("\(number)"), "name": .string("n\(number)")]) }
    try database.onConflict("P.name") { _, _ in .replace }
    try insert.run(["id": "4", "name": "n1"])
    #expect(try database.run("{ ids := P(orderBy: id).id }").jsonString == #"{"ids":["2","3","4"]}"#)
    #expect(database.check() == [])
  }

  @Test func threadsTakeTurns() throws {
    try insert.run(["id": "1", "name": .null])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<250 { _ = try? add.run(["id": "1", "n": 1]) }
    }
    #expect(try database.run("{ p(id: 1) { n } }").jsonString == #"{"p":{"n":1000}}"#)
  }
}
