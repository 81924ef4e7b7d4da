import Testing

@testable import GQLEngine

/// Fields that come, go and change their types, worked out by hand.
@Suite struct SchemaChangeFieldTests {
  @Test("new fields get their defaults, once for the whole change") func defaults() throws {
    let fixture = try SchemaChangeFixture("type T { id: ID! }", #"{"T":[{"id":1},{"id":2}]}"#)
    let change = try fixture.change(
      to: """
        enum E { A B }
        type Box { size: Int = 7  note: String! = "n" }
        type T { id: ID!  text: String = "a text that is longer than twelve bytes"  n: Int!= 3  e: E = B  none: Float
          at: DateTime! @default(value: now())  day: Date @default(value: now())  tags: [String!] = ["x", "y"]
          box: Box = {size: 9}  other: Box  d: Decimal = 1.50 }
        """, options: RunOptions(now: 1_000_000))
    #expect(change.losses.isEmpty && change.conflicts.isEmpty)
    let row = """
      "text":"a text that is longer than twelve bytes","n":3,"e":"B","none":null,"at":"1970-01-01T00:00:01Z",\
      "day":"1970-01-01","tags":["x","y"],"box":{"size":9,"note":"n"},"other":null,"d":1.50}
      """
    #expect(
      try fixture.answer("{ T { id text n e none at day tags box { size note } other { size } d } }")
        == #"{"T":[{"id":1,"# + row + #",{"id":2,"# + row + "]}")
    // What was filled in can be changed for one.
    _ = try fixture.answer(#"mutation { updateT(where: id == 1, set: {text: "other", tags: ["z"]}) { id } }"#)
    #expect(fixture.database.check() == [])
    #expect(
      try fixture.answer("{ T { text tags } }")
        == #"{"T":[{"text":"other","tags":["z"]},{"text":"a text that is longer than twelve bytes","tags":["x","y"]}]}"#
    )
  }

  @Test("a field inside an embedded object is filled where the object is") func embedded() throws {
    let fixture = try SchemaChangeFixture(
      "type Box { a: Int  gone: Int } type T { id: ID!  box: Box  boxes: [Box!] }",
      #"{"T":[{"id":1,"box":{"a":1,"gone":2},"boxes":[{"a":3},{"a":4,"gone":5}]},{"id":2}]}"#)
    let schema = #"type Box { a: Int  b: String! = "new" } type T { id: ID!  box: Box  boxes: [Box!] }"#
    #expect(
      try fixture.refusal(of: schema) == [
        "data-loss: field 'T.box.gone' is removed: 1 value would be lost",
        "data-loss: field 'T.boxes.gone' is removed: 1 value would be lost",
      ])
    try fixture.change(to: schema, allowingLoss: true)
    #expect(
      try fixture.answer("{ T { box { a b } boxes { a b } } }")
        == #"{"T":[{"box":{"a":1,"b":"new"},"boxes":[{"a":3,"b":"new"},{"a":4,"b":"new"}]},{"box":null,"boxes":[]}]}"#)
    #expect(
      try fixture.refusal(of: schema.replacing(#"b: String! = "new""#, with: "b: String! c: Int!")) == [
        "data-conflict: field 'T.box.c' must have a value: 1 entity has none",
        "data-conflict: field 'T.boxes.c' must have a value: 2 entities have none",
      ])
  }

  /// Cells of values below zero are no numbers of enum values.
  @Test(
    "what is below zero is lost as other values are",
    arguments: [
      ("Int", "-5", "Date"), ("Int", "-5", "Boolean"), ("Float", "-1.5", "Date"), ("Decimal", "-1.50", "Date"),
      ("Duration", #""-P1D""#, "Int"), ("DateTime", #""1960-01-01T00:00:00Z""#, "Int"),
      ("Date", #""1960-01-01""#, "Int"),
    ]) func negative(_ from: String, _ value: String, _ to: String) throws
  {
    let fixture = try SchemaChangeFixture("type T { id: ID! n: \(from) }", #"{"T":[{"id":1,"n":\#(value)},{"id":2}]}"#)
    let schema = "type T { id: ID! n: \(to) }"
    #expect(
      try fixture.refusal(of: schema) == [
        "data-loss: field 'T.n' changes from '\(from)' to '\(to)': 1 value would be lost"
      ])
    try fixture.change(to: schema, allowingLoss: true)
    #expect(try fixture.answer("{ T { id n } }") == #"{"T":[{"id":1,"n":null},{"id":2,"n":null}]}"#)
  }

  @Test("elements below zero are lost as others are") func negativeElements() throws {
    let fixture = try SchemaChangeFixture("type T { id: ID! n: [Int!] }", #"{"T":[{"id":1,"n":[-1]}]}"#)
    #expect(
      try fixture.refusal(of: "type T { id: ID! n: [Date!] }") == [
        "data-loss: field 'T.n' changes from '[Int!]' to '[Date!]': 1 value would be another"
      ])
  }

  /// What kept a value is the same object; what keeps none is another, and nobody has said what it holds.
  @Test("an embedded object of another type") func anotherObject() throws {
    let fixture = try SchemaChangeFixture(
      "type Box { a: Int  b: Int } type T { id: ID!  box: Box }",
      #"{"T":[{"id":1,"box":{"a":1,"b":2}},{"id":2}]}"#)
    let other = "type Bag { x: String! } type T { id: ID!  box: Bag }"
    #expect(try fixture.refusal(of: other) == ["data-loss: field 'T.box' becomes 'Bag': 1 value would be lost"])
    #expect(
      try fixture.refusal(of: other.replacing("box: Bag", with: "box: Bag!")) == [
        "data-loss: field 'T.box' becomes 'Bag!': 1 value would be lost",
        "data-conflict: field 'T.box' must have a value: 2 entities have none",
      ])
    #expect(
      try fixture.refusal(of: other.replacing("x: String!", with: "b: Int! x: String!")) == [
        "data-loss: field 'T.box.a' is removed: 1 value would be lost",
        "data-conflict: field 'T.box.x' must have a value: 1 entity has none",
      ])
    try fixture.change(to: other, allowingLoss: true)
    #expect(try fixture.answer("{ T { box { x } } }") == #"{"T":[{"box":null},{"box":null}]}"#)
    #expect(fixture.database.check() == [])
  }

  @Test("lists of lists become lists where they hold none") func flattened() throws {
    let fixture = try SchemaChangeFixture(
      "type T { id: ID!  a: [[Int]]  b: [[Int]]  c: [[Int]] }",
      #"{"T":[{"id":1,"a":[],"b":[[1],null,[2,3]],"c":[null]},{"id":2,"a":[null, null],"b":[],"c":[]},{"id":3}]}"#)
    let flat = "type T { id: ID!  a: [Int]  b: [JSON]  c: [Int] }"
    try fixture.change(to: flat)
    #expect(
      try fixture.answer("{ T { a b c } }")
        == #"{"T":[{"a":[],"b":[[1],null,[2,3]],"c":[null]},{"a":[null,null],"b":[],"c":[]},{"a":null,"b":null,"c":null}]}"#
    )
    let strict = try SchemaChangeFixture(
      "type T { id: ID!  a: [[Int]] }", #"{"T":[{"id":1,"a":[]},{"id":2,"a":[null]},{"id":3,"a":[[1]]}]}"#)
    #expect(
      try strict.refusal(of: "type T { id: ID!  a: [Int!] }") == [
        "data-loss: field 'T.a' changes from '[[Int]]' to '[Int!]': 1 value would be lost",
        "data-loss: field 'T.a' changes from '[[Int]]' to '[Int!]': 1 value would be another",
      ])
  }

  @Test("elements of one list are called after it, those of several after their type") func elementNames() throws {
    let fixture = try SchemaChangeFixture(
      "type Inner { n: Int } type Box { a: Int  inners: [Inner!] } type T { id: ID!  boxes: [Box!]  more: [Inner!] }",
      #"{"T":[{"id":1,"boxes":[{"a":1,"inners":[{"n":1}]}],"more":[{"n":2}]}]}"#)
    #expect(
      try fixture.refusal(
        of: "type Inner { m: Int } type Box { inners: [Inner!] } type T { id: ID!  boxes: [Box!]  more: [Inner!] }")
        == [
          "data-loss: field 'Inner.n' is removed: 2 values would be lost",
          "data-loss: field 'T.boxes.a' is removed: 1 value would be lost",
        ])
    #expect(
      try fixture.refusal(
        of: "type Inner { m: Int } type Box { a: Int  inners: [Inner!] } type T { id: ID!  boxes: [Box!] }") == [
          "data-loss: field 'T.more' is removed: 1 object would be lost",
          "data-loss: field 'Inner.n' is removed: 2 values would be lost",
        ])
  }

  @Test("embedded objects become JSON values, as they print") func objectsAsJSON() throws {
    let fixture = try SchemaChangeFixture(
      """
      type Inner { x: Float  when: Date }
      type Box { a: Int  name: String  inner: Inner  tags: [String!]  level: L  item: [Inner!] }
      enum L { LOW HIGH }
      type T { id: ID!  box: Box  boxes: [Box!] }
      """,
      #"{"T":[{"id":1,"box":{"a":1,"name":"q\"","inner":{"x":1.5,"when":"2024-01-31"},"tags":["x","y"],"level":"HIGH","item":[{"x":2}]},"boxes":[{"a":3},{"name":"z"}]},{"id":2}]}"#,
      "mutation { insertT(data: {id: 3, box: {a: 9}}) deleteT(where: id == 3) }")
    let printed = try fixture.answer("{ T { box } }")
    let change = try fixture.change(to: "type T { id: ID!  box: JSON  boxes: JSON }")
    #expect(change.losses.isEmpty && change.conflicts.isEmpty)
    #expect(try fixture.answer("{ T { box } }") == printed)
    #expect(
      try fixture.answer("{ T { box boxes } }")
        == #"{"T":[{"box":{"a":1,"name":"q\"","inner":{"x":1.5,"when":"2024-01-31"},"tags":["x","y"],"level":"HIGH","item":[{"x":2,"when":null}]},"boxes":[{"a":3,"name":null,"inner":null,"tags":null,"level":null,"item":[]},{"a":null,"name":"z","inner":null,"tags":null,"level":null,"item":[]}]},{"box":null,"boxes":[]}]}"#
    )
    #expect(try fixture.answer("{ T(where: box.a == 1) { id } }") == #"{"T":[{"id":1}]}"#)
    // What was deleted is there when it comes back.
    _ = try fixture.database.query("mutation { restoreT(where: id == 3) }")
    #expect(try fixture.answer("{ T(where: id == 3) { a := box.a } }") == #"{"T":[{"a":9}]}"#)
  }

