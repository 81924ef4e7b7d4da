import Foundation
import GQLBase
import GQLStore
import Testing

@testable import GQLEngine

/// Keys, indexes, readers, failures and prepared queries under another schema.
@Suite struct SchemaChangeTests {
  @Test("the same schema changes nothing, and all is shared") func nothing() throws {
    let schema = "type A { id: ID!  name: String @index @collate(CI)  b: [B!]! } type B { id: ID! }"
    let fixture = try SchemaChangeFixture(
      schema, #"{"A":[{"id":1,"name":"X","b":[3]}],"B":[{"id":3}]}"#, "mutation { deleteA(where: id == 1) }")
    let digest = fixture.database.current.memoryDigest
    let version = fixture.database.version
    #expect(try fixture.change(to: schema).isEmpty)
    #expect(fixture.database.current.memoryDigest == digest && fixture.database.version == version)
  }

  @Test("a new field or index of many entities leaves the other columns where they are") func sharing() throws {
    let rows = (0..<5000).map { "{\"id\":\($0),\"name\":\"a name that is long \($0)\",\"n\":\($0 % 50)}" }
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  name: String  n: Int @index }", "{\"A\":[\(rows.joined(separator: ","))]}")
    let before = fixture.database.current
    try fixture.change(to: "type A { new: Int  id: ID! more: String = \"x\" name: String @index  n: Int @index }")
    let after = fixture.database.current
    let type = before.catalog.types[0].id
    func page(_ snapshot: Snapshot, _ name: String) -> UnsafeRawPointer? {
      let column = snapshot.catalog[type].columns.first { $0.name == name }
      return column.map { snapshot.column(type, $0.id).page(of: 2000) }
    }
    for name in ["id", "name", "n", "_createdAt"] { #expect(page(before, name) == page(after, name), "\(name)") }
    #expect(
      try fixture.answer("{ A(where: n == 7, limit: 1, offset: 1) { id more } }") == #"{"A":[{"id":57,"more":"x"}]}"#)
    #expect(try fixture.database.prepare("{ A(where: name == \"x\") { id } }").explain(costs: false).contains("BTree"))
    // Both versions may be written on.
    _ = try fixture.answer(
      "mutation { insertA(data: {id: 9999, name: \"z\", new: 1}) updateA(where: id == 3, set: {n: 8}) }")
    #expect(fixture.database.check() == [] && before.check(fold: foldText).isEmpty)
  }

  @Test("indexes come, go and change; collations and languages too") func indexes() throws {
    let data = #"{"A":[{"id":1,"s":"Running"},{"id":2,"s":"runs"},{"id":3,"s":"RUNNING"},{"id":4}]}"#
    let fixture = try SchemaChangeFixture("type A { id: ID!  s: String }", data)
    for (schema, words) in [
      ("type A { id: ID!  s: String @index }", "BTree"), ("type A { id: ID!  s: String @index(kind: HASH) }", "Hash"),
      ("type A { id: ID!  s: String @unique }", "Unique"),
      ("type A { id: ID!  s: String }", "FullScan"),
    ] {
      try fixture.change(to: schema)
      #expect(try fixture.database.prepare("{ A(where: s == \"runs\") { id } }").explain(costs: false).contains(words))
      #expect(try fixture.answer("{ A(where: s == \"runs\") { id } }") == #"{"A":[{"id":2}]}"#)
    }
    try fixture.change(
      to: "type A @fulltext(fields: [\"s\"], language: \"en\") { id: ID!  s: String @collate(CI) @index }")
    #expect(try fixture.answer("{ A(where: s matches \"run\") { id } }") == #"{"A":[{"id":1},{"id":2},{"id":3}]}"#)
    #expect(try fixture.answer("{ A(where: s == \"running\") { id } }") == #"{"A":[{"id":1},{"id":3}]}"#)
    try fixture.change(to: "type A @fulltext(fields: [\"s\"], language: \"de\") { x: Int id: ID!  s: String @trigram }")
    #expect(try fixture.answer("{ A(where: s == \"running\") { id } }") == #"{"A":[]}"#)
    #expect(try fixture.answer("{ A(where: s contains \"unnin\") { id } }") == #"{"A":[{"id":1}]}"#)
    try fixture.change(to: "type A @fulltext(fields: [\"s\"], language: \"de\") { id: ID!  s: String @trigram }")
    let unique = "type A { id: ID!  s: String @unique @collate(CI) }"
    #expect(try fixture.refusal(of: unique) == ["data-conflict: 'A.s' is unique: more than one entity has 'Running'"])
    #expect(try fixture.refusal(of: unique, allowingLoss: true).count == 1)
  }

  @Test("a type gets another key") func keys() throws {
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  name: String  row: Int } type B { id: ID!  a: A }",
      #"{"A":[{"id":1,"name":"x","row":1},{"id":2,"name":"y","row":1}],"B":[{"id":1,"a":2}]}"#)
    let byName = "type A { key: ID  name: String! @id  row: Int  } type B { id: ID!  a: A }"
    #expect(try fixture.refusal(of: byName) == ["data-loss: field 'A.id' is removed: 2 values would be lost"])
    try fixture.change(to: byName, allowingLoss: true)
    #expect(
      try fixture.answer("{ a(name: \"y\") { row } B { a { name } } }") == #"{"a":{"row":1},"B":[{"a":{"name":"y"}}]}"#)
    #expect(
      try fixture.refusal(of: "type A { key: ID  name: String!  row: Int @id } type B { id: ID!  a: A }") == [
        "data-conflict: 'A.row' is the key: more than one entity has 1"
      ])
    try fixture.change(
      to: "type A @id(fields: [\"row\", \"name\"]) { name: String!  row: Int! } type B { id: ID!  a: A }")
    _ = try fixture.answer("mutation { deleteA(where: name == \"x\") }")
    _ = try fixture.answer("mutation { insertA(data: {name: \"y\", row: 2}) }")
    #expect(
      try fixture.refusal(of: "type A { name: String! @id  row: Int! } type B { id: ID!  a: A }").first
        == "data-conflict: 'A.name' is the key: more than one entity has 'y'")
    _ = try fixture.answer("mutation { updateA(where: row == 2, set: {name: \"x\"}) }")
    #expect(
      try fixture.refusal(of: "type A { name: String! @id  row: Int! } type B { id: ID!  a: A }") == [
        "data-conflict: 1 deleted entity of 'A' would have no key of their own"
      ])
  }

  @Test("order, times and status stay") func kept() throws {
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  n: Int }", #"{"A":[{"id":3,"n":1},{"id":1,"n":2},{"id":2}]}"#)
    _ = try fixture.answer("mutation { updateA(where: id == 3, set: {n: 5}) }")
    let question = "{ A(deleted: INCLUDE) { id n _createdAt _updatedAt _status } }"
    let before = try fixture.answer(question)
    try fixture.change(to: "type A { n: Decimal @index  x: Int = 1  id: ID! }")
    #expect(try fixture.answer(question) == before)
  }

  @Test("a database without a schema gets one") func first() throws {
    let database = Database()
    let change = try database.changeSchema(to: "type A { id: ID! }")
    #expect(change.description == "+ type 'A'\n")
    try database.load([.document(#"{"A":[{"id":1}]}"#)])
    #expect(database.count(of: "A") == 1)
  }

  @Test("problems of the new schema are told as at opening") func problems() throws {
    let fixture = try SchemaChangeFixture("type A { id: ID! }", #"{"A":[{"id":1}]}"#)
    #expect(try fixture.refusal(of: "type A { id: ID! b: C }").first?.hasPrefix("unknown-type") == true)
    #expect(try fixture.refusal(of: "type A {").isEmpty == false)
    let found = problem { try fixture.database.changeSchema(to: "type A { id: ID!\n  x: Int! }") }
    #expect(found?.code == "data-conflict" && found?.line == 2 && found?.column == 3 && found?.help != nil)
    // Warnings are those of the schema that is there.
    try fixture.change(to: "type A { id: ID! @indx }")
    #expect(fixture.database.schemaWarnings.count == 1)
    try fixture.change(to: "type A { id: ID! }")
    #expect(fixture.database.schemaWarnings.isEmpty)
  }

  @Test("views and prepared queries") func prepared() throws {
    let fixture = try SchemaChangeFixture("type A { id: ID!  n: Int  m: Int }", #"{"A":[{"id":1,"n":1,"m":2}]}"#)
    let n = try fixture.database.prepare("query($x: Int) { A(where: n == $x) { n } }")
    let m = try fixture.database.prepare("{ A { m } }")
    let write = try fixture.database.prepare("mutation { updateA(where: id == 1, set: {m: m + 1}) { m } }")
    for _ in 0..<3 { #expect(try n.run(["x": 1]).jsonString == #"{"A":[{"n":1}]}"#) }
    _ = try m.run()
    let view = fixture.database.view()
    try fixture.change(to: "type A { id: ID!  k: Int = 6  n: Float @index }", allowingLoss: true)
    for _ in 0..<3 { #expect(try n.run(["x": 1]).jsonString == #"{"A":[{"n":1}]}"#) }
    #expect(problem { _ = try m.run() }?.code == "unknown-field")
    #expect(problem { _ = try write.run() }?.code == "unknown-field")
    #expect(problem { _ = try fixture.database.query("{ A { m } }") }?.code == "unknown-field")
    for _ in 0..<2 {
      #expect(try m.run(on: view).jsonString == #"{"A":[{"m":2}]}"#)
      #expect(try n.run(["x": 1], on: view).jsonString == #"{"A":[{"n":1}]}"#)
    }
    #expect(try n.run(["x": 1]).jsonString == #"{"A":[{"n":1}]}"#)
  }

  @Test("what the program registered stays") func registered() throws {
    let fixture = try SchemaChangeFixture("type A { id: ID!  n: Int }", #"{"A":[{"id":1,"n":1}]}"#)
    try fixture.database.register(function: "twice") { (n: Int) in n * 2 }
    try fixture.change(to: "type A { x: Int  id: ID!  n: Int }")
    #expect(try fixture.answer("{ A { t := twice(n) } }") == #"{"A":[{"t":2}]}"#)
  }

  @Test("a change is stopped, and refused within a transaction") func stopped() throws {
    let fixture = try SchemaChangeFixture("type A { id: ID!  n: Int }", #"{"A":[{"id":1,"n":1}]}"#)
    let cancellation = QueryCancellation()
    cancellation.cancel()
    let schema = "type A { id: ID!  n: Float }"
    let database = fixture.database
    let before = database.current
    for (options, code) in [
      (RunOptions(cancellation: cancellation), "cancelled"), (RunOptions(timeout: .zero), "timeout"),
    ] {
      #expect(problem { try database.changeSchema(to: schema, options: options) }?.code == code)
    }
    #expect(database.current === before)
    let nested = problem {
      try database.transaction { _ in _ = try database.changeSchema(to: schema) }
    }
    #expect(nested?.code == "nested-transaction" && database.current === before)
    try fixture.change(to: schema)
  }

  @Test("readers and writers go on while the schema changes") func concurrent() throws {
    let rows = (0..<300).map { "{\"id\":\($0),\"n\":\($0)}" }.joined(separator: ",")
    let fixture = try SchemaChangeFixture("type A { id: ID!  n: Int }", "{\"A\":[\(rows)]}")
    let database = fixture.database
    let reader = try database.prepare("{ c: count(A) s: sum(A.n) A(where: n == 250) { id } }")
    let writer = try database.prepare(
      "mutation { a: updateA(where: id == 1, set: {n: n + 1}) b: updateA(where: id == 2, set: {n: n - 1}) }")
    let expected = try reader.run().jsonString
    let failures = Lock<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for step in 0..<30 {
        do {
          switch thread {
          case 0:
            let types = ["Int", "Int @index", "Int @index(kind: HASH)"]
            try database.changeSchema(
              to: "type A { x\(step): Int = 3  id: ID!  n: \(types[step % 3]) }", allowingLoss: true)
          case 1: _ = try writer.run()
          default:
            let view = database.view()
            let first = try reader.run(on: view).jsonString
            if first != expected { failures.withLock { $0.append(first) } }
            let now = try reader.run().jsonString
            if now != expected { failures.withLock { $0.append(now) } }
          }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(database.check() == [])
  }
}
