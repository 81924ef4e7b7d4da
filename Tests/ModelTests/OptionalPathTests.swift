import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

@EntityModel
private struct Athlete: Equatable {
  @Index<Self>(\.age, \.name) private var ageIndex
  @Index<Self>(\.work!.level) private var levelIndex
  @Index<Self>(\.team!.number) private var ownIndex
  @HashIndex<Self>(\.nick!) private var nickIndex

  let id: Int
  var name: String
  var age: Int?
  var nick: String?
  var rank: Rank?
  var work: Work?
  var born: Date?
  var token: Token?
  var team: Squad?
  @Relationship(inverse: \.athletes) var club: Society?
}

@EntityModel
private struct Society: Equatable {
  let id: Int
  var size: Int?
  @Relationship(inverse: \.club) var athletes: [Athlete]?
  @Relationship var captain: Athlete? = nil
}

private enum Rank: Int, Comparable, Codable {
  case low, high
  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
private struct Work: Codable, Equatable {
  var level: Int
  var geo: Geo?
  var `odd name!`: Int?
}
private struct Geo: Codable, Equatable { var lat: Double? }
/// Kept beside the store.
private struct Token: Comparable {
  var value: Int
  static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
private final class Squad: Codable, Sendable, Equatable {
  let number: Int?
  init(number: Int?) { self.number = number }
  static func == (left: Squad, right: Squad) -> Bool { left.number == right.number }
}

/// Conditions and orders by what may be nil: nil matches none, and no `!` stops the process.
@Suite struct OptionalPathTests {
  private static func athletes() throws -> (Context, [Athlete]) {
    var context = try Context(for: Athlete.self, Society.self)
    for id in 0..<60 {
      let geo = id % 4 == 0 ? nil : Geo(lat: id % 3 == 0 ? nil : Double(id % 5))
      var athlete = Athlete(
        id: id, name: "n\(id % 7)", age: id % 3 == 0 ? nil : id % 10, nick: id % 2 == 0 ? nil : "Nick \(id % 6)",
        rank: id % 5 == 0 ? nil : id % 2 == 0 ? .low : .high,
        work: id % 3 == 1 ? nil : Work(level: id % 6, geo: geo, `odd name!`: id % 2 == 0 ? nil : id),
        born: id % 4 == 1 ? nil : Date(timeIntervalSince1970: Double(id) + 0.123456789),
        token: id % 3 == 2 ? nil : Token(value: id % 8), team: id % 2 == 0 ? nil : Squad(number: id % 3 == 0 ? nil : id)
      )
      if id % 4 != 0 { athlete.$club = .id(id % 3) }
      try athlete.save(to: &context)
    }
    for id in 0..<2 {
      var club = Society(id: id, size: id == 0 ? nil : id)
      if id == 1 { club.$captain = .id(1) }
      try club.save(to: &context)
    }
    return (context, Athlete.query().with(\.$club) { $0.with(\.$captain) }.resolve(in: context))
  }

  /// A condition, and the same in Swift.
  private typealias Condition = (QueryPredicate<Athlete>, (Athlete) -> Bool)

