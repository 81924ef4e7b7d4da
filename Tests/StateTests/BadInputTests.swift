import Foundation
import GQLEngine
import GQLiteState
import Synchronization
import Testing

/// Tests that what goes wrong is reported and leaves the values as they are.
@Suite struct BadInputTests {
  struct Failing: Codable {
    struct Refusal: Error {}
    var isFailing = true
    func encode(to encoder: any Encoder) throws { throw Refusal() }
  }

  @Model(id: 1)
  final class Item {
    @Property(id: 1) var ratio: Double
    @Property(id: 2) var big: UInt64
    @Property(id: 3) var failing: Failing = Failing()
    @Property(id: 4) var name: String
    @Reference(id: 5) var next: Item?
    @ReferenceList(id: 6) var others: [Item]
  }

  @Test func valuesThatCannotBeKept() {
    let database = InMemoryDatabase()
    let heard = Mutex<[String]>([])
    database.errors.handler = { error in heard.withLock { $0.append(error.code) } }
    let item = Item.create(in: database, id: 1, ratio: 1.5, big: 7, name: "a")
    #expect(database.errors.last?.code == "not-storable")
    // A creation with a value that cannot be kept creates nothing.
    #expect(database.get(id: 1, of: Item.self) == nil)
    _ = database.create(id: 1, of: Item.self)
    item.ratio = 1.5
    item.ratio = .infinity
    item.big = 7
    item.big = .max
    item.failing = Failing()
    #expect(item.ratio == 1.5 && item.big == 7)
    #expect(heard.withLock { $0 } == ["not-storable", "not-storable", "not-storable", "not-storable"])
    #expect(database.errors.count == 4 && database.errors.recent.count == 4)
    #expect(database.errors.recent[1].path == Path(1, 1, 1))
  }

  @Test func pathsOfTheWrongType() {
    let database = InMemoryDatabase()
    let item: Item = database.create(id: 1)
    item.name = "a"
    #expect(database.get(Path(1, 1, 4)) as Int? == nil)
    #expect(database.get(Path(1, 1, 4)) as [String]? == nil)
    #expect(database.get(Path(1, 1, 0)) as String? == nil)
    #expect(database.get(Path(1, 1, 99)) as String? == nil)
    #expect(database.get(Path(99, 1, 1)) as String? == nil)
    #expect(database.get(Path(1, 99, 1)) as Double? == nil)
    database.set("created", for: Path(1, 1, 0))
    #expect(database.errors.last?.code == "wrong-type")
    for (model, property) in [(0, 1), (-1, 1), (1, -1), (1 << 40, 1), (1, 1 << 40), (.min, .max)] {
      database.set(1, for: Path(model, 1, property))
      #expect(database.errors.last?.code == "number-out-of-range")
    }
    #expect(database.get(Path(.min, .min, .min)) as Int? == nil)
    #expect(item.name == "a" && database.all(of: Item.self).count == 1)
  }

  @Test func referencesToNothingAndInCircles() {
    let database = InMemoryDatabase()
    let (one, two): (Item, Item) = (database.create(id: .max), database.create(id: .min))
    one.next = Item(database: database, id: 5)
    one.others = [one, Item(database: database, id: 5), two]
    #expect(one.next == nil && one.others == [one, two])
    one.next = two
    two.next = one
    #expect(one.next?.next?.next?.next === nil || one.next?.next?.next?.next == one)
    two.next = two
    two.delete()
    #expect(two.next?.status == .deleted && one.next?.next?.next == two)
    #expect(database.errors.recent == [])
  }

  @Test func instancesThatAreGoneForGood() throws {
    let database = InMemoryDatabase()
    let item: Item = database.create(id: 1)
    item.name = "a"
    let other: Item = database.create(id: 2)
    other.next = item
    try database.gqlite.run("mutation { deleteItem(where: id == 1, hard: true) { id } }")
    #expect(item.name == "" && other.next == nil && database.get(id: 1, of: Item.self) == nil)
    item.name = "b"
    #expect(item.name == "b" && database.get(id: 1, of: Item.self) == nil)
    item.delete()
    item.insert()
    #expect(database.get(id: 1, of: Item.self) == nil)
    #expect(database.create(id: 1, of: Item.self).name == "b")
  }

