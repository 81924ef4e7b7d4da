import CSQLite3
import Foundation
import GQLEngine
import GQLStorage
import StorageProofs
import Testing

@Suite struct StorageTests {
  static let schema = """
    enum Kind { BOOK LAMP }
    type Maker { id: ID! name: String! products: [Product] }
    type Product {
      id: ID!
      name: String! @collate(CI) @index
      price: Decimal
      kind: Kind
      tags: [String!]
      sizes: [Float]
      codes: [Int]
      made: DateTime
      day: Date
      rating: Float
      isSold: Boolean
      data: JSON
      raw: Bytes
      maker: Maker
      similar: [Product] @relation(inverse: "similarTo")
      similarTo: [Product]
    }
    """
  static let everything = """
    { Maker(orderBy: id, deleted: INCLUDE) { id name products { id } _status _createdAt _updatedAt }
      Product(orderBy: id, deleted: INCLUDE) { id name price kind tags sizes codes made day rating isSold data raw
        maker { id } similar { id } similarTo { id } _status _createdAt _updatedAt } }
    """

  private func fill(_ database: Database) throws {
    try database.run(
      """
      mutation {
        insertMaker(data: [{id: "m1", name: "Ada & Söhne"}, {id: "m2", name: "B"}]) { id }
        insertProduct(data: [
          {id: 1, name: "Lamp", price: 19.50, kind: LAMP, tags: ["a", "b\\"c"], sizes: [1.5, null, -0.25], codes: [1, 2],
           made: "2026-01-02T03:04:05.678901Z", day: "1969-12-31", rating: 1e300, isSold: true, data: {a: [1, null]},
           raw: "AAEC/w==", maker: {id: "m1"}},
          {id: 2, name: "Book of a name that is long", tags: [], maker: {id: "m1"}, similar: [{id: 1}]},
          {id: "x", name: "", price: 0.10, similar: [{id: 2}, {id: 1}]}]) { id }
      }
      """)
  }

