import GQLBase
import GQLCatalog
import Testing
@testable import GQLBinder
@testable import GQLQuery

@Suite struct IntrospectionSchemaTests {
  private static func schema(_ text: String) -> IntrospectionSchema {
    IntrospectionSchema(SchemaBuildingTests.build(text).output)
  }

  private func text(_ reference: IntrospectionSchema.Reference, _ schema: IntrospectionSchema) -> String {
    switch reference {
    case .named(let number): schema.types[number].name
    case .list(let inner): "[\(text(inner, schema))]"
    case .nonNull(let inner): "\(text(inner, schema))!"
    }
  }

  @Test("fields and arguments have the types of the schema") func types() throws {
    let schema = Self.schema(
      """
      type User { id: ID! email: String @unique tags: [String!] friends: [User] boss: User chats: [Chat!]! home: Home! }
      type Chat { id: ID! title: String }
      type Home { city: String! }
      """)
    let user = schema.types[try #require(schema.numbers["User"])]
    let fields = user.fields.filter { !$0.name.hasPrefix("_") }
    #expect(
      fields.map { "\($0.name): \(text($0.type, schema))" } == [
        "id: ID!", "email: String", "tags: [String!]", "friends: [User!]!", "boss: User", "chats: [Chat!]!",
        "home: Home!",
      ])
    let chats = try #require(fields.first { $0.name == "chats" })
    let arguments = chats.arguments.map { "\($0.name): \(text($0.type, schema))" }
    for argument in [
      "where: ChatFilter", "orderBy: [ChatOrder!]", "limit: Int", "offset: Int", "distinctOn: [ChatField!]",
    ] { #expect(arguments.contains(argument)) }
    #expect(fields.allSatisfy { $0.name == "chats" || $0.name == "friends" || $0.arguments.isEmpty })
    let query = schema.types[schema.queryType]
    #expect(
      query.fields.map { "\($0.name): \(text($0.type, schema))" } == [
        "User: [User!]!", "user: User", "Chat: [Chat!]!", "chat: Chat",
      ])
    #expect(query.fields[1].arguments.map { "\($0.name): \(text($0.type, schema))" } == ["id: ID", "email: String"])
    #expect(query.fields[3].arguments.map { "\($0.name): \(text($0.type, schema))" } == ["id: ID!"])
  }

  @Test("every type that is named is made") func closure() {
    let schema = Self.schema(
      "type A { id: ID! b: B bs: [B!]! e: E es: [E] p: P d: Decimal at: [DateTime!] } type B { id: ID! } "
        + "enum E { X } type P { x: Int q: Q } type Q { at: Date }")
    let scalars = Set(ScalarType.allCases.map(\.rawValue))
    for type in schema.types {
      switch type.kind {
      case .scalar: #expect(scalars.contains(type.name))
      case .object: #expect(!type.fields.isEmpty)
      case .enumeration: #expect(!type.values.isEmpty)
      case .inputObject: #expect(!type.inputs.isEmpty)
      case .interface, .union: #expect(!type.possibleTypes.isEmpty)
      }
    }
    #expect(Set(schema.types.map(\.name)).count == schema.types.count)
    #expect(
      Set(schema.directives.map(\.name)).isSuperset(of: ["skip", "include", "deprecated", "specifiedBy", "oneOf"]))
  }

  @Test("an empty schema has a root") func empty() {
    let schema = IntrospectionSchema(Catalog())
    #expect(schema.types[schema.queryType].fields.count == 1)
  }

  @Test("a name that is taken gets an underscore") func clashes() {
    let catalog = SchemaBuildingTests.build(
      "type User { id: ID! } type UserFilter { id: ID! } type UserList { id: ID! } enum Query_ { A }"
    ).output
    let names = GeneratedNames(catalog)
    #expect(names[.filter(EntityTypeID(0))] == "UserFilter_")
    #expect(names[.filter(EntityTypeID(1))] == "UserFilterFilter")
    #expect(names[.filter(EntityTypeID(2))] == "UserListFilter")
    #expect(names[.relationFilter(EntityTypeID(0))] == "UserListFilter_")
    #expect(names[.query] == "Query")
    #expect(names.types["UserFilter_"] == .filter(EntityTypeID(0)))
    #expect(names.type(written: "UserFilter") == .filter(EntityTypeID(0)))
    #expect(Set(names.types.keys).count == names.types.count)
  }

  @Test(
    "names that GraphQL can write",
    arguments: [
      ("a", true), ("_", true), ("A9_", true), ("", false), ("9a", false), ("a b", false), ("__x", false),
      ("é", false), ("a-b", false),
    ])
  func names(_ name: String, _ isName: Bool) {
    #expect(GraphQLName.isFree(name) == isName)
  }

  @Test("deprecations and descriptions survive printing") func printing() {
    let text = """
      enum E {
        "One."
        A
        B @deprecated(reason: "Old.")
      }

      type P {
        x: Int @deprecated(reason: "No.")
        y: Int
      }

      type A {
        id: ID!
        e: E @deprecated(reason: "Never.")
        p: P
      }
      """
    let catalog = SchemaBuildingTests.build(text).output
    let again = SchemaBuildingTests.build(printSchema(catalog)).output
    #expect(again == catalog)
    #expect(again.types[0].property(named: "e")?.deprecation == "Never.")
    #expect(again.enums[0].notes.map(\.description) == ["One.", nil])
    #expect(again.enums[0].notes.map(\.deprecation) == [nil, "Old."])
    #expect(again.embeddedTypes[0].fields[0].deprecation == "No.")
  }
}