  @Test("links in an object that becomes a JSON value are told, and stand in it by their ids") func linksInJSON() throws
  {
    let fixture = try SchemaChangeFixture(
      "type Box { to: T  n: Int } type T { id: ID!  box: Box }",
      #"{"T":[{"id":1,"box":{"to":2,"n":5}},{"id":2,"box":{"n":6}}]}"#)
    let schema = "type T { id: ID!  box: JSON! = 0 }"
    #expect(
      try fixture.refusal(of: schema) == [
        "data-loss: field 'T.box.to' becomes a part of a JSON value: 1 link would be lost"
      ])
    try fixture.change(to: schema, allowingLoss: true)
    #expect(
      try fixture.answer("{ T { box } }")
        == #"{"T":[{"box":{"to":2,"n":5}},{"box":{"to":null,"n":6}}]}"#)
  }

  @Test("removed types, fields and enum values are refused, all at once, unless it is asked for") func removals() throws
  {
    let fixture = try SchemaChangeFixture(
      "enum S { NEW OLD BAD } type T { id: ID!  a: Int  s: S  ss: [S!] } type U { id: ID! } type Empty { id: ID! }",
      """
      {"T":[{"id":1,"a":1,"s":"OLD","ss":["OLD","NEW"]},{"id":2,"s":"BAD"},{"id":3,"a":5,"s":"OLD"},{"id":4,"s":"NEW"}],
       "U":[{"id":1},{"id":2}]}
      """, "mutation { deleteU(where: id == 2) }")
    let schema = "enum S { NEW } type T { id: ID!  s: S = NEW  ss: [S!] }"
    #expect(
      try fixture.refusal(of: schema) == [
        "data-loss: type 'U' is removed: 2 entities (1 of them deleted) would be lost",
        "data-loss: field 'T.a' is removed: 2 values would be lost",
        "data-loss: enum value 'S.OLD' is removed: 2 values of 'T.s' would be lost",
        "data-loss: enum value 'S.BAD' is removed: 1 value of 'T.s' would be lost",
        "data-loss: enum value 'S.OLD' is removed: 1 value of 'T.ss' would be lost",
      ])
    let change = try fixture.change(to: schema, allowingLoss: true)
    #expect(
      change.description == """
        - enum value 'S.OLD'
        - enum value 'S.BAD'
        ~ field 'T.s' has another default
        - field 'T.a'
        - type 'U'
        - type 'Empty'
        lost: type 'U' is removed: 2 entities (1 of them deleted) would be lost
        lost: field 'T.a' is removed: 2 values would be lost
        lost: enum value 'S.OLD' is removed: 2 values of 'T.s' would be lost
        lost: enum value 'S.BAD' is removed: 1 value of 'T.s' would be lost
        lost: enum value 'S.OLD' is removed: 1 value of 'T.ss' would be lost

        """)
    #expect(change.losses.map(\.count) == [2, 2, 2, 1, 1] && change.losses[1].name == "T.a")
    #expect(
      try fixture.answer("{ T { id s ss } }")
        == #"{"T":[{"id":1,"s":null,"ss":["NEW"]},{"id":2,"s":null,"ss":null},{"id":3,"s":null,"ss":null},{"id":4,"s":"NEW","ss":null}]}"#
    )
  }

  @Test("enum values may be added anywhere and change their order") func enums() throws {
    let fixture = try SchemaChangeFixture(
      "enum S { A B } type T { id: ID!  s: S @index }", #"{"T":[{"id":1,"s":"A"},{"id":2,"s":"B"}]}"#)
    try fixture.change(to: "enum S { A B C } type T { id: ID!  s: S @index }")
    try fixture.change(to: "enum S { C B X A } type T { id: ID!  s: S @index }")
    #expect(try fixture.answer("{ T(orderBy: s) { id s } }") == #"{"T":[{"id":2,"s":"B"},{"id":1,"s":"A"}]}"#)
    #expect(try fixture.answer("{ T(where: s == A) { id } }") == #"{"T":[{"id":1}]}"#)
  }

  /// A type, JSON values of it, another type, and those values in it; nil where the change is refused.
  static let conversions: [(String, String, String, String?)] = [
    ("Int", "[1, -5, 9007199254740992]", "Float", "[1,-5,9007199254740992]"),
    ("Int", "[9007199254740993]", "Float", nil),
    ("Int", "[1, null]", "Decimal", "[1,null]"),
    ("Int", "[10, -2]", "String", #"["10","-2"]"#),
    ("Int", "[10]", "ID", "[10]"),
    ("Int", "[1]", "Boolean", nil),
    ("Float", "[1.5, 2]", "Decimal", "[1.5,2]"),
    ("Float", "[2, -3]", "Int", "[2,-3]"),
    ("Float", "[2.5]", "Int", nil),
    ("Float", "[1e300]", "Decimal", nil),
    ("Decimal", "[1.50, 7]", "Float", "[1.5,7]"),
    ("Decimal", "[1.50, 7]", "String", #"["1.50","7"]"#),
    ("Decimal", "[7.00]", "Int", "[7]"),
    ("Decimal", "[0.1234567890123456789]", "Float", nil),
    ("String", #"["10", "-2"]"#, "Int", "[10,-2]"),
    ("String", #"["007"]"#, "Int", nil),
    ("String", #"["x"]"#, "Int", nil),
    ("String", #"["1.50"]"#, "Decimal", "[1.50]"),
    ("String", #"["a\"b", "a longer text than twelve bytes"]"#, "ID", #"["a\"b","a longer text than twelve bytes"]"#),
    ("ID", #"[7, "b"]"#, "String", #"["7","b"]"#),
    ("ID", "[7]", "Int", "[7]"),
    ("ID", #"["b"]"#, "Int", nil),
    ("Date", #"["2020-02-29"]"#, "DateTime", #"["2020-02-29T00:00:00Z"]"#),
    ("DateTime", #"["2020-02-29T00:00:00Z"]"#, "Date", #"["2020-02-29"]"#),
    ("DateTime", #"["2020-02-29T00:00:01Z"]"#, "Date", nil),
    ("DateTime", #"["2020-02-29T00:00:01Z"]"#, "String", #"["2020-02-29T00:00:01Z"]"#),
    ("String", #"["2020-02-29"]"#, "Date", #"["2020-02-29"]"#),
    ("Duration", #"["P1DT2H"]"#, "String", #"["P1DT2H"]"#),
    ("UUID", #"["00112233-4455-6677-8899-aabbccddeeff"]"#, "String", #"["00112233-4455-6677-8899-aabbccddeeff"]"#),
    ("String", #"["00112233-4455-6677-8899-aabbccddeeff"]"#, "UUID", #"["00112233-4455-6677-8899-aabbccddeeff"]"#),
    ("Bytes", #"["AQID"]"#, "String", #"["AQID"]"#),
    ("String", #"["AQID"]"#, "Bytes", #"["AQID"]"#),
    ("Boolean", "[true, false]", "String", #"["true","false"]"#),
    ("E", #"["A", "B"]"#, "String", #"["A","B"]"#),
    ("String", #"["B"]"#, "E", #"["B"]"#),
    ("String", #"["C"]"#, "E", nil),
    ("E", #"["A"]"#, "F", #"["A"]"#),
    ("E", #"["B"]"#, "F", nil),
    ("String", #"["a\"b"]"#, "JSON", #"["a\"b"]"#),
    ("Int", "[3]", "JSON", "[3]"),
    ("JSON", #"["x"]"#, "String", #"["x"]"#),
    ("JSON", "[3]", "Int", "[3]"),
    ("JSON", #"[{"a":1}]"#, "String", nil),
    ("Int", "[3]", "[Int!]", "[[3]]"),
    ("[Int]", "[[3]]", "Int", "[3]"),
    ("[Int]", "[[3, 4]]", "Int", nil),
    ("[Int]", "[[3, null]]", "[Float]", "[[3,null]]"),
    ("[Int]", "[[3, 4], []]", "[Int!]", "[[3,4],[]]"),
    ("[Int]", "[[3, null]]", "[Int!]", nil),
    ("[Int!]", "[[3, 4]]", "[String!]", #"[["3","4"]]"#),
    (
      "[String!]", #"[["a longer text than twelve bytes", "b"]]"#, "JSON", #"[["a longer text than twelve bytes","b"]]"#
    ),
    ("[[Int!]!]", "[[[1],[2]]]", "JSON", "[[[1],[2]]]"),
    ("[[Int!]!]", "[[[1],[2]]]", "[[Int]]", "[[[1],[2]]]"),
    ("[[Int]]", "[[[1],[2]]]", "[Int]", nil),
    ("[[Int]]", "[[[1],[2,3],[]]]", "[[Int!]!]", "[[[1],[2,3],[]]]"),
    ("[[Int]]", "[[[1,null]]]", "[[Int!]]", nil),
    ("[[Int]]", "[[[1],null]]", "[[Int!]]", "[[[1],null]]"),
    ("[[Int]]", "[[[1],null]]", "[[Int]!]", nil),
    ("[[Int]]", "[[[1,null],null]]", "[[Float]]", "[[[1,null],null]]"),
    ("[[Int]]", "[[[1,9007199254740993]]]", "[[Float]]", nil),
    ("[[[Int]]]", "[[[[1],[]]]]", "[[[String!]!]!]", #"[[[["1"],[]]]]"#),
    ("[[String]]", #"[[["a\"b, [c]"],["x"]]]"#, "[[ID]]", #"[[["a\"b, [c]"],["x"]]]"#),
    ("[[ID]]", #"[[[1,"b"]]]"#, "[[String]]", #"[[["1","b"]]]"#),
    ("[[Date]]", #"[[["2020-01-02"]]]"#, "[[DateTime]]", #"[[["2020-01-02T00:00:00Z"]]]"#),
    ("[[E]]", #"[[["A",null]]]"#, "[[F]]", #"[[["A",null]]]"#),
    ("[[E]]", #"[[["A","B"]]]"#, "[[F]]", nil),
    ("[[String]]", #"[[["B"]]]"#, "[[E!]!]", #"[[["B"]]]"#),
    ("[[Int]]", "[[[1]]]", "[[[Int]]]", nil),
    ("Int", "[1]", "Int!", "[1]"),
    ("Int!", "[1]", "Int", "[1]"),
    ("Int", "[1]", "Date", nil),
  ]

  @Test(arguments: conversions.indices) func conversion(_ number: Int) throws {
    let (from, values, to, expected) = Self.conversions[number]
    let rest = "enum E { A B } enum F { X A } "
    let list = try Value(json: Array(values.utf8)).list ?? []
    let rows = list.enumerated().map { "{\"id\":\($0),\"v\":\($1.json.json)}" }.joined(separator: ",")
    let fixture = try SchemaChangeFixture(rest + "type T { id: ID!  v: \(from) }", "{\"T\":[\(rows)]}")
    let schema = rest + "type T { id: ID!  v: \(to) }"
    guard let expected else {
      let refusal = try fixture.refusal(of: schema)
      #expect(refusal.count == 1 && refusal[0].hasPrefix("data-loss: "), "\(refusal)")
      try fixture.change(to: schema, allowingLoss: true)
      return
    }
    try fixture.change(to: schema)
    let answer = try fixture.answer("{ T { v } }")
    #expect(answer.replacing("{\"T\":", with: "").replacing("{\"v\":", with: "").replacing("}", with: "") == expected)
  }

  @Test("an element of a list of lists that is lost is null, or left out where it must not be null")
  func lossyNested() throws {
    let fixture = try SchemaChangeFixture(
      "enum E { A B } type T { id: ID!  l: [[E]]  k: [[E!]!]  s: [[String]!] }",
      #"{"T":[{"id":1,"l":[["A","B"],null],"k":[["A"],["B","A"]],"s":[["1","x"]]},{"id":2,"l":[["B"]]}]}"#)
    let schema = "enum E { B } type T { id: ID!  l: [[E]]  k: [[E!]!]  s: [[Int]] }"
    #expect(
      try fixture.refusal(of: schema) == [
        "data-loss: enum value 'E.A' is removed: 1 value of 'T.l' would be lost",
        "data-loss: enum value 'E.A' is removed: 2 values of 'T.k' would be lost",
        "data-loss: field 'T.s' changes from '[[String]!]' to '[[Int]]': 1 value would be another",
      ])
    try fixture.change(to: schema, allowingLoss: true)
    #expect(
      try fixture.answer("{ T { l k s } }")
        == #"{"T":[{"l":[[null,"B"],null],"k":[[],["B"]],"s":[[1,null]]},{"l":[["B"]],"k":null,"s":null}]}"#)
  }

  @Test("with loss allowed numbers are rounded, and what the new type does not have is null") func lossy() throws {
    let fixture = try SchemaChangeFixture(
      "type T { id: ID!  f: Float  s: String }",
      #"{"T":[{"id":1,"f":2.5,"s":"007"},{"id":2,"f":1e300,"s":"x"},{"id":3,"f":4,"s":"8"}]}"#)
    let schema = "type T { id: ID!  f: Int  s: Int }"
    #expect(
      try fixture.refusal(of: schema) == [
        "data-loss: field 'T.f' changes from 'Float' to 'Int': 1 value would be lost",
        "data-loss: field 'T.f' changes from 'Float' to 'Int': 1 value would be another",
        "data-loss: field 'T.s' changes from 'String' to 'Int': 1 value would be lost",
        "data-loss: field 'T.s' changes from 'String' to 'Int': 1 value would be another",
      ])
    try fixture.change(to: schema, allowingLoss: true)
    #expect(try fixture.answer("{ T { f s } }") == #"{"T":[{"f":3,"s":7},{"f":null,"s":null},{"f":4,"s":8}]}"#)
  }

  @Test("a field that must have a value needs a default where it has none") func nonNull() throws {
    let fixture = try SchemaChangeFixture("type T { id: ID!  a: Int }", #"{"T":[{"id":1,"a":1},{"id":2},{"id":3}]}"#)
    for allowingLoss in [false, true] {
      #expect(
        try fixture.refusal(of: "type T { id: ID!  a: Int!  b: Int! }", allowingLoss: allowingLoss) == [
          "data-conflict: field 'T.a' must have a value: 2 entities have none",
          "data-conflict: field 'T.b' must have a value: 3 entities have none",
        ])
    }
    try fixture.change(to: "type T { id: ID!  a: Int! = 9 }")
    #expect(try fixture.answer("{ T { a } }") == #"{"T":[{"a":1},{"a":9},{"a":9}]}"#)
    try fixture.change(to: "type T { id: ID!  a: Int }")
  }

  @Test("computed fields come and go") func computed() throws {
    let fixture = try SchemaChangeFixture("type T { id: ID!  a: Int  b: Int }", #"{"T":[{"id":1,"a":1,"b":5}]}"#)
    let schema = #"type T { id: ID!  a: Int  b: Int @computed(as: "a + 1")  c: Int @computed(as: "a + 2") }"#
    #expect(
      try fixture.refusal(of: schema) == ["data-loss: field 'T.b' becomes a computed field: 1 value would be lost"])
    try fixture.change(to: schema, allowingLoss: true)
    #expect(try fixture.answer("{ T { b c } }") == #"{"T":[{"b":2,"c":3}]}"#)
    let change = try fixture.change(to: "type T { id: ID!  a: Int  b: Int  c: Int = 4 }")
    #expect(change.losses.isEmpty)
    #expect(try fixture.answer("{ T { b c } }") == #"{"T":[{"b":null,"c":4}]}"#)
  }
}
