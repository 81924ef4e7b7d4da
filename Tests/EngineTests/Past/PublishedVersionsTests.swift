import Foundation
import GQLStore
import GQLite
import Testing

@testable import GQLEngine

/// Tests that published versions stay as they are when others follow, and which of them are kept.
@Suite struct PublishedVersionsTests {
  private static let schema = "type Item { id: ID! value: Int! @index }"
  private static let update = "mutation($v: Int!) { updateItem(where: id == 1, set: {value: $v}) }"

  private func database(bytes: Int = 1 << 20) throws -> Database {
    let database = try Database(schema: Self.schema)
    database.recentVersions = bytes
    try database.run("mutation { insertItem(data: {id: 1, value: 0}) }")
    return database
  }

  private func answer(_ database: Database, _ text: String, _ view: DatabaseView) throws -> String {
    try database.prepare(text).run(on: view).jsonString
  }

  private func value(_ database: Database, _ view: DatabaseView) throws -> Int64? {
    try Value(json: answer(database, "{ item(id: 1) { value } }", view))["item"]?["value"]?.int
  }

  @Test("a version that was read is the one that was read", arguments: [false, true])
  func asTheyAre(inTransactions: Bool) throws {
    let database = try database(bytes: 64 << 20)
    var read: [(version: Int64, snapshot: Snapshot)] = []
    for value in 1...20 {
      read.append((database.version, database.current))
      if inTransactions {
        _ = try database.transaction { try $0.run(Self.update, ["v": .int(Int64(value))]) }
      } else {
        try database.run(Self.update, ["v": .int(Int64(value))])
      }
    }
    for (place, known) in read.enumerated().reversed() {
      let view = try database.view(version: known.version)
      // Eight stay; those before are made again.
      #expect((view.snapshot === known.snapshot) == (place >= 12))
      #expect(try value(database, view) == Int64(place))
    }
  }

  @Test("of statements that nobody looks between only the first has one before it") func unread() throws {
    let database = try database(bytes: 64 << 20)
    let first = (database.version, database.current)
    for value in 1...10 { try database.run(Self.update, ["v": .int(Int64(value))]) }
    let last = database.current
    try database.run(Self.update, ["v": 11])
    #expect(try database.view(version: first.0).snapshot === first.1)
    #expect(try database.view(version: first.0 + 10).snapshot === last)
    for value in 0...11 {
      #expect(try self.value(database, database.view(version: first.0 + Int64(value))) == Int64(value))
    }
  }

  @Test("a change of many bytes lets versions go") func freed() throws {
    let database = try database(bytes: 8 << 20)
    weak var first: Snapshot?
    let version = database.version
    do { first = database.current }
    try database.run(Self.update, ["v": 1])
    _ = database.current
    #expect(first != nil)
    let rows = (2..<1_000).map { #"{"id":\#($0),"value":\#($0)}"# }.joined(separator: "\n")
    try database.load([.ndjson(type: "Item", text: rows)])
    #expect(first == nil)
    #expect(try value(database, database.view(version: version)) == 0)
  }

  @Test("versions after one whose changes have made way are right", arguments: [1, 400, 1500])
  func trimmed(read: Int) throws {
    let database = try database(bytes: 200_000)
    let first = database.version
    for value in 1...4_000 {
      try database.run(Self.update, ["v": .int(Int64(value))])
      if value == read { _ = database.current }
    }
    var known = 0
    for value in 0..<4_000 where value % 37 == 0 || (read - 1...read + 1).contains(value) {
      // The oldest make way.
      guard let view = try? database.view(version: first + Int64(value)) else { continue }
      #expect(try self.value(database, view) == Int64(value))
      known += 1
    }
    #expect(known > 10)
  }

  @Test("no version stays where no changes are kept") func none() throws {
    let database = try database(bytes: 0)
    weak var first: Snapshot?
    do { first = database.current }
    try database.run(Self.update, ["v": 1])
    _ = database.current
    #expect(first == nil)
  }

  @Test("after a change of the schema a version is under today's") func otherSchema() throws {
    let database = try database()
    let version = database.version
    _ = database.current
    try database.run(Self.update, ["v": 1])
    try database.changeSchema(to: "type Item { id: ID! value: Int! @index note: String }")
    let view = try database.view(version: version)
    #expect(try answer(database, "{ item(id: 1) { value note } }", view) == #"{"item":{"value":0,"note":null}}"#)
  }

  @Test("versions of a file stay, too") func inFiles() throws {
    let folder = try TemporaryFolder()
    let database = try Database(path: folder.url.appending(path: "a.gqlite").path, schema: Self.schema)
    try database.run("mutation { insertItem(data: {id: 1, value: 0}) }")
    var read: [(version: Int64, snapshot: Snapshot)] = []
    for value in 1...6 {
      read.append((database.version, database.current))
      if value.isMultiple(of: 2) {
        _ = try database.transaction { try $0.run(Self.update, ["v": .int(Int64(value))]) }
      } else {
        try database.run(Self.update, ["v": .int(Int64(value))])
      }
    }
    for (place, known) in read.enumerated() {
      let view = try database.view(version: known.version)
      #expect(view.snapshot === known.snapshot)
      #expect(try value(database, view) == Int64(place))
    }
    try database.close()
  }
}
