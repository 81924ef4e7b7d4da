import GQLite
import Testing

/// Tests what an error about conflicts says to do.
@Suite struct MergeHelpTests {
  private static let schema = """
    type User { id: ID! name: String email: String @unique code: String! = "0" @unique }
    """
  private static let start = #"insertUser(data: [{id: 1, name: "Ada", code: "1"}, {id: 2, code: "2"}])"#

  private func helps(_ body: () throws -> Void, at location: SourceLocation = #_sourceLocation) -> [String] {
    do {
      try body()
      Issue.record("nothing was in conflict", sourceLocation: location)
      return []
    } catch let error as QueryError {
      #expect(error.problems.allSatisfy { $0.code == "merge-conflict" }, "\(error)", sourceLocation: location)
      return error.problems.map { $0.help ?? "" }
    } catch {
      return ["\(error)"]
    }
  }

  private func scene(_ mine: String, _ theirs: String) throws -> MergeScene {
    try MergeScene(Self.schema, Self.start, mine: mine, theirs: theirs)
  }

  private func rename(_ name: String) -> String { "updateUser(where: id == 1, set: {name: \"\(name)\"})" }

  @Test("both choices are named where both decide") func both() throws {
    let field = try scene(rename("Ann"), rename("Anna"))
    #expect(
      helps { try field.draft.save() } == [
        "save with 'conflicts: .mine' or '.theirs', or give the field '@merge(by:)'"
      ])
    // A rule decides about no deletion.
    let deleted = try scene(rename("Ann"), "deleteUser(where: id == 1)")
    #expect(helps { try deleted.draft.save() } == ["save with 'conflicts: .mine' or '.theirs'"])
  }

  @Test("a choice that does not decide is not named") func key() throws {
    for (choice, help) in [
      (MergeChoice.fail, "give one of the two another value, or save with 'conflicts: .theirs'"),
      (.mine, "give one of the two another value, or save with 'conflicts: .theirs'"),
    ] {
      let scene = try scene(#"insertUser(data: {id: 3, code: "x"})"#, #"insertUser(data: {id: 4, code: "x"})"#)
      #expect(helps { try scene.draft.save(conflicts: choice) } == [help])
    }
    let free = try scene(
      #"insertUser(data: {id: 3, code: "3", email: "x"})"#, #"insertUser(data: {id: 4, code: "4", email: "x"})"#)
    #expect(
      helps { try free.draft.save() } == [
        "give one of the two another value, or save with 'conflicts: .mine' or '.theirs'"
      ])
  }

  @Test("a context that cannot go on says why") func following() throws {
    let scene = try scene(
      #"insertUser(data: {id: 3, code: "3", email: "x"})"#, #"insertUser(data: {id: 4, code: "4", email: "x"})"#)
    #expect(
      helps { try scene.draft.refresh() } == [
        "give one of the two another value, or save with 'conflicts: .mine' or '.theirs'"
      ])
    #expect(try scene.draft.run("{ names := User.id }").jsonString == #"{"names":[1,2,3]}"#)
  }

  @Test("a branch is refreshed, and what is merged into is refreshed first") func branches() throws {
    let database = try Database(schema: Self.schema)
    try database.run("mutation { \(Self.start) }")
    let (draft, other) = (try database.branch("draft"), try database.branch("other"))
    try draft.run(#"mutation { updateUser(where: id == 2, set: {name: "Bo"}) }"#)
    try other.run("mutation { \(rename("Ann")) }")
    let context = database.edit(.snapshot)
    try context.run(#"mutation { insertUser(data: {id: 3, code: "x"}) }"#)
    try database.run("mutation { \(rename("Anna")) }")
    try database.run(#"mutation { insertUser(data: {id: 4, code: "x"}) }"#)
    #expect(
      helps { try other.refresh() } == [
        "refresh with 'conflicts: .mine' or '.theirs', or give the field '@merge(by:)'"
      ])
    for choice in [MergeChoice.fail, .mine, .theirs] {
      do {
        try draft.merge(into: other, conflicts: choice)
        Issue.record("nothing was in conflict")
      } catch {
        #expect(
          error.problems.map(\.message) == [
            #"between the branch 'other' and its database: 'User.name' of 1 is "Ann" here and "Anna" there, and was "Ada""#
          ])
        #expect(
          error.problems.map { $0.help ?? "" } == [
            "refresh the branch 'other' first, with 'conflicts: .mine' or '.theirs', or give the field '@merge(by:)'"
          ])
      }
      #expect(
        helps { try draft.merge(into: context, conflicts: choice) } == [
          "give one of the two another value, or save the context first, with 'conflicts: .theirs'"
        ])
    }
    let decided = try other.refresh(conflicts: .mine)
    #expect(decided.map(\.field) == ["name"] && decided.map(\.resolved) == [.mine])
    try draft.merge(into: other)
    #expect(
      try other.run("{ User(orderBy: id) { name } }").jsonString
        == #"{"User":[{"name":"Ann"},{"name":"Bo"},{"name":null}]}"#)
  }

  @Test("what is only needed was not written") func needed() throws {
    let scene = try MergeScene(
      "type P { id: ID! rs: [R!]! @relation(inverse: \"p\", onDelete: CASCADE) } type R { id: ID! v: Int p: P! }",
      "insertP(data: {id: 1}) insertR(data: {id: 1, p: 1})", mine: "updateR(where: id == 1, set: {v: 5})",
      theirs: "deleteP(where: id == 1)")
    let conflicts = try scene.draft.save(conflicts: .mine).conflicts.map(\.description)
    #expect(
      conflicts == [
        "'P' of 1 was deleted by one side, and is needed by the other",
        "'R' of 1 was deleted by one side, and 'v' was written by the other",
      ])
  }

  @Test("an embedded object is told whole") func embedded() throws {
    let schema = """
      type N { id: ID! e: E } type E { a: Int! in: I other: I to: P lines: [L!]! } type I { x: Int } type L { n: Int }
      type P { id: ID! }
      """
    let scene = try MergeScene(
      schema, "insertP(data: {id: 1}) insertN(data: {id: 1, e: {a: 1, in: {x: 1}, to: 1, lines: [{n: 1}]}})",
      mine: "updateN(where: id == 1, set: {e: null})",
      theirs: "updateN(where: id == 1, set: {e: {a: 2, in: {x: 1}, to: 1, lines: [{n: 1}]}})")
    let conflict = try #require(scene.draft.save(conflicts: .theirs).conflicts.first)
    func object(_ a: Int) -> String { #"{"a":\#(a),"in":{"x":1},"other":null,"to":1,"lines":[{"n":1}]}"# }
    #expect("\(conflict.base)" == object(1))
    #expect(conflict.mine == .null)
    #expect("\(conflict.theirs)" == object(2))
  }
}
