import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Many entities with links to one: what is done for each must not look at all of the others.
@Suite(.serialized) struct ManyLinksTests {
  private let social = SocialFixture()

  /// Nanoseconds of this thread, so that others on the machine do not count.
  private func time(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
  }

  /// Ten times as many take about ten times as long; a hundred times, where each looks at all others.
  private func expectLinear(
    _ prepare: (Int) throws -> Snapshot, at location: SourceLocation = #_sourceLocation,
    _ body: (WriteTransaction, Int) throws -> Void
  ) throws {
    var least: [Double] = []
    for count in [1_000, 10_000] {
      let base = try prepare(count)
      let digest = base.memoryDigest
      var times: [Double] = []
      var last: Snapshot?
      for _ in 0..<3 {
        times.append(
          try time {
            let transaction = WriteTransaction(base)
            try body(transaction, count)
            last = transaction.commit()
          })
      }
      least.append(times.min() ?? 0)
      #expect(base.memoryDigest == digest && last?.check() == [], sourceLocation: location)
    }
    #expect(least[1] < 20 * least[0], "\(least[0] / 1e6) ms, then \(least[1] / 1e6) ms", sourceLocation: location)
  }

  /// Message 0… of one author, in one chat, which they need; the author is user 0, the chat is chat 0.
  private func messages(_ count: Int, haveAuthor: Bool = true) throws -> WriteTransaction {
    let transaction = WriteTransaction(social.empty)
    transaction.beginBulk()
    let author = try social.insertUser(transaction, "author")
    let chat = try social.insertChat(transaction, 0)
    for number in 0..<count {
      let message = try social.insertMessage(transaction, number)
      if haveAuthor { transaction.linkBulk(social.author, source: message, target: author) }
      transaction.linkBulk(social.chatOfMessage, source: message, target: chat)
    }
    try transaction.endBulk()
    return transaction
  }

  /// Friends of user 0.
  private func friends(_ count: Int) throws -> WriteTransaction {
    let transaction = WriteTransaction(social.empty)
    transaction.beginBulk()
    let first = try social.insertUser(transaction, "first")
    for number in 0..<count {
      let friend = try social.insertUser(transaction, "u\(number)")
      transaction.linkBulk(social.friends, source: first, target: friend)
    }
    try transaction.endBulk()
    return transaction
  }

  private func rows(_ range: Range<Int>) -> [UInt32] { range.map { UInt32($0) } }

  private func deletedMessages(_ count: Int) throws -> Snapshot {
    let transaction = try messages(count)
    // In two goes, so that suspended links join suspended ones.
    try transaction.delete(social.message, rows: rows(0..<count / 2), keeps: true)
    try transaction.delete(social.message, rows: rows(count / 2..<count), keeps: true)
    return transaction.commit()
  }

  @Test func restoringTheTargetsOfOne() throws {
    try expectLinear(deletedMessages) { transaction, count in
      try transaction.restore(social.message, rows: rows(0..<count))
      let snapshot = transaction.snapshot()
      #expect(snapshot.links(social.messages, 0) == rows(0..<count))
      #expect(snapshot.links(social.posts, 0) == rows(0..<count))
    }
  }

  @Test func restoringFriendsOfOne() throws {
    func prepare(_ count: Int) throws -> Snapshot {
      let transaction = try friends(count)
      try transaction.delete(social.user, rows: rows(1..<count / 2), keeps: true)
      try transaction.delete(social.user, rows: rows(count / 2..<count + 1), keeps: true)
      return transaction.commit()
    }
    try expectLinear(prepare) { transaction, count in
      // Every third one stays deleted.
      try transaction.restore(social.user, rows: rows(1..<count + 1).filter { $0 % 3 != 0 })
      #expect(transaction.snapshot().links(social.friends, 0) == rows(1..<count + 1).filter { $0 % 3 != 0 })
    }
  }

  @Test func purgingTheDeletedTargetsOfOne() throws {
    try expectLinear(deletedMessages) { transaction, count in
      try transaction.delete(social.message, rows: rows(0..<count - 1), keeps: false)
      try transaction.restore(social.message, UInt32(count - 1))
      #expect(transaction.snapshot().links(social.messages, 0) == [UInt32(count - 1)])
    }
  }

