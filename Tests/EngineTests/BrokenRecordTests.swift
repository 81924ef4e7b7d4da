import GQLite
import Testing

/// Data without a schema: what is broken is named itself, not the schema that was made without it.
@Suite struct BrokenRecordTests {
  private func expect(
    _ sources: [DataSource], _ code: String, _ message: String, _ line: Int?, _ column: Int?,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let found = problem(of: { try Database().load(sources) }, at: location)
    #expect(
      found?.code == code && found?.message == message && found?.line == line && found?.column == column,
      "\(String(describing: found))", sourceLocation: location)
  }

  private static let cut = "the JSON text ends too early"

  @Test("a line that is cut off says so, whatever it names before") func lines() throws {
    expect([.lines("User", #"{"id":1,"a":"#)], "invalid-json", Self.cut, 1, 13)
    expect(
      [.lines("User", #"{"id":1,"a":1}"# + "\n" + #"{"id":2,"a":"x","b":{"c":[1,2"#)], "invalid-json", Self.cut, 2, 30)
    expect(
      [.lines("User", #"{"id":1,"a":1}"# + "\n" + #"{"id":2,"b":1}}"#)], "invalid-json",
      "there is more text after the JSON value", 2, 15)
    expect([.lines(nil, #"{"__typename":"X","id":1,"a"#)], "invalid-json", Self.cut, 1, 28)
    expect(
      [.lines(nil, #"{"__typename":"X","id":1}"# + "\n" + #"{"__typename":"Y","id":1,"#)], "invalid-json", Self.cut, 2,
      26)
    let database = Database()
    let report = try database.load(
      [.lines("User", #"{"id":1,"a":1}"# + "\n" + #"{"id":2,"b":"# + "\n" + #"{"id":3,"a":2}"#)],
      options: LoadOptions(skipsBadRecords: true))
    #expect(report.skippedRecords == 1 && report.warnings.map(\.message) == [Self.cut] && report.warnings[0].line == 2)
    #expect(try database.query("{ User { id a } }").jsonString == #"{"User":[{"id":1,"a":1},{"id":3,"a":2}]}"#)
  }

  @Test("a cut document says so, and what stands before the cut makes the schema") func documents() throws {
    let list = #"[{"id":1,"a":1},{"id":2,"b""#
    expect([.json(type: "User", bytes: Array(list.utf8))], "invalid-json", Self.cut, 1, 28)
    expect([.document(#"{"User":"# + list)], "invalid-json", Self.cut, 1, 36)
    expect([.document(#"{"User":[{"id":1}],"#)], "invalid-json", Self.cut, 1, 20)
    expect([.json(type: "User", bytes: Array(#"{"id":1,"b":"#.utf8))], "invalid-json", Self.cut, 1, 13)
    for source in [DataSource.json(type: "User", bytes: Array(list.utf8)), .document(#"{"User":"# + list)] {
      let database = Database()
      let report = try database.load([source], options: LoadOptions(skipsBadRecords: true))
      #expect(report.skippedRecords == 1 && report.warnings.map(\.code) == ["invalid-json"])
      #expect(try database.query("{ User { id a } }").jsonString == #"{"User":[{"id":1,"a":1}]}"#)
    }
    // Types that have no records are types all the same.
    let empty = Database()
    try empty.load([.document(#"{"User":[],"Team":[{"id":1}]}"#)])
    #expect(try empty.query("{ User { id } Team { id } }").jsonString == #"{"User":[],"Team":[{"id":1}]}"#)
  }

  @Test("a line of a table says what is wrong with it") func tables() throws {
    expect([.table("User", "id,name\n1,a,b\n")], "ragged-line", "this line has 3 fields, the first line has 2", 2, 1)
    expect([.table("User", "id,name\n1,\"a\n")], "ragged-line", "a quoted field that does not end", 2, 3)
    expect([.table("User", "id,\"name\n")], "ragged-line", "a quoted field that does not end", 1, 4)
    // An id that is missing is one only where a schema wants it; else the rows are numbered.
    let numbered = Database()
    try numbered.load([.table("User", "\n\nid,name\n,a\n7,b\n")])
    #expect(
      try numbered.query("{ User { rowNumber id name } }").jsonString
        == #"{"User":[{"rowNumber":1,"id":null,"name":"a"},{"rowNumber":2,"id":7,"name":"b"}]}"#)
    let declared = try Database(schema: "type User { id: ID! name: String }")
    let missing = problem { try declared.load([.table("User", "\n\nid,name\n,a\n")]) }
    #expect(missing?.code == "missing-value" && missing?.message == "this 'User' has no id" && missing?.line == 4)
    let database = Database()
    let report = try database.load(
      [.table("User", "\n\nid,name\n1,a,b\n2,b\n")], options: LoadOptions(skipsBadRecords: true))
    #expect(report.skippedRecords == 1)
    #expect(try database.query("{ User { id name } }").jsonString == #"{"User":[{"id":2,"name":"b"}]}"#)
  }

  @Test("a table of nothing but names has no rows", arguments: ["id,name", "id,name\n", "\u{FEFF}id,name\r\n\r\n"])
  func onlyNames(_ text: String) throws {
    let database = Database()
    let report = try database.load([.table("User", text)])
    #expect(report.inserted.map(\.type) == ["User"] && report.inserted.map(\.count) == [0])
    #expect(database.schema == "type User {\n  id: ID!\n  name: String\n}\n")
    #expect(try database.query("{ User { id name } }").jsonString == #"{"User":[]}"#)
  }

  @Test("names with points are fields of embedded objects") func embedded() throws {
    let database = Database()
    try database.load([
      .table("User", "id,at.city,at.place.lat,to.city\n1,Ulm,1.5,\n2,,,\n")
    ])
    #expect(
      try database.query("{ User { id at { city place { lat } } to { city } } }").jsonString
        == #"{"User":[{"id":1,"at":{"city":"Ulm","place":{"lat":1.5}},"to":null},{"id":2,"at":null,"to":null}]}"#)
  }

  @Test("names that no field and no type can have are named where they stand") func names() throws {
    let empty = "a field of 'User' has an empty name"
    func expect(_ source: DataSource, _ message: String, _ column: Int) throws {
      let database = try Database(schema: "type User { id: ID! n: Int x: Inner } type Inner { y: Int }")
      let found = problem { try database.load([source]) }
      #expect(
        found?.code == "unknown-field" && found?.message == message && found?.file.hasPrefix("data.") == true
          && found?.line == 1 && found?.column == column, "\(String(describing: found))")
    }
    try expect(.lines("User", #"{"id":1,"":2,"n":1}"#), empty, 10)
    try expect(.lines("User", #"{"id":1,"x":{"y":1,"":2}}"#), "a field of 'User.x' has an empty name", 21)
    try expect(.table("User", "id,,n\n1,2,3\n"), empty, 4)
    try expect(.table("User", "id,n,\n1,2,\n"), empty, 6)
    try expect(.table("User", "id,\"\"\n1,2\n"), empty, 5)
    try expect(.lines("User", #"{"id":1,"_cursor":2}"#), "'User' has no field '_cursor': the name is reserved", 10)
  }

  @Test("without a schema, every name becomes one that a schema can have") func madeNames() throws {
    func expect(_ source: DataSource, _ query: String, _ answer: String) throws {
      let database = Database()
      try database.load([source])
      #expect(try database.query(query).jsonString == answer)
    }
    try expect(
      .lines("User", #"{"id":1,"":2,"n":3}"#), "{ User { id column n } }", #"{"User":[{"id":1,"column":2,"n":3}]}"#)
    try expect(
      .lines("User", #"{"id":1,"x":{"y":1,"":2}}"#), "{ User { x { y column } } }",
      #"{"User":[{"x":{"y":1,"column":2}}]}"#)
    try expect(.table("User", "id,,n\n1,2,3\n"), "{ User { column n } }", #"{"User":[{"column":2,"n":3}]}"#)
    try expect(.table("User", "id,\"\"\n1,2\n"), "{ User { column } }", #"{"User":[{"column":2}]}"#)
    try expect(.lines("User", #"{"id":1,"_cursor":2}"#), "{ User { cursor } }", #"{"User":[{"cursor":2}]}"#)
    try expect(
      .lines(nil, #" {"__typename":"my type","id":1}"#), "{ MyType { id __typename } }",
      #"{"MyType":[{"id":1,"__typename":"MyType"}]}"#)
    try expect(.document(#"{"":[{"id":1}]}"#), "{ Data { id } }", #"{"Data":[{"id":1}]}"#)
    let folder = try TemporaryFolder()
    for (name, type) in [("my-data.csv", "MyData"), ("Int.csv", "Int2"), ("__x.csv", "X")] {
      let database = Database()
      try database.load(path: try folder.write(name, "id\n1\n"))
      #expect(try database.query("{ all: \(type) { id } }").jsonString == #"{"all":[{"id":1}]}"#)
    }
    // Names that would be the same, or no names. Objects of an id alone that lead nowhere are embedded.
    let database = Database()
    let report = try database.load([
      .lines("User", #"{"id":1,"a-b":{"x":1},"a_b":{"x":2},"int":{"id":4},"1st":{"id":6},"query":{"id":7}}"#)
    ])
    #expect(report.warnings.isEmpty)
    #expect(
      try database.query("{ User { aB { x } a_b { x } int { id2 } c1st { id2 } query { id2 } } }").jsonString
        == #"{"User":[{"aB":{"x":1},"a_b":{"x":2},"int":{"id2":4},"c1st":{"id2":6},"query":{"id2":7}}]}"#)
    // An id alone leads to a type that stands behind it.
    let links = Database()
    try links.load([
      .lines("User", #"{"id":1,"pal":{"id":2},"boss":{"id":9}}"# + "\n" + #"{"id":2,"x":{"boss":{"id":9,"n":1}}}"#)
    ])
    #expect(
      try links.query("{ User { boss { id n } } }").jsonString
        == #"{"User":[{"boss":{"id":9,"n":1}},{"boss":null}]}"#)
  }
}
