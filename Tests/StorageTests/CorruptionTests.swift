import CSQLite3
import Foundation
import GQLDifferential
import GQLStorage
import GQLite
import StorageTask
import Testing

/// Files that are damaged, or of others: opening ends with an error, or with the content that was written.
///
/// A damaged write-ahead log is one that a loss of power has torn, for all that SQLite knows: the content may be that
/// of an earlier commit then, but of no other.
@Suite struct CorruptionTests {
  private static let codes: Set<String> = [
    "storage-corrupt", "storage-version", "storage-failed", "storage-read-only", "storage-changed", "storage-busy",
  ]

  /// What opening gives: a code, or the content.
  private enum Outcome: Equatable {
    case code(String)
    case content(String)
  }

  private static func open(_ path: String, access: StorageOptions.Access = .write) -> Outcome {
    do throws(QueryError) {
      let database = try Database(path: path, storage: StorageOptions(access: access, creates: false))
      let problems = database.check()
      if !problems.isEmpty { return .content("check: \(problems.prefix(3))") }
      return .content(try database.run(Workload.everything).jsonString)
    } catch { return .code(error.problems.first?.code ?? "no code") }
  }

  /// A file that is closed, or one as a killed process leaves it, and the contents that it may have.
  private struct Original {
    var file: [UInt8]
    var log: [UInt8]
    /// After each commit that the write-ahead log may hold, and after the last.
    var contents: Set<String> = []
    var last = ""

    init(isClosed: Bool, _ folder: Folder) throws {
      let path = folder.file("original.gqlite")
      var options = StorageOptions(durability: .normal)
      options.folding.logBytes = isClosed ? 16 << 20 : 3_000
      options.folding.sliceRows = 5
      let database = try Database(path: path, schema: Workload.schema, storage: options)
      let workload = Workload(seed: Proofs.seed, threads: 2)
      try workload.begin(database)
      for number in 1...60 {
        if number == 30, !isClosed {
          try database.close()
          try database.reopen()
        }
        try workload.run(number, of: number % 2, in: database)
        last = try database.run(Workload.everything).jsonString
        if number >= 29 { contents.insert(last) }
      }
      if isClosed { try database.close() }
      file = Array(try Data(contentsOf: URL(filePath: path)))
      log = isClosed ? [] : Array(try Data(contentsOf: URL(filePath: path + "-wal")))
    }

    func write(_ path: String, _ file: [UInt8], _ log: [UInt8]) throws {
      for suffix in ["-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      try Data(file).write(to: URL(filePath: path))
      if !log.isEmpty { try Data(log).write(to: URL(filePath: path + "-wal")) }
    }
  }

  @Test(arguments: [true, false]) func damaged(_ isClosed: Bool) throws {
    let folder = try Folder()
    let original = try Original(isClosed: isClosed, folder)
    let path = folder.file("damaged.gqlite")
    try original.write(path, original.file, original.log)
    #expect(Self.open(path) == .content(original.last))
    var (refused, right, earlier, silent) = (0, 0, 0, 0)
    for number in 0..<(220 * Proofs.factor) {
      let seed = Proofs.seed &* 100_000 &+ UInt64(number)
      var random = SeededRandom(seed: seed)
      var (file, log) = (original.file, original.log)
      let hitsLog = !isClosed && random.chance(40)
      let what = hitsLog ? Self.damage(&log, &random) : Self.damage(&file, &random)
      try original.write(path, file, log)
      switch Self.open(path, access: random.chance(80) ? .write : .read) {
      case .code(let code):
        refused += 1
        #expect(Self.codes.contains(code), "seed \(seed), \(what): \(code)")
      case .content(original.last): right += 1
      case .content(let found) where hitsLog && original.contents.contains(found): earlier += 1
      case .content(let found):
        silent += 1
        if silent <= 3 {
          Issue.record(
            "seed \(seed), closed \(isClosed), log \(hitsLog), \(what): \(Proofs.firstDifference(found, original.last))"
          )
        }
      }
    }
    print(
      "damaged, closed \(isClosed): \(refused) refused, \(right) right, \(earlier) earlier, \(silent) silently wrong")
    #expect(silent == 0)
  }

  /// Damages bytes; says how.
  private static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) -> String {
    let (count, pages) = (bytes.count, max(1, bytes.count / 4096))
    switch random.below(10) {
    case 0...3:
      let place = random.below(count)
      bytes[place] ^= 1 << UInt8(random.below(8))
      return "a bit of byte \(place)"
    case 4, 5:
      let place = random.below(pages) * 4096 + random.below(120)
      bytes[min(place, count - 1)] = UInt8(random.below(256))
      return "byte \(place)"
    case 6:
      let place = random.below(count)
      for index in place..<min(count, place + 1 + random.below(600)) { bytes[index] = UInt8(random.below(256)) }
      return "bytes from \(place)"
    case 7:
      let size = random.below(count)
      bytes.removeLast(count - size)
      return "cut to \(size)"
    case 8:
      let page = random.below(pages)
      for index in page * 4096..<min(count, (page + 1) * 4096) { bytes[index] = 0 }
      return "page \(page) without content"
    default:
      let (left, right) = (random.below(pages), random.below(pages))
      guard (max(left, right) + 1) * 4096 <= count else { return "nothing" }
      for index in 0..<4096 { bytes.swapAt(left * 4096 + index, right * 4096 + index) }
      return "pages \(left) and \(right)"
    }
  }

