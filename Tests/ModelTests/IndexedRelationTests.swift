import GQLite
import GQLiteModels
import Testing

/// What an index is over cannot look at relations: these change without the entity.
@Suite struct IndexedRelationTests {
  @EntityModel
  struct Team {
    let id: Int
    var name: String
  }

  @EntityModel
  struct Hashed {
    @HashIndex<Self>(\.teamName) private var teamNames
    let id: Int
    @Relationship var team: Team? = nil
    var teamName: String { team?.name ?? "none" }
  }

  @EntityModel
  struct Ordered {
    @Index<Self>(\.count.desc, \.id) private var counts
    let id: Int
    @Relationship var teams: [Team]? = nil
    var count: Int { $teams.ids?.count ?? 0 }
  }

  @EntityModel
  struct Distinct {
    @Unique<Self>(\.key, collisions: .throw) private var keys
    let id: Int
    @Relationship var team: Team? = nil
    var key: String { $team.isNone ? "a" : "b" }
  }

  @EntityModel
  struct Searched {
    @FullTextIndex<Self>(\.names) private var words
    let id: Int
    @Relationship var teams: [Team]? = nil
    var names: String { (teams ?? []).map(\.name).joined(separator: " ") }
  }

  /// Looks at a relation of some entities only.
  @EntityModel
  struct Choosy {
    @Index<Self>(\.key) private var keys
    let id: Int
    @Relationship var team: Team? = nil
    var key: Int { id > 1 ? team?.id ?? 0 : -id }
  }

  @EntityModel
  struct Seat {
    let number: Int
    @Relationship var team: Team? = nil
    var id: String { "\($team.id ?? 0)-\(number)" }
  }

  /// Relies on what it looks at.
  @EntityModel
  struct Bold {
    @Index<Self>(\.key) private var keys
    let number: Int
    @Relationship var team: Team? = nil
    var id: Int { number }
    var key: Int {
      if number == 1 { return 0 }
      guard let team else { preconditionFailure("it has one") }
      return team.id
    }
  }

  private func refusal<Entity: EntityModelProtocol>(_ entity: Entity) -> String {
    var context = Context()
    defer { #expect(context.ids(Entity.self).isEmpty) }
    do {
      try entity.save(to: &context)
      return ""
    } catch { return "\(error)" }
  }

  @Test func indexesOfAllKindsAreRefused() {
    func text(_ type: String, _ index: String, _ relation: String) -> String {
      "the models make no schema: the index '\(index)' of '\(type)' is over a computed property that looks at the relation "
        + "'\(relation)', and it can only be over what an entity itself holds"
    }
    #expect(refusal(Hashed(id: 1)) == text("Hashed", "teamNames", "team"))
    #expect(refusal(Ordered(id: 1)) == text("Ordered", "counts", "teams"))
    #expect(refusal(Distinct(id: 1)) == text("Distinct", "keys", "team"))
    #expect(refusal(Searched(id: 1)) == text("Searched", "words", "teams"))
    // Whatever it has loaded.
    #expect(!refusal(Hashed(id: 1, team: .relation(Team(id: 1, name: "x")))).isEmpty)
  }

  @Test func idsAreRefused() throws {
    let text =
      "the models make no schema: the 'id' of 'Seat' is over a computed property that looks at the relation 'team', and it "
      + "can only be over what an entity itself holds"
    #expect(refusal(Seat(number: 1)) == text)
    #expect(refusal(Seat(number: 1, team: .relation(Team(id: 3, name: "x")))) == text)
    var context = Context()
    #expect(throws: ModelError.self) { try context.insert(Seat(number: 1)) }
    #expect(throws: ModelError.self) { try Deleted(Seat(number: 1)).save(to: &context) }
    // What looks at a relation has what is known of it.
    #expect(!refusal(Bold(number: 2, team: .relation(Team(id: 3, name: "x")))).isEmpty)
    try Team(id: 3, name: "x").save(to: &context)
    var bold = Bold(number: 1)
    bold.$team = .id(3)
    try bold.save(to: &context)
    #expect(Bold.query(1).id(\.$team).resolve(in: context)?.$team.id == 3)
    #expect(context.ids(Bold.self) == [1] && Deleted<Seat>.query().resolve(in: context).isEmpty)
  }

  @Test func whoDoesNotLookIsSaved() throws {
    var context = Context()
    try Choosy(id: 1, team: .relation(Team(id: 5, name: "x"))).save(to: &context)
    #expect(Choosy.filter(\.key == -1).resolve(in: context).map(\.id) == [1])
    #expect(throws: ModelError.self) { try Choosy(id: 2).save(to: &context) }
    #expect(context.ids(Choosy.self) == [1])
  }
}
