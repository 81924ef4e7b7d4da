import GQLite
import Testing

/// Tests lists of embedded objects, and what hangs together by cascades, where a merge deletes or brings back.
@Suite struct MergeListTests {
  /// A change of the other side that touches nothing else, so that there is something to be merged.
  private static let elsewhere = "insertX(data: {id: 1})"

  /// Returns what the database answers after a merge, and after it has restored something.
  private func merged(
    _ schema: String, _ start: String, mine: String, theirs: String = Self.elsewhere,
    choosing choice: MergeChoice = .fail,
    restoring: String = "", query: String
  ) throws -> String {
    let scene = try MergeScene(schema + " type X { id: ID! }", start, mine: mine, theirs: theirs)
    try scene.draft.save(conflicts: choice)
    #expect(scene.database.check() == [])
    if !restoring.isEmpty { try scene.database.run("mutation { \(restoring) }") }
    #expect(scene.database.check() == [])
    return try scene.database.run(query).jsonString
  }

  // MARK: - Lists of objects

  @Test("a type that is the element of two lists") func twoLists() throws {
    #expect(
      try merged(
        "type P { id: ID! lines: [L!]! more: [L!]! } type L { k: Int }", "insertP(data: {id: 1, lines: [{k: 1}]})",
        mine: "updateP(where: id == 1, set: {lines: [{k: 2}]})", query: "{ P { lines { k } more { k } } }")
        == #"{"P":[{"lines":[{"k":2}],"more":[]}]}"#)
  }