  private static func conditions() -> [Condition] {
    let date = Date(timeIntervalSince1970: 20.123456789)
    let age: Int? = 4
    return [
      (\.age > 5, { $0.age.map { $0 > 5 } ?? false }), (\.age >= 5, { $0.age.map { $0 >= 5 } ?? false }),
      (\.age < 5, { $0.age.map { $0 < 5 } ?? false }), (\.age <= 5, { $0.age.map { $0 <= 5 } ?? false }),
      (!(\.age > 5), { !($0.age.map { $0 > 5 } ?? false) }), (\.age == 4, { $0.age == 4 }),
      (\.age == age, { $0.age == age }), (\.age > 2 && \.age <= 7, { ($0.age ?? 0) > 2 && ($0.age ?? 9) <= 7 }),
      (\.age! > 5, { $0.age.map { $0 > 5 } ?? false }), (\.age! <= 5, { $0.age.map { $0 <= 5 } ?? false }),
      (!(\.age! > 5), { !($0.age.map { $0 > 5 } ?? false) }), (\.age! == 4, { $0.age == 4 }),
      (\.age! != 4, { $0.age != 4 }), (\.nick! > "Nick 2", { ($0.nick ?? "") > "Nick 2" }),
      (\.rank > .low, { $0.rank == .high }), (\.rank! > .low, { $0.rank == .high }),
      (\.rank! <= .high, { $0.rank != nil }), (\.token > Token(value: 3), { ($0.token?.value ?? 0) > 3 }),
      (\.token! > Token(value: 3), { ($0.token?.value ?? 0) > 3 }),
      (\.token! == Token(value: 3), { $0.token?.value == 3 }),
      (\.born > date, { $0.born.map { $0 > date } ?? false }),
      (\.born! >= date, { $0.born.map { $0 >= date } ?? false }),
      (\.work!.level > 2, { ($0.work?.level ?? 0) > 2 }), (!(\.work!.level > 2), { ($0.work?.level ?? 0) <= 2 }),
      (\.work!.level == 2, { $0.work?.level == 2 }), (\.work?.level > 2, { ($0.work?.level ?? 0) > 2 }),
      (\.work!.geo == nil, { $0.work?.geo == nil }), (\.work!.geo != nil, { $0.work?.geo != nil }),
      (\.work!.geo!.lat! > 1, { ($0.work?.geo?.lat ?? 0) > 1 }), (\.work!.geo!.lat == 1, { $0.work?.geo?.lat == 1 }),
      (\.work?.geo!.lat > 1, { ($0.work?.geo?.lat ?? 0) > 1 }),
      (\.work?.geo!.lat! > 1, { ($0.work?.geo?.lat ?? 0) > 1 }),
      (\.work!.`odd name!`! > 9, { ($0.work?.`odd name!` ?? 0) > 9 }),
      (\.team!.number! > 9, { ($0.team?.number ?? 0) > 9 }), (\.team!.number == 7, { $0.team?.number == 7 }),
      (\.club!.size! > 0, { ($0.club?.size ?? 0) > 0 }), (\.club!.id == 0, { $0.club?.id == 0 }),
      (\.club!.captain!.age! > 0, { ($0.club?.captain?.age ?? 0) > 0 }),
      (\.club!.captain!.name == "n1", { $0.club?.captain?.name == "n1" }),
      (.string(\.nick!, contains: "k 3"), { $0.nick == "Nick 3" }),
      (.string(\.nick!, notContains: "k 3"), { $0.nick != "Nick 3" }),
      (.string(\.club!.captain!.nick!, contains: "nick"), { $0.club?.captain?.nick != nil }),
      (.string(\.club!.captain!.name, matches: "n1"), { $0.club?.captain != nil }),
      (.string(\.nick!, matches: /k 3/), { $0.nick == "Nick 3" }),
      (.string(\.nick!, matches: "nick"), { $0.nick != nil }),
    ]
  }

  @Test func nilMatchesNothing() throws {
    let (context, all) = try Self.athletes()
    for (number, (condition, holds)) in Self.conditions().enumerated() {
      let query = Athlete.filter(condition)
      let plan = query.explain(in: context)
      let wanted = all.filter(holds).map(\.id)
      #expect(!wanted.isEmpty && wanted.count < all.count, "\(number)")
      #expect(try query.results(in: context).map(\.id).sorted() == wanted, "\(number)\n\(plan)")
    }
  }

