import Foundation
import GQLEngine
import Testing

@testable import GQLiteState

/// Values of all types, in memory: what is set is read, and text sees it.
@Suite struct StoringTests {
  enum Color: String, Codable { case red, green }
  enum Level: Int, Codable, CaseIterable { case low = 1, high = 2 }
  struct Place: Codable, Equatable {
    var name: String
    var position: [Double]
  }

  @Model(id: 10)
  final class Sample {
    @Property(id: 1) var text: String
    @Property(id: 2) var number: Int = 7
    @Property(id: 3) var ratio: Double
    @Property(id: 4) var flag: Bool = true
    @Property(id: 5) var date: Date = Date(timeIntervalSince1970: 0)
    @Property(id: 6) var data: Data
    @Property(id: 7) var color: Color = .red
    @Property(id: 8) var level: Level = .low
    @Property(id: 9) var place: Place?
    @Property(id: 10) var texts: [String]
    @Property(id: 11) var table: [String: Int]
    @Property(id: 12) var maybe: Int? = 5
    @Property(id: 13) var small: UInt8
    @Property(id: 14) var uuid: UUID = UUID()
    @Property(id: 15) var colors: [Color] = [.green]
    @Property(id: 16) var maybeColor: Color?
  }

  @Test func everyTypeIsReadAsItWasSet() {
    let database = InMemoryDatabase()
    let sample: Sample = database.create(id: -3)
    #expect(sample.text == "" && sample.number == 7 && sample.ratio == 0 && sample.flag && sample.color == .red)
    #expect(sample.maybe == 5 && sample.place == nil && sample.colors == [.green] && sample.table.isEmpty)

    let date = Date(timeIntervalSinceReferenceDate: 12345.678901234)
    let uuid = UUID()
    sample.text = "é\u{0}\n\"x\""
    sample.number = .min
    sample.ratio = 0.1
    sample.flag = false
    sample.date = date
    sample.data = Data([0, 255])
    sample.color = .green
    sample.level = .high
    sample.place = Place(name: "here", position: [1, 2.5])
    sample.texts = ["a", "", "b"]
    sample.table = ["x": 1]
    sample.maybe = 6
    sample.small = 255
    sample.uuid = uuid
    sample.colors = []
    sample.maybeColor = .green

    let again: Sample? = database.get(id: -3)
    #expect(again?.text == "é\u{0}\n\"x\"" && again?.number == .min && again?.ratio == 0.1 && again?.flag == false)
    #expect(again?.date == date && again?.data == Data([0, 255]) && again?.color == .green && again?.level == .high)
    #expect(again?.place == Place(name: "here", position: [1, 2.5]) && again?.texts == ["a", "", "b"])
    #expect(again?.table == ["x": 1] && again?.maybe == 6 && again?.small == 255 && again?.uuid == uuid)
    #expect(again?.colors == [] && again?.maybeColor == .green)
    #expect(database.errors.recent == [])
  }

  @Test func nilIsNotTheDefault() {
    let database = InMemoryDatabase()
    let sample: Sample = database.create(id: 1)
    sample.maybe = nil
    #expect(sample.maybe == nil)
    sample.maybe = 3
    #expect(sample.maybe == 3)
    sample.maybe = nil
    sample.delete()
    #expect(sample.maybe == nil)
    sample.insert()
    #expect(sample.maybe == nil)
    sample.deleteAndClearProperties()
    #expect(sample.maybe == 5)
    #expect(database.errors.recent == [])
  }

