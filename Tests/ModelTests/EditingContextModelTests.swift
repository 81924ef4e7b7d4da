import GQLite
import GQLiteModels
import Testing

private enum Drafted {
  @EntityModel
  struct Page {
    let id: Int
    var title: String
    var ink: Ink
    @Relationship(inverse: \.page) var notes: [Note]?

    /// A value that no column holds.
    struct Ink: Equatable { var color: String }
  }

  @EntityModel
  struct Memo {
    let id: Int
    var text: String
  }

  @EntityModel
  struct Note {
    let id: Int
    var text: String
    @Relationship(inverse: \.notes) var page: Page?
  }
}

/// Models in editing contexts.
@Suite struct EditingContextModelTests {
  private typealias Page = Drafted.Page
  private typealias Note = Drafted.Note
  private typealias Ink = Drafted.Page.Ink

  private func database() throws -> Database {
    let database = try Database(for: Page.self)
    try Page(id: 1, title: "Start", ink: Ink(color: "red"), notes: .relation([Note(id: 1, text: "n")]))
      .save(to: database)
    return database
  }

  @Test("models are read and saved in a context as in a database") func models() throws {
    let database = try database()
    let draft = database.edit()
    try Page(id: 2, title: "Second", ink: Ink(color: "blue")).save(to: draft)
    try draft.entities { context in try Note(id: 2, text: "m", page: .id(2)).save(to: &context) }
    #expect(try Page.results(in: draft).map(\.title) == ["Start", "Second"])
    #expect(try Page.results(in: database).map(\.title) == ["Start"])
    #expect(draft.undoStack.undoNames.count == 2)
    try draft.save()
    #expect(try Page.results(in: database).map(\.ink.color) == ["red", "blue"])
    #expect(database.check() == [])
  }

