import GQLite
import Testing

/// Tests merges of a branch into one that has it already: they go on from what the merge before left.
@Suite struct MergeAgainTests {
  private static let types = """
    type Page {
      id: ID! title: String note: String tags: [String!] parts: [Part!] main: Part
      marks: [Mark!]! @relation(inverse: "pages") about: Thing
    }
    type Mark { id: ID! pages: [Page!]! @relation(inverse: "marks") }
    type Part { n: Int mark: Mark }
    interface Thing { id: ID! }
    type Place implements Thing { id: ID! name: String }
    """
  private let database: Database
  private let draft: Branch
  private let other: Branch

  init() throws {
    database = try Database(schema: Self.types)
    try database.run("mutation { insertMark(data: [{id: 1}, {id: 2}, {id: 3}, {id: 4}]) }")
    try database.run(
      """
      mutation { insertPage(data: [
        {id: 1, title: "b", tags: ["a", "b"], parts: [{n: 1}], main: {n: 1}, marks: [1, 2]}, {id: 2, title: "b"}]) }
      """)
    (draft, other) = (try database.branch("draft"), try database.branch("other"))
  }

  /// Sets fields of a page.
  private func set(_ context: EditingContext, _ fields: String, of id: Int = 1) throws {
    try context.run("mutation { updatePage(where: id == \(id), set: {\(fields)}) }")
  }

