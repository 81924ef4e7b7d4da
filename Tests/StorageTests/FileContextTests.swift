import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Editing contexts of databases in files.
@Suite struct FileContextTests {
  private static let schema = "type Item { id: ID! value: Int! note: String }"
  private static let question = "{ Item(orderBy: id) { id value note } }"

  private func insert(_ id: Int) -> String { "mutation { insertItem(data: {id: \(id), value: \(id)}) }" }

  @Test("what is saved is in the file, as one version", arguments: [StorageOptions.Durability.full, .normal, .memory])
  func kept(_ durability: StorageOptions.Durability) throws {
    let folder = try Folder()
    let options = StorageOptions(durability: durability)
    let database = try Database(path: folder.file("a.gqlite"), schema: Self.schema, storage: options)
    try database.run(insert(1))
    let draft = database.edit()
    try draft.run(insert(10))
    try draft.run("mutation { updateItem(where: id == 1, set: {note: \"m\"}) }")
    let version = database.version
    #expect(try draft.save().version == version + 1)
    try draft.run(insert(11))
    try database.run(insert(2))
    // Merged, because the database has moved.
    try draft.save()
    let answer = try database.run(Self.question).jsonString
    #expect(answer.contains(#"{"id":2,"value":2,"note":null},{"id":10"#))
    #expect(try draft.run(Self.question).jsonString == answer)
    try database.close()
    let again = try Database(path: folder.file("a.gqlite"), storage: options)
    #expect(try again.run(Self.question).jsonString == answer)
    #expect(again.check() == [])
    // What was not saved leaves nothing.
    let dropped = again.edit()
    try dropped.run(insert(50))
    try again.close()
    #expect(throws: QueryError.self) { try dropped.save() }
    #expect(try dropped.run("{ item(id: 50) { value } }").jsonString == #"{"item":{"value":50}}"#)
  }

  @Test("a database that is opened for reading has contexts that cannot be saved") func readOnly() throws {
    let folder = try Folder()
    let database = try Database(path: folder.file("a.gqlite"), schema: Self.schema)
    try database.run(insert(1))
    try database.close()
    let reader = try Database(path: folder.file("a.gqlite"), storage: StorageOptions(access: .read))
    let draft = reader.edit()
    try draft.run(insert(2))
    do throws(QueryError) {
      try draft.save()
      Issue.record("it was saved")
    } catch {
      #expect(error.problems.first?.code == "storage-read-only")
    }
    #expect(draft.changes.description == "insert Item 2")
    #expect(try reader.run(Self.question).jsonString == #"{"Item":[{"id":1,"value":1,"note":null}]}"#)
  }

  @Test("compacting gives rows other numbers, so that contexts from before cannot be saved") func compacted() throws {
    let folder = try Folder()
    let database = try Database(path: folder.file("a.gqlite"), schema: Self.schema)
    for id in 1...4 { try database.run(insert(id)) }
    try database.run("mutation { deleteItem(where: id == 1, hard: true) }")
    let draft = database.edit()
    try draft.run("mutation { updateItem(where: id == 3, set: {note: \"m\"}) }")
    let idle = database.edit()
    try database.compact()
    #expect(try idle.run("{ count(Item) }").jsonString == #"{"count":3}"#)
    do throws(QueryError) {
      try draft.save()
      Issue.record("it was saved")
    } catch {
      #expect(error.problems.first?.code == "context-outdated")
    }
    #expect(try draft.run("{ item(id: 3) { note } }").jsonString == #"{"item":{"note":"m"}}"#)
    try draft.discard()
    try draft.run("mutation { updateItem(where: id == 3, set: {note: \"n\"}) }")
    try draft.save()
    #expect(
      try database.run("{ item(id: 3) { note } item4: item(id: 4) { note } }").jsonString
        == #"{"item":{"note":"n"},"item4":{"note":null}}"#)
  }
}
