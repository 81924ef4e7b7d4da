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
}
