import Foundation
import GQLiteModels
import Testing

@EntityModel
struct Schema: Codable {
  enum Version: String { case v1 }

  var id: String { "\(Schema.self)" }

  @Relationship
  var v1: V1? = .relation(V1())
}

extension Schema {
  @EntityModel
  struct V1: Codable {
    var version: Version { .v1 }

    var id: String { version.rawValue }

    @Relationship var attachments: [Attachment]? = .none
    @Relationship var chats: [Chat]? = .none
    @Relationship var messages: [Message]? = .none
    @Relationship var users: [User]? = .none

    @Relationship var deletedAttachments: [Deleted<Attachment>]? = .none
    @Relationship var deletedChats: [Deleted<Chat>]? = .none
    @Relationship var deletedMessages: [Deleted<Message>]? = .none
    @Relationship var deletedUsers: [Deleted<User>]? = .none
  }
}

extension Schema.V1 {
  @EntityModel
  struct Attachment: Codable {
    let id: String
    @Relationship(inverse: \.attachment) var message: Message?
  }

  @EntityModel
  struct Message: Codable {
    let id: String
    var text: String
    @Relationship(.required) var author: User?
    @Relationship(inverse: \.messages) var chat: Chat?
    @Relationship(inverse: \.message) var attachment: Attachment?
  }

  @EntityModel
  struct User: Codable {
    let id: String
    var name: String
    @Relationship(inverse: \.users) var chats: [Chat]?
  }

  @EntityModel
  struct Chat: Codable {
    let id: String
    @Relationship(inverse: \.chats) var users: [User]?
    @Relationship(inverse: \.chat) var messages: [Message]?
  }
}

extension Schema {
  static func fullSchemaQuery() -> QueryList<Self> {
    Schema
      .queryAll(
        with: .entities, .schemaEntities, .ids,
      )
  }

  static func fullSchemaQuery(updated: ClosedRange<Date>) -> QueryList<Self> {
    Schema
      .queryAll(
        with: .entities, .schemaEntities, .ids,
      )
      .filter(
        .updated(within: updated),
      )
  }

  static func fullSchemaQueryFragments() -> QueryList<Self> {
    Schema
      .queryAll(
        with: .entities, .schemaFragments, .ids,
      )
  }
}

/// "Schema": versions, and queries of everything.
@Suite struct SchemaTests {
  private typealias User = Schema.V1.User
  private typealias Chat = Schema.V1.Chat

  private func saved() throws -> Context {
    var context = Context()
    let schema = Schema()
    try schema.save(to: &context)
    let user = User(id: "1", name: "Bob")
    let chat = Chat(id: "1", users: .relation([user]))
    try user.save(to: &context)
    try chat.save(to: &context)
    return context
  }

  @Test func bulkQueries() throws {
    var context = try saved()
    try User(id: "2", name: "Gone").save(to: &context)
    try User.delete(id: "2", from: &context)
    let schema = try #require(Schema.fullSchemaQuery().resolve(in: context).first)
    #expect(schema.id == "Schema")
    let version = try #require(schema.v1)
    #expect(version.users?.map(\.name) == ["Bob"] && version.chats?.map(\.id) == ["1"])
    #expect(version.users?.first?.$chats.ids == ["1"] && version.chats?.first?.$users.ids == ["1"])
    #expect(version.deletedUsers?.map(\.entity.name) == ["Gone"] && version.deletedChats?.isEmpty == true)
    #expect(!version.$users.isSlice && !version.$users.isFragment)
    let fragments = Schema.fullSchemaQueryFragments().resolve(in: context)
    #expect(fragments.first?.v1?.$users.isFragment == true)

    var lastSyncDate = Date.distantPast
    #expect(Schema.fullSchemaQuery(updated: lastSyncDate...Date()).resolve(in: context).count == 1)
    lastSyncDate = Date().addingTimeInterval(60)
    #expect(Schema.fullSchemaQuery(updated: lastSyncDate...Date.distantFuture).resolve(in: context).isEmpty)
    let changes = Schema.queryAll(
      with: .entities, .schemaFragments(filter: .updated(within: lastSyncDate...Date.distantFuture)), .ids)
    let changed = try #require(changes.resolve(in: context).first?.v1)
    #expect(changed.$users.isSlice && changed.$users.isFragment && changed.users?.isEmpty == true)
  }

  /// What a schema query gives makes the whole context again.
  @Test func restoring() throws {
    var context = try saved()
    try User(id: "2", name: "Gone").save(to: &context)
    try User.delete(id: "2", from: &context)
    var restored = Context()
    for schema in Schema.fullSchemaQuery().resolve(in: context) { try schema.save(to: &restored) }
    #expect(User.query().resolve(in: restored).map(\.name) == ["Bob"])
    #expect(Chat.query("1").related(\.$users).resolve(in: restored).map(\.id) == ["1"])
    #expect(User.query("1").related(\.$chats).resolve(in: restored).map(\.id) == ["1"])
    #expect(Deleted<User>.query().resolve(in: restored).map(\.entity.name) == ["Gone"])
  }

  /// The same by way of a file.
  @Test func restoringFromJSON() throws {
    var context = try saved()
    let message = Schema.V1.Message(
      id: "1", text: "x", author: .id("1"), chat: .id("1"), attachment: .relation(Schema.V1.Attachment(id: "a")))
    try message.save(to: &context)
    try User(id: "2", name: "Gone").save(to: &context)
    try User.delete(id: "2", from: &context)
    let encoder = JSONEncoder()
    encoder.relationEncodingStrategy = .exact
    let decoder = JSONDecoder()
    decoder.relationDecodingStrategy = .exact
    let data = try encoder.encode(Schema.fullSchemaQuery().resolve(in: context))
    var restored = Context()
    for schema in try decoder.decode([Schema].self, from: data) { try schema.save(to: &restored) }
    #expect(Schema.V1.Message.query("1").related(\.$attachment).resolve(in: restored)?.id == "a")
    #expect(Chat.query("1").related(\.$messages).resolve(in: restored).map(\.text) == ["x"])
    #expect(Schema.V1.Message.query("1").related(\.$author).resolve(in: restored)?.name == "Bob")
    #expect(Deleted<User>.query().resolve(in: restored).map(\.entity.name) == ["Gone"])
  }

  /// Generated and nested names in text.
  @Test func names() throws {
    let context = try saved()
    #expect(try context.query("{ Schema_V1_User { name } }").jsonString == #"{"Schema_V1_User":[{"name":"Bob"}]}"#)
  }

  @Test func metadata() throws {
    let context = try saved()
    let past = Date.distantPast
    #expect(User.filter(.updated(within: past...Date())).resolve(in: context).count == 1)
    #expect(User.filter(.metadata(\.updatedAt, within: past...Date())).resolve(in: context).count == 1)
    #expect(User.filter(.metadata(\.updatedAt, within: past...past)).resolve(in: context).isEmpty)
  }
}
