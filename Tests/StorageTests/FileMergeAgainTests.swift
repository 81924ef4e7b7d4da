import GQLite
import StorageProofs
import Testing

/// Tests merges of a branch into one that has it already, after the file was closed and opened between.
@Suite struct FileMergeAgainTests {
  private static let schema = """
    type Page { id: ID! title: String note: String tags: [String!] views: Int! = 0 @merge(by: SUM) }
    """

  private func set(_ branch: Branch, _ fields: String, of id: Int = 1) throws {
    try branch.run("mutation { updatePage(where: id == \(id), set: {\(fields)}) }")
  }

  private func page(_ branch: Branch, _ id: Int = 1) throws -> String {
    try branch.run("{ page(id: \(id)) { title note tags views } }").jsonString
  }

  /// Opens the file, runs `body` with its two branches, and closes it.
  private func with(_ path: String, _ body: (Database, Branch, Branch) throws -> Void) throws {
    let database = try Database(path: path, schema: Self.schema)
    try body(database, try database.branch("draft"), try database.branch("other"))
    #expect(database.check() == [])
    try database.close()
  }

  @Test("what was decided is not asked for again") func reopened() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    try with(path) { (database, draft, other) throws in
      try database.run(#"mutation { insertPage(data: {id: 1, title: "b", tags: ["a"]}) }"#)
      try draft.refresh()
      try other.refresh()
      try set(draft, #"title: "d", tags: ["a", "b"], views: 3"#)
      try draft.run(#"mutation { insertPage(data: {id: 9, title: "x", views: 7}) }"#)
      try set(other, #"title: "o", views: 10"#)
      try other.run("mutation { insertPage(data: {id: 8}) }")
      #expect(try draft.merge(into: other, conflicts: .theirs).conflicts.count == 1)
    }
    try with(path) { (_, draft, other) throws in
      let again = try draft.merge(into: other)
      #expect(again.conflicts.isEmpty && again.applied.isEmpty)
      try set(other, #"tags: []"#)
      try set(draft, #"views: 4"#)
      try set(draft, #"title: "y", views: 8"#, of: 9)
    }
    try with(path) { (_, draft, other) throws in
      #expect(try draft.merge(into: other).conflicts.isEmpty)
      #expect(try page(other) == #"{"page":{"title":"o","note":null,"tags":[],"views":14}}"#)
      #expect(try page(other, 9) == #"{"page":{"title":"y","note":null,"tags":null,"views":8}}"#)
    }
    // Back, where the other one has decided.
    try with(path) { (_, draft, other) throws in
      #expect(try other.merge(into: draft).conflicts.isEmpty)
      #expect(try page(draft) == #"{"page":{"title":"o","note":null,"tags":[],"views":14}}"#)
    }
  }

  @Test("a merge that leaves the target as it is, is known") func unchanged() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    try with(path) { (database, draft, other) throws in
      try database.run(#"mutation { insertPage(data: [{id: 1, title: "b"}, {id: 2}]) }"#)
      try draft.refresh()
      try other.refresh()
      try set(draft, #"title: "d""#)
      try set(draft, #"title: "d""#, of: 2)
      try set(other, #"title: "o""#)
      try other.run("mutation { deletePage(where: id == 2) }")
      #expect(try draft.merge(into: other, conflicts: .theirs).conflicts.count == 2)
    }
    try with(path) { (_, draft, other) throws in
      #expect(try draft.merge(into: other).conflicts.isEmpty)
      try set(draft, #"note: "n""#)
    }
    try with(path) { (_, draft, other) throws in
      #expect(try draft.merge(into: other).conflicts.isEmpty)
      #expect(try page(other) == #"{"page":{"title":"o","note":"n","tags":null,"views":0}}"#)
      #expect(try page(other, 2) == #"{"page":null}"#)
    }
  }

  @Test("a branch is refreshed with what was merged") func refreshed() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    try with(path) { (database, draft, other) throws in
      try database.run(#"mutation { insertPage(data: {id: 1, title: "b"}) }"#)
      try draft.refresh()
      try other.refresh()
      try set(draft, #"title: "d", views: 3"#)
      try set(other, #"title: "o""#)
      try draft.merge(into: other, conflicts: .theirs)
      try database.run("mutation { updatePage(where: id == 1, set: {views: 100}) insertPage(data: {id: 5}) }")
    }
    try with(path) { (_, draft, _) throws in try draft.refresh() }
    try with(path) { (_, draft, other) throws in
      #expect(try draft.merge(into: other).conflicts.isEmpty)
      #expect(try page(other) == #"{"page":{"title":"o","note":null,"tags":null,"views":103}}"#)
      try set(draft, "views: 104")
    }
    try with(path) { (_, draft, other) throws in
      #expect(try draft.merge(into: other).conflicts.isEmpty)
      #expect(try page(other) == #"{"page":{"title":"o","note":null,"tags":null,"views":104}}"#)
    }
  }
}
