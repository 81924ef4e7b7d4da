import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// What a store should hold, in plain dictionaries: live and deleted entities alike, with all links between them. What a
/// snapshot shows are the live ones, and of their links those to live ones, in the same order.
struct SocialModel {
  struct User: Equatable {
    var id: String
    var name: String?
    var email: String?
    var city: String?
    var age: Int64?
    var created: Int64
    var updated: Int64
    var messages: [UInt32] = []
    var chats: [UInt32] = []
    var friends: [UInt32] = []
  }
  struct Message: Equatable {
    var id: Int
    var text: String
    var created: Int64
    var author: UInt32?
    var chat: UInt32
  }
  struct Chat: Equatable {
    var id: Int
    var posts: [UInt32] = []
    var members: [UInt32] = []
  }
  var users: [UInt32: User] = [:]
  var messages: [UInt32: Message] = [:]
  var chats: [UInt32: Chat] = [:]
  /// The deletions of the deleted ones.
  var goneUsers: [UInt32: Int] = [:]
  var goneMessages: [UInt32: Int] = [:]
  var goneChats: [UInt32: Int] = [:]
  var nextID = 0

  var liveUsers: [UInt32: User] { users.filter { goneUsers[$0.key] == nil } }
  var liveMessages: [UInt32: Message] { messages.filter { goneMessages[$0.key] == nil } }
  var liveChats: [UInt32: Chat] { chats.filter { goneChats[$0.key] == nil } }

  func seen(_ user: User) -> User {
    var user = user
    user.messages.removeAll { goneMessages[$0] != nil }
    user.chats.removeAll { goneChats[$0] != nil }
    user.friends.removeAll { goneUsers[$0] != nil }
    return user
  }
  func seen(_ message: Message) -> Message {
    var message = message
    if let author = message.author, goneUsers[author] != nil { message.author = nil }
    return message
  }
  func seen(_ chat: Chat) -> Chat {
    var chat = chat
    chat.posts.removeAll { goneMessages[$0] != nil }
    chat.members.removeAll { goneUsers[$0] != nil }
    return chat
  }

  mutating func setAuthor(_ message: UInt32, _ user: UInt32?) {
    if let old = messages[message]?.author {
      if old == user { return }
      users[old]?.messages.removeAll { $0 == message }
    }
    messages[message]?.author = user
    if let user { users[user]?.messages.append(message) }
  }

  /// `wanted` in the place of the live ones of `old`: a deleted one stays behind as many live ones as it was before.
  static func replaced(_ old: [UInt32], by wanted: [UInt32], isGone: (UInt32) -> Bool) -> [UInt32] {
    var result: [UInt32] = []
    var next = 0
    var kept = 0
    for element in old {
      if !isGone(element) {
        if wanted.contains(element) { kept += 1 }
        continue
      }
      while next < min(kept, wanted.count) {
        result.append(wanted[next])
        next += 1
      }
      result.append(element)
    }
    return result + wanted[next...]
  }

  mutating func purgeMessage(_ row: UInt32) {
    setAuthor(row, nil)
    if let chat = messages[row]?.chat { chats[chat]?.posts.removeAll { $0 == row } }
    messages[row] = nil
    goneMessages[row] = nil
  }

  mutating func purgeChat(_ row: UInt32, withPosts: Bool) {
    if withPosts {
      for message in chats[row]?.posts ?? [] where goneMessages[message] == nil { purgeMessage(message) }
    }
    for user in chats[row]?.members ?? [] { users[user]?.chats.removeAll { $0 == row } }
    chats[row] = nil
    goneChats[row] = nil
  }

  mutating func purgeUser(_ row: UInt32) {
    for message in users[row]?.messages ?? [] { messages[message]?.author = nil }
    for friend in users[row]?.friends ?? [] { users[friend]?.friends.removeAll { $0 == row } }
    for chat in users[row]?.chats ?? [] { chats[chat]?.members.removeAll { $0 == row } }
    users[row] = nil
    goneUsers[row] = nil
  }

