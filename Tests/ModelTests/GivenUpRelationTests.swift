import Foundation
import GQLiteModels
import Testing

private enum Whole {
  @EntityModel struct Author: Sendable {
    let id: Int
    var name: String
    @Relationship(inverse: \.author) var books: [Book]?
  }
  @EntityModel struct Book: Sendable {
    let id: Int
    @Relationship(inverse: \.books) var author: Author?
  }
}

/// Without the books.
@EntityModel(was: "Whole_Author") private struct Author: Sendable {
  let id: Int
  var name: String
}

/// Without the author.
@EntityModel(was: "Whole_Book") private struct Book: Sendable { let id: Int }

/// A model that is met later.
@EntityModel private struct Later: Sendable { let id: Int }

/// Models of types that a text has made.
private enum TextMade {
  @EntityModel struct Writer: Sendable {
    let id: String
    @Field(was: "books") @Relationship(inverse: \.writer) var works: [Volume]?
  }
  @EntityModel struct Volume: Sendable {
    let id: String
    @Relationship(inverse: \.works) var writer: Writer?
  }
}

/// A model that gives up a relation whose other side is a type of no model, which stays as it is.
@Suite struct GivenUpRelationTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "gqlite-given-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var file: String { path + "/a.gqlite" }
  }

  private func code(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let error as QueryError {
      return error.problems.first.map { "\($0.code): \($0.message)" }
    } catch {
      return "\(error)"
    }
  }

  private func fill(_ folder: Folder) throws {
    let database = try Database(path: folder.file, models: [Whole.Author.self])
    let author = Whole.Author(id: 1, name: "Ada")
    for id in 1...2 { try Whole.Book(id: id, author: .relation(author)).save(to: database) }
    try database.close()
  }

  @Test("the side that stays keeps the links") func oneSide() throws {
    let folder = try Folder()
    try fill(folder)
    let database = try Database(path: folder.file, models: [Author.self])
    #expect(
      database.schema == """
        type Author @was(name: "Whole_Author") {
          id: Int!
          name: String!
        }

        type Whole_Book {
          id: Int!
          author: Author
        }

        """)
    #expect(
      try database.run("{ Whole_Book { id author { name } } }").jsonString
        == #"{"Whole_Book":[{"id":1,"author":{"name":"Ada"}},{"id":2,"author":{"name":"Ada"}}]}"#)
    #expect(database.check() == [])
    try database.close()
    // And once more.
    let again = try Database(path: folder.file, models: [Author.self])
    #expect(try Author.results(in: again).map(\.name) == ["Ada"])
  }

  @Test("so does the side with many") func otherSide() throws {
    let folder = try Folder()
    try fill(folder)
    let database = try Database(path: folder.file, models: [Book.self])
    #expect(
      try database.run("{ Whole_Author { books { id } } }").jsonString
        == #"{"Whole_Author":[{"books":[{"id":1},{"id":2}]}]}"#)
    #expect(database.schema.contains("books: [Book!]!\n") && database.check() == [])
  }

  @Test("where both give it up, the loss must be allowed") func bothSides() throws {
    let folder = try Folder()
    try fill(folder)
    let models: [any EntityModelProtocol.Type] = [Author.self, Book.self]
    let problem = code { _ = try Database(path: folder.file, models: models) }
    #expect(problem?.hasPrefix("data-loss: ") == true)
    let database = try Database(path: folder.file, models: models, storage: StorageOptions(allowsLoss: true))
    #expect(!database.schema.contains("books") && database.check() == [])
  }

  @Test("a type that stays knows the other side by its new name") func renamed() throws {
    let folder = try Folder()
    do {
      let database = try Database(path: folder.file)
      try database.changeSchema(
        to: """
          type TextMade_Writer { id: String! books: [TextMade_Volume!]! }
          type TextMade_Volume {
            id: String! pages: Int! = 7 writer: TextMade_Writer @relation(inverse: "books")
          }
          """)
      try database.run(#"mutation { insertTextMade_Volume(data: {id: "v", writer: {id: "w"}}) { id } }"#)
      try database.close()
    }
    let database = try Database(path: folder.file, models: [TextMade.Writer.self])
    #expect(database.schema.contains(#"writer: TextMade_Writer @relation(inverse: "works")"#))
    #expect(database.schema.contains("pages: Int! @default(value: 7)"))
    let writer = try #require(try TextMade.Writer.query().with(\.$works).first(in: database))
    #expect(writer.$works.ids == ["v"] && database.check() == [])
  }

  @Test("without a model and a schema there is nothing to open") func noModels() throws {
    let folder = try Folder()
    #expect(
      code { _ = try Database(path: folder.file, models: []) }
        == "empty-document: no model is named, and the file has no schema")
    try fill(folder)
    // The types of the file are enough.
    do {
      let database = try Database(path: folder.file, models: [])
      #expect(database.count(of: "Whole_Book") == 2)
      try Later(id: 1).save(to: database)
      #expect(try database.run("{ Deleted_Later { id } }").jsonString == #"{"Deleted_Later":[]}"#)
      try database.close()
    }
    let text = try Database(path: folder.file).schema + "type Pen { id: Int! }"
    #expect(try Database(path: folder.file, models: [], schema: text).count(of: "Pen") == 0)
    #expect(
      code {
        let options = StorageOptions(access: .read)
        _ = try Database(path: folder.file, models: [TextMade.Volume.self], storage: options)
      }
        == "storage-read-only: the file does not fit the model 'Volume', and is opened for reading: "
        + "the schema has no type 'TextMade_Volume'")
  }
}
