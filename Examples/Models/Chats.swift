import GQLiteModels

@EntityModel
struct User {
  @Index<Self>(\.age) private var ageIndex

  let id: String
  var name: String
  var age: Int = 0
  var profile: String?
  @Relationship(inverse: \.users) var chats: [Chat]?
}

@EntityModel
struct Chat {
  let id: String
  @Relationship(inverse: \.chats) var users: [User]?
  @Relationship(deleteRule: .cascade, inverse: \.chat) var messages: [Message]?
}

@EntityModel
struct Message {
  @FullTextIndex<Self>(\.text) private var textIndex

  let id: String
  let text: String
  @Relationship(.required) var author: User?
  @Relationship(inverse: \.messages) var chat: Chat?
}

/// What the program prints.
func chatLines() throws -> [String] {
  var context = Context()
  let chat = Chat(
    id: "1",
    users: .relation([User(id: "1", name: "Bob", age: 30), User(id: "2", name: "Alice", age: 17)]),
    messages: .relation([Message(id: "1", text: "Any thoughts on databases?", author: .id("2"))]))
  try chat.save(to: &context)

  // Links lead both ways, and copies are independent.
  let before = context
  try Message(id: "2", text: "Structs in a database.", author: .id("1"), chat: .id("1")).save(to: &context)
  let bob = try User.query("1").with(\.$chats) { $0.with(\.$messages) { $0.with(\.$author) } }.first(in: context)
  let texts = bob?.chats?.first?.messages?.map { "\($0.author?.name ?? ""): \($0.text)" } ?? []

  // The same entities, by key paths and as text.
  let adults = try User.filter(\.age >= 18).sorted(by: \.name).results(in: context)
  let found = try Message.filter(.string(\.text, matches: "database")).count(in: before)
  let answer = try context.run("{ User(where: age < 18) { name chats { messages { text } } } }")

  // A fragment keeps what it does not know.
  try User(id: "2", name: "Alice", age: 18, profile: "likes graphs").save(to: &context)
  try User(id: "2", name: "Alicia", age: 18).save(to: &context, options: .fragment)
  let alice = try User.query("2").first(in: context)
  return texts + [
    adults.map(\.name).joined(), "\(found)", answer.jsonString, alice?.profile ?? "",
  ]
}
