import GQLiteModels
import Testing

/// "Relationship Types" and "Establishing Relations".
enum Relating {
  @EntityModel
  struct Message {
    let id: String
    let text: String

    // Optional, one way and mutual.
    @Relationship
    var user: User? = nil

    @Relationship(inverse: \.message)
    var attachment: Attachment?

    // Required, one way and mutual.
    @Relationship(.required)
    var author: User?

    @Relationship(.required, inverse: \.messages)
    var chat: Chat?

    // To many, one way and mutual.
    @Relationship
    var viewedBy: [User]? = nil

    @Relationship(inverse: \.replyTo)
    var replies: [Message]?

    @Relationship(inverse: \.replies)
    var replyTo: Message?
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
  }

  @EntityModel
  struct User {
    let id: String
    var name = ""
    @Relationship(inverse: \.users) var chats: [Chat]?

    func leaveAll(in context: inout Context) {
      /**
      We can detach entities. This will only destroy the relation between them while keeping entities in storage.
      */
      detach(\.$chats, inverse: \.$users, in: &context)
    }
  }
}

extension Relating.Message {
  func dropAttachment(in context: inout Context) throws {
    try delete(\.$attachment, inverse: \.$message, from: &context)
  }
}

@Suite struct RelationDocumentTests {
  private typealias Message = Relating.Message
  private typealias Attachment = Relating.Attachment
  private typealias Chat = Relating.Chat
  private typealias User = Relating.User

  private func saved() throws -> Context {
    var context = Context()
    try Chat(id: "1", users: .relation([User(id: "1", name: "Bob"), User(id: "2", name: "Alice")]))
      .save(to: &context)
    try Message(
      id: "1", text: "Any thoughts on SwiftletModel?", attachment: .relation(Attachment(id: "a")), author: .id("1"),
      chat: .id("1")
    ).save(to: &context)
    return context
  }

  private func attachment(_ context: Context) -> Attachment? {
    Message.query("1").related(\.$attachment).resolve(in: context)
  }

  private func messages(_ context: Context) -> [String] {
    Chat.query("1").related(\.$messages).resolve(in: context).map(\.id)
  }

  /// Each property has the kind of relation that its declaration says.
  @Test func kinds() {
    let message = Message(id: "1", text: "")
    let user: Relation<User, Relations.OneWay, Relations.ToOne, Relations.Optional> = message.$user
    let attachment: Relation<Attachment, Relations.Mutual, Relations.ToOne, Relations.Optional> = message.$attachment
    let author: Relation<User, Relations.OneWay, Relations.ToOne, Relations.Required> = message.$author
    let chat: Relation<Chat, Relations.Mutual, Relations.ToOne, Relations.Required> = message.$chat
    let viewedBy: Relation<User, Relations.OneWay, Relations.ToMany, Relations.Required> = message.$viewedBy
    let replies: Relation<Message, Relations.Mutual, Relations.ToMany, Relations.Required> = message.$replies
    #expect(user.isNone && attachment.isNone && author.isNone && chat.isNone && viewedBy.isNone && replies.isNone)
    #expect(message.user == nil && message.viewedBy?.isEmpty == true)
  }

  @Test func explicitNull() throws {
    var context = try saved()
    #expect(attachment(context)?.id == "a")
    let message = Message(
      id: "1",
      text: "Any thoughts on SwiftletModel?",
      attachment: .null,
      author: .id("1")
    )
    try message.save(to: &context)
    #expect(attachment(context) == nil)
    #expect(Attachment.query("a").related(\.$message).resolve(in: context) == nil)
    #expect(Attachment.query("a").resolve(in: context) != nil)
  }

  @Test func toOne() throws {
    var context = try saved()
    let user = User(id: "3", name: "Tom")
    func author() -> String? { Message.query("2").related(\.$author).resolve(in: context)?.name }

    var message = Message(
      id: "2",
      text: "Howdy!"
    )

    message.$author = .relation(user)
    try message.save(to: &context)
    #expect(author() == "Tom")

    message.$author = .id("9")
    try message.save(to: &context)
    #expect(author() == nil)
    // Entities that come later are connected.
    try User(id: "9", name: "Late").save(to: &context)
    #expect(author() == "Late")

    message.$author = .id(user.id)
    try message.save(to: &context)
    try user.save(to: &context)
    #expect(author() == "Tom")

    message.$attachment = .relation(Attachment(id: "b"))
    try message.save(to: &context)
    message.$attachment = .none
    try message.save(to: &context)
    #expect(Message.query("2").related(\.$attachment).resolve(in: context)?.id == "b")
    message.$attachment = .null
    try message.save(to: &context)
    #expect(Message.query("2").related(\.$attachment).resolve(in: context) == nil)
    #expect(Attachment.query("b").resolve(in: context) != nil)
  }

  @Test func toMany() throws {
    var context = try saved()
    var chat = Chat(id: "1")
    let message = Message(id: "2", text: "Howdy!")
    chat.$messages = .relation([message])
    try chat.save(to: &context)
    #expect(messages(context) == ["2"])
    #expect(Message.query("1").related(\.$chat).resolve(in: context) == nil)

    let third = Message(id: "3", text: "Hi")
    chat.$messages = .ids([third.id])
    try chat.save(to: &context)
    #expect(messages(context).isEmpty)
    try third.save(to: &context)
    #expect(messages(context) == ["3"])
    #expect(Message.query("3").related(\.$chat).resolve(in: context)?.id == "1")
  }

  @Test func appending() throws {
    var context = try saved()
    var chat = Chat(id: "1")
    let message = Message(id: "2", text: "Howdy!")
    chat.$messages = .appending(relation: [message])
    try chat.save(to: &context)
    #expect(messages(context) == ["1", "2"])

    let third = Message(id: "3", text: "Hi")
    chat.$messages = .appending(ids: [third.id])
    try chat.save(to: &context)
    try third.save(to: &context)
    #expect(messages(context) == ["1", "2", "3"])
    // What is there stays once, in its place.
    try chat.save(to: &context)
    chat.$messages = .appending(ids: ["2"])
    try chat.save(to: &context)
    #expect(messages(context) == ["1", "2", "3"])
  }

  @Test func removing() throws {
    var context = try saved()
    let user = User(id: "1")
    user.leaveAll(in: &context)
    #expect(User.query("1").related(\.$chats).resolve(in: context).isEmpty)
    #expect(Chat.query("1").related(\.$users).resolve(in: context).map(\.id) == ["2"])
    #expect(User.query("1").resolve(in: context)?.name == "Bob")

    var message = Message(id: "1", text: "Any thoughts on SwiftletModel?")
    try message.dropAttachment(in: &context)
    #expect(attachment(context) == nil && Attachment.query("a").resolve(in: context) == nil)
    #expect(Message.query("1").resolve(in: context) != nil)

    try Attachment(id: "c", message: .id("1")).save(to: &context)
    #expect(attachment(context)?.id == "c")
    message.$attachment = .null
    try message.save(to: &context)
    #expect(attachment(context) == nil && Attachment.query("c").resolve(in: context) != nil)
  }
}
