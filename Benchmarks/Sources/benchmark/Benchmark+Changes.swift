import SocialNetwork

/// Prepared statements that change the data, the same ones in both engines; afterwards both hold the same.
struct ChangeCase {
  enum Mode {
    /// Each statement is a transaction.
    case single
    /// All statements of a round are one transaction.
    case together
  }
  var name: String
  var summary: String
  var mode: Mode
  /// Statements a round.
  var count: Int
  var document: String
  var parameters: [String]
  var sql: [String]
  var goal: Double?
  /// The parameters of a statement; each number comes once.
  var values: (Int) -> [Parameter]

  init(
    _ name: String, _ summary: String, _ mode: Mode = .single, count: Int, goal: Double? = nil, _ document: String,
    parameters: [String], sql: [String], values: @escaping (Int) -> [Parameter]
  ) {
    self.name = name
    self.summary = summary
    self.mode = mode
    self.count = count
    self.goal = goal
    self.document = document
    self.parameters = parameters
    self.sql = sql
    self.values = values
  }
}

extension Benchmark {
  private static let rounds = 12

  /// The rows that change data: after all others, since the data are others then.
  func measureChanges(_ engine: Engine?, _ sqlite: SQLiteDatabase) throws {
    let cases = changes.filter { options.includes($0.name) }
    if !cases.isEmpty {
      // What only `top3` uses need not be kept up to date.
      try sqlite.execute("DROP INDEX message_chat_createdAt")
      for change in cases { try measure(change, engine, sqlite) }
      if let engine { try compareChanged(engine, sqlite) }
    }
    if options.includes("insert_two") || options.includes("insert_one") { try measureTwoIndexes() }
    if options.includes("insert_fts") || options.includes("insert_fts_tx") { try measureTextInserts() }
  }

  // MARK: Cases

  var changes: [ChangeCase] {
    let users = network.users.score.count
    let chats = network.chats.createdAt.count
    let messages = network.messages.likes.count
    let texts = network.messages.text
    var random = RandomSource(seed: 77)
    // Each message and user once, in an order that says nothing.
    func shuffled(_ count: Int) -> [Int] {
      var order = Array(1...count)
      for place in order.indices { order.swapAt(place, place + random.below(count - place)) }
      return order
    }
    let anyMessage = shuffled(messages)
    let anyUser = shuffled(users)
    let inserted: (Int) -> [Parameter] = { number in
      let source = number % messages
      return [
        .integer(messages + 1 + number), .text(texts[source]),
        .text(
          // Each moment once: the modulus is a prime.
          Timestamp.text(SocialNetwork.firstMoment + SocialNetwork.span + number * 7919 % 1_000_003)),
        .integer(anyUser[number % users]), .integer(1 + number * 31 % chats), .integer(anyMessage[number % messages]),
      ]
    }
    let insert = """
      mutation($id: ID!, $text: String!, $at: DateTime!, $author: ID!, $chat: ID!, $reply: ID) {
        insertMessage(data: {id: $id, text: $text, likes: 0, createdAt: $at, author: $author, chat: $chat, replyTo: $reply})
      }
      """
    let insertParameters = ["id", "text", "at", "author", "chat", "reply"]
    let insertSQL = ["INSERT INTO message VALUES(?1, ?2, 0, ?3, ?4, ?5, ?6)"]
    let count = 2_000
    return [
      ChangeCase(
        "insert", "a message with three links, a transaction each", count: count, insert, parameters: insertParameters,
        sql: insertSQL, values: inserted),
      ChangeCase(
        "insert_tx", "the same, one transaction", .together, count: count, insert, parameters: insertParameters,
        sql: insertSQL
      ) { inserted($0 + (Self.rounds + 1) * count) },
      ChangeCase(
        "update", "an unindexed number of a message", count: count,
        "mutation($id: ID!, $n: Int!) { updateMessage(where: id == $id, set: {likes: likes + $n}) }",
        parameters: ["id", "n"], sql: ["UPDATE message SET likes = likes + ?2 WHERE id = ?1"]
      ) { [.integer(anyMessage[$0 % messages]), .integer($0 % 100)] },
      ChangeCase(
        "update_indexed", "an indexed number of a user", count: count,
        "mutation($id: ID!, $age: Int!) { updateUser(where: id == $id, set: {age: $age}) }",
        parameters: ["id", "age"], sql: ["UPDATE user SET age = ?2 WHERE id = ?1"]
      ) { [.integer(anyUser[$0 % users]), .integer(13 + $0 % 78)] },
      ChangeCase(
        "delete", "a message, replies to it being nullified", count: count,
        "mutation($id: ID!) { deleteMessage(where: id == $id) }", parameters: ["id"],
        sql: ["UPDATE message SET replyToId = NULL WHERE replyToId = ?1", "DELETE FROM message WHERE id = ?1"]
      ) { [.integer(anyMessage[$0 % messages])] },
    ]
  }

