import Foundation
import GQLiteModels
import Testing

/// SwiftletModel's quick start.
enum QuickStart {
  @EntityModel
  struct Message {
    let id: String
    let text: String

    @Relationship(.required) var author: User?
    @Relationship(inverse: \.messages) var chat: Chat?
  }

  @EntityModel
  struct User {
    let id: String
    var name: String
    var avatar: String?
    var profile: String?
    @Relationship(inverse: \.users) var chats: [Chat]?
  }

  @EntityModel
  struct Chat {
    let id: String
    var hasNewMessages = true
    var updatedAt = Date(timeIntervalSince1970: 0)
    @Relationship(inverse: \.chats) var users: [User]?
    @Relationship(inverse: \.chat) var messages: [Message]?
  }
}

@Suite struct QuickStartTests {
  private typealias User = QuickStart.User
  private typealias Chat = QuickStart.Chat
  private typealias Message = QuickStart.Message

  @Test func quickStart() throws {
    var context = Context()

    let user = User(id: "1", name: "Alice")
    let chat = Chat(id: "1", users: .relation([user]))

    try chat.save(to: &context)

    let message = Message(id: "1", text: "Hello", author: .id("1"), chat: .id("1"))
    try message.save(to: &context)
    let later = Date(timeIntervalSince1970: 1)
    try Chat(id: "2", updatedAt: later).save(to: &context)
    try Chat(id: "3", hasNewMessages: false).save(to: &context)

    let chats =
      Chat
      .query()
      .filter(\.hasNewMessages == true)
      .sorted(by: \.updatedAt.desc)
      .with(\.$users)
      .with(\.$messages) {
        $0.with(\.$author)
      }
      .resolve(in: context)
    #expect(chats.map(\.id) == ["2", "1"])
    let found = try #require(chats.last)
    #expect(found.users?.map(\.name) == ["Alice"])
    #expect(found.messages?.map(\.text) == ["Hello"])
    #expect(found.messages?.first?.author?.name == "Alice")
    #expect(chats.first?.updatedAt == later)
    #expect(chats.first?.messages?.isEmpty == true)
  }

  @Test func partialData() throws {
    var context = Context()
    try User(id: "1", name: "Alice", avatar: "a.png", profile: "heavy").save(to: &context)
    let partialUser = User(id: "1", name: "Bob")  // No avatar, no profile
    try partialUser.save(to: &context, options: .fragment)
    let user = try #require(User.query("1").resolve(in: context))
    #expect(user.name == "Bob" && user.avatar == "a.png" && user.profile == "heavy")
  }
}
