import GQLBase
import Testing

@testable import GQLEngine

/// Mutations of lists of embedded objects, relations inside embedded objects, and relations to interfaces and unions:
/// the store stays consistent, and a failure leaves no trace.
@Suite struct MutationShapesTests {
  static let schema = """
    interface Named { id: ID! name: String }
    union Thing = User | Tool
    type User implements Named {
      id: ID!
      name: String
      lines: [Line!]!
      post: Post
      likes: [Thing!]!
      boss: Named
    }
    type Tool implements Named { id: ID! name: String }
    type Line { what: String! tool: Tool! subs: [Line!] about: Thing }
    type Post { holder: User! all: [Tool!]! lines: [Line!] }
    """

  static func database() throws -> Database {
    let database = try Database(schema: schema)
    _ = try database.query(
      """
      mutation {
        insertTool(data: [{id: 1, name: "saw"}, {id: 2}, {id: 3}])
        insertUser(data: [
          {id: "a", lines: [{what: "x", tool: 1, subs: [{what: "y", tool: 2, about: "1"}]}, {what: "z", tool: 1}], likes: ["1", "2"]}
          {id: "b", post: {holder: "a", all: [2, 1], lines: [{what: "p", tool: 2}]}, boss: "a", likes: [{__typename: "User", id: "a"}]}
        ])
      }
      """)
    return database
  }

  @Test(arguments: [
    #"updateUser(where: id == "a", set: {lines: []})"#,
    #"updateUser(where: id == "a", set: {lines: {append: .lines}})"#,
    #"updateUser(all: true, set: {lines: {append: [{what: id, tool: 3, subs: [{what: "s", tool: 3}]}]}, likes: [.]})"#,
    #"updateUser(where: id == "b", set: {post: null, boss: .})"#,
    #"updateUser(where: id == "b", set: {post: {holder: ., lines: {append: [{what: "q", tool: 3}]}}, likes: []})"#,
    #"updateUser(where: id == "b", set: {post: {holder: "b", all: {remove: [2]}, lines: post.lines}})"#,
    #"upsertUser(data: [{id: "a", name: "A"}, {id: "b", lines: [{what: "n", tool: 1}]}], strategy: REPLACE)"#,
    #"upsertUser(data: [{id: "a", lines: [{what: "n", tool: {id: 9}}]}, {id: "a", lines: []}], strategy: APPEND)"#,
    #"upsertUser(data: [{id: "a", lines: [{what: "n", tool: 1}], likes: []}], strategy: KEEP)"#,
    #"upsertUser(data: [{id: "a", name: "1", lines: [{what: "n", tool: 1}]}, {id: "a", name: "0", lines: [{what: "m", tool: 1, subs: [{what: "o", tool: 2}]}], post: {holder: "a"}}], strategy: LAST_WRITE_WINS, by: name)"#,
    #"deleteUser(where: id == "b", hard: true)"#,
    #"deleteUser(where: id == "b") again: restoreUser(all: true) again2: deleteUser(all: true, hard: true) { id }"#,
    #"deleteUser(all: true) restoreUser(all: true) { id } updateUser(all: true, set: {lines: []})"#,
    #"deleteUser(all: true) insertUser(data: [{id: "a", lines: [{what: "n", tool: 1}]}, {id: "b"}])"#,
  ]) func staysConsistent(_ fields: String) throws {
    let database = try Self.database()
    let answer = try database.query("mutation { \(fields) }")
    #expect(database.check() == [], "\(answer.jsonString)")
  }

  /// A link to what is not there yet connects when that comes, also for a source that was deleted meanwhile.
  @Test(arguments: [false, true]) func danglingLinksOfTheDeleted(_ isToMany: Bool) throws {
    let field = isToMany ? "to: [B!]! @relation(inverse: \"from\")" : "to: B @relation(inverse: \"from\")"
    let database = try Database(
      schema: "type A { id: ID! \(field) } type B { id: ID! from: [A!]! @relation(inverse: \"to\") }")
    let rows = isToMany ? #"{"id": 1, "to": [7, 8]}"# : #"{"id": 1, "to": 7}"#
    try database.load([.ndjson(type: "A", bytes: Array(rows.utf8))])
    _ = try database.query("mutation { deleteA(where: id == 1) insertB(data: [{id: 7}, {id: 8}]) }")
    #expect(database.check() == [])
    _ = try database.query("mutation { restoreA(all: true) }")
    #expect(database.check() == [])
    let expected = isToMany ? #"[{"id":7},{"id":8}]"# : #"{"id":7}"#
    let answer = try database.query("{ A { to { id } } B(where: id == 7) { from { id } } }").jsonString
    #expect(answer == #"{"A":[{"to":\#(expected)}],"B":[{"from":[{"id":1}]}]}"#)
  }

  @Test(arguments: [
    #"updateUser(where: id == "a", set: {lines: [{what: "n", tool: 404}]})"#,
    #"updateUser(where: id == "a", set: {likes: {append: ["404"]}, lines: []})"#,
    #"updateUser(where: id == "b", set: {post: {holder: "404", all: [3]}})"#,
    #"insertUser(data: [{id: "c", lines: [{what: "n", tool: 1}]}, {id: "c"}])"#,
    #"deleteTool(where: id == 2)"#,
    #"deleteUser(where: id == "a", hard: true)"#,
    #"updateUser(all: true, set: {post: null, lines: []}) deleteUser(all: true) x: insertUser(data: {id: "z", boss: "404"})"#,
  ]) func aFailureLeavesNoTrace(_ fields: String) throws {
    let database = try Self.database()
    let view = database.view()
    let digest = view.snapshot.memoryDigest
    #expect(throws: QueryError.self) { try database.query("mutation { \(fields) }") }
    #expect(database.view().snapshot === view.snapshot && view.snapshot.memoryDigest == digest)
    #expect(database.check() == [])
  }

  /// Objects of a variable inside each other are saved a hundred deep; what is deeper names the limit.
  @Test func deepObjectsOfVariables() throws {
    let schema = """
      type N { id: ID! next: N @relation(inverse: "before") before: [N!]! @relation(inverse: "next") }
      """
    func chain(_ depth: Int, _ field: String) -> Value {
      (1..<depth).reversed().reduce(["id": .int(Int64(depth))]) { inner, number in
        ["id": .int(Int64(number)), .init(field): field == "before" ? [inner] : inner]
      }
    }
    for field in ["next", "before"] {
      let database = try Database(schema: schema)
      let insert = try database.prepare("mutation($d: NInput!) { insertN(data: $d) }")
      let error = #expect(throws: QueryError.self) { try insert.run(["d": chain(101, field)]) }
      #expect(error?.problems.map(\.code) == ["depth-limit"])
      let steps = field == "before" ? "before[0]" : "next"
      // A step is a field or an element; twelve are shown from either end.
      let shown = Array(repeating: steps, count: field == "before" ? 6 : 12).joined(separator: ".")
      #expect(error?.problems.first?.message.hasPrefix("$d.\(shown) … ") == true, "\(error?.description ?? "")")
      #expect(error?.problems.first?.message.hasSuffix(": nested deeper than 100 levels") == true)
      #expect(try insert.run(["d": chain(100, field)]).jsonString == #"{"insertN":1}"#)
      #expect(database.count(of: "N") == 100 && database.check() == [])
    }
  }
}
