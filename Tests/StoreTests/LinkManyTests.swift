import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// Links that are written together: the same as one by one, and each list is gone through once.
@Suite struct LinkManyTests {
  private let social = SocialFixture()

  /// As many messages, the first half of them of user 0, the others of user 1; users 2 and 3 have none.
  private func messages(_ count: Int) throws -> WriteTransaction {
    let transaction = WriteTransaction(social.empty)
    transaction.beginBulk()
    var users: [UInt32] = []
    for number in 0..<4 { users.append(try social.insertUser(transaction, "u\(number)")) }
    let chat = try social.insertChat(transaction, 0)
    for number in 0..<count {
      let message = try social.insertMessage(transaction, number)
      transaction.linkBulk(social.author, source: message, target: users[number < count / 2 ? 0 : 1])
      transaction.linkBulk(social.chatOfMessage, source: message, target: chat)
    }
    try transaction.endBulk()
    return transaction
  }

  /// How often somebody is asked whether to stop: what takes long asks often.
  private func looks(_ count: Int, _ body: (WriteTransaction, [UInt32]) throws -> Void) throws -> Int {
    let transaction = try messages(count)
    var looks = 0
    transaction.isStopped = { _ in
      looks += 1
      return false
    }
    try body(transaction, (0..<count).map { UInt32($0) })
    transaction.isStopped = nil
    #expect(transaction.commit().check() == [])
    return looks
  }

  @Test("lists that many leave are gone through once") func isLinear() throws {
    let changes: [(WriteTransaction, [UInt32]) throws -> Void] = [
      { try $0.appendReferences(self.social.messages, source: 2, targets: $1) },
      { transaction, rows in
        try rows.withUnsafeBufferPointer { (rows) throws(StoreProblem) in
          try transaction.setReferences(self.social.messages, source: 2, targets: rows)
        }
      },
      { try $0.removeReferences(self.social.messages, source: 0, targets: $1) },
      { transaction, rows in
        try transaction.leaveLists(self.social.author, sources: rows)
        for row in rows { try transaction.setReference(self.social.author, source: row, target: 2) }
      },
    ]
    for change in changes {
      // Two looks for 128 links; one by one, each link would go through some thousand others.
      let few = try looks(4_000, change)
      let many = try looks(16_000, change)
      #expect(few < 200 && many < 5 * max(few, 40), "\(few), then \(many)")
    }
  }

  @Test("the same as one by one", arguments: 0..<40) func isTheSameAsOneByOne(_ seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let base = try messages(40)
    // Some are of nobody, some deleted, so that lists have suspended links.
    for _ in 0..<6 { try base.setReference(social.author, source: UInt32(random.below(40)), target: nil) }
    for _ in 0..<5 {
      let row = UInt32(random.below(40))
      if base.isLive(social.message, row) { try base.delete(social.message, row) }
    }
    let snapshot = base.commit()
    let rows = (0..<random.below(30)).map { _ in UInt32(random.below(40)) }.filter {
      snapshot.isLive(social.message, $0)
    }
    let user = UInt32(random.below(4))
    let together = WriteTransaction(snapshot)
    let single = WriteTransaction(snapshot)
    switch seed % 3 {
    case 0:
      try together.appendReferences(social.messages, source: user, targets: rows)
      for row in rows { try single.appendReference(social.messages, source: user, target: row) }
    case 1:
      try together.removeReferences(social.messages, source: user, targets: rows)
      for row in rows { try single.removeReference(social.messages, source: user, target: row) }
    default:
      let moved = rows.filter { snapshot.links(social.author, $0) != [user] }
      try together.leaveLists(social.author, sources: moved)
      for row in rows {
        try together.setReference(social.author, source: row, target: user)
        try single.setReference(social.author, source: row, target: user)
      }
    }
    let first = together.commit()
    let second = single.commit()
    #expect(first.check() == [] && second.check() == [])
    for user in UInt32(0)..<4 { #expect(first.links(social.messages, user) == second.links(social.messages, user)) }
    for row in UInt32(0)..<40 { #expect(first.links(social.author, row) == second.links(social.author, row)) }
    // Suspended links come back at the same places.
    for snapshot in [first, second] {
      let deleted = (UInt32(0)..<40).filter { snapshot.isDeleted(social.message, $0) }
      let transaction = WriteTransaction(snapshot)
      for row in deleted { try transaction.restore(social.message, row) }
      let restored = transaction.commit()
      if snapshot === first { continue }
      let other = WriteTransaction(first)
      for row in deleted { try other.restore(social.message, row) }
      let others = other.commit()
      for user in UInt32(0)..<4 {
        #expect(restored.links(social.messages, user) == others.links(social.messages, user))
      }
    }
  }
}
