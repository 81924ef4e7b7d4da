import CSQLite
import Foundation
import GQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Times databases in files: single commits beside the disk and SQLite, many threads, opening, and the size of the file.
struct DurabilityBenchmark {
  static let usage = """
    usage: durability [--rows N] [--commits N] [--folder DIR]
      --rows N      rows of the file that is opened (default 1000000)
      --commits N   commits of each kind (default 2000)
      --folder DIR  where files are written (default: a temporary folder; it must be on the disk that is measured)
    """
  var rows = 1_000_000
  var commits = 2000
  var folder = FileManager.default.temporaryDirectory.appending(path: "durability-\(getpid())")

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Failure("\(flag) wants a value") }
      switch flag {
      case "--rows": rows = max(1, Int(value) ?? rows)
      case "--commits": commits = max(10, Int(value) ?? commits)
      case "--folder": folder = URL(filePath: value).appending(path: "durability-\(getpid())")
      default: throw Failure("unknown option '\(flag)'")
      }
    }
  }

  func run() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try singleCommits()
    try threads()
    try opening()
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  // MARK: - Commits

  private static let schema = "type Event { id: Int! text: String! at: DateTime! }"
  private static let insertion =
    "mutation($id: Int!) { insertEvent(data: {id: $id, text: \"something that happened\", at: \"2026-01-01T00:00:00Z\"}) { id } }"

  /// One commit after the other, each kind in turn, so that a busy moment of the machine meets all of them.
  private func singleCommits() throws {
    let disk = try OverwrittenFile(path("plain"))
    let full = try SQLiteEvents(path("full.sqlite"), synchronous: "FULL")
    let normal = try SQLiteEvents(path("normal.sqlite"), synchronous: "NORMAL")
    let databases: [(name: String, query: PreparedQuery, database: Database)] = try [
      ("gqlite, in memory", Database(schema: Self.schema)),
      (
        "gqlite .normal",
        Database(path: path("normal.gqlite"), schema: Self.schema, storage: StorageOptions(durability: .normal))
      ),
      ("gqlite .full", Database(path: path("full.gqlite"), schema: Self.schema)),
    ].map { ($0.0, try $0.1.prepare(Self.insertion), $0.1) }
    var times: [String: [Double]] = [:]
    for number in 0..<commits {
      times["fdatasync after 4 KiB", default: []].append(try Self.time { try disk.write() })
      times["SQLite WAL, FULL", default: []].append(try Self.time { try full.insert(number) })
      times["SQLite WAL, NORMAL", default: []].append(try Self.time { try normal.insert(number) })
      for (name, query, _) in databases {
        times[name, default: []].append(try Self.time { _ = try query.run(["id": .int(Int64(number))]) })
      }
    }
    print("commits, one after the other, in microseconds      median    99.9 %   of fdatasync")
    let base = Self.median(times["fdatasync after 4 KiB"] ?? [])
    for name in [
      "fdatasync after 4 KiB", "SQLite WAL, FULL", "gqlite .full", "SQLite WAL, NORMAL", "gqlite .normal",
      "gqlite, in memory",
    ] {
      let found = (times[name] ?? []).sorted()
      let high = found[min(found.count - 1, found.count * 999 / 1000)]
      print(
        Self.padded(name, 48), Self.number(Self.median(found) * 1e6), Self.number(high * 1e6),
        Self.number(Self.median(found) / base))
    }
    for (name, _, database) in databases {
      guard try database.run("{ n: count(Event) }").jsonString == "{\"n\":\(commits)}" else {
        throw Failure("\(name) lost a commit")
      }
      try database.close()
    }
  }

  /// Durable commits of many threads.
  private func threads() throws {
    for count in [1, 8, 64] {
      let database = try Database(path: path("threads\(count).gqlite"), schema: Self.schema)
      let query = try database.prepare(Self.insertion)
      let each = max(10, commits * 4 / count)
      let done = DispatchGroup()
      let seconds = Self.time {
        for thread in 0..<count {
          done.enter()
          // Threads of their own: a pool has as many as there are processors.
          Thread.detachNewThread {
            for number in 0..<each { _ = try? query.run(["id": .int(Int64(thread * each + number))]) }
            done.leave()
          }
        }
        done.wait()
      }
      guard database.version == Int64(count * each) else { throw Failure("\(count) threads lost a commit") }
      print(
        "\(count) threads, durable:".padding(toLength: 48, withPad: " ", startingAt: 0),
        Self.number(Double(count * each) / seconds), "commits a second")
      try database.close()
    }
  }

  // MARK: - Opening

  private func opening() throws {
    let schema = """
      type Message {
        id: Int! chat: Int! @index author: Int! createdAt: DateTime! @index likes: Int! text: String!
      }
      """
    let file = path("rows.gqlite")
    var lines = ""
    lines.reserveCapacity(rows * 140)
    for id in 0..<rows {
      let text = "message \(id) with some words that make it as long as most messages are"
      lines +=
        "{\"id\":\(id),\"chat\":\(id * 7919 % 50_000),\"author\":\(id * 104_729 % 100_000),"
        + "\"createdAt\":\"2026-01-01T00:\(String(format: "%02d:%02d", id / 60 % 60, id % 60))Z\",\"likes\":\(id % 100),\"text\":\"\(text)\"}\n"
    }
    let ndjson = path("Message.ndjson")
    try lines.write(toFile: ndjson, atomically: false, encoding: .utf8)
    lines = ""
    do {
      let database = try Database(path: file, schema: schema)
      let seconds = try Self.time { try database.load(path: ndjson) }
      print("importing \(rows) rows, in seconds", Self.number(seconds))
      try database.close()
    }
    let sqlite = try SQLiteEvents.messages(path("rows.sqlite"), rows)
    var opened: [Double] = []
    var keyed: [Double] = []
    for _ in 0..<3 {
      var database: Database?
      opened.append(try Self.time { database = try Database(path: file) })
      keyed.append(try Self.time { _ = try database?.run("{ Message(where: id == \(rows / 2)) { text } }") })
      guard let database, try database.run("{ n: count(Message) }").jsonString == "{\"n\":\(rows)}" else {
        throw Failure("rows are missing")
      }
      try database.close()
    }
    print(
      "opening, in seconds", Self.number(Self.median(opened)), " first query by key, in milliseconds",
      Self.number(Self.median(keyed) * 1e3))
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    print(
      "bytes of the file, of SQLite's plain table:", size, sqlite, " ratio", Self.number(Double(size) / Double(sqlite)))
  }

  // MARK: - Figures

  static func time(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
  }

  static func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }
  static func number(_ value: Double) -> String { String(format: "%9.2f", value) }
  static func padded(_ text: String, _ count: Int) -> String {
    text.padding(toLength: count, withPad: " ", startingAt: 0)
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A file of which one block is written again and again.
final class OverwrittenFile {
  private let descriptor: Int32
  private var block = [UInt8](repeating: 1, count: 4096)
  private var place = 0

  init(_ path: String) throws {
    descriptor = open(path, O_RDWR | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw Failure("cannot make \(path)") }
    let room = [UInt8](repeating: 0, count: 16 << 20)
    guard pwrite(descriptor, room, room.count, 0) == room.count, fsync(descriptor) == 0 else {
      throw Failure("cannot fill \(path)")
    }
  }

  deinit { close(descriptor) }

  func write() throws {
    block[0] &+= 1
    place = (place + 4096) % (16 << 20)
    guard pwrite(descriptor, block, block.count, off_t(place)) == block.count, fdatasync(descriptor) == 0 else {
      throw Failure("cannot write")
    }
  }
}

/// The same commits in SQLite.
final class SQLiteEvents {
  private var handle: OpaquePointer?
  private var insertion: OpaquePointer?

  init(_ path: String, synchronous: String) throws {
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure("SQLite cannot open \(path)") }
    sqlite3_exec(handle, "PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous)", nil, nil, nil)
    sqlite3_exec(handle, "CREATE TABLE Event(id INTEGER PRIMARY KEY, text TEXT, at INTEGER)", nil, nil, nil)
    sqlite3_prepare_v2(
      handle, "INSERT INTO Event VALUES (?, 'something that happened', 1767225600000000)", -1, &insertion, nil)
  }

  deinit {
    sqlite3_finalize(insertion)
    sqlite3_close(handle)
  }

  func insert(_ id: Int) throws {
    sqlite3_bind_int64(insertion, 1, Int64(id))
    guard sqlite3_step(insertion) == SQLITE_DONE else { throw Failure("SQLite cannot insert") }
    sqlite3_reset(insertion)
  }

  /// Bytes of a plain table of the messages.
  static func messages(_ path: String, _ rows: Int) throws -> Int {
    var handle: OpaquePointer?
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure("SQLite cannot open \(path)") }
    defer { sqlite3_close(handle) }
    let sql = """
      CREATE TABLE Message(id INTEGER PRIMARY KEY, chat INTEGER, author INTEGER, createdAt INTEGER, likes INTEGER, text TEXT);
      WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM n WHERE id + 1 < \(rows))
      INSERT INTO Message SELECT id, id * 7919 % 50000, id * 104729 % 100000, 1767225600000000 + id % 3600 * 1000000,
        id % 100, 'message ' || id || ' with some words that make it as long as most messages are' FROM n;
      VACUUM;
      """
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw Failure("SQLite cannot fill a table") }
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }
}

do {
  if CommandLine.arguments.contains("--help") {
    print(DurabilityBenchmark.usage)
  } else {
    try DurabilityBenchmark(Array(CommandLine.arguments.dropFirst())).run()
  }
} catch {
  print("durability: \(error)")
  exit(1)
}
