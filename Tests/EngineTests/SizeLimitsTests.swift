import GQLBase
import Testing

@testable import GQLEngine

/// Limits that are not settable: of cursors, and of lists of embedded objects inside each other.
@Suite struct SizeLimitsTests {
  /// A cursor holds the keys of its order, and at most a mebibyte of them comes back.
  @Test func longCursors() throws {
    let database = try Database(schema: "type T { id: ID! text: String! }")
    let short = String(repeating: "a", count: 500_000)
    let long = String(repeating: "b", count: 1_200_000)
    try database.load([
      .lines(
        "T",
        #"{"id": "1", "text": "\#(short)"}"# + "\n" + #"{"id": "2", "text": "\#(long)"}"#
          + "\n{\"id\":\"3\",\"text\":\"c\"}")
    ])
    func after(_ id: String) throws -> String {
      let answer = try database.query("{ T(where: id == \"\(id)\", orderBy: text) { _cursor } }").jsonString
      let cursor = answer.dropFirst("{\"T\":[{\"_cursor\":\"".count).dropLast("\"}]}".count)
      return try database.query(
        "query($c: Cursor!) { T(orderBy: text, after: $c) { id } }", ["c": .string(String(cursor))]
      ).jsonString
    }
    #expect(try after("1") == #"{"T":[{"id":"2"},{"id":"3"}]}"#)
    #expect(problem(of: { _ = try after("2") })?.code == "invalid-cursor")
  }

  /// Each change puts the list that is there into an element of the new one.
  @Test func copiesInsideEachOther() throws {
    let database = try Database(schema: "type T { id: ID! list: [L!]! } type L { n: Int! inner: [L!]! }")
    try database.load([.lines("T", #"{"id": "1", "list": [{"n": 0}]}"#)])
    let wrap = #"mutation { updateT(where: id == "1", set: {list: [{n: 1, inner: list}]}) }"#
    for _ in 0..<100 { _ = try database.query(wrap) }
    let found = problem(of: { for _ in 0..<3 { _ = try database.query(wrap) } })
    #expect(found?.message.contains("too deep inside each other") ?? false, "\(String(describing: found))")
    #expect(database.check() == [])
  }
}
