import Foundation
import GQLite
import GQLiteModels
import Testing

private enum Knot {
  /// Links of every kind to its own type.
  @EntityModel
  struct Person: Comparable, Codable {
    @Unique<Self>(\.mail, collisions: .throwUnlessNil) private var uniqueMail
    @Unique<Self>(\.town, \.seat, collisions: .upsert) private var uniqueSeat
    @Index<Self>(\.age) private var ages

    let id: Int
    var age = 0
    var mail: String?
    var town = ""
    var seat = 0
    @Relationship(inverse: \.spouse) var spouse: Person?
    @Relationship(inverse: \.friends) var friends: [Person]?
    @Relationship(deleteRule: .cascade, inverse: \.parent) var children: [Person]?
    @Relationship(inverse: \.children) var parent: Person?
    @Relationship(deleteRule: .cascade) var shadow: Person? = nil

    static func < (left: Self, right: Self) -> Bool { left.age < right.age }
    static func == (left: Self, right: Self) -> Bool { left.id == right.id && left.age == right.age }
    static var defaultMergeStrategy: MergeStrategy<Self> { .lastWriteWins(.patch(\.mail)) }
  }

  /// Of a kind that is known later, found by it.
  @EntityModel
  struct Reading<Key: Comparable & Hashable & Codable & Sendable & LosslessStringConvertible>: Codable, Equatable {
    @Index<Self>(\.key) private var keys
    @HashIndex<Self>(\.unit) private var units

    let id: Key
    var key: Key
    var unit: Unit = .meter
    var notes: [String: Key] = [:]
    @Relationship(inverse: \.next) var previous: Reading<Key>?
    @Relationship(inverse: \.previous) var next: Reading<Key>?

    enum Unit: String, CaseIterable, Codable { case meter, mile }
  }

  /// Counts its saves in another entity, and stamps itself.
  @EntityModel
  struct Order {
    let id: Int
    var lines: [String] = []
    var total = 0
    @Relationship var log: Log? = nil

    mutating func willSave(to context: inout Context) throws {
      total = lines.count
      if lines.contains("bad") { throw CancellationError() }
    }
    func didSave(to context: inout Context) throws {
      var log = Log.query("log").resolve(in: context) ?? Log(id: "log")
      log.saves += 1
      try log.save(to: &context)
    }
    func willDelete(from context: inout Context) throws {
      if lines.contains("keep") { throw CancellationError() }
    }
    func didDelete(from context: inout Context) throws {
      var log = Log.query("log").resolve(in: context) ?? Log(id: "log")
      log.deletes.append(id)
      try log.save(to: &context)
    }
  }

  @EntityModel
  struct Log: Equatable {
    let id: String
    var saves = 0
    var deletes: [Int] = []
  }
}

/// Graphs that go round and collide with themselves.
@Suite struct KnottyTests {
  private typealias Person = Knot.Person
  private typealias Reading = Knot.Reading
  private typealias Order = Knot.Order
  private typealias Log = Knot.Log

  private func person(_ id: Int, age: Int = 1, seat: Int? = nil) -> Knot.Person {
    Person(id: id, age: age, town: "t", seat: seat ?? id)
  }

  @Test func oneToOne() throws {
    var context = Context()
    for id in 1...4 { try person(id).save(to: &context) }
    func spouses() -> [Int?] {
      (1...4).map { Person.query($0).id(\.$spouse).resolve(in: context)?.$spouse.id }
    }
    func marry(_ one: Int, _ other: Int) throws {
      var person = person(one)
      person.$spouse = .id(other)
      try person.save(to: &context)
    }
    try marry(1, 2)
    try marry(3, 4)
    #expect(spouses() == [2, 1, 4, 3])
    // Both leave somebody.
    try marry(1, 3)
    #expect(spouses() == [3, nil, 1, nil])
    try marry(2, 2)
    #expect(spouses() == [3, 2, 1, nil])
    var three = person(3)
    three.$spouse = .null
    try three.save(to: &context)
    #expect(spouses() == [nil, 2, nil, nil] && Database(context).check().isEmpty)
  }

