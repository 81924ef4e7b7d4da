import GQLBase
import GQLCatalog
import GQLParser
import Testing
@testable import GQLBinder

@Suite struct SchemaBuildingTests {
  static func build(_ sdl: String, extending: Catalog? = nil) -> Analyzed<Catalog> {
    let document = parse(SourceText(name: "schema", text: sdl))
    let built = buildCatalog(document.output, extending: extending)
    return Analyzed(built.output, document.diagnostics + built.diagnostics)
  }

  @Test func fixtureHasNoDiagnostics() {
    #expect(Self.build(BindingFixture.sdl).diagnostics == [])
  }

  @Test func columnsOfEmbeddedAndFoldedProperties() throws {
    let catalog = Self.build(
      """
      type P { x: Int! q: Q }
      type Q { s: String }
      type A { id: ID! p: P! mail: String @collate(CI) n: [Decimal] e: E }
      enum E { B A }
      """
    ).output
    let type = try #require(catalog.type(named: "A"))
    #expect(type.columns.dropLast(2).map(\.name) == ["id", "p", "p.x", "p.q", "p.q.s", "mail", "mail", "n", "e"])
    #expect(
      type.columns.dropLast(2).map(\.kind) == [.text, .byte, .int64, .byte, .text, .text, .text, .wideList, .code])
    #expect(type.columns.dropLast(2).map(\.isNonNull) == [true, true, true, false, false, false, false, false, false])
    #expect(type.columns[6].foldedFrom == ColumnID(5))
    #expect(type.property(named: "mail")?.storage == .column(ColumnID(5), folded: ColumnID(6)))
    #expect(
      type.property(named: "p")?.storage
        == .embedded(
          EmbeddedTypeID(0), presence: ColumnID(1),
          fields: [
            .column(ColumnID(2), folded: nil),
            .embedded(EmbeddedTypeID(1), presence: ColumnID(3), fields: [.column(ColumnID(4), folded: nil)]),
          ]))
  }

  @Test func indexes() throws {
    let catalog = BindingFixture.catalog
    let type = try #require(catalog.type(named: "User"))
    let described = type.indexes.map { id -> String in
      let index = catalog[id]
      return
        "\(index.name) \(index.kind.rawValue)\(index.isUnique ? " unique" : "")\(index.isPrimary ? " primary" : "")"
    }
    #expect(
      described == [
        "id HASH unique primary", "email HASH unique", "age BTREE", "status HASH", "lastName,firstName BTREE",
        "address.city BTREE",
      ])
    let email = catalog[type.indexes[1]]
    #expect(type[email.columns[0]].foldedFrom != nil)
    #expect(type.primaryIndex == type.indexes[0])
  }

  @Test func compoundKey() throws {
    let built = Self.build(#"type M @id(fields: ["a", "b"]) { a: Int b: String }"#)
    #expect(built.diagnostics == [])
    let type = try #require(built.output.type(named: "M"))
    #expect(type.idProperties == [PropertyID(0), PropertyID(1)])
    #expect(type.columns.dropLast(2).map(\.isNonNull) == [true, true])
    #expect(built.output[type.primaryIndex].columns == [ColumnID(0), ColumnID(1)])
  }

  @Test func mutualRelationSaidOnOneSide() throws {
    let built = Self.build(
      """
      type A { id: ID! bs: [B!]! @relation(inverse: "a", onDelete: CASCADE) }
      type B { id: ID! a: A! }
      """)
    #expect(built.diagnostics == [])
    let catalog = built.output
    #expect(catalog.relations.count == 2)
    #expect(catalog.relations[0].inverse == RelationID(1))
    #expect(catalog.relations[1].inverse == RelationID(0))
    #expect(catalog.relations[0].isToMany && !catalog.relations[1].isToMany)
    #expect(catalog.relations[1].isRequired)
    #expect(catalog.relations[0].onDelete == .cascade)
    #expect(catalog.relations[1].onDelete == .nullify)
  }

  @Test func oneWayRelationHasHiddenDirection() throws {
    let catalog = Self.build("type A { id: ID! b: B @relation } type B { id: ID! }").output
    #expect(catalog.relations.count == 2)
    let hidden = catalog.relations[1]
    #expect(hidden.property == nil && hidden.isToMany && hidden.source == EntityTypeID(1))
    #expect(catalog[hidden.source][hidden.column].kind == .references)
    #expect(catalog.relations[0].inverse == hidden.id)
  }

  @Test func symmetricRelation() {
    let catalog = Self.build(#"type P { id: ID! friends: [P!]! @relation(inverse: "friends") }"#).output
    #expect(catalog.relations.count == 1)
    #expect(catalog.relations[0].inverse == RelationID(0))
  }

  @Test func rootNames() throws {
    let catalog = Self.build(
      """
      type User { id: ID! } type box @root(one: "oneBox", many: "boxes") { id: ID! }
      type Query { users: [User!]! user(id: ID!): User version: String }
      """)
    #expect(catalog.diagnostics.map(\.code.rawValue) == ["unusable-root-field"])
    #expect(catalog.output.types.map(\.rootOne) == ["user", "oneBox"])
    #expect(catalog.output.types.map(\.rootMany) == ["User", "boxes"])
    #expect(catalog.output.rootNames == [RootName(name: "users", type: EntityTypeID(0), isList: true)])
  }

  @Test func defaults() throws {
    let catalog = Self.build(
      """
      enum E { X Y }
      type A { id: ID! e: E = Y t: DateTime @default(value: now()) d: Decimal = 0.10 n: Int @default(value: -3) }
      """)
    #expect(catalog.diagnostics == [])
    let values = catalog.output.types[0].properties.map(\.defaultValue)
    #expect(values[1] == .value(.enumeration(EnumTypeID(0), code: 1)))
    #expect(values[2] == .now)
    #expect(values[3] == .value(.decimal(try #require(Decimal(parsing: "0.1")))))
    #expect(values[4] == .value(.int(-3)))
  }

  @Test func defaultsOfListsOfListsArePrintedByTheirType() throws {
    let catalog = Self.build(
      """
      enum E { X Y }
      type B { g: [[E!]!] = [[Y]] }
      type A {
        id: ID! g: [[E]] = [[X, null], []] s: [[String]] = [["X"]] d: [[[E]]] = [[[Y]]] b: B = {g: [[X], [Y]]}
      }
      """)
    #expect(catalog.diagnostics == [])
    let printed = printSchema(catalog.output)
    for line in [
      "g: [[E!]!] @default(value: [[Y]])", "g: [[E]] @default(value: [[X, null], []])",
      #"s: [[String]] @default(value: [["X"]])"#, "d: [[[E]]] @default(value: [[[Y]]])",
      "b: B @default(value: {g: [[X], [Y]]})",
    ] { #expect(printed.contains("  \(line)\n"), "\(line)\nin\n\(printed)") }
    let again = Self.build(printed)
    #expect(again.diagnostics == [] && again.output == catalog.output)
  }

  @Test func possibleInverseHasFixIt() throws {
    let text = "type A { id: ID! bs: [B!]! } type B { id: ID! a: A }"
    let built = Self.build(text)
    let warning = try #require(built.diagnostics.first)
    #expect(built.diagnostics.count == 1)
    #expect(warning.severity == .warning && warning.code.rawValue == "possible-inverse")
    let edit = try #require(warning.fixIts.first?.edits.first)
    var bytes = Array(text.utf8)
    bytes.insert(contentsOf: Array(edit.replacement.utf8), at: Int(edit.range.start))
    let mended = String(decoding: bytes, as: UTF8.self)
    #expect(mended == #"type A { id: ID! bs: [B!]! @relation(inverse: "a") } type B { id: ID! a: A }"#)
    #expect(Self.build(mended).diagnostics == [])
    #expect(Self.build("type P { id: ID! mother: P father: P }").diagnostics == [])
    #expect(
      Self.build("type A { id: ID! bs: [B!]! @relation(inverse: null) } type B { id: ID! a: A }").diagnostics == [])
  }

  @Test func extendingKeepsPlaces() throws {
    let first = Self.build("type A { id: ID! n: Int @index } type Query { as: [A!]! }").output
    let second = Self.build(
      "extend type A { b: B @relation } type B { id: ID! } type Query { bs: [B!]! }", extending: first)
    #expect(second.diagnostics == [])
    #expect(second.output.types.map(\.name) == ["A", "B"])
    #expect(second.output.types[0].properties.map(\.name) == ["id", "n", "b"])
    #expect(second.output.types[0].columns.prefix(2) == first.types[0].columns.prefix(2))
    #expect(second.output.rootNames.map(\.name) == ["as", "bs"])
    #expect(second.output.version == first.version + 1)
  }

  @Test func interfacesAreHiddenTypesOfMirroredRows() throws {
    let built = Self.build(
      """
      interface N { id: ID! n: Int }
      union U = B | A
      type A implements N { id: ID! n: Int! }
      type B { id: ID! ps: [P!]! }
      type P { x: Int n: N }
      """)
    #expect(built.diagnostics == [])
    let catalog = built.output
    #expect(catalog.types.map(\.name) == ["A", "B", "N", "U", "P"])
    #expect(catalog.types.map(\.kind) == [.entity, .entity, .interface, .union, .element(EmbeddedTypeID(0))])
    let (a, b, n, u) = (EntityTypeID(0), EntityTypeID(1), EntityTypeID(2), EntityTypeID(3))
    #expect(catalog.possibleTypes(of: u) == [b, a])
    #expect(catalog.possibleTypes(of: n) == [a])
    #expect(catalog.possibleTypes(of: a) == [a])
    #expect(catalog[a].interfaces == [n])
    #expect(catalog[a].memberships.map(\.type) == [n, u])
    #expect(catalog.overlap(n, u) && !catalog.overlap(n, b))
    #expect(catalog.isSubtype(a, of: u) && !catalog.isSubtype(u, of: a) && !catalog.isSubtype(n, of: u))
    for link in catalog[u].members {
      let down = catalog[link.relation]
      let up = catalog[down.inverse]
      #expect(down.isMirror && up.isMirror && up.inverse == down.id)
      #expect(down.source == u && down.target == link.type && !down.isToMany && !up.isToMany)
      #expect(down.onDelete == .cascade && up.onDelete == .cascade)
    }
    // From N to B there is no way, from U to N over A.
    #expect(catalog.casts(from: n, to: b) == [])
    #expect(catalog.casts(from: u, to: n).map(\.count) == [2])
    // Hidden types have no key, and elements of lists no name.
    for type in catalog.types where type.kind != .entity { #expect(catalog[type.primaryIndex].columns.isEmpty) }
    #expect(catalog.type(named: "P") == nil)
    guard case .relation(let id)? = catalog[b].property(named: "ps")?.storage else {
      Issue.record("a list of embedded objects is a relation")
      return
    }
    #expect(catalog[id].onDelete == .cascade && catalog[id].isToMany && !catalog[catalog[id].inverse].isToMany)
  }

  @Test func dataSources() {
    let document = parse(SourceText(name: "q", text: #"extend schema @data(from: "people/") { A { id } }"#)).output
    #expect(GQLBinder.dataSources(document).map(\.path) == ["people/"])
  }

  @Test(arguments: [
    BindingFixture.sdl,
    #"type A @id(fields: ["x", "y"]) @root(one: "anA") { x: Int! y: UUID! "why" z: Duration = "PT1H" }"#,
    #""A & B" type A { k: String! @id @collate(CI) n: Float = 1.5 @index @index(kind: HASH) l: [Int!]! = [1, 2] }"#,
    #"type A { id: Int! b: B @relation(onDelete: DENY) j: JSON = {a: [1, "x", null]} } type B { id: ID! }"#,
    #"type A @unique(onConflict: REPLACE, fields: ["a", "b"]) { id: ID! a: Bytes = "AQI=" b: Date c: ID = 7 }"#,
    #"type A { id: ID! a: Int @index(name: "b") b: Int @index c: DateTime @default(value: now()) } type Query { as: [A!] a1: A }"#,
    """
    interface Node { id: ID! }
    interface Named implements Node @root(many: "names") { id: ID! name: String! friends: [Named!]! }
    union U = B | A
    type A implements Node & Named { id: ID! name: String! friends: [B!]! u: U us: [U!]! p: P }
    type B implements Named & Node { id: ID! name: String! friends: [Named!]! ps: [P!]! m: [[[Int!]]!]! }
    type P { x: Int = 3 a: Named as: [A!]! qs: [P!] }
    """,
    #"type A { id: ID! a: String! b: String @computed(as: "a + \"\\n\"") c: [A!]! @computed(as: "A(limit: 2)") }"#,
    "type `my type` @root(one: \"one\", many: \"many\") { id: ID! `first name`: String @unique }",
  ])
  func printedSchemaBuildsTheSameCatalog(_ sdl: String) {
    let built = Self.build(sdl)
    #expect(!built.hasErrors, "\(built.diagnostics)")
    let printed = printSchema(built.output)
    let again = Self.build(printed)
    #expect(!again.hasErrors, "\(again.diagnostics)\n\(printed)")
    #expect(again.output == built.output, "\(printed)")
    #expect(printSchema(again.output) == printed)
  }

  /// Every code of a schema's problems has a schema that shows it.
  static let wrong: [(code: String, sdl: String, at: String)] = [
    ("duplicate-type", "type A { id: ID! } type A { id: ID! }", "A"),
    ("duplicate-field", "type A { id: ID! n: Int n: Int }", "n"),
    ("duplicate-enum-value", "enum E { A A } type T { id: ID! }", "A"),
    ("reserved-name", "type A { id: ID! _cursor: Int }", "_cursor"),
    ("unknown-type", "type A { id: ID! n: Strin }", "Strin"),
    ("unknown-type", "extend type Missing { n: Int }", "Missing"),
    ("unknown-type", "enum E { A } extend type E { n: Int }", "E"),
    ("empty-type", "type A type B { id: ID! }", "A"),
    ("recursive-embedding", "type A { b: B } type B { a: A n: Int }", "a: A"),
    ("unknown-directive", "type A { id: ID! n: Int @indx }", "indx"),
    ("unknown-directive-argument", "type A { id: ID! n: Int @index(kin: HASH) }", "kin"),
    ("missing-directive-argument", "type A @index { id: ID! }", "index"),
    ("wrong-directive-argument", "type A { id: ID! n: Int @index(kind: HASCH) }", "HASCH"),
    ("repeated-directive", "type A { id: ID! n: Int @default(value: 1) @default(value: 2) }", "default"),
    ("misplaced-directive", #"type A { id: ID! n: Int @relation(inverse: "x") }"#, "relation"),
    ("misplaced-directive", "type A { id: ID! n: Int @collate(CI) }", "collate"),
    ("misplaced-directive", "type P { n: Int @index } type A { id: ID! p: P }", "index"),
    ("two-defaults", "type A { id: ID! n: Int = 1 @default(value: 2) }", "@default(value: 2)"),
    ("wrong-default", #"type A { id: ID! n: Int = "x" }"#, #""x""#),
    ("wrong-default", "type A { id: ID! n: Int = 9223372036854775808 }", "9223372036854775808"),
    ("invalid-key", #"type A @id(fields: ["tags"]) { tags: [String] }"#, #""tags""#),
    ("not-indexable", "type A { id: ID! j: JSON @index }", "index"),
    ("unknown-field", #"type A @index(fields: ["nme"]) { id: ID! name: String }"#, #""nme""#),
    (
      "duplicate-index-name", #"type A { id: ID! n: Int @index(name: "x") m: Int @index(name: "x") }"#,
      #"@index(name: "x")"#
    ),
    ("unknown-inverse", #"type A { id: ID! b: B @relation(inverse: "as") } type B { id: ID! a: A }"#, #""as""#),
    ("unknown-inverse", #"type A { id: ID! b: B @relation(inverse: "n") } type B { id: ID! n: Int }"#, #""n""#),
    (
      "inverse-conflict",
      #"type A { id: ID! b: B @relation(inverse: "a") c: B @relation(inverse: "a") } type B { id: ID! a: A }"#, #""a""#
    ),
    ("possible-inverse", "type A { id: ID! bs: [B!]! } type B { id: ID! a: A }", "bs: [B!]!"),
    ("root-name-clash", "type a { id: ID! } type A { id: ID! }", "A"),
    ("unusable-root-field", "type A { id: ID! } type Query { version: String }", "version"),
    ("ignored-arguments", "type A { id: ID! n(x: Int): Int }", "n"),
    ("ignored-type", "type A { id: ID! } type Mutation { x: Int }", "Mutation"),
    ("not-supported-yet", "type A { id: ID! t: String @collate(sv) }", "@collate(sv)"),
    ("nested-list", "type A { id: ID! b: [[A]] }", "[[A]]"),
    ("wrong-interface", "type A implements B { id: ID! } type B { id: ID! }", "B"),
    ("wrong-interface", "interface N implements N { id: ID! } type A { id: ID! }", "N"),
    ("interface-field", "interface N { n: Int } type A implements N { id: ID! }", "A"),
    ("interface-field", "interface N { n: Int! } type A implements N { id: ID! n: Int }", "Int"),
    ("wrong-member", "union U = A | A type A { id: ID! }", "A"),
    ("misplaced-directive", "type A { id: ID! n: Int @rowNumber }", "rowNumber"),
    ("misplaced-directive", "type A { id: String! @rowNumber }", "rowNumber"),
    ("missing-directive-argument", "type A { id: ID! n: Int @source }", "source"),
    ("misplaced-directive", "type A { id: ID! n: Int @source(mixed: true) }", "source"),
    ("wrong-directive-argument", "type A { id: ID! n: String @source(mixed: 5) }", "5"),
    ("wrong-member", "interface N { n: Int } type P implements N { n: Int } type A { id: ID! p: P }", "N"),
    ("rename-conflict", #"type A { id: ID! b: Int @was(name: "a") c: Int @was(name: "a") }"#, #""a""#),
    ("rename-conflict", #"type A @was(name: "C") { id: ID! } enum B @was(name: "C") { X }"#, #""C""#),
    ("number-conflict", "type A { id: ID! b: Int @number(value: 1) c: Int @number(value: 1) }", "1"),
    ("number-conflict", "type A @number(value: 3) { id: ID! } interface B @number(value: 3) { id: ID! }", "3"),
    ("missing-directive-argument", "type A { id: ID! b: Int @was }", "was"),
    ("wrong-directive-argument", #"type A { id: ID! b: Int @was(name: "") }"#, #""""#),
    ("missing-directive-argument", "type A @number { id: ID! }", "number"),
    ("wrong-directive-argument", "type A @number(value: 0) { id: ID! }", "0"),
    ("wrong-directive-argument", "type A @number(value: 99999999999999999999) { id: ID! }", "99999999999999999999"),
    ("repeated-directive", "type A { id: ID! b: Int @number(value: 1) @number(value: 2) }", "number"),
    ("misplaced-directive", "type P { x: Int @number(value: 1) } type A { id: ID! p: P }", "number"),
    ("misplaced-directive", "type P @number(value: 1) { x: Int } type A { id: ID! p: P }", "number"),
    ("misplaced-directive", #"interface N { n: Int @was(name: "m") } type A implements N { id: ID! n: Int }"#, "was"),
    ("misplaced-directive", #"type A { id: ID! n: Int @computed(as: "1") @was(name: "m") }"#, "was"),
    ("misplaced-directive", "enum E @number(value: 1) { X } type A { id: ID! }", "number"),
    ("missing-directive-argument", "type A { id: ID! n: Int @merge }", "merge"),
    ("wrong-directive-argument", "type A { id: ID! n: Int @merge(by: ALL) }", "ALL"),
    ("wrong-directive-argument", "type A { id: ID! n: String @merge(by: SUM) }", "SUM"),
    ("wrong-directive-argument", "type A { id: ID! n: Int @merge(by: UNION) }", "UNION"),
    ("wrong-directive-argument", "type P { x: Int } type A { id: ID! p: [P!] @merge(by: UNION) }", "UNION"),
    ("wrong-directive-argument", "type A { id: ID! a: A @merge(by: MAX) }", "MAX"),
    ("repeated-directive", "type A { id: ID! n: Int @merge(by: MIN) @merge(by: MAX) }", "merge"),
    ("misplaced-directive", "type P { x: Int @merge(by: SUM) } type A { id: ID! p: P }", "merge"),
    ("misplaced-directive", "type A @merge(by: LAST) { id: ID! }", "merge"),
    ("misplaced-directive", #"type A { id: ID! n: Int @computed(as: "1") @merge(by: MAX) }"#, "merge"),
    ("version-name", "type A { id: ID! _version: Int _until: Int }", "_version"),
    ("version-name", "type A @history { id: ID! _until: Int }", "_until"),
    ("version-name", "type A { id: ID! } type Query { _changes: [A!]! }", "_changes"),
  ]

  @Test func everyCodeHasASchema() {
    var seen: Set<String> = []
    for (code, sdl, place) in Self.wrong {
      let built = Self.build(sdl)
      #expect(built.diagnostics.map(\.code.rawValue) == [code], "\(sdl)")
      let source = SourceText(name: "s", text: sdl)
      #expect(built.diagnostics.first.map { source.string($0.range) } == place, "\(sdl)")
      seen.insert(code)
    }
    // Too long to write down.
    let values = (0...65_535).map { "V\($0)" }.joined(separator: " ")
    var limits = ParserLimits()
    limits.lexer.tokens = 1_000_000
    let many = parse(SourceText(name: "s", text: "enum E { \(values) } type T { id: ID! }"), limits: limits).output
    let enumeration = buildCatalog(many)
    #expect(enumeration.diagnostics.map(\.code.rawValue) == ["too-many-enum-values"])
    #expect(enumeration.output.enums[0].values.count == 65_535)
    seen.insert("too-many-enum-values")
    var doubling = "type T { id: ID! e: E0 } type E20 { x: Int }"
    for level in 0..<20 { doubling += " type E\(level) { a: E\(level + 1) b: E\(level + 1) }" }
    #expect(Self.build(doubling).diagnostics.map(\.code.rawValue) == ["too-many-columns"])
    seen.insert("too-many-columns")
    #expect(seen == Set(SchemaProblem.codes.map(\.rawValue)))
  }

  @Test func formerNamesAndNumbersArePrinted() {
    let sdl = """
      enum Kind @was(name: "Sort") {
        A
      }

      type Place @was(name: "Address") {
        town: String @was(name: "city") @was(name: "ci\\"ty")
      }

      interface Named @number(value: 9) {
        name: String
      }

      type User implements Named @number(value: 2147483647) @was(name: "Person") {
        id: ID!
        name: String @number(value: 1) @was(name: "title")
        home: Place @number(value: 2)
        homes: [Place!]! @number(value: 3)
        friends: [User!]! @number(value: 4) @was(name: "others")
        kind: Kind
      }

      """
    let built = Self.build(sdl)
    #expect(built.diagnostics == [])
    let printed = printSchema(built.output)
    for line in sdl.split(separator: "\n") where line.contains("@") { #expect(printed.contains(line), "\(line)") }
    #expect(printSchema(Self.build(printed).output) == printed)
    let user = built.output.type(named: "User")
    #expect(user?.identity.number == 2_147_483_647 && user?.identity.formerNames == ["Person"])
    #expect(built.output.embeddedTypes[0].fields[0].identity.formerNames == ["city", "ci\"ty"])
  }

  @Test func nearNames() {
    let built = Self.build("type A { id: ID! n: Strin b: Chta } type Chat { id: ID! }")
    #expect(built.diagnostics.map(\.help) == ["did you mean 'String'?", "did you mean 'Chat'?"])
  }

  @Test func declaredDirectivesAndScalars() throws {
    let built = Self.build(
      "directive @mine on FIELD_DEFINITION scalar Date scalar Blob type A { id: ID! d: Date b: Blob @mine }")
    #expect(built.diagnostics == [])
    #expect(built.output.types[0].properties.map(\.signature.type) == [.id, .scalar(.date), .json])
  }

  @Test func allErrorsInOneRun() {
    let built = Self.build("type A { id: ID! a: X b: Y @indx c: Int = \"q\" } type A { id: ID! }")
    #expect(built.diagnostics.filter { $0.severity == .error }.count == 4)
  }

  @Test func longChainOfEmbeddedTypes() {
    var sdl = "type T { id: ID! e: E0 } "
    for level in 0..<300 { sdl += "type E\(level) { e: E\((level + 1) % 300) } " }
    #expect(Self.build(sdl).diagnostics.contains { $0.code.rawValue == "recursive-embedding" })
  }
}
