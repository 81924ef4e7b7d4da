import GQLiteModels
import Testing

/// "Indexing".
enum Indexing {
  @EntityModel
  struct User {
    @Index<Self>(\.age) private var ageIndex
    @Index<Self>(\.lastName, \.firstName) private var nameIndex

    let id: String
    let firstName: String
    let lastName: String
    let age: Int
  }

  @EntityModel
  struct Employee {
    @HashIndex<Self>(\.status) private var statusIndex
    @HashIndex<Self>(\.region, \.department) private var regionDeptIndex

    let id: String
    let status: String
    let region: String
    let department: String
  }

  @EntityModel
  struct GenericAttachment<T: Codable & Sendable & Hashable>: Codable, Sendable {
    @HashIndex<Self>(\.kind) private var kindIndex

    let id: String
    var kind: T

    @Relationship
    var message: Message? = .none
  }

  @EntityModel
  struct Message: Codable, Sendable { let id: String }

  @EntityModel
  struct Account {
    // Unique username with upsert on collision
    @Unique<Self>(\.username, collisions: .upsert)
    private var uniqueUsername

    // Unique email that throws on collision
    @Unique<Self>(\.email, collisions: .throw)
    private var uniqueEmail

    // Custom collision handling for current user
    @Unique<Self>(\.isCurrent, collisions: .updateCurrentUser)
    private var currentUserIndex

    let id: String
    let username: String
    let email: String
    var isCurrent: Bool
  }

  @EntityModel
  struct OptionalMail {
    @Unique<Self>(\.email, collisions: .ignoreNil)
    private var uniqueEmail

    let id: String
    var email: String?
  }

  @EntityModel
  struct Article {
    @FullTextIndex<Self>(\.title, \.content) private var contentIndex

    let id: String
    let title: String
    let content: String
  }
}

// Custom collision resolver implementation
extension CollisionResolver where Entity == Indexing.Account {
  static var updateCurrentUser: Self {
    CollisionResolver { existingId, _, _, context in
      let query: Query<Entity> = DocumentQueries.shared.one(existingId, context)
      guard var user = query.resolve(in: context),
        user.isCurrent
      else {
        return
      }

      user.isCurrent = false
      try user.save(to: &context)
    }
  }
}

extension CollisionResolver {
  fileprivate static var ignoreNil: Self {
    CollisionResolver { existingId, newEntity, keyPath, context in
      // Only throw if the new value is non-nil
      guard newEntity[keyPath: keyPath] != nil else {
        return
      }
      throw UniqueConstraintViolation(existingId: existingId, keyPath: keyPath)
    }
  }
}

@Suite struct IndexDocumentTests {
  private typealias User = Indexing.User
  private typealias Employee = Indexing.Employee
  private typealias Account = Indexing.Account

  @Test func btree() throws {
    var context = Context()
    for (number, age) in [12, 13, 19, 20, 65, 66, 80].enumerated() {
      try User(id: "\(number)", firstName: "F\(number % 2)", lastName: "L\(number % 3)", age: age).save(to: &context)
    }
    // Range queries
    let adults = User.filter(\.age >= 18).resolve(in: context)
    let seniors = User.filter(\.age > 65).resolve(in: context)
    let teens = User.filter(\.age >= 13 && \.age < 20).resolve(in: context)
    #expect(adults.map(\.age) == [19, 20, 65, 66, 80])
    #expect(seniors.map(\.age) == [66, 80])
    #expect(teens.map(\.age) == [13, 19])

    // Sorting
    let sortedByAge = User.query().sorted(by: \.age).resolve(in: context)
    #expect(sortedByAge.map(\.age) == [12, 13, 19, 20, 65, 66, 80])
    // == and != too.
    #expect(User.filter(\.age == 20).resolve(in: context).count == 1)
    #expect(User.filter(\.age != 20).resolve(in: context).count == 6)
  }

