import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// Relations to many, which are optional in Swift, and never nil in the store: however a predicate says what is to be
/// where there is nothing, it is what text asks, and has its plan.
@Suite struct OptionalRelationTests {
  @EntityModel
  struct Player: Codable, Hashable, Sendable {
    @Index<Self>(\.age) private var ageIndex

    let id: Int
    var age: Int
    var isOut: Bool?
    @Relationship(inverse: \.players) var team: Team?
    @Relationship(inverse: \.rivals) var rivals: [Player]?

    var isYoung: Bool { age < 10 }
  }

  @EntityModel
  struct Team: Codable, Hashable, Sendable {
    let id: Int
    var name: String
    @Relationship(inverse: \.team) var players: [Player]?
  }

  private let context: Context

  /// Some teams without players, and players without a team and without rivals.
  init() throws {
    var context = Context()
    for id in 0..<40 { try Team(id: id, name: "t\(id % 7)").save(to: &context) }
    for id in 0..<600 {
      var player = Player(id: id, age: id % 50, isOut: id % 3 == 0 ? nil : id % 3 == 1)
      if id % 4 != 0 { player.$team = .id(id * 7 % 37) }
      player.$rivals = .ids(id % 5 == 0 ? [] : [(id * 3 + 1) % 600, (id * 11 + 2) % 600])
      try player.save(to: &context)
    }
    self.context = context
  }