  @Test func filesOfOthers() throws {
    let folder = try Folder()
    let path = folder.file("other")
    func sqlite(_ sql: String) {
      var handle: OpaquePointer?
      try? FileManager.default.removeItem(atPath: path)
      sqlite3_open(path, &handle)
      #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
      sqlite3_close(handle)
    }
    sqlite("CREATE TABLE a(b); INSERT INTO a VALUES (1)")
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(Self.open(path) == .code("storage-corrupt"))
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    sqlite("PRAGMA application_id = 0x47514C64; PRAGMA user_version = 1; CREATE TABLE a(b)")
    guard case .code = Self.open(path) else { return #expect(Bool(false), "a file without tables of ours is opened") }
    let text = Data(String(repeating: "this is a text, and no database\n", count: 400).utf8)
    try text.write(to: URL(filePath: path))
    #expect(Self.open(path) == .code("storage-corrupt"))
    #expect(try Data(contentsOf: URL(filePath: path)) == text)
    #expect(Self.open(folder.path) == .code("storage-failed"))
    #expect(Self.open(folder.file("missing")) == .code("storage-failed"))
    #expect(Self.open(folder.file("a/b")) == .code("storage-failed"))
    #expect(Self.open("") == .code("storage-failed"))
    mkfifo(folder.file("fifo"), 0o600)
    #expect(Self.open(folder.file("fifo")) == .code("storage-failed"))
    #expect(Self.open(folder.file("fifo"), access: .read) == .code("storage-failed"))
    symlink(folder.file("loop"), folder.file("loop"))
    #expect(Self.open(folder.file("loop")) == .code("storage-failed"))
    symlink(folder.file("nowhere/at/all"), folder.file("dangling"))
    #expect(Self.open(folder.file("dangling")) == .code("storage-failed"))
  }

  @Test func versionsAndMeta() throws {
    let folder = try Folder()
    let original = try Original(isClosed: true, folder)
    let path = folder.file("changed.gqlite")
    func changed(_ sql: String) throws -> Outcome {
      try original.write(path, original.file, [])
      var handle: OpaquePointer?
      sqlite3_open(path, &handle)
      #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
      sqlite3_close(handle)
      return Self.open(path)
    }
    #expect(try changed("PRAGMA user_version = 2") == .code("storage-version"))
    #expect(try changed("PRAGMA user_version = 2147483647") == .code("storage-version"))
    #expect(try changed("PRAGMA application_id = 1") == .code("storage-corrupt"))
    // What others leave beside our tables changes nothing.
    #expect(try changed("CREATE TABLE mine(a); CREATE INDEX i ON mine(a)") == .content(original.last))
    let statements = [
      "PRAGMA user_version = -1", "PRAGMA user_version = 0", "UPDATE gqlite_meta SET value = 'x' WHERE key = 'folded'",
      "UPDATE gqlite_meta SET value = -5 WHERE key = 'folded'", "UPDATE gqlite_meta SET value = 1 WHERE key = 'folded'",
      "UPDATE gqlite_meta SET value = 9e18 WHERE key = 'folded'", "DELETE FROM gqlite_meta", "DROP TABLE gqlite_meta",
      "UPDATE gqlite_meta SET value = 'type X { id: ID! }' WHERE key = 'schema'",
      "UPDATE gqlite_meta SET value = '' WHERE key = 'schema'",
      "UPDATE gqlite_meta SET value = 'type {' WHERE key = 'schema'", "DROP TABLE gqlite_log",
      "DELETE FROM gqlite_type", "UPDATE gqlite_type SET number = number + 10", "DELETE FROM gqlite_field",
      "UPDATE gqlite_field SET name = 'x' WHERE name = 'seq'", "DROP TABLE gqlite_t1", "DROP TABLE gqlite_t3",
      "DELETE FROM gqlite_t3 WHERE row = 4", "DELETE FROM gqlite_t3", "UPDATE gqlite_t3 SET row = row + 1000",
      "UPDATE gqlite_t3 SET row = -1 WHERE row = 3", "UPDATE gqlite_t3 SET v = 5 WHERE row = 3",
      "UPDATE gqlite_t3 SET status = 2 WHERE row = 3", "UPDATE gqlite_t3 SET extra = x'00' WHERE row = 3",
      "UPDATE gqlite_t3 SET row = 4000000000 WHERE row = (SELECT max(row) FROM gqlite_t3)",
      "UPDATE gqlite_t3 SET row = 9223372036854775807 WHERE row = (SELECT max(row) FROM gqlite_t3)",
      "INSERT OR REPLACE INTO gqlite_log VALUES (1, 0, x'')", "INSERT INTO gqlite_log VALUES (1000000, 0, x'00')",
      "INSERT INTO gqlite_t3(row, v, status, sum) VALUES (5000, 1, 1, 0)", "ALTER TABLE gqlite_t3 ADD COLUMN more",
      "DROP VIEW Item; CREATE VIEW Item AS SELECT 1",
    ]
    for sql in statements {
      switch try changed(sql) {
      case .code(let code): #expect(Self.codes.contains(code), "\(sql): \(code)")
      case .content(let found):
        #expect(found == original.last, "\(sql): \(Proofs.firstDifference(found, original.last))")
      }
    }
  }
}
