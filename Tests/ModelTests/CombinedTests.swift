import Foundation
import GQLite
import GQLiteModels
import Testing

/// A library, with all that models have.
private enum Town {
  @EntityModel
  struct Library: Codable, Equatable {
    let id: String
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \.library) var books: [Book]?
  }

  @EntityModel
  struct Book: Codable, Equatable {
    @Index<Self>(\.year.desc, \.title) private var newest
    @HashIndex<Self>(\.isbn) private var isbns
    @Unique<Self>(\.isbn, collisions: .merge) private var uniqueIsbn
    @FullTextIndex<Self>(\.title, \.summary) private var words

    let id: Int
    var title: String
    var summary: String = ""
    var isbn: String
    var year: Int = 2000
    var tags: [String] = []
    var rating: Double?
    var stamp: Int = 0
    @Relationship(inverse: \.books) var library: Library?
    @Relationship(inverse: \.books) var authors: [Author]?

    static var defaultMergeStrategy: MergeStrategy<Self> {
      .lastWriteWins(.patch(\.rating), .append(\.tags), comparedBy: \.stamp)
    }
  }

  @EntityModel
  struct Author: Codable, Equatable {
    @Index<Self>(\.name) private var names

    let id: String
    var name: String
    var bio: String?
    @Relationship(inverse: \.authors) var books: [Book]?
  }

  /// Of anything, with one that it cannot be without.
  @EntityModel
  struct Shelf<Item: EntityModelProtocol & Codable & Equatable>: Codable, Equatable {
    let id: String
    var label: Label
    @Relationship(.required) var best: Item?
    @Relationship(deleteRule: .nullify) var items: [Item]? = nil

    struct Label: Codable, Equatable { var text: String }
  }

  @EntityModel
  struct Export: Codable {
    let id: String
    @Relationship var libraries: [Library]? = .none
    @Relationship var books: [Book]? = .none
    @Relationship var authors: [Author]? = .none
    @Relationship var deletedBooks: [Deleted<Book>]? = .none
  }
}

extension CollisionResolver where Entity == Town.Book {
  /// The book that comes takes the links of the one that was there, which goes.
  fileprivate static var merge: Self {
    CollisionResolver { existing, new, index, context in
      if new.title == "refused" { throw UniqueConstraintViolation(existingId: existing, keyPath: index) }
      let old = Town.Book.query(existing).id(\.$authors).resolve(in: context)
      try Town.Book.delete(id: existing, from: &context)
      var kept = new
      kept.$authors = .appending(ids: old?.$authors.ids ?? [])
      try kept.save(to: &context)
    }
  }
}

/// Programs that combine what the documents show one by one.
@Suite struct CombinedTests {
  private typealias Library = Town.Library
  private typealias Book = Town.Book
  private typealias Author = Town.Author
  private typealias Shelf = Town.Shelf
  private typealias Export = Town.Export

  /// Two libraries, four books, three authors: 1 by a and b, 2 by b, 3 by c, 4 by nobody.
  private func town() throws -> Context {
    var context = Context()
    try Library(
      id: "x", name: "North",
      books: .relation([
        Book(
          id: 1, title: "Swift rivers", summary: "Water that runs", isbn: "i1", year: 2001, tags: ["a"], rating: 4,
          authors: .relation([Author(id: "a", name: "Ann"), Author(id: "b", name: "Bob", bio: "tall")])),
        Book(
          id: 2, title: "Slow rivers", summary: "Water that rests", isbn: "i2", year: 2003, authors: .ids(["b"])),
      ])
    ).save(to: &context)
    try Library(
      id: "y", name: "South",
      books: .relation([
        Book(
          id: 3, title: "Mountains", summary: "Rocks over rivers", isbn: "i3", year: 2003,
          authors: .relation([Author(id: "c", name: "Cat")])),
        Book(id: 4, title: "Lakes", summary: "Quiet water", isbn: "i4", year: 1999, rating: 2),
      ])
    ).save(to: &context)
    return context
  }

  private func shelf<Item>(
    of type: Item.Type, _ text: String,
    best: Relationship<Item?, Item, Relations.OneWay, Relations.ToOne, Relations.Required>,
    _ items: [Item.ID]
  ) -> Shelf<Item> {
    var shelf = Shelf<Item>(id: "s", label: .init(text: text), best: best)
    shelf.$items = .ids(items)
    return shelf
  }

  private func ids(_ list: QueryList<Town.Book>, _ context: Context) -> [Int] { list.resolve(in: context).map(\.id) }

