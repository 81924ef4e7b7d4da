import Foundation
import GQLite
import Synchronization

/// A file that counts how often it is appended to.
final class CountingBackend: StorageBackend {
  private let file: SQLiteBackend
  private let count = Mutex(0)

  init(_ path: String) { file = SQLiteBackend(path: path) }

  var appends: Int { count.withLock { $0 } }
  var name: String { file.name }
  var isTransactional: Bool { file.isTransactional }

  func append(_ records: [StorageRecord]) throws {
    count.withLock { $0 += 1 }
    try file.append(records)
  }

  func open(_ options: StorageOptions) throws { try file.open(options) }
  func read(into reader: StorageReader) throws { try file.read(into: reader) }
  func records(after version: Int64) throws -> [StorageRecord]? { try file.records(after: version) }
  func changeMark() throws -> Int64 { try file.changeMark() }
  func write(_ rows: StorageRows, holding point: StoragePoint?) throws { try file.write(rows, holding: point) }
  func forget(through version: Int64) throws { try file.forget(through: version) }
  func check(_ state: StorageState) throws { try file.check(state) }
  func replace(_ state: StorageState, with rows: StorageRows) throws { try file.replace(state, with: rows) }
  func flush() throws { try file.flush() }
  func close() throws { try file.close() }
  func abandon() { file.abandon() }
}

/// Commits that another database has made, which a follower finds as they are let out.
private final class ReadyRecords: StorageBackend {
  private let place = MemoryBackend()
  private let records: [StorageRecord]
  private let end = Mutex(0)

  init(_ records: [StorageRecord]) { self.records = records }

  func letOut(through count: Int) { end.withLock { $0 = count } }

  var name: String { "ready records" }
  func open(_ options: StorageOptions) throws { try place.open(options) }
  func read(into reader: StorageReader) throws { try place.read(into: reader) }
  func changeMark() throws -> Int64 { Int64(end.withLock { $0 }) }
  func records(after version: Int64) throws -> [StorageRecord]? {
    Array(records[Int(version)..<end.withLock { $0 }])
  }
  func append(_ records: [StorageRecord]) throws {}
  func close() throws {}
  func write(_ rows: StorageRows, holding point: StoragePoint?) throws { try place.write(rows, holding: point) }
  func forget(through version: Int64) throws {}
  func replace(_ state: StorageState, with rows: StorageRows) throws { try place.replace(state, with: rows) }
}

extension DurabilityBenchmark {
  /// Change sets that are ready, as another replica sends them: one thread brings them to a durable log, another applies
  /// what is kept.
  func readyChanges() throws {
    let count = max(100_000, commits * 10)
    let records = try makeRecords(count)
    var found: [Double] = []
    for turn in 0..<3 {
      let ready = ReadyRecords(records)
      try Database(ready, schema: Self.schema).close()
      let follower = try Database(ready, storage: StorageOptions(access: .follow))
      let log = SQLiteBackend(path: path("ready\(turn).gqlite"))
      // Only opens the log, which gets its records from elsewhere.
      let opened = try Database(log, schema: Self.schema)
      let failure = Mutex<(any Error)?>(nil)
      let done = DispatchSemaphore(value: 0)
      let seconds = Self.time {
        Thread.detachNewThread {
          do {
            var end = 0
            while end < count {
              let next = min(count, end + 2000)
              try log.append(Array(records[end..<next]))
              end = next
              ready.letOut(through: end)
            }
          } catch { failure.withLock { $0 = error } }
          done.signal()
        }
        while follower.version < Int64(count), failure.withLock({ $0 == nil }) {
          if (try? follower.refresh()) != true { usleep(50) }
        }
        done.wait()
      }
      if let failure = failure.withLock({ $0 }) { throw failure }
      guard follower.count(of: "Event") == count else { throw Failure("a change set is lost") }
      withExtendedLifetime(opened) { log.abandon() }
      found.append(Double(count) / seconds)
    }
    print(Self.padded("ready change sets, durable: a second", 48), Self.number(Self.median(found)))
  }

  /// The records of single insertions.
  private func makeRecords(_ count: Int) throws -> [StorageRecord] {
    let collecting = CollectingBackend()
    let database = try Database(collecting, schema: Self.schema, storage: StorageOptions(durability: .normal))
    let query = try database.prepare(Self.insertion)
    var last: Submission?
    for number in 0..<count { last = try query.submit(["id": .int(Int64(number))]) }
    _ = try last?.answer()
    try database.close()
    return collecting.all
  }
}

/// A place in memory that keeps every record.
private final class CollectingBackend: StorageBackend {
  private let place = MemoryBackend()
  private let records = Mutex<[StorageRecord]>([])

  var all: [StorageRecord] { records.withLock { $0 } }
  var name: String { place.name }
  func append(_ records: [StorageRecord]) throws { self.records.withLock { $0 += records } }
  func open(_ options: StorageOptions) throws { try place.open(options) }
  func read(into reader: StorageReader) throws { try place.read(into: reader) }
  func close() throws {}
  func records(after version: Int64) throws -> [StorageRecord]? { nil }
  func write(_ rows: StorageRows, holding point: StoragePoint?) throws {}
  func forget(through version: Int64) throws {}
  func replace(_ state: StorageState, with rows: StorageRows) throws { try place.replace(state, with: rows) }
}
