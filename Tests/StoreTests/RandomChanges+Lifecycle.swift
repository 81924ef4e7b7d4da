import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

extension RandomChanges {
  mutating func delete(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    model.nextID += 1
    switch random.below(3) {
    case 0:
      guard let user = pick(model.liveUsers), let chats = model.users[user].map({ model.seen($0).chats }) else {
        return
      }
      do {
        try transaction.delete(social.user, user)
        #expect(chats == [])
        model.goneUsers[user] = model.nextID
        model.users[user]?.updated = transaction.now
      } catch .denied(let relation, let row) {
        #expect(relation == social.chats && row == user && chats != [])
      }
    case 1:
      guard random.chance(50), let chat = pick(model.liveChats) else { return }
      try transaction.delete(social.chat, chat)
      for message in model.chats[chat]?.posts ?? [] where model.goneMessages[message] == nil {
        model.goneMessages[message] = model.nextID
      }
      model.goneChats[chat] = model.nextID
    default:
      guard let message = pick(model.liveMessages) else { return }
      try transaction.delete(social.message, message)
      model.goneMessages[message] = model.nextID
    }
  }

  mutating func restore(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    switch random.below(3) {
    case 0:
      guard let row = pick(model.goneUsers), let user = model.users[row] else { return }
      let clash = model.liveUsers.first { user.email != nil && $0.value.email == user.email }
      do {
        #expect(try transaction.restore(social.user, row) == [DeletedRow(type: social.user, row: row)])
        #expect(clash == nil)
        model.goneUsers[row] = nil
        model.users[row]?.updated = transaction.now
      } catch .uniqueViolation(let index, let existing, row) {
        #expect(index == social.byEmail && existing == clash?.key)
      }
    case 1:
      guard let row = pick(model.goneChats), let deletion = model.goneChats[row] else { return }
      let revived = try transaction.restore(social.chat, row)
      let posts = (model.chats[row]?.posts ?? []).filter { model.goneMessages[$0] == deletion }
      #expect(Set(revived.dropFirst().map(\.row)) == Set(posts))
      model.goneChats[row] = nil
      for message in posts { model.goneMessages[message] = nil }
    default:
      guard let row = pick(model.goneMessages), let chat = model.messages[row]?.chat else { return }
      do {
        try transaction.restore(social.message, row)
        #expect(model.chats[chat] != nil && model.goneChats[chat] == nil)
        model.goneMessages[row] = nil
      } catch .requiredReference(social.chatOfMessage, row) {
        #expect(model.chats[chat] == nil || model.goneChats[chat] != nil)
      }
    }
  }

  mutating func purge(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    let isLive = random.chance(30)
    switch random.below(3) {
    case 0:
      guard let user = isLive ? pick(model.liveUsers) : pick(model.goneUsers) else { return }
      do {
        try transaction.purge(social.user, user)
        model.purgeUser(user)
      } catch .denied(social.chats, user) {
        #expect(isLive && model.users[user].map { model.seen($0).chats } != [])
      }
    case 1:
      guard let chat = isLive ? pick(model.liveChats) : pick(model.goneChats) else { return }
      try transaction.purge(social.chat, chat)
      model.purgeChat(chat, withPosts: isLive)
    default:
      guard let message = isLive ? pick(model.liveMessages) : pick(model.goneMessages) else { return }
      try transaction.purge(social.message, message)
      model.purgeMessage(message)
    }
  }
}

extension Snapshot {
  func deleted(_ type: EntityTypeID) -> [UInt32] {
    var rows = [UInt32](repeating: 0, count: deletedCount(type) + 1)
    rows.withUnsafeMutableBufferPointer { deletedRows(type, into: $0.baseAddress.unsafelyUnwrapped) }
    return Array(rows.dropLast())
  }
}
