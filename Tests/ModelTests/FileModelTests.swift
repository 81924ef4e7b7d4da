import CSQLite3
import Foundation
import GQLiteModels
import Testing

/// What a program has in its first version, …
private enum First {
  @EntityModel struct Author: Sendable {
    let id: String
    var name: String
    @Relationship(inverse: \.author) var notes: [Note]?
  }
  @EntityModel struct Note: Sendable {
    @Index<Self>(\.stars) private var starsIndex
    let id: String
    var title: String
    var stars: Int = 0
    var made: Date?
    @Relationship(inverse: \.notes) var author: Author?
  }
}

/// … and in its second.
private enum Second {
  @EntityModel(was: "First_Author") struct Writer: Sendable {
    let id: String
    @Field(2, was: "name") var fullName: String
    @Field(was: "notes") @Relationship(inverse: \.writer) var works: [Work]?
  }
  @EntityModel(number: 7, was: "First_Note") struct Work: Sendable {
    @Index<Self>(\.stars) private var starsIndex
    let id: String
    @Field(was: "title") var name: String
    @Field(42) var stars: Int = 0
    var made: Date?
    var isRead: Bool?
    @Field(was: "author") @Relationship(inverse: \.works) var writer: Writer?
  }
}

/// The number is enough from then on.
private enum Third {
  @EntityModel(was: "Second_Writer") struct Writer: Sendable {
    let id: String
    @Field(2) var nom: String
    @Relationship(inverse: \.writer) var works: [Opus]?
  }
  @EntityModel(number: 7) struct Opus: Sendable {
    let id: String
    var name: String
    @Field(42) var rating: Int = 0
    var made: Date?
    var isRead: Bool?
    @Relationship(inverse: \.works) var writer: Writer?
  }
}

/// A model that is met later.
@EntityModel private struct Later: Sendable {
  let id: String
  var text: String
}

private struct Secret: Sendable { var bytes: [UInt8] }
@EntityModel private struct Vault: Sendable {
  let id: String
  var secret: Secret?
}
@EntityModel private struct Bank: Sendable {
  let id: String
  @Relationship var vault: Vault? = nil
}

@EntityModel private struct TwiceNumbered: Sendable {
  let id: String
  @Field(1) var a: Int
  @Field(1) var b: Int
}
@EntityModel(was: "a b") private struct Misnamed: Sendable { let id: String }
@EntityModel private struct Item: Sendable {
  let id: String
  var n: Int
}
@EntityModel(was: "Item") private struct Narrow: Sendable { let id: String }

private struct Tag: Codable, Hashable, Sendable { var name: String }
/// Its hook saves a model that the file does not have.
@EntityModel private struct Box: Sendable {
  let id: String
  var tags: [Tag]
  var label: Tag?
  @Relationship(inverse: \.boxes) var rack: Rack?
  mutating func willSave(to context: inout Context) throws {
    try Later(id: "of \(id)", text: "hook").save(to: &context)
  }
}
@EntityModel private struct Rack: Sendable {
  let id: String
  @Relationship(inverse: \.rack) var boxes: [Box]?
}

