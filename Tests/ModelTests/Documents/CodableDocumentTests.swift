import Foundation
import GQLiteModels
import Testing

/// "Codable Ready" and "Codable Conformance": the models of "Model Definitions" again, with `Codable` in extensions.
enum CodableDocument {
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
  struct Attachment: Codable {
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
    var name: String
    @Relationship(inverse: \.users) var chats: [Chat]?
    @Relationship(inverse: \.admins) var adminOf: [Chat]?
  }
}

extension CodableDocument.User: Codable {}

extension CodableDocument.Chat: Codable {}

extension CodableDocument.Message: Codable {}

@Suite struct CodableDocumentTests {
  private typealias User = CodableDocument.User
  private typealias Chat = CodableDocument.Chat
  private typealias Message = CodableDocument.Message

  private func user() throws -> User {
    var context = Context()
    let chat = Chat(
      id: "1",
      users: .relation([User(id: "1", name: "Bob"), User(id: "2", name: "Alice")]),
      messages: .relation([
        Message(id: "1", text: "Any thoughts on SwiftletModel?", author: .id("1")),
        Message(id: "2", text: "Yes.", author: .id("2"), replyTo: .id("1")),
      ]),
      admins: .ids(["1"]))
    try chat.save(to: &context)
    return try #require(
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
        .resolve(in: context))
  }

  @Test func codableReady() throws {
    let user = User(id: "1", name: "Alice")
    let json = try? JSONEncoder().encode(user)
    let object = try JSONSerialization.jsonObject(with: try #require(json)) as? [String: Any]
    #expect(object?["name"] as? String == "Alice" && object?["chats"] is NSNull)
    #expect(try JSONDecoder().decode(User.self, from: try #require(json)) == user)
  }

  @Test func plainJSON() throws {
    let user = try user()
    let encoder = JSONEncoder.prettyPrinting
    encoder.relationEncodingStrategy = .plain
    let userJSON = user.prettyDescription(with: encoder) ?? ""
    #expect(userJSON == Self.documentJSON)
  }

  /// What the document prints.
  private static let documentJSON = """
    {
      "adminOf" : null,
      "chats" : [
        {
          "admins" : [
            {
              "id" : "1"
            }
          ],
          "id" : "1",
          "messages" : [
            {
              "attachment" : null,
              "author" : {
                "id" : "1"
              },
              "chat" : {
                "id" : "1"
              },
              "id" : "1",
              "replies" : [
                {
                  "attachment" : null,
                  "author" : {
                    "adminOf" : null,
                    "chats" : null,
                    "id" : "2",
                    "name" : "Alice"
                  },
                  "chat" : null,
                  "id" : "2",
                  "replies" : null,
                  "replyTo" : {
                    "id" : "1"
                  },
                  "text" : "Yes.",
                  "viewedBy" : null
                }
              ],
              "replyTo" : null,
              "text" : "Any thoughts on SwiftletModel?",
              "viewedBy" : null
            },
            {
              "attachment" : null,
              "author" : {
                "id" : "2"
              },
              "chat" : {
                "id" : "1"
              },
              "id" : "2",
              "replies" : [

              ],
              "replyTo" : null,
              "text" : "Yes.",
              "viewedBy" : null
            }
          ],
          "users" : [
            {
              "adminOf" : null,
              "chats" : null,
              "id" : "1",
              "name" : "Bob"
            },
            {
              "adminOf" : null,
              "chats" : null,
              "id" : "2",
              "name" : "Alice"
            }
          ]
        }
      ],
      "id" : "1",
      "name" : "Bob"
    }
    """
}

extension CodableDocument.User: Equatable {}
