import GQLite
import Testing

/// Tests merges where what comes back has lost what it needs, or its place, meanwhile.
@Suite struct MergeRestoredTests {
  private func merged(
    _ schema: String, _ start: String, mine: String, theirs: String, _ choice: MergeChoice, _ query: String,
    at location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let scene = try MergeScene(schema, start, mine: mine, theirs: theirs)
    try scene.draft.save(conflicts: choice)
    #expect(scene.database.check() == [], sourceLocation: location)
    return try scene.database.run(query).jsonString
  }

  // MARK: - Namesakes

  @Test("what comes back under another id outlasts a new one of its id, which is there early") func namesake() throws {
    // The required target of R is erased, so its new one is inserted before R comes back.
    for choice in [MergeChoice.fail, .mine, .theirs] {
      #expect(
        try merged(
          "type P { id: ID! v: Int rs: [R!]! @relation(inverse: \"p\", onDelete: CASCADE) } type R { id: ID! p: P! }",
          "insertP(data: [{id: 1}, {id: 5, v: 50}]) insertR(data: {id: 1, p: 1}) "
            + "deleteR(where: id == 1) deleteP(where: id == 5)",
          mine: "restoreP(where: id == 5) updateP(where: id == 5, set: {id: 9}) insertP(data: {id: 5, v: 1}) "
            + "restoreR(where: id == 1) updateR(where: id == 1, set: {p: 5})",
          theirs: "deleteP(where: id == 1, hard: true)", choice, "{ P(orderBy: id) { id v rs { id } } R { p { id } } }")
          == #"{"P":[{"id":5,"v":1,"rs":[{"id":1}]},{"id":9,"v":50,"rs":[]}],"R":[{"p":{"id":5}}]}"#)
    }
  }

  private static let required = """
    type P { id: ID! v: Int tags: [T!]! rs: [R!]! @relation(inverse: "p", onDelete: CASCADE) }
    type R { id: ID! v: Int p: P! } type T { id: ID! ps: [P!]! @relation(inverse: "tags") }
    """

  @Test("what is only needed yields to a new one of its id") func needed() throws {
    let start =
      "insertT(data: [{id: 1}, {id: 2}]) insertP(data: {id: 1, v: 10, tags: [1]}) insertR(data: {id: 1, p: 1})"
    let query = "{ P { id v tags { id } rs { id } } R(orderBy: id) { id v p { id } } }"
    #expect(
      try merged(
        Self.required, start, mine: "updateR(where: id == 1, set: {v: 5})",
        theirs:
          "deleteP(where: id == 1, hard: true) insertP(data: {id: 1, v: 99, tags: [2]}) insertR(data: {id: 2, p: 1})",
        .mine, query)
        == #"{"P":[{"id":1,"v":99,"tags":[{"id":2}],"rs":[{"id":2},{"id":1}]}],"#
        + #""R":[{"id":1,"v":5,"p":{"id":1}},{"id":2,"v":null,"p":{"id":1}}]}"#)
    // What is written counts.
    #expect(
      try merged(
        Self.required, start, mine: "updateR(where: id == 1, set: {v: 5}) updateP(where: id == 1, set: {v: 11})",
        theirs: "deleteP(where: id == 1, hard: true) insertP(data: {id: 1, v: 99})", .mine, "{ P { id v } R { id v } }")
        == #"{"P":[{"id":1,"v":11}],"R":[{"id":1,"v":5}]}"#)
  }
}
