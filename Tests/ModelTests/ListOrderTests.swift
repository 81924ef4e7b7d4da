import GQLite
import GQLiteModels
import Testing

@EntityModel
struct OrderedShelf: Sendable {
  let id: String
  @Relationship(inverse: \.shelves) var books: [OrderedBook]?
  @Relationship var favourites: [OrderedBook]? = nil
}

@EntityModel
struct OrderedBook: Sendable {
  let id: String
  @Relationship(inverse: \.books) var shelves: [OrderedShelf]?
}

/// The ids that lists have, and the orders in which their targets come.
private enum Arrivals {
  static let ids = ["a", "b", "c", "d"]

  static func permutations(_ items: [String]) -> [[String]] {
    guard let first = items.first else { return [[]] }
    return permutations(Array(items.dropFirst())).flatMap { rest in
      (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
  }
}

/// A list has the order in which it was written, whenever its targets come.
@Suite struct ListOrderTests {
  private func ids(_ context: Context) -> ([String]?, [String]?) {
    let found = OrderedShelf.query("s").with(\.$books).with(\.$favourites).resolve(in: context)
    return (found?.books?.map(\.id), found?.favourites?.map(\.id))
  }

  @Test(arguments: Arrivals.permutations(Arrivals.ids)) func targetsThatComeLater(_ order: [String]) throws {
    for present in 0...4 {
      var context = Context()
      for id in order.prefix(present) { try OrderedBook(id: id).save(to: &context) }
      var shelf = OrderedShelf(id: "s", books: .ids(Arrivals.ids))
      shelf.$favourites = .ids(Arrivals.ids.reversed())
      try shelf.save(to: &context)
      for (number, id) in order.enumerated() {
        if number >= present { try OrderedBook(id: id).save(to: &context) }
        // At each moment those that are there stand in the order in which all were written.
        let there = Set(order.prefix(max(present, number + 1)))
        let (books, favourites) = ids(context)
        #expect(books == Arrivals.ids.filter { there.contains($0) }, "\(order), \(present)")
        #expect(favourites == Arrivals.ids.reversed().filter { there.contains($0) }, "\(order), \(present)")
      }
      #expect(Database(context).check().isEmpty)
    }
  }

  @Test func whatIsAppendedComesBehindWhatWaits() throws {
    var context = Context()
    try OrderedBook(id: "b").save(to: &context)
    try OrderedShelf(id: "s", books: .ids(["a", "b"])).save(to: &context)
    try OrderedShelf(id: "s", books: .appending(ids: ["c", "d"])).save(to: &context, options: .fragment)
    for id in ["d", "c", "a"] { try OrderedBook(id: id).save(to: &context) }
    #expect(ids(context).0 == ["a", "b", "c", "d"])
    // What is written anew forgets the places of before.
    try OrderedShelf(id: "s", books: .ids(["e", "d"])).save(to: &context, options: .fragment)
    try OrderedBook(id: "e").save(to: &context)
    #expect(ids(context).0 == ["e", "d"])
  }

  @Test func whatSleptBeforeTheListWasWrittenAnew() throws {
    var context = Context()
    for id in ["d", "x"] { try OrderedBook(id: id).save(to: &context) }
    try OrderedShelf(id: "s", books: .ids(["d", "x"])).save(to: &context)
    try OrderedBook(id: "d").delete(from: &context)
    // A repeat takes no place.
    try OrderedShelf(id: "s", books: .ids(["x", "x", "w", "y"])).save(to: &context)
    for id in ["y", "w"] { try OrderedBook(id: id).save(to: &context) }
    #expect(ids(context).0 == ["x", "w", "y"])
    // What is appended stands behind what sleeps at the end.
    try OrderedShelf(id: "t", books: .ids(["x", "y"])).save(to: &context)
    try OrderedBook(id: "y").delete(from: &context)
    try OrderedShelf(id: "t", books: .appending(ids: ["z"])).save(to: &context, options: .fragment)
    try OrderedBook(id: "z").save(to: &context)
    try #require(Deleted<OrderedBook>.query("y").resolve(in: context)).restore(in: &context)
    let shelf = OrderedShelf.query("t").with(\.$books).resolve(in: context)
    #expect(shelf?.books?.map(\.id) == ["x", "y", "z"])
    #expect(Database(context).check().isEmpty)
  }

  @Test func deletedOnesKeepTheirPlaces() throws {
    var context = Context()
    for id in ["a", "c"] { try OrderedBook(id: id).save(to: &context) }
    try OrderedShelf(id: "s", books: .ids(["a", "b", "c", "d"])).save(to: &context)
    try OrderedBook(id: "c").delete(from: &context)
    try OrderedBook(id: "d").save(to: &context)
    try OrderedBook(id: "b").save(to: &context)
    #expect(ids(context).0 == ["a", "b", "d"])
    try #require(Deleted<OrderedBook>.query("c").resolve(in: context)).restore(in: &context)
    #expect(ids(context).0 == ["a", "b", "c", "d"])
    #expect(Database(context).check().isEmpty)
  }

  /// What leaves the list leaves no place, however it goes.
  @Test(arguments: 0..<4) func whatStoodBeforeThoseThatWait(_ way: Int) throws {
    var context = Context()
    for id in ["a", "c", "e"] { try OrderedBook(id: id).save(to: &context) }
    var shelf = OrderedShelf(id: "s", books: .ids(["a", "b", "c", "d", "e"]))
    shelf.$favourites = .ids(["a", "b", "c", "d", "e"])
    try shelf.save(to: &context)
    switch way {
    case 0:
      shelf.detach("a", relation: \.$books, in: &context)
      shelf.detach("a", relation: \.$favourites, in: &context)
    case 1: try context.remove(OrderedBook.self, id: "a")
    case 2:
      try OrderedBook.delete(id: "a", from: &context)
      try #require(Deleted<OrderedBook>.query("a").resolve(in: context)).delete(from: &context)
    default:
      let database = Database(context)
      _ = try database.query(
        #"mutation { updateOrderedShelf(where: id == "s", set: {books: {remove: ["a"]}, favourites: {remove: ["a"]}}) { id } }"#
      )
      context = database.entities
    }
    for id in ["d", "b"] { try OrderedBook(id: id).save(to: &context) }
    let (books, favourites) = ids(context)
    #expect(books == ["b", "c", "d", "e"] && favourites == ["b", "c", "d", "e"])
    #expect(Database(context).check().isEmpty)
  }

  @Test func whatIsDetachedBeforeItComes() throws {
    for isOne in [true, false] {
      var context = Context()
      for id in ["a", "e"] { try OrderedBook(id: id).save(to: &context) }
      var shelf = OrderedShelf(id: "s", books: .ids(["a", "b", "c", "d", "e"]))
      shelf.$favourites = .ids(["a", "b", "c", "d", "e"])
      try shelf.save(to: &context)
      let before = context
      if isOne {
        shelf.detach("b", relation: \.$books, in: &context)
      } else {
        shelf.detach(["b", "a", "none"], relation: \.$books, in: &context)
      }
      for id in ["d", "b", "c"] { try OrderedBook(id: id).save(to: &context) }
      #expect(ids(context).0 == (isOne ? ["a", "c", "d", "e"] : ["c", "d", "e"]))
      #expect(ids(context).1 == ["a", "b", "c", "d", "e"])
      #expect(Database(context).check().isEmpty)
      // A copy that was made before waits on.
      var other = before
      try OrderedBook(id: "b").save(to: &other)
      #expect(ids(other).0 == ["a", "b", "e"])
    }
  }

  /// What comes while the list's owner is deleted gets its place, too.
  @Test func targetsOfDeletedOwners() throws {
    var context = Context()
    for id in ["b", "d"] { try OrderedBook(id: id).save(to: &context) }
    var shelf = OrderedShelf(id: "s", books: .ids(["a", "b", "c", "d"]))
    shelf.$favourites = .ids(["d", "c", "b", "a"])
    try shelf.save(to: &context)
    try OrderedShelf.delete(id: "s", from: &context)
    try OrderedBook(id: "c").save(to: &context)
    try context.remove(OrderedBook.self, id: "b")
    try #require(Deleted<OrderedShelf>.query("s").resolve(in: context)).restore(in: &context)
    #expect(ids(context) == (["c", "d"], ["d", "c"]))
    try OrderedBook(id: "a").save(to: &context)
    #expect(ids(context) == (["a", "c", "d"], ["d", "c", "a"]))
    #expect(Database(context).check().isEmpty)
  }

  /// A list that text sets does not wait for what stood in it before, and neither does a link to one.
  @Test func whatTextSets() throws {
    var context = Context()
    try OrderedBook(id: "b").save(to: &context)
    try OrderedShelf(id: "s", books: .ids(["a", "b"])).save(to: &context)
    var database = Database(context)
    _ = try database.query(#"mutation { updateOrderedShelf(where: id == "s", set: {books: {append: ["b"]}}) { id } }"#)
    try OrderedBook(id: "a").save(to: database)
    #expect(ids(database.entities).0 == ["a", "b"])
    for set in [#"["b"]"#, #"{set: ["b"]}"#] {
      database = Database(context)
      _ = try database.query(#"mutation { updateOrderedShelf(where: id == "s", set: {books: \#(set)}) { id } }"#)
      try OrderedBook(id: "a").save(to: database)
      #expect(ids(database.entities).0 == ["b"])
    }
    let loans = try Database(schema: "type Book { id: ID! } type Loan { id: ID! book: Book }")
    try loans.load([
      .ndjson(type: "Book", bytes: Array(#"{"id": "b"}"#.utf8)),
      .ndjson(type: "Loan", bytes: Array("{\"id\": 1, \"book\": \"a\"}\n{\"id\": 2, \"book\": \"a\"}".utf8)),
    ])
    _ = try loans.query(#"mutation { updateLoan(where: id == 1, set: {book: "b"}) { id } }"#)
    _ = try loans.query(#"mutation { updateLoan(where: id == 2, set: {book: null}) { id } }"#)
    _ = try loans.query(#"mutation { insertBook(data: {id: "a"}) { id } }"#)
    #expect(
      try loans.query("{ Loan { book { id } } }").jsonString == #"{"Loan":[{"book":{"id":"b"}},{"book":null}]}"#)
    #expect(loans.check().isEmpty)
  }

  @Test func filesInAnyOrder() throws {
    let schema = """
      type Shelf { id: ID! books: [Book!]! @relation(inverse: "shelves") favourites: [Book!]! }
      type Book { id: ID! shelves: [Shelf!]! @relation(inverse: "books") }
      """
    let shelves = [
      #"{"id":"s","books":["a","b","c"],"favourites":["c","b","a"]}"#,
      #"{"id":"t","books":["c","a"],"favourites":[]}"#,
    ]
    for order in [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"]] {
      let database = try Database(schema: schema)
      try database.load([.ndjson(type: "Shelf", bytes: Array(shelves.joined(separator: "\n").utf8))])
      try database.load([.ndjson(type: "Book", bytes: Array(#"{"id":"\#(order[0])"}"#.utf8))])
      try database.load([
        .ndjson(
          type: "Book", bytes: Array(order.dropFirst().map { #"{"id":"\#($0)"}"# }.joined(separator: "\n").utf8))
      ])
      #expect(
        try database.query("{ Shelf { id books { id } favourites { id } } }").jsonString
          == #"{"Shelf":[{"id":"s","books":[{"id":"a"},{"id":"b"},{"id":"c"}],"favourites":[{"id":"c"},{"id":"b"},{"id":"a"}]},"#
          + #"{"id":"t","books":[{"id":"c"},{"id":"a"}],"favourites":[]}]}"#, "\(order)")
      #expect(database.check().isEmpty)
    }
  }
}
