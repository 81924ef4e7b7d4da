import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

@Suite struct LinkTests {
  let social = SocialFixture()

  @Test func takingAChildFromItsOldParent() throws {
    let transaction = WriteTransaction(social.empty)
    let anna = try social.insertUser(transaction, "anna")
    let bert = try social.insertUser(transaction, "bert")
    let chat = try social.insertChat(transaction, 1)
    let first = try social.insertMessage(transaction, 1, chat: chat)
    let second = try social.insertMessage(transaction, 2, chat: chat)
    let third = try social.insertMessage(transaction, 3, chat: chat)
    try transaction.setReferences(social.messages, anna, [third, first, third, second])
    try transaction.appendReference(social.messages, source: bert, target: first)
    let snapshot = transaction.commit()
    #expect(snapshot.links(social.messages, anna) == [third, second])
    #expect(snapshot.links(social.messages, bert) == [first])
    #expect(snapshot.links(social.author, first) == [bert])
    #expect(snapshot.check().isEmpty)
  }

  @Test func relinkingKeepsThePosition() throws {
    let transaction = WriteTransaction(social.empty)
    let users = try (0..<4).map { try social.insertUser(transaction, "user \($0)") }
    let chat = try social.insertChat(transaction, 1)
    try transaction.setReferences(social.members, chat, users)
    try transaction.appendReference(social.members, source: chat, target: users[1])
    try transaction.appendReference(social.chats, source: users[2], target: chat)
    #expect(transaction.snapshot().links(social.members, chat) == users)
    try transaction.removeReference(social.chats, source: users[1], target: chat)
    try transaction.removeReference(social.chats, source: users[1], target: chat)
    let snapshot = transaction.commit()
    #expect(snapshot.links(social.members, chat) == [users[0], users[2], users[3]])
    #expect(snapshot.links(social.chats, users[1]) == [])
    #expect(snapshot.check().isEmpty)
  }

  @Test func symmetricRelations() throws {
    let transaction = WriteTransaction(social.empty)
    let users = try (0..<4).map { try social.insertUser(transaction, "user \($0)") }
    try transaction.appendReference(social.friends, source: users[0], target: users[1])
    try transaction.appendReference(social.friends, source: users[2], target: users[0])
    try transaction.appendReference(social.friends, source: users[3], target: users[3])
    try transaction.setReference(social.spouse, source: users[0], target: users[1])
    try transaction.setReference(social.spouse, source: users[2], target: users[3])
    try transaction.setReference(social.spouse, source: users[3], target: users[0])
    let snapshot = transaction.snapshot()
    #expect(snapshot.links(social.friends, users[0]) == [users[1], users[2]])
    #expect(snapshot.links(social.friends, users[3]) == [users[3]])
    #expect(snapshot.links(social.spouse, users[0]) == [users[3]])
    #expect(snapshot.links(social.spouse, users[1]) == [])
    #expect(snapshot.links(social.spouse, users[2]) == [])
    #expect(snapshot.check().isEmpty)
    try transaction.removeReference(social.friends, source: users[3], target: users[3])
    try transaction.setReference(social.spouse, source: users[1], target: users[1])
    try transaction.setReference(social.spouse, source: users[1], target: users[2])
    #expect(transaction.snapshot().links(social.spouse, users[1]) == [users[2]])
    try transaction.delete(social.user, users[0])
    let last = transaction.commit()
    #expect(last.links(social.friends, users[3]) == [])
    #expect(last.links(social.friends, users[1]) == [])
    #expect(last.links(social.spouse, users[3]) == [])
    #expect(last.check().isEmpty)
  }

