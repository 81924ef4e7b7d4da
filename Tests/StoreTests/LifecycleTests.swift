import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

@Suite struct LifecycleTests {
  let social = SocialFixture()

  @Test func timesOfManyRowsShareAPage() throws {
    let transaction = WriteTransaction(social.empty)
    transaction.now = 500
    transaction.beginBulk()
    for number in 0..<10_000 { _ = try social.insertUser(transaction, "u\(number)") }
    try transaction.endBulk()
    let snapshot = transaction.commit()
    let created = snapshot.table(social.user).columns[14]
    // Two pages at most: the one that stands nine times, and the last.
    #expect(created.byteCount < 3 * 8_400)
    #expect(snapshot.check().isEmpty)
    let next = WriteTransaction(snapshot)
    next.now = 600
    try next.update(social.user, 5_000, 5, .int(1))
    let changed = next.commit()
    #expect(changed.int(social.user, 5_000, 14) == 500)
    #expect(changed.int(social.user, 5_000, 15) == 600)
    // The neighbours in the shared page, and the same place of other pages.
    for row: UInt32 in [4_999, 5_001, 5_000 - 1_024, 5_000 + 1_024, 0] {
      #expect(changed.int(social.user, row, 15) == 500)
    }
    #expect(snapshot.int(social.user, 5_000, 15) == 500)
    #expect(changed.check().isEmpty)
  }

  /// Rows of a range of times: all that are within, whether found by halving or by pages.
  private func rows(_ snapshot: Snapshot, _ column: Int, _ times: ClosedRange<Int64>) -> [Int] {
    var found: [Int] = []
    snapshot.forEachRange(social.user, ColumnID(column), within: times) { range, isTested in
      for row in range where !isTested || times.contains(snapshot.int(social.user, UInt32(row), column) ?? .min) {
        found.append(row)
      }
    }
    return found
  }

  @Test func rangesOfTimes() throws {
    let transaction = WriteTransaction(social.empty)
    for number in 0..<3_000 {
      transaction.now = Int64(number / 3)
      _ = try social.insertUser(transaction, "u\(number)")
    }
    var snapshot = transaction.commit()
    #expect(rows(snapshot, 14, 100...101) == Array(300..<306))
    #expect(rows(snapshot, 14, -5 ... -1) == [])
    #expect(rows(snapshot, 14, .min ... .max) == Array(0..<3_000))
    #expect(rows(snapshot, 14, 999 ... .max) == Array(2_997..<3_000))
    let next = WriteTransaction(snapshot)
    next.now = 5_000
    try next.update(social.user, 7, 5, .int(1))
    snapshot = next.commit()
    // Twice more than the scans after which pages know their bounds.
    for _ in 0..<4 {
      #expect(rows(snapshot, 15, 5_000 ... .max) == [7])
      #expect(rows(snapshot, 15, 0...2) == [0, 1, 2, 3, 4, 5, 6, 8])
      #expect(rows(snapshot, 15, 998...999) == Array(2_994..<3_000))
    }
  }

  /// A chat with 300 messages, each a reply to the one before.
  private func longChat() throws -> (Snapshot, UInt32) {
    let transaction = WriteTransaction(social.empty)
    let chat = try social.insertChat(transaction, 1)
    var last: UInt32?
    for number in 0..<300 {
      let message = try social.insertMessage(transaction, number, chat: chat)
      if let last { try transaction.setReference(social.parent, source: message, target: last) }
      last = message
    }
    return (transaction.commit(), chat)
  }

  /// What goes with several of a chain, each once, however they stand.
  @Test func cascadesOfManyAreLinear() throws {
    let (base, chat) = try longChat()
    let chain = Array(base.column(social.chat, ColumnID(1)).references(chat))
    func work(_ rows: [UInt32]) throws -> (rows: [UInt32], calls: Int) {
      let transaction = WriteTransaction(base)
      var calls = 0
      transaction.isStopped = { _ in
        calls += 1
        return false
      }
      return (try transaction.cascade(from: rows.map { DeletedRow(type: social.message, row: $0) }).map(\.row), calls)
    }
    #expect(chain.count == 300)
    let (rows, calls) = try work(chain)
    #expect(rows == chain && calls <= 300 / 128)
    let (reversed, others) = try work(chain.reversed())
    #expect(reversed == chain.reversed() && others <= 300 / 128)
    // Each has what goes with it behind it.
    #expect(try work([chain[200], chain[100], chain[250]]).rows == Array(chain[200...]) + Array(chain[100..<200]))
  }

