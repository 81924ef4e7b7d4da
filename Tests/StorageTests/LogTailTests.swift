import Foundation
import GQLEngine
import GQLStorage
import GQLStore
import GQLite
import StorageProofs
import Testing

/// Commits that a damaged log lacks, and records that are of another copy of the file, are found.
@Suite struct LogTailTests {
  private static let schema = "type Item { id: Int! n: Int! text: String }"

  private static func insertion(_ id: Int, _ text: String = "") -> String {
    "mutation { insertItem(data: {id: \(id), n: \(id), text: \"\(text)\"}) { id } }"
  }

  private static func options(logBytes: Int = 1 << 30) -> StorageOptions {
    var options = StorageOptions(durability: .normal)
    options.folding.logBytes = logBytes
    options.folding.delay = 0
    return options
  }

  /// Opens a file, runs statements, and copies it as a killed process would leave it.
  private static func killed(_ path: String, to copy: String, _ statements: [String], logBytes: Int = 1 << 30) throws {
    let database = try Database(path: path, schema: schema, storage: options(logBytes: logBytes))
    for statement in statements { try database.run(statement) }
    for suffix in ["", "-wal"] {
      try? FileManager.default.removeItem(atPath: copy + suffix)
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
  }

  private func refused(_ path: String, _ words: String, _ place: SourceLocation = #_sourceLocation) throws {
    for access in [StorageOptions.Access.read, .write] {
      #expect(sourceLocation: place) {
        try Database(path: path, storage: StorageOptions(access: access))
      } throws: { error in
        guard let problem = (error as? QueryError)?.problems.first else { return false }
        return problem.code == "storage-corrupt" && problem.message.contains(words)
      }
    }
    let problems = try Database.verify(path: path)
    #expect(problems.count == 1 && problems[0].contains(words), "\(problems)", sourceLocation: place)
  }

  /// The example of `docs/format.md`, worked out by hand.
  @Test func theExampleOfTheDocument() {
    func bytes(_ digits: String) -> [UInt8] { digits.split(separator: " ").compactMap { UInt8($0, radix: 16) } }
    func commit(_ version: Int64, _ time: Int64, _ digits: String) -> Commit {
      Commit(version: version, time: time, changes: ChangeSet(bytes: ContiguousArray(bytes(digits))))
    }
    let start = LogRecord.sum(schema: "type Item {\n  id: ID!\n  n: Int!\n}\n", version: 0, time: 0, after: 0)
    #expect(start == 0x588D_307B)
    let insertion =
      "01 01 14 00 01 52 03 31 02 02 0A 03 02 80 80 82 E2 88 D2 A3 06 04 02 80 80 82 E2 88 D2 A3 06 00 00"
    let first = LogRecord.bytes(commit(1, 1_767_225_600_000_000, insertion), after: start)
    #expect(first.bytes == bytes(insertion + " 7B 30 8D 58 2E 7D 27 52"))
    #expect(first.sum == 0x5227_7D2E)
    let update = "01 01 15 00 02 03 0A 0C 04 03 80 80 82 E2 88 D2 A3 06 80 A5 98 9C 89 D2 A3 06 00 00"
    let second = LogRecord.bytes(commit(2, 1_767_225_661_000_000, update), after: first.sum)
    #expect(second.bytes == bytes(update + " 2E 7D 27 52 70 29 9F BB"))
  }

  /// After a checkpoint, any page of the file takes the place of the one that leads to the log's pages.
  @Test func theRootOfTheLogIsExchanged() throws {
    let folder = try Folder(syncs: false)
    let (path, copy) = (folder.file("a.gqlite"), folder.file("b.gqlite"))
    // A thousand pages of the write-ahead log bring a checkpoint; more commits follow it.
    try Self.killed(path, to: copy, (0..<1200).map { Self.insertion($0, "text \($0)") })
    let (file, log) = (
      try [UInt8](Data(contentsOf: URL(filePath: copy))), try [UInt8](Data(contentsOf: URL(filePath: copy + "-wal")))
    )
    let root = Int(try RawFile.integer(path, "SELECT rootpage FROM sqlite_schema WHERE name = 'gqlite_log'")) - 1
    let pages = file.count / 4096
    #expect(pages > 10 && root < pages, "the log was copied into the file")
    var refused = 0
    for page in 1..<pages where page != root {
      var damaged = file
      for index in 0..<4096 { damaged.swapAt(root * 4096 + index, page * 4096 + index) }
      try? FileManager.default.removeItem(atPath: copy + "-shm")
      try Data(damaged).write(to: URL(filePath: copy))
      try Data(log).write(to: URL(filePath: copy + "-wal"))
      do throws(QueryError) {
        let database = try Database(path: copy, storage: StorageOptions(access: .read))
        #expect(try database.run("{ n: count(Item) }").jsonString == #"{"n":1200}"#, "pages \(root) and \(page)")
      } catch {
        #expect(CorruptionProof.codes.contains(error.problems.first?.code ?? ""), "pages \(root) and \(page): \(error)")
        refused += 1
      }
    }
    #expect(refused > pages / 2)
  }

  /// A commit writes one page, and no more than that for the version that is noted.
  @Test func aCommitWritesNoPageMore() throws {
    let folder = try Folder(syncs: false)
    let copy = folder.file("b.gqlite")
    try Self.killed(folder.file("a.gqlite"), to: copy, (0..<400).map { Self.insertion($0) })
    let size = try FileManager.default.attributesOfItem(atPath: copy + "-wal")[.size] as? Int ?? 0
    // A page of 4,096 bytes takes more than 30 such records; a new one touches three others.
    #expect(size / 4120 <= 400 + 400 / 30 * 4 + 2, "\(size / 4120) pages")
  }

