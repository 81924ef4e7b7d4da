import GQLite
import Testing

/// Tests merges in which one side takes an embedded object away, and the other writes in it.
@Suite struct MergeEmbeddedTests {
  private static let schema = """
    type N @unique(fields: ["e.k"]) { id: ID! e: E d: D } type E { a: Int! k: String in: I lines: [L!]! }
    type I { x: Int y: Int } type L { n: Int } type D { to: P! note: String } type P { id: ID! }
    """
  private static let query = "{ N(orderBy: id) { id e { a k in { x y } lines { n } } d { to { id } note } } }"
  private static let start = """
    insertP(data: [{id: 1}, {id: 2}]) \
    insertN(data: {id: 1, e: {a: 1, in: {x: 1}, lines: [{n: 1}]}, d: {to: 1, note: "n"}})
    """
  private static let e = #"{"a":1,"k":null,"in":{"x":1,"y":null},"lines":[{"n":1}]}"#
  private static let d = #"{"to":{"id":1},"note":"n"}"#

  private static func answer(e: String = Self.e, d: String = Self.d) -> String {
    #"{"N":[{"id":1,"e":\#(e),"d":\#(d)}]}"#
  }

  private static func update(_ fields: String) -> String { "updateN(where: id == 1, set: {\(fields)})" }

