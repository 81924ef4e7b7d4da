import GQLite
import Testing

/// Changes that are taken back.
@Suite struct UndoTests {
  private static let schema = """
    type User { id: ID! name: String email: String @unique age: Int chats: [Chat!]! @relation(inverse: "members") }
    type Chat {
      id: ID! title: String members: [User!]! @relation(inverse: "chats")
      messages: [Message!]! @relation(inverse: "chat", onDelete: CASCADE)
    }
    type Message { id: ID! text: String chat: Chat! @relation(inverse: "messages") }
    """
  private static let all = """
    { User(deleted: INCLUDE) { id name email age chats { id } _status }
      Chat(deleted: INCLUDE) { id title members { id } messages { id text } _status }
      Message(deleted: INCLUDE) { id text chat { id } _status } }
    """

  private func database() throws -> Database {
    let database = try Database(schema: Self.schema)
    database.recentVersions = 1 << 20
    try database.run(
      """
      mutation {
        insertUser(data: [{id: 1, name: "Ada", email: "a", age: 30}, {id: 2, name: "Bo", email: "b"}])
        insertChat(data: {id: 1, title: "c", members: [1, 2], messages: [{id: 1, text: "x"}, {id: 2, text: "y"}]})
      }
      """)
    return database
  }

  private func content(_ database: Database) throws -> String { try database.run(Self.all).jsonString }

  @Test("what has taken an earlier change back is a later change") func undoneBefore() throws {
    let database = try Database(schema: "type Item { id: ID! n: Int }")
    database.recentVersions = 1 << 20
    let first = database.version
    for text in ["insertItem(data: {id: 1, n: 5})", "updateItem(where: id == 1, set: {n: 6})"] {
      try database.run("mutation { \(text) }")
    }
    try database.run("mutation { updateItem(where: id == 1, set: {n: 7}) }")
    try database.undo(first + 3)
    try database.undo(first + 2)
    // It led back to 6, which the last one has made 5.
    #expect(throws: QueryError.self) { try database.undo(first + 4) }
    #expect(try database.run("{ Item { n } }").jsonString == #"{"Item":[{"n":5}]}"#)
    try database.undo(first + 5)
    try database.undo(first + 4)
    #expect(try database.run("{ Item { n } }").jsonString == #"{"Item":[{"n":7}]}"#)
  }

  @Test("a long chain of links is taken back in a moment", .timeLimit(.minutes(1))) func chain() throws {
    let database = try Database(schema: "type Node { id: ID! next: Node @relation(inverse: \"back\") back: Node }")
    let rows = (1...20_000).map { $0 > 1 ? "{\"id\":\($0),\"next\":\($0 - 1)}" : "{\"id\":1}" }
    try database.load([.ndjson(type: "Node", bytes: Array(rows.joined(separator: "\n").utf8))])
    database.recentVersions = 64 << 20
    try database.run("mutation { deleteNode(all: true) }")
    #expect(try database.undo(database.version).conflicts.isEmpty)
    let question = "{ n: count(Node) linked: count(Node(where: next != null)) }"
    #expect(try database.run(question).jsonString == #"{"n":20000,"linked":19999}"#)
    #expect(database.check().isEmpty)
  }

  @Test("an undo stack may be asked for within a transaction") func stackWithin() throws {
    let database = try database()
    try database.transaction { _ in
      _ = database.undoStack(for: "editor")
      database.recentVersions = 2 << 20
    }
    let other = try Database(schema: Self.schema)
    try other.transaction { _ in _ = other.undoStack(for: "editor") }
    try other.run("mutation { insertUser(data: {id: 1}) }", options: RunOptions(origin: "editor"))
    #expect(try other.undoStack(for: "editor").undo() != nil)
    #expect(other.count(of: "User") == 0)
  }

