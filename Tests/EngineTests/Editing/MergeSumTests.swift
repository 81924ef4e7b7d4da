import GQLite
import Testing

/// Tests counters that both sides have added to.
@Suite struct MergeSumTests {
  private static let schema =
    "type Page { id: ID! title: String views: Int! @merge(by: SUM) price: Decimal @merge(by: SUM) tags: [String!] @merge(by: UNION) }"
  private static let start = #"insertPage(data: {id: 1, title: "t", views: 1, price: 1.5, tags: ["a"]})"#

  private func scene(mine: String, theirs: String, mode: EditingMode = .snapshot) throws -> MergeScene {
    func set(_ fields: String) -> String { "updatePage(where: id == 1, set: {\(fields)})" }
    return try MergeScene(Self.schema, Self.start, mine: set(mine), theirs: set(theirs), mode: mode)
  }

  @Test("equal additions of both sides count twice") func equalAdditions() throws {
    // 1 + 10 + 10; 1.5 + 0.5 + 0.5.
    let scene = try self.scene(mine: "views: views + 10, price: 2.0", theirs: "views: views + 10, price: 2.0")
    #expect(try scene.saved("{ page(id: 1) { views price } }") == #"{"page":{"views":21,"price":2.5}}"#)
  }

  @Test("what a live context has followed counts once") func followed() throws {
    let scene = try self.scene(
      mine: #"views: views + 3, title: "m""#, theirs: #"views: views + 10, title: "o""#, mode: .live)
    // 1 + 10 + 3, while the title is in conflict.
    #expect(try scene.draft.run("{ page(id: 1) { views title } }").jsonString == #"{"page":{"views":14,"title":"m"}}"#)
    #expect(try scene.draft.run("{ page(id: 1) { views title } }").jsonString == #"{"page":{"views":14,"title":"m"}}"#)
    try scene.database.run("mutation { updatePage(where: id == 1, set: {views: views + 100}) }")
    #expect(try scene.draft.run("{ page(id: 1) { views title } }").jsonString == #"{"page":{"views":114,"title":"m"}}"#)
    #expect(try scene.refusal() == [#"'Page.title' of 1 is "m" here and "o" there, and was "t""#])
    #expect(try scene.saved(.mine, "{ page(id: 1) { views title } }") == #"{"page":{"views":114,"title":"m"}}"#)
  }

  @Test("what a live context has followed and not changed counts once") func followedOnly() throws {
    let scene = try self.scene(mine: #"title: "m""#, theirs: #"views: views + 10, title: "o""#, mode: .live)
    #expect(try scene.draft.run("{ page(id: 1) { views title } }").jsonString == #"{"page":{"views":11,"title":"m"}}"#)
    #expect(try scene.saved(.mine, "{ page(id: 1) { views title } }") == #"{"page":{"views":11,"title":"m"}}"#)
  }

  @Test("an element that has come and gone is gone in a live context") func followedElement() throws {
    let scene = try self.scene(
      mine: #"title: "m", tags: ["a", "m"]"#, theirs: #"title: "o", tags: ["a", "o"]"#, mode: .live)
    #expect(try scene.draft.run("{ page(id: 1) { tags } }").jsonString == #"{"page":{"tags":["a","o","m"]}}"#)
    try scene.database.run(#"mutation { updatePage(where: id == 1, set: {tags: ["a"]}) }"#)
    #expect(try scene.saved(.mine, "{ page(id: 1) { title tags } }") == #"{"page":{"title":"m","tags":["a","m"]}}"#)
  }

  @Test("equal values that cannot be added up are no conflict") func equalWithoutSum() throws {
    let schema = "type A { id: ID! n: Int @merge(by: SUM) }"
    for value in ["null", "9200000000000000000"] {
      let change = "updateA(where: id == 1, set: {n: \(value)})"
      let scene = try MergeScene(
        schema, "insertA(data: {id: 1, n: -9000000000000000000})", mine: change, theirs: change)
      #expect(try scene.saved("{ A { n } }") == #"{"A":[{"n":\#(value)}]}"#)
    }
  }
}
