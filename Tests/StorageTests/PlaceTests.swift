import Foundation
import GQLDifferential
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// What the place of a file, and those who share it, can do to a database.
@Suite struct PlaceTests {
  private static let schema = "type A { id: ID! n: Int }"

  private func code(_ body: () throws -> Void) -> String? {
    do { try body() } catch let error as QueryError { return error.problems.first?.code } catch { return "\(error)" }
    return nil
  }

  /// A folder that is read-only, which nobody notices who may do everything: so SQLite is refused its files there.
  @Test(arguments: ["a.gqlite", "100% of #1? a&b=c +ü.gqlite"]) func aFolderIsReadOnly(_ name: String) throws {
    let folder = try Folder()
    let path = folder.file(name)
    let database = try Database(path: path, schema: Self.schema)
    try database.run("mutation { insertA(data: {id: 1, n: 5}) { id } }")
    try database.close()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    disk.lacksFilesBeside = true
    let before = try Data(contentsOf: URL(filePath: path))
    let reader = try Database(path: path, storage: StorageOptions(access: .read))
    #expect(try reader.run("{ A { id n } }").jsonString == #"{"A":[{"id":1,"n":5}]}"#)
    #expect(try Database.verify(path: path) == [])
    try reader.reopen()
    #expect(reader.count(of: "A") == 1)
    #expect(code { _ = try Database(path: path, storage: StorageOptions(access: .follow)) } == "storage-read-only")
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    // Somebody writes to it, who may.
    disk.lacksFilesBeside = false
    let writer = try Database(path: path)
    disk.lacksFilesBeside = true
    #expect(code { _ = try Database(path: path, storage: StorageOptions(access: .read)) } == "storage-read-only")
    disk.lacksFilesBeside = false
    try writer.run("mutation { insertA(data: {id: 2, n: 6}) { id } }")
    // What a killed process would leave: the last commit is in the log.
    try FileManager.default.copyItem(atPath: path, toPath: folder.file("left"))
    try FileManager.default.copyItem(atPath: path + "-wal", toPath: folder.file("left-wal"))
    try writer.close()
    disk.lacksFilesBeside = true
    #expect {
      try Database(path: folder.file("left"), storage: StorageOptions(access: .read))
    } throws: {
      ($0 as? QueryError)?.problems.first?.code == "storage-read-only" && "\($0)".contains("copy the file")
    }
    disk.lacksFilesBeside = false
    #expect(try Database(path: folder.file("left")).count(of: "A") == 2)
  }

  /// A table of SQLite has room for 2,000 columns, five of which are not fields; two of these are the times.
  @Test func aTypeOfManyFields() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    func schema(_ count: Int) -> String {
      "type A { id: ID! \((1..<count).map { "f\($0): Int" }.joined(separator: " ")) }"
    }
    let database = try Database(path: path, schema: schema(1993))
    try database.run("mutation { insertA(data: {id: 1, f1992: 5}) { id } }")
    #expect(code { try database.changeSchema(to: schema(1994)) } == "not-storable")
    // What is refused is no failure of the file.
    try database.run("mutation { updateA(where: id == 1, set: {f1: 6}) { id } }")
    try database.close()
    #expect(try Database(path: path).run("{ A { f1 f1992 } }").jsonString == #"{"A":[{"f1":6,"f1992":5}]}"#)
    #expect(code { _ = try Database(path: folder.file("b.gqlite"), schema: schema(1994)) } == "not-storable")
  }

  /// Where several machines may use a file, its write-ahead log and its lock do not work.
  @Test(arguments: ["nfs4", "cifs", "fuse.sshfs"]) func aNetwork(_ type: String) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    var status = stat()
    #expect(stat(folder.path, &status) == 0)
    // The number of a device, as Linux takes it apart.
    let device = UInt64(status.st_dev)
    let numbers =
      "\((device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000):\(device & 0xFF | (device >> 12) & 0xFFFF_FF00)"
    func options(_ access: StorageOptions.Access, _ type: String, allows: Bool = false) -> StorageOptions {
      var options = StorageOptions(access: access, allowsNetwork: allows)
      options.mounts = """
        22 27 0:1 / / rw,relatime shared:1 - ext4 /dev/root rw
        36 22 0:99 / /elsewhere rw shared:2 - nfs4 server:/other rw
        35 22 \(numbers) / /mnt rw,noatime shared:3 master:1 - \(type) server:/data rw,vers=4.2
        """
      return options
    }
    #if os(Linux)
      #expect(
        code { _ = try Database(path: path, schema: Self.schema, storage: options(.write, type)) } == "storage-network")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    #endif
    let database = try Database(path: path, schema: Self.schema, storage: options(.write, "ext4"))
    try database.run("mutation { insertA(data: {id: 1, n: 5}) { id } }")
    try database.close()
    #if os(Linux)
      #expect(code { _ = try Database(path: path, storage: options(.write, type)) } == "storage-network")
      #expect(code { _ = try Database(path: path, storage: options(.follow, type)) } == "storage-network")
    #endif
    // Who reads, and who says so.
    #expect(try Database(path: path, storage: options(.read, type)).count(of: "A") == 1)
    #expect(try Database(path: path, storage: options(.write, type, allows: true)).count(of: "A") == 1)
  }

  /// Each way to a file leads to one lock.
  @Test func onePerFile() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    symlink(path, folder.file("link"))
    let database = try Database(path: path, schema: Self.schema)
    for way in [path, folder.file("link"), folder.path + "/./a.gqlite"] {
      #expect(code { _ = try Database(path: way) } == "storage-busy", "\(way)")
      #expect(code { _ = try Database(path: way, storage: StorageOptions(access: .read)) } == nil, "\(way)")
    }
    try database.close()
    #expect(code { _ = try Database(path: folder.file("link")) } == nil)
  }

  @Test("a lock that cannot be opened is named") func aLockThatIsAFolder() throws {
    let folder = try Folder()
    let lock = folder.file("a.gqlite-lock")
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
    #expect {
      try Database(path: folder.file("a.gqlite"), schema: Self.schema)
    } throws: {
      ($0 as? QueryError)?.problems.first?.code == "storage-failed" && "\($0)".contains("its lock '")
        && "\($0)".contains("a.gqlite-lock' cannot be opened")
    }
    try FileManager.default.removeItem(atPath: lock)
    #expect(try Database(path: folder.file("a.gqlite"), schema: Self.schema).count(of: "A") == 0)
  }

  /// Of several processes that make one file at once, one gets it, and the others are told.
  @Test func createdAtOnce() throws {
    for round in 0..<6 {
      let folder = try Folder()
      let path = folder.file("a.gqlite")
      let processes = try (0..<3).map { _ in try ChildProcess.task(["create", path]) }
      let output = processes.map { $0.output().trimmingCharacters(in: .whitespacesAndNewlines) }
      #expect(Set(output).isSubset(of: ["made", "storage-busy"]), "round \(round): \(output)")
      #expect(output.contains("made"), "round \(round): \(output)")
      #expect(processes.allSatisfy { $0.status == 0 })
      #expect(try Database.verify(path: path) == [])
      #expect(try Database(path: path).count(of: "Counter") == 1)
    }
  }

  @Test func aFork() throws {
    let folder = try Folder()
    let output = try ChildProcess.task(["fork", folder.file("a.gqlite")]).output()
    #expect(
      output == """
        the fork reads
        the fork: storage-failed
        another: storage-busy
        {"A":[{"id":1},{"id":3}]}

        """)
  }

  /// There is no room for the log: who follows goes on, and sees what comes when there is room again.
  @Test func noRoomWhileAnotherFollows() throws {
    let folder = try Folder()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    let path = folder.file("a.gqlite")
    let writer = try Database(path: path, schema: Self.schema)
    let follower = try Database(path: path, storage: StorageOptions(access: .follow))
    for id in 1...20 {
      try writer.run("mutation { insertA(data: {id: \(id)}) { id } }")
      disk.fail(at: id % 4, isFull: true, isLasting: true)
      let text = String(repeating: "{id: 0, n: 1}, ", count: 1) + "{id: -\(id), n: 1}"
      let refusal = code { try writer.run("mutation { upsertA(data: [\(text)]) { id } }") }
      #expect(refusal == "storage-full" || refusal == nil && id % 4 > 0)
      if refusal != nil {
        // What is on the disk of the failed commit is no commit.
        #expect(try follower.run("{ n: count(A) }") == writer.run("{ n: count(A) }"))
        #expect(follower.version == writer.version)
        disk.recover()
        try writer.reopen()
      }
      disk.recover()
      #expect(try follower.run("{ A(orderBy: id) { id n } }") == writer.run("{ A(orderBy: id) { id n } }"))
      #expect(follower.check() == [])
    }
  }
}

/// Threads and processes append and read, and are killed; see ``HistoryProof``.
@Suite struct HistoryTests {
  @Test func appended() {
    Tries.expect(
      HistoryProof.run(seconds: 2 * Double(Tries.factor), seed: Tries.seed, jobs: 1), atLeast: 20, "appended")
  }
}