  @Test(
    "each kind of change is taken back, and done again",
    arguments: [
      "updateUser(where: id == 1, set: {name: \"Eve\", age: null})",
      "insertUser(data: {id: 3, chats: [1]})",
      "deleteUser(where: id == 1)", "deleteChat(where: id == 1)", "deleteChat(where: id == 1, hard: true)",
      "updateChat(where: id == 1, set: {members: [2]})", "updateChat(where: id == 1, set: {members: [2, 1]})",
      "updateUser(all: true, set: {email: null})",
      "upsertChat(data: {id: 2, title: \"n\", members: [{id: 4, name: \"D\"}]})",
      "insertMessage(data: {id: 3, chat: 1})",
    ]
  ) func kinds(_ field: String) throws {
    let database = try database()
    let before = try content(database)
    try database.run("mutation { \(field) }")
    let (version, after) = (database.version, try content(database))
    #expect(after != before)
    let undone = try database.undo(version)
    #expect(undone.version == version + 1 && undone.conflicts.isEmpty)
    #expect(try content(database) == before)
    #expect(database.check() == [])
    #expect(try database.undo(version + 1).version == version + 2)
    #expect(try content(database) == after)
    try database.undo(version)
    #expect(try content(database) == before)
  }

  @Test("a restored entity is deleted again") func restored() throws {
    let database = try database()
    try database.run("mutation { deleteChat(where: id == 1) }")
    let before = try content(database)
    try database.run("mutation { restoreChat(where: id == 1) }")
    try database.undo(database.version)
    #expect(try content(database) == before)
    try database.run("mutation { restoreChat(where: id == 1) }")
    #expect(try database.run("{ chat(id: 1) { messages { text } } }").jsonString.contains("x"))
    #expect(database.check() == [])
  }

  @Test("what a later change has written is a conflict, and stays") func conflicts() throws {
    let database = try database()
    try database.run("mutation { updateUser(where: id == 1, set: {name: \"Eve\", age: 31}) }")
    let version = database.version
    try database.run("mutation { updateUser(where: id == 1, set: {name: \"Zoe\"}) }")
    let before = try content(database)
    let error = problem { try database.undo(version) }
    #expect(error?.code == "undo-conflict")
    #expect(error?.message == "'User.name' of id '1' was written later")
    #expect(try content(database) == before)
    let report = try database.undo(version, only: .untouched)
    #expect(report.conflicts.map(\.field) == ["name"])
    #expect(report.conflicts.map(\.type) == ["User"])
    #expect(try database.run("{ user(id: 1) { name age } }").jsonString == #"{"user":{"name":"Zoe","age":30}}"#)
  }

  @Test("a later change that was taken back is no conflict") func takenBack() throws {
    let database = try database()
    let before = try content(database)
    var versions: [Int64] = []
    for age in 31...35 {
      try database.run("mutation { updateUser(where: id == 1, set: {age: \(age)}) }")
      versions.append(database.version)
    }
    for version in versions.reversed() { try database.undo(version) }
    #expect(try content(database) == before)
  }

  @Test("links go together, whole or not at all") func links() throws {
    let database = try database()
    try database.run("mutation { insertUser(data: {id: 3, name: \"C\", chats: [1]}) }")
    let version = database.version
    try database.run("mutation { updateUser(where: id == 3, set: {age: 9}) }")
    let before = try content(database)
    let report = try database.undo(version, only: .untouched)
    #expect(report.version == nil && report.conflicts.map(\.description) == ["'User' id '3' was written later"])
    #expect(try content(database) == before)
    // A chat that is gone meanwhile.
    try database.run("mutation { updateUser(where: id == 1, set: {chats: []}) }")
    let left = database.version
    try database.run("mutation { deleteChat(where: id == 1) }")
    #expect(problem { try database.undo(left) }?.code == "undo-conflict")
    #expect(database.check() == [])
  }