  /// Generic entities of two kinds beside each other, related, nested, in text and in JSON.
  @Test func genericsWithRelations() throws {
    var context = try town()
    try shelf(of: Book.self, "wet", best: .id(2), [1, 2, 4]).save(to: &context)
    try Shelf<Author>(id: "s", label: .init(text: "who"), best: .relation(Author(id: "d", name: "Dan"))).save(
      to: &context)
    let shelf = try #require(
      Shelf<Book>.query("s").with(\.$items) { $0.filter(\.year < 2003).sorted(by: \.title).with(\.$authors) }
        .with(\.$best).resolve(in: context))
    #expect(shelf.items?.map(\.title) == ["Lakes", "Swift rivers"] && shelf.best?.id == 2)
    #expect(shelf.items?.map { $0.authors?.map(\.name) } == [[], ["Ann", "Bob"]])
    #expect(Shelf<Author>.query("s").related(\.$best).resolve(in: context)?.name == "Dan")
    #expect(Shelf<Book>.query().related(\.$items).resolve(in: context).map { $0.map(\.id) } == [[1, 2, 4]])
    let text = try context.query(
      "{ Town_Shelf_Town_Book { id items(orderBy: -year) { title } } Town_Shelf_Town_Author { best { name } } }")
    #expect(
      text.jsonString
        == #"{"Town_Shelf_Town_Book":[{"id":"s","items":[{"title":"Slow rivers"},{"title":"Swift rivers"},"#
        + #"{"title":"Lakes"}]}],"Town_Shelf_Town_Author":[{"best":{"name":"Dan"}}]}"#)
    // What is deleted is taken out of both.
    try Book.delete(id: 2, from: &context)
    #expect(Shelf<Book>.query("s").id(\.$items).id(\.$best).resolve(in: context)?.$items.ids == [1, 4])
    #expect(Shelf<Book>.query("s").related(\.$best).resolve(in: context) == nil)
    try Deleted<Book>.query(2).resolve(in: context)?.restore(in: &context)
    #expect(Set(Book.query(2).related(\.$authors).resolve(in: context).map(\.id)) == ["b"])
    #expect(Database(context).check().isEmpty)
  }

  /// The later one wins, is filled from the other one, and is found by what it became.
  @Test func mergingUnderIndexesAndWords() throws {
    var context = try town()
    let before = context
    var book = Book(id: 1, title: "Old rivers", summary: "Nothing", isbn: "i9", year: 1990, tags: ["b"], stamp: -1)
    try Library(id: "x", name: "North", books: .appending(relation: [book])).save(to: &context)
    let kept = try #require(Book.query(1).resolve(in: context))
    #expect(kept.title == "Swift rivers" && kept.isbn == "i1" && kept.rating == 4 && kept.tags == ["b", "a"])
    #expect(ids(Book.filter(\.isbn == "i9"), context).isEmpty && ids(Book.filter(\.isbn == "i1"), context) == [1])
    #expect(ids(Book.filter(.string(\.title, \.summary, matches: "old")), context).isEmpty)
    book.stamp = 1
    try book.save(to: &context)
    let taken = try #require(Book.query(1).id(\.$library).id(\.$authors).resolve(in: context))
    #expect(taken.title == "Old rivers" && taken.rating == 4 && taken.tags == ["b", "a", "b"])
    #expect(taken.$library.id == "x" && taken.$authors.ids == ["a", "b"])
    #expect(ids(Book.query().sorted(by: \.year.desc, \.title), context) == [3, 2, 4, 1])
    #expect(ids(Book.filter(.string(\.title, \.summary, matches: "running")), context).isEmpty)
    var patch = Book(id: 1, title: "New rivers", isbn: "i1", stamp: 5)
    patch.rating = nil
    try patch.save(to: &context, options: .fragment)
    #expect(Book.query(1).resolve(in: context)?.rating == 4)
    #expect(ids(Book.query().sorted(by: \.year.desc, \.title), before) == [3, 2, 1, 4])
    #expect(ids(Book.filter(.string(\.summary, matches: "running")), before) == [1])
  }

  /// Words, conditions, orders, slices and what is nested, through deletion and restoring.
  @Test func wordsAcrossDeletions() throws {
    var context = try town()
    let rivers = Book.filter(.string(\.title, \.summary, matches: "river")).and(\.year > 2000)
      .sorted(by: \.year.desc, \.title).with(\.$library).with(\.$authors) { $0.sorted(by: \.name.desc) }
    func shown() -> [String] {
      rivers.resolve(in: context).map {
        "\($0.id) \($0.library?.name ?? "-") \(($0.authors ?? []).map(\.name).joined())"
      }
    }
    #expect(shown() == ["3 South Cat", "2 North Bob", "1 North BobAnn"])
    try Library.delete(id: "x", from: &context)
    #expect(shown() == ["3 South Cat"])
    #expect(Set(Deleted<Book>.query().resolve(in: context).map(\.id)) == [1, 2])
    for deleted in Deleted<Book>.query().resolve(in: context) { try deleted.restore(in: &context) }
    #expect(shown() == ["3 South Cat", "2 - Bob", "1 - BobAnn"])
    try Deleted<Library>.query("x").resolve(in: context)?.restore(in: &context)
    #expect(shown() == ["3 South Cat", "2 North Bob", "1 North BobAnn"])
    #expect(rivers.limit(1, offset: 1).resolve(in: context).map(\.authors?.count) == [1])
    #expect(rivers.first().resolve(in: context)?.library?.name == "South")
    #expect(rivers.last().resolve(in: context)?.authors?.map(\.name) == ["Bob", "Ann"])
    #expect(Database(context).check().isEmpty)
  }

  /// A resolver that deletes and saves, in a nested save; and one that refuses, after which nothing is left.
  @Test func resolversWithinGraphs() throws {
    var context = try town()
    try Author(
      id: "d", name: "Dan", books: .relation([Book(id: 5, title: "Rivers again", isbn: "i1", stamp: 1)])
    ).save(to: &context)
    #expect(Book.query(1).resolve(in: context) == nil && context.ids(Book.self) == [2, 3, 4, 5])
    #expect(Set(Book.query(5).related(\.$authors).resolve(in: context).map(\.id)) == ["a", "b", "d"])
    #expect(ids(Book.filter(\.isbn == "i1"), context) == [5])
    #expect(Library.query("x").related(\.$books).resolve(in: context).map(\.id) == [2])
    let all =
      "{ Town_Book { id title library { id } authors { id } } Town_Author { * } Town_Library { * } Deleted_Town_Book { id } }"
    let before = try context.query(all).jsonString
    #expect(throws: (any Error).self) {
      try Library(
        id: "z", name: "West",
        books: .relation([
          Book(id: 6, title: "Fine", isbn: "i6"), Book(id: 7, title: "refused", isbn: "i2"),
        ])
      ).save(to: &context)
    }
    #expect(try context.query(all).jsonString == before && Database(context).check().isEmpty)
  }

  /// The whole of a context and its changes, by way of JSON.
  @Test func exporting() throws {
    var context = try town()
    try Export(id: "e").save(to: &context)
    try Book.delete(id: 4, from: &context)
    let encoder = JSONEncoder()
    encoder.relationEncodingStrategy = .explicitKeyedContainer
    let decoder = JSONDecoder()
    decoder.relationDecodingStrategy = [.explicitKeyedContainer, .keyedContainer, .plain]
    func send(_ query: QueryList<Export>, from source: Context, to target: inout Context) throws {
      for export in try decoder.decode([Export].self, from: encoder.encode(query.resolve(in: source))) {
        try export.save(to: &target)
      }
    }
    var other = Context()
    try send(Export.queryAll(with: .schemaEntities, .ids), from: context, to: &other)
    let all =
      "{ Town_Book(orderBy: id) { id isbn tags library { id } authors(orderBy: id) { id bio } } Deleted_Town_Book { id } }"
    #expect(try other.query(all).jsonString == context.query(all).jsonString)
    // Then what has changed since, as fragments.
    Thread.sleep(forTimeInterval: 0.002)
    let sync = Date()
    Thread.sleep(forTimeInterval: 0.002)
    var ann = try #require(Author.query("a").resolve(in: context))
    ann.name = "Anna"
    try ann.save(to: &context)
    let changes = Export.queryAll(
      with: .schemaFragments(filter: .updated(within: sync...Date.distantFuture)), .ids)
    #expect(changes.resolve(in: context).first?.authors?.map(\.name) == ["Anna"])
    #expect(changes.resolve(in: context).first?.books?.isEmpty == true)
    try send(changes, from: context, to: &other)
    #expect(Author.query("a").resolve(in: other)?.name == "Anna")
    #expect(Author.query("b").resolve(in: other)?.bio == "tall" && context.ids(Author.self).count == 3)
    #expect(try other.query(all).jsonString == context.query(all).jsonString)
  }

  /// Queries that are kept in values, and asked of many contexts, databases and tasks.
  @Test func queriesInValues() async throws {
    struct Screen: Sendable {
      var books: QueryList<Town.Book>
      var selected: Query<Town.Book>
      var byLibrary: QueryGroup<Town.Book>
      var writers: QueryList<Town.Author> { books.related(\.$authors).flatMap { $0 }.distinct() }
    }
    var screen = Screen(
      books: Book.filter(\.year >= 2001), selected: Book.query(2).with(\.$library),
      byLibrary: Library.query().sorted(by: \.name.desc).related(\.$books))
    let context = try town()
    let database = Database(context)
    let empty = Context()
    #expect(ids(screen.books, context) == [1, 2, 3] && screen.books.resolve(in: empty).isEmpty)
    #expect(screen.byLibrary.resolve(in: context).map { $0.map(\.id) } == [[3, 4], [1, 2]])
    #expect(screen.writers.resolve(in: database).map(\.id) == ["a", "b", "c"])
    screen.books = screen.books.and(.filter(\.rating != nil)).or(.filter(\.title == "Lakes"))
    screen.selected = screen.selected.with(\.$authors)
    #expect(ids(screen.books.sorted(by: \.year), context) == [4, 1])
    let kept = screen
    let found = try await withThrowingTaskGroup(of: [String].self) { group in
      for number in 0..<4 {
        group.addTask {
          if number == 0 { try Town.Book(id: 9, title: "Seas", isbn: "i9", year: 2020, rating: 1).save(to: database) }
          let book = kept.selected.resolve(in: database)
          return [book?.library?.name ?? "", book?.authors?.first?.name ?? ""]
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(found == Array(repeating: ["North", "Bob"], count: 4).flatMap { $0 })
    #expect(kept.books.sorted(by: \.id).resolve(in: database).map(\.id) == [1, 4, 9])
    #expect(ids(kept.books, context) == [1, 4])
  }

  /// What is observed of merged, nested, searched and generic entities.
  @Test func observing() throws {
    let database = Database(try town())
    let rivers = FetchAll(
      Book.filter(.string(\.title, matches: "rivers")).sorted(by: \.id).with(\.$authors), in: database)
    let first = FetchFirst(Library.query("x").with(\.$books) { $0.sorted(by: \.title) }, in: database)
    func shown() -> [String] { rivers.wrappedValue.map { "\($0.id) \(($0.authors ?? []).map(\.name))" } }
    #expect(shown() == [#"1 ["Ann", "Bob"]"#, #"2 ["Bob"]"#])
    #expect(first.wrappedValue?.books?.map(\.id) == [2, 1])
    try Author(id: "b", name: "Rob").save(to: database, options: .fragment)
    #expect(shown() == [#"1 ["Ann", "Rob"]"#, #"2 ["Rob"]"#])
    try Book(id: 1, title: "Mountains", isbn: "i1", tags: ["z"], stamp: -4).save(to: database)
    #expect(rivers.wrappedValue.first?.tags == ["z", "a"] && shown().count == 2)
    try database.update { context in
      try Book(id: 2, title: "Mountains", isbn: "i2", stamp: 4).save(to: &context)
      try Book(id: 7, title: "A rivers' book", isbn: "i7", library: .id("x")).save(to: &context)
    }
    #expect(shown() == [#"1 ["Ann", "Rob"]"#, "7 []"])
    #expect(first.wrappedValue?.books?.map(\.title) == ["A rivers' book", "Mountains", "Swift rivers"])
    try Library.delete(id: "x", from: database)
    #expect(rivers.wrappedValue.isEmpty && first.wrappedValue == nil)
    let shelves = FetchAll(Shelf<Author>.query().with(\.$items), in: database)
    #expect(shelves.wrappedValue.isEmpty)
    try shelf(of: Author.self, "l", best: .id("a"), ["a", "c"]).save(to: database)
    #expect(shelves.wrappedValue.first?.items?.map(\.name) == ["Ann", "Cat"])
    try Author.delete(id: "c", from: database)
    #expect(shelves.wrappedValue.first?.items?.map(\.name) == ["Ann"])
  }

  /// Lists combined; what comes along, and what is read, stays.
  @Test func combinations() throws {
    let context = try town()
    let north = Library.query("x").related(\.$books)
    let early = Book.filter(\.year < 2003).with(\.$library)
    func shown(_ list: QueryList<Book>) -> [String] {
      list.resolve(in: context).map { "\($0.id)\($0.library.map { " \($0.id)" } ?? "")" }
    }
    #expect(shown(early.and(north)) == ["1 x"] && shown(early.or(north)) == ["1 x", "2 x", "4 y"])
    #expect(shown(north.and(early)) == ["1"])
    #expect(shown(early.sorted(by: \.title).or(.filter(\.id == 3)).distinct()) == ["1 x", "3 y", "4 y"])
    #expect(shown(Book.query([4, 1, 4, 9]).with(\.$library)) == ["4 y", "1 x", "4 y"])
    #expect(shown(Book.query([4, 1, 4]).distinct().with(\.$library)) == ["4 y", "1 x"])
    #expect(shown(early.limit(1).filter(\.id == 4)).isEmpty && shown(early.filter(\.id == 4).limit(1)) == ["4 y"])
    let partial = Book.query().fetchKeyPaths(\.title)
    #expect(try partial.results(in: context).allSatisfy { $0.rating == nil })
    #expect(partial.or(north).resolve(in: context).allSatisfy { $0.rating == nil })
    #expect(partial.distinct().last().resolve(in: context)?.rating == nil)
    #expect(partial.and(north).first().resolve(in: context)?.rating == nil)
    #expect(
      Book.filter(\.rating != nil).sorted(by: \.id).last().with(\.$library).resolve(in: context)?.library?.id == "y")
  }

  /// Predicates of Foundation beside those of key paths, over relations, on copies.
  @Test func predicatesBesideKeyPaths() throws {
    var context = try town()
    let copy = context
    let wanted = Set(["Ann", "Cat"])
    let query = Book.filter(\.year > 2000).include(
      #Predicate { book in
        (book.authors ?? []).contains { wanted.contains($0.name) } && book.library?.name != "West"
      })
    #expect(try query.sortBy(\.id).results(in: context).map(\.id) == [1, 3])
    try Author(id: "b", name: "Cat").save(to: &context, options: .fragment)
    try Library(id: "y", name: "West").save(to: &context)
    #expect(try query.sortBy(\.id).results(in: context).map(\.id) == [1, 2])
    #expect(try query.sortBy(\.id).results(in: copy).map(\.id) == [1, 3])
    #expect(try query.exclude(#Predicate { $0.rating == nil }).count(in: copy) == 1)
    try query.delete(in: &context)
    #expect(context.ids(Book.self) == [3, 4] && copy.ids(Book.self) == [1, 2, 3, 4])
    #expect(Set(Deleted<Book>.query().resolve(in: context).map(\.entity.title)) == ["Swift rivers", "Slow rivers"])
  }

  /// Bulk forms on copies, slices saved elsewhere, and links that wait for their entities.
  @Test func bulkFormsBetweenContexts() throws {
    let context = try town()
    let full = try #require(Author.query("b").with(.entities, .fragments, .ids).resolve(in: context))
    #expect(full.books?.map(\.id) == [1, 2] && full.books?.first?.$library.isFragment == true)
    #expect(full.books?.first?.library?.$books.ids == [1, 2])
    #expect(full.books?.first?.authors?.map { $0.$books.ids } == [[1], [1, 2]])
    var other = Context()
    try full.save(to: &other)
    #expect(context.ids(Author.self).sorted() == ["a", "b", "c"] && Set(other.ids(Author.self)) == ["a", "b"])
    #expect(Set(other.ids(Book.self)) == [1, 2])
    #expect(Library.query("x").related(\.$books).resolve(in: other).map(\.id) == [1, 2])
    #expect(Author.query("a").related(\.$books).resolve(in: other).map(\.id) == [1])
    // A slice adds; what it leads to comes later.
    var south = try #require(Library.query("y").id(slice: \.$books) { $0.filter(\.year > 2000) }.resolve(in: context))
    #expect(south.$books.ids == [3] && south.$books.isSlice)
    try south.save(to: &other)
    #expect(Library.query("y").related(\.$books).resolve(in: other).isEmpty)
    try #require(Book.query(3).resolve(in: context)).save(to: &other)
    #expect(Library.query("y").related(\.$books).resolve(in: other).map(\.id) == [3])
    south.$books = .appending(ids: [2])
    try south.save(to: &other)
    #expect(Library.query("y").related(\.$books).resolve(in: other).map(\.id) == [3, 2])
    #expect(Library.query("x").related(\.$books).resolve(in: other).map(\.id) == [1])
    #expect(Database(other).check().isEmpty)
  }
}
