// Written by 'gqlite generate swift' from a schema.

import Foundation
import GQLiteModels

@EntityModel
struct Person: Codable, Sendable {
  @Unique<Self>(\.email, collisions: .throwUnlessNil) private var emailIndex
  // BTREE index age over age: not in order, because the values have none in Swift.
  @HashIndex<Self>(\.age) private var ageIndex
  @HashIndex<Self>(\.status) private var statusIndex
  @Index<Self>(\.joinedAt) private var joinedAtIndex
  @Index<Self>(\.lastName, \.firstName) private var lastName_firstName

  let id: String
  var email: String?  // case-insensitive in text
  var firstName: String
  var lastName: String
  var age: Int?
  var birthday: CalendarDate?
  var status: Status? = .active
  var address: Address?
  var tags: [String]
  var balance: Decimal
  var joinedAt: Date
  @Relationship(inverse: \.invited) var invitedBy: Person?
  @Relationship(inverse: \.invitedBy) var invited: [Person]?
  @Relationship(inverse: \.friends) var friends: [Person]?
  @Relationship(inverse: \.members) var chats: [Chat]?
  @Relationship(deleteRule: .cascade, inverse: \.author) var messages: [Message]?
}

@EntityModel
struct Chat: Codable, Sendable {
  @Index<Self>(\.title) private var titleIndex

  let id: String
  var title: String
  var isPublic: Bool
  var createdAt: Date
  @Relationship(inverse: \.chats) var members: [Person]?
  @Relationship(deleteRule: .cascade, inverse: \.chat) var messages: [Message]?
  /// One-way: a message does not know that it is pinned.
  @Relationship var pinned: Message? = nil
}

@EntityModel
struct Message: Codable, Sendable {
  @Index<Self>(\.sentAt) private var sentAtIndex

  let id: String
  var text: String
  var likes: Int
  var isEdited: Bool
  var sentAt: Date
  @Relationship(.required, inverse: \.messages) var author: Person?
  @Relationship(.required, inverse: \.messages) var chat: Chat?
  @Relationship(inverse: \.replies) var replyTo: Message?
  @Relationship(inverse: \.replyTo) var replies: [Message]?
  @Relationship(deleteRule: .cascade, inverse: \.message) var attachments: [Attachment]?
}

@EntityModel
struct Attachment: Codable, Sendable {
  @HashIndex<Self>(\.kind) private var kindIndex
  @Index<Self>(\.size) private var sizeIndex

  let id: String
  var name: String
  var kind: MediaKind
  var size: Int
  /// Seconds; only video and audio have it.
  var duration: Double?
  @Relationship(.required, inverse: \.attachments) var message: Message?
}

/// Has no id, so it is a value inside its person.
@EmbeddedModel
struct Address: Codable, Hashable, Sendable {
  var street: String
  var city: String
  var postalCode: String?
  var country: String
}

/// People, the chats they are in, what they write and what they attach.
enum Status: String, CaseIterable, Codable, Sendable {
  case invited = "INVITED"
  case active = "ACTIVE"
  case away = "AWAY"
  case blocked = "BLOCKED"
}

enum MediaKind: String, CaseIterable, Codable, Sendable {
  case image = "IMAGE"
  case video = "VIDEO"
  case audio = "AUDIO"
  case document = "DOCUMENT"
}
