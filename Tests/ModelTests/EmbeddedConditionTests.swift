import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

@EntityModel
private struct Visitor: Equatable {
  let id: Int
  var name: String
  var home: Spot
  var work: Spot?
  @Relationship var buddy: Visitor? = nil
}

@EmbeddedModel
private struct Spot: Codable, Equatable {
  var city: String
  var zip: String?
  var rank: Int
  var size: Double?
  var since: Date?
  var level: Level?
  var grade: Grade?
  var tags: [String]
  var ref: String?
  var geo: Geo?
  var base: Geo
  /// Not described, and so looked at in Swift.
  var plain: Plain?

  enum CodingKeys: String, CodingKey {
    case city, zip, rank, size, since, level, grade, tags, geo, base, plain
    // Two that change places: keys tell which field is meant.
    case ref = "reference"
  }
}

@EmbeddedModel
private struct Geo: Codable, Equatable {
  var lat: Double
  var label: String?
}

private struct Plain: Codable, Equatable { var x: Int }
private enum Level: String, CaseIterable, Codable { case low = "LOW", high = "HIGH" }
/// Codes itself otherwise than by its raw value.
private enum Grade: String, CaseIterable, Codable {
  case good = "GOOD", bad = "BAD"
  init(from decoder: any Decoder) throws {
    self = try decoder.singleValueContainer().decode(String.self) == "BAD" ? .good : .bad
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(self == .good ? "BAD" : "GOOD")
  }
}

/// Conditions on and orders by what embedded objects hold: in databases whose schema was given as text, columns tell them.
@Suite struct EmbeddedConditionTests {
  private static let schema = """
    enum Level { LOW HIGH }
    enum Grade { GOOD BAD }
    type Geo { lat: Float! label: String }
    type Plain { x: Int! }
    type Spot {
      city: String! zip: String rank: Int! size: Float since: DateTime level: Level grade: Grade tags: [String!]!
      ref: String reference: ID geo: Geo base: Geo! plain: Plain
    }
    type Visitor @index(fields: ["home.city"]) @index(fields: ["work.rank"]) @index(fields: ["home.base.lat"]) {
      id: Int! name: String! home: Spot! work: Spot buddy: Visitor
    }
    """