  @Test func requiredReferencesAreNotTakenAway() throws {
    let transaction = WriteTransaction(social.empty)
    let chats = try (0..<2).map { try social.insertChat(transaction, $0) }
    let message = try social.insertMessage(transaction, 1, chat: chats[0])
    let refusal = StoreProblem.requiredReference(relation: social.chatOfMessage, row: message)
    #expect(throws: refusal) {
      try transaction.setReference(social.chatOfMessage, source: message, target: nil)
    }
    #expect(throws: refusal) {
      try transaction.removeReference(social.posts, source: chats[0], target: message)
    }
    #expect(throws: refusal) { try transaction.setReferences(social.posts, chats[0], []) }
    try transaction.appendReference(social.posts, source: chats[1], target: message)
    let snapshot = transaction.commit()
    #expect(snapshot.links(social.posts, chats[0]) == [])
    #expect(snapshot.links(social.chatOfMessage, message) == [chats[1]])
    #expect(snapshot.check().isEmpty)
  }

  @Test func deleteRules() throws {
    let transaction = WriteTransaction(social.empty)
    let anna = try social.insertUser(transaction, "anna")
    let passport = try social.insertPassport(transaction, 1)
    try transaction.setReference(social.owner, source: passport, target: anna)
    let chat = try social.insertChat(transaction, 1)
    let other = try social.insertChat(transaction, 2)
    try transaction.appendReference(social.members, source: chat, target: anna)
    let rows = try (0..<6).map { try social.insertMessage(transaction, $0, chat: $0 < 3 ? chat : other) }
    try transaction.setReferences(social.messages, anna, rows)
    // 0 → 1 → 4 and, across chats, 4 → 5.
    try transaction.appendReference(social.replies, source: rows[0], target: rows[1])
    try transaction.appendReference(social.replies, source: rows[1], target: rows[4])
    try transaction.appendReference(social.replies, source: rows[4], target: rows[5])
    // A cycle of replies must not keep the deletion going for ever.
    try transaction.appendReference(social.replies, source: rows[5], target: rows[0])
    #expect(throws: StoreProblem.denied(relation: social.chats, row: anna)) {
      try transaction.delete(social.user, anna)
    }
    let deleted = try transaction.delete(social.chat, chat)
    #expect(deleted.first == DeletedRow(type: social.chat, row: chat))
    #expect(Set(deleted.dropFirst().map(\.row)) == Set([rows[0], rows[1], rows[2], rows[4], rows[5]]))
    var snapshot = transaction.snapshot()
    #expect(snapshot.check().isEmpty)
    #expect(snapshot.links(social.messages, anna) == [rows[3]])
    #expect(snapshot.links(social.posts, other) == [rows[3]])
    #expect(snapshot.liveCount(social.message) == 1)
    #expect(snapshot.slotCount(social.message) == 6)
    #expect(snapshot.liveness(social.message)?.byte(rows[3]) == 1)
    #expect(snapshot.liveness(social.message)?.byte(rows[4]) == 2)
    // Back in the places where they were: of the chat, of the author, of the cycle.
    #expect(Set(try transaction.restore(social.chat, chat)) == Set(deleted))
    snapshot = transaction.snapshot()
    #expect(snapshot.check().isEmpty)
    #expect(snapshot.links(social.messages, anna) == rows)
    #expect(snapshot.links(social.posts, chat) == Array(rows[0..<3]))
    #expect(snapshot.links(social.replies, rows[5]) == [rows[0]])
    #expect(snapshot.links(social.parent, rows[5]) == [rows[4]])
    #expect(snapshot.links(social.members, chat) == [anna])
    try transaction.delete(social.chat, chat)
    try transaction.delete(social.passport, passport)
    snapshot = transaction.commit()
    #expect(snapshot.liveCount(social.user) == 0)
    #expect(snapshot.links(social.author, rows[3]) == [])
    #expect(snapshot.check().isEmpty)
  }

  @Test func danglingLinksConnect() throws {
    var transaction = WriteTransaction(social.empty)
    let chat = try social.insertChat(transaction, 1)
    let gone = try social.insertChat(transaction, 2)
    let late = TestValue.text("a rather long identifier").cell
    transaction.rememberDangling(social.members, source: chat, key: late)
    transaction.rememberDangling(social.members, source: chat, key: late)
    transaction.rememberDangling(social.members, source: gone, key: late)
    #expect(transaction.danglingCount == 2)
    try transaction.delete(social.chat, gone)
    let snapshot = transaction.commit()
    #expect(snapshot.danglingCount == 2)
    transaction = WriteTransaction(snapshot)
    try transaction.purge(social.chat, gone)
    #expect(transaction.danglingCount == 1)
    let user = try social.insertUser(transaction, "a rather long identifier")
    let next = transaction.commit()
    #expect(next.links(social.members, chat) == [user])
    #expect(next.danglingCount == 0)
    #expect(snapshot.danglingCount == 2)
    #expect(next.check().isEmpty)
  }
}
