import Foundation
import GQLiteModels
import Testing

/// "Incomplete Data Handling".
enum Incomplete {
  @EntityModel
  struct User: Codable {
    let id: String
    private(set) var name: String
    private(set) var avatar: Avatar
    private(set) var profile: Profile?

    @Relationship(inverse: \.users)
    var chats: [Chat]?

    @Relationship(inverse: \.admins)
    var adminOf: [Chat]?

    struct Avatar: Codable, Equatable { var url: String }

    init(id: String, name: String, avatar: Avatar = Avatar(url: ""), profile: Profile? = nil) {
      self.id = id
      self.name = name
      self.avatar = avatar
      self.profile = profile
    }

    static var bob: Self { Self(id: "1", name: "Bob", profile: nil) }
    static var alice: Self { Self(id: "2", name: "Alice", profile: Profile(bio: "A")) }
    static var john: Self { Self(id: "3", name: "John") }
  }

  @EntityModel
  struct Chat: Codable {
    let id: String
    @Relationship(inverse: \.chats) var users: [User]?
    @Relationship(inverse: \.chat) var messages: [Message]?
    @Relationship(inverse: \.adminOf) var admins: [User]?
  }

  @EntityModel
  struct Message: Codable {
    let id: String
    var text: String
    var note: String?
    @Relationship(.required) var author: User?
    @Relationship(inverse: \.messages) var chat: Chat?
    @Relationship(inverse: \.message) var attachment: Attachment?
  }

  @EntityModel
  struct Attachment: Codable {
    let id: String
    @Relationship(inverse: \.attachment) var message: Message?
  }

  /// The user of "Last Write Wins".
  @EntityModel
  struct Timed {
    let id: String
    var name: String?
    var profile: User.Profile?
    var lastModified: Date
  }

  /// Strategies of its own; lists.
  @EntityModel
  struct Custom {
    let id: String
    var name: String?
    var profile: String?
    var avatar: String?
    var arrayOfSomething: [Int] = []
    var maybe: [Int]?
  }
}

extension Incomplete.User {
  /**
  Something heavy here is that the backend does not serve for all requests.
  */
  struct Profile: Codable, Equatable { var bio: String }
}

extension Incomplete.Timed {
  // New entity is considered to be the source of truth
  // and only missing properties are patched with the old ones.
  static var lastWritePatch: MergeStrategy<Self> {
    .lastWriteWins(Self.patch, comparedBy: \.lastModified)
  }

  // New entity is considered to be the source of truth and replaces the old one.
  static var lastWriteWins: MergeStrategy<Self> {
    .lastWriteWins(.replace, comparedBy: \.lastModified)
  }
}

extension Incomplete.Timed: Comparable {
  static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.lastModified < rhs.lastModified
  }

  static var lastWriteWinsOfComparable: MergeStrategy<Self> {
    .lastWriteWins(Self.patch)
  }
}

extension Incomplete.Custom {
  /**
  This will make patching as the default behavior:
  */
  static var defaultMergeStrategy: MergeStrategy<Self> {
    Self.patch
  }

  /**
  Only one property of those that `patch` has.
  */
  static var fragmentMergeStrategy: MergeStrategy<Self> {
    MergeStrategy(
      .patch(\.profile)
    )
  }
}

extension MergeStrategy {
  /**
  This is what the property patch MergeStrategy looks like.
  */
  fileprivate static func patching<Entity, Property>(
    _ keyPath: WritableKeyPath<Entity, Optional<Property>>
  ) -> MergeStrategy<Entity> {
    MergeStrategy<Entity> { old, new in
      var new = new
      new[keyPath: keyPath] = new[keyPath: keyPath] ?? old[keyPath: keyPath]
      return new
    }
  }
}

@Suite struct IncompleteDataDocumentTests {
  private typealias User = Incomplete.User
  private typealias Chat = Incomplete.Chat
  private typealias Message = Incomplete.Message
  private typealias Attachment = Incomplete.Attachment
  private typealias Timed = Incomplete.Timed
  private typealias Custom = Incomplete.Custom

