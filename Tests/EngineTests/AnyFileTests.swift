import Foundation
import GQLite
import Testing

/// Files as people have them, without a schema: nothing is refused without a way out, and nothing is lost silently.
@Suite struct AnyFileTests {
  /// Loads data without a schema, and again with the schema that is printed for it: both hold the same.
  private func inferred(_ sources: DataSource..., options: LoadOptions = LoadOptions()) throws -> (Database, LoadReport)
  {
    let database = Database()
    let report = try database.load(sources, options: options)
    #expect(database.check() == [])
    let again = try Database(schema: database.schema)
    let other = try again.load(sources)
    #expect(again.schema == database.schema)
    #expect(other.inserted == report.inserted && other.danglingLinks == report.danglingLinks)
    for type in report.inserted.map(\.type) {
      let query = "{ \(type) { ...** } }"
      #expect(try again.query(query).jsonString == database.query(query).jsonString, "\(database.schema)")
    }
    return (database, report)
  }

  private func expect(_ source: DataSource, _ query: String, _ answer: String) throws {
    let (database, _) = try inferred(source)
    #expect(try database.query(query).jsonString == answer, "\(database.schema)")
  }

  // MARK: - Lines of names

  @Test("a column whose name is there already gets the first number that is free") func repeatedColumns() throws {
    try expect(.table("T", "x,x (2),x\n1,2,3\n"), "{ T { x x2 x3 } }", #"{"T":[{"x":1,"x2":2,"x3":3}]}"#)
    try expect(.table("T", "x,x,x (2)\n1,2,3\n"), "{ T { x x2 x2_2 } }", #"{"T":[{"x":1,"x2":2,"x2_2":3}]}"#)
    try expect(.table("T", "a.b,a.b\n1,2\n"), "{ T { a { b } aB2 } }", #"{"T":[{"a":{"b":1},"aB2":2}]}"#)
  }

  @Test("two names of columns that mean one field are refused") func repeatedFields() throws {
    let schema = "type T { id: ID! fullName: String @source(name: \"Full Name\") }"
    for (text, column) in [("id,Full Name,fullName\n1,a,b\n", 14), ("id,id\n1,2\n", 4)] {
      let database = try Database(schema: schema)
      let found = problem { try database.load([.table("T", text)]) }
      #expect(found?.code == "duplicate-argument" && found?.line == 1 && found?.column == column)
    }
  }

  @Test(
    "columns of ids as spreadsheets write them",
    arguments: [
      "Customer ID", "Customer Id", "Customer id", "Customer-id", "CustomerID", "customer_id", "Customer  ID",
    ])
  func spreadsheetIDs(_ name: String) throws {
    let folder = try TemporaryFolder()
    let customers = try folder.write("Customers.csv", "\(name),Name\n3,Cy\n1,Ann\n")
    let orders = try folder.write("Orders.csv", "Order ID,\(name),Total\n100,3,5\n101,1,6\n")
    for ids in [[:], ["Customers": name == "Customer ID" ? "customerID" : name]] {
      guard ids.isEmpty || ["Customer ID", "CustomerID", "customer_id"].contains(name) else { continue }
      let database = Database()
      try database.load(
        [.path(customers), .path(orders)],
        options: {
          var options = LoadOptions(); options.ids = ids; return options
        }())
      #expect(
        try database.query("{ Orders { Total customer { Name } } Customers { orders { Total } } }").jsonString
          == #"{"Orders":[{"Total":5,"customer":{"Name":"Cy"}},{"Total":6,"customer":{"Name":"Ann"}}],"Customers":[{"orders":[{"Total":5}]},{"orders":[{"Total":6}]}]}"#,
        "\(database.schema)")
      #expect(!database.schema.contains("@rowNumber"), "\(database.schema)")
    }
  }

  // MARK: - Texts

  @Test("a text that is not UTF-8 is named as such, in lines and in names") func otherEncodings() throws {
    let texts: [(bytes: [UInt8], line: Int, column: Int)] = [
      (Array("id,name\n1,M".utf8) + [0xFC] + Array("ller\n".utf8), 2, 3),
      (Array("id,na".utf8) + [0xEF] + Array("ve\n1,x\n".utf8), 1, 4),
    ]
    for text in texts {
      for schema in [nil, "type L { id: ID! name: String }"] {
        let database = try schema.map { try Database(schema: $0) } ?? Database()
        let found = problem { try database.load([.csv(type: "L", bytes: text.bytes)]) }
        #expect(found?.code == "invalid-json" && found?.line == text.line && found?.column == text.column)
        #expect(found?.help?.contains("iconv -f latin1 -t utf-8") == true)
      }
    }
    let line = Array(#"{"id":1,"name":"M"#.utf8) + [0xFC] + Array(#"ller"}"#.utf8)
    let found = problem { try Database().load([.ndjson(type: "L", bytes: line)]) }
    #expect(found?.code == "invalid-json" && found?.column == 18)
  }

  @Test("an empty line of a table of one column is a row without a value") func blankRows() throws {
    try expect(.table("T", "x\n1\n\n2\n"), "{ T { x } }", #"{"T":[{"x":1},{"x":null},{"x":2}]}"#)
    try expect(.table("T", "x\r\n\r\na\r\n\r\n"), "{ T { x } }", #"{"T":[{"x":null},{"x":"a"},{"x":null}]}"#)
    try expect(.table("T", "\n\nx\n\"\"\n"), "{ T { x } }", #"{"T":[{"x":""}]}"#)
    try expect(.table("T", "x,y\n1,2\n\n3,4\n"), "{ T { x } }", #"{"T":[{"x":1},{"x":3}]}"#)
  }

  // MARK: - Objects in objects

  @Test("objects of which one has no id that can be a key are embedded, all at that place") func embedded() throws {
    let cases = [
      (
        #"[{"id":1,"user":{"name":"x"}},{"id":2,"user":{"id":7,"name":"y"}}]"#, "{ T { user { id2 name } } }",
        #"{"T":[{"user":{"id2":null,"name":"x"}},{"user":{"id2":7,"name":"y"}}]}"#
      ),
      (
        #"[{"id":1,"user":{}},{"id":2,"user":{"id":7,"name":"y"}}]"#, "{ T { user { id2 name } } }",
        #"{"T":[{"user":{"id2":null,"name":null}},{"user":{"id2":7,"name":"y"}}]}"#
      ),
      (
        #"[{"id":1,"user":{"id":null,"n":1}}]"#, "{ T { user { id2 n } } }",
        #"{"T":[{"user":{"id2":null,"n":1}}]}"#
      ),
      (#"[{"id":1,"user":{"id":1.5,"n":1}}]"#, "{ T { user { id2 n } } }", #"{"T":[{"user":{"id2":1.5,"n":1}}]}"#),
      (#"[{"id":1,"user":{"id":[1],"n":1}}]"#, "{ T { user { id2 n } } }", #"{"T":[{"user":{"id2":[1],"n":1}}]}"#),
      (#"[{"id":1,"user":{"id":1.5}}]"#, "{ T { user { id2 } } }", #"{"T":[{"user":{"id2":1.5}}]}"#),
      (
        #"[{"id":1,"users":[{"id":7,"n":1},{"n":2}]}]"#, "{ T { users { id2 n } } }",
        #"{"T":[{"users":[{"id2":7,"n":1},{"id2":null,"n":2}]}]}"#
      ),
    ]
    for (text, query, answer) in cases { try expect(.json(type: "T", bytes: Array(text.utf8)), query, answer) }
  }

  @Test("an object of an id alone is a link where something has the id, and stays as it is where nothing has")
  func bareIDs() throws {
    let cases = [
      (
        #"[{"id":1,"assignee":{"id":5}},{"id":2,"assignee":{"id":6,"login":"bo"}}]"#,
        "{ T { assignee { id2 login } } }",
        #"{"T":[{"assignee":{"id2":5,"login":null}},{"assignee":{"id2":6,"login":"bo"}}]}"#
      ),
      (
        #"[{"id":1,"tags":[{"id":1},{"id":2}]},{"id":2,"tags":[{"id":1,"name":"x"}]}]"#, "{ T { tags { id2 name } } }",
        #"{"T":[{"tags":[{"id2":1,"name":null},{"id2":2,"name":null}]},{"tags":[{"id2":1,"name":"x"}]}]}"#
      ),
      (
        #"[{"id":1,"tags":[{"id":1}]},{"id":2,"tags":[{"id":1,"name":"x"}]}]"#, "{ T { tags { id name } } }",
        #"{"T":[{"tags":[{"id":1,"name":"x"}]},{"tags":[{"id":1,"name":"x"}]}]}"#
      ),
      // Each that leads nowhere is a value of its own, also where nothing else is said at its place.
      (
        #"[{"id":1,"tags":[{"id":3},{"id":4},{"id":3}]},{"id":2,"tags":[]}]"#, "{ T { tags { id2 } } }",
        #"{"T":[{"tags":[{"id2":3},{"id2":4},{"id2":3}]},{"tags":[]}]}"#
      ),
      // What has the id 9 is not there as an entity, since another object at its place has no id.
      (
        #"[{"id":1,"boss":{"id":9}},{"id":2,"x":{"boss":{"id":9,"n":1}}},{"id":3,"x":{"boss":{"n":2}}}]"#,
        "{ T { boss { id2 } x { boss { id2 n } } } }",
        #"{"T":[{"boss":{"id2":9},"x":null},{"boss":null,"x":{"boss":{"id2":9,"n":1}}},{"boss":null,"x":{"boss":{"id2":null,"n":2}}}]}"#
      ),
      // Objects of which one is lost stay embedded, and with them go the ids that others lead to.
      (
        #"[{"id":1,"a":{"u":{"id":1,"n":1}},"b":{"u":{"id":2}}},{"id":2,"a":{"u":{"id":3}},"b":{"u":{"id":1}}}]"#,
        "{ T { a { u { id2 n } } b { u { id2 } } } }",
        #"{"T":[{"a":{"u":{"id2":1,"n":1}},"b":{"u":{"id2":2}}},{"a":{"u":{"id2":3,"n":null}},"b":{"u":{"id2":1}}}]}"#
      ),
    ]
    for (text, query, answer) in cases { try expect(.json(type: "T", bytes: Array(text.utf8)), query, answer) }
  }

  @Test("values that objects of one id give differently are counted") func conflicts() throws {
    let text =
      #"[{"id":1,"p":{"id":7,"price":10,"t":["a"]}},{"id":2,"p":{"id":7,"price":12,"t":["a"]}},"#
      + #"{"id":3,"p":{"id":7,"price":12,"t":["b"]}},{"id":4,"p":{"id":8,"price":1,"t":[]}}]"#
    let (database, report) = try inferred(.json(type: "T", bytes: Array(text.utf8)))
    #expect(
      try database.query("{ T { p { price t } } }").jsonString
        == #"{"T":[{"p":{"price":12,"t":["b"]}},{"p":{"price":12,"t":["b"]}},{"p":{"price":12,"t":["b"]}},{"p":{"price":1,"t":[]}}]}"#
    )
    #expect(report.warnings.map(\.code) == ["contradicting-values", "contradicting-values"])
    #expect(
      report.warnings.map(\.message) == [
        "1 value of 'P.price' differs between objects with one id; the last is kept",
        "1 value of 'P.t' differs between objects with one id; the last is kept",
      ])
    // A default is no value of the data.
    let declared = try Database(schema: "type T { id: ID! p: P } type P { id: ID! n: Int = 1 t: [Int!]! m: Int }")
    let patched = try declared.load([
      .lines("T", #"{"id":1,"p":{"id":7,"m":1}}"# + "\n" + #"{"id":2,"p":{"id":7,"n":2,"t":[3],"m":1}}"#)
    ])
    #expect(patched.warnings.isEmpty)
  }

  // MARK: - Objects around records

  @Test("a schema that is printed finds records in an object where its types have fields of the same names")
  func wrappers() throws {
    try expect(
      .json(type: "Tree", bytes: Array(#"{"name":"root","children":[{"name":"a","children":[]}]}"#.utf8)),
      "{ Tree { name } }", #"{"Tree":[{"name":"a"}]}"#)
    for text in [
      #"{"total":2,"items":[{"id":1,"items":["x"]},{"id":2,"items":[]}]}"#, #"{"data":[{"id":1,"data":{"n":5}}]}"#,
      #"{"results":[{"results":1}]}"#, #"{"x":{"x":1,"y":2},"y":{"x":3,"y":4},"z":{"x":5,"y":6}}"#,
    ] { _ = try inferred(.json(type: "T", bytes: Array(text.utf8))) }
    // With a schema of one's own, it is a record of the type.
    let tree = try Database(
      schema: "type Tree { id: ID! @rowNumber name: String children: [Leaf!] } type Leaf { name: String }")
    try tree.load([.json(type: "Tree", bytes: Array(#"{"name":"root","children":[{"name":"a"}]}"#.utf8))])
    #expect(
      try tree.query("{ Tree { name children { name } } }").jsonString
        == #"{"Tree":[{"name":"root","children":[{"name":"a"}]}]}"#)
  }

  @Test("random objects around random records are read alike with the schema that is printed", arguments: 0..<4)
  func randomWrappers(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed) + 77)
    let names = ["id", "a", "b", "items", "data", "T", "U", "name"]
    func pick() -> String { names[random.below(names.count)] }
    func object(_ depth: Int) -> String {
      var keys: [String] = []
      for _ in 0..<(1 + random.below(3)) {
        let key = pick()
        if !keys.contains(key) { keys.append(key) }
      }
      return "{" + keys.map { "\"\($0)\":\(value(depth))" }.joined(separator: ",") + "}"
    }
    func value(_ depth: Int) -> String {
      switch random.below(depth > 2 ? 3 : 6) {
      case 0: return "\(random.below(4))"
      case 1: return "\"\(pick())\""
      case 2: return "null"
      case 3: return object(depth + 1)
      case 4: return "[\((0..<random.below(3)).map { _ in object(depth + 1) }.joined(separator: ","))]"
      default: return "[\(random.below(3))]"
      }
    }
    let folder = try TemporaryFolder()
    for number in 0..<100 {
      let text = object(0)
      let path = try folder.write("T.json", text)
      for source in [DataSource.json(type: "T", bytes: Array(text.utf8)), .path(path)] {
        do {
          _ = try inferred(source)
        } catch let error as QueryError
          where error.problems.first?.message.hasPrefix("a name is for one table") ?? false
        {
          // A name that is given is for one table.
          continue
        } catch {
          Issue.record("seed \(seed), text \(number): \(text)\n\(error)")
        }
      }
    }
  }

  @Test("what stands beside the records is left out with a warning, unless it belongs to an envelope")
  func leftOut() throws {
    func warnings(_ text: String) throws -> [String] {
      let (_, report) = try inferred(.json(type: "T", bytes: Array(text.utf8)))
      #expect(report.warnings.allSatisfy { $0.code == "left-out" })
      return report.warnings.map(\.message)
    }
    #expect(
      try warnings(#"{"customer":"Ann","lines":[{"sku":1,"q":2}]}"#)
        == ["'customer' is left out: the records are the list at 'lines'"])
    #expect(
      try warnings(#"{"data":{"a":1,"by":{"x":1},"rows":[{"n":1}]},"b":2}"#)
        == ["'b', 'a', 'by' are left out: the records are the list at 'rows'"])
    for text in [
      #"{"count":2,"next":null,"previous":"x","results":[{"n":1}]}"#,
      #"{"total_count":1,"Per Page":5,"items":[{"n":1}]}"#,
      #"{"@context":"x","value":[{"n":1}]}"#, #"{"odd":null,"list":[{"n":1}]}"#,
    ] { #expect(try warnings(text) == []) }
  }

  @Test("the keys of records stay, also where records have an id of their own") func keyedRecords() throws {
    func expect(_ text: String, _ query: String, _ answer: String) throws {
      try self.expect(.json(type: "T", bytes: Array(text.utf8)), query, answer)
    }
    try expect(
      #"{"a":{"id":1,"n":"x"},"b":{"id":2,"n":"y"},"c":{"id":3,"n":"z"}}"#, "{ T { id n key } }",
      #"{"T":[{"id":1,"n":"x","key":"a"},{"id":2,"n":"y","key":"b"},{"id":3,"n":"z","key":"c"}]}"#)
    try expect(
      #"{"a":{"id":1,"n":"x"},"b":{"n":"y"},"c":{"id":3,"n":"z"}}"#, "{ T { key id n } }",
      #"{"T":[{"key":"a","id":1,"n":"x"},{"key":"b","id":null,"n":"y"},{"key":"c","id":3,"n":"z"}]}"#)
    try expect(
      #"{"a":{"id":"a","n":"x"},"b":{"n":"y"},"7":{"id":7,"n":"z"}}"#, "{ T { id n } }",
      #"{"T":[{"id":"a","n":"x"},{"id":"b","n":"y"},{"id":7,"n":"z"}]}"#)
    try expect(
      #"{"a":{"id":1,"key":0},"b":{"id":2,"key":0},"c":{"id":3,"key":0}}"#, "{ T { id key key2 } }",
      #"{"T":[{"id":1,"key":0,"key2":"a"},{"id":2,"key":0,"key2":"b"},{"id":3,"key":0,"key2":"c"}]}"#)
  }

  // MARK: - Limits

  @Test("records of which each has other columns are refused before they take memory") func sparse() throws {
    var text = ""
    for row in 0..<16_000 { text += "{\"c\(row % 9_000)\":1,\"d\":2}\n" }
    let found = problem { try Database().load([.lines("T", text)]) }
    #expect(found?.code == "too-large")
    #expect(found?.message.contains("'T' has 9001 columns, of which nearly all are empty") == true)
    // Objects in records are JSON, which holds what they have.
    text = (0..<100_200).map { "{\"id\":\($0),\"m\":{\"k\($0 % 999)\":1}}\n" }.joined()
    let database = Database()
    try database.load([.lines("T", text)])
    #expect(database.schema.contains("m: JSON"))
    #expect(try database.query("{ t(id: 5) { m } }").jsonString == #"{"t":{"m":{"k5":1}}}"#)
  }

  @Test("a value of SQLite that the memory does not hold is not read") func largeBlob() throws {
    let folder = try TemporaryFolder()
    let path = try folder.sqlite(
      "B.sqlite", "CREATE TABLE t(id INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, zeroblob(50000000))")
    var options = LoadOptions()
    options.maximumMemory = 20_000_000
    let found = problem { try Database().load([.path(path)], options: options) }
    #expect(found?.code == "memory")
    #expect(found?.message == "the memory limit of 20000000 bytes is exceeded")
  }
}