  @Test func indexesServe() throws {
    let (context, _) = try Self.athletes()
    func plan(_ query: QueryList<Athlete>) -> String { query.explain(in: context, costs: false) }
    #expect(plan(Athlete.filter(\.age == 4)).contains("BTree"))
    #expect(plan(Athlete.filter(\.age! > 8)) == plan(Athlete.filter(\.age > 8)))
    #expect(plan(Athlete.filter(\.nick! == "a")).contains("Hash "))
    #expect(plan(Athlete.filter(\.work!.level == 2)).contains("BTree"))
    #expect(plan(Athlete.query().sorted(by: \.age!)) == plan(Athlete.query().sorted(by: \.age)))
    for query in [
      Athlete.query().sorted(by: \.age, \.name), Athlete.query().sorted(by: \.age.desc),
      Athlete.query().sorted(by: \.age!.desc), Athlete.query().sorted(by: \.work!.level),
      Athlete.query().sorted(by: \.name, \.nick),
    ] { #expect(!plan(query).contains("in Swift"), "\(plan(query))") }
  }

  @Test func ordersPutNilFirst() throws {
    let (context, all) = try Self.athletes()
    func check<Key: Comparable>(
      _ query: QueryList<Athlete>, isDescending: Bool = false, _ key: (Athlete) -> Key?,
      _ location: SourceLocation = #_sourceLocation
    ) throws {
      let keys = all.map(key)
      let wanted = all.indices.sorted { left, right in
        let (first, second) = (_NilFirst(keys[left]), _NilFirst(keys[right]))
        return first == second ? left < right : (first < second) != isDescending
      }.map { all[$0].id }
      #expect(try query.results(in: context).map(\.id) == wanted, sourceLocation: location)
    }
    let query = Athlete.query()
    try check(query.sorted(by: \.age)) { $0.age }
    try check(query.sorted(by: \.age!)) { $0.age }
    try check(query.sorted(by: \.age.desc), isDescending: true) { $0.age }
    try check(query.sorted(by: \.age!.desc), isDescending: true) { $0.age }
    try check(query.sorted(by: \.rank)) { $0.rank }
    try check(query.sorted(by: \.rank!.desc), isDescending: true) { $0.rank }
    try check(query.sorted(by: \.token)) { $0.token }
    try check(query.sorted(by: \.token!.desc), isDescending: true) { $0.token }
    try check(query.sorted(by: \.born!)) { $0.born }
    try check(query.sorted(by: \.work!.level)) { $0.work?.level }
    try check(query.sorted(by: \.work?.level)) { $0.work?.level }
    try check(query.sorted(by: \.work!.geo!.lat!)) { $0.work?.geo?.lat }
    try check(query.sorted(by: \.club!.captain!.age!)) { $0.club?.captain?.age }
    try check(query.sorted(by: \.club!.size)) { $0.club?.size }
    // No club is as one without a size.
    try check(query.sorted(by: \.club?.size)) { $0.club?.size }
    try check(query.sorted(by: \.club?.size.desc), isDescending: true) { $0.club?.size }
    try check(query.sorted(by: \.club!.size.desc), isDescending: true) { $0.club?.size }
    try check(query.sorted(by: \.club?.captain?.age.desc), isDescending: true) { $0.club?.captain?.age }
    try check(query.sortBy(\.nick!, comparator: .lexical)) { $0.nick }
    try check(query.sortBy(\.nick!)) { $0.nick }
    try check(query.sortBy(\.age!, order: .reverse), isDescending: true) { $0.age }
    try check(query.sorted(by: \.age, \.nick)) { "\($0.age.map { "1\($0)" } ?? "0")\($0.nick.map { "1\($0)" } ?? "0")" }
    try check(query.sorted(by: \.name, \.age)) { "\($0.name)\($0.age.map { "1\($0)" } ?? "0")" }
    try check(query.sorted(by: \.age, \.name)) { "\($0.age.map { "1\($0)" } ?? "0")\($0.name)" }
    try check(query.sorted(by: \.age, \.name, \.id)) {
      "\($0.age.map { "1\($0)" } ?? "0")\($0.name)\(1000 + $0.id)"
    }
  }

  @Test func deletedEntities() throws {
    var (context, all) = try Self.athletes()
    try Athlete.deleteAll(in: &context)
    func ids(_ condition: QueryPredicate<Deleted<Athlete>>) throws -> [Int] {
      try Deleted<Athlete>.filter(condition).results(in: context).map(\.id).sorted()
    }
    #expect(try ids(\.entity.age! > 5) == all.filter { ($0.age ?? 0) > 5 }.map(\.id))
    #expect(try ids(\.entity.work!.geo!.lat! > 1) == all.filter { ($0.work?.geo?.lat ?? 0) > 1 }.map(\.id))
    // Only ids are known of what they were linked to.
    #expect(try ids(\.entity.club!.id == 1).isEmpty)
    let first = try Deleted<Athlete>.query().sorted(by: \.entity.age!).results(in: context).first
    #expect(first?.id == all.first { $0.age == nil }?.id)
  }

  @Test func valuesThatAreNotThere() throws {
    let (context, all) = try Self.athletes()
    #expect(throws: ModelError.self) { try Athlete.query().values(\.age!, in: context) }
    #expect(throws: ModelError.self) { try Athlete.query().values(\.work!.geo!.lat!, in: context) }
    let latitudes: [Double?] = try Athlete.query().values(\.work!.geo!.lat, in: context)
    #expect(latitudes == all.map { $0.work?.geo?.lat })
    let ages: [Int] = try Athlete.filter(\.age > 0).values(\.age!, in: context)
    #expect(ages.sorted() == all.compactMap(\.age).filter { $0 > 0 }.sorted())
  }

  @Test func predicates() throws {
    let (context, all) = try Self.athletes()
    for predicate in [
      #Predicate<Athlete> { $0.age! > 5 }, #Predicate<Athlete> { $0.age != nil && $0.age! > 5 },
      #Predicate<Athlete> { $0.club != nil && $0.club!.size! > 0 },
    ] {
      let query = Athlete.include(predicate)
      let wanted = all.filter { (try? predicate.evaluate($0)) ?? false }.map(\.id)
      #expect(try query.results(in: context).map(\.id) == wanted)
    }
    // What Swift looks at is an error of Foundation's.
    let missing = #Predicate<Athlete> { $0.work!.geo!.lat! > 1 }
    #expect(throws: PredicateError.self) { try Athlete.include(missing).results(in: context) }
  }

  @Test func mergesCompareWhatMayBeNil() throws {
    func athlete(_ age: Int?, _ name: String, work: Work? = nil) -> Athlete {
      Athlete(id: 1, name: name, age: age, work: work)
    }
    for strategy in [
      MergeStrategy<Athlete>.lastWriteWins(comparedBy: \.age), .lastWriteWins(comparedBy: \.age!),
      .lastWriteWins(comparedBy: \.work!.level),
    ] {
      let (old, new) = (athlete(nil, "old"), athlete(3, "new", work: Work(level: 3)))
      #expect(strategy.merge(old, new: new).name == "new")
      #expect(strategy.merge(new, new: old).name == "new")
      #expect(strategy.merge(old, new: athlete(nil, "new")).name == "old")
    }
    let geo = MergeStrategy<Athlete>.patch(\.work!.geo)
    let (none, empty) = (athlete(nil, "none"), athlete(nil, "empty", work: Work(level: 1)))
    let full = athlete(nil, "full", work: Work(level: 1, geo: Geo(lat: 1)))
    #expect(geo.merge(full, new: none).work == nil)
    #expect(geo.merge(none, new: empty).work?.geo == nil)
    #expect(geo.merge(full, new: empty).work?.geo?.lat == 1)
  }

  @Test func uniqueOverWhatMayBeNil() throws {
    var context = try Context(for: Ticket.self)
    try Ticket(id: 1, seat: Ticket.Seat(row: 3)).save(to: &context)
    try Ticket(id: 2).save(to: &context)
    try Ticket(id: 3).save(to: &context)
    #expect(throws: Errors.self) { try Ticket(id: 4, seat: Ticket.Seat(row: 3)).save(to: &context) }
    #expect(Ticket.query().resolve(in: context).map(\.id) == [1, 2, 3])
    let index = UniqueKeyPath<Ticket>(name: "rowIndex", keyPaths: [\.seat!.row])
    #expect(Ticket(id: 2)[keyPath: index] == nil)
    #expect(Ticket(id: 2, seat: Ticket.Seat(row: 3))[keyPath: index] as? Int == 3)
  }
}

@EntityModel
private struct Ticket {
  @Unique<Self>(\.seat!.row, collisions: .throwUnlessNil) private var rowIndex
  let id: Int
  var seat: Seat?
  struct Seat: Codable { var row: Int }
}

/// The same in a schema that was given as text, where columns hold what objects hold.
@Suite struct OptionalEmbeddedPathTests {
  private static let schema = """
    type Geo { lat: Float label: String! }
    type Job { city: String! rank: Int geo: Geo base: Geo! }
    type Worker @index(fields: ["job.city"]) { id: Int! job: Job home: Job! }
    """