/// Databases in files that have the types of models.
@Suite struct FileModelTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "gqlite-models-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var file: String { path + "/a.gqlite" }
  }

  private static func problem(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch let error as QueryError {
      return error.problems.first.map { "\($0.code): \($0.message)" } ?? ""
    } catch {
      return "\(error)"
    }
  }

  @Test func aSecondRunSeesWhatTheFirstWrote() throws {
    let folder = try Folder()
    let made = Date(timeIntervalSinceReferenceDate: 1234.000_000_123)
    do {
      let database = try Database(path: folder.file, models: [First.Note.self])
      #expect(database.schema == (try schema(of: [First.Note.self])))
      try First.Author(id: "a", name: "Ada", notes: .relation([])).save(to: database)
      try First.Note(id: "1", title: "One", stars: 5, made: made, author: .id("a")).save(to: database)
      #expect(try database.run("{ First_Note { title author { name } } }").jsonString.contains("Ada"))
      try database.run("mutation { insertFirst_Note(data: {id: \"2\", title: \"Two\", stars: 6}) { id } }")
      // Not closed.
    }
    do {
      let again = try Database(path: folder.file, models: [First.Note.self])
      #expect(First.Note.query("1").resolve(in: again)?.made == made)
      #expect(First.Note.query().resolve(in: again).map(\.title) == ["One", "Two"])
      try again.close()
    }
    do {
      let again = try Database(path: folder.file, models: [Second.Work.self])
      #expect(again.count(of: "First_Note") == nil && again.count(of: "Second_Work") == 2)
      let works = Second.Work.query().with(\.$writer).resolve(in: again)
      #expect(works.map(\.name) == ["One", "Two"] && works.map(\.stars) == [5, 6])
      #expect(works[0].writer?.fullName == "Ada" && works[0].made == made && works[0].isRead == nil)
      try Second.Work(id: "3", name: "Three", stars: 7, writer: .id("a")).save(to: again)
      #expect(again.check() == [])
      let version = again.version
      try again.close()
      // Nothing to be changed any more.
      let next = try Database(path: folder.file, models: [Second.Work.self])
      #expect(next.version == version)
    }
    let again = try Database(path: folder.file, models: [Third.Opus.self])
    #expect(Third.Opus.query().resolve(in: again).map(\.rating) == [5, 6, 7])
    #expect(Third.Writer.query("a").with(\.$works).resolve(in: again)?.works?.count == 2)
    #expect(Third.Writer.query("a").resolve(in: again)?.nom == "Ada")
    #expect(try again.run("{ Third_Opus(where: rating > 5) { name } }").jsonString.contains("Two"))
    #expect(again.schema.contains("rating: Int! @number(value: 42)"))
  }

  @Test func aModelThatIsMetLaterIsAdded() throws {
    let folder = try Folder()
    do {
      let database = try Database(path: folder.file, models: [First.Note.self])
      try First.Note(id: "1", title: "One").save(to: database)
      #expect(Later.query().resolve(in: database).isEmpty)
      #expect(try Later.findOrCreate(in: database) { Later(id: "x", text: "late") }.text == "late")
      #expect(try database.run("{ Later { text } First_Note { title } }").jsonString.contains("late"))
      try database.close()
    }
    // Types of no model stay.
    let again = try Database(path: folder.file, models: [First.Note.self])
    #expect(Later.query("x").resolve(in: again)?.text == "late")
    #expect(First.Note.query("1").resolve(in: again)?.title == "One")
    #expect(again.check() == [])
    let reader = try Database(path: folder.file, models: [First.Note.self], storage: StorageOptions(access: .read))
    #expect(Later.query().resolve(in: reader).count == 1)
    #expect(
      Self.problem { try Item(id: "1", n: 1).save(to: reader) }
        == "storage-read-only: the file has no type 'Item', and the database was opened for reading")
    // Reading goes on.
    #expect(First.Note.query().resolve(in: reader).count == 1)
    #expect(
      Self.problem {
        _ = try Database(path: folder.file, models: [Item.self], storage: StorageOptions(access: .read))
      }.hasPrefix("storage-read-only: the file does not fit the model 'Item'"))
  }

  @Test func aHookMayMeetAModel() throws {
    let folder = try Folder()
    let text = """
      interface Thing { id: ID! }
      type Box implements Thing { id: ID! tags: [Tag!]! label: Tag rack: Rack @relation(inverse: "boxes") }
      type Rack { id: ID! boxes: [Box!]! @relation(inverse: "rack") }
      type Tag { name: String! of: Thing }
      """
    let question =
      #"{ Box { id tags { name } label { name } rack { id } } Thing { id } Later { id } Rack { boxes { id } } }"#
    let answer =
      #"{"Box":[{"id":"1","tags":[{"name":"a"},{"name":"b"}],"label":{"name":"c"},"rack":{"id":"s"}}],"#
      + #""Thing":[{"id":"1"}],"Later":[{"id":"of 1"}],"Rack":[{"boxes":[{"id":"1"}]}]}"#
    do {
      let database = try Database(path: folder.file, models: [Box.self], schema: text)
      try Rack(
        id: "s",
        boxes: .relation([Box(id: "1", tags: [Tag(name: "a"), Tag(name: "b")], label: Tag(name: "c"))])
      ).save(to: database)
      #expect(try database.run(question).jsonString == answer)
      #expect(database.check() == [])
    }
    let again = try Database(path: folder.file, models: [Box.self])
    #expect(try again.run(question).jsonString == answer)
    #expect(Box.query("1").resolve(in: again)?.tags.map(\.name) == ["a", "b"])
    #expect(again.check() == [])
  }

  @Test func whatHasNoColumnIsRefused() throws {
    let folder = try Folder()
    #expect(
      Self.problem { _ = try Database(path: folder.file, models: [Bank.self]) }
        == "not-storable: 'Vault.secret' has no column, so that no file can hold it")
    #expect(!FileManager.default.fileExists(atPath: folder.file))
    let database = try Database(path: folder.file, models: [Item.self])
    #expect(
      Self.problem { try Vault(id: "1", secret: Secret(bytes: [1])).save(to: database) }
        == "not-storable: 'Vault.secret' has no column, so that no file can hold it")
    try Item(id: "1", n: 5).save(to: database)
    #expect(database.count(of: "Vault") == nil && database.count(of: "Item") == 1)
    let plain = try Database(path: folder.path + "/b.gqlite")
    #expect(
      Self.problem { try Vault(id: "1").save(to: plain) }
        == "not-storable: 'Vault.secret' has no column, so that no file can hold it")
  }

  @Test func whatWouldBeLostIsRefused() throws {
    let folder = try Folder()
    do {
      let database = try Database(path: folder.file, models: [Item.self])
      try Item(id: "1", n: 5).save(to: database)
      try database.close()
    }
    #expect(Self.problem { _ = try Database(path: folder.file, models: [Narrow.self]) }.hasPrefix("data-loss: field"))
    #expect(try Database(path: folder.file).count(of: "Item") == 1)
    let options = StorageOptions(allowsLoss: true)
    let database = try Database(path: folder.file, models: [Narrow.self], storage: options)
    #expect(Narrow.query().resolve(in: database).map(\.id) == ["1"])
  }

  @Test func aSchemaAsTextMayDescribeSome() throws {
    let folder = try Folder()
    let text = """
      type Item { id: ID! n: Int! = 7 double: Int! @computed(as: "n * 2") owner: Owner }
      type Owner { id: ID! items: [Item!]! @relation(inverse: "owner") }
      """
    for run in 0..<2 {
      let database = try Database(path: folder.file, models: [Item.self, Later.self], schema: text)
      if run == 0 {
        try database.run("mutation { insertOwner(data: {id: 1, items: [{id: 2}]}) { id } }")
        try Later(id: "x", text: "l").save(to: database)
      }
      #expect(Item.query().resolve(in: database).map(\.n) == [7])
      #expect(
        try database.run("{ Item { double } Later { text } }").jsonString
          == #"{"Item":[{"double":14}],"Later":[{"text":"l"}]}"#)
      try database.close()
    }
    // What only text can say stays without it.
    let database = try Database(path: folder.file, models: [Item.self])
    #expect(try database.run("{ Item { double owner { id } } }").jsonString.contains("14"))
    try database.close()
    #expect(
      Self.problem {
        _ = try Database(path: folder.file, models: [Item.self], schema: "type Item { id: ID! n: String }")
      }.contains("not Int!"))
  }

  @Test func numbersAndNamesAreChecked() throws {
    #expect(Self.problem { _ = try schema(of: [TwiceNumbered.self]) }.contains("number-conflict"))
    #expect(Self.problem { _ = try schema(of: [Misnamed.self]) }.contains("former name 'a b'"))
    let text = try schema(of: [Second.Work.self])
    #expect(text.contains("type Second_Work @number(value: 7) @was(name: \"First_Note\")"))
    #expect(text.contains("fullName: String! @number(value: 2) @was(name: \"name\")"))
  }

  @Test func deletedEntitiesAreThereAgain() throws {
    let folder = try Folder()
    do {
      let database = try Database(path: folder.file, models: [Item.self])
      try Item(id: "1", n: 5).save(to: database)
      try Item(id: "2", n: 6).save(to: database)
      try Item.delete(id: "1", from: database)
      try Later(id: "x", text: "l").save(to: database)
      #expect(try database.run("{ Deleted_Item { n } Deleted_Later { id } }").jsonString.contains(#"[{"n":5}]"#))
    }
    let again = try Database(path: folder.file, models: [Item.self])
    #expect(
      try again.run("{ Deleted_Item { n } Item { n } }").jsonString == #"{"Deleted_Item":[{"n":5}],"Item":[{"n":6}]}"#)
    let deleted = try #require(Deleted<Item>.query("1").resolve(in: again))
    try deleted.restore(in: again)
    #expect(Item.query().resolve(in: again).map(\.n) == [5, 6])
  }

  /// In memory a type that was called otherwise and the one that is called so now are two types.
  @Test func inMemoryNothingIsRenamed() throws {
    let database = Database()
    try Item(id: "1", n: 5).save(to: database)
    try Narrow(id: "2").save(to: database)
    #expect(database.count(of: "Item") == 1 && database.count(of: "Narrow") == 1)
    #expect(Item.query().resolve(in: database).map(\.n) == [5])
  }

  @Test func functionsStay() throws {
    let folder = try Folder()
    let database = try Database(path: folder.file, models: [Item.self])
    try database.register(function: "twice") { (number: Int) -> Int in number * 2 }
    try Later(id: "x", text: "l").save(to: database)
    try Item(id: "1", n: 5).save(to: database)
    #expect(try database.run("{ Item { m := twice(n) } }").jsonString == #"{"Item":[{"m":10}]}"#)
  }
}
