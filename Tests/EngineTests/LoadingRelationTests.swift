import GQLite
import Testing

/// Links and nested objects, from either side, in any order.
@Suite struct LoadingRelationTests {
  private static let schema = """
    type Author { id: ID! name: String! @unique email: String books: [Book!]! @relation(inverse: "author") }
    type Book {
      id: ID! title: String! year: Int = 2000 author: Author! @relation(inverse: "books") tags: [Tag!]!
      sequel: Book @relation(inverse: "prequel") prequel: Book @relation(inverse: "sequel")
    }
    type Tag { id: ID! }
    type Club { id: ID! members: [Reader!]! @relation(inverse: "clubs") }
    type Reader { id: ID! clubs: [Club!]! @relation(inverse: "members") friends: [Reader!]! @relation(inverse: "friends") }
    """
  private static let all =
    "{ Author { id name email books { id } } Book { id title year author { id } tags { id } } Tag { id } }"

  private func load(_ text: String, skips: Bool = false) throws -> (Database, LoadReport) {
    let database = try Database(schema: Self.schema)
    let report = try database.load([.document(text)], options: LoadOptions(skipsBadRecords: skips))
    #expect(database.check() == [])
    return (database, report)
  }

  private static let whole =
    #"{"Author":[{"id":1,"name":"A","email":"e","books":[{"id":10}]}],"#
    + #""Book":[{"id":10,"title":"T","year":2000,"author":{"id":1},"tags":[{"id":"x"},{"id":"y"}]}],"#
    + #""Tag":[{"id":"x"},{"id":"y"}]}"#

  @Test(
    "one graph, however it is written", arguments: [false, true],
    [
      #"{"Tag":[{"id":"x"},{"id":"y"}],"Author":[{"id":1,"name":"A","email":"e","books":[10]}],"Book":[{"id":10,"title":"T","tags":["x","y"]}]}"#,
      #"{"Tag":[{"id":"x"},{"id":"y"}],"Book":[{"id":10,"title":"T","tags":["x","y"],"author":1}],"Author":[{"id":1,"name":"A","email":"e"}]}"#,
      #"{"Tag":[{"id":"x"},{"id":"y"}],"Book":[{"id":10,"title":"T","tags":["x","y"],"author":{"id":1}}],"Author":[{"id":1,"name":"A","email":"e","books":[{"id":"10"}]}]}"#,
      #"{"Author":[{"id":1,"name":"A","email":"e","books":[{"id":10,"title":"T","tags":[{"id":"x"},{"id":"y"}]}]}]}"#,
      #"{"Book":[{"id":10,"title":"T","tags":[{"id":"x"},{"id":"y"}],"author":{"id":1,"name":"A","email":"e"}}]}"#,
      #"{"Book":[{"id":10,"title":"T","tags":[{"id":"x"},{"id":"y"}],"author":{"id":1,"email":"e"}}],"Author":[{"id":1,"name":"A"}]}"#,
      #"{"Book":[{"id":10,"title":"T","tags":[{"id":"x"},{"id":"y"},{"id":"x"}],"author":{"id":1,"name":"A"}}],"Author":[{"id":1,"name":"A","email":"e","books":[{"id":10,"title":"T"},10]}]}"#,
      #"{"Author":[{"id":1,"name":"A"}],"Book":[{"id":10,"title":"T","tags":[{"id":"x"},{"id":"y"}],"author":{"id":1,"email":"e"}}]}"#,
    ])
  func oneGraph(_ skips: Bool, _ text: String) throws {
    let (database, report) = try load(text, skips: skips)
    #expect(try database.query(Self.all).jsonString == Self.whole)
    #expect(report.skippedRecords == 0 && report.danglingLinks == 0)
    #expect(report.inserted.map(\.count) == [1, 1, 2, 0, 0])
  }

