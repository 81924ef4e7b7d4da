import Foundation
import GQLDifferential
import GQLStorage
import GQLite
import StorageProofs
import Synchronization
import Testing

/// The suite for backends: those that come with the module pass, and faults are found.
@Suite struct BackendTests {
  @Test func memory() { #expect(StorageConformance.check(MemoryBackend()) == []) }

  @Test func file() throws {
    let folder = try Folder()
    #expect(StorageConformance.check { SQLiteBackend(path: folder.file("a.gqlite")) } == [])
    #expect(try Database.verify(path: folder.file("a.gqlite")) == [])
  }

  @Test func keysAndValues() {
    let store = Paths()
    #expect(StorageConformance.check { KeyValueBackend(store) } == [])
  }

  /// A backend with one fault each, which the suite must find.
  @Test(arguments: Fault.allCases) func faults(_ fault: Fault) {
    #expect(StorageConformance.check(Faulty(fault)) != [])
  }

  /// Whatever a store of paths was doing when the process ended: what was committed is there.
  @Test(arguments: 1...12) func endsInTheMiddle(_ seed: UInt64) throws {
    let store = Paths()
    let workload = Workload(seed: seed, threads: 1)
    let twin = try Database(schema: Workload.schema)
    try workload.begin(twin)
    var random = SeededRandom(seed: seed)
    var options = StorageOptions(allowsLoss: true)
    options.folding.logBytes = random.pick([0, 500, 1 << 20])
    options.folding.sliceRows = 1 + random.below(5)
    var database = try Database(KeyValueBackend(store), schema: Workload.schema, storage: options)
    try workload.begin(database)
    var isWider = false
    for number in 1...60 {
      store.failure = random.chance(40) ? random.below(12) : nil
      do {
        try workload.run(number, of: 0, in: database)
        if random.chance(10) {
          isWider.toggle()
          try database.changeSchema(to: isWider ? Workload.widerSchema : Workload.schema, allowingLoss: true)
        }
        if random.chance(10) { try database.compact() }
      } catch { #expect("\(error)".contains("the store is gone"), "\(error)") }
      store.failure = nil
      database = try Database(KeyValueBackend(store), storage: options)
      let found = try workload.count(of: 0, in: database)
      #expect(found == number || found == number - 1)
      if found == number - 1 { try workload.run(number, of: 0, in: database) }
      try workload.run(number, of: 0, in: twin)
      let (content, wanted) = (
        try database.run(Workload.everything).jsonString, try twin.run(Workload.everything).jsonString
      )
      #expect(content == wanted, "seed \(seed), change \(number): \(Proofs.firstDifference(content, wanted))")
      #expect(database.check() == [])
      if content != wanted { return }
      isWider = database.schema.contains("extra")
    }
  }

  /// A follower that cannot read what is new says so each time, and sees what it saw before.
  @Test func damagedNews() throws {
    let store = Paths()
    let writer = try Database(KeyValueBackend(store), schema: "type A { id: ID! }")
    let follower = try Database(KeyValueBackend(store), storage: StorageOptions(access: .follow))
    try writer.run("mutation { insertA(data: {id: 1}) { id } }")
    #expect(follower.count(of: "A") == 1)
    try writer.run("mutation { insertA(data: {id: 2}) { id } }")
    let place = ValuePath(model: 1, instance: 2, property: 0)
    let record = try #require(store.get(place))
    try store.set(record.dropLast() + [record[record.count - 1] ^ 1], for: place)
    for _ in 0..<3 {
      do {
        try follower.run("{ A { id } }")
        Issue.record("damage is not told")
      } catch { #expect(error.problems.first?.code == "storage-corrupt") }
    }
    #expect(follower.count(of: "A") == 1)
    try store.set(record, for: place)
    #expect(follower.count(of: "A") == 2)
  }

  /// Bytes that a store of paths gives back changed are an error, and never a wrong answer.
  @Test(arguments: 1...60) func damagedValues(_ seed: UInt64) throws {
    let store = Paths()
    let workload = Workload(seed: 5, threads: 1)
    var options = StorageOptions()
    options.folding.logBytes = 2_000
    do {
      let database = try Database(KeyValueBackend(store), schema: Workload.schema, storage: options)
      try workload.begin(database)
      for number in 1...30 { try workload.run(number, of: 0, in: database) }
    }
    let wanted = try Database(KeyValueBackend(store)).run(Workload.everything).jsonString
    var random = SeededRandom(seed: seed)
    store.damage(&random)
    do {
      let database = try Database(KeyValueBackend(store))
      #expect(try database.run(Workload.everything).jsonString == wanted)
    } catch {
      #expect(error.problems.first?.code == "storage-corrupt", "\(error)")
    }
  }
}

/// A store of values by path, in memory, whose calls may fail from one on.
private final class Paths: PathStore {
  struct Gone: Error, CustomStringConvertible {
    var description: String { "the store is gone" }
  }
  private struct State {
    var values: [ValuePath: [UInt8]] = [:]
    var failure: Int?
  }
  private let state = Mutex(State())

  /// The number of writes until all fail.
  var failure: Int? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  func get(_ path: ValuePath) -> [UInt8]? { state.withLock { $0.values[path] } }

  func set(_ value: [UInt8]?, for path: ValuePath) throws {
    try state.withLock { state in
      if let left = state.failure {
        if left == 0 { throw Gone() }
        state.failure = left - 1
      }
      state.values[path] = value
    }
  }

  func all(model: Int) -> [Int] { state.withLock { $0.values.keys.filter { $0.model == model }.map(\.instance) } }

  /// Changes a value, shortens it, or takes it away.
  func damage(_ random: inout SeededRandom) {
    state.withLock { state in
      let paths = state.values.keys.sorted { ($0.model, $0.instance) < ($1.model, $1.instance) }
        .filter { $0.model > 0 }
      let path = paths[random.below(paths.count)]
      var bytes = state.values[path] ?? []
      switch random.below(2) {
      case 0: bytes[8 + random.below(bytes.count - 8)] ^= UInt8(1 << random.below(8))
      default: bytes.removeLast(1 + random.below(bytes.count - 1))
      }
      state.values[path] = bytes
    }
  }
}

enum Fault: CaseIterable {
  case losesRecords, losesRows, keepsRemovedRows, forgetsTooMuch, losesTheVersion, keepsOldRecords, reorders
}

/// A backend in memory that does one thing wrong.
private final class Faulty: StorageBackend {
  private let backend = MemoryBackend()
  private let fault: Fault
  init(_ fault: Fault) { self.fault = fault }

  var name: String { "faulty" }
  func open(_ options: StorageOptions) throws { try backend.open(options) }
  func read(into reader: StorageReader) throws { try backend.read(into: reader) }
  func records(after version: Int64) throws -> [StorageRecord]? {
    let found = try backend.records(after: version)
    return fault == .keepsOldRecords ? found ?? [] : found
  }
  func changeMark() throws -> Int64 { try backend.changeMark() }
  func append(_ records: [StorageRecord]) throws {
    if fault == .losesRecords, records.first?.version == 4 { return }
    try backend.append(
      fault == .reorders ? records.map { StorageRecord(version: $0.version + 1, time: 0, bytes: $0.bytes) } : records)
  }
  func write(_ rows: StorageRows, holding point: StoragePoint?) throws {
    if fault == .losesRows, rows.contains(where: { $0.row == 3 }) { return }
    if fault == .keepsRemovedRows, rows.contains(where: \.isRemoved) { return }
    try backend.write(rows, holding: fault == .losesTheVersion ? nil : point)
    if fault == .losesTheVersion, let point { try backend.forget(through: point.version) }
  }
  func forget(through version: Int64) throws {
    try backend.forget(through: fault == .forgetsTooMuch ? version + 1 : version)
  }
  func replace(_ state: StorageState, with rows: StorageRows) throws { try backend.replace(state, with: rows) }
  func close() throws { try backend.close() }
}
