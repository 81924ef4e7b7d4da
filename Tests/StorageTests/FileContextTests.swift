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

  @Test("a context knows what rows its view has, whatever the schema has become")
  func compactedView() throws {
    let folder = try Folder()
    let database = try Database(path: folder.file("a.gqlite"), schema: Self.schema)
    for id in 1...4 { try database.run(insert(id)) }
    try database.run("mutation { deleteItem(where: id == 1, hard: true) }")
    let update = "mutation { updateItem(where: id == 3, set: {note: \"m\"}) }"
    let view = database.view()
    let outer = database.edit()
    let inner = outer.edit(.snapshot)
    try inner.run(update)
    try database.compact()
    try database.changeSchema(to: Self.schema + " type Tag { id: ID! }")
    let draft = database.edit(.snapshot, of: view)
    try draft.run(update)
    let foreign = database.edit(.snapshot, of: try Database(schema: Self.schema).view())
    try foreign.run(insert(3))
    for context in [draft, inner, foreign] {
      do throws(QueryError) {
        try context.save()
        Issue.record("it was saved")
      } catch {
        #expect(error.problems.first?.code == "context-outdated")
      }
    }
    let notes = #"{"Item":[{"note":null},{"note":null},{"note":null}]}"#
    #expect(try outer.run("{ Item { note } }").jsonString == notes)
    #expect(try database.run("{ Item { note } }").jsonString == notes)
    // One of the newest view can be saved.
    let next = database.edit(.snapshot, of: database.view())
    try next.run(update)
    try next.save()
    #expect(try database.run("{ Item(orderBy: id) { note } }").jsonString.contains(#"{"note":"m"},{"note":null}]"#))
  }

  /// Each call of the system fails once while a context is saved, or from then on, or the disk is full.
  @Test(
    "where the storage fails while a context is saved, it has its changes, and is saved again",
    arguments: [false, true])
  func failing(_ isBranch: Bool) throws {
    var told = 0
    for call in 0..<24 {
      let folder = try Folder()
      let disk = WatchedDisk(folder.path)
      defer { disk.forget() }
      var options = StorageOptions()
      options.folding.delay = 0
      let database = try Database(path: folder.file("a.gqlite"), schema: Self.schema, storage: options)
      for id in 1...3 { try database.run(insert(id)) }
      let draft = try isBranch ? database.branch("draft") : database.edit(call % 2 == 0 ? .live : .snapshot)
      try draft.run(insert(10))
      try draft.run("mutation { updateItem(where: id == 1, set: {note: \"m\"}) }")
      try database.run("mutation { updateItem(where: id == 2, set: {note: \"t\"}) }")
      let (changes, seen) = (draft.changes.description, try draft.run(Self.question).jsonString)
      let before = try database.run(Self.question).jsonString
      disk.fail(at: call / 4, isFull: call % 4 == 1, isLasting: call % 4 > 1)
      var code: String?
      do { try draft.save() } catch { code = error.problems.first?.code }
      if let code {
        told += 1
        #expect(["storage-failed", "storage-full"].contains(code), "call \(call)")
        #expect(draft.changes.description == changes && draft.hasChanges, "call \(call)")
        #expect(try draft.run(Self.question).jsonString == seen)
        #expect(try database.run(Self.question).jsonString == before)
        // Nothing is tried again before the database is opened again.
        #expect(throws: QueryError.self) { try draft.save() }
      }
      disk.recover()
      try database.reopen()
      // It may have been kept before the failure was told: then nothing is in conflict, because both sides are equal.
      try draft.save()
      let wanted =
        #"{"Item":[{"id":1,"value":1,"note":"m"},{"id":2,"value":2,"note":"t"},{"id":3,"value":3,"note":null},"#
        + #"{"id":10,"value":10,"note":null}]}"#
      #expect(try database.run(Self.question).jsonString == wanted, "call \(call)")
      #expect(try draft.run(Self.question).jsonString == wanted, "call \(call)")
      try draft.run("mutation { updateItem(where: id == 3, set: {note: \"again\"}) }")
      try draft.save()
      try database.close()
      #expect(try Database.verify(path: folder.file("a.gqlite")) == [])
      #expect(
        try Database(path: folder.file("a.gqlite")).run("{ item(id: 3) { note } }").jsonString
          == #"{"item":{"note":"again"}}"#, "call \(call)")
    }
    #expect(told > 4)
  }
}