  @Test func hash() throws {
    var context = Context()
    for number in 0..<400 {
      try Employee(
        id: "\(number)", status: number % 2 == 0 ? "active" : "away", region: number % 4 == 0 ? "US" : "EU",
        department: number % 5 == 0 ? "Sales" : "IT"
      ).save(to: &context)
    }
    // Equality lookups
    let activeUsers = Employee.filter(\.status == "active").resolve(in: context)
    #expect(activeUsers.count == 200)
    let salesTeam =
      Employee
      .filter(\.region == "US" && \.department == "Sales")
    #expect(salesTeam.resolve(in: context).map(\.id) == stride(from: 0, to: 400, by: 20).map { "\($0)" })
    #expect(
      salesTeam.explain(in: context, costs: false).contains("Hash Indexing_Employee(region, department)"),
      "\(salesTeam.explain(in: context))")
  }

  @Test func generics() throws {
    var context = Context()
    try Indexing.GenericAttachment(id: "1", kind: "image", message: .init(id: "m")).save(to: &context)
    try Indexing.GenericAttachment(id: "1", kind: 7).save(to: &context)
    let found = Indexing.GenericAttachment<String>.filter(\.kind == "image").with(\.$message).resolve(in: context)
    #expect(found.map(\.message?.id) == ["m"])
    #expect(Indexing.GenericAttachment<Int>.filter(\.kind == 7).resolve(in: context).map(\.id) == ["1"])
    #expect(Indexing.GenericAttachment<Int>.filter(\.kind == 8).resolve(in: context).isEmpty)
  }

  @Test func unique() throws {
    var context = Context()
    func current() -> [String] { Account.filter(\.isCurrent == true).resolve(in: context).map(\.id) }
    try Account(id: "1", username: "a", email: "a@x", isCurrent: true).save(to: &context)
    try Account(id: "2", username: "b", email: "b@x", isCurrent: false).save(to: &context)
    try Account(id: "3", username: "c", email: "c@x", isCurrent: false).save(to: &context)
    #expect(current() == ["1"])
    // 1. Replaces the entity with the username.
    try Account(id: "4", username: "b", email: "d@x", isCurrent: false).save(to: &context)
    #expect(context.ids(Account.self) == ["1", "3", "4"])
    // 2. Throws on the email.
    #expect(throws: Errors.self) {
      try Account(id: "5", username: "e", email: "a@x", isCurrent: false).save(to: &context)
    }
    // 3. The new current user makes the old one not current.
    try Account(id: "6", username: "f", email: "f@x", isCurrent: true).save(to: &context)
    #expect(current() == ["6"])
    #expect(Account.query("1").resolve(in: context)?.isCurrent == false)
    try Account(id: "3", username: "c", email: "c@x", isCurrent: true).save(to: &context)
    #expect(current() == ["3"])
    #expect(context.ids(Account.self) == ["1", "3", "4", "6"])
  }

  @Test func uniqueOptionals() throws {
    var context = Context()
    // Multiple users with nil email are allowed
    let user1 = Indexing.OptionalMail(id: "1", email: nil)
    let user2 = Indexing.OptionalMail(id: "2", email: nil)
    try user1.save(to: &context)  // OK
    try user2.save(to: &context)  // OK

    // Non-nil emails must be unique
    let user3 = Indexing.OptionalMail(id: "3", email: "alice@example.com")
    let user4 = Indexing.OptionalMail(id: "4", email: "alice@example.com")
    try user3.save(to: &context)  // OK
    #expect(throws: UniqueConstraintViolation.self) { try user4.save(to: &context) }
    #expect(context.ids(Indexing.OptionalMail.self) == ["1", "2", "3"])
  }

  @Test func fullText() throws {
    var context = Context()
    for (id, title, content) in [("1", "Tea", "leaves"), ("2", "Search", "terms of use"), ("3", "A search", "x y z")] {
      try Indexing.Article(id: id, title: title, content: content).save(to: &context)
    }
    let articles =
      Indexing.Article
      .query()
      .filter(.string(\.title, \.content, matches: "search terms"))
      .resolve(in: context)
    #expect(articles.map(\.id) == ["2", "3"])
  }
}
