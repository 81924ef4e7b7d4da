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
