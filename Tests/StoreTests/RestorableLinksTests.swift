import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// Suspended links, as readers see them.
@Suite struct RestorableLinksTests {
  private let social = SocialFixture()

  /// Three chats of a user, of which two are deleted; then the user.
  @Test func placesFromBothEnds() throws {
    let transaction = WriteTransaction(social.empty)
    let user = try social.insertUser(transaction, "ann")
    let chats = try (0..<4).map { try social.insertChat(transaction, $0) }
    for chat in chats { try transaction.appendReference(social.members, source: chat, target: user) }
    let live = transaction.commit()
    #expect(live.restorableLinks(social.chats) == nil)

    let deleting = WriteTransaction(live)
    try deleting.delete(social.chat, rows: [chats[1], chats[2]], keeps: true)
    let deleted = deleting.commit()
    #expect(deleted.remembered(social.chats, user, .live) == [chats[0], chats[3]])
    #expect(deleted.remembered(social.chats, user, .deleted) == [chats[1], chats[2]])
    #expect(deleted.remembered(social.chats, user, .any).elementsEqual(chats))
    // Of the deleted: the living that restoring them would link.
    #expect(deleted.remembered(social.members, chats[1], .any) == [user])
    #expect(deleted.remembered(social.members, chats[1], .deleted) == [])
    #expect(deleted.remembered(social.members, chats[1], .live) == [])

    // What is purged is nowhere.
    let purging = WriteTransaction(deleted)
    try purging.purge(social.chat, chats[1])
    let within = purging.commit()
    #expect(within.remembered(social.chats, user, .any) == [chats[0], chats[2], chats[3]])
    #expect(within.remembered(social.members, chats[1], .any) == [])
    #expect(live.restorableLinks(social.chats) == nil)
  }

  /// A to-one that was written meanwhile leads the deleted one nowhere.
  @Test func toOneRelations() throws {
    let transaction = WriteTransaction(social.empty)
    let users = try ["ann", "bob"].map { try social.insertUser(transaction, $0) }
    let chat = try social.insertChat(transaction, 1)
    let messages = try (0..<2).map { try social.insertMessage(transaction, $0, chat: chat) }
    for message in messages { try transaction.setReference(social.author, source: message, target: users[0]) }
    try transaction.delete(social.user, rows: [users[0]], keeps: true)
    let base = transaction.commit()
    #expect(base.remembered(social.author, messages[0], .deleted) == [users[0]])
    #expect(base.remembered(social.author, messages[0], .any) == [users[0]])
    #expect(base.remembered(social.messages, users[0], .any).elementsEqual(messages))

    let writing = WriteTransaction(base)
    try writing.setReference(social.author, source: messages[0], target: users[1])
    let written = writing.commit()
    #expect(written.remembered(social.author, messages[0], .deleted) == [])
    #expect(written.remembered(social.author, messages[0], .any) == [users[1]])
    #expect(written.remembered(social.messages, users[0], .any) == [messages[1]])
    #expect(written.remembered(social.messages, users[1], .any) == [messages[0]])
  }

  /// What a deleted entity with many links remembers is gone through as long as somebody waits.
  @Test func manyRememberedLinks() throws {
    let transaction = WriteTransaction(social.empty)
    let user = try social.insertUser(transaction, "ann")
    let chat = try social.insertChat(transaction, 1)
    let messages = try (0..<5_000).map { try social.insertMessage(transaction, $0, chat: chat) }
    for message in messages { try transaction.setReference(social.author, source: message, target: user) }
    try transaction.delete(social.user, rows: [user], keeps: true)
    let snapshot = transaction.commit()
    #expect(snapshot.remembered(social.messages, user, .any).elementsEqual(messages))
    let links = try #require(snapshot.restorableLinks(social.messages))
    var late = InterruptionWatch(Interruption(deadline: 1, milliseconds: 1, cancellation: nil))
    var rows = [UInt32](repeating: 0, count: links.bound(user))
    let count = rows.withUnsafeMutableBufferPointer {
      links.write(user, .any, &late, into: $0.baseAddress.unsafelyUnwrapped)
    }
    #expect(late.isDue && count < 1_000)
  }
}

extension Snapshot {
  /// The links of a row, suspended ones included where the status says so.
  func remembered(
    _ relation: RelationID, _ row: UInt32, _ status: LinkStatus, most: Int = .max
  ) -> ArraySlice<UInt32> {
    guard let links = restorableLinks(relation) else {
      return status == .deleted ? [] : self.links(relation, row).prefix(most)
    }
    // Behind what may be written there is what is not.
    let room = min(links.bound(row), most)
    var rows = [UInt32](repeating: .max - 7, count: room + 1)
    var watch = InterruptionWatch(nil)
    let count = rows.withUnsafeMutableBufferPointer {
      links.write(row, status, most: most, &watch, into: $0.baseAddress.unsafelyUnwrapped)
    }
    #expect(count <= room && rows[room] == .max - 7)
    return rows.prefix(count)
  }
}

extension SocialModel {
  /// Differences between all links of the model, those of and to the deleted included, and those that a snapshot
  /// remembers.
  func rememberedDifferences(_ social: SocialFixture, _ snapshot: Snapshot) -> [String] {
    var found: [String] = []
    func expect(
      _ name: String, _ relation: RelationID, _ row: UInt32, _ links: [UInt32], _ isGone: (UInt32) -> Bool
    ) {
      for most in [0, 1, 2] where snapshot.remembered(relation, row, .any, most: most) != links[...].prefix(most) {
        found.append("the first \(most) \(name) of \(row)")
      }
      let any = snapshot.remembered(relation, row, .any)
      let deleted = snapshot.remembered(relation, row, .deleted)
      if Array(any) != links || Array(deleted) != links.filter(isGone) {
        found.append("\(name) of \(row): \(any), of which \(deleted), instead of \(links)")
      }
    }
    for (row, user) in users {
      expect("messages", social.messages, row, user.messages) { goneMessages[$0] != nil }
      expect("chats", social.chats, row, user.chats) { goneChats[$0] != nil }
      expect("friends", social.friends, row, user.friends) { goneUsers[$0] != nil }
    }
    for (row, message) in messages {
      expect("author", social.author, row, message.author.map { [$0] } ?? []) { goneUsers[$0] != nil }
      let chat = chats[message.chat] == nil ? [] : [message.chat]
      expect("chat", social.chatOfMessage, row, chat) { goneChats[$0] != nil }
    }
    for (row, chat) in chats {
      expect("posts", social.posts, row, chat.posts) { goneMessages[$0] != nil }
      expect("members", social.members, row, chat.members) { goneUsers[$0] != nil }
    }
    return found
  }
}
