import Foundation
import GQLStore
import Testing

@testable import GQLEngine

/// Statements that are committed behind each other into one version until somebody looks.
@Suite struct OpenVersionTests {
  private static let schema = """
    type Owner {
      id: ID! name: String! email: String @unique
      accounts: [Account!]! @relation(inverse: "owner")
      papers: [Paper!]! @relation(inverse: "owner", onDelete: CASCADE)
    }
    type Account {
      id: ID! title: String! amount: Int! @index note: String
      owner: Owner! @relation(inverse: "accounts")
    }
    type Paper { id: ID! owner: Owner @relation(inverse: "papers") }
    type Word { id: ID! text: String! @trigram }
    type Letter { id: ID! text: String! @fulltext(language: "none") }
    """

  private func database(owners: Int = 2) throws -> Database {
    let database = try Database(schema: Self.schema)
    for id in 1...owners {
      _ = try database.query(
        "mutation($id: ID!, $e: String) { insertOwner(data: {id: $id, name: \"O\", email: $e}) }",
        ["id": .int(Int64(id)), "e": .string("e\(id)")])
    }
    _ = database.current
    return database
  }

  private func insert(_ database: Database, _ ids: ClosedRange<Int>, owner: Int = 1) throws {
    let insert = try database.prepare(
      """
      mutation($id: ID!, $t: String!, $n: Int!, $o: ID!) {
        insertAccount(data: {id: $id, title: $t, amount: $n, owner: $o})
      }
      """)
    for id in ids {
      let answer = try insert.run([
        "id": .int(Int64(id)), "t": .string("account \(id)"), "n": .int(Int64(id)), "o": .int(Int64(owner)),
      ])
      #expect(answer.jsonString == #"{"insertAccount":1}"#)
    }
  }

