import GQLModelMacroExpansion
import Testing

/// Whole expansions, written by hand.
@Suite struct ExpansionTests {
  @Test func aModelWithEverything() {
    let source = #"""
      // A person.
      @EntityModel
      public struct User {
        @Index<Self>(\.age) private var ageIndex
        @HashIndex<Self>(\.region, \.department) private var regionIndex
        @Unique<Self>(\.email, collisions: .throw) private var uniqueEmail
        @FullTextIndex<Self>(\.name, \.bio, \.email, \.region, \.department) private var textIndex

        public let id: String
        public var name: String
        var age: Int = 18
        var region, department: String
        var email: String // where letters go
        /* what they say */
        var bio: String?
        let kind = "person"
        var title: String { "\(name), \(age)" }

        @Relationship(.required, deleteRule: .cascade)
        var profile: Profile?

        @Relationship(inverse: \.users)
        var chats: [Chat]?

        @Relationship
        var viewedBy: [User]? = nil

        func greet() -> String { let id = 1; return "Hello \(id)" }
      }
      """#
    let expected = #"""
      extension User: GQLiteModels.EntityModelProtocol {
        public static func describe(_ model: inout GQLiteModels.EntityDescription<Self>) {
          model.index("ageIndex", \.age)
          model.hashIndex("regionIndex", \.region, \.department)
          model.unique("uniqueEmail", \.email, collisions: .throw)
          model.fullTextIndex("textIndex", \.name, \.bio, \.email, \.region, \.department)
          model.property("id", \.id)
          model.property("name", \.name)
          model.property("age", \.age)
          model.property("region", \.region)
          model.property("department", \.department)
          model.property("email", \.email)
          model.property("bio", \.bio)
          model.property("kind", \.kind)
          model.relation("profile", \.profile, \.$profile, deleteRule: .cascade)
          model.relation("chats", \.chats, \.$chats, inverse: \.$users, "users", deleteRule: .nullify)
          model.relation("viewedBy", \.viewedBy, \.$viewedBy, deleteRule: .nullify)
          model.readsAsDescribed()
        }
        public init(from row: inout GQLiteModels.EntityReader<Self>) throws {
          self.id = try row.read("id")
          self.name = try row.read("name")
          self.age = try row.read("age")
          self.region = try row.read("region")
          self.department = try row.read("department")
          self.email = try row.read("email")
          self.bio = try row.read("bio")
          row._skip()
        }
        public func write(to row: inout GQLiteModels.EntityWriter<Self>) throws {
          try row.write(self.id, as: "id")
          try row.write(self.name, as: "name")
          try row.write(self.age, as: "age")
          try row.write(self.region, as: "region")
          try row.write(self.department, as: "department")
          try row.write(self.email, as: "email")
          try row.write(self.bio, as: "bio")
          try row.write(self.kind, as: "kind")
        }
        public static var patch: GQLiteModels.MergeStrategy<Self> {
          GQLiteModels.MergeStrategy(.patch(\.bio))
        }
      }
      """#
    expect(source, extendedType: "User", expands: expected)
  }

  @Test func conditionsAreRepeated() {
    let source = """
      @EntityModel struct Log {
        let id: Int
        #if DEBUG && !os(Linux) // only here
        var trace: String?
        #elseif TESTING
        #else
        @Relationship var author: User? = .relation(User(id: 1))
        #endif
        #if NEVER
        func f() {}
        #endif
        var text: String?
      }
      """
    let expected = #"""
      extension Log: GQLiteModels.EntityModelProtocol {
        static func describe(_ model: inout GQLiteModels.EntityDescription<Self>) {
          model.property("id", \.id)
          #if DEBUG && !os(Linux)
          model.property("trace", \.trace)
          #elseif TESTING
          #else
          model.relation("author", \.author, \.$author, deleteRule: .nullify)
          #endif
          model.property("text", \.text)
          model.readsAsDescribed()
        }
        init(from row: inout GQLiteModels.EntityReader<Self>) throws {
          self.id = try row.read("id")
          #if DEBUG && !os(Linux)
          self.trace = try row.read("trace")
          #elseif TESTING
          #else
          #endif
          self.text = try row.read("text")
          #if DEBUG && !os(Linux)
          #elseif TESTING
          #else
          self.$author = .none
          #endif
        }
        func write(to row: inout GQLiteModels.EntityWriter<Self>) throws {
          try row.write(self.id, as: "id")
          #if DEBUG && !os(Linux)
          try row.write(self.trace, as: "trace")
          #elseif TESTING
          #else
          #endif
          try row.write(self.text, as: "text")
        }
        static var patch: GQLiteModels.MergeStrategy<Self> {
          var strategy = GQLiteModels.MergeStrategy<Self>()
          strategy = GQLiteModels.MergeStrategy(strategy)
          #if DEBUG && !os(Linux)
          strategy = GQLiteModels.MergeStrategy(strategy, .patch(\.trace))
          #elseif TESTING
          #else
          #endif
          strategy = GQLiteModels.MergeStrategy(strategy, .patch(\.text))
          return strategy
        }
      }
      """#
    expect(source, extendedType: "Log", expands: expected)
  }

  @Test func computedIDsAreDescribedAndNotRead() {
    let source = """
      @EntityModel
      struct V1: Codable {
          var version: Version { .v1 }

          var id: String { version.rawValue }

          @Relationship var users: [User]? = .none
          @Relationship var deletedUsers: [Deleted<User>]? = .none
      }
      """
    let expected = #"""
      extension Schema.V1: GQLiteModels.EntityModelProtocol {
        static func describe(_ model: inout GQLiteModels.EntityDescription<Self>) {
          model.property("id", \.id)
          model.relation("users", \.users, \.$users, deleteRule: .nullify)
          model.relation("deletedUsers", \.deletedUsers, \.$deletedUsers, deleteRule: .nullify)
          model.readsAsDescribed()
        }
        init(from row: inout GQLiteModels.EntityReader<Self>) throws {
          row._skip()
        }
        func write(to row: inout GQLiteModels.EntityWriter<Self>) throws {
          try row.write(self.id, as: "id")
        }
        static var patch: GQLiteModels.MergeStrategy<Self> {
          GQLiteModels.MergeStrategy()
        }
      }
      """#
    expect(source, extendedType: "Schema.V1", expands: expected)
  }

  @Test func availabilityAndDeprecationCarryOver() {
    let source = """
      @available(macOS 15, *) @EntityModel
      package struct Old {
        let id: String
        @available(*, deprecated, message: "use b") var a: Int?
        var b: Int
      }
      """
    let expected = #"""
      @available(macOS 15, *)
      extension Old: GQLiteModels.EntityModelProtocol {
        @available(*, deprecated)
        package static func describe(_ model: inout GQLiteModels.EntityDescription<Self>) {
          model.property("id", \.id)
          model.property("a", \.a)
          model.property("b", \.b)
          model.readsAsDescribed()
        }
        @available(*, deprecated)
        package init(from row: inout GQLiteModels.EntityReader<Self>) throws {
          self.id = try row.read("id")
          self.a = try row.read("a")
          self.b = try row.read("b")
        }
        @available(*, deprecated)
        package func write(to row: inout GQLiteModels.EntityWriter<Self>) throws {
          try row.write(self.id, as: "id")
          try row.write(self.a, as: "a")
          try row.write(self.b, as: "b")
        }
        @available(*, deprecated)
        package static var patch: GQLiteModels.MergeStrategy<Self> {
          GQLiteModels.MergeStrategy(.patch(\.a))
        }
      }
      """#
    expect(source, extendedType: "Old", expands: expected)
  }

  @Test func aTypeThatConformsElsewhereAndHasAPatch() {
    let source = """
      @EntityModel struct User: EntityModelProtocol {
        let id: Int
        var name: String?
        static var patch: MergeStrategy<Self> { .replace }
      }
      """
    let output = EntityModelMacro.expand(.init(declaration: source, extendedType: "User", conforms: false))
    #expect(
      output.expansion == #"""
        extension User {
          static func describe(_ model: inout GQLiteModels.EntityDescription<Self>) {
            model.property("id", \.id)
            model.property("name", \.name)
            model.readsAsDescribed()
          }
          init(from row: inout GQLiteModels.EntityReader<Self>) throws {
            self.id = try row.read("id")
            self.name = try row.read("name")
          }
          func write(to row: inout GQLiteModels.EntityWriter<Self>) throws {
            try row.write(self.id, as: "id")
            try row.write(self.name, as: "name")
          }
        }
        """#)
  }

  @Test(arguments: [
    ("struct A { let id: Int }", [], ""),
    ("public struct A { let id: Int }", [], "public "),
    ("@frozen public struct A { let id: Int }", ["enum B {}"], "public "),
    ("package struct A { let id: Int }", [], "package "),
    ("internal struct A { let id: Int }", ["public extension B {}"], ""),
    ("fileprivate struct A { let id: Int }", ["public extension B {}"], ""),
    ("private struct A { let id: Int }", [], ""),
    ("struct A { let id: Int }", ["\n/// Doc\npublic extension B.C where T: D {}"], "public "),
    ("struct A { let id: Int }", ["@MainActor package extension B {}"], "package "),
    ("struct A { let id: Int }", ["public struct B {}", "public extension C {}"], ""),
    ("struct A { let id: Int }", ["private enum B {}"], "fileprivate "),
    ("public struct A { let id: Int }", ["enum B {}", "@MainActor fileprivate struct C {}"], "fileprivate "),
    ("struct A { let id: Int }", ["not Swift at all"], ""),
  ])
  func access(_ declaration: String, _ context: [String], _ access: String) {
    let output = EntityModelMacro.expand(
      .init(declaration: "@EntityModel " + declaration, extendedType: "A", context: context))
    #expect(output.diagnostics.isEmpty)
    let heads = (output.expansion ?? "").split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
    #expect(heads.count { $0.hasSuffix("{") } == 4)
    for head in heads where head.hasSuffix("{") {
      let words = ["static func describe", "init(from", "func write(to", "static var patch"]
      #expect(words.contains { head.hasPrefix("  " + access + $0) }, "\(head)")
    }
  }

  private func expect(_ source: String, extendedType: String, expands expected: String) {
    let output = EntityModelMacro.expand(.init(declaration: source, extendedType: extendedType))
    #expect(output.diagnostics.isEmpty)
    let lines = (output.expansion ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = expected.split(separator: "\n", omittingEmptySubsequences: false)
    for (line, want) in zip(lines, wanted) where line != want {
      Issue.record("\(line) should be \(want)")
    }
    #expect(lines.count == wanted.count)
  }
}
