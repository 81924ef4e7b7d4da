import Foundation
import GQLite
import Synchronization
import Testing

/// Branches of a database in memory; those of files are in the tests of storage.
@Suite struct BranchTests {
  private let database: Database

  init() throws {
    database = try Database(
      schema: """
        type User { id: ID! name: String! age: Int views: Int! = 0 @merge(by: SUM) email: String @unique }
        """)
    try database.run(
      #"mutation { a: insertUser(data: {id: 1, name: "Ada"}) b: insertUser(data: {id: 2, name: "Bo"}) }"#)
  }

  private func rename(_ id: Int, _ name: String) -> String {
    "mutation { updateUser(where: id == \(id), set: {name: \"\(name)\"}) }"
  }
  private func names(_ context: EditingContext) throws -> String {
    try context.run("{ names := User.name }").jsonString
  }

  private func codes(_ body: () throws -> Void) -> [String] {
    do {
      try body()
      return []
    } catch let error as QueryError {
      return error.problems.map(\.code)
    } catch {
      return ["\(error)"]
    }
  }

  @Test("a branch has changes that nobody else sees, and is there as long as the database is") func draft() throws {
    let draft = try database.branch("draft")
    try draft.run(rename(1, "Ann"))
    try database.run(rename(2, "Bob"))
    #expect(try names(draft) == #"{"names":["Ann","Bo"]}"#)
    #expect(try database.run("{ names := User.name }").jsonString == #"{"names":["Ada","Bob"]}"#)
    #expect(draft.changes.description == "update User 1: name")
    try draft.undo()
    #expect(!draft.hasChanges)
    try draft.redo()
    #expect(try database.branches.map { "\($0.name) \($0.changes)" } == ["draft 3"])
    try draft.merge(into: database)
    #expect(try database.run("{ names := User.name }").jsonString == #"{"names":["Ann","Bob"]}"#)
    #expect(try names(draft) == #"{"names":["Ann","Bob"]}"#)
    #expect(!draft.hasChanges)
    try draft.merge(into: database)
    try database.branch("kept").run(rename(1, "Kept"))
    #expect(try names(database.branch("kept")) == #"{"names":["Kept","Bob"]}"#)
    try database.dropBranch("kept")
    try draft.drop()
    #expect(try database.branches == [])
    #expect(try names(database.branch("draft")) == #"{"names":["Ann","Bob"]}"#)
  }

  @Test("refreshing brings what is newest, and refuses what is in conflict") func refreshed() throws {
    let draft = try database.branch("draft")
    try draft.run(rename(1, "Ann"))
    try database.run(rename(2, "Bob"))
    try draft.refresh()
    #expect(try names(draft) == #"{"names":["Ann","Bob"]}"#)
    #expect(draft.base == database.version)
    try database.run(rename(1, "Anna"))
    #expect(codes { try draft.refresh() } == ["merge-conflict"])
    #expect(try names(draft) == #"{"names":["Ann","Bob"]}"#)
    try draft.refresh(conflicts: .mine)
    #expect(draft.changes.entities.first?.fields.first?.old == .string("Anna"))
    try draft.refresh(conflicts: .mine)
    try draft.merge(into: database)
    #expect(try database.run("{ names := User.name }").jsonString == #"{"names":["Ann","Bob"]}"#)
    try draft.run(rename(1, "Dropped"))
    try draft.discard()
    #expect(try names(draft) == #"{"names":["Ann","Bob"]}"#)
    #expect(try database.branches.map(\.changes) == [0])
  }

  @Test("a branch is merged into another one, and into a context") func others() throws {
    let first = try database.branch("first")
    let second = try database.branch("second")
    try first.run(rename(1, "Ann"))
    try first.run(#"mutation { insertUser(data: {id: 3, name: "Cy"}) }"#)
    try database.run(#"mutation { insertUser(data: {id: 4, name: "Di"}) }"#)
    try second.run(#"mutation { insertUser(data: {id: 5, name: "Ed"}) }"#)
    let report = try first.merge(into: second)
    #expect(report.applied.description == "update User 1: name\ninsert User 3")
    #expect(
      try second.run("{ names := User(orderBy: id).name }").jsonString == #"{"names":["Ann","Bo","Cy","Di","Ed"]}"#)
    #expect(first.hasChanges)
    let context = database.edit()
    try context.run(rename(1, "Anna"))
    #expect(codes { try first.merge(into: context) } == ["merge-conflict"])
    try first.merge(into: context, conflicts: .theirs)
    #expect(try context.run("{ names := User(orderBy: id).name }").jsonString == #"{"names":["Anna","Bo","Cy","Di"]}"#)
    try second.merge(into: database)
    try first.merge(into: database)
    #expect(
      try database.run("{ names := User(orderBy: id).name }").jsonString == #"{"names":["Ann","Bo","Cy","Di","Ed"]}"#)
    let other = try Database(schema: "type User { id: ID! name: String! }")
    #expect(codes { try first.merge(into: other) } == ["unrelated-branch"])
    #expect(codes { try first.merge(into: other.edit()) } == ["unrelated-branch"])
    #expect(codes { try first.merge(into: first) } == ["unrelated-branch"])
    #expect(database.check() == [] && second.database.check() == [])
  }

  @Test("sums are added once") func sums() throws {
    let draft = try database.branch("draft")
    for _ in 0..<3 { try draft.run("mutation { updateUser(where: id == 1, set: {views: views + 1}) }") }
    try database.run("mutation { updateUser(where: id == 1, set: {views: views + 10}) }")
    try draft.merge(into: database)
    try draft.merge(into: database)
    #expect(try database.run("{ user(id: 1) { views } }").jsonString == #"{"user":{"views":13}}"#)
  }

  @Test("contexts, transactions, views and live queries work in a branch") func asContext() throws {
    let draft = try database.branch("draft")
    let inner = draft.edit()
    try inner.run(rename(1, "Ann"))
    try inner.save()
    #expect(try names(draft) == #"{"names":["Ann","Bo"]}"#)
    _ = try draft.transaction { try $0.run(rename(2, "Bob")) }
    #expect(draft.undoStack.undoNames.count == 2)
    #expect(try draft.prepare("{ names := User.name }").run(on: draft.view()).jsonString == #"{"names":["Ann","Bob"]}"#)
    #expect(codes { try draft.run(#"mutation { updateUser(where: id == 1, set: {name: null}) }"#) } != [])
    #expect(codes { _ = try database.transaction { _ in try draft.run(rename(1, "X")) } } == ["nested-transaction"])
    #expect(
      codes { try draft.database.changeSchema(to: "type User { id: ID! name: String! }", allowingLoss: true) } == [
        "not-on-branch"
      ])
    #expect(codes { try draft.database.compact() } == ["not-on-branch"])
    #expect(codes { try draft.database.backup(to: "/nowhere/file") } == ["not-on-branch"])
    #expect(codes { _ = try draft.database.branch("inner") } == ["not-on-branch"])
    #expect(codes { _ = try inner.database.branch("inner") } == ["not-on-branch"])
  }

  @Test("live queries hear of a branch's changes") func liveQueries() throws {
    let draft = try database.branch("draft")
    let last = Mutex("")
    let subscription = try draft.prepare("{ names := User.name }").subscribe { event in
      last.withLock { $0 = event.answer?.jsonString ?? "" }
    }
    func expect(_ text: String) {
      for _ in 0..<6_000 where last.withLock({ $0 }) != text { Thread.sleep(forTimeInterval: 0.01) }
      #expect(last.withLock { $0 } == text)
    }
    expect(#"{"names":["Ada","Bo"]}"#)
    try draft.run(rename(1, "Ann"))
    expect(#"{"names":["Ann","Bo"]}"#)
    try database.run(rename(2, "Bob"))
    try draft.refresh()
    expect(#"{"names":["Ann","Bob"]}"#)
    withExtendedLifetime(subscription) {}
  }

  @Test("whoever has the database of a branch has the branch") func shared() throws {
    let data = try database.branch("draft").database
    try data.run(rename(1, "Ann"))
    let draft = try database.branch("draft")
    #expect(draft.database === data)
    #expect(try names(draft) == #"{"names":["Ann","Bo"]}"#)
    try draft.drop()
    #expect(codes { try data.run(rename(1, "X")) } == ["unknown-branch"])
    #expect(try database.branch("draft").database !== data)
  }

  @Test("a branch follows a change of the schema") func schemas() throws {
    let draft = try database.branch("draft")
    try draft.run("mutation { updateUser(where: id == 1, set: {age: 36}) }")
    #expect(codes { try database.changeSchema(to: "type User { id: ID! name: String! }") }.contains("data-loss"))
    let wider =
      "type User { id: ID! label: String! @was(name: \"name\") age: Int views: Int! = 0 email: String @unique }"
    try database.changeSchema(to: wider)
    #expect(
      try draft.run("{ User { label age } }").jsonString
        == #"{"User":[{"label":"Ada","age":36},{"label":"Bo","age":null}]}"#)
    try draft.merge(into: database)
    #expect(try database.run("{ user(id: 1) { label age } }").jsonString == #"{"user":{"label":"Ada","age":36}}"#)
    try draft.run("mutation { updateUser(where: id == 1, set: {age: 37}) }")
    try database.changeSchema(to: "type User { id: ID! label: String! }", allowingLoss: true)
    #expect(!draft.hasChanges)
  }

  @Test(
    "names are short and plain",
    arguments: ["", " a", "a ", "a\nb", "a\u{0}", "a\u{2028}b", "\u{202E}a", String(repeating: "x", count: 101)])
  func names(_ name: String) {
    #expect(codes { _ = try database.branch(name) } == ["branch-name"])
  }

  @Test func plainNames() throws {
    let plain = ["draft", "feature/one", "Größe", "日本", "a b", "'; DROP TABLE x"]
    for name in plain { _ = try database.branch(name) }
    #expect(try Set(database.branches.map(\.name)) == Set(plain))
    #expect(codes { _ = try database.branch("darft", creates: false) } == ["unknown-branch"])
  }

  @Test("there is a greatest number of branches") func limit() throws {
    for number in 0..<1_000 { _ = try database.branch("b\(number)") }
    #expect(codes { _ = try database.branch("one more") } == ["branch-limit"])
    try database.dropBranch("b7")
    _ = try database.branch("one more")
  }

  @Test("threads share a branch") func threads() async throws {
    let database = database
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<25 {
            let insert = "mutation { insertUser(data: {id: \(100 + task * 100 + number), name: \"n\"}) }"
            _ = try? (task == 3 ? database.run(insert) : database.branch("draft").run(insert))
            if task == 2, number % 10 == 9 { _ = try? database.branch("draft").merge(into: database) }
          }
        }
      }
    }
    try database.branch("draft").merge(into: database)
    #expect(try database.run("{ count(User) }").jsonString == #"{"count":102}"#)
    #expect(database.check() == [])
  }
}
