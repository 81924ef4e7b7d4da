import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

@Suite struct BulkTests {
  let social = SocialFixture()

  /// The same users, messages, chats and links, as a bulk or one by one.
  private func load(_ base: Snapshot, first: Int, count: Int, seed: Int, isBulk: Bool) throws -> Snapshot {
    var random = SeededRandom(UInt64(seed))
    let transaction = WriteTransaction(base)
    if isBulk { transaction.beginBulk() }
    func link(_ relation: RelationID, _ source: UInt32, _ target: UInt32) throws {
      if isBulk {
        transaction.linkBulk(relation, source: source, target: target)
      } else {
        try transaction.appendReference(relation, source: source, target: target)
      }
    }
    var later: [(RelationID, UInt32, UInt32)] = []
    for number in first..<(first + count) {
      let user = try social.insertUser(
        transaction, "user \(number)", name: random.chance(80) ? "Name \(random.below(20))" : nil,
        email: random.chance(50) ? "mail \(number)" : nil, city: random.chance(90) ? "city \(random.below(9))" : nil,
        age: random.chance(90) ? Int64(random.below(30)) : nil)
      let chat = try social.insertChat(transaction, number)
      for copy in 0..<3 {
        let message = try transaction.insert(
          social.message,
          [
            .int(Int64(number * 3 + copy)), .text("text \(number)"), .int(Int64(random.below(99))), .null, .null, .null,
            .null,
          ])
        later.append((social.chatOfMessage, message, UInt32(random.below(Int(chat) + 1))))
        if random.chance(70) { later.append((social.author, message, UInt32(random.below(Int(user) + 1)))) }
      }
      for _ in 0..<4 {
        later.append((social.members, chat, UInt32(random.below(Int(user) + 1))))
        later.append((social.friends, user, UInt32(random.below(Int(user) + 1))))
      }
    }
    // Relation by relation, as a bulk makes links.
    for id in [social.friends, social.members, social.author, social.chatOfMessage] {
      for (relation, source, target) in later where relation == id { try link(relation, source, target) }
    }
    if isBulk { try transaction.endBulk() }
    return transaction.commit()
  }

  private func content(_ snapshot: Snapshot) -> [String] {
    var lines: [String] = []
    for row in 0..<UInt32(snapshot.slotCount(social.user)) {
      let texts = [0, 1, 2, 3, 4].map { snapshot.text(social.user, row, $0) ?? "-" }
      lines.append("\(texts) \(snapshot.links(social.messages, row)) \(snapshot.links(social.friends, row))")
      lines.append("\(snapshot.links(social.chats, row)) \(snapshot.int(social.user, row, 5) ?? -1)")
    }
    for row in 0..<UInt32(snapshot.slotCount(social.message)) {
      lines.append("\(snapshot.links(social.author, row)) \(snapshot.links(social.chatOfMessage, row))")
    }
    for row in 0..<UInt32(snapshot.slotCount(social.chat)) {
      lines.append("\(snapshot.links(social.posts, row)) \(snapshot.links(social.members, row))")
    }
    for city in 0..<10 { lines.append("\(snapshot.rows(social.byCity, [.text("city \(city)")]))") }
    lines.append("\(snapshot.walk(social.byAge, BTreeBounds(includesNulls: true), descending: true))")
    lines.append("\(snapshot.walk(social.byCreated, BTreeBounds()))")
    lines.append("\(snapshot.hashIndex(social.byNameFolded).distinctKeys)")
    return lines
  }

  @Test(arguments: 1...3) func bulkIsIncremental(seed: Int) throws {
    let bulk = try load(social.empty, first: 0, count: 400, seed: seed, isBulk: true)
    let single = try load(social.empty, first: 0, count: 400, seed: seed, isBulk: false)
    #expect(bulk.check().isEmpty, "seed \(seed)")
    #expect(single.check().isEmpty, "seed \(seed)")
    #expect(content(bulk) == content(single), "seed \(seed)")
    // Few rows more, then many rows more.
    for count in [5, 300] {
      let more = try load(bulk, first: 400, count: count, seed: seed, isBulk: true)
      let other = try load(single, first: 400, count: count, seed: seed, isBulk: false)
      #expect(more.check().isEmpty, "seed \(seed)")
      #expect(content(more) == content(other), "seed \(seed) count \(count)")
    }
    #expect(content(bulk) == content(single))
  }