  /// Differences between the model and a snapshot.
  func differences(_ social: SocialFixture, _ snapshot: Snapshot) -> [String] {
    var found: [String] = []
    func expect(_ isEqual: Bool, _ what: String) { if !isEqual { found.append(what) } }
    let users = liveUsers
    expect(snapshot.liveCount(social.user) == users.count, "users")
    expect(snapshot.liveCount(social.message) == liveMessages.count, "messages")
    expect(snapshot.liveCount(social.chat) == liveChats.count, "chats")
    expect(snapshot.deleted(social.user) == goneUsers.keys.sorted(), "deleted users")
    expect(snapshot.deleted(social.message) == goneMessages.keys.sorted(), "deleted messages")
    expect(snapshot.deleted(social.chat) == goneChats.keys.sorted(), "deleted chats")
    for row in goneUsers.keys {
      guard let user = self.users[row] else { continue }
      expect(snapshot.deletedRow(social.user, key: [TestValue.text(user.id).cell]) == row, "deleted user \(row)")
      expect(snapshot.text(social.user, row, 1) == user.name, "name of deleted user \(row)")
      expect(snapshot.int(social.user, row, 15) == user.updated, "times of deleted user \(row)")
    }
    for (row, user) in users {
      let stored = User(
        id: snapshot.text(social.user, row, 0) ?? "", name: snapshot.text(social.user, row, 1),
        email: snapshot.text(social.user, row, 3), city: snapshot.text(social.user, row, 4),
        age: snapshot.int(social.user, row, 5), created: snapshot.int(social.user, row, 14) ?? -1,
        updated: snapshot.int(social.user, row, 15) ?? -1, messages: snapshot.links(social.messages, row),
        chats: snapshot.links(social.chats, row), friends: snapshot.links(social.friends, row))
      expect(stored == seen(user), "user \(row): \(stored) \(seen(user))")
      expect(snapshot.rows(social.userID, [.text(user.id)]) == [row], "id of user \(row)")
      if let email = user.email {
        expect(snapshot.rows(social.byEmail, [.text(email)]) == [row], "email of user \(row)")
      }
      if let name = user.name {
        let folded = name.lowercased()
        let same = users.filter { $0.value.name?.lowercased() == folded }.keys.sorted()
        expect(snapshot.rows(social.byNameFolded, [.text(folded)]) == same, "name of user \(row)")
      }
      if let city = user.city, let age = user.age {
        let same = users.filter { $0.value.city == city && $0.value.age == age }.keys.sorted()
        expect(snapshot.rows(social.byCityAndAge, [.text(city), .int(age)]) == same, "city and age of \(row)")
      }
    }
    for (row, message) in liveMessages {
      let stored = Message(
        id: snapshot.int(social.message, row, 0).map(Int.init) ?? -1, text: snapshot.text(social.message, row, 1) ?? "",
        created: snapshot.int(social.message, row, 2) ?? -1, author: snapshot.links(social.author, row).first,
        chat: snapshot.links(social.chatOfMessage, row).first ?? .max)
      expect(stored == seen(message), "message \(row): \(stored) \(seen(message))")
    }
    for (row, chat) in liveChats {
      let stored = Chat(
        id: snapshot.int(social.chat, row, 0).map(Int.init) ?? -1, posts: snapshot.links(social.posts, row),
        members: snapshot.links(social.members, row))
      expect(stored == seen(chat), "chat \(row): \(stored) \(seen(chat))")
    }
    let byAge = users.sorted { left, right in
      (left.value.age ?? .max, left.key) < (right.value.age ?? .max, right.key)
    }
    expect(snapshot.walk(social.byAge, BTreeBounds(includesNulls: true)) == byAge.map(\.key), "order by age")
    return found + rememberedDifferences(social, snapshot)
  }
}

/// Applies one random change to both.
struct RandomChanges {
  let social: SocialFixture
  var random: SeededRandom
  private var time: Int64 = 0

  init(_ social: SocialFixture, seed: Int) {
    self.social = social
    random = SeededRandom(UInt64(seed))
  }

  func pick<Value>(_ rows: [UInt32: Value], _ random: inout SeededRandom) -> UInt32? {
    rows.isEmpty ? nil : rows.keys.sorted()[random.below(rows.count)]
  }

  mutating func pick<Value>(_ rows: [UInt32: Value]) -> UInt32? { pick(rows, &random) }

  private mutating func text(_ prefix: String) -> String {
    prefix + String(repeating: "x", count: random.below(3) * 9) + String(random.below(12))
  }

  mutating func step(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    time += 1
    transaction.now = time
    switch random.below(18) {
    case 0, 1: try insertUser(transaction, &model)
    case 2: try insertChat(transaction, &model)
    case 3, 4, 5: try insertMessage(transaction, &model)
    case 6, 7: try updateUser(transaction, &model)
    case 8: try linkFriends(transaction, &model)
    case 9, 10: try linkMembers(transaction, &model)
    case 11: try setMessages(transaction, &model)
    case 12, 13: try delete(transaction, &model)
    case 14, 15: try restore(transaction, &model)
    case 16: try purge(transaction, &model)
    default: try setAuthor(transaction, &model)
    }
  }

  private mutating func insertUser(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    model.nextID += 1
    let isKnown = random.chance(10)
    let known = model.users.values.map(\.id).sorted()
    let id = isKnown && !known.isEmpty ? known[random.below(known.count)] : text("User\(model.nextID)-")
    let user = SocialModel.User(
      id: id, name: random.chance(80) ? text(random.chance(50) ? "Anna" : "ANNA") : nil,
      email: random.chance(60) ? text("mail") : nil, city: random.chance(70) ? text("city") : nil,
      age: random.chance(80) ? Int64(random.below(6)) : nil, created: time, updated: time)
    let clash = model.liveUsers.first { $0.value.id == id || user.email != nil && $0.value.email == user.email }
    do {
      let row = try social.insertUser(
        transaction, id, name: user.name, email: user.email, city: user.city, age: user.age)
      #expect(clash == nil)
      if let gone = model.users.first(where: { $0.value.id == id })?.key { model.purgeUser(gone) }
      model.users[row] = user
    } catch .uniqueViolation(_, let existing, nil) {
      #expect(model.users[existing]?.id == id || model.users[existing]?.email == user.email)
    }
  }

