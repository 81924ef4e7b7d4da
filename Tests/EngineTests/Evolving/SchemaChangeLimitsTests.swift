import Foundation
import GQLBase
import GQLBinder
import GQLCatalog
import GQLStore
import TestClocks
import Testing
@testable import GQLEngine

/// A change of the schema may be stopped at any step, and takes no more memory than it may: what is there stays as it
/// was, and the change can be made afterwards.
@Suite struct SchemaChangeLimitsTests {
  private static let before = """
    interface Named { name: String }
    type Box { a: Int  items: [Item!] }
    type Item { v: Int }
    type A implements Named { id: ID!  name: String @collate(CI)  n: Int  box: Box  boxes: [Box!]  bs: [B!]! @relation(inverse: "as") }
    type B { id: ID!  name: String  as: [A!]! @relation(inverse: "bs")  one: A  text: String }
    """
  /// Columns are converted, folded and filled, relations become to-one, members come, lists go, indexes of
  /// all kinds are built.
  private static let after = """
    interface Named { name: String }
    type Box { a: Float }
    type A implements Named { id: ID!  name: String @collate(CI) @index  n: Float @index  x: String! = "new"  box: JSON  bs: [B!]! @relation(inverse: "as") }
    type B implements Named { id: ID!  name: String @index(kind: HASH)  as: A @relation(inverse: "bs")  one: A  text: String @fulltext @trigram  y: Int }
    """

  private func fixture(_ count: Int) throws -> SchemaChangeFixture {
    var a = ""
    var b = ""
    for id in 0..<count {
      a += #"{"id":\#(id),"name":"Name \#(id)","n":\#(id),"box":{"a":\#(id)},"boxes":[{"a":1,"items":[{"v":2}]}]},"#
      b +=
        #"{"id":\#(id),"name":"B\#(id % 5)","text":"some words \#(id)","one":\#(id),"as":[\#(id),\#((id + 1) % count)]},"#
    }
    return try SchemaChangeFixture(
      Self.before, "{\"A\":[\(a.dropLast())],\"B\":[\(b.dropLast())]}",
      "mutation { deleteB(where: id == 3) deleteA(where: id == 5) }")
  }

  @Test("a change that is stopped at any look leaves everything as it was") func stopped() throws {
    let fixture = try fixture(300)
    let snapshot = fixture.database.current
    let digest = snapshot.memoryDigest
    let catalog = try Database.catalog(of: [SourceText(name: "s", text: Self.after)]).catalog
    let mapping = CatalogComparison(from: snapshot.catalog, to: catalog).mapping
    var allowed = 0
    var isDone = false
    while !isDone {
      var looks = 0
      let allowance = WorkAllowance {
        looks += 1
        return looks > allowed
      }
      do throws(EvolutionFailure) {
        _ = try snapshot.evolved(to: catalog, mapping, fold: foldText, filler: { _, _ in nil }, allowance)
        isDone = true
      } catch {
        if case .stopped = error {} else { Issue.record("\(error)") }
      }
      #expect(snapshot.memoryDigest == digest)
      allowed += 1
    }
    // It is looked at throughout.
    #expect(allowed > 5)
    #expect(fixture.database.check() == [])
    try fixture.change(to: Self.after, allowingLoss: true)
  }

  @Test("a change takes no more memory than it may") func memory() throws {
    let fixture = try fixture(300)
    let database = fixture.database
    let before = database.current
    var refusals = 0
    var limit = 1 << 10
    while true {
      do {
        try database.changeSchema(to: Self.after, allowingLoss: true, options: RunOptions(maximumMemory: limit))
        break
      } catch {
        #expect(error.problems.map(\.code) == ["memory"])
        #expect(database.current === before)
        refusals += 1
      }
      limit *= 4
    }
    #expect(refusals > 2 && limit < 1 << 28)
    #expect(database.check() == [])
  }

  @Test("a time-out stops a change of much data soon") func timeout() throws {
    var lines = ""
    for id in 0..<20_000 { lines += "{\"id\":\(id),\"n\":\(id),\"text\":\"the text of entity \(id)\"}\n" }
    let database = try Database(schema: "type A { id: ID!  n: Int  text: String }")
    try database.load([.lines("A", lines)])
    for schema in [
      "type A { id: ID!  n: String  text: String }", "type A { id: ID!  n: Int @index  text: String @index }",
      "type A { id: ID!  n: Int  text: String @fulltext }", "type A { id: ID!  n: Int  text: String @trigram }",
    ] {
      let before = database.current
      var code: String?
      let time = ThreadTime.measure {
        do { try database.changeSchema(to: schema, options: RunOptions(timeout: .milliseconds(1))) } catch {
          code = (error as? QueryError)?.problems.first?.code
        }
      }
      // Far more than what is wanted, because this runs without optimization.
      #expect(code == "timeout" && time < .seconds(1), "\(schema): \(time)")
      #expect(database.current === before)
    }
  }

  /// Thousands of types, fields, values and members are compared by their names, each looked up once.
  @Test("large schemas are compared in no time") func large() throws {
    func schema(_ suffix: String) -> String {
      var text = "enum E { " + (0..<5000).map { "V\($0)\(suffix)" }.joined(separator: " ") + " }\n"
      text +=
        "type Wide { id: ID! " + (0..<3000).map { "f\($0): Int" }.joined(separator: " ") + " last\(suffix): Int }\n"
      for number in 0..<1500 { text += "type T\(number) { id: ID! e: E n\(suffix): Int box: B\(number) }\n" }
      for number in 0..<1500 { text += "type B\(number) { a: Int }\n" }
      return text
    }
    let old = try Database.catalog(of: [SourceText(name: "s", text: schema(""))]).catalog
    let new = try Database.catalog(of: [SourceText(name: "s", text: schema("x"))]).catalog
    var differences = 0
    let time = ThreadTime.measure { differences = CatalogComparison(from: old, to: new).differences.count }
    // Each of 5,000 values, of 1,500 fields and the last one comes and goes.
    #expect(differences == 2 * (5000 + 1500 + 1))
    // Without optimization; every name beside every other would take a minute.
    #expect(time < .seconds(5), "\(time)")
  }
}
