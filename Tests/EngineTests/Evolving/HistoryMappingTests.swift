import GQLite
import Testing

/// The past, and branches, after a change of the schema.
@Suite struct HistoryMappingTests {
  private func past(_ database: Database, _ version: Int, _ question: String) throws -> String {
    try database.run("query @asOf(version: \(version)) \(question)").jsonString
  }

  private func problem(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? QueryError)?.problems.first.map { "\($0.code)" } ?? "\(error)"
    }
  }

  @Test("a default of now() changes nothing in a branch") func branches() throws {
    let database = try Database(schema: "type T { id: ID! }")
    try database.run("mutation { insertT(data: [{id: 1}, {id: 2}]) }")
    let draft = try database.branch("draft")
    try draft.run("mutation { insertT(data: {id: 3}) }")
    try database.run("mutation { deleteT(where: id == 1, hard: true) }")
    try database.changeSchema(
      to: "type T { id: ID! d: DateTime @default(value: now()) day: Date! @default(value: now()) }")
    #expect(draft.changes.description == "insert T 3")
    try draft.merge(into: database)
    #expect(try database.run("{ T { id } }").jsonString == #"{"T":[{"id":2},{"id":3}]}"#)
    #expect(try database.run("{ n := count(distinct(T.d)) }").jsonString == #"{"n":1}"#)
    #expect(database.check() == [])
  }

  @Test("a default of now() is one moment in the past and now") func moment() throws {
    let database = try Database(schema: "type T @history { id: ID! n: Int }")
    try database.run("mutation { insertT(data: [{id: 1, n: 1}, {id: 2, n: 1}]) }")
    // The first entity of the id is in the past only.
    try database.run("mutation { deleteT(where: id == 2) }")
    try database.run("mutation { insertT(data: {id: 2, n: 2}) }")
    try database.changeSchema(
      to: "type T @history { id: ID! n: Int d: DateTime! @default(value: now()) }", options: RunOptions(now: 1_000_000))
    let time = #""d":"1970-01-01T00:00:01Z""#
    #expect(
      try past(database, 1, "{ T { id n d } }") == #"{"T":[{"id":1,"n":1,\#(time)},{"id":2,"n":1,\#(time)}]}"#)
    #expect(try database.run("{ T { d } }").jsonString == "{\"T\":[{\(time)},{\(time)}]}")
  }

  @Test("an embedded object that is only in the past has the defaults of new fields") func embedded() throws {
    let database = try Database(schema: "type E { n: Int m: Int } type T @history { id: ID! e: E }")
    try database.run("mutation { insertT(data: {id: 1, e: {n: 1}}) }")
    try database.run("mutation { updateT(where: id == 1, set: {e: null}) }")
    try database.run("mutation { updateT(where: id == 1, set: {e: {n: 2, m: 2}}) }")
    try database.changeSchema(
      to: """
        type In { x: Int! = 4 y: Int } type E { n: Int m: Int! = 5 k: Int! = 3 in: In = {y: 6} }
        type T @history { id: ID! e: E }
        """)
    let question = "{ T { e { n m k in { x y } } } }"
    #expect(try past(database, 1, question) == #"{"T":[{"e":{"n":1,"m":5,"k":3,"in":{"x":4,"y":6}}}]}"#)
    #expect(try past(database, 2, question) == #"{"T":[{"e":null}]}"#)
    #expect(try past(database, 3, question) == #"{"T":[{"e":{"n":2,"m":2,"k":3,"in":{"x":4,"y":6}}}]}"#)
    #expect(
      try past(database, 2, "{ a: count(T(where: e.k == 3)) b: count(T(where: e.in.x == 4)) }") == #"{"a":0,"b":0}"#)
  }

  @Test("where a field of an embedded object must have a value, the history begins after that") func missing() throws {
    let database = try Database(schema: "type E { n: Int } type T @history { id: ID! e: E }")
    try database.run("mutation { insertT(data: {id: 1, e: {n: 1}}) }")
    try database.run("mutation { updateT(where: id == 1, set: {e: null}) }")
    try database.changeSchema(to: "type E { n: Int k: Int! } type T @history { id: ID! e: E }")
    #expect(problem { _ = try self.past(database, 1, "{ T { e { n } } }") } == "no-history")
    #expect(try past(database, 2, "{ T { e { n } } }") == #"{"T":[{"e":null}]}"#)
  }

  @Test(
    "enums with more values, or new names", arguments: ["A B C", "X @was(name: \"A\") B", "X @was(name: \"A\") B C"])
  func enums(_ values: String) throws {
    let types = " type In { l: [[E!]] } type T @history { id: ID! e: E es: [E!] l: [[E]] in: In }"
    let database = try Database(schema: "enum E { A B }" + types)
    try database.run("mutation { insertT(data: {id: 1, e: A, es: [B, A], l: [[A, null], [B]], in: {l: [[A]]}}) }")
    try database.run("mutation { updateT(where: id == 1, set: {e: B, es: [], l: [[B]], in: null}) }")
    let change = try database.changeSchema(to: "enum E { \(values) }" + types)
    #expect(change.losses == [])
    let name = values.hasPrefix("X") ? "X" : "A"
    let old = "\"e\":\"\(name)\",\"es\":[\"B\",\"\(name)\"],\"l\":[[\"\(name)\",null],[\"B\"]]"
    let question = "{ T { e es l in { l } } }"
    #expect(try past(database, 1, question) == "{\"T\":[{\(old),\"in\":{\"l\":[[\"\(name)\"]]}}]}")
    #expect(try past(database, 2, question) == #"{"T":[{"e":"B","es":[],"l":[["B"]],"in":null}]}"#)
    #expect(
      try database.run("{ t(id: 1) { _versions { l } } }").jsonString
        == "{\"t\":{\"_versions\":[{\"l\":[[\"\(name)\",null],[\"B\"]]},{\"l\":[[\"B\"]]}]}}")
    #expect(database.check() == [])
  }

  @Test(
    "an enum with another order, or without a value, begins a history again",
    arguments: [("enum E { B A }", "e: E"), ("enum E { A }", "e: E"), ("enum E { X @was(name: \"A\") }", "e: [[E]]")])
  func otherEnums(_ definition: String, _ field: String) throws {
    let types = " type T @history { id: ID! \(field) }"
    let database = try Database(schema: "enum E { A B }" + types)
    try database.run("mutation { insertT(data: {id: 1}) }")
    #expect(
      try database.schemaChange(to: definition + types).losses.map(\.message)
        == ["the history of type 'T' begins again: the past of 1 entity would be lost"])
  }

  @Test("where a link must not be null, the history begins with the first version that has it") func links() throws {
    let types = "type B @history { id: ID! } type In { b: B } type T @history { id: ID! b: B in: In }"
    let database = try Database(schema: types)
    try database.run("mutation { insertB(data: {id: 1}) insertT(data: {id: 1}) }")
    try database.run("mutation { updateT(where: id == 1, set: {b: 1, in: {b: 1}}) }")
    try database.run("mutation { insertT(data: {id: 2, b: 1}) }")
    try database.run("mutation { deleteT(where: id == 1) }")
    try database.run("mutation { insertT(data: {id: 1, b: 1}) }")
    try database.changeSchema(to: types.replacing("b: B", with: "b: B!"))
    let question = "{ T { id b in { b } } }"
    #expect(problem { _ = try self.past(database, 1, question) } == "no-history")
    #expect(try past(database, 2, question) == #"{"T":[{"id":1,"b":1,"in":{"b":1}}]}"#)
    #expect(
      try past(database, 3, question)
        == #"{"T":[{"id":1,"b":1,"in":{"b":1}},{"id":2,"b":1,"in":null}]}"#)
    #expect(try past(database, 4, question) == #"{"T":[{"id":2,"b":1,"in":null}]}"#)
  }

  @Test("where a list must have no nulls, the history begins with the first version that has none") func lists() throws
  {
    let database = try Database(schema: "type T @history { id: ID! l: [Int] s: [String] }")
    try database.run("mutation { insertT(data: {id: 1, l: [1, null], s: [\"a\"]}) }")
    for value in 2...3 { try database.run("mutation { updateT(where: id == 1, set: {l: [\(value)]}) }") }
    try database.changeSchema(to: "type T @history { id: ID! l: [Int!] s: [String!] }")
    #expect(problem { _ = try self.past(database, 1, "{ T { l s } }") } == "no-history")
    #expect(try past(database, 2, "{ T { l s } }") == #"{"T":[{"l":[2],"s":["a"]}]}"#)
    #expect(try past(database, 3, "{ T { l s } }") == #"{"T":[{"l":[3],"s":["a"]}]}"#)
  }
}
