import Foundation
import GQLite
import GQLiteModels
import Testing

@Suite struct QueryTests {
  /// Ages 0, 7, 4, 1, 8, 5, 2, 9, 6, 3 for ids 0…9; names of two letters.
  private func context() throws -> Context {
    var context = Context()
    for id in 0..<10 {
      let name = id % 2 == 0 ? "Ann \(id)" : "Bob \(id)"
      try User(id: "\(id)", name: name, age: id * 7 % 10).save(to: &context)
    }
    return context
  }

  @Test func filtersAndOrders() throws {
    let context = try context()
    func ids(_ list: QueryList<User>) -> [String] { list.resolve(in: context).map(\.id) }
    #expect(ids(User.filter(\.age == 7)) == ["1"])
    #expect(ids(User.filter(\.age >= 3).filter(\.age < 6)) == ["2", "5", "9"])
    #expect(ids(User.filter(\.age >= 3 && \.age < 6).sorted(by: \.age.desc)) == ["5", "2", "9"])
    #expect(ids(User.filter(\.age == 1).or(.filter(\.name == "Bob 1"))) == ["1", "3"])
    #expect(ids(User.filter(\.age > 6).and(.filter(\.age != 8))) == ["1", "7"])
    #expect(ids(User.query().sorted(by: \.age).limit(3)) == ["0", "3", "6"])
    #expect(ids(User.query().sorted(by: \.age).limit(3, offset: 8)) == ["4", "7"])
    #expect(ids(User.query().limit(0)).isEmpty && ids(User.query().limit(2, offset: -1)).isEmpty)
    // A condition behind a slice sees the slice.
    #expect(ids(User.query().sorted(by: \.age).limit(3).filter(\.age > 0)) == ["3", "6"])
    // Computed key paths are evaluated in Swift.
    #expect(ids(User.query().sorted(by: \.name.count, \.age.desc).limit(2)) == ["7", "4"])
    #expect(ids(User.filter(\.name.count == 5).filter(\.age < 2)) == ["0", "3"])
    #expect(ids(User.filter(\.age == 2).or(.filter(\.name.count == 4))) == ["6"])
    #expect(User.query().sorted(by: \.age).first().resolve(in: context)?.id == "0")
    #expect(User.query().sorted(by: \.age).last().resolve(in: context)?.id == "7")
  }

  @Test func idsKeepOrderAndRepeats() throws {
    let context = try context()
    #expect(User.query(["3", "404", "1", "3"]).resolve(in: context).map(\.id) == ["3", "1", "3"])
    #expect(User.query(["404", "1"]).first().resolve(in: context)?.id == "1")
    #expect(User.query(["3", "1", "3"]).distinct().resolve(in: context).map(\.id) == ["3", "1"])
    #expect(User.query(["3", "1", "2"]).filter(\.age > 1).resolve(in: context).map(\.id) == ["1", "2"])
    #expect(User.query("1").filter(\.age > 100).resolve(in: context) == nil)
    #expect(User.query("1").filter(\.age > 100).related(\.$chats).resolve(in: context).isEmpty)
  }

  @Test func texts() throws {
    let context = try context()
    func ids(_ predicate: QueryPredicate<User>) -> [String] { User.filter(predicate).resolve(in: context).map(\.id) }
    #expect(ids(.string(\.name, hasPrefix: "bob")) == ["1", "3", "5", "7", "9"])
    #expect(ids(.string(\.name, hasPrefix: "bob", caseSensitive: true)).isEmpty)
    #expect(ids(.string(\.name, \.id, contains: "9")) == ["9"])
    #expect(ids(.string(\.name, notHavingSuffix: "1")) == ["0", "2", "3", "4", "5", "6", "7", "8", "9"])
    #expect(ids(.string(\.name, contains: "")).count == 10)
  }