  @Test func takingTheKeysOfTheDeletedTargetsOfOne() throws {
    try expectLinear(deletedMessages) { transaction, count in
      for number in 0..<count { _ = try social.insertMessage(transaction, number, chat: 0) }
      let snapshot = transaction.snapshot()
      #expect(snapshot.deletedCount(social.message) == 0)
      #expect(snapshot.links(social.posts, 0) == rows(count..<2 * count))
    }
  }

  // MARK: - Links that wait

  private static let late = TestValue.text("an identifier of more than one cell")

  /// Messages whose author is not there; every other one is deleted.
  private func waiting(_ count: Int) throws -> Snapshot {
    let transaction = try messages(count, haveAuthor: false)
    for row in rows(0..<count) {
      transaction.rememberDangling(social.author, source: row, key: Self.late.cell)
    }
    try transaction.delete(social.message, rows: rows(0..<count).filter { $0 % 2 == 1 }, keeps: true)
    return transaction.commit()
  }

  @Test func arrivingWhereManyWait() throws {
    try expectLinear(waiting) { transaction, count in
      let author = try social.insertUser(transaction, "an identifier of more than one cell")
      #expect(transaction.danglingCount == 0)
      #expect(transaction.snapshot().links(social.messages, author) == rows(0..<count).filter { $0 % 2 == 0 })
      try transaction.restore(social.message, rows: rows(0..<count).filter { $0 % 2 == 1 })
      #expect(transaction.snapshot().links(social.messages, author) == rows(0..<count))
    }
  }

  @Test func waitingNoLonger() throws {
    try expectLinear(waiting) { transaction, count in
      for row in rows(0..<count / 2) { transaction.forgetDangling(social.author, source: row) }
      #expect(transaction.danglingCount == count / 2)
      try transaction.delete(social.message, rows: rows(count / 2..<count), keeps: false)
      #expect(transaction.danglingCount == 0)
    }
  }

  @Test func waitingForMany() throws {
    func prepare(_ count: Int) throws -> Snapshot {
      let transaction = WriteTransaction(social.empty)
      let chat = try social.insertChat(transaction, 0)
      for number in 0..<count {
        transaction.rememberDangling(social.members, source: chat, key: TestValue.text("u\(number)").cell)
      }
      return transaction.commit()
    }
    try expectLinear(prepare) { transaction, count in
      for number in 0..<count { _ = try social.insertUser(transaction, "u\(number)") }
      #expect(transaction.danglingCount == 0)
      #expect(transaction.snapshot().links(social.members, 0) == rows(0..<count))
    }
  }

  /// Arriving and restoring look whether they are to stop while they go through what waits.
  @Test func arrivalsCanBeStopped() throws {
    let base = try waiting(2_000)
    let digest = base.memoryDigest
    var calls = 0
    var limit = Int.max
    func insert() throws -> Snapshot {
      let transaction = WriteTransaction(base)
      calls = 0
      transaction.isStopped = { _ in
        calls += 1
        return calls == limit
      }
      _ = try social.insertUser(transaction, "an identifier of more than one cell")
      return transaction.commit()
    }
    _ = try insert()
    #expect(calls >= 2_000 / 128)
    limit = calls / 2
    #expect(throws: StoreProblem.stopped) { _ = try insert() }
    #expect(calls == limit && base.memoryDigest == digest && base.danglingCount == 2_000)
  }

  // MARK: - Keys

