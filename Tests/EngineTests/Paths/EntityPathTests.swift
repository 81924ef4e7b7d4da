import GQLEngine
import Testing

/// Single values by their paths.
@Suite struct EntityPathTests {
  private func database() throws -> Database {
    let database = try Database(
      schema: """
        enum Mood { CALM GLAD }
        type Person @number(value: 1) {
          id: ID!
          name: String! @number(value: 42)
          age: Int
          mood: Mood
          tags: [String!]
          price: Decimal
          born: Date
          place: Place
          friends: [Person!]! @relation(inverse: "friendOf")
          friendOf: [Person!]!
          boss: Person
        }
        type Place { street: String number: Int }
        type Seat @id(fields: ["row", "number"]) { row: Int! number: Int! free: Boolean! }
        """)
    try database.run(
      """
      mutation {
        insertPerson(data: [{id: 1, name: "Ada", age: 36, friends: [{id: 2, name: "Bo"}], boss: 2}])
        insertSeat(data: {row: 1, number: 2, free: true})
      }
      """)
    return database
  }

  @Test("values are read by names and by numbers") func reading() throws {
    let database = try database()
    #expect(try database.value(at: EntityPath("Person", 1, "name")) == "Ada")
    #expect(try database.value(at: EntityPath(1, "1", 42)) == "Ada")
    #expect(try database.value(at: EntityPath("Person", 1, "age")) == 36)
    #expect(try database.value(at: EntityPath("Person", 1, "mood")) == nil)
    #expect(try database.value(at: EntityPath("Person", 1, "friends")) == [2])
    #expect(try database.value(at: EntityPath("Person", 1, "boss")) == 2)
    #expect(try database.value(at: EntityPath("Person", 2, "boss")) == nil)
    #expect(try database.value(at: EntityPath("Person", 1, "_status")) == "CREATED")
    #expect(try database.value(at: EntityPath("Seat", ["row": 1, "number": 2], "free")) == true)
    #expect("\(EntityPath("Person", 1, 42))" == "Person/1/42")
  }