  /// Changes the database beside the branches.
  private func moveDatabase() throws {
    try database.run(
      #"mutation { insertPage(data: [{id: 20}, {id: 21}]) updatePage(where: id == 2, set: {note: "n"}) }"#)
  }

  /// Returns fields of a page, without braces around them.
  private func page(_ context: EditingContext, _ fields: String, _ id: Int = 1) throws -> String {
    let answer = try context.run("{ page(id: \(id)) { \(fields) } }").jsonString
    return String(answer.dropFirst(#"{"page":"#.count).dropLast())
  }

  /// Merges, and returns the kinds and fields of conflicts.
  @discardableResult
  private func merge(
    _ source: Branch, into target: EditingContext, _ choice: MergeChoice = .fail,
    at location: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    let report = try source.merge(into: target, conflicts: choice)
    #expect(target.database.check() == [], sourceLocation: location)
    return report.conflicts.map { "\($0.kind) \($0.field ?? "")" }
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

  // MARK: - Decisions

  @Test("a field that was decided for the target is not asked for again") func decidedForTheirs() throws {
    try set(draft, #"title: "d""#)
    try set(other, #"title: "o""#)
    #expect(try merge(draft, into: other, .theirs) == ["field title"])
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title") == #"{"title":"o"}"#)
    // What comes later comes alone.
    try set(draft, #"note: "n""#)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title note") == #"{"title":"o","note":"n"}"#)
    try set(other, #"title: "o2""#)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title") == #"{"title":"o2"}"#)
    // What the draft writes without having seen the other's is in conflict with it.
    try set(draft, #"title: "d2""#)
    #expect(code { try merge(draft, into: other) } == "merge-conflict")
    #expect(try merge(draft, into: other, .mine) == ["field title"])
    #expect(try page(other, "title") == #"{"title":"d2"}"#)
  }

  @Test("a field that was decided for the branch is the target's from then on") func decidedForMine() throws {
    try set(draft, #"title: "d""#)
    try set(other, #"title: "o""#)
    #expect(try merge(draft, into: other, .mine) == ["field title"])
    try set(other, #"title: "o2""#)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title") == #"{"title":"o2"}"#)
  }

  @Test("a program decides once") func handled() throws {
    try database.onMerge("Page.title") { base, mine, theirs in
      .string([base, theirs, mine].compactMap(\.string).joined(separator: "+"))
    }
    try set(draft, #"title: "d""#)
    try set(other, #"title: "o""#)
    for _ in 1...2 {
      #expect(try merge(draft, into: other) == [])
      #expect(try page(other, "title") == #"{"title":"b+o+d"}"#)
    }
    try set(draft, #"title: "e""#)
    try merge(draft, into: other)
    #expect(try page(other, "title") == #"{"title":"d+b+o+d+e"}"#)
  }

  @Test("an entity that was deleted, and decided for the target, is not asked for again") func deletedTheirs() throws {
    try draft.run("mutation { deletePage(where: id == 1) }")
    try set(other, #"note: "o""#)
    #expect(try merge(draft, into: other, .theirs) == ["deleted note"])
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "note") == #"{"note":"o"}"#)
    // The other way round.
    try set(draft, #"note: "d""#, of: 2)
    try other.run("mutation { deletePage(where: id == 2) }")
    #expect(try merge(draft, into: other, .theirs) == ["deleted note"])
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "note", 2) == "null")
    try set(draft, #"note: "e""#, of: 2)
    // It comes back with the note that it went with, which is not the one that the draft has changed.
    #expect(try merge(draft, into: other, .mine) == ["deleted note", "field note"])
    #expect(try page(other, "note", 2) == #"{"note":"e"}"#)
  }

  @Test("an entity that was deleted with the merge can be restored") func restored() throws {
    try draft.run("mutation { deletePage(where: id == 1) }")
    try set(other, #"note: "o""#)
    #expect(try merge(draft, into: other, .mine) == ["deleted note"])
    #expect(try page(other, "note") == "null")
    try other.run("mutation { restorePage(where: id == 1) }")
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "note") == #"{"note":"o"}"#)
    // What the draft restores is there again, and what it deletes then goes.
    try draft.run("mutation { restorePage(where: id == 1) }")
    try set(draft, #"title: "d""#)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title note") == #"{"title":"d","note":"o"}"#)
  }

  // MARK: - New entities

  @Test("an entity that was brought is the same one later") func inserted() throws {
    try draft.run(#"mutation { insertPage(data: {id: 9, title: "x", marks: [1]}) }"#)
    // Others of the target have the number of its row.
    try other.run(#"mutation { insertPage(data: [{id: 7, title: "7"}, {id: 8, title: "8"}]) }"#)
    try merge(draft, into: other)
    try set(draft, #"title: "y", marks: [1, 2]"#, of: 9)
    try set(other, #"note: "o", marks: [1, 3]"#, of: 9)
    #expect(try merge(draft, into: other) == [])
    #expect(
      try page(other, "title note marks { id }", 9)
        == #"{"title":"y","note":"o","marks":[{"id":1},{"id":3},{"id":2}]}"#)
    // What the target has changed of it is not told as a conflict of two new ones.
    try set(other, #"title: "z""#, of: 9)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title", 9) == #"{"title":"z"}"#)
    try set(draft, #"title: "w""#, of: 9)
    #expect(try merge(draft, into: other, .mine) == ["field title"])
    #expect(try page(other, "title note", 9) == #"{"title":"w","note":"o"}"#)
    #expect(try page(other, "title", 7) == #"{"title":"7"}"#)
  }

  @Test("an entity that was brought goes with the next merge, and comes again") func insertedAndDeleted() throws {
    try draft.run(#"mutation { insertPage(data: [{id: 9, title: "x"}, {id: 10, title: "x"}]) }"#)
    try other.run(#"mutation { insertPage(data: {id: 7}) }"#)
    try merge(draft, into: other)
    try draft.run("mutation { deletePage(where: id == 9) }")
    try draft.run("mutation { deletePage(where: id == 10, hard: true) }")
    #expect(try merge(draft, into: other) == [])
    #expect(try other.run("{ Page(orderBy: id) { id } }").jsonString == #"{"Page":[{"id":1},{"id":2},{"id":7}]}"#)
    try draft.run(#"mutation { insertPage(data: [{id: 9, title: "y"}, {id: 10, title: "y"}]) }"#)
    for _ in 1...2 {
      #expect(try merge(draft, into: other) == [])
      #expect(try page(other, "title", 9) == #"{"title":"y"}"#)
      #expect(try page(other, "title", 10) == #"{"title":"y"}"#)
    }
    // What the target deletes of it stays away.
    try other.run("mutation { a: deletePage(where: id == 9) b: deletePage(where: id == 10, hard: true) }")
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title", 9) == "null")
    #expect(try page(other, "title", 10) == "null")
    try set(draft, #"title: "z""#, of: 9)
    try set(draft, #"title: "z""#, of: 10)
    #expect(try merge(draft, into: other, .mine) == ["deleted title", "deleted title"])
    #expect(try page(other, "title", 9) == #"{"title":"z"}"#)
    #expect(try page(other, "title", 10) == #"{"title":"z"}"#)
  }

  @Test("links by an interface to what was brought stay") func interfaces() throws {
    try other.run(#"mutation { insertPlace(data: {id: 1, name: "o"}) }"#)
    try draft.run(#"mutation { insertPlace(data: [{id: 5, name: "d"}, {id: 6, name: "d"}]) }"#)
    try set(draft, "about: 5")
    try merge(draft, into: other)
    try set(other, "about: 1")
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "about { id }") == #"{"about":{"id":1}}"#)
    try set(draft, "about: 6")
    #expect(try merge(draft, into: other, .mine) == ["field about"])
    #expect(try page(other, "about { id }") == #"{"about":{"id":6}}"#)
    try draft.run("mutation { deletePlace(where: id == 6) }")
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "about { id }") == #"{"about":null}"#)
  }

  // MARK: - Lists

  @Test("elements that the target has taken out do not come back") func lists() throws {
    try set(draft, #"tags: ["a", "b", "c"], marks: [1, 2, 3]"#)
    try set(other, #"tags: ["a", "b", "d"], marks: [1, 2, 4]"#)
    try merge(draft, into: other)
    #expect(
      try page(other, "tags marks { id }")
        == #"{"tags":["a","b","d","c"],"marks":[{"id":1},{"id":2},{"id":4},{"id":3}]}"#)
    try set(other, #"tags: ["b", "d"], marks: [2, 4]"#)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "tags marks { id }") == #"{"tags":["b","d"],"marks":[{"id":2},{"id":4}]}"#)
    // What the draft takes out and puts in counts.
    try set(draft, #"tags: ["a", "c", "e"], marks: [1, 3]"#)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "tags marks { id }") == #"{"tags":["d","e"],"marks":[{"id":4}]}"#)
  }

  @Test("an element that was taken out and put in again by the target stays") func putInAgain() throws {
    try set(draft, #"tags: ["a"], marks: [1]"#)
    try merge(draft, into: other)
    #expect(try page(other, "tags marks { id }") == #"{"tags":["a"],"marks":[{"id":1}]}"#)
    try set(other, #"tags: ["a", "b"], marks: [1, 2]"#)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "tags marks { id }") == #"{"tags":["a","b"],"marks":[{"id":1},{"id":2}]}"#)
  }

  @Test("a list of objects that was brought is the target's from then on") func objects() throws {
    try set(draft, "parts: [{n: 1}, {n: 2, mark: 1}]")
    try merge(draft, into: other)
    #expect(try page(other, "parts { n mark { id } }") == #"{"parts":[{"n":1,"mark":null},{"n":2,"mark":{"id":1}}]}"#)
    try set(other, "parts: [{n: 5}]")
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "parts { n }") == #"{"parts":[{"n":5}]}"#)
    try set(draft, "parts: [{n: 6}]")
    #expect(try merge(draft, into: other, .theirs) == ["field parts"])
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "parts { n }") == #"{"parts":[{"n":5}]}"#)
    try set(draft, "parts: [{n: 7}, {n: 8}]")
    #expect(try merge(draft, into: other, .mine) == ["field parts"])
    #expect(try page(other, "parts { n }") == #"{"parts":[{"n":7},{"n":8}]}"#)
    try set(draft, "parts: [{n: 9}]")
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "parts { n }") == #"{"parts":[{"n":9}]}"#)
  }

  @Test("an embedded object that was decided is not asked for again") func object() throws {
    try set(draft, "main: null")
    try set(other, "main: {n: 2}")
    #expect(try merge(draft, into: other, .theirs) == ["field main"])
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "main { n }") == #"{"main":{"n":2}}"#)
  }

  // MARK: - Ways

  @Test("back from the target to the branch") func back() throws {
    try set(draft, #"title: "d", tags: ["a", "b", "c"]"#)
    try set(other, #"title: "o""#)
    try merge(draft, into: other, .theirs)
    try set(draft, #"note: "n""#)
    #expect(try merge(other, into: draft) == [])
    #expect(try page(draft, "title note tags") == #"{"title":"o","note":"n","tags":["a","b","c"]}"#)
    // And so on.
    try set(draft, #"title: "d2", tags: ["c"]"#)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title note tags") == #"{"title":"d2","note":"n","tags":["c"]}"#)
    try set(other, #"title: "o2""#)
    try other.run(#"mutation { insertPage(data: {id: 9, title: "x"}) }"#)
    #expect(try merge(other, into: draft) == [])
    try set(draft, #"title: "y""#, of: 9)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title", 9) == #"{"title":"y"}"#)
    #expect(try page(other, "title") == #"{"title":"o2"}"#)
  }

  @Test("what came by a third branch is there") func third() throws {
    let third = try database.branch("third")
    try set(draft, #"title: "d""#)
    try draft.run(#"mutation { insertPage(data: {id: 9, title: "x"}) }"#)
    try set(other, #"title: "o""#)
    try merge(draft, into: other, .theirs)
    try merge(other, into: third)
    #expect(try merge(draft, into: third) == [])
    #expect(try page(third, "title") == #"{"title":"o"}"#)
    try set(draft, #"title: "y""#, of: 9)
    #expect(try merge(draft, into: third) == [])
    #expect(try page(third, "title", 9) == #"{"title":"y"}"#)
  }

  @Test("what both have of a third branch is what they begin with") func common() throws {
    let third = try database.branch("third")
    try set(third, #"title: "t""#)
    try third.run(#"mutation { insertPage(data: {id: 9, title: "x", parts: [{n: 1}]}) }"#)
    try merge(third, into: draft)
    try merge(third, into: other)
    try set(draft, #"title: "d""#)
    try set(draft, #"title: "y", parts: [{n: 2}]"#, of: 9)
    try set(other, #"note: "o""#, of: 9)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title") == #"{"title":"d"}"#)
    #expect(try page(other, "title note parts { n }", 9) == #"{"title":"y","note":"o","parts":[{"n":2}]}"#)
  }

  @Test("into a context", arguments: [EditingMode.live, .snapshot]) func context(_ mode: EditingMode) throws {
    let context = database.edit(mode)
    try set(draft, #"title: "d", tags: ["a", "b", "c"]"#)
    try draft.run(#"mutation { insertPage(data: {id: 9, title: "x"}) }"#)
    try set(context, #"title: "o""#)
    #expect(try merge(draft, into: context, .theirs) == ["field title"])
    try set(context, #"tags: ["a"]"#)
    try set(draft, #"title: "y""#, of: 9)
    #expect(try merge(draft, into: context) == [])
    #expect(try page(context, "title tags") == #"{"title":"o","tags":["a"]}"#)
    #expect(try page(context, "title", 9) == #"{"title":"y"}"#)
  }

  @Test("into the database") func intoDatabase() throws {
    try set(draft, #"title: "d", tags: ["a", "b", "c"]"#)
    try database.run(#"mutation { updatePage(where: id == 1, set: {title: "o"}) }"#)
    #expect(try draft.merge(into: database, conflicts: .theirs).conflicts.count == 1)
    try database.run(#"mutation { updatePage(where: id == 1, set: {tags: ["a"]}) }"#)
    #expect(try draft.merge(into: database).conflicts.isEmpty)
    try set(draft, #"title: "e""#)
    #expect(try draft.merge(into: database).conflicts.isEmpty)
    #expect(
      try database.run("{ page(id: 1) { title tags } }").jsonString == #"{"page":{"title":"e","tags":["a"]}}"#)
  }

  // MARK: - Steps between

  @Test("a merge that was taken back is made again as a whole") func undone() throws {
    try set(draft, #"title: "d""#)
    try draft.run(#"mutation { insertPage(data: {id: 9, title: "x"}) }"#)
    try merge(draft, into: other)
    try other.undo()
    #expect(try page(other, "title") == #"{"title":"b"}"#)
    try set(other, #"note: "o""#)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title note") == #"{"title":"d","note":"o"}"#)
    #expect(try page(other, "title", 9) == #"{"title":"x"}"#)
    // Of two, the later.
    try set(draft, #"title: "e""#)
    try merge(draft, into: other)
    try other.undo()
    #expect(try page(other, "title") == #"{"title":"d"}"#)
    try merge(draft, into: other)
    #expect(try page(other, "title") == #"{"title":"e"}"#)
  }

  @Test("what the branch takes back is taken back") func takenBack() throws {
    try set(draft, #"title: "d", parts: []"#)
    try draft.run(#"mutation { insertPage(data: {id: 9, title: "x"}) }"#)
    try merge(draft, into: other)
    try draft.undo()
    try draft.undo()
    #expect(!draft.hasChanges)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title parts { n }") == #"{"title":"b","parts":[{"n":1}]}"#)
    #expect(try page(other, "title", 9) == "null")
  }

  @Test("the database may change between") func moved() throws {
    try set(draft, #"title: "d""#)
    try draft.run(#"mutation { insertPage(data: {id: 9, title: "x"}) }"#)
    try set(other, #"title: "o""#)
    try merge(draft, into: other, .theirs)
    try moveDatabase()
    #expect(try merge(draft, into: other) == [])
    try set(draft, #"title: "y""#, of: 9)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title") == #"{"title":"o"}"#)
    #expect(try page(other, "title", 9) == #"{"title":"y"}"#)
    #expect(try page(other, "note", 2) == #"{"note":"n"}"#)
  }

  @Test("a branch may be refreshed between, as long as it has no change that was not merged") func refreshed() throws {
    try set(draft, #"title: "d""#)
    try draft.run(#"mutation { insertPage(data: {id: 9, title: "x"}) }"#)
    try set(other, #"title: "o""#)
    try merge(draft, into: other, .theirs)
    try moveDatabase()
    try draft.refresh()
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title") == #"{"title":"o"}"#)
    try set(draft, #"title: "y""#, of: 9)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title", 9) == #"{"title":"y"}"#)
    #expect(try page(other, "note", 2) == #"{"note":"n"}"#)
  }

  @Test("a target may decide conflicts with its database between") func decidedByTarget() throws {
    try set(draft, #"title: "d""#)
    try merge(draft, into: other)
    try database.run(#"mutation { updatePage(where: id == 1, set: {title: "n"}) }"#)
    try other.refresh(conflicts: .theirs)
    #expect(try page(other, "title") == #"{"title":"n"}"#)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title") == #"{"title":"n"}"#)
  }

  @Test("the target may be saved between") func saved() throws {
    try set(draft, #"title: "d", tags: ["a", "b", "c"]"#)
    try draft.run(#"mutation { insertPage(data: {id: 9, title: "x"}) }"#)
    try merge(draft, into: other)
    try set(other, #"tags: ["a"]"#)
    try other.merge(into: database)
    #expect(try merge(draft, into: other) == [])
    try set(draft, #"title: "y""#, of: 9)
    #expect(try merge(draft, into: other) == [])
    #expect(try page(other, "title tags") == #"{"title":"d","tags":["a"]}"#)
    #expect(try page(other, "title", 9) == #"{"title":"y"}"#)
  }

  @Test("the schema may change between") func evolved() throws {
    try set(draft, #"title: "d", parts: [{n: 1}, {n: 2}]"#)
    try draft.run(#"mutation { insertPage(data: {id: 9, title: "x"}) }"#)
    try set(other, #"title: "o""#)
    try merge(draft, into: other, .theirs)
    try database.changeSchema(to: Self.types.replacing("note: String", with: "note: String more: Int"))
    #expect(code { try merge(draft, into: other) } == nil)
    try set(draft, #"title: "y", more: 1"#, of: 9)
    #expect(try merge(draft, into: other, .mine).contains("inserted ") == false)
    #expect(try page(other, "title more", 9) == #"{"title":"y","more":1}"#)
  }
}