  /// Two of what is restored have one key: one got it while both were deleted.
  @Test(arguments: [[UInt32(0), 1], [1, 0]]) func keysOfWhatIsRestoredTogether(_ order: [UInt32]) throws {
    let transaction = WriteTransaction(social.empty)
    _ = try social.insertUser(transaction, "anna", email: "a@example.org")
    _ = try social.insertUser(transaction, "bert", email: "b@example.org")
    try transaction.setReference(social.spouse, source: 0, target: 1)
    try transaction.delete(social.user, rows: [0, 1], keeps: true)
    try transaction.writeDeleted(social.user, 1, ColumnID(3), TestValue.text("a@example.org").cell)
    let base = transaction.commit()
    let digest = base.memoryDigest
    let next = WriteTransaction(base)
    #expect(throws: StoreProblem.uniqueViolation(index: social.byEmail, existing: order[0], row: order[1])) {
      try next.restore(social.user, rows: order)
    }
    // The call changes nothing; what is committed is what was there.
    let same = next.commit()
    #expect(same.memoryDigest == digest && base.memoryDigest == digest && same.check().isEmpty)
    let alone = WriteTransaction(same)
    try alone.restore(social.user, 1)
    let restored = alone.commit()
    #expect(restored.check().isEmpty && restored.links(social.spouse, 1) == [])
  }

  @Test func restoringTogetherWhatWasDeletedApart() throws {
    let transaction = WriteTransaction(social.empty)
    let chat = try social.insertChat(transaction, 0)
    let first = try social.insertMessage(transaction, 1, chat: chat)
    let second = try social.insertMessage(transaction, 2, chat: chat)
    try transaction.setReference(social.parent, source: first, target: second)
    try transaction.delete(social.message, first)
    try transaction.delete(social.message, second)
    try transaction.restore(social.message, rows: [first, second])
    let snapshot = transaction.commit()
    #expect(snapshot.links(social.replies, second) == [first] && snapshot.links(social.posts, chat) == [first, second])
    #expect(snapshot.check().isEmpty)
  }

  /// A to-one relation that was written between two deletions keeps what it was given, though all come back together.
  @Test func restoringTogetherWhatWasRelinked() throws {
    let transaction = WriteTransaction(social.empty)
    let users = try (0..<3).map { try social.insertUser(transaction, "u\($0)") }
    try transaction.setReference(social.spouse, source: users[0], target: users[1])
    try transaction.delete(social.user, users[0])
    try transaction.setReference(social.spouse, source: users[1], target: users[2])
    try transaction.delete(social.user, users[1])
    try transaction.delete(social.user, users[2])
    try transaction.restore(social.user, rows: users)
    let snapshot = transaction.commit()
    #expect(snapshot.links(social.spouse, users[0]) == [])
    #expect(snapshot.links(social.spouse, users[1]) == [users[2]])
    #expect(snapshot.links(social.spouse, users[2]) == [users[1]])
    #expect(snapshot.check().isEmpty)
  }

  /// One deletion after the other in one transaction, in no order: each link is suspended at its place, and comes back there.
  @Test func deletedAndRestoredOneByOne() throws {
    let count = 700
    let base = try messages(count).commit()
    let whole = base.links(social.messages, 0)
    #expect(whole.count == count)
    let rows = (0..<count).map { whole[$0 * 7919 % count] }
    let deleting = WriteTransaction(base)
    for row in rows.prefix(600) { _ = try deleting.delete(social.message, rows: [row], keeps: true) }
    let rest = deleting.commit()
    #expect(rest.check() == [] && base.check() == [])
    let gone = Set(rows.prefix(600))
    #expect(rest.links(social.messages, 0) == whole.filter { !gone.contains($0) })
    #expect(rest.remembered(social.messages, 0, .any).elementsEqual(whole))
    #expect(rest.remembered(social.messages, 0, .deleted).elementsEqual(whole.filter(gone.contains)))
    // The same as if each had a transaction of its own.
    var single = base
    for row in rows.prefix(600) {
      let transaction = WriteTransaction(single)
      _ = try transaction.delete(social.message, rows: [row], keeps: true)
      single = transaction.commit()
    }
    #expect(single.check() == [] && single.links(social.messages, 0) == rest.links(social.messages, 0))
    for snapshot in [rest, single] {
      let restoring = WriteTransaction(snapshot)
      for row in rows.prefix(600).reversed().sorted(by: { $0 % 13 < $1 % 13 }) {
        try restoring.restore(social.message, row)
      }
      let back = restoring.commit()
      #expect(back.check() == [] && back.links(social.messages, 0) == whole)
    }
  }
}
