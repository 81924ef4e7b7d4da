import Foundation
import GQLite
import GQLiteModels
import Observation
import Testing

/// What swift-query's document shows, with structs in the place of classes. docs/swift-query.md says which is which.
enum QueryDocument {
  @EntityModel
  struct Person: Sendable, Equatable {
    @Index<Self>(\.age) private var ageIndex

    var id: String = UUID().uuidString
    var name: String
    var age: Int = 0
    var isInactive = false
    var isPromoted = false
  }

  @EntityModel
  struct Order: Sendable {
    enum Status: String, Codable { case active, done }

    let id: Int
    var status: Status
    @Relationship(.required) var customer: Person?
    @Relationship(inverse: \.order) var items: [Item]?
  }

  @EntityModel
  struct Item: Sendable {
    let id: Int
    @Relationship(inverse: \.items) var order: Order?
  }

  /// Ages of seven people; two have one age.
  static func database() throws -> Database {
    let database = try Database(for: Person.self, Order.self)
    try database.update { context in
      for (name, age) in [
        ("Jack", 20), ("Jill", 30), ("Ann", 15), ("Jack", 16), ("Bob", 30), ("Jill", 40), ("Eve", 41),
      ] {
        try Person(id: "\(name)\(age)", name: name, age: age, isInactive: age == 41).save(to: &context)
      }
      try Order(
        id: 1, status: .active, customer: .id("Jill30"), items: .relation([Item(id: 1), Item(id: 2)])
      ).save(to: &context)
      try Order(id: 2, status: .done, customer: .id("Bob30")).save(to: &context)
    }
    return database
  }
}

