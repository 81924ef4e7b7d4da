import Foundation
import GQLiteModels
import Testing

/// "Model Definitions" and what is done with these models, up to the queries.
enum Definitions {
  @EntityModel
  struct Message {
    let id: String
    let text: String

    @Relationship(.required)
    var author: User?

    @Relationship(.required, inverse: \.messages)
    var chat: Chat?

    @Relationship(inverse: \.message)
    var attachment: Attachment?

    @Relationship(inverse: \.replyTo)
    var replies: [Message]?

    @Relationship(inverse: \.replies)
    var replyTo: Message?

    @Relationship
    var viewedBy: [User]? = nil
  }

  @EntityModel
  struct Attachment {
    let id: String
    @Relationship(inverse: \.attachment) var message: Message?
  }

  @EntityModel
  struct Chat {
    let id: String
    @Relationship(inverse: \.chats) var users: [User]?
    @Relationship(inverse: \.chat) var messages: [Message]?
    @Relationship(inverse: \.adminOf) var admins: [User]?
  }

  @EntityModel
  struct User {
    let id: String
    private(set) var name: String
    private(set) var profile: Profile?

    @Relationship(inverse: \.users)
    var chats: [Chat]?

    @Relationship(inverse: \.admins)
    var adminOf: [Chat]?

    struct Profile: Codable, Equatable { var bio: String }

    init(id: String, name: String, profile: Profile? = nil) {
      self.id = id
      self.name = name
      self.profile = profile
    }
  }
}

@Suite struct ModelDefinitionTests {
  private typealias User = Definitions.User
  private typealias Chat = Definitions.Chat
  private typealias Message = Definitions.Message
  private typealias Attachment = Definitions.Attachment

  private func saved() throws -> Context {
    var context = Context()
    let chat = Chat(
      id: "1",
      users: .relation([
        User(id: "1", name: "Bob"),
        User(id: "2", name: "Alice"),
      ]),
      messages: .relation([
        Message(
          id: "1",
          text: "Any thoughts on SwiftletModel?",
          author: .id("1"),
          attachment: .relation(Attachment(id: "1"))
        ),

        Message(
          id: "2",
          text: "Yes.",
          author: .id("2"),
          replyTo: .id("1")
        ),
      ]),
      admins: .ids(["1"])
    )
    try chat.save(to: &context)
    return context
  }

  @Test func nestedModels() throws {
    let user = try #require(
      User
        .query("1")
        .with(\.$chats) { chat in
          chat.with(\.$messages) { message in
            message.with(\.$replies) { reply in
              reply.with(\.$author)
                .id(\.$replyTo)
            }
            .id(\.$author)
            .id(\.$chat)
          }
          .with(\.$users)
          .id(\.$admins)
        }
        .resolve(in: try saved()))
    #expect(user.name == "Bob" && user.$adminOf.isNone)
    let chat = try #require(user.chats?.first)
    #expect(chat.$admins.ids == ["1"] && chat.users?.map(\.name) == ["Bob", "Alice"])
    let messages = try #require(chat.messages)
    #expect(messages.map(\.text) == ["Any thoughts on SwiftletModel?", "Yes."])
    #expect(messages.map(\.$author.id) == ["1", "2"] && messages.map(\.$chat.id) == ["1", "1"])
    #expect(messages[0].replies?.first?.author?.name == "Alice")
    #expect(messages[0].replies?.first?.$replyTo.id == "1")
    #expect(messages[1].replies?.isEmpty == true && messages[1].$attachment.isNone)
  }

  @Test func bulkNestedModels() throws {
    let context = try saved()
    let user = try #require(User.query("1").with(.entities).resolve(in: context))
    #expect(user.chats?.map(\.id) == ["1"] && user.adminOf?.map(\.id) == ["1"])
    #expect(user.chats?.first?.$messages.isNone == true)

    let deep = try #require(User.query("1").with(.entities, .fragments, .ids).resolve(in: context))
    let chat = try #require(deep.chats?.first)
    #expect(!deep.$chats.isFragment && chat.$messages.isFragment && chat.$users.isFragment)
    #expect(chat.messages?.first?.$author.isId == true)
    #expect(chat.messages?.map(\.$author.id) == ["1", "2"])
    #expect(chat.messages?.first?.$attachment.id == "1")
    #expect(chat.messages?.first?.$replies.ids == ["2"])

    let combined = try #require(
      User
        .query("1")
        .with(\.$chats) { chat in
          chat.with(.entities)
        }
        .resolve(in: context))
    #expect(combined.chats?.first?.users?.map(\.name) == ["Bob", "Alice"])
    #expect(combined.$adminOf.isNone)
  }

  /// Filtered levels are slices, which do not unlink what they leave out when they are saved.
  @Test func bulkSlices() throws {
    var context = try saved()
    let none = MetadataPredicate.updated(within: Date.distantPast...Date.distantPast)
    let chat = try #require(Chat.query("1").with(.fragments(filter: none)).resolve(in: context))
    #expect(chat.$users.isSlice && chat.$users.isFragment && chat.users?.isEmpty == true)
    try chat.save(to: &context)
    #expect(Chat.query("1").related(\.$users).resolve(in: context).count == 2)
  }

  @Test func relatedModels() throws {
    let userChats: [Chat] =
      User
      .query("1")
      .related(\.$chats)
      .resolve(in: try saved())
    #expect(userChats.map(\.id) == ["1"])
  }

  @Test func removingRelations() throws {
    var context = try saved()
    let message = try #require(Message.query("1").resolve(in: context))
    let chat = try #require(Chat.query("1").resolve(in: context))
    chat.detach("2", relation: \.$users, inverse: \.$chats, in: &context)
    #expect(chat.query().related(\.$users).resolve(in: context).map(\.id) == ["1"])
    #expect(User.query("2").related(\.$chats).resolve(in: context).isEmpty)
    let user = try #require(User.query("1").resolve(in: context))
    user.detach(\.$chats, inverse: \.$users, in: &context)
    #expect(chat.query().related(\.$users).resolve(in: context).isEmpty)
    try message.delete(\.$attachment, inverse: \.$message, from: &context)
    #expect(Attachment.query().resolve(in: context).isEmpty)
    #expect(Deleted<Attachment>.query("1").resolve(in: context) != nil)
    try chat.delete("2", "404", relation: \.$messages, inverse: \.$chat, from: &context)
    #expect(Message.query().resolve(in: context).map(\.id) == ["1"])
  }

  @Test func updatedAtWithNested() throws {
    var context = try saved()
    let early = try #require(Chat.query("1").with(.entities, .entities).resolve(in: context))
    try User(id: "2", name: "Alice").save(to: &context)
    let own = try #require(early.updatedAt(in: context))
    let nested = try #require(early.updatedAt(in: context, withNested: true))
    #expect(nested == early.users?.last?.updatedAt(in: context) && nested >= own)
    #expect(early.updatedAt(in: context, withNested: false) == own)
    #expect(Chat(id: "404").updatedAt(in: context, withNested: true) == nil)
  }

  @Test func privateSettersAreKept() throws {
    var context = try saved()
    try User(id: "1", name: "Bob", profile: User.Profile(bio: "x")).save(to: &context)
    try User(id: "1", name: "Rob").save(to: &context, options: .fragment)
    #expect(User.query("1").resolve(in: context)?.profile == User.Profile(bio: "x"))
  }
}
