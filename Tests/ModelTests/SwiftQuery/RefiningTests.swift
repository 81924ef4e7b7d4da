import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// Refinements and verbs of queries.
@Suite struct RefiningTests {
  private func ids(_ query: some NestingQuery<Person>, _ context: Context) throws -> [String] {
    try query.results(in: context).map(\.id)
  }

  @Test func conditionsAddUpInAnyOrder() throws {
    let context = try people()
    let jills = try ids(Person.include(#Predicate { $0.name == "Jill" }), context)
    #expect(jills == ["1", "9"])
    let adult = #Predicate<Person> { $0.age >= 18 }
    let active = #Predicate<Person> { !$0.isInactive }
    let first = try ids(Person.include(adult).include(active).exclude(#Predicate { $0.name == "Max" }), context)
    #expect(first == ["4", "5", "11"])
    #expect(try ids(Person.exclude(#Predicate { $0.name == "Max" }).include(active).include(adult), context) == first)
    #expect(try ids(Person.include(adult).exclude(adult), context).isEmpty)
    #expect(try ids(Person.exclude(#Predicate { $0.age < 0 }), context).count == 12)
    // The same verbs on a list, and on one entity by its id.
    #expect(try ids(Person.query().include(adult).sortBy(\.age)[0..<2], context) == ["3", "9"])
    #expect(try ids(Person.query("3").include(adult), context) == ["3"])
    #expect(try ids(Person.query("0").include(adult), context).isEmpty)
  }

  @Test func orders() throws {
    let context = try people()
    #expect(try ids(Person.sortBy(\.age)[0..<3], context) == ["0", "6", "1"])
    #expect(try ids(Person.sortBy(\.age, order: .reverse)[0..<3], context) == ["11", "5", "10"])
    // The first one counts most.
    #expect(
      try ids(Person.sortBy(\.mood.rawValue).sortBy(\.age, order: .reverse)[0..<2], context) == ["11", "4"])
    let query = Person.sortBy(\.name, comparator: .lexical).sortBy(\.age)
    let sorted = try ids(query, context)
    #expect(sorted == ["7", "11", "2", "3", "8", "0", "6", "1", "9", "10", "5", "4"])
    #expect(try ids(query.reverse(), context) == sorted.reversed())
    #expect(try ids(query.reverse().reverse(), context) == sorted)
    #expect(try ids(Query<Person>().reverse(), context) == ids(Query<Person>(), context))
    // Nil is the least.
    #expect(try ids(Person.sortBy(\.rating)[0..<4], context) == ["0", "4", "8", "1"])
    #expect(try ids(Person.sortBy(\.rating, order: .reverse)[0..<1], context) == ["11"])
    #expect(try ids(Person.sortBy(\.nickname, comparator: .lexical)[5..<8], context) == ["10", "11", "3"])
    #expect(try ids(Person.sortBy(\.nickname)[5..<8], context) == ["10", "11", "3"])
    // Whatever the case; numbers by their values.
    let jays = #Predicate<Person> { $0.name.starts(with: "J") || $0.name == "jack" }
    #expect(try ids(Person.include(jays).sortBy(\.name)[2..<5], context) == ["6", "1", "9"])
    var numbered = Context()
    for name in ["file10", "File9", "file1"] { try Person(name).save(to: &numbered) }
    #expect(try ids(Person.sortBy(\.name), numbered) == ["file1", "File9", "file10"])
    #expect(try ids(Person.sortBy(\.name, comparator: .lexical), numbered) == ["File9", "file1", "file10"])
  }

  @Test func ranges() throws {
    let context = try people()
    let sorted = try ids(Person.sortBy(\.age), context)
    #expect(try ids(Person.sortBy(\.age)[5..<10], context) == Array(sorted[5..<10]))
    #expect(try ids(Person[0..<5], context) == ["0", "1", "2", "3", "4"])
    // A later range stands in the place of an earlier one, and no order of refinements matters.
    #expect(try ids(Person.sortBy(\.age)[0..<9][5..<7], context) == Array(sorted[5..<7]))
    #expect(try ids(Person[5..<7].sortBy(\.age), context) == Array(sorted[5..<7]))
    #expect(try ids(Person[0..<2].include(#Predicate { $0.age > 20 }), context) == ["3", "4"])
    #expect(try ids(Person[10..<100], context) == ["10", "11"])
    #expect(try ids(Person[3..<3], context).isEmpty)
    #expect(try ids(Person[100..<200], context).isEmpty)
    #expect(try ids(Person[-1..<3], context).isEmpty)
    #expect(try ids(Person[Int.min..<Int.max], context).isEmpty)
    // Behind a limit they see what it gives.
    #expect(try ids(Person.query().limit(4)[2..<9], context) == ["2", "3"])
    #expect(try ids(Person.query().limit(4).include(#Predicate { $0.age > 20 }), context) == ["3"])
    #expect(try ids(Person.query()[0..<4].filter(\.age > 20), context) == ["3"])
  }

  @Test func verbs() throws {
    let context = try people()
    let jills = Person.include(#Predicate { $0.name == "Jill" })
    #expect(try jills.first(in: context)?.id == "1")
    #expect(try jills.last(in: context)?.id == "9")
    #expect(try jills.any(in: context)?.name == "Jill")
    #expect(try Person.any(in: context) != nil)
    #expect(try jills.count(in: context) == 2)
    #expect(try Person.count(in: context) == 12)
    #expect(try !jills.isEmpty(in: context))
    #expect(try !Person.isEmpty(in: context))
    let nobody = Person.include(#Predicate { $0.name == "Nobody" })
    #expect(try nobody.first(in: context) == nil)
    #expect(try nobody.last(in: context) == nil)
    #expect(try nobody.isEmpty(in: context))
    #expect(try nobody.count(in: context) == 0)
    #expect(try nobody.results(in: context).isEmpty)
    // The last one of what the query gives: with a range, and without an order.
    #expect(try Person[0..<5].last(in: context)?.id == "4")
    #expect(try Person.sortBy(\.age)[0..<5].last(in: context)?.id == "2")
    #expect(try Query<Person>().last(in: context)?.id == "11")
    #expect(try Person.sortBy(\.mood.rawValue).last(in: context)?.id == "10")
    #expect(try Person[2..<4].count(in: context) == 2)
    #expect(try Person[2..<4].first(in: context)?.id == "2")
    // Of a context that does not know the type.
    #expect(try Person.results(in: Context()).isEmpty)
    #expect(try Person.any(in: Context()) == nil)
    #expect(try Person.count(in: Context()) == 0)
    #expect(try Person.isEmpty(in: Context()))
    var empty = Context()
    try Person.deleteAll(in: &empty)
  }

  @Test func theFirstOneIsAllThatIsRead() throws {
    var context = Context()
    for number in 0..<2000 { try Counted(id: number, name: Tally("\(number)")).save(to: &context) }
    func reads(_ body: () throws -> Void) rethrows -> Int {
      let before = Tally.reads.withLock { $0 }
      try body()
      return Tally.reads.withLock { $0 } - before
    }
    #expect(try reads { _ = try Query<Counted>().first(in: context) } == 1)
    #expect(try reads { _ = try Query<Counted>().last(in: context) } == 1)
    #expect(try reads { _ = try Counted.sortBy(\.id, order: .reverse).first(in: context) } == 1)
    #expect(try reads { _ = try Query<Counted>().count(in: context) } == 0)
    #expect(try reads { _ = try Query<Counted>().isEmpty(in: context) } == 0)
    // What is told in Swift is looked at until it is found.
    #expect(try reads { _ = try Counted.include(#Predicate { $0.twice > 20 }).first(in: context) } < 50)
    // What is walked, in batches.
    let results = try Query<Counted>().fetchedResults(in: context, batchSize: 10)
    #expect(results.count == 2000)
    #expect(try reads { _ = try Query<Counted>().fetchedResults(in: context, batchSize: 10) } == 0)
    #expect(reads { _ = results[995] } == 10)
    #expect(reads { _ = results[990..<1000].map(\.id) } == 0)
    var walked: [Int] = []
    #expect(reads { for one in results { walked.append(one.id) } } == 2000)
    #expect(walked == Array(0..<2000))
    #expect(try reads { _ = try Counted.fetchKeyPaths(\.id).results(in: context) } == 2000)
    #expect(try reads { _ = try Query<Counted>().values(\.id, \.id, in: context) } == 0)
  }

  @Test func lazyResultsStayAsTheyWere() throws {
    var context = try people()
    let results = try Person.sortBy(\.age).fetchedResults(in: context, batchSize: 5)
    try Person.deleteAll(in: &context)
    #expect(results.map(\.id) == ["0", "6", "1", "7", "2", "8", "3", "9", "4", "10", "5", "11"])
    #expect(results[11].id == "11" && results.last?.id == "11" && results.reversed().first?.id == "11")
    #expect(try Person.fetchedResults(in: context).isEmpty)
    #expect(try Query<Person>().fetchedResults(in: people(), batchSize: 0).count == 12)
    let pets = try Person.prefetchRelationship(\.pets).fetchedResults(in: people())
    #expect(pets[5].pets?.map(\.name) == ["Rex", "Tom"])
  }

  @Test func onlySomeProperties() throws {
    let context = try people()
    let query = Person.fetchKeyPaths(\.name, \.age)
    let full = try Person.results(in: context)
    let light = try query.results(in: context)
    #expect(light.map(\.name) == full.map(\.name) && light.map(\.age) == full.map(\.age))
    #expect(light.map(\.id) == full.map(\.id))
    #expect(light.allSatisfy { $0.nickname == nil && $0.rating == nil && $0.badge == nil })
    #expect(try query.fetchKeyPaths([\.nickname]).results(in: context).map(\.nickname) == full.map(\.nickname))
    // Conditions and orders see all of it.
    let rated = try query.include(#Predicate { $0.rating == 2.5 }).sortBy(\.rating).results(in: context)
    #expect(rated.map(\.id) == ["5"] && rated[0].rating == nil)
    #expect(try query.first(in: context)?.nickname == nil)
    #expect(try query.last(in: context)?.rating == nil)
    // As a fragment it forgets nothing.
    var copy = context
    var one = light[1]
    one.age = 99
    try one.save(to: &copy, options: .fragment)
    #expect(try Person.query("1").first(in: copy)?.nickname == "Jilly")
    #expect(try Person.query("1").first(in: copy)?.age == 99)
    let values = try Person.sortBy(\.age)[0..<2].values(\.name, \.nickname, \.mood, in: context)
    #expect(
      values.map(\.0) == ["Jack", "Jackson"] && values.map(\.1) == [nil, nil] && values.map(\.2) == [.cross, .calm])
  }

  @Test func relationsThatComeAlong() throws {
    let context = try people()
    let some = try Person.include(#Predicate { $0.id == "1" }).prefetchRelationship(\.company)
      .prefetchRelationships(\.$pets, \.company).results(in: context)
    #expect(some.map { $0.company?.name } == ["Tiny"] && some[0].pets?.map(\.name) == ["Rex", "Tom"])
    #expect(try Person.prefetchRelationships([\.company, \.name]).results(in: context).count == 12)
  }

  @Test func findingOrCreating() throws {
    var context = try people()
    let kim = Person.include(#Predicate { $0.name == "Kim" })
    let made = try kim.findOrCreate(in: &context) { Person("Kim", age: 5) }
    #expect(made.age == 5 && context.find("Kim") == made)
    let found = try kim.findOrCreate(in: &context) { Person("Other") }
    #expect(found == made)
    #expect(try Person.count(in: context) == 13)
    // Without a condition any one will do.
    #expect(try Person.findOrCreate(in: &context) { Person("Other") }.id == "0")
    var empty = Context()
    #expect(try Person.findOrCreate(in: &empty) { Person("Other") }.id == "Other")
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      _ = try Person.include(#Predicate { $0.name == "Lou" }).findOrCreate(in: &context) { throw Failure() }
    }
  }

  @Test func deleting() throws {
    var context = try people()
    let copy = context
    try Person.include(#Predicate { $0.name == "Jill" }).delete(in: &context)
    #expect(try Person.count(in: context) == 10)
    #expect(try Deleted<Person>.count(in: context) == 2)
    try Person.sortBy(\.age)[0..<3].delete(in: &context)
    #expect(try Person.count(in: context) == 7)
    #expect(try Person.sortBy(\.age).first(in: context)?.id == "2")
    try Person.deleteAll(in: &context)
    #expect(try Person.isEmpty(in: context))
    #expect(try Person.count(in: copy) == 12)
    try Query<Deleted<Person>>().delete(in: &context)
    #expect(try Deleted<Person>.isEmpty(in: context))
  }
}

/// A text that counts how often it is read.
struct Tally: _ColumnScalar, Hashable {
  static let reads = GQLiteModels.Guarded(0)
  static var _columnShape: _ColumnShape { String._columnShape }
  let text: String

  init(_ text: String) { self.text = text }
  init(_cell cell: _ColumnCell) throws {
    text = try String(_cell: cell)
    Self.reads.withLock { $0 += 1 }
  }
  func _write(into slot: inout _ColumnSlot) throws { try text._write(into: &slot) }
}

extension Tally: AlwaysReadable {}

@EntityModel
struct Counted {
  let id: Int
  var name: Tally
  var twice: Int { id * 2 }
}