  @Test func whatNeverWasIsNotReset() {
    let database = InMemoryDatabase()
    Item(database: database, id: 1).deleteAndClearProperties()
    #expect(database.gqlite.schema == GQLEngine.Database().schema)
    _ = database.create(id: 2, of: Item.self)
    Item(database: database, id: 1).deleteAndClearProperties()
    #expect(database.all(model: 1) { id, _ in id } == [2])
    #expect(database.errors.recent == [])
  }

  @Test func aSchemaThatRefuses() throws {
    let database = InMemoryDatabase()
    let item: Item = database.create(id: 1)
    item.name = "a"
    try database.gqlite.changeSchema(
      to: database.gqlite.schema.replacingOccurrences(of: "name: String @", with: "name: String! @unique @"))
    _ = database.create(id: 2, of: Item.self)
    #expect(database.errors.last?.code == "null-value" && database.get(id: 2, of: Item.self) == nil)
    item.deleteAndClearProperties()
    #expect(database.errors.count == 2 && item.status == .created && item.name == "a")
    // The program's own type has the place of a model.
    let strange = InMemoryDatabase()
    try strange.gqlite.changeSchema(to: "type Thing @number(value: 1) { id: ID! name: String @number(value: 4) }")
    Item(database: strange, id: 1).name = "x"
    #expect(strange.errors.count == 1 && Item(database: strange, id: 1).name == "")
  }

  @Test func handlersThatWrite() {
    let database = InMemoryDatabase()
    let path = Path(3, 1, 1)
    database.errors.handler = { error in
      if error.code == "data-loss" { database.set(1, for: Path(4, 1, 1)) }
    }
    database.set("many", for: path)
    database.set(5, for: path)
    #expect(database.get(path) == 5 && database.get(Path(4, 1, 1)) == 1)
  }

  /// Tests that objects are not written within a transaction, also while others change the schema.
  @Test func transactionsOfTextBesideModels() async {
    let database = InMemoryDatabase()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for model in 1...60 { database.set(model, for: Path(model, 1, 1)) } }
      group.addTask {
        for model in 61...120 {
          try? database.gqlite.transaction { _ in database.set(model, for: Path(model, 1, 1)) }
        }
      }
    }
    for model in 1...60 { #expect(database.get(Path(model, 1, 1)) == model) }
    for model in 61...120 { #expect(database.get(Path(model, 1, 1)) as Int? == nil) }
    #expect(database.errors.count == 60)
  }

  @Test func writingWithinATransactionOfText() throws {
    let database = InMemoryDatabase()
    let item: Item = database.create(id: 1)
    try database.gqlite.transaction { _ in item.name = "inside" }
    #expect(item.name == "" && database.errors.count == 1)
  }

  @Test func aFileThatCannotBeOpened() {
    #expect(throws: QueryError.self) { try SQLiteDatabase(path: "/nowhere/at/all.gqlite") }
  }

  @Test func closedFiles() throws {
    let folder = try TemporaryFolder()
    let database = try SQLiteDatabase(path: folder.path("a.gqlite"))
    let item: Item = database.create(id: 1)
    item.name = "a"
    try database.close()
    item.name = "b"
    #expect(item.name == "a" && database.errors.count == 1)
  }

  @Test func manyInstances() {
    let database = InMemoryDatabase()
    for id in 0..<10_000 {
      let item: Item = database.create(id: id)
      item.name = "\(id)"
      item.ratio = Double(id)
    }
    #expect(database.all(of: Item.self).count == 10_000)
    #expect(database.all { (item: Item) in item.ratio >= 9_990 }.map(\.name).last == "9999")
    for item in database.all(of: Item.self) where item.id % 2 == 0 { item.delete() }
    #expect(database.all(of: Item.self).count == 5_000)
    #expect(database.all(model: 1) { _, status in status }.count == 10_000)
    #expect(database.errors.recent == [])
  }

  @Test func manyThreads() async {
    let database = InMemoryDatabase()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for id in 0..<200 {
            let item: Item = database.getOrCreate(id: id)
            item.name = "\(task)"
            item.ratio = Double(task)
            // Types that come while others write.
            database.set(id, for: Path(2 + task, id, 1 + id % 3))
            _ = database.all(of: Item.self)
          }
        }
      }
    }
    #expect(database.all(of: Item.self).count == 200)
    #expect(database.all { (item: Item) in Int(item.name).map(Double.init) == nil }.isEmpty)
    for task in 0..<8 { #expect(database.get(Path(2 + task, 199, 2)) == 199) }
    #expect(database.errors.recent == [])
  }
}
