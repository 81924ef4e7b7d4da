import Foundation
import GQLite
import Synchronization
import Testing

/// Contexts, apart from what merging decides.
@Suite struct EditingContextTests {
  private static let schema = """
    type User { id: ID! name: String email: String @unique age: Int posts: [Post!]! @relation(inverse: "author") }
    type Post { id: ID! title: String author: User @relation(inverse: "posts") }
    """
  private static let all =
    "{ User(orderBy: id) { id name email age posts { id } } Post(orderBy: id) { id title author { id } } }"

  private func database() throws -> Database {
    let database = try Database(schema: Self.schema)
    try database.run(
      #"mutation { insertUser(data: [{id: 1, name: "Ada", email: "a", age: 30, posts: [{id: 1, title: "x"}]}, {id: 2, name: "Bo"}]) }"#
    )
    return database
  }

  @Test("nobody sees a context's changes until they are saved") func isolation() throws {
    let database = try database()
    let before = try database.run(Self.all).jsonString
    let draft = database.edit()
    #expect(!draft.hasChanges)
    #expect(try draft.run(Self.all).jsonString == before)
    try draft.run(
      #"mutation { updateUser(where: id == 1, set: {name: "Ann"}) insertPost(data: {id: 7, title: "n", author: 2}) }"#)
    #expect(try database.run(Self.all).jsonString == before)
    #expect(
      try draft.run("{ user(id: 1) { name } user2: user(id: 2) { posts { id } } }").jsonString
        == #"{"user":{"name":"Ann"},"user2":{"posts":[{"id":7}]}}"#)
    #expect(draft.changes.description == "update User 1: name\nupdate User 2: posts\ninsert Post 7")
    let version = database.version
    let report = try draft.save()
    #expect(report.version == version + 1 && database.version == version + 1)
    #expect(report.conflicts.isEmpty)
    #expect(report.applied.description == "update User 1: name\nupdate User 2: posts\ninsert Post 7")
    #expect(
      try database.run("{ user(id: 1) { name } post(id: 7) { author { id } } }").jsonString
        == #"{"user":{"name":"Ann"},"post":{"author":{"id":2}}}"#)
    #expect(database.check() == [])
  }

  @Test("a second save has nothing to bring, and the context goes on from there") func savedTwice() throws {
    let database = try database()
    let draft = database.edit()
    try draft.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann"}) }"#)
    try draft.save()
    let version = database.version
    let second = try draft.save()
    #expect(second.applied.isEmpty && second.version == version && database.version == version)
    try draft.run("mutation { updateUser(where: id == 1, set: {age: 31}) }")
    #expect(draft.changes.description == "update User 1: age")
    try draft.save()
    #expect(try database.run("{ user(id: 1) { name age } }").jsonString == #"{"user":{"name":"Ann","age":31}}"#)
  }

  @Test("what a program reads of changes are values") func changeValues() throws {
    let draft = try database().edit()
    try draft.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann", age: null}) deleteUser(where: id == 2) }"#)
    try draft.run("mutation { updatePost(where: id == 1, set: {author: null}) }")
    let changes = draft.changes.entities
    #expect(changes.map(\.kind) == [.update, .delete, .update])
    #expect(changes[0].id == 1 && changes[0].type == "User")
    #expect(changes[0].fields.map(\.name) == ["name", "age", "posts"])
    #expect(changes[0].fields.map(\.old) == ["Ada", 30, [1]])
    #expect(changes[0].fields.map(\.new) == ["Ann", nil, []])
    #expect(changes[2].fields.map(\.new) == [nil])
    #expect(draft.changes.json.contains(#""change":"delete""#))
  }

  @Test("discarded and dropped changes leave nothing") func discarded() throws {
    let database = try database()
    let before = try database.run(Self.all).jsonString
    let draft = database.edit()
    try draft.run("mutation { deleteUser(where: id == 1) }")
    try draft.discard()
    #expect(!draft.hasChanges)
    #expect(try draft.run(Self.all).jsonString == before)
    do {
      let dropped = database.edit()
      try dropped.run("mutation { deleteUser(where: id == 1) }")
    }
    #expect(try database.run(Self.all).jsonString == before)
  }

  @Test("a live context shows what others commit, where it has not written") func live() throws {
    let database = try database()
    let draft = database.edit()
    try draft.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann"}) insertUser(data: {id: 9, name: "Z"}) }"#)
    try database.run(
      #"mutation { updateUser(where: id == 1, set: {name: "Ida", age: 40}) insertUser(data: {id: 5, name: "Cy"}) }"#)
    #expect(
      try draft.run("{ User(orderBy: id) { id name age } }").jsonString
        == #"{"User":[{"id":1,"name":"Ann","age":40},{"id":2,"name":"Bo","age":null},{"id":5,"name":"Cy","age":null},{"id":9,"name":"Z","age":null}]}"#
    )
    // What conflicts stays mine until it is saved, and is told then.
    let failure = problem { try draft.save() }
    #expect(failure?.code == "merge-conflict")
    #expect(failure?.message == #"'User.name' of 1 is "Ann" here and "Ida" there, and was "Ada""#)
    let report = try draft.save(conflicts: .mine)
    #expect(report.conflicts.map(\.field) == ["name"] && report.conflicts.map(\.resolved) == [.mine])
    #expect(report.conflicts.map(\.base) == ["Ada"] && report.conflicts.map(\.theirs) == ["Ida"])
    #expect(
      try database.run("{ user(id: 1) { name age } count: count(User) }").jsonString
        == #"{"user":{"name":"Ann","age":40},"count":4}"#)
    #expect(database.check() == [])
  }

  @Test("what was followed with a conflict can still be decided for the other side") func liveTheirs() throws {
    let database = try database()
    let draft = database.edit()
    try draft.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann"}) deleteUser(where: id == 2) }"#)
    try database.run(#"mutation { updateUser(where: id == 1, set: {name: "Ida"}) }"#)
    _ = try draft.run(Self.all)
    try database.run(#"mutation { updateUser(where: id == 2, set: {age: 9}) }"#)
    _ = try draft.run(Self.all)
    let report = try draft.save(conflicts: .theirs)
    #expect(report.conflicts.map(\.kind) == [.field, .deleted])
    #expect(
      try database.run("{ User(orderBy: id) { id name age } }").jsonString
        == #"{"User":[{"id":1,"name":"Ida","age":30},{"id":2,"name":"Bo","age":9}]}"#)
    #expect(
      try draft.run("{ User(orderBy: id) { id name age } }").jsonString
        == #"{"User":[{"id":1,"name":"Ida","age":30},{"id":2,"name":"Bo","age":9}]}"#)
  }

  @Test("a snapshot shows what was, until it is brought to what is") func snapshot() throws {
    let database = try database()
    let draft = database.edit(.snapshot)
    try database.run("mutation { updateUser(where: id == 1, set: {age: 31}) }")
    try draft.run(#"mutation { updateUser(where: id == 2, set: {age: 7}) }"#)
    let query = "{ User(orderBy: id) { age } }"
    #expect(try draft.run(query).jsonString == #"{"User":[{"age":30},{"age":7}]}"#)
    try draft.refresh()
    #expect(try draft.run(query).jsonString == #"{"User":[{"age":31},{"age":7}]}"#)
    #expect(draft.changes.description == "update User 2: age")
    try database.run("mutation { updateUser(where: id == 1, set: {age: 32}) }")
    #expect(try draft.run(query).jsonString == #"{"User":[{"age":31},{"age":7}]}"#)
    try draft.discard()
    #expect(try draft.run(query).jsonString == #"{"User":[{"age":31},{"age":null}]}"#)
  }

  @Test("a context of an earlier version is merged with all that came since") func ofVersion() throws {
    let database = try database()
    database.recentVersions = 1 << 20
    let version = database.version
    try database.run("mutation { updateUser(where: id == 1, set: {age: 31}) }")
    let draft = database.edit(.snapshot, of: try database.view(version: version))
    #expect(try draft.run("{ user(id: 1) { age } }").jsonString == #"{"user":{"age":30}}"#)
    try draft.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann"}) }"#)
    try draft.save()
    #expect(try database.run("{ user(id: 1) { name age } }").jsonString == #"{"user":{"name":"Ann","age":31}}"#)
  }

  @Test("contexts within contexts are saved into these") func nested() throws {
    let database = try database()
    let outer = database.edit()
    try outer.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann"}) }"#)
    let inner = outer.edit()
    try inner.run("mutation { updateUser(where: id == 1, set: {age: 50}) }")
    // It follows both.
    try database.run(#"mutation { updateUser(where: id == 2, set: {name: "Bob"}) }"#)
    #expect(
      try inner.run("{ User(orderBy: id) { name age } }").jsonString
        == #"{"User":[{"name":"Ann","age":50},{"name":"Bob","age":null}]}"#)
    try inner.save()
    #expect(outer.changes.description == "update User 1: name, age")
    #expect(try database.run("{ user(id: 1) { name age } }").jsonString == #"{"user":{"name":"Ada","age":30}}"#)
    try outer.save()
    #expect(try database.run("{ user(id: 1) { name age } }").jsonString == #"{"user":{"name":"Ann","age":50}}"#)
  }

  @Test("changes of a context can be taken back") func undone() throws {
    let draft = try database().edit()
    try draft.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann"}) }"#)
    try draft.run(#"mutation { updateUser(where: id == 1, set: {age: 5}) }"#, options: RunOptions(action: "age"))
    #expect(draft.undoStack.undoNames == ["age", nil])
    try draft.undo()
    #expect(draft.changes.description == "update User 1: name")
    try draft.redo()
    #expect(draft.changes.description == "update User 1: name, age")
    try draft.undo()
    try draft.undo()
    #expect(!draft.hasChanges)
    #expect(try draft.undo() == nil)
    try draft.redo()
    try draft.save()
    // What was saved is taken back in the database.
    #expect(try draft.undo() == nil)
  }

  @Test("a saved context is one action of the database") func savedAsAction() throws {
    let database = try database()
    let stack = database.undoStack(for: "editor")
    let draft = database.edit()
    try draft.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann"}) }"#)
    try draft.run("mutation { updateUser(where: id == 2, set: {age: 5}) }")
    try draft.save(origin: "editor", action: "Edit people")
    #expect(stack.undoNames == ["Edit people"])
    try stack.undo()
    #expect(
      try database.run("{ User(orderBy: id) { name age } }").jsonString
        == #"{"User":[{"name":"Ada","age":30},{"name":"Bo","age":null}]}"#)
  }

  @Test("a context has the functions and commands of its database") func registered() throws {
    let database = try database()
    try database.registerCommand("greet", arguments: [CommandArgument("id", type: "ID!")], returns: "User") {
      transaction, arguments in
      try transaction.run(
        #"mutation($id: ID!) { updateUser(where: id == $id, set: {name: "Hello"}) }"#, arguments)
      return arguments["id"] ?? .null
    }
    let draft = database.edit()
    try draft.run("mutation { greet(id: 2) { name } }")
    #expect(draft.changes.description == "update User 2: name")
  }

  @Test("within a transaction of the thread, contexts are refused rather than waited for") func nestedTransactions()
    throws
  {
    let database = try database()
    let draft = database.edit()
    try draft.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann"}) }"#)
    try database.transaction { transaction in
      #expect(problem { try draft.save() }?.code == "nested-transaction")
      #expect(problem { try draft.run("mutation { deleteUser(where: id == 1) }") }?.code == "nested-transaction")
      // Reading is no harm.
      let answer = try draft.run("{ user(id: 1) { name } }").jsonString
      #expect(answer == #"{"user":{"name":"Ann"}}"#)
    }
    try draft.transaction { transaction in
      #expect(problem { try draft.save() }?.code == "nested-transaction")
      #expect(problem { try draft.discard() }?.code == "nested-transaction")
      try transaction.run("mutation { updateUser(where: id == 1, set: {age: 1}) }")
    }
    try draft.save()
    #expect(try database.run("{ user(id: 1) { name age } }").jsonString == #"{"user":{"name":"Ann","age":1}}"#)
  }

  @Test("prepared operations and views work in a context") func prepared() throws {
    let database = try database()
    let draft = database.edit()
    let query = try draft.prepare("query($id: ID!) { user(id: $id) { age } }")
    let change = try draft.prepare("mutation($id: ID!, $age: Int) { updateUser(where: id == $id, set: {age: $age}) }")
    try change.run(["id": 1, "age": 8])
    try database.run("mutation { updateUser(where: id == 2, set: {age: 9}) }")
    #expect(try query.run(["id": 1]).jsonString == #"{"user":{"age":8}}"#)
    #expect(try query.run(["id": 2]).jsonString == #"{"user":{"age":9}}"#)
    let view = draft.view()
    try change.run(["id": 1, "age": 10])
    #expect(try query.run(["id": 1], on: view).jsonString == #"{"user":{"age":8}}"#)
  }

  @Test("live queries of a context hear of both sides") func liveQueries() throws {
    let database = try database()
    let draft = database.edit()
    let last = Mutex("")
    let subscription = try draft.prepare("{ User(orderBy: id) { age } }").subscribe { event in
      last.withLock { $0 = event.answer?.jsonString ?? "" }
    }
    func expect(_ text: String) throws {
      for _ in 0..<6_000 where last.withLock({ $0 }) != text { Thread.sleep(forTimeInterval: 0.01) }
      #expect(last.withLock { $0 } == text)
    }
    try expect(#"{"User":[{"age":30},{"age":null}]}"#)
    try draft.run("mutation { updateUser(where: id == 1, set: {age: 31}) }")
    try expect(#"{"User":[{"age":31},{"age":null}]}"#)
    try database.run("mutation { updateUser(where: id == 2, set: {age: 3}) }")
    try expect(#"{"User":[{"age":31},{"age":3}]}"#)
    withExtendedLifetime(subscription) {}
  }

  @Test("threads may share a context, and save at once") func threads() async throws {
    let database = try Database(schema: "type Item { id: ID! n: Int }")
    let draft = database.edit()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          let own = database.edit()
          for step in 0..<20 {
            let id = Value.int(Int64(thread * 100 + step))
            _ = try? draft.run("mutation($id: ID!) { insertItem(data: {id: $id, n: 1}) }", ["id": id])
            let other = Value.int(Int64(1000 + thread * 100 + step))
            _ = try? own.run("mutation($id: ID!) { insertItem(data: {id: $id, n: 2}) }", ["id": other])
            if step % 3 == 0 { _ = try? draft.save() }
            if step % 5 == 4 { do { try own.save() } catch { Issue.record(error) } }
          }
        }
      }
    }
    try draft.save()
    #expect(
      try database.run("{ mine: count(Item(where: n == 1)) theirs: count(Item(where: n == 2)) }").jsonString
        == #"{"mine":80,"theirs":80}"#)
    #expect(database.check() == [])
  }

  // MARK: - Other schemas

  @Test("a context goes on under a schema that has come since") func otherSchema() throws {
    let database = try database()
    let draft = database.edit(.snapshot)
    try draft.run(
      #"mutation { updateUser(where: id == 1, set: {name: "Ann"}) insertUser(data: {id: 8, name: "New"}) }"#)
    let schema = database.schema.replacing("age: Int", with: "age: Int\n  city: String = \"Rome\"")
    try database.changeSchema(to: schema)
    try database.run("mutation { updateUser(where: id == 2, set: {age: 9}) }")
    try draft.save()
    #expect(
      try database.run("{ User(orderBy: id) { name age city } }").jsonString
        == #"{"User":[{"name":"Ann","age":30,"city":"Rome"},{"name":"Bo","age":9,"city":"Rome"},{"name":"New","age":null,"city":"Rome"}]}"#
    )
    #expect(try draft.run("{ count(User(where: city == \"Rome\")) }").jsonString == #"{"count":3}"#)
    #expect(database.check() == [])
  }

  @Test("a live context reads by the schema that has come") func otherSchemaLive() throws {
    let database = try database()
    let draft = database.edit()
    try draft.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann"}) }"#)
    try database.changeSchema(to: database.schema.replacing("age: Int", with: "age: Int\n  city: String = \"Rome\""))
    #expect(try draft.run("{ user(id: 1) { name } }").jsonString == #"{"user":{"name":"Ann"}}"#)
    #expect(try draft.run("{ user(id: 1) { name city } }").jsonString == #"{"user":{"name":"Ann","city":"Rome"}}"#)
  }

  @Test("what the new schema cannot hold is an error, and nothing is lost") func lostSchema() throws {
    let database = try database()
    let draft = database.edit(.snapshot)
    try draft.run("mutation { updateUser(where: id == 1, set: {age: 55}) }")
    let schema = database.schema.replacing("  age: Int\n", with: "")
    try database.changeSchema(to: schema, allowingLoss: true)
    let failure = problem { try draft.save() }
    #expect(failure?.code == "context-outdated")
    #expect(failure?.message.contains("'User.age'") == true)
    #expect(try draft.run("{ user(id: 1) { age } }").jsonString == #"{"user":{"age":55}}"#)
    #expect(draft.hasChanges)
    // What was not touched may go.
    let other = database.edit(.snapshot)
    try other.run(#"mutation { updateUser(where: id == 1, set: {name: "Ann"}) }"#)
    try database.changeSchema(to: schema.replacing("  email: String @unique\n", with: ""), allowingLoss: true)
    try other.save()
    #expect(try database.run("{ user(id: 1) { name } }").jsonString == #"{"user":{"name":"Ann"}}"#)
  }

  @Test("a load goes on from the schema that a context has brought") func firstSchema() throws {
    let database = Database()
    let draft = database.edit()
    try draft.database.load([.values(type: "Book", [["id": 1, "title": "Matilda"]])])
    try draft.save()
    try database.load([.values(type: "Book", [["id": 2, "title": "Emma"]])])
    #expect(try database.run("{ Book { title } }").jsonString == #"{"Book":[{"title":"Matilda"},{"title":"Emma"}]}"#)
  }
}
