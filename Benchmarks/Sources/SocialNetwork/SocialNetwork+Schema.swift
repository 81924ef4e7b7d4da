extension SocialNetwork {
  /// The schema in SDL. SQLite gets the same indexes (`SQLiteSchema` in the benchmark), relations as foreign keys with an
  /// index, and to-many relations on both sides as a junction table with an index for each direction.
  package static let schema = """
    enum Status { ACTIVE IDLE AWAY BANNED }

    type User {
      id: ID!
      email: String! @unique
      firstName: String!
      lastName: String! @index
      city: String! @index(kind: HASH)
      zip: String! @index(kind: HASH)
      age: Int @index
      score: Int!
      status: Status!
      createdAt: DateTime! @index
      bio: String
      chats: [Chat!]! @relation(inverse: "users")
      friends: [User!]! @relation(inverse: "friends")
      messages: [Message!]! @relation(inverse: "author")
    }

    type Chat {
      id: ID!
      title: String!
      createdAt: DateTime! @index
      users: [User!]! @relation(inverse: "chats")
      messages: [Message!]! @relation(inverse: "chat")
    }

    type Message {
      id: ID!
      text: String!
      likes: Int!
      createdAt: DateTime! @index
      author: User! @relation(inverse: "messages")
      chat: Chat! @relation(inverse: "messages")
      replyTo: Message @relation(inverse: "replies")
      replies: [Message!]! @relation(inverse: "replyTo")
    }

    """
}
