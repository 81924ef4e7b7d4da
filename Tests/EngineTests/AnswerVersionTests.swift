import Dispatch
import GQLite
import Synchronization
import Testing

/// The number of the data that an answer is of.
@Suite("versions of answers") struct AnswerVersionTests {
  private static let schema = "type Item @history { id: ID! value: Int! }"

  private static func database(_ kind: Int) throws -> Database {
    switch kind {
    case 0: try Database(schema: schema)
    case 1: try Database(MemoryBackend(), schema: schema, storage: StorageOptions(durability: .full))
    default: try Database(MemoryBackend(), schema: schema, storage: StorageOptions(durability: .memory))
    }
  }

  private func insert(_ database: Database, _ id: Int) throws -> Int64? {
    try database.run("mutation { insertItem(data: {id: \(id), value: 0}) {id} }").version
  }

  @Test("the number of the last transaction, in memory and in storages", arguments: 0..<3)
  func newest(_ kind: Int) throws {
    let database = try Self.database(kind)
    let before = database.version
    #expect(try database.run("{ Item { id } }").version == before)
    #expect(try insert(database, 1) == before + 1)
    #expect(try database.run("{ Item { id } }").version == before + 1)
    let query = try database.prepare("query($v: Int!) { Item(where: value == $v) { id } }")
    for _ in 0..<3 { #expect(try query.run(["v": 0]).version == before + 1) }
    #expect(try insert(database, 2) == before + 2)
    #expect(try query.run(["v": 0]).version == before + 2)
    #expect(try query.submit(["v": 0]).answer().version == before + 2)
    // A text whose literals another one shares, and one that is explained.
    for value in 0..<4 { #expect(try database.run("{ Item(where: value == \(value)) { id } }").version == before + 2) }
    #expect(try database.run("query @explain { Item { id } }").version == before + 2)
    // A mutation that changes nothing is of the newest.
    #expect(try database.run("mutation { deleteItem(where: id == 99) }").version == before + 2)
  }

  @Test("the number of the version that a query of the past has read", arguments: 0..<3)
  func past(_ kind: Int) throws {
    let database = try Self.database(kind)
    if kind == 0 { database.recentVersions = 1 << 20 }
    let first = try #require(try insert(database, 1))
    let second = try #require(try insert(database, 2))
    let third = try #require(try insert(database, 3))
    #expect(try database.run("query @asOf(version: \(first)) { Item { id } }").version == first)
    #expect(try database.run("{ Item @asOf(version: \(second)) { id } }").version == second)
    #expect(
      try database.run("{ a: Item @asOf(version: \(second)) { id } b: Item @asOf(version: \(second)) { id } }").version
        == second)
    #expect(try database.run("{ a: Item { id } b: Item @asOf(version: \(third)) { id } }").version == third)
    // Of two versions.
    #expect(try database.run("{ a: Item @asOf(version: \(first)) { id } b: Item { id } }").version == nil)
    #expect(
      try database.run("{ a: Item @asOf(version: \(first)) { id } b: Item @asOf(version: \(second)) { id } }").version
        == nil)
    #expect(try database.run("{ Item { _versions { _version } } }").version == third)
    // Views keep theirs.
    let view = try database.view(version: second)
    #expect(view.version == second)
    #expect(try database.prepare("{ Item { id } }").run(on: view).version == second)
    let now = database.view()
    #expect(try insert(database, 4) == third + 1)
    #expect(now.version == third)
    #expect(try database.prepare("{ Item { id } }").run(on: now).version == third)
    #expect(try database.prepare("{ Item @asOf(version: \(first)) { id } }").run(on: now).version == first)
  }

  @Test("contexts count their own, and transactions have none yet") func others() throws {
    let database = try Self.database(0)
    _ = try insert(database, 1)
    let draft = database.edit()
    let begin = try draft.run("{ Item { id } }").version
    #expect(begin == draft.database.version)
    #expect(try draft.run("mutation { insertItem(data: {id: 2, value: 1}) {id} }").version == draft.database.version)
    #expect(try draft.run("{ Item { id } }").version == draft.database.version)
    #expect(begin != draft.database.version)
    let query = try database.prepare("{ Item { id } }")
    let within = try database.transaction { try $0.run(query).version }
    #expect(within == nil)
  }

  @Test("a live event's answer has the number of the event") func live() throws {
    let database = try Self.database(0)
    let subscription = try database.prepare("{ Item { id } }").follow()
    database.waitUntilTold()
    let event = try #require(subscription.take())
    #expect(event.answer?.version == event.version)
  }

  @Test("the number is that of the very data, while others write", arguments: 0..<3)
  func threads(_ kind: Int) throws {
    let database = try Self.database(kind)
    _ = try insert(database, 1)
    // From here on a transaction adds one to the value and to the number.
    let start = database.version
    let update = try database.prepare("mutation { updateItem(where: id == 1, set: {value: value + 1}) }")
    let query = try database.prepare("{ item(id: 1) { value } }")
    let wrong = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      if thread == 0 {
        for round in 0..<2_000 {
          // As a statement that shares a version, or as a transaction.
          if round % 8 == 7 {
            try? database.transaction { _ = try $0.run(update) }
          } else {
            _ = try? update.run()
          }
        }
        return isOver.store(true, ordering: .relaxed)
      }
      while !isOver.load(ordering: .relaxed) {
        guard let answer = try? query.run(), let version = answer.version,
          answer.jsonString == #"{"item":{"value":\#(version - start)}}"#
        else {
          wrong.add(1, ordering: .relaxed)
          continue
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(database.version == start + 2_000)
  }
}