  /// Entities with two B-trees, in databases of their own.
  private func measureTwoIndexes() throws {
    let engine =
      options.isSQLiteOnly
      ? nil
      : try Engine(
        schema: "type Reading { id: ID! sensor: Int! @index at: Int! @index value: Float! }", sources: [])
    let sqlite = try SQLiteDatabase()
    try sqlite.execute(
      """
      CREATE TABLE reading(id INTEGER PRIMARY KEY, sensor INTEGER NOT NULL, at INTEGER NOT NULL, value REAL NOT NULL);
      CREATE INDEX reading_sensor ON reading(sensor);
      CREATE INDEX reading_at ON reading(at);
      """)
    let document = """
      mutation($id: ID!, $sensor: Int!, $at: Int!, $value: Float!) {
        insertReading(data: {id: $id, sensor: $sensor, at: $at, value: $value})
      }
      """
    let parameters = ["id", "sensor", "at", "value"]
    let sql = ["INSERT INTO reading VALUES(?1, ?2, ?3, ?4)"]
    func values(_ number: Int) -> [Parameter] {
      [.integer(number + 1), .integer(number * 7919 % 1000), .integer(number * 31), .integer(number % 500)]
    }
    let count = 50_000
    if options.includes("insert_two") {
      try measure(
        ChangeCase(
          "insert_two", "entities with two indexes, one transaction", .together, count: count, document,
          parameters: parameters, sql: sql, values: values), engine, sqlite)
    }
    if options.includes("insert_one") {
      try measure(
        ChangeCase(
          "insert_one", "the same, a transaction each", count: 2_000, document, parameters: parameters, sql: sql
        ) { values($0 + (Self.rounds + 1) * count) }, engine, sqlite)
    }
    if let engine {
      try compare(
        engine, sqlite,
        "{ n: count(Reading) s: sum(Reading.sensor) Reading(where: sensor == 7, orderBy: at) { id at } }",
        """
        SELECT json_object('n', (SELECT count(*) FROM reading), 's', (SELECT sum(sensor) FROM reading),
          'Reading', (SELECT json_group_array(json_object('id', id, 'at', at)) FROM
            (SELECT id, at FROM reading WHERE sensor = 7 ORDER BY at)))
        """)
    }
  }

  /// Texts into a full-text index that has those of all messages, in databases of their own. SQLite does with a trigger
  /// what its documentation recommends.
  private func measureTextInserts() throws {
    let textSchema = #"type Message { id: ID! text: String! @fulltext(language: "none") }"#
    let engine =
      options.isSQLiteOnly
      ? nil : try Engine(schema: textSchema, sources: [(type: "Message", bytes: messageTexts())])
    let sqlite = try SQLiteDatabase()
    let texts = network.messages.text
    try sqlite.execute(
      """
      CREATE TABLE message(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
      BEGIN
      """)
    let fill = try sqlite.prepare("INSERT INTO message VALUES(?1, ?2)")
    for row in 0..<texts.count { try fill.run([.integer(row + 1), .text(texts[row])]) }
    try sqlite.execute(
      """
      COMMIT;
      CREATE VIRTUAL TABLE message_text
        USING fts5(text, content = 'message', content_rowid = 'id', tokenize = 'unicode61');
      INSERT INTO message_text(message_text) VALUES('rebuild');
      INSERT INTO message_text(message_text) VALUES('optimize');
      CREATE TRIGGER message_insert AFTER INSERT ON message BEGIN
        INSERT INTO message_text(rowid, text) VALUES(new.id, new.text);
      END
      """)
    let count = 1_000
    func values(_ number: Int) -> [Parameter] {
      [.integer(texts.count + 1 + number), .text(texts[number * 7919 % texts.count])]
    }
    let document = "mutation($id: ID!, $text: String!) { insertMessage(data: {id: $id, text: $text}) }"
    let sql = ["INSERT INTO message VALUES(?1, ?2)"]
    if options.includes("insert_fts") {
      try measure(
        ChangeCase(
          "insert_fts", "a text into a full-text index, a transaction each", count: count, document,
          parameters: ["id", "text"], sql: sql, values: values), engine, sqlite)
    }
    if options.includes("insert_fts_tx") {
      try measure(
        ChangeCase(
          "insert_fts_tx", "the same, one transaction", .together, count: count, document, parameters: ["id", "text"],
          sql: sql
        ) { values($0 + (Self.rounds + 1) * count) }, engine, sqlite)
    }
    guard let engine else { return }
    for word in commonTextWords.prefix(40) {
      try compare(
        engine, sqlite,
        "{ n: count(Message) found: count(Message(where: text matches \"\(word)\")) Message(where: id > \(texts.count) and text matches \"\(word)\", orderBy: id) { id } }",
        """
        SELECT json_object('n', (SELECT count(*) FROM message),
          'found', (SELECT count(*) FROM message_text WHERE message_text MATCH '"\(word)"'),
          'Message', (SELECT json_group_array(json_object('id', found)) FROM
            (SELECT rowid AS found FROM message_text WHERE message_text MATCH '"\(word)"' AND rowid > \(texts.count)
             ORDER BY rowid)))
        """)
    }
  }