  private let avatar = User.Avatar(url: "a.png")

  /// What the protocol has for all types.
  @Test func defaults() {
    let (old, new) = (Timed(id: "1", name: "a", lastModified: .now), Timed(id: "1", lastModified: .now))
    #expect(Timed.defaultMergeStrategy.merge(old, new: new).name == nil)
    #expect(Timed.fragmentMergeStrategy.merge(old, new: new).name == "a")
    #expect(MergeStrategy<Timed>.default.merge(old, new: new).name == nil)
    #expect(MergeStrategy<Timed>.fragment.merge(old, new: new).name == "a")
  }

  @Test func replacingAndPatching() throws {
    var context = Context()
    let user = User(
      id: "1",
      name: "Bob",
      avatar: avatar,
      profile: User.Profile(bio: "long")
    )
    try user.save(to: &context)
    #expect(User.query("1").resolve(in: context)?.profile?.bio == "long")

    let fragment = User(
      id: "1",
      name: "Bob",
      avatar: User.Avatar(url: "b.png")
    )
    try fragment.save(to: &context, options: .fragment)
    let patched = try #require(User.query("1").resolve(in: context))
    #expect(patched.profile?.bio == "long" && patched.avatar.url == "b.png")
    try fragment.save(to: &context)
    #expect(User.query("1").resolve(in: context)?.profile == nil)
  }

  @Test func lastWriteWins() throws {
    var context = Context()
    let profile = User.Profile(bio: "new")
    let oldUser = Timed(id: "1", name: "Bob", profile: nil, lastModified: Date.distantPast)
    let newUser = Timed(id: "1", name: nil, profile: profile, lastModified: Date())

    try oldUser.save(to: &context, options: Timed.lastWritePatch)
    try newUser.save(to: &context, options: Timed.lastWritePatch)
    // name="Bob" (preserved from old), profile=profile (from new)
    let merged = try #require(Timed.query("1").resolve(in: context))
    #expect(merged.name == "Bob" && merged.profile == profile)

    // In the other order it is the same.
    var other = Context()
    try newUser.save(to: &other, options: Timed.lastWritePatch)
    try oldUser.save(to: &other, options: Timed.lastWritePatch)
    #expect(Timed.query("1").resolve(in: other)?.name == "Bob")
    #expect(Timed.query("1").resolve(in: other)?.profile == profile)

    try oldUser.save(to: &context, options: Timed.lastWriteWins)
    #expect(Timed.query("1").resolve(in: context)?.profile == profile)
    let newest = Timed(id: "1", lastModified: Date.distantFuture)
    try newest.save(to: &context, options: Timed.lastWriteWins)
    #expect(Timed.query("1").resolve(in: context)?.profile == nil)
  }

  @Test func lastWriteWinsOfComparable() throws {
    var context = Context()
    try Timed(id: "1", name: "new", lastModified: .now).save(to: &context)
    let old = Timed(id: "1", name: "old", profile: User.Profile(bio: "p"), lastModified: .distantPast)
    try old.save(to: &context, options: Timed.lastWriteWinsOfComparable)
    let merged = try #require(Timed.query("1").resolve(in: context))
    #expect(merged.name == "new" && merged.profile?.bio == "p")
  }