  /// A needle of two letters means the same where words are indexed.
  @Test func fullTextIndexesDoNotChangeContains() throws {
    var context = Context()
    try Message(id: "1", text: "Go to the shop").save(to: &context)
    #expect(Message.filter(.string(\.text, contains: "to")).resolve(in: context).count == 1)
    #expect(Message.filter(.string(\.text, contains: "o t")).resolve(in: context).count == 1)
    #expect(Message.filter(.string(\.text, hasPrefix: "GO")).resolve(in: context).count == 1)
    // The computed key path has a column, which follows the text.
    #expect(Message.filter(\.text.count == 14).resolve(in: context).count == 1)
    try Message(id: "1", text: "Go").save(to: &context)
    #expect(Message.filter(\.text.count == 14).resolve(in: context).isEmpty)
    #expect(Message.query().sorted(by: \.text.count.desc).resolve(in: context).map(\.text) == ["Go"])
  }

  /// What is nested stays nested, whatever comes behind it.
  @Test func nestingSurvives() throws {
    var context = Context()
    for id in ["1", "2"] {
      try Chat(id: id, users: .relation([User(id: id, name: id, age: Int(id) ?? 0)])).save(to: &context)
    }
    let list = User.query().with(\.$chats).filter(\.age > 0).sorted(by: \.name.desc)
    #expect(list.resolve(in: context).map { $0.chats?.count } == [1, 1])
    #expect(list.first().resolve(in: context)?.chats?.first?.id == "2")
    #expect(list.limit(1).filter(\.name.count == 1).resolve(in: context).first?.chats?.first?.id == "2")
    let sliced = Chat.query("1").with(slice: \.$users) { $0.filter(\.age > 5) }.resolve(in: context)
    #expect(sliced?.$users.isSlice == true && sliced?.$users.ids == [])
  }

  @Test func relatedLists() throws {
    var context = Context()
    try Chat(id: "1", users: .relation([User(id: "1", name: "A"), User(id: "2", name: "B")])).save(to: &context)
    try Chat(id: "2", users: .ids(["2"])).save(to: &context)
    try Message(id: "1", text: "x", author: .id("2")).save(to: &context)
    let groups = Chat.query().related(\.$users).resolve(in: context)
    #expect(groups.map { $0.map(\.name) } == [["A", "B"], ["B"]])
    #expect(Message.query().related(\.$author).resolve(in: context).map(\.name) == ["B"])
    #expect(Chat.query("1").related(\.$users).sorted(by: \.name.desc).resolve(in: context).map(\.name) == ["B", "A"])
  }

  @Test func metadata() throws {
    var context = Context()
    let before = Date()
    try User(id: "1", name: "A").save(to: &context)
    let saved = try #require(User(id: "1", name: "").updatedAt(in: context))
    #expect(abs(saved.timeIntervalSince(before)) < 60)
    try User(id: "2", name: "B").save(to: &context)
    try User(id: "1", name: "A").save(to: &context)
    #expect(User.query().sorted(by: .updatedAt.desc).resolve(in: context).first?.id == "1")
    #expect(User.filter(.updated(within: saved...Date.distantFuture)).resolve(in: context).count == 2)
    #expect(
      User.filter(.updated(within: Date.distantPast...before.addingTimeInterval(-60))).resolve(in: context).isEmpty)
  }

  @Test func textSeesTheSameEntities() throws {
    var context = try context()
    let answer = try context.query("query($x: Int!) { User(where: age > $x, orderBy: age) { name } }", ["x": 7])
    #expect(answer.jsonString == #"{"User":[{"name":"Ann 4"},{"name":"Bob 7"}]}"#)
    let database = Database(context)
    try User(id: "10", name: "New").save(to: &context)
    let text = #"{ User(where: name == "New") { id } }"#
    #expect(try database.query(text).jsonString == #"{"User":[]}"#)
    #expect(try context.query(text).jsonString == #"{"User":[{"id":"10"}]}"#)
    #expect(database.check() == [])
  }

  @Test func typesBecomeASchema() throws {
    let text = try schema(of: [User.self])
    for type in ["type User", "type Chat", "type Message", "type Attachment"] { #expect(text.contains(type)) }
    let context = try Context(for: User.self)
    #expect(context.schema == text)
    #expect(Message.query().resolve(in: context).isEmpty)
  }
}