  @Test func bothDirectionsAndTakeovers() throws {
    func load(isBulk: Bool) throws -> Snapshot {
      let transaction = WriteTransaction(social.empty)
      if isBulk { transaction.beginBulk() }
      let users = try (0..<3).map { try social.insertUser(transaction, "user \($0)") }
      let rows = try (0..<3).map { number in
        try transaction.insert(
          social.message, [.int(Int64(number)), .text("t"), .int(0), .null, .null, .null, .null])
      }
      let links = [
        (social.messages, users[0], rows[2]), (social.messages, users[0], rows[0]),
        (social.author, rows[1], users[1]), (social.author, rows[0], users[0]), (social.author, rows[0], users[2]),
      ]
      for (relation, source, target) in links {
        if isBulk {
          transaction.linkBulk(relation, source: source, target: target)
        } else {
          try transaction.appendReference(relation, source: source, target: target)
        }
      }
      if isBulk { try transaction.endBulk() }
      return transaction.commit()
    }
    let bulk = try load(isBulk: true)
    // They have no chat, which they must have.
    #expect(bulk.check() == (0..<3).map { .missingLink(social.chatOfMessage, source: $0) })
    #expect(content(bulk) == content(try load(isBulk: false)))
    #expect(bulk.links(social.messages, 1) == [1])
  }

  /// Two users that have one message contradict each other; a message that is written again has changed its mind.
  @Test func contradictions() throws {
    let messages = social.empty.catalog[social.messages]
    let author = social.empty.catalog[social.author]
    var claims = LinkClaims(messages, author)
    #expect(claims.add(1, 10, isBackward: false) == nil)
    #expect(claims.add(1, 11, isBackward: false) == nil)
    #expect(
      claims.add(2, 10, isBackward: false)
        == LinkContradiction(
          relation: author.id, row: 10, first: 1, second: 2, writer: messages.id, writerRow: 2))
    #expect(claims.add(3, 12, isBackward: true) == nil)
    #expect(claims.add(4, 12, isBackward: true) == nil)
    #expect(claims.add(4, 12, isBackward: false) == nil)
    #expect(
      claims.add(3, 11, isBackward: true)
        == LinkContradiction(
          relation: author.id, row: 11, first: 1, second: 3, writer: author.id, writerRow: 11))
    let transaction = WriteTransaction(social.empty)
    transaction.beginBulk()
    let users = try (0..<2).map { try social.insertUser(transaction, "user \($0)") }
    let row = try transaction.insert(social.message, [.int(0), .text("t"), .int(0), .null, .null, .null, .null])
    for user in users { transaction.linkBulk(social.messages, source: user, target: row) }
    #expect(
      throws: StoreProblem.contradiction(
        LinkContradiction(
          relation: author.id, row: row, first: users[0], second: users[1], writer: messages.id, writerRow: users[1]))
    ) { try transaction.endBulk() }
  }

  @Test func violationsNameBothRows() throws {
    let transaction = WriteTransaction(social.empty)
    transaction.beginBulk()
    for (number, mail) in ["a", "b", "c", "b"].enumerated() {
      _ = try social.insertUser(transaction, "user \(number)", email: mail)
    }
    #expect(throws: StoreProblem.uniqueViolation(index: social.userID, existing: 2, row: nil)) {
      try social.insertUser(transaction, "user 2")
    }
    #expect(throws: StoreProblem.uniqueViolation(index: social.byEmail, existing: 1, row: 3)) {
      try transaction.endBulk()
    }
  }

  @Test func changesWithinABulk() throws {
    var transaction = WriteTransaction(social.empty)
    let old = try social.insertUser(transaction, "old", city: "Rome", age: 1)
    transaction = WriteTransaction(transaction.commit())
    transaction.beginBulk()
    let new = try social.insertUser(transaction, "new", city: "Rome", age: 2)
    let gone = try social.insertUser(transaction, "gone", city: "Rome", age: 2)
    try transaction.update(social.user, old, 4, .text("Oslo"))
    try transaction.update(social.user, new, 5, .int(7))
    try transaction.delete(social.user, gone)
    try transaction.endBulk()
    let snapshot = transaction.commit()
    #expect(snapshot.rows(social.byCity, [.text("Rome")]) == [new])
    #expect(snapshot.rows(social.byCity, [.text("Oslo")]) == [old])
    #expect(snapshot.walk(social.byAge, BTreeBounds()) == [old, new])
    #expect(snapshot.check().isEmpty)
  }
}
