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
      "there is more text behind the JSON value", 2, 15)
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
    expect([.table("User", "\n\nid,name\n,a\n")], "missing-id", "this 'User' has no id", 4, 1)
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
    #expect(database.schema == "type User {\n  id: ID!\n  name: JSON\n}\n")
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
    for hasSchema in [false, true] {
      func expect(_ source: DataSource, _ message: String, _ column: Int) throws {
        let database =
          try hasSchema ? Database(schema: "type User { id: ID! n: Int x: Inner } type Inner { y: Int }") : Database()
        let found = problem { try database.load([source]) }
        #expect(
          found?.code == "unknown-data-field" && found?.message == message && found?.file.hasPrefix("data.") == true
            && found?.line == 1 && found?.column == column, "\(String(describing: found))")
      }
      try expect(.lines("User", #"{"id":1,"":2,"n":1}"#), empty, 10)
      try expect(.lines("User", #"{"id":1,"x":{"y":1,"":2}}"#), "a field of 'User.x' has an empty name", 21)
      try expect(.table("User", "id,,n\n1,2,3\n"), empty, 4)
      try expect(.table("User", "id,n,\n1,2,\n"), empty, 6)
      try expect(.table("User", "id,\"\"\n1,2\n"), empty, 5)
      try expect(.lines("User", #"{"id":1,"_cursor":2}"#), "'User' has no field '_cursor': the name is reserved", 10)
    }
    let folder = try TemporaryFolder()
    for name in ["my-data.csv", "Int.csv", "__x.csv"] {
      let path = try folder.write(name, "id\n1\n")
      let found = problem { try Database().load(path: path) }
      #expect(found?.code == "unknown-data-type" && found?.file == path && found?.help == "give the file another name")
    }
    expect(
      [.lines(nil, #" {"__typename":"my type","id":1}"#)], "unknown-data-type", "no type can be named 'my type'", 1, 2)
    expect([.document(#"{"":[{"id":1}]}"#)], "unknown-data-type", "no type can be named ''", 1, 2)
    // Names that would be the same, or no names, as those of types.
    let database = Database()
    try database.load([
      .lines("User", #"{"id":1,"a-b":{"x":1},"a_b":{"x":2},"int":{"id":4},"1st":{"id":6},"query":{"id":7}}"#)
    ])
    #expect(
      try database.query("{ User { `a-b` { x } a_b { x } int { id } `1st` { id } query { id } } }").jsonString
        == #"{"User":[{"a-b":{"x":1},"a_b":{"x":2},"int":{"id":4},"1st":{"id":6},"query":{"id":7}}]}"#)
  }
}
