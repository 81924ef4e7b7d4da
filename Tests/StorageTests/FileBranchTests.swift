import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Branches that a file keeps.
@Suite struct FileBranchTests {
  private static let schema = "type Item { id: ID! value: Int! note: String }"
  private static let question = "{ Item(orderBy: id) { id value note } }"

  private func insert(_ id: Int) -> String { "mutation { insertItem(data: {id: \(id), value: \(id)}) }" }
  private func update(_ id: Int, _ note: String) -> String {
    "mutation { updateItem(where: id == \(id), set: {note: \"\(note)\"}) }"
  }

  private func begin(_ folder: Folder, _ storage: StorageOptions = StorageOptions()) throws -> Database {
    let database = try Database(path: folder.file("a.gqlite"), schema: Self.schema, storage: storage)
    for id in 1...3 { try database.run(insert(id)) }
    return database
  }

  private func code(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let error as QueryError {
      return error.problems.first?.code
    } catch {
      return "\(error)"
    }
  }

  @Test("a branch is there after the file was closed, or its process ended", arguments: [true, false])
  func kept(_ closes: Bool) throws {
    let folder = try Folder()
    var database: Database? = try begin(folder)
    let base = try #require(database?.version)
    try database?.branch("draft").run(update(1, "mine"))
    try database?.branch("draft").run(insert(10))
    try database?.run(update(2, "theirs"))
    if closes { try database?.close() }
    database = nil
    let again = try Database(path: folder.file("a.gqlite"))
    #expect(try again.branches.map { "\($0.name) \($0.base) \($0.changes)" } == ["draft \(base) 2"])
    #expect(
      try again.run(Self.question).jsonString
        == #"{"Item":[{"id":1,"value":1,"note":null},{"id":2,"value":2,"note":"theirs"},{"id":3,"value":3,"note":null}]}"#
    )
    let draft = try again.branch("draft", creates: false)
    // As the database was when the branch was made, with its changes.
    #expect(
      try draft.run(Self.question).jsonString
        == #"{"Item":[{"id":1,"value":1,"note":"mine"},{"id":2,"value":2,"note":null},{"id":3,"value":3,"note":null},{"id":10,"value":10,"note":null}]}"#
    )
    #expect(draft.changes.description == "update Item 1: note\ninsert Item 10")
    #expect(draft.database.check() == [])
    #expect(try again.branch("draft") === draft)
    let report = try draft.merge(into: again)
    #expect(report.version == again.version && report.conflicts == [] && !draft.hasChanges)
    let merged =
      #"{"Item":[{"id":1,"value":1,"note":"mine"},{"id":2,"value":2,"note":"theirs"},{"id":3,"value":3,"note":null},{"id":10,"value":10,"note":null}]}"#
    #expect(try again.run(Self.question).jsonString == merged)
    #expect(try draft.run(Self.question).jsonString == merged)
    #expect(try again.branches.map(\.changes) == [0])
    try again.close()
    let last = try Database(path: folder.file("a.gqlite"))
    #expect(try last.run(Self.question).jsonString == merged)
    #expect(try last.branch("draft").run(Self.question).jsonString == merged)
    #expect(try last.branch("draft").base == report.version)
    #expect(try Database.verify(path: folder.file("a.gqlite")) == [])
  }

  @Test("conflicts with what came meanwhile are found after the file was opened again") func conflicts() throws {
    let folder = try Folder()
    let database = try begin(folder)
    try database.branch("draft").run(update(1, "mine"))
    try database.run(update(1, "theirs"))
    try database.run("mutation { deleteItem(where: id == 3, hard: true) }")
    try database.close()
    let again = try Database(path: folder.file("a.gqlite"))
    let draft = try again.branch("draft")
    #expect(code { try draft.merge(into: again) } == "merge-conflict")
    let report = try draft.merge(into: again, conflicts: .mine)
    let conflict = try #require(report.conflicts.first)
    #expect(report.conflicts.count == 1)
    #expect((conflict.base, conflict.mine, conflict.theirs) == (.null, .string("mine"), .string("theirs")))
    #expect(
      try again.run("{ Item { id note } }").jsonString == #"{"Item":[{"id":1,"note":"mine"},{"id":2,"note":null}]}"#)
  }

  @Test("the number of a row that is gone is not given again while a branch has the row") func numbers() throws {
    let folder = try Folder()
    var database = try begin(folder)
    try database.branch("draft").run(update(3, "mine"))
    try database.run("mutation { deleteItem(where: id == 3, hard: true) }")
    try database.close()
    database = try Database(path: folder.file("a.gqlite"))
    try database.run("mutation { insertItem(data: {id: 4, value: 40}) }")
    let draft = try database.branch("draft")
    #expect(try draft.run("{ item(id: 3) { value note } }").jsonString == #"{"item":{"value":3,"note":"mine"}}"#)
    #expect(code { try draft.merge(into: database) } == "merge-conflict")
    try draft.merge(into: database, conflicts: .theirs)
    #expect(
      try database.run("{ Item { id note } }").jsonString
        == #"{"Item":[{"id":1,"note":null},{"id":2,"note":null},{"id":4,"note":null}]}"#)
  }

  @Test("branches outlast folding, large commits and compacting") func folding() throws {
    let folder = try Folder()
    var storage = StorageOptions()
    storage.folding.logBytes = 300
    storage.folding.keptBytes = 0
    storage.folding.sliceRows = 2
    storage.folding.largeCommit = 2_000
    var database = try begin(folder, storage)
    try database.branch("draft").run(update(2, "mine"))
    try database.branch("other").run(insert(100))
    for id in 20..<40 { try database.run(insert(id)) }
    let many = (40..<80).map { "insertItem(data: {id: \($0), value: 0})" }
    try database.run("mutation { \(many.enumerated().map { "m\($0.offset): \($0.element)" }.joined(separator: " ")) }")
    for id in 20..<40 { try database.run("mutation { deleteItem(where: id == \(id), hard: true) }") }
    #expect(try RawFile.integer(folder.file("a.gqlite"), "SELECT min(beside) FROM gqlite_branch") > 5)
    try database.close()
    database = try Database(path: folder.file("a.gqlite"), storage: storage)
    #expect(try database.branch("draft").run("{ count(Item) }").jsonString == #"{"count":3}"#)
    try database.compact()
    #expect(try database.branch("draft").run("{ count(Item) }").jsonString == #"{"count":3}"#)
    try database.run(update(1, "theirs"))
    try database.branch("draft").run(update(3, "more"))
    try database.close()
    database = try Database(path: folder.file("a.gqlite"), storage: storage)
    #expect(try Database.verify(path: folder.file("a.gqlite")) == [])
    #expect(try database.branch("other").changes.description == "insert Item 100")
    try database.branch("draft").merge(into: database)
    try database.branch("other").merge(into: database)
    #expect(
      try database.run("{ Item(where: note != null) { id note } count(Item) item(id: 100) { value } }").jsonString
        == #"{"Item":[{"id":1,"note":"theirs"},{"id":2,"note":"mine"},{"id":3,"note":"more"}],"count":44,"item":{"value":100}}"#
    )
    #expect(database.check() == [])
  }

  @Test("a branch goes on under another schema, and keeps that from losing what it has") func schemas() throws {
    let folder = try Folder()
    var database = try begin(folder)
    let draft = try database.branch("draft")
    try draft.run(update(1, "mine"))
    #expect(code { try database.changeSchema(to: "type Item { id: ID! value: Int! }") } == "data-loss")
    try database.changeSchema(
      to: "type Item { id: ID! number: Int! @was(name: \"value\") note: String size: Int = 5 }")
    #expect(
      try draft.run("{ item(id: 1) { number note size } }").jsonString
        == #"{"item":{"number":1,"note":"mine","size":5}}"#)
    try draft.run("mutation { updateItem(where: id == 2, set: {number: 20}) }")
    try database.changeSchema(
      to: "type Item { id: ID! count: Int! @was(name: \"number\") note: String size: Int = 5 } type Tag { id: ID! }")
    try database.run("mutation { updateItem(where: id == 2, set: {size: 7}) }")
    try database.close()
    database = try Database(path: folder.file("a.gqlite"))
    let again = try database.branch("draft")
    #expect(again.changes.description == "update Item 1: note\nupdate Item 2: count")
    try again.merge(into: database)
    #expect(
      try database.run("{ Item { id count note size } }").jsonString
        == #"{"Item":[{"id":1,"count":1,"note":"mine","size":5},{"id":2,"count":20,"note":null,"size":7},{"id":3,"count":3,"note":null,"size":5}]}"#
    )
    try again.run("mutation { insertTag(data: {id: 1}) }")
    try database.changeSchema(to: Self.schema.replacing("value", with: "count"), allowingLoss: true)
    #expect(again.changes.isEmpty)
  }

  @Test(
    "a schema that a branch, or what it began with, does not fit is refused, whatever may be lost",
    arguments: [true, false])
  func misfits(_ allowsLoss: Bool) throws {
    let folder = try Folder()
    let database = try Database(path: folder.file("a.gqlite"), schema: "type User { id: Int! name: String age: Int }")
    try database.run(#"mutation { insertUser(data: [{id: 1, name: "a"}, {id: 3, name: "b", age: 4}]) }"#)
    func changing(_ fields: String) -> String? {
      code { try database.changeSchema(to: "type User { id: Int! \(fields) }", allowingLoss: allowsLoss) }
    }
    let draft = try database.branch("draft")
    try draft.run(#"mutation { insertUser(data: {id: 30, name: "a", age: 5}) }"#)
    #expect(changing("name: String @unique age: Int") == "data-conflict")
    // What the branch began with has a user without an age, though neither side has one now.
    let mend = "mutation { updateUser(where: id == 1, set: {age: 9}) }"
    try database.run(mend)
    try draft.run(mend)
    #expect(changing("name: String age: Int!") == "data-conflict")
    #expect(database.check() == [])
    try draft.merge(into: database)
    #expect(changing("name: String age: Int!") == nil)
    #expect(
      try database.run("{ User(orderBy: id) { id age } }").jsonString
        == #"{"User":[{"id":1,"age":9},{"id":3,"age":4},{"id":30,"age":5}]}"#)
  }

  @Test("the file has the format of before, but as long as there are branches") func format() throws {
    let folder = try Folder()
    let database = try begin(folder)
    let path = folder.file("a.gqlite")
    let follower = try Database(path: path, storage: StorageOptions(access: .follow))
    #expect(try RawFile.integer(path, "PRAGMA user_version") == 3)
    let draft = try database.branch("draft")
    #expect(try RawFile.integer(path, "PRAGMA user_version") == 4)
    try draft.run(insert(10))
    try database.run(insert(11))
    #expect(try follower.run("{ count(Item) }").jsonString == #"{"count":4}"#)
    #expect(try follower.branch("draft").run("{ count(Item) }").jsonString == #"{"count":4}"#)
    let seen = try follower.branch("draft")
    try draft.run(insert(20))
    #expect(try seen.run("{ count(Item) }").jsonString == #"{"count":5}"#)
    try seen.refresh()
    #expect(try seen.run("{ count(Item) }").jsonString == #"{"count":5}"#)
    #expect(code { try seen.run(insert(12)) } == "storage-read-only")
    #expect(code { _ = try follower.branch("new") } == "storage-read-only")
    #expect(code { _ = try follower.branch("darft", creates: false) } == "unknown-branch")
    try draft.drop()
    #expect(try RawFile.integer(path, "PRAGMA user_version") == 3)
    #expect(try RawFile.integer(path, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'gqlite_branch%'") == 0)
    #expect(code { try draft.run(insert(12)) } == "unknown-branch")
    #expect(try draft.run("{ count(Item) }").jsonString == #"{"count":5}"#)
    #expect(try database.branches == [])
    try database.run(insert(13))
    #expect(try follower.run("{ count(Item) }").jsonString == #"{"count":5}"#)
  }

  @Test("a copy of the file has the branches") func backup() throws {
    let folder = try Folder()
    let database = try begin(folder)
    try database.branch("draft").run(update(1, "mine"))
    try database.run(update(2, "theirs"))
    try database.backup(to: folder.file("b.gqlite"))
    #expect(try Database.verify(path: folder.file("b.gqlite")) == [])
    let copy = try Database(path: folder.file("b.gqlite"))
    let draft = try copy.branch("draft", creates: false)
    #expect(draft.changes.description == "update Item 1: note")
    #expect(try draft.run("{ item(id: 2) { note } }").jsonString == #"{"item":{"note":null}}"#)
    try draft.merge(into: copy)
    #expect(
      try copy.run("{ Item { note } }").jsonString == #"{"Item":[{"note":"mine"},{"note":"theirs"},{"note":null}]}"#)
  }

  @Test(
    "of a damaged branch the error says so, and the database works",
    arguments: [
      "UPDATE gqlite_branch SET time = time + 1", "UPDATE gqlite_branch_content SET own = x'0102030405'",
      "UPDATE gqlite_branch_content SET past = x'010203'", "DELETE FROM gqlite_branch_content",
      "DELETE FROM gqlite_branch_log", "UPDATE gqlite_branch_log SET body = x'00' || body",
      "UPDATE gqlite_branch_log SET time = time + 1", "DELETE FROM gqlite_branch_log WHERE version = 2",
      "UPDATE gqlite_branch SET beside = 0, sum = 0", "DELETE FROM gqlite_branch",
      "UPDATE gqlite_branch SET name = 'other name'", "UPDATE gqlite_branch SET number = 7",
      "DELETE FROM gqlite_branch_past; DELETE FROM gqlite_branch",
    ])
  func damaged(_ statement: String) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    var database = try begin(folder)
    try database.branch("draft").run(update(1, "mine"))
    try database.branch("draft").run(update(2, "mine"))
    try database.close()
    try RawFile.execute(path, statement)
    database = try Database(path: path)
    #expect(try database.branches.map(\.name) == ["draft"])
    #expect(code { _ = try database.branch("draft") } == "storage-corrupt")
    #expect(try database.backup(to: folder.file("copy.gqlite")) == ["draft"])
    #expect(try Database.verify(path: folder.file("copy.gqlite")) == [])
    try database.run(insert(4))
    try database.changeSchema(to: Self.schema + " type Tag { id: ID! }")
    try database.compact()
    #expect(code { _ = try database.branch("draft") } == "storage-corrupt")
    let other = try database.branch("other")
    try other.run(insert(5))
    try database.close()
    #expect(try Database.verify(path: path).count == 1)
    database = try Database(path: path)
    #expect(try database.branch("other").changes.description == "insert Item 5")
    try database.dropBranch("draft")
    #expect(code { try database.dropBranch("draft") } == "unknown-branch")
    #expect(try Database.verify(path: path) == [])
    #expect(try database.run("{ count(Item) }").jsonString == #"{"count":4}"#)
  }

  @Test("another storage keeps no branches, and says so") func otherStorage() throws {
    let database = try Database(MemoryBackend(), schema: Self.schema)
    #expect(code { _ = try database.branch("draft") } == "not-on-branch")
    #expect(try database.branches == [])
  }

  @Test("commits of a branch become one change set") func ownLog() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try begin(folder, StorageOptions(durability: .memory))
    let draft = try database.branch("draft")
    let text = String(repeating: "x", count: 200_000)
    for number in 0..<8 { try draft.run(update(1, "\(text)\(number)")) }
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_branch_log") < 8)
    #expect(try RawFile.integer(path, "SELECT length(own) FROM gqlite_branch_content") < 250_000)
    try draft.run(update(2, "last"))
    try database.close()
    let again = try Database(path: path)
    #expect(try again.branch("draft").run("{ item(id: 2) { note } }").jsonString == #"{"item":{"note":"last"}}"#)
    #expect(again.check() == [])
  }

  private static let sums = "type Page { id: ID! title: String views: Int! = 0 @merge(by: SUM) }"

  private func views(_ context: EditingContext) throws -> String {
    try context.run("{ views := Page.views }").jsonString
  }
  private func add(_ number: Int) -> String {
    "mutation { updatePage(where: id == 1, set: {views: views + \(number)}) }"
  }

  @Test("what was merged into another branch is not added again after the file was opened again") func merges() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    func open() throws -> (Database, Branch, Branch) {
      let database = try Database(path: path, schema: Self.sums)
      return (database, try database.branch("draft"), try database.branch("other"))
    }
    var (database, draft, other) = try open()
    try database.run("mutation { insertPage(data: {id: 1}) }")
    try draft.refresh()
    try draft.run(add(3))
    try draft.merge(into: other)
    #expect(try views(other) == #"{"views":[3]}"#)
    try database.close()
    (database, draft, other) = try open()
    try draft.run(add(2))
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(try views(other) == #"{"views":[5]}"#)
    }
    // What takes a merge back is known later, too.
    try database.close()
    (database, draft, other) = try open()
    try other.database.undo(other.database.version)
    #expect(try views(other) == #"{"views":[3]}"#)
    try database.close()
    (database, draft, other) = try open()
    try draft.merge(into: other)
    #expect(try views(other) == #"{"views":[5]}"#)
    #expect(try Database.verify(path: path) == [])
    // In a copy its changes are one.
    try draft.run(add(1))
    try database.backup(to: folder.file("b.gqlite"))
    let copy = try Database(path: folder.file("b.gqlite"))
    #expect(code { try copy.branch("draft").merge(into: copy.branch("other")) } == "merged-branch")
    try copy.close()
    // A dropped one is forgotten.
    try draft.drop()
    let next = try database.branch("draft")
    try next.run(add(7))
    try next.merge(into: other)
    #expect(try views(other) == #"{"views":[12]}"#)
    try next.drop()
    try other.drop()
    try database.close()
    // But the number of the last one, which no other gets.
    let left = "SELECT key FROM gqlite_meta WHERE key GLOB 'branch*' AND key != 'branch_last'"
    try RawFile.forEachRow(path, left) { _ in
      Issue.record("something is left of branches")
    }
  }

  /// Returns a copy of the database, or itself compacted and opened again: the commits of its branches are one.
  private func folded(_ database: Database, _ folder: Folder, _ copies: Bool) throws -> Database {
    let path = folder.file(copies ? "b.gqlite" : "a.gqlite")
    if copies { try database.backup(to: path) } else { try database.compact() }
    try database.close()
    return try Database(path: path)
  }

  @Test("a merge that was taken back is made again, also once commits are one", arguments: [true, false])
  func takenBackAndFolded(_ copies: Bool) throws {
    let folder = try Folder()
    var database = try Database(path: folder.file("a.gqlite"), schema: Self.sums)
    try database.run("mutation { insertPage(data: {id: 1}) }")
    try database.branch("draft").run(add(5))
    let other = try database.branch("other")
    try database.branch("draft").merge(into: other)
    try other.database.undo(other.database.version)
    database = try folded(database, folder, copies)
    #expect(try views(database.branch("other")) == #"{"views":[0]}"#)
    for _ in 1...2 {
      try database.branch("draft").merge(into: database.branch("other"))
      #expect(try views(database.branch("other")) == #"{"views":[5]}"#)
    }
    try database.branch("draft").merge(into: database)
    #expect(try database.run("{ views := Page.views }").jsonString == #"{"views":[5]}"#)
  }

  @Test("merges are known after compaction, and in a copy, where nothing was done between", arguments: [true, false])
  func mergedAndFolded(_ copies: Bool) throws {
    let folder = try Folder()
    var database = try Database(path: folder.file("a.gqlite"), schema: Self.sums)
    try database.run("mutation { insertPage(data: {id: 1}) }")
    try database.branch("draft").run(add(5))
    try database.branch("draft").merge(into: database.branch("other"))
    database = try folded(database, folder, copies)
    try database.branch("draft").run(add(2))
    for _ in 1...2 {
      try database.branch("draft").merge(into: database.branch("other"))
      #expect(try views(database.branch("other")) == #"{"views":[7]}"#)
    }
  }

  @Test("the number of a branch that is gone is not given again later") func lastNumber() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    for _ in 1...2 {
      let database = try Database(path: path, schema: Self.sums)
      _ = try database.branch("draft")
      try database.dropBranch("draft")
      try database.close()
    }
    #expect(try RawFile.integer(path, "SELECT value FROM gqlite_meta WHERE key = 'branch_last'") == 2)
  }

  @Test("a copy of a file with a damaged list of merges knows that it knows nothing") func copyOfDamaged() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    var database = try Database(path: path, schema: Self.sums)
    try database.run("mutation { insertPage(data: {id: 1}) }")
    try database.branch("draft").run(add(5))
    try database.branch("draft").merge(into: database.branch("other"))
    try database.close()
    try RawFile.execute(path, "UPDATE gqlite_meta SET value = '1 2 1 1 2 n -' WHERE key = 'branch_merges'")
    database = try folded(Database(path: path), folder, true)
    #expect(code { try database.branch("draft").merge(into: database.branch("other")) } == "merged-branch")
    #expect(try views(database.branch("other")) == #"{"views":[5]}"#)
    try database.branch("other").discard()
    try database.branch("draft").merge(into: database.branch("other"))
    #expect(try views(database.branch("other")) == #"{"views":[5]}"#)
  }

  @Test("a damaged list of merges is told") func damagedMerges() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.sums)
    try database.run("mutation { insertPage(data: {id: 1}) }")
    try database.branch("draft").run(add(3))
    try database.branch("draft").merge(into: database.branch("other"))
    try database.close()
    try RawFile.execute(path, "UPDATE gqlite_meta SET value = value || '1' WHERE key = 'branch_merges'")
    #expect(try Database.verify(path: path).contains { $0.contains("the list of merges") })
    let again = try Database(path: path)
    #expect(code { try again.branch("draft").merge(into: again.branch("other")) } == "storage-corrupt")
    #expect(try views(again.branch("other")) == #"{"views":[3]}"#)
    // Other steps of branches need no list.
    try again.run("mutation { insertPage(data: {id: 2}) }")
    try again.branch("other").refresh()
    #expect(try views(again.branch("other")) == #"{"views":[3,0]}"#)
    try again.branch("third").run(add(1))
    try again.branch("third").merge(into: again)
    try again.branch("other").discard()
    #expect(try views(again.branch("other")) == #"{"views":[0,0]}"#)
    for branch in try again.branches { try again.dropBranch(branch.name) }
    try again.close()
    #expect(try Database.verify(path: path) == [])
  }

  @Test("a reader of a branch that was dropped with the tables of branches is told so") func droppedForReader() throws {
    let folder = try Folder()
    let database = try begin(folder)
    let draft = try database.branch("draft")
    for note in ["a", "b"] { try draft.run(update(1, note)) }
    let reader = try Database(path: folder.file("a.gqlite"), storage: StorageOptions(access: .read))
    let seen = try reader.branch("draft", creates: false)
    try draft.drop()
    #expect(code { _ = try seen.run("query @asOf(version: 1) { Item { id } }") } == "unknown-branch")
  }
}
