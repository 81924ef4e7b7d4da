import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

@EntityModel
private struct Spot: Hashable {
  let id: Int
  var name: String
  var flag: Bool
  var rank: Int?
  @Relationship(inverse: \.spots) var owner: Keeper?
  @Relationship(inverse: \.parent) var children: [Spot]?
  @Relationship(inverse: \.children) var parent: Spot?
  @Relationship var links: [Spot]? = nil

  var ownerName: String? { owner?.name }
  var linkIDs: [Int] { $links.ids ?? [] }
  var hasOwner: Bool { $owner.id != nil && !$owner.isNone }
  /// How far the root is.
  var depth: Int { parent.map { $0.depth + 1 } ?? 0 }
  /// How many are below it.
  var size: Int { (children ?? []).reduce(1) { $0 + $1.size } }
}

@EntityModel
private struct Keeper: Hashable {
  let id: Int
  var name: String
  var rank: Int?
  @Relationship(inverse: \.owner) var spots: [Spot]?
  @Relationship var boss: Keeper? = nil
}

@EntityModel
private struct Bystander {
  let id: Int
}

/// Whether somebody's last link is one of Ann's.
private struct AnnsLink<Base: StandardPredicateExpression>: StandardPredicateExpression where Base.Output == Spot {
  var spot: Base
  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try spot.evaluate(bindings).links?.last?.owner?.name == "Ann"
  }
}

/// Conditions that are told in Swift see all relations that they look at, however they get there.
@Suite struct AskedRelationTests {
  /// Fourteen spots, most with an owner, in trees, with links that go round.
  private static func spots() throws -> Context {
    var context = try Context(for: Spot.self, Keeper.self, Bystander.self)
    for (id, name) in ["Ann", "Bo", "Cy"].enumerated() {
      var keeper = Keeper(id: id, name: name, rank: id == 1 ? nil : id)
      if id > 0 { keeper.$boss = .id(id - 1) }
      try keeper.save(to: &context)
    }
    for id in 0..<14 {
      var spot = Spot(id: id, name: "s\(id)", flag: id % 2 == 0, rank: id % 4 == 1 ? nil : id % 5)
      if id % 4 != 3 { spot.$owner = .id(id % 3) }
      if id > 0 && id % 5 != 4 { spot.$parent = .id((id - 1) / 2) }
      spot.$links = .ids(id % 3 == 0 ? [] : [(id * 3 + 1) % 14, (id * 5 + 2) % 14])
      try spot.save(to: &context)
    }
    return context
  }

  /// The spots with all that is so many relations away.
  private static func loaded(_ context: Context) -> [Spot] {
    Spot.query().with(.entities, .entities, .entities, .entities).resolve(in: context)
  }

  private let context: Context
  private let all: [Spot]

  init() throws {
    context = try Self.spots()
    all = Self.loaded(context)
  }

