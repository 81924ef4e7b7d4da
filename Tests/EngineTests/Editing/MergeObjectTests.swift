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
}
