/// A generated social network: users in chats, their messages, their friends.
///
/// At scale 1: 100,000 users, 50,000 chats, 1,000,000 messages; memberships and friendships follow a power law on both
/// sides. Ids are 1, 2, 3 … in the order of insertion, so that the order of ids is the canonical order. `createdAt` is
/// distinct within a type and in random order, so that ordering by it has no ties and says nothing about ids.
package struct SocialNetwork: Sendable {
  /// Users, one array element a user; user `i` has the id `i + 1`.
  package struct Users: Sendable {
    package var email = TextColumn()
    package var firstName = TextColumn()
    package var lastName = TextColumn()
    /// Some 500 values; the most common one has one user in twenty.
    package var city = TextColumn()
    /// Some twenty users have the same.
    package var zip = TextColumn()
    /// 13 to 90; `nil` for one user in fifty.
    package var age: [Int?] = []
    /// 0 to 99,999, unindexed.
    package var score: [Int] = []
    /// A position in `SocialNetwork.statuses`.
    package var status: [Int] = []
    package var createdAt: [Int] = []
    package var bio = TextColumn()
    package var hasBio: [Bool] = []
    /// Chat ids in ascending order.
    package var chats: [[Int32]] = []
    /// User ids in ascending order; mutual.
    package var friends: [[Int32]] = []
  }

  /// Chats, one array element a chat; chat `i` has the id `i + 1`.
  package struct Chats: Sendable {
    package var title = TextColumn()
    package var createdAt: [Int] = []
    package var members: [[Int32]] = []
  }

  /// Messages, one array element a message; message `i` has the id `i + 1`.
  package struct Messages: Sendable {
    /// 34 bytes on average.
    package var text = TextColumn()
    package var author: [Int32] = []
    package var chat: [Int32] = []
    /// 0 to 9,999, half of them below 1,250, unindexed.
    package var likes: [Int] = []
    package var createdAt: [Int] = []
    /// The id of an earlier message, or 0.
    package var replyTo: [Int32] = []
  }

  /// The values of `enum Status`.
  package static let statuses = ["ACTIVE", "IDLE", "AWAY", "BANNED"]
  /// The first moment of every `createdAt`, 2020-01-01.
  package static let firstMoment = 1_577_836_800
  /// The seconds that `createdAt` is spread over, five years.
  package static let span = 157_680_000

  package private(set) var users = Users()
  package private(set) var chats = Chats()
  package private(set) var messages = Messages()
  /// Words that a few hundred of a million texts hold.
  package private(set) var rareWords: [String] = []

  /// The network of `seed`, `scale` times as large as the full one.
  package init(scale: Double, seed: UInt64 = 2026) {
    let vocabulary = Vocabulary(seed: seed)
    rareWords = vocabulary.words.suffix(64).filter { $0.count >= 6 }.map { String(decoding: $0, as: UTF8.self) }
    let userCount = max(1_000, Int(100_000 * scale))
    let chatCount = max(2_000, Int(50_000 * scale))
    let messageCount = max(10_000, Int(1_000_000 * scale))
    var random = RandomSource(seed: seed ^ 0x5EED)
    makeUsers(userCount, vocabulary, &random)
    makeChats(chatCount, vocabulary, &random)
    makeMemberships(&random)
    makeFriendships(&random)
    makeMessages(messageCount, vocabulary, &random)
  }

  /// Distinct moments in random order.
  private static func moments(_ count: Int, _ random: inout RandomSource) -> [Int] {
    let step = span / count
    return random.permutation(count).map { firstMoment + $0 * step + random.below(step) }
  }

  private mutating func makeUsers(_ count: Int, _ vocabulary: Vocabulary, _ random: inout RandomSource) {
    users.createdAt = SocialNetwork.moments(count, &random)
    let zips = max(1, count / 20)
    for row in 0..<count {
      let first = vocabulary.firstNames[random.skewed(vocabulary.firstNames.count, exponent: 1.5)]
      let last = vocabulary.lastNames[random.skewed(vocabulary.lastNames.count, exponent: 1.5)]
      users.firstName.append(first)
      users.lastName.append(last)
      users.email.append("\(first.lowercased()).\(last.lowercased()).\(row + 1)@example.com")
      users.city.append(vocabulary.cities[random.skewed(vocabulary.cities.count, exponent: 2)])
      users.zip.append("Z\(10_000 + random.below(zips))")
      users.age.append(random.below(50) == 0 ? nil : 13 + random.skewed(78, exponent: 1.4))
      users.score.append(random.below(100_000))
      users.status.append(random.skewed(4, exponent: 2))
      let hasBio = random.below(5) > 0
      users.hasBio.append(hasBio)
      users.bio.appendParts { bytes in
        if hasBio { vocabulary.write(6 + random.below(12), to: &bytes, &random) }
      }
    }
  }

  private mutating func makeChats(_ count: Int, _ vocabulary: Vocabulary, _ random: inout RandomSource) {
    chats.createdAt = SocialNetwork.moments(count, &random)
    for _ in 0..<count {
      chats.title.appendParts { vocabulary.write(2 + random.below(3), to: &$0, &random) }
    }
  }

  private mutating func makeMemberships(_ random: inout RandomSource) {
    let userCount = users.score.count
    let chatCount = chats.createdAt.count
    // Popular chats and busy people are anywhere among the ids.
    let popularity = random.permutation(chatCount)
    users.chats = Array(repeating: [], count: userCount)
    chats.members = Array(repeating: [], count: chatCount)
    for user in 0..<userCount {
      var joined: Set<Int> = []
      for _ in 0..<random.pareto(minimum: 1, alpha: 1.7, maximum: 500) {
        joined.insert(popularity[random.skewed(chatCount, exponent: 1.6)])
      }
      for chat in joined.sorted() {
        users.chats[user].append(Int32(chat + 1))
        chats.members[chat].append(Int32(user + 1))
      }
    }
  }

  private mutating func makeFriendships(_ random: inout RandomSource) {
    let count = users.score.count
    let popularity = random.permutation(count)
    var friends = Array(repeating: Set<Int32>(), count: count)
    for user in 0..<count {
      for _ in 0..<random.pareto(minimum: 2, alpha: 1.6, maximum: 2_000) {
        let other = popularity[random.skewed(count, exponent: 1.6)]
        if other == user { continue }
        friends[user].insert(Int32(other + 1))
        friends[other].insert(Int32(user + 1))
      }
    }
    users.friends = friends.map { $0.sorted() }
  }

  private mutating func makeMessages(_ count: Int, _ vocabulary: Vocabulary, _ random: inout RandomSource) {
    messages.createdAt = SocialNetwork.moments(count, &random)
    let userCount = users.score.count
    let activity = random.permutation(chats.createdAt.count)
    for row in 0..<count {
      let chat = activity[random.skewed(activity.count, exponent: 1.5)]
      let members = chats.members[chat]
      messages.chat.append(Int32(chat + 1))
      messages.author.append(
        members.isEmpty ? Int32(random.below(userCount) + 1) : members[random.below(members.count)])
      messages.likes.append(random.skewed(10_000, exponent: 3))
      messages.replyTo.append(row > 0 && random.below(5) == 0 ? Int32(random.below(row) + 1) : 0)
      let kind = random.below(200)
      messages.text.appendParts { bytes in
        vocabulary.write(1 + random.below(9), to: &bytes, &random)
        // A few texts need escapes or hold other scripts, as real ones do.
        switch kind {
        case 0: bytes.append(contentsOf: " \"ok\"".utf8)
        case 1: bytes.append(contentsOf: "\nthanks".utf8)
        case 2: bytes.append(contentsOf: " 😀 größer".utf8)
        default: break
        }
      }
    }
  }
}
