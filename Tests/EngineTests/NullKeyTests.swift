import GQLite
import Testing

/// Changes of what a unique key finds, where the key is null: null equals null, as in queries.
@Suite struct NullKeyTests {
  private func database() throws -> Database {
    let database = try Database(schema: "type User { id: ID! email: String @unique no: Int @unique name: String }")
    try database.run(
      #"mutation { insertUser(data: [{id: 1, name: "a"}, {id: 2, name: "b"}, {id: 3, email: "c", no: 3, name: "c"}]) }"#
    )
    return database
  }

  @Test(arguments: ["email: String", "no: Int"]) func updatesAndDeletes(_ field: String) throws {
    let (name, type) = (String(field.prefix { $0 != ":" }), String(field.split(separator: " ")[1]))
    for _ in 0..<2 {
      let database = try database()
      let update = #"updateUser(where: \#(name) == $k, set: {name: "z"}) { id }"#
      let found = try database.run("query($k: \(type)) { User(where: \(name) == $k) { id } }", ["k": .null])
      #expect(found.jsonString == #"{"User":[{"id":1},{"id":2}]}"#)
      let changed = try database.run("mutation($k: \(type)) { a: \(update) b: \(update) }", ["k": .null])
      #expect(changed.jsonString == #"{"a":[{"id":1},{"id":2}],"b":[{"id":1},{"id":2}]}"#)
      let prepared = try database.prepare("mutation($k: \(type)) { deleteUser(where: \(name) == $k) }")
      #expect(try prepared.run(["k": .null]).jsonString == #"{"deleteUser":2}"#)
      #expect(try prepared.run(["k": .null]).jsonString == #"{"deleteUser":0}"#)
      #expect(try database.run("{ User { id name } }").jsonString == #"{"User":[{"id":3,"name":"c"}]}"#)
    }
  }

  /// What an earlier field has made is found by its key in the same operation, and what it has taken away is not.
  @Test func laterFieldsSeeEarlierOnes() throws {
    let answer = try database().run(
      #"""
      mutation {
        insertUser(data: {id: 4, email: "d"})
        a: updateUser(where: email == "d", set: {email: "e"})
        b: updateUser(where: email == "d", set: {name: "no"})
        c: deleteUser(where: email == "e")
        d: deleteUser(where: id == 4)
        e: deleteUser(where: id == 3)
      }
      """#)
    #expect(answer.jsonString == #"{"insertUser":1,"a":1,"b":0,"c":1,"d":0,"e":1}"#)
  }
}
