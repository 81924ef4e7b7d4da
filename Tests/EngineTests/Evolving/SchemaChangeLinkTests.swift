import Testing

@testable import GQLEngine

/// Relations, interfaces and lists of embedded objects under another schema, worked out by hand.
@Suite struct SchemaChangeLinkTests {
  private static let data = """
    {"A":[{"id":1,"bs":[12,11]},{"id":2,"bs":[11]},{"id":3}],"B":[{"id":11},{"id":12},{"id":13}]}
    """

  @Test("a one-way relation gets an inverse, and loses it") func inverses() throws {
    let fixture = try SchemaChangeFixture("type A { id: ID!  bs: [B!]! } type B { id: ID! }", Self.data)
    let two = "type A { id: ID!  bs: [B!]! } type B { id: ID!  as: [A!]! @relation(inverse: \"bs\") }"
    try fixture.change(to: two)
    #expect(
      try fixture.answer("{ A { bs { id } } B { as { id } } }")
        == #"{"A":[{"bs":[{"id":12},{"id":11}]},{"bs":[{"id":11}]},{"bs":[]}],"B":[{"as":[{"id":1},{"id":2}]},{"as":[{"id":1}]},{"as":[]}]}"#
    )
    // Either side alone holds the links.
    var change = try fixture.change(to: "type A { id: ID! } type B { id: ID!  as: [A!]! }")
    #expect(change.losses.isEmpty && change.description.contains("- field 'A.bs'"))
    #expect(try fixture.answer("{ B { as { id } } }").contains(#"[{"as":[{"id":1},{"id":2}]}"#))
    change = try fixture.change(to: two)
    #expect(change.losses.isEmpty)
    change = try fixture.change(to: "type A { id: ID!  bs: [B!]! } type B { id: ID!  as: [A!]! @relation }")
    #expect(change.losses.isEmpty)
    _ = try fixture.answer("mutation { updateA(where: true, all: true, set: {bs: []}) }")
    #expect(try fixture.answer("{ B { as { id } } }").contains(#"[{"as":[{"id":1},{"id":2}]}"#))
    #expect(
      try fixture.refusal(of: "type A { id: ID! } type B { id: ID! }") == [
        "data-loss: field 'B.as' is removed: 3 links would be lost"
      ])
  }

  @Test("two relations become one, with the links of both") func merged() throws {
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  bs: [B!]! @relation } type B { id: ID!  as: [A!]! @relation }",
      #"{"A":[{"id":1,"bs":[11]},{"id":2}],"B":[{"id":11,"as":[2,1]},{"id":12,"as":[1]}]}"#)
    try fixture.change(to: "type A { id: ID!  bs: [B!]! @relation(inverse: \"as\") } type B { id: ID!  as: [A!]! }")
    #expect(
      try fixture.answer("{ A { bs { id } } B { as { id } } }")
        == #"{"A":[{"bs":[{"id":11},{"id":12}]},{"bs":[{"id":11}]}],"B":[{"as":[{"id":2},{"id":1}]},{"as":[{"id":1}]}]}"#
    )
  }

  @Test("one becomes many, and many becomes one if there is one") func cardinality() throws {
    let many = "type A { id: ID!  bs: [B!]! } type B { id: ID! }"
    let one = "type A { id: ID!  bs: B } type B { id: ID! }"
    let fixture = try SchemaChangeFixture(many, Self.data)
    #expect(try fixture.refusal(of: one) == ["data-loss: field 'A.bs' has room for one: 1 link would be lost"])
    try fixture.change(to: one, allowingLoss: true)
    #expect(try fixture.answer("{ A { bs { id } } }") == #"{"A":[{"bs":{"id":12}},{"bs":{"id":11}},{"bs":null}]}"#)
    #expect(
      try fixture.refusal(of: "type A { id: ID!  bs: B! } type B { id: ID! }") == [
        "data-conflict: field 'A.bs' must have a target: 1 entity has none"
      ])
    try fixture.change(to: many)
    #expect(try fixture.answer("{ A { bs { id } } }") == #"{"A":[{"bs":[{"id":12}]},{"bs":[{"id":11}]},{"bs":[]}]}"#)
    try fixture.change(to: one)
    // The other side has room for one.
    _ = try fixture.answer("mutation { updateA(where: id == 3, set: {bs: 11}) }")
    let pair = "type A { id: ID!  bs: B } type B { id: ID!  a: A @relation(inverse: \"bs\") }"
    #expect(try fixture.refusal(of: pair) == ["data-loss: field 'B.a' has room for one: 1 link would be lost"])
    try fixture.change(to: pair, allowingLoss: true)
    #expect(
      try fixture.answer("{ A { bs { id } } B { a { id } } }")
        == #"{"A":[{"bs":{"id":12}},{"bs":{"id":11}},{"bs":null}],"B":[{"a":{"id":2}},{"a":{"id":1}},{"a":null}]}"#)
  }

  @Test("a relation within a type becomes symmetric") func symmetric() throws {
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  f: [A!]! }", #"{"A":[{"id":1,"f":[2,1]},{"id":2},{"id":3,"f":[1]}]}"#)
    try fixture.change(to: "type A { id: ID!  f: [A!]! @relation(inverse: \"f\") }")
    #expect(
      try fixture.answer("{ A { f { id } } }")
        == #"{"A":[{"f":[{"id":2},{"id":1},{"id":3}]},{"f":[{"id":1}]},{"f":[{"id":1}]}]}"#)
    try fixture.change(to: "type A { id: ID!  f: [A!]! @relation }")
    _ = try fixture.answer("mutation { updateA(where: id == 1, set: {f: []}) }")
    #expect(try fixture.answer("{ A { f { id } } }") == #"{"A":[{"f":[]},{"f":[{"id":1}]},{"f":[{"id":1}]}]}"#)
  }

  /// Each takes the first that is free, so that none is left alone for a link that goes itself.
  @Test("a to-one relation becomes its own inverse") func ownInverse() throws {
    let own = "type P { id: ID!  next: P @relation(inverse: \"next\") }"
    // 1-2-3-4: one link goes. A circle of three: two do. Those that agree, and one of its own, stay.
    let chained = try SchemaChangeFixture(
      "type P { id: ID!  next: P @relation(inverse: \"prev\")  prev: P }",
      #"{"P":[{"id":1,"next":2},{"id":2,"next":3},{"id":3,"next":4},{"id":4}]}"#)
    #expect(try chained.refusal(of: own) == ["data-loss: field 'P.next' has room for one: 1 link would be lost"])
    try chained.change(to: own, allowingLoss: true)
    #expect(
      try chained.answer("{ P { next } }") == #"{"P":[{"next":2},{"next":1},{"next":4},{"next":3}]}"#)
    let circle = try SchemaChangeFixture(
      "type P { id: ID!  next: P }", #"{"P":[{"id":1,"next":2},{"id":2,"next":3},{"id":3,"next":1}]}"#)
    #expect(try circle.refusal(of: own) == ["data-loss: field 'P.next' has room for one: 2 links would be lost"])
    try circle.change(to: own, allowingLoss: true)
    #expect(try circle.answer("{ P { next } }") == #"{"P":[{"next":2},{"next":1},{"next":null}]}"#)
    let agreed = try SchemaChangeFixture(
      "type P { id: ID!  next: P }", #"{"P":[{"id":1,"next":2},{"id":2,"next":1},{"id":3,"next":3},{"id":4}]}"#)
    try agreed.change(to: own)
    #expect(
      try agreed.answer("{ P { next } }") == #"{"P":[{"next":2},{"next":1},{"next":3},{"next":null}]}"#)
    for fixture in [chained, circle, agreed] { #expect(fixture.database.check() == []) }
  }

  @Test("the living are paired before the deleted, and these come back") func ownInverseOfTheDeleted() throws {
    let fixture = try SchemaChangeFixture(
      "type P { id: ID!  next: P @relation(inverse: \"prev\")  prev: P }",
      #"{"P":[{"id":1,"next":2},{"id":2,"next":3},{"id":3},{"id":4,"next":5},{"id":5}]}"#,
      "mutation { deleteP(where: id in [1, 4]) }")
    let own = "type P { id: ID!  next: P @relation(inverse: \"next\") }"
    #expect(try fixture.refusal(of: own) == ["data-loss: field 'P.next' has room for one: 1 link would be lost"])
    try fixture.change(to: own, allowingLoss: true)
    _ = try fixture.answer("mutation { restoreP(all: true) }")
    #expect(
      try fixture.answer("{ P { id next } }")
        == #"{"P":[{"id":1,"next":null},{"id":2,"next":3},{"id":3,"next":2},{"id":4,"next":5},{"id":5,"next":4}]}"#)
    #expect(fixture.database.check() == [])
  }

  @Test("two to-one directions keep all that can be paired") func oneToOne() throws {
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  bs: [B!]! @relation(inverse: \"as\") } type B { id: ID!  as: [A!]! }",
      #"{"A":[{"id":1,"bs":[11]},{"id":2,"bs":[11,12]}],"B":[{"id":11},{"id":12}]}"#)
    let pair = "type A { id: ID!  bs: B @relation(inverse: \"as\") } type B { id: ID!  as: A }"
    #expect(try fixture.refusal(of: pair) == ["data-loss: field 'A.bs' has room for one: 1 link would be lost"])
    try fixture.change(to: pair, allowingLoss: true)
    #expect(try fixture.answer("{ A { bs } }") == #"{"A":[{"bs":11},{"bs":12}]}"#)
    #expect(fixture.database.check() == [])
  }

  /// An entity that an element links to does not keep it, so that nothing is asked of what is lost anyway.
  @Test("elements go with their list, whatever they link to") func elementsThatLink() throws {
    let fixture = try SchemaChangeFixture(
      """
      type A { id: ID!  lines: [L!]! } type C { id: ID!  lines: [L!]!  more: [Part!] }
      type L { by: Man  n: Int  parts: [Part!] } type Part { by: Man  v: Int } type Man { id: ID! }
      """,
      #"{"A":[{"id":1,"lines":[{"by":1,"parts":[{"by":1}]},{"n":1}]}],"C":[{"id":2,"lines":[{"by":1,"n":3}]}],"Man":[{"id":1}]}"#
    )
    let without = """
      type A { id: ID! } type C { id: ID!  lines: [L!]!  more: [Part!] }
      type L { by: Man!  n: Int!  parts: [Part!] } type Part { by: Man  v: Int! } type Man { id: ID! }
      """
    #expect(try fixture.refusal(of: without) == ["data-loss: field 'A.lines' is removed: 2 objects would be lost"])
    try fixture.change(to: without, allowingLoss: true)
    #expect(
      try fixture.answer("{ C { lines { by { id } n } } n: count(C.lines) }")
        == #"{"C":[{"lines":[{"by":{"id":1},"n":3}]}],"n":1}"#)
    #expect(fixture.database.check() == [])
  }

  @Test("links of the elements of a list that stays are told") func elementsLinks() throws {
    let fixture = try SchemaChangeFixture(
      """
      interface I { id: ID! } type P implements I { id: ID! } type Q implements I { id: ID!  list: [E!]! }
      type E { to: I }
      """, #"{"P":[{"id":1}],"Q":[{"id":2,"list":[{"to":1},{"to":2}]}]}"#)
    let apart = """
      interface I { id: ID! } type P { id: ID! } type Q implements I { id: ID!  list: [E!]! } type E { to: I }
      """
    #expect(try fixture.refusal(of: apart) == ["data-loss: field 'Q.list.to' leads to 'I': 1 link would be lost"])
    try fixture.change(to: apart, allowingLoss: true)
    #expect(try fixture.answer("{ Q { list { to { id } } } }") == #"{"Q":[{"list":[{"to":null},{"to":{"id":2}}]}]}"#)
    #expect(fixture.database.check() == [])
  }

  @Test("deleted entities come back with their links, through any number of changes") func deleted() throws {
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  n: Int  bs: [B!]! @relation(inverse: \"as\") } type B { id: ID!  as: [A!]! }",
      #"{"A":[{"id":1,"n":1,"bs":[11,12,13]},{"id":2,"n":2,"bs":[12]}],"B":[{"id":11},{"id":12},{"id":13}]}"#,
      "mutation { deleteB(where: id == 12) }", "mutation { deleteA(where: id == 1) }")
    // The column of n changes, the relation is kept, stands at another place, and is made anew.
    try fixture.change(
      to: """
        type C { id: ID! }
        type A { c: C  id: ID!  n: Float  bs: [B!]! @relation(inverse: "as") }
        type B { id: ID!  cs: [C!]!  as: [A!]! }
        """)
    try fixture.change(to: "type A { id: ID!  n: String  bs: [B!]! } type B { id: ID!  x: Int = 4 }")
    #expect(
      try fixture.answer("{ A { id } A2: A(deleted: ONLY) { id n } }") == #"{"A":[{"id":2}],"A2":[{"id":1,"n":"1"}]}"#)
    _ = try fixture.answer("mutation { restoreA(where: id == 1) }")
    #expect(fixture.database.check() == [])
    #expect(try fixture.answer("{ A { bs { id } } }") == #"{"A":[{"bs":[{"id":11},{"id":13}]},{"bs":[]}]}"#)
    _ = try fixture.answer("mutation { restoreB(where: id == 12) }")
    #expect(fixture.database.check() == [])
    #expect(
      try fixture.answer("{ A { bs { id x } } }")
        == #"{"A":[{"bs":[{"id":11,"x":4},{"id":12,"x":4},{"id":13,"x":4}]},{"bs":[{"id":12,"x":4}]}]}"#)
  }

  @Test("links that wait for their targets wait on") func dangling() throws {
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  b: B } type B { id: ID! }", #"{"A":[{"id":1,"b":77},{"id":2,"b":78}]}"#)
    try fixture.change(
      to: "type X { id: ID! } type A { x: Int  id: ID!  b: B @relation(inverse: \"as\") } type B { id: ID!  as: [A!]! }"
    )
    _ = try fixture.answer("mutation { insertB(data: {id: 77}) }")
    #expect(try fixture.answer("{ B { as { id } } }") == #"{"B":[{"as":[{"id":1}]}]}"#)
    #expect(
      try fixture.refusal(of: "type A { id: ID! } type B { id: ID!  as: [A!]! }") == [
        "data-loss: 1 link to entities that are not there yet would be lost"
      ])
  }

  @Test("a link that waits does not take the place of the one that is kept") func danglingBeyondOne() throws {
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  b: [B!] } type B { id: ID! }", #"{"A":[{"id":1,"b":[2,77]}],"B":[{"id":2}]}"#)
    let one = "type A { id: ID!  b: B } type B { id: ID! }"
    #expect(try fixture.refusal(of: one) == ["data-loss: 1 link to entities that are not there yet would be lost"])
    try fixture.change(to: one, allowingLoss: true)
    _ = try fixture.answer("mutation { insertB(data: {id: 77}) }")
    #expect(try fixture.answer("{ A { b { id } } }") == #"{"A":[{"b":{"id":2}}]}"#)
  }

  @Test("links over many pages stay apart") func manyPages() throws {
    // More than four pages of 1,024 rows: made columns begin as one page of nulls that stands in all places.
    let count = 4_500
    let fields = #"{ id: ID!  next: Post @relation(inverse: "before")  before: Post }"#
    let noded = "interface Node { id: ID! } type Post implements Node \(fields)"
    let posts = (0..<count).map { n in #"{"id":\#(n),"next":[\#((n + 1) % count)]}"# }.joined(separator: ",")
    let fixture = try SchemaChangeFixture("type Post { id: ID!  next: [Post!]! }", "{\"Post\":[\(posts)]}")
    try fixture.change(to: noded)
    #expect(fixture.database.check() == [])
    #expect(try fixture.answer("{ n: count(Node) d: count(distinct(Node.id)) }") == #"{"n":4500,"d":4500}"#)
    // Every post leads to the one with the next number, and is led to by the one before.
    #expect(
      try fixture.answer(
        "{ a: count(Post(where: next.id as Int == ((id as Int) + 1) % 4500)) b: count(Post(where: before.next == .)) }")
        == #"{"a":4500,"b":4500}"#)
    _ = try fixture.answer("mutation { deletePost(where: (id as Int) % 7 == 3, all: true) }")
    try fixture.change(to: "type Post \(fields)")
    try fixture.change(to: noded)
    #expect(fixture.database.check() == [])
    // 3, 10, …, 4497 are 643 of the 4,500.
    #expect(try fixture.answer("{ n: count(Node) d: count(Node(deleted: ONLY)) }") == #"{"n":3857,"d":643}"#)
  }

  @Test("types join and leave interfaces and unions") func members() throws {
    let plain = """
      interface N { id: ID! }
      type A implements N { id: ID! } type B { id: ID! } type L { id: ID!  to: N  a: A }
      """
    let joined = """
      interface N { id: ID! } union U = A | B
      type A implements N { id: ID! } type B implements N { id: ID! } type L { id: ID!  to: N  a: U }
      """
    let fixture = try SchemaChangeFixture(
      plain, #"{"B":[{"id":"b1"},{"id":"b2"}],"A":[{"id":"a1"},{"id":"a2"}],"L":[{"id":1,"to":"a2","a":"a1"}]}"#,
      #"mutation { deleteB(where: id == "b1") }"#, #"mutation { deleteA(where: id == "a2") }"#)
    try fixture.change(to: joined)
    #expect(
      try fixture.answer(
        "{ N { id __typename } U { ... on A { id } ... on B { id } } L { to { id } a { ... on A { id } } } }")
        == #"{"N":[{"id":"a1","__typename":"A"},{"id":"b2","__typename":"B"}],"U":[{"id":"a1"},{"id":"b2"}],"L":[{"to":null,"a":{"id":"a1"}}]}"#
    )
    _ = try fixture.answer(#"mutation { restoreB(where: id == "b1") restoreA(where: id == "a2") }"#)
    #expect(fixture.database.check() == [])
    #expect(
      try fixture.answer("{ n: count(N) u: count(U) L { to { id } } }") == #"{"n":4,"u":4,"L":[{"to":{"id":"a2"}}]}"#)
    _ = try fixture.answer(#"mutation { updateL(where: id == 1, set: {to: "b1", a: "b2"}) }"#)
    // Links to what is no member any more.
    #expect(
      try fixture.refusal(of: plain) == [
        "data-loss: field 'L.to' leads to 'N': 1 link would be lost",
        "data-loss: field 'L.a' leads to 'A': 1 link would be lost",
      ])
    try fixture.change(to: plain, allowingLoss: true)
    #expect(
      try fixture.answer("{ N { id } L { to { id } a { id } } }")
        == #"{"N":[{"id":"a1"},{"id":"a2"}],"L":[{"to":null,"a":null}]}"#)
    try fixture.change(to: "type A { id: ID! } type B { id: ID! } type L { id: ID! }", allowingLoss: true)
  }

  @Test("lists of embedded objects go with their field, and nothing else does") func elements() throws {
    let fixture = try SchemaChangeFixture(
      """
      type P { x: Int  to: B  inner: [Q!] } type Q { y: Int } type B { id: ID!  seen: [P!] }
      type A { id: ID!  ps: [P!]  qs: [P!]  x: Int }
      """,
      """
      {"B":[{"id":9,"seen":[{"x":8,"inner":[{"y":1}]}]}],
       "A":[{"id":1,"ps":[{"x":1,"to":9,"inner":[{"y":2},{"y":3}]},{"x":2}],"qs":[{"x":3,"to":9}]},
            {"id":2,"ps":[{"x":4}],"qs":[{"x":5,"inner":[{"y":4}]}]}]}
      """, "mutation { deleteA(where: id == 2) }")
    let schema = """
      type P { x: Int  to: B  inner: [Q!] } type Q { y: Int } type B { id: ID!  seen: [P!] }
      type A { id: ID!  qs: [P!]  x: Int }
      """
    #expect(try fixture.refusal(of: schema) == ["data-loss: field 'A.ps' is removed: 3 objects would be lost"])
    try fixture.change(to: schema, allowingLoss: true)
    _ = try fixture.answer("mutation { restoreA(where: id == 2) }")
    #expect(fixture.database.check() == [])
    #expect(
      try fixture.answer("{ A { qs { x to { id } inner { y } } } B { seen { x inner { y } } } }")
        == #"{"A":[{"qs":[{"x":3,"to":{"id":9},"inner":[]}]},{"qs":[{"x":5,"to":null,"inner":[{"y":4}]}]}],"B":[{"seen":[{"x":8,"inner":[{"y":1}]}]}]}"#
    )
  }
}