  @Test("a unique value that another has meanwhile") func takenKeys() throws {
    let database = try database()
    try database.run("mutation { updateUser(where: id == 1, set: {email: \"new\", age: 1}) }")
    let version = database.version
    try database.run("mutation { insertUser(data: {id: 3, email: \"a\"}) }")
    let error = problem { try database.undo(version) }
    #expect(error?.message == "'User.email' of id '1' has a value that another entity has now")
    let report = try database.undo(version, only: .untouched)
    #expect(report.conflicts.map(\.isTaken) == [true])
    #expect(try database.run("{ user(id: 1) { email age } }").jsonString == #"{"user":{"email":"new","age":30}}"#)
    #expect(database.check() == [])
    // Two that exchange values have each other's.
    try database.run("mutation { updateUser(where: id == 1, set: {email: \"t\"}) }")
    try database.run("mutation { updateUser(where: id in [2, 3], set: {email: if(email == \"a\", \"b\", \"a\")}) }")
    let exchanged = database.version
    let before = try database.run("{ User { email } }", options: RunOptions()).jsonString
    try database.undo(exchanged)
    try database.undo(exchanged + 1)
    #expect(try database.run("{ User { email } }").jsonString == before)
    #expect(database.check() == [])
  }

  @Test("an id that another entity has meanwhile, be it a deleted one", arguments: [false, true])
  func takenIDs(isDeleted: Bool) throws {
    let database = try Database(schema: "type Item { id: ID! n: Int }")
    database.recentVersions = 1 << 20
    let all = "{ Item(deleted: INCLUDE, orderBy: n) { id n _status } }"
    func run(_ mutation: String) throws -> Int64 {
      try database.run("mutation { \(mutation) }")
      return database.version
    }
    _ = try run("insertItem(data: [{id: 4, n: 1}, {id: 5, n: 2}])")
    let moved = try run("updateItem(where: id == 5, set: {id: 6})")
    _ = try run("deleteItem(where: id == 4)")
    // It takes the id of the deleted one, which goes for good.
    let replaced = try run("insertItem(data: {id: 4, n: 3})")
    _ = try run(isDeleted ? "deleteItem(where: id == 4)" : "updateItem(where: id == 4, set: {n: 4})")
    _ = try run("insertItem(data: {id: 5, n: 5})")
    if isDeleted { _ = try run("deleteItem(where: id == 5)") }
    let before = try database.run(all).jsonString
    for version in [moved, replaced] {
      #expect(problem { try database.undo(version) }?.code == "undo-conflict")
      let report = try database.undo(version, only: .untouched)
      #expect(report.version == nil && report.conflicts.contains(where: \.isTaken))
      #expect(try database.run(all).jsonString == before)
      #expect(database.check() == [])
    }
  }

  @Test("a deleted entity whose id no other has comes back as a deleted one") func deletedAgain() throws {
    let database = try Database(schema: "type Item { id: ID! n: Int }")
    database.recentVersions = 1 << 20
    for text in ["insertItem(data: {id: 4, n: 1})", "deleteItem(all: true)", "insertItem(data: {id: 4, n: 2})"] {
      try database.run("mutation { \(text) }")
    }
    try database.undo(database.version)
    #expect(
      try database.run("{ Item(deleted: INCLUDE) { id n _status } }").jsonString
        == #"{"Item":[{"id":4,"n":1,"_status":"DELETED"}]}"#)
    #expect(database.check() == [])
    try database.run("mutation { restoreItem(all: true) }")
    #expect(try database.run("{ Item { n } }").jsonString == #"{"Item":[{"n":1}]}"#)
  }