  @Test("a link is to whoever has its id when all rows are in") func replacedTargets() throws {
    let database = try Database(
      schema: """
        type User {
          id: ID! email: String @unique(onConflict: REPLACE)
          friend: User @relation(inverse: "friendOf") friendOf: [User!]! @relation(inverse: "friend")
        }
        """)
    _ = try database.query("mutation { insertUser(data: {id: 7, email: \"a\"}) }")
    let insert = try database.prepare(
      "mutation($id: ID!, $e: String, $f: ID) { insertUser(data: {id: $id, email: $e, friend: $f}) }")
    // The new user takes the place of the one that it names.
    let refused = #expect(throws: QueryError.self) {
      try insert.run(["id": .int(8), "e": .string("a"), "f": .int(7)])
    }
    #expect(refused?.problems.first?.code == "unknown-id")
    #expect(try database.query("{ User { id } }").jsonString == #"{"User":[{"id":7}]}"#)
    _ = try database.query(
      "mutation { insertUser(data: [{id: 8, email: \"a\", friend: 7}, {id: 7, email: \"b\"}]) }")
    #expect(
      try database.query("{ User { id email friend { email } } }").jsonString
        == #"{"User":[{"id":8,"email":"a","friend":{"email":"b"}},{"id":7,"email":"b","friend":null}]}"#)
    // Null is no target, and what is not given is as before.
    _ = try insert.run(["id": .int(9), "e": .null, "f": .null])
    _ = try insert.run(["id": .int(10)])
    _ = try insert.run(["id": .string("x"), "e": .string("c"), "f": .string("9")])
    #expect(
      try database.query("{ User(where: id in [\"9\", \"10\", \"x\"]) { id email friend { id } } }").jsonString
        == #"{"User":[{"id":9,"email":null,"friend":null},{"id":10,"email":null,"friend":null},{"id":"x","email":"c","friend":{"id":9}}]}"#
    )
  }

  @Test("a cell is not replaced in place where that moves the long list of an index") func longLists() throws {
    let database = try Database(
      schema: "type M { id: Int! few: Int! @index(kind: HASH) many: Int! @index(kind: HASH) }")
    try database.load([
      .lines("M", (0..<4_000).map { #"{"id": \#($0), "few": \#($0 % 2), "many": \#($0)}"# }.joined(separator: "\n"))
    ])
    let access = CellAccess(database)
    let type = try #require(database.catalog.types.first { $0.name == "M" })
    func replace(_ name: String, with value: Int64) throws -> Int64? {
      let column = try #require(type.columns.first { $0.name == name })
      let point = try #require(PointColumn(type.id, column.id, in: database.catalog))
      return try access.replace(point, with: Cell(value)) { _ in 7 }
    }
    #expect(try replace("few", with: 0) == nil)
    #expect(try replace("many", with: 99) != nil)
    #expect(
      try database.run("{ a: M(where: many == 99) { id } b: count(M(where: few == 0)) }").jsonString
        == #"{"a":[{"id":7},{"id":99}],"b":2000}"#)
  }

  @Test("a large variable counts towards the memory of a run") func largeVariables() throws {
    let database = try database()
    let delete = try database.prepare("mutation($n: String!) { deleteOwner(where: name == $n) }")
    let text = String(repeating: "x", count: 5 << 20)
    let failure = #expect(throws: QueryError.self) {
      try delete.run(["n": .string(text)], options: RunOptions(maximumMemory: 1 << 20))
    }
    #expect(failure?.problems.first?.code == "memory")
    #expect(try delete.run(["n": .string("nobody")]).jsonString == #"{"deleteOwner":0}"#)
  }

  @Test("statements gather until somebody looks, who sees all of them") func gathering() throws {
    let database = try database()
    try insert(database, 1...10)
    #expect(database.unpublishedCount == 10)
    _ = try database.query("mutation { updateAccount(where: id == 3, set: {amount: amount + 100, title: \"third\"}) }")
    _ = try database.query("mutation { deleteAccount(where: id == 4) }")
    _ = try database.query("mutation { upsertAccount(data: {id: 5, note: \"n\"}) }")
    _ = try database.query("mutation { updateAccount(where: id == 999, set: {amount: 0}) }")
    // The last one changed nothing.
    #expect(database.unpublishedCount == 13)
    let question = """
      { n: count(Account) s: sum(Account.amount) found: Account(where: title matches "third") { id amount }
        Owner { id k := count(accounts) } deleted: Account(deleted: ONLY) { id } noted: Account(where: note != null) { id } }
      """
    #expect(
      try database.query(question).jsonString
        == #"{"n":9,"s":151,"found":[{"id":3,"amount":103}],"Owner":[{"id":1,"k":9},{"id":2,"k":0}],"#
        + #""deleted":[{"id":4}],"noted":[{"id":5}]}"#)
    #expect(database.unpublishedCount == 0)
    #expect(database.check().isEmpty)
  }

  @Test("a view is what it was, whatever is committed behind it") func views() throws {
    let database = try database()
    try insert(database, 1...3)
    let view = database.view()
    let digest = view.snapshot.memoryDigest
    try insert(database, 4...30)
    _ = try database.query("mutation { deleteAccount(where: id == 2) }")
    _ = try database.query("mutation { updateAccount(where: id == 1, set: {amount: 50, owner: 2}) }")
    #expect(view.count(of: "Account") == 3)
    #expect(view.snapshot.memoryDigest == digest)
    #expect(database.count(of: "Account") == 29)
    #expect(view.snapshot.memoryDigest == digest)
  }

  @Test("a statement that fails half way is taken out again, and those before it stay") func failures() throws {
    let database = try database(owners: 3)
    try insert(database, 1...5)
    let before = database.unpublishedCount
    #expect(before == 5)
    // Each of these has written something when it is refused.
    let refused = [
      (#"mutation { updateOwner(where: id == 1, set: {name: "X", email: "e2"}) }"#, "unique-violation"),
      (#"mutation { insertAccount(data: {id: 6, title: "t", amount: 1, owner: 77}) }"#, "unknown-id"),
      (#"mutation { insertAccount(data: {id: 7, title: "t", amount: 1}) }"#, "missing-value"),
      (#"mutation { deleteOwner(where: id == 1) }"#, "required-reference"),
      (
        #"mutation { updateAccount(where: id == 1, set: {note: "n", amount: 1 + 9223372036854775807 * amount + 1}) }"#,
        "overflow"
      ),
      (#"mutation { insertOwner(data: [{id: 8, name: "n"}, {id: 9, name: "m", email: "e3"}]) }"#, "unique-violation"),
    ]
    for (number, (text, code)) in refused.enumerated() {
      #expect {
        try database.query(text)
      } throws: { error in
        (error as? QueryError)?.problems.map(\.code) == [code]
      }
      // Those between the failures stay as well.
      try insert(database, (10 + number)...(10 + number), owner: 2)
    }
    #expect(
      try database.query(
        "{ Owner { id name email k := count(accounts) } n: count(Account) noted: count(Account(where: note != null)) }"
      ).jsonString
        == #"{"Owner":[{"id":1,"name":"O","email":"e1","k":5},{"id":2,"name":"O","email":"e2","k":6},"#
        + #"{"id":3,"name":"O","email":"e3","k":0}],"n":11,"noted":0}"#)
    #expect(database.check().isEmpty)
    // What was refused is free.
    _ = try database.query(#"mutation { insertOwner(data: {id: 8, name: "n"}) }"#)
    #expect(database.count(of: "Owner") == 4)
  }

  @Test(
    "what may take long has a version of its own",
    arguments: [
      "mutation { updateAccount(where: amount >= 0, set: {note: \"n\"}) }",
      "mutation { updateAccount(where: id in [1, 2], set: {note: \"n\"}) }",
      "mutation { updateOwner(where: email == null, set: {name: \"n\"}) }",
      "mutation { updateOwner(where: email == \"e2\", set: {name: \"n\"}) }",
      "mutation { updateAccount(where: id == 1, set: {title: title + \"n\"}) }",
      "mutation { updateLetter(where: id == 1, set: {text: \"n\"}) }",
      "mutation { insertAccount(data: {id: 92, title: \"\(String(repeating: "t", count: 5000))\", amount: 1, owner: 1}) }",
      "mutation { a: deleteAccount(where: id == 1) b: deleteAccount(where: id == 2) }",
      "mutation { deleteOwner(where: id == 2) }",
      "mutation { insertOwner(data: {id: 9, name: \"n\", accounts: [{id: 90, title: \"t\", amount: 1}]}) }",
      "mutation { insertAccount(data: {id: 91, title: \"t\", amount: 1, owner: 1}) { id owner { accounts { id } } } }",
      "mutation { updateOwner(where: id == 1, set: {accounts: {append: 3}}) }",
      "mutation { insertWord(data: {id: 1, text: \"word\"}) }",
      "mutation { updateAccount(where: id == 1, set: {amount: twice(amount)}) }",
      "mutation { updateAccount(where: id == 1, set: {amount: count(Account)}) }",
      "mutation { restoreAccount(where: id == 1) }",
    ]) func longStatements(_ text: String) throws
  {
    let database = try database()
    try database.register(function: "twice") { (value: Int64) in value * 2 }
    try insert(database, 1...4)
    _ = try database.query("mutation { insertPaper(data: {id: 1, owner: 2}) }")
    #expect(database.unpublishedCount == 5)
    _ = try database.query(text)
    #expect(database.unpublishedCount == 0)
    #expect(database.check().isEmpty)
  }

  @Test("a deletion of an entity with many links has a version of its own") func hub() throws {
    let database = try Database(
      schema:
        "type A { id: ID! bs: [B!]! @relation(inverse: \"a\") } type B { id: ID! a: A @relation(inverse: \"bs\") }")
    _ = try database.query("mutation { insertA(data: {id: 1}) insertB(data: {id: 0}) }")
    let rows = (1...300).map { "{id: \($0), a: 1}" }.joined(separator: ",")
    _ = try database.query("mutation { insertB(data: [\(rows)]) }")
    _ = try database.query("mutation { deleteB(where: id == 7) }")
    #expect(database.unpublishedCount == 1)
    #expect(try database.query("mutation { deleteA(where: id == 1) }").jsonString == #"{"deleteA":1}"#)
    #expect(database.unpublishedCount == 0)
    #expect(
      try database.query("{ n: count(B(where: a == null)) d: A(deleted: ONLY) { k := count(bs(deleted: INCLUDE)) } }")
        .jsonString == #"{"n":300,"d":[{"k":300}]}"#)
    #expect(database.check().isEmpty)
  }

  @Test("who watches commits is told of them, and statements gather all the same") func watching() throws {
    let database = try database()
    let told = Failures()
    let watch = CommitWatch(database) { told.add("told") }
    try insert(database, 1...3)
    database.waitUntilTold()
    #expect((1...4).contains(told.all.count))
    #expect(database.count(of: "Account") == 3)
    withExtendedLifetime(watch) {}
  }

  @Test("the program decides about unique values, by transactions of their own") func resolvers() throws {
    let database = try database()
    try database.onConflict("Owner.email") { _, _ in .keep }
    _ = try database.query(#"mutation { insertOwner(data: {id: 5, name: "n", email: "e1"}) }"#)
    #expect(database.unpublishedCount == 0)
    #expect(database.count(of: "Owner") == 2)
  }

  @Test(
    "versions are published in time, though nobody looks, and keep no more than they need",
    arguments: [Int.max, 1, 10, 100]) func bounds(_ looks: Int) throws
  {
    let database = try database()
    var most = 0
    try insert(database, 1...1)
    let note = String(repeating: "x", count: 1000)
    let update = try database.prepare("mutation($n: String!) { updateAccount(where: id == 1, set: {note: $n}) }")
    for number in 0..<6000 {
      _ = try update.run(["n": .string("\(number) \(note)")])
      most = max(most, database.unpublishedCount)
      if number % looks == looks - 1 { #expect(database.count(of: "Account") == 1) }
    }
    #expect(most <= 1 << 14)
    // Six megabytes were written, one kilobyte is there.
    #expect(database.current.byteCount < 1 << 20)
    #expect(try database.query("{ Account { note } }").jsonString == #"{"Account":[{"note":"5999 \#(note)"}]}"#)
    #expect(database.check().isEmpty)
  }

  @Test("a version is published after 16,384 statements") func boundOfStatements() throws {
    let database = try database()
    try insert(database, 1...1)
    let count = try database.prepare("mutation { updateAccount(where: id == 1, set: {amount: amount + 1}) }")
    var most = 0
    for _ in 0..<20_000 {
      _ = try count.run()
      most = max(most, database.unpublishedCount)
    }
    #expect(most == (1 << 14) - 1)
    #expect(try database.query("{ Account { amount } }").jsonString == #"{"Account":[{"amount":20001}]}"#)
  }

  @Test("a statement sees what those before it have written, in cells, indexes and links") func sequence() throws {
    let database = try Database(
      schema: "type Item { id: ID! n: Int! m: Int! @index code: String @unique owner: Item }")
    _ = try database.query(#"mutation { insertItem(data: [{id: 1, n: 1, m: 10}, {id: 2, n: 2, m: 20, code: "b"}]) }"#)
    _ = database.current
    let cells = try database.prepare("mutation { updateItem(where: id == 1, set: {n: n * 2 + m}) { n m } }")
    let entries = try database.prepare("mutation { updateItem(where: id == 1, set: {m: m + n}) { n m } }")
    let codes = try database.prepare(
      "mutation($c: String) { updateItem(where: id == 1, set: {code: $c, n: n + 1}) { n } }")
    let found = try database.prepare(
      "mutation($c: String!) { updateItem(where: code == $c, set: {n: n + 100}) { id n } }")
    func expect(_ query: PreparedQuery, _ variables: [String: Value], _ answer: String) throws {
      #expect(try query.run(variables).jsonString == "{\"updateItem\":[\(answer)]}")
    }
    try expect(cells, [:], #"{"n":12,"m":10}"#)
    try expect(cells, [:], #"{"n":34,"m":10}"#)
    try expect(entries, [:], #"{"n":34,"m":44}"#)
    try expect(cells, [:], #"{"n":112,"m":44}"#)
    try expect(codes, ["c": "a"], #"{"n":113}"#)
    #expect(throws: QueryError.self) { try codes.run(["c": "b"]) }
    // What was inserted since a version was made is found after a failure.
    _ = try database.query("mutation { insertItem(data: {id: 3, n: 1, m: 1}) }")
    #expect(throws: QueryError.self) {
      try database.query(#"mutation { insertItem(data: [{id: 4, n: 1, m: 1}, {id: 5, n: 1, m: 1, code: "b"}]) }"#)
    }
    #expect(try database.query("mutation { deleteItem(where: id == 3) }").jsonString == #"{"deleteItem":1}"#)
    try expect(cells, [:], #"{"n":270,"m":44}"#)
    try expect(found, ["c": "a"], #"{"id":1,"n":370}"#)
    try expect(codes, ["c": nil], #"{"n":371}"#)
    try expect(found, ["c": "a"], "")
    #expect(try database.query("mutation { deleteItem(where: id == 2) }").jsonString == #"{"deleteItem":1}"#)
    try expect(codes, ["c": "b"], #"{"n":372}"#)
    try expect(found, ["c": "b"], #"{"id":1,"n":472}"#)
    #expect(
      try database.query("{ Item(where: m == 44) { id n m code } }").jsonString
        == #"{"Item":[{"id":1,"n":472,"m":44,"code":"b"}]}"#)
    #expect(database.check().isEmpty)
  }

  @Test("what one type leaves behind is left behind, though another is written first") func boundsOfOthers() throws {
    let database = try database()
    try insert(database, 1...1)
    let note = String(repeating: "x", count: 1000)
    let rename = try database.prepare("mutation($n: String!) { updateOwner(where: id == 1, set: {name: $n}) }")
    let update = try database.prepare("mutation($n: String!) { updateAccount(where: id == 1, set: {note: $n}) }")
    for number in 0..<3000 {
      _ = try rename.run(["n": .string("n")])
      _ = try update.run(["n": .string("\(number) \(note)")])
      #expect(database.count(of: "Account") == 1)
    }
    #expect(database.current.byteCount < 1 << 20)
  }

  @Test("loads, transactions, functions and schema changes go on from what was committed") func others() throws {
    let database = try database()
    try insert(database, 1...2)
    try database.load([.ndjson(type: "Account", bytes: Array(#"{"id":3,"title":"t","amount":3,"owner":2}"#.utf8))])
    #expect(database.count(of: "Account") == 3)
    try insert(database, 4...5)
    try database.transaction { transaction in
      #expect(try transaction.run("{ n: count(Account) }").jsonString == #"{"n":5}"#)
      try transaction.run("mutation { deleteAccount(where: id == 1) }")
    }
    try insert(database, 6...6)
    try database.register(function: "twice") { (value: Int64) in value * 2 }
    #expect(try database.query("{ s: sum(Account.amount) t: twice(count(Account)) }").jsonString == #"{"s":20,"t":10}"#)
    try insert(database, 7...7)
    struct Stop: Error {}
    #expect(throws: Stop.self) { try database.transaction { _ in throw Stop() } }
    try insert(database, 8...8)
    #expect(database.view().count(of: "Account") == 7)
    #expect(database.check().isEmpty)
  }

  @Test("time that is up, and cancellation, refuse a statement and leave nothing") func limits() throws {
    let database = try database()
    try insert(database, 1...2)
    let update = try database.prepare("mutation { updateAccount(where: id == 1, set: {amount: 7}) { id } }")
    let cancellation = QueryCancellation()
    cancellation.cancel()
    for (options, code) in [
      (RunOptions(timeout: .zero), "timeout"), (RunOptions(cancellation: cancellation), "cancelled"),
      (RunOptions(maximumBytes: 3), "limit-exceeded"),
    ] {
      #expect {
        try update.run(options: options)
      } throws: { error in
        (error as? QueryError)?.problems.map(\.code) == [code]
      }
    }
    #expect(try database.query("{ Account { amount } }").jsonString == #"{"Account":[{"amount":1},{"amount":2}]}"#)
  }
}
