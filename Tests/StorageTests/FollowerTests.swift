import Foundation
import GQLDifferential
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Databases that read a file while another one writes to it.
@Suite struct FollowerTests {
  private static let following = StorageOptions(access: .follow, creates: false)

  /// Every state that a follower sees is one that the writer has left, and it sees them in their order.
  @Test(arguments: 1...6) func seesWholeCommits(_ seed: UInt64) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let workload = Workload(seed: seed, threads: 1)
    var random = SeededRandom(seed: seed)
    var options = StorageOptions(durability: .normal, allowsLoss: true)
    options.folding.logBytes = random.pick([0, 2_000, 16 << 20])
    options.folding.sliceRows = 1 + random.below(30)
    options.folding.largeCommit = random.pick([3_000, 4 << 20])
    var writer = try Database(path: path, schema: Workload.schema, storage: options)
    try workload.begin(writer)
    let follower = try Database(path: path, storage: Self.following)
    for number in 1...80 {
      try workload.run(number, of: 0, in: writer)
      if random.chance(6) {
        try writer.changeSchema(to: number % 2 == 0 ? Workload.schema : Workload.widerSchema, allowingLoss: true)
      }
      if random.chance(6) { try writer.compact() }
      if random.chance(6) {
        try writer.close()
        writer = try Database(path: path, storage: options)
      }
      // It may look seldom.
      if random.chance(40) { continue }
      let (found, wanted) = (
        try follower.run(Workload.everything).jsonString, try writer.run(Workload.everything).jsonString
      )
      #expect(found == wanted, "seed \(seed), commit \(number): \(Proofs.firstDifference(found, wanted))")
      #expect(follower.version == writer.version)
      #expect(follower.schema == writer.schema)
      #expect(follower.check() == [])
      if found != wanted { return }
    }
    #expect(try follower.refresh() || follower.version == writer.version)
    #expect(try !follower.refresh())
  }

  /// A query that was prepared before goes on after the schema has changed.
  @Test func preparedQueriesGoOn() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let writer = try Database(path: path, schema: "type A { id: ID! n: Int }")
    let follower = try Database(path: path, storage: Self.following)
    let query = try follower.prepare("{ A(orderBy: id) { id n } }")
    #expect(try query.run().jsonString == #"{"A":[]}"#)
    try writer.run("mutation { insertA(data: {id: 1, n: 2}) { id } }")
    #expect(try query.run().jsonString == #"{"A":[{"id":1,"n":2}]}"#)
    try writer.changeSchema(to: "type A { id: ID! n: Int m: String = \"x\" @index }")
    #expect(try query.run().jsonString == #"{"A":[{"id":1,"n":2}]}"#)
    #expect(try follower.run("{ A(where: m == \"x\") { m } }").jsonString == #"{"A":[{"m":"x"}]}"#)
    #expect(follower.count(of: "A") == 1)
    // A view stays as it is.
    let view = follower.view()
    try writer.run("mutation { deleteA(where: id == 1) { id } }")
    #expect(try query.run(on: view).jsonString == #"{"A":[{"id":1,"n":2}]}"#)
    #expect(try query.run().jsonString == #"{"A":[]}"#)
  }

  @Test func writesNothing() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    #expect(throws: QueryError.self) { try Database(path: path, storage: Self.following) }
    #expect(!FileManager.default.fileExists(atPath: path))
    let writer = try Database(path: path, schema: "type A { id: ID! }")
    let follower = try Database(path: path, storage: Self.following)
    func code(_ body: () throws -> Void) -> String? {
      do { try body() } catch let error as QueryError { return error.problems.first?.code } catch {}
      return nil
    }
    #expect(code { try follower.run("mutation { insertA(data: {id: 1}) { id } }") } == "storage-read-only")
    #expect(
      code { try follower.transaction { _ = try $0.run("mutation { insertA(data: {id: 1}) { id } }") } }
        == "storage-read-only")
    #expect(code { try follower.changeSchema(to: "type B { id: ID! }", allowingLoss: true) } == "storage-read-only")
    #expect(code { try follower.compact() } == "storage-read-only")
    #expect(code { try follower.flush() } == nil)
    try writer.run("mutation { insertA(data: {id: 2}) { id } }")
    #expect(try follower.run("{ A { id } }").jsonString == #"{"A":[{"id":2}]}"#)
    // A copy of what a follower sees.
    try follower.backup(to: folder.file("copy.gqlite"))
    #expect(try Database(path: folder.file("copy.gqlite")).run("{ A { id } }").jsonString == #"{"A":[{"id":2}]}"#)
    // After closing, what was seen last stays.
    try follower.close()
    try writer.run("mutation { insertA(data: {id: 3}) { id } }")
    #expect(try follower.run("{ A { id } }").jsonString == #"{"A":[{"id":2}]}"#)
    try follower.reopen()
    #expect(try follower.run("{ A(orderBy: id) { id } }").jsonString == #"{"A":[{"id":2},{"id":3}]}"#)
  }

  /// Another process writes, and is killed: what a follower has seen is there afterwards.
  @Test(arguments: ["none", "schema", "close", "compact"]) func otherProcess(_ disturbance: String) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let workload = Workload(seed: Tries.seed, threads: 2)
    _ = try workload.begin(Database(path: path, schema: Workload.schema))
    for round in 0..<(3 * Tries.factor) {
      let process = try ChildProcess.task([
        "change", path, "full", "\(workload.seed)", "2", "4000", "4000", "7", disturbance, "\(round)",
      ])
      process.waitForOutput()
      let follower = try Database(path: path, storage: Self.following)
      let end = Date(timeIntervalSinceNow: 0.6)
      var last: Int64 = 0
      var counts = [0, 0]
      while Date() < end {
        _ = try follower.run(Workload.everything)
        #expect(follower.version >= last)
        last = follower.version
        for thread in 0..<2 {
          let found = try workload.count(of: thread, in: follower)
          #expect(found >= counts[thread])
          counts[thread] = found
        }
      }
      #expect(follower.check() == [])
      process.send(SIGKILL)
      _ = process.output()
      let content = try follower.run(Workload.everything).jsonString
      let again = try Database(path: path, storage: StorageOptions(access: .read))
      #expect(again.version >= last)
      #expect(try follower.run(Workload.everything).jsonString == again.run(Workload.everything).jsonString)
      #expect(last > 0 && !content.isEmpty)
    }
  }
}
