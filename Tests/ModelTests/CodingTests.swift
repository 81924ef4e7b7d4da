import Foundation
import GQLiteModels
import Testing

/// How relations are written and read.
enum Coded {
  @EntityModel
  struct Author {
    @Index<Self>(\.name) private var nameIndex
    @Unique<Self>(\.name, collisions: .throw) private var uniqueName

    let id: String
    var name: String
    @Relationship(inverse: \.author) var books: [Book]?
  }

  @EntityModel
  struct Book: Codable {
    @FullTextIndex<Self>(\.title) private var words
    @HashIndex<Self>(\.title) private var titles

    let id: Int
    var title: String
    var pages: Int?
    @Relationship(inverse: \.books) var author: Author?
    @Relationship(.required) var shelf: Shelf?
    @Relationship var tags: [Tag]? = nil
  }

  /// Nothing but an id, of a type that is no text.
  @EntityModel
  struct Shelf: Codable { let id: Int }

  /// All but the id may be missing.
  @EntityModel
  struct Tag: Codable {
    let id: String
    var note: String?
  }

  @EntityModel
  struct Box<T: Codable & Sendable & Hashable>: Codable, Sendable {
    @HashIndex<Self>(\.kind) private var kindIndex

    let id: String
    var kind: T
    @Relationship var shelf: Shelf? = .none
  }
}

extension Coded.Author: Codable {}

@Suite struct CodingTests {
  private typealias Author = Coded.Author
  private typealias Book = Coded.Book
  private typealias Shelf = Coded.Shelf
  private typealias Tag = Coded.Tag

