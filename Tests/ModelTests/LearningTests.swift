import Foundation
import GQLite
import GQLiteModels
import Testing

/// Types that lead to others only, so that a context with data meets them.
private enum Learnt {
  @EntityModel
  struct Note {
    let id: Int
    var text: String
    var anything: Opaque
    @Relationship(.required) var author: User?
    @Relationship var readers: [User]? = nil

    struct Opaque: Equatable { var value = 7 }

    func read(by ids: [String]) -> Self {
      var note = self
      note.$readers = .ids(ids)
      return note
    }
  }

  /// Its hook saves a type that may be unknown, before its own columns are written.
  @EntityModel
  struct Noted {
    @Unique<Self>(\.name, collisions: .note) private var uniqueName

    let id: Int
    var name: String
    @Relationship(.required) var user: User?
    @Relationship(inverse: \.noted) var parts: [Part]?

    mutating func willSave(to context: inout Context) throws {
      if name == "early" { try Note(id: id, text: name, anything: .init(), author: .id("1")).save(to: &context) }
    }
  }

  @EntityModel
  struct Part {
    let id: Int
    @Relationship(inverse: \.parts) var noted: Noted?

    func didSave(to context: inout Context) throws {
      if id == 100 { try Note(id: id, text: "part", anything: .init(), author: .id("1")).save(to: &context) }
    }
  }
}

extension CollisionResolver where Entity == Learnt.Noted {
  fileprivate static var note: Self {
    CollisionResolver { existing, new, _, context in
      try Learnt.Note(id: existing, text: "collision", anything: .init()).read(by: ["1"]).save(to: &context)
    }
  }
}

@Suite struct LearningTests {
  private typealias Note = Learnt.Note
  private typealias Noted = Learnt.Noted

  private func context() throws -> Context {
    var context = Context()
    try Chat(id: "1", users: .relation([User(id: "1", name: "Ann", age: 30), User(id: "2", name: "Bob", age: 20)]))
      .save(to: &context)
    try Message(id: "1", text: "Hello", author: .id("1"), chat: .id("1"), attachment: .id(UUID())).save(to: &context)
    try User(id: "3", name: "Gone").save(to: &context)
    try User.delete(id: "3", from: &context)
    return context
  }

  private func checkKnown(_ context: Context) {
    #expect(User.query().sorted(by: \.age).resolve(in: context).map(\.name) == ["Bob", "Ann"])
    #expect(User.filter(\.name == "Ann").resolve(in: context).map(\.id) == ["1"])
    #expect(Chat.query("1").related(\.$users).resolve(in: context).map(\.id) == ["1", "2"])
    #expect(Message.filter(.string(\.text, matches: "hello")).resolve(in: context).map(\.id) == ["1"])
    #expect(Deleted<User>.query("3").resolve(in: context)?.entity.name == "Gone")
    #expect(Database(context).check() == [])
  }

  @Test func contextsWithDataLearnTypes() throws {
    var context = try context()
    let before = context
    let opaque = Note.Opaque(value: 9)
    try Note(id: 1, text: "n", anything: opaque, author: .id("1")).read(by: ["1", "2"]).save(to: &context)
    checkKnown(context)
    #expect(Note.query(1).resolve(in: context)?.anything == opaque)
    #expect(Note.query(1).related(\.$readers).resolve(in: context).map(\.name) == ["Ann", "Bob"])
    try User.delete(id: "2", from: &context)
    #expect(Note.query(1).related(\.$readers).resolve(in: context).map(\.name) == ["Ann"])

    // The copy has neither the type nor its entities, and learns it by itself.
    checkKnown(before)
    #expect(Note.query().resolve(in: before).isEmpty && !before.schema.contains("Note"))
    var copy = before
    try Account(id: 1, email: "e", login: "l").save(to: &copy)
    try Note(id: 2, text: "m", anything: opaque, author: .relation(User(id: "4", name: "New"))).save(to: &copy)
    #expect(Note.query().resolve(in: copy).map(\.id) == [2] && Note.query().resolve(in: context).map(\.id) == [1])
    #expect(User.query("4").resolve(in: context) == nil && Account.query().resolve(in: context).isEmpty)
    let answer = try copy.query(#"{ Account { email } User(where: id == "4") { name } }"#)
    #expect(answer.jsonString == #"{"Account":[{"email":"e"}],"User":[{"name":"New"}]}"#)
    checkKnown(before)
  }

  /// What waits for its target goes on waiting.
  @Test func waitingLinksStay() throws {
    var context = Context()
    try Chat(id: "1", users: .ids(["7"])).save(to: &context)
    try Note(id: 1, text: "n", anything: .init(), author: .id("7")).save(to: &context)
    try User(id: "7", name: "Late").save(to: &context)
    #expect(Chat.query("1").related(\.$users).resolve(in: context).map(\.name) == ["Late"])
    #expect(Note.query(1).related(\.$author).resolve(in: context)?.name == "Late")
  }

  /// Hooks and resolvers meet new types while an entity is being saved, whose own columns and links move then.
  @Test func typesComeInTheMiddleOfASave() throws {
    for name in ["early", "late"] {
      var context = try context()
      try Noted(
        id: 1, name: name, user: .id("1"), parts: .relation([Learnt.Part(id: 100), Learnt.Part(id: 2)])
      ).save(to: &context)
      checkKnown(context)
      #expect(Noted.query(1).related(\.$user).resolve(in: context)?.name == "Ann")
      #expect(Noted.query(1).related(\.$parts).resolve(in: context).map(\.id) == [100, 2])
      #expect(Note.query().resolve(in: context).map(\.id) == (name == "early" ? [1, 100] : [100]))
    }
  }

  @Test func resolversBringTypes() throws {
    var context = try context()
    try Noted(id: 1, name: "same", user: .id("1")).save(to: &context)
    try Noted(id: 2, name: "same", user: .id("2")).save(to: &context)
    checkKnown(context)
    #expect(Noted.query().related(\.$user).resolve(in: context).map(\.name) == ["Ann", "Bob"])
    #expect(Noted.filter(\.name == "same").resolve(in: context).map(\.id) == [1, 2])
    #expect(Note.query(1).related(\.$readers).resolve(in: context).map(\.name) == ["Ann"])
  }
}