  @Test("one-to-one, many-to-many and symmetric links are kept in step") func inverses() throws {
    let (database, _) = try load(
      #"{"Author":[{"id":1,"name":"A"}],"Book":[{"id":1,"title":"a","author":1,"sequel":2},{"id":2,"title":"b","author":1}],"#
        + #""Club":[{"id":"c","members":[2,1]},{"id":"d"}],"Reader":[{"id":1,"clubs":["d"],"friends":[2]},{"id":2,"friends":[3,1]},{"id":3}]}"#
    )
    #expect(
      try database.query("{ Book { id sequel { id } prequel { id } } }").jsonString
        == #"{"Book":[{"id":1,"sequel":{"id":2},"prequel":null},{"id":2,"sequel":null,"prequel":{"id":1}}]}"#)
    #expect(
      try database.query("{ Club { members { id } } Reader { clubs { id } friends { id } } }").jsonString
        == #"{"Club":[{"members":[{"id":2},{"id":1}]},{"members":[{"id":1}]}],"Reader":[{"clubs":[{"id":"c"},{"id":"d"}],"#
        + #""friends":[{"id":2}]},{"clubs":[{"id":"c"}],"friends":[{"id":1},{"id":3}]},{"clubs":[],"friends":[{"id":2}]}]}"#
    )
  }

  @Test(
    "what lacks a value in the end is an error, or is left out",
    arguments: [
      #"{"Book":[{"id":10,"title":"T"}]}"#,
      #"{"Author":[{"id":1,"name":"A","books":[{"id":10,"year":3}]}]}"#,
      #"{"Book":[{"id":10,"title":"T","prequel":{"id":9,"title":"P"},"author":{"id":1,"name":"A"}}]}"#,
    ])
  func incomplete(_ text: String) throws {
    let found = problem { _ = try load(text) }
    #expect(found?.code == "missing-value" && found?.line == 1 && found?.column != nil)
    let (_, report) = try load(text, skips: true)
    #expect(report.skippedRecords == 1)
  }

  @Test("a record that is left out leaves none of its nested objects") func skippedWhole() throws {
    let (database, report) = try load(
      #"{"Author":[{"id":1,"name":"A"}],"Book":[{"id":9,"title":"N","author":{"id":3,"name":"C"},"tags":[{"id":"x"}],"prequel":{"id":8,"title":"M","author":{"id":2,"name":"A"}}},{"id":11,"title":"U","author":1}]}"#,
      skips: true)
    #expect(report.skippedRecords == 1)
    #expect(
      try database.query("{ Author { id } Book { id } Tag { id } }").jsonString
        == #"{"Author":[{"id":1}],"Book":[{"id":11}],"Tag":[]}"#)
  }

  @Test("links to what is not there are counted, read as absent, and connect when it comes") func dangling() throws {
    let (database, report) = try load(
      #"{"Book":[{"id":10,"title":"T","author":7,"tags":["x","y"]},{"id":11,"title":"U","author":7}]}"#)
    #expect(report.danglingLinks == 4)
    #expect(
      report.warnings.count == 2 && report.warnings.allSatisfy { $0.code == "dangling-link" && $0.severity == .warning }
    )
    #expect(report.warningText.contains("'Book.author'") && report.warningText.contains("7"))
    #expect(
      try database.query("{ Book { author { id } tags { id } } }").jsonString
        == #"{"Book":[{"author":null,"tags":[]},{"author":null,"tags":[]}]}"#)
    try database.load([.lines("Tag", #"{"id":"y"}"#)])
    let second = try database.load([.lines("Author", #"{"id":7,"name":"S"}"#)])
    #expect(second.danglingLinks == 0)
    #expect(
      try database.query("{ Book { author { name } tags { id } } Author { books { id } } }").jsonString
        == #"{"Book":[{"author":{"name":"S"},"tags":[{"id":"y"}]},{"author":{"name":"S"},"tags":[]}],"Author":[{"books":[{"id":10},{"id":11}]}]}"#
    )
    #expect(database.check() == [])
  }

  @Test("later loads add to what is there") func laterLoads() throws {
    let (database, _) = try load(#"{"Author":[{"id":1,"name":"A"}]}"#)
    for book in 1...50 {
      try database.load([
        .lines("Book", #"{"id":\#(book),"title":"t\#(book)","author":1,"tags":[{"id":"t\#(book % 5)"}]}"#)
      ])
    }
    #expect(database.check() == [])
    #expect(
      try database.query("{ a: count(Book) b: count(Tag) Author { n: count(books) s := min(books.title) } }").jsonString
        == #"{"a":50,"b":5,"Author":[{"n":50,"s":"t1"}]}"#)
  }

  @Test(
    "links that contradict each other are an error, or left out",
    arguments: [
      // Two authors have one book, in their lists, in the book, and in both.
      (
        #"{"Author":[{"id":1,"name":"A","books":[10]},{"id":2,"name":"B","books":[10]}],"Book":[{"id":10,"title":"T"}]}"#,
        "'Book.author' has room for one, and 'Book' id '10' is linked with both 'Author' id '1' and 'Author' id '2'"
      ),
      (
        #"{"Book":[{"id":10,"title":"T","author":2}],"Author":[{"id":1,"name":"A","books":[10]},{"id":2,"name":"B"}]}"#,
        "'Book.author' has room for one, and 'Book' id '10' is linked with both 'Author' id '1' and 'Author' id '2'"
      ),
      // Two sequels of one book.
      (
        #"{"Book":[{"id":1,"title":"A","author":{"id":1,"name":"A"},"sequel":3},{"id":2,"title":"B","author":1,"sequel":3},{"id":3,"title":"C","author":1}]}"#,
        "'Book.prequel' has room for one, and 'Book' id '3' is linked with both 'Book' id '1' and 'Book' id '2'"
      ),
    ]) func contradictions(_ text: String, _ message: String) throws
  {
    let found = problem { _ = try load(text) }
    #expect(found?.code == "contradicting-links" && found?.message == message)
    #expect(found?.line == 1 && found?.file == "data.json")
    let (_, report) = try load(text, skips: true)
    #expect(report.warnings.map(\.code) == ["contradicting-links"])
    #expect(report.warnings.first?.message.hasSuffix(" left out: \(message)") == true)
  }

  @Test("who must have a link that is left out is left out too") func contradictedRequirement() throws {
    let database = try Database(
      schema: """
        type A { id: ID! b: B! @relation(inverse: "a") }
        type B { id: ID! a: A @relation(inverse: "b") }
        """)
    let data = #"{"A":[{"id":1,"b":5},{"id":2,"b":5},{"id":3,"b":6}],"B":[{"id":5},{"id":6}]}"#
    #expect(throws: QueryError.self) { try database.load([.document(data)]) }
    let report = try database.load([.document(data)], options: LoadOptions(skipsBadRecords: true))
    #expect(report.warnings.map(\.code).contains("contradicting-links") && report.skippedRecords == 1)
    #expect(
      try database.query("{ A { id b { id } } B { id a { id } } }").jsonString
        == #"{"A":[{"id":1,"b":{"id":5}},{"id":3,"b":{"id":6}}],"B":[{"id":5,"a":{"id":1}},{"id":6,"a":{"id":3}}]}"#)
    #expect(database.check() == [])
  }

  /// A record may be completed by a later one, and what waits for its target may be overtaken.
  @Test("links that are said again, or waited, contradict nothing") func changes() throws {
    let (database, _) = try load(
      #"{"Author":[{"id":1,"name":"A"},{"id":2,"name":"B"}],"Book":[{"id":10,"title":"T","author":1,"sequel":{"id":11,"title":"U","author":1,"prequel":10}},{"id":11,"title":"U","author":2}]}"#
    )
    #expect(
      try database.query("{ Book { id author { id } sequel { id } prequel { id } } }").jsonString
        == #"{"Book":[{"id":10,"author":{"id":1},"sequel":{"id":11},"prequel":null},{"id":11,"author":{"id":2},"sequel":null,"prequel":{"id":10}}]}"#
    )
    // Both wait for 12, one since an earlier load.
    try database.load([.document(#"{"Book":[{"id":13,"title":"V","author":1,"sequel":12}]}"#)])
    try database.load([.document(#"{"Book":[{"id":12,"title":"W","author":1,"prequel":10}]}"#)])
    #expect(database.check() == [])
    #expect(try database.query("{ book(id: 12) { prequel { id } } }").jsonString == #"{"book":{"prequel":{"id":10}}}"#)
  }
}