  /// Compares the answers with evaluating the predicate for entities with all that it may look at, and the plan with a
  /// text's.
  private func check<Entity: EntityModelProtocol>(
    _ predicate: Predicate<Entity>, text: String? = nil, isTranslated: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let all = Entity.query().with(.entities, .entities, .entities, .entities).resolve(in: context)
    let expected = try all.filter { try predicate.evaluate($0) }.map(\.id)
    let others = try all.filter { try !predicate.evaluate($0) }.map(\.id)
    let query = Entity.include(predicate)
    let plan = query.explain(in: context)
    #expect(try query.results(in: context).map(\.id) == expected, "\(plan)", sourceLocation: sourceLocation)
    #expect(
      try Entity.exclude(predicate).results(in: context).map(\.id) == others, "\(plan)", sourceLocation: sourceLocation)
    #expect(plan.contains("in Swift") != isTranslated, "\(plan)", sourceLocation: sourceLocation)
    guard let text else { return }
    // Or nothing is shown.
    #expect(!expected.isEmpty && !others.isEmpty, sourceLocation: sourceLocation)
    let type = "OptionalRelationTests_\(Entity.self)"
    let wanted = try Database(context).prepare("{ \(type)(where: \(text)) { id } }").explain(costs: true)
    #expect(plan == wanted, "\(plan)\n\(wanted)", sourceLocation: sourceLocation)
  }

  private let none: [Player] = []

  @Test func someOfThem() throws {
    let none = none
    let text = "some(players, age == 3)"
    let wanted = try Team.include(#Predicate { $0.players?.contains { $0.age == 3 } ?? false }).results(in: context)
    // Players 3, 53, 103, … 553, but for those without a team, whose number can be divided by four.
    #expect(Set(wanted.map(\.id)) == Set(stride(from: 3, to: 600, by: 50).filter { $0 % 4 != 0 }.map { $0 * 7 % 37 }))
    try check(#Predicate<Team> { $0.players?.contains { $0.age == 3 } ?? false }, text: text)
    try check(#Predicate<Team> { $0.players?.contains { $0.age == 3 } == true }, text: text)
    try check(#Predicate<Team> { true == $0.players?.contains { $0.age == 3 } }, text: text)
    try check(#Predicate<Team> { $0.players?.contains { $0.age == 3 } != false }, text: text)
    try check(#Predicate<Team> { ($0.players ?? []).contains { $0.age == 3 } }, text: text)
    try check(#Predicate<Team> { ($0.players ?? none).contains { $0.age == 3 } }, text: text)
    try check(#Predicate<Team> { ($0.players ?? []).contains { $0.age == 3 } == true }, text: text)
    try check(#Predicate<Team> { $0.players != nil && $0.players!.contains { $0.age == 3 } })
    try check(#Predicate<Team> { $0.players?.contains { $0.age == 3 } == false })
    try check(#Predicate<Team> { $0.players?.contains { $0.age == 3 } != true })
    try check(#Predicate<Team> { !($0.players ?? []).contains { $0.age == 3 } }, text: "not some(players, age == 3)")
  }

  @Test func allOfThem() throws {
    let none = none
    let text = "every(players, age < 46)"
    try check(#Predicate<Team> { ($0.players ?? []).allSatisfy { $0.age < 46 } }, text: text)
    try check(#Predicate<Team> { ($0.players ?? none).allSatisfy { $0.age < 46 } == true }, text: text)
    try check(#Predicate<Team> { $0.players?.allSatisfy { $0.age < 46 } ?? true }, text: text)
    try check(#Predicate<Team> { $0.players?.allSatisfy { $0.age < 46 } == true }, text: text)
  }

  @Test func howManyThereAre() throws {
    let none = none
    try check(#Predicate<Team> { ($0.players ?? []).count > 12 }, text: "count(players) > 12")
    try check(#Predicate<Team> { ($0.players ?? none).count == 12 }, text: "count(players) == 12")
    try check(#Predicate<Team> { $0.players?.isEmpty == true }, text: "not exists(players)")
    try check(#Predicate<Team> { ($0.players ?? []).isEmpty }, text: "not exists(players)")
    try check(#Predicate<Team> { !($0.players ?? none).isEmpty }, text: "exists(players)")
    try check(#Predicate<Team> { $0.players == nil })
    try check(#Predicate<Team> { $0.players != nil })
  }

  @Test func thoseThatPassATest() throws {
    let none = none
    try check(
      #Predicate<Team> { ($0.players ?? []).filter { $0.age == 3 }.count == 1 },
      text: "count(players(where: age == 3)) == 1")
    try check(#Predicate<Team> { ($0.players?.filter { $0.age > 20 }.count ?? 0) > 8 })
    try check(#Predicate<Team> { $0.players?.filter { $0.age > 20 && $0.isOut == true }.count == 2 })
    try check(
      #Predicate<Team> { ($0.players ?? none).filter { $0.age == 3 }.isEmpty }, text: "none(players, age == 3)")
    try check(#Predicate<Team> { !($0.players ?? []).filter { $0.isOut ?? false }.filter { $0.age == 3 }.isEmpty })
    try check(
      #Predicate<Team> { ($0.players ?? []).filter { $0.age > 2 }.contains { $0.age < 4 } },
      text: "some(players, age > 2 and age < 4)")
    try check(#Predicate<Team> { ($0.players ?? []).filter { $0.age < 30 }.allSatisfy { $0.age < 26 } })
    try check(#Predicate<Team> { ($0.players ?? []).filter { $0.isOut == true }.allSatisfy { $0.age > 3 } })
    try check(
      #Predicate<Team> { team in
        (team.players ?? []).filter { player in (team.players ?? []).contains { $0.age == player.age + 1 } }.count == 2
      })
    // The closure stands around the list.
    try check(
      #Predicate<Team> { team in
        if let list = team.players.flatMap({ $0.filter { $0.age > 20 } }) {
          list.contains { $0.id < list.count }
        } else {
          false
        }
      }, isTranslated: false)
    try check(#Predicate<Team> { ($0.players ?? []).filter { $0.age > 20 }.first?.age == 40 }, isTranslated: false)
    try check(#Predicate<Team> { ($0.players ?? []).filter { $0.isYoung }.count == 3 }, isTranslated: false)
  }

  @Test func nested() throws {
    let none = none
    let text = "some(players, some(rivals, age == 4))"
    try check(
      #Predicate<Team> { ($0.players ?? []).contains { ($0.rivals ?? []).contains { $0.age == 4 } } }, text: text)
    try check(
      #Predicate<Team> { $0.players?.contains { $0.rivals?.contains { $0.age == 4 } == true } == true }, text: text)
    try check(
      #Predicate<Team> { ($0.players ?? []).contains { ($0.rivals ?? none).allSatisfy { $0.age > 40 } } },
      text: "some(players, every(rivals, age > 40))")
    try check(
      #Predicate<Team> { ($0.players ?? []).filter { ($0.rivals ?? []).filter { $0.age > 30 }.count == 2 }.count > 3 })
    try check(
      #Predicate<Team> { team in
        (team.players ?? none).contains { ($0.rivals ?? none).contains { ($0.team?.id ?? 0) < team.id } }
      })
  }

  /// Behind an entity that may be missing a list may be nil.
  @Test func behindOthers() throws {
    let none = none
    let text = "some(team.players, age == 3)"
    try check(#Predicate<Player> { ($0.team.flatMap { $0.players } ?? []).contains { $0.age == 3 } }, text: text)
    try check(#Predicate<Player> { ($0.team.flatMap { $0.players } ?? none).contains { $0.age == 3 } }, text: text)
    try check(#Predicate<Player> { $0.team?.players?.contains { $0.age == 3 } ?? false }, text: text)
    try check(#Predicate<Player> { $0.team?.players?.contains { $0.age == 3 } == true }, text: text)
    try check(#Predicate<Player> { $0.team?.players?.contains { $0.age == 3 } == false })
    try check(#Predicate<Player> { $0.team?.players?.contains { $0.age == 3 } != true })
    try check(#Predicate<Player> { $0.team?.players?.contains { $0.age == 3 } != false })
    try check(#Predicate<Player> { $0.team?.players?.contains { $0.age == 3 } ?? true })
    try check(
      #Predicate<Player> { ($0.team.flatMap { $0.players } ?? []).allSatisfy { $0.age < 46 } },
      text: "every(team.players, age < 46)")
    try check(#Predicate<Player> { $0.team?.players?.allSatisfy { $0.age < 46 } == true })
    try check(#Predicate<Player> { $0.team?.players?.allSatisfy { $0.age < 46 } ?? true })
    try check(#Predicate<Player> { $0.team?.players?.allSatisfy { $0.age < 46 } != false })
    try check(#Predicate<Player> { ($0.team.flatMap { $0.players } ?? []).isEmpty })
    try check(#Predicate<Player> { $0.team?.players?.isEmpty == nil })
    try check(#Predicate<Player> { $0.team?.players == nil })
    try check(#Predicate<Player> { $0.team?.players != nil })
    try check(
      #Predicate<Player> { ($0.team.flatMap { $0.players } ?? []).count < 12 }, text: "count(team.players) < 12")
    try check(#Predicate<Player> { ($0.team.flatMap { $0.players } ?? []).filter { $0.age == 3 }.count == 0 })
    try check(#Predicate<Player> { $0.team?.players?.filter { $0.age == 3 }.count == 0 })
    try check(#Predicate<Player> { $0.team?.players?.filter { $0.age == 3 }.isEmpty != true })
    // Another list than none.
    let other = [Player(id: -1, age: 3)]
    try check(
      #Predicate<Player> { ($0.team.flatMap { $0.players } ?? other).contains { $0.age == 3 } }, isTranslated: false)
    try check(#Predicate<Player> { ($0.rivals ?? other).contains { $0.age == 4 } }, text: "some(rivals, age == 4)")
    try check(
      #Predicate<Player> { ($0.team.flatMap { $0.players } ?? $0.rivals ?? []).contains { $0.age == 3 } },
      isTranslated: false)
  }

  /// Other conditions that are compared with truth values.
  @Test func truths() throws {
    let (yes, no) = (true, false)
    try check(#Predicate<Player> { ($0.age == 3) == true }, text: "age == 3")
    try check(#Predicate<Player> { ($0.age == 3) != no }, text: "age == 3")
    try check(#Predicate<Player> { yes == ($0.age == 3) }, text: "age == 3")
    try check(#Predicate<Player> { ($0.age > 3) == false })
    try check(#Predicate<Player> { ($0.team == nil) == no })
    try check(#Predicate<Player> { ($0.isOut == true) == true }, text: "isOut == true")
    try check(#Predicate<Player> { $0.isOut == false }, text: "isOut == false")
    try check(#Predicate<Player> { $0.isOut != true })
    try check(#Predicate<Player> { ($0.isOut ?? true) == true })
    try check(#Predicate<Player> { ($0.isOut ?? false) == false })
    try check(#Predicate<Player> { ($0.age > 30 ? $0.isOut : nil) == false })
    try check(#Predicate<Player> { ($0.age > 30 ? $0.age < 40 : $0.age == 3) == true })
    try check(#Predicate<Player> { $0.team.flatMap { $0.name == "t3" } == false })
    try check(#Predicate<Player> { $0.team.flatMap { $0.name == "t3" } != false })
    try check(#Predicate<Player> { $0.team.flatMap { $0.name == "t3" } == true })
  }

  /// What is known of a list that was captured is what is known of one that text writes.
  @Test func capturedLists() throws {
    let (few, many, one) = ([1, 2, 3], Array(1...12), [7])
    try check(#Predicate<Player> { few.contains($0.age) }, text: "age in [1, 2, 3]")
    try check(#Predicate<Player> { many.contains($0.age) }, text: "age in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]")
    try check(#Predicate<Player> { few.contains($0.id) }, text: "id in [1, 2, 3]")
    try check(#Predicate<Player> { one.contains($0.age) }, text: "age == 7")
    try check(#Predicate<Player> { !one.contains($0.age) }, text: "age != 7")
    let truths: [Bool?] = [nil, true]
    try check(#Predicate<Player> { truths.contains($0.isOut) })
    try check(#Predicate<Player> { !truths.contains($0.isOut) })
    // Lists that have nothing, or nothing but nil.
    let (nothing, absent): ([Int], [Bool?]) = ([], [nil])
    try check(#Predicate<Player> { nothing.contains($0.age) })
    try check(#Predicate<Player> { !nothing.contains($0.age) })
    try check(#Predicate<Player> { $0.age == 3 || nothing.contains($0.age) })
    try check(#Predicate<Player> { absent.contains($0.isOut) })
    let text = try Database(context).prepare("{ OptionalRelationTests_Player(where: age in []) { id } }")
    #expect(
      try Player.include(#Predicate { nothing.contains($0.age) }).explain(in: context) == text.explain(costs: true))
    let names = ["t1", "t2"]
    try check(#Predicate<Team> { names.contains($0.name) }, text: "name in [\"t1\", \"t2\"]")
    try check(
      #Predicate<Team> { ($0.players ?? []).contains { few.contains($0.age) } }, text: "some(players, age in [1, 2, 3])"
    )
  }

  /// What is said of a list behind who may be missing is nothing where that is.
  @Test func listsOfWhoIsMissing() throws {
    try check(#Predicate<Player> { if let list = $0.team?.players { !list.isEmpty } else { false } })
    try check(#Predicate<Player> { if let list = $0.team?.players { !list.isEmpty } else { true } })
    try check(#Predicate<Player> { $0.team.flatMap { $0.players }.flatMap { $0.count != 5 } ?? false })
    try check(
      #Predicate<Player> { player in
        player.team.flatMap { $0.players }.flatMap { $0.isEmpty || player.age > 5 } ?? false
      })
    try check(
      #Predicate<Player> { player in
        player.team.flatMap { $0.players }.flatMap { $0.isEmpty && player.age > 5 } ?? true
      })
    try check(
      #Predicate<Player> { player in player.team.flatMap { $0.players }.flatMap { _ in player.age > 5 } ?? false })
  }

  @Test func choicesOfNothing() throws {
    try check(#Predicate<Player> { ($0.age > 25 ? nil : $0.rivals?.isEmpty) ?? true })
    try check(#Predicate<Player> { ($0.age > 25 ? nil : $0.rivals?.isEmpty) != false })
    try check(#Predicate<Player> { (($0.age > 25 ? nil : $0.rivals?.count) ?? 2) == 2 })
    try check(
      #Predicate<Player> { player in player.isOut.flatMap { _ in player.team } == nil }, isTranslated: false)
  }
}
