import Foundation
import GQLite
import Synchronization
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// Nested queries with several stages: each sees what the one before gives of the same parent, and all parents are
/// answered together.
@Suite struct NestedStageTests {
  /// Three chats; two share users, whose ages tie.
  private func chats() throws -> Context {
    var context = try Context(for: Chat.self)
    for (id, name, age) in [("1", "Ann", 30), ("2", "Bo", 20), ("3", "Eve", 30), ("4", "Joe", 25)] {
      try User(id: id, name: name, age: age).save(to: &context)
    }
    try Chat(id: "a", users: .ids(["1", "2", "3", "4"])).save(to: &context)
    try Chat(id: "b", users: .ids(["3", "1"])).save(to: &context)
    try Chat(id: "c", users: .ids([])).save(to: &context)
    return context
  }

  private func users(
    _ context: Context, _ modifier: (QueryList<User>) -> QueryList<User>
  ) -> [[String]?] {
    Chat.query().with(\.$users, modifier).resolve(in: context).map(\.$users.ids)
  }

  @Test func stagesSeeTheirOwnParent() throws {
    let context = try chats()
    #expect(users(context) { $0 } == [["1", "2", "3", "4"], ["3", "1"], []])
    // Equal ages keep the order of the links, which is another in each chat.
    #expect(users(context) { $0.limit(3).sorted(by: \.age) } == [["2", "1", "3"], ["3", "1"], []])
    #expect(users(context) { $0.limit(3).sorted(by: \.age.desc) } == [["1", "3", "2"], ["3", "1"], []])
    #expect(users(context) { $0.limit(3).sorted(by: \.age.desc, \.name.desc) } == [["3", "1", "2"], ["3", "1"], []])
    #expect(users(context) { $0.limit(3).filter(\.age == 30) } == [["1", "3"], ["3", "1"], []])
    #expect(users(context) { $0.limit(3).filter(\.age == 30).limit(1) } == [["1"], ["3"], []])
    #expect(users(context) { $0.limit(3).limit(2, offset: 1) } == [["2", "3"], ["1"], []])
    #expect(users(context) { $0.limit(3).limit(0) } == [[], [], []])
    #expect(users(context) { $0.limit(3).filter(QueryPredicate(#Predicate { _ in false })) } == [[], [], []])
    #expect(users(context) { $0.limit(3).limit(5, offset: -1) } == [[], [], []])
    #expect(
      users(context) { $0.sorted(by: \.name).limit(3).sorted(by: \.age).limit(2).filter(\.name != "Bo") }
        == [["1"], ["1", "3"], []])
    #expect(users(context) { $0.limit(4).filter(.string(\.name, matches: "eve joe")) } == [["3", "4"], ["3"], []])
  }

  @Test func stagesInSwift() throws {
    let context = try chats()
    #expect(users(context) { $0.limit(3).sorted(by: \.name.count) } == [["2", "1", "3"], ["3", "1"], []])
    #expect(users(context) { $0.filter(\.name.count == 3).limit(1) } == [["1"], ["3"], []])
    #expect(users(context) { $0.filter(\.name.count == 3).limit(1, offset: 1) } == [["3"], ["1"], []])
    let looks = Atomic<Int>(0)
    let counted = QueryPredicate<User>(nil) { user, _ in
      looks.add(1, ordering: .relaxed)
      return user.age == 30
    }
    // Whom two chats have is looked at once: four users.
    #expect(users(context) { $0.filter(counted) } == [["1", "3"], ["3", "1"], []])
    #expect(looks.exchange(0, ordering: .relaxed) == 4)
    // The three that the first stage leaves.
    #expect(users(context) { $0.limit(3).filter(counted).sorted(by: \.name.desc) } == [["3", "1"], ["3", "1"], []])
    #expect(looks.exchange(0, ordering: .relaxed) == 3)
  }

  @Test func manyParents() throws {
    var context = try Context(for: Chat.self)
    // Chat n has the users n, n + 1, … n + 6 of 3000, whose ages go round at 5.
    for number in 0..<3000 { try User(id: "\(number)", name: "u", age: number % 5).save(to: &context) }
    for number in 0..<2500 {
      try Chat(id: "\(number)", users: .ids((0..<7).map { "\(number + $0)" })).save(to: &context)
    }
    let found = users(context) { $0.limit(6).filter(\.age > 0).sorted(by: \.age, \.id).limit(3) }
    #expect(found.count == 2500)
    for (number, ids) in found.enumerated() {
      let expected = (0..<6).map { number + $0 }.filter { $0 % 5 > 0 }
        .sorted { ($0 % 5, "\($0)") < ($1 % 5, "\($1)") }.prefix(3).map { "\($0)" }
      #expect(ids == expected)
    }
  }
}
