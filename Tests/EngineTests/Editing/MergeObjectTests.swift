import GQLite
import Testing

/// Tests merges of lists of embedded objects whose links have changed without them.
@Suite struct MergeObjectTests {
  private static let schema = """
    type P { id: ID! v: Int lines: [L!]! } type L { k: Int to: T subs: [M!]! } type M { m: Int to: T } type T { id: ID! v: Int }
    """
  private static let query =
    "{ P(orderBy: id) { id lines { k to { id } subs { m to { id } } } } T(orderBy: id) { id } }"

  /// Returns the database and a context of it, both with changes.
  private func scene(_ start: String, waiting: String = "", mine: String, theirs: String) throws -> MergeScene {
    try MergeScene(Self.schema, start, loading: waiting, mine: mine, theirs: theirs)
  }

  // MARK: - Targets that are erased

  @Test("a list that one side writes, where the other erases what an object leads to", arguments: [false, true])
  func erasedTarget(nested: Bool) throws {
    let inner = nested ? "subs: [{m: 1, to: 1}]" : "to: 1"
    let start = "insertT(data: [{id: 1}, {id: 2}]) insertP(data: {id: 1, lines: [{k: 1, \(inner)}, {k: 2, to: 2}]})"
    let subs = nested ? #"[{"m":1,"to":null}]"# : "[]"
    let (append, erase) = (
      "updateP(where: id == 1, set: {lines: {append: [{k: 3}]}})", "deleteT(where: id == 1, hard: true)"
    )
    let expected =
      #"{"P":[{"id":1,"lines":[{"k":1,"to":null,"subs":\#(subs)},{"k":2,"to":{"id":2},"subs":[]},"#
      + #"{"k":3,"to":null,"subs":[]}]}],"T":[{"id":2}]}"#
    for (mine, theirs) in [(append, erase), (erase, append)] {
      for choice in [MergeChoice.fail, .mine, .theirs] {
        #expect(try scene(start, mine: mine, theirs: theirs).saved(choice, Self.query) == expected)
      }
    }
    // Of a target that was deleted, and that one side has restored before.
    for choice in [MergeChoice.fail, .mine, .theirs] {
      let scene = try scene(
        start + " deleteT(where: id == 1)", mine: append,
        theirs: "restoreT(where: id == 1) deleteT(where: id == 1, hard: true)")
      #expect(try scene.saved(choice, Self.query) == expected)
    }
  }

  @Test("only the target is in conflict that one side has restored, and the other erased") func restoredTarget() throws
  {
    let start = """
      insertT(data: {id: 1}) insertP(data: {id: 1, lines: [{k: 1, to: 1}]}) deleteT(where: id == 1)
      """
    func both() throws -> MergeScene {
      try scene(
        start, mine: "restoreT(where: id == 1) updateP(where: id == 1, set: {lines: {append: [{k: 3}]}})",
        theirs: "restoreT(where: id == 1) deleteT(where: id == 1, hard: true)")
    }
    #expect(try both().refusal() == ["'T' of 1 was deleted by one side, and was written by the other"])
    func expected(_ target: String, _ rest: String) -> String {
      #"{"P":[{"id":1,"lines":[{"k":1,"to":\#(target),"subs":[]},{"k":3,"to":null,"subs":[]}]}],"T":[\#(rest)]}"#
    }
    #expect(try both().saved(.mine, Self.query) == expected(#"{"id":1}"#, #"{"id":1}"#))
    #expect(try both().saved(.theirs, Self.query) == expected("null", ""))
  }

  // MARK: - Objects that have got a link for which they waited

  private static let loaded = #"{"P":[{"id":1,"lines":[{"k":1,"to":9},{"k":2}]}]}"#
  private static let loadedDeep = #"{"P":[{"id":1,"lines":[{"k":1,"subs":[{"m":1,"to":9}]},{"k":2}]}]}"#
  private static let linked = #"[{"k":1,"to":{"id":9},"subs":[]},{"k":2,"to":null,"subs":[]}]"#
  private static let linkedDeep = #"[{"k":1,"to":null,"subs":[{"m":1,"to":{"id":9}}]},{"k":2,"to":null,"subs":[]}]"#
  private static let come = "insertT(data: {id: 9})"

  private func answer(_ lists: String, hasCome: Bool = true) -> String {
    #"{"P":[\#(lists)],"T":[\#(hasCome ? #"{"id":9}"# : "")]}"#
  }

  @Test("an object is written on one side, and its owner deleted on the other", arguments: ["", ", hard: true"])
  func deletedOwner(hard: String) throws {
    let delete = "deleteP(where: id == 1\(hard))"
    for (waiting, list) in [(Self.loaded, Self.linked), (Self.loadedDeep, Self.linkedDeep)] {
      for (mine, theirs) in [(Self.come, delete), (delete, Self.come)] {
        func both() throws -> MergeScene { try scene("", waiting: waiting, mine: mine, theirs: theirs) }
        #expect(
          try both().refusal() == ["'P' of 1 was deleted by one side, and 'lines' was written by the other"])
        for (choice, isKept) in [(MergeChoice.mine, mine == Self.come), (.theirs, mine == delete)] {
          #expect(
            try both().saved(choice, Self.query) == answer(isKept ? #"{"id":1,"lines":\#(list)}"# : ""))
        }
      }
    }
  }

  @Test("an object is written on one side, and its list on the other") func writtenList() throws {
    for (waiting, list) in [(Self.loaded, Self.linked), (Self.loadedDeep, Self.linkedDeep)] {
      let replace = "updateP(where: id == 1, set: {lines: [{k: 7}]})"
      for (mine, theirs) in [(Self.come, replace), (replace, Self.come)] {
        func both() throws -> MergeScene { try scene("", waiting: waiting, mine: mine, theirs: theirs) }
        let refusal = try both().refusal()
        #expect(refusal.count == 1 && refusal[0].hasPrefix("'P.lines' of 1 is "))
        for (choice, isKept) in [(MergeChoice.mine, mine == Self.come), (.theirs, mine == replace)] {
          let expected = isKept ? list : #"[{"k":7,"to":null,"subs":[]}]"#
          #expect(try both().saved(choice, Self.query) == answer(#"{"id":1,"lines":\#(expected)}"#))
        }
      }
      // What is added is no matter of the others.
      for choice in [MergeChoice.fail, .mine, .theirs] {
        let scene = try scene(
          "", waiting: waiting, mine: Self.come, theirs: "updateP(where: id == 1, set: {lines: {append: [{k: 7}]}})")
        #expect(
          try scene.saved(choice, Self.query)
            == answer(#"{"id":1,"lines":\#(list.dropLast()),{"k":7,"to":null,"subs":[]}]}"#))
      }
    }
  }

  @Test("to write a list again as it is changes nothing") func writtenAgain() throws {
    let start = "insertP(data: {id: 1, lines: [{k: 1, subs: [{m: 1}]}]})"
    let again = "updateP(where: id == 1, set: {lines: [{k: 1, subs: [{m: 1}]}]})"
    let other = "updateP(where: id == 1, set: {lines: [{k: 2}, {k: 3}]})"
    let query = "{ P { lines { k subs { m } } } }"
    let same = #"{"P":[{"lines":[{"k":1,"subs":[{"m":1}]}]}]}"#
    let changed = #"{"P":[{"lines":[{"k":2,"subs":[]},{"k":3,"subs":[]}]}]}"#
    for (mine, theirs, expected) in [(again, again, same), (again, other, changed), (other, again, changed)] {
      #expect(try scene(start, mine: mine, theirs: theirs).saved(query) == expected)
    }
  }
}