  private static func fill(_ database: Database) throws -> [Worker] {
    for id in 0..<40 {
      let base = Worker.Geo(lat: id % 3 == 0 ? nil : Double(id), label: "l\(id % 4)")
      let job = Worker.Job(
        city: "c\(id % 5)", rank: id % 2 == 0 ? nil : id, geo: id % 4 == 1 ? nil : base, base: base)
      try Worker(id: id, job: id % 3 == 1 ? nil : job, home: job).save(to: database)
    }
    return Worker.query().resolve(in: database)
  }

  @Test func columnsTell() throws {
    let database = try Database(schema: Self.schema)
    let all = try Self.fill(database)
    let conditions: [(QueryPredicate<Worker>, (Worker) -> Bool)] = [
      (\.job!.city == "c2", { $0.job?.city == "c2" }), (\.job!.city != "c2", { $0.job?.city != "c2" }),
      (\.job!.rank! > 9, { ($0.job?.rank ?? 0) > 9 }), (\.job!.rank > 9, { ($0.job?.rank ?? 0) > 9 }),
      (!(\.job!.rank > 9), { ($0.job?.rank ?? 0) <= 9 }), (\.job?.rank > 9, { ($0.job?.rank ?? 0) > 9 }),
      (\.job!.geo!.lat > 9, { ($0.job?.geo?.lat ?? 0) > 9 }), (\.job!.geo?.lat > 9, { ($0.job?.geo?.lat ?? 0) > 9 }),
      (\.job?.geo?.lat > 9, { ($0.job?.geo?.lat ?? 0) > 9 }), (\.job!.geo == nil, { $0.job?.geo == nil }),
      (\.job!.base.label == "l1", { $0.job?.base.label == "l1" }),
      (\.home.geo!.lat! > 9, { ($0.home.geo?.lat ?? 0) > 9 }),
      (\.home.rank! <= 9, { ($0.home.rank ?? 10) <= 9 }),
      (\.home.geo!.label < "l2", { ($0.home.geo?.label ?? "z") < "l2" }),
      (.string(\.job!.city, hasPrefix: "c2"), { $0.job?.city == "c2" }),
    ]
    for (number, (condition, holds)) in conditions.enumerated() {
      let query = Worker.filter(condition)
      let plan = query.explain(in: database.entities, costs: false)
      #expect(!plan.contains("in Swift"), "\(number)\n\(plan)")
      let wanted = all.filter(holds).map(\.id)
      #expect(!wanted.isEmpty && wanted.count < all.count, "\(number)")
      #expect(try query.results(in: database).map(\.id).sorted() == wanted, "\(number)\n\(plan)")
    }
    #expect(Worker.filter(\.job!.city == "c2").explain(in: database.entities).contains("BTree"))
    for query in [
      Worker.query().sorted(by: \.job!.rank), Worker.query().sorted(by: \.job!.rank!),
      Worker.query().sorted(by: \.job?.rank),
    ] {
      #expect(!query.explain(in: database.entities).contains("in Swift"))
      let ranks = try query.results(in: database).map { $0.job?.rank }
      #expect(ranks == all.map { $0.job?.rank }.sorted { _NilFirst($0) < _NilFirst($1) })
    }
  }
}

@EntityModel
private struct Worker: Equatable {
  let id: Int
  var job: Job?
  var home: Job

  @EmbeddedModel
  struct Job: Codable, Equatable {
    var city: String
    var rank: Int?
    var geo: Geo?
    var base: Geo
  }
  @EmbeddedModel
  struct Geo: Codable, Equatable {
    var lat: Double?
    var label: String
  }
}
