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

  // MARK: - Lists of objects

  private static let lists = "type Q { id: ID! } type R { id: ID! v: Int lines: [L!]! } type L { k: Int q: Q! }"
  private static let filled = "insertQ(data: [{id: 1}, {id: 2}]) insertR(data: {id: 1, lines: [{k: 1, q: 1}]})"
  private static let all = "{ Q(orderBy: id) { id } R { id v lines { k q { id } } } }"

  @Test(
    "objects of what comes back bring what they must lead to", arguments: ["", ", hard: true"], ["", ", hard: true"])
  func objects(_ hard: String, _ hardTarget: String) throws {
    let theirs = "deleteR(where: id == 1\(hard)) deleteQ(where: id == 1\(hardTarget))"
    #expect(
      try merged(Self.lists, Self.filled, mine: "updateR(where: id == 1, set: {v: 5})", theirs: theirs, .mine, Self.all)
        == #"{"Q":[{"id":1},{"id":2}],"R":[{"id":1,"v":5,"lines":[{"k":1,"q":{"id":1}}]}]}"#)
    #expect(
      try merged(
        Self.lists, Self.filled, mine: "updateR(where: id == 1, set: {v: 5})", theirs: theirs, .theirs, Self.all)
        == #"{"Q":[{"id":2}],"R":[]}"#)
  }

  @Test("objects that are replaced need nothing", arguments: ["", ", hard: true"], ["", ", hard: true"])
  func replaced(_ hard: String, _ hardTarget: String) throws {
    #expect(
      try merged(
        Self.lists, Self.filled, mine: "updateR(where: id == 1, set: {lines: [{k: 2, q: 2}]})",
        theirs: "deleteR(where: id == 1\(hard)) deleteQ(where: id == 1\(hardTarget))", .mine, Self.all)
        == #"{"Q":[{"id":2}],"R":[{"id":1,"v":null,"lines":[{"k":2,"q":{"id":2}}]}]}"#)
  }

  @Test("new objects bring what they must lead to", arguments: ["", ", hard: true"], ["", ", hard: true"])
  func newObjects(_ hard: String, _ hardTarget: String) throws {
    #expect(
      try merged(
        Self.lists, Self.filled, mine: "updateR(where: id == 1, set: {lines: [{k: 2, q: 2}]})",
        theirs: "deleteR(where: id == 1\(hard)) deleteQ(where: id == 2\(hardTarget))", .mine, Self.all)
        == #"{"Q":[{"id":1},{"id":2}],"R":[{"id":1,"v":null,"lines":[{"k":2,"q":{"id":2}}]}]}"#)
  }

  @Test("a list whose objects have nothing to lead to", arguments: ["", ", hard: true"], [false, true])
  func withoutTarget(_ hard: String, isRestored: Bool) throws {
    let start = Self.filled + (isRestored ? " deleteR(where: id == 1)" : "")
    let mine = (isRestored ? "restoreR(where: id == 1) " : "") + "updateR(where: id == 1, set: {lines: [{k: 2, q: 2}]})"
    let theirs = "deleteQ(where: id == 2\(hard))"
    #expect(
      try MergeScene(Self.lists, start, mine: mine, theirs: theirs).refusal() == [
        "'Q' of 2 was deleted by one side, and was written by the other"
      ])
    #expect(
      try merged(Self.lists, start, mine: mine, theirs: theirs, .mine, Self.all)
        == #"{"Q":[{"id":1},{"id":2}],"R":[{"id":1,"v":null,"lines":[{"k":2,"q":{"id":2}}]}]}"#)
    // The object is left out, as a new entity would be.
    #expect(
      try merged(Self.lists, start, mine: mine, theirs: theirs, .theirs, Self.all)
        == #"{"Q":[{"id":1}],"R":[{"id":1,"v":null,"lines":[]}]}"#)
  }

  @Test("what is restored with objects, and whose key another one has") func takenKey() throws {
    let schema = "type R { id: ID! e: String @unique lines: [L!]! } type L { k: Int subs: [M!]! } type M { m: Int }"
    let start = "insertR(data: {id: 1, e: \"a\", lines: [{k: 1, subs: [{m: 1}]}]}) deleteR(where: id == 1)"
    for mine in [
      "restoreR(where: id == 1)", "restoreR(where: id == 1) updateR(where: id == 1, set: {lines: [{k: 3}]})",
    ] {
      let theirs = "insertR(data: {id: 3, e: \"a\"})"
      #expect(
        try merged(schema, start, mine: mine, theirs: theirs, .theirs, "{ R { id lines { k } } }")
          == #"{"R":[{"id":3,"lines":[]}]}"#)
      #expect(
        try MergeScene(schema, start, mine: mine, theirs: theirs).refusal(.mine)
          == ["'R.e' of 1 has a value that another entity has now"])
    }
  }

  @Test("a list that is written again as it was comes back as it went") func writtenAgain() throws {
    let schema = "type R { id: ID! v: Int lines: [L!]! } type L { k: Int subs: [M!]! } type M { m: Int }"
    let start = "insertR(data: {id: 1, lines: [{k: 1, subs: [{m: 1}]}]})"
    let query = "{ R { v lines { k subs { m } } } }"
    for (lines, hard, expected) in [
      ("lines: [{k: 1, subs: [{m: 1}]}]", "", #"[{"k":2,"subs":[]}]"#), ("", "", #"[{"k":2,"subs":[]}]"#),
      ("lines: [{k: 3, subs: []}]", "", #"[{"k":3,"subs":[]}]"#),
      ("lines: [{k: 1, subs: [{m: 1}]}]", ", hard: true", #"[{"k":1,"subs":[{"m":1}]}]"#),
    ] {
      #expect(
        try merged(
          schema, start, mine: "updateR(where: id == 1, set: {v: 5 \(lines)})",
          theirs: "updateR(where: id == 1, set: {lines: [{k: 2}]}) deleteR(where: id == 1\(hard))", .mine, query)
          == #"{"R":[{"v":5,"lines":\#(expected)}]}"#)
    }
  }

  // MARK: - Links to one

  @Test("the other end of a link to one has forgotten what comes back") func forgotten() throws {
    let schema = """
      type P { id: ID! x: X @relation(inverse: "p") y: Y } type X { id: ID! v: Int p: P! } type Y { id: ID! }
      """
    let start = "insertP(data: [{id: 1}, {id: 2}]) insertX(data: {id: 1, p: 1})"
    let write = "updateX(where: id == 1, set: {v: 5})"
    let forget = "deleteX(where: id == 1) updateP(where: id == 1, set: {x: null})"
    let query = "{ P(orderBy: id) { id x { id } } X(orderBy: id) { id v p { id } } }"
    #expect(
      try merged(schema, start, mine: write, theirs: forget, .mine, query)
        == #"{"P":[{"id":1,"x":{"id":1}},{"id":2,"x":null}],"X":[{"id":1,"v":5,"p":{"id":1}}]}"#)
    #expect(
      try merged(schema, start, mine: write, theirs: forget, .theirs, query)
        == #"{"P":[{"id":1,"x":null},{"id":2,"x":null}],"X":[]}"#)
    // Another one that must have it keeps it.
    #expect(
      try !MergeScene(schema, start, mine: write, theirs: "deleteX(where: id == 1) insertX(data: {id: 2, p: 1})")
        .refusal(.mine).isEmpty)
  }

  @Test("a long chain comes back, in whatever order its rows are") func chain() throws {
    let count = 1_500
    var ids = Array(1..<count)
    var seed: UInt64 = 7
    for place in ids.indices.reversed() {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      ids.swapAt(place, Int(seed >> 33) % (place + 1))
    }
    let database = try Database(schema: "type N { id: ID! up: N! }")
    // The first one leads to itself.
    let rows = ([0] + ids).map { #"{"id":\#($0),"up":\#(max($0 - 1, 0))}"# }
    try database.load([.json(text: #"{"N":[\#(rows.joined(separator: ","))]}"#)])
    let delete = try database.prepare("mutation ($id: ID!) { deleteN(where: id == $id) }")
    for id in (1..<count).reversed() { try delete.run(["id": .int(Int64(id))]) }
    let draft = database.edit(.snapshot)
    let restore = try draft.prepare("mutation ($id: ID!) { restoreN(where: id == $id) }")
    for id in 1..<count { try restore.run(["id": .int(Int64(id))]) }
    try database.run("mutation { insertN(data: {id: -1, up: 0}) }")
    try draft.save()
    #expect(try database.run("{ count(N) }").jsonString == #"{"count":\#(count + 1)}"#)
    #expect(database.check() == [])
  }
}
