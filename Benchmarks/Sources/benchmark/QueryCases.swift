import SocialNetwork

/// All measured queries over one network.
///
/// Parameters are drawn from the data with a fixed seed, so that lookups hit and ranges have the size that a case names.
/// SQL orders explicitly wherever the language defines an order; ids ascend in insertion order, so canonical order is
/// `ORDER BY id`; a variant without it relies on the order of the index or table that it walks, which SQLite keeps though it
/// does not promise to, and the comparison would show if it did not.
struct QueryCases {
  let network: SocialNetwork
  private var random = RandomSource(seed: 7)

  init(_ network: SocialNetwork) { self.network = network }

  var all: [QueryCase] {
    var copy = self
    return copy.lookups() + copy.ranges() + copy.scans() + copy.relations() + copy.graphs() + copy.groups()
      + copy.extras() + copy.feeds()
  }

  // MARK: Parameters

  mutating func sets(_ count: Int, _ make: (inout RandomSource) -> [Parameter]) -> [[Parameter]] {
    (0..<count).map { _ in make(&random) }
  }

  /// Ranges `[from, to)` that hold `size` of the moments each.
  mutating func windows(_ moments: [Int], size: Int, count: Int) -> [[Parameter]] {
    let sorted = moments.sorted()
    return sets(count) { random in
      let start = random.below(max(1, sorted.count - size))
      let end = start + size
      let to = end < sorted.count ? sorted[end] : sorted[sorted.count - 1] + 1
      return [.text(Timestamp.text(sorted[start])), .text(Timestamp.text(to))]
    }
  }

  // MARK: One or a few rows by key

