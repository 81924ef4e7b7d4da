import GQLite
import Testing

/// Tests fields and lists that both sides have written.
@Suite struct MergeFieldTests {
  private static let schema = """
    type Page {
      id: ID! title: String text: String n: Int tags: [String!] scores: [Int]
      parts: [Part!]! @relation(inverse: "page") links: [Page!]! @relation(inverse: null)
    }
    type Part { id: ID! page: Page @relation(inverse: "parts") n: Int }
    """
  private static let start =
    #"insertPage(data: [{id: 1, title: "t", text: "x", n: 1, tags: ["a", "b", "c"], scores: [1, 1]}, {id: 2}])"#

  private func scene(mine: String, theirs: String) throws -> MergeScene {
    try MergeScene(Self.schema, Self.start, mine: mine, theirs: theirs)
  }
  private func set(_ fields: String, _ id: Int = 1) -> String { "updatePage(where: id == \(id), set: {\(fields)})" }

  @Test("what one side has touched is taken, by field") func oneSide() throws {
    let scene = try self.scene(mine: set(#"title: "m""#), theirs: set(#"text: "t", n: 2"#))
    #expect(try scene.saved("{ page(id: 1) { title text n } }") == #"{"page":{"title":"m","text":"t","n":2}}"#)
  }

  @Test("the same value on both sides is no conflict") func sameValue() throws {
    let scene = try self.scene(mine: set(#"title: "m", n: 5"#), theirs: set(#"title: "m", n: 5"#))
    // There is nothing to be saved, so there is no other version.
    let version = scene.database.version
    #expect(try scene.saved("{ page(id: 1) { title n } }") == #"{"page":{"title":"m","n":5}}"#)
    #expect(scene.database.version == version)
  }

  @Test("what was written back is no change") func writtenBack() throws {
    let scene = try self.scene(
      mine: set(#"title: "m""#) + " again: " + set(#"title: "t""#), theirs: set(#"title: "o""#))
    #expect(try scene.saved("{ page(id: 1) { title } }") == #"{"page":{"title":"o"}}"#)
  }

  @Test(
    "both sides have written a field",
    arguments: [(MergeChoice.mine, #"{"page":{"title":"m","n":null}}"#), (.theirs, #"{"page":{"title":"o","n":7}}"#)])
  func bothSides(_ choice: MergeChoice, _ answer: String) throws {
    let scene = try self.scene(mine: set(#"title: "m", n: null"#), theirs: set(#"title: "o", n: 7"#))
    #expect(
      try scene.refusal() == [
        #"'Page.title' of 1 is "m" here and "o" there, and was "t""#,
        "'Page.n' of 1 is null here and 7 there, and was 1",
      ])
    #expect(try scene.saved(choice, "{ page(id: 1) { title n } }") == answer)
  }

  @Test(
    "lists of scalars are merged by element",
    arguments: [
      // Added at the end, at the front, in between; what was there first comes first.
      (#"["a", "b", "c", "m"]"#, #"["a", "b", "c", "o"]"#, #"["a","b","c","o","m"]"#),
      (#"["m", "a", "b", "c"]"#, #"["a", "o", "b", "c"]"#, #"["m","a","o","b","c"]"#),
      // Removed on one side, added after it on the other.
      (#"["a", "c"]"#, #"["a", "b", "o", "c"]"#, #"["a","o","c"]"#),
      (#"[]"#, #"["a", "b", "c", "o"]"#, #"["o"]"#),
      (#"["b", "c"]"#, #"["a", "b"]"#, #"["b"]"#),
      // Moved on one side.
      (#"["c", "a", "b"]"#, #"["a", "b", "o", "c"]"#, #"["c","a","b","o"]"#),
      (#"["a", "b", "c", "m"]"#, #"["c", "b", "a"]"#, #"["c","m","b","a"]"#),
      // Both add the same: it was added once on each side.
      (#"["a", "b", "c", "x"]"#, #"["a", "b", "c", "x"]"#, #"["a","b","c","x"]"#),
    ])
  func lists(_ mine: String, _ theirs: String, _ merged: String) throws {
    let scene = try self.scene(mine: set("tags: \(mine)"), theirs: set("tags: \(theirs)"))
    #expect(try scene.saved("{ page(id: 1) { tags } }") == #"{"page":{"tags":\#(merged)}}"#)
  }

  @Test("equal elements of a list are counted") func repeated() throws {
    let scene = try self.scene(mine: set("scores: [1, 1, 1]"), theirs: set("scores: [1, null]"))
    #expect(try scene.saved("{ page(id: 1) { scores } }") == #"{"page":{"scores":[1,null,1]}}"#)
  }

  @Test("lists that both have put in other orders are in conflict") func contradictory() throws {
    let scene = try self.scene(mine: set(#"tags: ["b", "a", "c"]"#), theirs: set(#"tags: ["c", "a", "b"]"#))
    #expect(try scene.refusal().count == 1)
    #expect(try scene.saved(.mine, "{ page(id: 1) { tags } }") == #"{"page":{"tags":["b","a","c"]}}"#)
  }

  @Test("a list against null is a conflict") func listAgainstNull() throws {
    let scene = try self.scene(mine: set("tags: null"), theirs: set(#"tags: ["a"]"#))
    #expect(try scene.refusal().count == 1)
    #expect(try scene.saved(.mine, "{ page(id: 1) { tags } }") == #"{"page":{"tags":null}}"#)
  }

  @Test("lists of links are merged by element, in the order that both know") func links() throws {
    let start =
      Self.start + " insertPart(data: [{id: 1, page: 1}, {id: 2, page: 1}, {id: 3, page: 1}, {id: 4}, {id: 5}])"
    let scene = try MergeScene(
      Self.schema, start, mine: set("parts: [1, 4, 3]"), theirs: set("parts: [1, 2, 3, 5]"))
    #expect(
      try scene.saved("{ page(id: 1) { parts { id } } Part(orderBy: id) { page { id } } }")
        == #"{"page":{"parts":[{"id":1},{"id":4},{"id":3},{"id":5}]},"Part":[{"page":{"id":1}},{"page":null},{"page":{"id":1}},{"page":{"id":1}},{"page":{"id":1}}]}"#
    )
  }

  @Test("an entity that both have moved elsewhere is in conflict") func movedTwice() throws {
    let start = Self.start + " third: insertPage(data: [{id: 3}]) insertPart(data: {id: 1, page: 1})"
    let move = { (page: Int) in "updatePart(where: id == 1, set: {page: \(page)})" }
    let scene = try MergeScene(Self.schema, start, mine: move(2), theirs: move(3))
    #expect(try scene.refusal() == ["'Part.page' of 1 is 2 here and 3 there, and was 1"])
    #expect(
      try scene.saved(.mine, "{ Page(orderBy: id) { parts { id } } }")
        == #"{"Page":[{"parts":[]},{"parts":[{"id":1}]},{"parts":[]}]}"#)
    let other = try MergeScene(Self.schema, start, mine: move(2), theirs: move(3))
    #expect(
      try other.saved(.theirs, "{ Page(orderBy: id) { parts { id } } }")
        == #"{"Page":[{"parts":[]},{"parts":[]},{"parts":[{"id":1}]}]}"#)
  }

  @Test("new entities of both sides get rows of their own, and links follow") func newRows() throws {
    let scene = try self.scene(
      mine:
        "insertPage(data: [{id: 10, parts: [{id: 10, n: 1}, {id: 11, n: 2}], links: [1, 11]}, {id: 11, links: [10]}])",
      theirs: "insertPage(data: [{id: 20, parts: [{id: 20, n: 3}]}, {id: 21, links: [20]}])")
    #expect(
      try scene.saved("{ Page(where: id > 5, orderBy: id) { id parts { id n } links { id } } }")
        == #"{"Page":[{"id":10,"parts":[{"id":10,"n":1},{"id":11,"n":2}],"links":[{"id":1},{"id":11}]},{"id":11,"parts":[],"links":[{"id":10}]},{"id":20,"parts":[{"id":20,"n":3}],"links":[]},{"id":21,"parts":[],"links":[{"id":20}]}]}"#
    )
  }

  // MARK: - Rules

  private static let rules = """
    type Article {
      id: ID! last: String @merge(by: LAST) first: String @merge(by: FIRST) low: Int @merge(by: MIN)
      high: Date @merge(by: MAX) views: Int! @merge(by: SUM) money: Decimal @merge(by: SUM) load: Float @merge(by: SUM)
      tags: [String!] @merge(by: UNION) strict: [Int] @merge(by: FAIL) whole: [Int] @merge(by: LAST)
    }
    """

  @Test("the schema's rules decide") func rules() throws {
    func set(_ fields: String) -> String { "updateArticle(where: id == 1, set: {\(fields)})" }
    let scene = try MergeScene(
      Self.rules,
      #"insertArticle(data: {id: 1, last: "b", first: "b", low: 5, high: "2026-01-01", views: 10, money: 1.50, load: 1, tags: ["a"], whole: [1]})"#,
      mine: set(
        #"last: "m", first: "m", low: 4, high: "2026-02-01", views: 13, money: 2.75, load: 2.5, tags: ["m", "a"], whole: [1, 2]"#
      ),
      theirs: set(
        #"last: "o", first: "o", low: 3, high: "2026-01-15", views: 11, money: 1.00, load: 0.5, tags: ["a", "o", "m"], whole: [3]"#
      ))
    #expect(
      try scene.saved("{ article(id: 1) { last first low high views money load tags whole } }")
        == #"{"article":{"last":"m","first":"o","low":3,"high":"2026-02-01","views":14,"money":2.25,"load":2,"tags":["a","o","m"],"whole":[1,2]}}"#
    )
  }

  @Test("what a rule cannot decide is a conflict") func undecided() throws {
    func set(_ fields: String) -> String { "updateArticle(where: id == 1, set: {\(fields)})" }
    let start = "insertArticle(data: {id: 1, views: 10, money: 1, strict: [1], low: 1})"
    let failing = try MergeScene(Self.rules, start, mine: set("strict: [1, 2]"), theirs: set("strict: [1, 3]"))
    #expect(try failing.refusal().count == 1)
    let null = try MergeScene(Self.rules, start, mine: set("money: null"), theirs: set("money: 3"))
    #expect(try null.refusal().count == 1)
    let large = try MergeScene(
      Self.rules, start, mine: set("views: 9223372036854775807"), theirs: set("views: 20"))
    #expect(try large.refusal().count == 1)
    // No value is neither the least nor the greatest.
    let least = try MergeScene(Self.rules, start, mine: set("low: null"), theirs: set("low: 9"))
    #expect(try least.saved("{ article(id: 1) { low } }") == #"{"article":{"low":9}}"#)
  }

  @Test("rules of links") func rulesOfLinks() throws {
    let schema = """
      type A { id: ID! one: B @merge(by: LAST) firstOne: B @merge(by: FIRST) all: [B!]! @relation(inverse: null) @merge(by: FAIL)
        most: [B!]! @relation(inverse: null) @merge(by: FIRST) }
      type B { id: ID! }
      """
    let start = "insertB(data: [{id: 1}, {id: 2}, {id: 3}]) insertA(data: {id: 1, one: 1, firstOne: 1, most: [1]})"
    let scene = try MergeScene(
      schema, start, mine: "updateA(where: id == 1, set: {one: 2, firstOne: 2, most: [1, 2]})",
      theirs: "updateA(where: id == 1, set: {one: 3, firstOne: 3, most: [3]})")
    #expect(
      try scene.saved("{ a(id: 1) { one { id } firstOne { id } most { id } } }")
        == #"{"a":{"one":{"id":2},"firstOne":{"id":3},"most":[{"id":3}]}}"#)
    let failing = try MergeScene(
      schema, start, mine: "updateA(where: id == 1, set: {all: [1]})",
      theirs: "updateA(where: id == 1, set: {all: [2]})")
    #expect(try failing.refusal() == ["'A.all' of 1 is [1] here and [2] there, and was []"])
    #expect(try failing.saved(.mine, "{ a(id: 1) { all { id } } }") == #"{"a":{"all":[{"id":1}]}}"#)
  }

  @Test("the program decides in the place of the schema") func handlers() throws {
    let schema = "type Page { id: ID! text: String @merge(by: LAST) n: Int tags: [String!] }"
    let start = #"insertPage(data: {id: 1, text: "a", n: 1, tags: ["x"]})"#
    let scene = try MergeScene(
      schema, start, mine: #"updatePage(where: id == 1, set: {text: "m", n: 2, tags: ["m"]})"#,
      theirs: #"updatePage(where: id == 1, set: {text: "o", n: 3, tags: ["o"]})"#)
    try scene.database.onMerge("Page.text") { base, mine, theirs in
      .string([base, theirs, mine].compactMap(\.string).joined(separator: "+"))
    }
    try scene.database.onMerge("Page.n") { _, _, _ in nil }
    try scene.database.onMerge("Page.tags") { _, mine, theirs in .list((mine.list ?? []) + (theirs.list ?? [])) }
    #expect(try scene.refusal().count == 1)
    #expect(
      try scene.saved(.theirs, "{ page(id: 1) { text n tags } }")
        == #"{"page":{"text":"a+o+m","n":3,"tags":["m","o"]}}"#)
  }

  @Test("a handler's value that the field does not have is an error") func wrongHandler() throws {
    let scene = try self.scene(mine: set("n: 2"), theirs: set("n: 3"))
    try scene.database.onMerge("Page.n") { _, _, _ in "three" }
    #expect(problem { try scene.draft.save() }?.code == "wrong-merge")
    #expect(problem { try scene.database.onMerge("Page.m") { _, _, _ in nil } }?.code == "unknown-field")
    #expect(problem { try scene.database.onMerge("Page.parts") { _, _, _ in nil } }?.code == "unknown-field")
    #expect(scene.draft.hasChanges)
  }

  // MARK: - Embedded objects

  @Test("embedded objects are merged by field, lists of them as a whole") func embedded() throws {
    let schema = """
      type User { id: ID! home: Address addresses: [Address!] }
      type Address { street: String city: String }
      """
    let start = #"insertUser(data: {id: 1, home: {street: "s", city: "c"}, addresses: [{street: "1"}, {street: "2"}]})"#
    func set(_ fields: String) -> String { "updateUser(where: id == 1, set: {\(fields)})" }
    let query = "{ user(id: 1) { home { street city } addresses { street } } }"
    let scene = try MergeScene(
      schema, start, mine: set(#"home: {street: "m", city: "c"}, addresses: [{street: "1"}, {street: "m"}]"#),
      theirs: set(#"home: {street: "s", city: "o"}"#))
    #expect(
      try scene.saved(query)
        == #"{"user":{"home":{"street":"m","city":"o"},"addresses":[{"street":"1"},{"street":"m"}]}}"#)
    func both() throws -> MergeScene {
      try MergeScene(
        schema, start, mine: set(#"addresses: [{street: "m"}]"#),
        theirs: set(#"addresses: [{street: "o"}, {street: "p"}]"#))
    }
    let failing = try both()
    #expect(try failing.refusal().count == 1)
    #expect(
      try failing.saved(.mine, "{ user(id: 1) { addresses { street } } }")
        == #"{"user":{"addresses":[{"street":"m"}]}}"#)
    #expect(
      try both().saved(.theirs, "{ user(id: 1) { addresses { street } } }")
        == #"{"user":{"addresses":[{"street":"o"},{"street":"p"}]}}"#)
    let equal = try MergeScene(
      schema, start, mine: set(#"addresses: [{street: "m"}]"#), theirs: set(#"addresses: [{street: "m"}]"#))
    #expect(
      try equal.saved("{ user(id: 1) { addresses { street } } }")
        == #"{"user":{"addresses":[{"street":"m"}]}}"#)
  }
}