  @Test func customStrategies() throws {
    var context = Context()
    try Custom(id: "1", name: "n", profile: "p", avatar: "a").save(to: &context)
    try Custom(id: "1").save(to: &context)
    #expect(Custom.query("1").resolve(in: context)?.name == "n")
    try Custom(id: "1").save(to: &context, options: .fragment)
    let found = try #require(Custom.query("1").resolve(in: context))
    #expect(found.name == nil && found.profile == "p" && found.avatar == nil)

    let (old, new) = (Custom(id: "1", name: "n", profile: "p", avatar: "a"), Custom(id: "1", profile: "q"))
    let several = MergeStrategy<Custom>(
      .patch(\.name),
      .patch(\.profile),
      .patch(\.avatar)
    )
    let merged = several.merge(old, new: new)
    #expect(merged.name == "n" && merged.profile == "q" && merged.avatar == "a")

    let lists = MergeStrategy<Custom>(
      .append(\.arrayOfSomething)
    )
    let first = Custom(id: "1", arrayOfSomething: [1, 2], maybe: [1])
    try first.save(to: &context, options: .replace)
    try Custom(id: "1", arrayOfSomething: [3]).save(to: &context, options: lists)
    #expect(Custom.query("1").resolve(in: context)?.arrayOfSomething == [1, 2, 3])
    let optional = MergeStrategy<Custom>(.append(\.maybe))
    #expect(optional.merge(first, new: Custom(id: "1")).maybe == [1])
    #expect(optional.merge(Custom(id: "1"), new: Custom(id: "1")).maybe == nil)

    let own: MergeStrategy<Custom> = MergeStrategy<Custom>.patching(\.name)
    #expect(own.merge(old, new: new).name == "n" && own.merge(old, new: new).avatar == nil)
    #expect(MergeStrategy<Int?>.patch().merge(1, new: nil) == 1)
  }

  @Test func fragmentsInRelations() throws {
    var context = Context()
    try User(id: "1", name: "Robert", profile: User.Profile(bio: "B")).save(to: &context)
    var chat = Chat(id: "1")
    chat.$users = .fragment([.bob, .alice, .john])
    try chat.save(to: &context)
    #expect(User.query(["1", "2"]).resolve(in: context).map(\.profile?.bio) == ["B", "A"])
    #expect(Chat.query("1").related(\.$users).resolve(in: context).map(\.name) == ["Bob", "Alice", "John"])
  }

  @Test func slices() throws {
    var context = Context()
    try Chat(id: "1", messages: .relation([Message(id: "1", text: "a", note: "n")])).save(to: &context)
    func found() -> [String] { Chat.query("1").related(\.$messages).resolve(in: context).map(\.id) }
    var chat = Chat(id: "1")
    let message = Message(id: "2", text: "b")
    chat.$messages = .appending(relation: [message])
    try chat.save(to: &context)
    #expect(found() == ["1", "2"])

    let third = Message(id: "3", text: "c")
    try third.save(to: &context)
    chat.$messages = .appending(ids: [third])
    try chat.save(to: &context)
    #expect(found() == ["1", "2", "3"])

    chat.$messages = .appending(fragment: [Message(id: "1", text: "A"), Message(id: "4", text: "d")])
    try chat.save(to: &context)
    #expect(found() == ["1", "2", "3", "4"])
    #expect(Message.query("1").resolve(in: context)?.text == "A")
    #expect(Message.query("1").resolve(in: context)?.note == "n")
  }

  @Test func missingToOne() throws {
    var context = Context()
    try Message(id: "1", text: "x", author: .relation(.bob), attachment: .relation(Attachment(id: "a")))
      .save(to: &context)
    let message = Message(
      id: "1",
      text: "Any thoughts on SwiftletModel?",
      author: .id("1"),
    )

    try message.save(to: &context)
    #expect(Message.query("1").related(\.$attachment).resolve(in: context)?.id == "a")

    let null = Message(
      id: "1",
      text: "Any thoughts on SwiftletModel?",
      author: .id("1"),
      attachment: .null
    )

    try null.save(to: &context)
    #expect(Message.query("1").related(\.$attachment).resolve(in: context) == nil)
  }

  @Test func summary() throws {
    var context = Context()
    let message = Message(id: "1", text: "x", note: "n")
    try message.save(to: &context)
    try Message(id: "1", text: "y").save(to: &context, options: .fragment)
    #expect(Message.query("1").resolve(in: context)?.note == "n")
    try Message(id: "1", text: "y").save(to: &context)
    #expect(Message.query("1").resolve(in: context)?.note == nil)
  }
}
