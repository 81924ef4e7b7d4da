import GQLModelMacroExpansion
import Testing

/// Each misuse: what is said, where, and what the source is when the fix is applied.
@Suite struct DiagnosticTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let source: String
    let message: String
    let line: Int
    let column: Int
    var severity = MacroSeverity.error
    var context: [String] = []
    var fixed: String?
    var hasExpansion = true
    var testDescription: String { source }
  }

  static let heads = [
    Case(
      source: "@EntityModel\nfinal class User {\n  let id = 1\n}",
      message: "'@EntityModel' needs a struct, and 'User' is a class", line: 2, column: 7,
      fixed: "@EntityModel\nfinal struct User {\n  let id = 1\n}", hasExpansion: false),
    Case(
      source: "@EntityModel actor User { let id = 1 }",
      message: "'@EntityModel' needs a struct, and 'User' is an actor",
      line: 1, column: 14, fixed: "@EntityModel struct User { let id = 1 }", hasExpansion: false),
    Case(
      source: "@EntityModel enum User { case id }", message: "'@EntityModel' needs a struct, and 'User' is an enum",
      line: 1, column: 14, hasExpansion: false),
    Case(
      source: "@EntityModel\nprotocol User { var id: Int { get } }",
      message: "'@EntityModel' needs a struct, and 'User' is a protocol", line: 2, column: 1, hasExpansion: false),
    Case(
      source: "\n  @EntityModel func f() {}", message: "'@EntityModel' needs a struct", line: 2, column: 3,
      hasExpansion: false),
    Case(source: "", message: "'@EntityModel' needs a struct", line: 1, column: 1, hasExpansion: false),
    Case(
      source: "@EntityModel struct User {\n  var name: String\n}",
      message: "entity model 'User' needs a property 'id' in its body", line: 1, column: 21,
      fixed: "@EntityModel struct User {\n  let id: String\n  var name: String\n}", hasExpansion: false),
    Case(
      source: "@EntityModel struct User { static let id = 1 }",
      message: "entity model 'User' needs a property 'id' in its body", line: 1, column: 21,
      fixed: "@EntityModel struct User {\n  let id: String static let id = 1 }", hasExpansion: false),
    Case(
      source: "/* é */ @EntityModel private struct User { let id = 1 }",
      message:
        "nested entity model 'User' can't be 'private', since its extension stands in the file; use 'fileprivate'",
      line: 1, column: 23, context: ["enum Schema {}"],
      fixed: "/* é */ @EntityModel fileprivate struct User { let id = 1 }", hasExpansion: false),
  ]

  static let relations = [
    member(
      "@Relationship(inverse: \\.users) var chats",
      "relation 'chats' needs a type: 'Entity?' for one, '[Entity]?' for many",
      column: 37),
    member(
      "@Relationship var chat = nil", "relation 'chat' needs a type: 'Entity?' for one, '[Entity]?' for many",
      column: 19),
    member(
      "@Relationship(.required) var author: User",
      "relation 'author' must have the type 'User?', since entities may be there without it", column: 38,
      fixed: "@Relationship(.required) var author: User?"),
    member(
      "@Relationship(deleteRule: .cascade) var chats: [Chat]",
      "relation 'chats' must have the type '[Chat]?', since entities may be there without it", column: 48,
      fixed: "@Relationship(deleteRule: .cascade) var chats: [Chat]?"),
    member(
      "@Relationship() var a: Set<B>?", "relation 'a' must have a type 'Entity?' or '[Entity]?', not 'Set<B>?'",
      column: 24),
    member(
      "@Relationship() var a: [Int: B]?", "relation 'a' must have a type 'Entity?' or '[Entity]?', not '[Int: B]?'",
      column: 24),
    member("@Relationship() var a: B!", "relation 'a' must have a type 'Entity?' or '[Entity]?', not 'B!'", column: 24),
    member(
      "@Relationship() var a: B??", "relation 'a' must have a type 'Entity?' or '[Entity]?', not 'B??'", column: 24),
    member(
      "@Relationship() var a: [B?]?", "relation 'a' must have a type 'Entity?' or '[Entity]?', not '[B?]?'", column: 24),
    member(
      "@Relationship() var a: [any P]?", "relation 'a' must have a type 'Entity?' or '[Entity]?', not '[any P]?'",
      column: 24),
    member(
      "@Relationship() var a: (B, C)?", "relation 'a' must have a type 'Entity?' or '[Entity]?', not '(B, C)?'",
      column: 24),
    member(
      "@Relationship var viewedBy: [User]? // all",
      "relation 'viewedBy' needs '= nil', since its kind can't be inferred from '@Relationship' alone", column: 19,
      fixed: "@Relationship var viewedBy: [User]? = nil // all"),
    member(
      "@Relationship static var a: B? = nil", "relation 'a' can't be static", column: 15,
      fixed: "@Relationship var a: B? = nil"),
    member(
      "@Relationship(.required) let author: User?", "'author' must be a 'var' to be '@Relationship'", column: 26,
      fixed: "@Relationship(.required) var author: User?"),
    member(
      "@Relationship @Index<Self>(\\.id) var a: B? = nil", "'a' can't be '@Relationship' and '@Index' at once",
      column: 15),
    member(
      "@Relationship(inverse: path) var a: B?",
      "the inverse of 'a' must be written as a key path of one relation, like '\\.users'", column: 24),
    member(
      "@Relationship(inverse: \\.b?.c) var a: B?",
      "the inverse of 'a' must be written as a key path of one relation, like '\\.users'", column: 24),
    member(
      "@Relationship lazy var a: B? = nil",
      "'a' can't be 'lazy' in an entity model: give it a value at once, or compute it", column: 15,
      fixed: "@Relationship var a: B? = nil"),
    member(
      "@Relationship(inverse: \\.replyTo) var replies: [A]?", "'A' has no relation 'replyTo'", column: 26),
    member(
      "@Relationship(inverse: \\A.id) var a: Self?", "'id' of 'A' is no relation, so it can't be an inverse", column: 27
    ),
    member(
      "@Relationship(inverse: \\.b) var a: A?; @Relationship(inverse: \\.c) var b: [A]?; @Relationship(inverse: \\.b) var c: A?",
      "'b' of 'A' must name 'a' as its inverse too", column: 26),
    member(
      "@Relationship(inverse: \\.b) var a: A?; @Relationship() var b: [A]?",
      "'b' of 'A' must name 'a' as its inverse too", column: 26),
    member(
      "@Relationship(inverse: \\.x) var b: B?; @Relationship(inverse: \\B.$x) var bs: [B]?",
      "'b' and 'bs' can't both have 'x' of 'B' as their inverse", column: 66),
    member(
      "@Relationship var größe: B? = nil",
      "'größe' can't be in an entity model, since names in text have ASCII letters, digits and '_' only, and no '__' at the beginning",
      column: 19),
  ]

  static let others = [
    member(
      "@Field(7) static var a = 1",
      "'@Field' says nothing of 'a': it is for stored properties and relations of entity models", column: 1),
    member(
      "@Field(was: \"b\") var a: Int { 1 }",
      "'@Field' says nothing of 'a': it is for stored properties and relations of entity models", column: 1),
    member(
      "@Index<Self>(\\.id) @Field(7) var a",
      "'@Field' says nothing of 'a': it is for stored properties and relations of entity models", column: 20),
    member(
      "private lazy var a = 1", "'a' can't be 'lazy' in an entity model: give it a value at once, or compute it",
      column: 9,
      fixed: "private var a = 1"),
    member(
      "var länge: Int",
      "'länge' can't be in an entity model, since names in text have ASCII letters, digits and '_' only, and no '__' at the beginning",
      column: 5),
    member(
      "let a = 1, `hello world`: Int",
      "'hello world' can't be in an entity model, since names in text have ASCII letters, digits and '_' only, and no '__' at the beginning",
      column: 12),
    member(
      "@Index<Self>(\\.a) var __i",
      "'__i' can't be in an entity model, since names in text have ASCII letters, digits and '_' only, and no '__' at the beginning",
      column: 23),
    member(
      "@Index<Other>(\\.n) var i",
      "'@Index<Other>' in 'A' must be '@Index<Self>', since an index is over its own entities", column: 8,
      fixed: "@Index<Self>(\\.n) var i"),
    member(
      "@GQLiteModels.Unique<A.B>(\\.n) var i",
      "'@Unique<A.B>' in 'A' must be '@Unique<Self>', since an index is over its own entities", column: 22,
      fixed: "@GQLiteModels.Unique<Self>(\\.n) var i"),
    member(
      "@HashIndex<Self>(\\.n, \\.team?.name) var i; @Relationship var team: Team? = nil",
      "index 'i' can't lead through relation 'team', since it is over what the entity itself holds", column: 23),
    member(
      "@HashIndex(\\A.team!.name) var i; @Relationship var team: Team? = nil",
      "index 'i' can't lead through relation 'team', since it is over what the entity itself holds", column: 12),
    member(
      "@HashIndex<A>(\\Self.$teams) var i; @Relationship var `teams`: [Team]? = nil",
      "index 'i' can't lead through relation 'teams', since it is over what the entity itself holds", column: 15),
    member("@Index<Self> var i", "'@Index' on 'i' needs a key path, like '@Index<Self>(\\.name)'", column: 1),
    member(
      "@Unique<Self>(collisions: .throw) var i", "'@Unique' on 'i' needs a key path, like '@Unique<Self>(\\.name)'",
      column: 1),
    member(
      "@HashIndex<Self>(\\.a, \\.b, \\.c, \\.d, \\.e, \\.f) var i",
      "'@HashIndex' takes up to 4 key paths, and here are 6",
      column: 38),
    member(
      "@FullTextIndex(\\.a) var i",
      "'@FullTextIndex' needs the type that its key paths begin with: '@FullTextIndex<Self>'",
      column: 1, fixed: "@FullTextIndex<Self>(\\.a) var i"),
    member(
      "@Index<Self>(\\.a) private let i", "'i' must be a 'var' to be '@Index'", column: 27,
      fixed: "@Index<Self>(\\.a) private var i"),
    Case(
      source: "@EntityModel struct A { let id: Int\n@Index<Self>(\\.a) private static var i\n}",
      message: "'@Index' needs no static property; 'i' can be a property of each entity, which takes no room", line: 2,
      column: 27, severity: .warning,
      fixed: "@EntityModel struct A { let id: Int\n@Index<Self>(\\.a) private var i\n}"),
  ]

  /// A case of a member in the second line.
  private static func member(_ text: String, _ message: String, column: Int, fixed: String? = nil) -> Case {
    let around = ("@EntityModel struct A { let id: Int\n", "\n}")
    return Case(
      source: around.0 + text + around.1, message: message, line: 2, column: column,
      fixed: fixed.map { around.0 + $0 + around.1 })
  }

  @Test(arguments: heads + relations + others) func diagnostic(_ test: Case) throws {
    let output = EntityModelMacro.expand(
      .init(declaration: test.source, extendedType: "A", context: test.context))
    let diagnostic = try #require(output.diagnostics.first)
    #expect(output.diagnostics.count == 1)
    #expect(diagnostic.message == test.message)
    #expect(diagnostic.severity == test.severity)
    let before = String(decoding: test.source.utf8.prefix(diagnostic.range.lowerBound), as: UTF8.self)
    #expect(before.count { $0 == "\n" } + 1 == test.line)
    #expect((before.split(separator: "\n", omittingEmptySubsequences: false).last?.utf8.count ?? 0) + 1 == test.column)
    #expect(diagnostic.fixes.first.map { applied($0, to: test.source) } == test.fixed)
    #expect((output.expansion != nil) == test.hasExpansion)
  }

  private func applied(_ fix: MacroFix, to source: String) -> String {
    var bytes = Array(source.utf8)
    bytes.replaceSubrange(fix.range, with: fix.text.utf8)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A relation that is wrong is left out, so that the compiler adds no errors about code that nobody wrote.
  @Test func whatIsWrongIsLeftOut() throws {
    let source = "@EntityModel struct A { let id: Int; @Relationship var a: B?; @Index<Self> var i; lazy var l = 1 }"
    let output = EntityModelMacro.expand(.init(declaration: source, extendedType: "A"))
    #expect(output.diagnostics.count == 3)
    #expect(
      try #require(output.expansion).contains("{\n    model.property(\"id\", \\.id)\n    model.readsAsDescribed()\n  }")
    )
  }

  @Test func aStaticIndexIsAnIndex() throws {
    let source = "@EntityModel struct A { let id: Int; @Index<Self>(\\.id) static var i }"
    let output = EntityModelMacro.expand(.init(declaration: source, extendedType: "A"))
    #expect(try #require(output.expansion).contains("model.index(\"i\", \\.id)"))
  }
}
