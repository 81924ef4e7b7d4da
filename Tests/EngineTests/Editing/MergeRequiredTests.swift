import GQLite
import Testing

/// Tests merges where an entity must be linked with what the other side has deleted.
@Suite struct MergeRequiredTests {
  private static let schema = """
    type P { id: ID! v: Int rs: [R!]! @relation(inverse: "p", onDelete: CASCADE) }
    type R { id: ID! v: Int p: P! ns: [N!]! @relation(inverse: "r", onDelete: CASCADE) lines: [L!]! }
    type N { id: ID! v: Int r: R! }
    type L { k: Int }
    """
  private static let start = """
    insertP(data: [{id: 1, v: 10}, {id: 2}]) \
    insertR(data: [{id: 1, p: 1, lines: [{k: 1}, {k: 2}]}, {id: 2, p: 1}, {id: 3, p: 2}]) \
    insertN(data: [{id: 1, r: 1}, {id: 2, r: 2}])
    """
  private static let query =
    "{ P(orderBy: id) { id v rs { id } } R(orderBy: id) { id v lines { k } } N { id v r { id } } }"

  private func merged(
    _ mine: String, _ theirs: String, _ choice: MergeChoice, _ query: String = Self.query, schema: String = Self.schema,
    start: String = Self.start
  ) throws -> String {
    let scene = try MergeScene(schema, start, mine: mine, theirs: theirs)
    try scene.draft.save(conflicts: choice)
    #expect(scene.database.check() == [])
    return try scene.database.run(query).jsonString
  }

  private static let rest = #"{"id":2,"v":null,"rs":[{"id":3}]}"#
  private static let third = #"{"id":3,"v":null,"lines":[]}"#

  @Test(
    "what I have written comes back with all that it must lead to",
    arguments: [
      "updateR(where: id == 1, set: {v: 5})",
      "deleteP(where: id == 1) restoreP(where: id == 1) updateR(where: id == 1, set: {v: 5})",
    ])
  func comesBack(_ mine: String) throws {
    // With the target comes what its deletion reached from it.
    #expect(
      try merged(mine, "deleteP(where: id == 1)", .mine)
        == #"{"P":[{"id":1,"v":10,"rs":[{"id":1},{"id":2}]},\#(Self.rest)],"#
        + #""R":[{"id":1,"v":5,"lines":[{"k":1},{"k":2}]},{"id":2,"v":null,"lines":[]},\#(Self.third)],"#
        + #""N":[{"id":1,"v":null,"r":{"id":1}},{"id":2,"v":null,"r":{"id":2}}]}"#)
    // Of what was erased only what I have written, and what that needs.
    #expect(
      try merged(mine, "deleteP(where: id == 1, hard: true)", .mine)
        == #"{"P":[{"id":1,"v":10,"rs":[{"id":1}]},\#(Self.rest)],"#
        + #""R":[{"id":1,"v":5,"lines":[{"k":1},{"k":2}]},\#(Self.third)],"N":[]}"#)
    for hard in ["", ", hard: true"] {
      #expect(throws: QueryError.self) { try merged(mine, "deleteP(where: id == 1\(hard))", .fail) }
      #expect(
        try merged(mine, "deleteP(where: id == 1\(hard))", .theirs)
          == #"{"P":[\#(Self.rest)],"R":[\#(Self.third)],"N":[]}"#)
    }
  }

  @Test("what I have restored, where the other side deletes what it must lead to") func restored() throws {
    for hard in ["", ", hard: true"] {
      func answer(_ choice: MergeChoice) throws -> String {
        let scene = try MergeScene(
          "type P { id: ID! rs: [R!]! @relation(inverse: \"p\", onDelete: CASCADE) } type R { id: ID! p: P! }",
          "insertP(data: [{id: 1}, {id: 2}]) insertR(data: [{id: 1, p: 1}, {id: 2, p: 2}]) deleteR(where: id == 1)",
          mine: "restoreR(where: id == 1)", theirs: "deleteP(where: id == 1\(hard))")
        try scene.draft.save(conflicts: choice)
        #expect(scene.database.check() == [])
        return try scene.database.run("{ P { id } R(orderBy: id) { id p { id } } }").jsonString
      }
      #expect(throws: QueryError.self) { try answer(.fail) }
      #expect(try answer(.theirs) == #"{"P":[{"id":2}],"R":[{"id":2,"p":{"id":2}}]}"#)
      if hard.isEmpty {
        #expect(
          try answer(.mine) == #"{"P":[{"id":1},{"id":2}],"R":[{"id":1,"p":{"id":1}},{"id":2,"p":{"id":2}}]}"#)
      } else {
        // What is deleted on both sides has lost its link to what was erased.
        #expect(throws: QueryError.self) { try answer(.mine) }
      }
    }
  }

