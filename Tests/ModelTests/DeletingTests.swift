import GQLite
import GQLiteModels
import Testing

@Suite struct DeletingTests {
  private func context() throws -> Context {
    var context = Context()
    try Chat(
      id: "1", users: .relation([User(id: "1", name: "Bob")]),
      messages: .relation([Message(id: "1", text: "swift database", author: .id("1"))])
    ).save(to: &context)
    return context
  }

  @Test func rulesHoldAndDeletedEntitiesAreKept() throws {
    var context = try context()
    try Chat.delete(id: "1", from: &context)
    #expect(Chat.query("1").resolve(in: context) == nil)
    #expect(User.query("1").id(\.$chats).resolve(in: context)?.$chats.ids == [])
    #expect(Message.query().resolve(in: context).isEmpty)
    #expect(Deleted<Message>.query().resolve(in: context).map(\.id) == ["1"])
    #expect(Message.filter(.string(\.text, contains: "swift")).resolve(in: context).isEmpty)
    // Nothing happens if it is not there.
    try Chat.delete(id: "1", from: &context)
    try Chat.delete(id: "9", from: &context)
    #expect(Deleted<Chat>.query("9").resolve(in: context) == nil)
  }

  @Test func restoringBringsBackWhatWentToo() throws {
    var context = try context()
    try Chat.delete(id: "1", from: &context)
    try #require(Deleted<Chat>.query("1").resolve(in: context)).restore(in: &context)
    #expect(Deleted<Chat>.query().resolve(in: context).isEmpty)
    let chat = Chat.query("1").with(\.$messages).id(\.$users).resolve(in: context)
    #expect(chat?.messages?.map(\.text) == ["swift database"])
    #expect(chat?.$users.ids == ["1"])
  }

  @Test func oneWayReferencesDoNotDangle() throws {
    var context = try context()
    try User.delete(id: "1", from: &context)
    #expect(Message.query("1").id(\.$author).resolve(in: context)?.$author.isNone == true)
    // Saving the entity again forgets the deleted one.
    try User(id: "1", name: "New").save(to: &context)
    #expect(Deleted<User>.query("1").resolve(in: context) == nil)
  }

  @Test func asDeletedHasAllIDs() throws {
    let context = try context()
    let deleted = try #require(Chat(id: "1").asDeleted(in: context))
    #expect(deleted.entity.$messages.ids == ["1"])
    #expect(deleted.entity.$users.ids == ["1"])
    #expect(Chat(id: "2").asDeleted(in: context) == nil)
  }

  /// As `asDeleted` gives them, and in another context they come back.
  @Test func deletedEntitiesHaveTheIDsOfTheirRelations() throws {
    var context = try context()
    try User(id: "2", name: "Ann").save(to: &context)
    try Chat(id: "1", users: .appending(ids: ["2"])).save(to: &context)
    let kept = try #require(Chat(id: "1").asDeleted(in: context)).entity
    try Chat.delete(id: "1", from: &context)
    let deleted = try #require(Deleted<Chat>.query("1").resolve(in: context))
    #expect(deleted.entity.$users.ids == ["1", "2"] && deleted.entity.$messages.ids == kept.$messages.ids)
    #expect(kept.$messages.ids == ["1"])
    #expect(Deleted<Chat>.query().resolve(in: context).map(\.entity.$users.ids) == [["1", "2"]])
    #expect(Deleted<Chat>.query("1").with(.ids).resolve(in: context)?.entity.$users.ids == ["1", "2"])
    #expect(Deleted<Chat>.query(["1", "1"]).resolve(in: context).map(\.entity.$users.ids?.count) == [2, 2])
    // What went with it has its ids, too.
    #expect(Deleted<Message>.query("1").resolve(in: context)?.entity.$author.id == "1")
    var other = Context()
    for user in User.query().resolve(in: context) { try user.save(to: &other) }
    for message in Deleted<Message>.query().resolve(in: context) { try message.save(to: &other) }
    try deleted.save(to: &other)
    try #require(Deleted<Chat>.query("1").resolve(in: other)).restore(in: &other)
    #expect(Chat.query("1").with(.ids).resolve(in: other)?.$users.ids == ["1", "2"])
    var third = Context()
    for user in User.query().resolve(in: context) { try user.save(to: &third) }
    try deleted.restore(in: &third)
    #expect(User.query("2").with(.ids).resolve(in: third)?.$chats.ids == ["1"])
  }