  @Test("a nested list that was replaced before its owner was deleted") func replacedAndDeleted() throws {
    let schema = "type P { id: ID! lines: [L!]! } type L { k: Int subs: [M!]! } type M { m: Int }"
    let start = "insertP(data: {id: 1, lines: [{k: 1, subs: [{m: 1}]}]})"
    for (change, expected) in [
      ("{lines: [{k: 7, subs: [{m: 7}, {m: 8}]}]}", #"[{"k":7,"subs":[{"m":7},{"m":8}]}]"#),
      ("{lines: {append: [{k: 3}]}}", #"[{"k":1,"subs":[{"m":1}]},{"k":3,"subs":[]}]"#),
      ("{lines: []}", "[]"),
    ] {
      let mine = "updateP(where: id == 1, set: \(change)) deleteP(where: id == 1)"
      let query = "{ P(deleted: INCLUDE) { lines { k subs { m } } } }"
      #expect(try merged(schema, start, mine: mine, query: query) == #"{"P":[{"lines":\#(expected)}]}"#)
      #expect(
        try merged(schema, start, mine: mine, restoring: "restoreP(where: id == 1)", query: query)
          == #"{"P":[{"lines":\#(expected)}]}"#)
    }
  }

  @Test("both have inserted an entity of one id, with lists") func insertedTwice() throws {
    let schema = "type P { id: ID! v: Int lines: [L!]! } type L { k: Int subs: [M!]! to: X } type M { m: Int }"
    let start = "insertP(data: {id: 5, lines: [{k: 5}]})"
    let query = "{ P(orderBy: id) { v lines { k subs { m } } } }"
    let other = #"{"v":null,"lines":[{"k":5,"subs":[]}]}"#
    let one = #"[{"k":1,"subs":[{"m":1},{"m":2}]},{"k":2,"subs":[]}]"#
    let insertOne = "insertP(data: {id: 1, lines: [{k: 1, subs: [{m: 1}, {m: 2}]}, {k: 2}]})"
    // Equal ones are one, however many other rows each side has made before.
    #expect(
      try merged(
        schema, start, mine: insertOne, theirs: "more: insertP(data: {id: 2, lines: [{k: 7}]}) \(insertOne)",
        query: query)
        == #"{"P":[{"v":null,"lines":\#(one)},{"v":null,"lines":[{"k":7,"subs":[]}]},\#(other)]}"#)
    for (theirs, list) in [
      ("[]", "[]"), ("[{k: 3, subs: [{m: 3}]}]", #"[{"k":3,"subs":[{"m":3}]}]"#),
      ("[{k: 1, subs: [{m: 1}]}, {k: 2}]", #"[{"k":1,"subs":[{"m":1}]},{"k":2,"subs":[]}]"#),
      ("[{k: 2}, {k: 1, subs: [{m: 1}, {m: 2}]}]", #"[{"k":2,"subs":[]},{"k":1,"subs":[{"m":1},{"m":2}]}]"#),
    ] {
      let insertOther = "insertP(data: {id: 1, lines: \(theirs)})"
      #expect(throws: QueryError.self) {
        try merged(schema, start, mine: insertOne, theirs: insertOther, query: query)
      }
      for (choice, expected) in [(MergeChoice.mine, one), (.theirs, list)] {
        #expect(
          try merged(schema, start, mine: insertOne, theirs: insertOther, choosing: choice, query: query)
            == #"{"P":[{"v":null,"lines":\#(expected)},\#(other)]}"#)
      }
    }
    // Another field is another entity, and has its list.
    for (choice, expected) in [
      (MergeChoice.mine, #"{"v":1,"lines":[]}"#), (.theirs, #"{"v":null,"lines":\#(one)}"#),
    ] {
      #expect(
        try merged(
          schema, start, mine: "insertP(data: {id: 1, v: 1})", theirs: insertOne, choosing: choice, query: query)
          == #"{"P":[\#(expected),\#(other)]}"#)
    }
  }

  @Test("my list of what the other side has deleted after it wrote another one") func writtenAndDeleted() throws {
    let schema = "type P { id: ID! v: Int lines: [L!]! } type L { k: Int subs: [M!]! } type M { m: Int }"
    let start = "insertP(data: {id: 1, lines: [{k: 1, subs: [{m: 1}]}, {k: 2}]})"
    let first = #"{"k":1,"subs":[{"m":1}]}"#
    for (mine, expected) in [
      ("{lines: {append: [{k: 9}]}}", #"[\#(first),{"k":2,"subs":[]},{"k":9,"subs":[]}]"#),
      (
        "{lines: [{k: 9, subs: [{m: 9}]}, {k: 1, subs: [{m: 1}]}, {k: 2}]}",
        #"[{"k":9,"subs":[{"m":9}]},\#(first),{"k":2,"subs":[]}]"#
      ),
      ("{lines: []}", "[]"), ("{lines: [{k: 1}]}", #"[{"k":1,"subs":[]}]"#),
    ] {
      for theirs in ["{lines: [{k: 8}]}", "{lines: {append: [{k: 8}]}}", "{lines: []}", "{v: 3}"] {
        #expect(
          try merged(
            schema, start, mine: "updateP(where: id == 1, set: \(mine))",
            theirs: "updateP(where: id == 1, set: \(theirs)) deleteP(where: id == 1)", choosing: .mine,
            query: "{ P { lines { k subs { m } } } }") == #"{"P":[{"lines":\#(expected)}]}"#, "\(mine), \(theirs)")
      }
    }
  }

  @Test("links of my list's objects, where the other side has deleted their owner") func linksOfWritten() throws {
    #expect(
      try merged(
        "type P { id: ID! lines: [L!]! } type L { k: Int to: T } type T { id: ID! }",
        "insertT(data: {id: 1}) insertP(data: {id: 1, lines: [{k: 1, to: 1}, {k: 2}]})",
        mine: "insertT(data: {id: 7}) updateP(where: id == 1, set: {lines: {append: [{k: 9, to: 7}, {k: 10, to: 1}]}})",
        theirs: "updateP(where: id == 1, set: {lines: [{k: 8}]}) insertT(data: {id: 8}) deleteP(where: id == 1)",
        choosing: .mine, query: "{ P { lines { k to { id } } } }")
        == #"{"P":[{"lines":[{"k":1,"to":{"id":1}},{"k":2,"to":null},{"k":9,"to":{"id":7}},"#
        + #"{"k":10,"to":{"id":1}}]}]}"#)
  }

  @Test("lists of an entity that the other side has erased, and that comes back") func erased() throws {
    let schema = "type P { id: ID! v: Int lines: [L!]! } type L { k: Int subs: [M!]! } type M { m: Int }"
    let start = "insertP(data: {id: 1, v: 1, lines: [{k: 1, subs: [{m: 1}]}, {k: 2}]})"
    let query = "{ P { v lines { k subs { m } } } }"
    #expect(
      try merged(
        schema, start, mine: "updateP(where: id == 1, set: {v: 2})", theirs: "deleteP(where: id == 1, hard: true)",
        choosing: .mine, query: query) == #"{"P":[{"v":2,"lines":[{"k":1,"subs":[{"m":1}]},{"k":2,"subs":[]}]}]}"#)
    #expect(
      try merged(
        schema, start, mine: "updateP(where: id == 1, set: {lines: {append: [{k: 3}]}})",
        theirs: "deleteP(where: id == 1, hard: true)", choosing: .mine, query: query)
        == #"{"P":[{"v":1,"lines":[{"k":1,"subs":[{"m":1}]},{"k":2,"subs":[]},{"k":3,"subs":[]}]}]}"#)
  }

  // MARK: - Deletions that hang together

  private static let cascade =
    "type P { id: ID! ts: [T!]! @relation(inverse: \"p\", onDelete: CASCADE) } type T { id: ID! v: Int p: P }"
  private static let family = "insertP(data: {id: 1, ts: [{id: 1}]})"

  @Test("a list is not written where what its objects lead to is erased") func erasedTargets() throws {
    let schema = "type P { id: ID! lines: [L!]! } type L { k: Int to: T } type T { id: ID! }"
    let start = "insertT(data: [{id: 5}, {id: 6}]) insertP(data: {id: 1, lines: [{k: 1, to: 5}, {k: 2, to: 6}]})"
    let erasing = "deleteT(where: id == 5, hard: true)"
    for (lines, expected) in [("[]", "[]"), ("[{k: 3, to: 6}]", #"[{"k":3,"to":{"id":6}}]"#)] {
      let writing = "updateP(where: id == 1, set: {lines: \(lines)})"
      for (mine, theirs) in [(writing, erasing), (erasing, writing)] {
        #expect(
          try merged(schema, start, mine: mine, theirs: theirs, query: "{ P { lines { k to { id } } } T { id } }")
            == #"{"P":[{"lines":\#(expected)}],"T":[{"id":6}]}"#)
      }
    }
  }

  @Test("what one side has taken from an entity that the other deletes with all that it has", arguments: [false, true])
  func takenFromCascade(hard: Bool) throws {
    let schema = """
      type P { id: ID! rs: [R!]! @relation(inverse: "p", onDelete: CASCADE) } type R { id: ID! v: Int p: P }
      """
    let start = "insertP(data: {id: 1}) insertR(data: [{id: 1, p: 1}, {id: 2, p: 1}])"
    let take = "updateR(where: id == 1, set: {p: null})"
    let delete = "deleteP(where: id == 1\(hard ? ", hard: true" : ""))"
    let query = "{ R(orderBy: id) { id p { id } } }"
    for (mine, theirs) in [(take, delete), (delete, take)] {
      #expect(throws: QueryError.self) { try merged(schema, start, mine: mine, theirs: theirs, query: query) }
      for (choice, isTaken) in [(MergeChoice.mine, mine == take), (.theirs, mine == delete)] {
        let answer = try merged(schema, start, mine: mine, theirs: theirs, choosing: choice, query: query)
        // A deletion that is not made leaves all. To restore an entity brings back what was reached from it alone.
        let other = mine == take ? "" : #",{"id":2,"p":{"id":1}}"#
        #expect(answer == (isTaken ? #"{"R":[{"id":1,"p":null}\#(other)]}"# : #"{"R":[]}"#))
      }
    }
    // To take a link from what stays there is no reason to keep what is deleted.
    #expect(
      try merged(schema, start, mine: take, theirs: "deleteR(where: id == 1)", query: query)
        == #"{"R":[{"id":2,"p":{"id":1}}]}"#)
  }

  @Test("what one side has taken out of a list that the other deletes with all that is in it")
  func takenOutOfList() throws {
    for schema in [
      "type P { id: ID! rs: [R!]! @relation(onDelete: CASCADE) } type R { id: ID! }",
      "type P { id: ID! rs: [R!]! @relation(inverse: \"ps\", onDelete: CASCADE) } "
        + "type R { id: ID! ps: [P!]! @relation(inverse: \"rs\") }",
    ] {
      let start = "insertR(data: [{id: 1}, {id: 2}]) insertP(data: {id: 1, rs: [1, 2]})"
      let (taking, deleting) = ("updateP(where: id == 1, set: {rs: {remove: [1]}})", "deleteP(where: id == 1)")
      for (mine, theirs, choice) in [(taking, deleting, MergeChoice.mine), (deleting, taking, .theirs)] {
        #expect(!(try MergeScene(schema, start, mine: mine, theirs: theirs).refusal().isEmpty))
        let answer = try merged(schema, start, mine: mine, theirs: theirs, choosing: choice, query: "{ R { id } }")
        #expect(answer.hasPrefix(#"{"R":[{"id":1}"#))
      }
    }
    // Without a cascade nothing goes with the list.
    #expect(
      try merged(
        "type P { id: ID! rs: [R!]! } type R { id: ID! }",
        "insertR(data: [{id: 1}, {id: 2}]) insertP(data: {id: 1, rs: [1, 2]})",
        mine: "updateP(where: id == 1, set: {rs: {remove: [1]}})", theirs: "deleteP(where: id == 1)",
        query: "{ P { id } R { id } }") == #"{"P":[],"R":[{"id":1},{"id":2}]}"#)
  }

  @Test("what needs another was deleted before it") func dependentFirst() throws {
    let mine = "deleteR(where: id == 1) deleteA(where: id == 1)"
    let start = "insertA(data: {id: 1, rs: [{id: 1}]})"
    let required = "type A { id: ID! rs: [R!]! @relation(inverse: \"a\") } type R { id: ID! a: A! }"
    let denied = "type A { id: ID! rs: [R!]! @relation(inverse: \"a\", onDelete: DENY) } type R { id: ID! a: A }"
    for schema in [required, denied] {
      #expect(try merged(schema, start, mine: mine, query: "{ A { id } R { id } }") == #"{"A":[],"R":[]}"#)
    }
  }

  @Test("what was restored after a cascade stays") func restoredAfterCascade() throws {
    #expect(
      try merged(
        Self.cascade, Self.family,
        mine: "deleteP(where: id == 1) restoreT(where: id == 1) updateT(where: id == 1, set: {v: 5})",
        query: "{ P { id } T { id v } }") == #"{"P":[],"T":[{"id":1,"v":5}]}"#)
  }

  @Test("what a cascade has deleted is kept, where another comes in the place of its holder") func namesake() throws {
    #expect(
      try merged(
        Self.cascade, Self.family, mine: "deleteP(where: id == 1) insertP(data: {id: 1})",
        query: "{ P { id } T(deleted: INCLUDE) { id } }") == #"{"P":[{"id":1}],"T":[{"id":1}]}"#)
  }

  @Test("what was deleted together comes back together, and nothing else") func together() throws {
    for mine in [
      "deleteT(where: id == 1) deleteP(where: id == 1)",
      "deleteP(where: id == 1) restoreT(where: id == 1) again: deleteT(where: id == 1)",
    ] {
      #expect(
        try merged(
          Self.cascade, Self.family, mine: mine, restoring: "restoreP(where: id == 1)", query: "{ P { id } T { id } }")
          == #"{"P":[{"id":1}],"T":[]}"#)
    }
    #expect(
      try merged(
        Self.cascade, "insertP(data: {id: 1}) insertT(data: {id: 1})",
        mine: "updateT(where: id == 1, set: {p: 1}) deleteP(where: id == 1)", restoring: "restoreP(where: id == 1)",
        query: "{ P { id ts { id } } T { id } }") == #"{"P":[{"id":1,"ts":[{"id":1}]}],"T":[{"id":1}]}"#)
  }

  @Test("a link that only the other side has moved stays where it is") func movedAway() throws {
    #expect(
      try merged(
        "type A { id: ID! v: Int bs: [B!]! @relation(inverse: \"a\") } type B { id: ID! a: A! }",
        "insertA(data: [{id: 1, bs: [{id: 1}, {id: 2}]}, {id: 2}])", mine: "updateA(where: id == 1, set: {v: 9})",
        theirs: "updateB(where: id > 0, set: {a: 2}) deleteA(where: id == 1, hard: true)", choosing: .mine,
        query: "{ A(orderBy: id) { id v bs { id } } }")
        == #"{"A":[{"id":1,"v":9,"bs":[]},{"id":2,"v":null,"bs":[{"id":1},{"id":2}]}]}"#)
  }

  // MARK: - What was deleted before

  private static let listed = "type P { id: ID! v: Int lines: [L!]! } type L { k: Int subs: [M!]! } type M { m: Int }"
  private static let deleted =
    "insertP(data: {id: 1, v: 1, lines: [{k: 1, subs: [{m: 1}]}]}) deleteP(where: id == 1)"
  private static let lists = "{ P(deleted: INCLUDE) { v lines { k subs { m } } } }"

  @Test("a list that is replaced after its owner was restored") func restoredAndReplaced() throws {
    for (change, expected) in [
      ("{lines: [{k: 7, subs: [{m: 7}]}]}", #"[{"k":7,"subs":[{"m":7}]}]"#), ("{lines: []}", "[]"),
      ("{lines: {append: [{k: 3}]}}", #"[{"k":1,"subs":[{"m":1}]},{"k":3,"subs":[]}]"#),
    ] {
      #expect(
        try merged(
          Self.listed, Self.deleted, mine: "restoreP(where: id == 1) updateP(where: id == 1, set: \(change))",
          query: Self.lists) == #"{"P":[{"v":1,"lines":\#(expected)}]}"#)
    }
  }

  @Test("a list that one side replaces, and the other only restores") func restoredElsewhere() throws {
    for choice in [MergeChoice.fail, .mine, .theirs] {
      #expect(
        try merged(
          Self.listed, Self.deleted, mine: "restoreP(where: id == 1) updateP(where: id == 1, set: {lines: [{k: 7}]})",
          theirs: "restoreP(where: id == 1)", choosing: choice, query: Self.lists)
          == #"{"P":[{"v":1,"lines":[{"k":7,"subs":[]}]}]}"#)
    }
  }

  @Test("what was restored, written and deleted again") func deletedAgain() throws {
    #expect(
      try merged(
        Self.listed, Self.deleted,
        mine: "restoreP(where: id == 1) updateP(where: id == 1, set: {v: 2}) again: deleteP(where: id == 1)",
        restoring: "restoreP(where: id == 1)", query: "{ P { v } }") == #"{"P":[{"v":2}]}"#)
  }

  @Test("what went with a cascade, and stays deleted") func partOfCascade() throws {
    let schema = """
      type P { id: ID! ts: [T!]! @relation(inverse: "p", onDelete: CASCADE) }
      type T { id: ID! p: P us: [U!]! @relation(inverse: "t", onDelete: CASCADE) }
      type U { id: ID! t: T }
      """
    let start = "insertP(data: {id: 1, ts: [{id: 1, us: [{id: 1}]}, {id: 2}]})"
    let query = "{ P { id } T(orderBy: id) { id } U { id } }"
    let deleted = start + " deleteP(where: id == 1)"
    #expect(
      try merged(schema, deleted, mine: "restoreP(where: id == 1) deleteT(where: id == 1)", query: query)
        == #"{"P":[{"id":1}],"T":[{"id":2}],"U":[]}"#)
    #expect(
      try merged(schema, deleted, mine: "restoreT(where: id == 1) deleteU(where: id == 1)", query: query)
        == #"{"P":[],"T":[{"id":1}],"U":[]}"#)
    #expect(
      try merged(
        schema, start, mine: "deleteP(where: id == 1) restoreT(where: id == 1) deleteU(where: id == 1)", query: query)
        == #"{"P":[],"T":[{"id":1}],"U":[]}"#)
    // What has gone again does not come back with what it had gone with before.
    #expect(
      try merged(
        schema, deleted, mine: "restoreP(where: id == 1) deleteT(where: id == 1) again: deleteP(where: id == 1)",
        restoring: "restoreP(where: id == 1)", query: query) == #"{"P":[{"id":1}],"T":[{"id":2}],"U":[]}"#)
  }

  @Test("a deletion that is denied leaves lists as they are") func deniedDeletion() throws {
    let schema = Self.listed + #" type D { id: ID! v: Int p: P @relation(inverse: "ds") }"#
    let start = "insertP(data: {id: 1, v: 1, lines: [{k: 1, subs: [{m: 1}]}]}) insertD(data: {id: 1, p: 1})"
    #expect(
      try merged(
        schema.replacing("lines: [L!]! }", with: "lines: [L!]! ds: [D!]! @relation(inverse: \"p\", onDelete: DENY) }"),
        start,
        mine: "deleteD(where: id == 1) updateP(where: id == 1, set: {v: 2, lines: [{k: 2}]}) deleteP(where: id == 1)",
        theirs: "updateD(where: id == 1, set: {v: 7})", choosing: .theirs, query: "{ P { lines { k } } D { v } }")
        == #"{"P":[{"lines":[{"k":1}]}],"D":[{"v":7}]}"#)
  }

  // MARK: - Interfaces

  @Test("links by an interface to what comes back after it was erased") func interfaceAfterErasing() throws {
    #expect(
      try merged(
        "interface N { id: ID! } type P implements N { id: ID! v: Int } type W { id: ID! one: N many: [N!]! lines: [L!]! } type L { to: N }",
        "insertP(data: [{id: 1}, {id: 2}]) insertW(data: {id: 1, one: 1, many: [1, 2], lines: [{to: 1}]})",
        mine: "updateP(where: id == 1, set: {v: 4})", theirs: "deleteP(where: id == 1, hard: true)", choosing: .mine,
        query: "{ W { one { id } many { id } lines { to { id } } } }")
        == #"{"W":[{"one":{"id":1},"many":[{"id":1},{"id":2}],"lines":[{"to":{"id":1}}]}]}"#)
  }

  @Test("what comes back after it was erased stands in its old place in all lists") func placesAfterErasing() throws {
    let schema = """
      interface N { id: ID! } type P implements N { id: ID! v: Int }
      type W { id: ID! v: Int many: [N!]! ps: [P!]! lines: [L!]! } type L { many: [N!]! ps: [P!]! }
      """
    let start = """
      insertP(data: [{id: 1}, {id: 2}, {id: 3}]) \
      insertW(data: {id: 1, many: [1, 2, 3], ps: [3, 2, 1], lines: [{many: [1, 2, 3], ps: [2, 1, 3]}]})
      """
    let query = "{ W { many { id } ps { id } lines { many { id } ps { id } } } }"
    func ids(_ ids: [Int]) -> String { "[" + ids.map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]" }
    func answer(_ many: [Int], _ ps: [Int], _ inner: [Int]) -> String {
      #"{"W":[{"many":\#(ids(many)),"ps":\#(ids(ps)),"lines":[{"many":\#(ids(many)),"ps":\#(ids(inner))}]}]}"#
    }
    let change = "updateP(where: id == 2, set: {v: 4})"
    for mine in [change, change + " updateW(where: id == 1, set: {v: 4})"] {
      #expect(
        try merged(
          schema, start, mine: mine, theirs: "deleteP(where: id == 2, hard: true)", choosing: .mine, query: query)
          == answer([1, 2, 3], [3, 2, 1], [2, 1, 3]))
    }
    // Among what is left.
    #expect(
      try merged(
        schema, start, mine: change, theirs: "deleteP(where: id <= 2, hard: true)", choosing: .mine, query: query)
        == answer([2, 3], [3, 2], [2, 3]))
    // A link to what is deleted keeps its place before it.
    #expect(
      try merged(
        schema, start, mine: change, theirs: "deleteP(where: id == 2, hard: true) one: deleteP(where: id == 1)",
        choosing: .mine, restoring: "restoreP(where: id == 1)", query: query)
        == answer([1, 2, 3], [3, 2, 1], [2, 1, 3]))
  }

  private static let named =
    "interface N { id: ID! } type P implements N { id: ID! } type W { id: ID! one: N many: [N!]! }"

  @Test("a link by an interface to what the other side deletes is a conflict") func interfaceLink() throws {
    let start = "insertP(data: {id: 2}) insertW(data: {id: 1})"
    let (linking, deleting) = ("updateW(where: id == 1, set: {one: 2, many: [2]})", "deleteP(where: id == 2)")
    for (mine, theirs) in [(linking, deleting), (deleting, linking)] {
      let scene = try MergeScene(Self.named, start, mine: mine, theirs: theirs)
      #expect(
        try scene.refusal() == ["'P' of 2 was deleted by one side, and was written by the other"])
      let choice: MergeChoice = mine == linking ? .mine : .theirs
      #expect(
        try scene.saved(choice, "{ P { id } W { one { id } many { id } } }")
          == #"{"P":[{"id":2}],"W":[{"one":{"id":2},"many":[{"id":2}]}]}"#)
    }
  }

  @Test("both have inserted and linked the same by an interface") func sameByInterface() throws {
    let change = "insertP(data: {id: 9}) updateW(where: id == 1, set: {one: 9, many: [9]})"
    let scene = try MergeScene(Self.named, "insertW(data: {id: 1})", mine: change, theirs: change)
    #expect(
      try scene.saved("{ P { id } W { one { id } many { id } } }")
        == #"{"P":[{"id":9}],"W":[{"one":{"id":9},"many":[{"id":9}]}]}"#)
  }
}