  @Test(
    "an object is there whole, or not at all",
    arguments: [
      (
        "e: null", #"e: {a: 1, k: "x", in: {x: 1}, lines: [{n: 1}]}"#, "null", d,
        #"{"a":1,"k":"x","in":{"x":1,"y":null},"lines":[{"n":1}]}"#, d
      ),
      (
        "e: null", "e: {a: 1, in: {x: 1, y: 2}, lines: [{n: 1}]}", "null", d,
        #"{"a":1,"k":null,"in":{"x":1,"y":2},"lines":[{"n":1}]}"#, d
      ),
      (
        "e: null", "e: {a: 1, in: {x: 1}, lines: [{n: 1}, {n: 2}]}", "null", d,
        #"{"a":1,"k":null,"in":{"x":1,"y":null},"lines":[{"n":1},{"n":2}]}"#, d
      ),
      (
        "e: {a: 1, lines: [{n: 1}]}", "e: {a: 1, in: {x: 1, y: 2}, lines: [{n: 1}]}",
        #"{"a":1,"k":null,"in":null,"lines":[{"n":1}]}"#, d,
        #"{"a":1,"k":null,"in":{"x":1,"y":2},"lines":[{"n":1}]}"#, d
      ),
      ("d: null", #"d: {to: 2, note: "n"}"#, e, "null", e, #"{"to":{"id":2},"note":"n"}"#),
      ("d: null", "d: {to: 1}", e, "null", e, #"{"to":{"id":1},"note":null}"#),
    ])
  func objects(_ taking: String, _ writing: String, _ takenE: String, _ takenD: String, _ e: String, _ d: String) throws
  {
    for (mine, theirs) in [(taking, writing), (writing, taking)] {
      func scene() throws -> MergeScene {
        try MergeScene(Self.schema, Self.start, mine: Self.update(mine), theirs: Self.update(theirs))
      }
      #expect(try scene().refusal().count == 1)
      for choice in [MergeChoice.mine, .theirs] {
        let isTaken = (choice == .mine) == (mine == taking)
        #expect(
          try scene().saved(choice, Self.query)
            == (isTaken ? Self.answer(e: takenE, d: takenD) : Self.answer(e: e, d: d)))
      }
    }
  }

  @Test("what the other side leaves alone goes without a conflict") func unwritten() throws {
    for (mine, theirs) in [("e: null", "d: null"), ("d: null", "e: null")] {
      let scene = try MergeScene(Self.schema, Self.start, mine: Self.update(mine), theirs: Self.update(theirs))
      #expect(try scene.saved(Self.query) == Self.answer(e: "null", d: "null"))
    }
  }

  @Test("what goes holds no key, and no entity") func free() throws {
    let scene = try MergeScene(
      Self.schema, Self.start, mine: Self.update("e: null, d: null"),
      theirs: Self.update(#"e: {a: 1, k: "x"}, d: {to: 2}"#))
    try scene.draft.save(conflicts: .mine)
    try scene.database.run(#"mutation { insertN(data: {id: 2, e: {a: 2, k: "x"}}) deleteP(where: id <= 2) }"#)
    #expect(try scene.database.run(#"{ N(where: e.k == "x") { id } }"#).jsonString == #"{"N":[{"id":2}]}"#)
  }

  @Test("a live context tells the conflict again when it is saved") func live() throws {
    let scene = try MergeScene(
      Self.schema, Self.start, mine: Self.update("e: null"), theirs: Self.update("e: {a: 2}"), mode: .live)
    #expect(try scene.draft.run(Self.query).jsonString == Self.answer(e: "null"))
    #expect(try scene.refusal().count == 1)
    #expect(
      try scene.saved(.theirs, Self.query) == Self.answer(e: #"{"a":2,"k":null,"in":null,"lines":[]}"#))
  }

  @Test("an object that was made is not taken back where it has been written since") func undone() throws {
    let database = try Database(schema: Self.schema)
    database.recentVersions = 1 << 20
    try database.run("mutation { insertN(data: {id: 1}) }")
    try database.run("mutation { \(Self.update("e: {a: 1}")) }")
    let version = database.version
    try database.run("mutation { \(Self.update(#"e: {a: 1, k: "x"}"#)) }")
    #expect(throws: QueryError.self) { try database.undo(version) }
    #expect(try !database.undo(version, only: .untouched).conflicts.isEmpty)
    #expect(database.check() == [])
    #expect(try database.run("{ N { e { a k } } }").jsonString == #"{"N":[{"e":{"a":1,"k":"x"}}]}"#)
  }

  @Test("a field is not taken back where its object has gone since") func undoneField() throws {
    let database = try Database(schema: Self.schema)
    database.recentVersions = 1 << 20
    try database.run(#"mutation { insertN(data: {id: 1, e: {a: 1, k: "x"}}) }"#)
    try database.run("mutation { \(Self.update("e: {a: 1, k: null}")) }")
    let version = database.version
    try database.run("mutation { \(Self.update("e: null")) }")
    #expect(throws: QueryError.self) { try database.undo(version) }
    #expect(database.check() == [])
  }

  @Test("what comes back is not linked with an object that has gone") func returnedTarget() throws {
    let schema = "type O { id: ID! d: D } type D { to: P } type P { id: ID! } type Q { id: ID! p: P }"
    for end in ["", ", hard: true"] {
      let scene = try MergeScene(
        schema, "insertP(data: {id: 1}) insertO(data: {id: 1, d: {to: 1}}) insertQ(data: {id: 1})",
        mine: "updateQ(where: id == 1, set: {p: 1})",
        theirs: "updateO(where: id == 1, set: {d: null}) deleteP(where: id == 1\(end))")
      #expect(
        try scene.saved(.mine, "{ O { d { to { id } } } P { id } Q { p { id } } }")
          == #"{"O":[{"d":null}],"P":[{"id":1}],"Q":[{"p":{"id":1}}]}"#)
    }
  }

  @Test("what is not erased is not linked with an object that has gone") func keptTarget() throws {
    let scene = try MergeScene(
      "type O { id: ID! d: D } type D { to: P } type P { id: ID! } type Q { id: ID! p: P }",
      "insertP(data: {id: 1}) insertO(data: [{id: 1, d: {to: 1}}, {id: 2, d: {to: 1}}]) insertQ(data: {id: 1})",
      mine: "updateO(where: id == 1, set: {d: null}) deleteP(where: id == 1, hard: true)",
      theirs: "updateQ(where: id == 1, set: {p: 1})")
    // The other object has lost its link with the erasing only.
    #expect(
      try scene.saved(.theirs, "{ O(orderBy: id) { d { to { id } } } Q { p { id } } }")
        == #"{"O":[{"d":null},{"d":{"to":{"id":1}}}],"Q":[{"p":{"id":1}}]}"#)
  }

  @Test("an object that must lead to what the other side has deleted is left out") func withoutTarget() throws {
    let schema =
      "type O { id: ID! v: Int d: D } type D { to: P! n: Int in: E lines: [L!]! } type E { to: P! } type L { n: Int } type P { id: ID! }"
    let start = "insertP(data: [{id: 1}, {id: 2}]) insertO(data: {id: 1})"
    for end in ["", ", hard: true"] {
      func scene() throws -> MergeScene {
        try MergeScene(
          schema, start,
          mine: "updateO(where: id == 1, set: {v: 1, d: {to: 1, n: 1, in: {to: 2}, lines: [{n: 1}]}})",
          theirs: "deleteP(where: id == 2\(end))")
      }
      #expect(!(try scene().refusal().isEmpty))
      #expect(try scene().saved(.theirs, "{ O { v d { n } } P { id } }") == #"{"O":[{"v":1,"d":null}],"P":[{"id":1}]}"#)
    }
  }

  @Test("an object is taken back whole, or stays whole") func undoneParts() throws {
    let database = try Database(schema: "type O { id: ID! d: D } type D { n: Int to: P! } type P { id: ID! }")
    database.recentVersions = 1 << 20
    try database.run("mutation { insertP(data: {id: 1}) insertO(data: {id: 1}) }")
    try database.run("mutation { updateO(where: id == 1, set: {d: {n: 1, to: 1}}) }")
    let version = database.version
    try database.run("mutation { insertO(data: {id: 2, d: {to: 1}}) }")
    #expect(throws: QueryError.self) { try database.undo(version) }
    _ = try database.undo(version, only: .untouched)
    #expect(database.check() == [])
    #expect(
      try database.run("{ O(orderBy: id) { d { n to { id } } } }").jsonString
        == #"{"O":[{"d":{"n":1,"to":{"id":1}}},{"d":{"n":null,"to":{"id":1}}}]}"#)
  }

  @Test("the object of the other side keeps its unique value") func keptKey() throws {
    let scene = try MergeScene(
      Self.schema, #"insertN(data: {id: 1, e: {a: 1, k: "x"}})"#, mine: Self.update("e: null"),
      theirs: Self.update(#"e: {a: 2, k: "x"}"#))
    #expect(try scene.saved(.theirs, #"{ N(where: e.k == "x") { e { a k } } }"#) == #"{"N":[{"e":{"a":2,"k":"x"}}]}"#)
  }

  // MARK: - Links to one

  private static let pair = """
    type B { id: ID! c: C! @relation(inverse: "b") } type C { id: ID! b: B @relation(inverse: "c") }
    """

  @Test("what both must lead to the same is no choice for mine") func robbed() throws {
    for (start, mine, theirs) in [
      ("insertC(data: {id: 1})", "insertB(data: {id: 2, c: 1})", "insertB(data: {id: 3, c: 1})"),
      (
        "insertC(data: [{id: 1}, {id: 2}]) insertB(data: {id: 1, c: 1})",
        "updateB(where: id == 1, set: {c: 2}) deleteC(where: id == 1)", "insertB(data: {id: 2, c: 2})"
      ),
    ] {
      for choice in [MergeChoice.fail, .mine] {
        let scene = try MergeScene(Self.pair, start, mine: mine, theirs: theirs)
        #expect(!(try scene.refusal(choice).isEmpty))
        #expect(scene.database.check() == [])
      }
    }
    #expect(
      try MergeScene(
        Self.pair, "insertC(data: {id: 1})", mine: "insertB(data: {id: 2, c: 1})",
        theirs: "insertB(data: {id: 3, c: 1})"
      ).saved(.theirs, "{ B { id c { id } } }") == #"{"B":[{"id":3,"c":{"id":1}}]}"#)
  }

  @Test("what leads to what the other side has taken stays where it was") func taken() throws {
    for end in ["", ", hard: true"] {
      let scene = try MergeScene(
        Self.pair, "insertC(data: [{id: 1}, {id: 2}]) insertB(data: {id: 1, c: 1})",
        mine: "updateB(where: id == 1, set: {c: 2}) deleteC(where: id == 1\(end))",
        theirs: "insertB(data: {id: 2, c: 2})")
      #expect(
        try scene.saved(.theirs, "{ B(orderBy: id) { id c { id } } }")
          == #"{"B":[{"id":1,"c":{"id":1}},{"id":2,"c":{"id":2}}]}"#)
    }
  }

  @Test("every link that must be there stays where it is") func several() throws {
    let scene = try MergeScene(
      "type A { id: ID! x: X! y: X! h: E w: E } type E { to: X! } type X { id: ID! }",
      "insertX(data: [{id: 1}, {id: 2}, {id: 3}]) insertA(data: {id: 1, x: 1, y: 1})",
      mine: "updateA(where: id == 1, set: {x: 2, y: 3, h: {to: 2}, w: {to: 3}})",
      theirs: "deleteX(where: id in [2, 3])")
    #expect(
      try scene.saved(.theirs, "{ A { x { id } y { id } h { to { id } } w { to { id } } } }")
        == #"{"A":[{"x":{"id":1},"y":{"id":1},"h":null,"w":null}]}"#)
  }

  @Test("both insert one id, and lead it elsewhere") func insertedElsewhere() throws {
    let schema = "type P { id: ID! q: Q! r: Q } type Q { id: ID! }"
    func scene(_ mine: String, _ theirs: String) throws -> MergeScene {
      try MergeScene(
        schema, "insertQ(data: [{id: 1}, {id: 2}])", mine: "insertP(data: {id: 9, \(mine)})",
        theirs: "insertP(data: {id: 9, \(theirs)})")
    }
    let query = "{ P { q { id } r { id } } }"
    #expect(try scene("q: 1", "q: 2").refusal() == ["'P' of 9 was inserted by both sides"])
    #expect(try scene("q: 1", "q: 2").saved(.mine, query) == #"{"P":[{"q":{"id":1},"r":null}]}"#)
    #expect(try scene("q: 1", "q: 2").saved(.theirs, query) == #"{"P":[{"q":{"id":2},"r":null}]}"#)
    // A link that one of them has is no contradiction.
    #expect(try scene("q: 1, r: 2", "q: 1").saved(query) == #"{"P":[{"q":{"id":1},"r":{"id":2}}]}"#)
  }
}
