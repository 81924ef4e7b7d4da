import Testing

@testable import StateExample

/// Tests what the example prints and docs/statemodel.md shows.
@Suite struct StateExampleTests {
  @Test func aPerson() throws {
    #expect(try people() == [#"{"person":{"name":"Alice","friends":[124]}}"#])
  }

  @Test func tasksInAFile() throws {
    #expect(
      try tasks() == [
        "2 steps, 1 task", "3 steps, 2 tasks", "cook after deleted", #"shop: ["bread", "tea"]"#,
        #"{"Task":[{"title":"shop","steps":["bread","tea","rice"]}]}"#,
      ])
  }
}
