import Foundation
import GQLite
import GQLiteModels
import Testing

/// Answers to text as values of Swift, and what types are called there.
@Suite struct TypedTextTests {
  @EntityModel
  struct Person: Codable {
    let id: String
    var name: String
    var born: Date?
    @Relationship(inverse: \.members) var teams: [Team]?
  }

  @EntityModel
  struct Team: Codable {
    let id: String
    @Relationship(inverse: \.teams) var members: [Person]?
  }

  @EntityModel
  struct Holder<Content: Codable & Sendable & Hashable> {
    let id: String
    var content: Content
  }

  private struct Row: Decodable, Equatable {
    var name: String
    var count: Int?
  }

  private func context() throws -> Context {
    var context = Context()
    try Team(
      id: "t",
      members: .relation([
        Person(id: "1", name: "Ann", born: Date(timeIntervalSince1970: 1.5)), Person(id: "2", name: "Bob"),
      ])
    ).save(to: &context)
    return context
  }

  @Test func lists() throws {
    let context = try context()
    let rows = try context.query("{ TypedTextTests_Person { name } }", as: [Row].self)
    #expect(rows == [Row(name: "Ann"), Row(name: "Bob")])
    let one = try context.query(
      "query($n: String!) { TypedTextTests_Person(where: name == $n) { name, count := count(teams) } }", ["n": "Bob"],
      as: [Row].self)
    #expect(one == [Row(name: "Bob", count: 1)])
    #expect(try context.query("{ n := count(TypedTextTests_Person) }", as: Int.self) == 2)
  }

  @Test func entities() throws {
    var context = try context()
    let text = "{ TypedTextTests_Person(orderBy: name) { id name born teams { id } } }"
    let people = try context.query(text, as: [Person].self)
    #expect(try Database(context).query(text, as: [Person].self).map(\.id) == people.map(\.id))
    #expect(people.map(\.name) == ["Ann", "Bob"] && people[0].born == Date(timeIntervalSince1970: 1.5))
    #expect(people[0].$teams.isId && people[0].$teams.ids == ["t"])
    // What was not asked for is not known, so that saving it keeps what is there.
    let bare = try context.query("{ tests: TypedTextTests_Person { id name } }", as: [Person].self)
    #expect(bare.allSatisfy { $0.$teams.isNone })
    for person in bare { try person.save(to: &context, options: .fragment) }
    #expect(Team.query("t").related(\.$members).resolve(in: context).count == 2)
    let team = try context.query(
      "{ TypedTextTests_Team { id members { id name teams { id } } } }", as: [Team].self)
    #expect(team.first?.members?.map(\.name) == ["Ann", "Bob"])
  }

  @Test func wholeAnswers() throws {
    struct Page: Decodable {
      var people: [Row]
      var total: Int
    }
    struct OnlyPeople: Decodable { var people: [Row] }
    let context = try context()
    let text = "{ people: TypedTextTests_Person { name } total := count(TypedTextTests_Person) }"
    let page = try context.query(text, as: Page.self)
    #expect(page.people.count == 2 && page.total == 2)
    #expect(try context.query(text).decode(Page.self).total == 2)
    #expect(try context.query("{ people: TypedTextTests_Person { name } }", as: OnlyPeople.self).people.count == 2)
    #expect(throws: DecodingError.self) { try context.query("{ TypedTextTests_Person { id } }", as: [Row].self) }
    #expect(throws: QueryError.self) { try context.query("{ Nobody { id } }", as: [Row].self) }
    let one = try context.query(#"{ typedTextTests_Person(id: "1") { name } }"#, as: Row?.self)
    #expect(one == Row(name: "Ann"))
    #expect(try context.query(#"{ typedTextTests_Person(id: "9") { name } }"#, as: Row?.self) == nil)
  }

  @Test func names() throws {
    var context = try context()
    try Holder(id: "1", content: 5).save(to: &context)
    try Holder(id: "1", content: "five").save(to: &context)
    try Person.delete(id: "2", from: &context)
    #expect(
      try context.query("{ TypedTextTests_Holder_Int { content } TypedTextTests_Holder_String { content } }").jsonString
        == #"{"TypedTextTests_Holder_Int":[{"content":5}],"TypedTextTests_Holder_String":[{"content":"five"}]}"#)
    // Deleted entities by the name of their Swift type, with arguments, and counted.
    #expect(
      try context.query("{ Deleted_TypedTextTests_Person { id name } }").jsonString
        == #"{"Deleted_TypedTextTests_Person":[{"id":"2","name":"Bob"}]}"#)
    #expect(
      try context.query(#"{ Deleted_TypedTextTests_Person(where: name == "Ann") { id } }"#).jsonString
        == #"{"Deleted_TypedTextTests_Person":[]}"#)
    #expect(try context.query("{ n := count(Deleted_TypedTextTests_Person) }", as: Int.self) == 1)
    #expect(!context.schema.contains("Deleted"))
    let gone = try context.query("{ Deleted_TypedTextTests_Person { id name } }", as: [Person].self)
    #expect(gone.map(\.name) == Deleted<Person>.query().resolve(in: context).map(\.entity.name))
  }

  @EntityModel
  struct Race: Codable {
    let id: Int
    var time: Duration
    var best: Duration?
    var laps: [Duration]
    var rest: [Duration]?
  }

  @Test("durations are texts in answers, and as they are elsewhere") func durations() throws {
    var context = Context()
    let race = Race(
      id: 1, time: .milliseconds(1500), best: .seconds(90), laps: [.seconds(1), .microseconds(-1)], rest: nil)
    try race.save(to: &context)
    try Race(id: 2, time: .zero, best: nil, laps: [], rest: [.seconds(3600)]).save(to: &context)
    let races = try context.query("{ TypedTextTests_Race { id time best laps rest } }", as: [Race].self)
    #expect(races.map(\.time) == [.milliseconds(1500), .zero] && races.map(\.best) == [.seconds(90), nil])
    #expect(races.map(\.laps) == [[.seconds(1), .microseconds(-1)], []])
    #expect(races.map(\.rest) == [nil, [.seconds(3600)]])
    let again = try JSONDecoder().decode(Race.self, from: JSONEncoder().encode(race))
    #expect(again.time == race.time && again.best == race.best && again.laps == race.laps && again.rest == nil)
  }

  @EntityModel
  struct Trip: Codable {
    struct Leg: Codable, Equatable {
      var start: Date
      var length: Duration
    }
    let id: Int
    var leg: Leg
  }

  @Test("within JSON dates and durations are what JSONEncoder makes of them") func timesWithinJSON() throws {
    var context = Context()
    let leg = Trip.Leg(start: Date(timeIntervalSinceReferenceDate: 12.5), length: .milliseconds(1500))
    try Trip(id: 1, leg: leg).save(to: &context)
    let query = "{ TypedTextTests_Trip { id leg } }"
    // A duration is the two halves of its number of attoseconds.
    let text = try context.query(query).jsonString
    let halves = text.contains("[0,1500000000000000000]") || text.contains("[0, 1500000000000000000]")
    #expect(halves && text.contains("12.5"), "\(text)")
    #expect(try context.query(query, as: [Trip].self).map(\.leg) == [leg])
  }
}
