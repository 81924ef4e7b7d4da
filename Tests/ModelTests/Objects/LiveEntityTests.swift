import Foundation
import GQLiteModels
import Observation
import Synchronization
import Testing

enum ObjectMood: String, CaseIterable, Codable, Sendable { case CALM, GLAD }

struct ObjectPlace: Codable, Hashable, Sendable {
  var street: String
  var number: Int
}

@EntityModel
struct ObjectPerson {
  var id: Int
  var name: String
  var age: Int?
  var mood: ObjectMood = .CALM
  var tags: [String] = []
  var place: ObjectPlace?
  var born: Date?
  var height: Double = 0
  var email: String?
  @Relationship(inverse: \.fans) var idols: [ObjectPerson]?
  @Relationship(inverse: \.idols) var fans: [ObjectPerson]?
  @Relationship var boss: ObjectPerson? = nil

  var shout: String { name.uppercased() + "!" }
}

@EntityModel
struct ObjectAccount {
  var id: Int
  @Unique<Self>(\.email, collisions: .throw) private var emails
  var email: String
  var weight: Double = 0
}

/// Entities as objects, in memory and in a file.
@Suite struct LiveEntityTests {
  private func database() throws -> Database { try Database(for: ObjectPerson.self) }

  @Test("properties of every kind are read and written, and text sees them") func properties() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    #expect(alice.id == 1)
    #expect(alice.name == "Alice")
    #expect(alice.age == nil)
    alice.name = "Ally"
    alice.age = 30
    alice.mood = .GLAD
    alice.tags = ["x", "y"]
    alice.tags.append("z")
    alice.place = ObjectPlace(street: "Elm", number: 3)
    alice.place?.number = 4
    alice.born = Date(timeIntervalSince1970: 12.25)
    alice.height += 1.5
    alice.email = "a@b.c"
    #expect(alice.error == nil)
    #expect(alice.name == "Ally")
    #expect(alice.age == 30)
    #expect(alice.mood == .GLAD)
    #expect(alice.tags == ["x", "y", "z"])
    #expect(alice.place == ObjectPlace(street: "Elm", number: 4))
    #expect(alice.born == Date(timeIntervalSince1970: 12.25))
    #expect(alice.height == 1.5)
    #expect(alice.email == "a@b.c")
    #expect(alice.shout == "ALLY!")
    let answer = try database.run("{ ObjectPerson { id name age mood tags height email } }")
    #expect(
      answer.jsonString
        == #"{"ObjectPerson":[{"id":1,"name":"Ally","age":30,"mood":"GLAD","tags":["x","y","z"],"height":1.5,"email":"a@b.c"}]}"#
    )
    #expect(try ObjectPerson.first(in: database)?.place?.number == 4)
    try database.run(#"mutation { updateObjectPerson(where: id == 1, set: {name: "Al", age: null}) }"#)
    #expect(alice.name == "Al")
    #expect(alice.age == nil)
    #expect(alice.entity.tags == ["x", "y", "z"])
    #expect(database.check() == [])
  }

  @Test("an entity has one object as long as somebody holds it") func identity() throws {
    let database = try database()
    try database.update { try ObjectPerson(id: 1, name: "a").save(to: &$0) }
    let first = try #require(try database.object(ObjectPerson.self, id: 1))
    let second = try #require(try database.object(ObjectPerson.self, id: 1))
    #expect(first === second)
    #expect(try database.objects(ObjectPerson.self).first === first)
    #expect(try database.object(ObjectPerson.self, id: 2) == nil)
    // Another database has another one.
    let other = try self.database()
    #expect(try other.create(ObjectPerson(id: 1, name: "a")) != first)
  }

  @Test("queries give objects, in their order") func queries() throws {
    let database = try database()
    try database.update { context in
      for number in 1...5 { try ObjectPerson(id: number, name: "p\(number)", age: number * 10).save(to: &context) }
    }
    let found = try database.objects(ObjectPerson.filter(\.age >= 20).sorted(by: \.age.desc))
    #expect(found.map(\.id) == [5, 4, 3, 2])
    found[0].name = "x"
    #expect(try ObjectPerson.filter(\.name == "x").first(in: database)?.id == 5)
    let made = try database.findOrCreate(ObjectPerson.self, id: 6) { ObjectPerson(id: 6, name: "six") }
    #expect(made.name == "six")
    #expect(try database.findOrCreate(ObjectPerson.self, id: 6) { ObjectPerson(id: 6, name: "other") } === made)
    #expect(made.name == "six")
  }

  @Test("a setter that fails leaves the value, and says so") func failures() async throws {
    let database = try Database(for: ObjectAccount.self)
    let alice = try database.create(ObjectAccount(id: 1, email: "a"))
    let bob = try database.create(ObjectAccount(id: 2, email: "b"))
    var errors = database.objectErrors.makeAsyncIterator()
    bob.email = "a"
    #expect(bob.email == "b")
    #expect(bob.error is Errors)
    let reported = try #require(await errors.next())
    #expect(reported.type == "ObjectAccount" && reported.id == "2" && reported.property == "email")
    #expect(throws: (any Error).self) { try bob.set(\.email, "a") }
    #expect(throws: (any Error).self) { try bob.set(\.id, 7) }
    #expect(throws: (any Error).self) { try bob.set(\.weight, .infinity) }
    #expect(bob.id == 2)
    #expect(bob.weight == 0)
    // What succeeds clears it.
    bob.email = "c"
    #expect(bob.error == nil)
    #expect(alice.error == nil)
    #expect(database.check() == [])
  }

  @Test("a deleted entity reads as it was, and comes back") func deleting() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice", tags: ["t"]))
    #expect(alice.status == .created)
    #expect(alice.delete())
    #expect("\(alice.status)" == "deleted")
    #expect(alice.name == "Alice")
    #expect(alice.tags == ["t"])
    alice.name = "x"
    #expect((alice.error as? ModelError)?.code == "unknown-id")
    #expect(alice.name == "Alice")
    #expect(try database.object(ObjectPerson.self, id: 1) == nil)
    #expect(try database.object(ObjectPerson.self, id: 1, deleted: .include) === alice)
    #expect(alice.insert())
    #expect(alice.status == .created)
    #expect(alice.error == nil)
    alice.name = "Ally"
    #expect(try ObjectPerson.first(in: database)?.name == "Ally")
    // Gone for good.
    alice.age = 7
    try database.run("mutation { deleteObjectPerson(where: id == 1, hard: true) }")
    #expect(alice.status == .gone)
    database.waitUntilTold()
    #expect(alice.name == "Ally")
    #expect(alice.age == 7)
    alice.age = 8
    #expect((alice.error as? ModelError)?.code == "unknown-id")
    #expect(alice.insert())
    #expect(alice.status == .created)
    #expect(alice.name == "Ally")
    #expect(alice.age == 7)
  }

  @Test("a property is cleared to its default") func clearing() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice", age: 3, tags: ["t"]))
    #expect(alice.clear(\.age))
    #expect(alice.clear(\.tags))
    #expect(alice.clear(\.name))
    #expect(!alice.clear(\.mood))
    #expect((alice.error as? ModelError)?.code == "missing-value")
    #expect(alice.age == nil)
    #expect(alice.tags == [])
    #expect(alice.name == "")
    #expect(alice.mood == .CALM)
  }

  @Test("relations are lists of objects, changed in place") func relations() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    let bob = try database.create(ObjectPerson(id: 2, name: "Bob"))
    let carol = try database.create(ObjectPerson(id: 3, name: "Carol"))
    #expect(alice.idols.isEmpty)
    alice.idols.append(bob)
    alice.idols.append(carol)
    #expect(alice.idols.map(\.name) == ["Bob", "Carol"])
    #expect(alice.idols[0] === bob)
    #expect(bob.fans.map(\.id) == [1])
    alice.idols.remove(bob)
    #expect(alice.idols.map(\.id) == [3])
    #expect(bob.fans.isEmpty)
    alice.idols = [bob, carol]
    #expect(alice.idols.ids == [2, 3])
    alice.idols.removeAll()
    #expect(alice.idols.isEmpty)
    #expect(alice.boss == nil)
    alice.boss = carol
    #expect(alice.boss === carol)
    alice.boss?.name = "Chief"
    #expect(carol.name == "Chief")
    carol.delete()
    #expect(alice.boss == nil)
    carol.insert()
    #expect(alice.boss === carol)
    alice.boss = nil
    #expect(alice.boss == nil)
    #expect(alice.error == nil)
    #expect(database.check() == [])
  }

  @Test("a batch is one transaction, and nothing where something fails") func batches() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    let bob = try database.create(ObjectPerson(id: 2, name: "Bob"))
    let before = database.version
    try database.batch {
      alice.name = "A"
      bob.name = "B"
      #expect(alice.name == "A")
      let carol = try database.create(ObjectPerson(id: 3, name: "C"))
      alice.idols.append(carol)
      #expect(alice.idols.map(\.name) == ["C"])
      try database.batch { bob.age = 9 }
    }
    #expect(database.version == before + 1)
    #expect(alice.name == "A" && bob.name == "B" && bob.age == 9)
    #expect(alice.idols.map(\.id) == [3])
    #expect(throws: (any Error).self) {
      try database.batch {
        alice.name = "X"
        bob.height = .infinity
      }
    }
    #expect(alice.name == "A")
    #expect(bob.height == 0)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try database.batch {
        alice.name = "X"
        throw Stop()
      }
    }
    #expect(alice.name == "A")
    // What is caught fails the outer one all the same.
    #expect(throws: Stop.self) {
      try database.batch {
        alice.name = "X"
        do {
          try database.batch {
            bob.age = 7
            throw Stop()
          }
        } catch is Stop {}
      }
    }
    #expect(alice.name == "A" && bob.age == 9)
    alice.name = "B"
    #expect(alice.name == "B")
    #expect(database.check() == [])
  }

  @Test("objects of a view show that version, and are not written to") func views() throws {
    let database = try database()
    database.recentVersions = 1 << 20
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    let view = database.view()
    alice.name = "Ally"
    let then = try #require(try view.object(ObjectPerson.self, id: 1))
    #expect(then.name == "Alice")
    #expect(alice.name == "Ally")
    #expect(then != alice)
    then.name = "x"
    #expect((then.error as? QueryError)?.problems.first?.code == "read-only")
    #expect(then.name == "Alice")
    #expect(!then.delete())
    #expect(alice.name == "Ally")
    let past = try database.view(version: database.version - 1)
    #expect(try past.objects(ObjectPerson.query()).map(\.name) == ["Alice"])
  }

  @Test("an object that nobody has read is as it was last when it is gone") func goneUnread() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    alice.name = "Ally"
    try database.run("mutation { deleteObjectPerson(where: id == 1, hard: true) }")
    #expect(alice.name == "Ally")
    #expect(alice.insert())
    #expect(try ObjectPerson.first(in: database)?.name == "Ally")
    alice.age = 5
    try database.run("mutation { deleteObjectPerson(where: id == 1, hard: true) }")
    #expect(alice.insert())
    #expect(alice.age == 5)
    #expect(alice.status == .created)
  }

  @Test("an object is as it was last, however quickly it comes and goes") func quicklyGone() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    for round in 0..<200 {
      alice.age = round
      try database.run("mutation { deleteObjectPerson(where: id == 1, hard: true) }")
      #expect(alice.insert())
      #expect(alice.age == round)
    }
  }

  @Test("what others write shows in a context at once, whoever follows it") func shownAtOnce() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    let draft = database.edit()
    let mine = try #require(try draft.object(ObjectPerson.self, id: 1))
    mine.name = "Draft"
    for round in 0..<500 {
      alice.height = Double(round)
      #expect(mine.height == Double(round))
    }
    #expect(mine.name == "Draft")
  }

  @Test("what a batch calls may look at objects") func withinBatches() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    try database.batch {
      alice.name = "Ally"
      let made = try database.findOrCreate(ObjectPerson.self, id: 5) { ObjectPerson(id: 5, name: alice.name) }
      #expect(made.name == "Ally")
    }
    #expect(try ObjectPerson.query(5).first(in: database)?.name == "Ally")
    // Whoever was told of a set that is taken back is told again.
    let count = Atomic<Int>(0)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try database.batch {
        alice.name = "X"
        withObservationTracking {
          _ = alice.name
        } onChange: {
          count.add(1, ordering: .relaxed)
        }
        throw Stop()
      }
    }
    #expect(count.load(ordering: .relaxed) == 1)
    #expect(alice.name == "Ally")
  }

  @Test("objects go on after their type has gone and come") func schemas() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    let schema = database.schema
    try database.changeSchema(to: "type Other { id: Int! @id name: Int! }", allowingLoss: true)
    database.waitUntilTold()
    try database.run("mutation { insertOther(data: {id: 1, name: 5}) }")
    try database.run("mutation { deleteOther(where: id == 1, hard: true) }")
    database.waitUntilTold()
    #expect(alice.status == .gone)
    #expect(alice.name == "Alice")
    try database.changeSchema(to: schema, allowingLoss: true)
    #expect(alice.insert())
    alice.name = "Ally"
    #expect(alice.name == "Ally")
    #expect(try database.object(ObjectPerson.self, id: 1) === alice)
  }

  @Test("whoever looks at all of a fresh object is told of changes by text") func freshObjects() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    database.waitUntilTold()
    let count = Atomic<Int>(0)
    withObservationTracking {
      _ = alice.entity
    } onChange: {
      count.add(1, ordering: .relaxed)
    }
    try database.run("mutation { updateObjectPerson(where: id == 1, set: {age: 4}) }")
    database.waitUntilTold()
    #expect(count.load(ordering: .relaxed) == 1)
    withObservationTracking {
      _ = alice.status
    } onChange: {
      count.add(1, ordering: .relaxed)
    }
    try database.run("mutation { deleteObjectPerson(where: id == 1, hard: true) }")
    database.waitUntilTold()
    #expect(count.load(ordering: .relaxed) == 2)
    withObservationTracking {
      _ = alice.name
    } onChange: {
      count.add(1, ordering: .relaxed)
    }
    try database.run(#"mutation { insertObjectPerson(data: {id: 1, name: "New", mood: CALM, tags: [], height: 0}) }"#)
    database.waitUntilTold()
    #expect(count.load(ordering: .relaxed) == 3)
    #expect(alice.name == "New")
  }

  @Test("objects of one version are equal, whichever view they come from") func viewIdentity() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    let view = database.view()
    #expect(try view.object(ObjectPerson.self, id: 1) == view.object(ObjectPerson.self, id: 1))
    alice.name = "x"
    #expect(try view.object(ObjectPerson.self, id: 1) != database.view().object(ObjectPerson.self, id: 1))
  }

  @Test("objects of a context show and write its changes, until they are saved") func contexts() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    let draft = database.edit()
    let mine = try #require(try draft.object(ObjectPerson.self, id: 1))
    #expect(mine != alice)
    mine.name = "Draft"
    mine.age = 3
    #expect(mine.name == "Draft" && mine.age == 3)
    #expect(alice.name == "Alice" && alice.age == nil)
    // What others write shows through.
    alice.height = 2
    #expect(mine.height == 2)
    let made = try draft.create(ObjectPerson(id: 2, name: "New"))
    try draft.batch {
      mine.idols.append(made)
      made.age = 1
    }
    #expect(try database.object(ObjectPerson.self, id: 2) == nil)
    try draft.set("Path", at: EntityPath("ObjectPerson", 2, "name"))
    #expect(made.name == "Path")
    try draft.save()
    #expect(alice.name == "Draft" && alice.age == 3)
    #expect(alice.idols.map(\.name) == ["Path"])
    #expect(database.check() == [])
  }

  @Test("who reads a property is told of its changes, and of no others") func observing() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
    let bob = try database.create(ObjectPerson(id: 2, name: "Bob"))
    database.waitUntilTold()
    let count = Atomic<Int>(0)
    func observe(_ body: () -> Void) {
      withObservationTracking(body) { count.add(1, ordering: .relaxed) }
    }
    observe { _ = alice.name }
    bob.name = "x"
    alice.age = 3
    try database.run("mutation { updateObjectPerson(where: id == 1, set: {age: 4}) }")
    database.waitUntilTold()
    #expect(count.load(ordering: .relaxed) == 0)
    // By a setter, at once.
    alice.name = "A"
    #expect(count.load(ordering: .relaxed) == 1)
    // By text, soon.
    observe { _ = alice.name }
    try database.run(#"mutation { updateObjectPerson(where: id == 1, set: {name: "B"}) }"#)
    database.waitUntilTold()
    #expect(count.load(ordering: .relaxed) == 2)
    observe { _ = alice.status }
    alice.delete()
    database.waitUntilTold()
    #expect(count.load(ordering: .relaxed) == 3)
    alice.insert()
    observe { _ = alice.idols.count }
    try database.run("mutation { updateObjectPerson(where: id == 1, set: {idols: {append: [2]}}) }")
    database.waitUntilTold()
    #expect(count.load(ordering: .relaxed) == 4)
    observe { _ = bob.place }
    try database.update { try ObjectPerson(id: 2, name: "x", place: ObjectPlace(street: "s", number: 1)).save(to: &$0) }
    database.waitUntilTold()
    #expect(count.load(ordering: .relaxed) == 5)
    observe { _ = bob.entity }
    bob.height = 2
    #expect(count.load(ordering: .relaxed) == 6)
    // What the program computes is told soon, whoever writes.
    observe { _ = bob.shout }
    bob.name = "Rob"
    database.waitUntilTold()
    #expect(count.load(ordering: .relaxed) == 7)
    #expect(bob.shout == "ROB!")
    observe { _ = bob.shout }
    try database.run(#"mutation { updateObjectPerson(where: id == 2, set: {name: "Bo"}) }"#)
    database.waitUntilTold()
    #expect(count.load(ordering: .relaxed) == 8)
  }

  @Test("objects go with those who hold them, and the database after them") func lifetimes() throws {
    weak var gone: LiveEntity<ObjectPerson>?
    weak var closed: Database?
    do {
      let database = try database()
      closed = database
      do {
        let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
        gone = alice
        _ = alice.name
        // Many come and go.
        for number in 2..<500 { _ = try database.create(ObjectPerson(id: number, name: "n")) }
      }
      database.waitUntilTold()
      // The thread that tells of changes may hold it for a moment.
      for _ in 0..<60_000 where gone != nil { Thread.sleep(forTimeInterval: 0.001) }
      #expect(gone == nil)
      #expect(try database.object(ObjectPerson.self, id: 1)?.name == "Alice")
    }
    for _ in 0..<6_000 where closed != nil { Thread.sleep(forTimeInterval: 0.01) }
    #expect(closed == nil)
  }

  @Test("objects of a file are kept, and go on after the schema has changed") func files() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("objects.gqlite").path
    do {
      let database = try Database(path: path, models: [ObjectPerson.self])
      let alice = try database.create(ObjectPerson(id: 1, name: "Alice"))
      alice.name = "Ally"
      alice.age = 4
      #expect(alice.name == "Ally")
      #expect(alice.age == 4)
      let bob = try database.create(ObjectPerson(id: 2, name: "Bob"))
      alice.idols.append(bob)
      try database.changeSchema(to: "type Extra { id: ID! }\n" + database.schema)
      #expect(alice.name == "Ally")
      alice.name = "A"
      #expect(alice.name == "A")
      #expect(alice.idols.map(\.name) == ["Bob"])
      #expect(alice.status == .created)
      database.waitUntilTold()
    }
    let database = try Database(path: path, models: [ObjectPerson.self])
    let alice = try #require(try database.object(ObjectPerson.self, id: 1))
    #expect(alice.name == "A" && alice.age == 4)
    #expect(alice.idols.map(\.name) == ["Bob"])
  }

  @Test("threads read and write objects") func threads() throws {
    let database = try database()
    let alice = try database.create(ObjectPerson(id: 1, name: "0", age: 0))
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<300 {
        if thread == 0 { alice.age = number } else if thread == 1 { alice.name = "\(number)" }
        _ = alice.age
        _ = alice.name
        if let other = try? database.object(ObjectPerson.self, id: 1) { #expect(other === alice) }
      }
    }
    #expect(alice.age == 299)
    #expect(alice.name == "299")
    #expect(database.check() == [])
  }
}