  @Test("all that writes models writes them in a context") func verbs() throws {
    let database = try Database(for: Drafted.Memo.self)
    for id in 1...5 { try Drafted.Memo(id: id, text: "\(id)").save(to: database) }
    let draft = database.edit()
    func ids(_ store: some EntityStore) throws -> [Int] { try Drafted.Memo.results(in: store).map(\.id) }
    try Drafted.Memo.delete(id: 1, from: draft)
    try Drafted.Memo.filter(\.text == "2").delete(in: draft)
    #expect(try Drafted.Memo.findOrCreate(in: draft) { Drafted.Memo(id: 8, text: "8") }.id == 3)
    #expect(
      try Drafted.Memo.filter(\.text == "6").findOrCreate(in: draft) { Drafted.Memo(id: 6, text: "6") }.id == 6)
    #expect(try ids(draft) == [3, 4, 5, 6] && ids(database) == [1, 2, 3, 4, 5])
    try #require(try Deleted<Drafted.Memo>.query(1).first(in: draft)).restore(in: draft)
    #expect(try ids(draft) == [1, 3, 4, 5, 6])
    try draft.save()
    #expect(try ids(database) == [1, 3, 4, 5, 6])
    try Drafted.Memo.deleteAll(in: draft)
    #expect(try ids(draft) == [])
    try draft.save()
    #expect(try ids(database) == [] && database.check() == [])
  }

  @Test("values without a column are merged with their entities") func opaqueValues() throws {
    let database = try database()
    let draft = database.edit()
    try Page(id: 2, title: "Mine", ink: Ink(color: "blue")).save(to: draft)
    try Page(id: 3, title: "Theirs", ink: Ink(color: "green")).save(to: database)
    try Page(id: 1, title: "Start", ink: Ink(color: "black")).save(to: database)
    #expect(try Page.results(in: draft).map(\.ink.color).sorted() == ["black", "blue", "green"])
    try draft.save()
    let inks = try Page.results(in: database).map { "\($0.id) \($0.ink.color)" }.sorted()
    #expect(inks == ["1 black", "2 blue", "3 green"])
    #expect(database.check() == [])
  }

  @Test("a type that a context meets first is saved with it") func newTypes() throws {
    let database = Database()
    let draft = database.edit()
    try Page(id: 1, title: "Mine", ink: Ink(color: "blue")).save(to: draft)
    #expect(try Page.results(in: database).isEmpty)
    try draft.save()
    #expect(try Page.results(in: database).map(\.title) == ["Mine"])
    #expect(try database.run("{ Drafted_Page { title } }").jsonString == #"{"Drafted_Page":[{"title":"Mine"}]}"#)
  }

  @Test("models and objects work in a branch") func branches() throws {
    typealias Memo = Drafted.Memo
    let database = try Database(for: Memo.self)
    try Memo(id: 1, text: "a").save(to: database)
    let branch = try database.branch("draft")
    try Memo(id: 2, text: "b").save(to: branch)
    try branch.update { context in try Memo(id: 3, text: "c").save(to: &context) }
    let object = try #require(try branch.object(Memo.self, id: 1))
    object.text = "d"
    #expect(try Memo.results(in: database.branch("draft")).map(\.text) == ["d", "b", "c"])
    #expect(try Memo.results(in: database).map(\.text) == ["a"])
    try branch.merge(into: database)
    #expect(try Memo.results(in: database).map(\.text) == ["d", "b", "c"])
    // What no column holds is not kept, as in a file.
    let other = try self.database().branch("draft")
    #expect {
      try Page(id: 2, title: "Mine", ink: Ink(color: "blue")).save(to: other)
    } throws: {
      ($0 as? QueryError)?.problems.first?.code == "not-storable"
    }
  }

  @Test("a change of nothing but a value without a column is saved", arguments: [false, true])
  func onlyOpaque(_ isMoved: Bool) throws {
    let database = try database()
    let draft = database.edit(.snapshot)
    try Page(id: 1, title: "Start", ink: Ink(color: "black")).save(to: draft)
    #expect(draft.hasChanges)
    if isMoved { try Page(id: 2, title: "Other", ink: Ink(color: "blue")).save(to: database) }
    let version = database.version
    #expect(try draft.save().version == version + 1)
    #expect(try Page.results(in: database).map(\.ink.color) == (isMoved ? ["black", "blue"] : ["black"]))
    #expect(!draft.hasChanges)
    // The same once more is no change.
    try Page(id: 1, title: "Start", ink: Ink(color: "black")).save(to: draft)
    #expect(!draft.hasChanges)
    #expect(try draft.save().version == version + 1)
  }

  @Test("a value without a column that only others have written stays") func othersOpaque() throws {
    let database = try database()
    let draft = database.edit(.snapshot)
    try Page(id: 1, title: "Mine", ink: Ink(color: "red")).save(to: draft)
    try Page(id: 1, title: "Start", ink: Ink(color: "black")).save(to: database)
    try draft.save()
    #expect(try Page.results(in: database).map { "\($0.title) \($0.ink.color)" } == ["Mine black"])
    #expect(try Page.results(in: draft).map(\.ink.color) == ["black"])
  }

  @Test(
    "a value without a column and a deletion by the other side are a conflict", arguments: [false, true],
    [EditingMode.snapshot, .live])
  func deletedOpaque(_ deletesMine: Bool, _ mode: EditingMode) throws {
    let database = try database()
    let draft = database.edit(mode)
    let black = Page(id: 1, title: "Start", ink: Ink(color: "black"))
    if deletesMine {
      try Page.delete(id: 1, from: draft.database)
      try black.save(to: database)
    } else {
      try black.save(to: draft)
      try Page.delete(id: 1, from: database)
    }
    // A live draft follows with each look, and goes on telling the conflict.
    #expect(draft.hasChanges)
    try Page(id: 2, title: "Other", ink: Ink(color: "green")).save(to: database)
    #expect(draft.hasChanges)
    do throws(QueryError) {
      try draft.save()
      Issue.record("it was saved")
    } catch {
      #expect(error.problems.first?.code == "merge-conflict")
    }
    try draft.save(conflicts: deletesMine ? .theirs : .mine)
    #expect(try Page.results(in: database).map(\.ink.color) == ["black", "green"])
    #expect(database.check() == [])
  }

  @Test(
    "a value without a column that is taken back is no conflict with a deletion",
    arguments: [EditingMode.snapshot, .live])
  func takenBackOpaque(_ mode: EditingMode) throws {
    let database = try database()
    let draft = database.edit(mode)
    try Page.delete(id: 1, from: draft.database)
    for color in ["black", "red"] {
      try Page(id: 1, title: "Start", ink: Ink(color: color)).save(to: database)
      #expect(draft.hasChanges)
    }
    try draft.save()
    #expect(try Page.results(in: database).isEmpty)
  }
}