  private mutating func lookups() -> [QueryCase] {
    let users = network.users
    let count = users.score.count
    return [
      QueryCase(
        "pk", "user by id", goal: 2, finalGoal: 5,
        "query($id: ID!) { user(id: $id) { id email firstName lastName city age } }",
        parameters: ["id"], sets: sets(1_000) { [.integer($0.below(count) + 1)] },
        sql: """
          SELECT json_object('user', json_object('id', id, 'email', email, 'firstName', firstName, 'lastName', lastName,
            'city', city, 'age', age)) FROM user WHERE id = ?1
          """),
      QueryCase(
        "unique", "user by unique e-mail", goal: 2, finalGoal: 5,
        "query($email: String!) { user(email: $email) { id email firstName lastName city age } }",
        parameters: ["email"], sets: sets(1_000) { [.text(users.email[$0.below(count)])] },
        sql: """
          SELECT json_object('user', json_object('id', id, 'email', email, 'firstName', firstName, 'lastName', lastName,
            'city', city, 'age', age)) FROM user WHERE email = ?1
          """),
      QueryCase(
        "eq", "hash equality, 20 rows", goal: 4, finalGoal: 10,
        "query($zip: String!) { User(where: zip == $zip) { id email firstName lastName } }",
        parameters: ["zip"], sets: sets(500) { [.text(users.zip[$0.below(count)])] },
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'email', email, 'firstName', firstName,
            'lastName', lastName))) FROM (SELECT * FROM user WHERE zip = ?1 ORDER BY id)
          """,
        """
        SELECT json_object('User', json_group_array(json_object('id', id, 'email', email, 'firstName', firstName,
          'lastName', lastName))) FROM user WHERE zip = ?1
        """),
      QueryCase(
        "and2", "two indexed conditions, one selective", goal: 4, finalGoal: 9,
        "query($zip: String!, $age: Int!) { User(where: zip == $zip and age >= $age) { id email firstName age } }",
        parameters: ["zip", "age"],
        sets: sets(500) { [.text(users.zip[$0.below(count)]), .integer(20 + $0.below(15))] },
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'email', email, 'firstName', firstName,
            'age', age))) FROM (SELECT * FROM user WHERE zip = ?1 AND age >= ?2 ORDER BY id)
          """,
        """
        SELECT json_object('User', json_group_array(json_object('id', id, 'email', email, 'firstName', firstName,
          'age', age))) FROM user INDEXED BY user_zip WHERE zip = ?1 AND age >= ?2
        """),
    ]
  }

  // MARK: Ordered indexes

  private mutating func ranges() -> [QueryCase] {
    let messages = network.messages
    let count = messages.likes.count
    let sorted = messages.createdAt.sorted()
    return [
      QueryCase(
        "range1", "B-tree range of 1 %, all fields out", goal: 5, finalGoal: 6,
        """
        query($from: DateTime!, $to: DateTime!) {
          Message(where: createdAt >= $from and createdAt < $to, orderBy: createdAt) {
            id text likes createdAt author chat replyTo
          }
        }
        """,
        parameters: ["from", "to"], sets: windows(messages.createdAt, size: count / 100, count: 20),
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text, 'likes', likes,
            'createdAt', createdAt, 'author', authorId, 'chat', chatId, 'replyTo', replyToId)))
          FROM (SELECT * FROM message WHERE createdAt >= ?1 AND createdAt < ?2 ORDER BY createdAt)
          """,
        """
        SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text, 'likes', likes,
          'createdAt', createdAt, 'author', authorId, 'chat', chatId, 'replyTo', replyToId)))
        FROM message WHERE createdAt >= ?1 AND createdAt < ?2
        """),
      QueryCase(
        "count_idx", "count of an indexed range of 50 %", goal: 500, finalGoal: 4_330,
        "query($from: DateTime!) { n: count(Message(where: createdAt >= $from)) }",
        parameters: ["from"],
        sets: sets(20) { [.text(Timestamp.text(sorted[count * 9 / 20 + $0.below(count / 10)]))] },
        sql: "SELECT json_object('n', count(*)) FROM message WHERE createdAt >= ?1"),
      QueryCase(
        "top_idx", "order by indexed field, limit 10", goal: 5, finalGoal: 8,
        "{ Message(orderBy: -createdAt, limit: 10) { id text likes createdAt } }",
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text, 'likes', likes,
            'createdAt', createdAt))) FROM (SELECT * FROM message ORDER BY createdAt DESC LIMIT 10)
          """),
      QueryCase(
        "offset", "offset 500,000 on an indexed order", goal: 500, finalGoal: 2_230,
        "query($skip: Int!) { Message(orderBy: createdAt, offset: $skip, limit: 10) { id text likes createdAt } }",
        parameters: ["skip"], sets: sets(20) { [.integer(count / 2 + $0.below(count / 100))] },
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text, 'likes', likes,
            'createdAt', createdAt))) FROM (SELECT * FROM message ORDER BY createdAt LIMIT 10 OFFSET ?1)
          """,
        """
        SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text, 'likes', likes,
          'createdAt', createdAt))) FROM (SELECT * FROM message
            WHERE id IN (SELECT id FROM message ORDER BY createdAt LIMIT 10 OFFSET ?1) ORDER BY createdAt)
        """),
    ]
  }

  // MARK: Whole tables

  private mutating func scans() -> [QueryCase] {
    let words = network.rareWords
    return [
      QueryCase(
        "count_scan", "count, filter on an unindexed integer", goal: 100, finalGoal: 751,
        "query($likes: Int!) { n: count(Message(where: likes >= $likes)) }",
        parameters: ["likes"], sets: sets(20) { [.integer(1_100 + $0.below(300))] },
        sql: "SELECT json_object('n', count(*)) FROM message WHERE likes >= ?1"),
      QueryCase(
        "top_scan", "order by unindexed field, limit 10", goal: 50, finalGoal: 359,
        "{ Message(orderBy: -likes, limit: 10) { id text likes createdAt } }",
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text, 'likes', likes,
            'createdAt', createdAt))) FROM (SELECT * FROM message ORDER BY likes DESC, id LIMIT 10)
          """,
        """
        SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text, 'likes', likes,
          'createdAt', createdAt))) FROM (SELECT * FROM message
            WHERE id IN (SELECT id FROM message ORDER BY likes DESC, id LIMIT 10) ORDER BY likes DESC, id)
        """),
      QueryCase(
        "substr", "substring of 1,000,000 texts, no index", goal: 5, finalGoal: 17,
        "query($part: String!) { Message(where: text contains $part) { id text } }",
        parameters: ["part"], sets: sets(10) { [.text(words[$0.below(words.count)])] },
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text)))
          FROM (SELECT id, text FROM message WHERE instr(text, ?1) ORDER BY id)
          """,
        """
        SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text)))
        FROM message NOT INDEXED WHERE instr(text, ?1)
        """),
      QueryCase(
        "regex", "regular expression over 1,000,000 texts, no index; SQLite: REGEXP by PCRE2", goal: 1.5, finalGoal: 3,
        Self.regexDocument, parameters: ["pattern"], sets: Self.patterns(network), sql: Self.regexSQL),
      QueryCase(
        "dump", "dump of all users as JSON", goal: 3, finalGoal: 4.8,
        "{ User { id email firstName lastName city zip age score status createdAt bio } }",
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'email', email, 'firstName', firstName,
            'lastName', lastName, 'city', city, 'zip', zip, 'age', age, 'score', score, 'status', status,
            'createdAt', createdAt, 'bio', bio))) FROM (SELECT * FROM user ORDER BY id)
          """,
        """
        SELECT json_object('User', json_group_array(json_object('id', id, 'email', email, 'firstName', firstName,
          'lastName', lastName, 'city', city, 'zip', zip, 'age', age, 'score', score, 'status', status,
          'createdAt', createdAt, 'bio', bio))) FROM user NOT INDEXED
        """),
    ]
  }

  // MARK: Relations

  private mutating func relations() -> [QueryCase] {
    let network = network
    let users = network.users
    let count = users.score.count
    return [
      // 500 users, and few enough chats' messages that the answer has some 230 KB; `nested3_all` leaves the limit out.
      QueryCase(
        "nested3", "nested three levels for 500 users", goal: 8, finalGoal: 10,
        """
        query($from: DateTime!, $to: DateTime!) {
          User(where: createdAt >= $from and createdAt < $to, orderBy: createdAt) {
            id firstName lastName
            chats { id title messages(limit: 3) { id text } }
          }
        }
        """,
        parameters: ["from", "to"], sets: windows(users.createdAt, size: 500, count: 20),
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName,
            'chats', (SELECT json_group_array(json_object('id', c.id, 'title', c.title,
              'messages', (SELECT json_group_array(json_object('id', id, 'text', text))
                FROM (SELECT id, text FROM message WHERE chatId = c.id ORDER BY id LIMIT 3))))
              FROM (SELECT chat.id, chat.title FROM membership JOIN chat ON chat.id = membership.chatId
                WHERE membership.userId = u.id ORDER BY membership.chatId) c))))
          FROM (SELECT * FROM user WHERE createdAt >= ?1 AND createdAt < ?2 ORDER BY createdAt) u
          """,
        """
        SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName,
          'chats', (SELECT json_group_array(json_object('id', c.id, 'title', c.title,
            'messages', (SELECT json_group_array(json_object('id', id, 'text', text))
              FROM (SELECT id, text FROM message WHERE chatId = c.id LIMIT 3))))
            FROM membership m CROSS JOIN chat c ON c.id = m.chatId WHERE m.userId = u.id))))
        FROM user u WHERE createdAt >= ?1 AND createdAt < ?2
        """),
      QueryCase(
        "nested3_all", "nested three levels for 60 users, no limit", goal: 8, finalGoal: 10,
        """
        query($from: DateTime!, $to: DateTime!) {
          User(where: createdAt >= $from and createdAt < $to, orderBy: createdAt) {
            id firstName lastName
            chats { id title messages { id text } }
          }
        }
        """,
        parameters: ["from", "to"], sets: windows(users.createdAt, size: 60, count: 20),
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName,
            'chats', (SELECT json_group_array(json_object('id', c.id, 'title', c.title,
              'messages', (SELECT json_group_array(json_object('id', id, 'text', text))
                FROM (SELECT id, text FROM message WHERE chatId = c.id ORDER BY id))))
              FROM (SELECT chat.id, chat.title FROM membership JOIN chat ON chat.id = membership.chatId
                WHERE membership.userId = u.id ORDER BY membership.chatId) c))))
          FROM (SELECT * FROM user WHERE createdAt >= ?1 AND createdAt < ?2 ORDER BY createdAt) u
          """,
        """
        SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName,
          'chats', (SELECT json_group_array(json_object('id', c.id, 'title', c.title,
            'messages', (SELECT json_group_array(json_object('id', id, 'text', text))
              FROM message INDEXED BY message_chat WHERE chatId = c.id)))
            FROM membership m CROSS JOIN chat c ON c.id = m.chatId WHERE m.userId = u.id))))
        FROM user u WHERE createdAt >= ?1 AND createdAt < ?2
        """),
      QueryCase(
        "top3", "top 3 messages for each of 1,000 chats", goal: 12, finalGoal: 18,
        """
        query($from: DateTime!, $to: DateTime!) {
          Chat(where: createdAt >= $from and createdAt < $to, orderBy: createdAt) {
            id title
            messages(orderBy: -createdAt, limit: 3) { id text likes }
          }
        }
        """,
        parameters: ["from", "to"], sets: windows(network.chats.createdAt, size: 1_000, count: 20),
        sql: """
          SELECT json_object('Chat', json_group_array(json_object('id', id, 'title', title,
            'messages', (SELECT json_group_array(json_object('id', id, 'text', text, 'likes', likes))
              FROM (SELECT id, text, likes FROM message WHERE chatId = c.id ORDER BY createdAt DESC LIMIT 3)))))
          FROM (SELECT * FROM chat WHERE createdAt >= ?1 AND createdAt < ?2 ORDER BY createdAt) c
          """,
        """
        SELECT json_object('Chat', json_group_array(json_object('id', id, 'title', title, 'messages', json(list))))
        FROM (SELECT c.id, c.title, c.createdAt, coalesce((SELECT json_group_array(json_object('id', id, 'text', text,
            'likes', likes)) FROM (SELECT id, text, likes FROM message INDEXED BY message_chat_createdAt
              WHERE chatId = c.id ORDER BY createdAt DESC LIMIT 3)), '[]') AS list
          FROM chat c WHERE c.createdAt >= ?1 AND c.createdAt < ?2 ORDER BY c.createdAt)
        """),
      // The condition inside is the selective one: ten messages decide; from the outside it would be a test per user.
      QueryCase(
        "exists_in", "users with some message matching a selective condition", goal: 6, finalGoal: 10,
        """
        query($from: DateTime!, $to: DateTime!) {
          User(where: some(messages, createdAt >= $from and createdAt < $to)) { id firstName lastName }
        }
        """,
        parameters: ["from", "to"], sets: windows(network.messages.createdAt, size: 20, count: 200),
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName)))
          FROM (SELECT * FROM user WHERE id IN (SELECT authorId FROM message WHERE createdAt >= ?1 AND createdAt < ?2)
            ORDER BY id)
          """,
        """
        SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName)))
        FROM (SELECT u.id, u.firstName, u.lastName FROM
          (SELECT DISTINCT authorId FROM message WHERE createdAt >= ?1 AND createdAt < ?2 ORDER BY authorId) m
          CROSS JOIN user u ON u.id = m.authorId)
        """),
      // The condition inside matches most messages; twenty users decide.
      QueryCase(
        "exists_out", "users with some message matching an unselective condition", goal: 6, finalGoal: 22,
        """
        query($zip: String!, $likes: Int!) {
          User(where: zip == $zip and some(messages, likes >= $likes)) { id firstName lastName }
        }
        """,
        parameters: ["zip", "likes"],
        sets: sets(500) { [.text(users.zip[$0.below(count)]), .integer(1_000 + $0.below(1_000))] },
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName)))
          FROM (SELECT * FROM user u WHERE zip = ?1
            AND EXISTS (SELECT 1 FROM message WHERE authorId = u.id AND likes >= ?2) ORDER BY id)
          """,
        """
        SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName)))
        FROM (SELECT * FROM user WHERE zip = ?1 AND id IN (SELECT authorId FROM message WHERE likes >= ?2) ORDER BY id)
        """),
      QueryCase(
        "count_rel", "users with count(messages) > k", goal: 100, finalGoal: 190,
        "query($k: Int!) { User(where: count(messages) > $k) { id firstName lastName } }",
        parameters: ["k"], sets: countThresholds(),
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName)))
          FROM (SELECT * FROM user WHERE id IN (SELECT authorId FROM message GROUP BY authorId HAVING count(*) > ?1)
            ORDER BY id)
          """,
        """
        SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName)))
        FROM (SELECT u.id, u.firstName, u.lastName FROM
          (SELECT authorId FROM message GROUP BY authorId HAVING count(*) > ?1 ORDER BY authorId) m
          CROSS JOIN user u ON u.id = m.authorId)
        """,
        """
        SELECT json_object('User', json_group_array(json_object('id', id, 'firstName', firstName, 'lastName', lastName)))
        FROM (SELECT * FROM user u WHERE (SELECT count(*) FROM message WHERE authorId = u.id) > ?1 ORDER BY id)
        """),
    ]
  }

  // MARK: Groups

  /// At scale 10 the first groups 1,000,000 rows, as the second does at scale 1.
  private func groups() -> [QueryCase] {
    [
      QueryCase(
        "group", "users by city with average age", goal: 15, finalGoal: 125,
        "{ User(groupBy: city, orderBy: city) { city n: count() age: round(avg(age), 9) } }",
        sql: """
          SELECT json_object('User', json_group_array(json_object('city', city, 'n', n, 'age', age)))
          FROM (SELECT city, count(*) AS n, round(avg(age), 9) AS age FROM user GROUP BY city ORDER BY city)
          """),
      QueryCase(
        "group_1m", "all messages by the city of their author, average likes", goal: 15,
        "{ Message(groupBy: author.city, orderBy: city) { city n: count() likes: round(avg(likes), 9) } }",
        sql: """
          SELECT json_object('Message', json_group_array(json_object('city', city, 'n', n, 'likes', likes)))
          FROM (SELECT u.city AS city, count(*) AS n, round(avg(m.likes), 9) AS likes FROM message m JOIN user u ON u.id = m.authorId
            GROUP BY u.city ORDER BY u.city)
          """),
      QueryCase(
        "group_chat", "messages of each chat by author, for ten chats",
        "{ Chat(limit: 10) { id messages(groupBy: {author: author.id}, orderBy: -count(), limit: 3) { author n: count() } } }",
        sql: """
          SELECT json_object('Chat', json_group_array(json_object('id', id, 'messages', (
            SELECT json_group_array(json_object('author', authorId, 'n', n))
            FROM (SELECT authorId, count(*) AS n FROM message WHERE chatId = c.id GROUP BY authorId
              ORDER BY count(*) DESC, min(id) LIMIT 3)))))
          FROM (SELECT id FROM chat ORDER BY id LIMIT 10) c
          """),
    ]
  }

  /// Thresholds that some 200 users at scale 1 are above.
  private func countThresholds() -> [[Parameter]] {
    var counts = Array(repeating: 0, count: network.users.score.count)
    for author in network.messages.author { counts[Int(author) - 1] += 1 }
    counts.sort(by: >)
    return [150, 200, 250].map { [.integer(counts[min(counts.count - 1, $0 * counts.count / 100_000)])] }
  }

  // MARK: Further queries, without a goal in this table

  private mutating func extras() -> [QueryCase] {
    let users = network.users
    let count = users.score.count
    let ids = sets(50) { random in
      [.integers(Set((0..<100).map { _ in random.below(count) + 1 }).sorted())]
    }
    let prefixes = sets(50) { [.text(String(users.lastName[$0.below(count)].prefix(4)))] }
    return [
      QueryCase(
        "range1_canonical", "the same in canonical order",
        """
        query($from: DateTime!, $to: DateTime!) {
          Message(where: createdAt >= $from and createdAt < $to) { id text likes createdAt author chat replyTo }
        }
        """,
        parameters: ["from", "to"],
        sets: windows(network.messages.createdAt, size: network.messages.likes.count / 100, count: 20),
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text, 'likes', likes,
            'createdAt', createdAt, 'author', authorId, 'chat', chatId, 'replyTo', replyToId)))
          FROM (SELECT * FROM message WHERE createdAt >= ?1 AND createdAt < ?2 ORDER BY id)
          """,
        """
        SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text, 'likes', likes,
          'createdAt', createdAt, 'author', authorId, 'chat', chatId, 'replyTo', replyToId)))
        FROM (SELECT * FROM message WHERE id IN
          (SELECT id FROM message WHERE createdAt >= ?1 AND createdAt < ?2) ORDER BY id)
        """),
      QueryCase(
        "or2", "either of two indexed conditions", finalGoal: 7.6,
        "query($a: String!, $b: String!) { User(where: zip == $a or email == $b) { id email firstName } }",
        parameters: ["a", "b"],
        sets: sets(500) { [.text(users.zip[$0.below(count)]), .text(users.email[$0.below(count)])] },
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'email', email, 'firstName', firstName)))
          FROM (SELECT * FROM user WHERE zip = ?1 OR email = ?2 ORDER BY id)
          """),
      QueryCase(
        "in100", "100 ids", finalGoal: 5.8,
        "query($ids: [ID!]!) { User(where: id in $ids) { id email firstName } }",
        parameters: ["ids"], sets: ids,
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'email', email, 'firstName', firstName)))
          FROM (SELECT * FROM user WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id)
          """),
      QueryCase(
        "prefix", "indexed text prefix", finalGoal: 4.6,
        """
        query($prefix: String!) {
          User(where: lastName startsWith $prefix, orderBy: lastName, limit: 100) { id lastName }
        }
        """,
        parameters: ["prefix"], sets: prefixes,
        sql: """
          SELECT json_object('User', json_group_array(json_object('id', id, 'lastName', lastName)))
          FROM (SELECT id, lastName FROM user WHERE lastName >= ?1 AND lastName < ?1 || char(0x10FFFF)
            ORDER BY lastName, id LIMIT 100)
          """),
      QueryCase(
        "exists_all", "count of users with some message, nothing selective",
        "query($likes: Int!) { n: count(User(where: some(messages, likes >= $likes))) }",
        parameters: ["likes"], sets: sets(10) { [.integer(1_000 + $0.below(1_000))] },
        sql: "SELECT json_object('n', count(DISTINCT authorId)) FROM message WHERE likes >= ?1",
        """
        SELECT json_object('n', count(*)) FROM user u
        WHERE EXISTS (SELECT 1 FROM message WHERE authorId = u.id AND likes >= ?1)
        """),
      QueryCase(
        "friends", "friends of a user and how many theirs are", finalGoal: 80,
        """
        query($id: ID!) {
          user(id: $id) { id friends(orderBy: -score, limit: 10) { id firstName score n: count(friends) } }
        }
        """,
        parameters: ["id"], sets: sets(500) { [.integer($0.below(count) + 1)] },
        sql: """
          SELECT json_object('user', json_object('id', id, 'friends', (SELECT json_group_array(json_object('id', id,
            'firstName', firstName, 'score', score,
            'n', (SELECT count(*) FROM friendship WHERE userId = f.id)))
            FROM (SELECT f.id, f.firstName, f.score FROM friendship CROSS JOIN user f ON f.id = friendId
              WHERE userId = u.id ORDER BY f.score DESC, f.id LIMIT 10) f)))
          FROM user u WHERE id = ?1
          """),
    ]
  }
}
