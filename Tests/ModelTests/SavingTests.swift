import Foundation
import GQLiteModels
import Testing

@Suite struct SavingTests {
  /// The example of a chat: entities are normalised, and links lead both ways.
  func chat() throws -> Context {
    var context = Context()
    let chat = Chat(
      id: "1",
      users: .relation([User(id: "1", name: "Bob", age: 30), User(id: "2", name: "Alice", age: 20)]),
      messages: .relation([
        Message(id: "1", text: "Any thoughts?", author: .id("1")),
        Message(id: "2", text: "Yes.", author: .id("2"), replyTo: .id("1")),
      ]),
      admins: .ids(["1"]))
    try chat.save(to: &context)
    return context
  }

  @Test func graphsAreNormalised() throws {
    let context = try chat()
    #expect(context.ids(User.self) == ["1", "2"])
    #expect(context.ids(Message.self) == ["1", "2"])
    let user = try #require(
      User.query("1")
        .with(\.$chats) { chat in
          chat.with(\.$messages) { message in
            message.with(\.$replies) { reply in reply.with(\.$author).id(\.$replyTo) }.id(\.$author).id(\.$chat)
          }
          .with(\.$users)
          .id(\.$admins)
        }
        .resolve(in: context))
    let chat = try #require(user.chats?.first)
    #expect(chat.users?.map(\.name) == ["Bob", "Alice"])
    #expect(chat.$admins.ids == ["1"])
    #expect(chat.admins?.isEmpty == true)
    let messages = try #require(chat.messages)
    #expect(messages.map(\.text) == ["Any thoughts?", "Yes."])
    #expect(messages.map(\.$author.id) == ["1", "2"])
    #expect(messages[0].replies?.map(\.id) == ["2"])
    #expect(messages[0].replies?.first?.author?.name == "Alice")
    #expect(messages[0].replies?.first?.$replyTo.id == "1")
    #expect(messages[1].replies?.isEmpty == true)
    // What was not asked for is not known.
    #expect(messages[0].$viewedBy.isNone)
  }

  @Test func relationsReplaceAppendKeepAndClear() throws {
    var context = try chat()
    func users() -> [String]? { Chat.query("1").id(\.$users).resolve(in: context)?.$users.ids }
    func chats(_ id: String) -> [String]? { User.query(id).id(\.$chats).resolve(in: context)?.$chats.ids }
    var chat = Chat(id: "1")
    try chat.save(to: &context)
    #expect(users() == ["1", "2"])
    chat.$users = .appending(relation: [User(id: "3", name: "Tom"), User(id: "1", name: "Bob")])
    try chat.save(to: &context)
    #expect(users() == ["1", "2", "3"])
    #expect(chats("3") == ["1"])
    chat.$users = .ids(["3", "2"])
    try chat.save(to: &context)
    #expect(users() == ["3", "2"])
    #expect(chats("1") == [])
    var message = Message(id: "2", text: "Yes.", replyTo: .null)
    try message.save(to: &context)
    #expect(Message.query("1").id(\.$replies).resolve(in: context)?.$replies.ids == [])
    #expect(Message.query("2").related(\.$author).resolve(in: context)?.name == "Alice")
    message.$replyTo = .none
    #expect(message.$replyTo.isNone)
  }

  @Test func idsConnectWhenTheirEntityIsSaved() throws {
    var context = Context()
    try Chat(id: "1", users: .ids(["7", "8"])).save(to: &context)
    try User(id: "8", name: "Eight").save(to: &context)
    #expect(Chat.query("1").related(\.$users).resolve(in: context).map(\.id) == ["8"])
    // A replacement forgets what was awaited.
    try Chat(id: "1", users: .ids(["8"])).save(to: &context)
    try User(id: "7", name: "Seven").save(to: &context)
    #expect(Chat.query("1").related(\.$users).resolve(in: context).map(\.id) == ["8"])
  }

  @Test func valuesComeBackAsTheyWere() throws {
    var context = Context()
    let id = UUID()
    let attachment = Attachment(
      id: id, kind: .file, size: nil, tags: ["a", "a rather long tag, longer than twelve bytes"],
      place: Attachment.Place(x: 1, y: 2), anything: Attachment.Opaque(value: 7))
    try attachment.save(to: &context)
    let copy = context
    var other = attachment
    other.anything = Attachment.Opaque(value: 8)
    other.kind = .image
    other.size = 9
    other.place = nil
    try other.save(to: &context)
    let found = try #require(Attachment.query(id).resolve(in: copy))
    #expect(found.kind == .file && found.size == nil && found.tags == attachment.tags)
    #expect(found.place == attachment.place && found.anything == attachment.anything)
    let changed = try #require(Attachment.query(id).resolve(in: context))
    #expect(changed.kind == .image && changed.size == 9 && changed.place == nil && changed.anything.value == 8)
    #expect(Attachment.filter(\.kind == .image).resolve(in: context).count == 1)
    #expect(Attachment.filter(\.kind == .image).resolve(in: copy).isEmpty)
    // What has no column is looked at in Swift.
    #expect(Attachment.filter(\.anything == Attachment.Opaque(value: 8)).resolve(in: context).count == 1)
    #expect(Attachment.filter(\.size == nil).resolve(in: copy).count == 1)
  }

  @Test func fragmentsKeepWhatIsKnown() throws {
    var context = Context()
    try User(id: "1", name: "Bob", profile: "heavy").save(to: &context)
    try User(id: "1", name: "Robert").save(to: &context, options: .fragment)
    #expect(User.query("1").resolve(in: context)?.profile == "heavy")
    #expect(User.query("1").resolve(in: context)?.name == "Robert")
    try User(id: "1", name: "Bob").save(to: &context)
    #expect(User.query("1").resolve(in: context)?.profile == nil)
    // Nested fragments are patched too, and within one save the later one joins the earlier.
    try User(id: "1", name: "Bob", profile: "x").save(to: &context)
    try Chat(id: "1", users: .fragment([User(id: "1", name: "B"), User(id: "2", name: "A", profile: "y")]))
      .save(to: &context)
    try Chat(id: "2", users: .fragment([User(id: "3", name: "C", profile: "z"), User(id: "3", name: "D")]))
      .save(to: &context)
    #expect(User.query(["1", "2", "3"]).resolve(in: context).map(\.profile) == ["x", "y", "z"])
    #expect(User.query("3").resolve(in: context)?.name == "D")
  }

  /// Indexes take the merged value.
  @Test func lastWriteWins() throws {
    var context = Context()
    let strategy = MergeStrategy<Account>.lastWriteWins(.replace, comparedBy: \.modified)
    let new = Account(id: 1, email: "a", login: "a", age: 50, modified: Date(timeIntervalSince1970: 10))
    try new.save(to: &context, options: strategy)
    let old = Account(id: 1, email: "b", login: "b", age: 10, modified: Date(timeIntervalSince1970: 5))
    try old.save(to: &context, options: strategy)
    #expect(Account.query(1).resolve(in: context)?.age == 50)
    #expect(Account.filter(\.age == 50).resolve(in: context).map(\.id) == [1])
    #expect(Account.filter(\.age == 10).resolve(in: context).isEmpty)
    // A tie goes to the old one.
    try Account(id: 1, email: "c", login: "c", age: 1, modified: new.modified).save(to: &context, options: strategy)
    #expect(Account.query(1).resolve(in: context)?.email == "a")
  }

  @Test func copiesAreIndependent() throws {
    var first = Context()
    try Account(id: 1, email: "a", login: "a", age: 10).save(to: &first)
    var second = first
    try Account(id: 1, email: "a", login: "a", age: 99).save(to: &second)
    #expect(Account.filter(\.age == 10).resolve(in: first).map(\.age) == [10])
    #expect(Account.filter(\.age == 99).resolve(in: first).isEmpty)
    #expect(Account.filter(\.age > 50).resolve(in: second).map(\.age) == [99])
  }

  /// A mutual relation from the other side leaves no stale link.
  @Test func takingAnEntityLeavesTheOldOwner() throws {
    var context = Context()
    try Chat(id: "a", messages: .relation([Message(id: "1", text: "x")])).save(to: &context)
    try Chat(id: "b", messages: .ids(["1"])).save(to: &context)
    #expect(Chat.query("a").related(\.$messages).resolve(in: context).isEmpty)
    #expect(Message.query("1").related(\.$chat).resolve(in: context)?.id == "b")
  }
}