  @Test func textSeesTypesAndFields() throws {
    let database = InMemoryDatabase()
    let sample = Sample.create(
      in: database, id: 4, text: "hi", ratio: 0.5, data: Data(), texts: ["a"], table: [:], small: 1)
    sample.color = .green
    let answer = try database.gqlite.run("{ sample(id: 4) { id text color number texts ratio } }")
    #expect(
      answer.jsonString
        == #"{"sample":{"id":4,"text":"hi","color":"green","number":7,"texts":["a"],"ratio":0.5}}"#)
    try database.gqlite.run(#"mutation { updateSample(where: id == 4, set: {text: "ho", number: 8}) { id } }"#)
    #expect(sample.text == "ho" && sample.number == 8)
    try database.gqlite.run("mutation { deleteSample(where: id == 4) { id } }")
    #expect(sample.status == .deleted && sample.text == "ho")
    try database.gqlite.run("mutation { insertSample(data: {id: 5, color: \"red\"}) { id } }")
    #expect(database.all(of: Sample.self).map(\.id) == [5])
    // What text has made lies as text says: nil where it says nothing.
    #expect(database.get(id: 5, of: Sample.self)?.number == 7)
  }

  @Test func valuesWithoutAnInstance() {
    let database = InMemoryDatabase()
    let sample = Sample(database: database, id: 9)
    sample.text = "x"
    sample.maybe = nil
    #expect(sample.text == "x" && sample.maybe == nil)
    #expect(database.get(id: 9, of: Sample.self) == nil)
    #expect(database.all(model: 10) { id, _ in id } == [])
    let created: Sample = database.create(id: 9)
    #expect(created.text == "x" && created.status == .created && created.maybe == nil)
    #expect(database.errors.recent == [])
  }

  @Test func valuesOfDeletedInstances() {
    let database = InMemoryDatabase()
    let sample: Sample = database.create(id: 1)
    sample.text = "old"
    sample.delete()
    sample.text = "new"
    sample.number = 1
    #expect(sample.text == "new" && sample.status == .deleted)
    sample.delete()
    #expect(database.all(model: 10) { id, status in "\(id) \(status)" } == ["1 deleted"])
    sample.insert()
    sample.insert()
    #expect(sample.text == "new" && sample.number == 1)
    #expect(database.errors.recent == [])
  }

  @Test func deletedWithoutHavingBeen() {
    let database = InMemoryDatabase()
    database.set(InstanceStatus.deleted, for: Path(model: 10, instance: 2))
    #expect(database.get(id: 2, of: Sample.self)?.status == .deleted)
    Sample(database: database, id: 3).text = "ghost"
    Sample(database: database, id: 3).delete()
    #expect(database.get(id: 3, of: Sample.self) == nil)
    database.set(InstanceStatus.deleted, for: Path(model: 10, instance: 3))
    #expect(database.get(id: 3, of: Sample.self)?.text == "ghost")
    #expect(database.errors.recent == [])
  }

  @Test func objectsAndInstances() {
    let database = InMemoryDatabase()
    #expect(database.getOrCreate(id: 1, of: Sample.self).status == .created)
    let one: Sample = database.getOrCreate(id: 1)
    one.delete()
    #expect(database.getOrCreate(id: 1, of: Sample.self).status == .deleted)
    #expect(database.active(id: 1, of: Sample.self) == nil)
    for id in 2...5 { _ = database.create(id: id, of: Sample.self) }
    database.delete(Sample(database: database, id: 3))
    #expect(database.all(of: Sample.self).map(\.id) == [2, 4, 5])
    #expect(database.all { (sample: Sample) in sample.id > 3 }.map(\.id) == [4, 5])
    #expect(database.all(model: 10) { $1 == .deleted ? $0 : nil } == [1, 3])
    #expect(database.get(model: 10, instance: 2, property: 2, of: Int.self) == nil)
    database.set(8, model: 10, instance: 2, property: 2)
    #expect(database.get(model: 10, instance: 2, property: 2, of: Int.self) == 8)
    #expect(one == database.get(id: 1) && Set([one, Sample(database: database, id: 1)]).count == 1)
    #expect(one != Sample(database: InMemoryDatabase(), id: 1))
  }

  @Test func timeOfTheLastChange() throws {
    let database = InMemoryTimestampedDatabase()
    #expect(database.lastChange(model: 10, instance: 1) == nil)
    let before = Date().addingTimeInterval(-1)
    let sample: Sample = database.create(id: 1)
    let first = try #require(database.lastChange(model: 10, instance: 1))
    #expect(first > before)
    sample.number = 5
    #expect(try #require(database.lastChange(model: 10, instance: 1)) >= first)
  }
}