  /// Whether all verbs agree with evaluating the predicate for entities that have all of their relations.
  private func check(_ predicate: Predicate<Spot>, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = try all.filter { try predicate.evaluate($0) }.map(\.id)
    let others = all.map(\.id).filter { !expected.contains($0) }
    // Or nothing is shown.
    #expect(!expected.isEmpty && !others.isEmpty, sourceLocation: sourceLocation)
    func ids(_ query: Query<Spot>) throws -> [Int] { try query.results(in: context).map(\.id) }
    #expect(try ids(Spot.include(predicate)) == expected, sourceLocation: sourceLocation)
    #expect(try ids(Spot.exclude(predicate)) == others, sourceLocation: sourceLocation)
    #expect(
      try ids(Spot.include(predicate)[1..<3]) == Array(expected.dropFirst().prefix(2)), sourceLocation: sourceLocation)
    #expect(
      try ids(Spot.include(predicate).sortBy(\.id, order: .reverse)) == expected.reversed(),
      sourceLocation: sourceLocation)
    #expect(try Spot.include(predicate).count(in: context) == expected.count, sourceLocation: sourceLocation)
    #expect(try Spot.include(predicate).first(in: context)?.id == expected.first, sourceLocation: sourceLocation)
    #expect(try Spot.include(predicate).last(in: context)?.id == expected.last, sourceLocation: sourceLocation)
    let condition = QueryPredicate(predicate)
    #expect(Spot.filter(condition).resolve(in: context).map(\.id) == expected, sourceLocation: sourceLocation)
    #expect(Spot.filter(!condition).resolve(in: context).map(\.id) == others, sourceLocation: sourceLocation)
    #expect(
      Spot.filter(condition || \.id == -1).resolve(in: context).map(\.id) == expected, sourceLocation: sourceLocation)
    // Those of others, with a condition.
    let nested = Keeper.query().with(\.$spots) { $0.filter(condition) }.resolve(in: context)
    #expect(
      nested.allSatisfy { keeper in
        (keeper.spots ?? []).map(\.id) == all.filter { $0.owner?.id == keeper.id && expected.contains($0.id) }.map(\.id)
      }, sourceLocation: sourceLocation)
    var copy = context
    try Spot.exclude(predicate).delete(in: &copy)
    #expect(try Spot.results(in: copy).map(\.id) == expected, sourceLocation: sourceLocation)
    copy = context
    let found = try Spot.include(predicate).findOrCreate(in: &copy) { Spot(id: 99, name: "new", flag: false) }
    #expect(found.id == expected.first && Spot.query(99).resolve(in: copy) == nil, sourceLocation: sourceLocation)
  }

  @Test func elements() throws {
    try check(#Predicate { $0.links?.first?.owner?.name == "Ann" })
    try check(#Predicate { $0.links?.last?.owner?.name == "Ann" })
    try check(#Predicate { $0.links?.last?.owner == nil })
    try check(#Predicate { $0.links?.first?.children?.isEmpty == true })
    try check(#Predicate { $0.links?.isEmpty == false && $0.links![0].owner?.name == "Bo" })
  }

  @Test func filters() throws {
    try check(#Predicate { $0.links?.filter { $0.flag }.contains { $0.owner?.name == "Ann" } ?? false })
    try check(#Predicate { $0.links?.filter { $0.owner?.name == "Ann" }.count == 1 })
    try check(#Predicate { $0.children?.filter { $0.flag }.allSatisfy { $0.links?.isEmpty == true } ?? false })
    try check(#Predicate { spot in (spot.children?.filter { $0.owner?.name == spot.owner?.name }.count ?? 0) > 0 })
  }

  @Test func choices() throws {
    try check(#Predicate { ($0.parent ?? $0).owner?.name == "Ann" })
    try check(#Predicate { ($0.flag ? $0.parent : nil)?.owner?.name == "Ann" })
    try check(#Predicate { if let first = $0.links?.first { first.owner?.name == "Cy" } else { false } })
  }

  @Test func casts() throws {
    try check(#Predicate { ($0.parent as Any as? Spot)?.owner?.name == "Ann" })
    try check(#Predicate { $0.parent != nil && ($0.parent as Any as! Spot).links?.isEmpty == true })
  }

  /// What nobody but itself can take apart.
  @Test func expressionsOfTheProgram() throws {
    try check(Predicate { AnnsLink(spot: $0) })
    try check(Predicate { PredicateExpressions.build_Negation(AnnsLink(spot: $0)) })
  }

  @Test func computedProperties() throws {
    try check(#Predicate { $0.ownerName == "Ann" })
    try check(#Predicate { $0.links?.contains { $0.ownerName == "Ann" } ?? false })
    try check(#Predicate { $0.linkIDs.contains(4) })
    try check(#Predicate { !$0.hasOwner })
    try check(#Predicate { $0.depth == 2 })
    try check(#Predicate { $0.size > 2 })
  }

  /// Conditions and orders by key paths, which nothing takes apart.
  @Test func keyPaths() throws {
    func expected(_ holds: (Spot) -> Bool) -> [Int] { all.filter(holds).map(\.id) }
    #expect(
      Spot.filter(\.owner?.name == "Ann").resolve(in: context).map(\.id) == expected { $0.owner?.name == "Ann" })
    #expect(Spot.filter(\.ownerName != "Ann").resolve(in: context).map(\.id) == expected { $0.owner?.name != "Ann" })
    #expect(Spot.filter(\.size > 1).resolve(in: context).map(\.id) == expected { !($0.children ?? []).isEmpty })
    let byDepth = all.enumerated().sorted { ($0.element.depth, $0.offset) < ($1.element.depth, $1.offset) }
    #expect(Spot.query().sorted(by: \.depth).resolve(in: context).map(\.id) == byDepth.map(\.element.id))
    let byName = all.enumerated().sorted {
      ($0.element.owner?.name ?? "", $0.offset) < ($1.element.owner?.name ?? "", $1.offset)
    }
    #expect(
      try Spot.sortBy(\.owner?.name, comparator: .lexical).results(in: context).map(\.id) == byName.map(\.element.id))
    // What a query gives has no more than was asked for.
    #expect(Spot.filter(\.ownerName == "Ann").resolve(in: context).allSatisfy { $0.$owner.isNone && $0.owner == nil })
  }

  /// What a condition asks for is what a watched query hangs on.
  @Test func watching() throws {
    var context = context
    var cursor = AnswerCursor(Spot.include(#Predicate { $0.links?.last?.ownerName == "Ann" }).asList)
    let expected = all.filter { $0.links?.last?.owner?.name == "Ann" }.map(\.id)
    let first = try #require(try cursor.advance(to: context))
    #expect(try cursor.entities(first).map(\.id) == expected)
    // Of nothing that the query looks at.
    try Bystander(id: 1).save(to: &context)
    #expect(try cursor.advance(to: context) == nil && cursor.runs == 1)
    try Keeper(id: 0, name: "Anne").save(to: &context)
    let second = try #require(try cursor.advance(to: context))
    #expect(second.found.rows.isEmpty)
    let next = try #require(all.compactMap { $0.links?.last?.owner }.first { $0.id != 0 })
    try Keeper(id: next.id, name: "Ann").save(to: &context)
    let third = try #require(try cursor.advance(to: context))
    #expect(
      try cursor.entities(third).map(\.id) == all.filter { $0.links?.last?.owner?.id == next.id }.map(\.id))
  }

  /// As far as the data go, and not round and round.
  @Test func farAway() throws {
    var context = Context()
    for id in 0..<150 {
      var spot = Spot(id: id, name: "s", flag: false)
      if id > 0 { spot.$parent = .id(id - 1) }
      try spot.save(to: &context)
    }
    #expect(Spot.filter(\.depth >= 148).resolve(in: context).map(\.id) == [148, 149])
    var first = Spot(id: 0, name: "s", flag: false)
    first.$parent = .id(149)
    try first.save(to: &context)
    #expect(throws: ModelError.self) { try Spot.filter(\.depth >= 148).results(in: context) }
    #expect(throws: ModelError.self) { try Spot.query().sorted(by: \.depth).results(in: context) }
    #expect(try Spot.filter(\.name == "s").count(in: context) == 150)
  }

  /// Deleting by a condition keeps what the condition keeps.
  @Test func nothingIsDeletedByMistake() throws {
    var context = Context()
    var spot = Spot(id: 1, name: "order", flag: true)
    var line = Spot(id: 2, name: "line", flag: true)
    line.$owner = .relation(Keeper(id: 1, name: "kept"))
    spot.$links = .relation([line])
    try spot.save(to: &context)
    #expect(try Spot.include(#Predicate { $0.links?.first?.owner?.name == "kept" }).count(in: context) == 1)
    try Spot.exclude(#Predicate { $0.name != "order" || $0.links?.first?.owner?.name == "kept" }).delete(in: &context)
    #expect(try Spot.count(in: context) == 2)
    for _ in 0..<3 {
      _ = try Spot.include(#Predicate { $0.links?.last?.owner?.name == "kept" }).findOrCreate(in: &context) {
        Spot(id: .random(in: 100...1_000_000), name: "new", flag: false)
      }
    }
    #expect(try Spot.count(in: context) == 2)
  }
}
