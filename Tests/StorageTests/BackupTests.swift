import Foundation
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Copies of a file, also while others change what the copy is to have.
@Suite struct BackupTests {
  private static let schema = "type A @history { id: ID! n: Int! text: String }"
  private static let everything = "{ A(versions: ALL, orderBy: [id, _version]) { id n _version } }"
  private static let reading = StorageOptions(access: .read)

  private func code(_ body: () throws -> Void) -> String? {
    do { try body() } catch let error as QueryError { return error.problems.first?.code } catch { return "\(error)" }
    return nil
  }

  /// Makes a database with a past, whose file stays as it is while nobody commits.
  private func begin(_ path: String) throws -> Database {
    var options = StorageOptions()
    options.folding.delay = 0
    let database = try Database(path: path, schema: Self.schema, storage: options)
    for id in 1...3 { try database.run("mutation { insertA(data: {id: \(id), n: 0}) }") }
    for n in 1...4 { try database.run("mutation { updateA(all: true, set: {n: \(n)}) }") }
    return database
  }

  private func update(_ id: Int, _ n: Int) -> String { "mutation { updateA(where: id == \(id), set: {n: \(n)}) }" }

  @Test(
    "what was erased or changed since a reader was opened does not make its copy lack the past",
    arguments: ["erased", "schema", "dropped and back"])
  func changedSince(_ how: String) throws {
    let folder = try Folder()
    let (path, copy) = (folder.file("a.gqlite"), folder.file("b.gqlite"))
    let database = try begin(path)
    let reader = try Database(path: path, storage: Self.reading)
    switch how {
    case "erased":
      try database.run("mutation { deleteA(where: id == 1, hard: true) }")
      try database.compact()
    case "schema": try database.changeSchema(to: Self.schema + " type B { id: ID! }")
    default:
      try database.changeSchema(to: Self.schema.replacing(" @history", with: ""), allowingLoss: true)
      try database.changeSchema(to: Self.schema)
    }
    try database.run(update(2, 9))
    try reader.backup(to: copy)
    #expect(try Database.verify(path: copy) == [])
    #expect(try Database(path: copy).run(Self.everything).jsonString == database.run(Self.everything).jsonString)
  }

