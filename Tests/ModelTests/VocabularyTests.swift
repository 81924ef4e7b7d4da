import Foundation
import GQLiteModels
import Testing

extension Date {
  fileprivate var tomorrow: Date { addingTimeInterval(86_400) }
}

/// The same names on every kind of query: for one entity, for many, for several lists, and within closures. What they
/// return is worked out from arrays.
@Suite struct VocabularyTests {
  private let context: Context
  private let all: [Person]
  private let pets: [Pet]
  private let database: Database

  init() throws {
    context = try people()
    all = try Person.results(in: context)
    pets = try Pet.query().with(\.$owner).results(in: context)
    database = Database(context)
  }

  /// The ids of people that satisfy a condition, in an order, cut.
  private func ids(
    _ condition: (Person) -> Bool, by order: (Person, Person) -> Bool = { _, _ in false }, _ cut: Range<Int>? = nil
  ) -> [String] {
    // Sorts as an insertion does, so that what is equal keeps its place.
    var sorted: [Person] = []
    for person in all where condition(person) {
      sorted.insert(person, at: sorted.firstIndex { order(person, $0) } ?? sorted.count)
    }
    return (cut.map { Array(sorted[$0.clamped(to: sorted.indices)]) } ?? sorted).map(\.id)
  }

  /// What holds for a query for many, also where it is one that swift-query makes.
  private func check(_ query: some NestingQuery<Person>) throws {
    func found(_ query: some NestingQuery<Person>) throws -> [String] {
      let inContext = try query.results(in: context).map(\.id)
      #expect(try query.results(in: database).map(\.id) == inContext)
      #expect(try query.count(in: context) == inContext.count)
      #expect(try query.isEmpty(in: database) == inContext.isEmpty)
      #expect(try query.first(in: context)?.id == inContext.first)
      #expect(try query.last(in: database)?.id == inContext.last)
      return inContext
    }
    #expect(try found(query) == all.map(\.id))
    #expect(try found(query.filter(\.age >= 18)) == ids { $0.age >= 18 })
    #expect(
      try found(query.filter(#Predicate { $0.age >= 18 && $0.nickname != nil }))
        == ids { $0.age >= 18 && $0.nickname != nil })
    #expect(try found(query.filter(.updated(within: .distantPast ... .distantFuture))) == all.map(\.id))
    #expect(try found(query.filter(\.age > 100)) == [])
    #expect(try found(query.sorted(by: \.age)) == ids({ _ in true }, by: { $0.age < $1.age }))
    #expect(try found(query.sorted(by: \.age.desc)) == ids({ _ in true }, by: { $0.age > $1.age }))
    #expect(
      try found(query.sorted(by: \.isInactive.description, \.age.desc))
        == ids({ _ in true }, by: { ($0.isInactive ? 1 : 0, -$0.age) < ($1.isInactive ? 1 : 0, -$1.age) }))
    #expect(
      try found(query.sorted(by: \.name, \.rating))
        == ids({ _ in true }, by: { ($0.name, $0.rating ?? -1) < ($1.name, $1.rating ?? -1) }))
    // The last order counts most.
    #expect(
      try found(query.sorted(by: \.age.desc).sorted(by: \.name))
        == ids({ _ in true }, by: { ($0.name, -$0.age) < ($1.name, -$1.age) }))
    #expect(
      try found(query.sorted(by: \.name, comparator: .lexical, order: .reverse).limit(3))
        == ids({ _ in true }, by: { $0.name > $1.name }, 0..<3))
    #expect(
      try found(query.filter(\.name != "").sorted(by: \.name, comparator: .localizedStandard).limit(1, offset: 3))
        == ["8"])
    #expect(
      try found(query.sorted(by: \.age).limit(4, offset: 2)) == ids({ _ in true }, by: { $0.age < $1.age }, 2..<6))
    // What comes after a limit sees only what it lets through.
    #expect(try found(query.limit(5).filter(\.age >= 18)) == ids { $0.age >= 18 && Int($0.id).map { $0 < 5 } == true })
    let light = try query.fetchKeyPaths(\.name).results(in: context)
    #expect(light.map(\.name) == all.map(\.name) && light.allSatisfy { $0.nickname == nil })
    let owners = try query.with(\.$pets) { $0.filter(#Predicate { $0.weight > 2 }).sorted(by: \.id.desc).limit(1) }
      .results(in: context)
    for owner in owners {
      let heavy = pets.filter { $0.owner?.id == owner.id && $0.weight > 2 }.map(\.id).max()
      #expect(owner.pets?.map(\.id) == [heavy].compactMap { $0 })
    }
  }

  @Test func queriesForMany() throws {
    try check(Person.query())
    try check(Query<Person>())
    try check(Person.query(all.map(\.id)))
    #expect(try Person.filter(\.age >= 18).results(in: context).map(\.id) == ids { $0.age >= 18 })
    #expect(try Person.filter(#Predicate { $0.age >= 18 }).results(in: context).map(\.id) == ids { $0.age >= 18 })
    #expect(try Person.first(in: context)?.id == all.first?.id)
    #expect(try Person.query().or(.filter(#Predicate { $0.age > 5 })).count(in: context) == all.count)
  }

  @Test func queriesForOne() throws {
    let jill = Person.query("1")
    #expect(try jill.first(in: context)?.name == "Jill" && jill.first(in: database)?.name == "Jill")
    #expect(try jill.results(in: context).map(\.id) == ["1"] && jill.count(in: context) == 1)
    #expect(try jill.filter(\.age == 7).first(in: context)?.id == "1")
    #expect(try jill.filter(#Predicate { $0.age != 7 }).first(in: context) == nil)
    #expect(try jill.filter(.updated(within: .distantPast ... .distantFuture)).count(in: context) == 1)
    #expect(try jill.sorted(by: \.age).limit(1).first(in: context)?.id == "1")
    #expect(try jill.limit(1, offset: 1).isEmpty(in: context))
    #expect(try jill.with(\.$company) { $0.filter(\.name == "Tiny") }.first(in: context)?.company?.id == "c2")
    #expect(
      try jill.with(\.$company) { $0.filter(#Predicate { $0.name == "Acme" }) }.first(in: context)?.company == nil)
    #expect(try Person.query("none").first(in: context) == nil)
    #expect(try Person.query().sorted(by: \.age).first().first(in: context)?.id == "0")
    #expect(
      try [Person.query("1"), Person.query("none"), Person.query("3")].results(in: database).map(\.id) == ["1", "3"])
  }

  @Test func queriesForLists() throws {
    let owners = all.filter { person in pets.contains { $0.owner?.id == person.id } }
    func of(_ owner: Person) -> [Pet] { pets.filter { $0.owner?.id == owner.id } }
    let group = Person.query(owners.map(\.id)).related(\.$pets)
    #expect(owners.count == 3)
    #expect(try group.results(in: context).map { $0.map(\.id) } == owners.map { of($0).map(\.id) })
    #expect(group.resolve(in: database).map { $0.map(\.id) } == owners.map { of($0).map(\.id) })
    let heavy = group.filter(\.weight > 2)
    #expect(
      try heavy.results(in: database).map { $0.map(\.id) } == owners.map { of($0).filter { $0.weight > 2 }.map(\.id) })
    #expect(try heavy.count(in: context) == owners.map { of($0).count { $0.weight > 2 } })
    #expect(try group.filter(#Predicate { $0.name == "Tom" }).count(in: context) == owners.map { _ in 1 })
    #expect(try group.sorted(by: \.id.desc).first(in: context).map { $0?.id } == owners.map { of($0).map(\.id).max() })
    #expect(try heavy.first(in: context).map { $0?.id } == owners.map { of($0).first { $0.weight > 2 }?.id })
    #expect(try group.limit(1, offset: 1).results(in: context).map { $0.map(\.id) } == owners.map { [of($0)[1].id] })
    #expect(
      try group.limit(1).with(\.$owner).results(in: context).map { $0.map { $0.owner?.id } } == owners.map { [$0.id] })
    // All in one, before and after.
    #expect(try group.limit(1).flatten().results(in: context).map(\.id) == owners.map { of($0)[0].id })
    #expect(
      try heavy.flatMap { $0.sorted(by: \.name.desc).limit(1) }.results(in: context).map(\.id)
        == owners.compactMap { of($0).filter { $0.weight > 2 }.max { $0.name < $1.name }?.id })
    #expect(try group.flatten().filter(\.weight > 2).count(in: context) == pets.count { $0.weight > 2 })
    #expect(try Person.query("none").related(\.$pets).results(in: context).isEmpty)
    #expect("\(group.limit(1))" == "\(group.flatMap { $0.limit(1) })")
  }

  /// A path of metadata is followed to its end.
  @Test func metadata() throws {
    let now = Date()
    #expect(try Person.filter(.metadata(\.updatedAt, within: .distantPast...now)).count(in: context) == all.count)
    #expect(try Person.filter(.metadata(\.updatedAt.tomorrow, within: .distantPast...now)).count(in: context) == 0)
    let tomorrow = now.addingTimeInterval(80_000)...now.addingTimeInterval(90_000)
    #expect(try Person.filter(.metadata(\.updatedAt.tomorrow, within: tomorrow)).count(in: context) == all.count)
  }

  /// Each synonym finds what the name does that it stands for.
  @Test func synonyms() throws {
    let adult = #Predicate<Person> { $0.age >= 18 }
    func expectEqual(
      _ left: some NestingQuery<Person>, _ right: some NestingQuery<Person>, _ place: SourceLocation = #_sourceLocation
    ) throws {
      #expect(try left.results(in: context).map(\.id) == right.results(in: context).map(\.id), sourceLocation: place)
      #expect(left.explain(in: context) == right.explain(in: context), sourceLocation: place)
    }
    try expectEqual(Person.include(adult), Person.filter(adult))
    try expectEqual(Person.exclude(adult), Person.filter(!QueryPredicate(adult)))
    try expectEqual(Person.sortBy(\.age), Person.query().sorted(by: \.age))
    try expectEqual(Person.sortBy(\.rating, order: .reverse), Person.query().sorted(by: \.rating.desc))
    try expectEqual(
      Person.sortBy(\.name).sortBy(\.age),
      Person.query().sorted(by: \.age).sorted(by: \.name, comparator: .localizedStandard))
    try expectEqual(Person.sortBy(\.age)[2..<5], Person.query().sorted(by: \.age).limit(3, offset: 2))
    try expectEqual(Person[0..<2].include(adult), Person.filter(adult).limit(2))
    try expectEqual(Person.prefetchRelationship(\.pets), Person.query().with(\.$pets))
    try expectEqual(Person.filter(adult).and(\.age < 30), Person.filter(adult).filter(\.age < 30))
    #expect(try Person.include(adult).any(in: context)?.id == Person.filter(adult).first(in: context)?.id)
    #expect(Person.filter(adult).resolve(in: database).map(\.id) == ids { $0.age >= 18 })
    #expect(Person.query("1").resolve(in: database)?.name == "Jill")
  }
}
