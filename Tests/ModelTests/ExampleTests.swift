import Testing

@testable import ModelsExample

/// What the README shows.
@Suite struct ExampleTests {
  @Test func chats() throws {
    #expect(
      try chatLines() == [
        "Alice: Any thoughts on databases?", "Bob: Structs in a database.", "Bob", "1",
        #"{"User":[{"name":"Alice","chats":[{"messages":[{"text":"Any thoughts on databases?"},"#
          + #"{"text":"Structs in a database."}]}]}]}"#, "likes graphs",
      ])
  }

  @Test func watching() async throws {
    #expect(try await watchLines() == ["Carol", "Carol", "Alice, Carol", "Dave is one of 3"])
  }

  @Test func files() throws {
    #expect(try fileLines() == [#"{"Note":[{"title":"kept"}]}"#, "kept"])
  }

  @Test func objects() throws {
    #expect(
      try objectLines() == [
        #"{"Person":[{"name":"Ally","idols":[{"name":"Bob"}]}]}"#, #"["Ally"] 1"#, "deleted Bob true",
        #"created ["Bob"]"#, "gone unknown-id", #""Alice" [123]"#,
      ])
    #expect(try observedLines() == ["Alice", "its name changes"])
  }
}