  @Test(
    "branches that were merged, refreshed or dropped since are as they are now",
    arguments: [["merge"], ["merge", "drop"], ["refresh"], ["compact"]], [StorageOptions.Access.read, .follow])
  func branches(_ steps: [String], _ access: StorageOptions.Access) throws {
    let folder = try Folder()
    let (path, copy) = (folder.file("a.gqlite"), folder.file("b.gqlite"))
    let database = try begin(path)
    let draft = try database.branch("draft")
    try draft.run(update(1, 7))
    let reader = try Database(path: path, storage: StorageOptions(access: access))
    try database.run(update(2, 9))
    for step in steps {
      switch step {
      case "merge": try draft.merge(into: database)
      case "drop": try draft.drop()
      case "refresh": try draft.refresh()
      default: try database.compact()
      }
    }
    #expect(try reader.backup(to: copy) == [])
    #expect(try Database.verify(path: copy) == [])
    let copied = try Database(path: copy)
    #expect(try copied.run(Self.everything).jsonString == database.run(Self.everything).jsonString)
    #expect(try copied.branches.map(\.name) == database.branches.map(\.name))
    for branch in try database.branches {
      let question = "{ A(orderBy: id) { id n } }"
      #expect(
        try copied.branch(branch.name, creates: false).run(question).jsonString
          == database.branch(branch.name, creates: false).run(question).jsonString)
    }
  }

  @Test("a branch that was made since a follower was opened is in its copy") func newBranch() throws {
    let folder = try Folder()
    let database = try begin(folder.file("a.gqlite"))
    let follower = try Database(path: folder.file("a.gqlite"), storage: StorageOptions(access: .follow))
    try database.branch("draft").run(update(1, 7))
    try follower.backup(to: folder.file("b.gqlite"))
    #expect(try Database(path: folder.file("b.gqlite")).branches.map(\.name) == ["draft"])
  }

  @Test("copies are made while branches are merged and refreshed") func whileBranchesChange() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try begin(path)
    try database.branch("draft").run(update(1, 7))
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      do {
        for round in 0..<10 * Tries.factor {
          if thread == 0 {
            let draft = try database.branch("draft")
            try draft.run(update(1, 100 + round))
            if round % 2 == 0 { try draft.merge(into: database) } else { try draft.refresh() }
            if round % 5 == 4 { try database.compact() }
          } else {
            let copy = folder.file("copy\(round).gqlite")
            try Database(path: path, storage: Self.reading).backup(to: copy)
            #expect(try Database.verify(path: copy) == [])
            #expect(try Database(path: copy).branches.map(\.name) == ["draft"])
          }
        }
      } catch { Issue.record("thread \(thread): \(error)") }
    }
  }

  @Test("of a file that is gone or is another there is no copy", arguments: ["removed", "replaced"], [true, false])
  func gone(_ how: String, _ hasBranch: Bool) throws {
    let folder = try Folder()
    let (path, other, copy) = (folder.file("a.gqlite"), folder.file("o.gqlite"), folder.file("b.gqlite"))
    let database = try begin(path)
    if hasBranch { _ = try database.branch("draft") }
    let reader = try Database(path: path, storage: Self.reading)
    try begin(other).close()
    if how == "removed" { try FileManager.default.removeItem(atPath: path) } else { rename(other, path) }
    #expect(code { try reader.backup(to: copy) } == "storage-changed")
    #expect(code { try database.backup(to: copy) } == "storage-changed")
    #expect(!FileManager.default.fileExists(atPath: copy))
    #expect(FileManager.default.fileExists(atPath: path) == (how == "replaced"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".tmp") } == [])
  }

  @Test("a copy writes nothing to its source") func sourceStays() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try begin(path)
    // So much that the copy's own log is copied into it.
    let text = String(repeating: "text ", count: 8000)
    for n in 0..<130 { try database.run("mutation { updateA(where: id == 1, set: {n: \(n), text: \"\(text)\(n)\"}) }") }
    try database.run(update(2, 9))
    func state() throws -> [String] {
      try ["", "-wal"].map { suffix in
        let found = try FileManager.default.attributesOfItem(atPath: path + suffix)
        return "\(String(describing: found[.modificationDate])) \(String(describing: found[.size]))"
      }
    }
    let before = try state()
    try Database(path: path, storage: Self.reading).backup(to: folder.file("b.gqlite"))
    #expect(try state() == before)
    let copy = try Database(path: folder.file("b.gqlite"))
    #expect(try copy.run(Self.everything).jsonString == database.run(Self.everything).jsonString)
  }

  @Test("a log that is left beside the path of a copy is refused", arguments: ["-wal", "-journal"])
  func leftBeside(_ suffix: String) throws {
    let folder = try Folder()
    let copy = folder.file("b.gqlite")
    let database = try begin(folder.file("a.gqlite"))
    #expect(FileManager.default.createFile(atPath: copy + suffix, contents: Data([1, 2, 3])))
    #expect {
      try database.backup(to: copy)
    } throws: {
      ($0 as? QueryError)?.problems.first?.code == "storage-failed" && "\($0)".contains(copy + suffix)
    }
    #expect(!FileManager.default.fileExists(atPath: copy))
    // One without content is no harm.
    #expect(FileManager.default.createFile(atPath: copy + suffix, contents: Data()))
    try database.backup(to: copy)
    #expect(try Database.verify(path: copy) == [])
  }

  @Test("a file in a folder that is read-only, or on a full disk, is copied elsewhere", arguments: [true, false])
  func nothingBeside(_ isFull: Bool) throws {
    let (folder, other) = (try Folder(), try Folder())
    let path = folder.file("100% of #1? a&b.gqlite")
    let database = try begin(path)
    let answer = try database.run(Self.everything).jsonString
    try database.close()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    if isFull { disk.lacksRoomBeside = true } else { disk.lacksFilesBeside = true }
    try Database(path: path, storage: Self.reading).backup(to: other.file("b.gqlite"))
    #expect(try Database.verify(path: other.file("b.gqlite")) == [])
    #expect(try Database(path: other.file("b.gqlite")).run(Self.everything).jsonString == answer)
  }

  @Test("on a full disk a closed database is read, and one with a log is not") func fullDisk() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try begin(path)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.file("left") + suffix)
    }
    let answer = try database.run(Self.everything).jsonString
    try database.close()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    disk.lacksRoomBeside = true
    #expect(try Database(path: path, storage: Self.reading).run(Self.everything).jsonString == answer)
    #expect(code { _ = try Database(path: path, storage: StorageOptions(access: .follow)) } == "storage-failed")
    #expect(code { _ = try Database(path: folder.file("left"), storage: Self.reading) } == "storage-failed")
  }

  @Test("closing on a disk that is full or fails is no failure of what is kept", arguments: [true, false])
  func closing(_ isFull: Bool) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    let database = try begin(path)
    let answer = try database.run(Self.everything).jsonString
    disk.fail(at: 0, isFull: isFull, isLasting: true)
    #expect(code { try database.close() } == nil)
    #expect(disk.failures > 0)
    disk.recover()
    #expect(try Database(path: path).run(Self.everything).jsonString == answer)
    #expect(try Database.verify(path: path) == [])
  }

  @Test("a branch that is newer than the database is damaged") func newerBranch() throws {
    let folder = try Folder()
    let (path, later, copy) = (folder.file("a.gqlite"), folder.file("later.gqlite"), folder.file("b.gqlite"))
    var database = try begin(path)
    try database.branch("draft").run(update(1, 7))
    try database.close()
    try FileManager.default.copyItem(atPath: path, toPath: later)
    database = try Database(path: later)
    for n in 5...8 { try database.run(update(2, n)) }
    try database.branch("draft").refresh()
    try database.close()
    let tables = ["gqlite_branch", "gqlite_branch_content", "gqlite_branch_log"].map {
      "DELETE FROM \($0); INSERT INTO \($0) SELECT * FROM later.\($0);"
    }
    try RawFile.execute(path, "ATTACH '\(later)' AS later; \(tables.joined(separator: " "))")
    for access in [StorageOptions.Access.read, .write] {
      database = try Database(path: path, storage: StorageOptions(access: access))
      #expect(try database.branches.map(\.name) == ["draft"])
      #expect(code { _ = try database.branch("draft", creates: false) } == "storage-corrupt")
      #expect(try database.backup(to: "\(copy)\(access)") == ["draft"])
      #expect(try Database.verify(path: "\(copy)\(access)") == [])
      #expect(try Database.verify(path: path).contains { $0.contains("'draft' is damaged") })
    }
    try database.dropBranch("draft")
    try database.close()
    #expect(try Database.verify(path: path) == [])
  }
}