  @Test func friendsAndFamilies() throws {
    var context = Context()
    // A graph that says the same person twice, the second time older.
    try Person(
      id: 1, age: 5,
      friends: .relation([
        person(2, age: 3), Person(id: 3, age: 7, town: "t", seat: 3, friends: .relation([person(2, age: 9)])),
      ]),
      children: .relation([person(4), person(5)])
    ).save(to: &context)
    #expect(Person.query(2).resolve(in: context)?.age == 9)
    #expect(Set(Person.query(2).related(\.$friends).resolve(in: context).map(\.id)) == [1, 3])
    #expect(Person.query().sorted(by: \.age.desc).limit(2).resolve(in: context).map(\.id) == [2, 3])
    // 5 is taken by 4, its sibling; then all of 4's family goes, and comes back one by one.
    try Person(id: 4, age: 2, town: "t", seat: 4, children: .appending(ids: [5])).save(to: &context)
    #expect(Person.query(1).related(\.$children).resolve(in: context).map(\.id) == [4])
    #expect(Person.query(5).related(\.$parent).resolve(in: context)?.id == 4)
    try Person.delete(id: 1, from: &context)
    #expect(context.ids(Person.self) == [2, 3])
    #expect(Set(Deleted<Person>.query().resolve(in: context).map(\.id)) == [1, 4, 5])
    try Deleted<Person>.query(4).resolve(in: context)?.restore(in: &context)
    // With what its deletion took with it, and without what that took with it.
    #expect(context.ids(Person.self).sorted() == [2, 3, 4, 5])
    #expect(Person.query(4).related(\.$parent).resolve(in: context) == nil)
    try Deleted<Person>.query(1).resolve(in: context)?.restore(in: &context)
    #expect(Person.query(4).related(\.$children).resolve(in: context).map(\.id) == [5])
    #expect(Person.query(1).related(\.$children).resolve(in: context).map(\.id) == [4])
    #expect(Set(Person.query(1).related(\.$friends).resolve(in: context).map(\.id)) == [2, 3])
    #expect(Database(context).check().isEmpty)
  }

  /// Deleting goes round once.
  @Test func cascadesInACircle() throws {
    var context = Context()
    for (id, next) in [(1, 2), (2, 3), (3, 1)] {
      var person = person(id)
      person.$shadow = .id(next)
      try person.save(to: &context)
    }
    let before = context
    try Person.delete(id: 2, from: &context)
    #expect(context.ids(Person.self).isEmpty && Deleted<Person>.query().resolve(in: context).count == 3)
    #expect(before.ids(Person.self) == [1, 2, 3])
    for deleted in Deleted<Person>.query().resolve(in: context) { try deleted.restore(in: &context) }
    #expect((1...3).map { Person.query($0).id(\.$shadow).resolve(in: context)?.$shadow.id } == [2, 3, 1])
  }

