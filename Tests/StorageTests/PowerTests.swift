import GQLStorage
import GQLite
import StorageProofs
import Testing

/// The power goes at any instant; see ``PowerProof``.
@Suite struct PowerTests {
  @Test func statesOfTheDisk() {
    Tries.expect(PowerProof.run(states: 160 * Tries.factor, seed: Tries.seed, jobs: 2), atLeast: 160, "states")
  }

  /// At the durability `.normal`, what was committed is synced by `flush()`, and not before.
  @Test func flushing() throws {
    let folder = try Folder()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    disk.records = true
    var options = StorageOptions(durability: .normal)
    options.folding.delay = 0
    let database = try Database(path: folder.file("a.gqlite"), schema: "type A { id: ID! n: Int }", storage: options)
    func syncs(_ body: () throws -> Void) rethrows -> Int {
      let before = disk.events.count
      try body()
      return disk.events[before...].count { if case .sync = $0 { true } else { false } }
    }
    try database.run("mutation { insertA(data: {id: 1, n: 0}) { id } }")
    for number in 1...3 {
      #expect(try syncs { try database.run("mutation { updateA(where: id == 1, set: {n: \(number)}) { id } }") } == 0)
      #expect(try syncs { try database.flush() } > 0)
    }
    // What cannot be synced ends writing.
    disk.fail(at: 0, isFull: false, isLasting: false)
    #expect(throws: QueryError.self) { try database.flush() }
    #expect {
      try database.run("mutation { updateA(where: id == 1, set: {n: 7}) { id } }")
    } throws: {
      ($0 as? QueryError)?.problems.first?.code == "storage-failed"
    }
    disk.recover()
    try database.reopen()
    #expect(try database.run("{ A { n } }").jsonString == #"{"A":[{"n":3}]}"#)
  }
}
