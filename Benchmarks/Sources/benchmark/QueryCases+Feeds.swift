import SocialNetwork

/// Lists as people write them: newest first with a tie-breaker, and every list ordered.
extension QueryCases {
  mutating func feeds() -> [QueryCase] {
    let users = network.users
    let count = users.score.count
    return [
      QueryCase(
        "feed", "newest 10, [-createdAt, -id]", goal: 5, finalGoal: 9,
        "{ Message(orderBy: [-createdAt, -id], limit: 10) { id text likes createdAt } }",
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text, 'likes', likes,
            'createdAt', createdAt))) FROM (SELECT * FROM message ORDER BY createdAt DESC, id DESC LIMIT 10)
          """),
      QueryCase(
        "feed4", "four levels of one user, newest 5 of each chat", goal: 8, finalGoal: 19,
        """
        query($id: ID!) {
          user(id: $id) {
            id firstName
            chats(orderBy: [-createdAt, id]) {
              id title
              messages(orderBy: [-createdAt, -id], limit: 5) { id text createdAt author { id firstName } }
            }
          }
        }
        """,
        parameters: ["id"], sets: sets(200) { [.integer($0.below(count) + 1)] },
        sql: """
          SELECT json_object('user', json_object('id', u.id, 'firstName', u.firstName, 'chats',
            (SELECT json_group_array(json_object('id', c.id, 'title', c.title, 'messages',
              (SELECT json_group_array(json_object('id', m.id, 'text', m.text, 'createdAt', m.createdAt, 'author',
                (SELECT json_object('id', a.id, 'firstName', a.firstName) FROM user a WHERE a.id = m.authorId)))
              FROM (SELECT * FROM message WHERE chatId = c.id ORDER BY createdAt DESC, id DESC LIMIT 5) m)))
            FROM (SELECT chat.* FROM membership JOIN chat ON chat.id = membership.chatId
              WHERE membership.userId = u.id ORDER BY chat.createdAt DESC, chat.id) c)))
          FROM user u WHERE u.id = ?1
          """),
      QueryCase(
        "levels3", "three levels of 100 users, every list ordered", goal: 5, finalGoal: 11,
        """
        query($from: DateTime!, $to: DateTime!) {
          User(where: createdAt >= $from and createdAt < $to, orderBy: [createdAt, id]) {
            id firstName lastName
            chats(orderBy: [title, id]) { id title messages(orderBy: [createdAt, id], limit: 3) { id text } }
          }
        }
        """,
        parameters: ["from", "to"], sets: windows(users.createdAt, size: 100, count: 20),
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName,
            'chats', (SELECT json_group_array(json_object('id', c.id, 'title', c.title,
              'messages', (SELECT json_group_array(json_object('id', id, 'text', text))
                FROM (SELECT id, text FROM message WHERE chatId = c.id ORDER BY createdAt, id LIMIT 3))))
              FROM (SELECT chat.id, chat.title FROM membership JOIN chat ON chat.id = membership.chatId
                WHERE membership.userId = u.id ORDER BY chat.title, chat.id) c))))
          FROM (SELECT * FROM user WHERE createdAt >= ?1 AND createdAt < ?2 ORDER BY createdAt, id) u
          """),
      QueryCase(
        "feed3", "newest 3 of each of 1,000 chats, with the author", goal: 8, finalGoal: 19,
        """
        query($from: DateTime!, $to: DateTime!) {
          Chat(where: createdAt >= $from and createdAt < $to, orderBy: [createdAt, id]) {
            id title
            messages(orderBy: [-createdAt, -id], limit: 3) { id text author { id firstName } }
          }
        }
        """,
        parameters: ["from", "to"], sets: windows(network.chats.createdAt, size: 1_000, count: 20),
        sql: """
          SELECT json_object('Chat', json_group_array(json_object('id', id, 'title', title,
            'messages', (SELECT json_group_array(json_object('id', m.id, 'text', m.text, 'author',
                (SELECT json_object('id', a.id, 'firstName', a.firstName) FROM user a WHERE a.id = m.authorId)))
              FROM (SELECT * FROM message WHERE chatId = c.id ORDER BY createdAt DESC, id DESC LIMIT 3) m))))
          FROM (SELECT * FROM chat WHERE createdAt >= ?1 AND createdAt < ?2 ORDER BY createdAt, id) c
          """),
    ] + ids() + ends()
  }

  /// Pages and ranges of ids.
  private mutating func ids() -> [QueryCase] {
    let count = network.messages.createdAt.count
    return [
      QueryCase(
        "last-ids", "greatest 10 ids", "{ Message(orderBy: -id, limit: 10) { id text } }",
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text)))
          FROM (SELECT * FROM message ORDER BY id DESC LIMIT 10)
          """),
      QueryCase(
        "id-page", "10 ids from one on",
        "query($id: ID!) { Message(where: id > $id, orderBy: id, limit: 10) { id text } }",
        parameters: ["id"], sets: sets(200) { [.integer($0.below(count) + 1)] },
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text)))
          FROM (SELECT * FROM message WHERE id > ?1 ORDER BY id LIMIT 10)
          """),
    ]
  }

  /// The ends of indexes, and the keys of one.
  private mutating func ends() -> [QueryCase] {
    [
      QueryCase(
        "max-id", "greatest id", "{ n: max(Message, id) }", sql: "SELECT json_object('n', max(id)) FROM message"),
      QueryCase(
        "max-range", "greatest createdAt before one",
        "query($to: DateTime!) { n: max(Message(where: createdAt < $to), createdAt) }",
        parameters: ["to"], sets: windows(network.messages.createdAt, size: 50, count: 20).map { [$0[1]] },
        sql: "SELECT json_object('n', max(createdAt)) FROM message WHERE createdAt < ?1"),
    ]
  }
}
