import SocialNetwork

/// The network in SQLite: the tables, two ways to fill them, and the indexes.
enum SQLiteLoading {
  static let tables = """
    CREATE TABLE user(id INTEGER PRIMARY KEY, email TEXT NOT NULL, firstName TEXT NOT NULL, lastName TEXT NOT NULL,
      city TEXT NOT NULL, zip TEXT NOT NULL, age INTEGER, score INTEGER NOT NULL, status TEXT NOT NULL,
      createdAt TEXT NOT NULL, bio TEXT);
    CREATE TABLE chat(id INTEGER PRIMARY KEY, title TEXT NOT NULL, createdAt TEXT NOT NULL);
    CREATE TABLE message(id INTEGER PRIMARY KEY, text TEXT NOT NULL, likes INTEGER NOT NULL, createdAt TEXT NOT NULL,
      authorId INTEGER NOT NULL, chatId INTEGER NOT NULL, replyToId INTEGER);
    CREATE TABLE membership(userId INTEGER NOT NULL, chatId INTEGER NOT NULL, PRIMARY KEY(userId, chatId)) WITHOUT ROWID;
    CREATE TABLE friendship(userId INTEGER NOT NULL, friendId INTEGER NOT NULL, PRIMARY KEY(userId, friendId))
      WITHOUT ROWID;
    """

  /// What the schema in SDL has too. Made after the rows, which is faster than keeping them up to date.
  static let indexes = """
    CREATE UNIQUE INDEX user_email ON user(email);
    CREATE INDEX user_lastName ON user(lastName);
    CREATE INDEX user_city ON user(city);
    CREATE INDEX user_zip ON user(zip);
    CREATE INDEX user_age ON user(age);
    CREATE UNIQUE INDEX user_createdAt ON user(createdAt);
    CREATE UNIQUE INDEX chat_createdAt ON chat(createdAt);
    CREATE UNIQUE INDEX message_createdAt ON message(createdAt);
    CREATE INDEX message_author ON message(authorId);
    CREATE INDEX message_chat ON message(chatId);
    CREATE INDEX message_replyTo ON message(replyToId) WHERE replyToId IS NOT NULL;
    CREATE INDEX membership_chat ON membership(chatId, userId);
    ANALYZE;
    """

  /// Helps SQLite in `top3` and nothing else; made after load time and memory are measured, so that it costs nothing.
  static let extraIndexes = """
    CREATE INDEX message_chat_createdAt ON message(chatId, createdAt);
    ANALYZE;
    """

  /// Fills the tables from the same NDJSON that gqlite loads, parsed by SQLite's own JSON functions.
  static func load(_ database: SQLiteDatabase, ndjson sources: [(type: String, bytes: [UInt8])]) throws {
    try database.execute(tables)
    try database.execute("BEGIN")
    let statements: [String: [String]] = [
      "User": [
        """
        INSERT INTO user SELECT ?1->>'id', ?1->>'email', ?1->>'firstName', ?1->>'lastName', ?1->>'city', ?1->>'zip',
          ?1->>'age', ?1->>'score', ?1->>'status', ?1->>'createdAt', ?1->>'bio'
        """,
        "INSERT INTO membership SELECT ?1->>'id', value FROM json_each(?1, '$.chats')",
        "INSERT INTO friendship SELECT ?1->>'id', value FROM json_each(?1, '$.friends')",
      ],
      "Chat": ["INSERT INTO chat SELECT ?1->>'id', ?1->>'title', ?1->>'createdAt'"],
      "Message": [
        """
        INSERT INTO message SELECT ?1->>'id', ?1->>'text', ?1->>'likes', ?1->>'createdAt', ?1->>'author', ?1->>'chat',
          ?1->>'replyTo'
        """
      ],
    ]
    for source in sources {
      let prepared = try (statements[source.type] ?? []).map(database.prepare)
      try source.bytes.withUnsafeBufferPointer { bytes in
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
          for statement in prepared {
            statement.bind(1, borrowing: UnsafeBufferPointer(rebasing: bytes[start..<end]))
            try statement.run()
          }
          start = end + 1
        }
      }
    }
    try database.execute("COMMIT")
    try database.execute(indexes)
  }

  /// Fills the tables from values at hand, without any parsing: the fastest way there is.
  static func load(_ database: SQLiteDatabase, network: SocialNetwork) throws {
    try database.execute(tables)
    try database.execute("BEGIN")
    try loadUsers(database, network.users)
    let chat = try database.prepare("INSERT INTO chat VALUES(?1, ?2, ?3)")
    for row in 0..<network.chats.createdAt.count {
      chat.bind(1, row + 1)
      chat.bind(2, network.chats.title[row])
      chat.bind(3, Timestamp.text(network.chats.createdAt[row]))
      try chat.run()
    }
    let messages = network.messages
    let message = try database.prepare("INSERT INTO message VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    var moment: [UInt8] = []
    try messages.text.bytes.withUnsafeBufferPointer { texts in
      for row in 0..<messages.likes.count {
        moment.removeAll(keepingCapacity: true)
        Timestamp.write(messages.createdAt[row], to: &moment)
        try moment.withUnsafeBufferPointer { moment in
          message.bind(1, row + 1)
          message.bind(2, borrowing: UnsafeBufferPointer(rebasing: texts[messages.text.range(row)]))
          message.bind(3, messages.likes[row])
          message.bind(4, borrowing: moment)
          message.bind(5, Int(messages.author[row]))
          message.bind(6, Int(messages.chat[row]))
          if messages.replyTo[row] > 0 { message.bind(7, Int(messages.replyTo[row])) } else { message.bindNull(7) }
          try message.run()
        }
      }
    }
    try database.execute("COMMIT")
    try database.execute(indexes)
  }

  private static func loadUsers(_ database: SQLiteDatabase, _ users: SocialNetwork.Users) throws {
    let user = try database.prepare("INSERT INTO user VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
    let membership = try database.prepare("INSERT INTO membership VALUES(?1, ?2)")
    let friendship = try database.prepare("INSERT INTO friendship VALUES(?1, ?2)")
    for row in 0..<users.score.count {
      user.bind(1, row + 1)
      user.bind(2, users.email[row])
      user.bind(3, users.firstName[row])
      user.bind(4, users.lastName[row])
      user.bind(5, users.city[row])
      user.bind(6, users.zip[row])
      if let age = users.age[row] { user.bind(7, age) } else { user.bindNull(7) }
      user.bind(8, users.score[row])
      user.bind(9, SocialNetwork.statuses[users.status[row]])
      user.bind(10, Timestamp.text(users.createdAt[row]))
      if users.hasBio[row] { user.bind(11, users.bio[row]) } else { user.bindNull(11) }
      try user.run()
      for (statement, others) in [(membership, users.chats[row]), (friendship, users.friends[row])] {
        for other in others {
          statement.bind(1, row + 1)
          statement.bind(2, Int(other))
          try statement.run()
        }
      }
    }
  }
}