  @Test("in text, with the new version as the answer") func text() throws {
    let database = try database()
    let before = try content(database)
    try database.run("mutation { deleteUser(where: id == 1) }")
    let version = database.version
    let answer = try database.run("mutation($v: Int!) { _undo(version: $v) { _version } }", ["v": .int(version)])
    #expect(answer.jsonString == #"{"_undo":{"_version":\#(version + 1)}}"#)
    #expect(try content(database) == before)
    #expect(
      try database.run("mutation { u: _undo(version: \(version + 1)) { v: _version } }").jsonString
        == #"{"u":{"v":\#(version + 2)}}"#)
    #expect(problem { try database.run("mutation { _undo(version: -1) }") }?.code == "unknown-version")
    #expect(problem { try database.run("mutation { _undo(version: 99) }") }?.code == "unknown-version")
    #expect(problem { try database.run("mutation { _undo(version: 0) }") }?.code == "no-history")
    #expect(problem { try database.run("mutation { _undo }") }?.code == "missing-argument")
    #expect(problem { try database.run("mutation { _undo(version: 1, only: SOME) }") }?.code == "unknown-enum-value")
    #expect(problem { try database.run("mutation { _undo(version: 1) { version } }") }?.code == "unknown-field")
    let extent = "mutation($o: UndoExtent) { _undo(version: 1, only: $o) }"
    #expect(problem { try database.run(extent, ["o": "SOME"]) }?.code == "unknown-enum-value")
    #expect(problem { try database.run(extent, ["o": "ALL"]) }?.code == "undo-conflict")
    // Beside other changes of one operation, which it sees.
    let mixed = problem {
      try database.run(
        "mutation { updateUser(where: id == 2, set: {name: \"n\"}) a: updateUser(where: id == 2, set: {age: 1}) "
          + "_undo(version: 1) }")
    }
    #expect(mixed?.code == "undo-conflict")
    try database.run("mutation { updateUser(where: id == 2, set: {name: \"n\"}) }")
    let named = database.version
    let only = "mutation { updateUser(where: id == 2, set: {age: 7}) _undo(version: \(named), only: UNTOUCHED) }"
    #expect(try database.run(only).jsonString == #"{"updateUser":1,"_undo":{"_version":\#(named + 1)}}"#)
    #expect(try database.run("{ user(id: 2) { name age } }").jsonString == #"{"user":{"name":"Bo","age":7}}"#)
  }

  @Test("a change of the schema ends what can be taken back") func otherSchema() throws {
    let database = try database()
    try database.run("mutation { updateUser(where: id == 1, set: {age: 31}) }")
    let version = database.version
    try database.changeSchema(to: Self.schema + " type More { id: ID! }")
    #expect(problem { try database.undo(version) }?.code == "no-history")
    #expect(problem { try database.undo(version + 1) }?.code == "no-history")
    try database.run("mutation { updateUser(where: id == 1, set: {age: 32}) }")
    try database.undo(database.version)
    #expect(try database.run("{ user(id: 1) { age } }").jsonString == #"{"user":{"age":31}}"#)
  }

  // MARK: - Stacks

  private func options(_ second: Double, _ name: String? = nil, origin: String = "me") -> RunOptions {
    RunOptions(now: Int64(second * 1_000_000), origin: origin, action: name)
  }

  @Test("a stack undoes and redoes the actions of its origin") func stack() throws {
    let database = try Database(schema: Self.schema)
    try database.run("mutation { insertUser(data: [{id: 1}, {id: 2}]) }", options: RunOptions(now: 0))
    let stack = database.undoStack(for: "me")
    func age() throws -> String { try database.run("{ User { age name } }").jsonString }
    #expect(try stack.undo() == nil && stack.redo() == nil)
    let update = "mutation($id: ID!, $age: Int) { updateUser(where: id == $id, set: {age: $age}) }"
    let states = [try age()]
    try database.run(update, ["id": 1, "age": 10], options: options(1, "Set age"))
    let second = try age()
    try database.run("mutation { updateUser(where: id == 1, set: {name: \"n\"}) }", options: options(1.1, "Name"))
    try database.run(update, ["id": 2, "age": 99], options: options(1.2, nil, origin: "other"))
    let others = try age()
    #expect(stack.undoNames == ["Name", "Set age"] && stack.redoNames == [])
    try stack.undo()
    try stack.undo()
    #expect(try age() == #"{"User":[{"age":null,"name":null},{"age":99,"name":null}]}"#)
    #expect(stack.undoNames == [] && stack.redoNames == ["Set age", "Name"])
    try stack.redo()
    try stack.redo()
    #expect(try age() == others)
    #expect(stack.undoNames == ["Name", "Set age"])
    try stack.undo()
    try stack.undo()
    try stack.redo()
    // Another action ends what can be done again.
    try database.run(update, ["id": 1, "age": 11], options: options(9, "Again"))
    #expect(stack.redoNames == [] && stack.undoNames == ["Again", "Set age"])
    withExtendedLifetime((states, second)) {}
  }

