import SocialNetwork

/// Deep selections, trees of replies and friends of friends.
extension QueryCases {
  mutating func graphs() -> [QueryCase] {
    let users = network.users
    let count = users.score.count
    let roots = treeRoots
    let hubs = users.friends.indices.sorted { (users.friends[$1].count, $0) < (users.friends[$0].count, $1) }.prefix(20)
    return [
      QueryCase(
        "nest4", "nested four levels for 10 users, limits at each", finalGoal: 21,
        """
        query($from: DateTime!, $to: DateTime!) {
          User(where: createdAt >= $from and createdAt < $to, orderBy: createdAt) {
            id firstName
            chats(limit: 5) {
              id title
              messages(orderBy: -createdAt, limit: 2) { id text author { id firstName } }
            }
          }
        }
        """,
        parameters: ["from", "to"], sets: windows(users.createdAt, size: 10, count: 100),
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'chats',
            (SELECT json_group_array(json_object('id', c.id, 'title', c.title, 'messages',
              (SELECT json_group_array(json_object('id', m.id, 'text', m.text, 'author',
                  (SELECT json_object('id', id, 'firstName', firstName) FROM user WHERE id = m.authorId)))
                FROM (SELECT id, text, authorId FROM message WHERE chatId = c.id
                  ORDER BY createdAt DESC LIMIT 2) m)))
              FROM (SELECT chat.id, chat.title FROM membership JOIN chat ON chat.id = membership.chatId
                WHERE membership.userId = u.id ORDER BY membership.chatId LIMIT 5) c))))
          FROM (SELECT * FROM user WHERE createdAt >= ?1 AND createdAt < ?2 ORDER BY createdAt) u
          """),
      QueryCase(
        "recurse", "reply trees of 10 messages, depth 5, by a recursive CTE", goal: 15, finalGoal: 18.8,
        Self.replyTrees, parameters: ["ids"], sets: roots, sql: Self.recursiveReplies),
      QueryCase(
        "recurse_fixed", "the same by five subqueries in each other", Self.replyTrees, parameters: ["ids"], sets: roots,
        sql: Self.nestedReplies),
      QueryCase(
        "recurse_set", "all replies to 10 messages down to depth 5, nearest first", goal: 15,
        """
        query($ids: [ID!]!) {
          Message(where: id in $ids) { id all: closure(replies, depth: 1..5) { id text _depth } }
        }
        """,
        parameters: ["ids"], sets: roots,
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', value, 'all', (
            WITH RECURSIVE tree(id, text, depth) AS (
              SELECT id, text, 1 FROM message WHERE replyToId = value
              UNION ALL
              SELECT m.id, m.text, t.depth + 1 FROM tree t CROSS JOIN message m ON m.replyToId = t.id WHERE t.depth < 5)
            SELECT json_group_array(json_object('id', id, 'text', text, '_depth', depth)) FROM tree))))
          FROM (SELECT value FROM json_each(?1) ORDER BY value)
          """),
      QueryCase(
        "fof", "number of distinct friends of friends of a user", finalGoal: 80,
        "query($id: ID!) { user(id: $id) { n: count(friends.friends) } }",
        parameters: ["id"], sets: sets(500) { [.integer($0.below(count) + 1)] }, sql: Self.friendsOfFriends[0],
        Self.friendsOfFriends[1]),
      QueryCase(
        "fof_hub", "the same of a user with very many friends", goal: 100, finalGoal: 229,
        "query($id: ID!) { user(id: $id) { n: count(friends.friends) } }",
        parameters: ["id"], sets: hubs.map { [.integer($0 + 1)] }, sql: Self.friendsOfFriends[0],
        Self.friendsOfFriends[1]),
    ]
  }

  private static let friendsOfFriends = [
    """
    SELECT json_object('user', json_object('n', count(DISTINCT b.friendId)))
    FROM friendship a CROSS JOIN friendship b ON b.userId = a.friendId WHERE a.userId = ?1
    """,
    """
    SELECT json_object('user', json_object('n', count(*))) FROM (SELECT DISTINCT b.friendId
      FROM friendship a CROSS JOIN friendship b ON b.userId = a.friendId WHERE a.userId = ?1)
    """,
  ]

  private static let replyTrees = """
    query($ids: [ID!]!) {
      Message(where: id in $ids) { id replies @recurse(depth: 5) { id text } }
    }
    """

  /// A recursive CTE gives rows; the depths of neighbors in path order say which brackets stand between them.
  private static let recursiveReplies = """
    WITH RECURSIVE tree(root, id, text, depth, path) AS (
      SELECT value, m.id, m.text, 1, printf('%08d', m.id)
      FROM json_each(?1) CROSS JOIN message m ON m.replyToId = value
      UNION ALL
      SELECT t.root, m.id, m.text, t.depth + 1, t.path || printf('%08d', m.id)
      FROM tree t CROSS JOIN message m ON m.replyToId = t.id WHERE t.depth < 5),
    steps AS (SELECT *, lead(depth, 1, 0) OVER (PARTITION BY root ORDER BY path) AS next FROM tree),
    lists AS (SELECT root, group_concat(piece, '') AS list FROM (
      SELECT root, '{"id":' || id || ',"text":' || json_quote(text) || iif(depth < 5, ',"replies":[', '')
        || iif(next > depth, '', iif(depth < 5, ']}', '}') || substr(']}]}]}]}', 1, 2 * (depth - max(next, 1)))
          || iif(next > 0, ',', '')) AS piece
      FROM steps ORDER BY root, path) GROUP BY root)
    SELECT '{"Message":[' || group_concat('{"id":' || value || ',"replies":[' || coalesce(list, '') || ']}') || ']}'
    FROM (SELECT value FROM json_each(?1) ORDER BY value) LEFT JOIN lists ON root = value
    """

  /// Five levels of subqueries, each within the one before: quicker, but for a fixed depth only.
  private static let nestedReplies: String = {
    var below: String?
    for depth in (1...5).reversed() {
      let parent = depth == 1 ? "r.id" : "m\(depth - 1).id"
      let key = below.map { ", 'replies', \($0)" } ?? ""
      below = """
        (SELECT json_group_array(json_object('id', m\(depth).id, 'text', m\(depth).text\(key)))
        FROM (SELECT id, text FROM message WHERE replyToId = \(parent) ORDER BY id) m\(depth))
        """
    }
    return """
      SELECT json_object('Message', json_group_array(json_object('id', r.id, 'replies', \(below ?? ""))))
      FROM (SELECT value AS id FROM json_each(?1) ORDER BY value) r
      """
  }()

  /// Ten early messages each: those that trees of some size hang under.
  private var treeRoots: [[Parameter]] {
    var random = RandomSource(seed: 23)
    let early = max(100, network.messages.likes.count / 50)
    return (0..<200).map { _ in
      var ids: Set<Int> = []
      while ids.count < 10 { ids.insert(random.below(early) + 1) }
      return [.integers(ids.sorted())]
    }
  }
}