  /// What was deleted before was not linked any more; what is gone for good has no id.
  @Test func idsOfDeletedEntitiesAreThoseOfTheirDeletion() throws {
    var context = Context()
    for id in 1...4 { try User(id: "\(id)", name: "").save(to: &context) }
    try Chat(id: "1", users: .ids(["1", "2", "3", "4"])).save(to: &context)
    try User.delete(id: "2", from: &context)
    try Chat.delete(id: "1", from: &context)
    #expect(Deleted<Chat>.query("1").resolve(in: context)?.entity.$users.ids == ["1", "3", "4"])
    try User.delete(id: "3", from: &context)
    #expect(Deleted<Chat>.query("1").resolve(in: context)?.entity.$users.ids == ["1", "3", "4"])
    try Deleted<User>.query("3").resolve(in: context)?.delete(from: &context)
    #expect(Deleted<Chat>.query("1").resolve(in: context)?.entity.$users.ids == ["1", "4"])
  }

  @Test func detachingAndDeletingRelations() throws {
    var context = try context()
    Chat(id: "1").detach(\.$users, inverse: \.$chats, in: &context)
    #expect(Chat.query("1").related(\.$users).resolve(in: context).isEmpty)
    #expect(User.query("1").resolve(in: context) != nil)
    try Chat(id: "1").delete(\.$messages, inverse: \.$chat, from: &context)
    #expect(Message.query("1").resolve(in: context) == nil)
  }

  @Test func savingADeletedEntityDeletesIt() throws {
    var context = try context()
    let deleted = try #require(User(id: "1", name: "").asDeleted(in: context))
    try deleted.save(to: &context)
    #expect(User.query("1").resolve(in: context) == nil)
    #expect(Deleted<User>.query("1").resolve(in: context)?.entity.name == "Bob")
    try deleted.delete(from: &context)
    #expect(Deleted<User>.query("1").resolve(in: context) == nil)
  }

  /// Links to deleted entities come back with these, but for those that were taken away.
  @Test func detachingWhatIsDeleted() throws {
    func users(_ detach: (Chat, inout Context) throws -> Void) throws -> [[String]?] {
      var context = Context()
      try Chat(
        id: "1", users: .relation(["1", "2", "3", "4"].map { User(id: $0, name: "") }), admins: .ids(["2", "3"])
      ).save(to: &context)
      for id in ["2", "3"] { try User.delete(id: id, from: &context) }
      try detach(Chat(id: "1"), &context)
      #expect(Database(context).check().isEmpty)
      for id in ["3", "2"] {
        try #require(Deleted<User>.query(id).resolve(in: context)).restore(in: &context)
      }
      #expect(Database(context).check().isEmpty)
      let chat = Chat.query("1").id(\.$users).id(\.$admins).resolve(in: context)
      let other = User.query("2").id(\.$chats).resolve(in: context)
      return [chat?.$users.ids, chat?.$admins.ids, other?.$chats.ids]
    }
    #expect(try users { _, _ in } == [["1", "2", "3", "4"], ["2", "3"], ["1"]])
    #expect(try users { chat, context in chat.detach(\.$users, in: &context) } == [[], ["2", "3"], []])
    #expect(
      try users { chat, context in chat.detach(["1", "2"], relation: \.$users, in: &context) }
        == [["3", "4"], ["2", "3"], []])
    #expect(try users { chat, context in chat.detach("3", relation: \.$admins, in: &context) }[1] == ["2"])
    // As in text, what is set are those that are there.
    #expect(try users { try Chat(id: $0.id, users: .ids(["4", "1"])).save(to: &$1) }[0] == ["4", "2", "3", "1"])
  }
}
