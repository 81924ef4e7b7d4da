import GQLBase
import Testing

@testable import GQLEngine

/// Mutations as a program runs them: transactions, commands, conflicts, and that a failure leaves no trace.
@Suite struct MutationTests {
  static let schema = """
    type User {
      id: ID!
      email: String @unique
      name: String!
      age: Int @index
      balance: Int = 0
      friends: [User!]! @relation(inverse: "friends")
      posts: [Post!]! @relation(inverse: "author", onDelete: CASCADE)
    }
    type Post { id: ID! text: String author: User! @relation(inverse: "posts") }
    """

  static func database() throws -> Database {
    let database = try Database(schema: schema)
    let users = """
      {"id": 1, "email": "a@x", "name": "Ann", "age": 30, "balance": 100, "friends": [2]}
      {"id": 2, "email": "b@x", "name": "Bob", "age": 20, "balance": 10}
      {"id": 3, "name": "Eve"}
      """
    try database.load([.ndjson(type: "User", bytes: Array(users.utf8))])
    try database.load([.ndjson(type: "Post", bytes: Array(#"{"id": 1, "text": "hi", "author": 1}"#.utf8))])
    return database
  }

  static let all = "{ User { id email name age balance friends { id } posts { id text author { id } } } Post { id } }"

  @Test func preparedMutationsRunAgain() throws {
    let database = try Self.database()
    let insert = try database.prepare(
      "mutation($id: ID!, $n: String!) { insertUser(data: {id: $id, name: $n}) { id name } }")
    for number in 10..<20 {
      let answer = try insert.run(["id": .int(Int64(number)), "n": "N"])
      #expect(answer.jsonString == #"{"insertUser":[{"id":\#(number),"name":"N"}]}"#)
    }
    #expect(database.count(of: "User") == 13)
    let update = try database.prepare(
      "mutation($id: ID!) { updateUser(where: id == $id, set: {balance: balance + 1}) { balance } }")
    for expected in 11...13 {
      #expect(try update.run(["id": 2]).jsonString == #"{"updateUser":[{"balance":\#(expected)}]}"#)
    }
    #expect(database.check() == [])
  }

  @Test func viewsStayAsTheyWere() throws {
    let database = try Self.database()
    let view = database.view()
    let digest = view.snapshot.memoryDigest
    _ = try database.query(
      "mutation { deleteUser(where: id == 1) updateUser(where: id == 2, set: {name: \"B\"}) { id } }")
    #expect(view.count(of: "User") == 3)
    #expect(view.snapshot.memoryDigest == digest)
    let query = try database.prepare("mutation { insertUser(data: {id: 9, name: \"N\"}) }")
    #expect(throws: QueryError.self) { try query.run(on: view) }
    do {
      _ = try query.run(on: view)
    } catch {
      #expect(error.problems.map(\.code) == ["read-only"])
    }
  }

  /// Each fails at its end, behind changes of every kind.
  @Test(arguments: [
    #"updateUser(where: id == 1, set: {age: 1 % 0}) { id }"#,
    #"insertUser(data: [{id: 20, name: "N"}, {id: 1, name: "A"}])"#,
    #"insertUser(data: [{id: 20, name: "N", posts: [{id: 5, text: "p"}]}, {id: 21, email: "b@x", name: "A"}])"#,
    #"insertUser(data: {id: 20, name: "N", friends: [{id: 22, name: "F"}, 404]})"#,
    #"insertPost(data: [{id: 7, author: 1}, {id: 8}])"#,
    #"updateUser(where: id == 1, set: {posts: []})"#,
    #"upsertUser(data: [{id: 1, name: "Z"}, {id: 2, name: "Y"}], strategy: PATCH, set: {age: old.age * 9223372036854775807})"#,
    #"upsertUser(data: {id: 1, age: 5}, strategy: REPLACE)"#,
    #"insertPost(data: {id: 1, author: 1})"#,
  ])
  func failuresLeaveNoTrace(_ field: String) throws {
    let database = try Self.database()
    let before = database.current
    let digest = before.memoryDigest
    let text = try database.query(Self.all).jsonString
    let mutation = """
      mutation {
        insertUser(data: {id: 50, name: "X", friends: [1, 2], posts: [{id: 51, text: "t"}]}) { id }
        updateUser(where: age > 0, set: {age: age + 1, name: name + "!", friends: {append: [3]}}) { id }
        deleteUser(where: id == 3)
        \(field)
      }
      """
    #expect(throws: QueryError.self) { try database.query(mutation) }
    #expect(database.current === before)
    #expect(before.memoryDigest == digest)
    #expect(database.check() == [])
    #expect(try database.query(Self.all).jsonString == text)
    // What was refused does not stand in the way of what is right.
    _ = try database.query(#"mutation { insertUser(data: {id: 20, email: "c@x", name: "N"}) }"#)
    #expect(database.check() == [])
  }

  // MARK: - Transactions

  @Test func transactionsAreOneChange() throws {
    let database = try Self.database()
    let move = try database.prepare(
      "mutation($id: ID!, $by: Int!) { updateUser(where: id == $id, set: {balance: balance + $by}) { balance } }")
    let version = database.current.version
    let sum = try database.transaction { transaction in
      try transaction.run(move, ["id": 1, "by": -5])
      let seen = try transaction.run(move, ["id": 2, "by": 5]).jsonString
      #expect(seen == #"{"updateUser":[{"balance":15}]}"#)
      #expect(try database.query("{ user(id: 1) { balance } }").jsonString == #"{"user":{"balance":100}}"#)
      return try transaction.run("{ s: sum(User.balance) }").value["s"]?.int
    }
    #expect(sum == 110)
    #expect(database.current.version > version)
    #expect(try database.query("{ user(id: 1) { balance } }").jsonString == #"{"user":{"balance":95}}"#)
  }

  @Test func failedTransactionsLeaveNoTrace() throws {
    struct Stop: Error {}
    let database = try Self.database()
    let before = database.current
    #expect(throws: Stop.self) {
      try database.transaction { transaction in
        try transaction.run("mutation { deleteUser(all: true) }")
        throw Stop()
      }
    }
    #expect(database.current === before)
    // An error that is caught fails the transaction all the same.
    #expect(throws: QueryError.self) {
      try database.transaction { transaction in
        try transaction.run("mutation { deleteUser(where: id == 3) }")
        _ = try? transaction.run("mutation { insertUser(data: {id: 1, name: \"x\"}) }")
      }
    }
    #expect(database.current === before)
    #expect(database.count(of: "User") == 3)
  }

  @Test func writingBesideTheTransactionIsAnError() throws {
    let database = try Self.database()
    var kept: DatabaseTransaction?
    var code = ""
    try database.transaction { transaction in
      kept = transaction
      do {
        _ = try database.query("mutation { deleteUser(where: id == 3) }")
      } catch {
        code = "\(error)"
      }
    }
    #expect(code.contains("nested-transaction"))
    let ended = try #require(kept)
    do {
      try ended.run("{ User { id } }")
    } catch {
      code = "\(error)"
    }
    #expect(code.contains("transaction-ended"))
    #expect(database.count(of: "User") == 3)
  }

  @Test func manyInsertsInOneTransaction() throws {
    let database = try Self.database()
    let insert = try database.prepare(
      "mutation($id: ID!, $name: String!, $age: Int) { insertUser(data: {id: $id, name: $name, age: $age}) }")
    try database.transaction { transaction in
      for number in 100..<3100 {
        try transaction.run(
          insert, ["id": .int(Int64(number)), "name": "somebody with a long name", "age": .int(Int64(number % 90))])
      }
    }
    #expect(database.count(of: "User") == 3003)
    #expect(database.check() == [])
    #expect(try database.query("{ n: count(User(where: age == 10)) }").jsonString == #"{"n":34}"#)
  }

  // MARK: - Conflicts

  @Test func programsDecideConflicts() throws {
    for (resolution, expected) in [
      (
        ConflictResolution.keep,
        #"[{"id":1,"name":"Ann","age":30,"email":"a@x"},{"id":2,"name":"Bob","age":20,"email":"b@x"},{"id":3,"name":"Eve","age":null,"email":null}]"#
      ),
      (
        .replace,
        #"[{"id":2,"name":"Bob","age":20,"email":"b@x"},{"id":3,"name":"Eve","age":null,"email":null},{"id":9,"name":"New","age":null,"email":"a@x"}]"#
      ),
      (
        .patch,
        #"[{"id":1,"name":"New","age":30,"email":"a@x"},{"id":2,"name":"Bob","age":20,"email":"b@x"},{"id":3,"name":"Eve","age":null,"email":null}]"#
      ),
    ] {
      let database = try Self.database()
      try database.onConflict("User.email") { existing, new in
        existing["name"] == "Ann" && new["id"] == 9 ? resolution : .fail
      }
      _ = try database.query(#"mutation { insertUser(data: {id: 9, name: "New", email: "a@x"}) { id } }"#)
      #expect(try database.query("{ User { id name age email } }").jsonString == #"{"User":\#(expected)}"#)
      #expect(throws: QueryError.self) {
        try database.query(#"mutation { insertUser(data: {id: 10, name: "New", email: "b@x"}) }"#)
      }
      #expect(database.check() == [])
    }
    #expect(throws: QueryError.self) { try Self.database().onConflict("User.age") { _, _ in .fail } }
  }

  // MARK: - Commands

  @Test func commandsAreMutationFields() throws {
    struct Refused: Error, CustomStringConvertible { let description = "not that one" }
    let database = try Self.database()
    try database.registerCommand(
      "rename", arguments: [CommandArgument("id", type: "ID!"), CommandArgument("name", type: "String!")],
      returns: "User"
    ) { transaction, arguments in
      if arguments["id"] == 3 { throw Refused() }
      try transaction.run(
        "mutation($id: ID!, $name: String!) { updateUser(where: id == $id, set: {name: $name}) }", arguments)
      return arguments["id"] ?? .null
    }
    try database.registerCommand("total", arguments: [CommandArgument("plus", type: "Int")], returns: "Int!") {
      transaction, arguments in
      let sum = try transaction.run("{ s: sum(User.balance) }").value["s"]?.int ?? 0
      return .int(sum + (arguments["plus"]?.int ?? 0))
    }
    try database.registerCommand("everybody", returns: "[User!]!") { transaction, _ in
      .list(try transaction.run("{ User(orderBy: -id) { id } }").value["User"]?.list?.map { $0["id"] ?? .null } ?? [])
    }
    let answer = try database.query(
      #"mutation { a: rename(id: 1, name: "Anna") { id name } total(plus: 1 + 1) b: total everybody { name } updateUser(where: name == "Anna", set: {age: 1}) }"#
    )
    #expect(
      answer.jsonString
        == #"{"a":{"id":1,"name":"Anna"},"total":112,"b":110,"everybody":[{"name":"Eve"},{"name":"Bob"},{"name":"Anna"}],"updateUser":1}"#
    )
    let before = database.current
    do {
      _ = try database.query(#"mutation { a: rename(id: 1, name: "Zed") { id } b: rename(id: 3, name: "Q") { id } }"#)
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.problems.map(\.code) == ["command-failed"])
      #expect(error.description.contains("not that one"))
    }
    #expect(database.current === before)
    for (text, code) in [
      ("mutation { rename(id: 1) { id } }", "missing-argument"), ("mutation { total(plus: \"x\") }", "wrong-type"),
      ("mutation { total(minus: 1) }", "unknown-argument"), ("mutation { total { x } }", "selection-on-value"),
      ("mutation { totl }", "unknown-mutation"),
    ] {
      do {
        _ = try database.query(text)
        Issue.record("nothing was thrown")
      } catch {
        #expect(error.problems.map(\.code) == [code], "\(text)")
      }
    }
    #expect(throws: QueryError.self) { try database.registerCommand("insertUser") { _, _ in .null } }
    #expect(throws: QueryError.self) { try database.registerCommand("total") { _, _ in .null } }
    #expect(throws: QueryError.self) { try database.registerCommand("x", returns: "Nothing") { _, _ in .null } }
  }

  @Test("behind a command that runs an operation, changes still get the time of their own") func timeBehindCommand()
    throws
  {
    let database = try Database(schema: "type Note { id: ID! text: String }")
    try database.registerCommand("touch") { transaction, _ in
      try transaction.run(
        #"mutation { insertNote(data: {id: 1, text: "a"}) }"#, options: RunOptions(now: 1_000_000)
      )
      .value["insertNote"] ?? .null
    }
    let answer = try database.query(
      "mutation { touch insertNote(data: {id: 2}) Note { id _createdAt } }", options: RunOptions(now: 5_000_000))
    #expect(
      answer.jsonString.hasSuffix(
        #""Note":[{"id":1,"_createdAt":"1970-01-01T00:00:01Z"},{"id":2,"_createdAt":"1970-01-01T00:00:05Z"}]}"#),
      "\(answer.jsonString)")
  }
}