  /// Words of the texts, the most common first.
  private var commonTextWords: [String] { QueryCases(network).commonWords.filter { $0.allSatisfy(\.isLetter) } }

  // MARK: Measuring

  private func measure(_ change: ChangeCase, _ engine: Engine?, _ sqlite: SQLiteDatabase) throws {
    let clock = ContinuousClock()
    let statements = try change.sql.map(sqlite.prepare)
    let prepared = try engine?.prepare(change.document)
    var ours = Measurement()
    var theirs = Measurement()
    var answer: [UInt8] = []
    // The first round warms up.
    for round in 0...Self.rounds {
      let values = (0..<change.count).map { change.values(round * change.count + $0) }
      if let engine, let prepared {
        let variables = values.map { prepared.variables(Array(zip(change.parameters, $0)).map { ($0, $1) }) }
        let elapsed = try clock.measure {
          switch change.mode {
          case .single: for set in variables { try prepared.run(set, into: &answer) }
          case .together: try engine.together(prepared, variables)
          }
        }
        if round > 0 { ours.add(elapsed.nanoseconds / Double(change.count)) }
      }
      let elapsed = try clock.measure {
        if change.mode == .together { try sqlite.execute("BEGIN") }
        for set in values { for statement in statements { try statement.run(set) } }
        if change.mode == .together { try sqlite.execute("COMMIT") }
      }
      if round > 0 { theirs.add(elapsed.nanoseconds / Double(change.count)) }
    }
    report.row(
      ReportRow(
        name: change.name, summary: change.summary, engine: engine == nil ? nil : ours.median,
        engineMinimum: engine == nil ? nil : ours.minimum, sqlite: theirs.median, sqliteMinimum: theirs.minimum,
        bytes: answer.count, goal: change.goal))
  }

  // MARK: Comparing

  /// What the changes have touched must be the same in both.
  private func compareChanged(_ engine: Engine, _ sqlite: SQLiteDatabase) throws {
    let first = network.messages.likes.count
    try compare(
      engine, sqlite,
      """
      {
        n: count(Message)
        likes: sum(Message.likes)
        roots: count(Message(where: replyTo == null))
        Message(where: id > \(first), orderBy: createdAt) { id text likes createdAt author { id } chat { id } replyTo { id } }
      }
      """,
      """
      SELECT json_object('n', (SELECT count(*) FROM message), 'likes', (SELECT sum(likes) FROM message),
        'roots', (SELECT count(*) FROM message WHERE replyToId IS NULL),
        'Message', (SELECT json_group_array(json_object('id', id, 'text', text, 'likes', likes, 'createdAt', createdAt,
          'author', json_object('id', authorId), 'chat', json_object('id', chatId), 'replyTo',
          CASE WHEN replyToId IS NULL THEN NULL ELSE json_object('id', replyToId) END))
          FROM (SELECT * FROM message WHERE id > \(first) ORDER BY createdAt)))
      """)
    try compare(
      engine, sqlite, "{ User { age n: count(messages) } Chat { n: count(messages) } }",
      """
      SELECT json_object('User', (SELECT json_group_array(json_object('age', age, 'n', n)) FROM
          (SELECT age, (SELECT count(*) FROM message WHERE authorId = user.id) n FROM user ORDER BY id)),
        'Chat', (SELECT json_group_array(json_object('n', n)) FROM
          (SELECT (SELECT count(*) FROM message WHERE chatId = chat.id) n FROM chat ORDER BY id)))
      """)
    report.note("the changed data are the same in both")
  }

  private func compare(_ engine: Engine, _ sqlite: SQLiteDatabase, _ document: String, _ sql: String) throws {
    let prepared = try engine.prepare(document)
    var answer: [UInt8] = []
    try prepared.run(prepared.variables([]), into: &answer)
    let expected = try sqlite.prepare(sql).answer([]) { Array($0) }
    if let difference = JSONComparison.difference(answer, expected) {
      throw Failure("after the changes the data differ\n\(difference)")
    }
  }
}