  @Test(arguments: [true, false]) func deletionsAndTheirUndoingCanBeStopped(_ keeps: Bool) throws {
    let (base, chat) = try longChat()
    func count(_ base: Snapshot, stopAt limit: Int, _ body: (WriteTransaction) throws -> Void) throws -> Snapshot? {
      let digest = base.memoryDigest
      let transaction = WriteTransaction(base)
      var calls = 0
      transaction.isStopped = { bytes in
        #expect(bytes >= 0)
        calls += 1
        return calls == limit
      }
      do {
        try body(transaction)
        #expect(calls < limit && calls > 4)
        return transaction.commit()
      } catch StoreProblem.stopped {
        #expect(calls == limit && base.memoryDigest == digest)
        return nil
      }
    }
    var deleted: Snapshot?
    var limit = 1
    while deleted == nil {
      deleted = try count(base, stopAt: limit) { try $0.delete(social.chat, rows: [chat], keeps: keeps) }
      limit += 1
    }
    let after = try #require(deleted)
    #expect(after.check().isEmpty && after.liveCount(social.message) == 0 && base.check().isEmpty)
    #expect(after.deletedCount(social.message) == (keeps ? 300 : 0))
    guard keeps else { return }
    var restored: Snapshot?
    limit = 1
    while restored == nil {
      restored = try count(after, stopAt: limit) { try $0.restore(social.chat, chat) }
      limit += 1
    }
    let back = try #require(restored)
    #expect(back.check().isEmpty && back.liveCount(social.message) == 300 && after.check().isEmpty)
  }

  @Test func rollbackToACheckpoint() throws {
    let transaction = WriteTransaction(social.empty)
    let chat = try social.insertChat(transaction, 1)
    let first = try social.insertMessage(transaction, 1, chat: chat)
    let checkpoint = transaction.checkpoint()
    _ = try social.insertMessage(transaction, 2, chat: chat)
    try transaction.delete(social.message, first)
    try transaction.purge(social.chat, chat)
    transaction.rollback(to: checkpoint)
    let second = try social.insertMessage(transaction, 3, chat: chat)
    transaction.rollback(to: checkpoint)
    #expect(try social.insertMessage(transaction, 4, chat: chat) == second)
    let snapshot = transaction.commit()
    #expect(snapshot.links(social.posts, chat) == [first, second])
    #expect(snapshot.int(social.message, second, 0) == 4)
    #expect(snapshot.deletedCount(social.message) == 0)
    #expect(snapshot.check().isEmpty)
  }

  /// Rows that a dropped transaction appended to a page that it shared are not there for the next one.
  @Test func droppedRowsLeaveNothing() throws {
    let transaction = WriteTransaction(social.empty)
    for number in 0..<10 { _ = try social.insertUser(transaction, "u\(number)", email: "e\(number)", age: 1) }
    let base = transaction.commit()
    let digest = base.memoryDigest
    let dropped = WriteTransaction(base)
    for number in 0..<5 { _ = try social.insertUser(dropped, "dropped\(number)", name: "x", age: 9) }
    let next = WriteTransaction(base)
    let row = try social.insertUser(next, "next", email: "next@example.org")
    let snapshot = next.commit()
    #expect(row == 10)
    #expect(snapshot.text(social.user, row, 0) == "next")
    #expect(snapshot.text(social.user, row, 1) == nil)
    #expect(snapshot.int(social.user, row, 5) == nil)
    #expect(snapshot.check().isEmpty)
    #expect(base.check().isEmpty)
    #expect(base.memoryDigest == digest)
  }

  @Test func restoringMeetsATakenKey() throws {
    let transaction = WriteTransaction(social.empty)
    let anna = try social.insertUser(transaction, "anna", email: "a@example.org")
    try transaction.delete(social.user, anna)
    #expect(transaction.deletedRow(social.user, key: [TestValue.text("anna").cell]) == anna)
    let bert = try social.insertUser(transaction, "bert", email: "a@example.org")
    #expect(throws: StoreProblem.uniqueViolation(index: social.byEmail, existing: bert, row: anna)) {
      try transaction.restore(social.user, anna)
    }
    try transaction.update(social.user, bert, 3, .null)
    #expect(try transaction.restore(social.user, anna) == [DeletedRow(type: social.user, row: anna)])
    try transaction.delete(social.user, anna)
    // A new entity of the same id takes the place of the deleted one for good.
    let next = try social.insertUser(transaction, "anna")
    #expect(next != anna)
    let snapshot = transaction.commit()
    #expect(snapshot.deletedCount(social.user) == 0)
    #expect(snapshot.liveness(social.user)?.byte(anna) == 0)
    #expect(snapshot.check().isEmpty)
  }
}