  fileprivate struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
    mutating func any<Value>(of values: [Value]) -> Value { values[Int.random(in: values.indices, using: &self)] }
  }

  private static let words = ["Bonn", "bonn", "Köln", "Kölln", "", "Ulm", "Z", "👩‍👧"]
  private static let numbers = [-1.5, 0, -0.0, 1, 2.5, 1e300]

  private static func visitors(_ random: inout Random) -> [Visitor] {
    func maybe<T>(_ value: T) -> T? { Bool.random(using: &random) ? value : nil }
    func word() -> String { random.any(of: words) }
    func geo() -> Geo { Geo(lat: random.any(of: numbers), label: maybe(word())) }
    func spot() -> Spot {
      Spot(
        city: word(), zip: maybe(word()), rank: .random(in: -2...3, using: &random),
        size: maybe(random.any(of: numbers)),
        since: maybe(Date(timeIntervalSince1970: .random(in: 0...3, using: &random).rounded())),
        level: maybe(random.any(of: Level.allCases)),
        grade: maybe(random.any(of: Grade.allCases)),
        tags: (0..<Int.random(in: 0...2, using: &random)).map { _ in word() }, ref: maybe(word()), geo: maybe(geo()),
        base: geo(), plain: maybe(Plain(x: .random(in: 0...2, using: &random))))
    }
    return (0..<200).map { number in
      var visitor = Visitor(id: number, name: word(), home: spot(), work: maybe(spot()))
      if number % 3 > 0 { visitor.$buddy = .id(Int.random(in: 0..<200, using: &random)) }
      return visitor
    }
  }

  private static func fill(_ database: Database, seed: UInt64) throws -> [Visitor] {
    var random = Random(state: seed)
    for visitor in visitors(&random) { try visitor.save(to: database) }
    return try Visitor.query().with(\.$buddy).results(in: database)
  }

  /// Columns have no infinite numbers, so what is compared with one is told in Swift.
  private static func predicates(_ random: inout Random, isFinite: Bool = true) -> [Predicate<Visitor>] {
    let (word, other) = (random.any(of: words), random.any(of: words))
    let rank = Int.random(in: -3...4, using: &random)
    let size = random.any(of: isFinite ? numbers : [.nan, .infinity])
    let since = Date(timeIntervalSince1970: 1)
    let level = random.any(of: Level.allCases)
    let levels = [level]
    let maybe: String? = Bool.random(using: &random) ? word : nil
    return [
      #Predicate { $0.home.city == word }, #Predicate { $0.home.city != word }, #Predicate { $0.home.city < word },
      #Predicate { $0.home.city >= word }, #Predicate { !($0.home.city == word || $0.home.rank > rank) },
      #Predicate { $0.home.zip == maybe }, #Predicate { $0.home.zip != maybe }, #Predicate { $0.home.zip == nil },
      #Predicate { ($0.home.zip ?? other) == word }, #Predicate { ($0.home.size ?? 0) < size },
      #Predicate { $0.home.size == size }, #Predicate { $0.home.base.lat > size },
      #Predicate { $0.home.base.lat == size }, #Predicate { $0.home.base.label == maybe },
      #Predicate { $0.home.since == since }, #Predicate { ($0.home.since ?? since) > since },
      #Predicate { $0.home.level == level }, #Predicate { $0.home.level != level }, #Predicate { $0.home.level == nil },
      #Predicate { $0.home.tags.contains(word) }, #Predicate { $0.home.tags.isEmpty },
      #Predicate { $0.home.tags.count > 1 }, #Predicate { $0.home.tags.contains { $0 == word || $0 < other } },
      #Predicate { $0.home.ref == word }, #Predicate { $0.home.city.contains(word) },
      #Predicate { $0.home.city.starts(with: word) }, #Predicate { $0.home.geo == nil },
      #Predicate { $0.home.geo != nil }, #Predicate { $0.home.geo?.lat == size },
      #Predicate { $0.home.geo?.label == maybe }, #Predicate { ($0.home.geo?.lat ?? 1) > size },
      #Predicate { $0.work == nil }, #Predicate { $0.work != nil }, #Predicate { $0.work?.city == word },
      #Predicate { $0.work?.city != word }, #Predicate { $0.work?.city == nil }, #Predicate { $0.work?.zip == maybe },
      #Predicate { $0.work?.zip != nil }, #Predicate { $0.work.flatMap { $0.city == word } ?? false },
      #Predicate { $0.work.flatMap { $0.rank > rank } ?? false }, #Predicate { ($0.work?.rank ?? rank) >= rank },
      #Predicate { !($0.work.flatMap { $0.zip != word } ?? true) },
      #Predicate { $0.work.flatMap { $0.zip == nil } ?? false },
      #Predicate { $0.work?.geo == nil }, #Predicate { $0.work?.geo?.lat == size },
      #Predicate { $0.work?.geo?.label != maybe }, #Predicate { $0.work?.base.lat == size },
      #Predicate { $0.work.flatMap { $0.geo.flatMap { $0.lat < size } ?? false } ?? false },
      #Predicate { $0.work?.tags.contains(word) ?? false }, #Predicate { ($0.work?.tags.count ?? 7) > 1 },
      #Predicate { $0.work.flatMap { levels.contains($0.level ?? level) } ?? false },
      #Predicate { $0.work?.level == level }, #Predicate { $0.work?.level == nil },
      #Predicate { $0.home.city == $0.name }, #Predicate { ($0.work?.city ?? word) == $0.home.city },
      #Predicate { $0.home.rank + ($0.work?.rank ?? 1) > rank }, #Predicate { $0.home.base.lat < $0.home.base.lat + 1 },
      #Predicate { $0.buddy?.home.city == word }, #Predicate { $0.buddy?.work?.city == word },
      #Predicate { $0.buddy?.work == nil }, #Predicate { $0.buddy?.home.geo?.lat == size },
      #Predicate { $0.buddy.flatMap { $0.home.city == word } ?? false },
    ]
  }

  private static func conditions(
    _ random: inout Random, isFinite: Bool = true
  ) -> [(QueryPredicate<Visitor>, (Visitor) -> Bool)] {
    let word = random.any(of: words)
    let rank = Int.random(in: -3...4, using: &random)
    let size = random.any(of: isFinite ? numbers : [.nan, .infinity])
    let level = random.any(of: Level.allCases)
    let maybe: String? = Bool.random(using: &random) ? word : nil
    return [
      (\.home.city == word, { $0.home.city == word }), (\.home.city != word, { $0.home.city != word }),
      (\.home.city < word, { $0.home.city < word }), (\.home.rank >= rank, { $0.home.rank >= rank }),
      (\.home.zip == maybe, { $0.home.zip == maybe }), (!(\.home.zip == maybe), { $0.home.zip != maybe }),
      (\.home.level == level, { $0.home.level == level }), (\.home.base.lat > size, { $0.home.base.lat > size }),
      (\.home.base.lat == size, { $0.home.base.lat == size }), (\.home.geo?.lat == size, { $0.home.geo?.lat == size }),
      (\.work?.city == word, { $0.work?.city == word }), (\.work?.city != maybe, { $0.work?.city != maybe }),
      (\.work?.zip == maybe, { $0.work?.zip == maybe }),
      (\.work?.geo?.label == maybe, { $0.work?.geo?.label == maybe }),
      (\.work?.level != level, { $0.work?.level != level }),
      (\.home.ref == word && \.work?.rank == rank, { $0.home.ref == word && $0.work?.rank == rank }),
      (\.work == nil, { $0.work == nil }), (\.home.geo != nil, { $0.home.geo != nil }),
      (\.work?.geo == nil, { $0.work?.geo == nil }), (!(\.work?.geo == nil), { $0.work?.geo != nil }),
      (.string(\.home.city, contains: "o", caseSensitive: true), { $0.home.city.contains("o") }),
      (.string(\.work?.city, hasPrefix: "B", caseSensitive: true), { $0.work?.city.hasPrefix("B") ?? false }),
      (!(.string(\.work?.city, hasPrefix: "B", caseSensitive: true)), { !($0.work?.city.hasPrefix("B") ?? false) }),
    ]
  }

  @Test(arguments: 1...2) func conditionsMeanWhatTheyMeanInSwift(_ seed: UInt64) throws {
    let database = try Database(schema: Self.schema)
    let all = try Self.fill(database, seed: seed)
    var random = Random(state: seed &* 77)
    for isFinite in [true, true, false] {
      for predicate in Self.predicates(&random, isFinite: isFinite) {
        let query = Visitor.include(predicate)
        let plan = query.explain(in: database.entities, costs: false)
        #expect(!isFinite || !plan.contains("in Swift"), "\(predicate)\n\(plan)")
        let wanted = try all.filter { try predicate.evaluate($0) }.map(\.id)
        #expect(try query.results(in: database).map(\.id) == wanted, "\(predicate)\n\(plan)")
        let rest = try Visitor.exclude(predicate).results(in: database).map(\.id)
        #expect(rest == all.map(\.id).filter { !wanted.contains($0) }, "\(predicate)\n\(plan)")
      }
      for (number, (condition, holds)) in Self.conditions(&random, isFinite: isFinite).enumerated() {
        let query = Visitor.filter(condition)
        let plan = query.explain(in: database.entities, costs: false)
        #expect(!isFinite || !plan.contains("in Swift"), "\(number)\n\(plan)")
        #expect(query.resolve(in: database).map(\.id) == all.filter(holds).map(\.id), "\(number)\n\(plan)")
      }
    }
  }

  /// In a schema that is made of models they are JSON, which is looked at in Swift.
  @Test func conditionsOnJSON() throws {
    var random = Random(state: 5)
    var context = try Context(for: Visitor.self)
    for visitor in Self.visitors(&random) { try visitor.save(to: &context) }
    let all = Visitor.query().with(\.$buddy).resolve(in: context)
    for predicate in Self.predicates(&random) {
      let query = Visitor.include(predicate)
      #expect(query.explain(in: context, costs: false).contains("in Swift"), "\(predicate)")
      #expect(try query.results(in: context).map(\.id) == all.filter { try predicate.evaluate($0) }.map(\.id))
    }
    for (condition, holds) in Self.conditions(&random) {
      #expect(Visitor.filter(condition).explain(in: context, costs: false).contains("in Swift: filter by 1 condition"))
      #expect(Visitor.filter(condition).resolve(in: context).map(\.id) == all.filter(holds).map(\.id))
    }
    #expect(Visitor.query().sorted(by: \.home.city).explain(in: context).contains("in Swift: sort by 1 key"))
    let cities = Visitor.query().sorted(by: \.home.city).resolve(in: context).map(\.home.city)
    #expect(cities == all.map(\.home.city).sorted())
  }

  @Test func orders() throws {
    let database = try Database(schema: Self.schema)
    let all = try Self.fill(database, seed: 9)
    func check(_ query: QueryList<Visitor>, _ areOrdered: (Visitor, Visitor) -> Bool) throws {
      #expect(!query.explain(in: database.entities).contains("in Swift"))
      let wanted = all.enumerated().sorted {
        areOrdered($0.1, $1.1) || !areOrdered($1.1, $0.1) && $0.0 < $1.0
      }.map(\.element.id)
      #expect(query.resolve(in: database).map(\.id) == wanted)
    }
    try check(Visitor.query().sorted(by: \.home.city)) { $0.home.city < $1.home.city }
    try check(Visitor.query().sorted(by: \.home.city.desc)) { $0.home.city > $1.home.city }
    try check(Visitor.query().sorted(by: \.home.base.lat, \.home.rank)) {
      ($0.home.base.lat, $0.home.rank) < ($1.home.base.lat, $1.home.rank)
    }
    try check(Visitor.sortBy(\.work?.rank)._list) { left, right in
      right.work.map { work in left.work.map { $0.rank < work.rank } ?? true } ?? false
    }
    try check(Visitor.sortBy(\.home.geo?.label, comparator: .lexical)._list) { left, right in
      right.home.geo?.label.map { label in left.home.geo?.label.map { $0 < label } ?? true } ?? false
    }
    #expect(try Visitor.query().values(\.home.city, \.work?.geo?.lat, in: database).map(\.0) == all.map(\.home.city))
    let works = try Visitor.query().values(\.id, \.work?.zip, in: database)
    #expect(works.map { $0.1 } == all.map { $0.work?.zip })
    #expect(try Visitor.fetchKeyPaths(\.work?.city).results(in: database).map(\.work) == all.map(\.work))
  }

  struct Pair: Sendable, CustomTestStringConvertible {
    let text: String
    let plan: @Sendable (Database, Bool) -> String
    var testDescription: String { text }

    fileprivate init(_ text: String, _ query: @escaping @Sendable () -> QueryList<Visitor>) {
      self.text = "{ Visitor(\(text)) { id } }"
      plan = { query().explain(in: $0.entities, costs: $1) }
    }
  }

  static let pairs: [Pair] = [
    Pair(#"where: home.city == "Bonn""#) { Visitor.filter(\.home.city == "Bonn") },
    Pair(#"where: home.city == "Bonn""#) { Visitor.include(#Predicate { $0.home.city == "Bonn" })._list },
    Pair(#"where: home.city > "Bonn""#) { Visitor.include(#Predicate { $0.home.city > "Bonn" })._list },
    Pair(#"where: home.city == "Bonn" and home.rank > 1"#) {
      Visitor.include(#Predicate { $0.home.city == "Bonn" && $0.home.rank > 1 })._list
    },
    Pair("where: work.rank == 2") { Visitor.filter(\.work?.rank == 2) },
    Pair("where: work.rank == 2") { Visitor.include(#Predicate { $0.work?.rank == 2 })._list },
    Pair("where: work.city == null") { Visitor.include(#Predicate { $0.work?.city == nil })._list },
    Pair("where: work == null") { Visitor.include(#Predicate { $0.work == nil })._list },
    Pair("where: work == null") { Visitor.filter(\.work == nil) },
    Pair("where: work.geo != null") { Visitor.filter(\.work?.geo != nil) },
    Pair("where: work.geo != null") { Visitor.include(#Predicate { $0.work?.geo != nil })._list },
    Pair("where: home.base.lat > 2.0") { Visitor.filter(\.home.base.lat > 2) },
    Pair("where: home.base.lat > 2.0") { Visitor.include(#Predicate { $0.home.base.lat > 2 })._list },
    Pair("where: home.level == HIGH") { Visitor.filter(\.home.level == .high) },
    Pair(#"where: "a" in home.tags"#) { Visitor.include(#Predicate { $0.home.tags.contains("a") })._list },
    Pair(#"where: home.reference == "7""#) { Visitor.filter(\.home.ref == "7") },
    Pair("orderBy: home.city, limit: 3") { Visitor.query().sorted(by: \.home.city).limit(3) },
    Pair("orderBy: -home.base.lat") { Visitor.query().sorted(by: \.home.base.lat.desc) },
    Pair(#"where: home.city == "Ulm", orderBy: -home.rank, limit: 2"#) {
      Visitor.filter(\.home.city == "Ulm").sorted(by: \.home.rank.desc).limit(2)
    },
    Pair(#"where: buddy.home.city == "Bonn""#) { Visitor.include(#Predicate { $0.buddy?.home.city == "Bonn" })._list },
  ]

  private static let database = Result {
    let database = try Database(schema: schema)
    _ = try fill(database, seed: 3)
    return database
  }

  @Test(arguments: pairs) func plansAreEqual(_ pair: Pair) throws {
    let database = try Self.database.get()
    for costs in [false, true] {
      let (plan, text) = (pair.plan(database, costs), try database.prepare(pair.text).explain(costs: costs))
      #expect(plan == text, "\(plan)\n\(text)")
    }
  }

  @Test func indexesServe() throws {
    let database = try Self.database.get()
    let city = Visitor.include(#Predicate { $0.home.city == "Bonn" }).explain(in: database.entities, costs: false)
    #expect(city.contains(#"access   BTreeRange Visitor.home.city == "Bonn""#), "\(city)")
    #expect(!city.contains("in Swift"))
  }

  /// Deleted entities are what they were; JSON of a schema in text is JSON.
  @Test func whereElseTheyLie() throws {
    let database = try Database(schema: Self.schema)
    let all = try Self.fill(database, seed: 6)
    let wanted = all.filter { $0.home.city == "Bonn" && $0.work?.city == "Ulm" }.map(\.id)
    #expect(!wanted.isEmpty)
    for visitor in all { try Visitor.delete(id: visitor.id, from: database) }
    let deleted = Deleted<Visitor>.filter(\.entity.home.city == "Bonn" && \.entity.work?.city == "Ulm")
    #expect(deleted.resolve(in: database).map(\.entity.id).sorted() == wanted)
    let include = Deleted<Visitor>.include(
      #Predicate { $0.entity.home.city == "Bonn" && $0.entity.work?.city == "Ulm" })
    #expect(try include.results(in: database).map(\.entity.id).sorted() == wanted)

    let json = try Database(
      schema: "type Visitor { id: Int! name: String! home: JSON! work: JSON buddy: Visitor }")
    for visitor in all { try visitor.save(to: json) }
    let both = Visitor.include(#Predicate { $0.home.city == "Bonn" && $0.work?.city == "Ulm" })
    #expect(try both.results(in: json).map(\.id) == wanted)
    #expect(both.explain(in: json.entities).contains("in Swift"))
  }

  /// Who waits for changes is told of those of the columns.
  @Test func conditionsReadColumns() throws {
    let database = try Database(schema: Self.schema)
    _ = try Self.fill(database, seed: 4)
    for (list, name) in [
      (Visitor.filter(\.home.city == "Bonn"), "columns"), (Visitor.query().sorted(by: \.home.city), "columns"),
      (Visitor.include(#Predicate { $0.home.city == "Bonn" || $0.work?.geo != nil })._list, "columns"),
      (Visitor.filter(\.work?.base.lat == 1), "all"), (Visitor.query().sorted(by: \.home.city.count), "all"),
    ] {
      let before = try #require(QueryReading<Visitor>(database.entities))
      var reads = ReadSet()
      before.note(list.stages, &reads)
      func isUntouched(by change: String) throws -> Bool {
        let old = database.currentSnapshot
        _ = try database.query("mutation { updateVisitor(where: id == 1, set: {\(change)}) { id } }")
        return reads.isUntouched(from: old, to: database.currentSnapshot)
      }
      #expect(try isUntouched(by: #"name: "\#(UUID())""#) == (name == "columns"), "\(name)")
      let home = #"home: {city: "\#(UUID())", rank: 1, tags: [], base: {lat: 1}}"#
      #expect(try !isUntouched(by: home), "\(name)")
    }
  }

  /// What is not described, what codes itself in its own way, and what a schema has otherwise, is looked at in Swift.
  @Test func whatColumnsCannotTell() throws {
    let database = try Database(schema: Self.schema)
    let all = try Self.fill(database, seed: 2)
    let good = Grade.good
    for predicate in [
      #Predicate<Visitor> { $0.home.plain?.x == 1 }, #Predicate { $0.home.plain == nil },
      #Predicate { $0.home.grade == good }, #Predicate { $0.work?.grade == good },
    ] {
      let query = Visitor.include(predicate)
      #expect(query.explain(in: database.entities).contains("in Swift"), "\(predicate)")
      #expect(try query.results(in: database).map(\.id) == all.filter { try predicate.evaluate($0) }.map(\.id))
    }
    let other = try Database(
      schema: Self.schema.replacing("city: String!", with: "city: String").replacing("rank: Int!", with: "rank: Float!")
    )
    #expect(Visitor.filter(\.home.city == "a").explain(in: other.entities).contains("in Swift"))
    #expect(Visitor.filter(\.home.rank == 1).explain(in: other.entities).contains("in Swift"))
    #expect(!Visitor.filter(\.home.zip == "a").explain(in: other.entities).contains("in Swift"))
    // Key paths through an optional, and in it through what is none, are not known; predicates are.
    #expect(Visitor.filter(\.work?.base.lat == 1).explain(in: database.entities).contains("in Swift"))
    #expect(Visitor.filter(\.work?.base.lat == 1).resolve(in: database).count == all.count { $0.work?.base.lat == 1 })
    // A city that is not there is an error of reading, as it is without a condition.
    _ = try other.query(
      #"mutation { insertVisitor(data: {id: 1, name: "", home: {rank: 1, tags: [], base: {lat: 1}}}) { id } }"#)
    #expect(throws: (any Error).self) { try Visitor.include(#Predicate { $0.home.city == "a" }).results(in: other) }
  }
}