extension Query where T == QueryDocument.Person {
  static var adults: Query { QueryDocument.Person.include(#Predicate { $0.age >= 18 }).sortBy(\.name) }
}

@Observable
final class PeopleViewModel {
  @ObservationIgnored
  @FetchAll(.adults)
  var adults: [QueryDocument.Person]

  var adultCount: Int { adults.count }
}

struct PeopleFeature {
  struct State {
    @FetchResults(QueryDocument.Person.sortBy(\.name), batchSize: 50)
    var people: FetchResultsCollection<QueryDocument.Person>?

    var peopleCount: Int { people?.count ?? 0 }
  }
}

struct PersonDetail {
  @FetchFirst(QueryDocument.Person.include(#Predicate { $0.name == "Jack" }))
  private var jack: QueryDocument.Person?

  var text: String { if let jack { "Jack is \(jack.age) years old" } else { "Jack not found" } }
}

actor Promoter {
  let database: Database
  init(database: Database) { self.database = database }

  func promoteJill() throws {
    try database.update { context in
      var jill = try QueryDocument.Person
        .include(#Predicate { $0.name == "Jill" })
        .findOrCreate(in: &context) { QueryDocument.Person(name: "Jill") }
      jill.isPromoted = true
      try jill.save(to: &context)
    }
  }
}

@Suite struct QueryDocumentTests {
  typealias Person = QueryDocument.Person
  typealias Order = QueryDocument.Order

  private func ids(_ query: Query<Person>, _ database: Database) throws -> [String] {
    try query.results(in: database).map(\.id)
  }

  @Test func usage() async throws {
    let database = try QueryDocument.database()
    var lines: [String] = []
    let people = try Query<Person>()
      .include(#Predicate { $0.age >= 18 })
      .sortBy(\.age)
      .results(in: database)
    for person in people { lines.append("Adult: \(person.name), age \(person.age)") }
    #expect(
      lines == [
        "Adult: Jack, age 20", "Adult: Jill, age 30", "Adult: Bob, age 30", "Adult: Jill, age 40", "Adult: Eve, age 41",
      ])

    try await Task.detached {
      try database.update { context in
        let people = try Query<Person>()
          .include(#Predicate { $0.age >= 18 })
          .sortBy(\.age)
          .results(in: context)
        for var person in people {
          person.age += 1
          try person.save(to: &context)
        }
      }
    }.value
    #expect(try Person.sortBy(\.age).results(in: database).map(\.age) == [15, 16, 21, 31, 31, 41, 42])
  }

  @Test func buildingQueries() throws {
    let database = try QueryDocument.database()
    let query = Person.include(#Predicate { $0.name == "Jack" })
    #expect(try ids(query, database) == ["Jack20", "Jack16"])
  }

  @Test func fetchingAllObjects() throws {
    let database = try QueryDocument.database()
    #expect(try Query<Person>().results(in: database).count == 7)
    #expect(try Person.query().results(in: database).count == 7)
  }

  @Test func narrowingAQuery() throws {
    let database = try QueryDocument.database()
    #expect(try ids(Person.include(#Predicate { $0.name == "Jack" }), database) == ["Jack20", "Jack16"])
    #expect(try ids(Person.exclude(#Predicate { $0.age > 25 }), database) == ["Jack20", "Ann15", "Jack16"])
  }

  @Test func compoundRefinements() throws {
    let database = try QueryDocument.database()
    let chained = Person.include(#Predicate { $0.age >= 18 })
      .include(#Predicate { $0.name == "Jack" })
      .exclude(#Predicate { $0.isInactive })
    #expect(try ids(chained, database) == ["Jack20"])
    let whole = #Predicate<Person> { person in
      person.age >= 18 && person.name == "Jack" && !person.isInactive
    }
    #expect(try ids(Person.include(whole), database) == ["Jack20"])
  }

  @Test func orderingResults() throws {
    let database = try QueryDocument.database()
    let byAge = Person.sortBy(\.age, order: .reverse)
    #expect(try byAge.results(in: database).map(\.age) == [41, 40, 30, 30, 20, 16, 15])
    let byAgeThenName =
      Person
      .sortBy(\.age)
      .sortBy(\.name)
    let ascending = ["Ann15", "Jack16", "Jack20", "Bob30", "Jill30", "Jill40", "Eve41"]
    #expect(try ids(byAgeThenName, database) == ascending)
    let reversed =
      Person
      .sortBy(\.age)
      .sortBy(\.name)
      .reverse()
    #expect(try ids(reversed, database) == ascending.reversed())
  }

  @Test func chainingRefinements() throws {
    let database = try QueryDocument.database()
    let query =
      Person
      .include(#Predicate { $0.name == "Jack" })
      .exclude(#Predicate { $0.age > 18 })
      .sortBy(\.name)
    #expect(try ids(query, database) == ["Jack16"])
  }

  @Test func limitingTheSize() throws {
    let database = try QueryDocument.database()
    #expect(try Person.sortBy(\.age)[0..<5].results(in: database).map(\.age) == [15, 16, 20, 30, 30])
    #expect(try Person.sortBy(\.age)[5..<10].results(in: database).map(\.age) == [40, 41])
    #expect(try ids(Person[0..<5], database) == ["Jack20", "Jill30", "Ann15", "Jack16", "Bob30"])
  }

  @Test func prefetchingRelationships() throws {
    let database = try QueryDocument.database()
    let active = Order.Status.active
    let ordersWithCustomers =
      Order
      .include(#Predicate { $0.status == active })
      .prefetchRelationship(\.customer)
    #expect(try ordersWithCustomers.results(in: database).map { $0.customer?.name } == ["Jill"])
    let ordersWithDetails =
      Order
      .prefetchRelationship(\.customer)
      .prefetchRelationship(\.items)
    let orders = try ordersWithDetails.results(in: database)
    #expect(orders.map { $0.customer?.name } == ["Jill", "Bob"] && orders.map { $0.items?.count } == [2, 0])
  }

  @Test func fetchingSpecificProperties() throws {
    let database = try QueryDocument.database()
    let lightweightPeople = Person.fetchKeyPaths(\.name, \.age)
    #expect(try lightweightPeople.first(in: database)?.name == "Jack")
    // The values alone.
    let values = try Person.sortBy(\.age).values(\.name, \.age, in: database)
    #expect(values.map(\.0).prefix(2) == ["Ann", "Jack"] && values.map(\.1).prefix(2) == [15, 16])
  }

  @Test func fetchingOneResult() throws {
    let database = try QueryDocument.database()
    let jillQuery = Person.include(#Predicate { $0.name == "Jill" })
    let jill = try jillQuery.first(in: database)
    let lastJill = try jillQuery.last(in: database)
    #expect(jill?.age == 30 && lastJill?.age == 40)
    let anyone = try Person.any(in: database)
    #expect(anyone != nil)
  }

  @Test func fetchingAllResults() throws {
    let database = try QueryDocument.database()
    let notJillQuery = Person.exclude(#Predicate { $0.name == "Jill" })
    let notJills = try notJillQuery.results(in: database)
    #expect(notJills.map(\.name) == ["Jack", "Ann", "Jack", "Bob", "Eve"])
  }

  @Test func lazyResults() throws {
    let database = try QueryDocument.database()
    let lazyAdults =
      try Person
      .include(#Predicate { $0.age > 25 })
      .fetchedResults(in: database)
    #expect(lazyAdults.count == 4 && lazyAdults[3].name == "Eve")
  }

  @Test func fetchingOrCreating() throws {
    let database = try Database(for: Person.self)
    let query = Person.include(#Predicate { $0.name == "Jill" })
    let jill = try query.findOrCreate(in: database) { Person(name: "Jill") }
    let again = try query.findOrCreate(in: database) { Person(name: "Jill") }
    #expect(jill == again)
    #expect(try Person.count(in: database) == 1)
  }

  @Test func deletingObjects() throws {
    let database = try QueryDocument.database()
    try Person
      .include(#Predicate { $0.name == "Jill" })
      .delete(in: database)
    #expect(try Query<Person>().results(in: database).map(\.name) == ["Jack", "Ann", "Jack", "Bob", "Eve"])
    try Query<Person>().delete(in: database)
    #expect(try Person.isEmpty(in: database))
    let other = try QueryDocument.database()
    try Person.deleteAll(in: other)
    #expect(try Person.isEmpty(in: other))
  }

  @Test func anActorOfOnesOwn() async throws {
    let database = try QueryDocument.database()
    try await Promoter(database: database).promoteJill()
    #expect(try Person.include(#Predicate { $0.isPromoted }).results(in: database).map(\.id) == ["Jill30"])
  }

  @Test func performingInTheBackground() async throws {
    let database = try QueryDocument.database()
    // Results can leave an actor, because they are values.
    let allJills = try await Task.detached {
      try Person
        .include(#Predicate { $0.name == "Jill" })
        .results(in: database)
    }.value
    #expect(allJills.map { "Found Jill: \($0.name)" }.count == 2)
    let count = try await Task.detached {
      try Query<Person>()
        .include(#Predicate { $0.age >= 18 })
        .count(in: database)
    }.value
    #expect(count == 5)
  }

  @Test func fetchFirst() throws {
    let database = try QueryDocument.database()
    try Database.withShared(database) {
      let detail = PersonDetail()
      #expect(detail.text == "Jack is 20 years old")
      try Person.include(#Predicate { $0.name == "Jack" }).delete(in: database)
      #expect(detail.text == "Jack not found")
    }
  }

  @Test func fetchAll() throws {
    let database = try QueryDocument.database()
    let model = Database.withShared(database) { PeopleViewModel() }
    #expect(model.adultCount == 5 && model.adults.map(\.name) == ["Bob", "Eve", "Jack", "Jill", "Jill"])
    try Person(name: "Zoe", age: 50).save(to: database)
    #expect(model.adultCount == 6)
  }

  @Test func fetchResults() throws {
    let database = try QueryDocument.database()
    let state = Database.withShared(database) { PeopleFeature.State() }
    #expect(state.peopleCount == 7 && state.people?.first?.name == "Ann")
    try Person.deleteAll(in: database)
    #expect(state.peopleCount == 0)
  }

  @Test func dependencyInjection() async throws {
    let database = try QueryDocument.database()
    let (here, inside) = Database.withShared(database) {
      (FetchAll(Person.query()).wrappedValue.count, Database.shared === database)
    }
    #expect(here == 7 && inside)
    // Nobody has set one for this task: it is empty, and nothing fails.
    #expect(FetchAll(Person.query()).wrappedValue.isEmpty)
    let given = FetchAll(Person.query(), in: database)
    #expect(given.wrappedValue.count == 7)
  }
}

/// docs/swift-query.md names tests that are there, and all of them.
@Suite struct QueryDocumentTableTests {
  @Test func namedTestsExist() throws {
    let file = URL(fileURLWithPath: #filePath)
    var tests = try String(contentsOf: file, encoding: .utf8)
    // This suite is no snippet.
    if let end = tests.range(of: "@Suite struct QueryDocumentTableTests") { tests = String(tests[..<end.lowerBound]) }
    let root = (0..<4).reduce(file) { folder, _ in folder.deletingLastPathComponent() }
    let document = try String(contentsOf: root.appendingPathComponent("docs/swift-query.md"), encoding: .utf8)
    let table = try #require(document.split(separator: "## swift-query's document").last)
    let named = Set(table.matches(of: #/\| `([A-Za-z]+)\(\)` \|/#).map { String($0.output.1) })
    let known = Set(tests.matches(of: #/@Test func ([A-Za-z]+)\(/#).map { String($0.output.1) })
    #expect(named == known)
    #expect(named.count == 21)
  }
}
