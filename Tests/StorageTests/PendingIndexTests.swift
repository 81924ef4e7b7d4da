import Foundation
import GQLBase
import GQLDifferential
import GQLEngine
import GQLStorage
import GQLStore
import StorageProofs
import Testing

/// Indexes that are built while queries and writes go on.
@Suite struct PendingIndexTests {
  /// Without the indexes answers are the same, and writes lead to the same content; what is built meanwhile catches up.
  @Test(arguments: 1...8) func answersWithoutIndexes(_ seed: UInt64) throws {
    let workload = Workload(seed: seed, threads: 1)
    let twin = try Database(schema: Workload.schema)
    try workload.begin(twin)
    for number in 1...60 { try workload.run(number, of: 0, in: twin) }
    let base = twin.currentSnapshot.renumbered(fold: foldText, postponingAbove: 0)
    #expect(base.hasPendingIndexes)
    let whole = base.withPendingIndexes(fold: foldText)
    #expect(!whole.hasPendingIndexes)
    #expect(whole.check(fold: foldText).isEmpty)
    let database = Database(base)
    for number in 61...120 {
      try workload.run(number, of: 0, in: twin)
      try workload.run(number, of: 0, in: database)
      if number % 10 != 0 { continue }
      #expect(database.check() == [])
      for query in [Workload.everything, "{ Item(where: seq > 20 and owner == 0, orderBy: [-seq, id]) { id seq } }"] {
        let (found, wanted) = try (database.run(query).jsonString, twin.run(query).jsonString)
        #expect(found == wanted, "seed \(seed), \(number): \(Proofs.firstDifference(found, wanted))")
      }
    }
    let joined = try whole.catchingUp(with: database.currentSnapshot, since: base, fold: foldText)
    #expect(!joined.hasPendingIndexes)
    #expect(joined.check(fold: foldText).isEmpty)
    #expect(joined.content() == database.currentSnapshot.content())
    #expect(try Database(joined).run(Workload.everything) == twin.run(Workload.everything))
  }

  /// No plan uses an index that is not built; afterwards plans do.
  @Test func plans() async throws {
    let query = "{ A(where: n == 7) { id } B: A(orderBy: n, limit: 3) { id } }"
    let filled = try Database(schema: "type A { id: ID! n: Int @index }")
    let rows = (0..<3000).map { "{id: \($0), n: \($0 / 3)}" }.joined(separator: ", ")
    try filled.run("mutation { insertA(data: [\(rows)]) }")
    let pending = Database(filled.currentSnapshot.renumbered(fold: foldText, postponingAbove: 0))
    #expect(try !pending.prepare(query).explain().description.contains("A.n"))
    #expect(try filled.prepare(query).explain().description.contains("A.n"))
    #expect(try pending.run(query) == filled.run(query))
  }

  /// An order of ids is built beside the writers of a file, and is no part of it. Followers build one of their own.
  @Test func ordersOfIDs() async throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let last = "{ A(orderBy: -id, limit: 2) { id } }"
    do {
      let database = try Database(path: path, schema: "type A { id: ID! n: Int! }")
      // Each number below a prime once, in another order.
      let rows = (1..<5003).map { "{id: \($0 * 2001 % 5003), n: 0}" }.joined(separator: ", ")
      try database.run("mutation { insertA(data: [\(rows)]) }")
      #expect(try database.run(last).jsonString == #"{"A":[{"id":5002},{"id":5001}]}"#)
      for number in 0..<50 { try database.run("mutation { insertA(data: {id: \(6000 + number), n: 1}) { id } }") }
      await database.ready()
      #expect(try database.prepare(last).explain().contains("IDWalk A.id"))
      #expect(try database.run(last).jsonString == #"{"A":[{"id":6049},{"id":6048}]}"#)
      let follower = try Database(path: path, storage: StorageOptions(access: .follow))
      #expect(try follower.run(last) == database.run(last))
      await follower.ready()
      try database.run("mutation { deleteA(where: id > 5000) }")
      #expect(try follower.run(last).jsonString == #"{"A":[{"id":5000},{"id":4999}]}"#)
      #expect(try follower.prepare(last).explain().contains("IDWalk A.id"))
      #expect(follower.check() == [] && database.check() == [])
      try database.close()
    }
    let again = try Database(path: path)
    #expect(try again.prepare(last).explain().contains("top 2 by -id"))
    #expect(try again.run(last).jsonString == #"{"A":[{"id":5000},{"id":4999}]}"#)
    await again.ready()
    #expect(try again.prepare(last).explain().contains("IDWalk A.id"))
    #expect(again.check() == [])
  }

  /// A file that is opened while others write to it at once.
  @Test(arguments: 1...6) func whileOthersWrite(_ seed: UInt64) async throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let workload = Workload(seed: seed, threads: 1)
    let twin = try Database(schema: Workload.schema)
    try workload.begin(twin)
    var options = StorageOptions(durability: .normal)
    do {
      let database = try Database(path: path, schema: Workload.schema, storage: options)
      try workload.begin(database)
      for number in 1...30 {
        try workload.run(number, of: 0, in: database)
        try workload.run(number, of: 0, in: twin)
      }
      try database.close()
    }
    options.folding.pendingRows = 0
    for number in 31...60 {
      let database = try Database(path: path, storage: options)
      let follower = try Database(path: path, storage: StorageOptions(access: .follow))
      try workload.run(number, of: 0, in: database)
      try workload.run(number, of: 0, in: twin)
      #expect(try database.run(Workload.everything) == twin.run(Workload.everything))
      if number % 2 == 0 { await database.ready() }
      if number % 3 == 0 { await follower.ready() }
      #expect(database.check() == [])
      #expect(try follower.run(Workload.everything) == twin.run(Workload.everything))
      if number % 5 == 0 {
        try database.changeSchema(to: number % 10 == 0 ? Workload.schema : Workload.widerSchema, allowingLoss: true)
      }
      await database.ready()
      #expect(!database.currentSnapshot.hasPendingIndexes)
      #expect(database.check() == [])
      #expect(try database.run(Workload.everything) == twin.run(Workload.everything))
      try database.close()
    }
  }
}
