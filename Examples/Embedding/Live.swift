import Dispatch
import GQLite

/// Queries that are followed.
func followQueries() async throws {
  let database = try Database(
    schema: """
      type Chat { id: ID! title: String! messages: [Message!]! @relation(inverse: "chat") }
      type Message { id: ID! text: String! sentAt: Int! @index chat: Chat! @relation(inverse: "messages") }
      """)
  try database.run(#"mutation { insertChat(data: {id: "c1", title: "Swift"}) { id } }"#)
  try await followRoom(database)
  try followInBackground(database)
}

private func followRoom(_ database: Database) async throws {
  let room = try database.prepare(
    """
    subscription Room($chat: ID!) @live(mode: DIFF) {
      Message(where: chat.id == $chat, orderBy: -sentAt, limit: 20) { id text }
    }
    """)
  var left = 2
  for await event in try room.live(["chat": "c1"]) {
    print(event.jsonLine)
    left -= 1
    if left == 0 { break }
    try database.run(#"mutation { insertMessage(data: {id: 1, text: "hi", sentAt: 1, chat: "c1"}) { id } }"#)
  }
}

private func followInBackground(_ database: Database) throws {
  let count = try database.prepare("{ n: count(Message) }")
  let isTold = DispatchSemaphore(value: 0)
  let subscription = try count.subscribe { event in
    switch event.content {
    case .answer(let answer): print(answer.jsonString)
    case .patch(let patch): print(patch.jsonString)
    case .error(let error): print(error)
    }
    isTold.signal()
  }
  isTold.wait()
  subscription.cancel()
}