  @Test func whatIsWrittenIsThereAgain() throws {
    let folder = try Folder()
    let path = folder.file("shop.gqlite")
    let answer: Answer
    do {
      let database = try Database(path: path, schema: Self.schema)
      try fill(database)
      try database.run("mutation { updateProduct(where: id == 1, set: {price: 20}) { id } }")
      try database.run("mutation { deleteProduct(where: id == 2) { id } }")
      answer = try database.run(Self.everything)
      #expect(database.version == 3 && database.durableVersion == 3)
      // Not closed: what a process leaves that ends at once.
    }
    for _ in 0..<2 {
      let again = try Database(path: path)
      #expect(try again.run(Self.everything) == answer)
      #expect(again.check() == [])
      #expect(again.version == 3)
      // The second time, from rows and not from the log.
      try again.close()
    }
    let again = try Database(path: path)
    try again.run("mutation { restoreProduct(where: id == 2) { id } }")
    #expect(
      try again.run("{ Product(where: id == 2) { name similar { id } maker { id } } }").jsonString.contains("Book of a")
    )
    #expect(again.check() == [])
  }

  @Test func aFailedStatementLeavesNothing() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema)
    try fill(database)
    let before = try database.run(Self.everything)
    #expect(throws: QueryError.self) {
      try database.run("mutation { insertProduct(data: {id: 1, name: \"twice\"}) { id } }")
    }
    #expect(throws: QueryError.self) {
      try database.run("mutation { insertProduct(data: [{id: 7, name: \"n\"}, {id: 1, name: \"twice\"}]) { id } }")
    }
    #expect(throws: CancellationError.self) {
      try database.transaction {
        try $0.run("mutation { deleteMaker(where: id == \"m1\") { id } }")
        throw CancellationError()
      }
    }
    #expect(try database.run(Self.everything) == before)
    try database.close()
    let again = try Database(path: path)
    #expect(try again.run(Self.everything) == before)
  }

  @Test func oneWriterAtATime() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema)
    #expect { try Database(path: path) } throws: { ($0 as? QueryError)?.problems.first?.code == "storage-busy" }
    try fill(database)
    let reader = try Database(path: path, storage: StorageOptions(access: .read))
    #expect(try reader.run(Self.everything) == database.run(Self.everything))
    #expect { try reader.run("mutation { deleteMaker(all: true) { id } }") } throws: {
      ($0 as? QueryError)?.problems.first?.code == "storage-read-only"
    }
    try database.close()
    #expect { try database.run("mutation { deleteMaker(all: true) { id } }") } throws: {
      ($0 as? QueryError)?.problems.first?.code == "storage-closed"
    }
    #expect { try database.backup(to: path + ".copy") } throws: {
      ($0 as? QueryError)?.problems.first?.code == "storage-closed"
    }
    #expect(!FileManager.default.fileExists(atPath: path + ".copy"))
    #expect(try Database(path: path).run(Self.everything) == reader.run(Self.everything))
  }

  @Test func anotherSchemaChangesWhatLosesNothing() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    do {
      let database = try Database(path: path, schema: "type User { id: ID! name: String! }")
      try database.run("mutation { insertUser(data: [{id: 1, name: \"Ada\"}, {id: 2, name: \"Bo\"}]) { id } }")
    }
    let wider = "type User { id: ID! name: String! @index active: Boolean = true }"
    do {
      let database = try Database(path: path, schema: wider)
      #expect(try database.run("{ User(orderBy: id) { name active } }").jsonString.contains(#""Ada","active":true"#))
      try database.run("mutation { insertUser(data: {id: 3, name: \"Cy\", active: false}) { id } }")
    }
    #expect { try Database(path: path, schema: "type User { id: ID! }") } throws: {
      ($0 as? QueryError)?.problems.first?.code == "data-loss"
    }
    let again = try Database(path: path, schema: wider)
    #expect(
      try again.run("{ User(orderBy: id) { name active } }").jsonString.contains(#"{"name":"Cy","active":false}"#))
    #expect(again.check() == [])
  }

  @Test func manyThreadsShareFlushes() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: "type Event { id: Int! text: String! }")
    let insertion = try database.prepare(
      "mutation($id: Int!, $text: String!) { insertEvent(data: {id: $id, text: $text}) { id } }")
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<50 {
        let id = thread * 1000 + number
        do { _ = try insertion.run(["id": .int(Int64(id)), "text": "event"]) } catch { Issue.record(error) }
        // What a call has made is seen when it returns.
        let count = try? database.run("{ Event(where: id == \(id)) { id } }").jsonString
        #expect(count == #"{"Event":[{"id":\#(id)}]}"#)
      }
    }
    #expect(database.version == 400)
    try database.close()
    let again = try Database(path: path)
    #expect(try again.run("{ n: count(Event) }").jsonString == #"{"n":400}"#)
    #expect(again.check() == [])
  }

  @Test(arguments: [StorageOptions.Durability.normal, .memory]) func lesserDurability(
    _ durability: StorageOptions.Durability
  ) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    do {
      let database = try Database(path: path, schema: Self.schema, storage: StorageOptions(durability: durability))
      try fill(database)
      try database.flush()
      try database.run("mutation { deleteMaker(where: id == \"m2\") { id } }")
      if durability == .normal { #expect(database.durableVersion == 2) }
      try database.close()
    }
    #expect(try Database(path: path).run("{ Maker { id } }").jsonString == #"{"Maker":[{"id":"m1"}]}"#)
  }

  @Test func aFileIsReadBySQLite() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema)
    try fill(database)
    try database.close()
    var handle: OpaquePointer?
    #expect(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    var statement: OpaquePointer?
    let sql = "SELECT id, name, price, kind, made, day, maker, similar FROM Product ORDER BY id"
    #expect(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
    defer { sqlite3_finalize(statement) }
    var rows: [[String?]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append((0..<8).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } })
    }
    #expect(
      rows == [
        ["1", "Lamp", "19.50", "LAMP", "2026-01-02T03:04:05.678901Z", "1969-12-31", "m1", "[]"],
        ["2", "Book of a name that is long", nil, nil, nil, nil, "m1", "[1]"],
        ["x", "", "0.10", nil, nil, nil, nil, "[2,1]"],
      ])
  }

  /// A row that is void is in no table, so that nothing says for which version it was taken out.
  @Test func aRowThatIsRemovedWhileRowsAreFolded() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    do {
      let first = try Database(
        path: path, schema: "type Item { id: Int! n: Int! } type Big { id: Int! s: String! }")
      let rows = Value.list((0..<6000).map { ["id": .int(Int64($0)), "n": 1] })
      try first.run("mutation($r: [ItemInput!]!) { insertItem(data: $r) { id } }", ["r": rows])
      try first.run(#"mutation { insertBig(data: {id: 1, s: "a"}) { id } }"#)
      try first.close()
    }
    do {
      let database = try Database(path: path)
      try database.run("mutation { updateItem(all: true, set: {n: n + 1}) { id } }")
      try database.run("mutation { deleteItem(where: id == 5900) { id } }")
      // Until the log is longer than 16 MiB, and the first rows are written.
      for number in 0..<13 {
        let text = String(repeating: "\(number % 10)", count: 700_000)
        try database.run(
          "mutation($s: String!) { updateBig(where: id == 1, set: {s: $s}) { id } }", ["s": .string(text)])
      }
      // Removes the deleted one for good; then the rest is written.
      try database.run("mutation { insertItem(data: {id: 5900, n: 7}) { id } }")
      for id in 10_000..<10_010 { try database.run("mutation { insertItem(data: {id: \(id), n: 7}) { id } }") }
    }
    let again = try Database(path: path)
    #expect(try again.run("{ n: count(Item) }").jsonString == #"{"n":6010}"#)
    #expect(again.check() == [])
  }

  /// What one deletion took comes back as one, and no more, also after the file was opened again.
  @Test func deletionsAreNumberedOn() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let schema = """
      type Team { id: ID! players: [Player] @relation(onDelete: CASCADE) }
      type Player { id: ID! team: Team }
      """
    for round in 0..<3 {
      let database = try Database(path: path, schema: schema)
      try database.run(
        "mutation { insertTeam(data: {id: \(round), players: [{id: \(round * 10)}, {id: \(round * 10 + 1)}]}) { id } }")
      try database.run("mutation { deletePlayer(where: id == \(round * 10)) { id } }")
      try database.run("mutation { deleteTeam(where: id == \(round)) { id } }")
    }
    let database = try Database(path: path)
    try database.run("mutation { restoreTeam(where: id == 1) { id } }")
    #expect(try database.run("{ Player { id } }").jsonString == #"{"Player":[{"id":11}]}"#)
    #expect(database.check() == [])
  }
}