  @Test("what would come back with another, and cannot") func refusedWithAnother() throws {
    let schema = """
      type P { id: ID! rs: [R!]! @relation(inverse: "p", onDelete: CASCADE) } type Q { id: ID! }
      type R { id: ID! a: Int b: Int c: Int d: Int e: String @unique p: P! q: Q! }
      """
    let start = """
      insertP(data: [{id: 1}, {id: 2}]) insertQ(data: [{id: 1}, {id: 2}]) \
      insertR(data: [{id: 1, p: 1, q: 1}, {id: 2, p: 1, q: 2, e: "a"}])
      """
    let deleted = start + " deleteP(where: id == 1)"
    let query = "{ P { id } R(orderBy: id) { id a e q { id } } Q { id } }"
    for (start, mine, theirs, expected) in [
      (
        deleted, "restoreP(where: id == 1)", #"insertR(data: {id: 3, p: 2, q: 1, e: "a"})"#,
        #"{"P":[{"id":2}],"R":[{"id":3,"a":null,"e":"a","q":{"id":1}}],"Q":[{"id":1},{"id":2}]}"#
      ),
      (
        start, "updateR(where: id == 1, set: {a: 5})", "deleteP(where: id == 1) deleteQ(where: id == 2)",
        #"{"P":[{"id":2}],"R":[],"Q":[{"id":1}]}"#
      ),
    ] {
      for choice in [MergeChoice.fail, .mine] {
        #expect(!(try MergeScene(schema, start, mine: mine, theirs: theirs).refusal(choice).isEmpty))
      }
      #expect(try merged(mine, theirs, .theirs, query, schema: schema, start: start) == expected)
    }
    // It is the other one that is named.
    #expect(
      try MergeScene(
        schema, deleted, mine: "restoreP(where: id == 1)", theirs: #"insertR(data: {id: 3, p: 2, q: 1, e: "a"})"#
      ).refusal(.mine).filter { $0.hasPrefix("'R.e'") } == ["'R.e' of 2 has a value that another entity has now"])
    #expect(
      try merged(
        "restoreP(where: id == 1)", "deleteQ(where: id == 2)", .mine, query, schema: schema, start: deleted)
        == #"{"P":[{"id":1},{"id":2}],"R":[{"id":1,"a":null,"e":null,"q":{"id":1}},"#
        + #"{"id":2,"a":null,"e":"a","q":{"id":2}}],"Q":[{"id":1},{"id":2}]}"#)
  }

  @Test("what both have deleted stays so, where what it went with comes back") func deletedByBoth() throws {
    for mine in [
      "updateR(where: id == 1, set: {v: 5}) deleteR(where: id == 2)",
      "updateP(where: id == 1, set: {v: 5}) deleteR(where: id == 2)",
    ] {
      #expect(
        try merged(mine, "deleteP(where: id == 1)", .mine, "{ P(orderBy: id) { id } R(orderBy: id) { id } N { id } }")
          == #"{"P":[{"id":1},{"id":2}],"R":[{"id":1},{"id":3}],"N":[{"id":1}]}"#)
    }
  }

  @Test("over several links") func chain() throws {
    #expect(
      try merged("updateN(where: id == 1, set: {v: 5})", "deleteP(where: id == 1, hard: true)", .mine)
        == #"{"P":[{"id":1,"v":10,"rs":[{"id":1}]},\#(Self.rest)],"#
        + #""R":[{"id":1,"v":null,"lines":[{"k":1},{"k":2}]},\#(Self.third)],"N":[{"id":1,"v":5,"r":{"id":1}}]}"#)
    let answer = try merged("updateN(where: id == 1, set: {v: 5})", "deleteP(where: id == 1)", .mine, "{ N { id v } }")
    #expect(answer == #"{"N":[{"id":1,"v":5},{"id":2,"v":null}]}"#)
  }

  @Test("what the other side leads to stays, where my target is gone by its choice", arguments: [false, true])
  func fallsBack(hard: Bool) throws {
    let schema = "type P { id: ID! rs: [R!]! @relation(inverse: \"p\") } type R { id: ID! v: Int p: P! }"
    let end = hard ? ", hard: true" : ""
    for (choice, target) in [(MergeChoice.theirs, 1), (.mine, 2)] {
      #expect(
        try merged(
          "updateR(where: id == 1, set: {p: 2, v: 7}) deleteP(where: id == 1\(end))", "deleteP(where: id == 2\(end))",
          choice, "{ P { id } R { v p { id } } }", schema: schema,
          start: "insertP(data: [{id: 1}, {id: 2}]) insertR(data: {id: 1, p: 1})")
          == #"{"P":[{"id":\#(target)}],"R":[{"v":7,"p":{"id":\#(target)}}]}"#)
    }
  }
}
