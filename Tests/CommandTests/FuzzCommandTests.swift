import Foundation
import Testing

/// The program that runs changed golden documents: what it finds, and that there is nothing to find.
@Suite struct FuzzCommandTests {
  private static let program = Gqlite.binary.deletingLastPathComponent().appending(path: "fuzz")
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Corpus/where").standardizedFileURL.path

  private func fuzz(_ arguments: String...) throws -> Gqlite.Result {
    try Gqlite.run(Self.program, arguments + [Self.corpus])
  }

  @Test("changed documents of one folder") func someInputs() throws {
    let result = try fuzz("--inputs", "2000", "--jobs", "1")
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.hasPrefix("2000 inputs, "))
    #expect(result.output.contains(", 0 reports, "))
  }

  @Test("a crash is reported with its input, and the inputs after it run") func crash() throws {
    let result = try fuzz("--inputs", "20", "--jobs", "1", "--crash-at", "7")
    #expect(result.status == 1)
    #expect(result.output.contains("input 7: the process ended with status"))
    #expect(result.output.contains("\n19 inputs, "))
  }

  @Test("a hang is ended and reported with its input") func hang() throws {
    let result = try fuzz("--inputs", "20", "--jobs", "1", "--hang-at", "7", "--patience", "5")
    #expect(result.status == 1)
    #expect(result.output.contains("input 7: no end after 5 s"))
    #expect(result.output.contains("\n19 inputs, "))
  }

  @Test("an input is the same each time") func shown() throws {
    let first = try fuzz("--show", "123")
    #expect(first.status == 0)
    #expect(first.output == (try fuzz("--show", "123")).output)
    #expect(first.output != (try fuzz("--show", "124")).output)
  }
}
