import Foundation
import GQLite
import Testing

/// Schemas made from data.
@Suite struct InferenceTests {
  private func inferred(_ sources: DataSource...) throws -> Database {
    let database = Database()
    try database.load(sources)
    #expect(database.check() == [])
    // What is printed is a schema, and the same data loads under it.
    let again = try Database(schema: database.schema)
    try again.load(sources)
    #expect(again.schema == database.schema)
    return database
  }

  @Test("the narrowest type that holds all values") func scalars() throws {
    let database = try inferred(
      .lines(
        "T",
        #"""
        {"name":"n","id":1,"i":1,"f":1,"b":true,"d":"2024-01-02","dt":"2024-01-02T03:04:05Z","u":"0f8fad5b-d9cb-469f-a165-70867728950e","mixed":1,"li":[1],"empty":[],"none":null,"big":99999999999999999999,"code":"007"}
        {"id":"x","name":"m","i":null,"f":1.5,"b":false,"d":"2024-01-03","dt":"2024-01-02T03:04:06Z","u":"0f8fad5b-d9cb-469f-a165-70867728950f","mixed":"a","li":[2,3],"empty":[],"none":null,"big":1,"code":"1"}
        """#))
    let schema = database.schema
    for line in [
      "id: ID!", "name: String!", "i: Int\n", "f: Float!", "b: Boolean!", "d: Date!", "dt: DateTime!", "u: UUID!",
      "li: [Int!]!",
      "code: String!",
    ] { #expect(schema.contains("  " + line), "\(line) in \(schema)") }
    #expect(
      try database.query("{ T { id i f d mixed li empty none code } }").jsonString
        == #"{"T":[{"id":1,"i":1,"f":1,"d":"2024-01-02","mixed":"1","li":[1],"empty":[],"none":null,"code":"007"},{"id":"x","i":null,"f":1.5,"d":"2024-01-03","mixed":"a","li":[2,3],"empty":[],"none":null,"code":"1"}]}"#
    )
  }

  @Test("an object of an id alone is a link where its key names a type") func loneIDs() throws {
    let data = #"{"tree":[{"id":1,"parent":{"id":2},"tree":{"id":2}},{"id":2,"parent":null,"tree":null}]}"#
    let database = try inferred(.document(data))
    #expect(
      try database.query("{ Tree { id parent { id2 } tree { id } } }").jsonString
        == #"{"Tree":[{"id":1,"parent":{"id2":2},"tree":{"id":2}},{"id":2,"parent":null,"tree":null}]}"#)
    let given = try Database(schema: "type Tree { id: ID! parent: Tree tree: Tree @relation }")
    try given.load([.document(data.replacing("\"tree\":[", with: "\"Tree\":["))])
    #expect(
      try given.query("{ Tree { parent { id } } }").jsonString == #"{"Tree":[{"parent":{"id":2}},{"parent":null}]}"#)
  }

  @Test("@rowNumber numbers what is loaded, and not what a mutation inserts") func numberedRows() throws {
    let database = try Database(schema: "type T { id: ID! @rowNumber n: Int }")
    try database.load([.document(#"{"T":[{"n":5},{"n":6}]}"#)])
    #expect(try database.query("{ T { id n } }").jsonString == #"{"T":[{"id":1,"n":5},{"id":2,"n":6}]}"#)
    let error = #expect(throws: QueryError.self) { try database.query("mutation { insertT(data: {n: 7}) { id } }") }
    #expect(error?.problems.first?.code == "missing-value")
  }

  @Test("a column of a CSV whose cells are of several kinds holds texts") func mixedColumns() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "gqlite-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let deep = Array(repeating: "a", count: 20_000).joined(separator: ".")
    try Data("id,a,zip,day,on\n1,5,01234,2024-01-01,true\n2,abc,90210,5,no\n".utf8).write(
      to: folder.appending(path: "C.csv"))
    try Data("\(deep)\n1\n".utf8).write(to: folder.appending(path: "Deep.csv"))
    let database = Database()
    try database.load(path: folder.appending(path: "C.csv").path)
    #expect(
      try database.query("{ C { a zip day on } }").jsonString
        == #"{"C":[{"a":"5","zip":"01234","day":"2024-01-01","on":"true"},{"a":"abc","zip":"90210","day":"5","on":"no"}]}"#
    )
    // A name with dots that would lead through 20,000 objects is one name.
    let whole = Database()
    try whole.load(path: folder.appending(path: "Deep.csv").path)
    #expect(whole.schema.contains("name: \"a.a.a.a."))
  }

  @Test("a DateTime in any form that is read is inferred") func times() throws {
    let forms = [
      ("2014-12-09T13:50:51.5Z", "2014-12-09T13:50:51.500Z"), ("2014-12-09T13:50:51+02:00", "2014-12-09T11:50:51Z"),
      ("2014-12-09 13:50:51", "2014-12-09T13:50:51Z"),
      ("2014-12-09t13:50:51.000001-0530", "2014-12-09T19:20:51.000001Z"),
    ]
    for (text, printed) in forms {
      for source in [DataSource.lines("T", #"{"id":1,"t":"\#(text)"}"#), .table("T", "id,t\n1,\(text)\n")] {
        let database = try inferred(source)
        #expect(database.schema.contains("t: DateTime!"), "\(text)")
        #expect(try database.query("{ T { t } }").jsonString == #"{"T":[{"t":"\#(printed)"}]}"#)
      }
    }
    // More than microseconds, no such day, a date among times: texts.
    for text in ["2014-12-09T13:50:51.1234567Z", "2014-02-29 13:50:51", "2014-12-09T24:00:00Z", "2014-12-09 13:50"] {
      #expect(try inferred(.table("T", "id,t\n1,\(text)\n")).schema.contains("t: String!"), "\(text)")
    }
    let mixed = try inferred(.table("T", "id,t\n1,2014-12-09\n2,2014-12-09 13:50:51\n"))
    #expect(mixed.schema.contains("t: String!"))
  }

  @Test("names make relations where the ids are there; objects with ids are entities, others are embedded")
  func relations() throws {
    let database = try inferred(
      .lines(
        "User",
        #"{"id":1,"address":{"city":"C"},"groups":["a","b"],"boss":{"id":9,"name":"B"}}"# + "\n"
          + #"{"id":2,"address":null,"groups":[]}"#),
      .lines("Group", #"{"id":"a","user":1}"# + "\n" + #"{"id":"b","user":2}"#))
    #expect(database.schema.contains("groups: [Group!]!") && database.schema.contains("user: User!"))
    #expect(
      try database.query("{ User { id address { city } groups { id user { id } } boss { id name } } }").jsonString
        == #"{"User":[{"id":1,"address":{"city":"C"},"groups":[{"id":"a","user":{"id":1}},{"id":"b","user":{"id":2}}],"boss":{"id":9,"name":"B"}},{"id":2,"address":null,"groups":[],"boss":null}]}"#
    )
  }

  @Test("one object by type, CSV, lines with a byte order mark, lines with __typename") func forms() throws {
    let object = try inferred(.document(#"{"A":[{"id":1,"n":2}],"B":[{"id":1,"a":1}]}"#))
    #expect(try object.query("{ B { a { n } } }").jsonString == #"{"B":[{"a":{"n":2}}]}"#)
    let table = try inferred(.table("A", "\u{FEFF}id,n,s\r\n1,2,a\r\n2,,\"\"\r\n"))
    #expect(
      try table.query("{ A { id n s } }").jsonString == #"{"A":[{"id":1,"n":2,"s":"a"},{"id":2,"n":null,"s":""}]}"#)
    let marked = try inferred(.lines("A", "\u{FEFF}{\"id\":1,\"n\":2}\n"))
    #expect(try marked.query("{ A { n } }").jsonString == #"{"A":[{"n":2}]}"#)
    let list = try inferred(.json(type: "A", bytes: Array("\u{FEFF}[{\"id\":1,\"n\":2}]".utf8)))
    #expect(try list.query("{ A { n } }").jsonString == #"{"A":[{"n":2}]}"#)
    let named = try inferred(.lines(nil, #"{"__typename":"A","id":1}"# + "\n" + #"{"id":2,"__typename":"B","a":1}"#))
    #expect(try named.query("{ B { a { id } } }").jsonString == #"{"B":[{"a":{"id":1}}]}"#)
  }

  @Test(
    "odd names, and data that makes no schema",
    arguments: [
      #"{"id":1,"first name":"a","9lives":2,"`":3,"":4,"where":5}"#, #"{"n":1}"#, "{}", "", "[]",
      #"{"id":1,"__typename":"Z","_cursor":1}"#,
      #"{"id":1,"a":{}}"#, "\n", #"{"id":1,"a":{"b":{"c":{"id":7}}}}"#, #"{"id":1,"a":[[1],[2]]}"#,
      #"{"id":1,"a":[{"b":1}]}"#, #"{"id":{"x":1}}"#,
    ])
  func odd(_ line: String) throws {
    let database = Database()
    do {
      try database.load([.lines("T", line)])
      #expect(database.check() == [])
      _ = try Database(schema: database.schema)
      if database.count(of: "T") == 1 { _ = try database.query("{ T { ...* } }") }
    } catch {
      #expect(error.problems.first?.message.isEmpty == false)
      // Nothing was taken over: the next load infers anew.
      try database.load([.lines("U", #"{"id":1}"#)])
      #expect(database.count(of: "U") == 1)
    }
  }

  @Test("a file without records has a type, records without ids have a place") func fewRecords() throws {
    let folder = try TemporaryFolder()
    try folder.write("User.ndjson", "")
    try folder.write("Group.ndjson", #"{"id":1}"#)
    let database = try inferred(.path(folder.path))
    #expect(try database.query("{ User { id } Group { id } }").jsonString == #"{"User":[],"Group":[{"id":1}]}"#)
    try folder.write("User.ndjson", "\n{\"n\":1}\n")
    let numbered = try inferred(.path(folder.path))
    #expect(numbered.schema.contains("type User {\n  id: ID! @rowNumber\n  n: Int!\n}"))
    #expect(try numbered.query("{ User { id n } }").jsonString == #"{"User":[{"id":1,"n":1}]}"#)
    #expect(problem { try Database().load([.lines(nil, "")]) }?.code == "no-data")
  }

  @Test("real data without its schema") func realData() throws {
    guard let shared = Folders.shared else {
      print("skipped: there is no folder of shared data beside the checkout")
      return
    }
    let questions = [
      (
        "swapi", "{ Film(orderBy: releaseDate, limit: 1) { title planets(limit: 1) { name } } n: count(Person) }",
        #"{"Film":[{"title":"A New Hope","planets":[{"name":"Tatooine"}]}],"n":82}"#
      ),
      ("chinook", #"{ n: count(Album(where: artist.name == "Iron Maiden")) }"#, #"{"n":21}"#),
      (
        "isocodes", #"{ Country(where: name == "Germany") { alpha3 officialName } }"#,
        #"{"Country":[{"alpha3":"DEU","officialName":"Federal Republic of Germany"}]}"#
      ),
    ]
    for (name, query, answer) in questions {
      let folder = try TemporaryFolder()
      let source = shared.appending(path: "data/\(name)")
      for file in try FileManager.default.contentsOfDirectory(atPath: source.path) where file.hasSuffix(".ndjson") {
        try FileManager.default.copyItem(at: source.appending(path: file), to: folder.url.appending(path: file))
      }
      let database = try inferred(.path(folder.path))
      #expect(try database.query(query).jsonString == answer)
    }
  }
}