  private func json(_ value: some Encodable, _ strategy: RelationEncodingStrategy) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.relationEncodingStrategy = strategy
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, _ json: String, _ strategy: RelationDecodingStrategy
  ) throws -> Value {
    let decoder = JSONDecoder()
    decoder.relationDecodingStrategy = strategy
    return try decoder.decode(type, from: Data(json.utf8))
  }

  private let unknown = Book(id: 1, title: "T")
  private let ids = Book(id: 1, title: "T", author: .id("a"), shelf: .id(7), tags: [])
  private var nothing: Book {
    var book = unknown
    book.$author = .null
    book.$tags = .ids([])
    return book
  }
  private var slices: Book {
    var book = unknown
    book.$author = .fragment(Author(id: "a", name: "Ann"))
    book.$shelf = .relation(Shelf(id: 7))
    book.$tags = .appending(fragment: [Tag(id: "x"), Tag(id: "y", note: "n")])
    return book
  }
  private var idSlice: Book {
    var book = unknown
    book.$tags = .appending(ids: ["x", "y"])
    return book
  }

  @Test func plain() throws {
    #expect(try json(unknown, .plain) == #"{"author":null,"id":1,"shelf":null,"tags":null,"title":"T"}"#)
    #expect(
      try json(ids, .plain) == #"{"author":{"id":"a"},"id":1,"shelf":{"id":7},"tags":[],"title":"T"}"#)
    #expect(try json(nothing, .plain) == #"{"author":null,"id":1,"shelf":null,"tags":[],"title":"T"}"#)
    #expect(
      try json(slices, .plain)
        == #"{"author":{"books":null,"id":"a","name":"Ann"},"id":1,"shelf":{"id":7},"#
        + #""tags":[{"id":"x"},{"id":"y","note":"n"}],"title":"T"}"#)
    #expect(try json(idSlice, .plain).contains(#""tags":[{"id":"x"},{"id":"y"}]"#))
  }

  @Test func keyed() throws {
    #expect(
      try json(ids, .keyedContainer)
        == #"{"author":{"id":"a"},"id":1,"shelf":{"id":7},"tags":{"objects":[]},"title":"T"}"#)
    #expect(
      try json(nothing, .keyedContainer)
        == #"{"author":{"id":null},"id":1,"shelf":null,"tags":{"ids":[]},"title":"T"}"#)
    #expect(
      try json(slices, .keyedContainer)
        == #"{"author":{"object":{"books":null,"id":"a","name":"Ann"}},"id":1,"shelf":{"object":{"id":7}},"#
        + #""tags":{"objects":[{"id":"x"},{"id":"y","note":"n"}]},"title":"T"}"#)
    #expect(try json(idSlice, .keyedContainer).contains(#""tags":{"ids":["x","y"]}"#))
    #expect(try json(idSlice, .explicitKeyedContainer).contains(#""tags":{"slice_ids":["x","y"]}"#))
    #expect(try json(slices, .explicitKeyedContainer).contains(#""tags":{"slice":[{"id":"x"}"#))
    #expect(try json(ids, .explicitKeyedContainer) == json(ids, .keyedContainer))
  }

  @Test func exact() throws {
    #expect(try json(unknown, .exact) == #"{"id":1,"title":"T"}"#)
    #expect(try json(ids, .exact) == #"{"author":"a","id":1,"shelf":7,"tags":{"$relation":[]},"title":"T"}"#)
    #expect(try json(nothing, .exact) == #"{"author":null,"id":1,"tags":[],"title":"T"}"#)
    #expect(
      try json(slices, .exact)
        == #"{"author":{"$fragment":{"id":"a","name":"Ann"}},"id":1,"shelf":{"id":7},"#
        + #""tags":{"$slice":{"$fragment":[{"id":"x"},{"id":"y","note":"n"}]}},"title":"T"}"#)
    #expect(try json(idSlice, .exact).contains(#""tags":{"$slice":["x","y"]}"#))
  }

  /// What a relation is, for a comparison of all there is to it.
  private func facts<Entity, D, C, X>(_ relation: GQLiteModels.Relation<Entity, D, C, X>) -> String {
    "\(relation.isNone) \(relation.isId) \(relation.isFragment) \(relation)"
  }

  @Test func exactGivesTheSameBack() throws {
    for book in [unknown, ids, nothing, slices, idSlice] {
      let text = try json(book, .exact)
      let back = try decode(Book.self, text, .exact)
      #expect(facts(back.$author) == facts(book.$author))
      #expect(facts(back.$shelf) == facts(book.$shelf))
      #expect(back.$tags.ids == book.$tags.ids && back.$tags.isSlice == book.$tags.isSlice)
      #expect(back.$tags.isNone == book.$tags.isNone && back.$tags.isFragment == book.$tags.isFragment)
      #expect(try json(back, .exact) == text)
    }
  }

  @Test func keyedGivesTheSameBackButFragments() throws {
    for (encoding, decoding) in [
      (RelationEncodingStrategy.keyedContainer, RelationDecodingStrategy.keyedContainer),
      (.explicitKeyedContainer, .explicitKeyedContainer),
    ] {
      for book in [unknown, ids, nothing, slices, idSlice] {
        let text = try json(book, encoding)
        let back = try decode(Book.self, text, decoding)
        #expect(try json(back, encoding) == text)
        #expect(back.$tags.isSlice == (book.$tags.isSlice && encoding == .explicitKeyedContainer))
        #expect(!back.$author.isFragment && back.$author.isNone == book.$author.isNone)
      }
    }
  }

  @Test func plainGivesBackEntitiesAndIDs() throws {
    let back = try decode(Book.self, try json(slices, .plain), .plain)
    #expect(back.author?.name == "Ann" && !back.$author.isFragment && back.shelf?.id == 7)
    // A tag with nothing but an id would overwrite the note that is known.
    #expect(back.$tags.isId && back.$tags.ids == ["x", "y"])
    let other = try decode(Book.self, try json(ids, .plain), .plain)
    #expect(other.$author.isId && other.$author.id == "a" && other.$shelf.id == 7)
    #expect(other.$tags.ids == [] && !other.$tags.isNone)
    // Nothing known and no target are one; what is known stays.
    #expect(try decode(Book.self, try json(nothing, .plain), .plain).$author.isNone)
    // What is no relation says nothing.
    let odd = #"{"author":5,"id":1,"shelf":"x","tags":{"a":1},"title":"T"}"#
    let book = try decode(Book.self, odd, .plain)
    #expect(book.$author.isNone && book.$shelf.isNone && book.$tags.isNone)
  }

  /// A strategy that does not apply leaves it to the next one.
  @Test func fallbacks() throws {
    let all: RelationDecodingStrategy = [.explicitKeyedContainer, .keyedContainer, .plain]
    for encoding in [RelationEncodingStrategy.plain, .keyedContainer, .explicitKeyedContainer] {
      let back = try decode(Book.self, try json(slices, encoding), all)
      #expect(back.author?.name == "Ann", "\(encoding)")
      #expect(back.$tags.ids == ["x", "y"], "\(encoding)")
      #expect(back.$tags.isSlice == (encoding == .explicitKeyedContainer))
    }
    // An entity that has a property like a key of a container.
    let plain = try decode(Book.self, try json(slices, .plain), [.keyedContainer, .plain])
    #expect(plain.author?.name == "Ann")
    #expect(throws: DecodingError.self) {
      try self.decode(Book.self, try self.json(self.slices, .plain), .keyedContainer)
    }
    #expect(
      try decode(Book.self, try json(nothing, .keyedContainer), [.keyedContainer, .plain]).$author.isNone == false)
  }

  @Test func missingKeys() throws {
    let text = #"{"id":1,"title":"T","shelf":null,"tags":null}"#
    for strategy in [RelationDecodingStrategy.plain, .keyedContainer, .explicitKeyedContainer] {
      #expect(throws: DecodingError.self) { try self.decode(Book.self, text, strategy) }
    }
    #expect(try decode(Book.self, text, .exact).$author.isNone)
    // Indexes have no keys, and may have some.
    let author = try decode(Author.self, #"{"id":"a","name":"A","books":null,"nameIndex":{"x":1}}"#, .plain)
    #expect(author.name == "A" && author.$books.isNone)
    #expect(try json(author, .plain) == #"{"books":null,"id":"a","name":"A"}"#)
  }

  /// An explicit null and everything else that is saved survives the way through JSON.
  @Test func savingWhatWasDecoded() throws {
    var context = Context()
    try Book(id: 1, title: "T", author: .relation(Author(id: "a", name: "Ann")), tags: [Tag(id: "x", note: "n")])
      .save(to: &context)
    try decode(Book.self, try json(unknown, .exact), .exact).save(to: &context)
    #expect(Book.query(1).related(\.$author).resolve(in: context)?.name == "Ann")
    try decode(Book.self, try json(idSlice, .exact), .exact).save(to: &context)
    #expect(Book.query(1).id(\.$tags).resolve(in: context)?.$tags.ids == ["x"])
    try decode(Book.self, try json(nothing, .exact), .exact).save(to: &context)
    #expect(Book.query(1).id(\.$author).resolve(in: context)?.$author.isNone == true)
    #expect(Tag.query("x").resolve(in: context)?.note == "n")
  }

  @Test func genericsAndDeleted() throws {
    let box = Coded.Box(id: "1", kind: 5)
    #expect(try json(box, .exact) == #"{"id":"1","kind":5}"#)
    #expect(try decode(Coded.Box<Int>.self, #"{"id":"1","kind":5,"shelf":{"id":2}}"#, .plain).$shelf.id == 2)
    let deleted = Deleted(Author(id: "a", name: "A"))
    #expect(try json(deleted, .plain) == #"{"entity":{"books":null,"id":"a","name":"A"}}"#)
    #expect(try decode(Deleted<Author>.self, try json(deleted, .exact), .exact).entity.name == "A")
  }

  @Test func prettyPrinting() throws {
    let encoder = JSONEncoder.prettyPrinting
    encoder.relationEncodingStrategy = .plain
    #expect(encoder.relationEncodingStrategy == .plain && JSONEncoder().relationEncodingStrategy == .plain)
    #expect(JSONDecoder().relationDecodingStrategy == .plain)
    #expect(JSONEncoder.prettyPrinting !== encoder)
    #expect(
      ids.prettyDescription(with: encoder) == """
        {
          "author" : {
            "id" : "a"
          },
          "id" : 1,
          "shelf" : {
            "id" : 7
          },
          "tags" : [

          ],
          "title" : "T"
        }
        """)
    #expect(Tag(id: "a/b").prettyDescription() == "{\n  \"id\" : \"a/b\"\n}")
    #expect(Double.nan.prettyDescription() == nil)
  }

  /// The usual settings of both sides for servers that write snake case.
  @Test func snakeCase() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.relationEncodingStrategy = .explicitKeyedContainer
    let data = try encoder.encode(idSlice)
    for strategy in [.explicitKeyedContainer, [.explicitKeyedContainer, .plain]] as [RelationDecodingStrategy] {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      decoder.relationDecodingStrategy = strategy
      let book = try decoder.decode(Book.self, from: data)
      #expect(book.$tags.ids == ["x", "y"] && book.$tags.isSlice)
      decoder.keyDecodingStrategy = .useDefaultKeys
      #expect(try decoder.decode(Book.self, from: data).$tags.isSlice)
    }
  }

  /// No entities are not the same as no ids.
  @Test func exactlyNothing() throws {
    typealias Tags = Relation<Tag, Relations.OneWay, Relations.ToMany, Relations.Required>
    for tags in [.relation([]), .ids([]), .fragment([]), .appending(relation: []), .appending(ids: [])] as [Tags] {
      let read = try decode(Tags.self, try json(tags, .exact), .exact)
      #expect(read.isId == tags.isId && read.isFragment == tags.isFragment && read.isSlice == tags.isSlice)
      #expect(!read.isNone)
    }
    #expect(try json(Tags.relation([]), .exact) == #"{"$relation":[]}"#)
  }

  /// A property list encoder has no properties of ours, but it has user info.
  @Test func otherEncoders() throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    encoder.userInfo[.relationEncodingStrategy] = RelationEncodingStrategy.keyedContainer
    let data = try encoder.encode(ids.$author)
    #expect(String(decoding: data, as: UTF8.self).contains("<key>id</key>"))
    let decoder = PropertyListDecoder()
    decoder.userInfo[.relationDecodingStrategy] = RelationDecodingStrategy.keyedContainer
    #expect(try decoder.decode(type(of: ids.$author), from: data).id == "a")
  }
}
