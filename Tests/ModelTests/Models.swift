import Foundation
// Makes a UUID an id.
import GQLGeneratedModels
import GQLiteModels

/// What the macro would write, by hand: a chat with users, messages and attachments.
struct User {
  @Index<Self>(\.age) private var ageIndex
  @HashIndex<Self>(\.name) private var nameIndex

  let id: String
  var name: String
  var age: Int = 0
  var profile: String?
  @Relationship(inverse: \.users) var chats: [Chat]?
  @Relationship(inverse: \.admins) var adminOf: [Chat]?
}

extension User: EntityModelProtocol {
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("name", \.name)
    model.property("age", \.age)
    model.property("profile", \.profile)
    model.relation("chats", \.chats, \.$chats, inverse: \.$users, "users")
    model.relation("adminOf", \.adminOf, \.$adminOf, inverse: \.$admins, "admins")
    model.index("ageIndex", \.age)
    model.hashIndex("nameIndex", \.name)
  }

  init(from row: inout EntityReader<Self>) throws {
    id = try row.read("id")
    name = try row.read("name")
    age = try row.read("age")
    profile = try row.read("profile")
  }

  func write(to row: inout EntityWriter<Self>) throws {
    try row.write(id, as: "id")
    try row.write(name, as: "name")
    try row.write(age, as: "age")
    try row.write(profile, as: "profile")
  }

  static var patch: MergeStrategy<Self> { MergeStrategy(.patch(\.profile)) }
}

struct Chat {
  let id: String
  @Relationship(inverse: \.chats) var users: [User]?
  @Relationship(inverse: \.chat) var messages: [Message]?
  @Relationship(inverse: \.adminOf) var admins: [User]?
}

extension Chat: EntityModelProtocol {
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.relation("users", \.users, \.$users, inverse: \.$chats, "chats")
    model.relation("messages", \.messages, \.$messages, inverse: \.$chat, "chat", deleteRule: .cascade)
    model.relation("admins", \.admins, \.$admins, inverse: \.$adminOf, "adminOf")
  }

  init(from row: inout EntityReader<Self>) throws { id = try row.read("id") }
  func write(to row: inout EntityWriter<Self>) throws { try row.write(id, as: "id") }
}

struct Message {
  @Index<Self>(\.text.count) private var lengthIndex
  @FullTextIndex<Self>(\.text) private var textIndex

  let id: String
  let text: String
  @Relationship(.required) var author: User?
  @Relationship(inverse: \.messages) var chat: Chat?
  @Relationship(deleteRule: .cascade, inverse: \.message) var attachment: Attachment?
  @Relationship(inverse: \.replyTo) var replies: [Message]?
  @Relationship(inverse: \.replies) var replyTo: Message?
  @Relationship var viewedBy: [User]? = nil
}

extension Message: EntityModelProtocol {
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("text", \.text)
    model.relation("author", \.author, \.$author)
    model.relation("chat", \.chat, \.$chat, inverse: \.$messages, "messages")
    model.relation("attachment", \.attachment, \.$attachment, inverse: \.$message, "message", deleteRule: .cascade)
    model.relation("replies", \.replies, \.$replies, inverse: \.$replyTo, "replyTo")
    model.relation("replyTo", \.replyTo, \.$replyTo, inverse: \.$replies, "replies")
    model.relation("viewedBy", \.viewedBy, \.$viewedBy)
    model.index("lengthIndex", \.text.count)
    model.fullTextIndex("textIndex", \.text)
  }

  init(from row: inout EntityReader<Self>) throws {
    id = try row.read("id")
    text = try row.read("text")
  }

  func write(to row: inout EntityWriter<Self>) throws {
    try row.write(id, as: "id")
    try row.write(text, as: "text")
  }
}

struct Attachment {
  enum Kind: String { case image, file }

  let id: UUID
  var kind: Kind
  var size: Int64?
  var tags: [String]
  var place: Place?
  var anything: Opaque
  @Relationship(inverse: \.attachment) var message: Message?

  struct Place: Codable, Equatable { var x: Int, y: Int }
  struct Opaque: Equatable { var value: Int }
}

extension Attachment: EntityModelProtocol {
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("kind", \.kind)
    model.property("size", \.size)
    model.property("tags", \.tags)
    model.property("place", \.place)
    model.property("anything", \.anything)
    model.relation("message", \.message, \.$message, inverse: \.$attachment, "attachment")
    model.hashIndex("kindIndex", \.kind)
  }

  init(from row: inout EntityReader<Self>) throws {
    id = try row.read("id")
    kind = try row.read("kind")
    size = try row.read("size")
    tags = try row.read("tags")
    place = try row.read("place")
    anything = try row.read("anything")
  }

  func write(to row: inout EntityWriter<Self>) throws {
    try row.write(id, as: "id")
    try row.write(kind, as: "kind")
    try row.write(size, as: "size")
    try row.write(tags, as: "tags")
    try row.write(place, as: "place")
    try row.write(anything, as: "anything")
  }
}

/// With unique values, a date to compare, and hooks.
struct Account {
  @Unique<Self>(\.email, collisions: .throw) private var uniqueEmail
  @Unique<Self>(\.login, collisions: .upsert) private var uniqueLogin
  @Unique<Self>(\.nick, collisions: .ignoreNil) private var uniqueNick

  let id: Int
  var email: String
  var login: String
  var nick: String?
  var age = 0
  var modified = Date(timeIntervalSince1970: 0)
}

extension CollisionResolver where Entity == Account {
  static var ignoreNil: Self {
    CollisionResolver { existingId, newEntity, keyPath, context in
      guard newEntity[keyPath: keyPath] != nil else { return }
      throw UniqueConstraintViolation(existingId: existingId, keyPath: keyPath)
    }
  }
}

extension Account: EntityModelProtocol {
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("email", \.email)
    model.property("login", \.login)
    model.property("nick", \.nick)
    model.property("age", \.age)
    model.property("modified", \.modified)
    model.unique("uniqueEmail", \.email, collisions: .throw)
    model.unique("uniqueLogin", \.login, collisions: .upsert)
    model.unique("uniqueNick", \.nick, collisions: .ignoreNil)
    model.index("ageIndex", \.age)
    model.hashIndex("ageHash", \.age)
  }

  init(from row: inout EntityReader<Self>) throws {
    id = try row.read("id")
    email = try row.read("email")
    login = try row.read("login")
    nick = try row.read("nick")
    age = try row.read("age")
    modified = try row.read("modified")
  }

  func write(to row: inout EntityWriter<Self>) throws {
    try row.write(id, as: "id")
    try row.write(email, as: "email")
    try row.write(login, as: "login")
    try row.write(nick, as: "nick")
    try row.write(age, as: "age")
    try row.write(modified, as: "modified")
  }
}
