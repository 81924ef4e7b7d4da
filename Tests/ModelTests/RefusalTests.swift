import GQLite
import GQLiteModels
import Testing

@testable import GQLGeneratedModels

/// What is refused, and leaves everything as it was.
@Suite struct RefusalTests {
  private func crew(_ id: String, code: String) -> Crew {
    Crew(id: id, name: id, rank: 1, pay: 1, isHome: true, mood: .calm, nicknames: [], code: code)
  }

  private func all(_ context: Context) throws -> String {
    try context.query("{ Crew { * ship tasks mates } Ship { * crew } Task { * crew } Deleted_Crew { * } }").jsonString
  }

  @Test func rulesThatDeny() throws {
    var context = Context()
    try Ship(id: 1, crew: .relation([crew("a", code: "a")])).save(to: &context)
    let before = try all(context)
    #expect(throws: ModelError.deleteDenied(entity: "Ship", id: "1", relation: "crew")) {
      try Ship.delete(id: 1, from: &context)
    }
    #expect(try all(context) == before)
    Ship(id: 1).detach(\.$crew, in: &context)
    try Ship.delete(id: 1, from: &context)
    #expect(context.ids(Ship.self).isEmpty && context.ids(Crew.self) == ["a"])
  }

  /// Another one has its unique value by now.
  @Test func restoringBesideItsSuccessor() throws {
    var context = Context()
    try crew("a", code: "x").save(to: &context)
    try Crew.delete(id: "a", from: &context)
    try crew("b", code: "x").save(to: &context)
    let before = try all(context)
    let deleted = try #require(Deleted<Crew>.query("a").resolve(in: context))
    #expect(throws: (any Error).self) { try deleted.restore(in: &context) }
    #expect(try all(context) == before && Database(context).check() == [])
    try crew("b", code: "y").save(to: &context)
    try deleted.restore(in: &context)
    #expect(Crew.filter(\.code == "x").resolve(in: context).map(\.id) == ["a"])
  }

  /// Of several entities at once all come in or none.
  @Test func listsComeWhole() throws {
    var context = Context()
    try crew("a", code: "x").save(to: &context)
    let before = try all(context)
    #expect(throws: Errors.self) {
      try Ship(
        id: 1, crew: .relation([crew("b", code: "b"), crew("c", code: "x")])
      ).save(to: &context)
    }
    #expect(throws: Errors.self) {
      try Ship(id: 1, crew: .relation([crew("b", code: "b"), crew("c", code: "b")])).save(to: &context)
    }
    #expect(throws: (any Error).self) {
      try context.insert([crew("b", code: "b"), crew("c", code: "x")])
    }
    #expect(try all(context) == before && Database(context).check() == [])
  }
}
