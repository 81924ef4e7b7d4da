import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// Each test damages a snapshot behind the store's back.
@Suite struct CheckTests {
  let social = SocialFixture()
  let snapshot: Snapshot

  init() throws {
    let transaction = WriteTransaction(social.empty)
    for number in 0..<20 {
      _ = try social.insertUser(
        transaction, "user \(number)", name: "Name \(number)", email: "mail \(number)", city: "city", age: Int64(number)
      )
    }
    let chat = try social.insertChat(transaction, 1)
    try transaction.setReferences(social.members, chat, [1, 2, 3])
    _ = try social.insertMessage(transaction, 1, chat: chat)
    snapshot = transaction.commit()
    #expect(snapshot.check().isEmpty)
  }

  private var users: Table { snapshot.tables[Int(social.user.index)] }

  @Test func changedKey() {
    users.columns[5].writeRaw(4, Cell(Int64(99)))
    let age = snapshot.check()
    #expect(age.contains(.indexStructure(social.byAge)))
    #expect(age.contains(.indexEntry(social.byCityAndAge, row: 4)))
    #expect(age.contains(.ascendingFlag(social.user, ColumnID(5))))
  }

  @Test func changedText() {
    users.columns[1].writeRaw(4, TestValue.text("Other").cell)
    #expect(snapshot.check() == [.foldedText(social.user, ColumnID(2), row: 4)])
  }

  @Test func lostNull() {
    users.columns[3].writeRaw(4, nil)
    users.columns[3].liveNulls = 0
    let found = snapshot.check()
    #expect(found.contains(.nullCount(social.user, ColumnID(3), expected: 1, found: 0)))
    #expect(found.contains(.indexCount(social.byEmail, expected: 19, found: 20)))
  }

  @Test func missingValue() {
    users.columns[0].writeRaw(4, nil)
    let found = snapshot.check().filter { if case .missingValue = $0 { true } else { false } }
    #expect(found == [.missingValue(social.user, ColumnID(0), row: 4)])
    #expect(found.map { $0.sentence(in: snapshot) } == ["'User' null must have 'User.id' and has none"])
  }

  @Test func oneSidedLink() {
    users.columns[10].removeFromRun(2, 0)
    let found = snapshot.check()
    #expect(found == [.oneSidedLink(social.members, source: 0, target: 2)])
    let sentences = found.map { $0.sentence(in: snapshot) }
    #expect(sentences == ["the link in 'Chat.members' of 'Chat' 1 to 'User' 'user 2' has no counterpart there"])
  }

  @Test func repeatedLink() {
    users.columns[10].appendToRun(2, 0)
    #expect(snapshot.check() == [.repeatedLink(social.chats, source: 2, target: 0)])
  }

  @Test func wrongCounts() {
    users.live = 21
    users.columns[12].linkCount = 5
    let found = snapshot.check()
    #expect(found.contains(.liveCount(social.user, expected: 20, found: 21)))
    #expect(found.contains(.linkCount(social.friends, expected: 0, found: 5)))
  }
}
