import Foundation
import GQLite
import Testing

/// Checks how values and errors print, and where programs have bytes from.
@Suite struct DisplayTests {
  private static let schema = "type User { id: ID! name: String! }"

  @Test("an error's localized description is what people read") func localized() throws {
    let database = try Database(schema: Self.schema)
    do {
      try database.run("{ User { nmae } }")
      Issue.record("nothing was wrong")
    } catch {
      let error: any Error = error
      #expect(error.localizedDescription.hasPrefix("error[unknown-field]: "))
      #expect(error.localizedDescription.hasSuffix("did you mean 'name'?"))
      #expect("\(error)" == error.localizedDescription + "\n")
    }
  }

  @Test("nothing prints the name of a module that programs do not import") func modules() throws {
    let database = try Database(schema: Self.schema)
    let report = try database.load(
      [
        .ndjson(type: "User", text: #"{"id": 1, "name": "Ada"}"# + "\n{}"),
        .values(type: "User", [["id": 2, "name": "Bo"]]),
      ], options: LoadOptions(skipsBadRecords: true))
    let query = try database.prepare("query Q($id: ID!) { user(id: $id) { name } }")
    let change = try database.schemaChange(to: "type User { id: ID! name: String! age: Int }")
    let error = try #require(throws: QueryError.self) { try database.run("{ User { nmae } }") }
    let values: [Any] = [
      database, database.view(), query, query.variables, try query.run(["id": 1]), report, error, error.problems,
      error.problems.map(\.severity), QueryCancellation(), RunOptions(timeout: .seconds(1)), QueryLimits.serve,
      QueryDialect.extended, ConflictResolution.patch, CommandArgument("a", type: "ID!"), FunctionType.list(.int),
      change, change.differences, change.differences.map(\.kind), change.losses,
      ["a": [1, 2.5, nil, true, .number("1.50"), "x"]] as Value, Value.Member("a", 1), LoadOptions(),
      DataSource.values(type: "User", [["id": 1]]),
    ]
    for value in values {
      for text in ["\(value)", String(reflecting: value), "\([value])"] {
        #expect(!text.contains(#/GQL(?!ite\.)\w+\./#), "\(text)")
      }
    }
    try database.transaction { #expect("\($0)" == "DatabaseTransaction(User: 2)") }
    #expect("\(database)" == "Database(User: 2)" && "\(query)" == "PreparedQuery(Q)")
    #expect("\(QueryLimits.standard)" == "QueryLimits()" && "\(query.variables)" == "[$id: ID!]")
    #expect("\(try #require(error.problems.first))".hasPrefix("error[unknown-field]: query:1:10: "))
  }

  @Test("texts, data and files") func sources() throws {
    let folder = try TemporaryFolder()
    let schema = URL(filePath: try folder.write("schema.graphql", Self.schema))
    let database = try Database(schemaAt: schema)
    try database.load([
      .ndjson(type: "User", text: #"{"id": 1, "name": "a"}"#),
      .ndjson(type: "User", data: Data(#"{"id": 2, "name": "b"}"#.utf8)),
      .json(text: #"{"User": [{"id": 3, "name": "c"}]}"#),
      .json(type: "User", data: Data(#"[{"id": 4, "name": "d"}]"#.utf8)),
      .csv(type: "User", text: "id,name\n5,e\n"), .csv(type: "User", data: Data("id,name\n6,f\n".utf8)),
      .url(URL(filePath: try folder.write("User.ndjson", #"{"id": 7, "name": "g"}"#))),
    ])
    let file = URL(filePath: try folder.write("all.query", "query A { User { name } } query N { n: count(User) }"))
    #expect(try database.prepare(contentsOf: file, operation: "N").run().jsonString == #"{"n":7}"#)
    #expect(problem { _ = try database.prepare(contentsOf: file) }?.code == "several-operations")
    #expect(problem { _ = try database.prepare(contentsOf: file, operation: "B") }?.code == "unknown-operation")
    #expect(problem { _ = try Database(schemaAt: schema.appending(path: "no")) }?.code == "unreadable-file")
    let remote = try #require(URL(string: "https://example.org/User.json"))
    #expect(problem { try database.load(contentsOf: remote) }?.file == "https://example.org/User.json")
    #expect(try Value(json: "[1, 1.50]") == [1, .number("1.50")])
    #expect(try Value(json: Data("[null]".utf8)) == [nil])
    #expect(problem { _ = try Value(json: "[1,") }?.code == "invalid-json")
  }

  @Test("query is another name for run") func synonym() throws {
    let database = try Database(schema: Self.schema)
    #expect(try database.query("{ n: count(User) }") == database.run("{ n: count(User) }"))
  }
}