  private mutating func insertChat(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    model.nextID += 1
    model.chats[try social.insertChat(transaction, model.nextID)] = SocialModel.Chat(id: model.nextID)
  }

  private mutating func insertMessage(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem)
  {
    guard let chat = pick(model.liveChats) else { return }
    model.nextID += 1
    let message = SocialModel.Message(
      id: model.nextID, text: text("some text "), created: Int64(random.below(50)), chat: chat)
    let row = try social.insertMessage(
      transaction, message.id, chat: chat, text: message.text, created: message.created)
    model.messages[row] = message
    model.chats[chat]?.posts.append(row)
  }

  private mutating func updateUser(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    guard let row = pick(model.liveUsers), var user = model.users[row] else { return }
    switch random.below(4) {
    case 0:
      user.name = random.chance(80) ? text("Bert") : nil
      try transaction.update(social.user, row, 1, user.name.map { .text($0) } ?? .null)
    case 1:
      let email = text("mail")
      let clash = model.liveUsers.first { $0.value.email == email && $0.key != row }
      do {
        try transaction.update(social.user, row, 3, .text(email))
        #expect(clash == nil)
        user.email = email
      } catch .uniqueViolation(_, let existing, _) {
        #expect(existing == clash?.key)
        return
      }
    case 2:
      user.city = random.chance(80) ? text("city") : nil
      try transaction.update(social.user, row, 4, user.city.map { .text($0) } ?? .null)
    default:
      user.age = random.chance(80) ? Int64(random.below(6)) : nil
      try transaction.update(social.user, row, 5, user.age.map { .int($0) } ?? .null)
    }
    user.updated = time
    model.users[row] = user
  }

  private mutating func linkFriends(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    guard let one = pick(model.liveUsers), let other = pick(model.liveUsers) else { return }
    if model.users[one]?.friends.contains(other) == true {
      if random.chance(50) {
        try transaction.removeReference(social.friends, source: one, target: other)
        model.users[one]?.friends.removeAll { $0 == other }
        model.users[other]?.friends.removeAll { $0 == one }
      } else {
        try transaction.appendReference(social.friends, source: one, target: other)
      }
      model.users[one]?.updated = time
    } else {
      try transaction.appendReference(social.friends, source: one, target: other)
      model.users[one]?.friends.append(other)
      if one != other { model.users[other]?.friends.append(one) }
      model.users[one]?.updated = time
    }
  }

  private mutating func linkMembers(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    guard let chat = pick(model.liveChats) else { return }
    var wanted: [UInt32] = []
    for _ in 0..<random.below(5) {
      if let user = pick(model.liveUsers), !wanted.contains(user) { wanted.append(user) }
    }
    try transaction.setReferences(social.members, chat, wanted + wanted.prefix(1))
    let old = model.chats[chat]?.members ?? []
    let gone = model.goneUsers
    let isGone = { (user: UInt32) in gone[user] != nil }
    for user in old where !wanted.contains(user) && !isGone(user) { model.users[user]?.chats.removeAll { $0 == chat } }
    for user in wanted where !old.contains(user) { model.users[user]?.chats.append(chat) }
    model.chats[chat]?.members = SocialModel.replaced(old, by: wanted, isGone: isGone)
  }

  private mutating func setMessages(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    guard let user = pick(model.liveUsers) else { return }
    var wanted: [UInt32] = []
    for _ in 0..<random.below(4) {
      if let message = pick(model.liveMessages), !wanted.contains(message) { wanted.append(message) }
    }
    try transaction.setReferences(social.messages, user, wanted)
    let gone = model.goneMessages
    let isGone = { (message: UInt32) in gone[message] != nil }
    let list = SocialModel.replaced(model.users[user]?.messages ?? [], by: wanted, isGone: isGone)
    for message in model.users[user]?.messages ?? [] where !wanted.contains(message) && !isGone(message) {
      model.setAuthor(message, nil)
    }
    for message in wanted { model.setAuthor(message, user) }
    model.users[user]?.messages = list
    model.users[user]?.updated = time
  }

  private mutating func setAuthor(_ transaction: WriteTransaction, _ model: inout SocialModel) throws(StoreProblem) {
    guard let message = pick(model.liveMessages) else { return }
    let user = random.chance(80) ? pick(model.liveUsers) : nil
    try transaction.setReference(social.author, source: message, target: user)
    model.setAuthor(message, user)
  }
}
