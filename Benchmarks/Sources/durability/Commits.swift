import CommitModel
import Foundation
import GQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Commits: one after the other, while rows are written, and of many threads.
extension DurabilityBenchmark {
  static let schema = "type Event { id: Int! text: String! at: DateTime! }"
  static let insertion =
    "mutation($id: Int!) { insertEvent(data: {id: $id, text: \"something that happened\", at: \"2026-01-01T00:00:00Z\"}) { id } }"

  /// One commit after the other, each kind in turn, so that a busy moment of the machine meets all of them. Each
  /// turn has another order: what runs before a kind has filled the caches of the processor for it, or for something else.
  func singleCommits() throws {
    let disk = try OverwrittenFile(path("plain"))
    let full = try SQLiteEvents(path("full.sqlite"), synchronous: "FULL")
    let normal = try SQLiteEvents(path("normal.sqlite"), synchronous: "NORMAL")
    let databases: [(name: String, query: PreparedQuery, database: Database)] = try [
      ("gqlite, in memory", Database(schema: Self.schema)),
      (
        "gqlite .normal",
        Database(path: path("normal.gqlite"), schema: Self.schema, storage: StorageOptions(durability: .normal))
      ),
      (
        "gqlite .memory",
        Database(path: path("memory.gqlite"), schema: Self.schema, storage: StorageOptions(durability: .memory))
      ),
      ("gqlite .full", Database(path: path("full.gqlite"), schema: Self.schema)),
    ].map { ($0.0, try $0.1.prepare(Self.insertion), $0.1) }
    var kinds: [(name: String, commit: (Int) throws -> Void)] = [
      ("fdatasync after 4 KiB", { _ in try disk.write() }), ("SQLite WAL, FULL", full.insert),
      ("SQLite WAL, NORMAL", normal.insert),
    ]
    for (name, query, _) in databases {
      kinds.append((name, { number in _ = try query.run(["id": .int(Int64(number))]) }))
    }
    var times: [String: [Double]] = [:]
    var random = SystemRandomNumberGenerator()
    for number in 0..<commits {
      for (name, commit) in kinds.shuffled(using: &random) {
        times[name, default: []].append(try Self.time { try commit(number) })
      }
    }
    print("commits, one after the other, in microseconds      median    99.9 %   of fdatasync")
    let base = Self.median(times["fdatasync after 4 KiB"] ?? [])
    for name in [
      "fdatasync after 4 KiB", "SQLite WAL, FULL", "gqlite .full", "SQLite WAL, NORMAL", "gqlite .normal",
      "gqlite .memory", "gqlite, in memory",
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

  /// Statements of one thread, some hundred at a time of each kind in turn: the costs of keeping a commit beside those of
  /// making it.
  func statements() throws {
    let kinds: [(name: String, durability: StorageOptions.Durability?)] = [
      ("in memory", nil), (".memory", .memory), (".normal", .normal),
    ]
    let update = "mutation($id: Int!, $text: String!) { updateEvent(where: id == $id, set: {text: $text}) { id } }"
    let databases = try kinds.map { kind in
      try kind.durability.map {
        try Database(
          path: path("statements\(kind.name).gqlite"), schema: Self.schema, storage: StorageOptions(durability: $0))
      } ?? Database(schema: Self.schema)
    }
    let queries = try databases.map { (try $0.prepare(Self.insertion), try $0.prepare(update)) }
    let (turns, each) = (max(20, commits / 20), 500)
    var times = [[[Double]]](repeating: [[], []], count: kinds.count)
    for turn in 0..<turns {
      for (place, (insert, update)) in queries.enumerated() {
        // Inserted so that every id is new, and updated so that every row changes.
        let inserting = try Self.time {
          for number in 0..<each { _ = try insert.run(["id": .int(Int64(turn * each + number))]) }
        }
        let text = Value.string("something else, of turn \(turn)")
        let updating = try Self.time {
          for number in 0..<each { _ = try update.run(["id": .int(Int64(turn * each + number)), "text": text]) }
        }
        times[place][0].append(inserting / Double(each) * 1e6)
        times[place][1].append(updating / Double(each) * 1e6)
      }
    }
    for (number, operation) in ["insert", "update"].enumerated() {
      let base = Self.median(times[0][number])
      for (place, kind) in kinds.enumerated() {
        let found = Self.median(times[place][number])
        print(
          Self.padded("one \(operation) after the other, \(kind.name), in µs", 48), Self.number(found), " more",
          Self.number(found - base), " least", Self.number(times[place][number].min() ?? 0))
      }
    }
    for database in databases { try database.close() }
  }

  /// Commits of 4 KiB, so many that rows are written between them.
  func folding() throws {
    let database = try Database(path: path("folding.gqlite"), schema: Self.schema)
    let query = try database.prepare(
      "mutation($id: Int!, $text: String!) { insertEvent(data: {id: $id, text: $text, at: \"2026-01-01T00:00:00Z\"}) { id } }"
    )
    let text = Value.string(String(repeating: "x", count: 4096))
    let count = max(9_000, commits * 4)
    var found: [Double] = []
    for number in 0..<count {
      found.append(try Self.time { _ = try query.run(["id": .int(Int64(number)), "text": text]) })
    }
    // The log has 16 MiB after some 4,000, and slices of rows follow each commit from then on.
    let late = found[4_200...].sorted()
    print(
      Self.padded("gqlite .full, 4 KiB each, while rows are written", 48), Self.number(Self.median(Array(late)) * 1e6),
      Self.number(late[late.count * 999 / 1000] * 1e6), " greatest", Self.number((late.last ?? 0) * 1e6))
    try database.close()
  }

  /// Commits of many threads, beside a log that does nothing else.
  func threads() throws {
    for count in [1, 8, 64] {
      let each = max(10, commits * 4 / count)
      var flushes = 0
      var ownFlushes = 0
      var model: [Double] = []
      var own: [Double] = []
      for turn in 0..<3 {
        let seconds = commit_model_threads(
          path("model\(count)-\(turn).sqlite"), Int32(count), Int32(each), 90, &flushes)
        guard seconds > 0 else { throw Failure("the model reports an error") }
        model.append(Double(count * each) / seconds)
        let backend = CountingBackend(path("threads\(count)-\(turn).gqlite"))
        own.append(try rate(count, each, Database(backend, schema: Self.schema)).perSecond)
        ownFlushes = backend.appends
      }
      print(
        Self.padded("\(count) threads, durable: commits a second, model", 48), Self.number(Self.median(own)),
        Self.number(Self.median(model)), " ratio", Self.number(Self.median(own) / Self.median(model)),
        " commits a flush", Self.number(Double(count * each) / Double(max(1, ownFlushes))), " of the model",
        Self.number(Double(count * each) / Double(max(1, flushes))))
    }
    let each = max(10, commits / 2)
    let options = StorageOptions(durability: .normal)
    let kept = try rate(8, each, Database(path: path("cpu.gqlite"), schema: Self.schema, storage: options))
    let memory = try rate(8, each, Database(schema: Self.schema))
    print(
      Self.padded("8 threads, .normal: CPU a commit, in memory, in µs", 48), Self.number(kept.cpu * 1e6),
      Self.number(memory.cpu * 1e6))
  }

  /// One thread that does not wait for each commit, beside a log that does nothing else, and statements in memory.
  func pipelined() throws {
    let count = max(20_000, commits * 10)
    var (own, memory, model): ([Double], [Double], [Double]) = ([], [], [])
    for turn in 0..<3 {
      var flushes = 0
      let seconds = commit_model_pipelined(path("pipelined\(turn).sqlite"), Int32(count), 90, &flushes)
      guard seconds > 0 else { throw Failure("the model reports an error") }
      model.append(Double(count) / seconds)
      for isKept in [true, false] {
        let database =
          try isKept
          ? Database(path: path("pipelined\(turn).gqlite"), schema: Self.schema) : Database(schema: Self.schema)
        let query = try database.prepare(Self.insertion)
        let seconds = try Self.time {
          var last: Submission?
          for number in 0..<count { last = try query.submit(["id": .int(Int64(number))]) }
          _ = try last?.answer()
        }
        guard database.count(of: "Event") == count else { throw Failure("a submission is lost") }
        if isKept { own.append(Double(count) / seconds) } else { memory.append(Double(count) / seconds) }
        try database.close()
      }
    }
    print(
      Self.padded("one thread pipelined, durable: a second, in memory", 48), Self.number(Self.median(own)),
      Self.number(Self.median(memory)), " ratio", Self.number(Self.median(own) / Self.median(memory)),
      " the model's records", Self.number(Self.median(model)))
  }

  private func rate(_ count: Int, _ each: Int, _ database: Database) throws -> (perSecond: Double, cpu: Double) {
    let query = try database.prepare(Self.insertion)
    let done = DispatchGroup()
    let before = Self.cpuSeconds
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
    let cpu = Self.cpuSeconds - before
    guard try database.run("{ n: count(Event) }").jsonString == "{\"n\":\(count * each)}" else {
      throw Failure("\(count) threads lost a commit")
    }
    try database.close()
    return (Double(count * each) / seconds, cpu / Double(count * each))
  }

  private static var cpuSeconds: Double {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