  /// Unique values that collide within one graph, and with the one that holds it.
  @Test func collisionsWithinAGraph() throws {
    var context = Context()
    try Person(id: 1, mail: "a", town: "x", seat: 1).save(to: &context)
    let before = try context.query("{ Knot_Person { * } Deleted_Knot_Person { id } }").jsonString
    // Two new ones want one address.
    #expect(throws: Errors.self) {
      try Person(
        id: 2, mail: "b", town: "x", seat: 2, children: .relation([Person(id: 3, mail: "b", town: "x", seat: 3)])
      ).save(to: &context)
    }
    #expect(try context.query("{ Knot_Person { * } Deleted_Knot_Person { id } }").jsonString == before)
    // The child takes its parent's seat, which thereby goes.
    try Person(id: 2, town: "x", seat: 2, children: .relation([Person(id: 3, town: "x", seat: 2)])).save(to: &context)
    #expect(context.ids(Person.self) == [1, 3] && Person.query(3).related(\.$parent).resolve(in: context) == nil)
    // Nothing collides with nothing.
    try Person(id: 4, town: "x", seat: 4, friends: .relation([Person(id: 5, town: "x", seat: 5)])).save(to: &context)
    #expect(Person.filter(\.mail == nil).resolve(in: context).map(\.id) == [3, 4, 5])
    #expect(Database(context).check().isEmpty)
  }

  /// Of the same id the greater one stays, and is filled.
  @Test func comparableModels() throws {
    var context = Context()
    try Person(id: 1, age: 5, mail: "m", town: "a").save(to: &context)
    try Person(id: 1, age: 4, mail: "n", town: "b").save(to: &context)
    try Person(id: 1, age: 5, town: "c").save(to: &context)
    #expect(Person.query(1).resolve(in: context).map { [$0.town, $0.mail ?? ""] } == ["a", "m"])
    try Person(id: 1, age: 6, town: "d").save(to: &context)
    #expect(Person.query(1).resolve(in: context).map { [$0.town, $0.mail ?? ""] } == ["d", "m"])
    #expect(Person.filter(\.mail == "m").resolve(in: context).map(\.age) == [6])
    #expect(Person.filter(\.age < 6).resolve(in: context).isEmpty)
  }

  @Test func genericsOverKeys() throws {
    var context = Context()
    let chain = Reading<Int>(
      id: 1, key: 30, notes: ["a": 4], next: .relation(Reading(id: 2, key: 20, unit: .mile, next: .id(3))))
    try chain.save(to: &context)
    try Reading<Int>(id: 3, key: 10).save(to: &context)
    try Reading<String>(id: "x", key: "k", notes: ["n": "v"]).save(to: &context)
    #expect(Reading<Int>.query().sorted(by: \.key).resolve(in: context).map(\.id) == [3, 2, 1])
    #expect(Reading<Int>.filter(\.key > 10).and(\.unit == .mile).resolve(in: context).map(\.id) == [2])
    #expect(Reading<Int>.query(3).related(\.$previous).related(\.$previous).resolve(in: context)?.notes == ["a": 4])
    #expect(Reading<Int>.filter(\.notes == ["a": 4]).resolve(in: context).map(\.id) == [1])
    #expect(Reading<String>.query("x").resolve(in: context)?.notes == ["n": "v"])
    #expect(
      try context.query("{ Knot_Reading_Int(where: key < 30) { id unit } Knot_Reading_String { key notes } }")
        .jsonString
        == #"{"Knot_Reading_Int":[{"id":2,"unit":"mile"},{"id":3,"unit":"meter"}],"#
        + #""Knot_Reading_String":[{"key":"k","notes":{"n":"v"}}]}"#)
    let nested = try #require(
      Reading<Int>.query(1).with(\.$next) { $0.with(\.$next) { $0.filter(\.key > 10) } }.resolve(in: context))
    #expect(nested.next?.id == 2 && nested.next?.next == nil)
    let found = try Reading<Int>.include(#Predicate { ($0.next?.key ?? 0) == 20 || $0.previous == nil })
      .sortBy(\.key).results(in: context)
    #expect(found.map(\.id) == [1])
    #expect(try Reading<Double>.results(in: context).isEmpty)
  }

  /// What hooks do goes with the save, and is undone with it.
  @Test func hooksWithinTransactions() throws {
    let database = try Database(for: Order.self)
    try Order(id: 1, lines: ["a", "b"]).save(to: database)
    #expect(Order.query(1).resolve(in: database)?.total == 2)
    #expect(Log.query("log").resolve(in: database)?.saves == 1)
    #expect(throws: CancellationError.self) {
      try database.update { context in
        try Order(id: 2).save(to: &context)
        try Order(id: 3, lines: ["bad"]).save(to: &context)
      }
    }
    #expect(try Order.results(in: database).map(\.id) == [1] && Log.results(in: database).map(\.saves) == [1])
    try database.update { context in
      try Order(id: 2, lines: ["keep"]).save(to: &context)
      #expect(throws: CancellationError.self) { try Order(id: 3, lines: ["bad"]).save(to: &context) }
      #expect(throws: CancellationError.self) { try Order.deleteAll(in: &context) }
      #expect(try Order.count(in: context) == 2)
      try Order.delete(id: 1, from: &context)
    }
    #expect(try Order.results(in: database).map(\.id) == [2])
    #expect(Log.query("log").resolve(in: database) == Log(id: "log", saves: 2, deletes: [1]))
    #expect(try Deleted<Order>.results(in: database).map(\.id) == [1] && database.check().isEmpty)
  }

  /// Orders by the time of the last save, and what came within a time, observed.
  @Test func timesObserved() throws {
    let database = try Database(for: Log.self)
    for id in ["a", "b", "c"] {
      try Log(id: id).save(to: database)
      Thread.sleep(forTimeInterval: 0.002)
    }
    let latest = FetchFirst(Log.query().sorted(by: .updatedAt.desc), in: database)
    #expect(latest.wrappedValue?.id == "c")
    let start = Date()
    let recent = FetchAll(Log.filter(.updated(within: start...Date.distantFuture)), in: database)
    #expect(recent.wrappedValue.isEmpty)
    Thread.sleep(forTimeInterval: 0.002)
    // Nothing of it is another but its time.
    try Log(id: "a").save(to: database)
    #expect(latest.wrappedValue?.id == "a" && recent.wrappedValue.map(\.id) == ["a"])
    try Log.delete(id: "a", from: database)
    #expect(latest.wrappedValue?.id == "c" && recent.wrappedValue.isEmpty)
  }
}
