import GQLBase
import GQLCatalog

@testable import GQLStore

/// Users, messages, chats and passports, with relations of every shape.
struct SocialFixture {
  let user: EntityTypeID
  let message: EntityTypeID
  let chat: EntityTypeID
  let passport: EntityTypeID

  let userID: IndexID
  let byEmail: IndexID
  let byNameFolded: IndexID
  let byCity: IndexID
  let byAge: IndexID
  let byBalance: IndexID
  let byCityAndAge: IndexID
  let byCreated: IndexID

  /// User.messages ↔ Message.author: to-many, to-one; the user's messages are nullified.
  let messages: RelationID
  let author: RelationID
  /// Chat.posts ↔ Message.chat (required): deleting a chat deletes its messages.
  let posts: RelationID
  let chatOfMessage: RelationID
  /// Chat.members ↔ User.chats; a user with chats cannot be deleted.
  let members: RelationID
  let chats: RelationID
  /// User.passport ↔ Passport.owner: one to one; both are deleted together.
  let passportOfUser: RelationID
  let owner: RelationID
  /// Message.replies ↔ Message.parent: a tree; replies go with the message.
  let replies: RelationID
  let parent: RelationID
  let friends: RelationID
  let spouse: RelationID

  let empty: Snapshot

  init() {
    var builder = CatalogBuilder()
    user = builder.type(
      "User",
      [
        ("id", .text, .id), ("name", .text, .string), ("nameFolded", .text, .string), ("email", .text, .string),
        ("city", .text, .string), ("age", .int64, .int), ("balance", .decimal, .decimal),
        ("tags", .wideList, .list(.string)), ("active", .byte, .boolean), ("messages", .references, .int),
        ("chats", .references, .int), ("passport", .reference, .int), ("friends", .references, .int),
        ("spouse", .reference, .int), ("_createdAt", .int64, .scalar(.dateTime)),
        ("_updatedAt", .int64, .scalar(.dateTime)),
      ])
    message = builder.type(
      "Message",
      [
        ("id", .int64, .int), ("text", .text, .string), ("created", .int64, .int), ("author", .reference, .int),
        ("chat", .reference, .int), ("replies", .references, .int), ("parent", .reference, .int),
      ])
    chat = builder.type("Chat", [("id", .int64, .int), ("posts", .references, .int), ("members", .references, .int)])
    passport = builder.type("Passport", [("id", .int64, .int), ("owner", .reference, .int)])

    builder.catalog[user].createdColumn = ColumnID(14)
    builder.catalog[user].updatedColumn = ColumnID(15)
    builder.catalog[user].columns[0].isNonNull = true

    userID = builder.index(user, .hash, [0], unique: true, primary: true)
    byEmail = builder.index(user, .hash, [3], unique: true)
    byNameFolded = builder.index(user, .hash, [2])
    byCity = builder.index(user, .hash, [4])
    byAge = builder.index(user, .btree, [5])
    byBalance = builder.index(user, .hash, [6])
    byCityAndAge = builder.index(user, .hash, [4, 5])
    builder.index(message, .hash, [0], unique: true, primary: true)
    byCreated = builder.index(message, .btree, [2])
    builder.index(chat, .hash, [0], unique: true, primary: true)
    builder.index(passport, .hash, [0], unique: true, primary: true)
    // Their proof is ``Snapshot/check(fold:)``.
    builder.index(user, .trigram, [3, 4])
    builder.index(message, .trigram, [1])
    builder.index(user, .elements, [7])

    func end(
      _ type: EntityTypeID, _ column: Int, many: Bool = true, required: Bool = false,
      _ rule: Relation.DeleteRule = .nullify
    ) -> RelationEnd {
      RelationEnd(type: type, column: column, isToMany: many, isRequired: required, onDelete: rule)
    }
    func inverse(_ id: RelationID) -> RelationID { RelationID(Int(id.index) + 1) }
    messages = builder.relation(end(user, 9), end(message, 3, many: false))
    author = inverse(messages)
    posts = builder.relation(end(chat, 1, .cascade), end(message, 4, many: false, required: true))
    chatOfMessage = inverse(posts)
    members = builder.relation(end(chat, 2), end(user, 10, .deny))
    chats = inverse(members)
    passportOfUser = builder.relation(
      end(user, 11, many: false, .cascade), end(passport, 1, many: false, .cascade))
    owner = inverse(passportOfUser)
    replies = builder.relation(end(message, 5, .cascade), end(message, 6, many: false))
    parent = inverse(replies)
    friends = builder.symmetric(end(user, 12))
    spouse = builder.symmetric(end(user, 13, many: false))
    empty = Snapshot.empty(builder.catalog)
  }

  func insertUser(
    _ transaction: WriteTransaction, _ id: String, name: String? = nil, email: String? = nil, city: String? = nil,
    age: Int64? = nil, balance: TestValue = .null, tags: TestValue = .null
  ) throws(StoreProblem) -> UInt32 {
    func text(_ text: String?) -> TestValue { text.map { .text($0) } ?? .null }
    return try transaction.insert(
      user,
      [
        .text(id), text(name), .null, text(email), text(city), age.map { .int($0) } ?? .null, balance, tags,
        .bool(true), .null, .null, .null, .null, .null, .null, .null,
      ])
  }

  func insertMessage(
    _ transaction: WriteTransaction, _ id: Int, chat: UInt32? = nil, text: String = "hello", created: Int64 = 0
  ) throws(StoreProblem) -> UInt32 {
    let row = try transaction.insert(
      message, [.int(Int64(id)), .text(text), .int(created), .null, .null, .null, .null])
    if let chat { try transaction.setReference(chatOfMessage, source: row, target: chat) }
    return row
  }

  func insertChat(_ transaction: WriteTransaction, _ id: Int) throws(StoreProblem) -> UInt32 {
    try transaction.insert(chat, [.int(Int64(id)), .null, .null])
  }

  func insertPassport(_ transaction: WriteTransaction, _ id: Int) throws(StoreProblem) -> UInt32 {
    try transaction.insert(passport, [.int(Int64(id)), .null])
  }
}
