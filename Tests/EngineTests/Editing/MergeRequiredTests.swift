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
        return try scene.database.run("{ P(orderBy: id) { id } R(orderBy: id) { id p { id } } }").jsonString
      }
      #expect(throws: QueryError.self) { try answer(.fail) }
      #expect(try answer(.theirs) == #"{"P":[{"id":2}],"R":[{"id":2,"p":{"id":2}}]}"#)
      #expect(
        try answer(.mine) == #"{"P":[{"id":1},{"id":2}],"R":[{"id":1,"p":{"id":1}},{"id":2,"p":{"id":2}}]}"#)
    }
  }

  private static let restoring = """
    type P { id: ID! rs: [R!]! @relation(inverse: "p", onDelete: CASCADE) }
    type R { id: ID! p: P! q: P ns: [N!]! @relation(inverse: "r", onDelete: CASCADE) }
    type N { id: ID! r: R! }
    """
  private static let deleted = """
    insertP(data: [{id: 1}, {id: 2}]) insertR(data: [{id: 1, p: 1, q: 1}, {id: 2, p: 2}, {id: 3, p: 1}]) \
    insertN(data: {id: 1, r: 1}) one: deleteN(where: id == 1) deleteR(where: id == 1)
    """
  private static let all =
    "{ P(orderBy: id) { id rs { id } } R(orderBy: id) { id p { id } q { id } } N { id r { id } } }"

  private func restored(_ mine: String, _ theirs: String, _ choice: MergeChoice) throws -> String {
    try merged(mine, theirs, choice, Self.all, schema: Self.restoring, start: Self.deleted)
  }

  private static let second = #"{"id":2,"p":{"id":2},"q":null}"#

  @Test("what I have restored over several links, with other links to what was erased") func restoredChain() throws {
    let mine = "restoreR(where: id == 1) restoreN(where: id == 1)"
    let theirs = "deleteP(where: id == 1, hard: true)"
    // What the other side has erased with the target, and I have not written, is not needed.
    #expect(
      try restored(mine, theirs, .mine)
        == #"{"P":[{"id":1,"rs":[{"id":1}]},{"id":2,"rs":[{"id":2}]}],"#
        + #""R":[{"id":1,"p":{"id":1},"q":{"id":1}},\#(Self.second)],"N":[{"id":1,"r":{"id":1}}]}"#)
    let scene = try MergeScene(Self.restoring, Self.deleted, mine: mine, theirs: theirs)
    #expect(
      try scene.refusal() == [
        "'P' of 1 was deleted by one side, and is needed by the other",
        "'R.p' of 1 would lose a link that it must have", "'N.r' of 1 would lose a link that it must have",
      ])
    #expect(
      try scene.saved(.theirs, Self.all) == #"{"P":[{"id":2,"rs":[{"id":2}]}],"R":[\#(Self.second)],"N":[]}"#)
  }

  @Test("what I have restored and led elsewhere, where what it led to goes", arguments: ["", ", hard: true"])
  func restoredElsewhere(hard: String) throws {
    let lead = "restoreR(where: id == 1) updateR(where: id == 1, set: {p: 2, q: 2})"
    let delete = "deleteP(where: id == 1\(hard))"
    for (mine, theirs) in [(lead, delete), ("\(lead) \(delete)", "insertP(data: {id: 9}) deleteP(where: id == 9)")] {
      for choice in [MergeChoice.fail, .mine, .theirs] {
        #expect(
          try restored(mine, theirs, choice)
            == #"{"P":[{"id":2,"rs":[{"id":2},{"id":1}]}],"R":[{"id":1,"p":{"id":2},"q":{"id":2}},\#(Self.second)],"N":[]}"#
        )
      }
    }
    // The new target is inserted with what leads to it.
    #expect(
      try restored(
        "restoreR(where: id == 1) insertP(data: {id: 7}) updateR(where: id == 1, set: {p: 7})", delete, .fail)
        == #"{"P":[{"id":2,"rs":[{"id":2}]},{"id":7,"rs":[{"id":1}]}],"R":[{"id":1,"p":{"id":7},"q":null},\#(Self.second)],"N":[]}"#
    )
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