  @Test("values are written, each as a transaction") func writing() throws {
    let database = try database()
    let before = database.version
    try database.set("Eda", at: EntityPath(1, 1, 42))
    try database.set(nil, at: EntityPath("Person", 1, "age"))
    try database.set("GLAD", at: EntityPath("Person", 1, "mood"))
    try database.set(["a", "b"], at: EntityPath("Person", 1, "tags"))
    try database.set(.number("1.50"), at: EntityPath("Person", 1, "price"))
    try database.set("2001-02-03", at: EntityPath("Person", 1, "born"))
    try database.set(["street": "Elm", "number": 3], at: EntityPath("Person", 1, "place"))
    try database.set([], at: EntityPath("Person", 1, "friends"))
    try database.set(1, at: EntityPath("Person", 2, "boss"))
    try database.set(false, at: EntityPath("Seat", ["row": 1, "number": 2], "free"))
    #expect(database.version == before + 10)
    #expect(
      try database.run(
        "{ Person(where: id == 1) { name age mood tags price born place { street number } friends { id } } }"
      )
      .jsonString
        == #"{"Person":[{"name":"Eda","age":null,"mood":"GLAD","tags":["a","b"],"price":1.50,"born":"2001-02-03","place":{"street":"Elm","number":3},"friends":[]}]}"#
    )
    #expect(try database.value(at: EntityPath("Person", 1, "place")) == ["street": "Elm", "number": 3])
    #expect(try database.value(at: EntityPath("Person", 2, "boss")) == 1)
    #expect(try database.value(at: EntityPath("Seat", ["row": 1, "number": 2], "free")) == false)
  }

  @Test("a path that names nothing, or the wrong type, is an error") func errors() throws {
    let database = try database()
    func code(_ body: () throws(QueryError) -> Void) -> String? {
      do throws(QueryError) {
        try body()
        return nil
      } catch {
        return error.problems.first?.code
      }
    }
    #expect(
      code { () throws(QueryError) in _ = try database.value(at: EntityPath("Persn", 1, "name")) } == "unknown-type")
    #expect(
      code { () throws(QueryError) in _ = try database.value(at: EntityPath("Place", 1, "street")) } == "unknown-type")
    #expect(code { () throws(QueryError) in _ = try database.value(at: EntityPath(9, 1, "name")) } == "unknown-type")
    #expect(
      code { () throws(QueryError) in _ = try database.value(at: EntityPath("Person", 1, "nam")) } == "unknown-field")
    #expect(code { () throws(QueryError) in _ = try database.value(at: EntityPath(1, 1, 7)) } == "unknown-field")
    #expect(
      code { () throws(QueryError) in _ = try database.value(at: EntityPath("Person", 7, "name")) } == "unknown-id")
    #expect(
      code { () throws(QueryError) in try database.set("x", at: EntityPath("Person", 7, "name")) } == "unknown-id")
    #expect(code { () throws(QueryError) in try database.set(5, at: EntityPath("Person", 1, "name")) } == "wrong-type")
    #expect(code { () throws(QueryError) in try database.set(nil, at: EntityPath("Person", 1, "name")) } != nil)
    #expect(
      code { () throws(QueryError) in try database.set("x", at: EntityPath("Person", 1, "_status")) } == "read-only")
    #expect(
      code { () throws(QueryError) in _ = try database.value(at: EntityPath("Person", ["a": 1], "name")) }
        == "wrong-type")
    #expect(code { () throws(QueryError) in _ = try database.value(at: EntityPath("Seat", 1, "free")) } != nil)
    #expect(try database.value(at: EntityPath("Person", 1, "name")) == "Ada")
    let error = #expect(throws: QueryError.self) { try database.value(at: EntityPath("Person", 1, "nmae")) }
    #expect(error?.description.contains("did you mean 'name'?") == true)
  }

  @Test("deleted entities are read, and not written") func deleted() throws {
    let database = try database()
    try database.run("mutation { deletePerson(where: id == 1) }")
    #expect(try database.value(at: EntityPath("Person", 1, "name")) == "Ada")
    #expect(try database.value(at: EntityPath("Person", 1, "_status")) == "DELETED")
    #expect(throws: QueryError.self) { try database.set("x", at: EntityPath("Person", 1, "name")) }
    #expect(try database.ids(of: "Person") == [2])
  }

  @Test("a key that ignores case is a key") func folded() throws {
    let database = try Database(
      schema: """
        type Member @id(fields: ["club", "name"]) { club: Int! name: String! @collate(CI) n: Int! }
        type Word { id: String! @id @collate(CI) n: Int! }
        """)
    try database.run(
      """
      mutation {
        insertMember(data: [{club: 1, name: "Ann", n: 1}, {club: 1, name: "Bob", n: 2}])
        insertWord(data: [{id: "a", n: 1}, {id: "b", n: 2}])
      }
      """)
    try database.set(7, at: EntityPath("Member", ["club": 1, "name": "Ann"], "n"))
    try database.set(8, at: EntityPath("Word", "b", "n"))
    #expect(
      try database.run("{ Member { n } Word { n } }").jsonString
        == #"{"Member":[{"n":7},{"n":2}],"Word":[{"n":1},{"n":8}]}"#)
    #expect(try database.value(at: EntityPath("Member", ["club": 1, "name": "Bob"], "n")) == 2)
  }

  @Test("ids are found by a condition, and views have theirs") func ids() throws {
    let database = try database()
    #expect(try database.ids(of: "Person") == [1, 2])
    #expect(try database.ids(of: 1, where: "age > 30") == [1])
    #expect(try database.ids(of: "Seat") == [["row": 1, "number": 2]])
    #expect(throws: QueryError.self) { try database.ids(of: "Person", where: "agee > 1") }
    #expect(throws: QueryError.self) { try database.ids(of: "Nobody") }
    let view = database.view()
    try database.set("x", at: EntityPath("Person", 1, "name"))
    try database.run("mutation { deletePerson(where: id == 2) }")
    #expect(try view.value(at: EntityPath("Person", 1, "name")) == "Ada")
    #expect(try view.ids(of: "Person") == [1, 2])
  }

  @Test("a condition is one expression, and no part of a query")
  func conditions() throws {
    let database = try database()
    #expect(try database.ids(of: "Person", where: "age > 30 # years") == [1])
    #expect(try database.ids(of: "Person", where: "{age: {gt: 30}}") == [1])
    #expect(try database.ids(of: "Person", where: "some(friends, name == \"Bo\")\n or id == 2") == [1, 2])
    for (condition, code) in [
      ("id > 0, limit: 1", "unexpected-token"), ("id > 0) { id } x: Person(where: id < 0", "unexpected-token"),
      ("age > 30) { id } #", "unexpected-token"), ("age > 30)", "unexpected-token"),
      ("age > 30 limit: 1", "unexpected-token"), ("(age > 30", "unclosed"),
    ] {
      do throws(QueryError) {
        _ = try database.ids(of: "Person", where: condition)
        Issue.record("'\(condition)' was taken")
      } catch {
        #expect(error.problems.first?.code == code && error.problems.first?.file == "condition", "\(condition)")
      }
    }
    for condition in ["", " ", "# all"] {
      #expect(throws: QueryError.self) { try database.ids(of: "Person", where: condition) }
    }
  }
}
