import Foundation
import GQLiteModels
import Testing

/// "How to use Filter Queries".
enum Filtering {
  enum UserStatus: String { case active, gone }
  enum Subscription: String, CaseIterable { case premium, free }
  enum Role { case admin, member }

  @EntityModel
  struct User {
    @Index<Self>(\.age) private var ageIndex  // B-tree index for range queries
    @HashIndex<Self>(\.status) private var statusIndex  // Hash index for equality lookups

    let id: String
    let age: Int
    let status: UserStatus
    let level: Int
    var subscription = Subscription.free
    var role = Role.member
    var lastLogin = Date(timeIntervalSince1970: 0)
  }

  @EntityModel
  struct Message {
    let id: String
    let text: String
  }

  @EntityModel
  struct Article {
    enum Status: String { case draft, published }
    @FullTextIndex<Self>(\.title, \.content) private var contentIndex

    let id: String
    let title: String
    let content: String
    var status = Status.published
  }
}

@Suite struct FilteringDocumentTests {
  private typealias User = Filtering.User
  private typealias Message = Filtering.Message
  private typealias Article = Filtering.Article

  private static let ages = [25, 30, 17, 18, 21, 25, 40, 65]
  private static let now = Date(timeIntervalSince1970: 1_000_000)

  private func context() throws -> Context {
    var context = Context()
    for (number, age) in Self.ages.enumerated() {
      try User(
        id: "\(number)", age: age, status: number % 2 == 0 ? .active : .gone, level: number,
        subscription: number > 4 ? .premium : .free, role: number == 2 ? .admin : .member,
        lastLogin: number < 6 ? Self.now : Date(timeIntervalSince1970: 0)
      ).save(to: &context)
    }
    for (id, text) in [("1", "Re: hello"), ("2", "Hello, kind regards"), ("3", "goodbye")] {
      try Message(id: id, text: text).save(to: &context)
    }
    for (id, title, content, status) in [
      ("1", "Cooking", "search for salt", Article.Status.published), ("2", "Search terms", "a glossary", .published),
      ("3", "Swift", "a database in memory", .published), ("4", "Swift database", "secret", .draft),
      ("5", "x", "y", .draft),
    ] {
      try Article(id: id, title: title, content: content, status: status).save(to: &context)
    }
    return context
  }

  private func ids(_ users: [User]) -> [String] { users.map(\.id) }

  @Test func equality() throws {
    let context = try context()
    // Single property equality
    let users =
      User
      .filter(\.age == 25)
      .resolve(in: context)
    #expect(ids(users) == ["0", "5"])

    // Multiple property equality chain.
    let results =
      User
      .filter(\.age == 25)
      .filter(\.status == .active)
      .resolve(in: context)
    #expect(ids(results) == ["0"])
  }

  @Test func comparison() throws {
    let context = try context()
    // Greater than
    let adults =
      User
      .filter(\.age > 18)
      .resolve(in: context)
    #expect(ids(adults) == ["0", "1", "4", "5", "6", "7"])

    // Less than or equal
    let juniors =
      User
      .filter(\.age <= 21)
      .resolve(in: context)
    #expect(ids(juniors) == ["2", "3", "4"])

    // Range combination
    let youngAdults =
      User
      .filter(\.age >= 18)
      .filter(\.age < 30)
      .resolve(in: context)
    #expect(ids(youngAdults) == ["0", "3", "4", "5"])
  }

  @Test func logic() throws {
    let context = try context()
    // OR operation
    let results = User.filter(\.age == 25)
      .or(.filter(\.age == 30))
      .resolve(in: context)
    #expect(ids(results) == ["0", "1", "5"])

    // AND operation with predicate
    let active = User.filter(\.age > 18)
      .and(\.status == .active)
      .resolve(in: context)
    #expect(ids(active) == ["0", "4", "6"])

    // AND operation with another query
    // Useful for combining complex filter conditions
    let premiumUsers = User.filter(\.subscription == .premium)
    let activeAdults = User.filter(\.age > 18)
      .and(\.status == .active)
      .and(premiumUsers)
      .resolve(in: context)
    #expect(ids(activeAdults) == ["6"])

    // Complex combinations
    let complex = User.filter(\.age == 25)
      .or(.filter(\.status == .active))
      .or(.filter(\.age > 30).and(\.level <= 4))
      .resolve(in: context)
    #expect(ids(complex) == ["0", "2", "4", "5", "6"])
  }

  @Test func strings() throws {
    let context = try context()
    // Contains
    let results =
      Message
      .filter(.string(\.text, contains: "hello"))
      .resolve(in: context)
    #expect(results.map(\.id) == ["1", "2"])

    // Prefix/Suffix
    let prefixed =
      Message
      .filter(.string(\.text, hasPrefix: "Re:"))
      .resolve(in: context)
    #expect(prefixed.map(\.id) == ["1"])

    let suffixed =
      Message
      .filter(.string(\.text, hasSuffix: "regards"))
      .resolve(in: context)
    #expect(suffixed.map(\.id) == ["2"])

    // Case sensitivity
    let sensitive =
      Message
      .filter(.string(\.text, contains: "Hello", caseSensitive: true))
      .resolve(in: context)
    #expect(sensitive.map(\.id) == ["2"])
  }

  @Test func fullText() throws {
    let context = try context()
    // Fuzzy matching
    let results = Article.filter(.string(\.content, matches: "search terms"))
      .resolve(in: context)
    #expect(results.map(\.id) == ["1"])
    // Multiple field search
    let several =
      Article
      .filter(.string(\.title, \.content, matches: "search terms"))
      .resolve(in: context)
    #expect(several.map(\.id) == ["2", "1"])
  }

  @Test func indexes() throws {
    var context = try context()
    for number in 100..<600 {
      try User(id: "\(number)", age: number % 19, status: .gone, level: 0).save(to: &context)
    }
    // This query will use the age index (O(log n))
    let adults =
      User
      .filter(\.age > 18)
    #expect(adults.resolve(in: context).count == 6)
    #expect(adults.explain(in: context, costs: false).contains(".age (18, ∞)"))

    // This query will use the status hash index (O(1))
    let active =
      User
      .filter(\.status == .active)
    #expect(active.resolve(in: context).count == 4)
    #expect(active.explain(in: context, costs: false).contains(#".status == "active""#))
  }

  @Test func methods() throws {
    let context = try context()
    let oneWeekAgo = Self.now.addingTimeInterval(-7 * 24 * 3600)
    // Complex filter combining multiple conditions
    let results =
      User
      .filter(\.age >= 18)
      .and(\.status == .active)
      .or(.filter(\.role == .admin))
      .and(\.lastLogin > oneWeekAgo)
      .resolve(in: context)
    #expect(ids(results) == ["0", "2", "4"])

    // Text search with multiple fields
    let articles =
      Article
      .filter(.string(\.title, \.content, matches: "swift database"))
      .filter(\.status == .published)
      .resolve(in: context)
    #expect(articles.map(\.id) == ["3"])
  }
}