  @Test func theLastCommitsAreRemoved() throws {
    let folder = try Folder(syncs: false)
    let (path, copy) = (folder.file("a.gqlite"), folder.file("b.gqlite"))
    // Rows are written after each commit, so that each is noted.
    try Self.killed(path, to: copy, (0..<20).map { Self.insertion($0) }, logBytes: 0)
    try RawFile.execute(copy, "DELETE FROM gqlite_log WHERE version > 17")
    try refused(copy, "commit")
  }

  @Test func recordsOfAnotherCopy() throws {
    let folder = try Folder(syncs: false)
    let (first, second) = (folder.file("a.gqlite"), folder.file("b.gqlite"))
    do {
      let database = try Database(path: first, schema: Self.schema, storage: Self.options())
      for id in 0..<5 { try database.run(Self.insertion(id)) }
      try database.close()
    }
    try FileManager.default.copyItem(atPath: first, toPath: second)
    // Both go on, each in its own way.
    let (left, right) = (folder.file("left.gqlite"), folder.file("right.gqlite"))
    try Self.killed(first, to: left, (5..<9).map { Self.insertion($0, "left") })
    try Self.killed(second, to: right, (5..<9).map { Self.insertion($0, "right") })
    // Versions 6 to 9 of the one, 8 of the other.
    try RawFile.execute(
      left,
      """
      ATTACH '\(right)' AS other;
      UPDATE gqlite_log SET (time, body) = (SELECT time, body FROM other.gqlite_log o WHERE o.version = 8)
      WHERE version = 8
      """)
    try refused(left, "commit 8 does not follow the one before it")
    // The last one alone, and a time.
    try Self.killed(second, to: right, [Self.insertion(9, "right")])
    try RawFile.execute(right, "UPDATE gqlite_log SET time = time + 1 WHERE version = 9")
    try refused(right, "the checksum of commit 9 is wrong")
  }

  /// Rows of one copy, and the log of another, which is whole in itself.
  @Test func theLogOfAnotherCopy() throws {
    let folder = try Folder(syncs: false)
    let (first, second) = (folder.file("a.gqlite"), folder.file("b.gqlite"))
    do {
      let database = try Database(path: first, schema: Self.schema, storage: Self.options())
      try database.run(Self.insertion(0))
      try database.close()
    }
    try FileManager.default.copyItem(atPath: first, toPath: second)
    let (left, right) = (folder.file("left.gqlite"), folder.file("right.gqlite"))
    try Self.killed(first, to: left, (1..<9).map { Self.insertion($0, "left") }, logBytes: 0)
    try Self.killed(second, to: right, (1..<12).map { Self.insertion($0, "right") })
    try RawFile.execute(
      left,
      """
      ATTACH '\(right)' AS other;
      DELETE FROM gqlite_log;
      INSERT INTO gqlite_log SELECT * FROM other.gqlite_log
      """)
    try refused(left, "commit")
  }

  /// A backend of a program's own has lost the last records.
  @Test func aBackendLosesRecords() throws {
    let store = ForgetfulStore()
    var options = StorageOptions()
    options.folding.delay = 0
    options.folding.logBytes = 0
    options.folding.sliceRows = 1
    do {
      let database = try Database(KeyValueBackend(store), schema: Self.schema, storage: options)
      try database.run(Self.insertion(0))
      let rows = (1..<5).map { "{id: \($0), n: 1}" }.joined(separator: ", ")
      for _ in 0..<3 { try database.run("mutation { upsertItem(data: [\(rows)]) { id } }") }
    }
    #expect(try Database(KeyValueBackend(store)).run("{ n: count(Item) }").jsonString == #"{"n":5}"#)
    let last = try #require(store.all(model: 1).max())
    store.set(nil, for: ValuePath(model: 1, instance: last, property: 0))
    #expect { try Database(KeyValueBackend(store)) } throws: { error in
      (error as? QueryError)?.problems.first?.code == "storage-corrupt"
    }
  }

  /// A follower does not go on with records of another copy.
  @Test func aFollowerOfAnotherCopy() throws {
    let folder = try Folder(syncs: false)
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: Self.options())
    try database.run(Self.insertion(0))
    let follower = try Database(path: path, storage: StorageOptions(access: .follow))
    try database.run(Self.insertion(1))
    #expect(try follower.run("{ n: count(Item) }").jsonString == #"{"n":2}"#)
    try RawFile.execute(path, "UPDATE gqlite_log SET version = 3 WHERE version = 2")
    try RawFile.execute(path, "INSERT INTO gqlite_log SELECT 4, time, body FROM gqlite_log WHERE version = 3")
    #expect { try follower.run("{ n: count(Item) }") } throws: { error in
      (error as? QueryError)?.problems.first?.code == "storage-corrupt"
    }
  }
}

/// A store whose values can be taken away.
private final class ForgetfulStore: PathStore, @unchecked Sendable {
  private var values: [ValuePath: [UInt8]] = [:]

  func get(_ path: ValuePath) -> [UInt8]? { values[path] }
  func set(_ value: [UInt8]?, for path: ValuePath) { values[path] = value }
  func all(model: Int) -> [Int] { values.keys.filter { $0.model == model }.map(\.instance) }
}