  @Test("changes of the same fields within half a second are one action") func grouping() throws {
    let database = try Database(schema: Self.schema)
    database.recentVersions = 1 << 20
    try database.run("mutation { insertUser(data: {id: 1, age: 0}) }", options: RunOptions(now: 0))
    let stack = database.undoStack(for: "me")
    for (second, age) in [(1.0, 1), (1.4, 2), (1.9, 3), (2.5, 4)] {
      try database.run(
        "mutation($a: Int) { updateUser(where: id == 1, set: {age: $a}) }", ["a": .int(Int64(age))],
        options: options(second))
    }
    try database.transaction(origin: "me", action: "Both") { transaction in
      try transaction.run("mutation { updateUser(where: id == 1, set: {name: \"n\"}) }")
      try transaction.run("mutation { updateUser(where: id == 1, set: {age: 5}) }")
    }
    #expect(stack.undoNames.count == 3)
    func age() throws -> String { try database.run("{ user(id: 1) { age } }").jsonString }
    var seen: [String] = []
    while try stack.undo() != nil { seen.append(try age()) }
    #expect(seen == [4, 3, 0].map { #"{"user":{"age":\#($0)}}"# })
    while try stack.redo() != nil {}
    #expect(try age() == #"{"user":{"age":5}}"#)
  }

  @Test("an action that others have written over stays on the stack") func overwritten() throws {
    let database = try database()
    let stack = database.undoStack(for: "me")
    try database.run("mutation { updateUser(where: id == 1, set: {age: 1, name: \"n\"}) }", options: options(1))
    try database.run("mutation { updateUser(where: id == 1, set: {age: 2}) }", options: options(2, origin: "you"))
    #expect(problem { try stack.undo() }?.code == "undo-conflict")
    #expect(stack.undoNames.count == 1)
    #expect(try stack.undo(only: .untouched)?.conflicts.count == 1)
    #expect(try database.run("{ user(id: 1) { age name } }").jsonString == #"{"user":{"age":2,"name":"Ada"}}"#)
  }

  @Test("an action that is taken back already is passed over") func takenBackAlready() throws {
    let database = try database()
    let stack = database.undoStack(for: "me")
    try database.run("mutation { updateUser(where: id == 1, set: {name: \"n\"}) }", options: options(1))
    try database.run("mutation { updateUser(where: id == 1, set: {age: 1}) }", options: options(2))
    try stack.undo()
    try database.run("mutation { updateUser(where: id == 1, set: {age: 2}) }", options: options(3, origin: "you"))
    // Nothing is left to be done again.
    let redone = try stack.redo(only: .untouched)
    #expect(redone?.version == nil)
    #expect(stack.undoNames.count == 1)
    let undone = try stack.undo(only: .untouched)
    #expect(undone?.conflicts == [])
    #expect(try database.run("{ user(id: 1) { age name } }").jsonString == #"{"user":{"age":2,"name":"Ada"}}"#)
    #expect(try stack.undo() == nil)
    // Another one has taken the newest of two back.
    for (second, field) in [(10, "name: \"x\""), (20, "age: 7")] {
      try database.run("mutation { updateUser(where: id == 1, set: {\(field)}) }", options: options(Double(second)))
    }
    try database.undo(database.version)
    let last = try stack.undo()
    #expect(last?.version == database.version)
    #expect(try database.run("{ user(id: 1) { age name } }").jsonString == #"{"user":{"age":2,"name":"Ada"}}"#)
    #expect(try stack.undo() == nil)
  }
}
