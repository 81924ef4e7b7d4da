import Foundation
import Testing

@testable import GQLiteState

/// Earlier states: the traps of the document's own library, worked out by hand.
@Suite struct HistoryTests {
  @Model(id: 1)
  final class Sample {
    @Property(id: 1) var value: Int = -1
    @Property(id: 2) var text: String
  }

  @Model(id: 2)
  final class Other {
    @Property(id: 1) var value: Int
  }

  /// A time that changes can have: later than that of the database's schema.
  private let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 1000).rounded())

  private func at(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

  private func change(_ database: StateDatabase, _ seconds: Double, _ body: () -> Void) {
    database.store.time = Int64(at(seconds).timeIntervalSince1970 * 1_000_000)
    body()
    database.store.time = nil
  }

  @Test func valuesAtTimes() {
    let database = InMemoryHistoryDatabase()
    let sample = Sample(database: database, id: 1)
    change(database, 0) { _ = database.create(id: 1, of: Sample.self) }
    for second in [1, 3, 5, 7] { change(database, Double(second)) { sample.value = second } }
    let expected: [(Double, Int)] = [
      (0, -1), (0.5, -1), (1, 1), (2, 1), (2.999999, 1), (3, 3), (4, 3), (5, 5), (6.5, 5), (7, 7), (8, 7),
    ]
    for (second, value) in expected {
      let view = database.view(at: at(second))
      #expect(view.get(id: 1, of: Sample.self)?.value == value, "at \(second)")
      #expect(database.get(Path(1, 1, 1), at: at(second)) == (value == -1 ? nil : value), "at \(second)")
    }
    #expect(database.view(at: at(-1)).get(id: 1, of: Sample.self) == nil)
    #expect(database.get(Path(1, 1, 1), at: .distantPast) as Int? == nil)
    #expect(database.get(Path(1, 1, 1), at: .distantFuture) == 7)
    #expect(database.errors.recent == [])
  }

  @Test func twoWritesAtOneInstant() {
    let database = InMemoryHistoryDatabase()
    let sample = Sample(database: database, id: 1)
    change(database, 1) {
      _ = database.create(id: 1, of: Sample.self)
      sample.value = 1
      sample.value = 2
    }
    #expect(database.view(at: at(1)).get(id: 1, of: Sample.self)?.value == 2)
    #expect(database.view(at: at(0.9)).get(id: 1, of: Sample.self) == nil)
  }

  @Test func instancesAtTimes() {
    let database = InMemoryHistoryDatabase()
    let (one, two) = (Sample(database: database, id: 1), Sample(database: database, id: 2))
    change(database, 1) { _ = database.create(id: 1, of: Sample.self) }
    change(database, 2) { one.text = "one" }
    change(database, 3) { _ = database.create(id: 2, of: Sample.self) }
    change(database, 4) { one.delete() }
    change(database, 5) { two.text = "two" }
    change(database, 6) { one.insert() }
    change(database, 7) { one.deleteAndClearProperties() }
    func statuses(_ second: Double) -> [String] {
      database.all(model: 1, at: at(second)) { id, status in "\(id) \(status)" }
    }
    #expect(statuses(0) == [])
    #expect(statuses(1) == ["1 created"])
    #expect(statuses(3) == ["1 created", "2 created"])
    #expect(statuses(4.5) == ["1 deleted", "2 created"])
    #expect(statuses(6) == ["1 created", "2 created"])
    #expect(statuses(7) == ["1 deleted", "2 created"])
    func text(_ id: Int, _ second: Double) -> String? {
      database.view(at: at(second)).get(id: id, of: Sample.self)?.text
    }
    #expect(text(1, 1) == "" && text(1, 2) == "one" && text(1, 4) == "one" && text(1, 6) == "one" && text(1, 7) == "")
    #expect(text(2, 3) == "" && text(2, 5) == "two" && text(2, 1) == nil)
    let view = database.view(at: at(4))
    #expect(view.all(of: Sample.self).map(\.id) == [2])
    #expect(view.get(id: 1, of: Sample.self)?.status == .deleted)
    view.moveView(to: at(3))
    #expect(view.all(of: Sample.self).map(\.id) == [1, 2] && view.date == at(3))
  }

  @Test func modelsThatComeLater() {
    let database = InMemoryHistoryDatabase()
    let date = Date()
    let sample: Sample = database.create(id: 1)
    sample.value = 1
    let between = Date()
    // Each is another schema.
    for model in 2...12 {
      database.set(InstanceStatus.created, for: Path(model: model, instance: 1))
      database.set(model, for: Path(model: model, instance: 1, property: 1))
    }
    sample.value = 2
    let view = database.view(at: between)
    #expect(view.get(id: 1, of: Sample.self)?.value == 1)
    #expect(view.get(id: 1, of: Other.self) == nil)
    #expect(database.view(at: date.addingTimeInterval(-1)).get(id: 1, of: Sample.self) == nil)
    #expect(database.view(at: Date()).get(Path(12, 1, 1)) == 12)
    #expect(database.errors.recent == [])
  }

  @Test func viewsAreNotWritten() {
    let database = InMemoryHistoryDatabase()
    let sample = Sample.create(in: database, id: 1, value: 1, text: "a")
    let view = database.view(at: Date())
    let then: Sample? = view.get(id: 1)
    then?.value = 2
    then?.delete()
    _ = view.create(id: 3, of: Sample.self)
    then?.deleteAndClearProperties()
    #expect(sample.value == 1 && sample.status == .created && database.get(id: 3, of: Sample.self) == nil)
    #expect(database.errors.recent.allSatisfy { $0.code == "read-only" })
    #expect(database.errors.count >= 4)
    // A view stays as it is.
    sample.value = 9
    #expect(then?.value == 1)
  }

  @Test func filesKeepTheirPast() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("history.gqlite")
    var between = Date()
    do {
      let database = try SQLiteHistoryDatabase(path: path)
      let sample = Sample.create(in: database, id: 1, value: 1, text: "a")
      Thread.sleep(forTimeInterval: 0.01)
      between = Date()
      Thread.sleep(forTimeInterval: 0.01)
      sample.value = 2
      #expect(database.view(at: between).get(id: 1, of: Sample.self)?.value == 1)
      #expect(database.view(at: Date()).get(id: 1, of: Sample.self)?.value == 2)
      #expect(database.errors.recent == [])
      try database.close()
    }
    let database = try SQLiteHistoryDatabase(file: URL(filePath: path))
    #expect(database.get(id: 1, of: Sample.self)?.value == 2)
    #expect(database.view(at: between).get(id: 1, of: Sample.self)?.value == 1)
    let view = database.view(at: .distantPast)
    #expect(view.get(id: 1, of: Sample.self) == nil && view.all(of: Sample.self).isEmpty)
    #expect(database.errors.recent == [])
    try database.close()
  }

  /// Each change is made by another opening of the file, which has no recent versions then.
  @Test(arguments: [0, 64 << 20]) func valuesAcrossOpenings(_ recentVersions: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("history.gqlite")
    func open(_ body: (SQLiteHistoryDatabase) -> Void) throws {
      let storage = StorageOptions(durability: .normal, recentVersions: recentVersions)
      let database = try SQLiteHistoryDatabase(path: path, storage: storage)
      body(database)
      #expect(database.errors.recent == [] && database.gqlite.check() == [])
      try database.close()
    }
    let text = String(repeating: "so that the log is folded ", count: 400)
    for second in [1, 3, 5, 7] {
      try open { database in
        change(database, Double(second)) {
          let sample: Sample = database.getOrCreate(id: 1)
          sample.value = second
          sample.text = "\(second) \(text)"
        }
      }
    }
    func check(_ database: SQLiteHistoryDatabase) {
      let expected: [(Double, Int?)] = [(0.5, nil), (1, 1), (2, 1), (4.9, 3), (5, 5), (7, 7), (8, 7)]
      for (second, value) in expected {
        let view = database.view(at: at(second))
        #expect(view.get(id: 1, of: Sample.self)?.value == value, "at \(second)")
        #expect(view.get(id: 1, of: Sample.self)?.text.first == value.flatMap { "\($0)".first }, "at \(second)")
        #expect(database.get(Path(1, 1, 1), at: at(second)) == value, "at \(second)")
        #expect(database.all(model: 1, at: at(second)) { id, _ in id } == (value == nil ? [] : [1]), "at \(second)")
      }
    }
    try open(check)
    // A model, a property and a value that come later are in none of the past.
    try open { database in
      change(database, 9) {
        database.create(id: 1, of: Other.self).value = 4
        database.set(5, for: Path(1, 1, 7))
      }
      check(database)
    }
    try open { database in
      check(database)
      #expect(database.view(at: at(8)).get(id: 1, of: Other.self) == nil)
      #expect(database.view(at: at(9)).get(id: 1, of: Other.self)?.value == 4)
      #expect(database.get(Path(1, 1, 7), at: at(8)) as Int? == nil && database.get(Path(1, 1, 7), at: at(9)) == 5)
    }
  }

  @Test func statusAcrossOpenings() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("history.gqlite")
    let storage = StorageOptions(durability: .normal, recentVersions: 0)
    func open(_ second: Double, _ body: (Sample) -> Void) throws {
      let database = try SQLiteHistoryDatabase(path: path, storage: storage)
      change(database, second) { body(Sample(database: database, id: 1)) }
      #expect(database.errors.recent == [])
      try database.close()
    }
    // A value before the instance, then its life, and that of the next one with its number.
    try open(1) { $0.value = 1 }
    try open(2) { _ = $0.database.create(id: 1, of: Sample.self) }
    try open(3) { $0.delete() }
    try open(4) { $0.value = 4 }
    try open(5) { $0.insert() }
    try open(6) { $0.deleteAndClearProperties() }
    try open(7) { _ = $0.database.create(id: 1, of: Sample.self) }
    try open(8) { $0.value = 8 }
    let database = try SQLiteHistoryDatabase(path: path, storage: storage)
    let expected: [(Double, InstanceStatus?, Int)] = [
      (0, nil, -1), (1, nil, 1), (2, .created, 1), (3.5, .deleted, 1), (4, .deleted, 4), (5.5, .created, 4),
      (6, .deleted, -1), (7, .created, -1), (8, .created, 8), (9, .created, 8),
    ]
    for (second, status, value) in expected {
      let view = database.view(at: at(second))
      #expect(view.get(Path(model: 1, instance: 1)) == status, "at \(second)")
      #expect(view.all(model: 1) { $1 } == (status.map { [$0] } ?? []), "at \(second)")
      #expect(Sample(database: view, id: 1).value == value, "at \(second)")
    }
    #expect(database.errors.recent == [])
    try database.close()
  }

  @Test func aFileThatHadNoHistory() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("history.gqlite")
    let storage = StorageOptions(durability: .normal, recentVersions: 0)
    let plain = try SQLiteDatabase(path: path, storage: storage)
    change(plain, 1) { plain.create(id: 1, of: Sample.self).value = 1 }
    #expect(!plain.gqlite.schema.contains("@history"))
    try plain.close()
    let before = Date()
    Thread.sleep(forTimeInterval: 0.01)
    for second in [5, 6] {
      let database = try SQLiteHistoryDatabase(path: path, storage: storage)
      change(database, Double(second)) {
        database.create(id: 1, of: Sample.self).value = second
        database.create(id: second, of: Other.self).value = second
      }
      #expect(database.errors.recent == [])
      try database.close()
    }
    let database = try SQLiteHistoryDatabase(path: path, storage: storage)
    #expect(database.get(Path(1, 1, 1), at: at(5)) == 5 && database.get(Path(1, 1, 1), at: at(6)) == 6)
    #expect(database.errors.recent == [])
    // Of a model that has no history so far back nothing is seen, and it is reported; of others all is.
    let view = database.view(at: before)
    #expect(view.get(id: 1, of: Sample.self) == nil && view.all(of: Sample.self).isEmpty)
    #expect(view.all(of: Other.self).isEmpty)
    #expect(database.errors.recent.map(\.code) == ["no-history"])
    #expect(database.all(model: 2, at: before) { id, _ in id } == [] && database.errors.count == 1)
    try database.close()
  }

  @Test func aHistoryThatTextLimits() throws {
    let database = InMemoryHistoryDatabase()
    let sample: Sample = database.create(id: 1)
    let limited = database.gqlite.schema.replacing("@history", with: "@history(versions: 5)")
    try database.gqlite.changeSchema(to: limited)
    for value in 1...3000 { change(database, Double(value)) { sample.value = value } }
    #expect(database.get(Path(1, 1, 1), at: at(2999)) == 2999)
    #expect(database.get(Path(1, 1, 1), at: at(3)) as Int? == nil)
    #expect(database.errors.recent.map(\.code) == ["no-history"])
    // Types of later models keep all.
    database.set(1, for: Path(2, 1, 1))
    #expect(database.gqlite.schema.contains("@history {") && database.gqlite.schema.contains("@history(versions: 5)"))
  }

  /// A database with a past of the program's own.
  final class OwnHistory: HistoryDatabase {
    private var log: [(date: Date, path: Path, value: any Codable)] = []
    var now = Date(timeIntervalSince1970: 0)

    func get<Value: DatabaseValue>(_ path: Path) -> Value? { get(path, at: .distantFuture) }

    func set<Value: DatabaseValue>(_ value: Value, for path: Path) { log.append((now, path, value)) }

    func all<T>(model: ModelKey, where predicate: (InstanceKey, InstanceStatus) -> T?) -> [T] {
      all(model: model, at: .distantFuture, where: predicate)
    }

    func get<Value: DatabaseValue>(_ path: Path, at date: Date) -> Value? {
      log.last { $0.date <= date && $0.path == path }?.value as? Value
    }

    func all<T>(
      model: ModelKey, at date: Date, where predicate: (InstanceKey, InstanceStatus) -> T?
    ) -> [T] {
      Set(log.filter { $0.path.model == model && $0.date <= date }.map(\.path.instance)).sorted().compactMap { id in
        let status: InstanceStatus? = get(Path(model: model, instance: id), at: date)
        return status.flatMap { predicate(id, $0) }
      }
    }
  }

  @Test func ownHistoryDatabase() {
    let database = OwnHistory()
    let sample: Sample = database.create(id: 1)
    for second in [1, 3] {
      database.now = Date(timeIntervalSince1970: Double(second))
      sample.value = second
    }
    let view = database.view(at: Date(timeIntervalSince1970: 2))
    let then: Sample? = view.get(id: 1)
    #expect(then?.value == 1 && view.all(of: Sample.self).count == 1)
    view.moveView(to: Date(timeIntervalSince1970: 3))
    #expect(then?.value == 3)
    then?.value = 5
    #expect(sample.value == 3 && view.errors.last?.code == "read-only")
    let context = database.createEditingContextWithCurrentState()
    let draft: Sample? = context.get(id: 1)
    draft?.value = 6
    #expect(sample.value == 3)
    context.commitChanges()
    #expect(sample.value == 6)
  }
}
