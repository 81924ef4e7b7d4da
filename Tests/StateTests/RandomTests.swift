import Foundation
import Testing

@testable import GQLiteState

/// Random changes of instances, against plain dictionaries: now, at each earlier time, in contexts, and in files.
@Suite struct RandomTests {
  @Model(id: 1)
  final class Item {
    @Property(id: 1) var name: String
    @Property(id: 2) var count: Int = 3
    @Property(id: 3) var maybe: Int? = 5
    @Property(id: 4) var list: [String]
    @Reference(id: 5) var next: Item?
    @ReferenceList(id: 6) var others: [Item]
  }

  /// A state that is expected of an instance.
  struct Expected: Equatable {
    var status: InstanceStatus?
    var name = ""
    var count = 3
    var maybe: Int? = 5
    var list: [String] = []
    var next: Int?
    var others: [Int] = []
  }

  private static let ids = 0..<6

  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// Changes an instance, and what is expected of it.
  private func change(
    _ database: any Database, _ expected: inout [Expected], _ random: inout Generator
  ) {
    let id = Int.random(in: Self.ids, using: &random)
    let item = Item(database: database, id: id)
    switch Int.random(in: 0..<14, using: &random) {
    case 0...2:
      let made: Item = database.create(id: id)
      #expect(made == item)
      expected[id].status = .created
    case 3:
      item.delete()
      if expected[id].status == .created { expected[id].status = .deleted }
    case 4:
      item.insert()
      if expected[id].status == .deleted { expected[id].status = .created }
    case 5:
      item.deleteAndClearProperties()
      let status: InstanceStatus? = expected[id].status == nil ? nil : .deleted
      expected[id] = Expected(status: status)
    case 6:
      _ = Item.create(in: database, id: id, name: "new", count: 1, maybe: nil, list: ["x"])
      expected[id] = Expected(status: .created, name: "new", count: 1, maybe: nil, list: ["x"])
    case 7:
      expected[id].name = "\(Int.random(in: 0..<100, using: &random))"
      item.name = expected[id].name
    case 8:
      expected[id].count = Int.random(in: -5..<5, using: &random)
      item.count = expected[id].count
    case 9:
      expected[id].maybe = Bool.random(using: &random) ? nil : 7
      item.maybe = expected[id].maybe
    case 10:
      expected[id].list.append("é")
      item.list.append("é")
    case 11:
      let target = Bool.random(using: &random) ? nil : Int.random(in: Self.ids, using: &random)
      expected[id].next = target
      item.next = target.map { Item(database: database, id: $0) }
    default:
      let targets = (0..<Int.random(in: 0..<4, using: &random)).map { _ in Int.random(in: Self.ids, using: &random) }
      expected[id].others = targets
      item.others = targets.map { Item(database: database, id: $0) }
    }
  }

  private func check(_ database: any Database, _ expected: [Expected], _ comment: String) {
    for id in Self.ids {
      let status: InstanceStatus? = database.get(Path(model: 1, instance: id))
      let item = Item(database: database, id: id)
      let found = Expected(
        status: status, name: item.name, count: item.count, maybe: item.maybe, list: item.list, next: item.next?.id,
        others: item.others.map(\.id))
      var visible = expected[id]
      visible.next = visible.next.flatMap { expected[$0].status == nil ? nil : $0 }
      visible.others.removeAll { expected[$0].status == nil }
      #expect(found == visible, "\(comment), instance \(id)")
      #expect((database.get(id: id, of: Item.self) == nil) == (status == nil), "\(comment), instance \(id)")
    }
    let all = database.all(model: 1) { id, status in "\(id) \(status)" }
    #expect(all.sorted() == Self.ids.compactMap { id in expected[id].status.map { "\(id) \($0)" } }, "\(comment)")
    #expect(
      database.all(of: Item.self).map(\.id).sorted() == Self.ids.filter { expected[$0].status == .created },
      "\(comment)")
  }

  private static let nothing = [Expected](repeating: Expected(), count: ids.count)

  @Test(arguments: 1...8) func asDictionaries(_ seed: UInt64) {
    var random = Generator(state: seed)
    let database = InMemoryDatabase()
    // Of every second one the class comes after its values.
    if seed % 2 == 0 { database.register(Item.self) }
    var expected = Self.nothing
    for step in 0..<100 {
      change(database, &expected, &random)
      check(database, expected, "seed \(seed), step \(step)")
    }
    #expect(database.errors.recent == [])
    #expect(database.gqlite.check() == [])
  }

  @Test(arguments: 1...6) func atEachTime(_ seed: UInt64) {
    var random = Generator(state: seed &* 77)
    let database = InMemoryHistoryDatabase()
    let start = (Date().timeIntervalSince1970 + 1000).rounded()
    var expected = Self.nothing
    var states = [expected]
    for step in 1...80 {
      database.store.time = Int64((start + Double(step)) * 1_000_000)
      change(database, &expected, &random)
      // Later types are another layout of the data.
      if step % 20 == 0 { database.set(step, for: Path(step, 1, 1)) }
      states.append(expected)
    }
    let view = database.view(at: .distantPast)
    for _ in 0..<60 {
      let step = Int.random(in: 0..<states.count, using: &random)
      let part = Double.random(in: 0..<0.99, using: &random)
      view.moveView(to: Date(timeIntervalSince1970: start + Double(step) + part))
      check(view, states[step], "seed \(seed), step \(step)")
    }
    #expect(database.errors.recent == [])
  }

  @Test(arguments: 1...8) func inContexts(_ seed: UInt64) {
    var random = Generator(state: seed &* 991)
    let database = InMemoryHistoryDatabase()
    var expected = Self.nothing
    for round in 0..<8 {
      for _ in 0..<10 { change(database, &expected, &random) }
      let below = expected
      let isSnapshot = round % 2 == 0
      let context = isSnapshot ? database.createEditingContextWithCurrentState() : database.createEditingContext()
      var draft = expected
      for _ in 0..<15 { change(context, &draft, &random) }
      check(context, draft, "seed \(seed), round \(round), draft")
      check(database, below, "seed \(seed), round \(round), database")
      if round % 3 == 2 {
        context.discardChanges()
        check(context, below, "seed \(seed), round \(round), discarded")
      } else {
        #expect(context.commitChanges())
        expected = draft
        check(database, expected, "seed \(seed), round \(round), committed")
        check(context, expected, "seed \(seed), round \(round), after")
      }
    }
    #expect(database.errors.recent == [])
  }

  @Test(arguments: 1...4) func inFiles(_ seed: UInt64) throws {
    var random = Generator(state: seed &* 313)
    let folder = try TemporaryFolder()
    var expected = Self.nothing
    for round in 0..<4 {
      let database = try SQLiteDatabase(path: folder.path("a.gqlite"), storage: StorageOptions(durability: .normal))
      check(database, expected, "seed \(seed), round \(round), opened")
      for _ in 0..<30 { change(database, &expected, &random) }
      check(database, expected, "seed \(seed), round \(round), changed")
      #expect(database.errors.recent == [] && database.gqlite.check() == [])
      try database.close()
    }
  }

  @Test(arguments: 1...4) func throughCachesAndObservers(_ seed: UInt64) {
    var random = Generator(state: seed &* 17)
    let database = ObservableDatabase(
      wrapping: CachedDatabase(wrapping: InMemoryDatabase(), cache: MaximumCountCache(maxCount: 7)))
    var expected = Self.nothing
    for step in 0..<100 {
      change(database, &expected, &random)
      check(database, expected, "seed \(seed), step \(step)")
    }
  }
}
