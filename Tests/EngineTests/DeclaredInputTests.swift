import GQLite
import Testing

/// Input types and directives that a schema declares for documents.
@Suite struct DeclaredInputTests {
  private static let schema = """
    "Marks a field."
    directive @mark(why: String = "x") on FIELD
    "From and to."
    input Range { from: Int! = 0, to: Int! }
    input AInput { never: Int }
    type A { id: ID! n: Int }
    """

  private func database() throws -> Database {
    let database = try Database(schema: Self.schema)
    try database.load([.lines("A", (1...5).map { #"{"id":"a\#($0)","n":\#($0)}"# }.joined(separator: "\n"))])
    return database
  }

  @Test func documentsUseWhatTheSchemaDeclares() throws {
    let database = try database()
    let query = try database.prepare(
      "query($r: Range!) { A(where: n >= $r.from and n <= $r.to) @mark { id @mark(why: \"y\") } }")
    #expect(query.variables.map(\.type) == ["Range!"])
    #expect(try query.run(["r": ["to": 1]]).jsonString == #"{"A":[{"id":"a1"}]}"#)
    #expect(try query.run(["r": ["from": 5, "to": 9]]).jsonString == #"{"A":[{"id":"a5"}]}"#)
    for wrong in [["r": ["from": 1]], ["r": ["to": "x"]], ["r": ["to": 1, "more": 2]], ["r": 5], ["r": nil], [:]]
      as [[String: Value]]
    {
      #expect(throws: QueryError.self) { try query.run(wrong) }
    }
    #expect(throws: QueryError.self) { try database.query("{ A { id @mark(when: 1) } }") }
  }

  /// What is generated has the name, whatever the schema says.
  @Test func generatedInputsGoFirst() throws {
    let answer = try database().query(
      "mutation($a: AInput!) { insertA(data: $a) { id n } }", ["a": ["id": "a9", "n": 9]])
    #expect(answer.jsonString == #"{"insertA":[{"id":"a9","n":9}]}"#)
  }

  @Test func theSchemaKeepsThem() throws {
    let database = try database()
    let printed = database.schema
    #expect(printed.contains("directive @mark(why: String = \"x\") on FIELD") && printed.contains("input Range {"))
    #expect(try Database(schema: printed).schema == printed)
    let type = try database.query(#"{ __type(name: "Range") { kind description inputFields { name defaultValue } } }"#)
    #expect(
      type.jsonString
        == #"{"__type":{"kind":"INPUT_OBJECT","description":"From and to.","inputFields":[{"name":"from","defaultValue":"0"},{"name":"to","defaultValue":null}]}}"#
    )
    try database.changeSchema(to: printed + "\ntype B { id: ID! }", allowingLoss: true)
    #expect(try database.query("query($r: Range!) { x := $r.to }", ["r": ["to": 2]]).jsonString == #"{"x":2}"#)
  }

  /// Defaults that refer to their own type end with an error.
  @Test func endlessDefaults() throws {
    let text = "input L { a: L = {} b: L = {} } query($l: L) { x := $l } { y := 1 }"
    #expect(throws: QueryError.self) { try Database().prepareAll(text).forEach { _ = try $0.run(["l": [:]]) } }
  }
}
